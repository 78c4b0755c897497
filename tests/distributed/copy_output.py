"""Copies a catalogue from an address to a folder, as whoever serves it from elsewhere would: copy_output.py ADDRESS FOLDER"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "distributed"))

from sheaf_cluster.output import Output  # noqa: E402

source, target = Output(sys.argv[1]), Path(sys.argv[2])
names = ["catalogue.json", "catalogue.json.minisig", "catalogue.pub"]
names += [f"{folder}/{name}" for folder in ("bundles", "shards") for name in source.sizes(folder)]
for name in names:
    path = target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(source.read(name))
