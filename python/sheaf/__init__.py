"""Sheaf: documentation search by words and by meaning, on the reader's own machine. Open a bundle, and ask it::

    import sheaf

    with sheaf.open("kiln@1.4.sheaf") as library:
        for hit in library.search("restart a job that failed", top_k=5):
            print(hit.score, hit.title, hit.link, hit.snippet)

`open` and `pack` are the ways in; `sheaf.mkdocs` and `sheaf.sphinx` are plugins; the command is `sheaf`, or
``python -m sheaf``.
"""

from __future__ import annotations

from .errors import SheafError
from .library import Library, open
from .packing import pack
from .types import (
    Correction,
    Explanation,
    Facet,
    FacetValue,
    FileRemark,
    Highlight,
    Hit,
    LibraryFacets,
    LibraryInfo,
    PackReport,
    Page,
    Passage,
    SearchAnswer,
    Symbol,
    TermMatch,
)

__all__ = [
    "Correction",
    "Explanation",
    "Facet",
    "FacetValue",
    "FileRemark",
    "Highlight",
    "Hit",
    "Library",
    "LibraryFacets",
    "LibraryInfo",
    "PackReport",
    "Page",
    "Passage",
    "SearchAnswer",
    "SheafError",
    "Symbol",
    "TermMatch",
    "open",
    "pack",
]
