/**
 * Opens a library, in a worker where one can start. Small, since pages load it before anything else of the client: the
 * rest is the worker's, or open_here.ts.
 */
import { absolute } from './absolute.js';
import { abortable, SheafError } from './errors.js';
import { openRemote } from './remote.js';
import { isSource, type Source } from './source.js';
import { ownScript, startWorker } from './start_worker.js';
import type { BaseOpenOptions, Library } from './types.js';

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
  const { openHere } = await abortable(import('./open_here.js'), options.signal);
  return openHere(bundle, { ...options, encoder, wasm });
}

/** A source whose address is complete. */
export type Resolved = Exclude<BundleSource, string>;

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
