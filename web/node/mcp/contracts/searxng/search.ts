/**
 * The metasearch: instant answers, installed libraries and, where there is one, a SearXNG instance; their
 * results merged. `search` (index.ts) asks all of them; `sheaf serve` has no instance, since it serves one.
 *
 * When the instance fails and something else answered, the failure is one of `unresponsive_engines`;
 * when nothing did, the search fails with the contract's text.
 */
import { abortError } from '../../../../browser/client/errors.js';
import type { Log, Pool } from '../../tool.js';
import { answerAlone, answerHash } from './answerers.js';
import { InstanceFailure, type Instance, type InstanceReply } from './instance.js';
import { searchLocal, type LocalAnswer } from './local.js';
import { mergeResults } from './merge.js';
import { otherBangs, parseQuery, type KnowsBang, type ParsedQuery } from './query.js';
import { SearchFailure, type Answer, type SearchReply, type SearchRequest } from './types.js';

export interface Searcher {
  pool: Pool;
  instance: Instance | undefined;
  log: Log;
  /** A store without libraries is an empty answer and not a failure. */
  allowEmpty?: boolean;
}

export interface SearchContext {
  signal: AbortSignal;
  progress(done: number, total: number): void;
}

export interface SearchOutcome {
  reply: SearchReply;
  /** The instance's own text, where nothing was added to it. */
  body?: string;
}

const NOT_CONFIGURED = 'SearXNG query URL is not configured on the server.';

export async function search(
  searcher: Searcher,
  request: SearchRequest,
  context: SearchContext,
): Promise<SearchOutcome> {
  const { pool, instance } = searcher;
  const installed = await pool.list();
  const parsed = parseQuery(
    request.q,
    installed,
    await bangsOf(instance, otherBangs(request.q, installed), context.signal),
  );

  const alone = answerAlone(parsed.text);
  if (alone !== undefined) return { reply: { ...emptyReply(parsed.text), answers: [alone] } };
  const hash = request.pageno === 1 ? answerHash(parsed.text) : undefined;
  if (installed.length === 0 && instance === undefined && hash === undefined && !searcher.allowEmpty)
    throw new SearchFailure(NOT_CONFIGURED);

  const [local, remote] = await Promise.all([
    searchLocal(pool, { ...request, ...parsed, ...context }),
    askInstance(searcher, request, parsed, context.signal),
  ]);
  if (remote instanceof InstanceFailure) {
    if (local.results.length === 0 && hash === undefined)
      throw new SearchFailure(`SearXNG query failed: ${remote.message}`);
    searcher.log('warn', `SearXNG query failed: ${remote.message}`);
  }
  for (const [name, message] of local.failures) searcher.log('warn', `${name}: ${message}`);
  return combine(parsed, local, remote, hash);
}

/** Asks the instance for its bangs where the query holds one that is not ours. One that does not tell is believed to know them all. */
async function bangsOf(
  instance: Instance | undefined,
  others: readonly string[],
  signal: AbortSignal,
): Promise<KnowsBang> {
  if (instance === undefined) return undefined;
  if (others.length === 0) return () => false;
  const known = await instance.bangs(signal).catch((error: unknown) => {
    throw signal.aborted ? abortError(signal) : error;
  });
  return (name) => known?.has(name) ?? true;
}

async function askInstance(
  { instance }: Searcher,
  request: SearchRequest,
  { forInstance }: ParsedQuery,
  signal: AbortSignal,
): Promise<InstanceReply | InstanceFailure | undefined> {
  if (instance === undefined || forInstance === undefined) return undefined;
  return instance.search(request, forInstance, signal).catch((error: unknown) => {
    if (error instanceof InstanceFailure) return error;
    if (signal.aborted) throw abortError(signal);
    throw new SearchFailure(
      `Unexpected error during SearXNG query: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}

function combine(
  { text, problems }: ParsedQuery,
  local: LocalAnswer,
  remote: InstanceReply | InstanceFailure | undefined,
  hash: Answer | undefined,
): SearchOutcome {
  const troubles = [...problems, ...local.failures];
  const nothingOfOurs =
    local.results.length === 0 && local.corrections.length === 0 && troubles.length === 0 && hash === undefined;
  if (remote === undefined || remote instanceof InstanceFailure) {
    const failed = remote === undefined ? [] : [['searxng', remote.message]];
    return {
      reply: {
        ...emptyReply(text),
        results: mergeResults(local.results, []),
        answers: hash === undefined ? [] : [hash],
        corrections: local.corrections,
        unresponsive_engines: [...troubles, ...failed],
      },
    };
  }
  const { reply, body } = remote;
  if (nothingOfOurs) return { reply, body };
  return {
    reply: {
      ...reply,
      query: reply.query || text,
      results: mergeResults(local.results, reply.results),
      answers: mergeAnswers(hash, reply.answers),
      corrections: [...new Set([...local.corrections, ...reply.corrections])],
      unresponsive_engines: [...troubles, ...reply.unresponsive_engines],
    },
  };
}

/** Our digest replaces the instance's: the same text, or the word `hash`, which is all that searx writes. */
function mergeAnswers(hash: Answer | undefined, answers: readonly unknown[]): unknown[] {
  if (hash === undefined) return [...answers];
  const textOf = (answer: unknown): unknown =>
    typeof answer === 'object' && answer !== null ? (answer as Partial<Answer>).answer : answer;
  return [hash, ...answers.filter((answer) => textOf(answer) !== hash.answer && answer !== 'hash')];
}

export function emptyReply(query: string): SearchReply {
  return { query, results: [], answers: [], corrections: [], infoboxes: [], suggestions: [], unresponsive_engines: [] };
}
