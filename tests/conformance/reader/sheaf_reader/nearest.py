"""Which passages are nearest to a query's vector (docs/search.md, section 7)."""

import heapq
from dataclasses import dataclass, field

import numpy as np

from .bundle import Bundle, Graph
from .constants import Constants
from .vectors import cosines, inverse_norms, to_codes

F = np.float32


@dataclass
class Nearest:
    """Passages nearest to the query, and what cosine any passage has for who asks."""

    passages: list[int]
    cosine: np.ndarray  # of each passage that a candidate may be
    likely: list[int] = field(default_factory=list)


def largest(values: np.ndarray, among: np.ndarray, wanted: int) -> list[int]:
    """The numbers with the largest values, ties by the lower one."""
    order = np.lexsort((among, -values[among]))
    return among[order[:wanted]].tolist()


def with_all(
    bundle: Bundle, vector: np.ndarray, passing: np.ndarray | None, wanted: int, constants: Constants
) -> Nearest:
    """By a reader that holds all vectors."""
    rows, inverses = bundle.vectors.rows
    codes = to_codes(vector)
    cosine = cosines(codes, inverse_norms(codes.reshape(1, -1))[0], rows, inverses)
    if passing is None and bundle.graph is not None:
        return Nearest(by_graph(bundle.graph, bundle.vectors.stored_rows, cosine, wanted, constants), cosine)
    among = np.arange(len(cosine)) if passing is None else np.flatnonzero(passing)
    return Nearest(largest(cosine, among, wanted), cosine)


def by_graph(graph: Graph, rows: list[bytes], cosine: np.ndarray, wanted: int, constants: Constants) -> list[int]:
    """What the graph says."""
    k = min(wanted, len(rows))
    ef = min(max(wanted, constants.least_ef, k), len(rows))

    def key(node: int) -> tuple[float, int]:
        """The closer, the smaller."""
        return -float(cosine[node]), node

    node = graph.entry
    for level in range(graph.highest, 0, -1):
        moved = True
        while moved:
            closer = min([node, *graph.links(node, level)], key=key)
            moved = closer != node
            node = closer

    candidates, best, seen = [key(node)], [(*map(lambda x: -x, key(node)), node)], {node}
    while candidates:
        closest = heapq.heappop(candidates)
        worst = -best[0][0], -best[0][1]
        if len(best) >= ef and worst < closest:
            break
        links = [link for link in dict.fromkeys(graph.links(closest[1], 0)) if link not in seen]
        seen.update(links)
        for link in links:
            worst = -best[0][0], -best[0][1]
            if (len(best) >= ef and not key(link) < worst) or rows[link] == rows[closest[1]]:
                continue
            heapq.heappush(candidates, key(link))
            heapq.heappush(best, (-key(link)[0], -link, link))
            if len(best) > ef:
                heapq.heappop(best)

    found: set[int] = set()
    before = None
    for _, node in sorted(key(node) for _, _, node in best):
        if len(found) >= k and before is not None and cosine[node] < cosine[before]:
            break
        before = node
        found.add(node)
        for _ in range(k - 1):
            copies = [link for link in graph.links(node, 0) if link > node and rows[link] == rows[node]]
            if not copies:
                break
            node = min(copies)
            found.add(node)
    return sorted(found, key=key)[:k]


def by_range(
    bundle: Bundle,
    vector: np.ndarray,
    passing: np.ndarray | None,
    wanted: int,
    by_words: list[int],
    filtered: bool,
    constants: Constants,
) -> Nearest:
    """By a reader that fetches the partitions that promise most."""
    vectors = bundle.vectors
    near = np.zeros(vectors.partitions, np.float32)
    for d in range(vectors.centroid_dimensions):
        near += vector[d] * vectors.centroid_codes[:, d].astype(np.float32)
    near *= vectors.factors.astype(np.float32) * (vectors.largest_factor / F(255))
    promise = near + F(constants.spread_share) * (vectors.spreads.astype(np.float32) / F(255))

    most_bytes, most_runs = constants.probe_bytes, constants.probe_runs
    if filtered:
        most_bytes, most_runs = 2 * most_bytes, 2 * most_runs
    taken: set[int] = set()

    def runs(partitions: set[int]) -> int:
        return sum(number - 1 not in partitions for number in partitions)

    def take(partitions: list[int], most_bytes: int, most_runs: int) -> None:
        for number in partitions:
            if number in taken:
                continue
            if len(taken) >= 2:
                if sum(vectors.piece_lengths[i] for i in taken | {number}) > most_bytes:
                    return
                if runs(taken | {number}) > most_runs:
                    continue
            taken.add(number)

    take(
        [int(vectors.partition_of[passage]) for passage in by_words[: constants.probe_likely]],
        most_bytes // 2,
        most_runs // 2,
    )
    take(largest(promise, np.arange(vectors.partitions), vectors.partitions), most_bytes, most_runs)

    codes = to_codes(vector)
    inverse = inverse_norms(codes.reshape(1, -1))[0]
    cosine = near[vectors.partition_of]
    read = np.zeros(len(cosine), bool)
    members, _, rows = vectors.read(sorted(taken))
    cosine[members] = cosines(codes, inverse, rows, inverse_norms(rows))
    read[members] = True
    among = np.flatnonzero(read if passing is None else read & passing)
    return Nearest(largest(cosine, among, wanted), cosine)
