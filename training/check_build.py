"""Whether a build of `build.sh --sample` did what each step is for: check_build.py WORK fitted|refined; exit code 1 where one did not.

The table of a sample is no good, so it is not measured against the shipped one, but against what went into it:

- fitting brings held-out texts nearer to the teacher than the distilled rows are, refining held-out queries;
- a space fitted to the sample keeps hardly more of its vectors than the frozen one does, which therefore still fits them;
- `sheaf-pack table` takes the folder, and documentation packed with the table is found by meaning alone. Needs
  build/native/sheaf-pack ($SHEAF_PACK); without it this part is left out, and said so.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import space
from distill import ROTATION
from fit import Data, held_out
from table_io import read_table

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = {"docs/building.md": "which compiler and packages must be installed first", "docs/searxng.md": "metasearch engine plugin",
             "docs/dependencies.md": "third party libraries and their licences"}
failures = []


def expect(holds, what):
    print(f"{'ok    ' if holds else 'FAILED'} {what}", file=sys.stderr)
    if not holds:
        failures.append(what)


def check_rows(work, last):
    steps = [("fitted", "distilled", Data(work))]
    if last == "refined":
        steps.append(("refined", "fitted", Data(work, texts="queries.jsonl", targets="query_targets.npy")))
    for name, before, data in steps:
        old, new = (held_out(data, np.load(work / f"{rows}.npy")) for rows in (before, name))
        figures = f"held-out cosines of passages, sentences, short texts: {before} {old}, {name} {new}"
        # Refining is about short texts, the last of the three.
        expect(new[2] > old[2] if name == "refined" else all(b > a for a, b in zip(old, new)), figures)
    words, rows = read_table(work / "out")
    expect(len(words) == len(rows) > 20_000 and words == sorted(set(words)), f"table folder of {len(words):,} words, sorted")
    expect(np.abs(rows).sum(1).min() > 0, "no row is zero")


def kept(vectors, mean, rotation):
    centred = vectors - mean
    return float((((centred @ rotation) ** 2).sum()) / (centred**2).sum())


def check_space(work):
    vectors = np.load(work / "targets.npy").astype(np.float32)
    frozen, own = (kept(vectors, *space.load(path)) for path in (ROTATION, work / "rotation.f32"))
    expect(0 <= own - frozen < 0.03, f"variance of the sample's vectors kept by the frozen space {frozen:.4f}, by one of its own {own:.4f}")


def check_product(work, packer):
    table = work / "sample.sheaf"
    subprocess.run([packer, "table", work / "out", table, "--bits", "4"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([packer, "verify", table], check=True, stdout=subprocess.DEVNULL)
    bundle = work / "docs.sheaf"
    subprocess.run([packer, "pack", ROOT / "docs", "--root", ROOT, "--library", "docs", "--version", "1", "--encoder-table", table,
                    "-o", bundle, "--quiet"], check=True)
    for source, question in QUESTIONS.items():
        answer = subprocess.run([packer, "search", bundle, "--mode", "semantic", "--encoder-table", table, "--json", "-k", "5", question],
                                check=True, capture_output=True, text=True)
        found = [hit["source"] for hit in json.loads(answer.stdout)["hits"]]
        expect(source in found, f"{question!r} finds {source} by meaning: {', '.join(found)}")


def main():
    work, last = Path(sys.argv[1]), sys.argv[2]
    check_rows(work, last)
    check_space(work)
    packer = Path(os.environ.get("SHEAF_PACK") or ROOT / "build/native/sheaf-pack")
    if packer.exists():
        check_product(work, packer)
    else:
        print(f"left out: converting, packing and searching, since there is no {packer}; npm run build makes it", file=sys.stderr)
    if failures:
        sys.exit(f"{len(failures)} of the checks failed")


if __name__ == "__main__":
    main()
