/**
 * Retrieval measures at page level, with binary relevance. Pure functions of ranked page numbers and
 * the set of relevant ones.
 *
 *   hit@k    1 when one of the first k pages is relevant
 *   MRR@k    1 / rank of the first relevant page among the first k, else 0
 *   nDCG@k   ndcg.ts
 */
import { ndcgAt } from '../../browser/client/ndcg.js';

export { ndcgAt };

/** REQUIRES: no page twice in `ranked`. */
export function hitAt(k: number, ranked: readonly number[], relevant: ReadonlySet<number>): number {
  return ranked.slice(0, k).some((page) => relevant.has(page)) ? 1 : 0;
}

export function reciprocalRankAt(k: number, ranked: readonly number[], relevant: ReadonlySet<number>): number {
  const index = ranked.slice(0, k).findIndex((page) => relevant.has(page));
  return index < 0 ? 0 : 1 / (index + 1);
}

/** Means over queries, as `sheaf eval` prints them. */
export interface Scores {
  n: number;
  hit1: number;
  found5: number;
  mrr10: number;
  ndcg10: number;
}

export interface Ranking {
  ranked: readonly number[];
  relevant: ReadonlySet<number>;
}

export function scoresOf(rankings: readonly Ranking[]): Scores {
  const mean = (measure: (ranking: Ranking) => number): number =>
    rankings.length === 0 ? 0 : rankings.reduce((sum, ranking) => sum + measure(ranking), 0) / rankings.length;
  return {
    n: rankings.length,
    hit1: mean(({ ranked, relevant }) => hitAt(1, ranked, relevant)),
    found5: mean(({ ranked, relevant }) => hitAt(5, ranked, relevant)),
    mrr10: mean(({ ranked, relevant }) => reciprocalRankAt(10, ranked, relevant)),
    ndcg10: mean(({ ranked, relevant }) => ndcgAt(10, ranked, relevant)),
  };
}

/** Nearest-rank percentile: the smallest value that at least `share` of all values do not exceed; 0 for no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
