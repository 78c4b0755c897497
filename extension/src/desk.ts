/**
 * The extension's one service: it installs libraries and searches them. Views, omnibox and menu call it (methods.ts). It
 * runs in the worker (worker.ts), and in Node for tests.
 *
 * Idea: the ledger, outside of the browser's evictable storage, says which file of the vault is which library. A file
 * counts when the ledger names it: a download gets a name of its own, is checked where it lies, and one write of the
 * ledger makes it the library, in place of the one before. Files that the ledger does not name are swept at the start.
 *
 * Its parts know those before them: ledger.ts; catalogues.ts, tables.ts, searching.ts; admission.ts; downloads.ts.
 *
 * Invariants
 *  1. Every method waits for the start.
 *  2. The only requests made are those of downloads and lists that the reader asked for.
 */
import type { CacheMemory } from '../browser/client/open_libraries.js';
import type { Page, Passage, SearchOptions } from '../browser/client/types.js';
import { Admission } from './admission.js';
import { Catalogues } from './catalogues.js';
import { Downloads } from './downloads.js';
import { LedgerStore } from './ledger.js';
import type { DeskParts } from './parts.js';
import { DeskError, MOST_BYTES, plainText } from './plain.js';
import { inScope, isGroupName } from './scope.js';
import { Searching } from './searching.js';
import { Tables } from './tables.js';
import type { CatalogueRecord, Contents, DeskAnswer, DeskState, Group, LibraryRecord, Offer } from './types.js';

const MOST_GROUPS = 100;

export class Desk {
  readonly #parts: DeskParts;
  readonly #ledger: LedgerStore;
  readonly #catalogues: Catalogues;
  readonly #searching: Searching;
  readonly #admission: Admission;
  readonly #downloads: Downloads;
  #ready: Promise<void> | undefined;
  #transformer: DeskState['transformer'] = { status: 'off' };

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#ledger = new LedgerStore(parts);
    this.#catalogues = new Catalogues(parts, this.#ledger);
    this.#searching = new Searching(parts, this.#ledger);
    const tables = new Tables(parts, this.#ledger);
    this.#admission = new Admission(parts, this.#ledger, tables, (file) => this.#searching.closeFile(file));
    this.#downloads = new Downloads(parts, this.#ledger, this.#catalogues, this.#admission);
  }

  /** Reads the ledger, sweeps, notices what is gone, goes on with downloads. Every method waits for it. */
  start(): Promise<void> {
    this.#ready ??= this.#start().catch((error: unknown) => {
      this.#ready = undefined; // the next call tries again
      throw error;
    });
    return this.#ready;
  }

  async #start(): Promise<void> {
    const { vault } = this.#parts;
    await this.#ledger.read();
    await this.#ledger.look();
    const { libraries, downloads, tables } = this.#ledger.current;
    const named = new Set([...libraries, ...downloads, ...tables].map(({ file }) => file));
    for (const name of await vault.names()) if (!named.has(name)) await vault.remove(name).catch(() => {});
    await this.#downloads.goOn();
    void this.#ledger.measure();
  }

  async #started<T>(work: () => Promise<T>): Promise<T> {
    await this.start();
    return work();
  }

  async state(): Promise<DeskState> {
    await this.start();
    const { libraries, downloads, groups, catalogues, settings } = this.#ledger.current;
    return {
      libraries: libraries.map((library) => ({ ...library, missing: this.#ledger.missing.has(library.id) })),
      downloads: downloads.map((download) => ({ ...download, received: this.#downloads.received(download.id) })),
      groups,
      catalogues,
      settings,
      transformer: this.#transformer,
      storage: this.#ledger.storage,
    };
  }

  get memory(): CacheMemory {
    return this.#searching.memory;
  }

  get busy(): boolean {
    return this.#downloads.busy;
  }

  tellTransformer(transformer: DeskState['transformer']): void {
    this.#transformer = transformer;
    this.#parts.changed();
  }

  get wantsTransformer(): boolean {
    return this.#ledger.current.settings.transformer;
  }

  addCatalogue(typed: string, unsigned = false): Promise<CatalogueRecord> {
    return this.#started(() => this.#catalogues.add(typed, unsigned));
  }
  findOffers(address: string, words: string): Promise<Offer[]> {
    return this.#started(() => this.#catalogues.findOffers(address, words));
  }
  removeCatalogue(address: string): Promise<void> {
    return this.#started(() => this.#catalogues.remove(address));
  }
  siteOffers(text: string, address: string, pageTitle: string): Promise<Offer[]> {
    return this.#started(() => this.#catalogues.siteOffers(text, address, pageTitle));
  }
  sizeOf(offer: Offer): Promise<number | undefined> {
    return this.#catalogues.sizeOf(offer);
  }

  install(offer: Offer, replaces?: string): Promise<string> {
    return this.#started(() => this.#downloads.install(offer, replaces));
  }
  pause(id: string): Promise<void> {
    return this.#started(() => this.#downloads.pause(id));
  }
  resume(id: string): Promise<void> {
    return this.#started(() => this.#downloads.resume(id));
  }
  replace(id: string): Promise<void> {
    return this.#started(() => this.#downloads.replace(id));
  }
  cancel(id: string): Promise<void> {
    return this.#started(() => this.#downloads.cancel(id));
  }
  remove(id: string): Promise<void> {
    return this.#started(() => this.#admission.remove(id));
  }

  search(text: string, options: SearchOptions = {}, scope = ''): Promise<DeskAnswer> {
    return this.#started(() => this.#searching.search(text, options, scope));
  }
  page(
    id: string,
    page: number | string,
  ): Promise<{ page: Page; record: LibraryRecord; base: string; packedBase: string }> {
    return this.#started(() => this.#searching.page(id, page));
  }
  findPage(id: string, candidates: readonly string[]): Promise<number | undefined> {
    return this.#started(() => this.#searching.findPage(id, candidates));
  }
  contents(id: string, from: number): Promise<Contents> {
    return this.#started(() => this.#searching.contents(id, from));
  }
  passage(number: number): Promise<Passage> {
    return this.#started(() => this.#searching.passage(number));
  }

  /** A file that a view has written into the vault as `drop-…`, from a picker or a drop. Undefined: the reader is asked. */
  async adopt(file: string, name: string): Promise<LibraryRecord | undefined> {
    await this.start();
    if (!/^drop-[0-9a-z-]+$/.test(file))
      throw new DeskError('INVALID_ARGUMENT', 'This is not a file of the extension.');
    try {
      const size = (await this.#parts.vault.size(file)) ?? 0;
      if (size > MOST_BYTES)
        throw new DeskError(
          'TOO_LARGE',
          `${plainText(name)} has more than ${MOST_BYTES} bytes, the most that a library may have here.`,
        );
      const offer: Offer = {
        library: '',
        version: '',
        title: '',
        description: '',
        licence: '',
        language: '',
        hash: '',
        base: '',
        origin: { kind: 'file', address: '', list: '' },
      };
      return await this.#admission.admit(offer, file);
    } catch (error) {
      await this.#parts.vault.remove(file).catch(() => {});
      throw error;
    } finally {
      void this.#ledger.measure();
    }
  }

  /** Loads again what the browser has deleted. Libraries that came as files have to be given again. */
  async mend(): Promise<{ begun: number; files: string[] }> {
    await this.start();
    await this.#ledger.look();
    const files: string[] = [];
    let begun = 0;
    for (const library of this.#ledger.current.libraries.filter(({ id }) => this.#ledger.missing.has(id))) {
      if (library.origin.address === '') {
        files.push(`${library.title} ${library.version}`);
        continue;
      }
      await this.install(library, library.id);
      begun++;
    }
    this.#parts.changed();
    return { begun, files };
  }

  async setGroup(name: string, members: readonly string[]): Promise<void> {
    await this.start();
    if (!isGroupName(name))
      throw new DeskError('INVALID_ARGUMENT', 'A group has a short name without spaces, colons and slashes.');
    const known = members.filter((member) => inScope(member, this.#ledger.current.libraries, []).length > 0);
    const others = this.#ledger.current.groups.filter((group) => group.name !== name);
    const group: Group[] = known.length === 0 ? [] : [{ name, members: known }];
    await this.#ledger.write({
      groups: [...others, ...group].slice(0, MOST_GROUPS).sort((a, b) => (a.name < b.name ? -1 : 1)),
    });
  }

  async setTransformer(on: boolean): Promise<void> {
    await this.start();
    await this.#ledger.write({ settings: { ...this.#ledger.current.settings, transformer: on } });
  }

  /** For tests, and before the worker ends. */
  async close(): Promise<void> {
    await this.#downloads.close();
    await this.#searching.close();
    await this.#ledger.written;
  }
}
