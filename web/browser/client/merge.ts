/**
 * One list out of the answers of several bundles.
 *
 * Scores are relative to a bundle, so those of several become comparable by the core's arithmetic (`federation.ts`): it says
 * what score the best hit of each bundle has among all, and its list follows below, in its own order.
 *
 * Invariants
 *  1. Hits of one bundle keep the order that the bundle gave them.
 *  2. A single answer is returned unchanged, and loads nothing.
 *  3. Scores are 0..1 and never increase down the list, unless it is sorted by a key.
 */
import { findCommonScale, type CommonScale } from './federation.js';
import type { Facet, Hit, SearchAnswer, SearchOptions } from './types.js';

export interface BundleAnswer {
  /** Number of the bundle among all. */
  bundle: number;
  pages: number;
  /** Vector space; only cosines of one space are compared. */
  space: string;
  /** Asked with `explain`. */
  answer: SearchAnswer;
}

export interface MergedHit extends Hit {
  bundle: number;
}

export interface MergedAnswer extends SearchAnswer {
  hits: MergedHit[];
}

/** REQUIRES: answers to the same query. Errors: WASM. */
export async function mergeAnswers(answers: readonly BundleAnswer[], topK: number): Promise<MergedAnswer> {
  const scale = answers.length > 1 ? await findCommonScale(answers) : undefined;
  return { ...summary(answers, scale), hits: placed(answers, scale).slice(0, topK) };
}

/**
 * Merges answers that were sorted by a key. A bundle knows the order of its pages by the key but not the values, so
 * these come from the hits' meta of that name; hits without one come last. Each bundle keeps its order. undefined: the
 * values are not available. Errors: WASM.
 */
export async function mergeSorted(
  answers: readonly BundleAnswer[],
  { key, descending = false }: NonNullable<SearchOptions['sort']>,
  topK: number,
): Promise<MergedAnswer | undefined> {
  const valueIn = (hit: Hit | undefined): string | undefined => hit?.meta?.[key];
  const lists = answers
    .map(({ bundle, answer }) => answer.hits.map((hit): MergedHit => ({ ...hit, bundle })))
    .filter((list) => list.length > 0);
  // Pages without a value are last in each list, so a hit without one before a hit with one lacks the meta.
  const unstated = lists.some((list) =>
    list.some((hit, i) => valueIn(hit) === undefined && valueIn(list[i + 1]) !== undefined),
  );
  const values = lists.flat().flatMap((hit) => valueIn(hit) ?? []);
  if (unstated || (lists.length > 1 && values.length === 0)) return undefined;
  const asNumbers = values.every((value) => value.trim() !== '' && Number.isFinite(Number(value)));
  const precedes = (a: string | undefined, b: string | undefined): boolean => {
    if (a === undefined || b === undefined) return a !== undefined;
    const [low, high] = descending ? [b, a] : [a, b];
    return asNumbers ? Number(low) < Number(high) : low < high;
  };
  const hits: MergedHit[] = [];
  while (hits.length < topK) {
    const next = lists.reduce<MergedHit[] | undefined>(
      (best, list) =>
        list.length > 0 && (best === undefined || precedes(valueIn(list[0]), valueIn(best[0]))) ? list : best,
      undefined,
    );
    if (next === undefined) break;
    hits.push(next.shift() as MergedHit);
  }
  return { ...(await mergeAnswers(answers, 0)), hits };
}

/** Every hit with its bundle, best first. */
function placed(answers: readonly BundleAnswer[], scale: CommonScale | undefined): MergedHit[] {
  const hits = answers.flatMap(({ bundle, answer }, i) => {
    const own = answer.hits[0]?.score ?? 0;
    const factor = scale === undefined ? 1 : own > 0 ? (scale.best[i] as number) / own : 0;
    return answer.hits.map((hit): MergedHit => ({ ...hit, bundle, score: Math.min(1, hit.score * factor) }));
  });
  return hits.sort((a, b) => b.score - a.score); // stable: ties stay in bundle order
}

/** Merges everything but the hits. Only words unknown to every bundle get "Did you mean", best bundle first. */
function summary(answers: readonly BundleAnswer[], scale: CommonScale | undefined): Omit<SearchAnswer, 'hits'> {
  const corrections = new Map<string, string>();
  const order = answers.map((_, i) => i);
  if (scale !== undefined) order.sort((a, b) => (scale.best[b] as number) - (scale.best[a] as number));
  for (const { word, term } of order.flatMap((i) => (answers[i] as BundleAnswer).answer.corrections)) {
    if (!scale?.known.has(word) && !corrections.has(word)) corrections.set(word, term);
  }
  const all = answers.map(({ answer }) => answer);
  const facets = sumFacets(all.map((answer) => answer.facets ?? []));
  return {
    corrections: [...corrections].map(([word, term]) => ({ word, term })),
    ...(facets.length === 0 ? {} : { facets }),
    matchingPassages: all.reduce((sum, { matchingPassages }) => sum + matchingPassages, 0),
    ignoredWords: Math.max(0, ...all.map(({ ignoredWords }) => ignoredWords)),
    usedKeyword: all.some(({ usedKeyword }) => usedKeyword),
    usedSemantic: all.some(({ usedSemantic }) => usedSemantic),
    weak: all.some(({ weak }) => weak) && all.every(({ hits, weak }) => weak || hits.length === 0),
  };
}

/** Page counts per value over all bundles. */
export function sumFacets(lists: readonly (readonly Facet[])[]): Facet[] {
  const sums = new Map<string, Map<string, number>>();
  for (const { key, values } of lists.flat()) {
    const sum = sums.get(key) ?? new Map<string, number>();
    sums.set(key, sum);
    for (const { value, pages } of values) sum.set(value, (sum.get(value) ?? 0) + pages);
  }
  const ascending = <T>(entries: Map<string, T>): [string, T][] => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return ascending(sums).map(([key, values]) => ({
    key,
    values: ascending(values).map(([value, pages]) => ({ value, pages })),
  }));
}
