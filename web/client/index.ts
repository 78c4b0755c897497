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
import { absolute } from './absolute.js';
import { abortable, SheafError } from './errors.js';
import { loadCore } from './load.js';
import { openLocal } from './local.js';
import { openRemote } from './remote.js';
import { BlobSource, BytesSource, FetchSource, isSource, type Source } from './source.js';
import { ownScript, startWorker } from './start_worker.js';
import type { BaseOpenOptions, Library } from './types.js';

export { SheafError, type CoreErrorCode, type ErrorCode, type HostErrorCode } from './errors.js';
export { BlobSource, BytesSource, FetchSource, type FetchSourceOptions, type Source } from './source.js';
export {
  DEFAULT_SEARCH_OPTIONS,
  WHOLE_LIMIT,
  type CallOptions,
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
  type Progress,
  type SearchAnswer,
  type SearchMode,
  type SearchOptions,
  type TermMatch,
} from './types.js';

/** A URL (a string may be relative to the page), the bytes themselves, a Blob or File, or a Source of your own. */
export type BundleSource = string | URL | Uint8Array | ArrayBuffer | Blob | Source;

export interface OpenOptions extends BaseOpenOptions {
  /** The static encoder table of the bundle's vector space. Without it, search is by keyword. */
  encoder?: BundleSource;
  /**
   * Search in a worker, so that the page never blocks. true (default): falls back to the calling thread
   * where workers are missing or forbidden. false: stays on the calling thread. A URL: your own worker
   * script, which imports `sheaf/worker`.
   */
  worker?: boolean | URL | string;
  /** Hand byte arrays over to the worker instead of copying them; they are empty afterwards. Default false. */
  transfer?: boolean;
}

let fallbackSaid = false;

/** Opens a bundle. Rejects with a SheafError. */
export async function open(source: BundleSource, options: OpenOptions = {}): Promise<Library> {
  const bundle = resolve('source', source);
  const encoder = options.encoder === undefined ? undefined : resolve('encoder', options.encoder);
  const wasm =
    typeof options.wasm === 'string'
      ? absolute(options.wasm).href
      : options.wasm instanceof URL
        ? options.wasm.href
        : options.wasm;

  if (options.worker !== false && typeof Worker === 'function') {
    const worker = await startWorker(workerUrl(options.worker), options.signal);
    if (worker !== undefined)
      return openRemote(worker, () => worker.terminate(), bundle, { ...options, encoder, wasm });
    if (!fallbackSaid) {
      fallbackSaid = true;
      console.warn(
        "sheaf: no worker could be started, so searches run on this thread (a Content-Security-Policy needs worker-src 'self', and with Trusted Types the policy name sheaf).",
      );
    }
  }
  const whole = options.lazy === false;
  return openLocal(await abortable(loadCore(wasm), options.signal), toSource(bundle, whole), {
    ...options,
    encoder: encoder === undefined ? undefined : toSource(encoder, whole),
  });
}

type Resolved = Exclude<BundleSource, string>;

function workerUrl(choice: boolean | URL | string | undefined): URL | string {
  if (typeof choice === 'string') return absolute(choice);
  if (choice instanceof URL) return choice;
  return ownScript(new URL('./worker.js', import.meta.url));
}

function resolve(name: string, source: BundleSource): Resolved {
  if (typeof source === 'string') return absolute(source);
  if (source instanceof URL || source instanceof Uint8Array || source instanceof ArrayBuffer) return source;
  if ((typeof Blob !== 'undefined' && source instanceof Blob) || isSource(source)) return source;
  throw new SheafError(
    'INVALID_ARGUMENT',
    `${name} must be a URL, a Uint8Array, an ArrayBuffer, a Blob or a Source, not ${String(source)}.`,
  );
}

function toSource(source: Resolved, whole: boolean): Source {
  if (source instanceof URL) return new FetchSource(source, { whole });
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return new BytesSource(source);
  if (typeof Blob !== 'undefined' && source instanceof Blob) return new BlobSource(source);
  return source as Source;
}
