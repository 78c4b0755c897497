/// <reference lib="esnext.disposable" preserve="true" />
/**
 * What callers see: plain data and the Library interface. No code but the documented defaults.
 */

/** What `open` learned about a bundle. */
export interface LibraryInfo {
  /** What the bundle documents, for example `fastapi`. */
  library: string;
  version: string;
  /** The packer's own record, parsed from JSON: title, base URL, options. */
  manifest: Record<string, unknown>;
  pages: number;
  passages: number;
  /** Distinct terms of the keyword index. */
  terms: number;
  /** Length of the vectors; 0 without vectors. */
  dimensions: number;
  /** 4 or 8; 0 without vectors. */
  vectorBits: number;
  /** Whether an HNSW graph serves semantic search. */
  hasGraph: boolean;
  /** Vector space, for example `minilm-l6-256`; empty without vectors. */
  space: string;
  fileSize: number;
  /** Of its words, as their analysis names it: 'en', 'de'; empty where words are searched as they are written. */
  language?: string;
  /** Whether queries can be encoded, so hybrid search uses both signals; a deferred encoder counts as available. */
  semantic: boolean;
  /** Whether the bundle is read by ranges as searches need them (true) or lies in memory (false). */
  lazy: boolean;
}

export type SearchMode = 'keyword' | 'semantic' | 'hybrid';

export interface SearchOptions {
  /** Hits to return, at most 1000. 0 counts the passages that match and reads no more than that takes. */
  topK?: number;
  /** `page` (default): each page once, with its best passage. `passage`: the best passages, maybe several per page. */
  by?: 'page' | 'passage';
  /** `hybrid` falls back to keyword where no encoder or no vectors exist; `semantic` is then an error. */
  mode?: SearchMode;
  /** Fills `Hit.explanation`. */
  explain?: boolean;
  /** Share of the semantic signal, 0 (words alone) to 1 (meaning alone); by default the core chooses per query. */
  semanticWeight?: number;
  /** Reciprocal rank fusion (k = 60) instead of the convex combination of scores. */
  rrf?: boolean;
  /** The last word may be unfinished. Turn off for queries that are known to be complete. */
  prefix?: boolean;
  /** A word that matches nothing may match with one or two edits. */
  typo?: boolean;
  /**
   * Which pages to search: for every key given, a page must have one of its values.
   * `{ author: ['Anne', 'Bo'], kind: 'guide' }` selects guides by either author. Keys and values that no page has match
   * nothing; a key with an empty list is ignored.
   */
  filters?: Readonly<Record<string, string | readonly string[]>>;
  /** Fills `SearchAnswer.facets`. */
  facets?: boolean;
  /**
   * Orders hits by the pages' values of `key` instead of by score; pages without a value come last. Lists only pages
   * that contain a word of the query, whatever the mode.
   */
  sort?: { readonly key: string; readonly descending?: boolean };
  /** The query's vector in the bundle's space, used instead of the static encoder. */
  vector?: Float32Array | readonly number[];
  /** Rejects with `code` ABORTED and `name` AbortError when it fires. */
  signal?: AbortSignal;
}

export const DEFAULT_SEARCH_OPTIONS = {
  topK: 10,
  by: 'page',
  mode: 'hybrid',
  explain: false,
  facets: false,
  rrf: false,
  prefix: true,
  typo: true,
} as const;

/** Part of a snippet that matched: UTF-16 code units, as `String.prototype.slice` counts. */
export interface Highlight {
  start: number;
  length: number;
}

/** How a term of the index matched a word of the query. */
export type MatchKind = 'exact' | 'stem' | 'part' | 'joined' | 'prefix' | 'typo' | 'wording' | 'synonym' | 'pinned';

export interface TermMatch {
  word: string;
  term: string;
  kind: MatchKind;
  idf: number;
  weight: number;
  frequency: number;
  score: number;
}

/** The components of a score; see src/search/query.h for each. */
export interface Explanation {
  keywordRaw: number;
  keyword: number;
  cosine: number;
  semantic: number;
  semanticWeight: number;
  coverage: number;
  pageBonus: number;
  terms: TermMatch[];
}

/** What a snippet shows: text that follows a heading with words of the query, a code block, or prose. */
export type HitKind = 'heading' | 'code' | 'text';

/** A thing that the documentation defines by its name. */
export type SymbolKind =
  | 'module'
  | 'class'
  | 'function'
  | 'method'
  | 'property'
  | 'setting'
  | 'command'
  | 'option'
  | 'variable'
  | 'error'
  | 'operator'
  | 'type'
  | 'macro'
  | 'endpoint';

/** The symbol that the query names, where a hit is its entry. Plain text, as the rest of a hit. */
export interface HitSymbol {
  /** A field or constant is a `property`, a variable of the environment a `variable`. */
  kind: SymbolKind;
  deprecated: boolean;
  /** Whole, as far as the documentation says: `std::collections::HashMap::insert`. */
  name: string;
  /** On one line, as its entry has it; may be empty. */
  signature: string;
}

/** A page that answers, with its best passage. All strings are plain text from the documentation: never insert them as HTML. */
export interface Hit {
  /** Page number, for `page()`. */
  page: number;
  /** Passage number, for `passage()`. */
  passage: number;
  /** 0..1, higher is better; never increasing down the list, unless it is sorted by a key. */
  score: number;
  title: string;
  /**
   * Where the page stands in the documentation, outermost first, without its own title: titles of its navigation or,
   * where it has none, names made of folders. At most 8.
   */
  place: string[];
  /** Of the page, without anchor. */
  url: string;
  /** Path relative to the packed root. */
  source: string;
  /** Of the passage, without `#`; empty at the top of the page. */
  anchor: string;
  /** Heading path of the passage, outermost first. */
  headings: string[];
  /** First and last line in the source file, from 1; 0 when unknown. */
  firstLine: number;
  lastLine: number;
  /** What `snippet` shows; see there. */
  kind: HitKind;
  /**
   * Plain text of the passage, without its title and headings. Of `code` it has the lines, with their indentation:
   * show it with `white-space: pre`.
   */
  snippet: string;
  highlights: Highlight[];
  /** What matched in `title`. */
  titleHighlights: Highlight[];
  /** What matched in the last of `headings`. */
  headingHighlights: Highlight[];
  /**
   * What the page declares about itself (`data-sheaf-meta`): image, author and the like; absent if nothing is declared.
   * URLs in it are as untrusted as the rest.
   */
  meta?: Record<string, string>;
  /** Other pages with the same passage, which are no hits of their own; absent if there are none. */
  alsoIn?: Copy[];
  /** Symbols that the query names come first, each with its own hit. */
  symbol?: HitSymbol;
  explanation?: Explanation;
}

/** Where the passage of a hit stands too. */
export type Copy = Pick<Hit, 'page' | 'passage' | 'title' | 'url' | 'source' | 'anchor'>;

/** A key that pages can be filtered by, and how many pages have each of its values. Both lists ascend by their bytes. */
export interface Facet {
  key: string;
  values: { value: string; pages: number }[];
}

/** What the pages of a bundle can be filtered and sorted by. */
export interface LibraryFacets {
  filters: Facet[];
  sorts: string[];
}

export interface SearchAnswer {
  hits: Hit[];
  /**
   * One for each word that nothing has: the answer is that of the query with these words replaced. Both are folded
   * (small letters, no accents), but a term of two words is as it was typed; `correctedQuery` of `sheaf/ui/headless` says what a reader should see.
   */
  corrections: { word: string; term: string }[];
  /**
   * When requested: for each key and value, how many pages have the value and pass the other keys' filters.
   * Counts pages that contain a word of the query or are among the hits, so it shows what adding that
   * value would give. Values without such pages are left out.
   */
  facets?: Facet[];
  /** Passages that contain at least one word of the query, on pages that pass the filters. */
  matchingPassages: number;
  /** Words beyond the limit of 64. */
  ignoredWords: number;
  usedKeyword: boolean;
  usedSemantic: boolean;
  /**
   * No word of the query is found, and nothing is clearly near its meaning: the hits are the nearest there are, and
   * most likely answer nothing. False in an answer without hits, and when searching by meaning alone.
   */
  weak: boolean;
}

export interface Passage {
  id: number;
  page: number;
  anchor: string;
  headings: string[];
  firstLine: number;
  lastLine: number;
  /** Exact slice of the page's text. */
  text: string;
}

export interface Page {
  id: number;
  title: string;
  url: string;
  source: string;
  description: string;
  /** ISO 8601 date, or empty. */
  lastModified: string;
  /** The page's whole text, in a light Markdown form: its passages, joined. */
  text: string;
  passages: Passage[];
}

export interface CallOptions {
  signal?: AbortSignal;
}

/**
 * An open bundle. Calls may overlap freely; each answers as if it were alone. Afterwards `close()`
 * frees the memory; `using` and `await using` do so by themselves.
 */
export interface Library extends Disposable, AsyncDisposable {
  readonly info: LibraryInfo;
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;
  /** By number, URL (with or without anchor) or source path. Rejects with NOT_FOUND. */
  page(idOrUrl: number | string, options?: CallOptions): Promise<Page>;
  passage(id: number, options?: CallOptions): Promise<Passage>;
  /** Page number by URL or source path. Rejects with NOT_FOUND. */
  findPage(urlOrSource: string, options?: CallOptions): Promise<number>;
  /** A text's vector by the static encoder, L2-normalised; empty when no word is known. */
  embed(text: string, options?: CallOptions): Promise<Float32Array>;
  /** Fetches what every query needs, encoder included, to speed up the first. Optional: a query fetches it anyway. */
  prefetch(options?: PrefetchOptions): Promise<void>;
  /** What pages can be filtered and sorted by, with the number of pages of each value. */
  facets(options?: CallOptions): Promise<LibraryFacets>;
  /** Reads and checks the whole bundle; returns the number of blocks. */
  verify(options?: CallOptions): Promise<number>;
  /** Frees the core; calls under way reject with CLOSED. May be called again. */
  close(): Promise<void>;
}

export interface PrefetchOptions extends CallOptions {
  /** All of the bundle, so that no later query waits for it. For small ones: the bytes of a few dozen queries. */
  whole?: boolean;
  /** Folded words whose rows of the encoder table are fetched too; not the pieces of words that it lacks. */
  words?: readonly string[];
}

export interface Progress {
  /** What is being downloaded or read. */
  source: 'bundle' | 'encoder';
  loaded: number;
  /** Bytes in all; undefined while unknown. */
  total?: number;
}

/** Options shared by every entry point. */
export interface BaseOpenOptions {
  /**
   * true: read ranges as searches need them. false: read everything first. By default everything is
   * read at once where that is cheap: bytes, Blobs, files, and URLs up to WHOLE_LIMIT bytes.
   */
  lazy?: boolean;
  /**
   * Do not wait for the encoder table: keyword search works as soon as the bundle is open, while the
   * other modes wait for the table, and fail when it cannot be opened. Default false.
   */
  deferEncoder?: boolean;
  signal?: AbortSignal;
  /** The core's code: bytes, or where to fetch it. By default the package's own file. */
  wasm?: Uint8Array | ArrayBuffer | URL | string;
  onProgress?: (progress: Progress) => void;
}

/** A URL is fetched whole up to this size: one request is quicker than the two or three of a lazy first query. */
export const WHOLE_LIMIT = 512 * 1024;
