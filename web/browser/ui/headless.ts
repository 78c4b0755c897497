/**
 * The logic of `<sheaf-search>` without Lit and without a DOM: bring your own interface.
 * `segments` and `hitHref` save you the two tricky parts: marking text without HTML, and links that
 * cannot run code.
 */
export { correctedQuery } from '../client/written.js';
export {
  codeLines,
  groupHits,
  isTop,
  marked,
  oneLine,
  segments,
  type PageGroup,
  type Segment,
} from './state/groups.js';
export { fragmentOf, hitHref, placeOf, type LinkOptions } from './state/links.js';
export {
  createSearch,
  DEFAULT_UI_OPTIONS,
  isByWords,
  type LibrarySource,
  type OpenContext,
  type SearchOptions,
  type SearchState,
  type SearchStatus,
  type SearchStore,
} from './state/search.js';
