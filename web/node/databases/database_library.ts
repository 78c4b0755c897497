/**
 * A library version in a database, with the face of an open bundle: Sheaf's tools notice nothing.
 *
 * Another process may export at any time, and then the rows that are asked for are gone, which a database does not tell from
 * rows that never were. So where there are none, `renew` says what the database lists now, and if that is other content it is
 * asked once more.
 *
 * Not available there: filters, orders and facets of pages and kinds of names (refused by name), and pages' places in their navigation.
 * Cost of a search: one encoding, one question for terms, one for candidates.
 */
import { SheafError } from '../../browser/client/errors.js';
import type { CoreQuery } from '../../browser/client/core_host.js';
import { kindFilter } from '../../browser/client/kind_filter.js';
import { decideQuery } from '../../browser/client/local.js';
import type {
  CallOptions,
  Library,
  LibraryFacets,
  LibraryInfo,
  Page,
  Passage,
  SearchAnswer,
  SearchOptions,
} from '../../browser/client/types.js';
import { Slots } from '../base/slots.js';
import type { Backend, Held } from './backend.js';
import { analysisOf } from './language.js';
import type { QueryVectors } from './query_vectors.js';
import type { Row } from './row.js';
import { analysisFor, RowSearch, type Needs } from './rows.js';

/** Candidates of each signal, as `Ranking::candidates` in src/search/ranking.h. */
const DEPTH = 200;
const MAX_DEPTH = 1000;
/** Of questions in one search; it takes three, and two more where words are mistyped. */
const MAX_ROUNDS = 16;
/** Searches at a time in this process: each holds some hundred passages with their text, and more would not be quicker. */
const MOST = 8;
const slots = new Slots(MOST);

/** What the database lists of a library version now. */
export type Renew = () => Promise<Held>;

export class DatabaseLibrary implements Library {
  #info: LibraryInfo;
  #held: Held;
  readonly #backend: Backend;
  readonly #vectors: QueryVectors;
  readonly #renew: Renew | undefined;

  constructor(backend: Backend, held: Held, vectors: QueryVectors, renew?: Renew) {
    this.#backend = backend;
    this.#held = held;
    this.#info = infoOf(held);
    this.#vectors = vectors;
    this.#renew = renew;
  }

  get info(): LibraryInfo {
    return this.#info;
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    const search = (): Promise<SearchAnswer> => slots.run(() => this.#searched(query, options));
    const answer = await search();
    return answer.hits.length === 0 && (await this.#isRenewed()) ? search() : answer;
  }

  async #searched(query: string, options: SearchOptions): Promise<SearchAnswer> {
    options.signal?.throwIfAborted(); // it may have waited
    const decided = decideQuery(query, options);
    const { sort, facets, filters = {} } = options;
    if (sort !== undefined || facets === true || Object.values(filters).some((values) => [values].flat().length > 0))
      throw new SheafError(
        'INVALID_ARGUMENT',
        `Rows in ${this.#backend.name} cannot be filtered, sorted or counted by what pages declare; search the bundle itself.`,
      );
    const { kind } = kindFilter(query);
    if (kind !== undefined)
      throw new SheafError(
        'INVALID_ARGUMENT',
        `Rows in ${this.#backend.name} do not say what is a ${kind}; search the bundle itself, or leave out kind:${kind}.`,
      );
    const held = this.#held;
    if (decided.mode === 'semantic' && held.dimensions === 0)
      throw new SheafError('NO_VECTORS', 'these rows have no vectors; search by keyword');
    const analysis = await analysisFor(held.analysis);
    if (analysis.name !== held.analysis)
      throw new SheafError(
        'UNKNOWN_ANALYSIS',
        `the words of ${held.library} ${held.version} in ${this.#backend.name} were made by another version of Sheaf; export the bundle again with sheaf export`,
      );
    const { pages, centroid = [] } = held;
    using search = new RowSearch(analysis, { pages, centroid }, decided, this.#vectors.hasTable(held.space));
    for (let round = 0; round < MAX_ROUNDS; round++) {
      options.signal?.throwIfAborted();
      const outcome = search.ask();
      if ('answer' in outcome) return outcome.answer;
      await this.#supply(search, outcome.needs, decided);
    }
    throw new SheafError('INTERNAL', 'A search of rows does not end; please report the query.');
  }

  async #supply(search: RowSearch, needs: Needs, decided: CoreQuery): Promise<void> {
    const { stems, lengths, unknown, candidates, text, words } = needs;
    const held = this.#held;
    if (stems.length > 0) search.supplyGroups(stems, await this.#backend.groups(held, stems));
    for (const each of lengths) search.supplyLengths(each, await this.#backend.spellings(held, each));
    for (const word of unknown) search.supplyKnown(word, await this.#vectors.knows(held.space, word));
    if (!candidates) return;
    const isSemantic = decided.mode === 'semantic';
    const vector = decided.mode === 'keyword' ? undefined : await this.#vectorOf(text, decided.vector, isSemantic);
    const depth = Math.min(MAX_DEPTH, Math.max(DEPTH, 4 * decided.topK));
    const asked = { words: isSemantic ? [] : words, depth, ...(vector === undefined ? {} : { vector }) };
    const isNothing = asked.words.length === 0 && vector === undefined;
    const found = isNothing ? [] : await this.#backend.candidates(held, asked);
    search.supplyCandidates(found, vector ?? [], decided.vector === undefined && this.#vectors.hasTable(held.space));
  }

  async page(idOrUrl: number | string, options: CallOptions = {}): Promise<Page> {
    const id = typeof idOrUrl === 'string' ? await this.findPage(idOrUrl, options) : idOrUrl;
    const rows = await this.#found(async (held) => {
      const there = isOneOf(id, held.pages) ? await this.#backend.page(held, id) : [];
      return there.length > 0 ? there : undefined;
    });
    const first = rows?.[0];
    if (rows === undefined || first === undefined)
      throw new SheafError('NOT_FOUND', `no page ${id}: there are pages 0..${this.info.pages - 1}`);
    const { title, url, source, description, lastModified } = first;
    const passages = rows.map(passageOf);
    return {
      id,
      title,
      url,
      source,
      description,
      lastModified,
      text: passages.map(({ text }) => text).join(''),
      passages,
    };
  }

  async passage(id: number, _options: CallOptions = {}): Promise<Passage> {
    const row = await this.#found(async (held) =>
      isOneOf(id, held.passages) ? this.#backend.passage(held, id) : undefined,
    );
    if (row === undefined)
      throw new SheafError('NOT_FOUND', `no passage ${id}: there are passages 0..${this.info.passages - 1}`);
    return passageOf(row);
  }

  async findPage(urlOrSource: string, _options: CallOptions = {}): Promise<number> {
    for (const name of new Set([urlOrSource, urlOrSource.replace(/#.*$/s, '')])) {
      const page = await this.#found((held) => this.#backend.findPage(held, name));
      if (page !== undefined) return page;
    }
    throw new SheafError('NOT_FOUND', `no page has the address or source path “${urlOrSource.slice(0, 200)}”`);
  }

  async embed(text: string): Promise<Float32Array> {
    const vector = await this.#vectors.embed(this.#held.space, text);
    if (vector === undefined)
      throw new SheafError('NO_ENCODER', `nothing encodes queries for the space ${this.#held.space || '(none)'}`);
    return vector;
  }

  async prefetch(): Promise<void> {
    await this.#vectors.embed(this.#held.space, '');
  }

  async facets(): Promise<LibraryFacets> {
    return { filters: [], sorts: [] };
  }

  /** There is no file to check; says how many passages the database has. */
  async verify(): Promise<number> {
    return this.info.passages;
  }

  /** The backend stays open; it belongs to who made it. */
  async close(): Promise<void> {}

  [Symbol.dispose](): void {}

  async [Symbol.asyncDispose](): Promise<void> {}

  /** What `ask` finds, in what the database lists now where it finds nothing. */
  async #found<T>(ask: (held: Held) => Promise<T | undefined>): Promise<T | undefined> {
    const found = await ask(this.#held);
    return found === undefined && (await this.#isRenewed()) ? ask(this.#held) : found;
  }

  /** Whether the database has other content by now than was known here. */
  async #isRenewed(): Promise<boolean> {
    const now = await this.#renew?.();
    if (now === undefined || now.fingerprint === this.#held.fingerprint) return false;
    this.#held = now;
    this.#info = infoOf(now);
    return true;
  }

  async #vectorOf(text: string, given: Float32Array | undefined, isNeeded: boolean): Promise<Float32Array | undefined> {
    const { dimensions, space } = this.#held;
    if (dimensions === 0) {
      if (isNeeded) throw new SheafError('NO_VECTORS', 'these rows have no vectors; search by keyword');
      return undefined;
    }
    const vector = given ?? (await this.#vectors.embed(space, text));
    if (vector === undefined && isNeeded)
      throw new SheafError('NO_ENCODER', `nothing encodes queries for the space ${space}`);
    if (vector === undefined || vector.length === 0 || vector.every((v) => v === 0)) return undefined;
    if (vector.length !== dimensions)
      throw new SheafError(
        'INVALID_ARGUMENT',
        `the query vector has ${vector.length} dimensions, the space '${space}' has ${dimensions}`,
      );
    return vector;
  }
}

function infoOf(held: Held): LibraryInfo {
  const { library, version, title, licence, language, safesearch, pages, passages, dimensions, space } = held;
  return {
    ...{ library, version, pages, passages, dimensions, space },
    manifest: {
      ...{ title, language },
      ...(licence === '' ? {} : { licence }),
      ...(safesearch === '' ? {} : { safesearch }),
    },
    language: analysisOf(language),
    ...{ terms: 0, vectorBits: 0, hasGraph: false, fileSize: 0, semantic: dimensions > 0, lazy: true },
  };
}

function passageOf({ passage, page, anchor, headings, firstLine, lastLine, text }: Row): Passage {
  return { id: passage, page, anchor, headings, firstLine, lastLine, text };
}

function isOneOf(id: number, count: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < count;
}
