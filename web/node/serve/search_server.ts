/**
 * `sheaf serve` over HTTP: `/search` in the form of SearXNG's, so that SearXNG can use it as a json_engine;
 * `/`, which says what this is; and the operator's addresses (operate/operation.ts).
 *
 * It searches only the installed libraries and never a SearXNG instance, because an instance may be its caller.
 *
 * Limits, besides those of http.ts: GET, HEAD and, for `/search`, POST; bodies of 64 KiB. A client that
 * disconnects aborts its search.
 */
import type { IncomingMessage, Server } from 'node:http';
import { limitConnections } from '../net/connections.js';
import {
  DEFAULT_COUNT,
  invalidValue,
  MAX_HITS,
  readCount,
  readQuery,
  readSafeSearch,
  readTimeRange,
} from '../mcp/contracts/searxng/parameters.js';
import { search } from '../mcp/contracts/searxng/search.js';
import { SearchFailure, type SearchRequest } from '../mcp/contracts/searxng/types.js';
import type { Pool } from '../mcp/tool.js';
import type { Log } from '../operate/log.js';
import type { Operation } from '../operate/operation.js';
import { Refusal, type Headers } from '../operate/refusal.js';
import { corsHeaders, type GuardOptions } from './guard.js';
import { checkMethod, closeUnlessRead, createHttpServer, MAX_URL, type Answer, type Asked } from './http.js';

export interface ServeOptions extends GuardOptions {
  pool: Pool;
  operation: Operation;
  log: Log;
}

const MAX_BODY = 64 * 1024;

/** A response before it is sent. */
interface Reply {
  status: number;
  /** By default of UTF-8. */
  type: string;
  body: string;
  headers?: Headers;
}

/** The server, not yet listening. */
export function createSearchServer(options: ServeOptions): Server {
  const server = createHttpServer({
    guard: options,
    operation: options.operation,
    own: (answer) => sending(answer, options),
    handle: async (asked) => sending(await route(asked, options), options),
    refuse: ({ status, message, headers }) => sending({ ...json(status, { error: message }), headers }, options),
    texts: {
      tooLong: `The address is longer than ${MAX_URL} characters; send long queries with POST`,
      unreadable: 'The address cannot be read',
      failed: 'search error',
    },
    log: options.log,
  });
  limitConnections(server);
  return server;
}

function sending(reply: Reply, options: GuardOptions): Answer {
  return (request, response) => {
    const allowed = reply.status === 403 ? {} : corsHeaders(request, options);
    const body = Buffer.from(reply.body);
    closeUnlessRead(request, response);
    response.writeHead(reply.status, {
      'Content-Type': reply.type.includes('charset') ? reply.type : `${reply.type}; charset=utf-8`,
      'Content-Length': body.length,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      ...allowed,
      ...reply.headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

async function route(asked: Asked, options: ServeOptions): Promise<Reply> {
  const { request, url } = asked;
  const methods = url.pathname === '/search' ? ['GET', 'HEAD', 'POST', 'OPTIONS'] : ['GET', 'HEAD', 'OPTIONS'];
  checkMethod(request, methods, `Use ${methods.join(', ')}`);
  if (request.method === 'OPTIONS') {
    const headers = { Allow: methods.join(', '), 'Access-Control-Allow-Methods': methods.join(', ') };
    return { status: 204, type: 'text/plain', body: '', headers };
  }
  switch (url.pathname) {
    case '/search':
      return searchReply(asked, options);
    case '/':
      return url.searchParams.has('q') ? redirect(`/search${url.search}`) : frontPage(options);
    default:
      throw new Refusal(404, 'There is nothing here; ask /search?q=WORDS&format=json');
  }
}

async function searchReply({ request, url, signal }: Asked, options: ServeOptions): Promise<Reply> {
  const parameters = request.method === 'POST' ? await readForm(request, url) : url.searchParams;
  const format = parameters.get('format') ?? 'json';
  // SearXNG answers the same for a format that its settings disable.
  if (format !== 'json')
    throw new Refusal(403, `This server answers in JSON alone: format=json, not ${format.slice(0, 40)}`);
  try {
    const context = { signal, progress: () => {} };
    const searcher = { pool: options.pool, instance: undefined, log: options.log, allowEmpty: true };
    const { reply } = await search(searcher, readRequest(parameters), context);
    return json(200, reply);
  } catch (error) {
    throw error instanceof SearchFailure ? new Refusal(400, error.message) : error;
  }
}

function readRequest(parameters: URLSearchParams): SearchRequest {
  const language = parameters.get('language') ?? '';
  if (language !== '' && !/^([a-z]{2,3}([-_][a-z]{2,4})*|all|auto)$/i.test(language))
    throw invalidValue('language', language);
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

/** The fields of the address, followed by those of the form. Error: Refusal. */
async function readForm(request: IncomingMessage, url: URL): Promise<URLSearchParams> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw new Refusal(415, 'POST takes application/x-www-form-urlencoded');
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early must not close the socket, so that the refusal can be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY) throw new Refusal(413, `The body is longer than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  return new URLSearchParams([...url.searchParams, ...new URLSearchParams(Buffer.concat(chunks).toString('utf8'))]);
}

function json(status: number, value: unknown): Reply {
  return { status, type: 'application/json', body: JSON.stringify(value) };
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
