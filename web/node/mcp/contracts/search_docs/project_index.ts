/**
 * The index of one project, kept up to date.
 *
 * Idea: before each search the project's files are listed and compared with what was indexed, by
 * size and times, then by content where those differ. After a change the index is rebuilt; a search
 * waits briefly for it, else it answers from the old index and says so.
 *
 * Invariants
 *  1. One build at a time, in this process (#queue) and across processes (lock.ts).
 *  2. A search never starts a first build; only create_index does.
 *
 * Cost of a search: one run of Git and one lstat per file. In a project of thousands of files the check
 * is then not repeated for as long as it took, at most half a second.
 */
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from '../../../../browser/client/errors.js';
import type { StoredBundle } from '../../../store/store.js';
import type { Environment } from '../../tool.js';
import { build, hashOf, logFailure, type OnProgress } from './build.js';
import { listFiles, readDocument, type FoundFile } from './files.js';
import { isLocked, lock, tryLock } from '../../../base/lock.js';
import { bundleName, compare, loadState, saveState, stateKey, type IndexState } from './state.js';

const PATIENCE_MS = 2_000;
/** Up to this many files are looked at before every search. */
const FEW_FILES = 2_000;
const MAX_PAUSE_MS = 500;

export const BUSY = 'Index is currently being built. Search results may be incomplete.';

export interface Current {
  state: IndexState;
  warning?: string;
}

export interface IndexOptions {
  /** A search waits this long for a new index. Default 2,000. */
  patienceMs?: number;
}

export class ProjectIndex {
  readonly root: string;
  readonly folder: string;
  readonly #environment: Environment;
  readonly #emptyRepository: string;
  readonly #patienceMs: number;
  readonly #closing = new AbortController();
  #state: IndexState | undefined;
  #key = '';
  #queue: Promise<unknown> = Promise.resolve();
  #building = 0;
  #failure: string | undefined;
  #refreshing: { since: number; done: Promise<string | undefined> } | undefined;
  /** `performance.now()` before which the files need not be listed again. */
  #restUntil = -Infinity;
  #creation: Creation | undefined;

  constructor(environment: Environment, root: string, folder: string, { patienceMs = PATIENCE_MS }: IndexOptions = {}) {
    this.#environment = environment;
    this.root = root;
    this.folder = folder;
    this.#emptyRepository = join(folder, '..', 'empty.git');
    this.#patienceMs = patienceMs;
  }

  /** The index as a search should use it; undefined when there is none. */
  async current(signal: AbortSignal): Promise<Current | undefined> {
    if ((await this.load()) === undefined) return undefined;
    this.#refreshing ??= {
      since: performance.now(),
      done: this.#refresh().finally(() => (this.#refreshing = undefined)),
    };
    const { since, done } = this.#refreshing;
    const late = new AbortController();
    const wait = sleep(Math.max(0, since + this.#patienceMs - performance.now()), BUSY, { signal: late.signal }).catch(
      () => BUSY,
    );
    const warning = await abortable(Promise.race([done, wait]), signal).finally(() => late.abort());
    const state = await this.load(); // another one, once a build has ended; none, once one was deleted
    return state === undefined ? undefined : { state, ...(warning === undefined ? {} : { warning }) };
  }

  /** The state as the folder has it now. */
  async load(): Promise<IndexState | undefined> {
    const key = await stateKey(this.folder);
    if (key !== this.#key) {
      this.#state = key === '' ? undefined : await loadState(this.folder, this.root);
      this.#key = key;
    }
    return this.#state;
  }

  bundle(state: IndexState & { bundle: string }): StoredBundle {
    return { library: 'project', version: state.bundle.slice(0, 16), path: join(this.folder, state.bundle), bytes: 0 };
  }

  /** Builds the index, whether there is one or not. Callers meanwhile share one build. */
  async create(signal: AbortSignal, onProgress: OnProgress): Promise<IndexState> {
    this.#creation ??= new Creation(
      (inner, tell) => this.#createNow(inner, tell),
      (creation) => (this.#creation = this.#creation === creation ? undefined : this.#creation),
    );
    return this.#creation.join(signal, onProgress);
  }

  /** The status of the running build or of the last one. */
  async condition(): Promise<'ready' | 'indexing' | 'failed' | 'not_found'> {
    if (this.#building > 0 || (await isLocked(this.#lockPath))) return 'indexing';
    if (this.#failure !== undefined) return 'failed';
    return (await this.load()) === undefined ? 'not_found' : 'ready';
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  async storedBytes(): Promise<number> {
    let bytes = 0;
    for (const entry of await readdir(this.folder).catch(() => [])) {
      const stats = await stat(join(this.folder, entry)).catch(() => undefined);
      if (stats?.isFile()) bytes += stats.size;
    }
    return bytes;
  }

  /** Removes everything but the folders above. False when there was no index. */
  async delete(signal: AbortSignal): Promise<boolean> {
    if ((await stateKey(this.folder)) === '') return false;
    await this.#alone(signal, async () => {
      await rm(join(this.folder, 'state.json'), { force: true }); // first: without it there is no index
      for (const name of await readdir(this.folder)) {
        if (name !== 'lock') await rm(join(this.folder, name), { recursive: true, force: true });
      }
      this.#failure = undefined;
    });
    await rmdir(this.folder).catch(() => {}); // unless another process has begun anew
    return true;
  }

  /** Packs again what is indexed now; for a bundle that turned out to be damaged. */
  async rebuild(signal: AbortSignal): Promise<void> {
    await this.#alone(signal, () => this.#build(signal, () => {}));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue.catch(() => {});
  }

  // ---- builds -----------------------------------------------------------------------------------

  async #createNow(signal: AbortSignal, onProgress: OnProgress): Promise<IndexState> {
    const asked = Date.now();
    return this.#alone(signal, async () => {
      const state = await this.load();
      // Another process built it, from first to last, while this one waited.
      if (state !== undefined && state.readAt >= asked) return state;
      return this.#build(signal, onProgress);
    });
  }

  async #build(signal: AbortSignal, onProgress: OnProgress): Promise<IndexState> {
    const { env } = this.#environment;
    const both = AbortSignal.any([signal, this.#closing.signal]);
    try {
      const state = await build({
        root: this.root,
        folder: this.folder,
        emptyRepository: this.#emptyRepository,
        env,
        signal: both,
        onProgress,
      });
      this.#failure = undefined;
      return state;
    } catch (error) {
      if (!both.aborted) {
        this.#failure = (error as Error).message;
        await logFailure(this.folder, error as Error).catch(() => {});
      }
      throw error;
    }
  }

  /** Runs `work` when no other build runs, here or elsewhere. */
  async #alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const release = await lock(this.#lockPath, AbortSignal.any([signal, this.#closing.signal]));
      return work().finally(release);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#building++;
    const turn = this.#queue.then(work, work).finally(() => this.#building--);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  get #lockPath(): string {
    return join(this.folder, 'lock');
  }

  // ---- freshness --------------------------------------------------------------------------------

  /** Brings the index up to date, and says what a reader should know if that did not work. */
  async #refresh(): Promise<string | undefined> {
    if (performance.now() < this.#restUntil) return this.#failure === undefined ? undefined : stale(this.#failure);
    try {
      const busy = await this.#refreshNow();
      return busy ? BUSY : undefined;
    } catch (error) {
      if (this.#closing.signal.aborted) return undefined;
      this.#environment.log('warn', `search_docs: ${(error as Error).message}`);
      this.#failure = (error as Error).message;
      return stale(this.#failure);
    }
  }

  /** True when another process is building. */
  async #refreshNow(): Promise<boolean> {
    const signal = this.#closing.signal;
    const readAt = Date.now();
    const started = performance.now();
    const { files } = await listFiles(this.root, {
      emptyRepository: this.#emptyRepository,
      env: this.#environment.env,
      signal,
    });
    const ended = performance.now();
    this.#restUntil = files.length <= FEW_FILES ? -Infinity : ended + Math.min(MAX_PAUSE_MS, ended - started);
    const state = await this.load();
    if (state === undefined) return false;
    const { suspects, moved } = compare(state, files);
    if (!moved && suspects.length === 0) return false;
    if (!moved && (await this.#unchanged(state, suspects))) return this.#noteTimes(state, files, readAt);
    return this.#rebuildUnlessBusy(signal);
  }

  async #rebuildUnlessBusy(signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(async () => {
      const release = await tryLock(this.#lockPath);
      if (release === undefined) return true;
      try {
        if ((await this.load()) === undefined) return false; // deleted meanwhile
        this.#environment.log('info', `search_docs: files changed, indexing ${this.root} again`);
        await this.#build(signal, () => {});
        return false;
      } finally {
        await release();
      }
    });
  }

  /** Whether the suspects' bytes are those that were indexed. */
  async #unchanged(state: IndexState, suspects: readonly FoundFile[]): Promise<boolean> {
    const known = new Map(state.files.map((file) => [file.path, file.hash]));
    for (const { path } of suspects) {
      const bytes = await readDocument(this.root, path);
      if (bytes === undefined || hashOf(bytes) !== known.get(path)) return false;
    }
    return true;
  }

  /** Same contents, other times: noted, so that the next search need not read the files. */
  async #noteTimes(state: IndexState, files: readonly FoundFile[], readAt: number): Promise<boolean> {
    const now = new Map(files.map((file) => [file.path, file]));
    const noted = { ...state, readAt, files: state.files.map((file) => ({ ...file, ...now.get(file.path) })) };
    return this.#inTurn(async () => {
      const release = await tryLock(this.#lockPath);
      if (release === undefined) return false;
      try {
        const current = await this.load();
        if (current !== undefined && bundleName(current.files) === bundleName(noted.files))
          await saveState(this.folder, noted);
      } finally {
        await release();
      }
      return false;
    });
  }
}

function stale(reason: string): string {
  return `The index could not be brought up to date, so results may be stale: ${reason}`;
}

/** One build and its waiters; it is aborted when all of them have gone. */
class Creation {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<OnProgress>();
  readonly #done: Promise<IndexState>;
  readonly #ended: (creation: Creation) => void;

  constructor(
    work: (signal: AbortSignal, tell: OnProgress) => Promise<IndexState>,
    ended: (creation: Creation) => void,
  ) {
    this.#ended = ended;
    const tell: OnProgress = (percent, line) => this.#listeners.forEach((listener) => listener(percent, line));
    this.#done = Promise.resolve()
      .then(() => work(this.#controller.signal, tell))
      .finally(() => ended(this));
    this.#done.catch(() => {}); // those who wait hear of it
  }

  async join(signal: AbortSignal, listener: OnProgress): Promise<IndexState> {
    this.#listeners.add(listener);
    try {
      return await abortable(this.#done, signal);
    } finally {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) {
        this.#controller.abort();
        this.#ended(this); // whoever asks from now on gets a build of their own
      }
    }
  }
}
