/**
 * A SearXNG instance, asked over its JSON API. The address is SEARXNG_QUERY_URL: the endpoint itself
 * (`https://host/search`), to which parameters are added and nothing else.
 *
 * Failures carry the contract's texts, with the way out where the cause is known: an instance that offers
 * no JSON answers 403.
 */
import { FetchFailure, get, showUrl, type FetchLimits } from './fetch.js';
import { normalBang } from './query.js';
import type { SearchReply, SearchRequest, SearchResult } from './types.js';
import { parseUrl } from './url.js';

export interface InstanceReply {
  /** As the instance wrote it. */
  body: string;
  /** The same in the form of this program: every key there, every result complete. */
  reply: SearchReply;
}

export interface Instance {
  /** Rejects with InstanceFailure, or with the reason of `signal`. */
  search(request: SearchRequest, query: string, signal: AbortSignal): Promise<InstanceReply>;
  /** Its engines, their shortcuts, and its categories, in the form of `normalBang`; undefined when it does not tell. */
  bangs(signal: AbortSignal): Promise<ReadonlySet<string> | undefined>;
}

/** The message is what follows `SearXNG query failed: `. */
export class InstanceFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InstanceFailure';
  }
}

const MAX_BODY = 10 * 2 ** 20;
const DEFAULT_TIMEOUT_S = 30;
/** For its list of bangs an instance has a tenth of the time that it has for an answer, but this at least. */
const BANGS_TIMEOUT_MS = 3000;
/** How long the instance's list of bangs is believed, and its silence. */
const BANGS_LIFE_MS = 10 * 60 * 1000;
const BANGS_RETRY_MS = 60 * 1000;

/** The instance that the environment names, if it does. */
export function createInstance(env: NodeJS.ProcessEnv): Instance | undefined {
  const address = env['SEARXNG_QUERY_URL']?.trim();
  if (address === undefined || address === '') return undefined;
  const limits = (signal: AbortSignal, timeoutMs: number): FetchLimits => ({
    timeoutMs,
    maxBytes: MAX_BODY,
    allowPrivate: env['SHEAF_ALLOW_PRIVATE'] === '1',
    headers: { accept: 'application/json', 'user-agent': env['USER_AGENT'] || 'Mozilla/5.0 (compatible; Sheaf)' },
    signal,
  });
  let known: { bangs: ReadonlySet<string> | undefined; until: number } | undefined;

  return {
    async search(request, query, signal) {
      const url = searchUrl(address, request, query);
      return readReply(showUrl(url), await ask(url, limits(signal, timeoutMs(env))));
    },
    async bangs(signal) {
      if (known !== undefined && Date.now() < known.until) return known.bangs;
      const bangs = await fetchBangs(address, limits(signal, bangsTimeoutMs(env)));
      known = { bangs, until: Date.now() + (bangs === undefined ? BANGS_RETRY_MS : BANGS_LIFE_MS) };
      return bangs;
    },
  };
}

/** SHEAF_SEARXNG_TIMEOUT in seconds. */
function timeoutMs(env: NodeJS.ProcessEnv): number {
  const seconds = Number(env['SHEAF_SEARXNG_TIMEOUT'] || DEFAULT_TIMEOUT_S);
  return (seconds > 0 && seconds <= 3600 ? seconds : DEFAULT_TIMEOUT_S) * 1000;
}

function bangsTimeoutMs(env: NodeJS.ProcessEnv): number {
  const all = timeoutMs(env);
  return Math.min(all, Math.max(BANGS_TIMEOUT_MS, all / 10));
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const shown = address.replace(/(?<![^/@])[^/@]*@/, ''); // no password is shown
    throw new InstanceFailure(
      `Unexpected error while fetching ${shown}: SEARXNG_QUERY_URL must be an address such as http://127.0.0.1:8888/search`,
    );
  }
  url.hash = '';
  return url;
}

function searchUrl(address: string, { timeRange, safesearch, pageno }: SearchRequest, query: string): URL {
  const url = parseAddress(address);
  url.searchParams.set('format', 'json');
  url.searchParams.set('q', query);
  url.searchParams.set('safesearch', String(safesearch));
  if (timeRange !== undefined) url.searchParams.set('time_range', timeRange);
  if (pageno > 1) url.searchParams.set('pageno', String(pageno));
  return url;
}

async function ask(url: URL, limits: FetchLimits): Promise<string> {
  const { status, reason, contentType, body } = await get(url, limits).catch((error: unknown) => {
    throw error instanceof FetchFailure ? new InstanceFailure(error.message) : error;
  });
  const shown = showUrl(url);
  if (status < 200 || status > 299)
    throw new InstanceFailure(`Failed to fetch ${shown}: HTTP ${status} (${reason})${wayOut(status)}`);
  if (body.trim() === '') throw new InstanceFailure(`Failed to fetch ${shown}: HTTP ${status} with empty body`);
  if (/html/i.test(contentType) || body.trimStart().startsWith('<')) {
    throw new InstanceFailure(
      `Unexpected error while fetching ${shown}: the answer is a web page, not JSON. SEARXNG_QUERY_URL must be the search endpoint, as in http://127.0.0.1:8888/search.`,
    );
  }
  return body.trim();
}

function wayOut(status: number): string {
  if (status === 403)
    return '. The instance gives no JSON: in its settings.yml, set search: formats: [html, json], and restart it.';
  if (status === 429) return '. The instance limits requests: wait, or use an instance of your own.';
  return '';
}

function readReply(shown: string, body: string): InstanceReply {
  const unexpected = (what: string): InstanceFailure =>
    new InstanceFailure(`Unexpected error while fetching ${shown}: ${what}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    throw unexpected(`the answer is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(parsed) || !Array.isArray(parsed['results']))
    throw unexpected('the answer is not a list of results as SearXNG gives it');
  const list = (key: string): unknown[] => (Array.isArray(parsed[key]) ? parsed[key] : []);
  const texts = (key: string): string[] => list(key).filter((item) => typeof item === 'string');
  return {
    body,
    reply: {
      ...parsed,
      query: typeof parsed['query'] === 'string' ? parsed['query'] : '',
      results: parsed['results']
        .filter(isObject)
        .map(toResult)
        .filter((result) => result !== undefined),
      answers: list('answers'),
      corrections: texts('corrections'),
      infoboxes: list('infoboxes'),
      suggestions: texts('suggestions'),
      unresponsive_engines: list('unresponsive_engines'),
    },
  };
}

/** A result with every key in its right type, others as they came; without an address it is none. */
function toResult(raw: Record<string, unknown>, index: number): SearchResult | undefined {
  const { url } = raw;
  if (typeof url !== 'string' || url === '') return undefined;
  const text = (key: string): string => (typeof raw[key] === 'string' ? raw[key] : '');
  const list = (key: string): unknown[] => (Array.isArray(raw[key]) ? raw[key] : []);
  const positions = list('positions').filter(
    (position): position is number => typeof position === 'number' && position >= 1,
  );
  if (positions.length === 0) positions.push(index + 1);
  const engines = list('engines').filter((engine) => typeof engine === 'string');
  const byPosition = positions.length * positions.reduce((sum, position) => sum + 1 / position, 0);
  const { score, publishedDate } = raw;
  return {
    ...raw,
    url,
    title: text('title'),
    content: text('content'),
    engine: text('engine'),
    engines: engines.length > 0 ? engines : [text('engine')].filter((engine) => engine !== ''),
    positions,
    score: typeof score === 'number' && Number.isFinite(score) ? score : byPosition,
    category: text('category'),
    template: text('template') || 'default.html',
    parsed_url: parseUrl(url),
    publishedDate: typeof publishedDate === 'string' ? publishedDate : null,
  };
}

/** From `/config`, beside the endpoint. Whatever fails, fails silently: the search itself will say it. */
async function fetchBangs(address: string, limits: FetchLimits): Promise<ReadonlySet<string> | undefined> {
  try {
    const url = parseAddress(address);
    url.pathname = url.pathname.replace(/(\/search)?\/?$/, '/config');
    url.search = '';
    const config: unknown = JSON.parse(await ask(url, limits));
    if (!isObject(config) || !Array.isArray(config['engines'])) return undefined;
    const names = config['engines']
      .filter(isObject)
      .flatMap(({ name, shortcut, categories }) => [name, shortcut, categories]);
    const all = [...names, config['categories']].flat().filter((name) => typeof name === 'string');
    return new Set(all.map(normalBang));
  } catch {
    limits.signal.throwIfAborted();
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
