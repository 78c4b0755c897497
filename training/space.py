"""The vector space minilm-l6-256: (teacher's unit vector - mean) @ rotation, L2-normalised.

`mean` (384) and `rotation` (384 x 256, orthonormal columns by falling variance) are a PCA fitted once
on the teacher's vectors of technical text and then frozen: every encoder of this space, static or
transformer, uses these very numbers. Stored as float32 rows in models/minilm-l6-256.rotation.f32:
the mean, then the rotation row by row.
"""
from pathlib import Path

import numpy as np

from lexicon import unit


def fit(vectors, dimensions=256):
    """Mean and PCA rotation; signs fixed so that each direction's largest entry is positive."""
    mean = vectors.mean(0, dtype=np.float64)
    centred = vectors.astype(np.float64) - mean
    _, directions = np.linalg.eigh(centred.T @ centred)
    rotation = directions[:, ::-1][:, :dimensions]
    rotation *= np.sign(rotation[np.abs(rotation).argmax(0), np.arange(dimensions)])
    return mean.astype(np.float32), rotation.astype(np.float32)


def project(vectors, mean, rotation):
    return unit((np.asarray(vectors, np.float32) - mean) @ rotation)


def save(path: Path, mean, rotation):
    """float32, little-endian: the mean's 384 numbers, then rotation row by row (384 rows of 256)."""
    np.concatenate([mean.ravel(), rotation.ravel()]).astype("<f4").tofile(path)


def load(path: Path):
    numbers = np.fromfile(path, "<f4")
    return numbers[:384], numbers[384:].reshape(384, -1)
