"""The frozen rotation: PCA of the teacher's vectors of the first 40,960 texts of WORK/texts.jsonl (or as many as said)
-> models/minilm-l6-256.rotation.f32. Run once; a new rotation would be a new space.

  fit_space.py WORK OUT [TEXTS]
"""
import json
import sys
from pathlib import Path

import numpy as np

import space
from teacher import encode_cached

SAMPLE = 40_960


def main():
    work, out = Path(sys.argv[1]), Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else SAMPLE
    texts = [json.loads(line)["text"] for line in open(work / "texts.jsonl")][:count]
    vectors = encode_cached(texts, work / "teacher_cache", max_tokens=128).astype(np.float32)
    mean, rotation = space.fit(vectors)
    kept = ((vectors - mean) @ rotation) ** 2
    print(f"variance kept by 256 of 384 directions: {kept.sum() / ((vectors - mean) ** 2).sum():.4f}; |mean| {np.linalg.norm(mean):.3f}")
    space.save(out, mean, rotation)


if __name__ == "__main__":
    main()
