"""The teacher's vectors of WORK/texts.jsonl (or its first N) -> WORK/targets.npy, resumable."""
import json
import sys
from pathlib import Path

import numpy as np

from teacher import encode_cached


def main():
    work = Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else None
    texts = [json.loads(line)["text"] for line in open(work / "texts.jsonl")][:count]
    np.save(work / "targets.npy", encode_cached(texts, work / "teacher_cache", max_tokens=128))


if __name__ == "__main__":
    main()
