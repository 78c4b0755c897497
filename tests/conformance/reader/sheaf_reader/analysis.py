"""Texts to tokens, stems and the words of a query (docs/analysis.md, sections 2 to 5)."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

from .characters import WORD_CLASSES, class_of, compose, decode, folding


class Token(NamedTuple):
    """What the text holds at a place, folded (2)."""

    term: bytes
    kind: str  # "word", "whole" or "part"
    position: int
    begin: int
    end: int


# ---- 2. tokens -----------------------------------------------------------------------------------

LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
DIGITS = frozenset(b"0123456789")
ALPHANUMERIC = LETTERS | DIGITS
SPACE = frozenset([*range(33), 127])
OPERATORS = frozenset(b"!#%&*+-.:<=>?@^|~")
OPENING = SPACE | frozenset(b"\"'`([{,;=|<>/")
SIGILS = frozenset(b"@$#-.:")
URL_ENDS = SPACE | frozenset(b"\"'<>`()[]{}|\\^")

MOST_TERM = 64  # bytes
MOST_PARTS = 12
MOST_NAME = 4096  # bytes of a name being read

Stretch = tuple[int, int]


class Part(NamedTuple):
    """A stretch of a name's folded bytes, and the stretch of the text that it came from."""

    folded: Stretch
    source: Stretch


@dataclass
class Segment:
    """What stands between two joiners of a name."""

    joiner: bytes
    first_part: int
    end_part: int = 0
    all: Part = Part((0, 0), (0, 0))  # with the underscores around it
    core: Part = Part((0, 0), (0, 0))  # without them

    @property
    def compound(self) -> bool:
        return self.end_part - self.first_part > 1 or _length(self.all) != _length(self.core)


def _length(part: Part) -> int:
    return part.folded[1] - part.folded[0]


@dataclass
class Name:
    """A name being read."""

    folded: bytearray = field(default_factory=bytearray)
    prefix: int = 0
    begin: int = 0
    parts: list[Part] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    closed: bool = False
    slash: bool = False
    short: Stretch | None = None  # `c++` of `c++17`: its length, and its end in the text

    def append(self, data: bytes) -> None:
        if len(self.folded) + len(data) <= MOST_NAME:
            self.folded += data

    def add_part(self, folded: Stretch, source: Stretch) -> None:
        if len(self.parts) < MOST_PARTS:
            self.parts.append(Part(folded, source))


class Tokenizer:
    """The walk through one text. Methods are named as the steps of the page."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.position = 0
        self.word_end: int | None = None
        self.host_begin: int | None = None
        self.url_end = 0
        self.name = Name()

    # -- the text --

    def byte(self, at: int) -> int:
        """T[at], or -1 outside of the text, which is in no set."""
        return self.text[at] if 0 <= at < len(self.text) else -1

    def one_of(self, at: int, group: bytes) -> bool:
        return 0 <= at < len(self.text) and self.text[at] in group

    def class_at(self, at: int) -> str:
        return class_of(decode(self.text, at)[0]) if at < len(self.text) else "none"

    def is_word(self, at: int) -> bool:
        return self.class_at(at) in WORD_CLASSES

    def after_underscores(self, at: int) -> int:
        while self.byte(at) == ord("_"):
            at += 1
        return at

    def hyphen(self, at: int) -> int:
        return (
            1 if self.byte(at) == ord("-") else 3 if self.text[at : at + 3] in (b"\xe2\x80\x90", b"\xe2\x80\x91") else 0
        )

    def apostrophe(self, at: int) -> int:
        return 1 if self.byte(at) == ord("'") else 3 if self.text[at : at + 3] == b"\xe2\x80\x99" else 0

    def skip_ignored(self, at: int) -> int:
        while self.byte(at) >= 0x80:
            code, size = decode(self.text, at)
            if class_of(code) != "ignored":
                break
            at += size
        return at

    def segment_start(self, at: int) -> int | None:
        start = self.skip_ignored(at)
        return start if self.is_word(self.after_underscores(start)) else None

    def is_letter_start(self, at: int) -> bool:
        return self.class_at(self.after_underscores(at)) in WORD_CLASSES - {"digit"}

    def is_open(self, at: int) -> bool:
        return at == 0 or (self.word_end != at and (self.byte(at - 1) >= 0x80 or self.byte(at - 1) in OPENING))

    # -- the walk --

    def emit(self, term: bytes, kind: str, begin: int, end: int) -> None:
        if 0 < len(term) <= MOST_TERM:
            self.tokens.append(Token(bytes(term), kind, self.position, begin, end))

    def walk(self) -> list[Token]:
        at = 0
        while at < len(self.text):
            c = self.text[at]
            if c in ALPHANUMERIC:
                at = self.names(at)
            elif c in SPACE:
                at += 1
            elif c >= 0x80:
                code, size = decode(self.text, at)
                kind = class_of(code)
                at = self.names(at) if kind in WORD_CLASSES else self.dense(at) if kind == "dense" else at + size
            elif c == ord("_"):
                end = self.after_underscores(at)
                at = self.names(at) if self.is_word(end) else end
            elif at < self.url_end:
                escaped = c == ord("%") and self.byte(at + 1) in ALPHANUMERIC and self.byte(at + 2) in ALPHANUMERIC
                at += 3 if escaped else 1
            else:
                end = self.sigil(at) if c in SIGILS else None
                if c == ord("<"):
                    end = self.tag(at)
                if end is None and c in OPERATORS:
                    end = self.operators(at)
                at = at + 1 if end is None else end
        return self.tokens

    # -- a name being read --

    def chunk(self, at: int) -> int:
        """A run of word characters, cut into parts where the case says so."""
        name, text = self.name, self.text
        hexadecimal = self.byte(at) == ord("0") and self.one_of(at + 1, b"xX")
        before = before_run = None
        run = 0
        begin = chunk_begin = last_upper = len(name.folded)
        source = chunk_source = source_upper = at
        parts_before = len(name.parts)
        while at < len(text):
            code, size = decode(text, at)
            kind = class_of(code)
            if kind == "ignored":
                at += size
                continue
            if kind not in WORD_CLASSES:
                break
            split = False
            if kind == "upper" and not hexadecimal:
                if before == "lower":
                    name.add_part((begin, len(name.folded)), (source, at))
                    begin, source = len(name.folded), at
                if run == 0:
                    before_run = before
                last_upper, source_upper = len(name.folded), at
                run += 1
            else:
                split = (
                    not hexadecimal
                    and kind == "lower"
                    and not self.keeps(at)
                    and (run > 1 or (run == 1 and before_run == "digit"))
                )
                run = 0
            if split:  # the last capital begins a word: XML|Http, utf8|Foo
                name.add_part((begin, last_upper), (source, source_upper))
                del name.folded[last_upper:]
                begin, at, source, before = last_upper, source_upper, source_upper, None
                continue
            if len(name.folded) - begin < MOST_TERM + 1:
                name.append(folding(code).encode())
            before = kind
            at += size
        if len(name.folded) - chunk_begin > MOST_TERM:  # data, no name: one part, too long for a term
            del name.parts[parts_before:]
            begin, source = chunk_begin, chunk_source
        name.add_part((begin, len(name.folded)), (source, at))
        return at

    def keeps(self, at: int) -> bool:
        """Whether a small letter after capitals belongs to them: URLs, GHz, IPv6."""
        following = self.byte(at + 1)
        if self.byte(at) == ord("v") and following in DIGITS:
            return True
        return self.one_of(at, b"sz") and (following < 0x80 and following not in ALPHANUMERIC)

    def contraction(self, at: int, join: bool) -> int:
        size = self.apostrophe(at)
        if size == 0:
            return at
        end = at + size
        while end < at + size + 3 and self.byte(end) in LETTERS:
            end += 1
        letters = self.text[at + size : end].lower()
        if self.is_word(end) or self.byte(end) == ord("_"):
            return at
        name = self.name
        if letters == b"t" and join and name.folded.endswith(b"n"):
            last = name.parts[-1]
            if last.folded[1] == len(name.folded):
                name.parts[-1] = Part((last.folded[0], last.folded[1] + 1), (last.source[0], end))
            name.append(b"t")
            name.closed = True
            return end
        if letters in (b"s", b"d", b"m", b"re", b"ve", b"ll"):
            name.closed = True
            return end
        return at

    def underscores(self, at: int) -> int:
        """Appends the run of `_` at a place and passes it."""
        end = self.after_underscores(at)
        self.name.append(b"_" * min(end - at, MOST_TERM + 1))
        return end

    def segment(self, at: int, joiner: bytes) -> int:
        name = self.name
        segment = Segment(joiner, len(name.parts))
        all_folded, all_source = len(name.folded), at
        at = self.underscores(at)
        core_folded, core_source = len(name.folded), at
        while True:
            at = self.chunk(at)
            core_end = len(name.folded), at
            if self.byte(at) != ord("_"):
                break
            at = self.underscores(at)
            following = self.skip_ignored(at)
            if not self.is_word(following):
                break
            at = following
        all_end = len(name.folded), at
        if all_end == core_end:
            end = self.contraction(at, True)
            if end != at:
                at = end
                all_end = core_end = len(name.folded), end
        segment.all = Part((all_folded, all_end[0]), (all_source, all_end[1]))
        segment.core = Part((core_folded, core_end[0]), (core_source, core_end[1]))
        segment.end_part = len(name.parts)
        name.segments.append(segment)
        return at

    def read_name(self, at: int, sigil: int | None) -> int:
        name = self.name
        joiner = b""
        while True:
            at = self.segment(at, joiner[:1])
            if name.closed or len(name.parts) == MOST_PARTS:
                return at
            c = self.byte(at)
            if c == ord("."):
                joiner, size = b".", 1
            elif c == ord(":"):
                joiner = b"::" if self.byte(at + 1) == ord(":") else b":"
                size = len(joiner)
            elif c == ord("/") and sigil == ord("@") and len(name.segments) == 1:
                joiner, size = b"/", 1
            elif size := self.hyphen(at):
                joiner = b"-"
            else:
                return at
            start = self.segment_start(at + size)
            if start is None:
                return at
            name.slash = name.slash or joiner == b"/"
            name.append(joiner)
            at = start

    def suffix(self, at: int) -> int:
        """`++` and `#` after a name."""
        name, text = self.name, self.text

        def ends(i: int) -> bool:
            return not self.is_word(i) and self.byte(i) != ord("_")

        if name.closed or self.byte(at - 1) not in LETTERS:
            return at
        if (
            text[at : at + 1] == b"#"
            and len(name.folded) - name.prefix == 1
            and text[at + 1 : at + 2] != b"#"
            and ends(at + 1)
        ):
            name.append(b"#")
            return at + 1
        if text[at : at + 2] != b"++" or text[at + 2 : at + 3] == b"+":
            return at
        if ends(at + 2):
            name.append(b"++")
            return at + 2
        end = at + 2
        while end < at + 6 and self.byte(end) in DIGITS:
            end += 1
        if end == at + 2 or not ends(end) or len(name.segments) > 1 or len(name.parts) > 1:
            return at
        name.append(b"++")
        name.short = len(name.folded), at + 2
        name.append(text[at + 2 : end])
        name.add_part((name.short[0], len(name.folded)), (at + 2, end))
        return end

    def after(self, at: int) -> int:
        name = self.name
        bare = len(name.folded)
        end = self.suffix(at)
        affixed = name.prefix > 0 or len(name.folded) > bare
        if affixed:
            self.emit(name.folded, "whole", name.begin, end)
            if name.short:
                self.emit(name.folded[: name.short[0]], "whole", name.begin, name.short[1])
        self.emit_name(affixed)
        self.position += 1
        self.word_end = self.contraction(end, False) if end != at else end
        return self.word_end

    def emit_name(self, affixed: bool) -> None:
        name = self.name
        segments = name.segments
        count = len(segments)
        compound = affixed or count > 1 or segments[0].compound
        begins_group = [i == 0 or segment.joiner != b"-" for i, segment in enumerate(segments)]
        groups = sum(begins_group)
        group = -1
        for i, segment in enumerate(segments):
            group += begins_group[i]
            if compound:
                shortest = float("inf")

                def whole(last: int) -> None:
                    nonlocal shortest
                    end = segments[last].all
                    if end.folded[1] >= shortest:
                        return
                    shortest = end.folded[1]
                    if last == i and not segment.compound:
                        return
                    term = name.folded[segment.all.folded[0] : end.folded[1]]
                    self.emit(term, "whole", segment.all.source[0], end.source[1])

                if begins_group[i]:
                    digit = name.folded[segment.all.folded[0] : segment.all.folded[0] + 1].isdigit()
                    if (i == 0 and not name.slash) or (i > 0 and 2 <= groups - group <= 4 and not digit):
                        whole(count - 1)
                    whole(next((k for k in range(i + 1, count) if begins_group[k]), count) - 1)
                whole(i)
                if segment.end_part - segment.first_part > 1 and _length(segment.all) != _length(segment.core):
                    core = segment.core
                    self.emit(name.folded[slice(*core.folded)], "whole", *core.source)
            end_part = len(name.parts) if i == count - 1 else segment.end_part
            for part in name.parts[segment.first_part : end_part]:
                self.emit(name.folded[slice(*part.folded)], "part" if compound else "word", *part.source)

    # -- what begins at a place --

    def names(self, at: int) -> int:
        begin = at
        self.name = name = Name(begin=begin)
        at = self.read_name(at, None)
        if begin < self.url_end and begin != self.host_begin:
            for part in name.parts:
                self.emit(name.folded[slice(*part.folded)], "word", *part.source)
                self.position += 1
            self.word_end = at
            return at
        if len(name.segments) == 1 and self.text[at : at + 3] == b"://" and begin >= self.url_end:
            self.host_begin = self.url_end = at + 3
            while 0 <= self.byte(self.url_end) < 0x80 and self.byte(self.url_end) not in URL_ENDS:
                self.url_end += 1
            if name.folded in (b"http", b"https"):
                self.word_end = at
                return at
        return self.after(at)

    def sigil(self, at: int) -> int | None:
        c = self.text[at]
        run = 1
        while run < 3 and self.byte(at + run) == c:
            run += 1
        if run > (1 if c in b"#." else 2) or self.byte(at - 1) == c:
            return None
        if (self.word_end == at) if c in b"@$#" else not self.is_open(at):
            return None
        if not self.is_letter_start(at + run):
            return None
        self.name = Name(folded=bytearray(self.text[at : at + run]), prefix=run, begin=at)
        return self.after(self.read_name(at + run, c))

    def tag(self, at: int) -> int | None:
        if self.word_end == at or self.one_of(at - 1, b":<."):
            return None
        begin = at + 2 if self.byte(at + 1) == ord("/") else at + 1
        if self.byte(begin) not in LETTERS:
            return None
        self.name = name = Name(folded=bytearray(b"<"), prefix=1, begin=at)
        end = self.read_name(begin, None)
        if end == len(self.text) or self.text[end] in SPACE:
            closing = end
        elif self.text[end] == ord(">"):
            closing = end + 1
        elif self.text[end : end + 2] == b"/>":
            closing = end + 2
        else:
            return self.names(begin)
        if name.closed:
            return self.names(begin)
        self.emit(name.folded + b">", "whole", at, closing)
        self.emit_name(True)
        self.position += 1
        self.word_end = end
        return closing

    def operators(self, at: int) -> int:
        end = at + 1
        while self.byte(end) in OPERATORS:
            if self.byte(end) == ord("<") and (self.byte(end + 1) in LETTERS or self.byte(end + 1) == ord("/")):
                break
            end += 1
        run = self.text[at:end]
        if self.is_word(end) or self.byte(end) == ord("_"):
            return end - 1 if len(run) > 1 and run[-1] in SIGILS else end
        if (
            self.word_end == at
            or not 2 <= len(run) <= 4
            or self.one_of(end, b"/\\$")
            or self.one_of(at - 1, b"/\\$")
            or (len(run) >= 3 and len(set(run)) == 1 and run not in (b"...", b"==="))
            or run == b"##"
        ):
            return end
        self.emit(run, "whole", at, end)
        self.position += 1
        return end

    def dense(self, at: int) -> int:
        """Pairs of characters of scripts that are written without spaces."""
        units: list[tuple[int, int, int]] = []  # character, begin, end
        while self.byte(at) >= 0x80:
            code, size = decode(self.text, at)
            kind = class_of(code)
            if kind not in ("dense", "ignored"):
                break
            for character in map(ord, folding(code) if kind == "dense" else chr(code)):
                composed = compose(units[-1][0], character) if units else None
                if composed is not None:
                    units[-1] = composed, units[-1][1], at + size
                elif kind == "dense":
                    units.append((character, at, at + size))
            at += size
        for first, second in list(zip(units, units[1:])) or [(units[0], None)]:
            term = chr(first[0]) + (chr(second[0]) if second else "")
            self.emit(term.encode(), "word", first[1], (second or first)[2])
            self.position += 1
        self.word_end = at
        return at


def tokenize(text: bytes) -> list[Token]:
    """The tokens of a text, in the order of emission."""
    return Tokenizer(text).walk()


# ---- 3. stems ------------------------------------------------------------------------------------

_english = snowballstemmer.stemmer("english")


@lru_cache(maxsize=65536)
def english_stem(term: bytes) -> bytes:
    """The stem of a term in a bundle of English."""
    if not 3 <= len(term) <= MOST_TERM or not all(97 <= byte <= 122 for byte in term):
        return term
    stem = _english.stemWord(term.decode()).encode()
    agrees = stem and term[: len(stem) - 1] == stem[:-1]
    return stem if agrees else term


# ---- 4. function words ---------------------------------------------------------------------------

FUNCTION_WORDS = frozenset(
    b"""
a about after all also am an and any are arent as at be because been being but by can cannot cant could couldnt did
didnt do does doesnt doing done dont each either for from had has hasnt have havent having he her here his how i if in
into is isnt it its just may me might must my no nor of off on onto or our ours out over own please shall she should
shouldnt so some such than that the their them then there these they this those to too upon us very was wasnt we were
werent what when where whether which while who whom whose why will with wont would wouldnt you your yours
""".split()
)

# ---- 5. the words of a query ---------------------------------------------------------------------

MOST_WORDS = 64


@dataclass
class Word:
    """A word that a query looks for."""

    term: bytes
    boost: float
    kind: str  # "exact", "part" or "joined"
    counts: bool
    complete: bool = True


@dataclass
class QueryWords:
    """A query's text as words."""

    text: bytes
    tokens: list[Token]
    words: list[Word]
    skip: bool
    asking: int  # tokens that ask what something is
    ignored: int


def _asking(terms: list[bytes]) -> int:
    """How many of the first tokens are "what is a" or the like."""
    if len(terms) < 3 or terms[0] != b"what" or terms[1] not in (b"is", b"are"):
        return 0
    return 3 if terms[2] in (b"a", b"an", b"the") else 2


def query_words(text: bytes, prefix: bool) -> QueryWords:
    """What a query looks for by words."""
    tokens = tokenize(text)
    is_function = [token.term in FUNCTION_WORDS for token in tokens]
    asking = _asking([token.term for token in tokens[:3]])
    skip = (len({token.position for token in tokens}) > 3 or asking > 0) and any(
        token.kind == "whole" or not function for token, function in zip(tokens, is_function)
    )
    words: dict[bytes, Word] = {}

    def add(term: bytes, boost: float, kind: str, counts: bool) -> None:
        word = words.setdefault(term, Word(term, boost, kind, counts))
        word.boost = max(word.boost, boost)
        word.counts = word.counts or counts
        if kind == "exact":
            word.kind = kind

    taken = ignored = 0
    position = None
    before = None
    for token, function in zip(tokens, is_function):
        of_name = before is not None and before.kind == "part" and before.position == token.position
        before = token
        first = token.position != position
        position = token.position
        if taken == MOST_WORDS:
            ignored += first
            continue
        taken += first
        if skip and token.kind == "word" and function:
            continue
        begun = prefix and token.kind == "part" and of_name and token.end == len(text)
        begun = begun and len(token.term) < 2 and token.term[0] > ord("9")
        add(token.term, 1, "part" if token.kind == "part" else "exact", token.kind != "whole" and not begun)
    for i, (one, two) in enumerate(zip(tokens[:MOST_WORDS], tokens[1 : MOST_WORDS + 1])):
        if (
            one.kind == two.kind == "word"
            and two.position == one.position + 1
            and not (skip and (is_function[i] or is_function[i + 1]))
            and len(one.term) + len(two.term) <= 63
        ):
            add(one.term + two.term, 0.5, "joined", False)
    for token in tokens:
        if prefix and token.end == len(text) and len(token.term) >= 2 and token.term in words:
            words[token.term].complete = False
    return QueryWords(text, tokens, list(words.values()), skip, asking if skip else 0, ignored)
