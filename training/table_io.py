"""Table folders as `sheaf-pack table` reads them: table.json, words.txt, rows.f32."""
import json
import os
import shutil
from pathlib import Path

import numpy as np

from lexicon import read_words

SPACE, DIMENSIONS = "minilm-l6-256", 256


def write_table(folder: Path, words, rows, manifest):
    """Writes beside `folder`, then renames, so that a reader never sees half a table."""
    fresh, old = folder.with_name(folder.name + ".new"), folder.with_name(folder.name + ".old")
    for path in (fresh, old):
        shutil.rmtree(path, ignore_errors=True)
    fresh.mkdir(parents=True)
    assert rows.shape == (len(words), DIMENSIONS) and len(set(words)) == len(words) and np.isfinite(rows).all()
    (fresh / "words.txt").write_text("".join(w + "\n" for w in words), encoding="utf-8")
    rows.astype("<f4").tofile(fresh / "rows.f32")
    (fresh / "table.json").write_text(json.dumps(
        {"space": SPACE, "dimensions": DIMENSIONS, "manifest": manifest}, indent=1, ensure_ascii=False) + "\n")
    if folder.exists():
        os.rename(folder, old)
    os.rename(fresh, folder)
    shutil.rmtree(old, ignore_errors=True)


def read_table(folder: Path):
    words = read_words(folder / "words.txt")
    return words, np.fromfile(folder / "rows.f32", "<f4").reshape(len(words), DIMENSIONS)


def quantise(rows, bits):
    """What the converter stores, back in floats: one factor a row; 8 bits are -127..127, 4 bits odd
    integers -15..15. The factor is the least-squares one of a few candidates."""
    top = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-12)
    if bits == 8:
        return np.round(rows / top * 127) * (top / 127)
    best, least = np.zeros_like(rows), np.full((len(rows), 1), np.inf)
    for share in np.linspace(0.4, 1.0, 25):
        step = top * share / 15
        codes = np.clip(2 * np.floor(rows / step / 2) + 1, -15, 15)
        step = (rows * codes).sum(1, keepdims=True) / (codes * codes).sum(1, keepdims=True)
        error = ((rows - codes * step) ** 2).sum(1, keepdims=True)
        best, least = np.where(error < least, codes * step, best), np.minimum(error, least)
    return best
