/**
 * Reports that something below a folder changed; listeners find out for themselves what changed.
 *
 * Idea: on Linux one inotify watch per folder covers all files in it, and new folders are watched
 * as they appear. (Node's own recursive watch takes one for each file: 10,000 of them for 10,000 pages, and
 * seconds to set up.) Elsewhere the system watches trees. Where it refuses, folders are listed every two
 * seconds instead, and `onPolling` says so.
 *
 * Builders replace the folder itself, too: so its parent is watched for a folder of that name.
 *
 * Cost: one watch per folder. A change costs a stat where something appeared or disappeared.
 */
import { watch, type FSWatcher } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathBelow, pathOf } from './files.js';

export interface FolderWatch {
  close(): void;
}

export interface FolderWatchOptions {
  /** Of a path below the folder, with '/': whether changes there are of no interest, and folders not entered. */
  ignores(path: string): boolean;
  onChange(): void;
  /** The system's reason why it does not watch. */
  onPolling(reason: string): void;
  /** For tests: how the system watches. */
  watchWith?: typeof watch;
}

export const POLL_MS = 2000;

export async function watchFolder(folder: string, options: FolderWatchOptions): Promise<FolderWatch> {
  const tree = process.platform === 'linux' ? new FolderTree(folder, options) : new SystemTree(folder, options);
  await tree.start();
  return tree;
}

abstract class Tree implements FolderWatch {
  protected readonly watchers = new Map<string, FSWatcher>();
  protected closed = false;
  #parent: FSWatcher | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Of the last look; '' while the folder is gone. */
  #listing: string | undefined;
  /** Settled once changes are noticed by listing. */
  #firstLook: Promise<void> | undefined;

  constructor(
    protected readonly folder: string,
    protected readonly options: FolderWatchOptions,
  ) {}

  async start(): Promise<void> {
    try {
      this.#parent = (this.options.watchWith ?? watch)(dirname(this.folder), (_, name) => {
        if (name === basename(this.folder)) this.replaced();
      });
      this.#parent.on('error', () => {});
    } catch {
      // Then a folder that is made anew is not noticed, which is rare.
    }
    await this.begin();
    await this.#firstLook;
  }

  close(): void {
    this.closed = true;
    clearInterval(this.#timer);
    this.#parent?.close();
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  protected abstract begin(): Promise<void>;
  /** The folder itself went, came, or both. */
  protected abstract replaced(): void;

  protected ignored(path: string): boolean {
    const below = pathBelow(this.folder, path);
    return below !== '' && this.options.ignores(below);
  }

  /** Watches one place; `onEvent` gets the name within it, when the system knows, and whether it came or went. */
  protected watch(
    target: string,
    how: { recursive?: boolean },
    onEvent: (name: string | undefined, moved: boolean) => void,
  ): void {
    if (this.closed || this.watchers.has(target)) return;
    try {
      const watcher = (this.options.watchWith ?? watch)(target, how, (event, name) =>
        onEvent(name ?? undefined, event === 'rename'),
      );
      this.watchers.set(target, watcher);
      watcher.on('error', () => this.forget(target)); // it is gone
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#poll(message);
    }
  }

  protected forget(target: string): void {
    this.watchers.get(target)?.close();
    this.watchers.delete(target);
  }

  #poll(reason: string): void {
    if (this.#timer !== undefined || this.closed) return;
    this.options.onPolling(reason);
    let busy = false;
    const look = async (): Promise<void> => {
      if (busy) return;
      busy = true;
      const listing = await this.#list().catch(() => '');
      busy = false;
      if (this.#listing !== undefined && listing !== this.#listing) this.options.onChange();
      this.#listing = listing;
    };
    this.#firstLook = look();
    this.#timer = setInterval(() => void look(), POLL_MS);
  }

  async #list(): Promise<string> {
    const lines: string[] = [];
    for (const entry of await readdir(this.folder, { withFileTypes: true, recursive: true })) {
      const path = pathOf(entry);
      if (!entry.isFile() || this.ignored(path)) continue;
      const stats = await stat(path).catch(() => undefined);
      lines.push(`${path}\0${stats?.size}\0${stats?.mtimeMs}\0${stats?.ino}`);
    }
    return `${lines.sort().join('\n')}\n`;
  }
}

/** One watch a folder. */
class FolderTree extends Tree {
  protected async begin(): Promise<void> {
    await this.#enter(this.folder);
  }

  protected replaced(): void {
    this.#leave(this.folder);
    this.options.onChange();
    void this.begin().then(() => this.options.onChange()); // what was in it already told nobody
  }

  /** Watches a folder and those below; the watch comes first, so that nothing slips in before the listing. */
  async #enter(target: string): Promise<void> {
    if (this.ignored(target)) return;
    this.watch(target, {}, (name, moved) => this.#onEvent(target, name, moved));
    const entries = await readdir(target, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) await this.#enter(join(target, entry.name));
  }

  #onEvent(target: string, name: string | undefined, moved: boolean): void {
    const path = name === undefined ? target : join(target, name);
    if (this.closed || this.ignored(path)) return;
    this.options.onChange();
    if (moved && path !== target) void this.#look(path);
  }

  /** Something came or went there. A folder that came may have the name of one that went: it is watched anew. */
  async #look(path: string): Promise<void> {
    this.#leave(path);
    if (!(await stat(path).catch(() => undefined))?.isDirectory()) return;
    await this.#enter(path);
    this.options.onChange(); // what was in it already told nobody
  }

  #leave(path: string): void {
    if (!this.watchers.has(path)) return;
    for (const below of [...this.watchers.keys()])
      if (below === path || below.startsWith(`${path}/`)) this.forget(below);
  }
}

/** The system's own watch of the whole tree. */
class SystemTree extends Tree {
  protected async begin(): Promise<void> {
    this.watch(this.folder, { recursive: true }, (name) => {
      if (name === undefined || !this.ignored(join(this.folder, name))) this.options.onChange();
    });
  }

  protected replaced(): void {
    this.forget(this.folder);
    this.options.onChange();
    void this.begin();
  }
}
