"""The constants of docs/search.md ("Numbers")."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Constants:
    """A conformance case may have others."""

    stem_weight: float = 0.7
    kin_weight: float = 0.3
    wording_weight: float = 0.15
    wording_share: float = 0.3
    wording_idf: float = 2.5
    part_weight: float = 0.5
    part_alone_weight: float = 1.0
    prefix_weight: float = 0.25
    prefix_alone_weight: float = 0.8
    coverage: float = 0.8
    min_prefix: int = 2
    max_completions: int = 64
    completion_leaves: int = 2
    spelled_completions: int = 8
    semantic_weight: float = 0.5
    other_language_weight: float = 0.3
    well_answered: float = 0.3
    few_passages: float = 32
    candidates: int = 200
    probe_bytes: int = 36864
    probe_runs: int = 6
    probe_likely: int = 16
    weak_margin: float = 0.35
    rrf_k: float = 60
    name_bonus: float = 1.0
    last_part_name: float = 0.8
    inside_name: float = 0.75
    path_name: float = 0.85
    long_name: float = 0.7
    bare_name: float = 0.9
    page_bonus: float = 0.2
    title_bonus: float = 0.2
    phrase_bonus: float = 0.15
    line_bonus: float = 0.35
    most_hits: int = 1000
    most_query: int = 1 << 20
    least_phrase: int = 2
    line: int = 4
    phrase_within: int = 3
    spread_share: float = 0.25
    least_ef: int = 96
