/**
 * A model's files in the browser: fetched with progress, checked by SHA-256, kept in Cache Storage.
 *
 * Idea: the cache is keyed by content, so pages of one origin that use the same model share it, and
 * a file that was evicted, truncated or changed is simply fetched again. No answer depends on the
 * cache: full or forbidden storage only costs the next visit a download.
 *
 * Invariant: returned bytes have the SHA-256 and the size that the descriptor names.
 * Cost: one hash of each file per page load, about 50 ms for 23 MB.
 */
import { asSheafError, SheafError, throwIfAborted } from '../client/errors.js';
import { readBody } from '../client/http_answer.js';
import type { FileFacts } from './descriptor.js';
import { pause } from './pause.js';

export interface ModelProgress {
  /** Path of the file within the model. */
  file: string;
  loaded: number;
  total: number;
  /** Came out of Cache Storage. */
  cached: boolean;
}

export interface FetchModelOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: ModelProgress) => void) | undefined;
  /** Cache Storage to keep files in; false keeps none. Default 'sheaf-models'. */
  cache?: string | false | undefined;
}

const DEFAULT_CACHE = 'sheaf-models';
/** Tries per file; after three failures in a row the next visit tries again. */
const TRIES = 3;
/** Wrong bytes are fetched once more: a proxy may have corrupted them, but a server rarely changes its answer. */
const TRIES_WRONG = 2;

/** The bytes of `path`. Errors: NETWORK, CHECKSUM_MISMATCH, ABORTED, RUNTIME (no secure context). */
export async function fetchModelFile(
  path: string,
  url: URL,
  facts: FileFacts,
  options: FetchModelOptions = {},
): Promise<Uint8Array> {
  if (globalThis.crypto?.subtle === undefined) {
    throw new SheafError(
      'RUNTIME',
      'Model files are checked by SHA-256, which browsers offer on https: and localhost only; serve the page there.',
    );
  }
  const report = (loaded: number, cached: boolean): void =>
    options.onProgress?.({ file: path, loaded, total: facts.bytes, cached });
  const store = await openCache(options.cache ?? DEFAULT_CACHE);
  const key = new URL(`/.sheaf/sha256/${facts.sha256}`, globalThis.location?.href ?? 'https://localhost/').href;

  const held = await store?.match(key).catch(() => undefined);
  if (held !== undefined) {
    const bytes = new Uint8Array(await held.arrayBuffer().catch(() => new ArrayBuffer(0)));
    if (bytes.length === facts.bytes && (await sha256(bytes)) === facts.sha256) {
      report(bytes.length, true);
      return bytes;
    }
    await store?.delete(key).catch(() => {});
  }
  throwIfAborted(options.signal);

  const bytes = await fetchWithRetries(path, url, facts, options.signal, (loaded) => report(loaded, false));
  await store
    ?.put(
      key,
      new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { 'Content-Type': 'application/octet-stream' } }),
    )
    .catch((error: unknown) => {
      console.warn(
        `sheaf: ${path} could not be kept for the next visit: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
  return bytes;
}

async function openCache(name: string | false): Promise<Cache | undefined> {
  if (name === false || globalThis.caches === undefined) return undefined;
  return globalThis.caches.open(name).catch(() => undefined); // private windows may forbid it
}

async function fetchWithRetries(
  path: string,
  url: URL,
  facts: FileFacts,
  signal: AbortSignal | undefined,
  onLoaded: (loaded: number) => void,
): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(path, url, facts, signal, onLoaded);
    } catch (error) {
      throwIfAborted(signal);
      const known = asSheafError(error, 'NETWORK', `${path} could not be fetched from ${url.href}`);
      const final =
        known.code === 'ABORTED' ||
        (known.status !== undefined && known.status < 500 && known.status !== 408 && known.status !== 429);
      const wrong = known.code === 'CHECKSUM_MISMATCH' || known.code === 'TOO_LARGE';
      if (final || attempt >= (wrong ? TRIES_WRONG : TRIES)) throw known;
      await pause(250 * 4 ** (attempt - 1) * (0.5 + Math.random()), signal);
    }
  }
}

async function fetchOnce(
  path: string,
  url: URL,
  facts: FileFacts,
  signal: AbortSignal | undefined,
  onLoaded: (loaded: number) => void,
): Promise<Uint8Array> {
  let response: Response;
  try {
    // Kept by content in Cache Storage: a second copy in the HTTP cache would be waste.
    response = await fetch(url, { cache: 'no-store', ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    throw asSheafError(error, 'NETWORK', `${path} could not be fetched from ${url.href}`);
  }
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    throw new SheafError('NETWORK', `${path} could not be fetched: ${url.href} answered ${response.status}.`, {
      status: response.status,
    });
  }
  const bytes = await readBody(response, facts.bytes, url.href, signal, onLoaded);
  const found = await sha256(bytes);
  if (bytes.length !== facts.bytes || found !== facts.sha256) {
    throw new SheafError(
      'CHECKSUM_MISMATCH',
      `${url.href} has ${bytes.length} bytes with the SHA-256 ${found}; the model's descriptor says ${facts.bytes} and ${facts.sha256}.`,
    );
  }
  return bytes;
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
