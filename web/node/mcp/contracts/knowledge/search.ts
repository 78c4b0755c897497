/** knowledge.search: arguments, search, text. */
import { harmless, oneLine } from '../../../base/terminal.js';
import { escapeLines, visible } from '../../quote.js';
import { BAD_BUNDLE_CODES, SheafError, throwIfAborted } from '../../../../browser/client/errors.js';
import type { Hit } from '../../../../browser/client/types.js';
import type { StoredBundle } from '../../../store/store.js';
import { z } from '../zod3.mjs';
import { pageUri } from '../../page_uri.js';
import type { Environment, ToolCall, ToolReply } from '../../tool.js';
import type { Catalog } from './catalog.js';
import { documentNumber } from './dataset_bundle.js';
import { shortened, type DocumentFacts } from './documents.js';
import { DEFAULT_TOP_K, MAX_TOP_K, type Dataset } from './manifest.js';

const PARAMETERS = z.object({
  dataset: z.string().min(1).max(64),
  query: z.string().trim().min(1).max(1024),
  topK: z.number().int().min(1).max(MAX_TOP_K).optional(),
});

type Code = 'DATASET_NOT_FOUND' | 'INVALID_QUERY' | 'INVALID_TOP_K' | 'SERVICE_UNAVAILABLE';

const CODE_OF_PARAMETER: Record<string, Code> = {
  dataset: 'DATASET_NOT_FOUND',
  query: 'INVALID_QUERY',
  topK: 'INVALID_TOP_K',
};

interface Result {
  id: string;
  title: string;
  path: string;
  snippet: string;
  score: number;
}

type Link = { uri: string; name: string };

interface Answer {
  results: Result[];
  links?: Link[];
}

export async function search(environment: Environment, catalog: Catalog, call: ToolCall): Promise<ToolReply> {
  const started = performance.now();
  const parsed = PARAMETERS.safeParse(call.args);
  if (!parsed.success) return invalid(parsed.error.issues[0] as z.ZodIssue);
  const { dataset, query, topK } = parsed.data;
  try {
    const { found } = await catalog.read();
    const one = found.get(dataset);
    if (one === undefined)
      return failed(
        'DATASET_NOT_FOUND',
        `Dataset '${dataset}' not found. Available datasets: ${[...found.keys()].join(', ')}`,
      );
    const answer =
      one.kind === 'bundle'
        ? await searchBundle(environment, one.bundle, query, topK ?? DEFAULT_TOP_K, call.signal)
        : await searchFolder(environment, catalog, one.dataset, query, topK ?? one.dataset.defaultTopK, call.signal);
    return reply(dataset, query, answer, Math.round(performance.now() - started));
  } catch (error) {
    throwIfAborted(call.signal);
    environment.log('error', `knowledge.search: ${(error as Error).message}`);
    return failed(
      'SERVICE_UNAVAILABLE',
      `Search failed: Search failed for dataset ${dataset}: ${(error as Error).message}`,
    );
  }
}

async function searchBundle(
  { pool }: Environment,
  bundle: StoredBundle,
  query: string,
  topK: number,
  signal: AbortSignal,
): Promise<Answer> {
  const hits = await hitsOf(pool, bundle, query, topK, signal);
  const { library, version } = bundle;
  return {
    results: hits.map((hit) => ({
      id: String(hit.page),
      title: oneLine(hit.title) || oneLine(hit.url),
      path: oneLine(hit.anchor === '' ? hit.url : `${hit.url}#${hit.anchor}`),
      snippet: shortened(harmless(hit.snippet)),
      score: hit.score,
    })),
    links: hits.map(({ source, title }) => ({
      uri: pageUri({ library, version, page: source }),
      name: oneLine(title) || source,
    })),
  };
}

async function searchFolder(
  { pool }: Environment,
  catalog: Catalog,
  dataset: Dataset,
  query: string,
  topK: number,
  signal: AbortSignal,
): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const { documents, bundle } = await catalog.documents.prepare(dataset, signal);
    if (documents.length === 0) throw new Error('FAISS index contains no vectors'); // the contract's words for an empty dataset
    if (bundle === undefined) return { results: [] };
    try {
      const hits = await hitsOf(pool, bundle, query, topK, signal);
      return { results: hits.map((hit) => ofDocument(hit, documents)).filter((result) => result !== undefined) };
    } catch (error) {
      // The cache may have been emptied, or be damaged: packed again once.
      const lost = error instanceof SheafError && (error.code === 'FILE' || BAD_BUNDLE_CODES.has(error.code));
      if (!lost || attempt > 0) throw error;
      await catalog.documents.discard(dataset, bundle);
    }
  }
}

async function hitsOf(
  pool: Environment['pool'],
  bundle: StoredBundle,
  query: string,
  topK: number,
  signal: AbortSignal,
): Promise<Hit[]> {
  const { hits } = await pool.use(bundle, (library) => library.search(query, { topK, prefix: false, signal })); // an agent's query is finished
  return hits;
}

function ofDocument(hit: Hit, documents: readonly DocumentFacts[]): Result | undefined {
  const document = documents[documentNumber(hit.source)];
  if (document === undefined) return undefined;
  const { id, title, path, snippet } = document;
  return { id, title: oneLine(title), path: oneLine(path), snippet: harmless(snippet), score: hit.score };
}

// ---- texts --------------------------------------------------------------------------------------

function reply(dataset: string, query: string, { results, links }: Answer, ms: number): ToolReply {
  const structured = { results, metadata: { dataset, query, totalResults: results.length, searchTimeMs: ms } };
  if (results.length === 0)
    return { text: `No results found for query: "${query}" in dataset "${dataset}"`, structured };
  const entries = results.map(
    ({ title, score, path, snippet }, i) =>
      `${i + 1}. ${titled(title)} (score: ${score.toFixed(4)})\n   Path: ${path}\n   Snippet: ${quoted(snippet)}\n`,
  );
  const head = `Found ${results.length} result${results.length === 1 ? '' : 's'} for "${query}" in ${ms}ms:`;
  return { text: `${head}\n\n${entries.join('\n')}`, structured, ...(links === undefined ? {} : { links }) };
}

const OURS = /^(?:\p{Nd}+\s*\.\s.*\(\s*score\s*:|(?:Path|Snippet)\s*:|Found\s+\p{Nd}+\s+result|No\s+results\s+found)/iu;

/** A title, which "(score:" ends. */
const titled = (text: string): string => visible(text).replace(/\((?=\s*score\s*:)/gi, '\\(');

/** A snippet, whose first line follows a word of ours. */
const quoted = (text: string): string => escapeLines(visible(text), 1, (line) => OURS.test(line));

function invalid({ path, message }: z.ZodIssue): ToolReply {
  return failed(
    CODE_OF_PARAMETER[path[0] ?? ''] ?? 'INVALID_QUERY',
    `Invalid search parameters: ${message} at ${path.join('.')}`,
  );
}

function failed(code: Code, message: string): ToolReply {
  const text = harmless(message);
  return { text, structured: { error: { code, message: text } }, isError: true };
}
