/**
 * Tables, indexes and functions in PostgreSQL 14 and later, with pgvector 0.5 and later where there are vectors.
 *
 * Ideas
 *  - A row's words are a `tsvector` that PostgreSQL generates: title A, headings B, text D, by the text search configuration of the
 *    row's language, which PostgreSQL has of every language that Sheaf has rules of. Scripts without spaces, which it does not cut,
 *    are cut into pairs of letters, as the core cuts them. What joins words to names (`os.path.join`, `<KeepAlive>`, paths, addresses)
 *    parts them, as it does in the core: PostgreSQL's parser has a name as one word, which nothing but the whole name finds, and a tag
 *    as none.
 *  - `ts_rank` knows no rare words. `sheaf_words` weighs each word by its idf, out of `sheaf_terms`, and saturates as BM25 does;
 *    passages are found by the rarer words of a query, so that a word of every page costs no scan.
 *  - `sheaf_search` fuses both signals as Sheaf does (src/search/fusion.h): a convex combination of normalised scores.
 *
 * Statements are safe to run again, and change nothing then.
 */
import { madeEarlier } from './backend.js';
import { NAMES } from './language.js';
import { sqlText } from './quote.js';
import type { BundleFacts } from './row.js';
import { DENSE, PASSED_OVER } from './words.js';

/** Words of more than this share of the pages find no passage by themselves, while others do. */
const RARE = 0.5;

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
  ['fingerprint', 'text'],
] as const;

/** In the order of `sheaf_new`, which has the centroid after them. */
export function factValues(facts: BundleFacts): (string | number)[] {
  return FACTS.map(([name]) => facts[name]);
}

/** For `madeEarlier`. */
export const TABLES = 'The tables sheaf_libraries, sheaf_passages and sheaf_terms';
export const FIRST = 'DROP TABLE sheaf_libraries, sheaf_passages, sheaf_terms, or name a schema of its own';
export const IS_OLD = `(to_regclass('sheaf_libraries') IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('sheaf_libraries') AND attname = 'language'))`;

const CONFIGURATIONS = Object.entries({ en: 'english', ...NAMES, nb: 'norwegian', nn: 'norwegian' })
  .map(([tag, name]) => `WHEN '${tag}' THEN 'pg_catalog.${name}'::regconfig`)
  .join('\n    ');

/** What PostgreSQL's parser takes for a part of a tag, an entity, a path, a host, an address or a number. */
const JOINING = '<>&/.@:_~+';

/** As PostgreSQL's regular expressions have them. */
const LETTERS = DENSE.map((range) => range.map((point) => `\\U${point.toString(16).padStart(8, '0')}`).join('-')).join(
  '',
);

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
  words_average real NOT NULL DEFAULT 1, centroid real[],
  PRIMARY KEY (library, version)
);

-- What the generated column calls has its names bound here, since a restored dump has no search_path.

-- The text search configuration of a language, by its tag (BCP 47).
CREATE OR REPLACE FUNCTION sheaf_config(language text) RETURNS regconfig
LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE lower(split_part(language, '-', 1))
    ${CONFIGURATIONS}
    ELSE 'pg_catalog.simple'::regconfig END;

-- Scripts without spaces as pairs of letters. They pass no parser, which knows them by the database's locale or not at all.
CREATE OR REPLACE FUNCTION sheaf_pairs(body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT coalesce(string_agg('''' || pair || ''':' || least(number, 16383), ' ')::tsvector, ''::tsvector) FROM (
    SELECT letter || coalesce(next, '') AS pair, row_number() OVER (ORDER BY run, place) AS number FROM (
      SELECT run, place, letter, lead(letter) OVER (PARTITION BY run ORDER BY place) AS next
      FROM regexp_matches(regexp_replace(normalize(body, NFKC), '[${PASSED_OVER}]+', '', 'g'), '[${LETTERS}]+', 'g')
        WITH ORDINALITY r (found, run), unnest(string_to_array(found[1], NULL)) WITH ORDINALITY l (letter, place)
    ) letters WHERE next IS NOT NULL OR place = 1
  ) pairs);

-- Words without what joins them to names, tags, paths, addresses and signed numbers. Compounds stay, which the parser has whole
-- and in parts, but for numbers in them ("UTF-16"), which it takes for negative ones.
CREATE OR REPLACE FUNCTION sheaf_parted(body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN translate(regexp_replace(body, '-(?=[0-9])', ' ', 'g'), ${sqlText(JOINING)}, ${sqlText(' '.repeat(JOINING.length))});

CREATE OR REPLACE FUNCTION sheaf_lexemes(language text, body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN body ~ '[${LETTERS}]'
    THEN to_tsvector(sheaf_config(language), sheaf_parted(regexp_replace(body, '[${LETTERS}]+', ' ', 'g'))) || sheaf_pairs(body)
    ELSE to_tsvector(sheaf_config(language), sheaf_parted(body)) END;

CREATE OR REPLACE FUNCTION sheaf_tsvector(language text, title text, headings text[], body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN setweight(sheaf_lexemes(language, title), 'A')
      || setweight(sheaf_lexemes(language, array_to_string(headings, ' ')), 'B')
      || setweight(sheaf_lexemes(language, body), 'D');

CREATE TABLE IF NOT EXISTS sheaf_passages (
  ${COLUMNS.map(([name, type]) => `${name} ${type} NOT NULL`).join(',\n  ')},
  ${vectors ? `embedding vector(${dimensions}),\n  ` : ''}words tsvector GENERATED ALWAYS AS (sheaf_tsvector(language, title, headings, text)) STORED,
  PRIMARY KEY (id)
);
CREATE TABLE IF NOT EXISTS sheaf_terms (
  library text NOT NULL, version text NOT NULL, lexeme text NOT NULL, pages integer NOT NULL,
  PRIMARY KEY (library, version, lexeme)
);

-- The best passages by their words, with scores on BM25's scale.
CREATE OR REPLACE FUNCTION sheaf_words(query text, in_library text, in_version text, depth integer DEFAULT 200)
RETURNS TABLE (id uuid, keyword real)
LANGUAGE sql STABLE AS $sheaf$
  WITH here AS MATERIALIZED (
    SELECT l.pages, l.language, greatest(l.words_average, 1) AS average FROM sheaf_libraries l
    WHERE l.library = in_library AND l.version = in_version
  ), words AS MATERIALIZED (
    SELECT u.lexeme FROM here, unnest(tsvector_to_array(sheaf_lexemes(here.language, query))) u (lexeme)
  ), asked AS MATERIALIZED (
    SELECT ('''' || replace(replace(t.lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery AS lexeme,
      ln(1 + (here.pages - t.pages + 0.5) / (t.pages + 0.5)) AS idf, t.pages <= here.pages * ${RARE} AS rare, here.average
    FROM here, words w JOIN sheaf_terms t ON t.library = in_library AND t.version = in_version AND t.lexeme = w.lexeme
  ), whole AS MATERIALIZED (
    SELECT coalesce(string_agg(lexeme::text, ' | ') FILTER (WHERE rare), string_agg(lexeme::text, ' | '))::tsquery AS wanted,
      sum(idf) AS idf FROM asked
  )
  SELECT scored.id, scored.keyword FROM (
    SELECT p.id, (SELECT (sum(a.idf * 2.2 * x.x / (1.2 + x.x)) * (0.2 + 0.8 * sum(a.idf) / (SELECT idf FROM whole)))::real
      FROM asked a, LATERAL (SELECT ts_rank('{0.3, 0.3, 0.7, 1}', p.words, a.lexeme) * 5
        / (0.5 + 0.5 * length(p.words) / a.average) AS x) x
      WHERE p.words @@ a.lexeme) AS keyword
    FROM sheaf_passages p
    WHERE p.library = in_library AND p.version = in_version AND p.words @@ (SELECT wanted FROM whole)
  ) scored ORDER BY scored.keyword DESC NULLS LAST, scored.id LIMIT depth
$sheaf$;`;
}

/** Made once the rows are there: over a million of them that takes a fraction of what adding them one by one does. */
export function indexes(dimensions: number): string[] {
  return [
    'CREATE INDEX IF NOT EXISTS sheaf_passages_place ON sheaf_passages (library, version, page, passage)',
    'CREATE INDEX IF NOT EXISTS sheaf_passages_passage ON sheaf_passages (library, version, passage)',
    'CREATE INDEX IF NOT EXISTS sheaf_passages_url ON sheaf_passages USING hash (url)',
    'CREATE INDEX IF NOT EXISTS sheaf_passages_source ON sheaf_passages USING hash (source)',
    'CREATE INDEX IF NOT EXISTS sheaf_passages_words ON sheaf_passages USING gin (words)',
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

const SEARCH = `
-- Both signals: their best passages, each with both scores, fused. A query without a vector is answered by words.
CREATE OR REPLACE FUNCTION sheaf_search(query text, query_vector vector, in_library text, in_version text,
  wanted integer DEFAULT 10, depth integer DEFAULT 200, semantic_weight real DEFAULT 0.5)
RETURNS TABLE (id uuid, keyword real, cosine real, score real)
LANGUAGE sql STABLE AS $sheaf$
  WITH by_words AS MATERIALIZED (
    SELECT w.id, w.keyword FROM sheaf_words(query, in_library, in_version, depth) w
  ), by_meaning AS MATERIALIZED (
    SELECT p.id FROM sheaf_passages p
    WHERE query_vector IS NOT NULL AND p.library = in_library AND p.version = in_version AND p.embedding IS NOT NULL
    ORDER BY p.embedding <=> query_vector LIMIT depth
  ), found AS (
    SELECT p.id, coalesce(w.keyword, 0) AS keyword, coalesce(1 - (p.embedding <=> query_vector), 0)::real AS cosine
    FROM (SELECT b.id FROM by_words b UNION SELECT m.id FROM by_meaning m) u
    JOIN sheaf_passages p ON p.id = u.id LEFT JOIN by_words w ON w.id = u.id
  ), background AS (
    SELECT coalesce((SELECT 1 - ((l.centroid)::vector <=> query_vector) FROM sheaf_libraries l
      WHERE l.library = in_library AND l.version = in_version), 0)
      * coalesce((SELECT sqrt(sum(c * c)) FROM sheaf_libraries l, unnest(l.centroid) c
      WHERE l.library = in_library AND l.version = in_version), 0) AS cosine
  ), best AS (SELECT max(f.keyword) AS keyword, max(f.cosine) AS cosine FROM found f)
  SELECT f.id, f.keyword, f.cosine, (
      CASE WHEN query_vector IS NULL THEN 1 ELSE 1 - semantic_weight END * coalesce(f.keyword / nullif(best.keyword, 0), 0)
      + CASE WHEN query_vector IS NULL THEN 0 ELSE semantic_weight END
        * greatest(0, coalesce((f.cosine - background.cosine) / nullif(best.cosine - background.cosine, 0), 0)))::real AS score
  FROM found f, background, best ORDER BY score DESC, f.id LIMIT wanted
$sheaf$;
`;

/** The rows to come stand here until all are there. */
export function stage(dimensions: number): string {
  const columns = [
    ...COLUMNS.map(([name, type]) => `${name} ${type}`),
    ...(dimensions > 0 ? [`embedding vector(${dimensions})`] : []),
  ];
  return `CREATE TEMP TABLE sheaf_staged (${columns.join(', ')}) ON COMMIT DROP;`;
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

/** Puts the staged rows in the place of the library version's. Rows that are there already stay untouched. */
export function replace(dimensions: number): string[] {
  const columns = columnNames(dimensions);
  const names = [...FACTS.map(([name]) => name), 'centroid', 'words_average'];
  const set = names.slice(2).map((name) => `${name} = excluded.${name}`);
  return [
    SAME_SPACE,
    ...(dimensions > 0 ? [fitted(dimensions), SEARCH] : []),
    `DELETE FROM sheaf_passages p WHERE ${HERE} AND NOT EXISTS (SELECT 1 FROM sheaf_staged s WHERE s.id = p.id)`,
    `INSERT INTO sheaf_passages (${columns}) SELECT ${columns} FROM sheaf_staged ON CONFLICT (id) DO NOTHING`,
    `DELETE FROM sheaf_terms WHERE ${HERE} AND ${CHANGED}`,
    `INSERT INTO sheaf_terms (library, version, lexeme, pages) SELECT p.library, p.version, u.lexeme, count(DISTINCT p.page) FROM sheaf_passages p, unnest(p.words) u WHERE ${HERE} AND ${CHANGED} GROUP BY p.library, p.version, u.lexeme`,
    `INSERT INTO sheaf_libraries (${names.join(', ')}) SELECT f.*, coalesce((SELECT avg(length(p.words)) FROM sheaf_passages p WHERE ${HERE}), 1) FROM sheaf_new f WHERE ${CHANGED} ON CONFLICT (library, version) DO UPDATE SET ${set.join(', ')}`,
  ];
}

/** Versions of a library but those that stay go; undefined: none goes. Literals are those of standard_conforming_strings. */
export function letGo(library: string, stay: readonly string[] | undefined): string[] {
  if (stay === undefined) return [];
  const where = `library = ${sqlText(library)} AND version NOT IN (${stay.map(sqlText).join(', ')})`;
  return ['sheaf_passages', 'sheaf_terms', 'sheaf_libraries'].map((table) => `DELETE FROM ${table} WHERE ${where}`);
}
