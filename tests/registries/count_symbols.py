"""Prints of each bundle, as JSON lines: its symbols, and those with a signature.

Needs what tests/conformance/reader needs.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "conformance" / "reader"))

from sheaf_reader.bundle import Bundle

for path in sys.argv[1:]:
    symbols = Bundle(pathlib.Path(path).read_bytes()).lexicon.symbols
    every = [one for number in range(len(symbols.separators)) for one in symbols._leaf(number)]
    print(json.dumps({"symbols": len(every), "signed": sum(one.length > 0 for one in every)}))
