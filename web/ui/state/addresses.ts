/**
 * Where an element's hits and results lead, and how its query stands in addresses. Hosts refuse those of many thousand
 * characters, so a pasted text is cut there.
 */
import type { Hit } from '../../client/types.js';
import { hitHref } from './links.js';
import type { SheafSearch } from '../sheaf-search.js';

/** Undefined for what must not be a link. */
export function hrefOf(host: SheafSearch, hit: Hit): string | undefined {
  const { base, packedBase, urlFor } = host;
  if (urlFor !== undefined) return hitHref({ ...hit, url: urlFor(hit), anchor: '' }, { highlight: false });
  return hitHref(hit, { base, packedBase, highlight: host.highlight !== 'off' });
}

/** The page that lists all results of the query. */
export function resultsHref({ resultsUrl, state, param }: SheafSearch): string | undefined {
  if (!resultsUrl || state.query.trim() === '') return undefined;
  const url = new URL(resultsUrl, document.baseURI);
  setQuery(url, param, state.query);
  return url.href;
}

/** Keeps the query in the page's own address, as the parameter `name`. */
export function writeAddress(name: string, query: string): void {
  const url = new URL(location.href);
  if (query === '') url.searchParams.delete(name);
  else setQuery(url, name, query);
  try {
    history.replaceState(history.state, '', url);
  } catch {
    // Documents without an address of their own (srcdoc), and browsers that forbid many changes in a row.
  }
}

function setQuery(url: URL, name: string, query: string): void {
  url.searchParams.set(name, query.slice(0, 500));
}
