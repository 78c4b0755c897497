/**
 * A bundle that a site publishes, with addresses that lead to the site. Its pages are packed by their path within the site
 * (`/guide/`) unless they name canonical addresses; whoever reads it elsewhere needs where the site is.
 */
import { withPlaces } from '../../browser/client/copies.js';
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
} from '../../browser/client/types.js';

export class HostedLibrary implements Library {
  readonly #library: Library;
  /** Address of the site's folder. */
  readonly #root: string;

  constructor(library: Library, root: URL) {
    this.#library = library;
    this.#root = root.href;
  }

  get info(): LibraryInfo {
    return this.#library.info;
  }

  async search(query: string, options?: SearchOptions): Promise<SearchAnswer> {
    const answer = await this.#library.search(query, options);
    return { ...answer, hits: answer.hits.map((hit) => withPlaces(hit, ({ url }) => ({ url: this.#outside(url) }))) };
  }

  async page(idOrUrl: number | string, options?: CallOptions): Promise<Page> {
    const page = await this.#library.page(this.#inside(idOrUrl), options);
    return { ...page, url: this.#outside(page.url) };
  }

  findPage(urlOrSource: string, options?: CallOptions): Promise<number> {
    return this.#library.findPage(this.#inside(urlOrSource), options);
  }

  passage(id: number, options?: CallOptions): Promise<Passage> {
    return this.#library.passage(id, options);
  }

  embed(text: string, options?: CallOptions): Promise<Float32Array> {
    return this.#library.embed(text, options);
  }

  prefetch(options?: PrefetchOptions): Promise<void> {
    return this.#library.prefetch(options);
  }

  facets(options?: CallOptions): Promise<LibraryFacets> {
    return this.#library.facets(options);
  }

  verify(options?: CallOptions): Promise<number> {
    return this.#library.verify(options);
  }

  /** The library is its owner's to close. */
  async close(): Promise<void> {}

  [Symbol.dispose](): void {}

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Pages are packed below this path; '' where they have absolute addresses. */
  get #packed(): string {
    const base = this.#library.info.manifest['base_url'];
    return typeof base !== 'string' || /^[a-z][a-z0-9+.-]*:/i.test(base) ? '' : base;
  }

  #outside(url: string): string {
    if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return url;
    const base = this.#packed;
    const path = (base !== '' && url.startsWith(base) ? url.slice(base.length) : url).replace(/^\/+/, '');
    return URL.canParse(`./${path}`, this.#root) ? new URL(`./${path}`, this.#root).href : url;
  }

  #inside<T extends number | string>(name: T): T | string {
    if (typeof name !== 'string' || !name.startsWith(this.#root)) return name;
    const base = this.#packed;
    return base === '' ? name : base + name.slice(this.#root.length);
  }
}
