/**
 * The libraries of a database instead of the store's. Tools get the same Pool and notice nothing.
 *
 * What tools pack for themselves (a project, a dataset) stays in files, and goes to the pool of files.
 */
import { SheafError } from '../../browser/client/errors.js';
import type { Library, LibraryInfo } from '../../browser/client/types.js';
import type { Backend, Held } from '../databases/backend.js';
import { DatabaseLibrary } from '../databases/database_library.js';
import type { QueryVectors } from '../databases/query_vectors.js';
import { compareText, compareVersions } from '../store/versions.js';
import type { StoredBundle } from '../store/store.js';
import type { Log, Pool } from './tool.js';

/** How long the list of libraries is believed: a search asks for it, too. */
const LIST_MS = 5_000;
const POLL_MS = 60_000;

export class BackendPool implements Pool {
  readonly #backend: Backend;
  readonly #vectors: QueryVectors;
  readonly #files: Pool;
  readonly #log: Log;
  readonly #listeners = new Set<() => void>();
  #listed: { at: number; held: Promise<Held[]> } | undefined;
  #poll: NodeJS.Timeout | undefined;
  #seen = '';

  constructor(backend: Backend, vectors: QueryVectors, files: Pool, log: Log) {
    this.#backend = backend;
    this.#vectors = vectors;
    this.#files = files;
    this.#log = log;
  }

  async list(): Promise<readonly StoredBundle[]> {
    return (await this.#held())
      .map((held) => ({ library: held.library, version: held.version, path: this.#pathOf(held), bytes: 0 }))
      .sort((a, b) => compareText(a.library, b.library) || compareVersions(b.version, a.version));
  }

  async use<T>(bundle: StoredBundle, work: (library: Library) => Promise<T>): Promise<T> {
    const { library, version } = bundle;
    if (!this.#isHere(bundle)) return this.#files.use(bundle, work);
    const find = async (): Promise<Held> => {
      const held = await this.#find(bundle);
      if (held !== undefined) return held;
      throw new SheafError(
        'FILE',
        `${library} ${version} is not available: it was removed from ${this.#backend.name}.`,
      );
    };
    const renew = (): Promise<Held> => {
      this.#listed = undefined;
      return find();
    };
    return work(new DatabaseLibrary(this.#backend, await find(), this.#vectors, renew));
  }

  async info(bundle: StoredBundle): Promise<LibraryInfo | undefined> {
    const held = this.#isHere(bundle) ? await this.#find(bundle) : undefined;
    return held === undefined ? undefined : new DatabaseLibrary(this.#backend, held, this.#vectors).info;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#poll === undefined) {
      this.#poll = setInterval(() => void this.#look(), POLL_MS);
      this.#poll.unref();
    }
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    this.#listeners.clear();
    await Promise.allSettled([this.#vectors.close(), this.#backend.close(), this.#files.close()]);
  }

  /** With the fingerprint: what tools remember of a path is of this very content. */
  #pathOf({ library, version, fingerprint }: Held): string {
    return `${this.#placeOf({ library, version })}${fingerprint}`;
  }

  #placeOf({ library, version }: Pick<Held, 'library' | 'version'>): string {
    return `${this.#backend.name}#${library}@${version}#`;
  }

  #isHere(bundle: StoredBundle): boolean {
    return bundle.path.startsWith(this.#placeOf(bundle));
  }

  async #find({ library, version }: StoredBundle): Promise<Held | undefined> {
    return (await this.#held()).find((each) => each.library === library && each.version === version);
  }

  #held(): Promise<Held[]> {
    const now = Date.now();
    if (this.#listed === undefined || now - this.#listed.at > LIST_MS) {
      const held = this.#backend.list();
      this.#listed = { at: now, held };
      held.catch(() => (this.#listed = undefined));
    }
    return this.#listed.held;
  }

  async #look(): Promise<void> {
    try {
      const seen = JSON.stringify((await this.#held()).map(({ fingerprint }) => fingerprint));
      const changed = this.#seen !== '' && seen !== this.#seen;
      this.#seen = seen;
      if (changed) for (const listener of this.#listeners) listener();
    } catch (error) {
      this.#log('warn', error instanceof Error ? error.message : String(error));
    }
  }
}
