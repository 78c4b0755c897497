"""Characters: their classes, foldings and composition (docs/analysis.md, section 1)."""

from pathlib import Path

TABLE = Path(__file__).resolve().parents[4] / "docs" / "characters.txt"

WORD_CLASSES = frozenset(["lower", "upper", "letter", "digit"])

_classes: dict[int, str] = {}
_foldings: dict[int, str] = {}


def _load() -> None:
    """Reads docs/characters.txt: first the classes, then the foldings that differ from the character."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        place, rest = line.split(" ", 1)
        first, _, last = place.partition("..")
        codes = range(int(first, 16), int(last or first, 16) + 1)
        if rest[0] == "=":
            _foldings[codes[0]] = "".join(chr(int(code, 16)) for code in rest[1:].split())
        elif rest[0] in "+-":
            _foldings.update((code, chr(code + int(rest))) for code in codes)
        else:
            _classes.update((code, rest) for code in codes)


_load()


def class_of(code: int) -> str:
    """The class of a code point ("Classes")."""
    if code < 0x20000:
        return _classes.get(code, "none")
    if code <= 0x3347F:
        return "dense"
    return "ignored" if 0xE0000 <= code <= 0xE0FFF else "none"


def folding(code: int) -> str:
    """What a character folds to ("Folding")."""
    return _foldings.get(code) or chr(code)


def decode(text: bytes, at: int) -> tuple[int, int]:
    """The code point at a place and its size; U+FFFD for each maximal subpart of what is no UTF-8 ("Conventions")."""
    lead = text[at]
    if lead < 0x80:
        return lead, 1
    if 0xC2 <= lead <= 0xDF:
        code, more, low, high = lead & 0x1F, 1, 0x80, 0xBF
    elif 0xE0 <= lead <= 0xEF:
        code, more, low, high = lead & 0x0F, 2, 0xA0 if lead == 0xE0 else 0x80, 0x9F if lead == 0xED else 0xBF
    elif 0xF0 <= lead <= 0xF4:
        code, more, low, high = lead & 0x07, 3, 0x90 if lead == 0xF0 else 0x80, 0x8F if lead == 0xF4 else 0xBF
    else:
        return 0xFFFD, 1
    for size in range(1, more + 1):
        if at + size >= len(text) or not low <= text[at + size] <= high:
            return 0xFFFD, size
        code, low, high = code << 6 | text[at + size] & 0x3F, 0x80, 0xBF
    return code, more + 1


def compose(a: int, b: int) -> int | None:
    """Two dense characters as one, or nothing ("Composition of dense characters")."""
    if 0x1100 <= a <= 0x1112 and 0x1161 <= b <= 0x1175:
        return 0xAC00 + ((a - 0x1100) * 21 + (b - 0x1161)) * 28
    if 0xAC00 <= a <= 0xD7A3 and (a - 0xAC00) % 28 == 0 and 0x11A8 <= b <= 0x11C2:
        return a + (b - 0x11A7)
    if b not in (0x3099, 0xFF9E, 0x309A, 0xFF9F) or not 0x3041 <= a <= 0x30FE:
        return None
    voiced = b in (0x3099, 0xFF9E)
    k = a - 0x60 if a >= 0x30A1 else a
    if 0x306F <= k <= 0x307B and k % 3 == 0:
        return a + (1 if voiced else 2)
    if not voiced:
        return None
    if k == 0x3046:
        return 0x3094 + (a - k)
    if k == 0x309D:
        return 0x309E + (a - k)
    if (0x304B <= k <= 0x3061 and k % 2 == 1) or (0x3064 <= k <= 0x3068 and k % 2 == 0):
        return a + 1
    return None


def _plain(code: int) -> int:
    """Wide forms, spaces, quotes and hyphens as ASCII ("Fold(text)", step 1)."""
    if 0xFF01 <= code <= 0xFF5E:
        return code - 0xFEE0
    if code in (0x00A0, 0x202F, 0x205F, 0x3000) or 0x2000 <= code <= 0x200A:
        return ord(" ")
    return {0x2018: ord("'"), 0x2019: ord("'"), 0x2010: ord("-"), 0x2011: ord("-")}.get(code, code)


def fold(text: bytes) -> str:
    """The folding of a whole text, by which titles are compared ("Fold(text)")."""
    folded: list[str] = []

    def append(characters: str) -> None:
        if characters[0] == "l" and folded[-2:] == ["l", "\u00b7"]:
            folded.pop()
        folded.extend(characters)

    last = None
    at = 0
    while at < len(text):
        code, size = decode(text, at)
        at += size
        code = _plain(code)
        if code < 0x80:
            append(chr(code).lower())
            last = None
        elif last is not None and (composed := compose(last, code)) is not None:
            folded[-1] = chr(composed)
            last = composed
        elif class_of(code) != "ignored":
            append(folding(code) if class_of(code) != "none" else chr(code))
            last = ord(folded[-1]) if class_of(ord(folded[-1])) == "dense" else None
    return "".join(folded)
