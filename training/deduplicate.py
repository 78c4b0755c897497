"""Passages that share a run of 13 words with what Sheaf is evaluated on are dropped:
WORK/passages.jsonl.gz -> WORK/clean.jsonl.gz, WORK/overlap.json.

Evaluation texts are the pages and queries of $SHEAF_SHARED (default: ../shared beside the repository: eval/*/,
corpora/*/) and of tests/quality/sets (pages of the Debian packages that about.json names, where installed). The packages
of those sets, and other documentation under test, are read too where they are installed (`HELD_OUT`). What is not
there is named: a list of names in fetch_docs.py is the first lock, this the second.

`evaluation_queries()` serves sample.py: no training text may be one of the queries.
"""
import gzip
import json
import os
import re
import sys
from pathlib import Path

from folding import words

ROOT = Path(__file__).resolve().parent.parent
SETS = ROOT / "tests/quality/sets"
HELD_OUT = ("/usr/share/doc/postgresql-doc-15/html",)
RUN = 13
TEXT = {".md", ".mdx", ".rst", ".txt", ".html", ".htm"}
MARKUP = re.compile(r"<script.*?</script>|<style.*?</style>|<[^>]*>", re.S | re.I)
ENTITY = re.compile(r"&(?:#\d+|\w+);")


def shared():
    return Path(os.environ.get("SHEAF_SHARED") or ROOT.parent / "shared")


def query_files():
    return sorted([*shared().glob("eval/*/queries.jsonl"), *SETS.glob("*/queries.jsonl")])


def evaluation_queries():
    """Judged queries as runs of folded words."""
    lines = [line for file in query_files() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {" ".join(words(json.loads(line)["query"])) for line in lines}


def evaluation_folders():
    """(folder, True if it is there), of everything that is searched in an evaluation."""
    folders = [*sorted(shared().glob("corpora/*")), *map(Path, HELD_OUT)]
    folders += [Path(json.loads(about.read_text())["root"]) for about in sorted(SETS.glob("*/about.json"))]
    return [(folder, folder.is_dir()) for folder in folders]


def runs(found):
    """Hashes of every run of RUN words."""
    return {hash(tuple(found[i : i + RUN])) for i in range(len(found) - RUN + 1)}


def texts_of(folder):
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in TEXT and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            yield ENTITY.sub(" ", MARKUP.sub(" ", text)) if path.suffix.lower() in (".html", ".htm") else text


def evaluation_runs():
    known, read, missing = set(), [], []
    for folder, there in evaluation_folders():
        if not there:
            missing.append(folder.name)
            continue
        read.append(str(folder.relative_to(shared())) if folder.is_relative_to(shared()) else str(folder))
        for text in texts_of(folder):
            known |= runs(words(text))
    for file in sorted(shared().glob("eval/*/cran.*")):  # Cranfield: one file of abstracts instead of a folder of pages
        read.append(str(file.relative_to(shared())))
        known |= runs(words(file.read_text(encoding="utf-8", errors="replace")))
    return known, read, missing


def main():
    work = Path(sys.argv[1])
    known, read, missing = evaluation_runs()
    if not shared().is_dir():
        missing.append("the sets beside the repository ($SHEAF_SHARED)")
    for name in missing:
        print(f"overlap not checked against {name}: not here", file=sys.stderr)
    dropped, kept = {}, 0
    clean = gzip.GzipFile(work / "clean.jsonl.gz", "wb", mtime=0, compresslevel=3)
    with gzip.open(work / "passages.jsonl.gz", "rt", encoding="utf-8") as lines, clean as out:
        for line in lines:
            row = json.loads(line)
            if not known.isdisjoint(runs(words(f"{row['title']} {row['heading']}\n{row['text']}"))):
                dropped[row["source"]] = dropped.get(row["source"], 0) + 1
                continue
            out.write(line.encode())
            kept += 1
    report = {"run": RUN, "runs": len(known), "read": read, "missing": missing, "kept": kept,
              "dropped": sum(dropped.values()), "dropped by source": dropped}
    (work / "overlap.json").write_text(json.dumps(report, indent=1) + "\n")
    print(f"dropped {report['dropped']} of {kept + report['dropped']} passages: they share {RUN} words in a row with evaluation texts",
          file=sys.stderr)


if __name__ == "__main__":
    main()
