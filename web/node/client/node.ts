/**
 * Sheaf in Node 20 and later: the root's exports, with files.
 *
 *     import { open } from 'sheaf/node';
 *     const library = await open('vue@3.5.sheaf');
 *     const { hits } = await library.search('keep an input focused');
 *     await library.close();
 *
 * The package's own encoder table for the bundle's vector space is used unless you name another.
 * Everything runs on the calling thread; there are no workers here.
 */
import { stat } from 'node:fs/promises';
import { SheafError } from '../../browser/client/errors.js';
import { FileSource } from './file_source.js';
import type { BundleSource } from '../../browser/client/index.js';
import { loadCore } from '../../browser/client/load.js';
import { openLocal } from '../../browser/client/local.js';
import { readCore, readLanguage, tableOf } from './paths.js';
import { FetchSource } from '../../browser/client/fetch_source.js';
import { BlobSource, BytesSource, isSource, type Source } from '../../browser/client/source.js';
import type { BaseOpenOptions, Library } from '../../browser/client/types.js';

export * from '../../browser/client/index.js';
export { FileSource };

export interface NodeOpenOptions extends BaseOpenOptions {
  /** The static encoder table: a path, or whatever `open` takes. false: none, search is by keyword. */
  encoder?: BundleSource | false;
}

/** Opens a bundle from a path, a URL (file:, http:, https:), bytes, a Blob, or a Source. */
export async function open(source: BundleSource, options: NodeOpenOptions = {}): Promise<Library> {
  const { encoder, lazy } = options;
  const wasm = options.wasm ?? (await readCore());
  return openLocal(await loadCore(wasm, readLanguage), toSource('source', source, lazy === false), {
    ...options,
    encoder:
      encoder === undefined ? ownEncoder : encoder === false ? undefined : toSource('encoder', encoder, lazy === false),
  });
}

function toSource(name: string, source: BundleSource, whole: boolean): Source {
  if (typeof source === 'string') {
    if (/^https?:\/\//i.test(source)) return new FetchSource(source, { whole });
    return new FileSource(/^file:\/\//i.test(source) ? new URL(source) : source);
  }
  if (source instanceof URL)
    return source.protocol === 'file:' ? new FileSource(source) : new FetchSource(source, { whole });
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return new BytesSource(source);
  if (source instanceof Blob) return new BlobSource(source);
  if (isSource(source)) return source;
  throw new SheafError(
    'INVALID_ARGUMENT',
    `${name} must be a path, a URL, a Uint8Array, an ArrayBuffer, a Blob or a Source, not ${String(source)}.`,
  );
}

/** The table that ships with the package for a vector space, if it does. */
async function ownEncoder(space: string): Promise<Source | undefined> {
  const path = tableOf(space);
  if (path === undefined) return undefined;
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? new FileSource(path) : undefined;
}
