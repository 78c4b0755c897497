"""Choose the table's entries: WORK/clean.jsonl.gz -> WORK/words.txt, WORK/counts.npy.

1. Whole words of the teacher's own vocabulary (all of them: a table must also serve documentation of
   biology), numbers above four digits apart, and single letters and digits.
2. Technical words: the corpus' most frequent words besides, if several packages use them.
3. "##" pieces of the teacher, those that spell the corpus' remaining words, and every "##" letter
   and digit, so that any ASCII word can be spelled.
`counts` holds how often the corpus uses each entry, for the frequency weights.
"""
import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from folding import fold, words
from lexicon import Lexicon
from teacher import model_folder

TECHNICAL, PIECES = 9_000, 2_500
PLAIN = re.compile(r"[a-z0-9]+\Z")


def main():
    work = Path(sys.argv[1])
    counts, packages = Counter(), {}
    with gzip.open(work / "clean.jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            found = words(f"{row['heading'].rsplit(' > ', 1)[-1]} {row['text']}")
            counts.update(found)
            for word in set(found):
                packages.setdefault(word, set()).add(row["source"])

    vocab = (model_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    own = [w for w in vocab if PLAIN.match(w) and fold(w) == w]
    pieces = [w for w in vocab if w.startswith("##") and PLAIN.match(w[2:])]
    chars = "abcdefghijklmnopqrstuvwxyz0123456789"

    entries = {w for w in own if not (w.isdigit() and len(w) > 4)} | set(chars)
    technical = [w for w, n in counts.most_common()
                 if w not in entries and PLAIN.match(w) and 2 < len(w) <= 24 and n >= 12 and len(packages[w]) >= 3
                 and not w[0].isdigit() and sum(c.isdigit() for c in w) <= 3]
    entries |= set(technical[:TECHNICAL])

    spelled, every = Counter(), Lexicon(sorted(entries | set(pieces) | {"##" + c for c in chars}))
    for word, n in counts.items():
        if word not in entries:
            for row in every.rows(word):
                spelled[every.entries[row]] += n
    entries |= {"##" + c for c in chars}
    entries |= set([w for w, _ in spelled.most_common() if w.startswith("##") and len(w) > 3][:PIECES])

    lexicon = Lexicon(sorted(entries))
    total = np.zeros(len(lexicon.entries))
    for word, n in counts.items():
        for row in lexicon.rows(word):
            total[row] += n
    (work / "words.txt").write_text("".join(w + "\n" for w in lexicon.entries), encoding="utf-8")
    np.save(work / "counts.npy", total)
    direct = sum(n for w, n in counts.items() if w in lexicon.row)
    print(json.dumps({
        "words in the corpus": sum(counts.values()), "distinct": len(counts), "entries": len(lexicon.entries),
        "teacher words": sum(w in set(own) for w in lexicon.entries), "technical": len(technical[:TECHNICAL]),
        "technical candidates": len(technical), "pieces": sum(w.startswith("##") for w in lexicon.entries),
        "share of words with a row of their own": round(direct / sum(counts.values()), 4)}), file=sys.stderr)
    print("technical, every 300th:", " ".join(technical[:TECHNICAL:300]), "last:", technical[:TECHNICAL][-5:], file=sys.stderr)


if __name__ == "__main__":
    main()
