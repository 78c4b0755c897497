"""Rows without training: each entry through the teacher, rotated into the space, weighted by frequency.

WORK/words.txt, WORK/counts.npy -> WORK/distilled.npy. The space itself is fitted by `fit_space.py`.
"""
import sys
from pathlib import Path

import numpy as np

import space
from lexicon import read_words
from teacher import Teacher

SIF = 1e-3  # of 1e-2 .. 1e-5 the best on the development sets
ROTATION = Path(__file__).parent.parent / "models/minilm-l6-256.rotation.f32"


def teacher_rows(entries):
    """`[CLS] entry [SEP]`, mean-pooled; a "##" piece is its own token."""
    teacher = Teacher()
    ids = [[teacher.cls, teacher.tokenizer.token_to_id(e), teacher.sep] if e.startswith("##")
           else teacher.ids([e])[0] for e in entries]
    return teacher.encode_ids(ids)


def frequency_weights(entries, counts, a):
    """SIF: a / (a + p). Entries the corpus never uses count as once; single characters and short pieces,
    which only spell unknown words, speak softly."""
    p = np.maximum(counts, 1) / counts.sum()
    weights = a / (a + p)
    for i, e in enumerate(entries):
        letters = len(e.removeprefix("##"))
        if e.startswith("##"):
            weights[i] *= (0.1, 0.3, 0.6)[min(letters, 3) - 1]
        elif letters == 1:
            weights[i] *= 0.2
    return weights.astype(np.float32)


def main():
    work = Path(sys.argv[1])
    entries = read_words(work / "words.txt")
    if not (work / "entries384.npy").exists() or len(np.load(work / "entries384.npy", mmap_mode="r")) != len(entries):
        np.save(work / "entries384.npy", teacher_rows(entries))
    _, rotation = space.load(ROTATION)
    rows = np.load(work / "entries384.npy")
    # Single words lie off the mean of real texts; centred on their own mean, their sums land near it.
    rows = (rows - rows.mean(0)) @ rotation
    rows *= frequency_weights(entries, np.load(work / "counts.npy"), SIF)[:, None]
    np.save(work / "distilled.npy", rows.astype(np.float32))


if __name__ == "__main__":
    main()
