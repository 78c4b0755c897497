/**
 * Asks a host as a browser would, through the guarded client, and keeps its answers as they were sent.
 *
 * Idea: bodies stay encoded, because how many bytes travel is one of the questions. What a stranger's host sends is
 * bounded: every body by the caller's limit, every request by a deadline.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:tls';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { get, type Guard } from '../../net/guarded_http.js';

const MAX_REDIRECTS = 8;
const TIMEOUT_MS = 20_000;
/** As Chromium and Firefox ask over plain HTTP; over HTTPS they add zstd. */
const CODINGS = 'gzip, deflate, br';

export interface Answer {
  /** After redirects. */
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  /** As it was sent; at most as long as was asked for. */
  body: Buffer;
}

export interface Ask {
  headers?: Readonly<Record<string, string>>;
  /** The rest of a longer body is not read; 0: none of it. */
  maxBytes: number;
}

export class Visitor {
  readonly #guard: Guard;
  readonly #signal: AbortSignal;
  /** Requests made and bytes of bodies read. */
  readonly tally = { requests: 0, bytes: 0 };

  constructor(guard: Guard, signal: AbortSignal) {
    this.#guard = guard;
    this.#signal = signal;
  }

  /** Any status is an answer. Errors: those of the guard, HttpFailure, a deadline. */
  get(url: URL, { headers = {}, maxBytes }: Ask): Promise<Answer> {
    this.tally.requests++;
    const request = {
      guard: this.#guard,
      headers: {
        'user-agent': 'sheaf doctor (checks how a search is deployed)',
        accept: '*/*',
        'accept-encoding': 'range' in headers ? 'identity' : CODINGS, // as browsers ask
        ...headers,
      },
      maxRedirects: MAX_REDIRECTS,
      hop: <T>(at: URL, work: (signal: AbortSignal) => Promise<T>): Promise<T> => this.#hop(at, work),
      badRedirect: (location: string): Error => new Error(`it redirects to '${location.slice(0, 200)}', or too often`),
    };
    return get(url, request, async (response, at) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      if (maxBytes > 0) {
        for await (const chunk of response as AsyncIterable<Buffer>) {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes >= maxBytes) break;
        }
      }
      this.tally.bytes += bytes;
      const body = Buffer.concat(chunks).subarray(0, maxBytes);
      return { url: at, status: response.statusCode ?? 0, headers: response.headers, body };
    });
  }

  /** The protocol that TLS agrees on: `h2`, `http/1.1`. Undefined: over plain HTTP, or nothing was agreed on. */
  async protocol(url: URL): Promise<string | undefined> {
    if (url.protocol !== 'https:') return undefined;
    this.#guard.check(url);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve) => {
      const socket = connect({
        host,
        port: Number(url.port || 443),
        ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
        ALPNProtocols: ['h2', 'http/1.1'],
        lookup: this.#guard.lookup(url),
      });
      const end = (protocol?: string): void => {
        socket.destroy();
        resolve(protocol);
      };
      socket.setTimeout(TIMEOUT_MS, end);
      socket.once('error', () => end());
      socket.once('secureConnect', () => end(socket.alpnProtocol || undefined));
    });
  }

  async #hop<T>(url: URL, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await work(AbortSignal.any([this.#signal, deadline]));
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      if (deadline.aborted) throw new Error(`${url.href} gave no complete answer within ${TIMEOUT_MS / 1000} s`);
      throw error;
    }
  }
}

/** The body without its content coding; empty where that cannot be undone. Pure. */
export function decodedBody({ headers, body }: Answer, maxBytes: number): Buffer {
  const options = { maxOutputLength: maxBytes };
  try {
    switch (codingOf(headers)) {
      case '':
        return body;
      case 'br':
        return brotliDecompressSync(body, options);
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(body, options);
      case 'deflate':
        return inflateSync(body, options);
      default:
        return Buffer.alloc(0);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** `br`, `gzip`, …; '' for none. Pure. */
export function codingOf(headers: IncomingHttpHeaders): string {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  return coding === 'identity' ? '' : coding;
}

/** Without parameters, in lower case; '' for none. Pure. */
export function typeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}
