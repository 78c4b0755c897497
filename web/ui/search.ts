/**
 * Search as a store: the component's logic without its looks, for those who bring their own.
 *
 *     const search = createSearch(() => open('/docs.sheaf', { encoder: '/table.sheaf' }));
 *     search.subscribe((state) => render(state));
 *     input.oninput = () => search.setQuery(input.value);
 *
 * Idea: a query that is typed waits for a short pause, supersedes the one before, and is asked twice
 * at once: by words, whose hits come first, and by words and meaning, whose list takes their place.
 * Both share the byte ranges they need, so the first costs next to nothing.
 *
 * Invariants
 *  1. `state` is replaced, never changed; listeners are told of each replacement.
 *  2. The groups shown answer the query `answered`, which lags behind `query` while a search runs; the
 *     answer of a superseded search is never shown after that of a newer one.
 *  3. While the reader holds the list (`hold(true)`: pointer over it, an entry chosen by keyboard),
 *     what is shown keeps its place, and new pages come below. Letting go shows the best order.
 *  4. An error leaves what is shown in place. Offline ends by itself when the network is back.
 *
 * No DOM is touched; the only globals used, where they exist, are timers and the `online` event.
 */
import type { ErrorCode } from '../client/errors.js';
import type { Hit, Library, Progress, SearchAnswer, SearchMode } from '../client/types.js';
import { correctedQuery, groupHits, keepInPlace, type PageGroup } from './groups.js';

export type SearchStatus =
  | 'idle' // no query
  | 'opening' // the library is on its way; `progress` tells how far
  | 'searching'
  | 'done'
  | 'offline' // waits for the network
  | 'error';

/** A SheafError, or what opening threw. */
export type SearchFailure = Error & { code?: ErrorCode };

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
  /** Whether `more()` would bring further pages. */
  hasMore: boolean;
  progress: Progress | undefined;
  error: SearchFailure | undefined;
}

export interface SearchOptions {
  /** Pages of an answer, 1 and up; `more()` adds as many again. */
  pages?: number;
  /** Passages shown of one page, 1 and up. */
  passagesPerPage?: number;
  /** Milliseconds without a keystroke before a search begins; 0 searches at each. */
  debounce?: number;
  /** Milliseconds that keyword hits wait for the final list, so that quick answers do not flicker. */
  patience?: number;
  mode?: SearchMode;
  /** Which hits to keep. */
  filter?: ((hit: Hit) => boolean) | undefined;
}

export const DEFAULT_UI_OPTIONS = { pages: 8, passagesPerPage: 3, debounce: 80, patience: 120, mode: 'hybrid' } as const;

/**
 * Passages asked for, per page wanted: every snippet costs bytes of a bundle that is read by ranges, so
 * few come first, and more only when they stem from too few pages, or a filter drops them.
 */
const PER_PAGE = 2;
const FURTHER = 4;
const MOST_HITS = 1000;
/** The library is of no use any more: opening it again may help. */
const REOPEN: ReadonlySet<unknown> = new Set<ErrorCode>(['SOURCE_CHANGED', 'CLOSED', 'INTERNAL']);

export interface OpenContext {
  onProgress: (progress: Progress) => void;
  /** True when the library opened before turned out to be unusable. */
  again: boolean;
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
  /** Ends everything under way. The library is the caller's to close. */
  dispose(): void;
}

interface Found {
  hits: Hit[];
  full: boolean;
  corrections: SearchAnswer['corrections'];
}

const EMPTY = { answered: '', stage: 'none', groups: [], count: 0, suggestion: '', hasMore: false, progress: undefined, error: undefined } as const;

/** Before the first query. */
export const IDLE_STATE: SearchState = { query: '', status: 'idle', ...EMPTY };

export function createSearch(source: LibrarySource, options: SearchOptions = {}): SearchStore {
  return new Store(source, options);
}

class Store implements SearchStore {
  readonly #source: LibrarySource;
  readonly #listeners = new Set<(state: SearchState) => void>();
  #options: Required<Omit<SearchOptions, 'filter'>> & Pick<SearchOptions, 'filter'>;
  #state: SearchState = IDLE_STATE;
  #pages: number;
  #opening: Promise<Library> | undefined;
  #library: Library | undefined;
  #again = false;
  #current: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held = false;
  /** Other options apply than to what is shown, so nothing of that has a claim to its place. */
  #changed = false;
  /** The best order, while the reader holds another. */
  #waiting: PageGroup[] | undefined;
  readonly #online = (): void => {
    if (this.#state.status === 'offline') this.retry();
  };

  constructor(source: LibrarySource, options: SearchOptions) {
    this.#source = source;
    this.#options = { ...DEFAULT_UI_OPTIONS, ...options };
    this.#pages = this.#options.pages;
    globalThis.addEventListener?.('online', this.#online);
  }

  get state(): SearchState {
    return this.#state;
  }
  get library(): Library | undefined {
    return this.#library;
  }

  subscribe(listener: (state: SearchState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  setQuery(query: string): void {
    if (query !== this.#state.query) this.#ask(query, this.#options.debounce);
  }

  submit(query = this.#state.query): void {
    const known = query === this.#state.answered && this.#state.status === 'done';
    if (!known) this.#ask(query, 0);
  }

  configure(options: SearchOptions): void {
    this.#options = { ...this.#options, ...options };
    this.#pages = this.#options.pages;
    this.#changed = true;
    if (this.#state.query.trim() !== '') this.#ask(this.#state.query, 0);
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
    void this.#run();
  }

  retry(): void {
    this.#ask(this.#state.query, 0);
  }

  async prefetch(): Promise<void> {
    await this.#open().catch(() => {});
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#current?.abort();
    this.#listeners.clear();
    globalThis.removeEventListener?.('online', this.#online);
  }

  #ask(query: string, delay: number): void {
    clearTimeout(this.#timer);
    if (query !== this.#state.query) this.#pages = this.#options.pages;
    this.#waiting = undefined;
    if (query.trim() === '') {
      this.#current?.abort();
      this.#patch({ query, status: 'idle', ...EMPTY });
      return;
    }
    this.#patch({ query, status: this.#library === undefined ? 'opening' : 'searching', error: undefined });
    if (delay <= 0) void this.#run();
    else this.#timer = setTimeout(() => void this.#run(), delay);
  }

  #open(): Promise<Library> {
    this.#opening ??= this.#start().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #start(): Promise<Library> {
    const context: OpenContext = { onProgress: (progress) => this.#patch({ progress }), again: this.#again };
    this.#library = await (typeof this.#source === 'function' ? this.#source(context) : this.#source);
    return this.#library;
  }

  async #run(): Promise<void> {
    this.#current?.abort(); // a newer query supersedes the older one
    const controller = (this.#current = new AbortController());
    const { query } = this.#state;
    try {
      await this.#search(query, controller.signal);
      this.#again = false;
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(error as SearchFailure);
    }
  }

  async #search(query: string, signal: AbortSignal): Promise<void> {
    const library = await this.#open();
    if (signal.aborted) return;
    this.#patch({ status: 'searching', progress: undefined });
    const { mode, patience } = this.#options;
    const ask = (by: SearchMode): Promise<Found> => this.#find(library, query, by, signal);
    const first = mode === 'hybrid' && library.info.semantic ? ask('keyword') : undefined;
    const best = ask(mode);
    let settled = false;
    first
      ?.then(async (answer) => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        await Promise.race([best, new Promise((resolve) => (timer = setTimeout(resolve, patience)))]).finally(() => clearTimeout(timer));
        if (!settled && !signal.aborted) this.#show(query, answer, 'keyword');
      })
      .catch(() => {}); // `best` fails alike, and is waited for
    try {
      const answer = await best;
      settled = true;
      if (!signal.aborted) this.#show(query, answer, 'final');
    } catch (error) {
      // What was found by words is better than nothing.
      const answer = settled || signal.aborted ? undefined : await first?.catch(() => undefined);
      if (answer !== undefined && !signal.aborted) this.#show(query, answer, 'keyword');
      throw error;
    }
  }

  /** Passages of about as many pages as are wanted, and whether there may be more. */
  async #find(library: Library, query: string, mode: SearchMode, signal: AbortSignal): Promise<Found> {
    const { filter } = this.#options;
    for (let topK = (this.#pages + 1) * PER_PAGE; ; topK *= FURTHER) {
      topK = Math.min(topK, MOST_HITS);
      const answer = await library.search(query, { by: 'passage', topK, mode, signal });
      const hits = filter === undefined ? answer.hits : answer.hits.filter(filter);
      const full = answer.hits.length >= topK;
      if (!full || topK >= (this.#pages + 1) * PER_PAGE * FURTHER || topK === MOST_HITS || new Set(hits.map(({ page }) => page)).size > this.#pages / 2) {
        return { hits, full, corrections: answer.corrections };
      }
    }
  }

  #show(query: string, { hits, full, corrections }: Found, stage: 'keyword' | 'final'): void {
    const { passagesPerPage } = this.#options;
    const all = groupHits(hits, this.#pages + 1, passagesPerPage);
    let groups = all.slice(0, this.#pages);
    this.#waiting = undefined;
    const shown = this.#state.groups;
    if (this.#state.answered === query && shown.length > 0 && this.#held && !this.#changed) {
      this.#waiting = groups;
      groups = keepInPlace(shown, groups, this.#pages);
    }
    this.#patch({
      status: stage === 'final' ? 'done' : 'searching',
      answered: query,
      stage,
      groups,
      count: countOf(groups),
      suggestion: correctedQuery(query, corrections),
      hasMore: all.length > this.#pages || full,
      error: undefined,
    });
    if (stage === 'final') this.#changed = false;
  }

  #fail(error: SearchFailure): void {
    const reopen = REOPEN.has(error.code) && typeof this.#source === 'function';
    if (reopen) this.#opening = this.#library = undefined;
    if (reopen && !this.#again) {
      this.#again = true; // once: the file was replaced, or the worker died
      void this.#run();
      return;
    }
    // Without a code: the client's own script did not arrive.
    const network = error.code === undefined || error.code === 'NETWORK' || error.code === 'WASM';
    const offline = network && globalThis.navigator?.onLine === false;
    const stale = this.#state.answered !== this.#state.query;
    this.#patch({ ...(stale ? EMPTY : {}), status: offline ? 'offline' : 'error', error, progress: undefined });
  }

  #patch(change: Partial<SearchState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of [...this.#listeners]) listener(this.#state);
  }
}

function countOf(groups: readonly PageGroup[]): number {
  return groups.reduce((sum, group) => sum + group.hits.length, 0);
}
