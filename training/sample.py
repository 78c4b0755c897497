"""Which texts the teacher reads: WORK/clean.jsonl.gz -> WORK/texts.jsonl, WORK/queries.jsonl, both shuffled.

Three lengths, because the table must serve both sides of a search: passages (heading and body, as the
packer will encode them), single sentences, and short texts like queries (short_texts.py). `texts` is a balanced draw, for the
first fit; `queries` is nearly all short, for the second: a short text costs the teacher a fifteenth of a passage. Sources
are drawn with probability proportional to the square root of their size. `pair` of a short text is the line of the passage
that it was made from. A sentence or short text that is a judged query is left out.
"""
import gzip
import json
import random
import sys
from collections import Counter
from pathlib import Path

from deduplicate import evaluation_queries
from folding import words
from short_texts import GENERIC, SENTENCE, short_texts

TEXTS = {"passage": 60_000, "sentence": 80_000, "short": 60_000}
QUERIES = {"passage": 28_000, "sentence": 12_000, "short": 330_000}


def passage_text(row, rng):
    lead = ""
    if rng.random() < 0.7:
        lead = " > ".join(x for x in (row["title"], row["heading"]) if x and not GENERIC.match(x)) + "\n"
    return lead.lstrip() + row["text"]


class Draw:
    """Texts without repetition."""

    def __init__(self, barred):
        self.texts, self.seen, self.barred, self.judged = [], set(), barred, 0

    def put(self, kind, text, **more):
        """Line of the text, or None."""
        if text in self.seen:
            return None
        if kind != "passage" and " ".join(words(text)) in self.barred:
            self.judged += 1
            return None
        self.seen.add(text)
        self.texts.append({"kind": kind, "text": text, **more})
        return len(self.texts) - 1


def draw(rows, rng, barred, wanted):
    """`wanted` texts of each kind at most, in the order drawn."""
    sizes = Counter(row["source"] for row in rows)
    # Without replacement, weighted: the smallest keys win (exponential trick).
    order = sorted(range(len(rows)), key=lambda i: rng.expovariate(1.0) * sizes[rows[i]["source"]] ** 0.5)
    drawn, number = Draw(barred), {}
    for i in order[: wanted["passage"]]:
        at = drawn.put("passage", passage_text(rows[i], rng), source=rows[i]["source"])
        if at is not None:
            number[i] = at
    before = len(drawn.texts)
    for i in reversed(order):  # from passages that were not drawn, for breadth
        if len(drawn.texts) - before >= wanted["sentence"]:
            break
        if found := [s for s in SENTENCE.split(rows[i]["text"]) if 30 <= len(s) <= 220]:
            drawn.put("sentence", rng.choice(found), source=rows[i]["source"])
    before = len(drawn.texts)
    for i in order:
        if len(drawn.texts) - before >= wanted["short"]:
            break
        for form, text in short_texts(rows[i], rng):
            drawn.put("short", text, form=form, source=rows[i]["source"], pair=number.get(i, -1))
    return drawn


def write_shuffled(path, texts, rng):
    """One shuffle, so that any prefix of the file is a fair sample; pairs follow their passages."""
    places = list(range(len(texts)))
    rng.shuffle(places)
    new = {old: at for at, old in enumerate(places)}
    with open(path, "w", encoding="utf-8") as out:
        for old in places:
            row = dict(texts[old])
            if row.get("pair", -1) >= 0:
                row["pair"] = new[row["pair"]]
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def main():
    work, barred = Path(sys.argv[1]), evaluation_queries()
    with gzip.open(work / "clean.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for name, wanted, seed in (("texts", TEXTS, 1), ("queries", QUERIES, 2)):
        rng = random.Random(seed)
        drawn = draw(rows, rng, barred, wanted)
        write_shuffled(work / f"{name}.jsonl", drawn.texts, rng)
        print(f"{name}:", dict(Counter(t["kind"] for t in drawn.texts)), dict(Counter(t["form"] for t in drawn.texts if "form" in t)),
              f"left out as judged queries: {drawn.judged}", file=sys.stderr)


if __name__ == "__main__":
    main()
