/**
 * A passage as databases take it: one row, complete in itself.
 *
 * Invariants
 *  1. The id is made of the row's whole content, its vector included, and of ROWS. So the same bundle gives the same ids
 *     everywhere, and a row that a database has already need not be written again.
 *  2. A bundle's fingerprint is made of its bytes and of how rows are made of them. Equal fingerprints: nothing to do.
 */
import { createHash } from 'node:crypto';

/** Changes when rows of the same bundle change, or what a database makes of them: then they are written anew. */
export const ROWS = 4;

/** What a bundle says of itself, as databases keep it beside the rows. */
export interface BundleFacts {
  library: string;
  version: string;
  title: string;
  licence: string;
  /** Of the pages, a BCP 47 tag; `none` where words are searched as they are written. */
  language: string;
  /** The rating that the filter `safesearch` goes by (docs/searxng.md); empty for none. */
  safesearch: string;
  /** The vector space; empty without vectors. */
  space: string;
  dimensions: number;
  pages: number;
  passages: number;
  /** How the words were made (rows.ts). */
  analysis: string;
  fingerprint: string;
}

export interface Row {
  /** UUID (version 8). */
  id: string;
  library: string;
  version: string;
  /** Numbers in the bundle: of the passage and of its page. */
  passage: number;
  page: number;
  title: string;
  url: string;
  source: string;
  description: string;
  lastModified: string;
  anchor: string;
  headings: string[];
  firstLine: number;
  lastLine: number;
  text: string;
  licence: string;
  /** As in BundleFacts. */
  language: string;
  safesearch: string;
  /** Of length 1, or undefined where the passage has none. */
  vector?: Float32Array;
  /** The passage's words, for databases that Sheaf's tools work over: as the core reads them, and stems to match. */
  words?: string;
  stems?: string;
}

/** What a database keeps of a bundle, as it returns it. Pure. */
export function factsOf(columns: Readonly<Record<string, unknown>>): BundleFacts {
  const text = (name: string): string => String(columns[name] ?? '');
  const number = (name: string): number => Number(columns[name] ?? 0);
  return {
    ...{ library: text('library'), version: text('version'), title: text('title'), licence: text('licence') },
    ...{ language: text('language'), safesearch: text('safesearch') },
    ...{ space: text('space'), dimensions: number('dimensions') },
    ...{ pages: number('pages'), passages: number('passages'), analysis: text('analysis') },
    fingerprint: text('fingerprint'),
  };
}

/** A row as a database returns it, its columns named as in docs/databases.md; the vector stays with the database. Pure. */
export function rowOf(columns: Readonly<Record<string, unknown>>): Row {
  const text = (name: string): string => String(columns[name] ?? '');
  const number = (name: string): number => Number(columns[name] ?? 0);
  return {
    ...{ id: text('id'), library: text('library'), version: text('version') },
    ...{ passage: number('passage'), page: number('page') },
    ...{ title: text('title'), url: text('url'), source: text('source'), description: text('description') },
    ...{ lastModified: text('last_modified'), anchor: text('anchor'), text: text('text'), licence: text('licence') },
    headings: Array.from((columns['headings'] as Iterable<unknown> | null | undefined) ?? [], String),
    ...{ firstLine: number('first_line'), lastLine: number('last_line') },
    ...{ language: text('language'), safesearch: text('safesearch'), words: text('words') },
  };
}

/** A row by the names of its columns, as docs/databases.md has them; the vector is for each database to write. Pure. */
export function columnsOf({
  firstLine,
  lastLine,
  lastModified,
  vector: _,
  words: __,
  stems: ___,
  ...row
}: Row): Record<string, unknown> {
  return { ...row, first_line: firstLine, last_line: lastLine, last_modified: lastModified };
}

/** Pure. */
export function rowId(row: Omit<Row, 'id'>): string {
  const { vector, words: _, stems: __, ...rest } = row;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([ROWS, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))]));
  if (vector !== undefined) hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  const bytes = hash.digest().subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
