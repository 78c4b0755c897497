/**
 * Keeps ranges of one remote file from page to page, in the browser's Cache API. The HTTP cache will not do: Chromium's
 * serialises requests for one address.
 *
 * A cache is named after the file's address and its identity (the hash in its name, or the one in its header). It has
 * one entry per range that the core asks for, so a query reuses the ranges it shares with earlier ones, and those within
 * a longer one: a small file was read whole. Opening the file lists the entries once, so that no lookup is wasted. kept.ts has the names, and the rule that separates these
 * caches from the service worker's.
 *
 * Invariants
 *  1. Bytes of one identity are never returned for another. The first cache of a new identity replaces the old one.
 *  2. Nothing here fails or delays an answer. Entries are written once half a second passes without a new one. What the
 *     browser refuses (no storage, no room) counts as not kept.
 *
 * Cost: a reader's first visit lists the names of caches. At most MOST_KEPT bytes per file.
 */
import { dropRanges, keyOfRange, nameOfRanges, rangeIn } from './kept.js';

const MOST_KEPT = 16 * 2 ** 20;
const QUIET_MS = 500;
/** Far behind any file's end: here lies the list of the file's pieces, once it is read by them (pieces.ts). */
export const PIECES = 2 ** 52;

/** What keeps ranges of one file; Node's is on disk (web/node/published/disk_ranges.ts). */
export interface Kept {
  open(identity: string): Promise<void>;
  has(offset: number, length: number): boolean;
  get(offset: number, length: number): Promise<Uint8Array | undefined>;
  put(offset: number, bytes: Uint8Array): void;
  clear(): void;
}

export class KeptRanges implements Kept {
  readonly #address: string;
  readonly #names = namesOfCaches().catch((): string[] => []);
  #name = '';
  #cache: Cache | undefined;
  #keys = new Set<string>();
  #room = MOST_KEPT;
  #unwritten: [key: string, bytes: Uint8Array<ArrayBuffer>][] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Serialises operations on the cache, so that a write in progress cannot restore what was cleared. */
  #queue: Promise<unknown> = Promise.resolve();

  /** `address` is the file's, without the part that differs between versions. */
  constructor(address: string) {
    this.#address = address;
  }

  /** Lists the ranges kept for this version of the file. */
  async open(identity: string): Promise<void> {
    this.#name = nameOfRanges(this.#address, identity);
    // For a successor, or a second look: start from nothing.
    this.#cache = undefined;
    this.#keys.clear();
    this.#room = MOST_KEPT;
    try {
      if (!(await this.#names).includes(this.#name)) return;
      this.#cache = await caches.open(this.#name);
      for (const { url } of await this.#cache.keys()) {
        this.#keys.add(url);
        this.#room -= rangeIn(url).length;
      }
    } catch {
      // as if nothing were kept
    }
  }

  has(offset: number, length: number): boolean {
    return this.#covering(offset, length) !== undefined;
  }

  /** The key of the range, or of a longer one around it. */
  #covering(offset: number, length: number): string | undefined {
    const key = keyOfRange(offset, length);
    if (this.#keys.has(key)) return key;
    for (const other of this.#keys) {
      const range = rangeIn(other);
      if (range.offset <= offset && offset + length <= range.offset + range.length) return other;
    }
    return undefined;
  }

  /** undefined when it is not there (any more). */
  async get(offset: number, length: number): Promise<Uint8Array | undefined> {
    const key = this.#covering(offset, length);
    if (key === undefined) return undefined;
    const range = rangeIn(key);
    try {
      const bytes = await (await this.#cache?.match(key))?.arrayBuffer();
      if (bytes?.byteLength === range.length) return new Uint8Array(bytes, offset - range.offset, length);
    } catch {
      // the browser dropped it, or refuses access
    }
    this.#keys.delete(key);
    return undefined;
  }

  put(offset: number, bytes: Uint8Array): void {
    const key = keyOfRange(offset, bytes.length);
    if (this.#keys.has(key) || bytes.length > this.#room) return;
    this.#keys.add(key);
    this.#room -= bytes.length;
    this.#unwritten.push([key, bytes as Uint8Array<ArrayBuffer>]);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#queue = this.#queue.then(() => this.#write()).catch(() => (this.#room = 0));
    }, QUIET_MS);
  }

  /** Drops everything, former versions too: it is damaged, or it is kept elsewhere. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#unwritten = [];
    this.#keys.clear();
    this.#room = MOST_KEPT;
    const forget = async (): Promise<void> => {
      this.#cache = undefined;
      await this.#drop(); // where storage is forbidden, even naming `caches` throws
    };
    this.#queue = this.#queue.then(forget).catch(() => {});
  }

  async #write(): Promise<void> {
    const entries = this.#unwritten;
    this.#unwritten = [];
    if (this.#cache === undefined) {
      await this.#drop(this.#name);
      this.#cache = await caches.open(this.#name);
    }
    const cache = this.#cache;
    await Promise.all(entries.map(([key, bytes]) => cache.put(key, new Response(bytes))));
  }

  /** Drops the caches of all of the file's versions but one. */
  async #drop(but?: string): Promise<void> {
    await dropRanges(caches, `${this.#address} `, but);
  }
}

const namesOfCaches = async (): Promise<string[]> => caches.keys();
