"""Symbols: what the documentation defines by name (docs/format.md, "Symbols"; docs/search.md, section 13)."""

import bisect
from dataclasses import dataclass
from functools import lru_cache

from .characters import fold
from .container import SPELLINGS, SYMBOLS, Container, Cursor, demand

MOST_NAME, MOST_KEY, MOST_PARTS, KINDS = 200, 255, 8, 14
BORDER = b"\x01"
KIND_WORDS = frozenset(
    b"class function method module type macro struct trait enum interface option command setting directive "
    b"variable property attribute exception fn def".split()
)


def _is_word_byte(byte: int) -> bool:
    return byte >= 0x80 or byte in b"abcdefghijklmnopqrstuvwxyz0123456789_"


def symbol_key(name: bytes) -> bytes:
    """The key of a name; empty: it has none."""
    if len(name) > MOST_NAME:
        return b""
    text = fold(name).encode()
    for i in range(1, len(text)):
        if text[i] in b"(<[" and _is_word_byte(text[i - 1]):
            text = text[:i]
            break
    has_space = b" " in text
    parts: list[bytes] = []
    at = 0
    while at < len(text):
        ends = [i for i in (text.find(joint, at) for joint in JOINTS) if i >= 0]
        end = min(ends, default=len(text))
        part = text[at:end]
        while part and not _is_word_byte(part[0]):
            part = part[1:]
        while part and not _is_word_byte(part[-1]):
            part = part[:-1]
        is_number = at > 0 and text[at - 1 : at] == b"/" and end == len(text) and all(b in b"0123456789" for b in part)
        if part and not (has_space and part in KIND_WORDS) and not is_number:
            parts.append(part)
        at = end + 1
    if len(parts) > MOST_PARTS:
        return b""
    key = BORDER.join(reversed(parts))
    if not parts and not has_space and not any(map(_is_word_byte, text)):
        key = text
    return key if len(key) <= MOST_KEY else b""


JOINTS = [bytes([byte]) for byte in b" .:#/\\~,;>"]


@dataclass(frozen=True)
class Symbol:
    """A name, and the passage that defines it."""

    name: bytes
    key: bytes
    kind: int
    deprecated: bool
    weight: int
    passage: int
    begin: int
    length: int
    anchor: str


def has_parts(whole: bytes, key: bytes) -> bool:
    """Whether it begins with the key, which ends there or between two parts."""
    return whole.startswith(key) and whole[len(key) : len(key) + 1] in (b"", BORDER)


class Symbols:
    """The symbols of a bundle by their keys."""

    def __init__(self, container: Container, cursor: Cursor, passages: int) -> None:
        """`cursor`: in term-index, behind the list of spellings."""
        self._container, self._passages = container, passages
        self.separators: list[bytes] = []
        self._lengths: list[int] = []
        if SYMBOLS in container.sections and SPELLINGS in container.sections:
            count = cursor.varint()
            demand(count * 5 <= container.sections[SYMBOLS].stored_size, "there are more leaves than symbols hold")
            self.separators = cursor.separators(count, MOST_KEY)
            self._lengths = cursor.column(count)
            self._places = container.piece_places(SYMBOLS, self._lengths)
        self._leaf = lru_cache(maxsize=None)(self._read_leaf)

    def _read_leaf(self, number: int) -> list[Symbol]:
        what = f"leaf {number} of symbols"
        cursor = Cursor(self._container.piece(SYMBOLS, self._places[number], self._lengths[number]), what)
        count = cursor.varint()
        demand(1 <= count and 11 * count <= len(cursor.data), f"{what} claims too many symbols")
        names: list[bytes] = []
        for _ in range(count):
            names.append(cursor.front_coded(names[-1] if names else b""))
            demand(len(names[-1]) <= MOST_NAME and symbol_key(names[-1]) != b"", f"a name of {what} has no key")
        kinds, weights = cursor.bytes(count), cursor.bytes(count)
        passages, begins, lengths = (cursor.column(count) for _ in range(3))
        anchors = [cursor.string() for _ in range(count)]
        cursor.end()
        demand(all(kind & 127 < KINDS for kind in kinds), f"{what} has an unknown kind")
        demand(all(passage < self._passages for passage in passages), f"{what} has a passage that does not exist")
        return [
            Symbol(names[i], symbol_key(names[i]), kinds[i] & 127, kinds[i] > 127, weights[i], passages[i], begins[i],
                   lengths[i], anchors[i])
            for i in range(count)
        ]  # fmt: skip

    def find(self, prefix: bytes, most: int) -> list[Symbol]:
        """The symbols whose keys begin so, of at most `most` leaves."""
        first = bisect.bisect_right(self.separators, prefix) - 1
        found: list[Symbol] = []
        for number in range(first, min(first + most, len(self.separators))):
            if number > first and not self.separators[number].startswith(prefix):
                break
            found += [symbol for symbol in self._leaf(number) if symbol.key.startswith(prefix)]
        return found

    def verify(self) -> None:
        """Reads all leaves, and checks their order."""
        last = b""
        for number, separator in enumerate(self.separators):
            leaf = self._leaf(number)
            demand(leaf[0].key >= separator and (number == 0 or separator > last), "a separator of symbols is wrong")
            for symbol in leaf:
                demand(symbol.key >= last, "symbols are out of order")
                last = symbol.key


LEAVES, FINISHED, UNFINISHED, SPACES = 4, 8, 3, 3


def named_by(symbols: Symbols, text: bytes, prefix: bool, names_something: bool, passes) -> list[Symbol]:
    """The symbols that a query names, the likeliest first. `passes`: whether the page of a passage passes the filters."""
    text = text.partition(b"(")[0]
    key = symbol_key(text)
    if not symbols.separators or not key or text.count(b" ") > SPACES or not names_something:
        return []
    found = symbols.find(key, LEAVES)

    def finished(symbol: Symbol) -> bool:
        return has_parts(symbol.key, key)

    last, border, rest = key.partition(BORDER)
    if prefix and border and not any(map(finished, found)):
        found = symbols.find(last, LEAVES)

        def begins(one: Symbol) -> bool:
            return one.key.startswith(key) or has_parts(b"".join(one.key.partition(BORDER)[1:]), border + rest)

        found = list(filter(begins, found))
    ranked = []
    for at, symbol in enumerate(found):
        if not passes(symbol.passage) or (not finished(symbol) and not prefix):
            continue
        own, _, above = symbol.key.partition(BORDER)
        constructs = above != b"" and has_parts(above, own)
        good = (finished(symbol), symbol.name.endswith(text), symbol.key == key, not constructs)
        ranked.append((tuple(not each for each in good), -symbol.weight, len(symbol.key), at, symbol))
    ranked.sort(key=lambda one: one[:4])
    whole = any(finished(one[-1]) for one in ranked)
    chosen: dict[int, Symbol] = {}
    for *_, symbol in ranked:
        if len(chosen) == (FINISHED if whole else UNFINISHED) or (whole and not finished(symbol)):
            break
        chosen.setdefault(symbol.passage, symbol)
    return list(chosen.values())
