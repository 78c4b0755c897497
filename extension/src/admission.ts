/**
 * Makes a file of the vault a library, and takes libraries out again.
 *
 * Invariants
 *  1. No file counts unless its size and hash are what was announced, the core has verified all of it, and it documents
 *     what was announced.
 *  2. One write of the ledger makes it a library, in place of the one before.
 *  3. A publisher and a name identify a library. One publisher's library never replaces another's before the reader has
 *     seen both and agreed.
 *  4. A file that goes is removed once nothing reads it.
 */
import { checkBundle, checkFile } from './checking.js';
import type { LedgerStore } from './ledger.js';
import type { DeskParts } from './parts.js';
import { DeskError, idOf, plainLanguage, plainText, publisherOf, textOf } from './plain.js';
import type { Tables } from './tables.js';
import type { DownloadRecord, LibraryRecord, Named, Offer } from './types.js';

export class Admission {
  readonly #parts: DeskParts;
  readonly #ledger: LedgerStore;
  readonly #tables: Tables;
  readonly #closeFile: (file: string) => Promise<void>;

  /** `closeFile` closes what reads the file, after the calls that are under way. */
  constructor(parts: DeskParts, ledger: LedgerStore, tables: Tables, closeFile: (file: string) => Promise<void>) {
    this.#parts = parts;
    this.#ledger = ledger;
    this.#tables = tables;
    this.#closeFile = closeFile;
  }

  /**
   * Checks a file of the vault and makes it a library; undefined: the reader is asked first. `download`: the record that
   * ends by this. `agreed`: libraries of other publishers that the reader lets it replace.
   */
  async admit(
    offer: Offer,
    file: string,
    download?: string,
    agreed: readonly Named[] = [],
  ): Promise<LibraryRecord | undefined> {
    return this.#tables.hold(() => this.#check(offer, file, download, agreed));
  }

  async #check(
    offer: Offer,
    file: string,
    download: string | undefined,
    agreed: readonly Named[],
  ): Promise<LibraryRecord | undefined> {
    const { hash, bytes } = await checkFile(this.#parts.vault, offer, file);
    const info = await checkBundle(this.#parts, offer, file);
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
      installed: this.#parts.now(),
      origin: offer.origin,
    };
    if (this.#ofOthers(record, download, agreed).length === 0) await this.#tables.ensure(record, offer);
    // From here to the write, nothing waits: what is replaced is decided on what is there now.
    const { libraries, downloads, groups } = this.#ledger.current;
    const own = downloads.find(({ id }) => id === download);
    if (download !== undefined && own === undefined) throw new DeskError('ABORTED', 'The download was cancelled.');
    const others = this.#ofOthers(record, download, agreed);
    if (others.length > 0) {
      const question = { comes: named(record), goes: others.map(named) };
      const shown = { ...offer, title: offer.title || record.title };
      const asking: DownloadRecord = {
        id: crypto.randomUUID(),
        file,
        validator: '',
        ...own,
        offer: shown,
        status: 'asking',
        question,
      };
      await this.#ledger.write({ downloads: [...downloads.filter((each) => each !== own), asking] });
      return undefined;
    }
    const gone = this.#replacedBy(record, own);
    const at = libraries.findIndex((each) => gone.includes(each));
    const kept = libraries.filter((each) => !gone.includes(each));
    kept.splice(at < 0 ? kept.length : at, 0, record);
    const renamed = (member: string): string => (gone.some(({ id }) => id === member) ? record.id : member);
    await this.#ledger.write({
      libraries: kept,
      downloads: downloads.filter(({ id }) => id !== download),
      groups: groups.map((group) => ({ ...group, members: [...new Set(group.members.map(renamed))] })),
    });
    for (const each of gone) this.#ledger.missing.delete(each.id);
    for (const each of gone) void this.#discard(each.file);
    return record;
  }

  /** Installed libraries whose place it takes: of its id, and the one that an update is for. */
  #replacedBy(record: LibraryRecord, download: DownloadRecord | undefined): LibraryRecord[] {
    return this.#ledger.current.libraries.filter(({ id }) => id === record.id || id === download?.replaces);
  }

  /** Those of another publisher that the reader has not agreed to replace. */
  #ofOthers(record: LibraryRecord, download: string | undefined, agreed: readonly Named[]): LibraryRecord[] {
    const publisher = publisherOf(record.origin);
    const own = this.#ledger.current.downloads.find(({ id }) => id === download);
    return this.#replacedBy(record, own).filter((each) => {
      const theirs = publisherOf(each.origin);
      return theirs !== publisher && !agreed.some(({ id, origin }) => id === each.id && publisherOf(origin) === theirs);
    });
  }

  /** Removes a file once nothing reads it. */
  #discard(file: string): Promise<void> {
    return this.#tables.hold(async () => {
      await this.#closeFile(file);
      await this.#parts.vault.remove(file).catch(() => {}); // else the next start sweeps it
      void this.#ledger.measure();
    });
  }

  async remove(id: string): Promise<void> {
    const gone = this.#ledger.current.libraries.filter((library) => library.id === id);
    const groups = this.#ledger.current.groups
      .map((group) => ({ ...group, members: group.members.filter((member) => member !== id) }))
      .filter(({ members }) => members.length > 0);
    await this.#ledger.write({
      libraries: this.#ledger.current.libraries.filter((library) => library.id !== id),
      groups,
    });
    await Promise.all(gone.map(({ file }) => this.#discard(file)));
    void this.#ledger.measure();
  }
}

const named = ({ id, library, version, title, origin }: LibraryRecord): Named => ({
  ...{ id, library, version, title, origin },
});
