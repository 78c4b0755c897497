"""A query's words in the index: forms, corrections, scores and definitions (docs/search.md, sections 1 to 4)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from .analysis import DIGITS, FUNCTION_WORDS, LETTERS, QueryWords, Token, Word, query_words
from .bundle import Bundle, Entry
from .characters import class_of, decode
from .constants import Constants

F = np.float32

# ---- "1. Forms" ----------------------------------------------------------------------------------

MOST_LOOKED_AT = 4096  # terms that fit, of which completions are chosen


@dataclass
class Form:
    """An entry of the lexicon that a word of the query finds."""

    entry: Entry
    kind: str  # "exact", "part", "joined", "stem", "prefix", "wording", "synonym" or "pinned"
    weight: F


@dataclass
class SoughtWord:
    """A word of the query with its forms."""

    word: Word
    forms: list[Form] = field(default_factory=list)
    known: bool = False  # a form is no kin
    correction: bytes | None = None
    boost: F = F(0)
    idf: F = F(0)


def forms_of(bundle: Bundle, word: Word, constants: Constants) -> list[Form]:
    lexicon = bundle.lexicon
    stem = bundle.stem(word.term)
    forms = []
    for form in lexicon.group(stem):
        if form.term == word.term:
            forms.append(Form(lexicon.entry(form), word.kind, F(1)))
        elif word.kind != "joined":
            forms.append(Form(lexicon.entry(form), rule_kind(form.term), F(constants.stem_weight)))
    known = any(form.entry.term == word.term for form in forms)
    if word.kind != "joined" and not word.complete and (word.counts or not known):
        forms += completions(bundle, word.term, stem, word.counts, bool(forms), constants)
    return forms


# ---- "Rules of the owner" ------------------------------------------------------------------------

SYNONYM, PIN = 1, 2  # bytes behind the handle


def mark_of(term: bytes) -> int | None:
    """Where the mark of a rule is in a term."""
    return next((at for at, byte in enumerate(term) if byte in (SYNONYM, PIN)), None)


def rule_kind(term: bytes) -> str:
    at = mark_of(term)
    return "stem" if at is None else "pinned" if term[at] == PIN else "synonym"


def applies(bundle: Bundle, query: QueryWords, sought: "SoughtWord", form: Form) -> bool:
    """Whether a rule among the forms of a word applies to the query."""
    term = form.entry.term
    at = mark_of(term)
    if at is None:
        return True
    rule = term[at + 1 : -1]
    if form.kind == "synonym":
        _, border, neighbour = rule.partition(bytes([SYNONYM]))
        pairs = list(zip(query.tokens, query.tokens[1:]))
        beside = [a for a, b in pairs if b.term == sought.word.term] + [b for a, b in pairs if a.term == sought.word.term]
        return not border or any(bundle.stem(token.term) == neighbour for token in beside)
    words = [word.term for word in query.words if word.counts]
    content = [word for word in words if word not in FUNCTION_WORDS] or words
    return b"\x03".join(sorted({bundle.stem(word) for word in content})) == term[:at] + rule[1:]


def pinned(words: list["SoughtWord"]) -> list[int]:
    """The passages that the owner pinned to the query."""
    return [
        int(passage)
        for word in words
        for form in word.forms
        if form.kind == "pinned"
        for passage in form.entry.passages
    ]


def kin_of(bundle: Bundle, word: Word, constants: Constants) -> list[Form]:
    """What a word in -er is named after."""
    stem = bundle.stem(word.term)
    of_english = bundle.settings.language == "en" and word.kind == "exact" and word.counts
    if not of_english or len(stem) < 5 or not stem.endswith(b"er"):
        return []
    lexicon = bundle.lexicon
    forms = [form for kin in (stem[:-2], stem[:-2] + b"e") for form in lexicon.group(kin)]
    return [Form(lexicon.entry(form), "stem", F(constants.kin_weight)) for form in forms if mark_of(form.term) is None]


def completions(
    bundle: Bundle, word: bytes, own_stem: bytes, counts: bool, has_forms: bool, constants: Constants
) -> list[Form]:
    lexicon = bundle.lexicon
    size = len(word)
    if size < constants.min_prefix or not lexicon.separators:
        return []
    first = last = lexicon.leaf_of(word)
    while last + 1 < len(lexicon.separators) and lexicon.separators[last + 1][:size] <= word:
        last += 1
    found = {}
    if last - first < constants.completion_leaves:

        def fits(stem: bytes, term: bytes) -> bool:
            return stem != own_stem and len(term) > size and term.startswith(word)

        for leaf in range(first, last + 1):
            for stem, forms in lexicon.stems_from(leaf):
                if stem.startswith(word) and len(found) < MOST_LOOKED_AT:
                    found.update((form.term, form) for form in forms if fits(stem, form.term))
        for length in range(max(2, size - 3), size):
            for ending in (b"", b"e", b"i"):
                stem = word[:length] + ending
                if not stem.startswith(word) and lexicon.leaf_of(stem) >= first:
                    found.update((form.term, form) for form in lexicon.group(stem) if fits(stem, form.term))
    elif counts and not has_forms:
        spelled = [pair for pair in lexicon.spellings(size + 1, size + 8) if pair[0].startswith(word)]
        spelled.sort(key=lambda pair: (-pair[1], pair[0]))
        for term, _ in spelled[: constants.spelled_completions]:
            found.update((form.term, form) for form in lexicon.group(bundle.stem(term)) if form.term == term)
    chosen = sorted(found.values(), key=lambda form: (-form.postings, form.term))[: constants.max_completions]
    weight = F(constants.prefix_weight if counts and has_forms else constants.prefix_alone_weight)
    return [Form(lexicon.entry(form), "prefix", weight * (F(size) / F(len(form.term)))) for form in chosen]


def drop_plain_completions(words: list["SoughtWord"]) -> None:
    """What completes the whole of a name has its first part ("Wholes that were completed")."""
    for word in words:
        whole = word.word
        if whole.complete or whole.counts:
            continue
        parts = (other for other in words if other.word.kind == "part" and whole.term.startswith(other.word.term))
        first = next(parts, None)
        for form in word.forms:
            if form.kind == "prefix" and first is not None and not _has_part(form.entry, first):
                form.entry = without_postings(form.entry)
        if any(form.kind == "prefix" and len(form.entry.passages) for form in word.forms):
            for form in word.forms:
                if not form.entry.term.startswith(whole.term):
                    form.entry = without_postings(form.entry)


def without_postings(entry: Entry) -> Entry:
    return replace(entry, passages=entry.passages[:0], levels=entry.levels[:0], roles=entry.roles[:0])


def _has_part(whole: Entry, part: "SoughtWord") -> bool:
    having = 0
    for form in part.forms:
        if form.kind == "part":
            _, mine, theirs = np.intersect1d(whole.passages, form.entry.passages, return_indices=True)
            having += int((form.entry.levels[theirs] >= whole.levels[mine]).sum())
    return having * 2 > len(whole.passages)


# ---- "2. Corrections" ----------------------------------------------------------------------------


def distance(a: bytes, b: bytes) -> int:
    """Optimal string alignment."""
    before: list[int] = []
    above = list(range(len(b) + 1))
    for i, byte in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (byte != other))
            if i > 1 and j > 1 and byte == b[j - 2] and other == a[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return above[-1]


def correction_of(bundle: Bundle, word: bytes, most: int) -> bytes | None:
    edits = min(most, 0 if len(word) <= 3 else 1 if len(word) <= 7 else 2)
    near = [
        (distance(word, other), weight, other)
        for other, weight in bundle.lexicon.spellings(len(word) - edits, len(word) + edits)
        if _may_be_near(word, other, edits)
    ]
    near = [found for found in near if found[0] <= edits]
    if not near:
        return None
    least = max(1, min(found[0] for found in near))
    return min(
        (found for found in near if found[0] <= least),
        key=lambda found: (found[2][0] != word[0], -found[1], found[2]),
    )[2]


LEAST_PART = 4  # bytes of Latin letters
MOST_TYPED = 64  # bytes of a word that is cut


def cut_in_two(bundle: Bundle, query: QueryWords, word: Word, constants: Constants) -> bytes | None:
    """The two known words that a word is made of, as they were typed, with a space between."""
    token = next(token for token in query.tokens if token.term == word.term)
    typed = query.text[token.begin : token.end]
    least = LEAST_PART if word.term[0] < 128 else 2 * LEAST_PART
    best, found = 0, None
    if len(typed) > MOST_TYPED:
        return None
    for at in range(1, len(typed)):
        if typed[at] & 0xC0 == 0x80:
            continue
        apart = typed[:at] + b" " + typed[at:]
        tokens = query_words(apart, False).tokens
        if len(tokens) != 2 or tokens[1].begin != at + 1 or any(len(part.term) < least for part in tokens):
            continue
        likely = 1
        for part in tokens:
            forms = forms_of(bundle, Word(part.term, 1, "exact", False), constants)
            likely *= len(forms[-1].entry.passages) if forms else 0
        if likely > best:
            best, found = likely, apart
    return found


def drop_needless(words: list["SoughtWord"]) -> None:
    """What is part of another word of the query, alone or with its neighbour, is not corrected."""
    for known in words:
        if not known.known:
            continue
        for word in words:
            if known.word.term.startswith(word.word.term) or known.word.term.endswith(word.word.term):
                word.correction = None


def _may_be_near(a: bytes, b: bytes, edits: int) -> bool:
    """Saves most of the distances: each edit changes two of the bytes that a string has, as a bag, at most."""
    return sum((a.count(byte) - b.count(byte)) > 0 for byte in set(a)) <= edits


def rewritten(text: bytes, tokens: list[Token], corrections: list[tuple[bytes, bytes]]) -> bytes:
    """The text with its corrections in place."""
    result = b""
    at = 0
    for token in tokens:
        right = next((right for wrong, right in corrections if wrong == token.term), None)
        if token.begin < at or right is None:
            continue
        if text[token.begin : token.begin + 1].isupper() and right[:1].islower():
            right = right[:1].upper() + right[1:]
        result += text[at : token.begin] + right
        at = token.end
    return result + text[at:]


# ---- "3. Keyword scores" -------------------------------------------------------------------------

LEVELS = np.array([0.25, 0.29730178, 0.35355339, 0.42044821], np.float32)
FREQUENCIES = (LEVELS[np.arange(32) % 4] * (1 << np.arange(32) // 4).astype(np.float32)).astype(np.float32)


@dataclass
class Keywords:
    """What a query finds by words."""

    query: QueryWords
    words: list[SoughtWord]
    found: bool
    scores: np.ndarray
    coverage: np.ndarray
    matching: np.ndarray  # bool: touched by any word
    highest: F
    defines: np.ndarray


def nothing(bundle: Bundle, query: QueryWords) -> Keywords:
    """What is found where words take no part."""
    zeros = np.zeros(len(bundle.passages), np.float32)
    return Keywords(query, [], False, zeros, zeros.copy(), zeros.astype(bool), F(0), zeros.copy())


def look_up(
    bundle: Bundle, text: bytes, prefix: bool, typo: bool, constants: Constants
) -> tuple[QueryWords, list[SoughtWord]]:
    """The words of a query with their forms, and with corrections of those that have none."""
    query = query_words(text, prefix)
    words = []
    for word in query.words:
        sought = SoughtWord(word, forms_of(bundle, word, constants), boost=F(word.boost))
        sought.known = bool(sought.forms)
        sought.forms += kin_of(bundle, word, constants)
        if not sought.known and word.counts and typo and len(word.term) >= 4:
            near = correction_of(bundle, word.term, 1 if sought.forms else 2)
            sought.correction = near or cut_in_two(bundle, query, word, constants)
        words.append(sought)
    drop_needless(words)
    for sought in words:
        sought.forms = [form for form in sought.forms if applies(bundle, query, sought, form)]
    if not any(sought.correction for sought in words):
        drop_plain_completions(words)
    return query, words


def weigh_parts(words: list[SoughtWord], constants: Constants) -> list[SoughtWord]:
    """Parts count less beside their whole; joined words that are not in the index go."""
    whole = any(word.word.kind == "exact" and not word.word.counts and word.forms for word in words)
    for word in words:
        if word.word.kind == "part":
            word.boost *= F(constants.part_weight if whole else constants.part_alone_weight)
    return [word for word in words if word.word.kind != "joined" or word.forms]


def score(bundle: Bundle, query: QueryWords, words: list[SoughtWord], constants: Constants) -> Keywords:
    words = weigh_parts(words, constants)
    result = nothing(bundle, query)
    result.words = words
    result.found = any(word.word.term not in FUNCTION_WORDS and word.known for word in words)
    add_up(bundle, result, constants)
    result.defines = definitions(bundle, result, constants)
    return result


def add_up(bundle: Bundle, result: Keywords, constants: Constants) -> None:
    """The scores of the passages by the forms that the words have."""
    count = len(bundle.passages)
    result.scores, result.coverage = np.zeros(count, np.float32), np.zeros(count, np.float32)
    result.matching = np.zeros(count, bool)
    k1 = F(bundle.settings.k1)
    total = F(0)
    for word in result.words:
        frequency = np.zeros(count, np.float32)
        touched, own = np.zeros(count, bool), np.zeros(count, bool)
        for form in word.forms:
            frequency[form.entry.passages] += form.weight * FREQUENCIES[form.entry.levels]
            touched[form.entry.passages] = True
            if form.kind != "wording":
                own[form.entry.passages] = True
        at = np.flatnonzero(touched)
        pages = len(np.unique(bundle.passages.page_of[np.flatnonzero(own if own.any() else touched)]))
        word.idf = F(math.log(1 + (bundle.settings.pages - pages + 0.5) / (pages + 0.5)))
        f = frequency[at]
        result.scores[at] += word.boost * (word.idf * f * (k1 + F(1)) / (k1 + f))
        if word.word.counts:
            total += word.boost * word.idf
            share = np.where(own[at], F(1), F(constants.wording_share))
            result.coverage[at] += word.boost * word.idf * share
        result.matching |= touched
    if total > 0:
        result.coverage = np.minimum(F(1), result.coverage / total)
    else:
        result.coverage[:] = 0
    part = F(constants.coverage)
    result.scores *= (F(1) - part) + part * result.coverage
    result.highest = total * (k1 + F(1))


def reword(bundle: Bundle, wordings: Callable[[bytes], list[bytes]], result: Keywords, constants: Constants) -> None:
    """Scores anew with other wordings, where the words themselves answer badly ("Other wordings")."""
    if result.scores[result.matching].max(initial=F(0)) >= F(constants.well_answered) * result.highest:
        return
    lexicon = bundle.lexicon
    for word in result.words:
        if word.word.kind != "exact" or not word.word.counts:
            continue
        if word.known and word.idf < F(constants.wording_idf):
            continue
        tokens = result.query.tokens
        pairs = [(a.term, b.term) for a, b in zip(tokens, tokens[1:]) if word.word.term in (a.term, b.term)]
        for asked in [bundle.stem(word.word.term), *(bundle.stem(a) + b" " + bundle.stem(b) for a, b in pairs)]:
            for form in [form for stem in wordings(asked) for form in lexicon.group(stem)]:
                if mark_of(form.term) is None and all(other.entry.term != form.term for other in word.forms):
                    word.forms.append(Form(lexicon.entry(form), "wording", F(constants.wording_weight)))
    add_up(bundle, result, constants)


# ---- "4. Definitions" ----------------------------------------------------------------------------

NAME_BYTES = LETTERS | DIGITS | frozenset(b"_+#") | frozenset(range(128, 256))
MOST_NAME = 8


@dataclass
class NamePart:
    """A position of a query as a part of a name."""

    wholes: list[bytes]
    last: bytes | None = None
    above: bytes | None = None


def is_dense(token: Token) -> bool:
    return class_of(decode(token.term, 0)[0]) == "dense"


def seams(tokens: list[Token]) -> int:
    """How often two runs of a script without spaces are written apart."""
    pairs = zip(tokens, tokens[1:])
    return sum(
        a.position != b.position and a.end <= b.begin and is_dense(a) and is_dense(b) for a, b in pairs
    )


def name_parts(text: bytes, query: QueryWords) -> tuple[int, list[NamePart], bool]:
    """The query as a name: its size, its parts, and whether positions were left out."""
    positions: dict[int, list[Token]] = {}
    for token in query.tokens[query.asking :]:
        positions.setdefault(token.position, []).append(token)
    parts = []
    if len(positions) > MOST_NAME:
        return len(positions), [], False
    for tokens in positions.values():
        if query.skip and len(tokens) == 1 and tokens[0].term in FUNCTION_WORDS:
            continue
        begin, end = min(token.begin for token in tokens), max(token.end for token in tokens)
        part = NamePart([t.term for t in tokens if not NAME_BYTES & set(text[begin : t.begin] + text[t.end : end])])
        for token in tokens:
            if token.end == end and token.begin != begin and text[token.begin - 1] in b".:/#":
                part.last = token.term
                above = (t.term for t in tokens if t.end < token.begin <= t.end + 2)
                part.above = next(above, None)
        parts.append(part)
    return len(positions), parts, len(parts) < len(positions)


def definitions(bundle: Bundle, found: Keywords, constants: Constants) -> np.ndarray:
    """How surely each passage defines what the query names."""
    text = found.query.text
    size, parts, left_out = name_parts(text, found.query)
    defines = np.zeros(len(bundle.passages), np.float32)
    by_term = {word.word.term: word for word in found.words}
    one = np.array([0, 1, 0, 0, 0, 0, constants.last_part_name, constants.inside_name], np.float32)
    page_of = bundle.passages.page_of

    def names(term: bytes | None) -> list[tuple[int, int, F]]:
        word = by_term.get(term) if term is not None else None
        return [
            (int(form.entry.passages[i]), int(form.entry.roles[i]), form.weight)
            for form in (word.forms if word else [])
            for i in np.flatnonzero(form.entry.roles)
        ]

    def define(passage: int, how: F) -> None:
        defines[passage] = max(defines[passage], how)

    path = F(constants.path_name)
    if size == 1 and parts:
        for i, whole in enumerate(parts[0].wholes):
            written = F(constants.bare_name if i else 1)
            for passage, role, weight in names(whole):
                define(passage, written * one[role] * weight)
        if parts[0].last is not None:
            pages = {page_of[passage] for passage, role, _ in names(parts[0].above) if one[role] > 0}
            for passage, role, weight in names(parts[0].last):
                if found.coverage[passage] >= 0.999 and role != 7:
                    define(passage, (path if page_of[passage] in pages else path / F(2)) * one[role] * weight)
    elif parts:
        if size == 2 and not left_out and parts[0].wholes and parts[1].wholes:
            for passage, role, _ in names(parts[0].wholes[0] + parts[1].wholes[0]):
                define(passage, path * one[role])
        most = min(size + seams(found.query.tokens), 5)
        seen: dict[int, int] = {}
        longest: dict[int, int] = {}
        least: dict[int, F] = {}
        for i, part in enumerate(parts):
            for whole in part.wholes:
                for passage, role, weight in names(whole):
                    if role > most or seen.get(passage, 0) < i:
                        continue
                    if seen.get(passage, 0) == i:
                        least[passage] = min(least.get(passage, F(1)), weight)
                    seen[passage] = i + 1
                    longest[passage] = max(longest.get(passage, 0), role)
        for passage, count in seen.items():
            if count == len(parts) and longest[passage] >= min(size, 5):
                define(passage, least[passage] * (F(constants.long_name) if longest[passage] == 5 else F(1)))
    return defines
