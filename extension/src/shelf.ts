/**
 * The open libraries, under a cap on the memory of their WebAssembly.
 *
 * Idea: a library that the shelf hands out opens when it is used, may be closed whenever it is not in use, and opens
 * again with the next call. So callers (a federation, a reader) keep libraries as long as they like, and memory stays
 * what it should be. Who was not used for longest closes first.
 *
 * Invariants
 *  1. A library in use stays open; what replaced or removed it waits for its calls (`drop`).
 *  2. After each call, the open libraries take at most `cap` bytes. During calls they may take more only by what those
 *     in use grow by; another opens only where there is room for it, or when none is in use.
 *
 * Cost: opening a library again reads its beginning from disk, a few milliseconds.
 */
import { throwIfAborted } from '../browser/client/errors.js';
import type {
  CallOptions,
  Library,
  LibraryFacets,
  LibraryInfo,
  Page,
  Passage,
  PrefetchOptions,
  SearchAnswer,
  SearchOptions,
} from '../browser/client/types.js';
import type { MemoryReport } from './types.js';

export interface Opened {
  library: Library;
  /** What its core takes now. */
  bytes(): number;
}

export type OpenBook = (key: string) => Promise<Opened>;

interface Book {
  users: number;
  opening: Promise<Opened>;
  opened: Opened | undefined;
  dropped: boolean;
}

/** What a library takes that is being opened: WebAssembly's first pages, and what it reads first. */
const ESTIMATE = 5 * 2 ** 20;

export class Shelf {
  readonly #open: OpenBook;
  readonly #cap: number;
  /** By key, least recently used first. */
  readonly #books = new Map<string, Book>();
  readonly #waiting: (() => void)[] = [];
  readonly #closing = new Set<Promise<void>>();
  #closingBytes = 0;
  #peak = 0;

  constructor(open: OpenBook, cap: number) {
    this.#open = open;
    this.#cap = cap;
  }

  /** A library that opens and closes by itself. Rejects when it cannot be opened now. `space`: what it calls its own. */
  async library(key: string, space?: string): Promise<Library> {
    const info = await this.use(key, ({ info: known }) => Promise.resolve(known));
    return new ShelfLibrary(this, key, space === undefined ? info : { ...info, space });
  }

  /** Calls `work` with the open library, which stays open until that ends. */
  async use<T>(key: string, work: (library: Library) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const book = await this.#take(key, signal);
    try {
      return await work((await book.opening).library);
    } finally {
      book.users--;
      this.#trim();
    }
  }

  /** Closes a library once nothing uses it; the next use opens it anew. Resolves when it is closed. */
  async drop(key: string): Promise<void> {
    const book = this.#books.get(key);
    if (book !== undefined) {
      this.#books.delete(key);
      book.dropped = true;
      while (book.users > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.#close(book);
    }
    await Promise.all(this.#closing);
  }

  get report(): MemoryReport {
    return { used: this.#used(), peak: this.#peak, cap: this.#cap, open: this.#books.size };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#books.keys()].map((key) => this.drop(key)));
  }

  async #take(key: string, signal: AbortSignal | undefined): Promise<Book> {
    for (;;) {
      throwIfAborted(signal);
      const known = this.#books.get(key);
      if (known !== undefined) {
        this.#books.delete(key);
        this.#books.set(key, known); // now the most recent
        known.users++;
        return known;
      }
      if (this.#makeRoom()) break;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const book: Book = { users: 1, opening: this.#open(key), opened: undefined, dropped: false };
    this.#books.set(key, book);
    try {
      book.opened = await book.opening;
      return book;
    } catch (error) {
      book.users--;
      if (this.#books.get(key) === book) this.#books.delete(key);
      this.#wake();
      throw error;
    }
  }

  /** Whether one more may open. */
  #makeRoom(): boolean {
    this.#evict(this.#cap - ESTIMATE);
    if (this.#used() + ESTIMATE <= this.#cap) return true;
    return this.#closing.size === 0 && ![...this.#books.values()].some(({ users }) => users > 0);
  }

  #trim(): void {
    this.#evict(this.#cap);
    this.#wake();
  }

  #evict(limit: number): void {
    let used = this.#used();
    this.#peak = Math.max(this.#peak, used);
    used -= this.#closingBytes;
    for (const [key, book] of this.#books) {
      if (used <= limit) return;
      if (book.users > 0) continue;
      used -= bytesOf(book);
      this.#books.delete(key);
      this.#close(book);
    }
  }

  /** Its memory counts until it is closed. */
  #close(book: Book): void {
    const bytes = bytesOf(book);
    this.#closingBytes += bytes;
    const closing: Promise<void> = book.opening
      .then(({ library }) => library.close())
      .catch(() => {})
      .finally(() => {
        this.#closing.delete(closing);
        this.#closingBytes -= bytes;
        this.#wake();
      });
    this.#closing.add(closing);
  }

  #used(): number {
    let sum = this.#closingBytes;
    for (const book of this.#books.values()) sum += bytesOf(book);
    return sum;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const bytesOf = ({ opened }: Book): number => opened?.bytes() ?? ESTIMATE;

/** Its `info` is from when it was first opened. */
class ShelfLibrary implements Library {
  readonly #shelf: Shelf;
  readonly #key: string;
  readonly info: LibraryInfo;

  constructor(shelf: Shelf, key: string, info: LibraryInfo) {
    this.#shelf = shelf;
    this.#key = key;
    this.info = info;
  }

  search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    return this.#shelf.use(this.#key, (library) => library.search(query, options), options.signal);
  }
  page(idOrUrl: number | string, options: CallOptions = {}): Promise<Page> {
    return this.#shelf.use(this.#key, (library) => library.page(idOrUrl, options), options.signal);
  }
  passage(id: number, options: CallOptions = {}): Promise<Passage> {
    return this.#shelf.use(this.#key, (library) => library.passage(id, options), options.signal);
  }
  findPage(urlOrSource: string, options: CallOptions = {}): Promise<number> {
    return this.#shelf.use(this.#key, (library) => library.findPage(urlOrSource, options), options.signal);
  }
  embed(text: string, options: CallOptions = {}): Promise<Float32Array> {
    return this.#shelf.use(this.#key, (library) => library.embed(text, options), options.signal);
  }
  prefetch(options: PrefetchOptions = {}): Promise<void> {
    return this.#shelf.use(this.#key, (library) => library.prefetch(options), options.signal);
  }
  facets(options: CallOptions = {}): Promise<LibraryFacets> {
    return this.#shelf.use(this.#key, (library) => library.facets(options), options.signal);
  }
  verify(options: CallOptions = {}): Promise<number> {
    return this.#shelf.use(this.#key, (library) => library.verify(options), options.signal);
  }
  /** The shelf closes it, when it needs the room. */
  async close(): Promise<void> {}
  [Symbol.dispose](): void {}
  async [Symbol.asyncDispose](): Promise<void> {}
}
