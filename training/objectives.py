"""What variants.py minimises beside 1 - cosine: the teacher's ranking of mined passages; weights; 4- and 2-bit codes.

The ranking loss of a short text with unit vectors y (student) and t (teacher), mined passages c_k and temperature T:

    KL(goal || scores),  scores = softmax_k(y . c_k / T),  goal = softmax_k(t . p_k / T)

p_k is the teacher's vector of passage k. c_k is the same ("teacher's side": documents embedded by the transformer), or the
student's vector at the beginning of the epoch ("student's side": documents embedded by the table). `own` gives that share
of the goal to the passage that the text was made of. A weight is multiplied by T, so that 1 is about as heavy as the cosine.

Mining costs one product of short texts and passages, 2,048 texts at a time; a batch's ranking loss one of batch x mined.
"""
from dataclasses import dataclass

import numpy as np

from fit import Cosine, loss_gradient
from lexicon import unit
from table_io import grid_of, on_grid

PASSAGE, SHORT = 0, 2
SHUT = -1e9  # a score that no softmax sees


class Passages:
    """Every passage of the texts, held out or not, as what a short text may find."""

    def __init__(self, data):
        usable = np.diff(data.bags.indptr) > 0
        self.at = np.flatnonzero((data.kind == PASSAGE) & usable)
        place = np.full(len(data.kind), -1)
        place[self.at] = np.arange(len(self.at))
        self.own = np.where(data.pair >= 0, place[data.pair], -1)  # place of the passage that a text was made of, or -1
        self.bags, self.teacher = data.bags[self.at], data.targets[self.at]

    def student(self, rows):
        return unit(np.asarray(self.bags @ rows, np.float32))


def nearest(queries, passages, count):
    """Places of each query's `count` nearest passages, in no order."""
    count = min(count, len(passages))
    parts = [np.argpartition(-(queries[i : i + 2048] @ passages.T), count - 1, 1)[:, :count] for i in range(0, len(queries), 2048)]
    return np.concatenate(parts).astype(np.int32)


def mine(data, passages, start, count):
    """Of each short text in training the `count` nearest passages by teacher and by student: texts x 2 count; other texts: -1."""
    pick = data.train[data.kind[data.train] == SHORT]
    by_teacher = nearest(data.targets[pick], passages.teacher, count)
    by_student = nearest(unit(np.asarray(data.bags[pick] @ start, np.float32)), passages.teacher, count)
    found = np.full((len(data.kind), 2 * by_teacher.shape[1]), -1, np.int32)
    found[pick] = np.concatenate([by_teacher, by_student], 1)
    return found


def copies(candidates, own, most):
    """True where a mined passage is a query's own, or so near to it (cosine above `most`) that it would be a false negative."""
    return np.einsum("bkd,bd->bk", candidates, own) > most


def softmax(scores):
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def divergence_gradient(student, goal, candidates, temperature, shut=0.0):
    """Mean KL(goal || scores) and its gradient by the unnormalised student vectors."""
    norm = np.linalg.norm(student, axis=1, keepdims=True) + 1e-9
    y = student / norm
    scores = softmax(np.einsum("bd,bkd->bk", y, candidates) / temperature + shut)
    divergence = (goal * np.log((goal + 1e-9) / (scores + 1e-9))).sum(1).mean()
    by_y = np.einsum("bk,bkd->bd", scores - goal, candidates) / temperature
    return float(divergence), (by_y - y * (by_y * y).sum(1, keepdims=True)) / (norm * len(student))


@dataclass(frozen=True)
class Ranking:
    teacher_side: float = 0.0
    student_side: float = 0.0
    mined: int = 24  # passages by teacher, and as many by student
    own: float = 0.0
    copy: float = 0.9999  # a mined passage nearer than this to the own one is left out, where there is an own one
    temperature: float = 0.05


class Objective(Cosine):
    """The cosine, passages weighted, with a ranking loss and a straight-through pass through codes where they are asked for."""

    def __init__(self, data, start, *, passage_weight=1.0, ranking=None, bits=0, coded_epochs=0):
        super().__init__(data)
        self.passage_weight, self.ranking = passage_weight, ranking
        self.bits, self.coded_epochs, self.grid, self.students = bits, coded_epochs, None, None
        if ranking:
            self.passages = Passages(data)
            self.mined = mine(data, self.passages, start, ranking.mined)

    def begin(self, rows, left):
        self.grid = grid_of(rows, self.bits) if left <= self.coded_epochs else None
        if self.ranking and self.ranking.student_side:
            self.students = self.passages.student(rows)

    def forward(self, rows, columns):
        if self.grid is None:
            return rows[columns]
        cut, step = self.grid
        return on_grid(rows[columns], cut[columns], step[columns], self.bits).astype(np.float32)

    def gradient(self, student, pick):
        cosine, gradient = loss_gradient(student, self.data.targets[pick])
        gradient[self.data.kind[pick] == PASSAGE] *= self.passage_weight
        if self.ranking:
            self.add_ranking(student, pick, gradient)
        return cosine, gradient

    def goal(self, pick):
        """Places of the candidates, each one's share of the goal, and SHUT where one is left out. What both mine counts twice."""
        r, places = self.ranking, self.mined[pick]
        if r.own:
            places = np.concatenate([self.passages.own[pick][:, None], places], 1)
        candidates = self.passages.teacher[places]
        shut = np.zeros(places.shape, np.float32)
        if r.own:
            shut[:, 1:][copies(candidates[:, 1:], candidates[:, 0], r.copy)] = SHUT
        goal = softmax(np.einsum("bd,bkd->bk", self.data.targets[pick], candidates) / r.temperature + shut)
        if r.own:
            goal *= 1 - r.own
            goal[:, 0] += r.own
        return places, goal, shut

    def add_ranking(self, student, pick, gradient):
        r = self.ranking
        wanted = self.mined[pick, 0] >= 0
        if r.own:
            wanted &= self.passages.own[pick] >= 0
        at = np.flatnonzero(wanted)
        if not len(at):
            return
        places, goal, shut = self.goal(pick[at])
        share = r.temperature * len(at) / len(pick)
        for weight, vectors in ((r.teacher_side, self.passages.teacher), (r.student_side, self.students)):
            if weight:
                gradient[at] += weight * share * divergence_gradient(student[at], goal, vectors[places], r.temperature, shut)[1]


def reciprocal_ranks(data, rows):
    """Held-out short texts whose passage is known: mean reciprocal rank of it among all passages, for the student against the
    teacher's passages, the student against its own, and the teacher; and how many texts."""
    passages = Passages(data)
    pick = data.held[(data.kind[data.held] == SHORT) & (passages.own[data.held] >= 0)]
    own, found = passages.own[pick], []
    student, teacher = unit(np.asarray(data.bags[pick] @ rows, np.float32)), data.targets[pick]
    for queries, documents in ((student, passages.teacher), (student, passages.student(rows)), (teacher, passages.teacher)):
        scores = queries @ documents.T
        ranks = (scores > scores[np.arange(len(own)), own][:, None]).sum(1) + 1
        found.append(round(float((1 / ranks).mean()), 4) if len(ranks) else None)
    return found, len(pick)
