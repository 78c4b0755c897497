/**
 * A server that speaks SearXNG's JSON, and fails in every way that a real one does; and the environment that a tool
 * set needs.
 */
import { createServer } from 'node:http';
import { createSearxng } from '../../dist/node/mcp/contracts/searxng/index.js';

/** Results for a query, as SearXNG writes them. */
export function replyTo(query, results = []) {
  return {
    query,
    number_of_results: 0,
    results,
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: ['kiln firing'],
    unresponsive_engines: [],
  };
}

export function webResult(url, { title = 'A page', content = 'Of the web.', position = 1, engine = 'almanac' } = {}) {
  return {
    url,
    title,
    content,
    engine,
    engines: [engine],
    positions: [position],
    score: 1 / position,
    category: 'general',
    template: 'default.html',
    parsed_url: [],
    publishedDate: null,
  };
}

export const CONFIG = {
  categories: ['general', 'news', 'it'],
  engines: [
    { name: 'almanac', shortcut: 'al', categories: ['general'] },
    { name: 'stack overflow', shortcut: 'st', categories: ['it'] },
  ],
};

/** A server on loopback that keeps no process alive. `handlers` by path; `seen` holds the address of each request. */
export async function startServer(handlers, host = '127.0.0.1') {
  const seen = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://x');
    seen.push({ url, headers: request.headers, method: request.method });
    const handler = handlers[url.pathname];
    if (handler === undefined) response.writeHead(404).end();
    else handler(url, response, request);
  });
  await new Promise((resolve) => server.listen(0, host, resolve));
  server.unref(); // ends with the process
  server.keepAliveTimeout = 0; // a client of another process may be late, and still find its connection
  server.on('connection', (socket) => socket.unref());
  const { port } = server.address();
  return { port, origin: `http://${host}:${port}`, seen, handlers };
}

export function sendJson(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** An environment with these variables over this pool; `logs` collects what was logged. */
export function environment(pool, env = {}) {
  const logs = [];
  return { pool, log: (level, message) => logs.push(`${level}: ${message}`), config: () => undefined, env, cwd: '.', logs };
}

export const emptyPool = { list: async () => [], use: () => assertUnused(), onChange: () => () => {}, close: async () => {} };

function assertUnused() {
  throw new Error('no bundle should be asked for');
}

/** Calls `search` once. Returns the reply, with `data`: its text, parsed if it is JSON. */
export async function searchOnce(environment, args, signal = new AbortController().signal) {
  const [tool] = createSearxng(environment).tools;
  const progress = [];
  const reply = await tool.call({ args, signal, progress: (...report) => progress.push(report) });
  return { ...reply, progress, data: reply.isError ? undefined : JSON.parse(reply.text) };
}
