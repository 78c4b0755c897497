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
    """What the converter stores, back in floats: one factor a row; 8 bits are -127..127, 4 bits odd integers
    -15..15. The factor is the least-squares one of a few candidates. Two bits, -3..3, are for ablations."""
    if bits == 8:
        top = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-12)
        return np.round(rows / top * 127) * (top / 127)
    return on_grid(rows, *grid_of(rows, bits), bits)


def odd_codes(rows, cut, bits):
    """Odd integers up to 2^bits - 1; codes change where rows are even multiples of `cut`."""
    most = 2**bits - 1
    return np.clip(2 * np.floor(rows / cut / 2) + 1, -most, most)


def grid_of(rows, bits):
    """Each row's grid: `cut`, where codes change, and `step`, the least-squares factor of the codes so found."""
    top = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-12)
    cuts, steps, least = np.ones_like(top), np.zeros_like(top), np.full(top.shape, np.inf)
    for share in np.linspace(0.4, 1.0, 25) if bits == 4 else np.linspace(0.1, 1.0, 37):
        cut = top * share / (2**bits - 1)
        codes = odd_codes(rows, cut, bits)
        step = (rows * codes).sum(1, keepdims=True) / (codes * codes).sum(1, keepdims=True)
        error = ((rows - codes * step) ** 2).sum(1, keepdims=True)
        better = error < least
        cuts, steps, least = np.where(better, cut, cuts), np.where(better, step, steps), np.minimum(error, least)
    return cuts, steps


def on_grid(rows, cut, step, bits):
    """Rows rounded to a grid that may be of their own or of an earlier state of theirs."""
    return odd_codes(rows, cut, bits) * step
