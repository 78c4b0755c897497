/**
 * PostgreSQL as a backend: a server by the package `pg`, or PGlite, which is PostgreSQL in a folder.
 *
 * A load is one transaction, so that readers see the old rows or the new ones. Everything from outside is a parameter.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { readHolder, tryLock } from '../base/lock.js';
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
import {
  COLUMNS,
  factValues,
  FIRST,
  indexes,
  IS_OLD,
  letGo,
  NEW,
  replace,
  schema,
  stage,
  TABLES,
  TERM_COLUMNS,
} from './postgres_schema.js';
import { lexeme, tsvectorText, vectorText, withoutNul } from './quote.js';
import { columnsOf, factsOf, rowOf, type Row } from './row.js';
import type { Term, TermGroup } from './rows.js';
import { decodePercent } from '../../browser/client/percent.js';

type Values = readonly unknown[];
type Records = Record<string, unknown>[];

/** What both packages can do. */
export interface Connection {
  query(sql: string, values?: unknown[]): Promise<{ rows: Records }>;
  /** Statements without parameters. */
  exec(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

interface PgQueries {
  query(sql: string, values?: unknown[]): Promise<{ rows: Records }>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): void;
}

interface Pg {
  Client: new (options: object) => PgQueries & { connect(): Promise<void> };
  Pool: new (options: object) => PgQueries;
}

/** Questions that may be asked of a server at once. */
const CONNECTIONS = 8;

/**
 * `postgres://…`: what it leaves out comes from PGHOST, PGUSER, PGPASSWORD, PGDATABASE and their like. `shared`: for questions, over
 * several connections, made anew when the server was away. Otherwise one connection, as a transaction needs.
 */
export async function connectServer(address: string, { shared = false } = {}): Promise<Connection> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || isTorn(url))
    throw new CliError(
      EXIT.USAGE,
      'The address of PostgreSQL cannot be read; expected postgres://USER@HOST:PORT/DATABASE. A password in it is written with %2F, %23 and %40 for /, # and @; PGPASSWORD takes it as it is.',
    );
  const { default: pg } = await optional<{ default: Pg }>('pg');
  const secrets = [url.password, decodePercent(url.password), process.env['PGPASSWORD'] ?? ''];
  const hidden = (error: unknown): CliError => {
    const { message, code } = error as { message?: string; code?: string };
    return new CliError(EXIT.FAILURE, `${nameOf(url)}: ${hide(message || String(code), secrets)}`);
  };
  const options = { connectionString: address, application_name: 'sheaf', connectionTimeoutMillis: 15_000 };
  try {
    let queries: PgQueries;
    if (shared) {
      const onConnect = (client: PgQueries): Promise<void> => tune((sql) => client.query(sql));
      queries = new pg.Pool({ ...options, max: CONNECTIONS, onConnect });
    } else {
      const client = new pg.Client(options);
      queries = client;
      await client.connect();
    }
    queries.on('error', () => {}); // the next query says so
    const query = (sql: string, values?: unknown[]): Promise<{ rows: Records }> =>
      queries.query(sql, values).catch((error: unknown) => {
        throw hidden(error);
      });
    if (shared) await query('SELECT 1');
    return { query, exec: (sql) => query(sql), close: () => queries.end() };
  } catch (error) {
    throw error instanceof CliError ? error : hidden(error);
  }
}

/** Lets a filtered search by meaning go on until it has what was asked for (pgvector 0.8; older ones drop the setting). */
async function tune(run: (sql: string) => Promise<unknown>): Promise<void> {
  for (const setting of ["hnsw.iterative_scan = 'relaxed_order'", 'hnsw.ef_search = 200'])
    await run(`SET ${setting}`).catch(() => {});
}

interface Pglite {
  query(sql: string, values?: unknown[]): Promise<{ rows: Records }>;
  exec(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

/** How long a folder is waited for: who asks one question has it open for about a second. */
const WAIT_MS = 3_000;
/** What says that a folder is a database. */
const DATABASE = 'PG_VERSION';

/** The lock of a database within its folder. */
const LOCK = 'sheaf.lock';

/**
 * A folder, or `memory:` for none. One process has it at a time: PostgreSQL's own lock does not work within WebAssembly, and a
 * second one that writes destroys it for good. So there is a lock in the folder until `close`. Who makes it also has one
 * beside it, since a new folder has to be empty.
 */
export async function connectFolder(folder: string): Promise<Connection> {
  const create = await pglite();
  if (folder === 'memory:') return create();
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw usageError(
      error.code === 'ENOTDIR'
        ? `${oneLine(folder)} is a file, or below one; pglite: takes a folder.`
        : `${oneLine(folder)} cannot be read: ${error.message}`,
    );
  });
  if (there.length > 0 && !there.includes(DATABASE))
    throw usageError(`${oneLine(folder)} is a folder with other files, and no database; name a new one.`);
  const releases: (() => Promise<void>)[] = [];
  const release = async (): Promise<void> => {
    for (const each of releases.splice(0)) await each();
  };
  try {
    if (!there.includes(DATABASE)) {
      await mkdir(dirname(folder), { recursive: true });
      releases.push(await lockFolder(`${folder}.lock`, folder));
    }
    // Somebody may have made it meanwhile.
    const isMade = (await readdir(folder).catch((): string[] => [])).includes(DATABASE);
    if (isMade) releases.push(await lockFolder(join(folder, LOCK), folder));
    const connection = await create(folder);
    if (!isMade) releases.push(await lockFolder(join(folder, LOCK), folder));
    return {
      query: (sql, values) => connection.query(sql, values),
      exec: (sql) => connection.exec(sql),
      close: () => connection.close().finally(release),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Error: CliError, saying who has it. */
async function lockFolder(path: string, folder: string): Promise<() => Promise<void>> {
  for (const until = performance.now() + WAIT_MS; ; await sleep(100)) {
    const release = await tryLock(path, { patient: true }).catch((error: NodeJS.ErrnoException) => {
      throw new CliError(
        EXIT.FAILURE,
        `${oneLine(path)} cannot be made (${error.code ?? error.message}), by which one process at a time opens the database.`,
      );
    });
    if (release !== undefined) return release;
    if (performance.now() < until) continue;
    const holder = await readHolder(path);
    const who = `pid ${holder?.pid ?? '?'}${holder === undefined || holder.host === hostname() ? '' : ` on ${oneLine(holder.host)}`}`;
    throw new CliError(
      EXIT.FAILURE,
      `${oneLine(folder)} is open in another process (${who}), and PGlite's folders are for one at a time. End that one, such as sheaf mcp --backend, or use lancedb:FOLDER or a PostgreSQL server, which readers and exports share. Where it has ended already, ${oneLine(path)} is free half a minute later.`,
    );
  }
}

async function pglite(): Promise<(folder?: string) => Promise<Connection>> {
  const beside = '@electric-sql/pglite-pgvector';
  const { PGlite } = await optional<{ PGlite: { create(options: object): Promise<Pglite> } }>(
    '@electric-sql/pglite',
    beside,
  );
  const { vector } = await optional<{ vector: unknown }>(beside, '@electric-sql/pglite');
  return async (folder) => {
    const connection = await PGlite.create({
      ...(folder === undefined ? {} : { dataDir: folder }),
      extensions: { vector },
    });
    await tune((sql) => connection.exec(sql));
    return connection;
  };
}

export async function load(connection: Connection, bundle: BundleRows, { only }: LoadOptions = {}): Promise<Written> {
  const { facts } = bundle;
  const { library, version, dimensions } = facts;
  await refuseOtherSpace(connection, facts);
  const isKnown = (await knownFingerprint(connection, library, version)) === facts.fingerprint;
  if (isKnown && only === undefined) return { library, version, outcome: 'unchanged', rows: 0 };
  if (!isKnown && dimensions > 0) await requireVectors(connection);
  let rows = 0;
  await connection.exec('BEGIN');
  try {
    await connection.exec('SET LOCAL client_min_messages = warning; SET LOCAL standard_conforming_strings = on');
    if (!isKnown) {
      await connection.exec(schema(dimensions));
      await connection.exec(stage(dimensions));
      // The next rows are made while the server takes these.
      let taken: Promise<void> = Promise.resolve();
      for await (const batch of bundle.batches()) {
        rows += batch.length;
        await taken;
        taken = insert(connection, batch, dimensions);
        taken.catch(() => {}); // awaited below, or lost to an error of the bundle
      }
      await taken;
      const terms = (await bundle.groups()).flatMap(({ stem, pages: stem_pages, terms: own }) =>
        own.map(({ term, pages }) => ({ ...{ stem, term, pages, stem_pages } })),
      );
      for (let at = 0; at < terms.length; at += TERMS_AT_A_TIME)
        await insertRecords(connection, 'sheaf_staged_terms', TERM_COLUMNS, terms.slice(at, at + TERMS_AT_A_TIME));
    }
    const mean = bundle.mean();
    const values = [...factValues(facts), mean === undefined ? null : `{${mean.join(',')}}`];
    await connection.exec(NEW);
    await connection.query(
      `INSERT INTO sheaf_new VALUES (${values.map((_, i) => `$${i + 1}`).join(', ')})`,
      values.map((each) => (typeof each === 'string' ? withoutNul(each) : each)),
    );
    const replaced = isKnown ? [] : [...replace(dimensions), ...indexes(dimensions)];
    for (const statement of [...replaced, ...letGo(library, only)]) await connection.exec(statement);
    await connection.exec('COMMIT');
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {});
    throw error;
  }
  if (!isKnown) await connection.exec('ANALYZE sheaf_passages; ANALYZE sheaf_terms');
  return { library, version, outcome: isKnown ? 'unchanged' : 'written', rows };
}

/** Error: CliError, where the server has no pgvector. */
async function requireVectors(connection: Connection): Promise<void> {
  const { rows } = await connection.query("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'");
  if (rows.length > 0) return;
  throw new CliError(
    EXIT.FAILURE,
    'This PostgreSQL has no pgvector, which vectors need. Install it on the server (https://github.com/pgvector/pgvector), or export texts alone: --no-vectors.',
  );
}

async function insert(connection: Connection, batch: readonly Row[], dimensions: number): Promise<void> {
  const columns = [...COLUMNS, ...(dimensions > 0 ? [['embedding', 'vector'] as const] : [])];
  const records = batch.map((row) => ({
    ...columnsOf(row),
    ...{ words: row.words ?? '', stems: tsvectorText(row.stems ?? '') },
    embedding: row.vector === undefined ? null : vectorText(row.vector),
  }));
  await insertRecords(connection, 'sheaf_staged', columns, records);
}

async function insertRecords(
  connection: Connection,
  table: string,
  columns: readonly (readonly [name: string, type: string])[],
  records: readonly object[],
): Promise<void> {
  const names = columns.map(([name]) => name).join(', ');
  // What JSON has no type for comes as text.
  const given = columns.map(([name, type]) => `${name} ${OWN_TYPES.has(type) ? 'text' : type}`).join(', ');
  const chosen = columns.map(([name, type]) => (OWN_TYPES.has(type) ? `${name}::${type}` : name)).join(', ');
  const json = JSON.stringify(records, (_, value: unknown) => (typeof value === 'string' ? withoutNul(value) : value));
  await connection.query(
    `INSERT INTO ${table} (${names}) SELECT ${chosen} FROM json_to_recordset($1::json) AS r (${given})`,
    [json],
  );
}

const OWN_TYPES: ReadonlySet<string> = new Set(['tsvector', 'vector']);
const TERMS_AT_A_TIME = 20_000;

async function knownFingerprint(connection: Connection, library: string, version: string): Promise<string | undefined> {
  if (!(await hasTables(connection))) return undefined;
  const { rows } = await connection.query(
    'SELECT fingerprint FROM sheaf_libraries WHERE library = $1 AND version = $2',
    [library, version],
  );
  return rows[0] === undefined ? undefined : String(rows[0]['fingerprint']);
}

/** Error: CliError, where an earlier version made them. */
async function hasTables(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query(
    `SELECT to_regclass('sheaf_libraries') IS NOT NULL AS is_there, ${IS_OLD} AS is_old`,
  );
  if (rows[0]?.['is_old'] === true) throw madeEarlier(TABLES, FIRST);
  return rows[0]?.['is_there'] === true;
}

/** Vectors of two spaces cannot be compared, and a column has one length. */
async function refuseOtherSpace(connection: Connection, { library, version, space, dimensions }: Held): Promise<void> {
  if (!(await hasTables(connection))) return;
  const { rows } = await connection.query(
    'SELECT library, version, space FROM sheaf_libraries WHERE (space, dimensions) <> ($1, $2) AND NOT (library = $3 AND version = $4) LIMIT 1',
    [space, dimensions, library, version],
  );
  const other = rows[0];
  if (other === undefined) return;
  const named = (name: string): string => (name === '' ? 'no vectors' : `vectors of ${name}`);
  throw new CliError(
    EXIT.FAILURE,
    `${oneLine(library)} ${oneLine(version)} has ${named(space)}, and ${oneLine(String(other['library']))} ${oneLine(String(other['version']))} in the database has ${named(String(other['space']))}; use a schema of its own for each space.`,
  );
}

/** Columns of a row that is shown; of a candidate, with its words. */
const SHOWN = COLUMNS.map(([name]) => `p.${name}`).filter((name) => name !== 'p.words' && name !== 'p.stems');
const RANKED = [...SHOWN, 'p.words'].join(', ');

/**
 * The passages that have the most of the words, by their weights: $1 library, $2 version, $3 lexemes, $4 weights, $5 how many. A word that
 * weighs little beside another one stands on too many pages to find any by itself.
 */
const MATCHED = `asked AS MATERIALIZED (
  SELECT lexeme::tsquery AS lexeme, weight FROM unnest($3::text[], $4::text[]::real[]) a (lexeme, weight)
), wanted AS MATERIALIZED (
  SELECT string_agg(lexeme::text, ' | ')::tsquery AS lexemes FROM asked WHERE weight * 8 > (SELECT max(weight) FROM asked)
), by_words AS MATERIALIZED (
  SELECT p.id FROM sheaf_passages p
  WHERE p.library = $1 AND p.version = $2 AND p.stems @@ (SELECT lexemes FROM wanted)
  ORDER BY (SELECT sum(a.weight * ts_rank('{1, 1, 1, 1}', p.stems, a.lexeme)) FROM asked a WHERE p.stems @@ a.lexeme) DESC, p.id
  LIMIT $5
)`;
const BY_WORDS = `WITH ${MATCHED} SELECT ${RANKED}, 0 AS cosine FROM by_words w JOIN sheaf_passages p ON p.id = w.id`;
const BY_BOTH = `WITH ${MATCHED}, by_meaning AS MATERIALIZED (
  SELECT p.id FROM sheaf_passages p
  WHERE p.library = $1 AND p.version = $2 AND p.embedding IS NOT NULL
  ORDER BY p.embedding <=> $6::vector LIMIT $5
) SELECT ${RANKED}, coalesce(1 - (p.embedding <=> $6::vector), 0)::real AS cosine
FROM (SELECT id FROM by_words UNION SELECT id FROM by_meaning) u JOIN sheaf_passages p ON p.id = u.id`;

export class PostgresBackend implements Backend {
  readonly name: string;
  readonly #connection: Connection;

  constructor(name: string, connection: Connection) {
    this.name = name;
    this.#connection = connection;
  }

  async list(): Promise<Held[]> {
    if (!(await hasTables(this.#connection))) return [];
    const rows = await this.#ask('SELECT * FROM sheaf_libraries ORDER BY library, version');
    return rows.map((row) => ({
      ...factsOf(row),
      ...(Array.isArray(row['centroid']) ? { centroid: row['centroid'].map(Number) } : {}),
    }));
  }

  async candidates(held: Held, { vector, words, depth }: Asked): Promise<Candidate[]> {
    const found = await this.#ask(vector === undefined ? BY_WORDS : BY_BOTH, [
      held.library,
      held.version,
      words.map(({ stem }) => lexeme(stem)),
      words.map(({ weight }) => String(weight)),
      depth,
      ...(vector === undefined ? [] : [vectorText(vector)]),
    ]);
    return found.map((row) => ({ row: rowOf(row), cosine: Number(row['cosine']) }));
  }

  async groups({ library, version }: Held, stems: readonly string[]): Promise<TermGroup[]> {
    const rows = await this.#ask(
      'SELECT stem, term, pages, stem_pages FROM sheaf_terms WHERE library = $1 AND version = $2 AND stem = ANY($3::text[])',
      [library, version, stems.map(withoutNul)],
    );
    const groups = new Map<string, TermGroup>();
    for (const row of rows) {
      const stem = String(row['stem']);
      const group = groups.get(stem) ?? { stem, pages: Number(row['stem_pages']), terms: [] };
      group.terms.push(termOf(row));
      groups.set(stem, group);
    }
    return [...groups.values()];
  }

  async spellings({ library, version }: Held, lengths: { shortest: number; longest: number }): Promise<Term[]> {
    const rows = await this.#ask(
      `SELECT term, pages FROM sheaf_terms WHERE library = $1 AND version = $2 AND octet_length(term) BETWEEN $3 AND $4 ORDER BY pages DESC, term LIMIT ${MOST_SPELLINGS}`,
      [library, version, lengths.shortest, lengths.longest],
    );
    return rows.map(termOf);
  }

  async page({ library, version }: Held, page: number): Promise<Row[]> {
    return this.#rows('library = $1 AND version = $2 AND page = $3 ORDER BY passage', [library, version, page]);
  }

  async passage({ library, version }: Held, passage: number): Promise<Row | undefined> {
    return (await this.#rows('library = $1 AND version = $2 AND passage = $3', [library, version, passage]))[0];
  }

  async findPage({ library, version }: Held, urlOrSource: string): Promise<number | undefined> {
    const [row] = await this.#ask(
      'SELECT page FROM sheaf_passages WHERE (url = $3 OR source = $3) AND library = $1 AND version = $2 ORDER BY page LIMIT 1',
      [library, version, withoutNul(urlOrSource)],
    );
    return row === undefined ? undefined : Number(row['page']);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #rows(where: string, values: Values): Promise<Row[]> {
    const found = await this.#ask(`SELECT ${SHOWN.join(', ')} FROM sheaf_passages p WHERE ${where}`, values);
    return found.map(rowOf);
  }

  async #ask(sql: string, values: Values = []): Promise<Records> {
    return (await this.#connection.query(sql, [...values])).rows;
  }
}

function termOf(row: Record<string, unknown>): Term {
  return { term: String(row['term']), pages: Number(row['pages']) };
}

/** Whether a password that is not escaped, such as 1/2@3, may be part of what is taken for host, port and path. */
function isTorn({ pathname, search, hash }: URL): boolean {
  return hash !== '' || `${pathname}${search}`.includes('@');
}

/** An address as it may be shown: host and database. */
function nameOf(url: URL): string {
  if (isTorn(url)) return 'postgres://';
  return `postgres://${oneLine(url.host || 'PGHOST')}${oneLine(url.pathname)}`;
}

export function shownServer(address: string): string {
  return URL.canParse(address) ? nameOf(new URL(address)) : 'postgres://';
}

function hide(text: string, secrets: readonly string[]): string {
  return oneLine(
    secrets.filter((secret) => secret !== '').reduce((shown, secret) => shown.replaceAll(secret, '***'), text),
  );
}
