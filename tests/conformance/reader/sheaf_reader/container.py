"""The file: header, directory, block map, blocks and pieces (docs/format.md, "The whole file" to "Pieces")."""

import struct
from dataclasses import dataclass
from pathlib import Path

import xxhash
import zstandard


class Refused(Exception):
    """A file or a query that is refused, with one of Sheaf's error codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def corrupt(message: str) -> Refused:
    return Refused("CORRUPT", message)


def demand(holds: bool, message: str) -> None:
    """Refuses the file unless something holds."""
    if not holds:
        raise corrupt(message)


def checksum(data: bytes, seed: int = 0) -> int:
    return xxhash.xxh64_intdigest(data, seed) & 0xFFFFFFFF


MAGIC = b"\x89SHEAF\r\n"
HEADER = struct.Struct("<8sHBBIQQIIIIQII")
ENTRY = struct.Struct("<HBBIQQQII")
BUNDLE, TABLE = 1, 2
SKIPPABLE = 1

SETTINGS, MANIFEST, DICTIONARY, TERM_INDEX, TERMS = 3, 2, 4, 5, 6
PASSAGE_MAP, PASSAGE_INDEX, PASSAGES, URL_INDEX = 8, 9, 11, 12
VECTORS, GRAPH, SPELLINGS, PARTITION_INDEX, FACETS, SYMBOLS = 13, 14, 15, 16, 18, 19
WORDINGS = 20  # of an encoder table

# "Sections of a bundle", "Sections of an encoder table": the form is fixed.
WITH_PIECES = {BUNDLE: {TERMS, SPELLINGS, SYMBOLS, VECTORS, PASSAGES}, TABLE: {TERMS}}
IN_BLOCKS = {
    BUNDLE: {
        SETTINGS,
        TERM_INDEX,
        PASSAGE_INDEX,
        PASSAGE_MAP,
        MANIFEST,
        DICTIONARY,
        PARTITION_INDEX,
        FACETS,
        URL_INDEX,
        GRAPH,
    },
    TABLE: {SETTINGS, TERM_INDEX, MANIFEST, WORDINGS},
}

# "Limits", "What a file may cost"
HEADER_SIZE, MAP_LEAF_SIZE, BLOCKS_A_LEAF = 64, 2048, 255
MOST_SECTIONS, MOST_DIRECTORY = 64, 16320
MOST_BLOCK, MOST_PIECE = 1 << 20, 1 << 24
MOST_FILE = 1 << 48
FREE_RAW, MOST_RATIO = 256 << 10, 64
MOST_RAW = {SETTINGS: 64 << 10, MANIFEST: 64 << 10, DICTIONARY: 1 << 20, GRAPH: 1 << 30}
MOST_OTHER_RAW = 64 << 20


@dataclass
class Section:
    """An entry of the directory."""

    id: int
    codec: int
    flags: int
    block_size: int
    raw_size: int
    offset: int
    stored_size: int
    block_count: int
    first_block: int

    @property
    def has_pieces(self) -> bool:
        return self.block_count == 0


class Container:
    """One file, opened: header, directory and block map are checked, blocks and pieces as they are read."""

    def __init__(self, data: bytes, kind: int) -> None:
        self.data = data
        self.kind = kind
        self._dictionary: zstandard.ZstdCompressionDict | None = None
        self._read_header()
        self._read_directory()
        self._read_block_map()

    @classmethod
    def open(cls, path: Path, kind: int) -> "Container":
        return cls(Path(path).read_bytes(), kind)

    # -- "Header" --

    def _read_header(self) -> None:
        data = self.data
        if data[:8] != MAGIC or len(data) < HEADER_SIZE:
            raise Refused("NOT_A_BUNDLE" if data[:8] != MAGIC else "TRUNCATED", "this is no file of Sheaf's")
        _, version, kind, reserved, _, size, self.content_hash, *rest = HEADER.unpack_from(data)
        self.directory_size, self.section_count, self.map_leaves, self.directory_checksum, *rest = rest
        self.identity, reserved_too, header_checksum = rest
        if checksum(data[:60]) != header_checksum:
            raise Refused("CHECKSUM_MISMATCH", "the header")
        if version != 1 or reserved or reserved_too:
            raise Refused("UNSUPPORTED_VERSION", f"version {version}, or something that this reader does not know")
        if kind != self.kind:
            raise Refused("WRONG_KIND", f"kind {kind}")
        if size != len(data):
            raise Refused("TRUNCATED", f"{len(data)} of {size} bytes")
        demand(self.section_count <= MOST_SECTIONS, "too many sections")
        demand(self.directory_size == 40 * self.section_count + 4 * self.map_leaves, "the directory has another size")
        demand(self.directory_size <= MOST_DIRECTORY, "the directory is too large")
        demand(HEADER_SIZE + self.directory_size <= size, "the directory ends behind the file")

    # -- "Directory" --

    def _read_directory(self) -> None:
        directory = self.data[HEADER_SIZE : HEADER_SIZE + self.directory_size]
        if checksum(directory) != self.directory_checksum:
            raise Refused("CHECKSUM_MISMATCH", "the directory")
        entries = [Section(*ENTRY.unpack_from(directory, 40 * i)) for i in range(self.section_count)]
        self.leaf_checksums = struct.unpack_from(f"<{self.map_leaves}I", directory, 40 * self.section_count)
        blocks = sum(entry.block_count for entry in entries)
        demand(self.map_leaves == -(-blocks // BLOCKS_A_LEAF), "another number of leaves of the block map")
        map_size = MAP_LEAF_SIZE * self.map_leaves
        if self.map_leaves:
            map_size -= 8 * (BLOCKS_A_LEAF * self.map_leaves - blocks)
        self.map_offset = HEADER_SIZE + self.directory_size
        at, first_block = self.map_offset + map_size, 0
        self.sections: dict[int, Section] = {}
        self.all_sections = entries
        pieces_began = False
        for entry in entries:
            self._check_entry(entry)
            demand(
                entry.offset == at and entry.stored_size >= 1,
                f"section {entry.id} does not begin where the last one ends",
            )
            demand(entry.first_block == first_block, f"section {entry.id} has another first block")
            demand(entry.has_pieces or not pieces_began, f"section {entry.id} has blocks, behind pieces")
            demand(
                entry.id not in (other.id for other in entries if other is not entry),
                f"section {entry.id} occurs twice",
            )
            pieces_began = entry.has_pieces
            at += entry.stored_size
            first_block += entry.block_count
        demand(at == len(self.data), "the sections do not fill the file")
        refers = [section for section in self.sections.values() if section.codec in (2, 5)]
        demand(not refers or DICTIONARY in self.sections, "the dictionary is missing")

    def _check_entry(self, entry: Section) -> None:
        """What is to be checked in one entry; known sections go into `sections`."""
        if entry.flags & ~SKIPPABLE:
            raise Refused("UNSUPPORTED_VERSION", f"section {entry.id} has reserved flags")
        known = entry.id in WITH_PIECES[self.kind] | IN_BLOCKS[self.kind] and entry.codec <= 5
        if not known:
            if not entry.flags & SKIPPABLE:
                raise Refused("UNSUPPORTED_VERSION", f"section {entry.id} with codec {entry.codec} is unknown")
            return
        size = entry.block_size
        name = f"section {entry.id}"
        pieces = entry.codec >= 3
        demand(pieces == (entry.id in WITH_PIECES[self.kind]), f"{name} has another form")
        demand(entry.id != VECTORS or entry.codec == 3, f"{name} is not raw")
        demand(size >= 256 and size & (size - 1) == 0, f"{name} has an impossible block size")
        if pieces:
            demand(size <= MOST_PIECE, f"{name} has pieces that are too large")
            demand(
                entry.block_count == 0 and entry.raw_size == entry.stored_size <= MOST_FILE,
                f"{name} has impossible sizes",
            )
        else:
            most = min(MOST_RAW.get(entry.id, MOST_OTHER_RAW), FREE_RAW + MOST_RATIO * entry.stored_size)
            demand(size <= MOST_BLOCK, f"{name} has blocks that are too large")
            demand(1 <= entry.raw_size <= most, f"{name} is too large")
            demand(entry.block_count == -(-entry.raw_size // size), f"{name} has another number of blocks")
        self.sections[entry.id] = entry

    # -- "Block map and blocks" --

    def _read_block_map(self) -> None:
        """The place, length and checksum of every block."""
        self.blocks: list[tuple[int, int, int]] = []
        left = sum(section.block_count for section in self.all_sections)
        at = self.map_offset
        for leaf_checksum in self.leaf_checksums:
            count = min(left, BLOCKS_A_LEAF)
            left -= count
            leaf = self.data[at : at + 8 + 8 * count]
            at += len(leaf)
            if len(leaf) < 8 + 8 * count or checksum(leaf) != leaf_checksum:
                raise Refused("CHECKSUM_MISMATCH", "a leaf of the block map")
            (offset,) = struct.unpack_from("<Q", leaf)
            for length, block_checksum in struct.iter_unpack("<II", leaf[8:]):
                self.blocks.append((offset, length, block_checksum))
                offset += length
        for section in self.all_sections:
            offset = section.offset
            for place, length, _ in self.blocks_of(section):
                demand(
                    place == offset and length >= 1, f"a block of section {section.id} does not follow the one before"
                )
                offset += length
            demand(
                section.has_pieces or offset == section.offset + section.stored_size,
                f"the blocks do not fill section {section.id}",
            )

    def blocks_of(self, section: Section) -> list[tuple[int, int, int]]:
        return self.blocks[section.first_block : section.first_block + section.block_count]

    def section(self, section_id: int) -> bytes | None:
        """The virtual array of a section of blocks, or nothing where the section is not there."""
        section = self.sections.get(section_id)
        if section is None:
            return None
        raw = b""
        for i, (offset, length, block_checksum) in enumerate(self.blocks_of(section)):
            stored = self.data[offset : offset + length]
            if checksum(stored) != block_checksum:
                raise Refused("CHECKSUM_MISMATCH", f"block {i} of section {section.id}")
            size = min(section.block_size, section.raw_size - i * section.block_size)
            raw += stored if length == size else self._frame(section, stored, size)
        return raw

    def required(self, section_id: int) -> bytes:
        raw = self.section(section_id)
        demand(raw is not None, f"section {section_id} is missing")
        return raw or b""

    def _frame(self, section: Section, frame: bytes, size: int | None) -> bytes:
        """Decodes one zstd frame, of a known size (a block) or of the size that it states (a piece)."""
        name = f"a frame of section {section.id}"
        demand(section.codec in (1, 2, 4, 5), f"{name} would be raw")
        try:
            header = zstandard.get_frame_parameters(frame)
            demand(not header.has_checksum and header.dict_id == 0, f"{name} has a checksum or a dictionary's id")
            demand(_frame_length(frame, header.has_checksum) == len(frame), f"{name} has bytes behind it")
            stated = header.content_size if header.content_size < MOST_FILE else None
            if size is None:
                demand(stated is not None, f"{name} does not state its size")
                # Of a stored length that counts the checksum's 4 bytes.
                most = min(section.block_size, MOST_RATIO * (len(frame) + 4))
                demand(1 <= stated <= most, f"{name} decodes to too much")
                size = stated
            demand(stated in (None, size), f"{name} states another size")
            dictionary = self._dictionary_for(section)
            raw = zstandard.ZstdDecompressor(dict_data=dictionary).decompress(frame, max_output_size=size)
        except (zstandard.ZstdError, struct.error, IndexError) as error:
            raise corrupt(f"{name}: {error}") from error
        demand(len(raw) == size, f"{name} decodes to another size")
        return raw

    def _dictionary_for(self, section: Section) -> zstandard.ZstdCompressionDict | None:
        if section.codec not in (2, 5):
            return None
        if self._dictionary is None:
            demand(self.sections.get(DICTIONARY) is not section, "the dictionary needs itself")
            self._dictionary = zstandard.ZstdCompressionDict(self.required(DICTIONARY))
        return self._dictionary

    # -- "Pieces" --

    def piece(self, section_id: int, offset: int, length: int) -> bytes:
        """The content of the piece at a place of its section."""
        section = self.sections.get(section_id)
        demand(section is not None, f"section {section_id} is missing")
        demand(
            4 < length <= section.stored_size and offset <= section.stored_size - length,
            "a piece lies outside its section",
        )
        place = section.offset + offset
        stored = self.data[place : place + length]
        content = stored[:-4]
        if checksum(content, self.identity ^ place) != int.from_bytes(stored[-4:], "little"):
            raise Refused("CHECKSUM_MISMATCH", f"the piece at {offset} of section {section_id}")
        if section.codec == 3:
            demand(len(content) <= section.block_size, "a piece is too large")
            return content
        return self._frame(section, content, None)

    def piece_places(self, section_id: int, lengths: list[int]) -> list[int]:
        """Where the pieces of a section begin: one behind the other, and they fill it."""
        section = self.sections.get(section_id)
        demand(
            (section is not None) == bool(lengths),
            f"section {section_id} is there without pieces, or the other way round",
        )
        places, at = [], 0
        for length in lengths:
            places.append(at)
            at += length
        demand(section is None or at == section.stored_size, f"the pieces do not fill section {section_id}")
        return places

    # -- the whole --

    def verify(self) -> None:
        """What covers the whole file; the sections' contents are their readers' business."""
        if xxhash.xxh64_intdigest(self.data[HEADER_SIZE:]) != self.content_hash:
            raise Refused("CHECKSUM_MISMATCH", "the content hash")
        for section_id, section in self.sections.items():
            if not section.has_pieces:
                self.section(section_id)
            if section.codec in (2, 5):
                self._check_dictionary(section)

    def _check_dictionary(self, section: Section) -> None:
        """The dictionary can be used, also where every block is raw."""
        try:
            empty = bytes.fromhex("28b52ffd2000010000")
            zstandard.ZstdDecompressor(dict_data=self._dictionary_for(section)).decompress(empty, max_output_size=1)
        except zstandard.ZstdError as error:
            raise corrupt(f"the dictionary: {error}") from error


def _frame_length(frame: bytes, has_checksum: bool) -> int:
    """Where a zstd frame ends: behind its last block (RFC 8878, 3.1.1)."""
    at = zstandard.frame_header_size(frame)
    last = False
    while not last:
        header = int.from_bytes(frame[at : at + 3], "little")
        demand(at + 3 <= len(frame), "a frame ends early")
        last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        at += 3 + (1 if kind == 1 else size)
    return at + (4 if has_checksum else 0)


# ---- "Conventions" -------------------------------------------------------------------------------


class Cursor:
    """Reads numbers, strings and columns from checked bytes, one after the other."""

    def __init__(self, data: bytes, what: str, at: int = 0) -> None:
        self.data = data
        self.at = at
        self.what = what

    def bytes(self, count: int) -> bytes:
        demand(count <= len(self.data) - self.at, f"{self.what} ends early")
        self.at += count
        return self.data[self.at - count : self.at]

    def u8(self) -> int:
        return self.bytes(1)[0]

    def unsigned(self, size: int) -> int:
        return int.from_bytes(self.bytes(size), "little")

    def f32(self) -> float:
        return struct.unpack("<f", self.bytes(4))[0]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                demand(value < 1 << 64, f"a number of {self.what} is too large")
                return value
        raise corrupt(f"a number of {self.what} is too long")

    def string(self) -> str:
        return self.decoded(self.bytes(self.varint()))

    def decoded(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise corrupt(f"a string of {self.what} is no UTF-8") from error

    def front_coded(self, before: bytes) -> bytes:
        """A string as it differs from the one before ("Words")."""
        shared, rest = self.u8(), self.u8()
        demand(shared <= len(before), f"a string of {self.what} shares too much")
        return before[:shared] + self.bytes(rest)

    def column(self, count: int) -> list[int]:
        """A column of numbers."""
        lows = self.bytes(count)
        numbers = [low | self.varint() << 8 for low in lows]
        demand(all(number < 1 << 32 for number in numbers), f"a number of {self.what} is too large")
        return numbers

    def separators(self, count: int, most: int) -> list[bytes]:
        """A column of separators: the first is empty, they ascend strictly."""
        shared, rests = self.bytes(count), self.bytes(count)
        separators: list[bytes] = []
        for i in range(count):
            before = separators[-1] if separators else b""
            demand(shared[i] <= len(before), f"a separator of {self.what} shares too much")
            separators.append(before[: shared[i]] + self.bytes(rests[i]))
            demand(
                separators[i] > before if i else separators[i] == b"", f"the separators of {self.what} do not ascend"
            )
            demand(len(separators[i]) <= most, f"a separator of {self.what} is too long")
        return separators

    def end(self) -> None:
        demand(self.at == len(self.data), f"{self.what} has bytes behind its end")
