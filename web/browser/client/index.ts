/**
 * Sheaf in browsers, workers and extensions: open a bundle, ask it.
 *
 *     import { open } from 'sheaf';
 *     const library = await open('/docs/vue@3.5.sheaf', { encoder: '/docs/minilm-l6-256.sheaf' });
 *     const { hits } = await library.search('keep an input focused', { topK: 5 });
 *     await library.close();
 *
 * Runtime-neutral: no `node:` import is reachable from here. For files in Node, see sheaf/node.
 */
export { SheafError, type CoreErrorCode, type ErrorCode, type HostErrorCode } from './errors.js';
export { FetchSource, type FetchSourceOptions } from './fetch_source.js';
export { open, type BundleSource, type OpenOptions } from './open.js';
export { BlobSource, BytesSource, type Source } from './source.js';
export { isSupported } from './supported.js';
export {
  DEFAULT_SEARCH_OPTIONS,
  WHOLE_LIMIT,
  type CallOptions,
  type Copy,
  type Explanation,
  type Facet,
  type Highlight,
  type Hit,
  type Library,
  type LibraryFacets,
  type LibraryInfo,
  type MatchKind,
  type Page,
  type Passage,
  type PrefetchOptions,
  type Progress,
  type SearchAnswer,
  type SearchMode,
  type SearchOptions,
  type TermMatch,
} from './types.js';
