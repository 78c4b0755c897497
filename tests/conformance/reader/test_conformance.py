"""The second reader against the cases of tests/conformance and the golden files of tests/golden."""

import json
import subprocess
import sys
import unittest
from functools import lru_cache, cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
CONFORMANCE = HERE.parent
GOLDEN = CONFORMANCE.parent / "golden"
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from sheaf_reader import words as by_words  # noqa: E402
from sheaf_reader.analysis import english_stem, tokenize  # noqa: E402
from sheaf_reader.bundle import Bundle  # noqa: E402
from sheaf_reader.characters import fold  # noqa: E402
from sheaf_reader.constants import Constants  # noqa: E402
from sheaf_reader.container import Refused  # noqa: E402
from sheaf_reader.json_form import answer_json, query_from  # noqa: E402
from sheaf_reader.marks import without_marks  # noqa: E402
from sheaf_reader.vectors import Table, coded_rows, inverse_norms, mean_of, to_codes  # noqa: E402

TABLES = {"guide": "table8", "wide": "table4", **dict.fromkeys(("names", "ruled", "eight", "codecs", "one"), "table8")}


def cases(name: str) -> list[Any]:
    return json.loads((CONFORMANCE / f"{name}.json").read_text(encoding="utf-8"))


@cache
def bundle(name: str) -> Bundle:
    return Bundle.open(CONFORMANCE / "bundles" / f"{name}.sheaf")


@cache
def table(name: str | None) -> Table | None:
    return Table.open(CONFORMANCE / "bundles" / f"{name}.sheaf") if name else None


def near(got: Any, wanted: Any) -> bool:
    """Equal, but for 1e-5 in numbers with a fraction."""
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(near, got, wanted))
    if isinstance(got, float) or isinstance(wanted, float):
        return abs(got - wanted) <= 1e-5
    return got == wanted


class Conformance(unittest.TestCase):
    """Each kind of cases, one by one."""

    maxDiff = 2000

    def test_texts_become_their_tokens_stems_and_foldings(self) -> None:
        for case in cases("analysis"):
            text = bytes.fromhex(case["hex"]) if "hex" in case else case["text"].encode()
            tokens = [
                [t.term.decode(), t.kind, t.position, t.begin, t.end, english_stem(t.term).decode()]
                for t in tokenize(text)
            ]
            with self.subTest(text=text[:80]):
                self.assertEqual(tokens, case["tokens"])
                self.assertEqual(fold(text), case["fold"])

    def test_words_become_their_stems(self) -> None:
        for word, stem in cases("stems"):
            self.assertEqual(english_stem(word.encode()).decode(), stem, word)

    def test_marks_are_taken_off_texts(self) -> None:
        def lines(text: bytes) -> list[bytes]:
            return [line.rstrip(b" \t\r") for line in text.split(b"\n") if line.strip(b" \t\r")]

        for text, wanted in cases("marks"):
            self.assertEqual(lines(without_marks(text.encode())), lines(wanted.encode()), text)

    def test_texts_become_their_vectors(self) -> None:
        for case in cases("vectors"):
            with self.subTest(text=case["text"][:80], table=case["table"]):
                vector = table(case["table"]).vector(case["text"].encode())
                self.assertEqual(vector is None, case["vector"] is None)
                if vector is not None:
                    self.assertLess(float(np.abs(vector - np.array(case["vector"])).max()), 1e-6)
                    codes = to_codes(vector)
                    self.assertEqual(codes.tolist(), case["codes"])
                    self.assertAlmostEqual(float(inverse_norms(codes[None])[0]), case["inverse_norm"], places=8)

    def test_rows_decode_to_their_codes(self) -> None:
        for case in cases("rows"):
            row = np.frombuffer(bytes.fromhex(case["row"]), np.uint8)
            codes = coded_rows(row[None], mean_of(np.array(case["mean"], np.float32)[None]))
            self.assertEqual(codes[0].tolist(), case["codes"], case["row"])
            self.assertAlmostEqual(float(inverse_norms(codes)[0]), case["inverse_norm"], places=8)

    def test_queries_become_their_words_forms_and_definitions(self) -> None:
        constants = Constants()
        for case in cases("words"):
            text = case["text"].encode()
            query, words = by_words.look_up(bundle(case["bundle"]), text, case["prefix"], True, constants)
            corrections = [(word.word.term, word.correction) for word in words if word.correction]
            got: dict[str, Any] = {}
            if corrections:
                got["corrections"] = [[wrong.decode(), right.decode()] for wrong, right in corrections]
                got["corrected"] = by_words.rewritten(text, query.tokens, corrections).decode()
            else:
                keywords = by_words.score(bundle(case["bundle"]), query, words, constants)
                words = keywords.words
                got["highest"] = float(keywords.highest)
                got["defines"] = [[int(i), float(keywords.defines[i])] for i in np.flatnonzero(keywords.defines)]
            got["words"] = [
                [
                    word.word.term.decode(),
                    float(word.boost),
                    word.word.kind,
                    word.word.counts,
                    word.word.complete,
                    float(word.idf),
                    [[f.entry.term.decode(), f.kind, float(f.weight), len(f.entry.passages)] for f in word.forms],
                ]
                for word in words
            ]
            for key, value in got.items():
                with self.subTest(bundle=case["bundle"], text=case["text"][:80], key=key):
                    self.assertTrue(near(value, case.get(key, [])), f"{value}\nis not\n{case.get(key)}")

    def test_queries_have_their_answers(self) -> None:
        left_out = {"weak": False, "ignored": 0, "corrections": [], "facets": ""}
        for case in cases("answers"):
            name = case["bundle"]
            constants = Constants(**case.get("constants", {}))
            query = query_from(case["query"])
            got = answer_json(bundle(name), table(case.get("table", TABLES.get(name))), query, constants, case.get("range", False))
            wanted = {**({} if "error" in case else left_out), **case}
            for key, value in wanted.items():
                if key not in ("bundle", "table", "query", "range", "constants"):
                    with self.subTest(bundle=name, query=case["query"]["text"][:80], range="range" in case, key=key):
                        self.assertTrue(near(got.get(key), value), f"{got.get(key)}\nis not\n{value}")

    def test_defective_files_are_refused(self) -> None:
        for case in cases("refused"):
            sound = (CONFORMANCE / "bundles" / f"{case['from']}.sheaf").read_bytes()
            data = bytearray(sound[: case["size"]].ljust(case["size"], b"\0"))
            for place, patch in case["patches"]:
                data[place : place + len(patch) // 2] = bytes.fromhex(patch)
            with self.subTest(name=case["name"]):
                with self.assertRaises(Refused):
                    (Table if case["from"].startswith("table") else Bundle)(bytes(data)).verify()


class GoldenFiles(unittest.TestCase):
    """Whole files."""

    def test_sound_files_are_verified(self) -> None:
        for path in sorted((CONFORMANCE / "bundles").glob("*.sheaf")):
            if path.stem.startswith("table"):
                Table.open(path).verify()
            else:
                Bundle.open(path).verify(stems=True)

    def test_any_changed_byte_is_found(self) -> None:
        sound = (CONFORMANCE / "bundles" / "one.sheaf").read_bytes()
        for place in range(len(sound)):
            data = bytearray(sound)
            data[place] ^= 4
            with self.assertRaises(Refused, msg=f"byte {place}"):
                Bundle(bytes(data)).verify()

    def test_every_page_is_found_by_its_names(self) -> None:
        guide = bundle("guide")
        for i in np.flatnonzero(guide.passages.begins_page):
            page = guide.passages[int(i)].page
            for name in (page.source, page.url, page.url.partition("#")[0] + "#anywhere"):
                self.assertEqual(guide.page_by_name(name), int(guide.passages.page_of[i]))
        self.assertIsNone(guide.page_by_name("https://elsewhere.example/"))

    def test_the_tiny_bundle_is_as_the_page_says(self) -> None:
        tiny = Bundle.open(GOLDEN / "v1" / "tiny.sheaf")
        tiny.verify()
        settings = tiny.settings
        self.assertEqual((settings.pages, settings.passages, settings.terms, settings.library), (5, 9, 142, "woodpile"))
        self.assertEqual([form.term for form in tiny.lexicon.group(b"answer")], [b"answer", b"answers"])
        answers = tiny.lexicon.entry(tiny.lexicon.group(b"answer")[1])
        self.assertEqual(answers.passages.tolist(), [0, 1, 2])
        self.assertEqual((answers.levels.tolist(), answers.roles.tolist()), ([17, 16, 16], [2, 0, 0]))
        first = tiny.passages[1]
        self.assertEqual((first.page.title, first.path, first.anchor), ("Caching answers", ["Expiry"], "expiry"))

    def test_broken_files_are_refused(self) -> None:
        for path in sorted((GOLDEN / "broken").glob("*.sheaf")):
            with self.subTest(name=path.stem), self.assertRaises(Refused):
                Bundle.open(path).verify()

    def test_the_command_verifies_searches_and_says_what_is_wrong(self) -> None:
        def run(*arguments: str) -> subprocess.CompletedProcess:
            command = [sys.executable, "-B", "-m", "sheaf_reader", *arguments]
            return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)

        guide = str(CONFORMANCE / "bundles" / "guide.sheaf")
        self.assertEqual(run("verify", guide, str(CONFORMANCE / "bundles" / "table4.sheaf")).returncode, 0)
        broken = run("verify", str(GOLDEN / "broken" / "block_flipped.sheaf"))
        self.assertEqual(broken.returncode, 1)
        self.assertIn("CHECKSUM_MISMATCH", broken.stdout)
        found = run("search", guide, "--mode", "keyword", "-k", "1", "caching")
        self.assertIn("guide/caching.md#expiry", found.stdout)


if __name__ == "__main__":
    unittest.main()
