/**
 * Catalogues and lists of sites: reads, searches and remembers them. A signed one is believed by the rules that the command
 * has, too (web/browser/catalogue).
 *
 * Invariant: the newest head that was seen is the one that is believed; a slower reading of an older one, or of a catalogue
 * that was removed meanwhile, changes nothing.
 */
import { libraryOfPage, type CatalogueLibrary } from '../browser/catalogue/format.js';
import { isSamePin, mayFollow, openCatalogue, type Catalogue, type Pin } from '../browser/catalogue/reader.js';
import { CatalogueRefusal } from '../browser/catalogue/refusal.js';
import { BytesSource } from '../browser/client/source.js';
import { catalogueAddress, isHead, offersOf, readCatalogue, readSiteList } from './lists.js';
import { fetchBytes, fetchText } from './fetching.js';
import type { LedgerStore } from './ledger.js';
import type { DeskParts } from './parts.js';
import { DeskError, isLibrary, MOST_LIST_BYTES, MOST_OFFERS, plainText, webAddress } from './plain.js';
import { BROWSER_PRIMITIVES } from './signatures.js';
import { ownTableOf } from './tables.js';
import type { CatalogueRecord, Offer } from './types.js';

const MOST_CATALOGUES = 50;
/** Catalogues with longer lists than this are searched, not listed. */
const LISTED_BYTES = 512 * 1024;
const MOST_FOUND = 20;
/** As the command finds libraries. */
const MEANING = 0.7;

export class Catalogues {
  readonly #parts: DeskParts;
  readonly #ledger: LedgerStore;

  constructor(parts: DeskParts, ledger: LedgerStore) {
    this.#parts = parts;
    this.#ledger = ledger;
  }

  /** Adds a catalogue, or reads it again. `unsigned`: accepts a head without a signature. */
  async add(typed: string, unsigned = false): Promise<CatalogueRecord> {
    const address = catalogueAddress(typed);
    const known = this.#ledger.current.catalogues.find((each) => each.address === address);
    const record = await this.#read(address, known, unsigned);
    // From here to the write, nothing waits.
    const stored = this.#ledger.current.catalogues.find((each) => each.address === address);
    if (known !== undefined && stored === undefined)
      throw new DeskError('ABORTED', 'The catalogue was removed meanwhile.');
    if (stored !== undefined && !mayFollow(stored.pin, known?.pin, record.pin)) return stored;
    const others = this.#ledger.current.catalogues.filter((each) => each.address !== address);
    if (others.length >= MOST_CATALOGUES)
      throw new DeskError('LIST', `There are ${MOST_CATALOGUES} catalogues; remove one first.`);
    await this.#ledger.write({ catalogues: [...others, record] });
    void this.#ledger.measure();
    return record;
  }

  async #read(address: string, known: CatalogueRecord | undefined, unsigned: boolean): Promise<CatalogueRecord> {
    const { protocol, hostname } = new URL(address);
    if (protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
      throw new DeskError('INSECURE', 'The address of a catalogue begins with https.');
    const text = await fetchText(address, MOST_LIST_BYTES, this.#parts.fetch);
    if (!isHead(text)) {
      if (known?.pin !== undefined)
        throw new DeskError('ROLLBACK', 'The catalogue had a head when it was added, and has none now.');
      if (known === undefined && !unsigned) throw new DeskError('UNSIGNED', 'The catalogue has no signature.');
      return readCatalogue(text, address, this.#parts.now());
    }
    const catalogue = await this.#open(address, known, unsigned);
    const isLarge = catalogue.listBytes > LISTED_BYTES;
    const entries = isLarge ? await this.#installedFrom(catalogue, address) : await catalogue.libraries();
    const offers = entries.flatMap((each) => offersOf(each, address)).slice(0, MOST_OFFERS);
    if (offers.length === 0 && !isLarge)
      throw new DeskError('LIST', 'The catalogue names no library that could be installed.');
    const title = plainText(catalogue.title, 80) || new URL(address).host;
    const size = isLarge ? { size: catalogue.size } : {};
    return {
      address,
      title,
      offers,
      read: this.#parts.now(),
      pin: catalogue.pin,
      expires: catalogue.head?.expires,
      ...size,
    };
  }

  /** Head, signature and shards by the rules that the command has too (catalogue/reader.ts). */
  async #open(address: string, known: CatalogueRecord | undefined, unsigned: boolean): Promise<Catalogue> {
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
      return await openCatalogue({ ...BROWSER_PRIMITIVES, get, pin, unsigned: isUnsigned, now: this.#parts.now() });
    } catch (error) {
      throw asTrouble(error);
    }
  }

  /** The entries of a large catalogue for libraries that were installed from it, so that new versions are offered. */
  async #installedFrom(catalogue: Catalogue, address: string): Promise<CatalogueLibrary[]> {
    const names = new Set(
      this.#ledger.current.libraries.filter(({ origin }) => origin.list === address).map(({ library }) => library),
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
    const known = this.#ledger.current.catalogues.find((each) => each.address === address);
    const text = plainText(words, 200);
    if (known?.pin === undefined || text === '') return [];
    const catalogue = await this.#open(address, known, false);
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
    const table = ownTableOf(ownTable.space, this.#ledger.current.tables);
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
    const stored = this.#ledger.current.catalogues.find((each) => each.address === address)?.pin;
    // What was read meanwhile, removed or trusted anew, stays so.
    if (stored === undefined || isSamePin(stored, pin) || !mayFollow(stored, opened, pin)) return;
    const catalogues = this.#ledger.current.catalogues.map((each) =>
      each.address === address ? { ...each, pin, foundExpires: head?.expires } : each,
    );
    await this.#ledger.write({ catalogues });
  }

  async remove(address: string): Promise<void> {
    await this.#ledger.write({
      catalogues: this.#ledger.current.catalogues.filter((each) => each.address !== address),
    });
  }

  /** The offers of a site's list; `text` is the list as its own page read it. */
  async siteOffers(text: string, address: string, pageTitle: string): Promise<Offer[]> {
    const where = webAddress(address);
    if (where === undefined) throw new DeskError('LIST', 'The site has no address on the web.');
    void this.#ledger.measure();
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

  /** Throws EXPIRED where the list that offers it counts no longer. */
  checkFresh(offer: Offer): void {
    const { catalogues } = this.#ledger.current;
    const expires = expiryOf(
      catalogues.find(({ address }) => address === offer.origin.list),
      offer,
    );
    if (expires !== undefined && Date.parse(expires) <= this.#parts.now())
      throw new DeskError('EXPIRED', `The catalogue expired ${expires}; look for updates.`);
  }
}

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
