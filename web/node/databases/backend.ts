/**
 * What a database that holds rows of bundles must be able to do, so that Sheaf's tools work over it: it matches and
 * counts. Words are made and passages are ranked by the core (rows.ts).
 *
 * Invariants
 *  1. Every question is about one library and version; the database gets them as a filter.
 *  2. Text from outside reaches a database as a parameter, or quoted by `quote.ts`.
 */
import { CliError, EXIT } from '../base/exit.js';
import type { BundleFacts, Row } from './row.js';
import type { Term, TermGroup } from './rows.js';

/** As many as a bundle lists: kMaxSpellings in src/lexical/spellings.h. */
export const MOST_SPELLINGS = 16_384;

/** A library version that the database holds. */
export interface Held extends BundleFacts {
  /** The mean of its vectors. */
  centroid?: number[];
}

export interface Asked {
  /** Of length 1; undefined: by words alone. */
  vector?: Float32Array;
  /** Stems, and what a passage gains by each; none: by meaning alone. */
  words: readonly { stem: string; weight: number }[];
  /** Candidates of each signal. */
  depth: number;
}

export interface Candidate {
  /** With its words. */
  row: Row;
  /** With the query's vector; 0 where either is missing. */
  cosine: number;
}

export interface Backend {
  /** For messages: without user name and password. */
  readonly name: string;
  list(): Promise<Held[]>;
  /** The best of both signals together, in any order. */
  candidates(held: Held, asked: Asked): Promise<Candidate[]>;
  /** The terms of each stem, those left out that no page has. */
  groups(held: Held, stems: readonly string[]): Promise<TermGroup[]>;
  /** The terms of `shortest` to `longest` bytes that the most pages have, MOST_SPELLINGS of them. */
  spellings(held: Held, lengths: { shortest: number; longest: number }): Promise<Term[]>;
  /** A page's rows, in order. */
  page(held: Held, page: number): Promise<Row[]>;
  passage(held: Held, passage: number): Promise<Row | undefined>;
  /** By URL without anchor, or source path. */
  findPage(held: Held, urlOrSource: string): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface LoadOptions {
  /** Versions of the library that stay, this one among them; others go, at the same moment. By default all stay. */
  only?: readonly string[] | undefined;
  /** Ends a wait for other exports. */
  signal?: AbortSignal;
  /** Told what is waited for. */
  say?: (text: string) => void;
}

export interface Written {
  library: string;
  version: string;
  /** `unchanged`: the database had this very bundle. */
  outcome: 'written' | 'unchanged';
  rows: number;
}

/** Rows that an earlier version of Sheaf made, which say too little for this one. `first` is how to make room for new ones. Pure. */
export function madeEarlier(what: string, first: string): CliError {
  return new CliError(
    EXIT.FAILURE,
    `${what} were made by an earlier version of Sheaf, and this one cannot search their words. Export the bundles again with sheaf export; before that, ${first}.`,
  );
}
