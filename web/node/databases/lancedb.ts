/**
 * LanceDB: a folder of tables, with its full-text and vector index.
 *
 * Ideas
 *  - Rows carry the fingerprint of their bundle. They come in batches, which nobody sees: readers ask for the fingerprint that
 *    `sheaf_libraries` names. One commit there switches from the old rows to the new ones; then the old ones go.
 *  - Of several exports into a folder each waits for the one before it: commits to one table at the same moment conflict, and what
 *    one has not switched to yet is what another clears away. Readers wait for nobody.
 *  - A load that was interrupted leaves rows that nobody sees; the next one clears them away.
 *  - The words of a row are stems between spaces, made by the core, which the index takes as they are. It chooses the
 *    candidates; the core ranks them (rows.ts).
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { lock } from '../base/lock.js';
import { oneLine } from '../base/terminal.js';
import {
  madeEarlier,
  MOST_SPELLINGS,
  type Asked,
  type Backend,
  type Candidate,
  type Held,
  type LoadOptions,
  type Written,
} from './backend.js';
import type { BundleRows } from './bundle_rows.js';
import { optional } from './modules.js';
import { sqlText } from './quote.js';
import { columnsOf, factsOf, rowOf, type BundleFacts, type Row } from './row.js';
import type { Term, TermGroup } from './rows.js';

// What is used of the libraries.
type Records = Record<string, unknown>[];
interface Query {
  where(predicate: string): Query;
  select(columns: string[]): Query;
  limit(rows: number): Query;
  fullTextSearch(query: unknown): Query;
  nearestTo(vector: number[]): Query;
  distanceType(type: 'cosine'): Query;
  nprobes(count: number): Query;
  refineFactor(factor: number): Query;
  toArrow(): Promise<{
    numRows: number;
    schema: { fields: { name: string }[] };
    getChild(name: string): { get(i: number): unknown } | null;
  }>;
}
interface Merge {
  whenMatchedUpdateAll(): Merge;
  whenNotMatchedInsertAll(): Merge;
  whenNotMatchedBySourceDelete(options: { where: string }): Merge;
  execute(data: Records): Promise<unknown>;
}
interface Table {
  schema(): Promise<{ fields: { name: string; type: { listSize?: number } }[] }>;
  add(rows: Records): Promise<unknown>;
  delete(predicate: string): Promise<unknown>;
  countRows(predicate?: string): Promise<number>;
  createIndex(column: string, options: { config: unknown; replace?: boolean }): Promise<void>;
  listIndices(): Promise<{ columns: string[] }[]>;
  optimize(options?: { cleanupOlderThan: Date }): Promise<unknown>;
  mergeInsert(on: string[]): Merge;
  addColumns(columns: { name: string; valueSql: string }[]): Promise<unknown>;
  dropColumns(names: string[]): Promise<unknown>;
  query(): Query;
}
interface Database {
  tableNames(): Promise<string[]>;
  openTable(name: string): Promise<Table>;
  createEmptyTable(name: string, schema: unknown): Promise<Table>;
}
interface Lance {
  connect(uri: string, options?: object): Promise<Database>;
  Index: Record<'fts' | 'ivfPq', (options: object) => unknown> & Record<'bitmap' | 'btree', () => unknown>;
  MatchQuery: new (query: string, column: string) => unknown;
}
interface Arrow {
  Schema: new (fields: unknown[]) => unknown;
  Field: new (name: string, type: unknown, nullable: boolean) => unknown;
  Utf8: new () => unknown;
  Int32: new () => unknown;
  Float32: new () => unknown;
  List: new (field: unknown) => unknown;
  FixedSizeList: new (size: number, field: unknown) => unknown;
}

const LIBRARIES = 'sheaf_libraries';
const PASSAGES = 'sheaf_passages';
const TERMS = 'sheaf_terms';
const LOCK = 'sheaf.lock';
/** Where programs write that know nothing of the lock. */
const ATTEMPTS = 3;
/** Rows of one commit: each makes a file. */
const ROWS_A_COMMIT = 8000;
/** From here on the vectors have an index; below it, comparing with all of them is exact and as quick. */
const INDEXED_FROM = 50_000;
/** Words are stems already. */
const FTS = {
  ...{ baseTokenizer: 'whitespace', maxTokenLength: 128, lowercase: false, asciiFolding: false },
  ...{ stem: false, removeStopWords: false },
};
const TERMS_A_COMMIT = 50_000;
/** Terms of some lengths, and forms of the words of a query. */
const MAX_ALIKE = 1_000_000;
const MAX_FORMS = 100_000;
const COLUMNS = [
  ...['id', 'library', 'version', 'passage', 'page', 'title', 'url', 'source', 'description', 'last_modified'],
  ...['anchor', 'headings', 'first_line', 'last_line', 'text', 'licence', 'language', 'safesearch'],
];

/** With the words of a row. */
const RANKED = [...COLUMNS, 'words'];

export class LanceFolder {
  readonly #folder: string;
  readonly #lance: Lance;
  readonly #arrow: Arrow;
  readonly #db: Database;

  private constructor(folder: string, lance: Lance, arrow: Arrow, db: Database) {
    this.#folder = folder;
    this.#lance = lance;
    this.#arrow = arrow;
    this.#db = db;
  }

  /** Every question sees what other processes committed before it. */
  static async open(folder: string): Promise<LanceFolder> {
    await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR')
        throw usageError(`${oneLine(folder)} is a file, or below one; lancedb: takes a folder.`);
    });
    const lance = await optional<Lance>('@lancedb/lancedb', 'apache-arrow');
    const arrow = await optional<Arrow>('apache-arrow', '@lancedb/lancedb');
    return new LanceFolder(folder, lance, arrow, await lance.connect(folder, { readConsistencyInterval: 0 }));
  }

  async has(): Promise<boolean> {
    return (await this.#db.tableNames()).includes(LIBRARIES);
  }

  async table(name: string): Promise<Table> {
    return this.#db.openTable(name);
  }

  /** What asks for the words of a query. */
  match({ words }: Asked): unknown {
    return new this.#lance.MatchQuery(words.map(({ stem }) => stem).join(' '), 'stems');
  }

  async held(): Promise<Held[]> {
    if (!(await this.has())) return [];
    const libraries = await this.table(LIBRARIES);
    if (!(await libraries.schema()).fields.some(({ name }) => name === 'analysis'))
      throw madeEarlier(`The tables in ${oneLine(this.#folder)}`, 'remove that folder, or name another one');
    const rows = await answered(libraries.query());
    return rows.map(heldOf).sort((a, b) => compare(a.library, b.library) || compare(a.version, b.version));
  }

  async load(bundle: BundleRows, { only, signal, say }: LoadOptions = {}): Promise<Written> {
    await mkdir(this.#folder, { recursive: true });
    const path = join(this.#folder, LOCK);
    const release = await lock(path, signal ?? new AbortController().signal, {
      patient: true,
      waits: (holder) =>
        say?.(
          `waits for another export, pid ${holder?.pid ?? '?'}, as ${oneLine(path)} says; free half a minute after it has ended`,
        ),
    });
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#load(bundle, only);
        } catch (error) {
          if (!(error instanceof Error) || !/commit conflict/i.test(error.message)) throw error;
          if (attempt === ATTEMPTS)
            throw new CliError(
              EXIT.FAILURE,
              `Another program writes to ${oneLine(this.#folder)}; nothing was switched. Export again when it has ended.`,
            );
        }
      }
    } finally {
      await release();
    }
  }

  async #load(bundle: BundleRows, only: readonly string[] | undefined): Promise<Written> {
    const { facts } = bundle;
    const { library, version, fingerprint } = facts;
    const held = await this.held();
    const other = held.find(
      (each) => each.space !== facts.space && !(each.library === library && each.version === version),
    );
    if (other !== undefined) {
      const named = (space: string): string => (space === '' ? 'no vectors' : `vectors of ${space}`);
      throw new CliError(
        EXIT.FAILURE,
        `${oneLine(library)} ${oneLine(version)} has ${named(facts.space)}, and ${oneLine(other.library)} ${oneLine(other.version)} in this folder has ${named(other.space)}; use a folder of its own for each space.`,
      );
    }
    const goes = (each: Held): boolean =>
      each.library === library &&
      (each.version === version ? each.fingerprint !== fingerprint : only?.includes(each.version) === false);
    const isKnown = held.some((each) => each.fingerprint === fingerprint);
    const old = held.filter(goes);
    if (isKnown && old.length === 0) return { library, version, outcome: 'unchanged', rows: 0 };

    const [libraries, passages, terms] = await this.#tables(facts.dimensions);
    await this.#fitVectors(passages, facts, held);
    let rows = 0;
    if (!isKnown) {
      await this.#clear([passages, terms], held, { library, version });
      rows = await this.#fill(bundle, passages, terms);
      await this.#index(passages, terms, facts.dimensions);
      const there = await passages.countRows(`bundle = ${sqlText(fingerprint)}`);
      if (there !== rows)
        throw new CliError(
          EXIT.FAILURE,
          `${oneLine(library)} ${oneLine(version)}: ${there} of ${rows} rows are there; another export of it was at work. Nothing was switched: export it again.`,
        );
    }
    const stays = held.find((each) => each.fingerprint === fingerprint);
    const row = libraryRow({ ...facts, centroid: stays?.centroid ?? bundle.mean() ?? [] });
    const merge = libraries.mergeInsert(['library', 'version']).whenMatchedUpdateAll().whenNotMatchedInsertAll();
    const where = `library = ${sqlText(library)} AND version NOT IN (${(only ?? []).map(sqlText).join(', ')})`;
    await (only === undefined ? merge : merge.whenNotMatchedBySourceDelete({ where })).execute([row]);
    await this.#clear([passages, terms], await this.held(), only === undefined ? { library, version } : { library });
    return { library, version, outcome: isKnown ? 'unchanged' : 'written', rows };
  }

  async #tables(dimensions: number): Promise<[Table, Table, Table]> {
    const { Schema, Field, Utf8, Int32, Float32, List, FixedSizeList } = this.#arrow;
    const text = (name: string): unknown => new Field(name, new Utf8(), false);
    const number = (name: string): unknown => new Field(name, new Int32(), false);
    const item = new Field('item', new Float32(), true);
    const names = await this.#db.tableNames();
    const make = async (name: string, fields: unknown[]): Promise<Table> =>
      names.includes(name) ? this.#db.openTable(name) : this.#db.createEmptyTable(name, new Schema(fields));
    const numbers = new Set(['passage', 'page', 'first_line', 'last_line']);
    const columns = COLUMNS.map((name) =>
      name === 'headings'
        ? new Field(name, new List(new Field('item', new Utf8(), true)), false)
        : numbers.has(name)
          ? number(name)
          : text(name),
    );
    const vector = dimensions > 0 ? [new Field('vector', new FixedSizeList(dimensions, item), true)] : [];
    const passages = await make(PASSAGES, [...columns, ...['bundle', 'words', 'stems'].map(text), ...vector]);
    const terms = await make(TERMS, [
      ...['library', 'version', 'bundle', 'stem', 'term'].map(text),
      ...['pages', 'stem_pages'].map(number),
    ]);
    const libraries = await make(LIBRARIES, [
      ...['library', 'version', 'title', 'licence', 'language', 'safesearch', 'space'].map(text),
      ...['dimensions', 'pages', 'passages'].map(number),
      ...['analysis', 'fingerprint'].map(text),
      new Field('centroid', new List(item), false),
    ]);
    return [libraries, passages, terms];
  }

  /** Gives a table that rows without vectors made, or an export that broke off, the column that these vectors need. */
  async #fitVectors(
    passages: Table,
    { library, version, dimensions }: BundleFacts,
    held: readonly Held[],
  ): Promise<void> {
    if (dimensions === 0) return; // rows without vectors fit any table
    const there = (await passages.schema()).fields.find(({ name }) => name === 'vector')?.type.listSize;
    if (there === dimensions) return;
    if (there !== undefined && held.length > 0)
      throw new CliError(
        EXIT.FAILURE,
        `${oneLine(library)} ${oneLine(version)} has vectors of ${dimensions} dimensions, and the tables in ${oneLine(this.#folder)} have those of ${there}; remove that folder, or name another one.`,
      );
    if (there !== undefined) await passages.dropColumns(['vector']);
    const none = `arrow_cast(NULL, 'FixedSizeList(${dimensions}, Float32)')`;
    await passages.addColumns([{ name: 'vector', valueSql: none }]);
  }

  async #fill(bundle: BundleRows, passages: Table, terms: Table): Promise<number> {
    const { library, version, fingerprint, dimensions } = bundle.facts;
    let rows = 0;
    let waiting: Records = [];
    const flush = async (table: Table): Promise<void> => {
      if (waiting.length > 0) await table.add(waiting);
      waiting = [];
    };
    for await (const batch of bundle.batches()) {
      rows += batch.length;
      for (const row of batch)
        waiting.push({
          ...columnsOf(row),
          ...{ bundle: fingerprint, words: row.words ?? '', stems: row.stems ?? '' },
          ...(dimensions > 0 ? { vector: row.vector === undefined ? null : Array.from(row.vector) } : {}),
        });
      if (waiting.length >= ROWS_A_COMMIT) await flush(passages);
    }
    await flush(passages);
    for (const { stem, pages: stem_pages, terms: own } of await bundle.groups()) {
      for (const { term, pages } of own)
        waiting.push({ ...{ library, version, bundle: fingerprint }, ...{ stem, term, pages, stem_pages } });
      if (waiting.length >= TERMS_A_COMMIT) await flush(terms);
    }
    await flush(terms);
    return rows;
  }

  async #index(passages: Table, terms: Table, dimensions: number): Promise<void> {
    const has = async (table: Table, column: string): Promise<boolean> =>
      (await table.listIndices()).some(({ columns }) => columns.includes(column));
    const { Index } = this.#lance;
    const rows = await passages.countRows();
    if (rows > 0) {
      const wanted: [string, () => unknown][] = [
        ['stems', () => Index.fts(FTS)],
        ['bundle', () => Index.bitmap()],
        ['url', () => Index.btree()],
        ['source', () => Index.btree()],
      ];
      if (dimensions > 0 && rows >= INDEXED_FROM)
        wanted.push([
          'vector',
          () =>
            Index.ivfPq({
              distanceType: 'cosine',
              numPartitions: Math.round(Math.sqrt(rows)),
              numSubVectors: Math.max(1, Math.floor(dimensions / 8)),
            }),
        ]);
      for (const [column, config] of wanted)
        if (!(await has(passages, column))) await passages.createIndex(column, { config: config() });
      await passages.optimize();
    }
    if ((await terms.countRows()) > 0) {
      for (const [column, config] of [
        ['stem', Index.btree()],
        ['bundle', Index.bitmap()],
      ] as const)
        if (!(await has(terms, column))) await terms.createIndex(column, { config });
      await terms.optimize();
    }
  }

  /** Rows of a library, or of one version, that none of `held` has; other exports may be at work on others. */
  async #clear(
    tables: readonly Table[],
    held: readonly Held[],
    { library, version }: { library: string; version?: string },
  ): Promise<void> {
    const known = held.map(({ fingerprint }) => sqlText(fingerprint));
    const where = [
      `library = ${sqlText(library)}`,
      ...(version === undefined ? [] : [`version = ${sqlText(version)}`]),
      ...(known.length === 0 ? [] : [`bundle NOT IN (${known.join(', ')})`]),
    ].join(' AND ');
    for (const table of tables) await table.delete(where);
  }
}

export class LanceBackend implements Backend {
  readonly name: string;
  readonly #folder: LanceFolder;
  readonly #tables = new Map<string, Promise<Table>>();

  constructor(name: string, folder: LanceFolder) {
    this.name = name;
    this.#folder = folder;
  }

  list(): Promise<Held[]> {
    return this.#folder.held();
  }

  async candidates(held: Held, asked: Asked): Promise<Candidate[]> {
    const { vector, words, depth } = asked;
    const table = await this.#table(PASSAGES);
    const where = ofBundle(held);
    const byWords =
      words.length > 0
        ? answered(
            table
              .query()
              .fullTextSearch(this.#folder.match(asked))
              .where(where)
              .select([...RANKED, ...(vector === undefined ? [] : ['vector']), '_score'])
              .limit(depth),
          )
        : [];
    const byMeaning =
      vector === undefined
        ? []
        : answered(
            table
              .query()
              .nearestTo(Array.from(vector))
              .distanceType('cosine')
              .nprobes(32)
              .refineFactor(4)
              .where(where)
              .select([...RANKED, '_distance'])
              .limit(depth),
          );
    const [found, near] = await Promise.all([byWords, byMeaning]);
    const candidates = new Map<string, Candidate>();
    for (const each of found)
      candidates.set(String(each['id']), {
        row: rowOf(each),
        cosine: vector === undefined ? 0 : dot(vector, each['vector']),
      });
    for (const each of near) {
      const row = rowOf(each);
      if (!candidates.has(row.id)) candidates.set(row.id, { row, cosine: 1 - Number(each['_distance']) });
    }
    return [...candidates.values()];
  }

  async groups(held: Held, stems: readonly string[]): Promise<TermGroup[]> {
    const where = `${ofBundle(held)} AND stem IN (${stems.map(sqlText).join(', ')})`;
    const rows = await answered((await this.#table(TERMS)).query().where(where).limit(MAX_FORMS));
    const groups = new Map<string, TermGroup>();
    for (const row of rows) {
      const stem = String(row['stem']);
      const group = groups.get(stem) ?? { stem, pages: Number(row['stem_pages']), terms: [] };
      group.terms.push(termOf(row));
      groups.set(stem, group);
    }
    return [...groups.values()];
  }

  async spellings(held: Held, { shortest, longest }: { shortest: number; longest: number }): Promise<Term[]> {
    const where = `${ofBundle(held)} AND octet_length(term) BETWEEN ${Math.trunc(shortest)} AND ${Math.trunc(longest)}`;
    const rows = await answered(
      (await this.#table(TERMS)).query().where(where).select(['term', 'pages']).limit(MAX_ALIKE),
    );
    return rows
      .map(termOf)
      .sort((a, b) => b.pages - a.pages)
      .slice(0, MOST_SPELLINGS);
  }

  async page(held: Held, page: number): Promise<Row[]> {
    return this.#rows(`${ofBundle(held)} AND page = ${Math.trunc(page)}`, 1_000_000);
  }

  async passage(held: Held, passage: number): Promise<Row | undefined> {
    return (await this.#rows(`${ofBundle(held)} AND passage = ${Math.trunc(passage)}`, 1))[0];
  }

  async findPage(held: Held, urlOrSource: string): Promise<number | undefined> {
    const name = sqlText(urlOrSource);
    const table = await this.#table(PASSAGES);
    const where = `${ofBundle(held)} AND (url = ${name} OR source = ${name})`;
    const rows = await answered(table.query().where(where).select(['page']).limit(1));
    return rows[0] === undefined ? undefined : Number(rows[0]['page']);
  }

  async close(): Promise<void> {
    this.#tables.clear();
  }

  #table(name: string): Promise<Table> {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = this.#folder.table(name);
      this.#tables.set(name, table);
      table.catch(() => this.#tables.delete(name));
    }
    return table;
  }

  async #rows(where: string, limit: number): Promise<Row[]> {
    const rows = await answered((await this.#table(PASSAGES)).query().where(where).select(COLUMNS).limit(limit));
    return rows.map(rowOf).sort((a, b) => a.passage - b.passage);
  }
}

/** Rows as plain objects, read column by column: Arrow's own rows find each value anew. */
async function answered(query: Query): Promise<Records> {
  const table = await query.toArrow();
  const columns = table.schema.fields.map(({ name }) => [name, table.getChild(name)] as const);
  return Array.from({ length: table.numRows }, (_, i) =>
    Object.fromEntries(columns.map(([name, column]) => [name, column?.get(i)])),
  );
}

/** A fingerprint is of one library and version, and the one column of them with an index: others are read for every row. */
function ofBundle({ fingerprint }: Held): string {
  return `bundle = ${sqlText(fingerprint)}`;
}

function termOf(row: Record<string, unknown>): Term {
  return { term: String(row['term']), pages: Number(row['pages']) };
}

function dot(a: Float32Array, b: unknown): number {
  if (b === null || b === undefined) return 0;
  const values = (b as { toArray(): ArrayLike<number> }).toArray();
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (values[i] ?? 0);
  return sum;
}

function libraryRow({ centroid = [], ...facts }: Held): Record<string, unknown> {
  return { ...facts, centroid };
}

function heldOf(row: Record<string, unknown>): Held {
  const centroid = Array.from((row['centroid'] as Iterable<number> | null) ?? [], Number);
  return { ...factsOf(row), ...(centroid.length > 0 ? { centroid } : {}) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
