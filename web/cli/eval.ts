/**
 * `sheaf eval`: runs judged queries and measures relevance and latency.
 *
 * Latency is the time that a caller in this process waits for one search. It is measured in a second
 * pass; the first one warms caches and the JIT compiler.
 */
import { readFile } from 'node:fs/promises';
import { SheafError } from '../browser/client/errors.js';
import type { Library, SearchOptions } from '../browser/client/types.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { ENCODER_FLAG_HELP, openChosen, parseFlags, parseMode, parseShare } from './flags.js';
import { parseJudgments, type JudgedQuery } from './judgments.js';
import { percentile, scoresOf, type Ranking, type Scores } from './metrics.js';
import { oneLine, print, printJson, status, table } from '../node/base/terminal.js';

export const help = `Usage: sheaf eval --bundle FILE --queries Q.jsonl [--mode MODE] [--json]

Measures hit@1, found@5, MRR@10 and nDCG@10 at page level, per kind of query and overall, and the
latency of one search. A line of Q.jsonl: {"id", "query", "kind", "relevant": [path or URL, …]}

  -b, --bundle FILE     the bundle (or -l and -v, for one of the store)
  -q, --queries FILE    judged queries
  -m, --mode MODE       keyword, semantic or hybrid (default)
      --weight W        share of meaning, 0..1; by default chosen per query
      --rrf             reciprocal rank fusion instead of combined scores
${ENCODER_FLAG_HELP}
      --json            {overall: {n, hit1, found5, mrr10, ndcg10}, kinds: {…}, latency_ms: {p50, p95}}
      --per-query       with --json: also "queries", one entry a query with its ranked pages`;

const DEPTH = 10; // the deepest measure looks at ten pages

export interface Report {
  overall: Scores;
  kinds: Record<string, Scores>;
  latency_ms: { p50: number; p95: number };
}

export async function run(args: string[]): Promise<number> {
  const { values } = parseFlags('eval', {
    args,
    options: {
      library: { type: 'string', short: 'l' },
      version: { type: 'string', short: 'v' },
      bundle: { type: 'string', short: 'b' },
      queries: { type: 'string', short: 'q' },
      mode: { type: 'string', short: 'm' },
      weight: { type: 'string' },
      rrf: { type: 'boolean' },
      encoder: { type: 'string' },
      json: { type: 'boolean' },
      'per-query': { type: 'boolean' },
    },
  });
  if (values.queries === undefined)
    throw usageError('Which queries? Name a file with --queries. See: sheaf eval --help');
  if (values['per-query'] && !values.json) throw usageError('--per-query needs --json.');
  const mode = parseMode(values.mode);
  const semanticWeight = parseShare('--weight', values.weight);
  const queries = parseJudgments(await readText(values.queries), values.queries);

  // Keep no query vectors: we measure the first answer to each query.
  await using library = await openChosen(values, mode === 'keyword' ? 'none' : values.encoder, 0);
  if (mode === 'hybrid' && !library.info.semantic) status('No encoder or no vectors: hybrid is keyword here.');
  const relevant = await resolvePages(library, queries, values.queries);
  const options: SearchOptions = {
    topK: DEPTH,
    mode,
    rrf: values.rrf ?? false,
    ...(semanticWeight === undefined ? {} : { semanticWeight }),
  };
  const { rankings, milliseconds } = await ask(library, queries, relevant, options);
  const report = makeReport(queries, rankings, milliseconds);

  if (!values.json) print(renderReport(report));
  else if (!values['per-query']) printJson(report);
  else printJson({ ...report, queries: queries.map((query, i) => perQuery(query, rankings[i] as Ranking)) });
  return EXIT.OK;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliError(
      missing ? EXIT.NOT_FOUND : EXIT.FAILURE,
      `${path} cannot be read: ${missing ? 'there is no such file' : (error as Error).message}.`,
    );
  }
}

/** Page numbers of the relevant pages. Lists every name that matches no page. */
async function resolvePages(library: Library, queries: readonly JudgedQuery[], name: string): Promise<Set<number>[]> {
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

async function ask(
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
    rankings.push({ ranked: answer.hits.map((hit) => hit.page), relevant: relevant[i] as Set<number> });
  }
  return { rankings, milliseconds };
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

export function renderReport(report: Report): string {
  const row = (name: string, s: Scores): string[] => [
    oneLine(name),
    String(s.n),
    ...[s.hit1, s.found5, s.mrr10, s.ndcg10].map((value) => value.toFixed(3)),
  ];
  const rows = [
    ['kind', 'n', 'hit@1', 'found@5', 'MRR@10', 'nDCG@10'],
    ...Object.entries(report.kinds).map(([kind, scores]) => row(kind, scores)),
    row('overall', report.overall),
  ];
  const { p50, p95 } = report.latency_ms;
  return `${table(rows, new Set([1, 2, 3, 4, 5]))}\n\nlatency  p50 ${p50.toFixed(2)} ms  p95 ${p95.toFixed(2)} ms`;
}

function perQuery(query: JudgedQuery, ranking: Ranking): object {
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
