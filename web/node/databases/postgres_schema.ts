/**
 * Tables and indexes in PostgreSQL 14 and later, with pgvector 0.5 and later where there are vectors.
 *
 * Idea: PostgreSQL matches and counts. A row has its words twice, as the core made them: `stems`, a `tsvector` that is matched, and
 * `words`, by which the core ranks the row (rows.ts). No text search configuration takes part.
 *
 * Statements are safe to run again, and change nothing then.
 */
import { madeEarlier } from './backend.js';
import { sqlText } from './quote.js';
import type { BundleFacts } from './row.js';

/** Columns of `sheaf_passages` that are written, in the order of COPY, with their types. */
export const COLUMNS = [
  ['id', 'uuid'],
  ['library', 'text'],
  ['version', 'text'],
  ['passage', 'integer'],
  ['page', 'integer'],
  ['title', 'text'],
  ['url', 'text'],
  ['source', 'text'],
  ['description', 'text'],
  ['last_modified', 'text'],
  ['anchor', 'text'],
  ['headings', 'text[]'],
  ['first_line', 'integer'],
  ['last_line', 'integer'],
  ['text', 'text'],
  ['licence', 'text'],
  ['language', 'text'],
  ['safesearch', 'text'],
  ['words', 'text'],
  ['stems', 'tsvector'],
] as const;

/** Columns of `sheaf_terms`, likewise: a term, its stem, and how many pages have it, or any term of the stem. */
export const TERM_COLUMNS = [
  ['stem', 'text'],
  ['term', 'text'],
  ['pages', 'integer'],
  ['stem_pages', 'integer'],
] as const;

/** Columns of `sheaf_libraries` that say what a bundle says of itself. */
const FACTS = [
  ['library', 'text'],
  ['version', 'text'],
  ['title', 'text'],
  ['licence', 'text'],
  ['language', 'text'],
  ['safesearch', 'text'],
  ['space', 'text'],
  ['dimensions', 'integer'],
  ['pages', 'integer'],
  ['passages', 'integer'],
  ['analysis', 'text'],
  ['fingerprint', 'text'],
] as const;

/** In the order of `sheaf_new`, which has the centroid after them. */
export function factValues(facts: BundleFacts): (string | number)[] {
  return FACTS.map(([name]) => facts[name]);
}

/** For `madeEarlier`. */
export const TABLES = 'The tables sheaf_libraries, sheaf_passages and sheaf_terms';
export const FIRST = 'DROP TABLE sheaf_libraries, sheaf_passages, sheaf_terms, or name a schema of its own';
export const IS_OLD = `(to_regclass('sheaf_libraries') IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('sheaf_libraries') AND attname = 'analysis'))`;

export function columnNames(dimensions: number): string {
  return [...COLUMNS.map(([name]) => name), ...(dimensions > 0 ? ['embedding'] : [])].join(', ');
}

/** Until the transaction ends: two that make or replace the same table or function at the same moment fail. */
const ONE_AT_A_TIME = 'DO $sheaf$ BEGIN PERFORM pg_advisory_xact_lock(1936221537); END $sheaf$;';

/** `dimensions` 0: without vectors, and without pgvector. */
export function schema(dimensions: number): string {
  const vectors = dimensions > 0;
  return `${ONE_AT_A_TIME}
${vectors ? 'CREATE EXTENSION IF NOT EXISTS vector;\n' : ''}
DO $sheaf$ BEGIN
  IF ${IS_OLD} THEN RAISE EXCEPTION USING MESSAGE = ${sqlText(madeEarlier(TABLES, FIRST).message)}; END IF;
END $sheaf$;
CREATE TABLE IF NOT EXISTS sheaf_libraries (
  ${FACTS.map(([name, type]) => `${name} ${type} NOT NULL`).join(', ')},
  centroid real[],
  PRIMARY KEY (library, version)
);

CREATE TABLE IF NOT EXISTS sheaf_passages (
  ${COLUMNS.map(([name, type]) => `${name} ${type} NOT NULL`).join(',\n  ')},
  ${vectors ? `embedding vector(${dimensions}),\n  ` : ''}PRIMARY KEY (id)
);
CREATE TABLE IF NOT EXISTS sheaf_terms (
  library text NOT NULL, version text NOT NULL, ${TERM_COLUMNS.map(([name, type]) => `${name} ${type} NOT NULL`).join(', ')},
  PRIMARY KEY (library, version, stem, term)
);`;
}

/** Made once the rows are there: over a million of them that takes a fraction of what adding them one by one does. */
export function indexes(dimensions: number): string[] {
  return [
    'CREATE INDEX IF NOT EXISTS sheaf_passages_place ON sheaf_passages (library, version, page, passage)',
    'CREATE INDEX IF NOT EXISTS sheaf_passages_passage ON sheaf_passages (library, version, passage)',
    'CREATE INDEX IF NOT EXISTS sheaf_passages_url ON sheaf_passages USING hash (url)',
    'CREATE INDEX IF NOT EXISTS sheaf_passages_source ON sheaf_passages USING hash (source)',
    'CREATE INDEX IF NOT EXISTS sheaf_passages_stems ON sheaf_passages USING gin (stems)',
    'CREATE INDEX IF NOT EXISTS sheaf_terms_length ON sheaf_terms (library, version, octet_length(term))',
    ...(dimensions > 0 ? [graph(dimensions)] : []),
  ];
}

/** Bytes of a row in HNSW's graph, beside its vector: 32 neighbours and what holds them, a fifth more than pgvector 0.8 takes. */
const GRAPH_BYTES = 1200;
const MAX_GRAPH_KB = 2 * 1024 * 1024 - 1;

/**
 * The graph is made in memory as far as that goes (PostgreSQL's default is 64 MB, 30,000 rows), and beyond that row by row. Where the shared memory that several workers need is not there (containers have 64 MB of it), one worker does it.
 */
function graph(dimensions: number): string {
  const create = 'CREATE INDEX sheaf_passages_embedding ON sheaf_passages USING hnsw (embedding vector_cosine_ops);';
  return `DO $sheaf$ DECLARE needed bigint; BEGIN
  IF to_regclass('sheaf_passages_embedding') IS NOT NULL THEN RETURN; END IF;
  SELECT least(count(*) * ${4 * dimensions + GRAPH_BYTES} / 1024 + 1024, ${MAX_GRAPH_KB}) INTO needed FROM sheaf_passages;
  IF needed * 1024 > pg_size_bytes(current_setting('maintenance_work_mem')) THEN
    PERFORM set_config('maintenance_work_mem', needed || 'kB', true);
  END IF;
  BEGIN
    ${create}
  EXCEPTION WHEN insufficient_resources THEN
    PERFORM set_config('max_parallel_maintenance_workers', '0', true);
    ${create}
  END;
END $sheaf$`;
}

/** The rows and terms to come stand here until all are there. */
export function stage(dimensions: number): string {
  const columns = [
    ...COLUMNS.map(([name, type]) => `${name} ${type}`),
    ...(dimensions > 0 ? [`embedding vector(${dimensions})`] : []),
  ];
  const terms = TERM_COLUMNS.map(([name, type]) => `${name} ${type}`);
  return `CREATE TEMP TABLE sheaf_staged (${columns.join(', ')}) ON COMMIT DROP;
CREATE TEMP TABLE sheaf_staged_terms (${terms.join(', ')}) ON COMMIT DROP;`;
}

/** What is known of the bundle to come, one row. */
export const NEW = `CREATE TEMP TABLE sheaf_new (${FACTS.map(([name, type]) => `${name} ${type}`).join(', ')}, centroid real[]) ON COMMIT DROP`;

const HERE = '(library, version) = (SELECT f.library, f.version FROM sheaf_new f)';
const CHANGED = `NOT EXISTS (SELECT 1 FROM sheaf_libraries l WHERE (l.library, l.version, l.fingerprint) = (SELECT f.library, f.version, f.fingerprint FROM sheaf_new f))`;

/** Vectors of two spaces cannot be compared, even where they are of one length. */
const SAME_SPACE = `DO $sheaf$ BEGIN
  IF EXISTS (SELECT 1 FROM sheaf_libraries l, sheaf_new f
    WHERE (l.space, l.dimensions) <> (f.space, f.dimensions) AND (l.library, l.version) <> (f.library, f.version)) THEN
    RAISE EXCEPTION 'The database has vectors of another space; use a schema of its own for each space.';
  END IF;
END $sheaf$`;

/** Gives a table that other vectors made, or rows without any, the column that these need; no other library has vectors then. */
function fitted(dimensions: number): string {
  return `DO $sheaf$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'sheaf_passages'::regclass AND attname = 'embedding'
    AND NOT attisdropped AND atttypmod = ${dimensions}) THEN
    ALTER TABLE sheaf_passages DROP COLUMN IF EXISTS embedding, ADD COLUMN embedding vector(${dimensions});
  END IF;
END $sheaf$`;
}

/**
 * Puts the staged rows in the place of the library version's. Rows that are there already stay untouched, unless their words weigh
 * otherwise beside other passages.
 */
export function replace(dimensions: number): string[] {
  const columns = columnNames(dimensions);
  const names = [...FACTS.map(([name]) => name), 'centroid'];
  const terms = TERM_COLUMNS.map(([name]) => name);
  const set = names.slice(2).map((name) => `${name} = excluded.${name}`);
  return [
    SAME_SPACE,
    ...(dimensions > 0 ? [fitted(dimensions)] : []),
    `DELETE FROM sheaf_passages p WHERE ${HERE} AND NOT EXISTS (SELECT 1 FROM sheaf_staged s WHERE s.id = p.id)`,
    `INSERT INTO sheaf_passages (${columns}) SELECT ${columns} FROM sheaf_staged ON CONFLICT (id) DO UPDATE SET words = excluded.words, stems = excluded.stems WHERE sheaf_passages.words <> excluded.words`,
    `DELETE FROM sheaf_terms WHERE ${HERE} AND ${CHANGED}`,
    `INSERT INTO sheaf_terms (library, version, ${terms.join(', ')}) SELECT f.library, f.version, ${terms.map((name) => `t.${name}`).join(', ')} FROM sheaf_new f, sheaf_staged_terms t WHERE ${CHANGED}`,
    `INSERT INTO sheaf_libraries (${names.join(', ')}) SELECT f.* FROM sheaf_new f WHERE ${CHANGED} ON CONFLICT (library, version) DO UPDATE SET ${set.join(', ')}`,
  ];
}

/** Versions of a library but those that stay go; undefined: none goes. Literals are those of standard_conforming_strings. */
export function letGo(library: string, stay: readonly string[] | undefined): string[] {
  if (stay === undefined) return [];
  const where = `library = ${sqlText(library)} AND version NOT IN (${stay.map(sqlText).join(', ')})`;
  return ['sheaf_passages', 'sheaf_terms', 'sheaf_libraries'].map((table) => `DELETE FROM ${table} WHERE ${where}`);
}
