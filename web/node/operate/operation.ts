/**
 * What operators of a server need beside its answers: who may ask, `/healthz`, `/readyz`, `/metrics`, the metadata of
 * RFC 9728, an id and a line of log for each request, and an end that answers what was asked before.
 *
 *     request ─▶ observe ─▶ own (this module's addresses) ─▶ admit ─▶ the server's handler
 *
 * Idea: `/healthz` says that the process runs; `/readyz` says whether to send it requests: not while it ends, and not
 * while its libraries cannot be listed. None of the two needs a token.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { oneLine } from '../base/terminal.js';
import type { Access } from './access.js';
import { asking, whileAsking, type Asking } from './asking.js';
import type { Scope } from './identity.js';
import type { Log } from './log.js';
import { Metrics } from './metrics.js';
import { Refusal, type Headers } from './refusal.js';
import { Traces } from './traces.js';

/** Its own addresses, beside the metadata of RFC 9728. */
const OWN: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** How long the end waits for answers. Orchestrators kill after 30 seconds. */
export const END_MS = 20_000;

/** The libraries of a server. */
export interface Served {
  list(): Promise<readonly unknown[]>;
  onChange(listener: () => void): () => void;
  /** What the open ones take, as estimated. */
  readonly memory?: { used: number; cap: number; open: number } | undefined;
}

export interface OperationOptions {
  access: Access;
  log: Log;
  pool: Served;
  version: string;
  /** Whether to count. */
  metrics?: boolean;
  /** Whether each request is a line of the log. */
  logRequests?: boolean;
}

/** An answer of this module's own addresses. */
export interface OwnAnswer {
  status: number;
  type: string;
  body: string;
  headers?: Headers;
}

export class Operation {
  readonly access: Access;
  readonly #options: OperationOptions;
  readonly #underWay = new Set<ServerResponse>();
  readonly #waiting = new Set<() => void>();
  #metrics: Metrics | undefined;
  #traces: Traces | undefined;
  #isEnding = false;

  private constructor(options: OperationOptions) {
    this.#options = options;
    this.access = options.access;
  }

  static async create(options: OperationOptions): Promise<Operation> {
    const operation = new Operation(options);
    const { log, pool, version } = options;
    operation.#traces = await Traces.open({ env: process.env, version, log });
    if (options.metrics) {
      const metrics = await Metrics.create({
        version,
        libraries: async () => (await pool.list()).length,
        memory: () => pool.memory,
        inFlight: () => operation.#underWay.size,
        isReady: async () => (await operation.#notReady()) === undefined,
      });
      pool.onChange(() => metrics.libraryChange());
      operation.#metrics = metrics;
    }
    return operation;
  }

  get metrics(): Metrics | undefined {
    return this.#metrics;
  }

  /** A request that asks for nothing itself, and waits for news. */
  static isStream({ method, headers }: IncomingMessage): boolean {
    return method === 'GET' && String(headers.accept).includes('text/event-stream')
      ? true
      : headers['mcp-method'] === 'subscriptions/listen';
  }

  /** Does the work of one request; `endpoints` names the server's own paths. Whatever is called by it finds it by `asking`. */
  async observe(
    endpoints: Readonly<Record<string, string>>,
    request: IncomingMessage,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<void> {
    const path = pathOf(request);
    const endpoint = OWN.has(path) ? 'operator' : (endpoints[path] ?? 'other');
    const began = performance.now();
    const isWaiting = Operation.isStream(request);
    const asked: Asking = { id: idOf(request) };
    // Streams last for hours, and probes come for ever: neither is an operation.
    const isOperation = !isWaiting && endpoint !== 'operator';
    const route = endpoint === 'other' ? undefined : path;
    const span = isOperation ? this.#traces?.begin(request, route, asked.id) : undefined;
    if (span !== undefined) Object.assign(asked, { trace: span.traceId, libraries: new Set() });
    response.setHeader('X-Request-Id', asked.id);
    if (this.#isEnding) response.shouldKeepAlive = false;
    if (isOperation) this.#underWay.add(response);
    response.once('close', () => {
      this.#underWay.delete(response);
      if (this.#underWay.size === 0) for (const resolve of this.#waiting) resolve();
      span?.end({ status: response.writableFinished ? response.statusCode : undefined, asked });
      whileAsking(asked, () =>
        this.#done(isWaiting ? 'stream' : endpoint, request, response, (performance.now() - began) / 1000),
      );
    });
    await whileAsking(asked, () => (span === undefined ? work() : span.within(work)));
  }

  /** Who asks, for all that is done for this request. Error: Refusal. */
  async admit(request: IncomingMessage, scope: Scope): Promise<void> {
    const who = await this.access.admit(request.headers.authorization, scope);
    const current = asking();
    if (who === undefined || current === undefined) return;
    current.who = who;
    this.#metrics?.admitted(who.isSigned ? 'issuer' : who.name);
  }

  /** The answer of an own address; undefined for any other. Error: Refusal. */
  async own(request: IncomingMessage, path: string): Promise<OwnAnswer | undefined> {
    const resource = this.access.resource;
    const isResource = resource?.paths.includes(path) ?? false;
    if (!isResource && !OWN.has(path)) return undefined;
    if (path === '/metrics' && this.#metrics === undefined) return undefined;
    if (request.method === 'OPTIONS') return { status: 204, type: 'text/plain', body: '' };
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Refusal(405, 'Use GET, HEAD, OPTIONS', { Allow: 'GET, HEAD, OPTIONS' });
    if (isResource) return json(200, resource?.body);
    if (path === '/healthz') return json(200, { status: 'ok' });
    if (path === '/readyz') {
      const reason = await this.#notReady();
      return reason === undefined ? json(200, { status: 'ready' }) : json(503, { status: 'not ready', reason });
    }
    await this.admit(request, 'metrics');
    return { status: 200, ...(await (this.#metrics as Metrics).text()) };
  }

  /** From here on, `/readyz` says no, and connections end with their answers. */
  end(): void {
    this.#isEnding = true;
    for (const response of this.#underWay) if (!response.headersSent) response.shouldKeepAlive = false;
  }

  /** Resolves once nothing is being answered, or after `ms`. */
  async idle(ms: number = END_MS): Promise<void> {
    if (this.#underWay.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    const { size } = this.#underWay;
    if (size > 0) this.#options.log('warn', `${size} requests had no answer after ${ms / 1000} s, and are ended`);
  }

  async #notReady(): Promise<string | undefined> {
    if (this.#isEnding) return 'The server is ending.';
    try {
      await this.#options.pool.list();
      return undefined;
    } catch (error) {
      return `The libraries cannot be listed: ${oneLine((error as Error).message).slice(0, 300)}`;
    }
  }

  #done(endpoint: string, request: IncomingMessage, response: ServerResponse, seconds: number): void {
    const status = response.writableFinished ? String(response.statusCode) : 'gone';
    if (endpoint !== 'operator') {
      this.#metrics?.request(endpoint, status, seconds);
      if (['401', '403', '429'].includes(status)) this.#metrics?.refused(Number(status));
    }
    if (!this.#options.logRequests) return;
    const { tool, outcome } = asking() ?? {};
    this.#options.log(endpoint === 'operator' ? 'debug' : 'info', 'request', {
      endpoint,
      method: request.method ?? '',
      status,
      milliseconds: Math.round(seconds * 1000),
      ...(tool === undefined ? {} : { tool }),
      ...(outcome === undefined ? {} : { outcome }),
    });
  }
}

/** As the request names it, without what stands behind `?`. Pure. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] as string;

/** The client's own, where it can stand in a log, so that its lines and ours can be put together. */
function idOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

function json(status: number, value: unknown): OwnAnswer {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
