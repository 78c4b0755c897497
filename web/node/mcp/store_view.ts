/**
 * What the store holds, kept in step with the folder.
 *
 * Idea: a folder's modification time changes whenever a name in it comes, goes or is renamed, so one
 * `stat` per call tells whether the list is still true. A change within the clock's own grain could go
 * unseen; a list read that shortly after a change is read again the next time.
 *
 * Cost: one stat a call; a readdir and a stat per bundle after a change.
 *
 * `onChange` needs a watcher: fs.watch where the system has it, otherwise polling every few seconds. Both
 * only trigger a new read; neither is trusted.
 */
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { listStore, type StoredBundle } from '../store/store.js';
import type { Log } from './tool.js';

/** File systems stamp times in steps of up to two seconds (FAT); ext4, APFS and NTFS are far finer. */
const GRAIN_MS = 2_000;
const POLL_MS = 3_000;
/** Debounce: renames arrive as two events, copies as many. */
const SETTLE_MS = 50;

export class StoreView {
  readonly #folder: string;
  readonly #log: Log;
  readonly #listeners = new Set<() => void>();
  #known: { stamp: string; settled: boolean; bundles: readonly StoredBundle[] } | undefined;
  #reading: Promise<readonly StoredBundle[]> | undefined;
  #contents: string | undefined;
  #watcher: FSWatcher | undefined;
  #poll: NodeJS.Timeout | undefined;
  #settle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  async list(): Promise<readonly StoredBundle[]> {
    const known = this.#known;
    if (known?.settled && known.stamp === (await this.#stamp())) return known.bundles;
    // A reading that began before this call may have missed what the caller knows of.
    await this.#reading?.catch(() => {});
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#startWatching();
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#watcher?.close();
    clearInterval(this.#poll);
    clearTimeout(this.#settle);
  }

  async #read(): Promise<readonly StoredBundle[]> {
    const begun = Date.now(); // not when it ends: a name may come while a slow disk is being read
    const stamp = await this.#stamp();
    const bundles = await listStore(this.#folder);
    const changed = Number(stamp.split(':')[0]);
    this.#known = { stamp, settled: Math.abs(begun - changed) > GRAIN_MS, bundles };
    return bundles;
  }

  /** Empty while there is no folder. */
  async #stamp(): Promise<string> {
    const stats = await stat(this.#folder, { bigint: true }).catch(() => undefined);
    return stats === undefined ? '' : `${stats.mtimeMs}:${stats.mtimeNs}:${stats.ino}`;
  }

  #startWatching(): void {
    if (this.#poll !== undefined || this.#closed) return;
    this.#poll = setInterval(() => this.#look(), POLL_MS);
    this.#poll.unref();
    this.#tryWatch();
    void this.#compare(); // what later readings are compared with
  }

  #tryWatch(): void {
    if (this.#watcher !== undefined || this.#closed) return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => this.#look());
      this.#watcher.on('error', () => this.#dropWatcher());
    } catch {
      // No folder yet, or no watches left: the poll tries again.
    }
  }

  #dropWatcher(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #look(): void {
    if (this.#settle !== undefined || this.#closed) return;
    this.#tryWatch();
    this.#settle = setTimeout(() => {
      this.#settle = undefined;
      void this.#compare();
    }, SETTLE_MS);
    this.#settle.unref();
  }

  async #compare(): Promise<void> {
    try {
      const bundles = await this.list();
      const contents = JSON.stringify(
        await Promise.all(
          bundles.map(async ({ path, bytes }) => [path, bytes, (await stat(path).catch(() => undefined))?.mtimeMs]),
        ),
      );
      const before = this.#contents;
      this.#contents = contents;
      if (before !== undefined && before !== contents) for (const listener of this.#listeners) listener();
    } catch (error) {
      this.#log('warn', error instanceof Error ? error.message : String(error));
    }
  }
}
