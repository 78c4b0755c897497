"""Queries and answers as the cases of tests/conformance have them (tests/conformance/README.md)."""

from .bundle import Bundle
from .constants import Constants
from .container import Refused
from .search import Query, search
from .vectors import Table


def query_from(fields: dict) -> Query:
    """A query from its fields; those left out have their defaults."""
    encoded = {key: fields[key].encode() for key in ("text", "selection") if key in fields}
    vector = {"vector": tuple(fields["vector"])} if "vector" in fields else {}
    return Query(**{**fields, **encoded, **vector})


def answer_json(
    bundle: Bundle, table: Table | None, query: Query, constants: Constants = Constants(), ranges: bool = False
) -> dict:
    """The answer to a query, or the error in its place."""
    try:
        answer = search(bundle, table, query, constants, ranges)
    except Refused as error:
        return {"error": error.code}
    return {
        "hits": [
            [hit.page, hit.passage, hit.score, hit.anchor, hit.keyword_score, hit.cosine, hit.coverage, hit.bonus]
            for hit in answer.hits
        ],
        "matching": answer.matching,
        "keyword": answer.keyword,
        "semantic": answer.semantic,
        "weight": answer.weight,
        "weak": answer.weak,
        "ignored": answer.ignored,
        "corrections": [[wrong.decode(), right.decode()] for wrong, right in answer.corrections],
        "facets": answer.facets,
    }
