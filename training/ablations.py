"""The model card's table: which ingredient is worth what on the development sets, both pooled.

  ablations.py WORK --eval DIR --corpora DIR
"""
import argparse
from pathlib import Path

import numpy as np

import evaluate
import space
from distill import ROTATION, SIF, frequency_weights
from fit import Data, fit, held_out
from lexicon import read_words
from table_io import quantise
from teacher import model_folder

SYMMETRIC, ASYMMETRIC = 0.5, 0.6  # weight of the vectors in the fused score


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("--eval", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    args = parser.parse_args()
    work, (mean, rotation) = args.work, space.load(ROTATION)
    sets = evaluate.load_sets(work, mean, rotation, args.eval, args.corpora)
    entries = read_words(work / "words.txt")
    counts, own384 = np.load(work / "counts.npy"), np.load(work / "entries384.npy")
    student, data = evaluate.Student(sets, entries), Data(work)

    def show(name, rows, who=student, texts=data):
        found = who.summary(rows, SYMMETRIC, ASYMMETRIC)
        print(f"| {name} | {' / '.join(map(str, held_out(texts, rows)))} | "
              + " | ".join(" / ".join(map(str, found[k])) for k in ("sym", "sym+bm25", "asym", "asym+bm25")) + " |", flush=True)

    print("| rows | cosine to the teacher, held out | symmetric | + BM25 | asymmetric | + BM25 |\n|" + "---|" * 6)
    plain = (own384 - own384.mean(0)) @ rotation
    show("unweighted, centred on texts", (own384 - mean) @ rotation)
    show("unweighted, centred on entries", plain)
    for a in (1e-2, 1e-3, 1e-4, 1e-5):
        show(f"weighted, a = {a:g}", plain * frequency_weights(entries, counts, a)[:, None])
    fitted = np.load(work / "fitted.npy")
    show("fitted", fitted)
    show("fitted, 8 bits", quantise(fitted, 8))
    show("fitted, 4 bits", quantise(fitted, 4))
    show("fitted, another seed", fit(data, np.load(work / "distilled.npy"), seed=1))
    own = set((model_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines())
    for name, keep in (("fitted, without the technical words", [e in own for e in entries]),
                       ("fitted, without words the corpus lacks", [n > 0 or len(e.removeprefix('##')) == 1 for e, n in zip(entries, counts)])):
        keep = np.array(keep)
        fewer = [e for e, k in zip(entries, keep) if k]
        texts = Data(work, fewer)
        start = plain[keep] * frequency_weights(fewer, counts[keep], SIF)[:, None]
        show(f"{name} ({len(fewer):,} rows)", fit(texts, start), evaluate.Student(sets, fewer), texts)


if __name__ == "__main__":
    main()
