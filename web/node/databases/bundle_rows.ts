/**
 * A bundle as rows, page after page, in the order of its passages.
 *
 * Cost: the bundle is read once for its fingerprint and once by the core, which holds it (and its decoded vectors, one byte
 * a dimension) until `close`. Rows are made as they are asked for.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { BUNDLE, CoreHost } from '../../browser/client/core_host.js';
import { FileSource } from '../client/file_source.js';
import { type CoreInfo, readVector } from '../../browser/client/wire.js';
import { rowId, ROWS, type BundleFacts, type Row } from './row.js';
import { analysisFor, loadRows, readGroups, readTerms, type Rows, type RowWords, type TermGroup } from './rows.js';

const LAZY_FROM = 64 * 1024 * 1024;
const MAX_BATCH = 500;
const FEW_PASSAGES = 32; // as in src/search/bundle_view.cc
/** Passages whose words are read at a time: each reading goes through all of the lexicon. */
const TERMS_AT_A_TIME = 32_768;

export interface ReadOptions {
  /** The licence of the texts, where the bundle does not say. */
  licence?: string;
  /** Default true. */
  vectors?: boolean;
  /** Ends the reading, with its reason as the error. */
  signal?: AbortSignal;
}

export class BundleRows implements AsyncDisposable {
  readonly facts: BundleFacts;
  /** The mean of the vectors: what every query is near to. Of the rows that were read so far. */
  readonly centroid: Float64Array;
  readonly #host: CoreHost;
  readonly #vectors: boolean;
  readonly #signal: AbortSignal | undefined;
  #read = 0;
  /** Of the passages from `#firstOfTerms` on. */
  #terms: RowWords[] = [];
  #firstOfTerms = 0;

  private constructor(host: CoreHost, facts: BundleFacts, signal: AbortSignal | undefined) {
    this.#host = host;
    this.facts = facts;
    this.#signal = signal;
    this.#vectors = facts.dimensions > 0;
    this.centroid = new Float64Array(facts.dimensions);
  }

  static async open(path: string, options: ReadOptions = {}): Promise<BundleRows> {
    const host = new CoreHost(await loadRows());
    try {
      const source = new FileSource(path);
      await host.attach(BUNDLE, source, { lazy: (await source.size()) > LAZY_FROM });
      const info = await host.openBundle();
      const { name: analysis } = await analysisFor(info.language);
      const facts = { ...factsOfBundle(info, options), analysis };
      const hash = createHash('sha256').update(JSON.stringify([ROWS, facts]));
      for await (const chunk of createReadStream(path)) {
        options.signal?.throwIfAborted();
        hash.update(chunk as Uint8Array);
      }
      return new BundleRows(host, { ...facts, fingerprint: hash.digest('hex').slice(0, 32) }, options.signal);
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  /** Batches of at most MAX_BATCH rows. */
  async *batches(): AsyncGenerator<Row[]> {
    let batch: Row[] = [];
    for (let page = 0; page < this.facts.pages; page++) {
      this.#signal?.throwIfAborted();
      for (const row of await this.#rowsOf(page)) {
        batch.push(row);
        if (batch.length < MAX_BATCH) continue;
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Every term of the bundle, and how many pages have it. */
  groups(): Promise<TermGroup[]> {
    return this.#host.ask((module, core) => (module as Rows).groups(core), readGroups, this.#signal);
  }

  /** The background that cosines are compared with (docs/search.md, 6), once all rows were read; undefined without vectors. */
  mean(): number[] | undefined {
    const share = Math.min(1, (this.#read - 1) / FEW_PASSAGES);
    return this.#vectors
      ? Array.from(this.centroid, (sum) => (this.#read > 0 ? (share * sum) / this.#read : 0))
      : undefined;
  }

  async close(): Promise<void> {
    await this.#host.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #rowsOf(number: number): Promise<Row[]> {
    const { library, version, licence, language, safesearch } = this.facts;
    const { title, url, source, description, lastModified, passages } = await this.#host.page(number);
    const rows: Row[] = [];
    for (const { id: passage, anchor, headings, firstLine, lastLine, text } of passages) {
      const vector = await this.#vectorOf(passage);
      const row = {
        ...{ library, version, passage, page: number, title, url, source, description, lastModified },
        ...{ anchor, headings, firstLine, lastLine, text, licence, language, safesearch },
        ...(vector === undefined ? {} : { vector }),
      };
      rows.push({ id: rowId(row), ...row, ...(await this.#wordsOf(passage)) });
    }
    return rows;
  }

  async #wordsOf(passage: number): Promise<RowWords> {
    if (this.#terms[passage - this.#firstOfTerms] === undefined) {
      const ask = (module: object, core: number): number => (module as Rows).terms(core, passage, TERMS_AT_A_TIME);
      this.#terms = await this.#host.ask(ask, readTerms, this.#signal);
      this.#firstOfTerms = passage;
    }
    return this.#terms[passage - this.#firstOfTerms] as RowWords;
  }

  async #vectorOf(passage: number): Promise<Float32Array | undefined> {
    if (!this.#vectors) return undefined;
    const ask = (module: object, core: number): number => (module as Rows).vector(core, passage);
    const vector = await this.#host.ask(ask, readVector, this.#signal);
    this.#read++;
    for (const [i, v] of vector.entries()) (this.centroid[i] as number) += v;
    return vector.some((v) => v !== 0) ? vector : undefined; // no database compares with a vector of zeros
  }
}

/** What a bundle says of itself. Pure. */
export function factsOfBundle(
  { library, version, pages, passages, space, dimensions, manifest, language }: CoreInfo,
  { licence = '', vectors = true }: ReadOptions,
): Omit<BundleFacts, 'analysis' | 'fingerprint'> {
  const said = manifestOf(manifest);
  const has = vectors && dimensions > 0;
  return {
    library,
    version,
    title: textOf(said['title']) || library,
    licence: licence || textOf(said['licence']) || textOf(said['license']),
    language: tagOf(said['language']) || language || 'none',
    safesearch: ratingOf(said['safesearch']),
    space: has ? space : '',
    dimensions: has ? dimensions : 0,
    pages,
    passages,
  };
}

function manifestOf(json: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function tagOf(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(value) && value.length <= 35 ? value : '';
}

/** A rating that is no text stays one that nobody knows: such a library must not pass for one without. */
function ratingOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
