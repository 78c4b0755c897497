/**
 * The open bundles of a federation. Each is opened when it is first needed, and again after a failure. Where several
 * bundles name the same encoder table, one of them opens it; if that one fails, another takes over.
 */
import { asSheafError, SheafError } from './errors.js';
import type { BundleSource } from './index.js';
import { absolute } from './absolute.js';
import type { OpenOne } from './shared_worker.js';
import type { BaseOpenOptions, Library, Progress } from './types.js';

/** A bundle among several. User interfaces use the fields other than `src` and `encoder` to name and select bundles. */
export interface BundleEntry {
  src: BundleSource;
  encoder?: BundleSource | undefined;
  label?: string | undefined;
  site?: string | undefined;
  version?: string | undefined;
  /** BCP 47 tag of the pages. */
  language?: string | undefined;
}

export interface BundleFailure {
  /** Number of the entry. */
  bundle: number;
  label: string;
  error: SheafError;
}

/** Errors that make a library unusable; the next search reopens the bundle. */
const USELESS: ReadonlySet<string> = new Set(['SOURCE_CHANGED', 'CLOSED', 'INTERNAL']);

export class Members {
  readonly #entries: readonly BundleEntry[];
  readonly #openOne: OpenOne;
  readonly #options: BaseOpenOptions;
  readonly #opening = new Map<number, Promise<Library>>();
  readonly #opened = new Map<number, Library>();
  /** The entry that opens each encoder table. */
  readonly #leads = new Map<unknown, number>();
  /** Every library ever opened here; `close` closes them all. */
  readonly #all = new Set<Promise<Library>>();
  /** The lookup in progress for an encoder, by space, shared by every search that waits for it. */
  readonly #looking = new Map<string, Promise<Library | undefined>>();
  readonly #progress = new Map<string, Progress>();
  #closed = false;

  constructor(entries: readonly BundleEntry[], openOne: OpenOne, options: BaseOpenOptions) {
    this.#entries = entries;
    this.#openOne = openOne;
    this.#options = options;
  }

  /** The libraries that are open now. */
  get opened(): ReadonlyMap<number, Library> {
    return this.#opened;
  }

  open(bundle: number): Promise<Library> {
    if (this.#closed)
      return Promise.reject(new SheafError('CLOSED', 'The libraries were closed; open them again to search them.'));
    const known = this.#opening.get(bundle);
    if (known !== undefined) return known;
    const table = this.#tableOf(bundle);
    const leads = table === undefined || !this.#leads.has(table);
    if (leads && table !== undefined) this.#leads.set(table, bundle);
    const opening = this.#start(bundle, leads);
    this.#opening.set(bundle, opening);
    opening.then(
      (library) => this.#opening.get(bundle) === opening && this.#opened.set(bundle, library),
      () => this.#opening.get(bundle) === opening && this.#forget(bundle),
    );
    return opening;
  }

  /** An open library that can encode queries for this space. */
  encoderOf(space: string): Promise<Library | undefined> {
    const looking = this.#looking.get(space) ?? this.#look(space).finally(() => this.#looking.delete(space));
    this.#looking.set(space, looking);
    return looking;
  }

  async #look(space: string): Promise<Library | undefined> {
    const known = [...this.#opened.values()].find(({ info }) => info.semantic && info.space === space);
    if (known !== undefined) return known;
    for (const [bundle, library] of [...this.#opened]) {
      const table = this.#tableOf(bundle);
      if (table === undefined || library.info.space !== space || this.#closed) continue;
      const withTable = await this.#start(bundle, true).catch(() => undefined);
      if (withTable === undefined) continue;
      this.#leads.set(table, bundle);
      this.#opening.set(bundle, Promise.resolve(withTable));
      this.#opened.set(bundle, withTable);
      return withTable; // `close` closes the previous one: searches may still be using it
    }
    return undefined;
  }

  /** The failure to report. Drops a library that has become unusable. */
  failure(bundle: number, thrown: unknown, library?: Library): BundleFailure {
    const entry = this.#entries[bundle] as BundleEntry;
    const error = asSheafError(thrown, 'INTERNAL', 'unexpected failure');
    if (library !== undefined && USELESS.has(error.code) && this.#opened.get(bundle) === library) {
      this.#forget(bundle);
      void library.close().catch(() => {});
    }
    return { bundle, label: nameOf(entry), error: explained(entry, error) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#all];
    this.#opening.clear();
    this.#opened.clear();
    await Promise.all(
      all.map((library) =>
        library.then(
          (opened) => opened.close(),
          () => {},
        ),
      ),
    );
  }

  #start(bundle: number, withTable: boolean): Promise<Library> {
    const { src, encoder } = this.#entries[bundle] as BundleEntry;
    const { onProgress, ...options } = this.#options;
    const opening = this.#openOne(src, {
      ...options,
      ...(!withTable ? { encoder: false } : encoder === undefined ? {} : { encoder }),
      ...(onProgress === undefined
        ? {}
        : { onProgress: (progress: Progress) => onProgress(this.#sum(bundle, progress)) }),
    });
    this.#all.add(opening);
    opening.catch(() => this.#all.delete(opening));
    return opening;
  }

  #forget(bundle: number): void {
    this.#opening.delete(bundle);
    this.#opened.delete(bundle);
    const table = this.#tableOf(bundle);
    if (this.#leads.get(table) === bundle) this.#leads.delete(table);
  }

  /** The identity of the bundle's encoder table; undefined without one. */
  #tableOf(bundle: number): BundleSource | undefined {
    const { encoder } = this.#entries[bundle] as BundleEntry;
    return encoder instanceof URL ? encoder.href : encoder;
  }

  /** The progress of all bundles together. */
  #sum(bundle: number, progress: Progress): Progress {
    this.#progress.set(`${bundle} ${progress.source}`, progress);
    const all = [...this.#progress.values()].filter(({ source }) => source === progress.source);
    const loaded = all.reduce((sum, each) => sum + each.loaded, 0);
    const total = all.reduce((sum, each) => sum + (each.total ?? Number.NaN), 0);
    return { source: progress.source, loaded, ...(Number.isNaN(total) ? {} : { total }) };
  }
}

/** What a bundle is called in messages. */
function nameOf({ label, site, version, language, src }: BundleEntry): string {
  const address = typeof src === 'string' || src instanceof URL ? String(src) : 'a bundle';
  return label ?? ([site, version, language].filter(Boolean).join(' ') || address);
}

/** Browsers do not say why a request to another origin failed; this names the likely cause and the remedy. */
function explained(entry: BundleEntry, error: SheafError): SheafError {
  const here = globalThis.location?.origin;
  const there = typeof entry.src === 'string' || entry.src instanceof URL ? originOf(entry.src) : undefined;
  if (
    error.code !== 'NETWORK' ||
    error.status !== undefined ||
    here === undefined ||
    there === undefined ||
    there === here
  )
    return error;
  return new SheafError(
    'NETWORK',
    `${nameOf(entry)}: ${String(entry.src)} could not be read from ${here}. If the address is right, ${there} has to allow it (CORS): ` +
      `let it send Access-Control-Allow-Origin: ${here} (or *) and Access-Control-Expose-Headers: Content-Range, ETag.`,
    { cause: error },
  );
}

function originOf(src: string | URL): string | undefined {
  try {
    return absolute(String(src)).origin;
  } catch {
    return undefined;
  }
}
