"""Which texts the teacher reads: WORK/passages.jsonl.gz -> WORK/texts.jsonl, shuffled.

Three lengths, because the table must serve both sides of a search: passages (heading and body, as the
packer will encode them), single sentences, and short texts that look like queries (headings, some
of them put as questions). Sources are drawn with probability proportional to the square root of their size.
`pair` of a short text is the passage below that heading, if it was drawn too.
"""
import gzip
import json
import random
import re
import sys
from pathlib import Path

PASSAGES, SENTENCES, SHORTS = 60_000, 80_000, 60_000
GENERIC = re.compile(r"^(name|synopsis|description|notes?|see also|bugs|return value|examples?|options|parameters|"
                     r"functions|properties|author|history|copyright|colophon|required methods|implementations|"
                     r"provided methods|attributes|conforming to|errors|versions|files|environment)$", re.I)
ASKED = ("how to {}", "how do I use {}", "what is {}", "what does {} do", "how does {} work", "where is {} explained",
         "can I change {}", "problem with {}", "why does my {} fail", "when should I use {}")
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z])")


def short_of(row, rng):
    """A heading with as much of its page's title as a searcher would type; None if it says nothing."""
    title, last = row["title"], row["heading"].rsplit(" > ", 1)[-1]
    if GENERIC.match(title):
        title = ""
    if not last or GENERIC.match(last):
        last = f"{title} {last.lower()}".strip() if title and rng.random() < 0.3 else title
    elif title and rng.random() < 0.3:
        last = f"{title} {last}"
    if not 3 <= len(last) <= 100 or not re.search("[a-z]{3}", last.lower()):
        return None
    if rng.random() < 0.25:
        last = rng.choice(ASKED).format(last if rng.random() < 0.3 else last.lower())
    return last


def main():
    work, rng = Path(sys.argv[1]), random.Random(1)
    with gzip.open(work / "passages.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    sizes = {}
    for row in rows:
        sizes[row["source"]] = sizes.get(row["source"], 0) + 1
    # Draw without replacement, weighted: the smallest keys win (exponential trick).
    order = sorted(range(len(rows)), key=lambda i: rng.expovariate(1.0) * sizes[rows[i]["source"]] ** 0.5)
    texts, seen, number = [], set(), {}

    def put(kind, text, **more):
        if text in seen:
            return False
        seen.add(text)
        texts.append({"kind": kind, "text": text, **more})
        return True

    for i in order[:PASSAGES]:
        row, lead = rows[i], ""
        if rng.random() < 0.7:
            lead = " > ".join(x for x in (row["title"], row["heading"]) if x and not GENERIC.match(x)) + "\n"
        number[i] = len(texts)
        if not put("passage", lead.lstrip() + row["text"], source=row["source"]):
            del number[i]
    for i in order:
        if len(texts) >= len(number) + SENTENCES:
            break
        found = [s for s in SENTENCE.split(rows[i]["text"]) if 30 <= len(s) <= 220]
        if found:
            put("sentence", rng.choice(found), source=rows[i]["source"])
    before = len(texts)
    for i in order:
        if len(texts) - before >= SHORTS:
            break
        if short := short_of(rows[i], rng):
            put("short", short, source=rows[i]["source"], pair=number.get(i, -1))
    # One shuffle, so that any prefix of the file is a fair sample; pairs follow their passages.
    places = list(range(len(texts)))
    rng.shuffle(places)
    new = {old: at for at, old in enumerate(places)}
    with open(work / "texts.jsonl", "w") as out:
        for old in places:
            row = texts[old]
            if row.get("pair", -1) >= 0:
                row["pair"] = new[row["pair"]]
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print({k: sum(t["kind"] == k for t in texts) for k in ("passage", "sentence", "short")}, file=sys.stderr)


if __name__ == "__main__":
    main()
