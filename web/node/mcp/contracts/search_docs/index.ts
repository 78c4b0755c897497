/**
 * `search_docs` and the tools around it: a project's own .md and .txt files.
 *
 * Replies are one JSON text, as the contract demands, and the same as structured content. Failures are
 * JSON-RPC errors with a code in their data.
 *
 * Results are the best passages; a file may contribute several. Adjacent passages are joined and keep the
 * better score, so there may be fewer than `top_k`.
 */
import { BAD_BUNDLE_CODES, SheafError, throwIfAborted } from '../../../../browser/client/errors.js';
import { CliError, EXIT } from '../../../base/exit.js';
import type { Hit, Library, Passage } from '../../../../browser/client/types.js';
import { joined } from '../issues.js';
import { z } from '../zod3.mjs';
import {
  ProtocolFailure,
  RPC,
  type Environment,
  type JsonObject,
  type Tool,
  type ToolCall,
  type ToolReply,
  type ToolSet,
} from '../../tool.js';
import { ProjectIndex, type Current, type IndexOptions } from './project_index.js';
import { indexFolder, projectRoot } from './project.js';
import * as schema from './schemas.js';
import type { IndexState } from './state.js';

const PARAMETERS = z.object({
  query: z.string().min(1).max(schema.MAX_QUERY, `Query too long. Maximum length is ${schema.MAX_QUERY} characters.`),
  top_k: z.number().int().min(1).max(schema.MAX_TOP_K).default(schema.DEFAULT_TOP_K),
  compact: z.boolean().default(false),
});

export function createSearchDocs(environment: Environment, options: IndexOptions = {}): ToolSet {
  const root = projectRoot(environment.cwd);
  const index = new ProjectIndex(environment, root, indexFolder(root, environment.env), options);
  const guard = (work: (call: ToolCall) => Promise<ToolReply>) => (call: ToolCall) => guarded(environment, call, work);
  const tools: Tool[] = [
    { ...schema.searchDocs, call: guard((call) => search(environment, index, call)) },
    { ...schema.createIndex(root), call: guard((call) => create(environment, index, call)) },
    { ...schema.getIndexStatus, call: guard(() => status(index)) },
    { ...schema.deleteIndex(root), call: guard((call) => remove(index, call)) },
  ];
  const unknownTool = (name: string): never => {
    throw new ProtocolFailure(RPC.METHOD_NOT_FOUND, `Unknown tool: ${name}`);
  };
  return {
    name: 'search_docs',
    instructions: schema.INSTRUCTIONS,
    tools,
    isBeyondLibraries: true, // the project
    unknownTool,
    close: () => index.close(),
  };
}

// ---- search_docs --------------------------------------------------------------------------------

interface Result {
  path: string;
  text: string;
  score: number;
  startLine: number;
  endLine: number;
}

interface Answer {
  results: Result[];
  warning?: string;
}

async function search(environment: Environment, index: ProjectIndex, call: ToolCall): Promise<ToolReply> {
  const started = performance.now();
  const parsed = PARAMETERS.safeParse(call.args);
  if (!parsed.success) throw new ProtocolFailure(RPC.INVALID_PARAMS, `Invalid parameters: ${joined(parsed.error)}`);
  const { query, top_k: topK, compact } = parsed.data;
  const { results, warning } = await answer(environment, index, query, topK, call.signal);
  const reply = {
    results,
    totalResults: results.length,
    searchTimeMs: Math.round(performance.now() - started),
    ...(warning === undefined ? {} : { warning }),
  };
  return json(compact ? compacted(reply) : reply);
}

/** Twice at most: the index may be replaced, or found damaged, between looking it up and reading it. */
async function answer(
  environment: Environment,
  index: ProjectIndex,
  query: string,
  topK: number,
  signal: AbortSignal,
): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const { state, warning } = await required(index, signal);
    const bundle = index.bundle(state);
    try {
      const results = await environment.pool.use(bundle, (library) => find(library, query, topK, signal));
      return { results, ...(warning === undefined ? {} : { warning }) };
    } catch (error) {
      if (attempt > 0 || signal.aborted || !(error instanceof SheafError)) throw error;
      environment.log('warn', `search_docs: ${error.message}`);
      if (error.code !== 'FILE' && !BAD_BUNDLE_CODES.has(error.code)) throw error;
      if (state.bundle === (await index.load())?.bundle) await index.rebuild(signal);
    }
  }
}

async function required(index: ProjectIndex, signal: AbortSignal): Promise<Current & { state: { bundle: string } }> {
  const current = await index.current(signal);
  if (current === undefined) throw notFound(schema.NO_INDEX, `Docs index not found at path: ${index.folder}`);
  if (current.state.bundle === null) throw notFound(schema.EMPTY_INDEX, `No documentation in ${index.root}`);
  return current as Current & { state: { bundle: string } };
}

async function find(library: Library, query: string, topK: number, signal: AbortSignal): Promise<Result[]> {
  const { hits } = await library.search(query, { topK, by: 'passage', prefix: false, signal }); // an agent's query is finished
  return Promise.all(
    neighbours(hits).map(async (run) => {
      const passages = await Promise.all(run.map(({ passage }) => library.passage(passage, { signal })));
      const [first, last] = [passages[0], passages.at(-1)] as [Passage, Passage];
      return {
        path: (run[0] as Hit).source,
        text: passages.map((passage) => passage.text).join(''),
        score: Math.max(...run.map(({ score }) => score)),
        startLine: first.firstLine,
        endLine: last.lastLine,
      };
    }),
  );
}

/**
 * Hits whose passages follow one another in a file, as runs in the file's order; the runs in the order
 * of their best hits. Passages of a page are numbered on, and tile its text. Pure.
 */
export function neighbours<T extends { page: number; passage: number; score: number }>(hits: readonly T[]): T[][] {
  const rank = new Map(hits.map((hit, i) => [hit, i]));
  const runs: T[][] = [];
  for (const hit of [...hits].sort((a, b) => a.passage - b.passage)) {
    const before = runs.at(-1)?.at(-1);
    if (before !== undefined && before.page === hit.page && before.passage + 1 === hit.passage) runs.at(-1)?.push(hit);
    else runs.push([hit]);
  }
  const best = (run: readonly T[]): number => Math.min(...run.map((hit) => rank.get(hit) as number));
  return runs.sort((a, b) => best(a) - best(b));
}

function compacted({
  results,
  totalResults,
  searchTimeMs,
  warning,
}: Answer & { totalResults: number; searchTimeMs: number }): JsonObject {
  const r = results.map(({ path, text: t, score, startLine, endLine }) => ({
    l: `${path}:${startLine}-${endLine}`,
    t,
    s: Math.round(score * 100) / 100,
  }));
  return { r, n: totalResults, ms: searchTimeMs, ...(warning === undefined ? {} : { w: warning }) };
}

// ---- the index ----------------------------------------------------------------------------------

async function create(environment: Environment, index: ProjectIndex, call: ToolCall): Promise<ToolReply> {
  const started = performance.now();
  try {
    const state = await index.create(call.signal, (percent, line) => {
      environment.log('info', line);
      call.progress(percent, 100, line);
    });
    return json(created(index, state, (performance.now() - started) / 1000));
  } catch (error) {
    const lasted = duration((performance.now() - started) / 1000);
    if (call.signal.aborted)
      return json({
        status: 'cancelled',
        projectPath: index.root,
        filesIndexed: 0,
        chunksCreated: 0,
        duration: lasted,
      });
    const code =
      error instanceof CliError && error.exitCode === EXIT.NO_PACKER ? 'PACKER_NOT_FOUND' : 'INDEXING_FAILED';
    const hint = `For debugging, check logs at: ${index.folder}/logs/search-mcp.log`;
    throw new ProtocolFailure(RPC.INTERNAL_ERROR, `${(error as Error).message}\n\n${hint}`, { code });
  }
}

function created(index: ProjectIndex, state: IndexState, seconds: number): JsonObject {
  const docs =
    state.files.length === 0 ? ['No .md or .txt files were found. Files that .gitignore names are left out.'] : [];
  const warnings = [...docs, ...state.warnings];
  return {
    status: 'success',
    projectPath: index.root,
    filesIndexed: state.pages,
    chunksCreated: state.passages,
    duration: duration(seconds),
    ...(warnings.length === 0 ? {} : { docsWarning: warnings.join(' ') }),
  };
}

async function status(index: ProjectIndex): Promise<ToolReply> {
  const condition = await index.condition();
  const state = await index.load();
  if (condition === 'not_found') return json({ status: condition });
  const warnings = [...(state?.warnings ?? [])];
  if (condition === 'indexing') warnings.unshift(schema.BUSY);
  if (condition === 'failed') warnings.unshift(`Indexing failed: ${index.failure}`);
  return json({
    status: condition,
    projectPath: index.root,
    totalFiles: state?.pages ?? 0,
    totalChunks: state?.passages ?? 0,
    ...(state === undefined ? {} : { lastUpdated: state.updated }),
    storageSize: size(await index.storedBytes()),
    ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
  });
}

async function remove(index: ProjectIndex, call: ToolCall): Promise<ToolReply> {
  if (!(await index.delete(call.signal)))
    return json({ status: 'not_found', message: 'No search index exists for this project.' });
  return json({ status: 'success', projectPath: index.root, message: 'Index deleted successfully.' });
}

// ---- texts and errors ---------------------------------------------------------------------------

function json(value: JsonObject): ToolReply {
  return { text: JSON.stringify(value, null, 2), structured: value };
}

/** `2m 30s`, `45s`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m ${whole % 60}s`;
}

/** `45MB`, `1.2GB`: one decimal at most. */
export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${Number(value.toFixed(1))}${units[unit]}`;
}

function notFound(message: string, developerMessage: string): ProtocolFailure {
  return new DetailedFailure(RPC.INTERNAL_ERROR, message, { code: 'DOCS_INDEX_NOT_FOUND' }, developerMessage);
}

/** `developerMessage` joins the data when DEBUG is on. */
class DetailedFailure extends ProtocolFailure {
  constructor(
    code: number,
    message: string,
    data: JsonObject,
    readonly developerMessage: string,
  ) {
    super(code, message, data);
  }
}

async function guarded(
  environment: Environment,
  call: ToolCall,
  work: (call: ToolCall) => Promise<ToolReply>,
): Promise<ToolReply> {
  try {
    return await work(call);
  } catch (error) {
    throwIfAborted(call.signal);
    if (error instanceof ProtocolFailure && !(error instanceof DetailedFailure)) throw error;
    if (!(error instanceof ProtocolFailure))
      environment.log('error', `search_docs: ${(error as Error).stack ?? String(error)}`);
    const failure = error instanceof DetailedFailure ? error : unexpected(error as Error);
    const debug = ['1', 'true'].includes(environment.env['DEBUG'] ?? '');
    throw new ProtocolFailure(failure.code, failure.message, {
      ...failure.data,
      ...(debug ? { developerMessage: failure.developerMessage } : {}),
    });
  }
}

function unexpected(error: Error): DetailedFailure {
  return new DetailedFailure(
    RPC.INTERNAL_ERROR,
    'An unexpected error occurred. Please try again.',
    { code: 'SEARCH_FAILED' },
    error.message,
  );
}
