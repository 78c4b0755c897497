/** `sheaf eval`: runs judged queries and measures relevance and latency. */
import { readFile } from 'node:fs/promises';
import type { SearchOptions } from '../browser/client/types.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { print, printJson, status, oneLine, table } from '../node/base/terminal.js';
import { parseJudgments } from '../node/eval/judgments.js';
import { ask, DEPTH, makeReport, perQuery, resolvePages, type Report } from '../node/eval/measure.js';
import type { Ranking, Scores } from '../node/eval/metrics.js';
import { ENCODER_FLAG_HELP, openChosen, parseFlags, parseMode, parseShare } from './flags.js';

export const help = `Usage: sheaf eval --bundle FILE --queries Q.jsonl [--mode MODE] [--json]

Measures hit@1, found@5, MRR@10 and nDCG@10 at page level, per kind of query and overall, and the
latency of one search. A line of Q.jsonl: {"id", "query", "kind", "relevant": [path or URL, …]}

  -b, --bundle FILE     the bundle; or -l, --library and -v, --version for one of the store
  -q, --queries FILE    judged queries
  -m, --mode MODE       keyword, semantic or hybrid (default)
      --weight W        share of meaning, 0..1; by default chosen per query
      --rrf             reciprocal rank fusion instead of combined scores
${ENCODER_FLAG_HELP}
      --json            {overall: {n, hit1, found5, mrr10, ndcg10}, kinds: {…},
                         latency_ms: {p50, p95}, queries: [one a query, with its ranked pages]}`;

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
    },
  });
  if (values.queries === undefined)
    throw usageError('Name a file of judged queries with --queries. See: sheaf eval --help');
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
