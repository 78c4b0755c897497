/**
 * A library that opens with each call where the cache has closed it, so that a federation or the reader may hold it as
 * long as they like, and memory keeps to the cap (client/open_libraries.ts). Opening again reads the beginning of a file:
 * a few milliseconds.
 */
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

/** Calls `work` with the open library. */
export type UseLibrary = <T>(work: (library: Library) => Promise<T>, signal?: AbortSignal) => Promise<T>;

export class CachedLibrary implements Library {
  readonly use: UseLibrary;
  /** From when it was first opened. */
  readonly info: LibraryInfo;

  constructor(use: UseLibrary, info: LibraryInfo) {
    this.use = use;
    this.info = info;
  }

  /** Rejects when the library cannot be opened now. */
  static async open(use: UseLibrary): Promise<CachedLibrary> {
    return new CachedLibrary(use, await use(async ({ info }) => info));
  }

  search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    return this.use((library) => library.search(query, options), options.signal);
  }
  page(idOrUrl: number | string, options: CallOptions = {}): Promise<Page> {
    return this.use((library) => library.page(idOrUrl, options), options.signal);
  }
  passage(id: number, options: CallOptions = {}): Promise<Passage> {
    return this.use((library) => library.passage(id, options), options.signal);
  }
  findPage(urlOrSource: string, options: CallOptions = {}): Promise<number> {
    return this.use((library) => library.findPage(urlOrSource, options), options.signal);
  }
  embed(text: string, options: CallOptions = {}): Promise<Float32Array> {
    return this.use((library) => library.embed(text, options), options.signal);
  }
  prefetch(options: PrefetchOptions = {}): Promise<void> {
    return this.use((library) => library.prefetch(options), options.signal);
  }
  facets(options: CallOptions = {}): Promise<LibraryFacets> {
    return this.use((library) => library.facets(options), options.signal);
  }
  verify(options: CallOptions = {}): Promise<number> {
    return this.use((library) => library.verify(options), options.signal);
  }
  /** The cache closes it, when it needs the room. */
  async close(): Promise<void> {}
  [Symbol.dispose](): void {}
  async [Symbol.asyncDispose](): Promise<void> {}
}
