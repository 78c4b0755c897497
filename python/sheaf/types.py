"""What a library answers: plain data. Names are those of the JavaScript API in snake_case.

All strings are plain text from the documentation, and as untrusted as it is: escape them before they become HTML.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, List, Optional

from ._html import answer_as_html


@dataclass(frozen=True)
class LibraryInfo:
    """What `open` learned about a bundle."""

    library: str
    """What the bundle documents, for example ``fastapi``."""
    version: str
    manifest: dict[str, Any]
    """The packer's own record: title, base URL, options."""
    pages: int
    passages: int
    terms: int
    """Distinct terms of the keyword index."""
    dimensions: int
    """Length of the vectors; 0 without vectors."""
    vector_bits: int
    """4 or 8; 0 without vectors."""
    has_graph: bool
    """Whether an HNSW graph serves semantic search."""
    space: str
    """Vector space, for example ``minilm-l6-256``; empty without vectors."""
    file_size: int
    """In bytes."""
    semantic: bool
    """Whether queries can be encoded, so that hybrid search uses both signals."""
    lazy: bool
    """Whether the bundle is read by ranges as searches need them (True) or lies in memory (False)."""


@dataclass(frozen=True)
class Highlight:
    """Part of a snippet that matched: ``snippet[start:start + length]``."""

    start: int
    length: int


@dataclass(frozen=True)
class TermMatch:
    """How a term of the index matched a word of the query."""

    word: str
    term: str
    kind: str
    """exact, stem, part, joined, prefix or typo."""
    idf: float
    weight: float
    frequency: float
    score: float


@dataclass(frozen=True)
class Explanation:
    """The components of a score."""

    keyword_raw: float
    keyword: float
    cosine: float
    semantic: float
    semantic_weight: float
    coverage: float
    page_bonus: float
    terms: list[TermMatch]


@dataclass(frozen=True)
class Symbol:
    """A thing that the documentation defines by its name."""

    name: str
    """Whole, as far as the documentation says: ``std::collections::HashMap::insert``."""
    kind: str
    """``module``, ``class``, ``function``, ``method``, ``property``, ``setting``, ``command``, ``option``, ``variable``
    (of the environment), ``error``, ``operator``, ``type``, ``macro`` or ``endpoint``."""
    signature: str
    """On one line, as its entry has it; may be empty."""
    deprecated: bool = False


@dataclass(frozen=True)
class Hit:
    """A page that answers, with its best passage."""

    page: int
    """Page number, for `Library.page`."""
    passage: int
    """Passage number, for `Library.passage`."""
    score: float
    """0 to 1, higher is better; never increasing down the list, unless it is sorted by a key."""
    title: str
    url: str
    """Of the page, without anchor."""
    source: str
    """Path relative to the packed root."""
    anchor: str
    """Of the passage, without ``#``; empty at the top of the page."""
    headings: list[str]
    """Heading path of the passage, outermost first."""
    first_line: int
    last_line: int
    """First and last line in the source file, from 1; 0 when unknown."""
    snippet: str
    """Plain text of the passage, without its title and headings; of code, with its lines."""
    highlights: list[Highlight]
    """What matched in the snippet."""
    meta: dict[str, str] = field(default_factory=dict)
    """What the page declares about itself: image, author and the like."""
    explanation: Optional[Explanation] = None
    place: list[str] = field(default_factory=list)
    """Where the page stands in the documentation, outermost first, without its own title."""
    kind: str = "text"
    """What the snippet shows: ``heading`` (text that follows a heading with words of the query), ``code``, ``text``."""
    title_highlights: list[Highlight] = field(default_factory=list)
    """What matched in the title."""
    heading_highlights: list[Highlight] = field(default_factory=list)
    """What matched in the last of the headings."""
    symbol: Optional[Symbol] = None
    """The symbol that the query names, where the hit is its entry. These hits come first."""

    @property
    def link(self) -> str:
        """Address of the passage: the page's, and the anchor."""
        return f"{self.url}#{self.anchor}" if self.anchor else self.url


@dataclass(frozen=True)
class FacetValue:
    """One value of a key."""

    value: str
    pages: int
    """How many pages have it."""


@dataclass(frozen=True)
class Facet:
    """A key that pages can be filtered by; its values ascend by their bytes."""

    key: str
    values: list[FacetValue]


@dataclass(frozen=True)
class LibraryFacets:
    """What the pages of a bundle can be filtered and sorted by."""

    filters: list[Facet]
    sorts: list[str]


@dataclass(frozen=True)
class Correction:
    """ "Did you mean": a word that matched by typo, and the term that it matched."""

    word: str
    term: str


class SearchAnswer(List[Hit]):
    """The hits, best first, as a list; and what else is known about the search."""

    def __init__(
        self,
        hits: Iterable[Hit],
        *,
        corrections: list[Correction],
        matching_passages: int,
        ignored_words: int,
        used_keyword: bool,
        used_semantic: bool,
        weak: bool = False,
        facets: list[Facet],
    ) -> None:
        super().__init__(hits)
        self.corrections = corrections
        self.matching_passages = matching_passages
        """Passages that contain at least one word of the query, on pages that pass the filters."""
        self.ignored_words = ignored_words
        """Words beyond the limit of 64."""
        self.used_keyword = used_keyword
        self.used_semantic = used_semantic
        self.weak = weak
        """No word of the query is found and nothing is clearly near its meaning: the hits are merely the nearest."""
        self.facets = facets
        """With ``facets=True``: for each key and value, how many pages have it and pass the other keys' filters."""

    def _repr_html_(self) -> str:
        return answer_as_html(self)


@dataclass(frozen=True)
class Passage:
    """A part of a page, such as a section: what is ranked."""

    id: int
    page: int
    anchor: str
    headings: list[str]
    first_line: int
    last_line: int
    text: str
    """Exact slice of the page's text."""


@dataclass(frozen=True)
class Page:
    """A page, whole."""

    id: int
    title: str
    url: str
    source: str
    description: str
    last_modified: str
    """ISO 8601 date, or empty."""
    text: str
    """The page's whole text, in a light Markdown form: its passages, joined."""
    passages: list[Passage]


@dataclass(frozen=True)
class FileRemark:
    """A file, and a remark about it."""

    path: str
    reason: str


@dataclass(frozen=True)
class PackReport:
    """What is in a bundle that `pack` wrote."""

    pages: int
    passages: int
    bundle_bytes: int
    skipped: list[FileRemark]
    """Files that could not be read or parsed."""
    notes: list[FileRemark]
    """Content left out on purpose, or not read as intended."""
