/**
 * Encoder tables in the vault.
 *
 * Invariants
 *  1. A table is kept only after it opened beside its library: kind, space and dimensions agree, and the hash where one is
 *     given.
 *  2. It serves the libraries of its publisher; the extension's own serves every library of its space.
 *  3. It goes with the last library that it serves.
 */
import { checkFile, checkTable } from './checking.js';
import { fetchPart } from './fetching.js';
import type { LedgerStore } from './ledger.js';
import type { DeskParts } from './parts.js';
import { plainHash, publisherOf, webAddress } from './plain.js';
import type { LibraryRecord, Offer, TableRecord } from './types.js';

type Wanted = Pick<TableRecord, 'space' | 'publisher'>;

/** Whose table a library needs. */
export const wantedTable = ({ space, origin }: LibraryRecord): Wanted => ({
  space,
  publisher: publisherOf(origin),
});

const find = ({ space, publisher }: Wanted, tables: readonly TableRecord[]): TableRecord | undefined =>
  tables.find((each) => each.space === space && (each.publisher === '' || each.publisher === publisher));

/** The table that encodes queries for a library. */
export const tableOf = (record: LibraryRecord, tables: readonly TableRecord[]): TableRecord | undefined =>
  find(wantedTable(record), tables);

/** The table that came with the extension, where it is in the vault. */
export const ownTableOf = (space: string, tables: readonly TableRecord[]): TableRecord | undefined =>
  find({ space, publisher: '' }, tables);

export class Tables {
  readonly #parts: DeskParts;
  readonly #ledger: LedgerStore;
  readonly #installing = new Map<string, Promise<void>>();
  /** Checks and closings under way; meanwhile no table goes. */
  #held = 0;

  constructor(parts: DeskParts, ledger: LedgerStore) {
    this.#parts = parts;
    this.#ledger = ledger;
  }

  /** The table of a library's space and publisher: the extension's own, else the one that its offer names. */
  async ensure(record: LibraryRecord, offer: Offer): Promise<void> {
    const { space } = record;
    const isOwn = space === this.#parts.ownTable.space;
    const publisher = isOwn ? '' : publisherOf(record.origin);
    if (space === '' || (publisher === '') !== isOwn) return;
    if (find({ space, publisher }, this.#ledger.current.tables) !== undefined) return;
    const key = `${publisher} ${space}`;
    const known =
      this.#installing.get(key) ??
      this.#install({ space, publisher, file: `${crypto.randomUUID()}.table` }, record, offer).finally(() =>
        this.#installing.delete(key),
      );
    this.#installing.set(key, known);
    await known.catch(() => {}); // without it, the library is searched by words
  }

  async #install(table: TableRecord, record: LibraryRecord, offer: Offer): Promise<void> {
    const { vault, ownTable, fetch } = this.#parts;
    const { file } = table;
    try {
      if (table.publisher === '') {
        const writer = await vault.writer(file);
        try {
          for await (const chunk of (await ownTable.read()) as unknown as AsyncIterable<Uint8Array>)
            writer.write(chunk);
        } finally {
          writer.close();
        }
      } else {
        const address = webAddress(offer.table?.address);
        if (address === undefined) return;
        await fetchPart(
          vault,
          { address, file, validator: '', hashed: false },
          { fetch, signal: new AbortController().signal, onProgress: () => {}, onAnswer: () => {} },
        );
        await checkFile(vault, { hash: plainHash(offer.table?.hash) }, file);
        await checkTable(this.#parts, record.file, file);
      }
      await this.#ledger.write({ tables: [...this.#ledger.current.tables, table] });
    } catch (error) {
      await vault.remove(file).catch(() => {});
      throw error;
    }
  }

  /** Runs `work`; afterwards the tables that serve no library go, once nothing reads them. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await work();
    } finally {
      if (--this.#held === 0) await this.#drop().catch(() => {}); // the next time drops them
    }
  }

  async #drop(): Promise<void> {
    const { libraries, tables } = this.#ledger.current;
    const used = new Set(libraries.map((record) => tableOf(record, tables)));
    const gone = tables.filter((table) => !used.has(table));
    if (gone.length === 0) return;
    await this.#ledger.write({ tables: tables.filter((table) => used.has(table)) });
    for (const { file } of gone) await this.#parts.vault.remove(file).catch(() => {});
  }
}
