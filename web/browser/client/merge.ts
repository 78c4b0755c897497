/**
 * One list out of the answers of several bundles. Pure functions of explained answers.
 *
 * The problem: scores are relative to a bundle. Its best passage has the keyword score 1, however weak the match,
 * and a word is rare or common by the pages of that bundle alone: `array` is everywhere in Octave's
 * manual and rare in fish's, so a passing mention in fish's would rank higher.
 *
 * Idea: each hit carries the components of its score (`Hit.explanation`), enough to rescore as if all bundles were
 * one. A word's idf comes from the number of pages with it across all bundles, and coverage from the idfs; cosines of
 * one vector space are comparable as they are. A bundle's best hit under these scores places the bundle's whole list.
 * The rest follows below it in its own order, which was tuned for its own texts. The semantic weight in all bundles is
 * that of the bundle with the best keyword match: a single index of everything would choose the same weight.
 *
 * Invariants
 *  1. Hits of one bundle keep the order that the bundle gave them.
 *  2. A single answer is returned unchanged.
 *  3. Scores are 0..1 and never increase down the list, unless it is sorted by a key.
 *
 * Known limit: a bundle's page count for a word comes from its hits, so a word missing from its best hits counts as
 * absent there. Measured against one index of everything: docs/decisions/0007-federation.md.
 */
import type { Explanation, Facet, Hit, SearchAnswer, SearchOptions } from './types.js';

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

/** As `Ranking::coverage` in src/search/ranking.h. */
const COVERAGE = 0.8;

interface Weighed {
  keyword: number;
  coverage: number;
  explanation: Explanation;
}

export function mergeAnswers(answers: readonly BundleAnswer[], topK: number): MergedAnswer {
  const rarities = answers.map(({ answer }) => raritiesIn(answer));
  const words = wordStatistics(answers, rarities);
  const weighed = answers.map(({ answer }, i) =>
    answer.hits.flatMap(({ explanation }) =>
      explanation === undefined ? [] : weigh(explanation, words, rarities[i] as ReadonlyMap<string, number>),
    ),
  );
  const bestKeyword = Math.max(0, ...weighed.flat().map(({ keyword }) => keyword));
  const bestCosine = new Map<string, number>();
  weighed.forEach((list, i) => {
    const { space } = answers[i] as BundleAnswer;
    bestCosine.set(space, Math.max(bestCosine.get(space) ?? 0, ...list.map(({ explanation }) => explanation.cosine)));
  });
  const shares = weighed
    .flat()
    .map(({ explanation }) => explanation.semanticWeight)
    .filter((share) => share > 0);
  const share = Math.min(1, ...shares);
  const anchors = weighed.map((list, i) => {
    const cosine = bestCosine.get((answers[i] as BundleAnswer).space) as number;
    return Math.max(0, ...list.map((hit) => fused(hit, share, bestKeyword, cosine)));
  });
  const confidence = Math.max(0, ...weighed.flat().map(confidenceOf));
  return { ...summary(answers, anchors, words), hits: placed(answers, anchors, confidence).slice(0, topK) };
}

/**
 * Merges answers that were sorted by a key. A bundle knows the order of its pages by the key but not the values, so
 * these come from the hits' meta of that name; hits without one come last. Each bundle keeps its order. undefined: the
 * values are not available. Pure.
 */
export function mergeSorted(
  answers: readonly BundleAnswer[],
  { key, descending = false }: NonNullable<SearchOptions['sort']>,
  topK: number,
): MergedAnswer | undefined {
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
  return { ...mergeAnswers(answers, 0), hits };
}

interface Word {
  idf: number;
  /** Occurs somewhere as typed, or in another form; corrections of it are then unnecessary guesses. */
  known: boolean;
  counts: boolean;
}

/** The idf of each word in one bundle: of one that was cut in two, that of its rarer half. */
function raritiesIn({ hits }: SearchAnswer): Map<string, number> {
  const rarities = new Map<string, number>();
  for (const { word, idf } of hits.flatMap(({ explanation }) => explanation?.terms ?? [])) {
    rarities.set(word, Math.max(idf, rarities.get(word) ?? 0));
  }
  return rarities;
}

/**
 * idf over all bundles as one collection. The inverse of `Idf` in src/lexical/bm25.h gives each bundle's number of
 * pages with the word.
 */
function wordStatistics(
  answers: readonly BundleAnswer[],
  rarities: readonly ReadonlyMap<string, number>[],
): Map<string, Word> {
  const total = answers.reduce((sum, { pages }) => sum + pages, 0);
  const words = new Map<string, Word>();
  const holding = new Map<string, number>();
  for (const [i, { pages, answer }] of answers.entries()) {
    for (const match of answer.hits.flatMap(({ explanation }) => explanation?.terms ?? [])) {
      const word = words.get(match.word) ?? { idf: 0, known: false, counts: match.kind !== 'joined' };
      word.known ||= match.kind !== 'typo';
      words.set(match.word, word);
    }
    for (const [word, idf] of rarities[i] ?? []) {
      const withWord = Math.min(pages, Math.max(0, (pages + 1) / Math.exp(idf) - 0.5));
      holding.set(word, (holding.get(word) ?? 0) + withWord);
    }
  }
  for (const [name, word] of words) word.idf = Math.log((total + 1) / ((holding.get(name) ?? 0) + 0.5));
  return words;
}

/** A hit's keyword score and coverage under the combined statistics. */
function weigh(
  explanation: Explanation,
  words: ReadonlyMap<string, Word>,
  rarities: ReadonlyMap<string, number>,
): Weighed {
  let score = 0;
  const found = new Set<string>();
  for (const match of explanation.terms) {
    const word = words.get(match.word);
    const idf = rarities.get(match.word) ?? 0;
    if (word === undefined || !(idf > 0) || (match.kind === 'typo' && word.known)) continue;
    score += (match.score * word.idf) / idf;
    if (word.counts) found.add(match.word);
  }
  const idf = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + (words.get(name)?.idf ?? 0), 0);
  const all = idf([...words].filter(([, { counts }]) => counts).map(([name]) => name));
  const coverage = all > 0 ? Math.min(1, idf(found) / all) : 0;
  return { keyword: score * (1 - COVERAGE + COVERAGE * coverage), coverage, explanation };
}

/** As FuseConvex of src/search/fusion.cc, over the hits of all bundles. */
function fused({ keyword, explanation }: Weighed, share: number, bestKeyword: number, bestCosine: number): number {
  const { semanticWeight, cosine, pageBonus } = explanation;
  const own = (1 - semanticWeight) * explanation.keyword + semanticWeight * explanation.semantic;
  const weight = semanticWeight > 0 ? share : 0;
  const words = bestKeyword > 0 ? keyword / bestKeyword : 0;
  const meaning = bestCosine > 0 ? Math.max(0, cosine / bestCosine) : 0;
  return ((1 - weight) * words + weight * meaning) * (own > 0 ? 1 + pageBonus / own : 1);
}

/** How good a hit is in itself, 0..1. */
function confidenceOf({ coverage, explanation }: Weighed): number {
  const { semanticWeight: weight, cosine } = explanation;
  return Math.min(1, Math.max(0, (1 - weight) * coverage + weight * cosine));
}

/** Every hit with its bundle, best first. */
function placed(answers: readonly BundleAnswer[], anchors: readonly number[], confidence: number): MergedHit[] {
  const alone = answers.length === 1;
  const highest = Math.max(0, ...anchors);
  const hits = answers.flatMap(({ bundle, answer }, i) => {
    const own = answer.hits[0]?.score ?? 0;
    const scale = alone ? 1 : highest > 0 && own > 0 ? ((anchors[i] as number) / highest / own) * confidence : 0;
    return answer.hits.map((hit): MergedHit => ({ ...hit, bundle, score: Math.min(1, hit.score * scale) }));
  });
  return hits.sort((a, b) => b.score - a.score); // stable: ties stay in bundle order
}

/** Merges everything but the hits. Only words unknown to every bundle get "Did you mean", best bundle first. */
function summary(
  answers: readonly BundleAnswer[],
  anchors: readonly number[],
  words: ReadonlyMap<string, Word>,
): Omit<SearchAnswer, 'hits'> {
  const corrections = new Map<string, string>();
  const order = answers.map((_, i) => i).sort((a, b) => (anchors[b] as number) - (anchors[a] as number));
  for (const { word, term } of order.flatMap((i) => (answers[i] as BundleAnswer).answer.corrections)) {
    if (answers.length > 1 && words.get(word)?.known === true) continue;
    if (!corrections.has(word)) corrections.set(word, term);
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
