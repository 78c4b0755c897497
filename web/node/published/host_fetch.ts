/**
 * `fetch` for the client's reader of remote files, by the guarded client (web/node/net): every hop is checked before the
 * request, an https address never leads to plain http, and no wait is without an end.
 *
 * Deadlines: a host has ANSWER_MS for its headers and between two parts of a body. A host that missed one is not asked for
 * as long again: what reads by many requests at once, and tries again, fails after one deadline instead of a dozen.
 */
import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { SheafError } from '../../browser/client/errors.js';
import { MAX_WHOLE_BYTES } from '../../browser/client/source.js';
import { decoded, get, Guard, HttpFailure } from '../net/guarded_http.js';

export const ANSWER_MS = 10_000;
/** After so long, `onWait` learns of it. */
const TELL_MS = 2_000;
const MAX_REDIRECTS = 8;
const USER_AGENT = 'sheaf (documentation search; reads a published bundle by range)';

export interface HostFetchOptions {
  /** An address that the user gave: a private one is meant, and so is plain http. */
  own: URL;
  /** Called once a request has waited two seconds for this host. */
  onWait?: (host: string) => void;
  /** For tests. */
  answerMs?: number;
  isPrivate?: (address: string) => boolean;
}

export function hostFetch({ own, onWait, answerMs = ANSWER_MS, isPrivate }: HostFetchOptions): typeof fetch {
  const guard = new Guard({ allowPrivate: false, own, fromInside: true, refuse, isPrivate });
  const silentUntil = new Map<string, number>();
  return (input, { method, headers, signal } = {}) =>
    new Promise<Response>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const start = new URL(input instanceof Request ? input.url : String(input));
      let deadline: Deadline | undefined;
      const abort = (): void => {
        deadline?.cancel();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
      const hop = async <T>(url: URL, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
        if (url.protocol !== 'https:' && own.protocol === 'https:')
          throw new SheafError('NETWORK', `${url.origin} is refused: ${own.origin} leads from https to plain http.`);
        if ((silentUntil.get(url.host) ?? 0) > Date.now()) throw noAnswer(url, answerMs);
        const current = new Deadline(answerMs, () => onWait?.(url.host));
        deadline = current;
        current.signal.addEventListener(
          'abort',
          () => current.isOver && silentUntil.set(url.host, Date.now() + answerMs),
        );
        try {
          return await work(current.signal);
        } catch (error) {
          throw current.isOver ? noAnswer(url, answerMs) : named(error, url);
        } finally {
          current.end();
        }
      };
      const request = {
        guard,
        headers: { ...(headers as Record<string, string>), 'user-agent': USER_AGENT, 'accept-encoding': 'identity' },
        maxRedirects: MAX_REDIRECTS,
        hop,
        badRedirect: (location: string): Error =>
          new SheafError('NETWORK', `${start.href} redirects to '${location.slice(0, 200)}', or too often.`),
      };
      // The exchange lasts until the body is read, or given up, by whoever gets the response.
      get(start, request, async (response, url) => {
        if (method === 'HEAD' || [204, 205, 304].includes(response.statusCode ?? 0)) {
          return resolve(responseOf(response, url, null));
        }
        const body = decoded(response);
        const limit = new SheafError('TOO_LARGE', `${url.href} is longer than ${MAX_WHOLE_BYTES} bytes.`);
        let bytes = 0;
        body.on('data', (part: Buffer) => {
          deadline?.restart();
          bytes += part.length;
          if (bytes > MAX_WHOLE_BYTES) body.destroy(limit);
        });
        deadline?.signal.addEventListener('abort', () => body.destroy(noAnswer(url, answerMs)));
        const over = new Promise((done) => body.once('close', done));
        resolve(responseOf(response, url, Readable.toWeb(body) as unknown as ReadableStream<Uint8Array>));
        await over;
      })
        .catch(reject) // once the response is there, its body fails instead
        .finally(() => signal?.removeEventListener('abort', abort));
    });
}

/** Fires when nothing came for a while. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #tell: NodeJS.Timeout;
  #timer: NodeJS.Timeout;
  isOver = false;

  constructor(ms: number, onWait: () => void) {
    this.#ms = ms;
    this.#tell = setTimeout(onWait, TELL_MS);
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#tell);
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  cancel(): void {
    this.end();
    this.#controller.abort();
  }

  end(): void {
    clearTimeout(this.#tell);
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, this.#ms);
  }
}

/** With the address after redirects, as `fetch` has it. */
function responseOf(response: IncomingMessage, url: URL, body: ReadableStream<Uint8Array> | null): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers))
    for (const single of [value].flat()) if (single !== undefined) headers.append(name, single);
  const answered = new Response(body, { status: response.statusCode ?? 500, headers });
  return Object.defineProperty(answered, 'url', { value: url.href });
}

/** A failure of the connection, by the name of its host. */
function named(error: unknown, { host }: URL): unknown {
  if (!(error instanceof HttpFailure)) return error;
  return new SheafError('NETWORK', `${host} cannot be reached: ${error.message}.`, { cause: error });
}

function noAnswer(url: URL, ms: number): SheafError {
  return new SheafError(
    'NETWORK',
    `${url.host} did not answer within ${ms / 1000} s; check the network and the address.`,
  );
}

function refuse(url: URL, address: string | undefined): SheafError {
  return new SheafError(
    'NETWORK',
    address === undefined
      ? `${url.href} is refused: only http and https addresses are followed.`
      : `${url.origin} is refused: ${address} is an address of this machine or a private network, and a public site led there.`,
  );
}
