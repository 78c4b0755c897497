"""Fit the rows to the teacher on real text: WORK/distilled.npy -> WORK/fitted.npy.

The student of a text is the normalised sum of its words' rows; its target is the teacher's vector of
the same text in the space; the loss is 1 - cosine. Rows start at the distilled ones and are pulled
back to them softly, so that rare words, seen a few times, stay where the teacher put them; a fifth of
a text's words is dropped at each visit, so that no text hangs on one word. Adam moves only the
rows of a batch. Deterministic for one seed and one thread count.

Tried on the development sets and not kept: in-batch contrastive loss beside the cosine and a last phase
on short texts alone (no difference), square roots of counts (a point worse), ones for counts (four).
"""
import argparse
import itertools
import json
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse

import space
from distill import ROTATION
from lexicon import Lexicon, read_words


class Adam:
    """Adam over the rows of a table, moments kept per row and moved only when the row is."""

    def __init__(self, shape, b1=0.9, b2=0.99):
        self.m, self.v = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.steps, self.b1, self.b2 = np.zeros(shape[0], np.int32), b1, b2

    def step(self, at, gradient):
        self.steps[at] += 1
        n = self.steps[at][:, None].astype(np.float32)
        m = self.m[at] = self.b1 * self.m[at] + (1 - self.b1) * gradient
        v = self.v[at] = self.b2 * self.v[at] + (1 - self.b2) * gradient * gradient
        return (m / (1 - self.b1**n)) / (np.sqrt(v / (1 - self.b2**n)) + 1e-9)


def loss_gradient(student, target):
    """Mean cosine and the gradient of 1 - cosine by the unnormalised student vectors."""
    norm = np.linalg.norm(student, axis=1, keepdims=True) + 1e-9
    y = student / norm
    cosine = (y * target).sum(1, keepdims=True)
    return float(cosine.mean()), (y * cosine - target) / (norm * len(student))


class Cosine:
    """What a fit minimises: 1 - cosine to the teacher. objectives.py has others, by the same three calls."""

    def __init__(self, data):
        self.data = data

    def begin(self, rows, left):
        """Before an epoch: the table as it stands, and the epochs left with this one."""

    def forward(self, rows, columns):
        """The rows that a batch's sums are made of; their gradient is applied to `rows` as it is."""
        return rows[columns]

    def gradient(self, student, pick):
        """Mean cosine of the texts `pick`, and the loss's gradient by their unnormalised student vectors."""
        return loss_gradient(student, self.data.targets[pick])


class Data:
    def __init__(self, work, entries=None, texts="texts.jsonl", targets="targets.npy", count=None, held_every=50):
        """Texts and targets of WORK, the first `count` of them; other `entries` for an ablation of the vocabulary."""
        self.entries = entries or read_words(work / "words.txt")
        vectors = np.load(work / targets)[:count]
        with open(work / texts, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in itertools.islice(lines, len(vectors))]
        self.targets = space.project(vectors, *space.load(ROTATION))
        self.texts = [r["text"] for r in rows]
        self.bags = Lexicon(self.entries).bags(self.texts)
        self.kind = np.array([("passage", "sentence", "short").index(r["kind"]) for r in rows])
        usable = np.diff(self.bags.indptr) > 0
        # What was made of a passage that is held out is held out with it.
        numbers, pairs = np.arange(len(rows)), np.array([r.get("pair", -1) for r in rows])
        self.pair = np.where(pairs < len(rows), pairs, -1)  # the passage that a short text was made of, or -1
        held = np.where(self.pair >= 0, self.pair, numbers) % held_every == 0
        self.train, self.held = np.flatnonzero(usable & ~held), np.flatnonzero(usable & held)


def fit(data, start, *, epochs=5, rate=0.05, batch=512, pull=0.02, dropout=0.2, seed=0, objective=None):
    objective = objective or Cosine(data)
    rng = np.random.default_rng(seed)
    scale = 1.0 / np.sqrt((start**2).mean())  # unit root mean square, so that `rate` has one meaning
    rows = (start * scale).astype(np.float32)
    anchor, adam = rows.copy(), Adam(rows.shape)
    lookup = np.zeros(len(rows), np.int32)
    total, step, begun = epochs * (len(data.train) // batch), 0, time.time()
    for epoch in range(epochs):
        order, cosines = rng.permutation(data.train), []
        objective.begin(rows, epochs - epoch)
        for at in range(0, len(order) - batch + 1, batch):
            pick = order[at : at + batch]
            bag = data.bags[pick]
            kept = bag.data * (rng.random(len(bag.data)) >= dropout)
            columns = np.unique(bag.indices)
            lookup[columns] = np.arange(len(columns), dtype=np.int32)
            bag = scipy.sparse.csr_matrix((kept, lookup[bag.indices], bag.indptr), shape=(batch, len(columns)))
            cosine, gradient = objective.gradient(bag @ objective.forward(rows, columns), pick)
            cosines.append(cosine)
            step += 1
            now = rate * min(1.0, step / (0.05 * total)) * 0.5 * (1 + np.cos(np.pi * step / total))
            rows[columns] -= now * (adam.step(columns, bag.T @ gradient) + pull * (rows[columns] - anchor[columns]))
        print(f"epoch {epoch}: cosine {np.mean(cosines):.4f}, held out {held_out(data, rows)}, "
              f"{time.time() - begun:.0f} s", file=sys.stderr, flush=True)
    return rows / scale


def held_out(data, rows):
    """Mean cosine to the teacher of passages, sentences and short texts never trained on."""
    out = []
    for kind in range(3):
        pick = data.held[data.kind[data.held] == kind]
        student = data.bags[pick] @ rows
        student /= np.linalg.norm(student, axis=1, keepdims=True) + 1e-9
        out.append(round(float((student * data.targets[pick]).sum(1).mean()), 4))
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rows = fit(Data(args.work), np.load(args.work / "distilled.npy"), seed=args.seed)
    np.save(args.work / "fitted.npy", rows)


if __name__ == "__main__":
    main()
