/**
 * One search over many bundles. Each scores against itself; client/merge.ts makes scores that compare, and one list.
 *
 * `time_range` keeps pages whose date of last change lies in it; pages without a date are left out then.
 * `safesearch` keeps libraries whose rating allows the level (see `shownAt`). Both are filters before the
 * cut: more hits are asked for until the page is full or the library has no more.
 *
 * Cost: a search a bundle, and for a time range one page read a hit, at most MAX_INSPECTED in all.
 */
import { isAbsolute } from 'node:path';
import { SheafError } from '../../../../browser/client/errors.js';
import { mergeAnswers, type BundleAnswer } from '../../../../browser/client/merge.js';
import type { Hit, Library, SearchAnswer } from '../../../../browser/client/types.js';
import { correctedQuery } from '../../../../browser/client/written.js';
import type { StoredBundle } from '../../../store/store.js';
import { oneLine } from '../../../base/terminal.js';
import { visible } from '../../quote.js';
import type { Pool } from '../../tool.js';
import { urlKey } from './merge.js';
import { MAX_HITS } from './parameters.js';
import type { SafeSearch, SearchResult, TimeRange } from './types.js';
import { isLinkable, parseUrl } from './url.js';

export interface LocalSearch {
  text: string;
  bundles: readonly StoredBundle[];
  timeRange: TimeRange | undefined;
  safesearch: SafeSearch;
  pageno: number;
  count: number;
  signal: AbortSignal;
  progress(done: number, total: number): void;
}

export interface LocalAnswer {
  /** Best first; positions are ranks on this page of results, from 1. */
  results: SearchResult[];
  /** The query with its likely typing errors mended. */
  corrections: string[];
  /** Bundles that could not be searched. */
  failures: [string, string][];
}

interface Found {
  bundle: StoredBundle;
  hit: Hit;
  /** Other libraries that have the page. */
  also?: string[];
}

/** Concurrent searches. They share one thread; only file reads overlap. */
const AT_ONCE = 4;
/** Pages whose date is looked up in one search, over all bundles. */
const MAX_INSPECTED = 4000;
const DAY = 24 * 60 * 60 * 1000;
const RANGE_DAYS: Record<TimeRange, number> = { day: 1, week: 7, month: 30, year: 365 };

export async function searchLocal(pool: Pool, search: LocalSearch): Promise<LocalAnswer> {
  const wanted = search.pageno * search.count;
  if (search.text === '' || wanted > MAX_HITS) return { results: [], corrections: [], failures: [] };
  const answers: BundleAnswer[] = [];
  const failures: [string, string][] = [];
  let done = 0;
  await inParallel(search.bundles, AT_ONCE, async (bundle) => {
    await attempt(bundle, failures, () =>
      pool.use(bundle, async (library) => {
        if (!shownAt(library.info.manifest['safesearch'], search.safesearch)) return;
        const { pages, space } = library.info;
        answers.push({
          bundle: search.bundles.indexOf(bundle),
          pages,
          space,
          answer: await searchOne(library, search, wanted),
        });
      }),
    );
    search.progress(++done, search.bundles.length);
  });
  const byName = ({ bundle }: BundleAnswer): string => (search.bundles[bundle] as StoredBundle).library;
  const merged = await mergeAnswers(
    answers.sort((a, b) => compare(byName(a), byName(b))),
    Infinity,
  ); // equals by name
  const found = merged.hits.map((hit): Found => ({ bundle: search.bundles[hit.bundle] as StoredBundle, hit }));
  const corrected = correctedQuery(search.text, merged.corrections, merged.hits);
  const corrections = corrected === '' ? [] : [oneLine(corrected)];
  const page = distinct(found).slice(wanted - search.count, wanted);
  const dates = await datesOf(pool, page, failures);
  return { results: page.map((each, i) => toResult(each, i + 1, dates.get(each.hit))), corrections, failures };
}

/**
 * Whether a library of this rating is shown at a level of `safesearch` (0 none, 1 moderate, 2 strict). The
 * rating names the strictest level that the library passes; without one it passes all of them, and one that
 * is not understood passes none.
 */
export function shownAt(rating: unknown, level: SafeSearch): boolean {
  if (rating === undefined || rating === null || rating === '') return true;
  const strictest = { none: 0, moderate: 1, strict: 2 }[String(rating).toLowerCase()] ?? 0;
  return level <= strictest;
}

/** Whether a page last changed within the range before `now`. A date without a time stands for its whole day. */
export function isWithin(lastModified: string, range: TimeRange, now: number): boolean {
  const time = Date.parse(lastModified);
  if (Number.isNaN(time)) return false;
  const end = /^\d{4}-\d{2}-\d{2}$/.test(lastModified) ? time + DAY : time;
  return end >= now - RANGE_DAYS[range] * DAY;
}

async function searchOne(library: Library, search: LocalSearch, wanted: number): Promise<SearchAnswer> {
  const { signal, timeRange } = search;
  const now = Date.now();
  const budget = Math.max(50, Math.floor(MAX_INSPECTED / search.bundles.length));
  const hits: Hit[] = [];
  let inspected = 0;
  for (let topK = wanted; ; topK = Math.min(topK * 4, MAX_HITS)) {
    const answer = await library.search(search.text, {
      topK,
      prefix: false,
      explain: search.bundles.length > 1,
      signal,
    });
    for (const hit of answer.hits.slice(inspected)) {
      if (hits.length === wanted || inspected === budget) break;
      inspected++;
      if (!isLinkable(hit.url)) continue;
      if (timeRange !== undefined && !isWithin((await library.page(hit.page, { signal })).lastModified, timeRange, now))
        continue;
      hits.push(hit);
    }
    const isLast = answer.hits.length < topK || topK === MAX_HITS;
    if (hits.length === wanted || isLast || inspected === budget) return { ...answer, hits };
  }
}

/** Dates of the pages found, by hit; a bundle replaced meanwhile has none. */
async function datesOf(pool: Pool, page: readonly Found[], failures: [string, string][]): Promise<Map<Hit, string>> {
  const dates = new Map<Hit, string>();
  for (const bundle of new Set(page.map((found) => found.bundle))) {
    await attempt(bundle, failures, () =>
      pool.use(bundle, async (library) => {
        for (const { hit } of page.filter((found) => found.bundle === bundle)) {
          const { url, lastModified } = await library.page(hit.page);
          if (url === hit.url && !Number.isNaN(Date.parse(lastModified))) dates.set(hit, lastModified);
        }
      }),
    );
  }
  return dates;
}

/** One hit per address, best first, with the bundles that have it; duplicates do not raise the score. */
function distinct(found: readonly Found[]): Found[] {
  const byAddress = new Map<string, Found>();
  for (const each of found) {
    const key = urlKey(each.hit.url);
    const same = byAddress.get(key);
    if (same === undefined) byAddress.set(key, { ...each });
    else same.also = [...(same.also ?? []), each.bundle.library];
  }
  return [...byAddress.values()];
}

function toResult({ bundle, hit, also = [] }: Found, position: number, date: string | undefined): SearchResult {
  const url = hit.url + (hit.anchor === '' ? '' : `#${hit.anchor}`);
  const path = [hit.title, ...hit.headings]
    .map((part) => oneLine(visible(part)))
    .filter((part, i, all) => part !== '' && part !== all[i - 1]);
  return {
    url,
    title: path.join(' › ') || oneLine(hit.source) || url,
    content: oneLine(visible(hit.snippet.replace(/\s+/g, ' '))),
    engine: bundle.library,
    engines: [...new Set([bundle.library, ...also])],
    positions: [position],
    score: 1 / position,
    category: 'docs',
    template: 'default.html',
    parsed_url: parseUrl(url),
    publishedDate: date === undefined ? null : /^\d{4}-\d{2}-\d{2}$/.test(date) ? `${date}T00:00:00` : date,
    library: bundle.library,
    version: bundle.version,
    relevance: Number(hit.score.toFixed(4)),
  };
}

/** A bundle that fails is reported; the others answer. Only the caller's own abort ends the search. */
async function attempt(bundle: StoredBundle, failures: [string, string][], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof SheafError && error.code === 'ABORTED') throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (!failures.some(([name]) => name === bundle.library))
      failures.push([bundle.library, `${oneLine(message)}${adviceOf(bundle)}`]);
  }
}

/** Rows of a database are no file (BackendPool). */
function adviceOf({ path }: StoredBundle): string {
  return isAbsolute(path) ? ` Check it with: sheaf inspect --verify ${oneLine(path)}` : '';
}

async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
