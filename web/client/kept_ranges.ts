/**
 * Ranges of one remote file that a browser keeps from page to page, in its Cache API. The HTTP cache will not do: in
 * Chromium it lets requests for one address wait for one another.
 *
 * A cache is named after the file's address and its identity (the hash in its name, or the one in its header) and has
 * an entry for each range as the core asks for it: another query finds what it has in common with earlier ones. What is
 * there is listed once, when the file is opened, so that nothing is looked up in vain. Names and the rule that sets this
 * apart from what a service worker keeps: kept.ts.
 *
 * Invariants
 *  1. Bytes of one identity are never given for another. The first cache of a new one takes the place of the old.
 *  2. Nothing here fails or delays an answer: entries are written when half a second has passed without a new one, and
 *     what the browser refuses (no storage, no room) is as good as not kept.
 *
 * Cost: a reader's first visit lists the names of caches; MOST_KEPT bytes a file at most.
 */
import { dropRanges, keyOfRange, lengthIn, nameOfRanges } from './kept.js';

const MOST_KEPT = 16 * 2 ** 20;
const QUIET_MS = 500;

export class KeptRanges {
  readonly #address: string;
  readonly #names = namesOfCaches().catch((): string[] => []);
  #name = '';
  #cache: Cache | undefined;
  #keys = new Set<string>();
  #room = MOST_KEPT;
  #unwritten: [key: string, bytes: Uint8Array<ArrayBuffer>][] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What is done to the cache, one after the other: none that was cleared comes back by a write that had begun. */
  #queue: Promise<unknown> = Promise.resolve();

  /** `address` is the file's, without what tells its versions apart. */
  constructor(address: string) {
    this.#address = address;
  }

  /** Finds what is kept of the file in this version. */
  async open(identity: string): Promise<void> {
    this.#name = nameOfRanges(this.#address, identity);
    // A successor's, or a second look: nothing of what was found before.
    this.#cache = undefined;
    this.#keys.clear();
    this.#room = MOST_KEPT;
    try {
      if (!(await this.#names).includes(this.#name)) return;
      this.#cache = await caches.open(this.#name);
      for (const { url } of await this.#cache.keys()) {
        this.#keys.add(url);
        this.#room -= lengthIn(url);
      }
    } catch {
      // as if nothing were kept
    }
  }

  has(offset: number, length: number): boolean {
    return this.#keys.has(keyOfRange(offset, length));
  }

  /** undefined when it is not there (any more). */
  async get(offset: number, length: number): Promise<Uint8Array | undefined> {
    const key = keyOfRange(offset, length);
    if (!this.#keys.has(key)) return undefined;
    try {
      const bytes = await (await this.#cache?.match(key))?.arrayBuffer();
      if (bytes?.byteLength === length) return new Uint8Array(bytes);
    } catch {
      // the browser has dropped it, or will not say
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

  /** Forgets everything, former versions too: something is wrong with it, or it is kept elsewhere. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#unwritten = [];
    this.#keys.clear();
    this.#room = MOST_KEPT;
    const forget = async (): Promise<void> => {
      this.#cache = undefined;
      await this.#drop(); // where storage is forbidden, the very name throws
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
