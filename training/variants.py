"""The model card's variants of the second fit, and of smaller tables, each by its name.

  variants.py WORK [NAME…] [--start ROWS.npy]      (no name: all of them, in the order of VARIANTS; --list names them)

Needs what `build.sh WORK --refine` leaves: words.txt, counts.npy, fitted.npy, queries.jsonl, query_targets.npy, clean.jsonl.gz. A
variant is a few parameters (`Variant`), its seed among them: rows are the same bit for bit on one machine with one thread
count. For each it writes

    WORK/variants/NAME.npy     the rows
    WORK/variants/NAME/        the same as a table folder, for `sheaf-pack table WORK/variants/NAME NAME.sheaf --bits 4`
    WORK/variants/NAME.json    its settings and the figures below

and prints one line of figures: the cosine to the teacher of held-out passages, sentences and short texts; the mean reciprocal rank of
a held-out short text's own passage (student against the teacher's passages, student against its own, teacher); and, where the
judged queries are at hand, their cosine and the share of the teacher's ten nearest passages that the student's ten have.
What is found, the card's nDCG columns, is the product's to say: pack the sets with the table and ask by tests/quality/tune.cc.

All start at the first fit's rows as the 4-bit table stores them, as every variant in the card did. A twenty-fifth of the passages
is held out, with what was made of them. A variant takes about half a minute of one core; mining and ranking take minutes more.
"""
import argparse
import dataclasses
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import refine
import space
from deduplicate import query_files
from distill import ROTATION
from fit import Data, fit, held_out
from lexicon import Lexicon, unit
from more_texts import bags_with_pairs, with_held, with_mistyped, with_pairs
from objectives import Objective, Passages, Ranking, nearest, reciprocal_ranks
from table_io import quantise, write_table

FULL, MOST, MIDDLE, SMALL, LEAST = 180_224, 159_744, 110_592, 90_112, 53_248  # as many of the first texts of queries.jsonl
SECOND = refine.SETTINGS
FIVE = {**SECOND, "epochs": 5}
EARLY = {"epochs": 4, "rate": 0.03, "batch": 512, "pull": 0.02, "dropout": 0.0}
FIRST = {"epochs": 3, "rate": 0.02, "batch": 512, "pull": 0.02, "dropout": 0.1}


@dataclass(frozen=True)
class Variant:
    card: str                     # its row in the model card
    texts: int = FULL
    fit: dict = field(default_factory=dict)  # settings of fit.fit; none: the start rows, cut down
    seeds: tuple = (0,)           # the rows are the mean of the seeds'
    mix: float = 1.0              # share of the fit in the rows, the rest being the start
    passage_weight: float = 1.0
    ranking: Ranking | None = None
    bits: int = 0                 # codes that the last `coded_epochs` see, gradients passing straight through
    coded_epochs: int = 0
    mistyped: float = 0.0         # share of short texts with a mistyped copy
    held: int = 0                 # passages held to the start rows' vectors
    pairs: int = 0                # rows for pairs of words
    stored_bits: int = 0          # rows rounded to these codes afterwards
    dimensions: int = 0           # dimensions kept; the others are zero
    rows: int = 0                 # rows kept: all pieces and single characters, and the most frequent words


VARIANTS = {
    "shipped": Variant("shipped", 176_128),
    "weak-45k": Variant("second fit, weak pull, 45,000", LEAST, FIRST, bits=4, coded_epochs=1),
    "weak-45k-half-rate": Variant("the same at half the rate", LEAST, {**FIRST, "rate": 0.01}, bits=4, coded_epochs=1),
    "weak-77k": Variant("second fit, weak pull, 77,000", SMALL, EARLY),
    "refine": Variant("second fit by refine.py, three seeds", FULL, SECOND, seeds=(0, 1, 2)),
    "one-seed": Variant("one seed", MOST, SECOND),
    "another-seed": Variant("another seed", MOST, SECOND, seeds=(1,)),
    "mean": Variant("the mean of shipped and second fit", FULL, FIVE, mix=0.5),
    "quarter": Variant("a quarter second fit", FULL, FIVE, mix=0.25),
    "heavy-passages": Variant("passages three times as heavy", MOST, SECOND, passage_weight=3.0),
    "held-passages": Variant("25,000 passages held", MOST, SECOND, held=25_000),
    "ranking": Variant("teacher's ranking besides, weight .3", SMALL, EARLY, ranking=Ranking(0.3)),
    "ranking-teacher-side": Variant("teacher's ranking, weight 1", LEAST, FIRST, ranking=Ranking(1.0), bits=4, coded_epochs=1),
    "ranking-student-side": Variant("against the student's own, weight 1", LEAST, FIRST, ranking=Ranking(0.0, 1.0), bits=4, coded_epochs=1),
    "ranking-both": Variant("against both, weights .5 and .5", LEAST, FIRST, ranking=Ranking(0.5, 0.5), bits=4, coded_epochs=1),
    "own-passage": Variant("own passage as half the goal", 176_128, FIVE, ranking=Ranking(1.0, 0.0, mined=12, own=0.5)),
    "own-passage-both": Variant("the same, both kinds of passage", 176_128, FIVE, ranking=Ranking(0.5, 0.5, mined=12, own=0.5)),
    "own-passage-apart": Variant("the same without near copies", 176_128, FIVE, ranking=Ranking(1.0, 0.0, mined=12, own=0.5, copy=0.95)),
    "mistyped": Variant("one mistyped copy of every seventh text", SMALL, EARLY, mistyped=0.15),
    "four-bits": Variant("4 bits", LEAST, {**FIRST, "dropout": 0.0}, stored_bits=4),
    "four-bits-trained": Variant("4 bits, a pass through the codes", LEAST, {**FIRST, "dropout": 0.0},
                                 bits=4, coded_epochs=1, stored_bits=4),
    "two-bits": Variant("second fit cut to 2 bits", FULL, FIVE, stored_bits=2),
    "two-bits-trained": Variant("trained through the 2-bit codes", FULL, FIVE, bits=2, coded_epochs=3, stored_bits=2),
    "no-pairs": Variant("before pairs of words", MIDDLE, EARLY),
    "pairs-4000": Variant("4,000 pairs of words", MIDDLE, EARLY, pairs=4000),
    "pairs-12000": Variant("12,000 pairs of words", MIDDLE, EARLY, pairs=12_000),
    **{f"bits-{n}": Variant(f"{n} bits", stored_bits=n) for n in (8, 2)},
    **{f"dimensions-{n}": Variant(f"{n} dimensions", dimensions=n) for n in (192, 128, 64)},
    **{f"rows-{n}": Variant(f"{n:,} rows", rows=n) for n in (30_000, 20_000, 10_000)},
}


def most_frequent(entries, counts, wanted):
    """True for all pieces and single characters and the most frequent words, `wanted` in all."""
    always = np.array([entry.startswith("##") or len(entry) == 1 for entry in entries])
    keep = np.zeros(len(entries), bool)
    keep[np.argsort(-(counts + 1e12 * always), kind="stable")[:wanted]] = True
    return keep


def fitted(variant, data, start, work):
    """Rows of a variant that is fitted, and the pairs of words among them."""
    pairs, texts, rows = [], data, start
    if variant.mistyped:
        texts = with_mistyped(data, variant.mistyped)
    if variant.held:
        texts = with_held(data, start, work, variant.held)
    if variant.pairs:
        texts, rows, pairs = with_pairs(data, start, variant.pairs)
    runs = []
    for seed in variant.seeds:
        objective = Objective(texts, rows, passage_weight=variant.passage_weight, ranking=variant.ranking,
                              bits=variant.bits, coded_epochs=variant.coded_epochs)
        runs.append(fit(texts, rows, seed=seed, objective=objective, **variant.fit))
    return (1 - variant.mix) * rows + variant.mix * np.mean(runs, axis=0), texts if pairs else data, pairs


def made(variant, data, start, work):
    """Rows of a variant, the data that measures them, its pairs of words."""
    rows, data, pairs = fitted(variant, data, start, work) if variant.fit else (start, data, [])
    if variant.stored_bits:
        rows = quantise(rows, variant.stored_bits)
    if variant.dimensions:
        rows = rows * (np.arange(rows.shape[1]) < variant.dimensions)
    return rows.astype(np.float32), data, pairs


class Queries:
    """The judged queries of the development sets with the teacher's vectors, where they are at hand."""

    def __init__(self, work):
        lines = [line for file in query_files() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        self.texts = [json.loads(line)["query"] for line in lines]
        if not self.texts:
            print("judged queries: not here, their cosine is left out", file=sys.stderr)
            return
        from teacher import encode_cached  # the only step that needs the teacher itself

        self.vectors = space.project(encode_cached(self.texts, work / "teacher_cache", max_tokens=256), *space.load(ROTATION))

    def figures(self, data, rows, pairs):
        """Mean cosine to the teacher, and the share of its ten nearest passages that are among the student's ten."""
        if not self.texts:
            return {}
        bags = Lexicon(data.entries).bags(self.texts)
        student = unit(np.asarray((bags_with_pairs(bags, self.texts, pairs) if pairs else bags) @ rows, np.float32))
        passages = Passages(data).teacher
        shared = [len(set(a) & set(b)) / 10 for a, b in zip(nearest(self.vectors, passages, 10), nearest(student, passages, 10))]
        return {"queries": len(self.texts), "cosine of queries": round(float((student * self.vectors).sum(1).mean()), 4),
                "top 10 shared": round(float(np.mean(shared)), 4)}


def run(name, work, start, queries):
    """Makes and measures one variant; writes its files; returns its figures."""
    variant, entries, out = VARIANTS[name], None, work / "variants"
    data = Data(work, texts="queries.jsonl", targets="query_targets.npy", count=variant.texts, held_every=25)
    if variant.rows:
        keep = most_frequent(data.entries, np.load(work / "counts.npy"), variant.rows)
        entries, start = [e for e, k in zip(data.entries, keep) if k], start[keep]
        data = Data(work, entries, texts="queries.jsonl", targets="query_targets.npy", count=variant.texts, held_every=25)
    rows, data, pairs = made(variant, data, start, work)
    ranks, count = reciprocal_ranks(data, rows)
    figures = {"short texts": int((data.kind == 2).sum()), "held-out cosines": held_out(data, rows), "held-out ranks": ranks,
               "ranked": count, **queries.figures(data, rows, pairs)}
    out.mkdir(exist_ok=True)
    np.save(out / f"{name}.npy", rows)
    if pairs:  # a table holds words; these rows are for measuring only
        (out / f"{name}.pairs.txt").write_text("".join(p + "\n" for p in pairs), encoding="utf-8")
    else:
        write_table(out / name, data.entries, rows, {"name": name, "method": variant.card})
    (out / f"{name}.json").write_text(json.dumps({"settings": dataclasses.asdict(variant), **figures}, indent=1) + "\n")
    return figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--start", type=Path, help="rows to start from; default: WORK/fitted.npy")
    parser.add_argument("--list", action="store_true", help="name the variants and their rows in the card")
    args = parser.parse_args()
    if args.list:
        print("\n".join(f"{name:24}{variant.card}" for name, variant in VARIANTS.items()))
        return
    if unknown := set(args.names) - set(VARIANTS):
        parser.error(f"no variant {', '.join(sorted(unknown))}; --list names them")
    start = quantise(np.load(args.start or args.work / "fitted.npy"), 4)
    queries = Queries(args.work)
    print("| variant | short texts | held-out cosines | ranks: teacher's side, own side, teacher | cosine of queries | top 10 shared |")
    print("|---" * 6 + "|")
    for name in args.names or VARIANTS:
        f = run(name, args.work, start, queries)
        print(f"| {name} | {f['short texts']:,} | {' / '.join(map(str, f['held-out cosines']))} | "
              f"{' / '.join(map(str, f['held-out ranks']))} ({f['ranked']}) | "
              f"{f.get('cosine of queries', '-')} | {f.get('top 10 shared', '-')} |", flush=True)


if __name__ == "__main__":
    main()
