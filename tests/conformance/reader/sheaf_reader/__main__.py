"""The reader as a command.

    python3 -m sheaf_reader verify FILE...
    python3 -m sheaf_reader search FILE [--table FILE] [--mode MODE] [--by page|passage] [-k N] WORDS...
    python3 -m sheaf_reader answer [--table FILE] < QUERIES > ANSWERS

`answer` reads a case a line, {"bundle": FILE, "query": {…}} with the fields of search.md, and writes a line for each:
the answer as answers.json has it.
"""

import argparse
import json
import sys
from functools import lru_cache

from .bundle import Bundle
from .container import BUNDLE, HEADER, MAGIC, Refused
from .json_form import answer_json, query_from
from .search import Query, search
from .vectors import Table


def open_file(path: str) -> Bundle | Table:
    """A bundle or a table, as its header says."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.startswith(MAGIC) or len(data) < HEADER.size:
        raise Refused("NOT_A_BUNDLE", path)
    return Bundle(data) if data[10] == BUNDLE else Table(data)


def verify(paths: list[str]) -> int:
    failed = 0
    for path in paths:
        try:
            open_file(path).verify()
            print(f"{path}: sound")
        except Refused as error:
            failed += 1
            print(f"{path}: {error}")
    return 1 if failed else 0


def show(bundle: Bundle, table: Table | None, query: Query) -> int:
    for hit in search(bundle, table, query).hits:
        passage = bundle.passages[hit.passage]
        first_line = passage.text.decode().strip().partition("\n")[0]
        print(f"{hit.score:.4f}  {passage.page.source}#{hit.anchor}  {passage.page.title}\n        {first_line[:100]}")
    return 0


def answer(table: Table | None) -> int:
    open_once = lru_cache(maxsize=8)(Bundle.open)
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps(answer_json(open_once(case["bundle"]), table, query_from(case["query"]))), flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="sheaf_reader", description="A second reader of Sheaf's bundles.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("verify").add_argument("files", nargs="+")
    searching, answering = verbs.add_parser("search"), verbs.add_parser("answer")
    for verb in (searching, answering):
        verb.add_argument("--table", help="the encoder table of the bundle's space")
    searching.add_argument("file")
    searching.add_argument("words", nargs="+")
    searching.add_argument("--mode", default="hybrid", choices=["keyword", "semantic", "hybrid"])
    searching.add_argument("--by", default="page", choices=["page", "passage"])
    searching.add_argument("-k", type=int, default=10)
    given = parser.parse_args()
    try:
        if given.verb == "verify":
            return verify(given.files)
        table = Table.open(given.table) if given.table else None
        if given.verb == "answer":
            return answer(table)
        query = Query(" ".join(given.words).encode(), mode=given.mode, by=given.by, top_k=given.k)
        return show(Bundle.open(given.file), table, query)
    except Refused as error:
        print(error, file=sys.stderr)
        return 2


sys.exit(main())
