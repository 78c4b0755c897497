#!/usr/bin/env python3
"""Asks Hugging Face's tokenizer what it makes of every code point; writes properties.json.

    pip install tokenizers==0.23.3
    python3 properties.py

The tokenizer's tables are of several Unicode versions at once (categories of 8.0, decompositions of
12, lower case of its Rust compiler), so no one Unicode version describes it. What it answers is
written down here, and scripts/bert_tables.mjs makes the C++ tables from it.

properties.json, all ranges ascending and inclusive:
  removed      clean_text drops it
  space        becomes a space
  punctuation  a word of its own
  mark         strip_accents drops it; does not end a run of combining marks
  starter      the same, but ends the run (canonical combining class 0)
  combining    [code point, rank]: kept marks; within a run they are sorted by rank, stably
  strip        [code point, result...]: what is left of a decomposable code point, Hangul apart
  lower        [code point, result...]: lower case
"""
import json
import os
import unicodedata

import tokenizers
from tokenizers import normalizers, pre_tokenizers

VERSION = "0.23.3"
HANGUL = range(0xAC00, 0xD7A4)


def bert(**chosen):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **chosen}).normalize_str


clean, strip, lower = bert(clean_text=True), bert(strip_accents=True), bert(lowercase=True)
nfd = normalizers.NFD().normalize_str
pre = pre_tokenizers.BertPreTokenizer().pre_tokenize_str


def ranges(values):
    found = []
    for value in values:
        if found and found[-1][1] == value - 1:
            found[-1][1] = value
        else:
            found.append([value, value])
    return found


def swaps(first, second):
    return nfd(first + second) == second + first


def is_starter(c):
    # U+0334 has the lowest class but 0, U+0345 the highest: a mark changes places with one of them.
    return not swaps(c, "\u0334") and not swaps("\u0345", c)


def main():
    assert tokenizers.__version__ == VERSION, f"tokenizers {VERSION} is wanted, this is {tokenizers.__version__}"
    sets = {name: [] for name in ("removed", "space", "punctuation", "mark", "starter")}
    strips, lowers, kept = [], [], []
    for number in range(0x110000):
        if 0xD800 <= number < 0xE000:
            continue
        c = chr(number)
        cleaned = clean(f"a{c}b")
        if cleaned == "ab":
            sets["removed"].append(number)
            continue
        if cleaned == "a b":
            sets["space"].append(number)
            continue
        assert cleaned == f"a{c}b", hex(number)
        # Nothing that clean_text keeps is white space to the pre-tokenizer.
        words = [word for word, _ in pre(f"a{c}b")]
        if words == ["a", c, "b"]:
            sets["punctuation"].append(number)
        else:
            assert words == [f"a{c}b"], hex(number)
        small = lower(c)
        if small != c:
            lowers.append([number, *map(ord, small)])
        whole, left = nfd(c), strip(c)
        if left == "":
            starter = any(is_starter(part) for part in whole)
            sets["starter" if starter else "mark"].append(number)
        elif left != c:
            # A kept mark never opens a decomposition, and no dropped starter parts two of them.
            assert is_starter(whole[0]), hex(number)
            assert all(is_starter(part) for part in left) or all(part in left for part in whole), hex(number)
            if number not in HANGUL:
                strips.append([number, *map(ord, left)])
        elif not is_starter(c):
            kept.append(c)

    # Ranks: the order in which the kept marks sort, asked of the tokenizer itself.
    classes = []
    for c in sorted(kept, key=lambda c: (unicodedata.combining(c) or 230, c)):
        for same in classes:
            if not swaps(c, same[0]) and not swaps(same[0], c):
                same.append(c)
                break
        else:
            classes.append([c])
    classes.sort(key=lambda same: sum(swaps(same[0], other[0]) for other in classes))
    for rank, same in enumerate(classes):
        for higher in classes[rank + 1:]:
            assert all(swaps(b, a) and not swaps(a, b) for a in same for b in higher)
    combining = sorted([ord(c), rank + 1] for rank, same in enumerate(classes) for c in same)

    folder = os.path.dirname(os.path.abspath(__file__))
    fields = {"tokenizers": VERSION, **{name: ranges(values) for name, values in sets.items()},
              "combining": combining, "strip": strips, "lower": lowers}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in fields.items())
    with open(os.path.join(folder, "properties.json"), "w", encoding="utf-8") as file:
        file.write("{\n" + lines + "\n}\n")
    print({name: len(value) for name, value in fields.items()}, "ranks", len(classes))


if __name__ == "__main__":
    main()
