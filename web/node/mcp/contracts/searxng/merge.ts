/**
 * Results of several lists as one, in SearXNG's way: a result that stands in n lists at the positions
 * p1…pn scores  weight * n * (1/p1 + … + 1/pn), and results are ordered by score.
 *
 * All local libraries together are one list, ordered by scores that compare (local.ts): were each a list of its own,
 * the best page of every library, however poor, would tie with the best page of the best one.
 */
import { fullUrl, parseUrl } from './url.js';
import type { SearchResult } from './types.js';
import { decodePercent } from '../../../../browser/client/percent.js';

/** Scores and orders. Ties keep their order, local results first. `weight` is that of the local list. */
export function mergeResults(
  local: readonly SearchResult[],
  remote: readonly SearchResult[],
  weight = 1,
): SearchResult[] {
  const merged: SearchResult[] = [];
  const byKey = new Map<string, SearchResult>();
  for (const result of local) {
    const scored = { ...result, score: weight * result.positions.length * reciprocals(result) };
    merged.push(scored);
    // The instance may know the page with our anchor or without.
    for (const key of [urlKey(result.url), urlKey(result.url.replace(/#.*$/s, ''))]) {
      if (!byKey.has(key)) byKey.set(key, scored);
    }
  }
  for (const result of remote) {
    const same = byKey.get(urlKey(result.url));
    if (same === undefined) merged.push({ ...result });
    else join(same, result);
  }
  return merged.sort((a, b) => b.score - a.score);
}

function join(into: SearchResult, other: SearchResult): void {
  // n * (1/p1 + …) of both together; the instance's own weights are within its score.
  const sum = into.score / into.positions.length + other.score / Math.max(1, other.positions.length);
  into.engines = [...new Set([...into.engines, ...other.engines])];
  into.positions = [...into.positions, ...other.positions];
  into.score = into.positions.length * sum;
  if (other.content.length > into.content.length) into.content = other.content;
  for (const [key, value] of Object.entries(other)) {
    if (into[key] === undefined || into[key] === null) into[key] = value;
  }
  // https where either has it
  const url = parseUrl(into.url);
  if (url[0] === 'http' && parseUrl(other.url)[0] === 'https') {
    into.parsed_url = ['https', ...url.slice(1)];
    into.url = fullUrl(into.parsed_url);
  }
}

function reciprocals({ positions }: SearchResult): number {
  return positions.reduce((sum, position) => sum + 1 / position, 0);
}

/** Equal for addresses that SearXNG calls equal: http and https, with `www.` and without, with a last `/` and without. */
export function urlKey(text: string): string {
  const [scheme, host = '', path = '', , query, fragment] = parseUrl(text);
  const web = scheme === 'http' || scheme === 'https' || scheme === '';
  return [
    web ? 'http' : scheme,
    host.toLowerCase().replace(/^www\./, ''),
    decodePercent(path.replace(/\/$/, '')),
    query,
    fragment,
  ].join('\n');
}
