/**
 * A Library on the calling thread: checks arguments, decides defaults, asks the CoreHost.
 */
import { filledUp } from './copies.js';
import { abortable, SheafError, throwIfAborted } from './errors.js';
import { BUNDLE, ENCODER, CoreHost, type CoreQuery } from './core_host.js';
import { MAX_TOP_K } from './limits.js';
import type { Core } from './load.js';
import type { OnProgress, Source } from './source.js';
import {
  DEFAULT_SEARCH_OPTIONS,
  WHOLE_LIMIT,
  type BaseOpenOptions,
  type CallOptions,
  type Library,
  type LibraryFacets,
  type LibraryInfo,
  type Page,
  type Passage,
  type PrefetchOptions,
  type Progress,
  type SearchAnswer,
  type SearchOptions,
} from './types.js';

export interface LocalOpenOptions extends Pick<BaseOpenOptions, 'lazy' | 'deferEncoder' | 'signal' | 'onProgress'> {
  /** The encoder table, or a function that finds the one for a bundle's vector space. */
  encoder?: Source | ((space: string) => Promise<Source | undefined>) | undefined;
}

/** Opens `bundle` with the given core, which becomes the library's own. */
export async function openLocal(module: Core, bundle: Source, options: LocalOpenOptions = {}): Promise<Library> {
  const host = new CoreHost(module);
  const encoder = typeof options.encoder === 'object' ? options.encoder : undefined;
  try {
    throwIfAborted(options.signal);
    // The encoder's first request need not wait for the bundle's; a failure surfaces when the encoder is opened.
    // A deferred table's request outlives `open`, so it ignores the signal of `open`.
    encoder?.size(options.deferEncoder ? undefined : options.signal, progressOf('encoder', options)).catch(() => {});
    const lazy = await attach(host, BUNDLE, bundle, options);
    const { dimensions, space } = await host.openBundle(options.signal);
    let table: Source | undefined;
    if (dimensions > 0)
      table = encoder ?? (typeof options.encoder === 'function' ? await options.encoder(space) : undefined);
    else await encoder?.close?.();
    const library = new LocalLibrary(host, { lazy, semantic: table !== undefined });
    if (table !== undefined) await library.openEncoder(table, options);
    return library;
  } catch (error) {
    // Sources that the host did not yet hold may be open too.
    for (const each of [host, bundle, encoder]) await (async () => each?.close?.())().catch(() => {});
    throw error;
  }
}

async function attach(
  host: CoreHost,
  slot: typeof BUNDLE | typeof ENCODER,
  source: Source,
  options: LocalOpenOptions,
): Promise<boolean> {
  const onProgress = progressOf(slot === BUNDLE ? 'bundle' : 'encoder', options);
  const size = await source.size(options.signal, onProgress);
  const stored = size > 0 && source.has?.(0, size) === true;
  const wanted = options.lazy ?? !(source.local || stored || size <= WHOLE_LIMIT);
  const lazy = wanted && !source.rangesIgnored;
  if (wanted && !lazy)
    sayOnce(`sheaf: the server of ${source.key} ignores Range requests, so all ${size} bytes were downloaded.`);
  await host.attach(slot, source, { lazy, signal: options.signal, onProgress });
  return lazy;
}

export function progressOf(
  source: Progress['source'],
  { onProgress }: Pick<LocalOpenOptions, 'onProgress'>,
): OnProgress | undefined {
  if (onProgress === undefined) return undefined;
  return (loaded, total) => onProgress({ source, loaded, ...(total === undefined ? {} : { total }) });
}

const said = new Set<string>();

function sayOnce(text: string): void {
  if (said.has(text)) return;
  said.add(text);
  console.warn(text);
}

class LocalLibrary implements Library {
  readonly #host: CoreHost;
  readonly #facts: { lazy: boolean; semantic: boolean };
  #manifest: { json: string; read: Record<string, unknown> };
  /** Opens the encoder table once; after a failure the next call tries again. */
  #encoder: () => Promise<void> = () => Promise.resolve();

  constructor(host: CoreHost, facts: { lazy: boolean; semantic: boolean }) {
    this.#host = host;
    this.#facts = facts;
    this.#manifest = parseManifest(host.info.manifest); // a bundle whose manifest cannot be read is refused here
  }

  get info(): LibraryInfo {
    const info = this.#host.info;
    if (this.#manifest.json !== info.manifest) this.#manifest = parseManifest(info.manifest); // a replaced file
    return { ...info, manifest: this.#manifest.read, ...this.#facts };
  }

  /** Waits for the table, unless the options defer it. */
  async openEncoder(table: Source, options: LocalOpenOptions): Promise<void> {
    const hooks = options.deferEncoder ? { ...options, signal: undefined } : options; // outlives `open`
    let opening: Promise<void> | undefined;
    const open = async (): Promise<void> => {
      await attach(this.#host, ENCODER, table, hooks);
      await this.#host.openEncoder(hooks.signal);
    };
    this.#encoder = () =>
      (opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      }));
    const first = this.#encoder();
    if (options.deferEncoder)
      first.catch(() => {}); // reported to the queries that need it
    else await first;
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    const decided = decideQuery(query, options);
    if (decided.mode !== 'keyword' && decided.vector === undefined) await abortable(this.#encoder(), options.signal);
    const answer = await this.#host.search(decided, options.signal);
    const room = { topK: decided.topK, most: MAX_TOP_K };
    const hits = await filledUp(answer.hits, room, async (topK) => {
      const { hits: more } = await this.#host.search({ ...decided, topK, facets: false }, options.signal);
      return more;
    });
    return { ...answer, hits };
  }

  /** An empty query reads just what every query needs. */
  async prefetch({ whole, words = [], signal }: PrefetchOptions = {}): Promise<void> {
    const options = signal === undefined ? {} : { signal };
    if (whole) {
      await this.#host.complete(BUNDLE, signal);
      this.#facts.lazy = false;
    }
    await Promise.all([this.search('', { ...options, mode: 'keyword' }), this.search('', options)]);
    if (this.#facts.semantic) await Promise.all(words.map((word) => this.#host.knowsWord(word)));
  }

  async page(idOrUrl: number | string, options: CallOptions = {}): Promise<Page> {
    const { signal } = options;
    const id =
      typeof idOrUrl === 'string' ? await this.#host.findPage(wellFormed(idOrUrl), signal) : checkId('page', idOrUrl);
    const page = await this.#host.page(id, signal);
    return { ...page, text: page.passages.map((passage) => passage.text).join('') };
  }

  async passage(id: number, options: CallOptions = {}): Promise<Passage> {
    return this.#host.passage(checkId('passage', id), options.signal);
  }

  async findPage(urlOrSource: string, options: CallOptions = {}): Promise<number> {
    return this.#host.findPage(wellFormed(checkText('urlOrSource', urlOrSource)), options.signal);
  }

  async embed(text: string, options: CallOptions = {}): Promise<Float32Array> {
    await abortable(this.#encoder(), options.signal);
    return this.#host.embed(wellFormed(checkText('text', text)), options.signal);
  }

  async facets(options: CallOptions = {}): Promise<LibraryFacets> {
    const { signal } = options;
    const { facets = [] } = await this.#host.search(
      decideQuery('', { topK: 0, mode: 'keyword', facets: true }),
      signal,
    );
    const { sorts } = this.info.manifest;
    return { filters: facets, sorts: Array.isArray(sorts) ? sorts.filter((key) => typeof key === 'string') : [] };
  }

  async verify(options: CallOptions = {}): Promise<number> {
    return this.#host.verify(options.signal);
  }

  async close(): Promise<void> {
    await this.#host.close();
  }

  [Symbol.dispose](): void {
    void this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Fills in the defaults, or says which option is out of its range. Pure. */
export function decideQuery(text: string, options: SearchOptions): CoreQuery {
  const decided = { ...DEFAULT_SEARCH_OPTIONS, ...withoutUndefined(options) };
  const { mode, topK, by, semanticWeight, vector } = decided;
  checkText('query', text);
  if (mode !== 'keyword' && mode !== 'semantic' && mode !== 'hybrid') {
    throw invalid('mode', "'keyword', 'semantic' or 'hybrid'", mode);
  }
  if (typeof topK !== 'number' || !(topK >= 0) || (topK !== Infinity && !Number.isInteger(topK))) {
    throw invalid('topK', 'a whole number from 0', topK);
  }
  if (by !== 'page' && by !== 'passage') throw invalid('by', "'page' or 'passage'", by);
  if (
    semanticWeight !== undefined &&
    !(typeof semanticWeight === 'number' && semanticWeight >= 0 && semanticWeight <= 1)
  ) {
    throw invalid('semanticWeight', 'a number from 0 to 1', semanticWeight);
  }
  const query: CoreQuery = {
    text: wellFormed(text),
    mode,
    topK: Math.min(topK, MAX_TOP_K),
    by,
    explain: Boolean(decided.explain),
    rrf: Boolean(decided.rrf),
    prefix: Boolean(decided.prefix),
    typo: Boolean(decided.typo),
    semanticWeight: semanticWeight ?? -1,
    facets: Boolean(decided.facets),
    descending: Boolean(decided.sort?.descending),
    selection: writeSelection(decided.filters, decided.sort),
  };
  if (vector !== undefined) {
    const numbers = vector instanceof Float32Array ? vector : Float32Array.from(vector);
    if (numbers.length === 0 || numbers.length > MAX_VECTOR_LENGTH || !numbers.every(Number.isFinite)) {
      throw invalid('vector', `1 to ${MAX_VECTOR_LENGTH} finite numbers`, `${numbers.length} numbers`);
    }
    query.vector = numbers;
  }
  return query;
}

/** Filters and order as the core takes them: `selection` of wasm/module.d.ts. */
function writeSelection(filters: SearchOptions['filters'], sort: SearchOptions['sort']): string {
  let text = `${sort === undefined ? '' : checkName('sort.key', sort?.key)}\n`;
  for (const [key, values] of Object.entries(filters ?? {})) {
    const list = [values].flat().map((value) => `${checkName(`filters.${key}`, value)}\t`);
    if (list.length > 0) text += `${checkName('filters', key)}\t${list.join('')}\n`;
  }
  return wellFormed(text);
}

function checkName(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || /[\0-\x1f]/.test(value))
    throw invalid(name, 'text without control characters', value);
  return value;
}

const MAX_VECTOR_LENGTH = 65536;
const MAX_ID = 2 ** 32 - 1;

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function checkText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(name, 'a string', value);
  return value;
}

function checkId(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_ID) {
    throw invalid(`${name} number`, 'a whole number from 0', value);
  }
  return value;
}

function invalid(name: string, expected: string, got: unknown): SheafError {
  const shown = typeof got === 'string' ? `“${got.slice(0, 40)}”` : String(got);
  return new SheafError('INVALID_ARGUMENT', `${name} must be ${expected}, not ${shown}.`);
}

/** Replaces lone surrogates with U+FFFD, as encoding to UTF-8 does. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function parseManifest(json: string): { json: string; read: Record<string, unknown> } {
  try {
    const read: unknown = JSON.parse(json);
    if (typeof read === 'object' && read !== null && !Array.isArray(read))
      return { json, read: read as Record<string, unknown> };
  } catch {
    // reported below
  }
  throw new SheafError('CORRUPT', 'The manifest of the bundle is not a JSON object; pack the bundle again.');
}
