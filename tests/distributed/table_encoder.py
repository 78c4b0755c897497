"""An encoder's process (docs/embedding-protocol.md) that needs no model: the words of the table that ships with Sheaf, summed by NumPy.

A text's vector depends on the text alone, not on what else is in its batch, so a cluster and one machine give the same bytes.
Words that the table has not are left out.

    SHEAF_TEST_ENCODER_PAUSE=0.1     takes so many seconds more for a batch, as a model would
    SHEAF_TEST_ENCODER_NAME=FILE     has the name that the file holds, where it is there
    SHEAF_TEST_ENCODER_DIES=FILE     ends after the first batch, once: the file says that it did
"""

import hashlib
import json
import os
import re
import struct
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance" / "reader"))

from sheaf_reader.vectors import Table  # noqa: E402

TABLE = ROOT / "models" / "minilm-l6-256.sheaf"
WORD = re.compile(r"[a-z0-9]+")


def read(count):
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        sys.exit(0)
    return data


def send(kind, payload):
    sys.stdout.buffer.write(struct.pack("<IB", len(payload) + 1, kind) + payload)
    sys.stdout.buffer.flush()


def vector(table, text):
    total = np.zeros(table.dimensions, np.float32)
    total[0] = 1e-3  # a text without a word of the table has a direction too
    for word in WORD.findall(text.lower()):
        row = table.row(word.encode())
        if row is not None:
            factor, codes = row
            total += factor * codes
    return (total / np.sqrt(np.dot(total.astype(np.float64), total))).astype("<f4").tobytes()


def main():
    data = TABLE.read_bytes()
    table = Table(data)
    dies = os.environ.get("SHEAF_TEST_ENCODER_DIES", "")
    named = Path(os.environ.get("SHEAF_TEST_ENCODER_NAME", "/nowhere"))
    name = named.read_text() if named.exists() else "table-numpy"
    while True:
        length, kind = struct.unpack("<IB", read(5))
        payload = read(length - 1)
        if kind == 1:
            said = {"encoder": name, "hash": hashlib.sha256(data).hexdigest(), "precision": "fp32"}
            space = {"space": "table-numpy-256", "dimensions": table.dimensions, "batchTokens": 8192}
            send(2, json.dumps({"protocol": 1, **said, **space}).encode())
        elif kind == 3:
            batch, count = struct.unpack_from("<II", payload)
            at, rows = 8, []
            time.sleep(float(os.environ.get("SHEAF_TEST_ENCODER_PAUSE", "0")))
            for _ in range(count):
                (size,) = struct.unpack_from("<I", payload, at)
                rows.append(vector(table, payload[at + 4 : at + 4 + size].decode()))
                at += 4 + size
            send(4, struct.pack("<II", batch, count) + b"".join(rows))
            if dies and not os.path.exists(dies):
                Path(dies).touch()
                os._exit(1)


main()
