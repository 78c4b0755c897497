/**
 * From a flat list of passages to what a reader sees: pages, each with its best passages; and the
 * plain-data pieces of a hit that every interface needs. Pure functions, no DOM.
 */
import type { Hit, SearchAnswer } from '../../client/types.js';

/** Extra data that the list shows for a hit of one bundle among several. */
export interface ShownHit extends Hit {
  /** The label that distinguishes its bundle from the others in scope. */
  label?: string;
  /** Where the pages of its bundle live. */
  base?: string;
  /** Language of its page. */
  lang?: string;
}

/** A page of the answer, with its passages, best first. */
export interface PageGroup {
  page: number;
  title: string;
  /** Of the page, without anchor, as the bundle has it. */
  url: string;
  /** At least one. */
  hits: ShownHit[];
}

/** A segment of a snippet; `mark` says that it matched. Always text, never HTML. */
export interface Segment {
  text: string;
  mark: boolean;
}

/** Pages in the order of their best passage, at most `pages`, each with at most `passages`. */
export function groupHits(hits: readonly Hit[], pages: number, passages: number): PageGroup[] {
  const groups = new Map<number, PageGroup>();
  for (const hit of hits) {
    const group = groups.get(hit.page);
    if (group !== undefined) {
      if (group.hits.length < passages) group.hits.push(hit);
    } else if (groups.size < pages) {
      groups.set(hit.page, { page: hit.page, title: hit.title, url: hit.url, hits: [hit] });
    }
  }
  return [...groups.values()];
}

/** Pages on screen keep their place; new pages come below. */
export function keepInPlace(shown: readonly PageGroup[], fresh: readonly PageGroup[], pages: number): PageGroup[] {
  const known = new Set(shown.map((group) => group.page));
  return [...shown, ...fresh.filter((group) => !known.has(group.page))].slice(0, Math.max(pages, shown.length));
}

/**
 * Splits the snippet into segments, without its leading headings, which an interface shows above it.
 * Highlights that overlap or lie outside of the text are cut to fit.
 */
export function segments(hit: Hit): Segment[] {
  const skip = headingLength(hit);
  const found: Segment[] = [];
  let position = skip;
  for (const { start, length } of [...hit.highlights].sort((a, b) => a.start - b.start)) {
    const from = Math.max(start, position);
    const to = Math.min(start + length, hit.snippet.length);
    if (!(to > from)) continue; // also catches NaN
    if (from > position) found.push({ text: hit.snippet.slice(position, from), mark: false });
    found.push({ text: hit.snippet.slice(from, to), mark: true });
    position = to;
  }
  if (position < hit.snippet.length) found.push({ text: hit.snippet.slice(position), mark: false });
  return found;
}

/** Length of the title and headings, with the space behind them, that the snippet repeats at its beginning. */
export function headingLength(hit: Hit): number {
  return (headingEnds(hit).at(-1) ?? -1) + 1;
}

/** Where title and headings end in the snippet; the next one begins behind the space that follows. */
export function headingEnds(hit: Hit): number[] {
  const ends: number[] = [];
  for (const heading of [hit.title, ...hit.headings]) {
    const from = (ends.at(-1) ?? -1) + 1;
    const end = from + heading.length;
    if (heading !== '' && hit.snippet.startsWith(heading, from) && /\s/.test(hit.snippet[end] ?? '')) ends.push(end);
  }
  return ends;
}

/** The query with its mistyped words replaced, or '' when nothing was mistyped. */
export function correctedQuery(query: string, corrections: SearchAnswer['corrections']): string {
  let corrected = query;
  for (const { word, term } of corrections) {
    const at = corrected.toLowerCase().indexOf(word.toLowerCase());
    if (at >= 0 && word !== '') corrected = corrected.slice(0, at) + term + corrected.slice(at + word.length);
  }
  return corrected === query ? '' : corrected;
}
