/**
 * Reads a site's file in pieces: `sheaf site` writes it as files of some ten kilobytes (web/node/site/pieces.ts), which any host can serve,
 * encoded or not:
 *
 *     site-0123456789ab.pieces/0.bin      u32 count, u32 length of each piece, then the first piece: what every query needs
 *     site-0123456789ab.pieces/1.bin …    the others, in order
 *
 * The file itself may lie beside them or not. A host that serves ranges sends what is wanted of a piece. Any other sends the piece, and is
 * asked for whole ones from then on, as is one whose range is not the one asked for. So no host sends much in vain.
 *
 * Invariants
 *  1. A piece has exactly the listed length, or reading it fails. The core checks the content, as always. A list that does
 *     not add up to the file's size, or names a piece longer than MAX_LENGTH, counts as none.
 *  2. A whole piece under way, or among the last ones read, is not asked for again. Until the host's way is known, nor is a piece of
 *     which a range is under way.
 *
 * Cost: a request for each piece that a read touches. The list is kept with the file's ranges (kept_ranges.ts), so that the
 * next page asks for nothing but what it lacks.
 */
import { abortable, SheafError, throwIfAborted } from './errors.js';
import { discard, isEncoded, parseContentRange, readBody } from './http_answer.js';
import { HEADER, sizeIn } from './header.js';
import { PIECES, type Kept } from './kept_ranges.js';
import { retryAfterOf } from './retry.js';

/** Some 1 MB. What the core was given it keeps, so that few are needed twice. */
const HELD = 64;
/** Pieces asked for at once: more than that would keep a small request behind a long read waiting. */
const AT_ONCE = 16;
/** The longest piece, and the most that there are; more than `sheaf site` writes. */
const MAX_LENGTH = 16 * 2 ** 20;
const MAX_COUNT = 2 ** 16;

/** `range`: the header, for a part of the file. */
type Get = (url: string, range?: string) => Promise<Response>;

export interface PiecesOptions {
  /** Bytes of the first request; undefined: all of the first piece. */
  first?: number | undefined;
  /** No ranges: they were wrong. */
  whole?: boolean;
}

export class Pieces {
  /** The file's size in bytes. */
  readonly size: number;
  /** The first piece, where it came with the list. */
  readonly first: Uint8Array | undefined;
  /** A piece was missing, or not the one that is listed. */
  isBroken = false;
  readonly #folder: string;
  readonly #get: Get;
  /** Where each piece ends in the file. */
  readonly #ends: readonly number[];
  /** Bytes before the piece in its file. */
  readonly #listed: number;
  /** By number; least recently used first. */
  readonly #held = new Map<number, Promise<Uint8Array>>();

  /** Whether the host serves ranges; undefined until one was asked for. */
  #hasRanges: boolean | undefined;
  /** Ranges under way while that is not known, by piece. */
  readonly #trials = new Map<number, Promise<unknown>>();

  constructor(folder: string, get: Get, lengths: readonly number[], first?: Uint8Array, whole = false) {
    let end = 0;
    this.#ends = lengths.map((length) => (end += length));
    this.size = end;
    this.first = first;
    this.#folder = folder;
    this.#get = get;
    this.#listed = 4 + 4 * lengths.length;
    if (whole) this.#hasRanges = false;
    if (first?.length === lengths[0]) this.#held.set(0, Promise.resolve(first as Uint8Array));
  }

  /** REQUIRES: the range lies within the file. */
  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    const end = offset + length;
    let number = this.#ends.findIndex((each) => each > offset);
    const work = async (): Promise<void> => {
      while (number >= 0 && number < this.#ends.length && this.#startOf(number) < end) {
        const from = Math.max(offset, this.#startOf(number));
        bytes.set(await this.#part(number, from, Math.min(end, this.#ends[number++] as number)), from - offset);
        throwIfAborted(signal);
      }
    };
    await abortable(Promise.all(Array.from({ length: AT_ONCE }, work)), signal);
    return bytes;
  }

  #startOf(number: number): number {
    return this.#ends[number - 1] ?? 0;
  }

  /** Bytes of a piece; `from` and `to` are offsets in the file. */
  async #part(number: number, from: number, to: number): Promise<Uint8Array> {
    const start = this.#startOf(number);
    const isAll = to - from === (this.#ends[number] as number) - start;
    if (!isAll && this.#hasRanges !== false && !this.#held.has(number)) {
      const trial = this.#hasRanges === undefined ? this.#trials.get(number) : undefined;
      if (trial !== undefined) {
        await trial.catch(() => {});
        return this.#part(number, from, to);
      }
      const range = this.#range(number, from, to);
      this.#trials.set(number, range);
      const bytes = await range.finally(() => this.#trials.get(number) === range && this.#trials.delete(number));
      if (bytes !== undefined) return bytes;
    }
    return (await this.#piece(number)).subarray(from - start, to - start);
  }

  /** undefined: the host does not send it so. A piece that came whole instead is held. */
  async #range(number: number, from: number, to: number): Promise<Uint8Array | undefined> {
    const { url, before, length } = this.#fileOf(number);
    const first = before + from - this.#startOf(number);
    const answer = await answerOf(url, this.#get, length, { first, last: first + to - from - 1, size: length });
    if (answer?.isPart) {
      this.#hasRanges ??= true;
      return answer.bytes;
    }
    this.#hasRanges = false;
    this.#hold(number, Promise.resolve(this.#checked(number, answer?.bytes)));
    return undefined;
  }

  #fileOf(number: number): { url: string; before: number; length: number } {
    const before = number === 0 ? this.#listed : 0;
    const length = before + (this.#ends[number] as number) - this.#startOf(number);
    return { url: `${this.#folder}${number}.bin`, before, length };
  }

  /** A failure is forgotten, so that the next call tries again. */
  #piece(number: number): Promise<Uint8Array> {
    return this.#hold(number, this.#held.get(number) ?? this.#fetch(number));
  }

  #hold(number: number, piece: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#held.delete(number);
    this.#held.set(number, piece);
    piece.catch(() => this.#held.get(number) === piece && this.#held.delete(number));
    const [oldest] = this.#held.keys();
    if (this.#held.size > HELD && oldest !== undefined) this.#held.delete(oldest);
    return piece;
  }

  /** Not aborted when nobody waits any more: whoever types asks for it again, with the next letter. */
  async #fetch(number: number): Promise<Uint8Array> {
    const { url, length } = this.#fileOf(number);
    return this.#checked(number, (await answerOf(url, this.#get, length))?.bytes);
  }

  #checked(number: number, bytes: Uint8Array | undefined): Uint8Array {
    const { url, before, length } = this.#fileOf(number);
    if (bytes?.length === length) return bytes.subarray(before);
    const what = bytes === undefined ? 'it is gone' : `it has ${bytes.length} bytes instead of ${length}`;
    this.isBroken = true;
    throw new SheafError('SOURCE_CHANGED', `${url} was replaced while it was being read: ${what}; open it again.`);
  }
}

/** The pieces of the file at `url`, or null where there are none. */
export async function openPieces(
  url: string,
  get: Get,
  kept: Kept | undefined,
  { first, whole = false }: PiecesOptions = {},
): Promise<Pieces | null> {
  const folder = url.replace(/\.sheaf([?#].*)?$/s, '.pieces/');
  const known = await listIn(kept);
  if (known !== undefined) return new Pieces(folder, get, known, undefined, whole);
  const read = async (range?: Range): Promise<Pieces | null> => {
    const answer = await answerOf(`${folder}0.bin`, get, MAX_LENGTH, range);
    const count = countIn(answer?.bytes);
    const list = answer?.bytes.slice(0, 4 + 4 * (count ?? 0));
    const head = answer?.bytes.subarray(list?.length);
    const lengths = lengthsIn(list, count);
    if (head !== undefined && head.length >= HEADER && (answer?.isPart || lengths?.[0] === head.length)) {
      const pieces = new Pieces(folder, get, lengths ?? [], head, whole);
      if (pieces.size === sizeIn(head)) {
        kept?.put(PIECES, list as Uint8Array);
        return pieces;
      }
    }
    return answer?.isPart ? read() : null; // the list may be longer, or the range wrong
  };
  return read(first === undefined || whole ? undefined : { first: 0, last: first - 1 });
}

async function listIn(kept: Kept | undefined): Promise<number[] | undefined> {
  const count = countIn(await kept?.get(PIECES, 4));
  const list = count === undefined ? undefined : await kept?.get(PIECES, 4 + 4 * count);
  return lengthsIn(list, count);
}

/** undefined for what is no list: some hosts send a page instead of 404. */
function countIn(bytes: Uint8Array | undefined): number | undefined {
  if (bytes === undefined || bytes.length < 4) return undefined;
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return count > 0 && count <= MAX_COUNT ? count : undefined;
}

function lengthsIn(list: Uint8Array | undefined, count: number | undefined): number[] | undefined {
  if (list === undefined || count === undefined || list.length !== 4 + 4 * count) return undefined;
  const view = new DataView(list.buffer, list.byteOffset, list.length);
  const lengths = Array.from({ length: count }, (_, i) => view.getUint32(4 + 4 * i, true));
  return lengths.every((length) => length > 0 && length <= MAX_LENGTH) ? lengths : undefined;
}

interface Range {
  first: number;
  last: number;
  /** Of the file, where it is known. */
  size?: number;
}

/** What a file holds, or the range asked for: the host chooses. undefined: it is missing. */
async function answerOf(
  url: string,
  get: Get,
  limit: number,
  range?: Range,
): Promise<{ bytes: Uint8Array; isPart: boolean } | undefined> {
  const response = await (range === undefined ? get(url) : get(url, `bytes=${range.first}-${range.last}`));
  const isPage = /^text\/html\b/i.test(response.headers.get('Content-Type') ?? '');
  const isPart = response.status === 206;
  if (range !== undefined && (isPart || response.status === 416)) {
    const { first, last, size } = range;
    const { start = first, total = size } = parseContentRange(response) ?? {}; // hidden across origins
    const wanted = Math.min(last + 1, total ?? last + 1) - first;
    if (isPart && !isEncoded(response) && start === first && total === (size ?? total)) {
      const bytes = await readBody(new Response(response.body), last + 1 - first, url);
      if (bytes.length === wanted) return { bytes, isPart };
    } else await discard(response);
    return answerOf(url, get, limit);
  }
  // Without its headers: across origins, Content-Encoding is hidden while Content-Length counts the encoded bytes.
  if (response.ok && !isPage) return { bytes: await readBody(new Response(response.body), limit, url), isPart: false };
  await discard(response);
  const { status } = response;
  if (isPage || status === 404 || status === 410 || status === 403) return undefined; // 403: of buckets that may not be listed
  throw new SheafError('NETWORK', `${url}: the server answered ${status}; try again later.`, {
    status,
    retryAfter: retryAfterOf(response),
  });
}

/** Across origins, Content-Range is visible only if the server exposes it; Content-Length, which this answer has, always is. */
export async function sizeByHead(response: Response, key: string): Promise<number> {
  await discard(response);
  const length = response.headers.get('Content-Length');
  const encoded = response.headers.get('Content-Encoding');
  if (!response.ok || length === null || !/^\d{1,15}$/.test(length) || encoded !== null) {
    throw new SheafError(
      'NETWORK',
      `${key}: the server answers range requests but does not tell the file's size; let it send ` +
        'Access-Control-Expose-Headers: Content-Range, ETag — or open the bundle with lazy: false.',
      { status: response.status },
    );
  }
  return Number(length);
}
