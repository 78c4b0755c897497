/**
 * A cache of open libraries under a cap on memory; the least recently used one is closed first.
 *
 * Idea: callers name a library by a key and use it for the time of one call. The cache opens it, keeps it while there is
 * room, and opens it again later. A key stands for one content: where a file may be replaced, its stamp is part of the key.
 *
 * Invariants
 *  1. A library in use stays open. One that was dropped takes no new calls, and closes after its last.
 *  2. After each call, the open libraries take at most `cap` bytes. During calls they take more only by what those in
 *     use grow by. Another opens only where there is room for it, or when none is in use.
 *  3. A library that could not be opened is not remembered: the next call tries again.
 *
 * So a call must not use a second library and wait for it: there may be no room before the first ends.
 */
import { abortable, SheafError, throwIfAborted } from './errors.js';
import type { Library } from './types.js';

export interface Opened {
  library: Library;
  /** Bytes that it takes now. */
  bytes(): number;
}

export interface CacheMemory {
  used: number;
  peak: number;
  cap: number;
  /** Libraries. */
  open: number;
}

interface Entry {
  users: number;
  opening: Promise<Opened>;
  opened: Opened | undefined;
}

export class OpenLibraries {
  readonly #cap: number;
  /** Bytes counted for a library that is being opened. */
  readonly #estimate: number;
  /** By key, least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #waiting: (() => void)[] = [];
  readonly #closing = new Set<Promise<void>>();
  #closingBytes = 0;
  #peak = 0;
  #closed = false;

  constructor(cap: number, estimate: number) {
    this.#cap = cap;
    this.#estimate = estimate;
  }

  /** Calls `work` with the library, which `open` opens where it is not open. Rejects with ABORTED, CLOSED, or their errors. */
  async use<T>(
    key: string,
    open: () => Promise<Opened>,
    work: (library: Library) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const entry = await this.#enter(key, open, signal);
    try {
      return await work((await entry.opening).library);
    } finally {
      entry.users--;
      this.#evict(this.#cap);
      this.#wake();
    }
  }

  /** Closes a library after its last call; the next call opens it anew. Resolves when it is closed. */
  async drop(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      this.#entries.delete(key);
      while (entry.users > 0 && !this.#closed) await this.#change();
      this.#close(entry);
    }
    await Promise.all(this.#closing);
  }

  get memory(): CacheMemory {
    return { used: this.#used(), peak: this.#peak, cap: this.#cap, open: this.#entries.size };
  }

  /** Closes all of them, those in use too; calls that run or come later reject with CLOSED. */
  async close(): Promise<void> {
    this.#closed = true;
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of entries) this.#close(entry);
    this.#wake();
    await Promise.all(this.#closing);
  }

  async #enter(key: string, open: () => Promise<Opened>, signal: AbortSignal | undefined): Promise<Entry> {
    for (;;) {
      throwIfAborted(signal);
      if (this.#closed) throw new SheafError('CLOSED', 'The libraries were closed.');
      const known = this.#entries.get(key);
      if (known !== undefined) {
        this.#entries.delete(key);
        this.#entries.set(key, known); // now the most recent
        known.users++;
        return known;
      }
      if (this.#makeRoom()) break;
      await abortable(this.#change(), signal);
    }
    const entry: Entry = { users: 1, opening: open(), opened: undefined };
    this.#entries.set(key, entry);
    try {
      entry.opened = await entry.opening;
      return entry;
    } catch (error) {
      entry.users--;
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      this.#wake();
      throw error;
    }
  }

  /** Whether one more may open. */
  #makeRoom(): boolean {
    this.#evict(this.#cap - this.#estimate);
    if (this.#used() + this.#estimate <= this.#cap) return true;
    return this.#closing.size === 0 && ![...this.#entries.values()].some(({ users }) => users > 0);
  }

  #evict(limit: number): void {
    let used = this.#used();
    this.#peak = Math.max(this.#peak, used);
    used -= this.#closingBytes;
    for (const [key, entry] of this.#entries) {
      if (used <= limit) return;
      if (entry.users > 0) continue;
      used -= this.#bytesOf(entry);
      this.#entries.delete(key);
      this.#close(entry);
    }
  }

  /** Its memory counts until it is closed. */
  #close(entry: Entry): void {
    const bytes = this.#bytesOf(entry);
    this.#closingBytes += bytes;
    const closing: Promise<void> = entry.opening
      .then(({ library }) => library.close())
      .catch(() => {})
      .finally(() => {
        this.#closing.delete(closing);
        this.#closingBytes -= bytes;
        this.#wake();
      });
    this.#closing.add(closing);
  }

  #bytesOf({ opened }: Entry): number {
    return opened?.bytes() ?? this.#estimate;
  }

  #used(): number {
    let sum = this.#closingBytes;
    for (const entry of this.#entries.values()) sum += this.#bytesOf(entry);
    return sum;
  }

  /** The next end of a call, or of a library. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
