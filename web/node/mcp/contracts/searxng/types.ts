/** SearXNG's JSON, as its `/search?format=json` writes it: what `search` and `sheaf serve` answer with. */

/** One result. SearXNG's engines add keys of their own, which are passed on. */
export interface SearchResult {
  url: string;
  title: string;
  content: string;
  /** The engine that found it first; ours are named after the library. */
  engine: string;
  engines: string[];
  /** The rank, from 1, in each list that holds it. */
  positions: number[];
  score: number;
  category: string;
  template: string;
  /** As Python's urlparse: scheme, netloc, path, params, query, fragment. */
  parsed_url: string[];
  /** ISO 8601, or null. */
  publishedDate: string | null;
  [key: string]: unknown;
}

export interface Answer {
  answer: string;
  engine: string;
  template: string;
  url: string | null;
  parsed_url: string[] | null;
}

export interface SearchReply {
  query: string;
  results: SearchResult[];
  answers: unknown[];
  corrections: string[];
  infoboxes: unknown[];
  suggestions: string[];
  /** Pairs of a name and what went wrong. */
  unresponsive_engines: unknown[];
  [key: string]: unknown;
}

export type TimeRange = 'day' | 'week' | 'month' | 'year';
export type SafeSearch = 0 | 1 | 2;

/** A search, its parameters checked. */
export interface SearchRequest {
  q: string;
  timeRange: TimeRange | undefined;
  safesearch: SafeSearch;
  /** From 1. */
  pageno: number;
  /** Local results on a page. */
  count: number;
}

/** The search cannot be answered; the message is the contract's text. */
export class SearchFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SearchFailure';
  }
}
