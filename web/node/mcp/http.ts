/**
 * MCP over streamable HTTP at /mcp, for both protocol eras; the SDK's handler does the protocol.
 *
 * Every page in the user's browser can reach a server on loopback, so we check before the protocol, in
 * this order: Host (403; defeats DNS rebinding), Origin (403), path (404), method, token (401, 403, 429),
 * size (413). A server card (server_card.ts) needs no token: it says that one is needed. The operator's addresses
 * (operate/operation.ts) stand beside it.
 */
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError, EXIT } from '../base/exit.js';
import { ARRIVAL, limitConnections } from '../net/connections.js';
import { Gate, plainHost } from '../net/gate.js';
import { END_MS, Operation, pathOf } from '../operate/operation.js';
import { Refusal } from '../operate/refusal.js';
import { createMcpHandler } from './sdk.mjs';
import { CARD_TYPE, serverCard, type CardFacts } from './server_card.js';
import type { Service } from './server.js';
import type { Log, Pool } from './tool.js';

export interface HttpOptions {
  host: string;
  port: number;
  /** Origins of web pages that may call, beside those on this machine. */
  allowOrigins?: readonly string[];
}

const PATH = '/mcp';
const CARD = `${PATH}/server-card`;
const METHODS = 'GET, POST, DELETE';
/** Methods that a Request of the web's cannot have. */
const UNSENDABLE: ReadonlySet<string> = new Set(['TRACE', 'TRACK', 'CONNECT']);
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Time for a refused client to send the rest of its request, so that it can read the reason. */
const DRAIN_MS = 2_000;
/** Time for streams to end after their answers. */
const CLOSE_MS = 500;

/** Resolves when `stop` fires and everything is closed. */
export async function runHttp(
  service: Service,
  pool: Pool,
  options: HttpOptions,
  operation: Operation,
  log: Log,
  stop: AbortSignal,
): Promise<void> {
  const handler = createMcpHandler(() => service.createServer(), {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: (error) => log('debug', error.message),
  });
  const unwatch = pool.onChange(() => handler.notify.resourcesChanged());
  const { isGuarded } = operation.access;
  const gate = gateOf(options, isGuarded);
  const door: Door = {
    gate,
    operation,
    serve: handler.fetch,
    card: { version: service.version, needsToken: isGuarded },
  };
  const server = createServer(ARRIVAL, (request, response) => {
    const work = (): Promise<void> => answer(request, response, door);
    operation.observe({ [PATH]: 'mcp' }, request, response, work).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return; // the client went away
      log('error', error instanceof Error ? (error.stack ?? error.message) : String(error));
      if (response.headersSent) response.destroy();
      else refuse(request, response, new Refusal(500, 'The request failed; the server log says more.'));
    });
  });
  limitConnections(server);
  const { port, address } = await bind(server, options);
  const shown = address.includes(':') ? `[${address}]` : address;
  log('info', `Listening on http://${shown}:${port}${PATH}${isGuarded ? ' (bearer token required)' : ''}`);

  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  unwatch();
  operation.end();
  const closed = new Promise((resolve) => server.close(resolve));
  await operation.idle(END_MS);
  await handler.close();
  server.closeIdleConnections();
  await Promise.race([closed, wait(CLOSE_MS)]);
  server.closeAllConnections();
  await closed;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

async function bind(server: NodeServer, { host, port }: HttpOptions): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program listens there; choose another port' : error.message;
      reject(new CliError(EXIT.FAILURE, `${host}:${port} cannot be listened on: ${why}.`));
    });
    server.listen({ host: plainHost(host), port }, () => resolve());
  });
  return server.address() as AddressInfo;
}

/** Tools with pages of their own (inspectors) run on this machine. Bound to every address, the token decides. */
export function gateOf({ host, allowOrigins }: HttpOptions, isGuarded: boolean): Gate {
  return new Gate({ hosts: [host], origins: allowOrigins, loopbackPages: true, anyName: isGuarded });
}

/** What stands between a request and the protocol. */
interface Door {
  gate: Gate;
  operation: Operation;
  serve(request: Request): Promise<Response>;
  card: Omit<CardFacts, 'host'>;
}

async function answer(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
  try {
    await answerAdmitted(request, response, door);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuse(request, response, error);
  }
}

/** Error: Refusal. */
async function answerAdmitted(
  request: IncomingMessage,
  response: ServerResponse,
  { gate, operation, serve, card }: Door,
): Promise<void> {
  const path = pathOf(request);
  const { host, origin } = request.headers;
  if (!gate.allowsHost(host))
    throw new Refusal(403, 'This Host is not one of this server; call it by the address that it was started with.');
  if (!gate.allowsOrigin(origin, host))
    throw new Refusal(403, 'Pages of this Origin may not call; start the server with --allow-origin to let them.');
  if (origin !== undefined) allowPage(response, origin);
  if (path === CARD && request.method === 'GET') {
    const body = JSON.stringify(serverCard({ ...card, host: host ?? 'localhost' }));
    return void response.writeHead(200, { 'Content-Type': CARD_TYPE, 'Cache-Control': 'max-age=3600' }).end(body);
  }
  const own = await operation.own(request, path);
  if (own !== undefined) {
    const headers = { 'Content-Type': own.type, 'Cache-Control': 'no-store', ...own.headers };
    return void response.writeHead(own.status, headers).end(request.method === 'HEAD' ? undefined : own.body);
  }
  if (path !== PATH) throw new Refusal(404, `There is nothing here; the MCP endpoint is ${PATH}.`);
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  if (UNSENDABLE.has(request.method ?? ''))
    throw new Refusal(405, `The MCP endpoint takes ${METHODS}.`, { Allow: METHODS });
  await operation.admit(request, 'read');
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const body = await readBody(request);
  if (body === undefined) throw new Refusal(413, `A request may have ${MAX_BODY_BYTES} bytes, and this one has more.`);
  const answered = await serve(toRequest(request, body, gone.signal));
  await send(answered, response, Operation.isStream(request));
}

/** Undefined when it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(undefined);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
  });
}

/** The CORS headers that a browser requires before an allowed page may read the answer. */
function allowPage(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Vary', 'Origin');
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader(
    'Access-Control-Allow-Headers',
    'Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, MCP-Session-Id, MCP-Method, MCP-Name',
  );
  response.setHeader('Access-Control-Expose-Headers', 'MCP-Session-Id, WWW-Authenticate');
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, message, headers }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null });
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
  if (request.complete) return;
  request.resume();
  setTimeout(() => request.complete || request.destroy(), DRAIN_MS).unref();
}

function toRequest(request: IncomingMessage, body: Buffer, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const single of Array.isArray(value) ? value : [value])
      if (single !== undefined && !name.startsWith(':')) headers.append(name, single);
  }
  const method = request.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`http://${request.headers.host ?? 'localhost'}${PATH}`, {
    method,
    headers,
    signal,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
}

/** A stream's headers go at once, since its client waits for them; those of an answer go with its first bytes, in one packet. */
async function send(answered: Response, response: ServerResponse, isStream: boolean): Promise<void> {
  const headers = Object.fromEntries(answered.headers);
  delete headers['connection']; // the SDK's own; Node's says whether the connection stays, and for how long
  response.writeHead(answered.status, headers);
  if (answered.body === null) return void response.end();
  if (isStream) response.flushHeaders();
  const reader = answered.body.getReader();
  response.once('close', () => reader.cancel().catch(() => {}));
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    if (response.destroyed) return;
    if (!response.write(value))
      await new Promise((resolve) => (response.once('drain', resolve), response.once('close', resolve)));
  }
  response.end();
}
