/**
 * The one HTTP client of the sources: GET, redirects by hand, each hop judged by the guard, bodies
 * capped after decompression, a deadline for the whole exchange, a few connections a host.
 *
 * node:http rather than fetch: only it lets the guard sit in the connection's own name lookup.
 * HTTP proxies are not used.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { pipeline as pipelined } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Guard } from './guard.js';
import { messageOf, SourceError } from './source.js';

export const USER_AGENT = 'sheaf (documentation search; one visit per add or update)';
const MAX_REDIRECTS = 8;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** More at once on one host is unfriendly to it, whatever the whole allows. */
export const PER_HOST = 8;

export interface GetOptions {
  timeoutMs: number;
  maxBytes: number;
  /** A longer body is cut instead of refused. */
  truncate?: boolean;
  accept?: string;
  /** Goes to the first host alone. */
  authorization?: string;
}

export interface Reply {
  status: number;
  /** After redirects. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export class Fetcher {
  readonly #guard: Guard;
  readonly #signal: AbortSignal;
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: PER_HOST });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: PER_HOST });
  readonly #hosts = new Map<string, { free: number; waiting: (() => void)[] }>();

  constructor(guard: Guard, signal: AbortSignal) {
    this.#guard = guard;
    this.#signal = signal;
  }

  /** Any status is an answer. Errors: refused address, network, timeout, size. */
  async get(url: string, options: GetOptions): Promise<Reply> {
    return this.#exchange(url, options, async (response, at) => ({
      status: response.statusCode ?? 0,
      url: at.href,
      headers: response.headers,
      body: await readBody(response, at, options),
    }));
  }

  /** Saves the body of a 200 answer, undecoded, and returns its SHA-256. */
  async save(url: string, file: string, options: GetOptions): Promise<{ sha256: string; bytes: number }> {
    return this.#exchange(url, options, async (response, at) => {
      if (response.statusCode !== 200) throw statusError(at.href, response.statusCode ?? 0);
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
      await pipelined(response, counted, createWriteStream(file));
      return { sha256: hash.digest('hex'), bytes };
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #exchange<T>(start: string, options: GetOptions, use: (response: IncomingMessage, url: URL) => Promise<T>): Promise<T> {
    let url = parseUrl(start);
    let authorization = options.authorization;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const release = await this.#slot(url.host);
      // The clock starts when it is this request's turn.
      const deadline = AbortSignal.timeout(options.timeoutMs);
      try {
        const response = await this.#request(url, AbortSignal.any([this.#signal, deadline]), options.accept, authorization);
        const location = REDIRECTS.has(response.statusCode ?? 0) ? response.headers.location : undefined;
        if (location === undefined) {
          try {
            return await use(response, url);
          } finally {
            response.destroy();
          }
        }
        response.destroy();
        const next = parseUrl(location, url);
        if (next.origin !== url.origin) authorization = undefined;
        url = next;
      } catch (error) {
        if (this.#signal.aborted) throw this.#signal.reason;
        if (error instanceof SourceError) throw error;
        if (deadline.aborted) throw new SourceError('failed', `${url.href}: no complete answer within ${options.timeoutMs / 1000} s.`);
        throw new SourceError('failed', `${url.href}: ${messageOf(error)}.`, { cause: error });
      } finally {
        release();
      }
    }
    throw new SourceError('failed', `${start}: more than ${MAX_REDIRECTS} redirects.`);
  }

  #request(url: URL, signal: AbortSignal, accept: string | undefined, authorization: string | undefined): Promise<IncomingMessage> {
    this.#guard.check(url);
    const secure = url.protocol === 'https:';
    const headers: Record<string, string> = { 'user-agent': USER_AGENT, accept: accept ?? '*/*', 'accept-encoding': 'gzip, br' };
    if (authorization !== undefined) headers['authorization'] = authorization;
    const options = { headers, signal, agent: secure ? this.#https : this.#http, lookup: this.#guard.lookup(url) };
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(url, options, (response) => {
        response.on('error', () => {}); // whoever reads the body hears of it
        resolve(response);
      });
      request.once('error', reject);
      request.end();
    });
  }

  /** Waits for one of the host's places; returns how to give it back. */
  async #slot(host: string): Promise<() => void> {
    let places = this.#hosts.get(host);
    if (places === undefined) this.#hosts.set(host, (places = { free: PER_HOST, waiting: [] }));
    const own = places;
    if (own.free > 0) own.free--;
    else await new Promise<void>((resolve) => own.waiting.push(resolve));
    return () => {
      const next = own.waiting.shift();
      if (next === undefined) own.free++;
      else next();
    };
  }
}

async function readBody(response: IncomingMessage, url: URL, { maxBytes, truncate }: GetOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of decoded(response) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      if (!truncate) throw tooLarge(url.href, maxBytes);
      chunks.push(chunk.subarray(0, chunk.length - (bytes - maxBytes)));
      break;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decoded(response: IncomingMessage): Readable {
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return response;
  const decoder = coding === 'br' ? createBrotliDecompress() : coding === 'gzip' || coding === 'x-gzip' ? createGunzip() : coding === 'deflate' ? createInflate() : undefined;
  if (decoder === undefined) throw new Error(`its content coding '${coding.slice(0, 40)}' was not asked for`);
  return pipeline(response, decoder, () => {}); // an error reaches the reader through the decoder
}

export function parseUrl(text: string, base?: URL): URL {
  try {
    return new URL(text, base);
  } catch {
    throw new SourceError('usage', `'${text.slice(0, 200)}' is not a URL; expected one such as https://docs.example.org/sitemap.xml`);
  }
}

export function statusError(url: string, status: number): SourceError {
  return new SourceError(status === 404 || status === 410 ? 'missing' : 'failed', `${url} answered with HTTP status ${status}.`);
}

function tooLarge(url: string, maxBytes: number): SourceError {
  return new SourceError('failed', `${url} is larger than ${Math.round(maxBytes / 1e6)} MB.`);
}

/** `work` for each item, `limit` at once. The first error ends it. */
export async function forEachLimited<T>(items: readonly T[], limit: number, work: (item: T, index: number) => Promise<void>): Promise<void> {
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
