"""The answer to a query (docs/search.md, sections 5 to 11)."""

from dataclasses import dataclass, field, replace

import numpy as np

from . import words as by_words
from .analysis import FUNCTION_WORDS, Token, query_words, tokenize
from .bundle import Bundle, Facets
from .characters import fold
from .constants import Constants
from .container import Refused
from .marks import without_marks
from .symbols import Symbol, named_by
from .nearest import by_range, largest, with_all
from .vectors import Table, normalise, to_codes

F = np.float32


@dataclass(frozen=True)
class Query:
    """ "A query\""""

    text: bytes
    mode: str = "hybrid"
    top_k: int = 10
    prefix: bool = True
    typo: bool = True
    rrf: bool = False
    by: str = "page"
    semantic_weight: float = -1
    vector: tuple[float, ...] | None = None
    selection: bytes = b""
    descending: bool = False
    facets: bool = False


@dataclass
class Hit:
    """A page or passage that was found, with what its score is made of."""

    page: int
    passage: int
    score: float
    anchor: str
    keyword_score: float
    cosine: float
    coverage: float
    bonus: float


@dataclass
class Answer:
    """What a query found."""

    hits: list[Hit] = field(default_factory=list)
    matching: int = 0
    keyword: bool = True
    semantic: bool = False
    weight: float = 0
    weak: bool = False
    ignored: int = 0
    corrections: list[tuple[bytes, bytes]] = field(default_factory=list)
    facets: str = ""


@dataclass
class Group:
    """A candidate with the others of its page."""

    passage: int
    page: int
    fused: F
    score: F
    titled: bool = False


# ---- "5. Filters and sorting" --------------------------------------------------------------------


@dataclass
class Selection:
    """The key to sort by, and the values of each filter."""

    sort: bytes
    filters: list[tuple[bytes, list[bytes]]]

    @classmethod
    def read(cls, text: bytes) -> "Selection":
        first, *lines = text.split(b"\n")
        fields = [line.split(b"\t") for line in lines if line]
        return cls(first, [(key, [value for value in values if value]) for key, *values in fields])

    def pages(self, facets: Facets, pages: int, but: bytes | None = None) -> np.ndarray:
        """Which pages pass all filters, or all but one."""
        passing = np.ones(pages, bool)
        for key, values in self.filters:
            if key != but:
                one = np.zeros(pages, bool)
                for value in values:
                    one[facets.filters.get(key, {}).get(value, np.zeros(0, np.int64))] = True
                passing &= one
        return passing


# ---- the whole -----------------------------------------------------------------------------------


def search(
    bundle: Bundle, table: Table | None, query: Query, constants: Constants = Constants(), ranges: bool = False
) -> Answer:
    """The answer of one bundle. `ranges`: as a reader that has none of the vectors, and reads partitions."""
    if len(query.text) > constants.most_query:
        raise Refused("QUERY_TOO_LONG", f"{len(query.text)} bytes")
    selection = Selection.read(query.selection)
    query = replace(
        query, mode="keyword" if selection.sort else query.mode, top_k=min(query.top_k, constants.most_hits)
    )
    query = replace(query, mode=_mode(bundle, table, query))

    # Words, forms, corrections.
    corrections: list[tuple[bytes, bytes]] = []
    if query.mode == "semantic":
        keywords = by_words.nothing(bundle, query_words(b"", query.prefix))
    else:
        words_query, words = by_words.look_up(bundle, query.text, query.prefix, query.typo, constants)
        found = [(word.word.term, word.correction) for word in words if word.correction is not None]
        if found:
            fits = query.mode == "hybrid" and table is not None and _fits(bundle, table)
            corrections = [pair for pair in found if not (fits and table.row(pair[0]))]
            text = by_words.rewritten(query.text, words_query.tokens, corrections)
            query = replace(query, text=text)
            words_query, words = by_words.look_up(bundle, text, query.prefix, False, constants)
        keywords = by_words.score(bundle, words_query, words, constants)
        if query.mode == "hybrid" and table is not None and _fits(bundle, table) and bundle.settings.language == "en":
            by_words.reword(bundle, lambda stems: table.wordings(bundle.stem, stems), keywords, constants)
    answer = Answer(keyword=query.mode != "semantic", ignored=keywords.query.ignored, corrections=corrections)

    # Filters.
    pages = bundle.settings.pages
    page_of = bundle.passages.page_of
    touched_pages = np.zeros(pages, bool)
    touched_pages[page_of[keywords.matching]] = True
    passing = selection.pages(bundle.facets, pages)[page_of] if selection.filters else None
    if passing is not None:
        keywords.matching &= passing
    answer.matching = int(keywords.matching.sum())

    symbols: list[Symbol] = []
    if query.mode != "semantic" and not selection.sort:
        roles = any((form.entry.roles > 0).any() for word in keywords.words for form in word.forms if form.kind != "wording")
        passes = selection.pages(bundle.facets, pages)
        symbols = named_by(
            bundle.lexicon.symbols,
            query.text,
            query.prefix,
            roles or not keywords.words,
            lambda passage: bool(passes[page_of[passage]]),
        )
        pins = dict.fromkeys(p for p in by_words.pinned(keywords.words) if passes[page_of[p]])
        own = [Symbol(b"", b"", 0, False, 0, passage, 0, 0, "") for passage in pins]
        symbols = own + [symbol for symbol in symbols if symbol.passage not in pins]

    vector = _vector(table, query)
    answer.semantic = vector is not None
    if query.top_k:
        _rank(bundle, vector, query, selection, keywords, passing, symbols, constants, ranges, answer)
    if query.facets:
        answer.facets = _count_facets(bundle, query, selection, touched_pages, answer.hits)
    return answer


def _fits(bundle: Bundle, table: Table) -> bool:
    return table.space == bundle.settings.space and table.dimensions == bundle.settings.dimensions


def _mode(bundle: Bundle, table: Table | None, query: Query) -> str:
    """The mode that a query is answered in ("A query")."""
    if query.mode == "keyword":
        return query.mode
    lacks_vectors, lacks_vector = bundle.vectors is None, table is None and query.vector is None
    if lacks_vectors or lacks_vector:
        if query.mode == "hybrid":
            return "keyword"
        raise Refused("NO_VECTORS" if lacks_vectors else "NO_ENCODER", "there is nothing to search by meaning with")
    if query.vector is None and not _fits(bundle, table):
        raise Refused(
            "SPACE_MISMATCH", f"the bundle has vectors of {bundle.settings.space}, the table of {table.space}"
        )
    return query.mode


def _vector(table: Table | None, query: Query) -> np.ndarray | None:
    """The query's vector; none where meaning takes no part."""
    if query.mode == "keyword":
        return None
    given = query.vector is not None
    vector = normalise(np.array(query.vector, np.float32)) if given else table.vector(query.text)
    return vector if vector is not None and to_codes(vector).any() else None


def _rank(
    bundle: Bundle,
    vector: np.ndarray | None,
    query: Query,
    selection: Selection,
    keywords: by_words.Keywords,
    passing: np.ndarray | None,
    symbols: list[Symbol],
    constants: Constants,
    ranges: bool,
    answer: Answer,
) -> None:
    """Blend, candidates, fusion, groups, the texts of the hits, scores (6 to 11)."""
    page_of = bundle.passages.page_of

    # 6. The blend.
    by_meaning = vector is not None
    chosen = query.semantic_weight >= 0
    share = F(0)
    if by_meaning:
        other_language = bundle.settings.language != "en" and query.vector is None
        usual = constants.other_language_weight if other_language else constants.semantic_weight
        share = F(1 if query.mode == "semantic" else query.semantic_weight if chosen else usual)
    good = F(0) if chosen else F(constants.well_answered) * keywords.highest
    best = keywords.scores[keywords.matching].max(initial=F(0))
    weight = share
    if good > 0:
        weight = F(0) if share == 0 else share / (share + (F(1) - share) * np.sqrt(best / good))
    background = F(0)
    if by_meaning:
        few = min(F(1), F(len(page_of) - 1) / F(constants.few_passages))
        for component, mean in zip(vector, bundle.settings.centroid):
            background += component * (mean * few)
    answer.weight = float(weight)

    # 7. Candidates.
    wanted = len(page_of) if selection.sort else max(constants.candidates, 4 * query.top_k)
    worth = keywords.scores + F(1_000_000) * keywords.defines
    candidates = largest(worth, np.flatnonzero(keywords.matching), wanted)
    cosine = np.zeros(len(page_of), np.float32)
    if by_meaning:
        if ranges:
            nearest = by_range(bundle, vector, passing, wanted, candidates, bool(selection.filters), constants)
        else:
            nearest = with_all(bundle, vector, passing, wanted, constants)
        candidates = list(dict.fromkeys(candidates + nearest.passages))
        cosine = nearest.cosine

    # 13. Symbols are candidates, too.
    place_of = {symbol.passage: i for i, symbol in enumerate(symbols)}
    defines_of = keywords.defines.copy()
    for passage in place_of:
        if passage not in candidates:
            candidates.append(passage)
            cosine[passage] = F(0)
        defines_of[passage] = F(1)

    # 8. Fusion.
    at = np.array(sorted(candidates), np.int64)
    if len(at) == 0:
        return
    scores, cosines = np.where(keywords.matching[at], keywords.scores[at], F(0)), cosine[at]
    most, nearest_cosine = scores.max(initial=F(0)), max(background, cosines.max())
    keyword = scores / most if most > 0 else np.zeros_like(scores)
    semantic = np.zeros_like(scores)
    if nearest_cosine != background:
        semantic = np.maximum(F(0), (cosines - background) / (nearest_cosine - background))
    if query.rrf:
        fused = np.zeros_like(scores)
        for signal, takes_part in ((keyword, weight < 1), (semantic, weight > 0)):
            if takes_part:
                for rank, i in enumerate(i for i in np.lexsort((at, -signal)) if signal[i] > 0):
                    fused[i] += F(0.5) * (F(constants.rrf_k) + F(1)) / (F(constants.rrf_k) + F(rank) + F(1))
    else:
        fused = (F(1) - weight) * keyword + weight * semantic
    defines = defines_of[at]
    total = fused + F(constants.name_bonus) * defines
    after = len(symbols)
    places = np.array([place_of.get(int(p), after) for p in at])
    order = [i for i in np.lexsort((at, -total, places)) if total[i] > 0]
    bare = {int(at[i]): fused[i] for i in order}

    # 9. Pages.
    ranks = bundle.facets.sorts.get(selection.sort, np.zeros(bundle.settings.pages, np.int64))

    def sort_key(group: Group) -> tuple[int, bool, int, float, int]:
        rank = int(ranks[group.page])
        return place_of.get(group.passage, after), rank == 0, -rank if query.descending else rank, -float(group.score), group.passage

    in_order = [(int(at[i]), total[i]) for i in order]
    groups = sorted(_groups(in_order, page_of, query.by, set(place_of), constants), key=sort_key)
    groups = groups[: query.top_k]

    # 10. The text of the hits.
    if query.mode != "semantic":
        for group in groups:
            _reward_text(bundle, query, keywords, group, constants)
        groups.sort(key=sort_key)

    # 11. Scores.
    confidence = F(1) if symbols else F(0)
    for group in groups if not symbols else []:
        clamped = np.clip(cosine[group.passage], F(0), F(1))
        confidence = max(confidence, (F(1) - share) * keywords.coverage[group.passage] + share * clamped)
    if confidence == 0 and any(keywords.scores[group.passage] > 0 for group in groups):
        confidence = (F(1) - share) * (F(1) - F(constants.coverage))
    if confidence == 0:
        return
    scale = confidence / ((F(1) + F(2) * F(constants.page_bonus)) * (F(1) + F(constants.title_bonus)))
    if any(defines_of[group.passage] > 0 for group in groups):
        scale /= F(1) + F(constants.name_bonus)
    for group in groups:
        p = group.passage
        symbol = symbols[place_of[p]] if p in place_of else None
        if symbol and not symbol.name and (p == 0 or page_of[p - 1] != page_of[p]):
            anchor = ""  # a page that is pinned
        else:
            anchor = (symbol and symbol.anchor) or _anchor(bundle, query, keywords, defines_of, group)
        answer.hits.append(
            Hit(
                group.page,
                p,
                float(np.clip(group.score * scale, F(0), F(1))),
                anchor,
                float(keywords.scores[p]),
                float(cosine[p]),
                float(keywords.coverage[p]),
                float(group.score - bare[p]),
            )
        )
    for i in range(len(answer.hits) - 1 if symbols else 0, 0, -1):
        answer.hits[i - 1].score = max(answer.hits[i - 1].score, answer.hits[i].score)
    near = max([background, *(cosine[p] for p in bare)])
    answer.weak = query.mode != "semantic" and not keywords.found and not symbols and bool(near - background < F(constants.weak_margin))


def _groups(
    candidates: list[tuple[int, F]], page_of: np.ndarray, by: str, symbols: set[int], constants: Constants
) -> list[Group]:
    """Candidates in their order as groups ("9. Pages")."""
    if by == "passage":
        return [Group(passage, int(page_of[passage]), fused, fused) for passage, fused in candidates]
    groups: dict[int, list[tuple[int, F]]] = {}
    alone: list[tuple[int, list[tuple[int, F]]]] = []
    for passage, fused in candidates:
        page = int(page_of[passage])
        if passage in symbols and page in groups:
            alone.append((page, [(passage, fused)]))  # others of the page join its first symbol
        else:
            groups.setdefault(page, []).append((passage, fused))
    result = []
    for page, members in [*groups.items(), *alone]:
        bonus, factor = F(0), F(constants.page_bonus)
        for _, fused in members[1:8]:
            bonus += factor * fused
            factor *= F(0.5)
        passage, fused = members[0]
        result.append(Group(passage, page, fused, fused + bonus))
    return result


# ---- "10. The text of the hits" ------------------------------------------------------------------


def _whole_words(text: bytes) -> list[Token]:
    """The first token of each position."""
    words: dict[int, Token] = {}
    for token in tokenize(text):
        words.setdefault(token.position, token)
    return list(words.values())


def _is_title(query: Query, title: str, constants: Constants) -> bool:
    asked, words = _whole_words(query.text), _whole_words(title.encode())
    if len(asked) != len(words) or not 1 <= len(words) <= 64:
        return False
    for token in asked:
        unfinished = query.prefix and token.end == len(query.text) and len(token.term) >= constants.min_prefix
        fits = (word.term.startswith(token.term) if unfinished else word.term == token.term for word in words)
        at = next((i for i, fit in enumerate(fits) if fit), None)
        if at is None:
            return False
        del words[at]
    return True


def _reward_text(bundle: Bundle, query: Query, keywords: by_words.Keywords, group: Group, constants: Constants) -> None:
    passage = bundle.passages[group.passage]
    group.titled = _is_title(query, passage.page.title, constants)
    exact = sum(
        form.kind == "exact" and bool((form.entry.passages == group.passage).any())
        for word in keywords.words
        for form in word.forms
    )
    share = F(constants.title_bonus) if group.titled else F(0)
    if exact >= constants.least_phrase:
        together, is_line = phrase(query.text, passage.path, passage.text, constants)
        share += F(constants.phrase_bonus) * together
        if is_line and together == 1:
            share += F(constants.line_bonus)
    group.score += share * group.score


def phrase(query: bytes, headings: list[str], text: bytes, constants: Constants) -> tuple[F, bool]:
    """The share of the query's pairs of neighbouring words that stand together in the passage; whether it is a line."""
    tokens = [token for token in tokenize(query) if token.kind != "part"][:64]
    sought = [token.term for token in tokens if token.term not in FUNCTION_WORDS]
    pairs = list(zip(sought, sought[1:]))
    if len(sought) < constants.least_phrase:
        return F(0), False
    there = "".join(f"{heading}\n" for heading in headings).encode() + without_marks(text)
    places: dict[bytes, list[int]] = {}
    for at, token in enumerate(token for token in tokenize(there) if token.kind != "part"):
        places.setdefault(token.term, []).append(at)
    found = sum(
        any(0 < second - first <= constants.phrase_within for first in places.get(one, ()) for second in places.get(other, ()))
        for one, other in pairs
    )
    return F(found) / F(len(pairs)), len(sought) >= constants.line


def _anchor(
    bundle: Bundle, query: Query, keywords: by_words.Keywords, defines: np.ndarray, group: Group
) -> str:
    passage = bundle.passages[group.passage]
    if passage.begins_page:
        heading = passage.path[-1] if passage.path else ""
        tokens = keywords.query.tokens[keywords.query.asking :]
        name = query.text[tokens[0].begin : tokens[-1].end] if keywords.query.asking else query.text
        outside = fold(name) not in fold(heading.encode())
        if group.titled or (defines[group.passage] >= 1 and (not heading or outside)):
            return ""
    return passage.anchor


# ---- "What else an answer has" -------------------------------------------------------------------


def _count_facets(bundle: Bundle, query: Query, selection: Selection, touched: np.ndarray, hits: list[Hit]) -> str:
    """Lines of key, value and pages: pages with a word of the query, or among the hits."""
    among = touched.copy() if query.text else np.ones_like(touched)
    among[[hit.page for hit in hits]] = True
    lines = []
    for key, values in bundle.facets.filters.items():
        passing = among & selection.pages(bundle.facets, len(among), but=key)
        for value, pages in values.items():
            count = int(passing[pages].sum())
            if count:
                lines.append(f"{key.decode()}\t{value.decode()}\t{count}\n")
    return "".join(lines)
