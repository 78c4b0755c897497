/**
 * Sheaf in Node 20 and later: the root's exports, with files.
 *
 *     import { open } from 'sheaf/node';
 *     const library = await open('vue@3.5.sheaf');
 *     const { hits } = await library.search('keep an input focused');
 *     await library.close();
 *
 * The package's own encoder table for the bundle's vector space is used unless another is named.
 * Everything runs on the calling thread; there are no workers here.
 */
import { open as openFile, readFile, stat, type FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { asSheafError, SheafError } from './errors.js';
import type { BundleSource } from './index.js';
import { loadCore } from './load.js';
import { openLocal } from './local.js';
import { BlobSource, BytesSource, checkRange, FetchSource, isSource, type Source } from './source.js';
import type { BaseOpenOptions, Library } from './types.js';

export * from './index.js';

export interface NodeOpenOptions extends BaseOpenOptions {
  /** The static encoder table: a path, or whatever `open` takes. false: none, search is by keyword. */
  encoder?: BundleSource | false;
}

/** Opens a bundle from a path, a URL (file:, http:, https:), bytes, a Blob, or a Source. */
export async function open(source: BundleSource, options: NodeOpenOptions = {}): Promise<Library> {
  const { encoder, lazy } = options;
  const wasm = options.wasm ?? (await ownWasm());
  return openLocal(await loadCore(wasm), toSource('source', source, lazy === false), {
    ...options,
    encoder: encoder === undefined ? ownEncoder : encoder === false ? undefined : toSource('encoder', encoder, lazy === false),
  });
}

/** A file, held open from the first read to `close`, so that replacing it on disk does no harm. */
export class FileSource implements Source {
  readonly key: string;
  readonly local = true;
  #handle: Promise<FileHandle> | undefined;

  constructor(path: string | URL) {
    this.key = path instanceof URL ? fileURLToPath(path) : path;
  }

  async size(): Promise<number> {
    const stats = await (await this.#open()).stat();
    if (!stats.isFile()) throw new SheafError('FILE', `${this.key} is not a file.`);
    return stats.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const handle = await this.#open();
    checkRange(this.key, offset, length, (await handle.stat()).size);
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      // One read() moves at most 2 GiB.
      const { bytesRead } = await handle.read(bytes, done, Math.min(length - done, 2 ** 30), offset + done);
      if (bytesRead === 0) throw new SheafError('TRUNCATED', `${this.key} became shorter while it was being read; open it again.`);
      done += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await (await handle?.catch(() => undefined))?.close();
  }

  #open(): Promise<FileHandle> {
    this.#handle ??= openFile(this.key, 'r').catch((error: NodeJS.ErrnoException) => {
      this.#handle = undefined;
      const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
      throw new SheafError('FILE', `${this.key} cannot be opened: ${reason}.`, { cause: error });
    });
    return this.#handle;
  }
}

function toSource(name: string, source: BundleSource, whole: boolean): Source {
  if (typeof source === 'string') {
    if (/^https?:\/\//i.test(source)) return new FetchSource(source, { whole });
    return new FileSource(/^file:\/\//i.test(source) ? new URL(source) : source);
  }
  if (source instanceof URL) return source.protocol === 'file:' ? new FileSource(source) : new FetchSource(source, { whole });
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return new BytesSource(source);
  if (source instanceof Blob) return new BlobSource(source);
  if (isSource(source)) return source;
  throw new SheafError('INVALID_ARGUMENT', `${name} must be a path, a URL, a Uint8Array, an ArrayBuffer, a Blob or a Source, not ${String(source)}.`);
}

let wasmBytes: Promise<Uint8Array> | undefined;

function ownWasm(): Promise<Uint8Array> {
  const path = fileURLToPath(new URL('../core/sheaf-core.wasm', import.meta.url));
  wasmBytes ??= readFile(path).catch((error: unknown) => {
    wasmBytes = undefined;
    throw asSheafError(error, 'WASM', `The core could not be read from ${path}`);
  });
  return wasmBytes;
}

/** The table that ships with the package for a vector space, if it does. */
async function ownEncoder(space: string): Promise<Source | undefined> {
  // The name comes out of a bundle, that is, from a stranger: it may not walk the file system.
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(space)) return undefined;
  const path = fileURLToPath(new URL(`../../models/${space}.sheaf`, import.meta.url));
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? new FileSource(path) : undefined;
}
