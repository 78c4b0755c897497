"""Opening bundles and asking them."""

from __future__ import annotations

import os
import re
import threading
from typing import Any, Mapping, Optional, Sequence, Union

from . import _wire
from ._process import NodeProcess, shared
from .errors import SheafError
from .types import LibraryFacets, LibraryInfo, Page, Passage, SearchAnswer

Source = Union[str, "os.PathLike[str]"]


def open(source: Source, *, encoder: Union[Source, bool, None] = None, lazy: Optional[bool] = None) -> Library:
    """Opens a bundle, to search it.

    Args:
        source: path or URL (file:, http:, https:) of a ``.sheaf`` file.
        encoder: path or URL of the encoder table for semantic search. None (default): the one that ships with Sheaf for
            the bundle's vector space. False: none, every search is by keyword.
        lazy: True: read the ranges that searches need. False: read everything first. By default everything is read at
            once where that is cheap: files, and URLs up to 512 KiB.

    Raises:
        SheafError: FILE or NETWORK (it cannot be read), NOT_A_BUNDLE, UNSUPPORTED_VERSION, TRUNCATED,
            CHECKSUM_MISMATCH, CORRUPT, SPACE_MISMATCH (another encoder's table), NODE.
    """
    table = _place("encoder", encoder) if encoder is not None and not isinstance(encoder, bool) else encoder
    if table is True:
        raise SheafError("INVALID_ARGUMENT", "encoder must be a path, a URL, None or False, not True.")
    return Library(_place("source", source), _wire.options(encoder=table, lazy=lazy))


class Library:
    """An open bundle; `open` makes it. Safe for threads: calls may overlap, and each answers as if it were alone.

    A ``with`` statement, or `close`, frees its memory; so does the interpreter when nothing refers to it any more.

    Every call may raise SheafError: INVALID_ARGUMENT, CLOSED, CORRUPT and the like (what is wrong with the bytes),
    NETWORK, or NODE. After NODE the process has died; the next call starts it again and opens the bundle anew.
    """

    def __init__(self, source: str, options: Mapping[str, Any]) -> None:
        self._source = source
        self._options = options
        self._lock = threading.Lock()  # of which process has it, under which number
        self._process: Optional[NodeProcess] = None
        self._closed = False
        self._connection()

    @property
    def info(self) -> LibraryInfo:
        """What the bundle holds."""
        return self._info

    def search(
        self,
        query: str,
        *,
        top_k: int = 10,
        by: str = "page",
        mode: str = "hybrid",
        filters: Optional[Mapping[str, Union[str, Sequence[str]]]] = None,
        facets: bool = False,
        sort: Optional[str] = None,
        descending: bool = False,
        explain: bool = False,
        semantic_weight: Optional[float] = None,
        rrf: bool = False,
        prefix: bool = True,
        typo: bool = True,
        vector: Optional[Sequence[float]] = None,
    ) -> SearchAnswer:
        """The pages that answer best, best first: a list of `Hit`, with attributes such as ``corrections``.

        Args:
            query: any text; words beyond the 64th are ignored, and counted.
            top_k: hits to return, 0 and up; more than 1000 is taken as 1000.
            by: ``page``: each page once, with its best passage. ``passage``: the best passages, maybe several per page.
            mode: ``hybrid`` (by keyword where there are no vectors or no table), ``keyword`` or ``semantic``.
            filters: which pages to search: for every key given, a page must have one of its values.
                ``{"author": ["Anne", "Bo"], "kind": "guide"}`` selects guides by either author.
            facets: fills ``facets`` of the answer: the values that pages can be filtered by, counted for this query.
            sort: a key that pages state; hits are ordered by its values instead of by score, the greatest first with
                ``descending``. Lists only pages that contain a word of the query.
            explain: fills ``explanation`` of each hit.
            semantic_weight: share of meaning, 0 (words alone) to 1 (meaning alone); by default chosen for each query.
            rrf: reciprocal rank fusion (k = 60) instead of combined scores.
            prefix: the last word may be unfinished.
            typo: a word that matches nothing may match with one or two edits.
            vector: the query's vector in the bundle's space (``info.dimensions`` numbers), used instead of the table.

        Raises:
            SheafError: also NO_VECTORS or NO_ENCODER where ``mode="semantic"`` has nothing to search with, and
                UNKNOWN_ANALYSIS where the bundle's words were made as this version does not (search by meaning).
        """
        options = _wire.options(
            top_k=top_k, by=by, mode=mode, filters=filters and _lists(filters), facets=facets, explain=explain,
            semantic_weight=semantic_weight, rrf=rrf, prefix=prefix, typo=typo,
            sort=None if sort is None else {"key": sort, "descending": descending},
            vector=None if vector is None else [float(number) for number in vector],
        )  # fmt: skip
        return _wire.to_answer(self._ask("search", query, **options))

    def page(self, page: Union[str, int]) -> Page:
        """A page, whole: by URL (with or without anchor), by path in the packed folder, or by number.

        Raises:
            SheafError: NOT_FOUND.
        """
        return _wire.to_page(self._ask("page", page))

    def passage(self, number: int) -> Passage:
        """A passage by its number, 0 to ``info.passages - 1``, as `Hit.passage` has it."""
        return _wire.to_passage(self._ask("passage", number))

    def facets(self) -> LibraryFacets:
        """What pages can be filtered and sorted by, with the number of pages of each value."""
        return _wire.to_library_facets(self._ask("facets"))

    def embed(self, text: str) -> list[float]:
        """A text's vector by the table: ``info.dimensions`` numbers, L2-normalised; empty when no word is known."""
        return [float(number) for number in self._ask("embed", text)]

    def verify(self) -> int:
        """Reads and checks the whole bundle. The number of its blocks.

        Raises:
            SheafError: CHECKSUM_MISMATCH, CORRUPT or TRUNCATED, with the place.
        """
        return int(self._ask("verify"))

    def close(self) -> None:
        """Frees the memory; later calls raise CLOSED. May be called again."""
        with self._lock:
            self._closed = True
            process, self._process = self._process, None
        if process is not None and process.alive:
            process.call("close", self._number)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            process.abandon(self._number)

    def __repr__(self) -> str:
        info = self._info
        return f"<sheaf.Library {info.library} {info.version}: {info.pages} pages, {info.passages} passages>"

    def _ask(self, method: str, *args: object, **options: object) -> Any:
        process, number = self._connection()
        return process.call("ask", number, method, args, options)

    def _connection(self) -> tuple[NodeProcess, int]:
        """Which process has the bundle open, and its number there; opened anew if the process is gone."""
        with self._lock:
            if self._closed:
                raise SheafError("CLOSED", "The library was closed; open it again to search it.")
            if self._process is None or not self._process.alive:
                process = shared()
                opened = process.call("open", self._source, self._options)
                self._number: int = opened["library"]
                self._info = _wire.to_info(opened["info"])
                self._process = process
            return self._process, self._number


def _place(name: str, source: Source) -> str:
    """A URL as it is, a path made absolute: Node keeps the working folder that it was started in."""
    if not isinstance(source, (str, os.PathLike)):
        raise SheafError("INVALID_ARGUMENT", f"{name} must be a path or a URL, not {source!r}.")
    text = os.fspath(source)
    return text if re.match(r"(?i)(https?|file)://", text) else os.path.abspath(text)


def _lists(filters: Mapping[str, Union[str, Sequence[str]]]) -> dict[str, list[str]]:
    return {key: [values] if isinstance(values, str) else list(values) for key, values in filters.items()}
