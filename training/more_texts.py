"""What variants.py adds to the texts of a second fit: mistyped copies, passages held to the start rows, pairs of words.

Each returns other data and leaves the first as it was, so that what is held out stays the same for every variant.
"""
import copy
import gzip
import json
import random
from collections import Counter

import numpy as np
import scipy.sparse

from folding import words
from lexicon import Lexicon, unit
from objectives import SHORT

SENTENCE = 1
SLIPS = "etaoinsrlu"  # letters that replace one
STOP = frozenset("the a an of to in is it be for and or that this with as on by from if not are can you i at use how what do".split())


def extended(data, bags, targets, kind):
    """`data` with further texts to train on."""
    more, first, count = copy.copy(data), len(data.kind), len(targets)
    more.bags = scipy.sparse.vstack([data.bags, bags]).tocsr().astype(np.float32)
    more.targets = np.concatenate([data.targets, targets.astype(np.float32)])
    more.kind = np.concatenate([data.kind, np.full(count, kind)])
    more.pair = np.concatenate([data.pair, np.full(count, -1)])
    more.train = np.concatenate([data.train, np.arange(first, first + count)])
    return more


def mistyped(text, rng):
    """`text` with one slip in a word of five letters or more: two exchanged, one lost, doubled or replaced; None without such a word."""
    found = text.split()
    long = [i for i, word in enumerate(found) if len(word) >= 5 and word.isalpha()]
    if not long:
        return None
    i = rng.choice(long)
    word, at = found[i], rng.randrange(1, len(found[i]) - 1)
    before, letter, after = word[:at], word[at], word[at + 1 :]
    found[i] = (before + after[0] + letter + after[1:], before + after, before + letter * 2 + after,
                before + rng.choice(SLIPS) + after)[rng.randrange(4)]
    return " ".join(found)


def with_mistyped(data, share, seed=5):
    """A mistyped copy of that share of the short texts, with the vector of the right one."""
    rng, pick, texts = random.Random(seed), [], []
    for i in data.train[data.kind[data.train] == SHORT]:
        if rng.random() < share and (text := mistyped(data.texts[i], rng)):
            pick.append(i)
            texts.append(text)
    return extended(data, Lexicon(data.entries).bags(texts), data.targets[pick], SHORT)


def with_held(data, start, work, count, seed=9):
    """`count` passages of the corpus whose targets are the start rows' own vectors: they hold what was, and need no teacher."""
    known = set(data.texts)
    with gzip.open(work / "clean.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = [f"{r['title']} > {r['heading']}\n{r['text']}" for r in random.Random(seed).sample(rows, min(count, len(rows)))]
    bags = Lexicon(data.entries).bags([text for text in texts if text not in known])
    # As sentences, not passages: their targets are no teacher's, so nothing is ranked against them.
    return extended(data, bags, unit(np.asarray(bags @ start)), SENTENCE)


def pairs_of(text):
    found = words(text)
    return [f"{a} {b}" for a, b in zip(found, found[1:])]


def frequent_pairs(data, count, least=5):
    """The pairs of words that most training texts have, without function words and single letters."""
    seen = Counter()
    for i in data.train:
        seen.update(set(pairs_of(data.texts[i][:1500])))
    return [pair for pair, n in seen.most_common() if n >= least and not any(w in STOP or len(w) < 2 for w in pair.split())][:count]


def bags_with_pairs(bags, texts, pairs):
    """Bags with a further column for each of `pairs`."""
    column = {pair: i for i, pair in enumerate(pairs)}
    found = [(row, column[pair]) for row, text in enumerate(texts) for pair in pairs_of(text) if pair in column]
    row, at = np.array(found, int).reshape(-1, 2).T
    more = scipy.sparse.csr_matrix((np.ones(len(row), np.float32), (row, at)), shape=(len(texts), len(pairs)))
    return scipy.sparse.hstack([bags, more]).tocsr().astype(np.float32)


def with_pairs(data, start, count):
    """Data whose bags count pairs of words too; start rows with zeros for them; the pairs."""
    pairs = frequent_pairs(data, count)
    more = copy.copy(data)
    more.bags = bags_with_pairs(data.bags, data.texts, pairs)
    return more, np.concatenate([start, np.zeros((len(pairs), start.shape[1]), np.float32)]), pairs
