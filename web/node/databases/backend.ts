/**
 * What an engine that holds rows of bundles must be able to do, so that Sheaf's tools work over it.
 *
 * Invariants
 *  1. Every question is about one library and version; the engine gets them as a filter.
 *  2. Text from outside reaches an engine as a parameter, or quoted by `quote.ts`.
 *  3. Keyword scores have BM25's scale: the sum of idf × (0..2.2) over the words found.
 */
import { CliError, EXIT } from '../base/exit.js';
import type { BundleFacts, Row } from './row.js';

/** A library version that the engine holds. */
export interface Held extends BundleFacts {
  /** The mean of its vectors. */
  centroid?: number[];
}

export interface Asked {
  text: string;
  /** Of length 1; undefined: by words alone. */
  vector?: Float32Array;
  /** Those of its words that say something (`WordForms.queryWords`); none: by meaning alone. */
  words: readonly string[];
  /** Candidates of each signal. */
  depth: number;
}

export interface Candidate {
  row: Row;
  /** 0: none of its words matched. */
  keyword: number;
  /** With the query's vector; 0 where either is missing. */
  cosine: number;
}

export interface Backend {
  /** For messages: without user name and password. */
  readonly name: string;
  list(): Promise<Held[]>;
  /** The best of both signals together, in any order. */
  candidates(held: Held, asked: Asked): Promise<Candidate[]>;
  /** Pages that have each of the words, or another form of it; words that none has are left out. */
  frequencies(held: Held, words: readonly string[]): Promise<Map<string, number>>;
  /** Words that begin as this one and are about as long: what it may be meant to be. */
  alike(held: Held, word: string): Promise<{ term: string; pages: number }[]>;
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
  /** `unchanged`: the engine had this very bundle. */
  outcome: 'written' | 'unchanged';
  rows: number;
}

/** Rows that an earlier version of Sheaf made, which say too little for this one. `first` is how to make room for new ones. Pure. */
export function madeEarlier(what: string, first: string): CliError {
  return new CliError(
    EXIT.FAILURE,
    `${what} were made by an earlier version of Sheaf: their rows name no language. Export the bundles again with sheaf export; before that, ${first}.`,
  );
}
