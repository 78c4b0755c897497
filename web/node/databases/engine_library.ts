/**
 * A library version in another engine, with the face of an open bundle: Sheaf's tools notice nothing.
 *
 * Another process may export at any time, and then the rows that are asked for are gone, which an engine does not tell from
 * rows that never were. So where there are none, `renew` says what the engine lists now, and if that is other content it is
 * asked once more.
 *
 * Not available there: filters, orders and facets of pages (refused by name), and pages' places in their navigation.
 * Cost of a search: one encoding, one question for candidates, one for frequencies.
 */
import { SheafError } from '../../browser/client/errors.js';
import { decideQuery } from '../../browser/client/local.js';
import type {
  CallOptions,
  Hit,
  Library,
  LibraryFacets,
  LibraryInfo,
  Page,
  Passage,
  SearchAnswer,
  SearchOptions,
  TermMatch,
} from '../../browser/client/types.js';
import type { Backend, Held } from './backend.js';
import { analysisOf, formsOf, type WordForms } from './language.js';
import type { QueryVectors } from './query_vectors.js';
import { byPage, fuse, highlightsIn, snippetOf, type Ranked } from './ranking.js';
import type { Row } from './row.js';
import { corrected, forgiven, idf, tokensOf } from './words.js';

/** Candidates of each signal: half of ranking.h, which costs no relevance here and half of the time (docs/engines.md). */
const DEPTH = 100;
const MAX_DEPTH = 1000;
const WEAK_MARGIN = 0.35;
/** Words of a query for which others are looked for. */
const MAX_MENDED = 4;
/** The most that a word adds to a score, beside its idf: BM25's k1 + 1. */
const SATURATED = 2.2;

/** What the engine lists of a library version now. */
export type Renew = () => Promise<Held>;

export class EngineLibrary implements Library {
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
    const answer = await this.#searched(query, options);
    return answer.hits.length === 0 && (await this.#isRenewed()) ? this.#searched(query, options) : answer;
  }

  async #searched(query: string, options: SearchOptions): Promise<SearchAnswer> {
    const decided = decideQuery(query, options);
    const { mode, topK, rrf, explain } = decided;
    const { sort, facets, filters = {} } = options;
    if (sort !== undefined || facets === true || Object.values(filters).some((values) => [values].flat().length > 0))
      throw new SheafError(
        'INVALID_ARGUMENT',
        `Rows in ${this.#backend.name} cannot be filtered, sorted or counted by what pages declare; search the bundle itself.`,
      );
    const held = this.#held;
    const forms = await formsOf(held.language);
    const byWords = mode !== 'semantic';
    const { text, corrections } =
      byWords && decided.typo
        ? await this.#mended(decided.text, forms, mode === 'hybrid' && held.dimensions > 0)
        : { text: decided.text, corrections: [] };
    const vector = mode === 'keyword' ? undefined : await this.#vectorOf(text, decided.vector, mode === 'semantic');
    options.signal?.throwIfAborted();
    const words = byWords ? forms.queryWords(text) : [];
    const asked = { text, words, depth: Math.min(MAX_DEPTH, Math.max(DEPTH, topK)) };
    const [candidates, frequencies] =
      words.length === 0 && vector === undefined
        ? [[], new Map<string, number>()]
        : await Promise.all([
            this.#backend.candidates(held, vector === undefined ? asked : { ...asked, vector }),
            this.#backend.frequencies(held, words),
          ]);
    options.signal?.throwIfAborted();
    const idfs = new Map(words.map((word) => [word, idf(held.pages, frequencies.get(word) ?? 0)]));
    const background = vector === undefined ? 0 : dot(vector, held.centroid ?? []);
    const ranked = fuse(candidates, {
      query: text,
      background,
      highest: SATURATED * [...idfs.values()].reduce((sum, each) => sum + each, 0),
      semanticWeight: decided.semanticWeight < 0 ? undefined : decided.semanticWeight,
      byWords: words.length > 0,
      byMeaning: vector !== undefined,
      rrf,
    });
    const chosen = (decided.by === 'page' ? byPage(ranked) : ranked).slice(0, topK);
    const nearest = Math.max(background, ...candidates.map(({ cosine }) => cosine));
    const stems = new Set(words.map((word) => forms.stem(word)));
    return {
      hits: chosen.map((each) => hitOf(each, stems, forms, explain ? idfs : undefined)),
      corrections,
      matchingPassages: candidates.filter(({ keyword }) => keyword > 0).length,
      ignoredWords: 0,
      usedKeyword: byWords,
      usedSemantic: vector !== undefined,
      weak: chosen.length > 0 && byWords && frequencies.size === 0 && nearest - background < WEAK_MARGIN,
    };
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

  /** There is no file to check; says how many passages the engine has. */
  async verify(): Promise<number> {
    return this.info.passages;
  }

  /** The backend stays open; it belongs to who made it. */
  async close(): Promise<void> {}

  [Symbol.dispose](): void {}

  async [Symbol.asyncDispose](): Promise<void> {}

  /** What `ask` finds, in what the engine lists now where it finds nothing. */
  async #found<T>(ask: (held: Held) => Promise<T | undefined>): Promise<T | undefined> {
    const found = await ask(this.#held);
    return found === undefined && (await this.#isRenewed()) ? ask(this.#held) : found;
  }

  /** Whether the engine has other content by now than was known here. */
  async #isRenewed(): Promise<boolean> {
    const now = await this.#renew?.();
    if (now === undefined || now.fingerprint === this.#held.fingerprint) return false;
    this.#held = now;
    this.#info = infoOf(now);
    return true;
  }

  /**
   * The query with words that nothing has replaced by those that they may be meant to be. Beside meaning, a word that the encoder
   * knows stays: the documentation merely lacks it, and its meaning tells more than a word that is spelled alike.
   */
  async #mended(
    text: string,
    forms: WordForms,
    byMeaning: boolean,
  ): Promise<{ text: string; corrections: SearchAnswer['corrections'] }> {
    const words = forms.queryWords(text).filter((word) => forgiven(word) > 0);
    const known = words.length === 0 ? new Map() : await this.#backend.frequencies(this.#held, words);
    const corrections: SearchAnswer['corrections'] = [];
    let asked = 0;
    for (const word of words.filter((each) => !known.has(each))) {
      if (asked === MAX_MENDED) break;
      if (byMeaning && (await this.#vectors.knows(this.#held.space, word))) continue;
      asked++;
      const term = corrected(word, await this.#backend.alike(this.#held, word));
      if (term !== undefined) corrections.push({ word, term });
    }
    if (corrections.length === 0) return { text, corrections };
    const terms = new Map(corrections.map(({ word, term }) => [word, term]));
    let mended = '';
    let end = 0;
    for (const { word, at, length } of tokensOf(text)) {
      const term = terms.get(forms.words(word)[0] ?? '');
      if (term === undefined) continue;
      mended += text.slice(end, at) + term;
      end = at + length;
    }
    return { text: mended + text.slice(end), corrections };
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

function hitOf(
  ranked: Ranked,
  stems: ReadonlySet<string>,
  forms: WordForms,
  idfs: ReadonlyMap<string, number> | undefined,
): Hit {
  const { row, score } = ranked;
  const { snippet, highlights, kind } = snippetOf(row.text, stems, forms);
  return {
    ...{ page: row.page, passage: row.passage, score: Math.min(1, Math.max(0, score)), title: row.title, place: [] },
    ...{ url: row.url, source: row.source, anchor: row.anchor, headings: row.headings },
    ...{ firstLine: row.firstLine, lastLine: row.lastLine, kind, snippet, highlights },
    titleHighlights: highlightsIn(row.title, stems, forms),
    headingHighlights: highlightsIn(row.headings.at(-1) ?? '', stems, forms),
    ...(idfs === undefined ? {} : { explanation: explain(ranked, forms, idfs) }),
  };
}

function explain(ranked: Ranked, forms: WordForms, idfs: ReadonlyMap<string, number>): NonNullable<Hit['explanation']> {
  const { row, keyword, cosine, words, meaning, weight, pageBonus } = ranked;
  const written = forms.words([row.title, ...row.headings, row.text].join('\n'));
  const exact = new Set(written);
  const counts = new Map<string, number>();
  for (const word of written) counts.set(forms.stem(word), (counts.get(forms.stem(word)) ?? 0) + 1);
  const terms = [...idfs].flatMap(([word, own]): TermMatch[] => {
    const frequency = counts.get(forms.stem(word)) ?? 0;
    const kind = exact.has(word) ? 'exact' : 'stem';
    return frequency > 0 ? [{ word, term: word, kind, idf: own, weight: 1, frequency, score: 0 }] : [];
  });
  const all = [...idfs.values()].reduce((sum, each) => sum + each, 0);
  const coverage = all > 0 ? terms.reduce((sum, each) => sum + each.idf, 0) / all : 0;
  return {
    keywordRaw: keyword,
    keyword: words,
    cosine,
    semantic: meaning,
    semanticWeight: weight,
    coverage,
    pageBonus,
    terms,
  };
}

function isOneOf(id: number, count: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < count;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < Math.min(a.length, b.length); i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
