/**
 * `sheaf serve` over HTTP: `/search` in the form of SearXNG's, so that SearXNG can use it as a json_engine;
 * `/healthz`; and `/`, which says what this is.
 *
 * It asks the installed libraries alone, never an instance: an instance asks it.
 *
 * Limits: GET, HEAD and, for `/search`, POST; addresses of 8 KiB, bodies of 64 KiB, ten seconds to send a
 * request. A client that goes away stops its search.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { DEFAULT_COUNT, invalidValue, MAX_HITS, readCount, readQuery, readSafeSearch, readTimeRange } from '../mcp/contracts/searxng/parameters.js';
import { search } from '../mcp/contracts/searxng/search.js';
import { SearchFailure, type SearchRequest } from '../mcp/contracts/searxng/types.js';
import type { Log, Pool } from '../mcp/tool.js';
import { corsHeaders, judge, type GuardOptions } from './guard.js';

export interface ServeOptions extends GuardOptions {
  pool: Pool;
  log: Log;
}

const MAX_URL = 8 * 1024;
const MAX_BODY = 64 * 1024;
const SEND_TIMEOUT_MS = 10_000;

/** What a handler answers with. */
interface Reply {
  status: number;
  type: 'application/json' | 'text/html' | 'text/plain';
  body: string;
  headers?: Record<string, string>;
}

/** The server, not yet listening. */
export function createSearchServer(options: ServeOptions): Server {
  const server = createServer({ requestTimeout: SEND_TIMEOUT_MS, headersTimeout: SEND_TIMEOUT_MS }, (request, response) => {
    void answer(request, response, options);
  });
  server.maxConnections = 256;
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ServeOptions): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  let reply: Reply;
  try {
    reply = await route(request, options, gone.signal);
  } catch (error) {
    if (gone.signal.aborted) return;
    options.log('error', `${request.method} ${request.url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    reply = failure(500, 'search error');
  }
  send(request, response, reply, options);
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply, options: ServeOptions): void {
  const allowed = reply.status === 403 ? {} : corsHeaders(request, options);
  const body = Buffer.from(reply.body);
  // What was not read of a refused body ends with the connection.
  if (!request.complete) response.shouldKeepAlive = false;
  response.writeHead(reply.status, {
    'Content-Type': `${reply.type}; charset=utf-8`,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    ...allowed,
    ...reply.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function route(request: IncomingMessage, options: ServeOptions, signal: AbortSignal): Promise<Reply> {
  const target = request.url ?? '/';
  if (target.length > MAX_URL) return failure(414, `The address is longer than ${MAX_URL} characters; send long queries with POST`);
  const url = URL.canParse(target, 'http://sheaf') ? new URL(target, 'http://sheaf') : undefined;
  if (url === undefined) return failure(400, 'The address cannot be read');
  const denial = judge(request, options, url.pathname === '/healthz');
  if (denial !== undefined) return { ...failure(denial.status, denial.error), headers: denial.headers ?? {} };
  const methods = url.pathname === '/search' ? ['GET', 'HEAD', 'POST', 'OPTIONS'] : ['GET', 'HEAD', 'OPTIONS'];
  if (!methods.includes(request.method ?? '')) return { ...failure(405, `Use ${methods.join(', ')}`), headers: { Allow: methods.join(', ') } };
  if (request.method === 'OPTIONS') {
    const headers = { Allow: methods.join(', '), 'Access-Control-Allow-Methods': methods.join(', ') };
    return { status: 204, type: 'text/plain', body: '', headers };
  }
  switch (url.pathname) {
    case '/search':
      return searchReply(request, url, options, signal);
    case '/healthz':
      return json(200, { status: 'ok' });
    case '/':
      return url.searchParams.has('q') ? redirect(`/search${url.search}`) : frontPage(options);
    default:
      return failure(404, 'There is nothing here; ask /search?q=WORDS&format=json');
  }
}

async function searchReply(request: IncomingMessage, url: URL, options: ServeOptions, signal: AbortSignal): Promise<Reply> {
  const parameters = request.method === 'POST' ? await readForm(request, url) : url.searchParams;
  if (!(parameters instanceof URLSearchParams)) return parameters;
  const format = parameters.get('format') ?? 'json';
  // As SearXNG does for a format that its settings leave out.
  if (format !== 'json') return failure(403, `This server answers in JSON alone: format=json, not ${format.slice(0, 40)}`);
  try {
    const context = { signal, progress: () => {} };
    const searcher = { pool: options.pool, instance: undefined, log: options.log, allowEmpty: true };
    const { reply } = await search(searcher, readRequest(parameters), context);
    return json(200, reply);
  } catch (error) {
    if (error instanceof SearchFailure) return failure(400, error.message);
    throw error;
  }
}

function readRequest(parameters: URLSearchParams): SearchRequest {
  const language = parameters.get('language') ?? '';
  if (language !== '' && !/^([a-z]{2,3}([-_][a-z]{2,4})*|all|auto)$/i.test(language)) throw invalidValue('language', language);
  const limit = parameters.get('timeout_limit') ?? '';
  if (!['', 'None'].includes(limit) && !/^\d+(\.\d*)?$/.test(limit)) throw invalidValue('timeout_limit', limit);
  return {
    q: readQuery(parameters.get('q')),
    timeRange: readTimeRange(parameters.get('time_range')),
    safesearch: readSafeSearch(parameters.get('safesearch'), 0),
    pageno: readCount('pageno', parameters.get('pageno'), 1, MAX_HITS),
    count: DEFAULT_COUNT,
  };
}

/** The fields of a form, those of the address before them; or why there are none. */
async function readForm(request: IncomingMessage, url: URL): Promise<URLSearchParams | Reply> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return failure(415, 'POST takes application/x-www-form-urlencoded');
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Kept open when the loop is left early, so that the refusal can be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY) return failure(413, `The body is longer than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  return new URLSearchParams([...url.searchParams, ...new URLSearchParams(Buffer.concat(chunks).toString('utf8'))]);
}

function json(status: number, value: unknown): Reply {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}

function failure(status: number, error: string): Reply {
  return json(status, { error });
}

function redirect(location: string): Reply {
  return { status: 308, type: 'text/plain', body: '', headers: { Location: location } };
}

async function frontPage({ pool }: ServeOptions): Promise<Reply> {
  const libraries = new Set((await pool.list()).map(({ library }) => library)).size;
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>sheaf serve</title>
<style>body { font: 16px/1.5 sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em }</style>
<h1>sheaf serve</h1>
<p>This server searches ${libraries} ${libraries === 1 ? 'library' : 'libraries'} of documentation and answers in SearXNG's JSON.</p>
<ul>
<li><code>/search?q=WORDS&amp;format=json</code>: also <code>pageno</code>, <code>time_range</code> (day, week, month, year)
and <code>safesearch</code> (0, 1, 2). <code>!LIBRARY</code> in the words chooses a library.</li>
<li><code>/healthz</code>: whether it runs.</li>
</ul>
</html>
`;
  return { status: 200, type: 'text/html', body };
}
