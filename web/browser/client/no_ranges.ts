/**
 * Reads a site's file from a host that does not serve ranges of it. `sheaf site` writes the same bytes a second time, as
 * files of some ten kilobytes (web/node/site/pieces.ts); any host can serve those, encoded or not:
 *
 *     site-0123456789ab.sheaf             the file
 *     site-0123456789ab.pieces/0.bin      u32 count, u32 length of each piece, then the first piece: what every query needs
 *     site-0123456789ab.pieces/1.bin …    the others, in order
 *
 * Only such hosts load this; it is a script of its own. Also here: what else hosts need that hide the file's size.
 *
 * Invariants
 *  1. A piece has exactly the listed length, or reading it fails. The core checks the content, as always. A list that does
 *     not add up to the file's size, or names a piece longer than MAX_LENGTH, counts as none.
 *  2. A piece under way, or among the last ones read, is not asked for again.
 *
 * Cost: a request for each piece that a query touches. The list is kept with the file's ranges (kept_ranges.ts), so that the
 * next page asks for nothing but the pieces it lacks; that the list is there also says that ranges do not work.
 */
import { abortable, SheafError, throwIfAborted } from './errors.js';
import { discard, readBody } from './http_answer.js';
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

type Get = (url: string) => Promise<Response>;

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

  constructor(folder: string, get: Get, lengths: readonly number[], first?: Uint8Array) {
    let end = 0;
    this.#ends = lengths.map((length) => (end += length));
    this.size = end;
    this.first = first;
    this.#folder = folder;
    this.#get = get;
    this.#listed = 4 + 4 * lengths.length;
    if (first !== undefined) this.#held.set(0, Promise.resolve(first));
  }

  /** REQUIRES: the range lies within the file. */
  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    const end = offset + length;
    let number = this.#ends.findIndex((each) => each > offset);
    const work = async (): Promise<void> => {
      while (number >= 0 && number < this.#ends.length && this.#startOf(number) < end) {
        const start = this.#startOf(number);
        const part = (await this.#piece(number++)).subarray(Math.max(0, offset - start), end - start);
        bytes.set(part, Math.max(0, start - offset));
        throwIfAborted(signal);
      }
    };
    await abortable(Promise.all(Array.from({ length: AT_ONCE }, work)), signal);
    return bytes;
  }

  #startOf(number: number): number {
    return this.#ends[number - 1] ?? 0;
  }

  /** A failure is forgotten, so that the next call tries again. */
  #piece(number: number): Promise<Uint8Array> {
    const piece = this.#held.get(number) ?? this.#fetch(number);
    this.#held.delete(number);
    this.#held.set(number, piece);
    piece.catch(() => this.#held.get(number) === piece && this.#held.delete(number));
    const [oldest] = this.#held.keys();
    if (this.#held.size > HELD && oldest !== undefined) this.#held.delete(oldest);
    return piece;
  }

  /** Not aborted when nobody waits any more: whoever types asks for it again, with the next letter. */
  async #fetch(number: number): Promise<Uint8Array> {
    const before = number === 0 ? this.#listed : 0;
    const length = before + (this.#ends[number] as number) - this.#startOf(number);
    const bytes = await answerOf(`${this.#folder}${number}.bin`, this.#get, length);
    if (bytes?.length !== length) {
      const what = bytes === undefined ? 'it is gone' : `it has ${bytes.length} bytes instead of ${length}`;
      this.isBroken = true;
      throw new SheafError(
        'SOURCE_CHANGED',
        `${this.#folder}${number}.bin was replaced while it was being read: ${what}; open it again.`,
      );
    }
    return bytes.subarray(before);
  }
}

/** The pieces of the file at `url`, or null where there are none. */
export async function openPieces(url: string, get: Get, kept: Kept | undefined): Promise<Pieces | null> {
  const folder = url.replace(/\.sheaf([?#].*)?$/s, '.pieces/');
  const known = await listIn(kept);
  if (known !== undefined) return new Pieces(folder, get, known);
  const bytes = await answerOf(`${folder}0.bin`, get, MAX_LENGTH);
  const count = countIn(bytes);
  if (bytes === undefined || count === undefined) return null;
  const list = bytes.slice(0, 4 + 4 * count);
  const first = bytes.subarray(list.length);
  const lengths = lengthsIn(list, count);
  if (lengths === undefined || lengths[0] !== first.length || first.length < HEADER) return null;
  const pieces = new Pieces(folder, get, lengths, first);
  if (pieces.size !== sizeIn(first)) return null;
  kept?.put(PIECES, list);
  return pieces;
}

async function listIn(kept: Kept | undefined): Promise<number[] | undefined> {
  const count = countIn(await kept?.get(PIECES, 4));
  const list = count === undefined ? undefined : await kept?.get(PIECES, 4 + 4 * count);
  return list === undefined ? undefined : lengthsIn(list, count as number);
}

/** undefined for what is no list: some hosts send a page instead of 404. */
function countIn(bytes: Uint8Array | undefined): number | undefined {
  if (bytes === undefined || bytes.length < 4) return undefined;
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return count > 0 && count <= MAX_COUNT ? count : undefined;
}

function lengthsIn(list: Uint8Array, count: number): number[] | undefined {
  if (list.length !== 4 + 4 * count) return undefined;
  const view = new DataView(list.buffer, list.byteOffset, list.length);
  const lengths = Array.from({ length: count }, (_, i) => view.getUint32(4 + 4 * i, true));
  return lengths.every((length) => length > 0 && length <= MAX_LENGTH) ? lengths : undefined;
}

/** What a file holds, undefined if it is missing. */
async function answerOf(url: string, get: Get, limit: number): Promise<Uint8Array | undefined> {
  const response = await get(url);
  const isPage = /^text\/html\b/i.test(response.headers.get('Content-Type') ?? '');
  // Without its headers: across origins, Content-Encoding is hidden while Content-Length counts the encoded bytes.
  if (response.ok && !isPage) return readBody(new Response(response.body), limit, url);
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
