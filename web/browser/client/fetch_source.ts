/**
 * A source over HTTP.
 *
 *   first request   GET bytes=0-N (firstReadOf): holds a bundle's header and directory, and most often its indexes
 *     206           ranges work; Content-Range tells the size (or HEAD does, where CORS hides it)
 *     200           the server ignores Range: this answer is the file, and is kept whole if it is small, or not one of a site's
 *   later requests  GET one range each. Content-Range must be the one asked for, and the ETag (or
 *                   Last-Modified) must match the first one's. Otherwise, or if the file is gone,
 *                   SOURCE_CHANGED: CoreHost resets the source and starts over, once.
 * Failures that may pass are tried again (retry.ts). A first request that finds its file gone asks what
 * took its place (successor.ts).
 *
 * Where ranges fail (the whole file, an encoding, another total than the file's header has, another range than the one
 * asked for), and after a reset, a site's file is read as the pieces that lie beside it (pieces.ts); without pieces, or
 * after a reset because of them, it is downloaded whole. `ADDRESS#pieces` is read so from the start, by ranges of pieces where
 * the host serves them, and so are files of a folder whose other files were.
 *
 * Ranges that an earlier page read come from the browser's storage (kept_ranges.ts), unless the host or service worker
 * forbids that (kept.ts). A file with its hash in its name may be served from there without any request; for other
 * files, the first request reveals the identity.
 */
import { abortable, SheafError } from './errors.js';
import { HEADER, identityIn, sizeIn } from './header.js';
import { discard, isEncoded, networkError, parseContentRange, readBody, validatorOf } from './http_answer.js';
import { mayBeKept } from './kept.js';
import { KeptRanges, PIECES, type Kept } from './kept_ranges.js';
import { openPieces, sizeByHead, type Pieces } from './pieces.js';
import { persist, retryAfterOf } from './retry.js';
import { hashOf, isGone, successorOf } from './successor.js';
import { checkRange, MAX_WHOLE_BYTES, type OnProgress, type Source } from './source.js';
import { WHOLE_LIMIT } from './types.js';

/**
 * Bytes of a lazy source's first request. The container keeps header and directory within 16 KiB. For a bundle of some
 * 20,000 passages, this many bytes hold all that the core needs before it knows the query, which saves a round trip.
 */
export const FIRST_READ = 24 * 1024;
/** The same where meaning is searched too, which needs the centroids behind; of a bundle of some 13,000 passages. */
const FIRST_READ_WITH_MEANING = 40.5 * 1024;
/** The same for an encoder table of some 33,000 words, whose index comes first. */
const FIRST_READ_OF_TABLE = 12.25 * 1024;

/** Ends the address of a file that is there in pieces alone. */
export const PIECES_ALONE = '#pieces';

export function firstReadOf(file: 'bundle' | 'encoder', meaning = false): number {
  if (file === 'encoder') return FIRST_READ_OF_TABLE;
  return meaning ? FIRST_READ_WITH_MEANING : FIRST_READ;
}

export interface FetchSourceOptions {
  /** Download everything at once, without trying ranges. */
  whole?: boolean;
  /** Bytes of the first request. */
  first?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
  /** Where ranges of the file at this address are kept, in the place of the browser's storage. */
  kept?: (address: string) => Kept;
}

/** Folders of which a file was not to be had by range, and whether it is there in pieces; what each file's host does is kept with its ranges. */
const inPieces = new Map<string, Promise<boolean>>();

export class FetchSource implements Source {
  #url: string;
  readonly #fetch: typeof fetch;
  readonly #first: number;
  readonly #alwaysWhole: boolean;

  // Known after the first request.
  #started: Promise<number> | undefined;
  /** undefined while only kept bytes were seen. */
  #validator: string | undefined;
  #prefix: Uint8Array | undefined;
  #whole: Uint8Array | undefined;
  #rangesIgnored = false;
  /** Pieces are tried before ranges. */
  #inPieces: boolean;
  /** undefined: not tried. null: there are none, or not all. */
  #pieces: Pieces | null | undefined;
  #opening: Promise<Pieces | null> | undefined;
  /** What is read since a later request was not answered with its range. */
  #instead: Promise<number> | undefined;
  #cache: RequestCache = 'default';
  /** Only in secure contexts: elsewhere the browser keeps nothing. */
  #kept: Kept | undefined;

  constructor(url: URL | string, options: FetchSourceOptions = {}) {
    this.#url = String(url);
    const keep = options.kept ?? ('caches' in globalThis ? (address: string) => new KeptRanges(address) : undefined);
    this.#kept = keep?.(this.#url.replace(hashOf(this.#url) ?? '', ''));
    this.#inPieces = this.#hasOnlyPieces();
    this.#alwaysWhole = options.whole ?? false;
    this.#first = options.first ?? FIRST_READ;
    // Browsers require that fetch is called on the global object.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** The address; the successor's once the file is gone. */
  get key(): string {
    return this.#url;
  }

  get head(): Uint8Array | undefined {
    return this.#prefix;
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
    const kept = await this.#kept?.get(offset, length);
    if (kept !== undefined) return kept;
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
    if (this.#whole !== undefined) return this.#whole;
    const bytes = await this.read(0, size, signal);
    this.#kept?.put(0, bytes);
    return bytes;
  }

  has(offset: number, length: number): boolean {
    return this.#kept?.has(offset, length) ?? false;
  }

  keep(offset: number, bytes: Uint8Array): void {
    if ((this.#pieces || offset + bytes.length > this.#first) && this.#whole === undefined)
      this.#kept?.put(offset, bytes);
  }

  reset(): void {
    this.#started = undefined;
    this.#validator = undefined;
    this.#prefix = undefined;
    this.#whole = undefined;
    this.#instead = undefined;
    // Ranges may be what was wrong, unless a piece was.
    this.#inPieces = !this.#pieces?.isBroken || this.#hasOnlyPieces();
    this.#pieces = this.#inPieces ? undefined : null;
    this.#cache = 'reload'; // what the HTTP cache holds is the old file
    this.#kept?.clear();
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
    const begin = (): Promise<number> => persist(() => this.#tryBegin(signal, onProgress), signal);
    try {
      return await begin();
    } catch (error) {
      const gone = error instanceof SheafError && (error.status === 404 || error.status === 410);
      const successor = gone ? await successorOf(this.#url, this.#fetch, signal) : undefined;
      if (successor === undefined) {
        const size = gone ? await this.#tryPieces(signal) : undefined; // they may be all that is left
        if (size === undefined) throw error;
        return size;
      }
      this.#url = successor + (this.#hasOnlyPieces() ? PIECES_ALONE : '');
      this.#inPieces = this.#hasOnlyPieces();
      this.#pieces = undefined;
      this.#cache = 'default';
      return begin();
    }
  }

  async #tryBegin(signal?: AbortSignal, onProgress?: OnProgress): Promise<number> {
    const hash = hashOf(this.#url);
    if (hash !== undefined && this.#cache === 'default') {
      await this.#kept?.open(hash);
      if (!this.#alwaysWhole && this.#kept?.has(PIECES, 0)) this.#inPieces = true;
      const head = this.#alwaysWhole ? undefined : await this.#kept?.get(0, this.#inPieces ? HEADER : this.#first);
      const size = sizeIn(head);
      if (Number.isSafeInteger(size)) {
        this.#prefix = head;
        return size;
      }
      if (head !== undefined) this.#kept?.clear();
    }
    // Where another file of the folder failed, ranges of this one would too: what its pieces say is waited for.
    const known = inPieces.get(this.#folder());
    const isKnown = this.#inPieces || (known && (await abortable(known, signal)));
    const pieces = isKnown ? await this.#tryPieces(signal) : undefined;
    if (pieces !== undefined) return pieces;
    const response = await this.#request(this.#alwaysWhole ? {} : { Range: `bytes=0-${this.#first - 1}` }, signal);
    const range = parseContentRange(response);
    if (response.status === 416 && range?.total === 0) {
      await discard(response);
      this.#prefix = new Uint8Array(0);
      return 0; // no first byte to send: the file is empty, and the core will say so
    }
    if (response.status !== 206 || isEncoded(response) || (range?.start ?? 0) !== 0)
      return this.#doWithout(response, signal, onProgress);
    const prefix = await readBody(response, this.#first, this.key, signal);
    const total = range?.total ?? (await this.#sizeByHead(signal));
    if (prefix.length !== Math.min(this.#first, total))
      throw this.#cutShort(Math.min(this.#first, total), prefix.length);
    const size = sizeIn(prefix) === total ? undefined : await this.#tryPieces(signal);
    if (size !== undefined) return size;
    this.#validator = validatorOf(response);
    this.#prefix = prefix;
    if (hash !== undefined) this.#kept?.put(0, prefix);
    else await this.#kept?.open(identityIn(prefix));
    return total;
  }

  /** The size of a file that is read as pieces from now on; undefined when there are none. */
  async #tryPieces(signal?: AbortSignal): Promise<number | undefined> {
    if (this.#pieces === undefined && hashOf(this.#url) !== undefined) {
      const whole = this.#cache === 'reload';
      const get = (url: string, range?: string): Promise<Response> =>
        range === undefined
          ? this.#request({}, undefined, 'GET', this.#cache, url)
          : this.#request({ Range: range }, undefined, 'GET', 'no-store', url);
      // All of the first piece is for readers of meaning.
      const first = this.#first === FIRST_READ ? FIRST_READ : undefined;
      const opening = (this.#opening ??= openPieces(this.#url, get, this.#kept, { first, whole }).finally(
        () => (this.#opening = undefined),
      ));
      const found = opening.then(Boolean, () => false);
      const known = inPieces.get(this.#folder());
      // A file without pieces says nothing of others, nor does one that has no other form.
      if (!this.#hasOnlyPieces()) inPieces.set(this.#folder(), known?.then((isKnown) => isKnown || found) ?? found);
      this.#pieces = await abortable(opening, signal);
      const head = this.#pieces?.first;
      if (head !== undefined) {
        this.#prefix = head;
        this.#kept?.put(0, head);
      }
    }
    return this.#pieces?.size;
  }

  /** For an answer that is not the range asked for: the file's size. It is there in pieces or whole then. */
  async #doWithout(response: Response, signal?: AbortSignal, onProgress?: OnProgress): Promise<number> {
    let answer = response;
    const isWhole = answer.status !== 206;
    const isShort = Number(answer.headers.get('Content-Length') ?? Number.NaN) <= WHOLE_LIMIT;
    const mayHavePieces = this.#pieces !== null && !this.#alwaysWhole && hashOf(this.#url) !== undefined;
    if (!isWhole || (mayHavePieces && !isShort && answer.ok && !isGone(this.#url, answer))) {
      void discard(answer); // at once, since it may be long
      const size = await this.#tryPieces(signal);
      if (size !== undefined) return size;
      answer = await this.#request({}, signal);
    }
    if (!answer.ok || isGone(this.#url, answer)) throw await this.#badStatus(answer);
    this.#rangesIgnored = !this.#alwaysWhole;
    this.#validator = validatorOf(answer);
    this.#whole = await readBody(answer, MAX_WHOLE_BYTES, this.key, signal, onProgress);
    return this.#whole.length;
  }

  #readRange(offset: number, length: number, size: number, signal?: AbortSignal): Promise<Uint8Array> {
    return persist(async () => {
      if (this.#inPieces) await this.#tryPieces(signal); // as an earlier page found out
      return this.#pieces?.read(offset, length, signal) ?? this.#tryRange(offset, length, size, signal);
    }, signal);
  }

  async #tryRange(offset: number, length: number, size: number, signal?: AbortSignal): Promise<Uint8Array> {
    const last = offset + length - 1;
    // Bypass the browser's cache: it serialises requests for one address, at a round trip each.
    const response = await this.#request(
      { Range: `bytes=${offset}-${last}` },
      signal,
      'GET',
      this.#cache === 'reload' ? 'reload' : 'no-store',
    );
    if (response.status === 416 || isGone(this.#url, response)) {
      await discard(response);
      throw this.#changed(response.status === 416 ? `it no longer has the bytes ${offset}-${last}` : 'it is gone');
    }
    if (response.status !== 206 && !response.ok) throw await this.#badStatus(response);
    const validator = validatorOf(response);
    this.#validator ??= validator;
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
      if (!isEncoded(response) && (range?.start ?? offset) === offset && (range?.end ?? last) === last) {
        const bytes = await readBody(response, length, this.key, signal);
        if (bytes.length !== length) throw this.#cutShort(length, bytes.length);
        return bytes;
      }
    }
    // Some servers and caches occasionally send another range, or the whole file; maybe for several requests at a time.
    if (this.#instead !== undefined) void discard(response);
    else (this.#instead = this.#doWithout(response)).catch(() => (this.#instead = undefined));
    const now = await abortable(this.#instead as Promise<number>, signal);
    if (now !== size) throw this.#changed(`its size was ${size} and is now ${now}`);
    return this.read(offset, length, signal);
  }

  /** Across origins, Content-Range is visible only if the server exposes it; Content-Length always is. */
  async #sizeByHead(signal?: AbortSignal): Promise<number> {
    return sizeByHead(await this.#request({}, signal, 'HEAD'), this.key);
  }

  async #request(
    headers: Record<string, string>,
    signal?: AbortSignal,
    method = 'GET',
    cache = this.#cache,
    url = this.#url,
  ): Promise<Response> {
    try {
      const response = await this.#fetch(url, {
        method,
        headers,
        cache,
        ...(signal === undefined ? {} : { signal }),
      });
      if (!mayBeKept(response)) this.#keepNothing();
      return response;
    } catch (error) {
      throw networkError(error, this.key, signal);
    }
  }

  #hasOnlyPieces(): boolean {
    return this.#url.endsWith(PIECES_ALONE);
  }

  #folder(): string {
    return this.#url.replace(/[^/]*$/, '');
  }

  #keepNothing(): void {
    this.#kept?.clear();
    this.#kept = undefined;
  }

  async #badStatus(response: Response): Promise<SheafError> {
    await discard(response);
    const answered = response.ok
      ? 'with a web page'
      : `${response.status}${response.statusText ? ` ${response.statusText}` : ''}`;
    const gone = isGone(this.#url, response);
    return new SheafError(
      'NETWORK',
      `${this.key}: the server answered ${answered}; ${gone ? 'check the address; after a new deploy, reload the page' : 'try again later'}.`,
      { status: response.ok ? 404 : response.status, retryAfter: retryAfterOf(response) },
    );
  }

  #cutShort(expected: number, got: number): SheafError {
    return new SheafError(
      'NETWORK',
      `${this.key}: the answer ended early, after ${got} of ${expected} bytes; try again.`,
    );
  }

  #changed(detail: string): SheafError {
    return new SheafError(
      'SOURCE_CHANGED',
      `${this.key} was replaced while it was being read: ${detail}; open it again.`,
    );
  }
}
