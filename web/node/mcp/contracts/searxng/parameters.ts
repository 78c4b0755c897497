/**
 * The parameters of a search, judged with SearXNG's own words: shared by the tool, whose arguments are
 * JSON, and by `sheaf serve`, whose parameters are text.
 */
import { MAX_TOP_K } from '../../../../browser/client/limits.js';
import { oneLine } from '../../../base/terminal.js';
import { SearchFailure, type SafeSearch, type TimeRange } from './types.js';

/** A search is a sentence; anything much longer is a mistake, and no server takes it in a URL. */
export const MAX_QUERY = 4096;
export const DEFAULT_COUNT = 10;
/** What a library gives at most in one search. */
export const MAX_HITS = MAX_TOP_K;

const RANGES: ReadonlySet<string> = new Set(['day', 'week', 'month', 'year']);

export function invalidValue(name: string, value: unknown): SearchFailure {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return new SearchFailure(`Invalid value ${oneLine(text.slice(0, 80))} for parameter ${name}`);
}

export function readQuery(value: unknown): string {
  if (value === undefined || value === null) throw new SearchFailure('No query');
  if (typeof value !== 'string') throw invalidValue('q', value);
  if (value.length > MAX_QUERY) {
    throw new SearchFailure(
      `Invalid value for parameter q: at most ${MAX_QUERY} characters, got ${value.length}. Search with fewer words.`,
    );
  }
  if (value.trim() === '') throw new SearchFailure('No query');
  return value.trim();
}

export function readTimeRange(value: unknown): TimeRange | undefined {
  if (value === undefined || value === null || value === '' || value === 'None') return undefined;
  if (typeof value !== 'string' || !RANGES.has(value)) throw invalidValue('time_range', value);
  return value as TimeRange;
}

export function readSafeSearch(value: unknown, byDefault: SafeSearch): SafeSearch {
  if (value === undefined || value === null || value === '') return byDefault;
  const level = typeof value === 'string' && /^[0-9]$/.test(value) ? Number(value) : value;
  if (level !== 0 && level !== 1 && level !== 2) throw invalidValue('safesearch', value);
  return level;
}

/** A whole number from 1, for example a page number. */
export function readCount(name: string, value: unknown, byDefault: number, most: number): number {
  if (value === undefined || value === null || value === '') return byDefault;
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1) throw invalidValue(name, value);
  return Math.min(count, most);
}
