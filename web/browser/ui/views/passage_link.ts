/** Links in the text of passages. Plain data, no DOM. */
import type { Hit } from '../../client/types.js';
import type { Resolve } from '../host.js';

/** Sources whose links the packer has written as it writes addresses of pages. */
export const HTML = /\.html?$/i;

/**
 * Where a link in a passage's text leads; undefined: nowhere, its words stand alone. Text of HTML has the addresses of
 * pages as bundles have them; other text is its author's, whose links are relative to the page, or to a file beside it
 * that may have no address.
 */
export function linkInPassage(
  to: string,
  { url, source }: Pick<Hit, 'url' | 'source'>,
  resolve: Resolve,
): URL | undefined {
  const page = resolve(url);
  if (page === undefined) return undefined;
  try {
    const link = HTML.test(source) ? resolve(to) : new URL(to, page);
    if (link === undefined || !/^(?:https?|mailto):$/.test(link.protocol) || link.username !== '') return undefined;
    return link.origin === page.origin && /\.mdx?$/i.test(link.pathname) ? undefined : link;
  } catch {
    return undefined;
  }
}
