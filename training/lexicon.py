"""The table's words, and the look-up that src/encode/static_encoder.h defines: a word's own row, or
else the longest prefix in the table and then the longest "##" continuations until it is used up; a
piece that is missing drops the rest."""
import numpy as np
import scipy.sparse

from folding import words


class Lexicon:
    def __init__(self, entries):
        self.entries = list(entries)
        self.row = {w: i for i, w in enumerate(self.entries)}
        self.longest = max(map(len, self.entries))
        self.known = {}

    def rows(self, word):
        """Row numbers of one folded word."""
        if word not in self.known:
            self.known[word] = self._split(word)
        return self.known[word]

    def _split(self, word):
        if word in self.row:
            return (self.row[word],)
        found, at = [], 0
        while at < len(word):
            head = "##" if at else ""
            for end in range(min(len(word), at + self.longest), at, -1):
                row = self.row.get(head + word[at:end])
                if row is not None:
                    found.append(row)
                    at = end
                    break
            else:
                break
        return tuple(found)

    def bags(self, texts):
        """One sparse row of counts per text."""
        indices, counts, starts = [], [], [0]
        for text in texts:
            bag = {}
            for word in words(text):
                for row in self.rows(word):
                    bag[row] = bag.get(row, 0) + 1
            indices.extend(bag.keys())
            counts.extend(bag.values())
            starts.append(len(indices))
        return scipy.sparse.csr_matrix(
            (np.asarray(counts, np.float32), np.asarray(indices, np.int32), np.asarray(starts, np.int64)),
            shape=(len(starts) - 1, len(self.entries)))


def read_words(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def unit(x):
    """Rows scaled to length 1; zero rows stay zero."""
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
