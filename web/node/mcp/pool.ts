/**
 * The open bundles of a running server, in a cache under a cap on memory (client/open_libraries.ts).
 *
 * Invariants
 *  1. An open bundle matches its file: path, inode, size and time are compared on each use. A replaced
 *     file is opened again; running calls finish on the old one. Of a bundle on a host, the path names the content.
 *  2. A core that failed is not asked again: the next call opens the bundle anew.
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
import { OpenLibraries, type CacheMemory, type Opened } from '../../browser/client/open_libraries.js';
import { readCore, readLanguage, tableOf } from '../client/paths.js';
import { checkRange, type Source } from '../../browser/client/source.js';
import { HostedLibrary } from '../published/hosted_library.js';
import { isList, siteOf } from '../published/list.js';
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
  /** Where a bundle came from, for people to read, if that is known: of a site's, addresses lead to the site. Must not throw. */
  originOf?: (bundle: StoredBundle) => Promise<string | undefined>;
  /** Where bundles are read from that are not files of this machine; undefined for one that is. */
  remote?: (bundle: StoredBundle) => RemoteBundle | undefined;
}

/** A bundle on a host. Its path names its content. */
export interface RemoteBundle {
  source: Source;
  /** Its own encoder table, for spaces whose table does not ship with the package. */
  table: () => Source | undefined;
}

export const DEFAULT_MEMORY = 512 * 1024 * 1024;

/** Above this a bundle is read by ranges as searches need them, instead of whole. */
const WHOLE_BYTES = 64 * 1024 * 1024;
/** A core takes its code, 4 MB of address space, of which about two are touched, and its blocks decoded. */
const BASE_BYTES = 2.5 * 1024 * 1024;
const FACTOR = 2;

export function createPool(log: Log, options: PoolOptions = {}): Pool {
  return new BundlePool(log, options);
}

class BundlePool implements Pool {
  readonly #log: Log;
  readonly #view: StoreView;
  readonly #open: OpenLibraries;
  readonly #encoderName: () => string | undefined;
  readonly #remote: NonNullable<PoolOptions['remote']>;
  readonly #originOf: PoolOptions['originOf'];
  /** The key in the cache of each path, from its last use. */
  readonly #keys = new Map<string, string>();
  #encoder: Promise<Chosen> | undefined;
  #closed = false;

  constructor(log: Log, options: PoolOptions) {
    const { store = storeFolder(), memory = DEFAULT_MEMORY } = options;
    this.#log = log;
    this.#view = new StoreView(store, log);
    this.#open = new OpenLibraries(memory, BASE_BYTES);
    this.#encoderName = options.encoder ?? (() => undefined);
    this.#remote = options.remote ?? (() => undefined);
    this.#originOf = options.originOf;
  }

  async list(): Promise<readonly StoredBundle[]> {
    return this.#view.list();
  }

  onChange(listener: () => void): () => void {
    return this.#view.onChange(listener);
  }

  get memory(): CacheMemory {
    return this.#open.memory;
  }

  async use<T>(bundle: StoredBundle, work: (library: Library) => Promise<T>): Promise<T> {
    const key = await this.#keyOf(bundle);
    const list = listIn(await this.#originOf?.(bundle));
    const hosted = (library: Library): Promise<T> =>
      work(list === undefined ? library : new HostedLibrary(library, siteOf(list)));
    try {
      return await this.#open.use(key, () => this.#openBundle(bundle), hosted);
    } catch (error) {
      // A core that trapped, or met a damaged block, is not asked again.
      if (error instanceof SheafError && !HARMLESS.has(error.code)) void this.#open.drop(key);
      throw explained(error, bundle);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#view.close();
    await this.#open.close();
    const chosen = await this.#encoder?.catch(() => undefined);
    if (chosen?.kind === 'model')
      await chosen.encoder.then(
        (encoder) => encoder.close(),
        () => {},
      );
  }

  /** The path with the stamp of what lies there now. What lay there before is closed after its last call. */
  async #keyOf(bundle: StoredBundle): Promise<string> {
    const { path } = bundle;
    if (isRemote(bundle)) return path;
    const { ino, size, mtimeNs } = await stat(path, { bigint: true }).catch((error: unknown) => {
      throw gone(error, bundle);
    });
    if (this.#closed) throw new SheafError('CLOSED', 'The server is shutting down.');
    const key = `${path} ${ino}:${size}:${mtimeNs}`;
    const before = this.#keys.get(path);
    this.#keys.set(path, key);
    if (before !== undefined && before !== key) {
      this.#log('debug', `${path} was replaced; opening it anew`);
      void this.#open.drop(before);
    }
    return key;
  }

  async #openBundle(bundle: StoredBundle): Promise<Opened> {
    const remote = this.#remote(bundle);
    const source = remote?.source ?? (await openedFile(bundle));
    try {
      const size = await source.size();
      const bytes = BASE_BYTES + FACTOR * Math.min(size, WHOLE_BYTES);
      const chosen = await this.#chosenEncoder();
      const lazy = size > WHOLE_BYTES ? { lazy: true } : {};
      const library = await openLocal(await loadCore(await readCore(), readLanguage), source, {
        ...lazy,
        encoder: chosen.kind === 'none' ? undefined : withOwn(chosen.table, remote),
      });
      return {
        library: chosen.kind === 'model' ? await upgraded(library, chosen.encoder, this.#log) : library,
        bytes: () => bytes,
      };
    } catch (error) {
      await source.close?.();
      throw error;
    }
  }

  #chosenEncoder(): Promise<Chosen> {
    this.#encoder ??= chooseEncoder(this.#encoderName(), this.#log);
    return this.#encoder;
  }
}

/** The address of a site's list, if that is where a bundle came from. */
function listIn(origin: string | undefined): URL | undefined {
  const list = origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined;
  return list !== undefined && /^https?:$/.test(list.protocol) && isList(list) ? list : undefined;
}

/** Whether a bundle is read from a host. */
export function isRemote({ path }: StoredBundle): boolean {
  return /^https?:\/\//.test(path);
}

async function openedFile(bundle: StoredBundle): Promise<FileSource> {
  const handle = await openFile(bundle.path, 'r').catch((error: unknown) => {
    throw gone(error, bundle);
  });
  return new FileSource(bundle.path, handle);
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
function explained(error: unknown, bundle: StoredBundle): unknown {
  const { library, version, path } = bundle;
  if (!(error instanceof SheafError) || HARMLESS.has(error.code)) return error;
  const hint =
    DAMAGED.has(error.code) && !isRemote(bundle) ? ` Check the file with: sheaf inspect --verify '${path}'` : '';
  const where = error.message.includes(path) ? '' : `${path}: `;
  return new SheafError(error.code, `${library} ${version}: ${where}${error.message}${hint}`, { cause: error });
}

function gone(error: unknown, { library, version, path }: StoredBundle): SheafError {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const why = missing ? 'it was removed from the store' : `${path} cannot be read: ${(error as Error).message}`;
  return new SheafError('FILE', `${library} ${version} is not available: ${why}.`, { cause: error });
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

/** The chosen table, else the one that the bundle's host has beside it. */
function withOwn(table: Table, remote: RemoteBundle | undefined): Table {
  if (remote === undefined || typeof table !== 'function') return table;
  return async (space) => (await table(space)) ?? remote.table();
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
