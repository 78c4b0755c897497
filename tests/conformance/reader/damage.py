"""Damaged copies with right checksums, as a hostile packer could make them, and what the second reader says of each.

    python3 damage.py FOLDER COUNT SEED BUNDLE...

Of each bundle it writes about COUNT copies into FOLDER. In each, one thing differs: the content of a section of blocks, the
content of a piece, a field of the directory, or the manifest as a text. Everything that vouches for it is computed anew:
pieces, blocks, block map, directory, header. A line a copy: {"file": …, "what": …, "verdict": null or an error code}.
"""

import json
import random
import struct
import sys
from pathlib import Path

import xxhash

sys.path.insert(0, str(Path(__file__).parent))

from sheaf_reader.bundle import Bundle  # noqa: E402
from sheaf_reader.container import (  # noqa: E402
    BLOCKS_A_LEAF,
    BUNDLE,
    ENTRY,
    HEADER,
    HEADER_SIZE,
    MANIFEST,
    PASSAGE_INDEX,
    PASSAGES,
    SPELLINGS,
    SYMBOLS,
    TERM_INDEX,
    TERMS,
    VECTORS,
    Container,
    Cursor,
    Refused,
    Section,
    checksum,
)

MANIFESTS = [
    b"{",
    b"[]",
    b"null",
    b'"{}"',
    b"{}}",
    b" {}\n",
    b'{"a":1,}',
    b'{"a":NaN}',
    b'{"a":-Infinity}',
    b'{"a":1e999}',
    b'{"a":' + b"9" * 5000 + b"}",
    b'{"a":01}',
    b'{"a":"\\ud800"}',
    b'{"a":"\xff"}',
    b'{"a":"\xed\xa0\x80"}',
    b'{"a":"\n"}',
    b"\xef\xbb\xbf{}",
    "{}".encode("utf-16-le"),
    b"{}\0",
    b'{"a":1,"a":2}',
    b'{"a":' + b"[" * 63 + b"]" * 63 + b"}",
    b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
    b'{"a":' + b"[" * 30000,
    b"{'a':1}",
    b'{"a":1}//',
]


INDEX_OF = {TERMS: TERM_INDEX, SPELLINGS: TERM_INDEX, SYMBOLS: TERM_INDEX, PASSAGES: PASSAGE_INDEX}


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def string(text: str) -> bytes:
    return varint(len(text.encode())) + text.encode()


def column(numbers: list[int]) -> bytes:
    return bytes(number & 0xFF for number in numbers) + b"".join(varint(number >> 8) for number in numbers)


def with_lengths(section: int, index: bytes, lengths: list[int]) -> bytes:
    """The index of a section of pieces, with other stored lengths (docs/format.md, "Words", "Passages")."""
    cursor = Cursor(index, "an index")
    count = cursor.varint()
    if section == PASSAGES:
        cursor.column(count)  # how many passages each has
    else:
        cursor.separators(count, 255)
    if section in (SPELLINGS, SYMBOLS):  # behind the lexicon's, which ends in a column
        cursor.column(count)
        start, leaves, words = cursor.at, cursor.varint(), b""
        for i in range(leaves):
            words += string(cursor.string()) + varint(lengths[i] if section == SPELLINGS else 0)
            cursor.varint()
        if section == SPELLINGS:
            return index[:start] + varint(leaves) + words + index[cursor.at :]
        count = cursor.varint()
        cursor.separators(count, 255)
    start = cursor.at
    cursor.column(count)
    return index[:start] + column(lengths) + index[cursor.at :]


class Parts:
    """A sound bundle taken apart: raw contents of blocks, decoded contents of pieces."""

    def __init__(self, data: bytes) -> None:
        self.container = container = Container(data, BUNDLE)
        self.raw = {s.id: container.section(s.id) for s in container.all_sections if not s.has_pieces}
        self.pieces = {s.id: self._pieces(data, s) for s in container.all_sections if s.has_pieces}

    def _pieces(self, data: bytes, section: Section) -> list[bytes]:
        """Stored contents without checksums: a piece ends where the checksum of what came before stands."""
        pieces, at, end = [], section.offset, section.offset + section.stored_size
        while at < end:
            state = xxhash.xxh64(seed=self.container.identity ^ at)
            length = 1
            while True:
                state.update(data[at + length - 1 : at + length])
                if state.intdigest() & 0xFFFFFFFF == int.from_bytes(data[at + length : at + length + 4], "little"):
                    break
                length += 1
            pieces.append(self.container.piece(section.id, at - section.offset, length + 4))
            at += length + 4
        return pieces

    def indexed(self) -> "Parts":
        """With indexes that name the lengths that the pieces have, stored raw."""
        for section, index in INDEX_OF.items():
            if section in self.pieces:
                lengths = [len(piece) + 4 for piece in self.pieces[section]]
                self.raw[index] = with_lengths(section, self.raw[index], lengths)
        return self

    def built(self, fields: dict[tuple[int, str], int] | None = None) -> bytes:
        """The file again, blocks stored raw. `fields`: of the directory, by section and name, in place of the right ones."""
        sections = self.container.all_sections
        blocks = {s.id: self._blocks(s, self.raw[s.id]) for s in sections if not s.has_pieces}
        count = sum(map(len, blocks.values()))
        leaves = -(-count // BLOCKS_A_LEAF)
        directory_size = 40 * len(sections) + 4 * leaves
        at = HEADER_SIZE + directory_size + 8 * leaves + 8 * count
        bodies, entries, lengths, first = b"", [], [], 0
        for section in sections:
            own = blocks.get(section.id)
            if own is None:
                body = b""
                for piece in self.pieces[section.id]:
                    seed = self.container.identity ^ (at + len(body))
                    body += piece + struct.pack("<I", checksum(piece, seed))
            else:
                body = b"".join(own)
                lengths += [(at + sum(map(len, own[:i])), block) for i, block in enumerate(own)]
            entry = {
                **vars(section),
                "raw_size": len(body),
                "offset": at,
                "stored_size": len(body),
                "block_count": len(own or ()),
                "first_block": first,
                "codec": 3 if own is None else section.codec,
            }
            first += len(own or ())
            entry.update({name: value for (which, name), value in (fields or {}).items() if which == section.id})
            entries.append(ENTRY.pack(*(value % (1 << bits) for value, bits in zip(entry.values(), WIDTHS))))
            bodies += body
            at += len(body)
        map_bytes, sums = b"", []
        for start in range(0, count, BLOCKS_A_LEAF):
            part = lengths[start : start + BLOCKS_A_LEAF]
            leaf = struct.pack("<Q", part[0][0])
            leaf += b"".join(struct.pack("<II", len(block), checksum(block)) for _, block in part)
            map_bytes += leaf
            sums.append(checksum(leaf))
        directory = b"".join(entries) + struct.pack(f"<{leaves}I", *sums)
        rest = directory + map_bytes + bodies
        old = list(HEADER.unpack_from(self.container.data))
        old[5:10] = [HEADER_SIZE + len(rest), xxhash.xxh64_intdigest(rest), len(directory), len(sections), leaves]
        old[10] = checksum(directory)
        header = HEADER.pack(*old)[:60]
        return header + struct.pack("<I", checksum(header)) + rest

    @staticmethod
    def _blocks(section: Section, raw: bytes) -> list[bytes]:
        return [raw[i : i + section.block_size] for i in range(0, len(raw), section.block_size)]


WIDTHS = (16, 8, 8, 32, 64, 64, 64, 32, 32)  # of the fields of an entry, in bits


def edited(content: bytes, choose: random.Random) -> bytes:
    """One or two edits: a byte or bit changed, bytes inserted, removed, doubled or cut off."""
    out = bytearray(content)
    for _ in range(choose.choice((1, 1, 1, 2))):
        at = choose.randrange(len(out)) if out else 0
        kind = choose.randrange(8)
        if kind < 2 and out:
            out[at] = choose.choice((0, 1, 0x7F, 0x80, 0xC0, 0xFF, choose.randrange(256)))
        elif kind < 4 and out:
            out[at] ^= 1 << choose.randrange(8)
        elif kind == 4:
            out[at:at] = bytes(choose.choice((0, 0xFF, 0x80, choose.randrange(256))) for _ in range(choose.randrange(1, 4)))
        elif kind == 5:
            del out[at : at + choose.randrange(1, 4)]
        elif kind == 6 and out:
            out[at], out[-1 - at] = out[-1 - at], out[at]
        else:
            del out[choose.randrange(len(out) + 1) :]
    return bytes(out)


def copies(data: bytes, count: int, choose: random.Random):
    """(what, file) for each."""
    parts = Parts(data).indexed()
    yield "nothing", parts.built()
    for text in MANIFESTS if MANIFEST in parts.raw else ():
        raw, parts.raw[MANIFEST] = parts.raw[MANIFEST], text
        yield f"manifest {text[:24]!r}", parts.built()
        parts.raw[MANIFEST] = raw
    sections = parts.container.all_sections
    for number in range(count):
        section = sections[number % len(sections)]
        name = f"section {section.id}"
        if choose.randrange(8) == 0:
            field = choose.choice(("id", "codec", "flags", "block_size", "raw_size", "offset", "stored_size", "block_count", "first_block"))
            value = choose.choice((0, 1, 2, 255, getattr(section, field) + 1, getattr(section, field) * 2, 1 << 32, choose.randrange(1 << 16)))
            yield f"{name}, {field} {value}", parts.built({(section.id, field): value})
        elif section.has_pieces:
            pieces = parts.pieces[section.id]
            which = choose.randrange(len(pieces))
            piece, index = pieces[which], dict(parts.raw)
            new = edited(piece, choose) or b"\0"
            # Arithmetic says where rows lie: their pieces keep their lengths.
            pieces[which] = (new + piece[len(new) :])[: len(piece)] if section.id == VECTORS else new
            yield f"{name}, piece {which}, #{number}", parts.indexed().built()
            pieces[which], parts.raw = piece, index
        else:
            raw = parts.raw[section.id]
            parts.raw[section.id] = edited(raw, choose)
            yield f"{name}, #{number}", parts.built()
            parts.raw[section.id] = raw


def verdict(data: bytes) -> str | None:
    try:
        Bundle(data).verify()
        return None
    except Refused as error:
        return error.code


def main(folder: str, count: str, seed: str, *bundles: str) -> None:
    for bundle in bundles:
        choose = random.Random(f"{seed} {Path(bundle).name}")
        for number, (what, data) in enumerate(copies(Path(bundle).read_bytes(), int(count), choose)):
            file = Path(folder) / f"{Path(bundle).stem}-{number}.sheaf"
            file.write_bytes(data)
            print(json.dumps({"file": str(file), "what": f"{Path(bundle).stem}: {what}", "verdict": verdict(data)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
