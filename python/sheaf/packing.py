"""Packing documentation into a bundle."""

from __future__ import annotations

import os
from typing import Iterable, Optional, Union

from . import _wire
from ._process import NodeProcess
from .library import Source
from .types import PackReport


def pack(
    inputs: Union[Source, Iterable[Source]],
    output: Source,
    *,
    library: str,
    version: str,
    title: Optional[str] = None,
    root: Optional[Source] = None,
    base_url: Optional[str] = None,
    url_style: Optional[str] = None,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    only_language: Optional[str] = None,
    version_folder: Optional[str] = None,
    no_ignore: bool = False,
    rules: Optional[Source] = None,
    honor_noindex: bool = False,
    encoder: Optional[str] = None,
    encoder_table: Optional[Source] = None,
    passage_size: Optional[int] = None,
    language: Optional[str] = None,
    memory: Optional[str] = None,
    level: Optional[int] = None,
    graph: Optional[str] = None,
) -> PackReport:
    """Packs Markdown, MDX, HTML, reStructuredText, text and notebooks into one bundle. Same input, same bytes.

    The bundle appears whole or not at all. An interrupt stops the packer, and the older file stays.

    Args:
        inputs: files, folders and globs; one or several.
        output: the file to write, for example ``kiln@1.4.sheaf``.
        library, version: what is documented, for example ``kiln`` and ``1.4``.
        title: the library's display name.
        root: the folder that pages' paths are relative to; by default the input, if it is one folder.
        base_url: where the root is on the web.
        url_style: of addresses below it: ``html``, ``clean``, ``dir`` or ``keep``.
        include, exclude: globs of pages to take, or to leave out.
        only_language: of languages whose pages lie side by side, the code of the one to pack, or ``all``.
        version_folder: of versions whose folders lie side by side, the name of the one to pack, or ``all``.
        no_ignore: include hidden files and the folders that are ignored by default.
        rules: the file with the rules of the search, or ``none``; by default ``sheaf.search.yaml`` in the input folder.
        honor_noindex: leave out HTML pages that ask search engines to.
        encoder: ``static`` (default), ``none``, or a transformer's name.
        encoder_table: path of another encoder table than the one that ships with Sheaf.
        passage_size: target length of a passage, in characters.
        language: of the pages, a tag such as ``de`` or ``pt-BR``, or ``none``; by default the one that most name.
        memory: limit while packing, for example ``512M`` or ``2G``.
        level: of compression, 1 (packs fast) to 22 (small bundles).
        graph: for vector search: ``auto``, ``always`` or ``never``.

    Raises:
        SheafError: NOT_FOUND (there are no pages), INVALID_ARGUMENT, FILE, INTERNAL; NODE.
    """
    several = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    job = _wire.options(
        inputs=[os.fspath(each) for each in several], output=os.fspath(output), library=library, version=version,
        title=title, root=None if root is None else os.fspath(root), base_url=base_url, url_style=url_style,
        include=_texts("include", include), exclude=_texts("exclude", exclude),
        only_language=only_language, version_folder=version_folder, no_ignore=no_ignore,
        rules=None if rules is None else os.fspath(rules), honor_noindex=honor_noindex, encoder=encoder,
        encoder_table=None if encoder_table is None else os.fspath(encoder_table), passage_size=passage_size,
        language=language, memory=memory, level=level, graph=graph,
    )  # fmt: skip
    process = NodeProcess()  # its own: packing is long work, and searches go on meanwhile
    try:
        return _wire.to_report(process.call("pack", job))
    finally:
        process.close()


def _texts(name: str, values: Iterable[str]) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"{name} must be a list of globs, not the text {values!r}.")
    return list(values)
