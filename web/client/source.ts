/**
 * Where bytes come from. A Source knows its size and reads ranges of itself; nothing else in the
 * client touches network or files (files: node.ts).
 *
 * FetchSource over HTTP
 *   first request   GET bytes=0-16383: header and directory of a bundle lie there
 *     206           ranges work; Content-Range tells the size (or HEAD does, where CORS hides it)
 *     200           the server ignores Range: this answer is the file, and is kept whole
 *   later requests  GET one range each. Content-Range must be the one asked for, and the ETag (or
 *                   Last-Modified) must be the first one's; otherwise SOURCE_CHANGED, upon which the
 *                   engine resets the source and starts afresh, once.
 */
import { abortError, asSheafError, SheafError } from './errors.js';

/** Called as bytes arrive; `total` is undefined while unknown. */
export type OnProgress = (loaded: number, total?: number) => void;

export interface Source {
  /** Names the source in messages: a URL, a path. */
  readonly key: string;
  /** Reading needs no network, so reading everything at once is cheap. */
  readonly local?: boolean;
  /** All of it was downloaded because the server does not do ranges; known after `size`. */
  readonly rangesIgnored?: boolean;
  /** The file's size in bytes. Reports progress where only a download tells it. */
  size(signal?: AbortSignal, onProgress?: OnProgress): Promise<number>;
  /** Exactly `length` bytes from `offset`; both lie within the size. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** The whole file, where there is a better way than one long `read`. */
  readAll?(signal?: AbortSignal, onProgress?: OnProgress): Promise<Uint8Array>;
  /** Forgets what is known of the file, after SOURCE_CHANGED. */
  reset?(): void;
  /** Nothing more will be read. */
  close?(): void | Promise<void>;
}

/** Largest file that is held whole in memory; the core's address space is 4 GiB, of which it needs a part itself. */
export const MAX_WHOLE_BYTES = 2 ** 30;

/** First request of a lazy source: the container keeps header and directory within it. */
export const FIRST_READ = 16 * 1024;

export class BytesSource implements Source {
  readonly key: string;
  readonly local = true;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array | ArrayBuffer, key = 'bytes') {
    this.#bytes = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
    this.key = key;
  }

  async size(): Promise<number> {
    return this.#bytes.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.key, offset, length, this.#bytes.length);
    return this.#bytes.subarray(offset, offset + length);
  }
}

export class BlobSource implements Source {
  readonly key: string;
  readonly local = true;
  readonly #blob: Blob;

  constructor(blob: Blob, key = typeof File !== 'undefined' && blob instanceof File ? blob.name : 'blob') {
    this.#blob = blob;
    this.key = key;
  }

  async size(): Promise<number> {
    return this.#blob.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.key, offset, length, this.#blob.size);
    try {
      return new Uint8Array(await this.#blob.slice(offset, offset + length).arrayBuffer());
    } catch (error) {
      throw asSheafError(error, 'FILE', `${this.key} could not be read; was the file moved or changed?`);
    }
  }
}

export interface FetchSourceOptions {
  /** Download everything at once, without trying ranges. */
  whole?: boolean;
  /** Stands in for the global `fetch`. */
  fetch?: typeof fetch;
}

export class FetchSource implements Source {
  readonly key: string;
  readonly #fetch: typeof fetch;
  readonly #alwaysWhole: boolean;

  // Known after the first request.
  #started: Promise<number> | undefined;
  #validator = '';
  #prefix: Uint8Array | undefined;
  #whole: Uint8Array | undefined;
  #rangesIgnored = false;
  #cache: RequestCache = 'default';

  constructor(url: URL | string, options: FetchSourceOptions = {}) {
    this.key = String(url);
    this.#alwaysWhole = options.whole ?? false;
    // Browsers insist that fetch is called on the global object.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  get rangesIgnored(): boolean {
    return this.#rangesIgnored;
  }

  size(signal?: AbortSignal, onProgress?: OnProgress): Promise<number> {
    return this.#start(signal, onProgress);
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const size = await this.#start(signal);
    checkRange(this.key, offset, length, size);
    const held = this.#whole ?? this.#prefix;
    const end = offset + length;
    if (held !== undefined && end <= held.length) return held.subarray(offset, end);
    if (held !== undefined && offset < held.length) {
      const rest = await this.#readRange(held.length, end - held.length, size, signal);
      const bytes = new Uint8Array(length);
      bytes.set(held.subarray(offset));
      bytes.set(rest, held.length - offset);
      return bytes;
    }
    return this.#readRange(offset, length, size, signal);
  }

  async readAll(signal?: AbortSignal, onProgress?: OnProgress): Promise<Uint8Array> {
    const size = await this.#start(signal, onProgress);
    return this.#whole ?? this.read(0, size, signal);
  }

  reset(): void {
    this.#started = undefined;
    this.#validator = '';
    this.#prefix = undefined;
    this.#whole = undefined;
    this.#cache = 'reload'; // what the HTTP cache holds is the old file
  }

  close(): void {
    this.#prefix = undefined;
    this.#whole = undefined;
  }

  /** The first request, made once; after a failure the next call tries again. */
  #start(signal?: AbortSignal, onProgress?: OnProgress): Promise<number> {
    if (this.#started === undefined) {
      const started = this.#begin(signal, onProgress);
      this.#started = started;
      started.catch(() => {
        if (this.#started === started) this.#started = undefined;
      });
    }
    return this.#started;
  }

  async #begin(signal?: AbortSignal, onProgress?: OnProgress): Promise<number> {
    const response = await this.#request(this.#alwaysWhole ? {} : { Range: `bytes=0-${FIRST_READ - 1}` }, signal);
    if (response.status === 416 && parseContentRange(response)?.total === 0) {
      await discard(response);
      this.#prefix = new Uint8Array(0);
      return 0; // no first byte to send: the file is empty, and the core will say so
    }
    if (response.status === 206) {
      const range = parseContentRange(response);
      if (range !== undefined && range.start !== 0) throw await this.#wrongRange(response, 0, FIRST_READ);
      const prefix = await readBody(response, FIRST_READ, this.key, signal);
      const total = range?.total ?? (await this.#sizeByHead(signal));
      if (prefix.length !== Math.min(FIRST_READ, total)) throw this.#cutShort(Math.min(FIRST_READ, total), prefix.length);
      this.#validator = validatorOf(response);
      this.#prefix = prefix;
      return total;
    }
    if (!response.ok) throw await this.#badStatus(response);
    this.#rangesIgnored = !this.#alwaysWhole;
    this.#validator = validatorOf(response);
    this.#whole = await readBody(response, MAX_WHOLE_BYTES, this.key, signal, onProgress);
    return this.#whole.length;
  }

  async #readRange(offset: number, length: number, size: number, signal?: AbortSignal): Promise<Uint8Array> {
    const last = offset + length - 1;
    const response = await this.#request({ Range: `bytes=${offset}-${last}` }, signal);
    if (response.status === 416) {
      await discard(response);
      throw this.#changed(`it no longer has the bytes ${offset}-${last}`);
    }
    if (response.status !== 206 && !response.ok) throw await this.#badStatus(response);
    const validator = validatorOf(response);
    if (validator !== this.#validator) {
      await discard(response);
      throw this.#changed(`its ETag was ${this.#validator || 'none'} and is now ${validator || 'none'}`);
    }
    if (response.status === 206) {
      const range = parseContentRange(response);
      if (range?.total !== undefined && range.total !== size) {
        await discard(response);
        throw this.#changed(`its size was ${size} and is now ${range.total}`);
      }
      if (range !== undefined && (range.start !== offset || range.end !== last)) throw await this.#wrongRange(response, offset, length);
      const bytes = await readBody(response, length, this.key, signal);
      if (bytes.length !== length) throw this.#cutShort(length, bytes.length);
      return bytes;
    }
    // The same file, but whole: some servers and caches do so now and then. It is kept.
    const whole = await readBody(response, MAX_WHOLE_BYTES, this.key, signal);
    if (whole.length !== size) throw this.#changed(`its size was ${size} and is now ${whole.length}`);
    this.#rangesIgnored = true;
    this.#whole = whole;
    return whole.subarray(offset, offset + length);
  }

  /** Across origins, Content-Range is visible only if the server exposes it; Content-Length always is. */
  async #sizeByHead(signal?: AbortSignal): Promise<number> {
    const response = await this.#request({}, signal, 'HEAD');
    await discard(response);
    const length = response.headers.get('Content-Length');
    const encoded = response.headers.get('Content-Encoding');
    if (!response.ok || length === null || !/^\d{1,15}$/.test(length) || encoded !== null) {
      throw new SheafError(
        'NETWORK',
        `${this.key}: the server answers range requests but does not tell the file's size; let it send ` +
          'Access-Control-Expose-Headers: Content-Range, ETag — or open the bundle with lazy: false.',
      );
    }
    return Number(length);
  }

  async #request(headers: Record<string, string>, signal?: AbortSignal, method = 'GET'): Promise<Response> {
    try {
      return await this.#fetch(this.key, { method, headers, cache: this.#cache, ...(signal === undefined ? {} : { signal }) });
    } catch (error) {
      throw networkError(error, this.key, signal);
    }
  }

  async #badStatus(response: Response): Promise<SheafError> {
    await discard(response);
    return new SheafError(
      'NETWORK',
      `${this.key}: the server answered ${response.status}${response.statusText ? ` ${response.statusText}` : ''}; check the address.`,
      { status: response.status },
    );
  }

  async #wrongRange(response: Response, offset: number, length: number): Promise<SheafError> {
    await discard(response);
    return new SheafError(
      'NETWORK',
      `${this.key}: asked for bytes ${offset}-${offset + length - 1}, the server sent “${response.headers.get('Content-Range')}”; open the bundle with lazy: false.`,
    );
  }

  #cutShort(expected: number, got: number): SheafError {
    return new SheafError('NETWORK', `${this.key}: the answer ended early, after ${got} of ${expected} bytes; try again.`);
  }

  #changed(detail: string): SheafError {
    return new SheafError('SOURCE_CHANGED', `${this.key} was replaced while it was being read: ${detail}; open it again.`);
  }
}

export function isSource(value: unknown): value is Source {
  const source = value as Partial<Source> | null;
  return typeof source === 'object' && source !== null && typeof source.size === 'function' && typeof source.read === 'function';
}

export function checkRange(key: string, offset: number, length: number, size: number): void {
  if (Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0 && offset + length <= size) return;
  throw new SheafError('TRUNCATED', `${key}: bytes ${offset} to ${offset + length} are wanted, but it has ${size}; is the file complete?`);
}

/** `bytes 0-99/1234`; the total is undefined when it is `*`. */
export function parseContentRange(response: Response): { start: number; end: number; total: number | undefined } | undefined {
  const value = response.headers.get('Content-Range');
  if (value === null) return undefined;
  const match = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/.exec(value.trim());
  if (match === null) return undefined;
  return {
    start: Number(match[1] ?? 0),
    end: Number(match[2] ?? -1),
    total: match[3] === '*' ? undefined : Number(match[3]),
  };
}

/** What tells one version of the file from another; empty when the server (or CORS) shows nothing. */
function validatorOf(response: Response): string {
  const etag = response.headers.get('ETag');
  if (etag !== null) return etag.replace(/^W\//, '');
  return response.headers.get('Last-Modified') ?? '';
}

/** The body, refused once it exceeds `limit` bytes, so that no server can fill the memory. */
export async function readBody(
  response: Response,
  limit: number,
  key: string,
  signal?: AbortSignal,
  onProgress?: OnProgress,
): Promise<Uint8Array> {
  const tooLarge = (): SheafError =>
    new SheafError('TOO_LARGE', `${key}: the server sends more than the ${limit} bytes expected; ranges may not work, or the file is too large to be held whole.`);
  const announced = Number(response.headers.get('Content-Length') ?? Number.NaN);
  // With a content encoding, Content-Length counts the encoded bytes.
  const total = Number.isSafeInteger(announced) && response.headers.get('Content-Encoding') === null ? announced : undefined;
  if (total !== undefined && total > limit) {
    await discard(response);
    throw tooLarge();
  }
  if (response.body === null) return new Uint8Array(0);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      loaded += value.length;
      if (loaded > limit) throw tooLarge();
      chunks.push(value);
      onProgress?.(loaded, total);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw networkError(error, key, signal);
  }
  if (total !== undefined && loaded < total) {
    throw new SheafError('NETWORK', `${key}: the answer ended early, after ${loaded} of ${total} bytes; try again.`);
  }
  const bytes = new Uint8Array(loaded);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
}

async function discard(response: Response): Promise<void> {
  try {
    await response.body?.cancel();
  } catch {
    // Nothing of it is wanted anyway.
  }
}

function networkError(error: unknown, key: string, signal: AbortSignal | undefined): SheafError {
  if (error instanceof SheafError) return error;
  if (signal?.aborted) return abortError(signal);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return asSheafError(error, 'NETWORK', `${key} could not be fetched${cause}`);
}
