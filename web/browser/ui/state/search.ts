/**
 * Search as a store: the component's logic without an interface, for those who bring their own.
 *
 *     const search = createSearch(() => open('/docs.sheaf', { encoder: '/table.sheaf' }));
 *     search.subscribe((state) => render(state));
 *     input.oninput = () => search.setQuery(input.value);
 *
 * Idea: a typed query supersedes the previous one, once rhythm.ts says that it is worth a search. Two searches then run
 * at once: a keyword search, whose few hits come first, and a hybrid search, whose list replaces them. Both share the
 * byte ranges they need, so the first costs next to nothing. Behind a complete word, the first may run alone. What a
 * word is worth, its postings and its row of the encoder table, is fetched as soon as it looks complete.
 *
 * Invariants
 *  1. `state` is replaced, never changed; listeners hear of each replacement.
 *  2. The groups shown answer the query `answered`, which lags behind `query` while a search runs; the
 *     answer of a superseded search is never shown after that of a newer one.
 *  3. While the reader holds the list (`hold(true)`: pointer over it, an entry chosen by keyboard),
 *     shown pages keep their place, and new pages come below. Releasing it shows the best order.
 *  4. An error leaves the shown hits in place. Offline ends by itself when the network is back: pending
 *     requests wait for it in the client, and queries that failed offline are repeated.
 *
 * No DOM is touched; the only globals used, where they exist, are timers, `navigator.onLine` and its events.
 */
import type { ErrorCode } from '../../client/errors.js';
import type {
  Facet,
  Hit,
  Library,
  Progress,
  SearchAnswer,
  SearchMode,
  SearchOptions as QueryOptions,
} from '../../client/types.js';
import { correctedQuery } from '../../client/written.js';
import { groupHits, keepInPlace, type PageGroup } from './groups.js';
import { type Plan, Rhythm } from './rhythm.js';

export type SearchStatus =
  | 'idle' // no query
  | 'opening' // the library is loading; `progress` says how far
  | 'searching'
  | 'done'
  | 'offline' // waits for the network
  | 'error';

/** A SheafError, or what opening threw. */
export type SearchFailure = Error & { code?: ErrorCode; status?: number };

export interface SearchState {
  query: string;
  status: SearchStatus;
  /** The query that `groups` answer; '' while there is no answer. */
  answered: string;
  /** `keyword` hits may be followed by the final list. */
  stage: 'none' | 'keyword' | 'final';
  groups: readonly PageGroup[];
  /** Passages in `groups`. */
  count: number;
  /** The query as it was probably meant; '' when nothing looks mistyped. */
  suggestion: string;
  /** Nothing matched well: the hits are only what is nearest. */
  weak: boolean;
  /** Whether `more()` would bring further pages. */
  hasMore: boolean;
  /** What pages can be filtered by, with counts; undefined where the bundle has no filters. */
  facets: readonly Facet[] | undefined;
  progress: Progress | undefined;
  /** Why there is no answer; with hits that came by words alone (`isByWords`), why meaning had no part in them. */
  error: SearchFailure | undefined;
}

export interface SearchOptions {
  /** Pages of an answer, 1 and up; `more()` adds as many again. */
  pages?: number;
  /** Passages shown of one page, 1 and up. */
  passagesPerPage?: number;
  /**
   * Milliseconds without a keystroke before a library in memory is searched; one that is read by ranges waits for a
   * rest of the reader (rhythm.ts). 0 searches at each keystroke, in either.
   */
  debounce?: number;
  /** Milliseconds that keyword hits wait for the final list, so that quick answers do not flicker. */
  patience?: number;
  mode?: SearchMode;
  /** Which hits to keep. */
  filter?: ((hit: Hit) => boolean) | undefined;
  /** Which pages to search, by the filters of the bundle. */
  filters?: NonNullable<QueryOptions['filters']>;
}

export const DEFAULT_UI_OPTIONS = {
  pages: 8,
  passagesPerPage: 3,
  debounce: 80,
  patience: 120,
  mode: 'hybrid',
} as const;

/**
 * Passages to request per page shown. Every snippet costs bytes of a bundle that is read by ranges, so
 * ask for few at first, and for more only if they cover too few pages or a filter drops them.
 */
const PER_PAGE = { lazy: 1.1, whole: 2 };
const FURTHER = 4;
/** Pages that are enough where further passages cost requests: a name is defined on one and used on another. */
const FEW_PAGES = 2;
/** Passages of the list that only bridges the time to the final one, where each costs bytes: they fill a screen. */
const BRIDGE = 3;
const MOST_HITS = 1000;
/** Milliseconds that a list stays while its reader types on: a list behind each short word costs requests, and none is read. */
const LEAST_SHOWN = 1000;
/** Letters of a word that is looked up while it is typed: shorter ones are mostly beginnings. */
const LEAST_LOOKED_UP = 5;
/** Words that the encoder does not take apart, as it does names, and whose folding is known here. */
const PLAIN_WORDS = /(?<![\p{L}\p{M}\p{N}_'’])[A-Za-z][a-z]*(?![\p{L}\p{M}\p{N}_'’])/gu;
/** A bundle of at most so many bytes costs less whole than the ranges of a few dozen keys do. */
const SMALL_BUNDLE = 2 ** 20;
/** Offline, a search that takes longer is waiting for the network; a shorter one is served from memory or a cache. */
const OFFLINE_AFTER = 400;
/** Errors that make the library unusable; reopening it may help. */
const REOPEN: ReadonlySet<unknown> = new Set<ErrorCode>(['SOURCE_CHANGED', 'CLOSED', 'INTERNAL', 'TOO_LARGE']);

export interface OpenContext {
  onProgress: (progress: Progress) => void;
  /** True when the library opened before turned out to be unusable. */
  again: boolean;
  /** That library, if it was ever open. */
  failed?: Library | undefined;
}

export type LibrarySource = Library | Promise<Library> | ((context: OpenContext) => Library | Promise<Library>);

export interface SearchStore {
  readonly state: SearchState;
  /** Calls `listener` after each change; returns a function that ends it. */
  subscribe(listener: (state: SearchState) => void): () => void;
  /** For each keystroke. Searches after a pause. */
  setQuery(query: string): void;
  /** Searches at once. */
  submit(query?: string): void;
  /** Changes options; a query that is shown is asked again. */
  configure(options: SearchOptions): void;
  /** The reader points at, or has chosen from, the list. */
  hold(held: boolean): void;
  more(): void;
  retry(): void;
  /** Opens the library ahead of the first query, on focus or idle; failures wait for the query. */
  prefetch(): Promise<void>;
  /** The library, once it is open. */
  readonly library: Library | undefined;
  /** Ends everything in progress. The caller closes the library. */
  dispose(): void;
}

/** What a run searches: words alone, or all that the mode has. */
type Extent = 'words' | 'all';

interface Run {
  query: string;
  extent: Extent;
  controller: AbortController;
}

const AT_ONCE: Plan = { words: undefined, all: 0 };

interface Found {
  hits: Hit[];
  full: boolean;
  weak: boolean;
  corrections: SearchAnswer['corrections'];
  facets: SearchState['facets'];
}

const EMPTY = {
  answered: '',
  stage: 'none',
  groups: [],
  count: 0,
  suggestion: '',
  weak: false,
  hasMore: false,
  facets: undefined,
  progress: undefined,
  error: undefined,
} as const;

/** Before the first query. */
export const IDLE_STATE: SearchState = { query: '', status: 'idle', ...EMPTY };

/** Whether hits come by words alone, because what meaning needs could not be loaded. Each query tries again. */
export function isByWords({ status, error }: Pick<SearchState, 'status' | 'error'>): boolean {
  return error !== undefined && status !== 'error' && status !== 'offline';
}

export function createSearch(source: LibrarySource, options: SearchOptions = {}): SearchStore {
  return new Store(source, options);
}

class Store implements SearchStore {
  readonly #source: LibrarySource;
  readonly #listeners = new Set<(state: SearchState) => void>();
  #options: Required<Omit<SearchOptions, 'filter' | 'filters'>> & Pick<SearchOptions, 'filter' | 'filters'>;
  #state: SearchState = IDLE_STATE;
  #pages: number;
  #opening: Promise<Library> | undefined;
  #library: Library | undefined;
  #again = false;
  #failed: Library | undefined;
  #current: Run | undefined;
  readonly #rhythm = new Rhythm();
  /** The library that is, or was, read whole. */
  #completing: Library | undefined;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #held = false;
  /** When the last list was shown. */
  #shownAt = -Infinity;
  /** Options changed since the shown hits, so these need not keep their place. */
  #changed = false;
  /** The best order, while the reader holds another. */
  #waiting: PageGroup[] | undefined;
  #offlineTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #online = (): void => {
    const { status, error } = this.#state;
    if (status !== 'offline' && !(status === 'error' && isNetwork(error))) return;
    if (this.#current === undefined) this.retry();
    else this.#patch({ status: this.#library === undefined ? 'opening' : 'searching' }); // its requests resume by themselves
  };
  /** Reports that a running search waits for the network. */
  readonly #offline = (): void => {
    clearTimeout(this.#offlineTimer);
    if (!isOffline() || this.#current === undefined) return;
    this.#offlineTimer = setTimeout(
      () => this.#current !== undefined && isOffline() && this.#patch({ status: 'offline' }),
      OFFLINE_AFTER,
    );
  };

  constructor(source: LibrarySource, options: SearchOptions) {
    this.#source = source;
    this.#options = { ...DEFAULT_UI_OPTIONS, ...options };
    this.#pages = this.#options.pages;
  }

  get state(): SearchState {
    return this.#state;
  }
  get library(): Library | undefined {
    return this.#library;
  }

  subscribe(listener: (state: SearchState) => void): () => void {
    this.#watchNetwork('addEventListener');
    this.#listeners.add(listener);
    if (this.#state.status === 'offline' && !isOffline()) this.#online(); // possibly nobody was listening for that
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#watchNetwork('removeEventListener');
    };
  }

  setQuery(query: string): void {
    const before = this.#state.query;
    if (query === before) return;
    const { debounce } = this.#options;
    const lazy = this.#library?.info.lazy ?? true;
    const plan = this.#rhythm.plan({ query, before, now: performance.now(), lazy, debounce });
    this.#ask(query, plan);
  }

  submit(query = this.#state.query): void {
    const known = query === this.#state.answered && this.#state.status === 'done';
    const underWay = query === this.#current?.query && this.#current.extent === 'all';
    if (!known && !underWay) this.#ask(query, AT_ONCE);
  }

  configure(options: SearchOptions): void {
    this.#options = { ...this.#options, ...options };
    this.#pages = this.#options.pages;
    this.#changed = true;
    if (this.#state.query.trim() !== '') this.#ask(this.#state.query, AT_ONCE);
  }

  hold(held: boolean): void {
    this.#held = held;
    if (held || this.#waiting === undefined) return;
    const groups = this.#waiting;
    this.#waiting = undefined;
    this.#patch({ groups, count: countOf(groups) });
  }

  more(): void {
    this.#pages += this.#options.pages;
    void this.#run('all');
  }

  retry(): void {
    this.#ask(this.#state.query, AT_ONCE);
  }

  async prefetch(): Promise<void> {
    await this.#open()
      .then((library) => library.prefetch?.())
      .catch(() => {});
  }

  dispose(): void {
    this.#disarm();
    this.#supersede();
    this.#listeners.clear();
    this.#watchNetwork('removeEventListener');
  }

  /** Active from the first query or listener until the last is gone: the listeners would keep an unused store alive. */
  #watchNetwork(how: 'addEventListener' | 'removeEventListener'): void {
    globalThis[how]?.('online', this.#online);
    globalThis[how]?.('offline', this.#offline);
  }

  #ask(query: string, { words, all, known }: Plan): void {
    this.#disarm();
    if (query !== this.#state.query) this.#pages = this.#options.pages;
    this.#waiting = undefined;
    if (query.trim() === '') {
      this.#supersede();
      this.#patch({ query, status: 'idle', ...EMPTY });
      return;
    }
    this.#watchNetwork('addEventListener');
    this.#patch({
      query,
      status: this.#library === undefined ? 'opening' : 'searching',
      ...(isByWords(this.#state) ? {} : { error: undefined }),
    });
    if (words !== undefined) this.#arm('words', words);
    this.#arm('all', all);
    if (known !== undefined) void this.#lookUp(query, known);
  }

  /** If the documentation has the last word as it stands, fetches what the word is worth and comes to rest sooner. */
  async #lookUp(query: string, rest: number): Promise<void> {
    const asked = performance.now();
    const library = this.#library;
    const word = query.split(/\s/).pop() ?? '';
    if (library === undefined || word.length < LEAST_LOOKED_UP) return;
    const current = (): boolean => query === this.#state.query && this.#current?.query !== query;
    const options = { mode: 'keyword', prefix: false, typo: false, topK: 0 } as const;
    const { matchingPassages } = await library.search(word, options).catch(() => ({ matchingPassages: 0 }));
    if (matchingPassages === 0 || !current()) return;
    this.#fetchMeaning(library, query);
    this.#disarm();
    this.#arm('all', Math.max(1, asked + rest - performance.now()));
  }

  /**
   * The words' rows of the encoder table, which a search by meaning needs first. Pieces of unknown words wait for that
   * search: a word that is not at its end has none worth their requests. A failure is that search's to report.
   */
  #fetchMeaning(library: Library, query: string): void {
    const words = query.match(PLAIN_WORDS)?.map((word) => word.toLowerCase());
    if (this.#options.mode !== 'keyword' && library.info.semantic && words)
      library.prefetch?.({ words }).catch(() => {});
  }

  #arm(extent: Extent, delay: number): void {
    if (delay <= 0) void this.#run(extent);
    else this.#timers.push(setTimeout(() => void this.#run(extent), delay));
  }

  #disarm(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }

  #open(): Promise<Library> {
    this.#opening ??= this.#start().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #start(): Promise<Library> {
    const context: OpenContext = {
      onProgress: (progress) => this.#patch({ progress }),
      again: this.#again,
      failed: this.#failed,
    };
    this.#library = await (typeof this.#source === 'function' ? this.#source(context) : this.#source);
    return this.#library;
  }

  async #run(extent: Extent): Promise<void> {
    this.#supersede();
    const controller = new AbortController();
    const { query } = this.#state;
    const run = (this.#current = { query, extent, controller });
    this.#offline();
    try {
      await this.#search(run);
      this.#again = false;
    } catch (error) {
      // What failed behind a word is asked again at the next rest, which reports it.
      if (!controller.signal.aborted && extent === 'all') this.#fail(error as SearchFailure);
    } finally {
      if (this.#current === run) this.#supersede();
    }
  }

  /** A newer query, or an empty one, replaces the running one. */
  #supersede(): void {
    clearTimeout(this.#offlineTimer);
    this.#current?.controller.abort();
    this.#current = undefined;
  }

  async #search({ query, extent, controller: { signal } }: Run): Promise<void> {
    const library = await this.#open();
    if (signal.aborted) return;
    this.#patch({ status: 'searching', progress: undefined });
    const { mode, patience } = this.#options;
    const ask = (by: SearchMode, most?: number): Promise<Found> => this.#find(library, query, by, signal, most);
    const bridge = library.info.lazy ? BRIDGE : undefined;
    if (extent === 'words') {
      this.#fetchMeaning(library, query);
      const isSoon = performance.now() - this.#shownAt < LEAST_SHOWN;
      const answer = await ask('keyword', isSoon ? 0 : bridge);
      if (!signal.aborted && !isSoon) this.#show(query, answer, 'keyword');
      this.#complete(library);
      return;
    }
    const first = mode === 'hybrid' && library.info.semantic ? ask('keyword', bridge) : undefined;
    const best = ask(mode);
    let settled = false;
    first
      ?.then(async (answer) => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        await Promise.race([best, new Promise((resolve) => (timer = setTimeout(resolve, patience)))]).finally(() =>
          clearTimeout(timer),
        );
        if (!settled && !signal.aborted) this.#show(query, answer, 'keyword');
      })
      .catch(() => {}); // `best` fails the same way, and is awaited
    try {
      const answer = await best;
      settled = true;
      if (!signal.aborted) this.#show(query, answer, 'final');
      this.#complete(library);
    } catch (error) {
      // Keyword hits are better than nothing.
      const answer = settled || signal.aborted ? undefined : await first?.catch(() => undefined);
      if (answer !== undefined && !signal.aborted) this.#show(query, answer, 'keyword');
      throw error;
    }
  }

  /** Behind the first answer, a small bundle comes whole; later keys then cost nothing. */
  #complete(library: Library): void {
    const { lazy, fileSize } = library.info;
    if (this.#completing === library || !lazy || fileSize > SMALL_BUNDLE || savesData()) return;
    this.#completing = library;
    library.prefetch({ whole: true }).catch(() => {}); // ranges serve as before
  }

  /** Passages for about the number of pages wanted, at most `most`, and whether there may be more. */
  async #find(library: Library, query: string, mode: SearchMode, signal: AbortSignal, most = Infinity): Promise<Found> {
    const { filter, filters = {} } = this.#options;
    const facets = Array.isArray(library.info.manifest?.['filters']);
    const prefix = !/\s$/u.test(query); // a word with a space behind it is complete
    const { lazy } = library.info;
    const first = Math.ceil((this.#pages + 1) * (lazy ? PER_PAGE.lazy : PER_PAGE.whole));
    const enough = lazy ? Math.min(FEW_PAGES, this.#pages / 2) : this.#pages / 2;
    for (let topK = Math.min(first, most); ; topK *= FURTHER) {
      topK = Math.min(topK, MOST_HITS);
      const answer = await library.search(query, {
        by: 'passage',
        topK,
        mode,
        prefix,
        signal,
        ...(facets ? { facets, filters } : {}),
      });
      const hits = filter === undefined ? answer.hits : answer.hits.filter(filter);
      const full = topK < MOST_HITS && answer.hits.length >= topK; // more cannot be requested
      if (!full || topK >= most || topK >= first * FURTHER || new Set(hits.map(({ page }) => page)).size > enough) {
        return { hits, full, weak: answer.weak ?? false, corrections: answer.corrections, facets: answer.facets };
      }
    }
  }

  #show(query: string, { hits, full, weak, corrections, facets }: Found, stage: 'keyword' | 'final'): void {
    this.#shownAt = performance.now();
    const shown = this.#state.groups;
    const known = this.#state.answered === query && shown.length > 0 && !this.#changed;
    if (stage === 'keyword' && known && this.#state.stage === 'final') return; // more of a better list is coming
    const { passagesPerPage } = this.#options;
    const all = groupHits(hits, this.#pages + 1, passagesPerPage);
    let groups = all.slice(0, this.#pages);
    this.#waiting = undefined;
    if (known && this.#held) {
      this.#waiting = groups;
      groups = keepInPlace(shown, groups, this.#pages);
    }
    this.#patch({
      status: stage === 'final' ? 'done' : this.#state.status === 'offline' ? 'offline' : 'searching',
      answered: query,
      stage,
      groups,
      count: countOf(groups),
      suggestion: correctedQuery(query, corrections, hits),
      weak,
      hasMore: all.length > this.#pages || full,
      facets,
      ...(stage === 'final' ? { error: undefined } : {}),
    });
    if (stage === 'final') this.#changed = false;
  }

  #fail(error: SearchFailure): void {
    const reopen = REOPEN.has(error.code) && typeof this.#source === 'function';
    if (reopen) {
      this.#failed = this.#library;
      this.#opening = this.#library = undefined;
    }
    if (reopen && !this.#again) {
      this.#again = true; // once: the file was replaced, or the worker died
      void this.#run('all');
      return;
    }
    const offline = isNetwork(error) && isOffline();
    const stale = this.#state.answered !== this.#state.query;
    const byWords =
      !stale && !REOPEN.has(error.code) && this.#state.stage === 'keyword' && this.#options.mode === 'hybrid';
    const status = offline ? 'offline' : byWords ? 'done' : 'error';
    this.#patch({ ...(stale ? EMPTY : {}), status, error, progress: undefined });
  }

  #patch(change: Partial<SearchState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of [...this.#listeners]) listener(this.#state);
  }
}

/** Errors without a code: the client's own script did not load. */
function isNetwork(error: SearchFailure | undefined): boolean {
  return error?.code === undefined || error.code === 'NETWORK';
}

/** The reader pays for bytes. */
function savesData(): boolean {
  const { connection } = (globalThis.navigator ?? {}) as { connection?: { saveData?: boolean } };
  return connection?.saveData === true;
}

/** A page opened as a file needs no network. */
function isOffline(): boolean {
  return globalThis.navigator?.onLine === false && globalThis.location?.protocol !== 'file:';
}

function countOf(groups: readonly PageGroup[]): number {
  return groups.reduce((sum, group) => sum + group.hits.length, 0);
}
