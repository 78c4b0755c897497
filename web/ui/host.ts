/**
 * `<sheaf-search>` as those who work for it see it: what each may read, what it may set, what it may ask for. One small interface
 * for each, so that none knows the element, and each is tested with a plain object in its place.
 *
 * Idea: the element (sheaf-search.ts) puts all together and is imported by nobody here. Arrows of import lead from it to
 * controllers/, views/ and scope/, from those to this file, and from here to the plain data of state/ and words/.
 *
 * Types alone: nothing of this is in what browsers load.
 */
import type { Library, Progress } from '../client/types.js';
import type { SearchOptions, SearchState, SearchStore } from './state/search.js';

// ---- controllers/bars.ts ---------------------------------------------------------------------------

/** Values of a bundle's filters, by key. */
export type Filters = NonNullable<SearchOptions['filters']>;

export interface BarsHost {
  readonly search: Pick<SearchStore, 'configure'>;
  requestUpdate(): void;
}

/** Controls above the list. */
export interface ChipsBar {
  readonly bar: HTMLElement;
  /** Draws them anew. */
  update(): void;
}

/** The controls of several bundles, which open these as well. */
export interface ScopeBar extends ChipsBar {
  open(onProgress: (progress: Progress) => void): Promise<Library>;
}

/** Where the code of the controls comes from. */
export interface BarsLoaders {
  scope(): Promise<ScopeBar>;
  /** `narrow` is told what the reader chose. */
  chips(narrow: (filters: Filters) => void): Promise<ChipsBar>;
}

// ---- scope/facets.ts -------------------------------------------------------------------------------

export interface ChipsHost {
  /** Keys of the filters that the page wants, in their order; by default all. */
  readonly facets: string | undefined;
  readonly state: Pick<SearchState, 'query' | 'facets'>;
  readonly renderRoot: ParentNode;
}
