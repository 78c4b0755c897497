/**
 * Downloads: each has a file of its own in the vault, which grows until it is whole, and is then admitted as a library.
 * They survive the worker: the ledger names them, and the next start goes on with those that ran.
 */
import type { Admission } from './admission.js';
import type { Catalogues } from './catalogues.js';
import { fetchPart } from './fetching.js';
import type { LedgerStore } from './ledger.js';
import type { DeskParts } from './parts.js';
import {
  DeskError,
  isLibrary,
  isVersion,
  plainHash,
  plainLanguage,
  plainText,
  troubleOf,
  webAddress,
} from './plain.js';
import type { DownloadRecord, Named, Offer, Origin } from './types.js';

const TELL_EVERY_MS = 120;

interface Running {
  controller: AbortController;
  ended: Promise<void>;
}

export class Downloads {
  readonly #parts: DeskParts;
  readonly #ledger: LedgerStore;
  readonly #catalogues: Catalogues;
  readonly #admission: Admission;
  readonly #running = new Map<string, Running>();
  readonly #received = new Map<string, number>();
  #toldAt = 0;

  constructor(parts: DeskParts, ledger: LedgerStore, catalogues: Catalogues, admission: Admission) {
    this.#parts = parts;
    this.#ledger = ledger;
    this.#catalogues = catalogues;
    this.#admission = admission;
  }

  /** Goes on with what ran when the worker ended. */
  async goOn(): Promise<void> {
    for (const { id, file, status } of this.#ledger.current.downloads) {
      this.#received.set(id, (await this.#parts.vault.size(file)) ?? 0);
      const ran = status === 'running' || status === 'checking';
      if (ran && !this.#running.has(id)) void this.#run(id);
    }
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** Bytes of a download that are there. */
  received(id: string): number {
    return this.#received.get(id) ?? 0;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.#stop(id)));
  }

  /** Begins a download. `replaces`: an installed library that the new one takes the place of. */
  async install(given: Offer, replaces?: string): Promise<string> {
    const offer = checkedOffer(given);
    // The very file that was installed before may come again.
    const isKnown = this.#ledger.current.libraries.some(({ id, hash }) => id === replaces && hash === offer.hash);
    if (!isKnown) this.#catalogues.checkFresh(offer);
    await this.#ledger.measure();
    const same = this.#ledger.current.downloads.find((each) => each.offer.origin.address === offer.origin.address);
    if (same !== undefined) {
      await this.resume(same.id);
      return same.id;
    }
    if (offer.bytes !== undefined && offer.bytes > this.#ledger.storage.free)
      throw new DeskError(
        'QUOTA',
        `It needs ${offer.bytes} bytes, and the browser has ${this.#ledger.storage.free} left.`,
      );
    const id = crypto.randomUUID();
    const download: DownloadRecord = {
      id,
      offer,
      file: `${crypto.randomUUID()}.sheaf`,
      validator: '',
      status: 'running',
      ...(offer.bytes === undefined ? {} : { total: offer.bytes }),
      ...(replaces === undefined ? {} : { replaces }),
    };
    await this.#ledger.write({ downloads: [...this.#ledger.current.downloads, download] });
    void this.#run(id);
    return id;
  }

  async pause(id: string): Promise<void> {
    const download = this.#ledger.current.downloads.find((each) => each.id === id);
    if (download?.status !== 'running') return;
    await this.#change(id, { status: 'paused' });
    await this.#stop(id);
  }

  async resume(id: string): Promise<void> {
    const download = this.#ledger.current.downloads.find((each) => each.id === id);
    if (download === undefined || download.status === 'asking' || this.#running.has(id)) return;
    await this.#change(id, { status: 'running', error: undefined });
    void this.#run(id);
  }

  async cancel(id: string): Promise<void> {
    const download = this.#ledger.current.downloads.find((each) => each.id === id);
    if (download === undefined) return;
    await this.#ledger.write({ downloads: this.#ledger.current.downloads.filter((each) => each.id !== id) });
    await this.#stop(id);
    this.#received.delete(id);
    await this.#parts.vault.remove(download.file).catch(() => {});
    void this.#ledger.measure();
  }

  /** The reader agrees to the question of a download. */
  async replace(id: string): Promise<void> {
    const download = this.#ledger.current.downloads.find((each) => each.id === id);
    if (download?.question === undefined) return;
    const { goes } = download.question;
    await this.#change(id, { status: 'checking', question: undefined });
    await this.#run(id, (signal) => this.#finish(id, signal, goes));
  }

  #run(id: string, work = (signal: AbortSignal) => this.#download(id, signal)): Promise<void> {
    const controller = new AbortController();
    const ended = work(controller.signal)
      .catch((error: unknown) => this.#fail(id, error, controller.signal))
      .finally(() => {
        this.#running.delete(id);
        void this.#ledger.measure();
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
                await this.#ledger.measure();
                if (total - (this.#received.get(id) ?? 0) > this.#ledger.storage.free)
                  throw new DeskError(
                    'QUOTA',
                    `It needs ${total} bytes, and the browser has ${this.#ledger.storage.free} left.`,
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
      await this.#admission.admit(offer, file, id, agreed);
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
    const found = this.#ledger.current.downloads.find((each) => each.id === id);
    if (found === undefined) throw new DeskError('ABORTED', 'The download was cancelled.');
    return found;
  }

  async #fail(id: string, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (!this.#ledger.current.downloads.some((each) => each.id === id)) return;
    await this.#change(id, { status: 'failed', error: troubleOf(error) }).catch(() => {});
  }

  async #change(id: string, change: Partial<DownloadRecord>): Promise<void> {
    await this.#ledger.write({
      downloads: this.#ledger.current.downloads.map((each) => (each.id === id ? { ...each, ...change } : each)),
    });
  }

  #tellSoon(): void {
    const now = this.#parts.now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    this.#parts.changed();
  }
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
