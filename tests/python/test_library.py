"""Opening bundles and asking them."""

import os
import pickle
import shutil
import threading
import unittest
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from support import kiln, temporary_folder, written

import sheaf


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = sheaf.open(kiln())
        cls.addClassCleanup(cls.library.close)

    def test_finds_the_page_that_answers_and_says_where(self):
        [hit] = self.library.search("start workers one after another", top_k=1)
        self.assertEqual((hit.source, hit.anchor), ("guide/schedules.md", "warming-up-slowly"))
        self.assertEqual(hit.link, "https://kiln.example/docs/guide/schedules#warming-up-slowly")
        self.assertEqual(hit.headings, ["Warming up slowly"])
        self.assertTrue(0 < hit.score <= 1)
        self.assertEqual((hit.first_line, hit.last_line), (5, 8))

    def test_highlights_are_slices_of_the_snippet(self):
        [hit] = self.library.search("ramp", mode="keyword", top_k=1)
        self.assertEqual([hit.snippet[each.start : each.start + each.length] for each in hit.highlights], ["ramp"])

    def test_an_answer_is_a_list_that_knows_more(self):
        answer = self.library.search("wrokers", mode="keyword")
        self.assertIsInstance(answer, list)
        self.assertEqual([(each.word, each.term) for each in answer.corrections], [("wrokers", "workers")])
        self.assertEqual((answer.used_keyword, answer.used_semantic, answer.ignored_words), (True, False, 0))
        self.assertGreater(answer.matching_passages, 0)

    def test_each_mode_uses_its_signals(self):
        used = {}
        for mode in ("keyword", "semantic", "hybrid"):
            answer = self.library.search("begin slowly", mode=mode)
            used[mode] = (answer.used_keyword, answer.used_semantic)
        self.assertEqual(used, {"keyword": (True, False), "semantic": (False, True), "hybrid": (True, True)})

    def test_options_reach_the_core(self):
        self.assertEqual(len(self.library.search("workers", top_k=2)), 2)
        self.assertEqual(self.library.search("workers", top_k=0), [])
        self.assertEqual(self.library.search("wrokers", mode="keyword", typo=False), [])
        self.assertEqual(self.library.search("worke", mode="keyword", prefix=False, typo=False), [])
        pages = [hit.page for hit in self.library.search("workers", by="passage", top_k=30)]
        self.assertGreater(len(pages), len(set(pages)))
        [hit] = self.library.search("ramp", top_k=1, explain=True, semantic_weight=0.25)
        self.assertEqual(hit.explanation.semantic_weight, 0.25)
        self.assertEqual([(each.term, each.kind) for each in hit.explanation.terms], [("ramp", "exact")])
        self.assertIsNone(self.library.search("ramp", top_k=1)[0].explanation)

    def test_a_vector_of_its_own_stands_for_the_query(self):
        vector = self.library.embed("start workers one after another")
        self.assertEqual(len(vector), self.library.info.dimensions)
        self.assertAlmostEqual(sum(number * number for number in vector), 1, 3)
        by_text = self.library.search("start workers one after another", mode="semantic")
        by_vector = self.library.search("", mode="semantic", vector=vector)
        self.assertEqual([hit.passage for hit in by_vector], [hit.passage for hit in by_text])

    def test_pages_are_found_by_url_path_and_number(self):
        page = self.library.page("https://kiln.example/docs/guide/schedules#warming-up-slowly")
        self.assertEqual((page.title, page.source), ("Schedules", "guide/schedules.md"))
        self.assertEqual(self.library.page("guide/schedules.md"), page)
        self.assertEqual(self.library.page(page.id), page)
        self.assertIn("A ramp adds workers", page.text)
        self.assertEqual(self.library.passage(page.passages[1].id), page.passages[1])

    def test_the_bundle_says_what_it_is(self):
        info = self.library.info
        self.assertEqual((info.library, info.version, info.pages), ("kiln", "1.4.0", 8))
        self.assertEqual((info.space, info.dimensions, info.semantic), ("minilm-l6-256", 256, True))
        self.assertEqual(info.file_size, kiln().stat().st_size)
        self.assertRegex(repr(self.library), r"^<sheaf.Library kiln 1.4.0: 8 pages, \d+ passages>$")
        self.assertGreater(self.library.verify(), 0)

    def test_calls_of_many_threads_overlap_and_each_gets_its_own_answer(self):
        queries = ["ramp", "furnace", "useEffect", "compressed files", "response_model_exclude_unset", "schedule"]
        expected = {query: [hit.passage for hit in self.library.search(query)] for query in queries}
        wrong = []

        def ask(query):
            for _ in range(10):
                if [hit.passage for hit in self.library.search(query)] != expected[query]:
                    wrong.append(query)

        threads = [threading.Thread(target=ask, args=(query,)) for query in queries]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(len({tuple(each) for each in expected.values()}), len(queries), "the queries tell nothing apart")


class Text(unittest.TestCase):
    """Characters beyond ASCII, and beyond sixteen bits, where JavaScript and Python count differently."""

    def test_offsets_count_characters_of_python(self):
        docs = written({"öfen.md": "# Öfen\n\n🔥🔥 Der Brennofen 𝔾lüht 🔥 und wärmt die Stube.\n"})
        bundle = temporary_folder() / "ofen ☃.sheaf"
        sheaf.pack(docs, bundle, library="ofen", version="1", language="none")
        with sheaf.open(bundle) as library:
            [hit] = library.search("wärmt brennofen", mode="keyword")
            self.assertEqual((hit.source, hit.title), ("öfen.md", "Öfen"))
            marked = [hit.snippet[each.start : each.start + each.length] for each in hit.highlights]
            self.assertEqual(marked, ["Brennofen", "wärmt"])
            self.assertIn("🔥🔥 Der", library.page("öfen.md").text)

    def test_half_a_character_in_a_query_does_no_harm(self):
        with sheaf.open(kiln()) as library:
            self.assertEqual(len(library.search("ramp \ud83d", mode="keyword")), 1)


class Facets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        page = "---\nsheaf:\n  filter: {{author: {0}}}\n  sort: {{date: {1}}}\n  meta: {{image: {0}.png}}\n---\n# {0}\n\nThe kiln of {0}.\n"
        docs = written({f"{name}.md": page.format(name, date) for name, date in [("Anne", "2024"), ("Bo", "2025"), ("Cy", "2023")]})
        bundle = temporary_folder() / "facets.sheaf"
        sheaf.pack([docs], str(bundle), library="facets", version="1")
        cls.library = sheaf.open(str(bundle))
        cls.addClassCleanup(cls.library.close)

    def test_filters_narrow(self):
        titles = lambda filters: sorted(hit.title for hit in self.library.search("kiln", filters=filters))  # noqa: E731
        self.assertEqual(titles({"author": "Bo"}), ["Bo"])
        self.assertEqual(titles({"author": ["Anne", "Cy"]}), ["Anne", "Cy"])
        self.assertEqual(titles({"author": "Dee"}), [])

    def test_sorts_order(self):
        titles = [hit.title for hit in self.library.search("kiln", sort="date", descending=True)]
        self.assertEqual(titles, ["Bo", "Anne", "Cy"])

    def test_values_are_counted_and_pages_keep_their_meta(self):
        answer = self.library.search("kiln", facets=True)
        self.assertEqual([(each.key, [value.value for value in each.values]) for each in answer.facets], [("author", ["Anne", "Bo", "Cy"])])
        self.assertEqual({hit.meta["image"] for hit in answer}, {"Anne.png", "Bo.png", "Cy.png"})
        facets = self.library.facets()
        self.assertEqual((facets.sorts, facets.filters[0].values[0].pages), (["date"], 1))


class Errors(unittest.TestCase):
    def code_of(self, work, *args, **options):
        with self.assertRaises(sheaf.SheafError) as caught:
            work(*args, **options)
        self.assertTrue(caught.exception.message)
        return caught.exception.code

    def test_a_file_that_is_missing_or_no_bundle_or_damaged(self):
        folder = temporary_folder()
        self.assertEqual(self.code_of(sheaf.open, folder / "none.sheaf"), "FILE")
        (folder / "text.sheaf").write_text("not a bundle at all, but long enough to be read as one" * 20)
        self.assertEqual(self.code_of(sheaf.open, folder / "text.sheaf"), "NOT_A_BUNDLE")
        data = bytearray(kiln().read_bytes())
        (folder / "short.sheaf").write_bytes(data[:-100])
        self.assertEqual(self.code_of(sheaf.open, folder / "short.sheaf"), "TRUNCATED")
        data[len(data) // 2] ^= 0xFF
        (folder / "damaged.sheaf").write_bytes(data)
        with sheaf.open(folder / "damaged.sheaf") as library:
            self.assertEqual(self.code_of(library.verify), "CHECKSUM_MISMATCH")

    def test_arguments_that_make_no_sense(self):
        with sheaf.open(kiln()) as library:
            self.assertEqual(self.code_of(library.search, "ramp", mode="magic"), "INVALID_ARGUMENT")
            self.assertEqual(self.code_of(library.search, "ramp", top_k=-1), "INVALID_ARGUMENT")
            self.assertEqual(self.code_of(library.search, "ramp", semantic_weight=float("nan")), "INVALID_ARGUMENT")
            self.assertEqual(self.code_of(library.search, b"ramp"), "INVALID_ARGUMENT")
            self.assertEqual(self.code_of(library.search, None), "INVALID_ARGUMENT")
            self.assertEqual(self.code_of(library.page, "no/such/page"), "NOT_FOUND")
            self.assertEqual(len(library.search("ramp", mode="keyword")), 1, "it answers after all that")
        self.assertEqual(self.code_of(sheaf.open, 7), "INVALID_ARGUMENT")
        self.assertEqual(self.code_of(sheaf.open, kiln(), encoder=True), "INVALID_ARGUMENT")

    def test_without_a_table_semantic_search_is_refused_and_hybrid_falls_back(self):
        with sheaf.open(kiln(), encoder=False) as library:
            self.assertFalse(library.info.semantic)
            self.assertEqual(self.code_of(library.search, "ramp", mode="semantic"), "NO_ENCODER")
            self.assertFalse(library.search("ramp").used_semantic)

    def test_a_closed_library_says_so(self):
        library = sheaf.open(kiln())
        library.close()
        library.close()
        self.assertEqual(self.code_of(library.search, "ramp"), "CLOSED")

    def test_errors_can_be_pickled_and_printed(self):
        error = pickle.loads(pickle.dumps(sheaf.SheafError("NETWORK", "no answer", 503)))
        self.assertEqual((error.code, error.status, str(error)), ("NETWORK", 503, "no answer [NETWORK]"))


class Sources(unittest.TestCase):
    def test_a_relative_path_is_that_of_the_caller_whenever_it_is_used(self):
        folder = temporary_folder()
        shutil.copy(kiln(), folder / "own.sheaf")
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder)
        with sheaf.open("own.sheaf") as library:
            self.assertEqual(library.info.library, "kiln")

    def test_a_url_is_read(self):
        class Quiet(SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=str(kiln().parent))

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{server.server_address[1]}"
        with sheaf.open(f"{origin}/{kiln().name}") as library:
            self.assertEqual(library.search("ramp", top_k=1)[0].title, "Schedules")
        with self.assertRaises(sheaf.SheafError) as caught:
            sheaf.open(f"{origin}/none.sheaf")
        self.assertEqual((caught.exception.code, caught.exception.status), ("NETWORK", 404))


class Notebook(unittest.TestCase):
    def test_an_answer_is_shown_with_every_text_escaped(self):
        docs = written({"a.md": "# <script>alert(1)</script> & kiln\n\nThe kiln is `<b>hot</b>`.\n"})
        bundle = temporary_folder() / "evil.sheaf"
        sheaf.pack(docs, bundle, library="evil", version="1", base_url='https://evil.example/"onmouseover="x/')
        with sheaf.open(bundle) as library:
            html = library.search("kiln")._repr_html_()
        self.assertNotIn("<script", html)
        self.assertNotIn('"onmouseover', html)
        self.assertIn("<b>kiln</b>", html)

    def test_an_address_that_is_not_of_the_web_is_no_link(self):
        [hit] = [sheaf.Hit(0, 0, 1.0, "t", "javascript:alert(1)", "s", "", [], 0, 0, "text", [])]
        answer = sheaf.SearchAnswer(
            [hit], corrections=[], matching_passages=1, ignored_words=0, used_keyword=True, used_semantic=False, facets=[]
        )
        self.assertNotIn("href", answer._repr_html_())


if __name__ == "__main__":
    unittest.main()
