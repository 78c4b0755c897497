/**
 * Where an element's hits and results lead, and how addresses carry its query. Hosts refuse addresses of many thousand
 * characters, so a long pasted text is truncated in them.
 */
import type { Hit } from '../../client/types.js';
import { hitHref, type LinkOptions } from './links.js';

/** How the page wants its hits to be linked. */
export interface LinkSettings extends Pick<LinkOptions, 'base' | 'packedBase'> {
  /** The address of a hit; instead of `base`. */
  readonly urlFor: ((hit: Hit) => string) | undefined;
  /** `off`: links without text fragments. */
  readonly highlight: 'on' | 'off';
}

/** Undefined for what must not be a link. */
export function hrefOf({ base, packedBase, urlFor, highlight }: LinkSettings, hit: Hit): string | undefined {
  if (urlFor !== undefined) return hitHref({ ...hit, url: urlFor(hit), anchor: '' }, { highlight: false });
  return hitHref(hit, { base, packedBase, highlight: highlight !== 'off' });
}

export interface ResultsSettings {
  /** A page that lists all results. */
  readonly resultsUrl: string | undefined;
  /** Name of the query in its address. */
  readonly param: string;
  readonly state: { readonly query: string };
}

/** The page that lists all results of the query. */
export function resultsHref({ resultsUrl, state, param }: ResultsSettings): string | undefined {
  if (!resultsUrl || state.query.trim() === '') return undefined;
  const url = new URL(resultsUrl, document.baseURI);
  setQuery(url, param, state.query);
  return url.href;
}

/** Where in a list the reader was: the chosen entry, and how far the list is scrolled. */
export type Place = readonly [chosen: number, top: number];

/** Keeps the query in the page's own address, as the parameter `name`, and the place in its list beside it. */
export function writeAddress(name: string, query: string, place?: Place): void {
  const url = new URL(location.href);
  if (query === '') url.searchParams.delete(name);
  else setQuery(url, name, query);
  try {
    const state: unknown = history.state; // of the page's router, which is kept
    history.replaceState(place === undefined ? state : { ...(state as object | null), sheaf: place }, '', url);
  } catch {
    // Documents without their own address (srcdoc), and browsers that forbid many changes in a row.
  }
}

function setQuery(url: URL, name: string, query: string): void {
  url.searchParams.set(name, query.slice(0, 500));
}
