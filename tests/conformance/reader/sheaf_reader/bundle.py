"""The sections of a bundle (docs/format.md, "Sections of a bundle" to "Vectors")."""

import bisect
import json
import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import xxhash

from .analysis import english_stem
from .container import (
    BUNDLE,
    FACETS,
    GRAPH,
    MANIFEST,
    PARTITION_INDEX,
    PASSAGE_INDEX,
    PASSAGE_MAP,
    PASSAGES,
    SETTINGS,
    SPELLINGS,
    TERM_INDEX,
    TERMS,
    URL_INDEX,
    VECTORS,
    Container,
    Cursor,
    Refused,
    corrupt,
    demand,
)
from .symbols import Symbols
from .vectors import coded_rows, inverse_norms, mean_of

# What this reader can make terms and stems of: language, tokenizer, stemmer ("What every query needs").
Stemmer = Callable[[bytes], bytes]
ANALYSES: dict[tuple[str, int, int], Stemmer] = {("", 1, 0): lambda term: term, ("en", 1, 1): english_stem}

# "Limits"
MOST_PASSAGES = 1 << 28
MOST_TERM, MOST_SPELLING = 64, 32
MOST_PIECE_PASSAGES = 64
MOST_ENTRIES, MOST_PATH, MOST_PLACE = 1024, 256, 8


# ---- "What every query needs" --------------------------------------------------------------------


@dataclass
class Settings:
    """Counts and constants."""

    pages: int
    passages: int
    terms: int
    language: str
    tokenizer: int
    stemmer: int
    k1: float
    bits: int
    dimensions: int
    encoder_hash: int
    library: str
    version: str
    space: str
    centroid: np.ndarray  # float32: scale times codes
    document_encoder: int


def read_settings(raw: bytes) -> Settings:
    cursor = Cursor(raw, "settings")
    pages, passages, terms = (cursor.unsigned(4) for _ in range(3))
    language = cursor.string()
    tokenizer, stemmer = cursor.unsigned(2), cursor.unsigned(2)
    k1, bits, dimensions, encoder_hash = cursor.f32(), cursor.u8(), cursor.unsigned(4), cursor.unsigned(8)
    library, version, space = (cursor.string() for _ in range(3))
    demand(1 <= pages <= passages <= MOST_PASSAGES, "the counts of pages and passages are impossible")
    demand(len(language.encode()) <= 35, "the language is too long")
    demand(math.isfinite(k1) and 0 < k1 <= 100, "k1 is impossible")
    demand(bits in (0, 4, 8), "vectors have another number of bits")
    demand(
        dimensions % 16 == 0 and dimensions <= 4096 and (dimensions == 0) == (bits == 0),
        "the dimensions are impossible",
    )
    centroid = np.zeros(0, np.float32)
    if dimensions:
        scale = np.float32(cursor.f32())
        demand(bool(np.isfinite(scale)), "the centroid's scale is no number")
        centroid = scale * np.frombuffer(cursor.bytes(dimensions), np.int8).astype(np.float32)
    document_encoder = cursor.u8() if cursor.at < len(raw) else 0
    return Settings(
        pages, passages, terms, language, tokenizer, stemmer, k1, bits, dimensions,
        encoder_hash, library, version, space, centroid, document_encoder,
    )  # fmt: skip


# ---- "Words" -------------------------------------------------------------------------------------


@dataclass
class Entry:
    """A term with its postings: passage, level and role of each."""

    term: bytes
    passages: np.ndarray
    levels: np.ndarray
    roles: np.ndarray


@dataclass
class Form:
    """A term in a term leaf, its list still packed."""

    term: bytes
    postings: int
    packed: bytes | tuple[int, int]  # an inline form's passage, and its level with its role


def bit_numbers(cursor: Cursor, count: int, widths: tuple[int, ...], interleaved: bool) -> list[np.ndarray]:
    """Numbers of some widths from a little-endian bit string padded to a byte, one width after the other or in turn."""
    bits = np.unpackbits(np.frombuffer(cursor.bytes((count * sum(widths) + 7) // 8), np.uint8), bitorder="little")
    numbers = []
    at = 0
    for width in widths:
        if interleaved:
            taken = bits[: count * sum(widths)].reshape(count, sum(widths))[:, at : at + width]
            at += width
        else:
            taken = bits[at : at + count * width].reshape(count, width)
            at += count * width
        numbers.append(taken.astype(np.int64) @ (1 << np.arange(width, dtype=np.int64)))
    return numbers


def read_postings(packed: bytes, count: int, passages: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A posting list: blocks of 128 postings."""
    cursor = Cursor(packed, "a posting list")
    all_passages, all_levels, all_roles = [], [], []
    last = -1
    for begin in range(0, count, 128):
        size = min(128, count - begin)
        first, second = cursor.u8(), cursor.u8()
        gap_bits, named, base, level_bits = first & 0x7F, first >> 7, second & 0x1F, second >> 5
        demand(gap_bits <= 32 and level_bits <= 5 and gap_bits + level_bits > 0, "a posting list has impossible widths")
        gaps, levels = bit_numbers(cursor, size, (gap_bits, level_bits), False)
        places = last + np.cumsum(gaps + 1)
        last = int(places[-1])
        demand(last < passages, "a posting names a passage that is not there")
        roles = np.zeros(size, np.int64)
        if named:
            numbers, values = bit_numbers(cursor, cursor.u8() + 1, (7, 3), True)
            demand(bool((numbers < size).all()), "a role is of a posting that is not there")
            roles[numbers] = values
        all_passages.append(places)
        all_levels.append(np.minimum(levels + base, 31))
        all_roles.append(roles)
    cursor.end()
    return np.concatenate(all_passages), np.concatenate(all_levels), np.concatenate(all_roles)


class Lexicon:
    """Terms by their stems, and the words that corrections and completions come from."""

    def __init__(self, container: Container, settings: Settings) -> None:
        self._container = container
        self._settings = settings
        cursor = Cursor(container.required(TERM_INDEX), "term-index")
        count = self._count(cursor, TERMS)
        self.separators = cursor.separators(count, MOST_TERM)
        self._lengths = cursor.column(count)
        self._places = container.piece_places(TERMS, self._lengths)
        self.spelling_words: list[bytes] = []
        self._spelling_lengths: list[int] = []
        if SPELLINGS in container.sections:
            for _ in range(self._count(cursor, SPELLINGS)):
                self.spelling_words.append(cursor.bytes(cursor.varint()))
                self._spelling_lengths.append(cursor.varint())
            self._spelling_places = container.piece_places(SPELLINGS, self._spelling_lengths)
        self.symbols = Symbols(container, cursor, settings.passages)
        demand((settings.terms == 0) == (count == 0), "there are terms without leaves, or the other way round")
        self._leaf = lru_cache(maxsize=None)(self._read_leaf)
        self._spellings = lru_cache(maxsize=None)(self._read_spellings)

    def _count(self, cursor: Cursor, section_id: int) -> int:
        """A number of pieces, each of at least 5 stored bytes ("What a file may cost")."""
        section = self._container.sections.get(section_id)
        count = cursor.varint()
        demand(count * 5 <= (section.stored_size if section else 0), "there are more leaves than their section holds")
        return count

    # -- terms --

    def leaf_of(self, stem: bytes) -> int:
        """The leaf where a stem is, or would be."""
        return max(0, bisect.bisect_right(self.separators, stem) - 1)

    def _read_leaf(self, number: int) -> dict[bytes, list[Form]]:
        """The groups of a term leaf: a stem's forms, in order."""
        what = f"term leaf {number}"
        cursor = Cursor(self._container.piece(TERMS, self._places[number], self._lengths[number]), what)
        lists_size, group_count = cursor.varint(), cursor.varint()
        demand(lists_size <= len(cursor.data) - cursor.at, f"{what} is shorter than its lists")
        demand(group_count * 6 <= len(cursor.data), f"{what} claims too many groups")
        list_at = len(cursor.data) - lists_size
        groups: dict[bytes, list[Form]] = {}
        stem = b""
        for i in range(group_count):
            before, stem = stem, cursor.front_coded(stem)
            demand(1 <= len(stem) <= MOST_TERM and (stem > before or i == 0), f"the stems of {what} are impossible")
            forms = groups[stem] = []
            for _ in range(cursor.varint()):
                flags = cursor.u8()
                tail = cursor.bytes(flags >> 2 if flags >> 2 != 63 else cursor.u8())
                term = stem[: len(stem) - (flags & 1)] + tail
                demand(1 <= len(term) <= MOST_TERM, f"a term of {what} is impossible")
                demand(not forms or forms[-1].term < term, f"the terms of {what} do not ascend")
                if flags & 2:
                    forms.append(Form(term, 1, (cursor.varint(), cursor.u8())))
                    continue
                postings, size = cursor.varint(), cursor.varint()
                demand(
                    1 <= postings <= min(self._settings.passages, 8 * size),
                    f"a list of {what} has an impossible number",
                )
                demand(list_at + size <= len(cursor.data), f"a list of {what} lies outside of it")
                forms.append(Form(term, postings, cursor.data[list_at : list_at + size]))
                list_at += size
            demand(bool(forms), f"a group of {what} has no form")
        demand(list_at == len(cursor.data) and cursor.at == list_at - lists_size, f"{what} has bytes behind its end")
        return groups

    def entry(self, form: Form) -> Entry:
        if isinstance(form.packed, bytes):
            return Entry(form.term, *read_postings(form.packed, form.postings, self._settings.passages))
        passage, byte = form.packed
        demand(passage < self._settings.passages, "a posting is impossible")
        return Entry(form.term, np.array([passage]), np.array([byte & 0x1F]), np.array([byte >> 5]))

    def group(self, stem: bytes) -> list[Form]:
        """All terms of a stem."""
        return self._leaf(self.leaf_of(stem)).get(stem, []) if self.separators else []

    def stems_from(self, leaf: int) -> list[tuple[bytes, list[Form]]]:
        return list(self._leaf(leaf).items())

    # -- spellings --

    def _read_spellings(self, number: int) -> list[tuple[bytes, int]]:
        """A leaf of spellings: words and their weights."""
        what = f"leaf {number} of spellings"
        place, length = self._spelling_places[number], self._spelling_lengths[number]
        cursor = Cursor(self._container.piece(SPELLINGS, place, length), what)
        count = cursor.varint()
        demand(1 <= count and 3 * count <= len(cursor.data), f"{what} claims too many words")
        words = []
        word = b""
        for i in range(count):
            before, word = word, cursor.front_coded(word)
            demand(3 <= len(word) <= MOST_SPELLING, f"a word of {what} has an impossible length")
            demand(i == 0 or (len(before), before) < (len(word), word), f"the words of {what} do not ascend")
            words.append(word)
        weights = cursor.bytes(count)
        cursor.end()
        demand(words[0] == self.spelling_words[number], f"{what} begins otherwise than the index says")
        return list(zip(words, weights))

    def spellings(self, least: int, most: int) -> list[tuple[bytes, int]]:
        """The words of some lengths, with their weights."""
        found = []
        for number, first in enumerate(self.spelling_words):
            following = self.spelling_words[number + 1 : number + 2]
            if len(first) <= most and (not following or len(following[0]) >= least):
                found += [pair for pair in self._spellings(number) if least <= len(pair[0]) <= most]
        return found

    def verify(self, stem_of: Stemmer | None) -> None:
        """Reads all leaves: the order over all of them, and that each stem is its terms' stem."""
        terms, last = 0, b""
        for number, separator in enumerate(self.separators):
            groups = self._leaf(number)
            demand(bool(groups), f"term leaf {number} is empty")
            first = next(iter(groups))
            demand(
                separator <= first and (number == 0 or last < separator),
                f"the separator of term leaf {number} is wrong",
            )
            last = list(groups)[-1]
            for stem, forms in groups.items():
                terms += len(forms)
                for form in forms:
                    self.entry(form)
                    handle = re.split(rb"[\x01\x02]", form.term)[0]  # of a rule
                    own = stem if stem_of is None else handle if handle != form.term else stem_of(form.term)
                    demand(own == stem, f"the stem of {form.term!r} is wrong")
        demand(terms == self._settings.terms, "there is another number of terms")
        self.symbols.verify()
        words = self.spellings(0, MOST_SPELLING)
        demand(
            all((len(a[0]), a[0]) < (len(b[0]), b[0]) for a, b in zip(words, words[1:])), "spellings are out of order"
        )


# ---- "Passages" ----------------------------------------------------------------------------------


@dataclass
class Page:
    """What the passages of a page have in common."""

    title: str = ""
    url: str = ""
    source: str = ""
    description: str = ""
    modified: str = ""
    place: list[str] = field(default_factory=list)
    entries: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Passage:
    """A passage with its text."""

    page: Page
    begins_page: bool
    path: list[str]
    anchor: str
    first_line: int
    last_line: int
    text: bytes = b""


class Passages:
    """Which passages make a page, and what is in each."""

    def __init__(self, container: Container, settings: Settings) -> None:
        self._container = container
        count = settings.passages
        bits = container.required(PASSAGE_MAP)
        demand(len(bits) == (count + 7) // 8, "passage-map has another size")
        self.begins_page = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[:count].astype(bool)
        demand(
            bool(self.begins_page[0]) and int(self.begins_page.sum()) == settings.pages, "passage-map has other pages"
        )
        self.page_of = np.cumsum(self.begins_page) - 1

        cursor = Cursor(container.required(PASSAGE_INDEX), "passage-index")
        pieces = cursor.varint()
        section = container.sections.get(PASSAGES)
        demand(
            1 <= pieces and 5 * pieces <= (section.stored_size if section else 0), "there are impossibly many pieces"
        )
        held = cursor.column(pieces)
        self._lengths = cursor.column(pieces)
        cursor.end()
        demand(
            all(1 <= number <= MOST_PIECE_PASSAGES for number in held), "a piece holds an impossible number of passages"
        )
        self._ends = np.cumsum(held)
        demand(int(self._ends[-1]) == count, "the pieces hold another number of passages")
        self._places = container.piece_places(PASSAGES, self._lengths)
        self._piece = lru_cache(maxsize=None)(self._read_piece)

    def __getitem__(self, passage: int) -> Passage:
        piece = int(np.searchsorted(self._ends, passage, side="right"))
        begin = int(self._ends[piece - 1]) if piece else 0
        return self._piece(piece)[passage - begin]

    def _read_piece(self, number: int) -> list[Passage]:
        what = f"piece {number} of passages"
        cursor = Cursor(self._container.piece(PASSAGES, self._places[number], self._lengths[number]), what)
        begin, end = int(self._ends[number - 1]) if number else 0, int(self._ends[number])
        passages: list[Passage] = []
        sizes = []
        page, place, path, anchor, line = Page(), [], [], "", 0
        for i in range(begin, end):
            flags = cursor.varint()
            starts = flags & 3
            demand(flags < 64 and starts != 3, f"{what} has reserved flags")
            demand(starts != 0 or i > begin, f"{what} begins without a page")
            demand(starts != 2 or i == begin, f"{what} goes on with a page in its middle")
            demand((starts == 1) == bool(self.begins_page[i]), f"{what} begins pages elsewhere than passage-map")
            demand(starts != 0 or not flags & 32, f"{what} has a place without a page")
            if starts:
                page, path, anchor, line = Page(cursor.string(), cursor.string(), cursor.string()), [], "", 0
            if starts == 1:
                page.description, page.modified = cursor.string(), cursor.string()
            if flags & 32:
                place = _next_path(cursor, place, MOST_PLACE)
            page.place = place
            if flags & 8:
                count = cursor.varint()
                demand(count <= MOST_ENTRIES, f"{what} has too many entries")
                page.entries = [(cursor.string(), cursor.string()) for _ in range(count)]
            if flags & 4:
                path = _next_path(cursor, path, MOST_PATH)
            if flags & 16:
                anchor = cursor.string()
            advance = cursor.varint()
            line += (advance >> 1) ^ -(advance & 1)
            last_line = line + cursor.varint()
            sizes.append(cursor.varint())
            demand(0 <= line <= last_line < 1 << 31, f"{what} has impossible lines")
            passages.append(Passage(page, starts == 1, path, anchor, line, last_line))
        for passage, size in zip(passages, sizes):
            passage.text = cursor.bytes(size)
            cursor.decoded(passage.text)
        cursor.end()
        return passages

    def __len__(self) -> int:
        return len(self.page_of)


def _next_path(cursor: Cursor, before: list[str], most: int) -> list[str]:
    kept, added = cursor.varint(), cursor.varint()
    demand(kept <= len(before) and kept + added <= most, f"a path of {cursor.what} is impossible")
    return before[:kept] + [cursor.string() for _ in range(added)]


def name_hash(name: str) -> int:
    return xxhash.xxh64_intdigest(name.encode()) & 0xFFFFFFFF


# ---- facets --------------------------------------------------------------------------------------


@dataclass
class Facets:
    """Filters: the pages of each value of a key. Sorts: a rank for each page."""

    filters: dict[bytes, dict[bytes, np.ndarray]]
    sorts: dict[bytes, np.ndarray]


def read_facets(raw: bytes | None, pages: int) -> Facets:
    if raw is None:
        return Facets({}, {})
    cursor = Cursor(raw, "facets")

    def name(most: int, before: dict) -> bytes:
        text = cursor.string()
        demand(len(text.encode()) <= most, "a name of facets is too long")
        demand(not any(ord(c) < 32 or ord(c) == 127 for c in text), "a name of facets has control characters")
        demand(not before or list(before)[-1] < text.encode(), "the names of facets do not ascend")
        return text.encode()

    filters: dict[bytes, dict[bytes, np.ndarray]] = {}
    count = cursor.varint()
    demand(count <= 31, "there are too many filters")
    for _ in range(count):
        key = name(64, filters)
        values: dict[bytes, np.ndarray] = {}
        for _ in range(cursor.varint()):
            value = name(256, values)
            number, last = [], -1
            for _ in range(cursor.varint()):
                last += cursor.varint() + 1
                demand(last < pages, "facets name a page that is not there")
                number.append(last)
            values[value] = np.array(number, np.int64)
        filters[key] = values
    sorts: dict[bytes, np.ndarray] = {}
    for _ in range(cursor.varint()):
        key = name(len(raw), sorts)
        demand(cursor.varint() == pages, "a sort has another number of ranks")
        ranks = [cursor.varint() for _ in range(pages)]
        demand(max(ranks) <= pages, "a rank is impossible")
        sorts[key] = np.array(ranks, np.int64)
    cursor.end()
    return Facets(filters, sorts)


# ---- "Vectors" -----------------------------------------------------------------------------------


def mean_bytes(dimensions: int) -> int:
    return max(1, -(-28 * dimensions // 64))


def row_bytes(dimensions: int) -> int:
    return max(6, -(-17 * dimensions // 64))


class Vectors:
    """Partitions of rows."""

    def __init__(self, container: Container, settings: Settings) -> None:
        self._container = container
        self._settings = settings
        cursor = Cursor(container.required(PARTITION_INDEX), "partition-index")
        count, self.centroid_dimensions = cursor.varint(), cursor.varint()
        demand(1 <= count <= settings.passages, "the number of partitions is impossible")
        demand(
            self.centroid_dimensions % 16 == 0 and 16 <= self.centroid_dimensions <= settings.dimensions,
            "the centroids' dimensions are impossible",
        )
        self.largest_factor = np.float32(cursor.f32())
        demand(bool(0 <= self.largest_factor <= 1), "the largest factor is impossible")
        self.factors = np.frombuffer(cursor.bytes(count), np.uint8)
        self.spreads = np.frombuffer(cursor.bytes(count), np.uint8)
        codes = np.frombuffer(cursor.bytes(count * self.centroid_dimensions), np.int8)
        self.centroid_codes = codes.reshape(count, self.centroid_dimensions)
        self.partition_of = np.array(cursor.column(settings.passages), np.int64)
        cursor.end()
        demand(int(self.partition_of.max()) < count, "a passage is in no partition")
        members = np.bincount(self.partition_of, minlength=count)
        demand(int(members.min()) >= 1, "a partition is empty")
        four = settings.bits == 4
        header = 4 + mean_bytes(settings.dimensions) if four else 0
        row = row_bytes(settings.dimensions) if four else settings.dimensions
        self.piece_lengths = [header + int(number) * row + 4 for number in members]
        self._places = container.piece_places(VECTORS, self.piece_lengths)

    @property
    def partitions(self) -> int:
        return len(self.factors)

    def read(self, numbers: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The members of partitions, the stored bytes of their rows, and the codes that these decode to."""
        settings = self._settings
        pieces = [self._container.piece(VECTORS, self._places[i], self.piece_lengths[i]) for i in numbers]
        members = [np.flatnonzero(self.partition_of == i) for i in numbers]
        header = 4 + mean_bytes(settings.dimensions) if settings.bits == 4 else 0
        stored = [np.frombuffer(piece[header:], np.uint8).reshape(len(own), -1) for piece, own in zip(pieces, members)]
        rows = np.concatenate(stored)
        if settings.bits == 8:
            return np.concatenate(members), rows, rows.view(np.int8)
        factors = np.array([np.frombuffer(piece[:4], "<f4")[0] for piece in pieces])
        demand(bool(np.isfinite(factors).all()), "the factor of a partition's mean is no number")
        coded_means = np.array([np.frombuffer(piece[4:header], np.uint8) for piece in pieces])
        centroid = np.broadcast_to(mean_of(settings.centroid), (len(pieces), settings.dimensions))
        means = mean_of(factors[:, None] * coded_rows(coded_means, centroid).astype(np.float32))
        codes = coded_rows(rows, np.repeat(means, [len(own) for own in members], axis=0))
        return np.concatenate(members), rows, codes

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The codes of all passages, and their inverse norms."""
        members, _, rows = self.read(list(range(self.partitions)))
        codes = np.zeros_like(rows)
        codes[members] = rows
        return codes, inverse_norms(codes)

    @cached_property
    def stored_rows(self) -> list[bytes]:
        """The stored bytes of each passage's row."""
        members, stored, _ = self.read(list(range(self.partitions)))
        return [stored[i].tobytes() for i in np.argsort(members)]


@dataclass
class Graph:
    """Links between near passages."""

    entry: int
    highest: int
    level0: np.ndarray  # nodes × M0
    levels: dict[int, int]  # of the nodes above level 0
    rows: dict[int, int]
    upper: np.ndarray  # rows × M

    NONE = 0xFFFFFFFF

    def links(self, node: int, level: int) -> list[int]:
        """The neighbours of a node at a level that have links there themselves."""
        if level == 0:
            row = self.level0[node]
            return [int(other) for other in row if other != self.NONE]
        if self.levels.get(node, 0) < level:
            return []
        row = self.upper[self.rows[node] + level - 1]
        return [int(other) for other in row if other != self.NONE and self.levels.get(int(other), 0) >= level]


def read_graph(raw: bytes, settings: Settings) -> Graph:
    demand(len(raw) % 4 == 0 and len(raw) >= 32, "graph has an impossible size")
    words = np.frombuffer(raw, "<u4")
    nodes, dimensions, m, m0, highest, entry, upper_nodes = (int(word) for word in words[1:8])
    demand(
        raw[:4] == b"HNS1" and nodes == settings.passages and dimensions == settings.dimensions,
        "graph is of other passages",
    )
    demand(1 <= m <= 1024 and 1 <= m0 <= 1024 and highest <= 63, "graph has impossible numbers")
    demand(entry < nodes <= 1 << 26 and upper_nodes <= nodes, "graph has impossible counts")
    at = 8 + m0 * nodes
    demand(at + 3 * upper_nodes <= len(words), "graph ends early")
    level0 = words[8:at].reshape(nodes, m0)
    pairs = words[at : at + 2 * upper_nodes].reshape(upper_nodes, 2).astype(np.int64)
    at += 2 * upper_nodes
    rows = words[at : at + upper_nodes].astype(np.int64)
    at += upper_nodes
    demand(
        bool((np.diff(pairs[:, 0]) > 0).all() and (pairs[:, 0] < nodes).all()), "the upper nodes of graph do not ascend"
    )
    demand(bool(((pairs[:, 1] >= 1) & (pairs[:, 1] <= highest)).all()), "graph has impossible levels")
    demand(bool((rows == np.cumsum(pairs[:, 1]) - pairs[:, 1]).all()), "the rows of graph begin elsewhere")
    count = int(pairs[:, 1].sum())
    demand(len(words) == at + m * count, "graph has another size")
    upper = words[at:].reshape(count, m)
    for links in (level0, upper):
        demand(bool(((links < nodes) | (links == Graph.NONE)).all()), "graph has a link to no node")
    levels = {int(node): int(level) for node, level in pairs}
    demand(levels.get(entry, 0) == highest, "the entry node of graph is not at the highest level")
    return Graph(entry, highest, level0, levels, {int(node): int(row) for node, row in zip(pairs[:, 0], rows)}, upper)


# ---- the whole -----------------------------------------------------------------------------------


# As deep as objects and arrays of a manifest may lie within one another.
JSON_LEVELS = 64


def _depth(text: str) -> int:
    """How many objects and arrays are open at once at the most; strings count for nothing."""
    depth = deepest = 0
    for mark in re.findall(r'"(?:[^"\\\\]|\\\\.)*"|[\[\]{}]', text, re.DOTALL):
        depth += (mark in "[{") - (mark in "]}")
        deepest = max(deepest, depth)
    return deepest


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


class Bundle:
    """A bundle, opened: what every query needs is read and checked, the rest as it is needed."""

    def __init__(self, data: bytes) -> None:
        self.container = container = Container(data, BUNDLE)
        self.settings = read_settings(container.required(SETTINGS))
        self.lexicon = Lexicon(container, self.settings)
        self.passages = Passages(container, self.settings)
        self.vectors = Vectors(container, self.settings) if self.settings.bits else None
        self.facets = read_facets(container.section(FACETS), self.settings.pages)

    @classmethod
    def open(cls, path: Path) -> "Bundle":
        return cls(Path(path).read_bytes())

    @cached_property
    def graph(self) -> Graph | None:
        raw = self.container.section(GRAPH)
        return None if raw is None else read_graph(raw, self.settings)

    @property
    def stem(self) -> Stemmer:
        """What makes stems in this bundle."""
        settings = self.settings
        analysis = settings.language, settings.tokenizer, settings.stemmer
        if analysis not in ANALYSES:
            raise Refused("UNKNOWN_ANALYSIS", f"{analysis}; there are {list(ANALYSES)}")
        return ANALYSES[analysis]

    def manifest(self) -> dict:
        """JSON for people and hosts; a search never reads it."""
        raw = self.container.section(MANIFEST) or b"{}"
        try:  # as RFC 8259 has it, and no more: json.loads also takes NaN, and bytes of UTF-16
            text = raw.decode("utf-8")
            demand(_depth(text) <= JSON_LEVELS, f"manifest has more than {JSON_LEVELS} levels")
            manifest = json.loads(text, parse_constant=_no_constant, parse_int=float)
        except ValueError as error:
            raise corrupt(f"manifest: {error}") from error
        demand(isinstance(manifest, dict), "manifest is no JSON object")
        return manifest

    def page_by_name(self, name: str) -> int | None:
        """The page of a URL or source path (docs/search.md, at its end)."""
        entries = _url_entries(self.container.section(URL_INDEX))
        first_passages = np.flatnonzero(self.passages.begins_page)
        for candidate in dict.fromkeys((name, name.partition("#")[0])):
            for hashed, number in entries:
                if hashed == name_hash(candidate) and number < self.settings.pages:
                    page = self.passages[int(first_passages[number])].page
                    if candidate in (page.url.partition("#")[0], page.source):
                        return number
        return None

    def verify(self, stems: bool = False) -> None:
        """Checks every checksum and every bound; with `stems` also what a reader without the analysis cannot."""
        self.container.verify()
        settings = self.settings
        self.lexicon.verify(self.stem if stems else None)
        self.manifest()
        pages = [
            passage.page for passage in map(self.passages.__getitem__, range(settings.passages)) if passage.begins_page
        ]
        if URL_INDEX in self.container.sections:
            names = [
                (name_hash(name), i)
                for i, page in enumerate(pages)
                for name in (page.url.partition("#")[0], page.source)
            ]
            demand(
                _url_entries(self.container.section(URL_INDEX)) == sorted(names),
                "url-index does not have the pages' names",
            )
        if self.vectors:
            _ = self.vectors.rows
        _ = self.graph


def _url_entries(raw: bytes | None) -> list[tuple[int, int]]:
    demand(len(raw or b"") % 8 == 0, "url-index has an impossible size")
    return list(struct.iter_unpack("<II", raw or b""))
