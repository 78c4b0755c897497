/**
 * Drives one WASM core: call -> needs -> supply -> call, until there is an answer.
 *
 * Invariants
 *  1. A call into the core and the copying of its message happen without an await between them, so
 *     calls of several searches may overlap: each step is self-contained, and the core answers from
 *     the bytes it holds.
 *  2. memory.buffer is read again for each use, because growing memory replaces it. No view of it
 *     leaves this file.
 *  3. If a source changes while it is read (SOURCE_CHANGED), the host drops everything it holds of the
 *     source and reopens it, once per call. If it is now another library or version, the call fails
 *     instead: answers of two versions are never mixed.
 *  4. Bytes that fail their checksum, or are not a bundle, are fetched once more, bypassing every cache,
 *     before the call fails.
 *  5. A trap inside the core ends the host: every later call fails with the same error.
 */
import type { CoreModule } from '../core/sheaf-core.mjs';
import type { Core } from './load.js';
import { abortable, BAD_BUNDLE_CODES, SheafError, throwIfAborted } from './errors.js';
import { kindFilter, SYMBOL_KINDS } from './kind_filter.js';
import { RangeLoader } from './ranges.js';
import { MAX_WHOLE_BYTES, type OnProgress, type Source } from './source.js';
import type { Passage, SearchAnswer, SearchMode } from './types.js';
import * as wire from './wire.js';

export const BUNDLE = 0;
export const ENCODER = 1;
type Slot = typeof BUNDLE | typeof ENCODER;

/** Rounds of "needs" in one call; real queries take one to three. */
const MAX_ROUNDS = 256;

const MODE_NUMBERS: Record<SearchMode, number> = { keyword: 0, semantic: 1, hybrid: 2 };
const FLAG_EXPLAIN = 1;
const FLAG_RRF = 2;
const FLAG_NO_PREFIX = 4;
const FLAG_NO_TYPO = 8;
const FLAG_BY_PASSAGE = 16;
const FLAG_FACETS = 32;
const FLAG_DESCENDING = 64;

const UTF8 = new TextEncoder();

/** A call into the core, by its address. */
type Call = (module: CoreModule, core: number) => number;

/** A query with every option resolved. */
export interface CoreQuery {
  text: string;
  mode: SearchMode;
  topK: number;
  by: 'page' | 'passage';
  explain: boolean;
  rrf: boolean;
  prefix: boolean;
  typo: boolean;
  /** 0..1, or -1 to let the core choose. */
  semanticWeight: number;
  vector?: Float32Array;
  facets: boolean;
  descending: boolean;
  /** The key to sort by and filters, see wasm/module.d.ts. */
  selection: string;
}

/** A source that is not (yet) entirely in the core. */
interface Attachment {
  source: Source;
  lazy: boolean;
  loader: RangeLoader | undefined;
  /** The file was replaced; no call may use the core until the source is reopened. */
  stale: boolean;
  reopening: Promise<void> | undefined;
}

export interface AttachOptions {
  lazy: boolean;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

export class CoreHost {
  readonly #module: Core;
  #core: number | undefined;
  #defect: SheafError | undefined;
  readonly #attached: (Attachment | undefined)[] = [undefined, undefined];
  #info: wire.CoreInfo | undefined;

  constructor(module: Core) {
    this.#module = module;
    this.#core = module.create();
  }

  /** What the bundle reported when it was last opened. REQUIRES: openBundle succeeded. */
  get info(): wire.CoreInfo {
    if (this.#info === undefined) throw new SheafError('INTERNAL', 'The bundle was not opened yet.');
    return this.#info;
  }

  /** Declares a source and, unless `lazy`, reads all of it. */
  async attach(slot: Slot, source: Source, options: AttachOptions): Promise<void> {
    const attachment: Attachment = {
      source,
      lazy: options.lazy,
      loader: undefined,
      stale: false,
      reopening: undefined,
    };
    this.#attached[slot] = attachment;
    try {
      this.#living();
      await this.#fill(slot, attachment, options);
    } catch (error) {
      const closed = this.#core === undefined;
      if (closed) await source.close?.(); // the read may have opened it after `close` ran
      if (closed || !isChange(error)) throw error;
      source.reset?.();
      await this.#fill(slot, attachment, options);
    }
  }

  async openBundle(signal?: AbortSignal): Promise<wire.CoreInfo> {
    const info = await this.ask((module, core) => module.open(core), wire.readInfo, signal);
    const { language } = info;
    if (language && language !== 'en') await this.#module.learn?.(language);
    return (this.#info = info);
  }

  async openEncoder(signal?: AbortSignal): Promise<string> {
    return this.ask((module, core) => module.openEncoder(core), wire.readSpace, signal, 2);
  }

  /** Reads what is missing of a source, in one request. */
  async complete(slot: Slot, signal?: AbortSignal): Promise<void> {
    const attachment = this.#attached[slot];
    if (attachment?.loader === undefined) return; // all of it was given
    const size = await abortable(attachment.source.size(signal), signal);
    if (size <= MAX_WHOLE_BYTES)
      await this.#bringFrom(attachment, attachment.loader, [{ source: slot, offset: 0, length: size }], signal);
  }

  async search(query: CoreQuery, signal?: AbortSignal): Promise<SearchAnswer> {
    const { mode, topK, semanticWeight, vector = new Float32Array(0) } = query;
    const { text, kind } = kindFilter(query.text);
    const flags =
      (query.explain ? FLAG_EXPLAIN : 0) |
      (query.rrf ? FLAG_RRF : 0) |
      (query.prefix ? 0 : FLAG_NO_PREFIX) |
      (query.typo ? 0 : FLAG_NO_TYPO) |
      (query.by === 'passage' ? FLAG_BY_PASSAGE : 0) |
      (query.facets ? FLAG_FACETS : 0) |
      (query.descending ? FLAG_DESCENDING : 0) |
      (kind ? (SYMBOL_KINDS.indexOf(kind) + 1) << 8 : 0);
    return this.ask(
      (module, core) => {
        const { buffer, byteOffset, byteLength, length } = vector;
        const selection = UTF8.encode(query.selection);
        this.#stage(core, new Uint8Array(buffer, byteOffset, byteLength), selection, UTF8.encode(text));
        return module.search(core, MODE_NUMBERS[mode], topK, flags, semanticWeight, length, selection.length);
      },
      wire.readAnswer,
      signal,
      mode === 'keyword' || vector.length > 0 ? 1 : 2,
    );
  }

  async embed(text: string, signal?: AbortSignal): Promise<Float32Array> {
    return this.ask(
      (module, core) => (this.#stage(core, UTF8.encode(text)), module.embed(core)),
      wire.readVector,
      signal,
      2,
    );
  }

  /** 1 if the encoder table has this folded word, else 0. */
  async knowsWord(word: string): Promise<number> {
    return this.ask(
      (module, core) => (this.#stage(core, UTF8.encode(word)), module.knowsWord(core)),
      wire.readNumber,
      undefined,
      2,
    );
  }

  async page(id: number, signal?: AbortSignal): Promise<wire.CorePage> {
    return this.ask((module, core) => module.page(core, id), wire.readPage, signal);
  }

  async findPage(urlOrSource: string, signal?: AbortSignal): Promise<number> {
    return this.ask(
      (module, core) => (this.#stage(core, UTF8.encode(urlOrSource)), module.findPage(core)),
      wire.readNumber,
      signal,
    );
  }

  async passage(id: number, signal?: AbortSignal): Promise<Passage> {
    return this.ask((module, core) => module.passage(core, id), wire.readPassage, signal);
  }

  async verify(signal?: AbortSignal): Promise<number> {
    return this.ask((module, core) => module.verify(core), wire.readNumber, signal);
  }

  /** Frees the core and stops every request. Pending calls reject with CLOSED. */
  async close(): Promise<void> {
    const core = this.#core;
    if (core === undefined) return;
    this.#core = undefined;
    const sources = this.#attached.splice(0, 2, undefined, undefined);
    for (const attachment of sources) attachment?.loader?.stop(closedError());
    if (this.#defect === undefined) this.#module.destroy(core);
    await Promise.all(sources.map((attachment) => attachment?.source.close?.()));
  }

  // ---- the loop -----------------------------------------------------------------------------

  /**
   * `uses`: 1 for the bundle, 2 for the encoder too; changed sources among them are reopened first. A table that fails
   * does not stop calls that do not need it. 0: a step of opening a source, which other calls wait for.
   */
  async ask<T>(call: Call, read: (reader: wire.Reader) => T, signal?: AbortSignal, uses = 1): Promise<T> {
    const inner = uses === 0;
    let lastNeeds = '';
    let changeSeen = false;
    let fetchedAgain = inner;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      throwIfAborted(signal);
      await this.#freshen(uses, signal);
      const message = this.#call(call, read);
      if (message.kind === 'answer') return message.value;
      if (message.kind === 'error') {
        if (!BAD_BUNDLE_CODES.has(message.error.code)) throw message.error;
        if (fetchedAgain || !this.#distrust()) throw fetchedAgain ? stillDamaged(message.error) : message.error;
        fetchedAgain = true;
        lastNeeds = '';
        continue;
      }
      const needs = JSON.stringify(message.needs);
      if (needs === lastNeeds) break;
      lastNeeds = needs;
      try {
        await this.#bring(message.needs, signal);
      } catch (error) {
        if (!isChange(error) || changeSeen || inner) throw error;
        changeSeen = true;
        lastNeeds = '';
      }
    }
    throw new SheafError(
      'INTERNAL',
      'The core keeps asking for bytes that it was given; please report the bundle and the query.',
    );
  }

  /** One step into the core. Nothing in here may use await. */
  #call<T>(call: Call, read: (reader: wire.Reader) => T): wire.Message<T> {
    const core = this.#living();
    let bytes: Uint8Array;
    try {
      const length = call(this.#module, core);
      bytes = this.#view(this.#module.messageAddress(core), length).slice();
    } catch (error) {
      throw this.#broken(error);
    }
    return wire.decodeMessage(bytes, read);
  }

  #order(call: Call): void {
    const message = this.#call(call, wire.readNothing);
    if (message.kind === 'error') throw message.error;
    if (message.kind === 'needs')
      throw new SheafError('INTERNAL', 'The core asked for bytes where none can be missing.');
  }

  /** A view of the core's current memory. Throws RangeError when the range lies outside it. */
  #view(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#module.memory.buffer, address, length);
  }

  #stage(core: number, ...parts: Uint8Array[]): void {
    let address = this.#module.stage(
      core,
      parts.reduce((sum, part) => sum + part.length, 0),
    );
    for (const part of parts) {
      this.#view(address, part.length).set(part);
      address += part.length;
    }
  }

  #supply(slot: Slot, offset: number, bytes: Uint8Array): void {
    this.#order((module, core) => {
      this.#stage(core, bytes);
      return module.supply(core, slot, offset);
    });
  }

  #living(): number {
    if (this.#defect !== undefined) throw this.#defect;
    if (this.#core === undefined) throw closedError();
    return this.#core;
  }

  /** After a trap, the core's memory cannot be trusted. */
  #broken(error: unknown): SheafError {
    if (error instanceof SheafError) return error;
    const detail = error instanceof Error ? error.message : String(error);
    const memory = this.#module.outOfMemory() !== 0;
    this.#defect = new SheafError(
      memory ? 'TOO_LARGE' : 'INTERNAL',
      memory
        ? `The core ran out of memory (${detail}); open the bundle with lazy: true.`
        : `The core stopped (${detail}); open the bundle anew, and please report this.`,
      { cause: error },
    );
    return this.#defect;
  }

  // ---- sources ------------------------------------------------------------------------------

  async #fill(slot: Slot, attachment: Attachment, options: AttachOptions): Promise<void> {
    const { source } = attachment;
    const { signal, onProgress } = options;
    const size = await abortable(source.size(signal, onProgress), signal);
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new SheafError(
        'INVALID_ARGUMENT',
        `${source.key}: its size is given as ${size}; a source's size() must return a whole number of bytes.`,
      );
    }
    if (attachment.lazy) {
      this.#order((module, core) => module.setSource(core, slot, size));
      attachment.loader = new RangeLoader(source, (offset, bytes) => this.#supply(slot, offset, bytes));
      // So the core asks for what it lacks, and not for as much as any file's directory may take.
      if (source.head !== undefined) this.#supply(slot, 0, source.head);
      return;
    }
    if (size > MAX_WHOLE_BYTES) {
      throw new SheafError(
        'TOO_LARGE',
        `${source.key} has ${size} bytes, more than the ${MAX_WHOLE_BYTES} that are held in memory; open it with lazy: true.`,
      );
    }
    const bytes = await abortable(source.readAll?.(signal, onProgress) ?? source.read(0, size, signal), signal);
    if (bytes.length !== size)
      throw new SheafError(
        'TRUNCATED',
        `${source.key}: ${bytes.length} of ${size} bytes could be read; is it still being written?`,
      );
    onProgress?.(size, size);
    this.#order((module, core) => module.setSource(core, slot, size));
    if (size > 0) this.#supply(slot, 0, bytes);
    if (source.local) this.#attached[slot] = undefined; // the core holds it all: release the memory and the handle
    await source.close?.();
  }

  async #bring(needs: readonly wire.Need[], signal?: AbortSignal): Promise<void> {
    const work: Promise<void>[] = [];
    for (const slot of [BUNDLE, ENCODER] as const) {
      const ranges = needs.filter((need) => need.source === slot);
      if (ranges.length === 0) continue;
      const attachment = this.#attached[slot];
      if (attachment?.loader === undefined) {
        throw new SheafError(
          'INTERNAL',
          `The core asks for bytes of ${slot === BUNDLE ? 'the bundle' : 'the encoder'} although all of it was given.`,
        );
      }
      work.push(this.#bringFrom(attachment, attachment.loader, ranges, signal));
    }
    if (work.length === 0) throw new SheafError('INTERNAL', 'The core asks for bytes, but of no source it was given.');
    const results = await Promise.allSettled(work);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #bringFrom(
    attachment: Attachment,
    loader: RangeLoader,
    ranges: readonly wire.Need[],
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      await loader.bring(ranges, signal);
    } catch (error) {
      if (isChange(error) && attachment.loader === loader) outdate(attachment, error);
      throw error;
    }
  }

  /** Data from a network may have been damaged in transit. Returns whether there is anything to fetch again. */
  #distrust(): boolean {
    const remote = this.#attached.filter((attachment) => attachment !== undefined && !attachment.source.local);
    for (const attachment of remote as Attachment[])
      outdate(attachment, new SheafError('SOURCE_CHANGED', `${attachment.source.key} is fetched anew.`));
    return remote.length > 0;
  }

  /** Reopens changed sources, once for all calls. On failure every waiting call rejects; the next call tries again. */
  async #freshen(uses: number, signal?: AbortSignal): Promise<void> {
    for (;;) {
      const slot = this.#attached.findIndex((each, i) => each?.stale && i < uses);
      const attachment = this.#attached[slot];
      if (attachment === undefined) return;
      attachment.reopening ??= this.#reopen(slot as Slot, attachment).finally(() => (attachment.reopening = undefined));
      await abortable(attachment.reopening, signal);
    }
  }

  async #reopen(slot: Slot, attachment: Attachment): Promise<void> {
    attachment.source.reset?.();
    await this.#fill(slot, attachment, { lazy: attachment.lazy });
    if (slot === ENCODER) {
      await this.ask((module, core) => module.openEncoder(core), wire.readSpace, undefined, 0);
    } else {
      const before = this.#info; // undefined when it could not be opened before
      const after = await this.ask((module, core) => module.open(core), wire.readInfo, undefined, 0);
      if (
        before !== undefined &&
        (after.library !== before.library || after.version !== before.version || after.space !== before.space)
      ) {
        throw new SheafError(
          'SOURCE_CHANGED',
          `${attachment.source.key} was ${before.library} ${before.version} and is now ${after.library} ${after.version}; open it again.`,
        );
      }
      this.#info = after;
    }
    attachment.stale = false;
  }
}

/** From here on, no byte of the old state may be supplied. */
function outdate(attachment: Attachment, reason: SheafError): void {
  attachment.stale = true;
  attachment.loader?.stop(reason);
}

function stillDamaged(error: SheafError): SheafError {
  const { code, message } = error;
  if (code !== 'CHECKSUM_MISMATCH') return error;
  const finding = message.replace(/;[^;]*fetch it again\.?$/, '');
  return new SheafError(
    code,
    `${finding}; fetching it again brought the same, so the file on the server is damaged: deploy it again.`,
  );
}

function isChange(error: unknown): error is SheafError {
  return error instanceof SheafError && error.code === 'SOURCE_CHANGED';
}

function closedError(): SheafError {
  return new SheafError('CLOSED', 'The library was closed; open it again to search it.');
}
