/** Opens a library on the calling thread, where no worker is wanted or none can start. */
import { abortable } from './errors.js';
import { FetchSource, firstReadOf } from './fetch_source.js';
import { loadCore } from './load.js';
import { openLocal } from './local.js';
import type { Resolved } from './open.js';
import { BlobSource, BytesSource, type Source } from './source.js';
import type { BaseOpenOptions, Library } from './types.js';

export interface OpenHereOptions extends Omit<BaseOpenOptions, 'wasm'> {
  encoder?: Resolved | undefined;
  wasm?: Uint8Array | ArrayBuffer | string | undefined;
}

export async function openHere(bundle: Resolved, options: OpenHereOptions): Promise<Library> {
  const { encoder, wasm, ...rest } = options;
  const whole = rest.lazy === false;
  const core = await abortable(loadCore(wasm), rest.signal);
  return openLocal(core, toSource(bundle, whole, firstReadOf('bundle', encoder !== undefined)), {
    ...rest,
    encoder: encoder === undefined ? undefined : toSource(encoder, whole, firstReadOf('encoder')),
  });
}

function toSource(source: Resolved, whole: boolean, first: number): Source {
  if (source instanceof URL) return new FetchSource(source, { whole, first });
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return new BytesSource(source);
  if (typeof Blob !== 'undefined' && source instanceof Blob) return new BlobSource(source);
  return source as Source;
}
