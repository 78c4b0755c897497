/**
 * Several bundles as one library: languages, versions, sites in one box.
 *
 *     import { openAll } from 'sheaf/federated';
 *     const docs = await openAll([
 *       { src: '/kiln.sheaf', label: 'Kiln', encoder: '/table.sheaf' },
 *       { src: 'https://glaze.example/glaze.sheaf', label: 'Glaze', encoder: '/table.sheaf' },
 *     ]);
 *     const { hits, failures } = await docs.search('batches');        // all of them
 *     await docs.search('batches', { bundles: [1] });                 // the chosen ones
 *
 * Idea: each bundle has its own library, all of them in one worker; merge.ts merges the answers. A bundle is opened
 * when it is first searched. Where bundles share an encoder table, one opens it and encodes queries for all.
 *
 * Invariants
 *  1. A bundle that fails does not affect the others' answers. `failures` lists it, and the next search tries it again.
 *     A call rejects only when all bundles fail.
 *  2. Page and passage numbers are stable and unique across all bundles: the bundle's number times 2^32,
 *     plus the number within the bundle. `page()` and `passage()` take them.
 */
import { withPlaces } from './copies.js';
import { abortable, SheafError, throwIfAborted } from './errors.js';
import { Members, type BundleEntry, type BundleFailure } from './members.js';
import { mergeAnswers, mergeSorted, sumFacets, type BundleAnswer, type MergedAnswer, type MergedHit } from './merge.js';
import { sharedWorker, type OpenOne } from './shared_worker.js';
import {
  DEFAULT_SEARCH_OPTIONS,
  type BaseOpenOptions,
  type CallOptions,
  type Library,
  type LibraryFacets,
  type LibraryInfo,
  type Page,
  type Passage,
  type PrefetchOptions,
  type SearchAnswer,
  type SearchOptions,
} from './types.js';

export { Members, type BundleEntry, type BundleFailure } from './members.js';
export { mergeAnswers, type BundleAnswer, type MergedAnswer, type MergedHit } from './merge.js';
export { sharedWorker, type OpenOne } from './shared_worker.js';

export interface FederatedSearchOptions extends SearchOptions {
  /** Numbers of the entries to ask; by default those that `openAll` was given. */
  bundles?: readonly number[];
}

export interface FederatedAnswer extends MergedAnswer {
  failures: BundleFailure[];
}

export interface Federation extends Library {
  readonly entries: readonly BundleEntry[];
  search(query: string, options?: FederatedSearchOptions): Promise<FederatedAnswer>;
  /** What the bundle reported when it was opened; undefined until then. */
  infoOf(bundle: number): LibraryInfo | undefined;
}

export interface OpenAllOptions extends BaseOpenOptions {
  /** Numbers of the entries that are opened at once and searched by default; all if omitted. */
  bundles?: readonly number[];
  /** false: on this thread; a URL: a worker script that imports `sheaf/worker`. */
  worker?: boolean | URL | string;
  /** How a bundle is opened; in Node, `open` of `sheaf/node` takes paths of files. */
  open?: OpenOne;
}

/** Rejects with the first bundle's SheafError when none can be opened. `onProgress` reports totals. */
export async function openAll(entries: readonly BundleEntry[], options: OpenAllOptions = {}): Promise<Federation> {
  if (entries.length === 0)
    throw new SheafError('INVALID_ARGUMENT', 'openAll needs at least one bundle: [{ src: "/docs.sheaf" }, …].');
  const { bundles, worker, open, ...rest } = options;
  const federated = new Federated(
    entries,
    bundles ?? entries.map((_, i) => i),
    new Members(entries, open ?? sharedWorker(worker), rest),
  );
  try {
    await federated.ready(options.signal);
    delete rest.signal; // Members read `rest` too; the signal must not affect bundles opened later
    return federated;
  } catch (error) {
    await federated.close();
    throw error;
  }
}

const STRIDE = 2 ** 32;

interface Member {
  bundle: number;
  library: Library;
}

/** Vectors of one query, by space; empty where no word is known, undefined where no table is available. */
type Vectors = Map<string, Promise<Float32Array | undefined>>;

const NOTHING: SearchAnswer = {
  hits: [],
  corrections: [],
  matchingPassages: 0,
  ignoredWords: 0,
  usedKeyword: false,
  usedSemantic: false,
  weak: false,
};

/** Several interfaces may share `members`, each with its own selection. */
export class Federated implements Federation {
  readonly entries: readonly BundleEntry[];
  readonly #members: Members;
  #chosen: readonly number[];

  constructor(entries: readonly BundleEntry[], chosen: readonly number[], members: Members) {
    this.entries = entries;
    this.#members = members;
    this.#chosen = checkedBundles(chosen, entries.length);
  }

  /** Numbers of the entries that are asked by default. */
  get chosen(): readonly number[] {
    return this.#chosen;
  }
  set chosen(bundles: readonly number[]) {
    this.#chosen = checkedBundles(bundles, this.entries.length);
  }

  get info(): LibraryInfo {
    const infos = [...this.#members.opened.values()].map(({ info }) => info);
    const sum = (count: (info: LibraryInfo) => number): number => infos.reduce((total, info) => total + count(info), 0);
    const [first, ...others] = infos;
    if (first === undefined) throw new SheafError('INTERNAL', 'No bundle is open.');
    const filtersOf = ({ manifest: { filters: keys } }: LibraryInfo): unknown[] => (Array.isArray(keys) ? keys : []);
    const filters = new Set(infos.flatMap(filtersOf));
    const shared = others.every(({ space, dimensions }) => space === first.space && dimensions === first.dimensions);
    return {
      library: infos.map(({ library }) => library).join(', '),
      version: '',
      manifest: filters.size === 0 ? {} : { filters: [...filters] },
      pages: sum(({ pages }) => pages),
      passages: sum(({ passages }) => passages),
      terms: sum(({ terms }) => terms),
      fileSize: sum(({ fileSize }) => fileSize),
      dimensions: shared ? first.dimensions : 0,
      vectorBits: shared ? first.vectorBits : 0,
      space: shared ? first.space : '',
      hasGraph: infos.some(({ hasGraph }) => hasGraph),
      semantic: infos.some(({ semantic }) => semantic),
      lazy: infos.some(({ lazy }) => lazy),
    };
  }

  infoOf(bundle: number): LibraryInfo | undefined {
    return this.#members.opened.get(bundle)?.info;
  }

  /** Opens what is searched by default. */
  async ready(signal?: AbortSignal): Promise<void> {
    const { members, failures } = await this.#open(this.#chosen);
    throwIfAborted(signal);
    if (members.length === 0) throw firstOf(failures);
  }

  async prefetch(options: PrefetchOptions = {}): Promise<void> {
    const { members } = await this.#open(this.#chosen);
    await Promise.all(members.map(({ library }) => library.prefetch(options).catch(() => {}))); // the search reports it
    throwIfAborted(options.signal);
  }

  async search(query: string, options: FederatedSearchOptions = {}): Promise<FederatedAnswer> {
    const { bundles, ...rest } = options;
    const wanted = bundles === undefined ? this.#chosen : checkedBundles(bundles, this.entries.length);
    const { members, failures } = await abortable(this.#open(wanted), rest.signal);
    const sort = members.length > 1 ? rest.sort : undefined;
    if (sort !== undefined) this.#checkSort(members, sort.key);
    const asked = { ...rest, explain: members.length > 1 || rest.explain === true };
    const vectors: Vectors = new Map();
    const answers: BundleAnswer[] = [];
    await Promise.all(
      members.map(async ({ bundle, library }) => {
        try {
          const answer = await this.#ask(library, query, asked, vectors);
          answers.push({ bundle, pages: library.info.pages, space: library.info.space, answer });
        } catch (error) {
          failures.push(this.#members.failure(bundle, error, library));
        }
      }),
    );
    throwIfAborted(rest.signal);
    if (answers.length === 0) throw firstOf(failures);
    answers.sort(byBundle);
    const topK = rest.topK ?? DEFAULT_SEARCH_OPTIONS.topK;
    const merged = sort === undefined ? await mergeAnswers(answers, topK) : await mergeSorted(answers, sort, topK);
    if (merged === undefined) {
      throw new SheafError(
        'INVALID_ARGUMENT',
        `Pages of several bundles can be sorted by “${sort?.key}” if they state it as meta too (data-sheaf-meta); or name one in bundles.`,
      );
    }
    return {
      ...merged,
      hits: merged.hits.map((hit) => numbered(hit, rest.explain === true)),
      failures: failures.sort(byBundle),
    };
  }

  async page(idOrUrl: number | string, options: CallOptions = {}): Promise<Page> {
    if (typeof idOrUrl === 'string') return this.page(await this.findPage(idOrUrl, options), options);
    const { bundle, own } = split('page', idOrUrl, this.entries.length);
    const page = await (await this.#members.open(bundle)).page(own, options);
    return { ...page, id: idOrUrl, passages: page.passages.map((passage) => moved(passage, bundle)) };
  }

  async passage(id: number, options: CallOptions = {}): Promise<Passage> {
    const { bundle, own } = split('passage', id, this.entries.length);
    return moved(await (await this.#members.open(bundle)).passage(own, options), bundle);
  }

  /** Asks the bundles in their order, the chosen ones first. */
  async findPage(urlOrSource: string, options: CallOptions = {}): Promise<number> {
    let failure: unknown;
    for (const bundle of new Set([...this.#chosen, ...this.entries.keys()])) {
      try {
        return bundle * STRIDE + (await (await this.#members.open(bundle)).findPage(urlOrSource, options));
      } catch (error) {
        throwIfAborted(options.signal);
        if (failure === undefined || (error as SheafError).code !== 'NOT_FOUND') failure = error;
      }
    }
    throw failure;
  }

  /** Uses the first bundle that has an encoder. */
  async embed(text: string, options: CallOptions = {}): Promise<Float32Array> {
    const { members, failures } = await this.#open(this.#chosen);
    const library = members.find((member) => member.library.info.semantic)?.library ?? members[0]?.library;
    if (library === undefined) throw firstOf(failures);
    return library.embed(text, options);
  }

  /** Covers the bundles that are searched by default. */
  async facets(options: CallOptions = {}): Promise<LibraryFacets> {
    const { members, failures } = await this.#open(this.#chosen);
    if (members.length === 0) throw firstOf(failures);
    const all = await Promise.all(members.map(({ library }) => library.facets(options)));
    return {
      filters: sumFacets(all.map(({ filters }) => filters)),
      sorts: [...new Set(all.flatMap(({ sorts }) => sorts))].sort(),
    };
  }

  async verify(options: CallOptions = {}): Promise<number> {
    let blocks = 0;
    for (const bundle of this.#chosen) blocks += await (await this.#members.open(bundle)).verify(options);
    return blocks;
  }

  async close(): Promise<void> {
    await this.#members.close();
  }

  [Symbol.dispose](): void {
    void this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The libraries of these entries, opened in parallel, and why the others are missing. */
  async #open(bundles: readonly number[]): Promise<{ members: Member[]; failures: BundleFailure[] }> {
    const members: Member[] = [];
    const failures: BundleFailure[] = [];
    await Promise.all(
      bundles.map(async (bundle) => {
        try {
          members.push({ bundle, library: await this.#members.open(bundle) });
        } catch (error) {
          failures.push(this.#members.failure(bundle, error));
        }
      }),
    );
    return { members: members.sort(byBundle), failures };
  }

  #checkSort(members: readonly Member[], key: string): void {
    const lacking = members.filter(
      ({
        library: {
          info: { manifest },
        },
      }) => !Array.isArray(manifest['sorts']) || !manifest['sorts'].includes(key),
    );
    if (lacking.length === 0) return;
    const names = lacking.map(({ library }) => library.info.library).join(', ');
    throw new SheafError(
      'INVALID_ARGUMENT',
      `sort.key must be one that pages of all bundles state, and those of ${names} state no “${key}”; name the others in bundles.`,
    );
  }

  async #ask(library: Library, query: string, options: SearchOptions, vectors: Vectors): Promise<SearchAnswer> {
    const { semantic, dimensions, space } = library.info;
    const { vector: given, ...own } = options;
    if (options.mode === 'keyword' || dimensions === 0) return library.search(query, own);
    // A vector passed in belongs to one space, that of `info`.
    if (given !== undefined && given.length === dimensions && this.info.space === space)
      return library.search(query, options);
    if (semantic) return library.search(query, own);
    const vector = await this.#vectorOf(query, space, options.signal, vectors);
    if (vector?.length === 0 && options.mode === 'semantic') return NOTHING;
    return library.search(query, vector?.length ? { ...own, vector } : own);
  }

  /** The query's vector, encoded once per search and space by the bundle that has the table. */
  #vectorOf(
    query: string,
    space: string,
    signal: AbortSignal | undefined,
    vectors: Vectors,
  ): Promise<Float32Array | undefined> {
    const options = signal === undefined ? {} : { signal };
    const made = vectors.get(space) ?? this.#members.encoderOf(space).then((library) => library?.embed(query, options));
    vectors.set(space, made);
    return made;
  }
}

const byBundle = (a: { bundle: number }, b: { bundle: number }): number => a.bundle - b.bundle;

function firstOf(failures: BundleFailure[]): SheafError {
  return failures.sort(byBundle)[0]?.error ?? new SheafError('INTERNAL', 'No bundle was asked.');
}

function numbered({ explanation, ...hit }: MergedHit, explained: boolean): MergedHit {
  const first = hit.bundle * STRIDE;
  const moved = withPlaces(hit, ({ page, passage }) => ({ page: first + page, passage: first + passage }));
  return { ...moved, ...(explained && explanation !== undefined ? { explanation } : {}) };
}

function moved(passage: Passage, bundle: number): Passage {
  return { ...passage, id: bundle * STRIDE + passage.id, page: bundle * STRIDE + passage.page };
}

function split(what: string, id: number, count: number): { bundle: number; own: number } {
  const bundle = Math.floor(id / STRIDE);
  if (!Number.isSafeInteger(id) || !(bundle >= 0 && bundle < count)) {
    throw new SheafError(
      'INVALID_ARGUMENT',
      `${what} number must be one that a hit of this search has, not ${String(id)}.`,
    );
  }
  return { bundle, own: id - bundle * STRIDE };
}

function checkedBundles(bundles: readonly number[], count: number): number[] {
  const wrong = bundles.find((bundle) => !Number.isInteger(bundle) || bundle < 0 || bundle >= count);
  if (wrong !== undefined || bundles.length === 0) {
    const got = wrong === undefined ? 'none' : String(wrong);
    throw new SheafError(
      'INVALID_ARGUMENT',
      `bundles must be numbers from 0 to ${count - 1}, at least one, not ${got}.`,
    );
  }
  return [...new Set(bundles)].sort((a, b) => a - b);
}
