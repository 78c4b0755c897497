/**
 * Searches and reads what is installed: one federation of all libraries, which open when they are used.
 *
 * Invariant: a search that runs finishes with the files it began with; another begins with what the ledger has by then.
 */
import { Federated, Members, type FederatedSearchOptions } from '../browser/client/federated.js';
import { OpenLibraries, type CacheMemory, type Opened } from '../browser/client/open_libraries.js';
import type { OpenOne } from '../browser/client/shared_worker.js';
import type { Library, LibraryInfo, Page, Passage, SearchOptions } from '../browser/client/types.js';
import { topPagesOf } from '../browser/ui/state/manifest.js';
import { CachedLibrary } from './cached_library.js';
import type { LedgerStore } from './ledger.js';
import type { DeskParts } from './parts.js';
import { DeskError, textOf, troubleOf } from './plain.js';
import { inScope, labelOf, splitQuery } from './scope.js';
import { tableOf, wantedTable } from './tables.js';
import type { Contents, ContentsEntry, DeskAnswer, DeskHit, LibraryRecord, TableRecord, Trouble } from './types.js';

/** Of WebAssembly memory, for all open libraries together. */
const MEMORY_CAP = 256 * 2 ** 20;
/** Memory that a library takes while it opens: WebAssembly's first pages and the first reads. */
const OPENING_BYTES = 5 * 2 ** 20;
const STRIDE = 2 ** 32;
/** A page's title is read with the page. */
const CONTENTS_AT_ONCE = 300;

interface Federation {
  of: readonly LibraryRecord[];
  tables: readonly TableRecord[];
  federated: Federated;
}

export class Searching {
  readonly #parts: DeskParts;
  readonly #ledger: LedgerStore;
  readonly #open: OpenLibraries;
  #federation: Federation | undefined;

  constructor(parts: DeskParts, ledger: LedgerStore) {
    this.#parts = parts;
    this.#ledger = ledger;
    this.#open = new OpenLibraries(parts.cap ?? MEMORY_CAP, OPENING_BYTES);
  }

  get memory(): CacheMemory {
    return this.#open.memory;
  }

  /** Closes what reads a file, after the calls that are under way. */
  async closeFile(file: string): Promise<void> {
    await this.#open.drop(keyOf(file));
    for (const table of this.#ledger.current.tables) await this.#open.drop(keyOf(file, table.file));
  }

  close(): Promise<void> {
    return this.#open.close();
  }

  /** `scope`: see scope.ts; one that the query names goes first. */
  async search(text: string, options: SearchOptions = {}, scope = ''): Promise<DeskAnswer> {
    const split = splitQuery(text, this.#ledger.current.libraries, this.#ledger.current.groups);
    const { of, federated } = this.#federate();
    const wanted = inScope(split.scope ?? scope, of, this.#ledger.current.groups);
    const asked = wanted.filter((i) => !this.#ledger.missing.has((of[i] as LibraryRecord).id));
    const failures = wanted
      .filter((i) => !asked.includes(i))
      .map((i) => ({ label: nameOf(of[i] as LibraryRecord), trouble: MISSING }));
    const told = { scope: split.scope ?? '', failures };
    if (asked.length === 0 || split.query.trim() === '') return { ...NOTHING, ...told };
    const bundles: FederatedSearchOptions = { ...options, bundles: asked };
    // One vector serves all where all are of one space; else the tables encode for each.
    const spaces = new Set(asked.map((i) => (of[i] as LibraryRecord).space).filter((space) => space !== ''));
    const [space] = spaces;
    if (space !== undefined && spaces.size === 1 && options.mode !== 'keyword') {
      const vector = await this.#parts.encode?.(split.query, space, options.signal).catch(() => undefined);
      if (vector !== undefined && vector.length > 0) bundles.vector = vector;
    }
    const answer = await federated.search(split.query, bundles);
    for (const { bundle, label, error } of answer.failures) {
      if (error.code === 'FILE' || error.code === 'TRUNCATED')
        this.#ledger.noticeMissing((of[bundle] as LibraryRecord).id);
      failures.push({ label, trouble: troubleOf(error) });
    }
    const searched = asked.map((i) => of[i] as LibraryRecord);
    const hits = answer.hits.map((hit): DeskHit => {
      const record = of[hit.bundle] as LibraryRecord;
      const label = labelOf(record, searched);
      return {
        ...hit,
        id: record.id,
        own: hit.page % STRIDE,
        base: baseOf(record, federated.infoOf(hit.bundle)),
        ...(label === '' ? {} : { label }),
        ...(record.language === '' ? {} : { lang: record.language }),
      };
    });
    return { ...answer, ...told, hits };
  }

  /** A page of a library, by its number, or by its address or path within the documentation. */
  async page(
    id: string,
    page: number | string,
  ): Promise<{ page: Page; record: LibraryRecord; base: string; packedBase: string }> {
    const { record, library } = await this.#reach(id);
    const found = await library.page(page);
    return { page: found, record, base: record.base, packedBase: textOf(library.info, 'base_url') };
  }

  /** The number of the first of these addresses, or paths, that is a page of the library. */
  async findPage(id: string, candidates: readonly string[]): Promise<number | undefined> {
    const { library } = await this.#reach(id);
    for (const candidate of candidates.slice(0, 16)) {
      try {
        return await library.findPage(candidate);
      } catch (error) {
        if ((error as { code?: string }).code !== 'NOT_FOUND') throw error;
      }
    }
    return undefined;
  }

  /** Pages of a library from number `from` on; with the first of them, those to begin with. */
  async contents(id: string, from = 0): Promise<Contents> {
    const { record, library } = await this.#reach(id);
    const total = library.info.pages;
    const entry = async (page: number): Promise<ContentsEntry> => {
      const { title, source } = await library.page(page);
      return { page, title: title || source, folder: source.slice(0, Math.max(0, source.lastIndexOf('/'))) };
    };
    const pages: ContentsEntry[] = [];
    for (let page = from; page < Math.min(from + CONTENTS_AT_ONCE, total); page++) pages.push(await entry(page));
    const first: ContentsEntry[] = [];
    for (const { title, url } of from === 0 ? topPagesOf(library.info) : []) {
      const page = await this.findPage(id, [url]);
      if (page !== undefined) first.push({ page, title, folder: '' });
    }
    return { record, first, pages, total };
  }

  /** A passage of a hit: its number is the one that the search gave. */
  async passage(number: number): Promise<Passage> {
    return this.#federate().federated.passage(number);
  }

  async #reach(id: string): Promise<{ record: LibraryRecord; library: Library }> {
    const record = this.#ledger.current.libraries.find((each) => each.id === id);
    if (record === undefined) throw new DeskError('NOT_FOUND', 'This library is not installed.');
    if (this.#ledger.missing.has(id)) throw new DeskError('MISSING', MISSING.message);
    try {
      return { record, library: await this.#library(record.file) };
    } catch (error) {
      if ((error as { code?: string }).code === 'FILE') this.#ledger.noticeMissing(id);
      throw error;
    }
  }

  /** One federation of all that is installed, until that changes. */
  #federate(): Federation {
    const { libraries: of, tables } = this.#ledger.current;
    if (this.#federation?.of !== of || this.#federation.tables !== tables) {
      const entries = of.map((record) => {
        const encoder = tableOf(record, tables)?.file;
        return { src: record.file, label: nameOf(record), ...(encoder === undefined ? {} : { encoder }) };
      });
      const openOne: OpenOne = async (src, { encoder }) => {
        const record = of.find(({ file }) => file === src) as LibraryRecord;
        // A federation lets one library encode for all of its space, so each publisher has spaces of its own.
        const { space, publisher } = wantedTable(record);
        const named = space === this.#parts.ownTable.space ? space : `${publisher} ${space}`;
        const library = await this.#library(record.file, encoder ? String(encoder) : undefined);
        return new CachedLibrary(library.use, { ...library.info, space: named });
      };
      this.#federation = {
        of,
        tables,
        federated: new Federated(entries.length > 0 ? entries : [{ src: '' }], [0], new Members(entries, openOne, {})),
      };
    }
    return this.#federation;
  }

  #library(file: string, table?: string): Promise<CachedLibrary> {
    const key = keyOf(file, table);
    return CachedLibrary.open((work, signal) => this.#open.use(key, () => this.#openFiles(file, table), work, signal));
  }

  async #openFiles(file: string, table: string | undefined): Promise<Opened> {
    const { vault } = this.#parts;
    const bundle = await vault.source(file);
    const encoder = table === undefined ? undefined : await vault.source(table).catch(() => undefined);
    return this.#parts.openCore(bundle, encoder, false); // closes both when it fails
  }
}

const MISSING: Trouble = { code: 'MISSING', message: 'The browser has deleted the file of this library.' };

const NOTHING: Omit<DeskAnswer, 'scope' | 'failures'> = {
  hits: [],
  corrections: [],
  matchingPassages: 0,
  ignoredWords: 0,
  usedKeyword: false,
  usedSemantic: false,
  weak: false,
};

const nameOf = ({ title, version }: LibraryRecord): string => `${title} ${version}`;

function baseOf(record: LibraryRecord, info: LibraryInfo | undefined): string {
  return record.base || textOf(info, 'base_url');
}

/** In the cache of open libraries. */
const keyOf = (file: string, table = ''): string => `${file} ${table}`;
