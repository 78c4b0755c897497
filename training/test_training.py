"""python -m unittest test_training (needs numpy and scipy, not the teacher)."""
import tempfile
import unittest
from pathlib import Path

import numpy as np

import space
from fit import loss_gradient
from folding import words
from lexicon import Lexicon, unit
from sample import short_of
from table_io import quantise, read_table, write_table


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
    def test_a_heading_that_says_nothing_is_left_out(self):
        class Rng:
            random = staticmethod(lambda: 0.99)
        self.assertIsNone(short_of({"title": "NAME", "heading": "DESCRIPTION"}, Rng))
        self.assertEqual(short_of({"title": "NAME", "heading": "OPTIONS > Deleting rows"}, Rng), "Deleting rows")


if __name__ == "__main__":
    unittest.main()
