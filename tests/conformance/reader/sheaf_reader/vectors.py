"""Rows, encoder tables and the vectors of texts (docs/analysis.md, section 6; docs/format.md, "Vectors" and
"Sections of an encoder table")."""

import bisect
import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from .analysis import tokenize
from .container import SETTINGS, TABLE, TERM_INDEX, TERMS, WORDINGS, Container, Cursor, Refused, demand

# ---- "A coded row" -------------------------------------------------------------------------------

MOST_ZEROS = 48  # a number of so many zero bits is the end


def mean_of(mean: np.ndarray) -> np.ndarray:
    """A mean's components as rows are coded against: times 65,536, clamped and rounded, halves away from zero."""
    scaled = np.clip(mean.astype(np.float64) * 65536, -65536, 65536)
    return np.copysign(np.floor(np.abs(scaled) + 0.5), scaled).astype(np.int64)


def coded_rows(rows: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The codes of coded rows, each with its mean (see mean_of): all rows side by side, dimension after dimension."""
    count, size = rows.shape
    j = rows[:, 0].astype(np.int64)
    step = (32 + j % 32) << (j // 32)
    bits = 8 * size
    padded = np.zeros((count, size + 8), np.uint8)
    padded[:, :size] = rows
    windows = np.lib.stride_tricks.sliding_window_view(padded, 8, axis=1)
    at = np.full(count, 8, np.int64)  # bits read, the scale's included
    a = np.full(count, 48, np.int64)
    ended = j == 255
    every = np.arange(count)
    codes = np.zeros((count, means.shape[1]), np.int8)
    for d in range(means.shape[1]):
        p = (means[:, d] * step + (1 << 17)) >> 18
        k = np.minimum(np.frexp((10 * a // 256).astype(np.float64))[1], 7).astype(np.int64)
        # The 56 bits from here on. A sum of more than 57 is never needed: 47 zeros, a one, 7 bits of r.
        window = np.ascontiguousarray(windows[every, np.minimum(at >> 3, size)]).view("<u8")[:, 0] >> (at & 7).astype(
            np.uint64
        )
        lowest = window & (~window + np.uint64(1))
        u = np.where(lowest > 0, np.frexp(lowest.astype(np.float64))[1] - 1, 64).astype(np.int64)
        end = at + u + 1 + k
        ended |= (u >= MOST_ZEROS) | (end > bits)
        r = ((window >> np.minimum(u + 1, 63).astype(np.uint64)) & ((1 << k) - 1).astype(np.uint64)).astype(np.int64)
        z = (u << k) + r
        e = np.where(ended, 0, np.where(z % 2 == 1, (z + 1) // 2, -(z // 2)))
        at = np.where(ended, at, end)
        codes[:, d] = np.clip(p + 4 * e, -127, 127)
        a += np.abs(e) - a // 16
    codes[j == 255] = 0
    return codes


def inverse_norms(codes: np.ndarray) -> np.ndarray:
    """The inverse norm of each row, 0 where all codes are 0 ("The inverse norm")."""
    squares = np.einsum("ij,ij->i", codes.astype(np.int64), codes.astype(np.int64)).astype(np.float64)
    with np.errstate(divide="ignore"):
        return np.where(squares > 0, 1 / np.sqrt(squares), 0).astype(np.float32)


# ---- a query's vector ----------------------------------------------------------------------------


def normalise(total: np.ndarray) -> np.ndarray | None:
    """A sum as a vector of length 1, or nothing without a direction ("Normalise")."""
    squares = 0.0
    for component in total.tolist():
        squares += component * component
    if not (squares > 0 and math.isfinite(squares)):
        return None
    return total * np.float32(1 / math.sqrt(squares))


def to_codes(vector: np.ndarray) -> np.ndarray:
    """A vector to 8 bits ("Vectors to integers")."""
    most = float(np.abs(vector).max(initial=0))
    if most == 0 or not np.isfinite(vector).all():
        return np.zeros(len(vector), np.int8)
    return np.clip(np.rint(vector.astype(np.float64) * (127 / most)), -127, 127).astype(np.int8)


def cosines(codes: np.ndarray, inverse: np.float32, rows: np.ndarray, inverses: np.ndarray) -> np.ndarray:
    """The cosines of a query with rows ("The cosine")."""
    dots = (rows.astype(np.int32) @ codes.astype(np.int32)).astype(np.float32)
    return np.clip(dots * inverse * inverses, np.float32(-1), np.float32(1))


# ---- "Sections of an encoder table" --------------------------------------------------------------


class Table:
    """An encoder table: words to rows, and texts to vectors."""

    def __init__(self, data: bytes) -> None:
        self.container = container = Container(data, TABLE)
        cursor = Cursor(container.required(SETTINGS), "settings")
        self.dimensions, self.bits, self.words = cursor.unsigned(4), cursor.u8(), cursor.unsigned(4)
        version = cursor.unsigned(2)
        self.space = cursor.string()
        demand(self.bits in (4, 8), "rows have another number of bits")
        demand(1 <= self.dimensions <= 4096 and self.dimensions % 16 == 0, "the dimensions are impossible")
        if version != 1:
            raise Refused("UNSUPPORTED_VERSION", f"query version {version}")
        cursor = Cursor(container.required(TERM_INDEX), "term-index")
        leaves = cursor.varint()
        section = container.sections.get(TERMS)
        demand(5 * leaves <= (section.stored_size if section else 0), "there are more leaves than their section holds")
        self._separators = cursor.separators(leaves, 64)
        self._counts = cursor.column(leaves)
        self._lengths = cursor.column(leaves)
        self._places = container.piece_places(TERMS, self._lengths)
        demand(sum(self._counts) == self.words, "there is another number of words")
        self._wordings: dict[bytes, list[bytes]] | None = None
        self._leaf = lru_cache(maxsize=None)(self._read_leaf)

    @classmethod
    def open(cls, path: Path) -> "Table":
        return cls(Path(path).read_bytes())

    def _read_leaf(self, number: int) -> dict[bytes, tuple[np.float32, np.ndarray]]:
        """A word leaf: the words' factors and codes."""
        what = f"word leaf {number}"
        cursor = Cursor(self.container.piece(TERMS, self._places[number], self._lengths[number]), what)
        count = self._counts[number]
        demand(1 <= count and 3 * count <= len(cursor.data), f"{what} claims too many words")
        words: list[bytes] = []
        for _ in range(count):
            word = cursor.front_coded(words[-1] if words else b"")
            demand(len(word) >= 1 and (not words or words[-1] < word), f"the words of {what} do not ascend")
            words.append(word)
        rows = {}
        for word in words:
            factor = np.float32(cursor.f32())
            packed = np.frombuffer(cursor.bytes(self.dimensions * self.bits // 8), np.uint8)
            if self.bits == 8:
                codes = packed.view(np.int8).astype(np.float32)
            else:
                codes = 2 * np.stack([packed & 15, packed >> 4], axis=1).ravel().astype(np.float32) - 15
            demand(bool(np.isfinite(factor)), f"a factor of {what} is no number")
            rows[word] = factor, codes
        cursor.end()
        return rows

    def row(self, word: bytes) -> tuple[np.float32, np.ndarray] | None:
        if not self._separators:
            return None
        return self._leaf(max(0, bisect.bisect_right(self._separators, word) - 1)).get(word)

    def wordings(self, stem: Callable[[bytes], bytes], stems: bytes) -> list[bytes]:
        """The stems of other wordings of a stem, or of two with a space between."""
        return self._leads(stem).get(stems, [])

    def _leads(self, stem: Callable[[bytes], bytes]) -> dict[bytes, list[bytes]]:
        if self._wordings is None:
            self._wordings = {}
            cursor = Cursor(self.container.section(WORDINGS) or b"", "wordings")
            words: list[bytes] = []
            for _ in range(cursor.varint() if cursor.data else 0):
                words.append(cursor.front_coded(words[-1] if words else b""))
            stems = [b" ".join(stem(part) for part in word.split(b" ")) for word in words]
            for own in stems:
                to = 0
                for _ in range(cursor.varint()):
                    to += cursor.varint()
                    self._wordings.setdefault(own, []).append(stems[to])
            cursor.end()
        return self._wordings

    def verify(self) -> None:
        self.container.verify()
        last = b""
        for number, separator in enumerate(self._separators):
            words = list(self._leaf(number))
            demand(
                separator <= words[0] and (number == 0 or last < separator),
                f"the separator of word leaf {number} is wrong",
            )
            last = words[-1]

    # -- "A text becomes a vector" --

    def _rows_of(self, term: bytes) -> list[tuple[np.float32, np.ndarray]]:
        """The rows of a term: its own, or those of the pieces that spell it."""
        own = self.row(term)
        if own is not None:
            return [own]
        rows = []
        at = 0
        while at < len(term):
            for end in range(len(term), at, -1):
                if end < len(term) and term[end] & 0xC0 == 0x80:
                    continue  # inside of a character
                row = self.row((b"##" if at else b"") + term[at:end])
                if row is not None:
                    rows.append(row)
                    at = end
                    break
            else:
                break
        return rows

    def add(self, total: np.ndarray, text: bytes, weight: float) -> None:
        """Sum(text, weight)"""
        for token in tokenize(text):
            if token.kind != "whole":
                for factor, codes in self._rows_of(token.term):
                    total += factor * np.float32(weight) * codes

    def vector(self, text: bytes) -> np.ndarray | None:
        """The vector of a query."""
        total = np.zeros(self.dimensions, np.float32)
        self.add(total, text, 1)
        return normalise(total)
