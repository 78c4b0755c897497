/**
 * HTTP for the sources: host/guarded_http.ts with a deadline per exchange, a few connections per host, and
 * SourceError for failures.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ACCEPTED_CODINGS, get, readBody } from '../net/guarded_http.js';
import { Guard } from './guard.js';
import { messageOf, SourceError, type SourceContext } from './source.js';

export const USER_AGENT = 'sheaf (documentation search; one visit per add or update)';
const MAX_REDIRECTS = 8;
const TELL_MS = 2_000;
/** Concurrent requests per host; more would be unfriendly to it, whatever the overall limit. */
export const PER_HOST = 8;

export interface GetOptions {
  timeoutMs: number;
  maxBytes: number;
  /** Truncate a longer body instead of refusing it. */
  truncate?: boolean;
  accept?: string;
  /** Sent to the first host only. */
  authorization?: string;
  /** Content codings that the caller reads; ACCEPTED_CODINGS. */
  codings?: string;
}

export interface Reply {
  status: number;
  /** The address after redirects. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** For a source at the address that the user typed, which a private network may have if that is allowed or trusted. */
export function fetcherFor(typed: string | URL, context: FetcherContext): Fetcher {
  const guard = new Guard(context.allowPrivate, context.trusted ? typed : undefined);
  return new Fetcher(guard, context.signal, context.say);
}

type FetcherContext = Pick<SourceContext, 'allowPrivate' | 'trusted' | 'signal' | 'say'>;

export class Fetcher {
  readonly #guard: Guard;
  readonly #signal: AbortSignal;
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: PER_HOST });
  readonly #https: HttpsAgent;
  readonly #say: (text: string) => void;
  readonly #told = new Set<string>();
  readonly #hosts = new Map<string, { free: number; waiting: (() => void)[] }>();

  /**
   * `say` learns once a host, after two seconds, that it is waited for. `tls`: certificates of authorities to trust instead
   * of the usual ones, and our own with its key; as PEM.
   */
  constructor(
    guard: Guard,
    signal: AbortSignal,
    say: (text: string) => void,
    tls: { ca?: Buffer; cert?: Buffer; key?: Buffer } = {},
  ) {
    this.#guard = guard;
    this.#say = say;
    this.#signal = signal;
    this.#https = new HttpsAgent({ ...tls, keepAlive: true, maxSockets: PER_HOST });
  }

  /** Returns any status as a reply. Errors: refused address, network, timeout, size. */
  async get(url: string, options: GetOptions): Promise<Reply> {
    return this.#exchange(url, options, async (response, at) => ({
      status: response.statusCode ?? 0,
      url: at.href,
      headers: response.headers,
      body: await readBody(response, options.maxBytes, () => {
        if (!options.truncate) throw tooLarge(at.href, options.maxBytes);
      }),
    }));
  }

  /** Saves the body of a 200 answer, undecoded, and returns its SHA-256. */
  async save(url: string, file: string, options: GetOptions): Promise<{ sha256: string; bytes: number }> {
    return this.#exchange(url, { ...options, codings: 'identity' }, async (response, at) => {
      if (response.statusCode !== 200) throw statusError(at.href, response.statusCode ?? 0);
      const coding = response.headers['content-encoding'] ?? 'identity';
      if (coding !== 'identity')
        throw new SourceError(
          'failed',
          `${at.href}: sent as ${coding}, which was not asked for; let the server send it as it is.`,
        );
      const hash = createHash('sha256');
      let bytes = 0;
      async function* counted(source: Readable): AsyncGenerator<Buffer> {
        for await (const chunk of source as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          if (bytes > options.maxBytes) throw tooLarge(at.href, options.maxBytes);
          hash.update(chunk);
          yield chunk;
        }
      }
      await pipeline(response, counted, createWriteStream(file));
      return { sha256: hash.digest('hex'), bytes };
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #exchange<T>(
    start: string,
    options: GetOptions,
    use: (response: IncomingMessage, url: URL) => Promise<T>,
  ): Promise<T> {
    const headers = {
      'user-agent': USER_AGENT,
      accept: options.accept ?? '*/*',
      'accept-encoding': options.codings ?? ACCEPTED_CODINGS,
    };
    const request = {
      guard: this.#guard,
      headers,
      authorization: options.authorization,
      maxRedirects: MAX_REDIRECTS,
      agent: (url: URL) => (url.protocol === 'https:' ? this.#https : this.#http),
      hop: <R>(url: URL, work: (signal: AbortSignal) => Promise<R>) => this.#hop(url, options.timeoutMs, work),
      badRedirect: (location: string, isTooMany: boolean): Error =>
        isTooMany ? new SourceError('failed', `${start}: more than ${MAX_REDIRECTS} redirects.`) : notAUrl(location),
    };
    return get(parseUrl(start), request, use);
  }

  /** Waits for one of the host's slots; the timeout starts when the request gets its turn. */
  async #hop<T>(url: URL, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const release = await this.#slot(url.host);
    const deadline = AbortSignal.timeout(timeoutMs);
    const telling = setTimeout(() => this.#tell(url.host), TELL_MS);
    try {
      return await work(AbortSignal.any([this.#signal, deadline]));
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      if (error instanceof SourceError) throw error;
      if (deadline.aborted)
        throw new SourceError('failed', `${url.href}: no complete answer within ${timeoutMs / 1000} s.`);
      throw new SourceError('failed', `${url.href}: ${messageOf(error)}.`, { cause: error });
    } finally {
      clearTimeout(telling);
      release();
    }
  }

  #tell(host: string): void {
    if (this.#told.has(host)) return;
    this.#told.add(host);
    this.#say(`Waiting for ${host} …`);
  }

  /** Waits for one of the host's slots; returns the function that releases it. */
  async #slot(host: string): Promise<() => void> {
    let slots = this.#hosts.get(host);
    if (slots === undefined) this.#hosts.set(host, (slots = { free: PER_HOST, waiting: [] }));
    const own = slots;
    if (own.free > 0) own.free--;
    else await new Promise<void>((resolve) => own.waiting.push(resolve));
    return () => {
      const next = own.waiting.shift();
      if (next === undefined) own.free++;
      else next();
    };
  }
}

export function parseUrl(text: string, base?: URL): URL {
  try {
    return new URL(text, base);
  } catch {
    throw notAUrl(text);
  }
}

function notAUrl(text: string): SourceError {
  return new SourceError(
    'usage',
    `'${text.slice(0, 200)}' is not a URL; expected one such as https://docs.example.org/sitemap.xml`,
  );
}

export function statusError(url: string, status: number): SourceError {
  return new SourceError(
    status === 404 || status === 410 ? 'missing' : 'failed',
    `${url} answered with HTTP status ${status}.`,
  );
}

function tooLarge(url: string, maxBytes: number): SourceError {
  return new SourceError('failed', `${url} is larger than ${Math.round(maxBytes / 1e6)} MB.`);
}

/** Runs `work` for each item, at most `limit` at once. The first error stops it. */
export async function forEachLimited<T>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        await work(items[index] as T, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, limit), items.length) }, worker));
}
