"""Measure a table on the two development sets (never trained on): Vue and the Rust book.

  evaluate.py WORK TABLE_FOLDER... [--eval DIR] [--corpora DIR]

Pages are cut at headings into passages of about 800 characters; a page scores as its best passage.
Printed: nDCG@10 by kind of query and hit@1 for BM25 alone, the table alone (symmetric), the
table's queries against the teacher's passages (asymmetric), the teacher alone, and each of these fused
with BM25 by a convex combination of normalised scores.
"""
import argparse
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np

import space
from folding import words
from lexicon import Lexicon, unit
from table_io import quantise, read_table
from teacher import encode_cached

KINDS = ("natural", "paraphrase", "keyword", "identifier", "typo")


def passages_of(text):
    """(heading path, body) of a Markdown page; code fences are kept, headings inside them are not headings."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    path, body, fenced, out = {}, [], False, []

    def flush():
        joined = "\n".join(body).strip()
        body.clear()
        if joined:
            out.append((" > ".join(path[k] for k in sorted(path)), joined))

    for line in text.splitlines():
        fenced ^= line.lstrip().startswith("```")
        heading = None if fenced else re.match(r"(#{1,6})\s+(.*)", line)
        if heading:
            flush()
            level = len(heading[1])
            for k in [k for k in path if k >= level]:
                del path[k]
            path[level] = re.sub(r"\{#.*?\}|[`*]", "", heading[2]).strip()
        else:
            body.append(re.sub(r"!?\[([^\]\n]*)\]\([^)\n]*\)", r"\1", line))
            if not line.strip() and not fenced and sum(map(len, body)) > 800:
                flush()
    flush()
    return out


def stem(word):
    """A stand-in for Snowball, good enough for a yardstick."""
    for end in ("ing", "ed", "es", "s"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word


class Bm25:
    def __init__(self, texts, k1=1.2, b=0.75):
        self.bags = [Counter(map(stem, words(t))) for t in texts]
        lengths = np.array([sum(b.values()) for b in self.bags])
        self.norm = k1 * (1 - b + b * lengths / lengths.mean())
        self.k1, self.postings = k1, {}
        for i, bag in enumerate(self.bags):
            for word, n in bag.items():
                self.postings.setdefault(word, []).append((i, n))

    def scores(self, query):
        out = np.zeros(len(self.bags), np.float32)
        for word in set(map(stem, words(query))):
            found = self.postings.get(word, ())
            idf = math.log(1 + (len(self.bags) - len(found) + 0.5) / (len(found) + 0.5))
            for i, n in found:
                out[i] += idf * n * (self.k1 + 1) / (n + self.norm[i])
        return out


class DevSet:
    def __init__(self, name, corpora, evals, work, mean, rotation):
        root, self.name = corpora / name, name
        self.pages, self.texts, self.page_of = [], [], []
        for file in sorted(root.rglob("*.md")):
            self.pages.append(str(file.relative_to(root)))
            for path, body in passages_of(file.read_text(encoding="utf-8")):
                self.texts.append(f"{path}\n{body}")
                self.page_of.append(len(self.pages) - 1)
        self.page_of = np.array(self.page_of)
        with open(evals / name / "queries.jsonl") as lines:
            self.queries = [json.loads(line) for line in lines]
        asked = [q["query"] for q in self.queries]
        bm25 = Bm25(self.texts)
        self.bm25 = np.stack([bm25.scores(q) for q in asked])
        cache = work / "teacher_cache"
        self.teacher384 = [encode_cached(t, cache, 256).astype(np.float32) for t in (self.texts, asked)]
        self.teacher = [space.project(v, mean, rotation) for v in self.teacher384]
        self.asked = asked

    def measure(self, scores):
        """nDCG@10 by kind, over all queries, and hit@1."""
        by_kind, hits = {}, []
        for q, row in zip(self.queries, scores):
            best = np.full(len(self.pages), -np.inf)
            np.maximum.at(best, self.page_of, row)
            top = np.argsort(-best, kind="stable")[:10]
            gains = [1 / math.log2(r + 2) for r, p in enumerate(top) if self.pages[p] in q["relevant"]]
            ideal = sum(1 / math.log2(r + 2) for r in range(min(10, len(q["relevant"]))))
            by_kind.setdefault(q["kind"], []).append(sum(gains) / ideal)
            hits.append(self.pages[top[0]] in q["relevant"])
        pooled = [v for values in by_kind.values() for v in values]
        return {**{k: float(np.mean(by_kind[k])) for k in KINDS if k in by_kind},
                "all": float(np.mean(pooled)), "hit@1": float(np.mean(hits))}

    def fuse(self, cosines, weight):
        background = np.percentile(cosines, 5)
        dense = (cosines - background) / np.maximum(cosines.max(1, keepdims=True) - background, 1e-6)
        lexical = self.bm25 / np.maximum(self.bm25.max(1, keepdims=True), 1e-6)
        return (1 - weight) * lexical + weight * dense


def load_sets(work, mean, rotation, evals, corpora):
    return [DevSet(n, corpora, evals, work, mean, rotation) for n in ("vue", "rust-book")]


class Student:
    """Bags of the development sets, cut once per vocabulary; rows may change."""

    def __init__(self, sets, entries):
        self.sets, self.lexicon = sets, Lexicon(entries)
        self.bags = [(self.lexicon.bags(s.texts), self.lexicon.bags(s.asked)) for s in sets]

    def cosines(self, rows, asymmetric=False):
        out = []
        for s, (docs, queries) in zip(self.sets, self.bags):
            left = s.teacher[0] if asymmetric else unit(docs @ rows)
            out.append(unit(queries @ rows) @ left.T)
        return out

    def summary(self, rows, weight=0.3, asymmetric_weight=0.5):
        """Pooled over both sets: table alone, fused, asymmetric alone, asymmetric fused; (all, paraphrase)."""
        sym, asym = self.cosines(rows), self.cosines(rows, True)
        out = {}
        for name, scores in (
                ("sym", sym), ("sym+bm25", [s.fuse(c, weight) for s, c in zip(self.sets, sym)]),
                ("asym", asym), ("asym+bm25", [s.fuse(c, asymmetric_weight) for s, c in zip(self.sets, asym)])):
            found = [s.measure(c) for s, c in zip(self.sets, scores)]
            out[name] = tuple(round(100 * float(np.mean([f[k] for f in found])), 1) for k in ("all", "natural", "paraphrase"))
        return out


def line(label, found):
    print(f"{label:34}" + "".join(f"{100 * found[k]:>11.1f}" for k in (*KINDS, "all", "hit@1") if k in found), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("tables", type=Path, nargs="*")
    parser.add_argument("--eval", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--rotation", type=Path, default=Path(__file__).parent.parent / "models/minilm-l6-256.rotation.f32")
    args = parser.parse_args()
    sets = load_sets(args.work, *space.load(args.rotation), args.eval, args.corpora)
    for s in sets:
        print(f"\n{s.name}: {len(s.pages)} pages, {len(s.texts)} passages, {len(s.queries)} queries")
        print(" " * 34 + "".join(f"{k:>11}" for k in (*KINDS, "all", "hit@1")))
        line("BM25", s.measure(s.bm25))
        teacher384 = s.teacher384[1] @ s.teacher384[0].T
        cosines = s.teacher[1] @ s.teacher[0].T
        line("teacher, 384 d", s.measure(teacher384))
        line("teacher, this space", s.measure(cosines))
        for w in (0.3, 0.5, 0.7):
            line(f"teacher + BM25, weight {w}", s.measure(s.fuse(cosines, w)))
    for folder in args.tables:
        entries, rows = read_table(folder)
        student = Student(sets, entries)
        for bits in (32, 8, 4):
            stored = rows if bits == 32 else quantise(rows, bits)
            for i, s in enumerate(sets):
                print(f"\n{folder.name}, {bits} bits, {s.name}")
                for label, asymmetric, weights in (("symmetric", False, (0.3, 0.5)), ("asymmetric", True, (0.3, 0.6))):
                    cosines = student.cosines(stored, asymmetric)[i]
                    line(label, s.measure(cosines))
                    for w in weights:
                        line(f"{label} + BM25, weight {w}", s.measure(s.fuse(cosines, w)))


if __name__ == "__main__":
    main()
