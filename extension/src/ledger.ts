/**
 * The ledger in memory, and what it is written through. What is in memory is what was last given here, even while it is
 * being written; writes are of the whole ledger, one after the other.
 */
import type { DeskParts } from './parts.js';
import type { DeskState, Ledger, TableRecord } from './types.js';

const EMPTY: Ledger = {
  libraries: [],
  downloads: [],
  groups: [],
  catalogues: [],
  tables: [],
  settings: { transformer: false },
};

export class LedgerStore {
  readonly #parts: DeskParts;
  #current: Ledger = EMPTY;
  #writing: Promise<void> = Promise.resolve();
  /** Ids of libraries whose file is gone. */
  readonly missing = new Set<string>();
  storage: DeskState['storage'] = { used: 0, free: 0, persisted: false };

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get current(): Ledger {
    return this.#current;
  }

  async read(): Promise<void> {
    this.#current = { ...EMPTY, ...(await this.#parts.readLedger()) };
  }

  write(change: Partial<Ledger>): Promise<void> {
    this.#current = { ...this.#current, ...change };
    this.#parts.changed();
    const written = this.#writing.then(() => this.#parts.writeLedger(this.#current));
    this.#writing = written.catch(() => {});
    return written;
  }

  /** When all that was given is written, or failed to be. */
  get written(): Promise<void> {
    return this.#writing;
  }

  /** Which files are gone, or not what they were. */
  async look(): Promise<void> {
    const { vault } = this.#parts;
    this.missing.clear();
    for (const { id, file, bytes } of this.#current.libraries)
      if ((await vault.size(file)) !== bytes) this.missing.add(id);
    const gone: TableRecord[] = [];
    for (const table of this.#current.tables) if (!(await vault.size(table.file))) gone.push(table);
    if (gone.length > 0) await this.write({ tables: this.#current.tables.filter((each) => !gone.includes(each)) });
  }

  noticeMissing(id: string): void {
    this.missing.add(id);
    this.#parts.changed();
  }

  /** Asks the browser how much room is left. */
  async measure(): Promise<void> {
    const storage = await this.#parts.estimate().catch(() => this.storage);
    if (JSON.stringify(storage) === JSON.stringify(this.storage)) return;
    this.storage = storage;
    this.#parts.changed();
  }
}
