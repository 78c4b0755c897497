"""A search's answer as a notebook shows it.

Documentation is untrusted: every text is escaped, and only web addresses are links.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Hit, SearchAnswer


def answer_as_html(answer: SearchAnswer) -> str:
    """A numbered list: title and headings, the snippet with what matched in bold. Pure."""
    corrections = "".join(
        f"<p>Searched {escape(each.term)} for {escape(each.word)}.</p>" for each in answer.corrections
    )
    hits = "".join(_hit(hit) for hit in answer) or "<p>Nothing was found.</p>"
    return f"{corrections}<ol>{hits}</ol>" if answer else corrections + hits


def _hit(hit: Hit) -> str:
    path = [part for part in [*hit.place, hit.title or "(no title)", *hit.headings] if part]
    words = escape(" › ".join(part for at, part in enumerate(path) if at == 0 or part != path[at - 1]))
    is_web = hit.url.lower().startswith(("https://", "http://"))
    title = f'<a href="{escape(hit.link)}" rel="noreferrer">{words}</a>' if is_web else words
    return f"<li><b>{title}</b> <small>{hit.score:.3f} {escape(hit.link)}</small><br>{_snippet(hit)}</li>"


def _snippet(hit: Hit) -> str:
    parts, done = [], 0
    for mark in hit.highlights:
        end = mark.start + mark.length
        parts += [escape(hit.snippet[done : mark.start]), f"<b>{escape(hit.snippet[mark.start : end])}</b>"]
        done = end
    text = "".join([*parts, escape(hit.snippet[done:])])
    return f"<pre>{text}</pre>" if hit.kind == "code" else text
