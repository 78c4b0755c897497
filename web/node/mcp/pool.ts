/**
 * The open bundles of a running server.
 *
 * Invariants
 *  1. A bundle is opened on its first use and kept while memory allows; the least recently used one is
 *     closed first, and none is closed while a call uses it.
 *  2. An open bundle matches its file: path, inode, size and time are compared on each use. A replaced
 *     file is opened again; running calls finish on the old one.
 *  3. Every core has its own memory, as everywhere in Sheaf; the encoder table's bytes are held once
 *     and handed to each core in the ranges that its queries need (2 MB instead of 7 MB a bundle).
 *
 * Cost of a use: one stat. Of an opening: about 6 ms, and the file once through memory.
 */
import { open as openFile, readFile, stat } from 'node:fs/promises';
import { SheafError } from '../../browser/client/errors.js';
import { FileSource } from '../client/file_source.js';
import { loadCore } from '../../browser/client/load.js';
import { openLocal } from '../../browser/client/local.js';
import { readCore, readLanguage, tableOf } from '../client/places.js';
import { checkRange, type Source } from '../../browser/client/source.js';
import type { Library } from '../../browser/client/types.js';
import { storeFolder, type StoredBundle } from '../store/store.js';
import { StoreView } from './store_view.js';
import type { Log, Pool } from './tool.js';
import type { QueryEncoder } from '../../browser/encoder/transformer.js';

export interface PoolOptions {
  /** The folder of bundles; by default the user's store. */
  store?: string;
  /** Bytes that open bundles may take in all, as estimated. Default 512 MB. */
  memory?: number;
  /** Query encoder, as in `--encoder` (web/node/store/encoder_choice.ts). Default: the static table. Read once. */
  encoder?: () => string | undefined;
}

export const DEFAULT_MEMORY = 512 * 1024 * 1024;

/** Above this a bundle is read by ranges as searches need them, instead of whole. */
const WHOLE_BYTES = 64 * 1024 * 1024;
/** A core takes its code, 4 MB of address space, of which about two are touched, and its blocks decoded. */
const BASE_BYTES = 2.5 * 1024 * 1024;
const FACTOR = 2;

interface Entry {
  readonly path: string;
  /** Inode, size and time of the file that is open. */
  key: string;
  bytes: number;
  library: Promise<Library>;
  users: number;
  /** No new users; closed when the last user leaves. */
  retired: boolean;
}

export function createPool(log: Log, options: PoolOptions = {}): Pool {
  return new BundlePool(log, options);
}

class BundlePool implements Pool {
  readonly #log: Log;
  readonly #view: StoreView;
  readonly #memory: number;
  readonly #encoderName: () => string | undefined;
  /** By path, least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #encoder: Promise<Chosen> | undefined;
  #closed = false;

  constructor(log: Log, { store = storeFolder(), memory = DEFAULT_MEMORY, encoder = () => undefined }: PoolOptions) {
    this.#log = log;
    this.#view = new StoreView(store, log);
    this.#memory = memory;
    this.#encoderName = encoder;
  }

  async list(): Promise<readonly StoredBundle[]> {
    return this.#view.list();
  }

  onChange(listener: () => void): () => void {
    return this.#view.onChange(listener);
  }

  async use<T>(bundle: StoredBundle, work: (library: Library) => Promise<T>): Promise<T> {
    const entry = await this.#enter(bundle);
    try {
      return await work(await entry.library);
    } catch (error) {
      // A core that trapped, or met a damaged block, is not asked again.
      if (error instanceof SheafError && !HARMLESS.has(error.code)) this.#retire(entry);
      throw explained(error, bundle);
    } finally {
      entry.users--;
      if (entry.retired && entry.users === 0) void this.#dispose(entry);
      else this.#evict();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#view.close();
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map((entry) => this.#dispose(entry)));
    const chosen = await this.#encoder?.catch(() => undefined);
    if (chosen?.kind === 'model')
      await chosen.encoder.then(
        (encoder) => encoder.close(),
        () => {},
      );
  }

  /** The open entry of a bundle, with this caller counted among its users. */
  async #enter(bundle: StoredBundle): Promise<Entry> {
    const { path } = bundle;
    const now = await stat(path, { bigint: true }).then(keyOf, (error: unknown) => {
      throw gone(error, bundle);
    });
    if (this.#closed) throw new SheafError('CLOSED', 'The server is shutting down.');
    const known = this.#entries.get(path);
    if (known !== undefined && known.key === now) {
      this.#entries.delete(path); // and back in, as the most recently used
      this.#entries.set(path, known);
      known.users++;
      return known;
    }
    if (known !== undefined) {
      this.#log('debug', `${path} was replaced; opening it anew`);
      this.#retire(known);
    }
    const entry: Entry = {
      path,
      key: now,
      bytes: BASE_BYTES,
      users: 1,
      retired: false,
      library: undefined as unknown as Promise<Library>,
    };
    entry.library = this.#open(entry, bundle);
    entry.library.catch(() => this.#retire(entry));
    this.#entries.set(path, entry);
    return entry;
  }

  async #open(entry: Entry, bundle: StoredBundle): Promise<Library> {
    const handle = await openFile(entry.path, 'r').catch((error: unknown) => {
      throw gone(error, bundle);
    });
    const source = new FileSource(entry.path, handle);
    try {
      const stats = await handle.stat({ bigint: true });
      entry.key = keyOf(stats); // the file may have been replaced since the first look
      const size = Number(stats.size);
      entry.bytes = BASE_BYTES + FACTOR * Math.min(size, WHOLE_BYTES);
      const chosen = await this.#chosenEncoder();
      const lazy = size > WHOLE_BYTES ? { lazy: true } : {};
      const library = await openLocal(await loadCore(await readCore(), readLanguage), source, {
        ...lazy,
        encoder: chosen.kind === 'none' ? undefined : chosen.table,
      });
      return chosen.kind === 'model' ? await upgraded(library, chosen.encoder, this.#log) : library;
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  #chosenEncoder(): Promise<Chosen> {
    this.#encoder ??= chooseEncoder(this.#encoderName(), this.#log);
    return this.#encoder;
  }

  #retire(entry: Entry): void {
    entry.retired = true;
    if (this.#entries.get(entry.path) === entry) this.#entries.delete(entry.path);
    if (entry.users === 0) void this.#dispose(entry);
  }

  #evict(): void {
    let total = 0;
    for (const { bytes } of this.#entries.values()) total += bytes;
    for (const entry of this.#entries.values()) {
      if (total <= this.#memory) return;
      if (entry.users > 0) continue;
      this.#log('debug', `${entry.path} is closed to make room`);
      total -= entry.bytes;
      this.#retire(entry);
    }
  }

  async #dispose(entry: Entry): Promise<void> {
    const library = await entry.library.catch(() => undefined);
    await library?.close().catch((error: unknown) => this.#log('debug', String(error)));
  }
}

/** Errors that do not mean that the open bundle is faulty. */
const HARMLESS = new Set([
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ABORTED',
  'NO_VECTORS',
  'NO_ENCODER',
  'SPACE_MISMATCH',
  'UNKNOWN_ANALYSIS',
]);
const DAMAGED = new Set(['NOT_A_BUNDLE', 'WRONG_KIND', 'TRUNCATED', 'CHECKSUM_MISMATCH', 'CORRUPT']);

/** The same error, naming the file and the way out. */
function explained(error: unknown, { library, version, path }: StoredBundle): unknown {
  if (!(error instanceof SheafError) || HARMLESS.has(error.code)) return error;
  const hint = DAMAGED.has(error.code) ? ` Check the file with: sheaf inspect --verify '${path}'` : '';
  const where = error.message.includes(path) ? '' : `${path}: `;
  return new SheafError(error.code, `${library} ${version}: ${where}${error.message}${hint}`, { cause: error });
}

function gone(error: unknown, { library, version, path }: StoredBundle): SheafError {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const why = missing ? 'it was removed from the store' : `${path} cannot be read: ${(error as Error).message}`;
  return new SheafError('FILE', `${library} ${version} is not available: ${why}.`, { cause: error });
}

function keyOf({ ino, size, mtimeNs }: { ino: bigint; size: bigint; mtimeNs: bigint }): string {
  return `${ino}:${size}:${mtimeNs}`;
}

// ---- encoders -----------------------------------------------------------------------------------

type Table = Source | ((space: string) => Promise<Source | undefined>);
type Chosen =
  | { kind: 'none' }
  | { kind: 'table'; table: Table }
  | { kind: 'model'; table: Table; encoder: Promise<QueryEncoder> };

async function chooseEncoder(name: string | undefined, log: Log): Promise<Chosen> {
  if (name === undefined || name === 'static') return { kind: 'table', table: ownTable };
  const { parseEncoder } = await import('../store/encoder_choice.js');
  const choice = parseEncoder(name);
  if (choice.kind === 'none') return { kind: 'none' };
  if (choice.kind === 'table') {
    const { table } = choice;
    return {
      kind: 'table',
      table:
        table === undefined
          ? ownTable
          : sharedBytes(table, await readFile(/^file:/i.test(table) ? new URL(table) : table)),
    };
  }
  // One encoder for all bundles of its space; until it is there, and whenever it fails, the table serves.
  const encoder = import('../encoder/node.js').then(({ loadEncoder }) =>
    loadEncoder(choice.name, choice.precision === undefined ? {} : { precision: choice.precision }),
  );
  encoder.catch((error: unknown) =>
    log('warn', `Queries are encoded by the static table, because ${name} did not load: ${(error as Error).message}`),
  );
  return { kind: 'model', table: ownTable, encoder };
}

async function upgraded(library: Library, encoder: Promise<QueryEncoder>, log: Log): Promise<Library> {
  const { withTransformer } = await import('../../browser/encoder/upgrade.js');
  return withTransformer(library, encoder, {
    onState: (state) => {
      if (state.kind === 'failed')
        log('debug', `${library.info.library} ${library.info.version}: ${state.error.message}`);
    },
  });
}

const tables = new Map<string, Promise<Source | undefined>>();

/** The table that ships with the package for a vector space, if it does. Its bytes are read once. */
function ownTable(space: string): Promise<Source | undefined> {
  const path = tableOf(space);
  if (path === undefined) return Promise.resolve(undefined);
  let table = tables.get(space);
  if (table === undefined) {
    table = readFile(path).then(
      (bytes) => sharedBytes(path, bytes),
      () => undefined,
    );
    if (tables.size < 16) tables.set(space, table);
  }
  return table;
}

/** Bytes that many cores read ranges of. They do not count as local, so that no core takes them whole. */
function sharedBytes(key: string, bytes: Uint8Array): Source {
  return {
    key,
    local: false,
    size: async () => bytes.length,
    read: async (offset, length) => {
      checkRange(key, offset, length, bytes.length);
      return bytes.subarray(offset, offset + length);
    },
  };
}
