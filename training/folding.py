"""Text to the words that the static encoder looks up: the analyzer's plain words and parts.

A Python counterpart of src/text/analyzer.h for training only, wholes left out because the encoder
skips them. It may differ from the C++ in rare corners (CJK, odd symbols); a word cut differently
merely misses its row.
"""
import re
import unicodedata

MAX_WORD = 64
_APOSTROPHES = re.compile("[’ʼ＇]")
_SUFFIX = re.compile(r"(?<=\w)'(?:s|re|ll|ve|d|m)\b", re.I)  # user's, you're, we'll: the word before it stays
_INNER_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
_RUN = re.compile(r"[^\W_]+")
# Case boundaries: acronym | Capitalised or lower | digits; digits stay with what precedes them.
# Plural and versioned acronyms stay whole (URLs, IPv6).
_PART = re.compile(r"[A-Z]{2,}v[0-9]+|[A-Z]{2,}s(?![a-z])|[A-Z]+[0-9]*(?![a-z])|[A-Z]?[^\WA-Z0-9_]+[0-9]*(?:[^\WA-Z_]+)?|[A-Z][0-9]*|[0-9]+[^\WA-Z_]*")


def fold(text: str) -> str:
    """Compatibility folding, lower case, no combining marks."""
    text = unicodedata.normalize("NFKD", text)
    if not text.isascii():
        text = "".join(c for c in text if not unicodedata.combining(c))
    return text.lower()


def words(text: str) -> list[str]:
    """The folded words and name parts of `text`, in order."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", _APOSTROPHES.sub("'", text))
        text = "".join(c for c in text if not unicodedata.combining(c))
    text = _INNER_APOSTROPHE.sub("", _SUFFIX.sub("", text))
    found = []
    for run in _RUN.findall(text):
        if run.islower() or run.isdigit() or run.isupper() or (run[1:].islower() and run.isalpha()):
            parts = (run,)
        else:
            parts = _PART.findall(run)
        for part in parts:
            if len(part) <= MAX_WORD:
                found.append(part.lower())
    return found
