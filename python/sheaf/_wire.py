"""Between the JavaScript API's plain objects and this package's types. Pure functions."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache
from typing import Any, Iterable, Mapping, Optional, TypeVar

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

Json = Mapping[str, Any]
Type = TypeVar("Type")


def camel(name: str) -> str:
    """top_k -> topK"""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def options(**given: Any) -> dict[str, Any]:
    """Arguments as the JavaScript side names them; those that are None take its defaults."""
    return {camel(name): value for name, value in given.items() if value is not None}


def to_info(value: Json) -> LibraryInfo:
    return _plain(LibraryInfo, value)


def to_answer(value: Json) -> SearchAnswer:
    return SearchAnswer(
        map(_hit, value["hits"]),
        corrections=_each(Correction, value["corrections"]),
        matching_passages=value["matchingPassages"],
        ignored_words=value["ignoredWords"],
        used_keyword=value["usedKeyword"],
        used_semantic=value["usedSemantic"],
        weak=value["weak"],
        facets=_facets(value.get("facets") or []),
    )


def to_page(value: Json) -> Page:
    return _plain(Page, value, passages=_each(Passage, value["passages"]))


def to_passage(value: Json) -> Passage:
    return _plain(Passage, value)


def to_library_facets(value: Json) -> LibraryFacets:
    return LibraryFacets(filters=_facets(value["filters"]), sorts=list(value["sorts"]))


def to_report(value: Json) -> PackReport:
    remarks = {name: _each(FileRemark, value[name]) for name in ("skipped", "notes")}
    return _plain(PackReport, value, **remarks)


def highlights(snippet: str, marks: Iterable[Json]) -> list[Highlight]:
    """Offsets of UTF-16 code units, as JavaScript counts, as offsets of Python's characters."""
    if snippet.isascii() or max(snippet, default="") <= "\uffff":
        return _each(Highlight, marks)
    units = snippet.encode("utf-16-le", "surrogatepass")

    def characters(end: int) -> int:
        return len(units[: 2 * end].decode("utf-16-le", "surrogatepass"))

    found = []
    for mark in marks:
        start = characters(mark["start"])
        found.append(Highlight(start, characters(mark["start"] + mark["length"]) - start))
    return found


def _hit(value: Json) -> Hit:
    return _plain(
        Hit,
        value,
        highlights=highlights(value["snippet"], value["highlights"]),
        title_highlights=highlights(value["title"], value["titleHighlights"]),
        heading_highlights=highlights((value["headings"] or [""])[-1], value["headingHighlights"]),
        meta=dict(value.get("meta") or {}),
        explanation=_explanation(value.get("explanation")),
        symbol=_plain(Symbol, value["symbol"]) if "symbol" in value else None,
    )


def _explanation(value: Optional[Json]) -> Optional[Explanation]:
    return None if value is None else _plain(Explanation, value, terms=_each(TermMatch, value["terms"]))


def _facets(values: Iterable[Json]) -> list[Facet]:
    return [Facet(value["key"], _each(FacetValue, value["values"])) for value in values]


def _each(kind: type[Type], values: Iterable[Json]) -> list[Type]:
    return [_plain(kind, value) for value in values]


def _plain(kind: type[Type], value: Json, **made: Any) -> Type:
    """A dataclass from the object's fields of the same names; `made` are those that were converted already."""
    names = _names(kind)  # type: ignore[arg-type]
    taken = {name: value[key] for name, key in names if key in value}
    return kind(**{**taken, **made})


@lru_cache(maxsize=None)
def _names(kind: Any) -> list[tuple[str, str]]:
    """A dataclass's fields, and what they are called in an object."""
    return [(field.name, camel(field.name)) for field in fields(kind)]
