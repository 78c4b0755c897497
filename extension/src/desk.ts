/**
 * The extension's one service: what is installed, what is being installed, and the search over it. Views, omnibox and
 * menu ask it (methods.ts); it runs in the worker (worker.ts), and in Node for tests.
 *
 * Idea: the ledger, outside of the browser's evictable storage, says which file of the vault is which library. A file
 * counts when the ledger names it: a download gets a name of its own, is checked where it lies, and one write of the
 * ledger makes it the library, in place of the one before. Files that the ledger does not name are swept at the start.
 *
 * Invariants
 *  1. The ledger is written as a whole, one write after the other; a library is replaced by one write or not at all.
 *  2. No file counts unless its size and hash are what was announced, the core has verified all of it, and it documents
 *     what was announced.
 *  3. A search that is running finishes with the files it began with: removed files go when nothing reads them.
 *  4. The only requests made are those of downloads and lists that the reader asked for.
 *  5. A publisher and a name identify a library. One publisher's library never replaces another's before the reader
 *     has seen both and agreed.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { libraryOfPage, type CatalogueLibrary } from '../browser/catalogue/format.js';
import { isSamePin, mayFollow, openCatalogue, type Catalogue, type Pin } from '../browser/catalogue/reader.js';
import { CatalogueRefusal } from '../browser/catalogue/refusal.js';
import { asSheafError } from '../browser/client/errors.js';
import { OpenLibraries, type CacheMemory, type Opened } from '../browser/client/open_libraries.js';
import { Federated, Members, type FederatedSearchOptions } from '../browser/client/federated.js';
import type { OpenOne } from '../browser/client/shared_worker.js';
import { BytesSource, type Source } from '../browser/client/source.js';
import type { Library, LibraryInfo, Page, Passage, SearchOptions } from '../browser/client/types.js';
import { CachedLibrary } from './cached_library.js';
import { catalogueAddress, isHead, offersOf, readCatalogue, readSiteList } from './catalogue.js';
import { fetchBytes, fetchPart, fetchText } from './fetching.js';
import { BROWSER_PRIMITIVES } from './signatures.js';
import {
  DeskError,
  idOf,
  isLibrary,
  isVersion,
  MOST_BYTES,
  MOST_LIST_BYTES,
  MOST_OFFERS,
  plainHash,
  plainLanguage,
  plainText,
  publisherOf,
  troubleOf,
  webAddress,
} from './plain.js';
import { inScope, isGroupName, labelOf, splitQuery } from './scope.js';
import type {
  CatalogueRecord,
  DeskAnswer,
  DeskHit,
  DeskState,
  DownloadRecord,
  Group,
  Ledger,
  LibraryRecord,
  Offer,
  Named,
  Origin,
  TableRecord,
  Trouble,
} from './types.js';
import type { Vault } from './vault.js';

export interface DeskParts {
  vault: Vault;
  /** Undefined before the first write. */
  readLedger(): Promise<Ledger | undefined>;
  writeLedger(ledger: Ledger): Promise<void>;
  fetch: typeof globalThis.fetch;
  /** Opens a bundle, with an encoder table where one is given. `whole`: to check it, so all of it is read. */
  openCore(bundle: Source, table: Source | undefined, whole: boolean): Promise<Opened>;
  /** The table that comes with the extension, and its vector space. */
  ownTable: { space: string; read(): Promise<ReadableStream<Uint8Array>> };
  estimate(): Promise<{ used: number; free: number; persisted: boolean }>;
  /** The transformer's vector of a query; undefined while none is loaded, or where it is of another space. */
  encode?:
    | ((query: string, space: string, signal: AbortSignal | undefined) => Promise<Float32Array | undefined>)
    | undefined;
  /** Called after each change; may be called often. */
  changed(): void;
  cap?: number;
  now?: () => number;
}

/** Of WebAssembly memory, for all open libraries together. */
export const MEMORY_CAP = 256 * 2 ** 20;
/** What a library takes while it is being opened: WebAssembly's first pages, and what it reads first. */
const OPENING_BYTES = 5 * 2 ** 20;
const STRIDE = 2 ** 32;
const HASH_STEP = 2 ** 20;
const TELL_EVERY_MS = 120;
const MOST_GROUPS = 100;
const MOST_CATALOGUES = 50;
/** Catalogues with longer lists than this are searched, not listed. */
const LISTED_BYTES = 512 * 1024;
const MOST_FOUND = 20;
/** As the command finds libraries. */
const MEANING = 0.7;

const EMPTY: Ledger = {
  libraries: [],
  downloads: [],
  groups: [],
  catalogues: [],
  tables: [],
  settings: { transformer: false },
};

interface Running {
  controller: AbortController;
  ended: Promise<void>;
}

export class Desk {
  readonly #parts: DeskParts;
  readonly #open: OpenLibraries;
  #ledger: Ledger = EMPTY;
  #ready: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Ids of libraries whose file is gone. */
  readonly #missing = new Set<string>();
  readonly #running = new Map<string, Running>();
  readonly #received = new Map<string, number>();
  #storage: DeskState['storage'] = { used: 0, free: 0, persisted: false };
  #transformer: DeskState['transformer'] = { status: 'off' };
  #federation: { of: readonly LibraryRecord[]; federated: Federated } | undefined;
  #toldAt = 0;
  readonly #installingTable = new Map<string, Promise<void>>();
  /** What is being checked or closed; meanwhile no table goes. */
  #holdingTables = 0;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#open = new OpenLibraries(parts.cap ?? MEMORY_CAP, OPENING_BYTES);
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
    this.#ledger = { ...EMPTY, ...(await this.#parts.readLedger()) };
    await this.#look();
    const { libraries, downloads, tables } = this.#ledger;
    const named = new Set([...libraries, ...downloads, ...tables].map(({ file }) => file));
    for (const name of await this.#parts.vault.names())
      if (!named.has(name)) await this.#parts.vault.remove(name).catch(() => {});
    for (const download of downloads) {
      this.#received.set(download.id, (await this.#parts.vault.size(download.file)) ?? 0);
      if (download.status === 'running' || download.status === 'checking') void this.#run(download.id);
    }
    void this.#measure();
  }

  /** Which files are gone, or not what they were. */
  async #look(): Promise<void> {
    const { vault } = this.#parts;
    this.#missing.clear();
    for (const { id, file, bytes } of this.#ledger.libraries)
      if ((await vault.size(file)) !== bytes) this.#missing.add(id);
    const gone: TableRecord[] = [];
    for (const table of this.#ledger.tables) if (!(await vault.size(table.file))) gone.push(table);
    if (gone.length > 0) await this.#write({ tables: this.#ledger.tables.filter((each) => !gone.includes(each)) });
  }

  // ---- what is there ---------------------------------------------------------------------------------

  async state(): Promise<DeskState> {
    await this.start();
    const { libraries, downloads, groups, catalogues, settings } = this.#ledger;
    return {
      libraries: libraries.map((library) => ({ ...library, missing: this.#missing.has(library.id) })),
      downloads: downloads.map((download) => ({ ...download, received: this.#received.get(download.id) ?? 0 })),
      groups,
      catalogues,
      settings,
      transformer: this.#transformer,
      storage: this.#storage,
    };
  }

  get memory(): CacheMemory {
    return this.#open.memory;
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  tellTransformer(transformer: DeskState['transformer']): void {
    this.#transformer = transformer;
    this.#federation = undefined;
    this.#parts.changed();
  }

  // ---- lists -----------------------------------------------------------------------------------------

  /** Adds a catalogue, or reads it again. `unsigned`: take one with a head also where nobody signed it. */
  async addCatalogue(typed: string, unsigned = false): Promise<CatalogueRecord> {
    await this.start();
    const address = catalogueAddress(typed);
    const known = this.#ledger.catalogues.find((each) => each.address === address);
    const record = await this.#readCatalogue(address, known, unsigned);
    // From here to the write, nothing waits.
    const stored = this.#ledger.catalogues.find((each) => each.address === address);
    if (known !== undefined && stored === undefined)
      throw new DeskError('ABORTED', 'The catalogue was removed meanwhile.');
    if (stored !== undefined && !mayFollow(stored.pin, known?.pin, record.pin)) return stored;
    const others = this.#ledger.catalogues.filter((each) => each.address !== address);
    if (others.length >= MOST_CATALOGUES)
      throw new DeskError('LIST', `There are ${MOST_CATALOGUES} catalogues; remove one first.`);
    await this.#write({ catalogues: [...others, record] });
    void this.#measure();
    return record;
  }

  async #readCatalogue(
    address: string,
    known: CatalogueRecord | undefined,
    unsigned: boolean,
  ): Promise<CatalogueRecord> {
    const text = await fetchText(address, MOST_LIST_BYTES, this.#parts.fetch);
    if (!isHead(text)) {
      if (known?.pin !== undefined)
        throw new DeskError('ROLLBACK', 'The catalogue had a head when it was added, and now is of the older form.');
      return readCatalogue(text, address, this.#now());
    }
    const catalogue = await this.#openCatalogue(address, known, unsigned);
    const isLarge = catalogue.listBytes > LISTED_BYTES;
    const entries = isLarge ? await this.#installedFrom(catalogue, address) : await catalogue.libraries();
    const offers = entries.flatMap((each) => offersOf(each, address)).slice(0, MOST_OFFERS);
    if (offers.length === 0 && !isLarge)
      throw new DeskError('LIST', 'The catalogue names no library that could be installed.');
    const title = plainText(catalogue.title, 80) || new URL(address).host;
    const size = isLarge ? { size: catalogue.size } : {};
    return { address, title, offers, read: this.#now(), pin: catalogue.pin, expires: catalogue.head?.expires, ...size };
  }

  /** Head, signature and shards by the rules that the command has too (catalogue/reader.ts). */
  async #openCatalogue(address: string, known: CatalogueRecord | undefined, unsigned: boolean): Promise<Catalogue> {
    const { protocol, hostname } = new URL(address);
    if (protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
      throw new DeskError('INSECURE', 'A catalogue comes by https.');
    if (!address.endsWith('/catalogue.json'))
      throw new DeskError('LIST', 'A catalogue with a head is named catalogue.json.');
    const get = async (path: string, most: number): Promise<Uint8Array | undefined> => {
      const found = await fetchBytes(new URL(path, address).href, most + 1, this.#parts.fetch);
      if (typeof found !== 'number') return found;
      if (found === 404 || found === 410) return undefined;
      throw new DeskError('NETWORK', `The server answered ${found}.`);
    };
    const pin = known?.pin;
    const isUnsigned = pin === undefined ? unsigned : pin.key === '';
    try {
      return await openCatalogue({ ...BROWSER_PRIMITIVES, get, pin, unsigned: isUnsigned, now: this.#now() });
    } catch (error) {
      throw asTrouble(error);
    }
  }

  /** What a large catalogue says of the libraries that came from it, so that new versions are offered. */
  async #installedFrom(catalogue: Catalogue, address: string): Promise<CatalogueLibrary[]> {
    const names = new Set(
      this.#ledger.libraries.filter(({ origin }) => origin.list === address).map(({ library }) => library),
    );
    const found: CatalogueLibrary[] = [];
    for (const name of names) {
      const entry = await catalogue.library(name).catch((error: unknown) => Promise.reject(asTrouble(error)));
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }

  /** Offers of a large catalogue: the library of that very name, and those that do what the words say. */
  async findOffers(address: string, words: string): Promise<Offer[]> {
    await this.start();
    const known = this.#ledger.catalogues.find((each) => each.address === address);
    const text = plainText(words, 200);
    if (known?.pin === undefined || text === '') return [];
    const catalogue = await this.#openCatalogue(address, known, false);
    try {
      const found = new Map<string, CatalogueLibrary>();
      for (const name of [text, ...(await this.#askIndex(catalogue, text))]) {
        const entry = isLibrary(name) ? await catalogue.library(name) : undefined;
        if (entry !== undefined) found.set(entry.library, entry);
      }
      await this.#advance(address, known.pin, catalogue);
      return [...found.values()].flatMap((each) => offersOf(each, address));
    } catch (error) {
      throw asTrouble(error);
    }
  }

  async #askIndex(catalogue: Catalogue, text: string): Promise<string[]> {
    const bytes = await catalogue.index();
    if (bytes === undefined) return [];
    const { ownTable, vault } = this.#parts;
    const table = tableOf({ space: ownTable.space, publisher: '' }, this.#ledger.tables);
    const encoder = table === undefined ? undefined : await vault.source(table.file).catch(() => undefined);
    const { library } = await this.#parts.openCore(new BytesSource(bytes), encoder, false);
    try {
      const { hits } = await library.search(text, { topK: MOST_FOUND, semanticWeight: MEANING });
      return hits.flatMap(({ source }) => libraryOfPage(source) ?? []);
    } finally {
      await library.close();
    }
  }

  /** Remembers the newest head that was seen. */
  async #advance(address: string, opened: Pin, { pin, head }: Catalogue): Promise<void> {
    const stored = this.#ledger.catalogues.find((each) => each.address === address)?.pin;
    // What was read meanwhile, removed or trusted anew, stays so.
    if (stored === undefined || isSamePin(stored, pin) || !mayFollow(stored, opened, pin)) return;
    const catalogues = this.#ledger.catalogues.map((each) =>
      each.address === address ? { ...each, pin, foundExpires: head?.expires } : each,
    );
    await this.#write({ catalogues });
  }

  async removeCatalogue(address: string): Promise<void> {
    await this.start();
    await this.#write({ catalogues: this.#ledger.catalogues.filter((each) => each.address !== address) });
  }

  /** What a site's list offers; `text` is the list as its own page read it. */
  async siteOffers(text: string, address: string, pageTitle: string): Promise<Offer[]> {
    await this.start();
    const where = webAddress(address);
    if (where === undefined) throw new DeskError('LIST', 'The site has no address on the web.');
    void this.#measure();
    return readSiteList(text, where, pageTitle);
  }

  /** The size of what an offer names, asked from its server. Undefined where it does not say. */
  async sizeOf(offer: Offer): Promise<number | undefined> {
    if (offer.bytes !== undefined) return offer.bytes;
    const address = webAddress(offer.origin.address);
    if (address === undefined) return undefined;
    const response = await this.#parts
      .fetch(address, { method: 'HEAD', credentials: 'omit', referrerPolicy: 'no-referrer' })
      .catch(() => undefined);
    const length = Number(
      response?.ok && !response.headers.has('content-encoding') ? response.headers.get('content-length') : Number.NaN,
    );
    return Number.isSafeInteger(length) && length > 0 ? length : undefined;
  }

  // ---- installing ------------------------------------------------------------------------------------

  /** Begins a download. `replaces`: an installed library that the new one takes the place of. */
  async install(given: Offer, replaces?: string): Promise<string> {
    await this.start();
    const offer = checkedOffer(given);
    const expires = expiryOf(
      this.#ledger.catalogues.find(({ address }) => address === offer.origin.list),
      offer,
    );
    // The very file that was installed before may come again.
    const isKnown = this.#ledger.libraries.some(({ id, hash }) => id === replaces && hash === offer.hash);
    if (expires !== undefined && !isKnown && Date.parse(expires) <= this.#now())
      throw new DeskError('EXPIRED', `The catalogue expired ${expires}; look for updates.`);
    await this.#measure();
    const same = this.#ledger.downloads.find((each) => each.offer.origin.address === offer.origin.address);
    if (same !== undefined) {
      await this.resume(same.id);
      return same.id;
    }
    if (offer.bytes !== undefined && offer.bytes > this.#storage.free)
      throw new DeskError('QUOTA', `It needs ${offer.bytes} bytes, and the browser has ${this.#storage.free} left.`);
    const id = fresh();
    const download: DownloadRecord = {
      id,
      offer,
      file: `${fresh()}.sheaf`,
      validator: '',
      status: 'running',
      ...(offer.bytes === undefined ? {} : { total: offer.bytes }),
      ...(replaces === undefined ? {} : { replaces }),
    };
    await this.#write({ downloads: [...this.#ledger.downloads, download] });
    void this.#run(id);
    return id;
  }

  async pause(id: string): Promise<void> {
    await this.start();
    const download = this.#ledger.downloads.find((each) => each.id === id);
    if (download?.status !== 'running') return;
    await this.#change(id, { status: 'paused' });
    await this.#stop(id);
  }

  async resume(id: string): Promise<void> {
    await this.start();
    const download = this.#ledger.downloads.find((each) => each.id === id);
    if (download === undefined || download.status === 'asking' || this.#running.has(id)) return;
    await this.#change(id, { status: 'running', error: undefined });
    void this.#run(id);
  }

  async cancel(id: string): Promise<void> {
    await this.start();
    const download = this.#ledger.downloads.find((each) => each.id === id);
    if (download === undefined) return;
    await this.#write({ downloads: this.#ledger.downloads.filter((each) => each.id !== id) });
    await this.#stop(id);
    this.#received.delete(id);
    await this.#parts.vault.remove(download.file).catch(() => {});
    void this.#measure();
  }

  /** The reader agrees to the question of a download. */
  async replace(id: string): Promise<void> {
    await this.start();
    const download = this.#ledger.downloads.find((each) => each.id === id);
    if (download?.question === undefined) return;
    const { goes } = download.question;
    await this.#change(id, { status: 'checking', question: undefined });
    await this.#run(id, (signal) => this.#finish(id, signal, goes));
  }

  /** A file that a view has written into the vault as `drop-…`, from a picker or a drop. Undefined: the reader is asked. */
  async adopt(file: string, name: string): Promise<LibraryRecord | undefined> {
    await this.start();
    if (!/^drop-[0-9a-z-]+$/.test(file)) throw new DeskError('INVALID_ARGUMENT', 'No file of this extension.');
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
      return await this.#admit(offer, file);
    } catch (error) {
      await this.#parts.vault.remove(file).catch(() => {});
      throw error;
    } finally {
      void this.#measure();
    }
  }

  async remove(id: string): Promise<void> {
    await this.start();
    const gone = this.#ledger.libraries.filter((library) => library.id === id);
    const groups = this.#ledger.groups
      .map((group) => ({ ...group, members: group.members.filter((member) => member !== id) }))
      .filter(({ members }) => members.length > 0);
    await this.#write({ libraries: this.#ledger.libraries.filter((library) => library.id !== id), groups });
    await Promise.all(gone.map(({ file }) => this.#discard(file)));
    void this.#measure();
  }

  /** Loads again what the browser has deleted. Libraries that came as files have to be given again. */
  async mend(): Promise<{ begun: number; files: string[] }> {
    await this.start();
    await this.#look();
    const files: string[] = [];
    let begun = 0;
    for (const library of this.#ledger.libraries.filter(({ id }) => this.#missing.has(id))) {
      if (library.origin.address === '') {
        files.push(`${library.title} ${library.version}`);
        continue;
      }
      const { id: _, file: __, pages: ___, passages: ____, space: _____, installed: ______, ...offer } = library;
      await this.install(offer, library.id);
      begun++;
    }
    this.#parts.changed();
    return { begun, files };
  }

  async setGroup(name: string, members: readonly string[]): Promise<void> {
    await this.start();
    if (!isGroupName(name))
      throw new DeskError('INVALID_ARGUMENT', 'A group has a short name without spaces, colons and slashes.');
    const known = members.filter((member) => inScope(member, this.#ledger.libraries, []).length > 0);
    const others = this.#ledger.groups.filter((group) => group.name !== name);
    const group: Group[] = known.length === 0 ? [] : [{ name, members: known }];
    await this.#write({
      groups: [...others, ...group].slice(0, MOST_GROUPS).sort((a, b) => (a.name < b.name ? -1 : 1)),
    });
  }

  async setTransformer(on: boolean): Promise<void> {
    await this.start();
    await this.#write({ settings: { ...this.#ledger.settings, transformer: on } });
  }

  get wantsTransformer(): boolean {
    return this.#ledger.settings.transformer;
  }

  // ---- searching and reading -------------------------------------------------------------------------

  /** `scope`: see scope.ts; one that the query names goes first. */
  async search(text: string, options: SearchOptions = {}, scope = ''): Promise<DeskAnswer> {
    await this.start();
    const split = splitQuery(text, this.#ledger.libraries, this.#ledger.groups);
    const { of, federated } = this.#federate();
    const wanted = inScope(split.scope ?? scope, of, this.#ledger.groups);
    const asked = wanted.filter((i) => !this.#missing.has((of[i] as LibraryRecord).id));
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
      if (error.code === 'FILE' || error.code === 'TRUNCATED') this.#noticeMissing((of[bundle] as LibraryRecord).id);
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

  /** A passage of a hit: its number is the one that the search gave. */
  async passage(number: number): Promise<Passage> {
    await this.start();
    return this.#federate().federated.passage(number);
  }

  async #reach(id: string): Promise<{ record: LibraryRecord; library: Library }> {
    await this.start();
    const record = this.#ledger.libraries.find((each) => each.id === id);
    if (record === undefined) throw new DeskError('NOT_FOUND', 'This library is not installed.');
    if (this.#missing.has(id)) throw new DeskError('MISSING', MISSING.message);
    try {
      return { record, library: await this.#library(record.file) };
    } catch (error) {
      if ((error as { code?: string }).code === 'FILE') this.#noticeMissing(id);
      throw error;
    }
  }

  #noticeMissing(id: string): void {
    this.#missing.add(id);
    this.#parts.changed();
  }

  /** One federation of all that is installed, until that changes. */
  #federate(): { of: readonly LibraryRecord[]; federated: Federated } {
    const of = this.#ledger.libraries;
    if (this.#federation?.of !== of) {
      const { tables } = this.#ledger;
      const entries = of.map((record) => {
        const encoder = tableOf(libraryTable(record), tables)?.file;
        return { src: record.file, label: nameOf(record), ...(encoder === undefined ? {} : { encoder }) };
      });
      const openOne: OpenOne = async (src, { encoder }) => {
        const record = of.find(({ file }) => file === src) as LibraryRecord;
        // A federation lets one library encode for all of its space, so each publisher has spaces of its own.
        const { space, publisher } = libraryTable(record);
        const named = space === this.#parts.ownTable.space ? space : `${publisher} ${space}`;
        const library = await this.#library(record.file, encoder ? String(encoder) : undefined);
        return new CachedLibrary(library.use, { ...library.info, space: named });
      };
      this.#federation = {
        of,
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

  // ---- downloads -------------------------------------------------------------------------------------

  #run(id: string, work = (signal: AbortSignal) => this.#download(id, signal)): Promise<void> {
    const controller = new AbortController();
    const ended = work(controller.signal)
      .catch((error: unknown) => this.#fail(id, error, controller.signal))
      .finally(() => {
        this.#running.delete(id);
        void this.#measure();
      });
    this.#running.set(id, { controller, ended });
    return ended;
  }

  async #stop(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.controller.abort();
    await running?.ended;
  }

  async #download(id: string, signal: AbortSignal): Promise<void> {
    const { offer, file } = this.#record(id);
    // A file that the reader gave is there already.
    for (let again = false; offer.origin.kind !== 'file'; again = true) {
      try {
        await fetchPart(
          this.#parts.vault,
          {
            address: offer.origin.address,
            file,
            validator: this.#record(id).validator,
            hashed: offer.hash !== '',
            stated: offer.bytes,
          },
          {
            fetch: this.#parts.fetch,
            signal,
            onProgress: (received) => {
              this.#received.set(id, received);
              this.#tellSoon();
            },
            onAnswer: async (validator, total) => {
              if (total !== undefined && offer.bytes === undefined) {
                await this.#measure();
                if (total - (this.#received.get(id) ?? 0) > this.#storage.free)
                  throw new DeskError(
                    'QUOTA',
                    `It needs ${total} bytes, and the browser has ${this.#storage.free} left.`,
                  );
              }
              await this.#change(id, { validator, total });
            },
          },
        );
        break;
      } catch (error) {
        if (again || (error as DeskError).code !== 'SOURCE_CHANGED') throw error;
        await this.#change(id, { validator: '' });
      }
    }
    await this.#finish(id, signal);
  }

  /** Checks what has come, and installs it. */
  async #finish(id: string, signal: AbortSignal, agreed: readonly Named[] = []): Promise<void> {
    const { offer, file } = this.#record(id);
    await this.#change(id, { status: 'checking' });
    try {
      await this.#admit(offer, file, id, agreed);
    } catch (error) {
      // What came is not good; another try begins anew.
      if (!signal.aborted) {
        await this.#parts.vault.remove(file).catch(() => {});
        this.#received.set(id, 0);
        await this.#change(id, { validator: '' });
      }
      throw error;
    }
    this.#received.delete(id);
  }

  #record(id: string): DownloadRecord {
    const found = this.#ledger.downloads.find((each) => each.id === id);
    if (found === undefined) throw new DeskError('ABORTED', 'The download was cancelled.');
    return found;
  }

  async #fail(id: string, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (!this.#ledger.downloads.some((each) => each.id === id)) return;
    await this.#change(id, { status: 'failed', error: troubleOf(error) }).catch(() => {});
  }

  /**
   * Checks a file of the vault and makes it a library; undefined: the reader is asked first. `download`: the record that
   * ends by this. `agreed`: libraries of other publishers that the reader lets it replace.
   */
  async #admit(
    offer: Offer,
    file: string,
    download?: string,
    agreed: readonly Named[] = [],
  ): Promise<LibraryRecord | undefined> {
    return this.#holdTables(() => this.#check(offer, file, download, agreed));
  }

  async #check(
    offer: Offer,
    file: string,
    download: string | undefined,
    agreed: readonly Named[],
  ): Promise<LibraryRecord | undefined> {
    const { hash, bytes } = await this.#checkFile(offer, file);
    const info = await this.#checkBundle(offer, file);
    const site = offer.origin.kind === 'site';
    const language = offer.language || plainLanguage(textOf(info, 'language'));
    const title = plainText(textOf(info, 'title'), 80);
    const record: LibraryRecord = {
      id: idOf({ library: info.library, version: info.version, language }, site),
      library: info.library,
      version: info.version,
      title: (title === '' || title === info.library ? offer.title : title) || info.library,
      description: offer.description,
      licence: offer.licence || plainText(textOf(info, 'licence'), 80),
      language,
      bytes,
      hash,
      base: offer.base,
      file,
      pages: info.pages,
      passages: info.passages,
      space: info.dimensions > 0 ? info.space : '',
      installed: this.#now(),
      origin: offer.origin,
    };
    if (this.#foreign(record, download, agreed).length === 0) await this.#ensureTable(record, offer);
    // From here to the write, nothing waits: what is replaced is decided on what is there now.
    const { libraries, downloads, groups } = this.#ledger;
    const own = downloads.find(({ id }) => id === download);
    if (download !== undefined && own === undefined) throw new DeskError('ABORTED', 'The download was cancelled.');
    const foreign = this.#foreign(record, download, agreed);
    if (foreign.length > 0) {
      const question = { comes: named(record), goes: foreign.map(named) };
      const shown = { ...offer, title: offer.title || record.title };
      const asking: DownloadRecord = {
        id: fresh(),
        file,
        validator: '',
        ...own,
        offer: shown,
        status: 'asking',
        question,
      };
      await this.#write({ downloads: [...downloads.filter((each) => each !== own), asking] });
      return undefined;
    }
    const gone = this.#replacedBy(record, own);
    const place = libraries.findIndex((each) => gone.includes(each));
    const kept = libraries.filter((each) => !gone.includes(each));
    kept.splice(place < 0 ? kept.length : place, 0, record);
    const renamed = (member: string): string => (gone.some(({ id }) => id === member) ? record.id : member);
    await this.#write({
      libraries: kept,
      downloads: downloads.filter(({ id }) => id !== download),
      groups: groups.map((group) => ({ ...group, members: [...new Set(group.members.map(renamed))] })),
    });
    for (const each of gone) this.#missing.delete(each.id);
    for (const each of gone) void this.#discard(each.file);
    return record;
  }

  /** Installed libraries whose place it takes: of its id, and the one that an update is for. */
  #replacedBy(record: LibraryRecord, download: DownloadRecord | undefined): LibraryRecord[] {
    return this.#ledger.libraries.filter(({ id }) => id === record.id || id === download?.replaces);
  }

  /** Those of another publisher that the reader has not agreed to replace. */
  #foreign(record: LibraryRecord, download: string | undefined, agreed: readonly Named[]): LibraryRecord[] {
    const publisher = publisherOf(record.origin);
    const own = this.#ledger.downloads.find(({ id }) => id === download);
    return this.#replacedBy(record, own).filter((each) => {
      const theirs = publisherOf(each.origin);
      return theirs !== publisher && !agreed.some(({ id, origin }) => id === each.id && publisherOf(origin) === theirs);
    });
  }

  /** Size and hash of the whole file, against what was announced. */
  async #checkFile(
    { hash: announced, bytes: stated }: Pick<Offer, 'hash' | 'bytes'>,
    file: string,
  ): Promise<{ hash: string; bytes: number }> {
    const source = await this.#parts.vault.source(file);
    try {
      const size = await source.size();
      if (stated !== undefined && size !== stated)
        throw new DeskError('HASH', `The file has ${size} bytes, not the ${stated} that were announced.`);
      const hash = sha256.create();
      for (let at = 0; at < size; at += HASH_STEP) {
        hash.update(await source.read(at, Math.min(HASH_STEP, size - at)));
        if (at % (16 * HASH_STEP) === 0) await new Promise((resolve) => setTimeout(resolve)); // searches go on
      }
      const hex = bytesToHex(hash.digest());
      if (announced !== '' && !hex.startsWith(announced))
        throw new DeskError(
          'HASH',
          'The file is not the one that was announced: its hash is another. It was thrown away.',
        );
      return { hash: hex, bytes: size };
    } finally {
      await source.close?.();
    }
  }

  /** Reads all of it with the core, and compares what it documents with what was announced. */
  async #checkBundle(offer: Offer, file: string): Promise<LibraryInfo> {
    const { library } = await this.#parts.openCore(await this.#parts.vault.source(file), undefined, true);
    try {
      await library.verify();
      const { info } = library;
      if (!isLibrary(info.library) || !isVersion(info.version))
        throw new DeskError('CORRUPT', 'The bundle gives itself a name or a version that none can have.');
      if (offer.library !== '' && (offer.library !== info.library || offer.version !== info.version))
        throw new DeskError(
          'OTHER_LIBRARY',
          `Announced was ${offer.library} ${offer.version}, and the file is ${info.library} ${info.version}. It was thrown away.`,
        );
      return info;
    } catch (error) {
      throw error instanceof DeskError ? error : asSheafError(error, 'CORRUPT', 'The file could not be checked');
    } finally {
      await library.close();
    }
  }

  /** The table of a library's space and publisher: the extension's own, else the one that its offer names. */
  async #ensureTable(record: LibraryRecord, offer: Offer): Promise<void> {
    const { space } = record;
    const isOwn = space === this.#parts.ownTable.space;
    const publisher = isOwn ? '' : publisherOf(record.origin);
    if (space === '' || (publisher === '') !== isOwn) return;
    if (tableOf({ space, publisher }, this.#ledger.tables) !== undefined) return;
    const key = `${publisher} ${space}`;
    const known =
      this.#installingTable.get(key) ??
      this.#installTable({ space, publisher, file: `${fresh()}.table` }, record, offer).finally(() =>
        this.#installingTable.delete(key),
      );
    this.#installingTable.set(key, known);
    await known.catch(() => {}); // without it, the library is searched by words
  }

  async #installTable(table: TableRecord, record: LibraryRecord, offer: Offer): Promise<void> {
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
        await this.#checkFile({ hash: plainHash(offer.table?.hash) }, file);
        await this.#checkTable(record.file, file);
      }
      await this.#write({ tables: [...this.#ledger.tables, table] });
      this.#federation = undefined;
    } catch (error) {
      await vault.remove(file).catch(() => {});
      throw error;
    }
  }

  /** Opens the table for the library whose it shall be: its kind, space and dimensions agree, or this rejects. */
  async #checkTable(bundle: string, table: string): Promise<void> {
    const { vault } = this.#parts;
    const { library } = await this.#parts.openCore(await vault.source(bundle), await vault.source(table), false);
    try {
      await library.embed('table');
    } finally {
      await library.close();
    }
  }

  /** Runs `work`; afterwards the tables that serve no library go, once nothing reads them. */
  async #holdTables<T>(work: () => Promise<T>): Promise<T> {
    this.#holdingTables++;
    try {
      return await work();
    } finally {
      if (--this.#holdingTables === 0) await this.#dropTables();
    }
  }

  async #dropTables(): Promise<void> {
    const { libraries, tables } = this.#ledger;
    const used = new Set(libraries.map((record) => tableOf(libraryTable(record), tables)));
    const gone = tables.filter((table) => !used.has(table));
    if (gone.length === 0) return;
    await this.#write({ tables: tables.filter((table) => used.has(table)) });
    for (const { file } of gone) await this.#parts.vault.remove(file).catch(() => {});
  }

  /** Removes a file once nothing reads it. */
  #discard(file: string): Promise<void> {
    return this.#holdTables(async () => {
      await this.#open.drop(keyOf(file));
      for (const table of this.#ledger.tables) await this.#open.drop(keyOf(file, table.file));
      await this.#parts.vault.remove(file).catch(() => {}); // else the next start sweeps it
      void this.#measure();
    });
  }

  // ---- the ledger ------------------------------------------------------------------------------------

  async #change(id: string, change: Partial<DownloadRecord>): Promise<void> {
    await this.#write({
      downloads: this.#ledger.downloads.map((each) => (each.id === id ? { ...each, ...change } : each)),
    });
  }

  /** What is in memory is what was last given here, even while it is being written. */
  #write(change: Partial<Ledger>): Promise<void> {
    this.#ledger = { ...this.#ledger, ...change };
    this.#parts.changed();
    const written = this.#writing.then(() => this.#parts.writeLedger(this.#ledger));
    this.#writing = written.catch(() => {});
    return written;
  }

  async #measure(): Promise<void> {
    const storage = await this.#parts.estimate().catch(() => this.#storage);
    if (JSON.stringify(storage) === JSON.stringify(this.#storage)) return;
    this.#storage = storage;
    this.#parts.changed();
  }

  #tellSoon(): void {
    const now = this.#now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    this.#parts.changed();
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now();
  }

  /** For tests, and before the worker ends. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.#stop(id)));
    await this.#open.close();
    await this.#writing;
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

/** A refusal of a catalogue, with its name. */
function asTrouble(error: unknown): unknown {
  return error instanceof CatalogueRefusal ? new DeskError(error.code, error.message) : error;
}

/** Until when an offer counts: with the list that it is of, or with what was found since. */
function expiryOf(catalogue: CatalogueRecord | undefined, { hash, origin }: Offer): string | undefined {
  if (catalogue === undefined) return undefined;
  const { offers, expires, foundExpires = expires } = catalogue;
  const isListed = offers.some((each) => each.hash === hash && each.origin.address === origin.address);
  return isListed ? expires : foundExpires;
}

const nameOf = ({ title, version }: LibraryRecord): string => `${title} ${version}`;

function textOf(info: Pick<LibraryInfo, 'manifest'> | undefined, key: string): string {
  const text = info?.manifest[key];
  return typeof text === 'string' ? text : '';
}

function baseOf(record: LibraryRecord, info: LibraryInfo | undefined): string {
  return record.base || textOf(info, 'base_url');
}

/** An offer as it came over a port; views are our own, and what they pass on is not. */
function checkedOffer(given: Offer): Offer {
  const address = webAddress(given.origin?.address);
  if (address === undefined) throw new DeskError('INVALID_ARGUMENT', 'This library has no address on the web.');
  const kind: Origin['kind'] = given.origin.kind === 'site' ? 'site' : 'catalogue';
  const table = webAddress(given.table?.address);
  return {
    library: isLibrary(given.library) ? given.library : '',
    version: isVersion(given.version) ? given.version : '',
    title: plainText(given.title, 80),
    description: plainText(given.description, 300),
    licence: plainText(given.licence, 80),
    language: plainLanguage(given.language),
    bytes: Number.isSafeInteger(given.bytes) ? given.bytes : undefined,
    hash: plainHash(given.hash),
    base: webAddress(given.base) ?? '',
    ...(table === undefined ? {} : { table: { address: table, hash: plainHash(given.table?.hash) } }),
    origin: { kind, address, list: webAddress(given.origin.list) ?? '' },
  };
}

const named = ({ id, library, version, title, origin }: LibraryRecord): Named => ({
  ...{ id, library, version, title, origin },
});

/** Whose table a library needs. */
const libraryTable = ({ space, origin }: LibraryRecord): Omit<TableRecord, 'file'> => ({
  space,
  publisher: publisherOf(origin),
});

/** The extension's own table serves every publisher. */
const tableOf = (
  { space, publisher }: Omit<TableRecord, 'file'>,
  tables: readonly TableRecord[],
): TableRecord | undefined =>
  tables.find((each) => each.space === space && (each.publisher === '' || each.publisher === publisher));

/** In the cache of open libraries. */
const keyOf = (file: string, table = ''): string => `${file} ${table}`;

const fresh = (): string => crypto.randomUUID();
