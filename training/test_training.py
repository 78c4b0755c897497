"""python -m unittest test_training (needs lxml, numpy and scipy, not the teacher)."""
import contextlib
import inspect
import io
import random
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import scipy.sparse

import space
from fit import fit, loss_gradient
from folding import words
from lexicon import Lexicon, unit
from deduplicate import runs
from fetch_docs import FORBIDDEN
import mpnet
from more_texts import bags_with_pairs, extended, frequent_pairs, mistyped
from objectives import Objective, Ranking, divergence_gradient, mine, reciprocal_ranks, softmax
from sample import Draw, draw
from short_texts import FUNCTION, heading_of, keywords_of, short_texts
from table_io import quantise, read_table, write_table
from variants import VARIANTS, most_frequent


class Folding(unittest.TestCase):
    def test_cuts_names_as_the_analyzer_does(self):
        for text, expected in (
                ("useEffect XMLHttpRequest", "use effect xml http request"), ("response_model --save-dev", "response model save dev"),
                ("utf8 3.12 IPv6 URLs", "utf8 3 12 ipv6 urls"), ("don't user's you’re", "dont user you"),
                ("Café ﬁne std::vector<T>", "cafe fine std vector t"), ("", "")):
            self.assertEqual(" ".join(words(text)), expected)

    def test_is_idempotent(self):
        for word in words("sha256sum HTML5Parser x86_64 Base64Encode straße I'm"):
            self.assertEqual(words(word), [word])


class Mpnet(unittest.TestCase):
    def test_near_distances_have_their_own_bias_and_far_ones_share(self):
        found = [mpnet.build_mpnet.bucket(d) for d in (-500, -128, -8, -7, -1, 0, 1, 7, 8, 128, 500)]
        self.assertEqual(found, [15, 15, 8, 7, 1, 0, 17, 23, 24, 31, 31])

    def test_a_block_of_weights_comes_back_within_half_a_step(self):
        weights = np.random.default_rng(1).normal(size=(6, 64)).astype(np.float32)
        weights[2, :32] = 0
        codes, scales = mpnet.build_mpnet.blocks(weights)
        self.assertEqual((codes.shape, scales.shape), ((6, 2, 32), (12,)))
        steps = scales.reshape(6, 2, 1)
        back = (codes.astype(np.float32) - 128) * steps
        self.assertLessEqual(np.abs(back - weights.reshape(6, 2, 32)).max(), steps.max() / 2 + 1e-6)
        self.assertTrue((back[2, 0] == 0).all())

    def test_parts_are_read_as_one_file(self):
        with tempfile.TemporaryDirectory() as place:
            paths = [Path(place) / str(i) for i in range(3)]
            for path, data in zip(paths, (b"abcd", b"ef", b"ghi")):
                path.write_bytes(data)
            with io.BufferedReader(mpnet.build_mpnet.Joined(paths)) as joined:
                self.assertEqual(joined.read(), b"abcdefghi")
                joined.seek(-6, 2)
                self.assertEqual((joined.read(3), joined.tell()), (b"def", 6))

    def test_a_space_is_written_as_codes_that_the_build_reads_back(self):
        vectors = unit(np.random.default_rng(2).normal(size=(900, 768)).astype(np.float32) * np.linspace(3, 0.1, 768))
        with tempfile.TemporaryDirectory() as place:
            file, before = Path(place) / "rotation.i8", mpnet.build_mpnet.ROTATION
            kept = mpnet.write_space(vectors, file)
            mpnet.build_mpnet.ROTATION = file
            try:
                mpnet.build_mpnet.write_space(Path(place))
            finally:
                mpnet.build_mpnet.ROTATION = before
            numbers = np.fromfile(Path(place) / "space.f32", "<f4")
        mean, rotation = space.fit(vectors)
        np.testing.assert_array_equal(numbers[:768], mean)
        self.assertLess(np.abs(numbers[768:].reshape(768, 256) - rotation).max(), np.abs(rotation).max() / 127)
        centred = vectors - mean
        best = ((centred @ rotation) ** 2).sum() / (centred**2).sum()
        self.assertAlmostEqual(kept, best, delta=0.005)

    def test_documentation_that_is_only_asked_about_in_the_end_is_left_out(self):
        for name, out in (("git-doc/a.html", True), ("libreoffice-help-en-us/a.html", True),
                          ("python3.11-doc/usr/html/faq/general.html", True), ("curl/git-doc/x", False)):
            self.assertEqual(bool(mpnet.HELD_OUT.search(name)), out)


class Spelling(unittest.TestCase):
    lexicon = Lexicon(["kube", "k", "a", "##ctl", "##c", "##tl"])

    def spell(self, word):
        return [self.lexicon.entries[r] for r in self.lexicon.rows(word)]

    def test_a_word_has_its_own_row(self):
        self.assertEqual(self.spell("kube"), ["kube"])

    def test_a_missing_word_takes_longest_pieces(self):
        self.assertEqual(self.spell("kubectl"), ["kube", "##ctl"])

    def test_a_missing_piece_drops_the_rest(self):
        self.assertEqual(self.spell("kzctl"), ["k"])
        self.assertEqual(self.spell("zoo"), [])

    def test_bags_count_repeated_words(self):
        self.assertEqual(self.lexicon.bags(["kube a kube", ""]).toarray()[:, [0, 2]].tolist(), [[2, 1], [0, 0]])


class Numbers(unittest.TestCase):
    def test_gradient_is_that_of_the_loss(self):
        rng = np.random.default_rng(0)
        student, target = rng.normal(size=(3, 5)), unit(rng.normal(size=(3, 5)))
        _, gradient = loss_gradient(student, target)
        for at in np.ndindex(student.shape):
            step = np.zeros_like(student)
            step[at] = 1e-6
            slope = -(loss_gradient(student + step, target)[0] - loss_gradient(student - step, target)[0]) / 2e-6
            self.assertAlmostEqual(slope, gradient[at], places=6)

    def test_codes_are_close_to_rows(self):
        rows = np.random.default_rng(0).normal(size=(50, 256)).astype(np.float32)
        for bits, least in ((8, 0.9999), (4, 0.99)):
            cosines = (unit(rows) * unit(quantise(rows, bits))).sum(1)
            self.assertGreater(cosines.min(), least)
        self.assertEqual(np.abs(quantise(np.zeros((1, 256)), 4)).max() < 1e-9, True)

    def test_space_survives_a_round_trip_and_keeps_directions_orthonormal(self):
        mean, rotation = space.fit(np.random.default_rng(0).normal(size=(1000, 384)).astype(np.float32) + 1)
        np.testing.assert_allclose(rotation.T @ rotation, np.eye(256), atol=1e-5)
        with tempfile.TemporaryDirectory() as folder:
            space.save(Path(folder) / "r", mean, rotation)
            for a, b in zip(space.load(Path(folder) / "r"), (mean, rotation)):
                np.testing.assert_array_equal(a, b)


def small_data(seed=0):
    """Sixty passages, 110 short texts and ten sentences made of them, over fifty words in eight dimensions."""
    rng = np.random.default_rng(seed)
    kind, pair = np.repeat([0, 2, 1], [60, 110, 10]), np.concatenate([np.full(60, -1), np.arange(120) % 60])
    held = np.where(pair >= 0, pair, np.arange(180)) % 10 == 0
    bags = scipy.sparse.csr_matrix((rng.random((180, 50)) < 0.15).astype(np.float32) + np.eye(180, 50, dtype=np.float32))
    return SimpleNamespace(kind=kind, pair=pair, bags=bags, targets=unit(rng.normal(size=(180, 8))).astype(np.float32),
                           train=np.flatnonzero(~held), held=np.flatnonzero(held), entries=[f"w{i}" for i in range(50)],
                           texts=[f"w{i % 50} w{i % 7} the w1" for i in range(180)]), rng.normal(size=(50, 8)).astype(np.float32)


class Objectives(unittest.TestCase):
    def test_gradient_of_the_divergence_is_its_slope(self):
        rng = np.random.default_rng(0)
        student, candidates = rng.normal(size=(3, 5)), unit(rng.normal(size=(12, 5))).reshape(3, 4, 5)
        goal, shut = softmax(rng.normal(size=(3, 4))), np.zeros((3, 4))
        shut[0, 2], goal[0, 2] = -1e9, 0
        goal /= goal.sum(1, keepdims=True)
        _, gradient = divergence_gradient(student, goal, candidates, 0.2, shut)
        for at in np.ndindex(student.shape):
            step = np.zeros_like(student)
            step[at] = 1e-5
            slope = (divergence_gradient(student + step, goal, candidates, 0.2, shut)[0]
                     - divergence_gradient(student - step, goal, candidates, 0.2, shut)[0]) / 2e-5
            self.assertAlmostEqual(slope, gradient[at], places=5)

    def test_a_ranking_that_the_student_has_already_moves_nothing(self):
        rng = np.random.default_rng(0)
        student, candidates = rng.normal(size=(3, 5)), rng.normal(size=(3, 4, 5))
        goal = softmax(np.einsum("bd,bkd->bk", unit(student), candidates) / 0.05)
        divergence, gradient = divergence_gradient(student, goal, candidates, 0.05)
        self.assertAlmostEqual(divergence, 0)
        np.testing.assert_allclose(gradient, 0, atol=1e-9)

    def test_mined_passages_are_the_nearest_by_teacher_and_by_student(self):
        data, start = small_data()
        objective = Objective(data, start, ranking=Ranking(1.0, mined=4))
        text = data.train[data.kind[data.train] == 2][5]
        student = unit(data.bags[[text]] @ start)[0]
        for query, found in ((data.targets[text], objective.mined[text, :4]), (student, objective.mined[text, 4:])):
            self.assertEqual(set(found), set(np.argsort(-(data.targets[:60] @ query))[:4]))
        self.assertTrue((mine(data, objective.passages, start, 4)[data.held] == -1).all())

    def test_near_copies_of_the_own_passage_are_dropped_from_the_mined(self):
        data, start = small_data()
        text = data.train[data.kind[data.train] == 2][5]
        own = data.targets[data.pair[text]]
        aside = np.random.default_rng(1).normal(size=(1, 8))
        aside = unit(aside - own * (aside @ own))[0]
        for place, cosine in ((1, 0.96), (2, 0.94)):  # two passages near the own one, on either side of .95
            data.targets[place] = cosine * own + np.sqrt(1 - cosine**2) * aside
        data.targets[text] = own  # so that all three are mined
        objective = Objective(data, start, ranking=Ranking(1.0, mined=4, own=0.5, copy=0.95))
        places, goal, shut = objective.goal(np.array([text]))
        self.assertEqual(places[0, 0], data.pair[text])
        self.assertTrue({1, 2, data.pair[text]} <= set(places[0, 1:]))
        for place, dropped in ((1, True), (2, False), (data.pair[text], True)):
            at = 1 + np.flatnonzero(places[0, 1:] == place)
            self.assertTrue(((shut[0, at] < 0) == dropped).all())
            self.assertTrue(((goal[0, at] == 0) == dropped).all())
        self.assertGreaterEqual(goal[0, 0], 0.5)
        self.assertAlmostEqual(goal.sum(), 1, places=5)

    def test_straight_through_rounding_is_the_grid_that_is_stored(self):
        data, rows = small_data()
        rows, columns = np.repeat(rows, 32, axis=1), np.array([3, 7, 40])
        for bits in (4, 2):
            objective = Objective(data, rows, bits=bits, coded_epochs=1)
            objective.begin(rows, 2)
            np.testing.assert_array_equal(objective.forward(rows, columns), rows[columns])
            objective.begin(rows, 1)
            np.testing.assert_array_equal(objective.forward(rows, columns), quantise(rows, bits)[columns].astype(np.float32))
            codes = objective.forward(rows * 1.3, columns) / objective.grid[1][columns]  # moved since: the same grid
            np.testing.assert_allclose(codes, 2 * np.round((codes - 1) / 2) + 1, atol=1e-4)
            self.assertAlmostEqual(np.abs(codes).max(), 2**bits - 1, places=4)

    def test_a_passage_weighs_what_is_asked(self):
        data, start = small_data()
        pick = np.array([1, 2, 70, 71])
        plain, heavy = (Objective(data, start, passage_weight=w).gradient(data.bags[pick] @ start, pick)[1] for w in (1.0, 3.0))
        np.testing.assert_allclose(heavy, plain * [[3], [3], [1], [1]], rtol=1e-6)

    def test_without_additions_the_fit_is_the_first_fit_and_a_seed_is_a_seed(self):
        data, start = small_data()
        settings = {"epochs": 2, "batch": 16, "seed": 3}
        everything = {"ranking": Ranking(0.5, 0.5, mined=4, own=0.5), "bits": 4, "coded_epochs": 1}
        with contextlib.redirect_stderr(io.StringIO()):
            plain = fit(data, start, **settings)
            same = fit(data, start, objective=Objective(data, start), **settings)
            ranked = [fit(data, start, objective=Objective(data, start, **everything), **settings) for _ in range(2)]
        np.testing.assert_array_equal(plain, same)
        np.testing.assert_array_equal(*ranked)
        self.assertFalse(np.array_equal(plain, ranked[0]))

    def test_the_teacher_finds_a_passage_that_its_short_text_equals(self):
        data, start = small_data()
        data.targets[60:] = data.targets[data.pair[60:]]
        (student, own, teacher), count = reciprocal_ranks(data, start)
        self.assertEqual((teacher, count), (1.0, 11))
        self.assertLess(student, 1)


class Variants(unittest.TestCase):
    def test_settings_are_those_of_the_fit_and_every_name_is_in_the_card(self):
        known, card = set(inspect.signature(fit).parameters), (Path(__file__).parent.parent / "models/minilm-l6-256.md").read_text()
        for name, variant in VARIANTS.items():
            self.assertLessEqual(set(variant.fit), known - {"seed", "objective"}, name)
            self.assertTrue(f"`{name}`" in card, f"{name} is not in the card")

    def test_a_mistyped_text_has_one_slip_in_a_long_word(self):
        text, rng = "how to delete rows from a table", random.Random(0)
        for _ in range(40):
            found = mistyped(text, rng).split()
            changed = [(a, b) for a, b in zip(text.split(), found) if a != b]
            self.assertEqual(len(found), 7)
            self.assertTrue(all(a in ("delete", "table") and a[0] == b[0] for a, b in changed) and len(changed) <= 1)
        self.assertIsNone(mistyped("a row is it", rng))

    def test_further_texts_are_trained_on_and_not_held_out(self):
        data, _ = small_data()
        more = extended(data, data.bags[:5], data.targets[:5], 2)
        self.assertEqual((more.bags.shape[0], len(more.targets), len(more.kind), len(more.pair)), (185,) * 4)
        self.assertEqual(more.train[-5:].tolist(), [180, 181, 182, 183, 184])
        self.assertIs(more.held, data.held)
        self.assertEqual(len(data.kind), 180)

    def test_pairs_of_words_are_counted_without_function_words(self):
        data = SimpleNamespace(texts=["foreign key of the table"] * 5 + ["foreign key foreign key", "rare pair"], train=np.arange(7))
        pairs = frequent_pairs(data, 10)
        self.assertEqual(pairs, ["foreign key"])
        bags = bags_with_pairs(scipy.sparse.csr_matrix(np.ones((7, 2), np.float32)), data.texts, pairs)
        self.assertEqual(bags.toarray()[4:, 2].tolist(), [1, 2, 0])

    def test_a_smaller_vocabulary_keeps_pieces_and_the_most_frequent_words(self):
        keep = most_frequent(["a", "rare", "often", "some", "##x"], np.array([0, 1, 9, 5, 0]), 4)
        self.assertEqual(keep.tolist(), [True, False, True, True, True])


class Tables(unittest.TestCase):
    def test_a_table_is_replaced_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            for names in (["a", "b"], ["a", "##b", "c"]):
                rows = np.random.default_rng(len(names)).normal(size=(len(names), 256)).astype(np.float32)
                write_table(out, names, rows, {})
                found, read = read_table(out)
                self.assertEqual(found, names)
                np.testing.assert_array_equal(read, rows)
            self.assertEqual([p.name for p in Path(folder).iterdir()], ["out"])

    def test_a_word_twice_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(AssertionError):
            write_table(Path(folder) / "out", ["a", "a"], np.zeros((2, 256), np.float32), {})


class Sampling(unittest.TestCase):
    row = {"source": "a", "title": "NAME", "heading": "OPTIONS > Deleting rows",
           "text": "The command is used to delete rows from a table, quietly. It fails with an error if the table cannot be opened. "
                   "--force FILE delete even when the table is in use by others. See table.drop_rows for the function itself."}

    def test_a_heading_that_says_nothing_is_left_out(self):
        class Rng:
            random = staticmethod(lambda: 0.99)
        self.assertEqual(heading_of({"title": "NAME", "heading": "DESCRIPTION"}, Rng), "")
        self.assertEqual(heading_of(self.row, Rng), "Deleting rows")

    def test_every_form_of_short_text_is_made(self):
        found = dict.fromkeys(form for seed in range(40) for form, _ in short_texts(self.row, random.Random(seed)))
        self.assertEqual(sorted(found), ["clause", "error", "heading", "keywords", "name", "option", "question", "sentence"])

    def test_keywords_are_words_of_the_passage_without_function_words(self):
        words_of = self.row["text"].split()
        for seed in range(40):
            found = keywords_of(words_of, random.Random(seed)).split()
            self.assertLessEqual(len(found), 8)
            self.assertFalse(FUNCTION & {word.lower() for word in found})

    def test_short_texts_name_the_passage_they_were_made_from(self):
        texts = draw([self.row], random.Random(1), set(), {"passage": 1, "sentence": 1, "short": 9}).texts
        self.assertEqual(texts[0]["kind"], "passage")
        self.assertEqual({text["pair"] for text in texts if text["kind"] == "short"}, {0})

    def test_a_judged_query_is_not_drawn(self):
        drawn = Draw({"delete rows quietly"})
        self.assertIsNone(drawn.put("short", "Delete rows, quietly!"))
        self.assertEqual((drawn.texts, drawn.judged), ([], 1))

    def test_documentation_under_evaluation_is_locked_out_by_name(self):
        for name in ("postgresql-doc-15/", "fish-common/", "octave-doc/", "python-pil-doc/", "usr/share/doc/fish/index.html",
                     "usr/share/doc/rust-doc/html/book/ch01.html", "docs/fastapi/index.md", "docs/react/hooks.md", "vue/guide.md"):
            self.assertRegex(name, FORBIDDEN)
        for listed in ("sources.tsv", "more_sources.tsv"):
            for line in (Path(__file__).parent / listed).read_text().splitlines():
                package, *rest = line.split("\t")
                self.assertTrue(line.startswith("#") or not FORBIDDEN.search(f"{package}/"), package)
                self.assertEqual(len(rest), 2, line)

    def test_a_run_of_13_words_is_found_wherever_it_stands(self):
        text = [f"w{i}" for i in range(13)]
        self.assertEqual(len(runs(text)), 1)
        self.assertTrue(runs(["before", *text, "after"]) & runs(text))
        self.assertFalse(runs(text[:12] + ["other"]) & runs(text))


if __name__ == "__main__":
    unittest.main()
