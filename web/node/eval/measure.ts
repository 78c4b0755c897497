/** Runs judged queries over an open library, and measures relevance and latency. */
import { SheafError } from '../../browser/client/errors.js';
import type { Hit, Library, SearchOptions } from '../../browser/client/types.js';
import { CliError, EXIT } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';
import type { JudgedQuery } from './judgments.js';
import { percentile, scoresOf, type Ranking, type Scores } from './metrics.js';

export const DEPTH = 10; // the deepest measure looks at ten pages

export interface Report {
  overall: Scores;
  kinds: Record<string, Scores>;
  latency_ms: { p50: number; p95: number };
}

/** Page numbers of the relevant pages. Lists every name that matches no page. */
export async function resolvePages(
  library: Library,
  queries: readonly JudgedQuery[],
  name: string,
): Promise<Set<number>[]> {
  const pages = new Map<string, number | undefined>();
  for (const path of new Set(queries.flatMap((query) => query.relevant))) {
    pages.set(path, await library.findPage(path).catch(undefinedIfMissing));
  }
  const missing = queries.flatMap((query) =>
    query.relevant
      .filter((path) => pages.get(path) === undefined)
      .map((path) => `${name}:${query.line}: ${oneLine(path)}`),
  );
  if (missing.length > 0) {
    throw new CliError(
      EXIT.NOT_FOUND,
      [
        `${missing.length} judged pages are not in ${library.info.library} ${library.info.version} (by source path or URL):`,
        ...missing,
      ].join('\n  '),
    );
  }
  return queries.map((query) => new Set(query.relevant.map((path) => pages.get(path) as number)));
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof SheafError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}

/** Rankings, and how long a caller waited for each: of a second pass, since the first one warms caches and the JIT compiler. */
export async function ask(
  library: Library,
  queries: readonly JudgedQuery[],
  relevant: readonly Set<number>[],
  options: SearchOptions,
): Promise<{ rankings: Ranking[]; milliseconds: number[] }> {
  for (const { query } of queries) await library.search(query, options);
  const rankings: Ranking[] = [];
  const milliseconds: number[] = [];
  for (const [i, { query }] of queries.entries()) {
    const start = performance.now();
    const answer = await library.search(query, options);
    milliseconds.push(performance.now() - start);
    rankings.push({ ranked: pagesOf(answer.hits), relevant: relevant[i] as Set<number> });
  }
  return { rankings, milliseconds };
}

/**
 * The pages that the hits lead to, each once: a page that defines a name twice has two hits, and a hit also names the
 * pages that have its passage word for word. Pure.
 */
function pagesOf(hits: readonly Hit[]): number[] {
  return [...new Set(hits.flatMap((hit) => [hit.page, ...(hit.alsoIn ?? []).map((copy) => copy.page)]))];
}

/** Pure. Kinds sorted by name. */
export function makeReport(
  queries: readonly JudgedQuery[],
  rankings: readonly Ranking[],
  milliseconds: readonly number[],
): Report {
  const kinds = [...new Set(queries.map((query) => query.kind))].sort();
  return {
    overall: rounded(scoresOf(rankings)),
    kinds: Object.fromEntries(
      kinds.map((kind) => [kind, rounded(scoresOf(rankings.filter((_, i) => queries[i]?.kind === kind)))]),
    ),
    latency_ms: { p50: round(percentile(milliseconds, 0.5), 3), p95: round(percentile(milliseconds, 0.95), 3) },
  };
}

export function perQuery(query: JudgedQuery, ranking: Ranking): object {
  const { n: _, ...scores } = scoresOf([ranking]);
  return {
    id: query.id,
    kind: query.kind,
    query: query.query,
    ...scores,
    ranked: ranking.ranked,
    relevant: [...ranking.relevant],
  };
}

function rounded(scores: Scores): Scores {
  return {
    n: scores.n,
    hit1: round(scores.hit1, 4),
    found5: round(scores.found5, 4),
    mrr10: round(scores.mrr10, 4),
    ndcg10: round(scores.ndcg10, 4),
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
