/**
 * Where a hit leads. Bundles are untrusted, so an address is used only if it parses and its scheme
 * cannot run code; otherwise the hit has no link.
 *
 * A text fragment (`#anchor:~:text=…`) highlights the match on the target page. The browser does the
 * work, and no script runs on the target. If the text is not found, or the browser does not support
 * text fragments, the anchor still works.
 */
import type { Highlight, Hit } from '../../client/types.js';

const SAFE_SCHEMES = new Set([
  'http:',
  'https:',
  'file:',
  'chrome-extension:',
  'moz-extension:',
  'safari-web-extension:',
]);
/** Long enough to be unique on a page, short enough to lie within one paragraph. */
const FRAGMENT_WORDS = 6;
const LEAST_WORDS = 3;
/** What separates blocks, lines of code, cells and inline elements in a snippet: text on its two sides need not be adjacent on the page. */
const BREAKS = /[.!?…:;|<>{}()[\]"“”`*#=\n]/;

export interface LinkOptions {
  /** Where the documentation is hosted here; replaces `packedBase`. */
  base?: string | undefined;
  /** The base URL that the bundle was packed with. */
  packedBase?: string | undefined;
  /** Highlight on the target page. Default true. */
  highlight?: boolean;
}

/** The page's address, rebased to where the documentation is hosted; undefined when it must not be a link. */
export function pageUrl(url: string, { base, packedBase }: LinkOptions, documentUrl: string): URL | undefined {
  try {
    const home = base === undefined ? documentUrl : new URL(base.replace(/[^/]$/, '$&/'), documentUrl).href; // a folder, even without its slash
    const moved =
      base !== undefined && packedBase && url.startsWith(packedBase)
        ? url.slice(packedBase.length).replace(/^\/*/, './')
        : url;
    const resolved = new URL(moved, home);
    return SAFE_SCHEMES.has(resolved.protocol) && (resolved.protocol !== 'file:' || documentUrl.startsWith('file:'))
      ? resolved
      : undefined;
  } catch {
    return undefined;
  }
}

/** The hit's address with its anchor and a text fragment; undefined when it must not be a link. */
export function hitHref(
  hit: Hit,
  options: LinkOptions = {},
  documentUrl: string = globalThis.document?.baseURI ?? '',
): string | undefined {
  const url = pageUrl(hit.url, options, documentUrl);
  if (url === undefined) return undefined;
  const words = options.highlight === false ? '' : fragmentOf(hit);
  const phrase = leads(words, hit) ? words : '';
  const anchor = hit.anchor === '' ? '' : encodeURIComponent(hit.anchor).replace(/%2F/gi, '/');
  url.hash = '';
  const hash = phrase === '' ? anchor : `${anchor}:~:text=${encodeText(phrase)}`;
  return hash === '' ? url.href : `${url.href.replace(/#$/, '')}#${hash}`;
}

/** In a text directive, dash, comma and ampersand are special characters. */
function encodeText(text: string): string {
  return encodeURIComponent(text).replace(/-/g, '%2D');
}

/** Whole words around the hit's first highlight, from one run of plain text; '' when there is none. */
export function fragmentOf(hit: Hit): string {
  const [mark] = [...hit.highlights].sort((a, b) => a.start - b.start);
  if (mark === undefined || !(mark.start + mark.length <= hit.snippet.length)) return '';
  let from = mark.start;
  let to = mark.start + mark.length;
  while (from > 0 && !BREAKS.test(hit.snippet[from - 1] as string)) from--;
  while (to < hit.snippet.length && !BREAKS.test(hit.snippet[to] as string)) to++;
  const words = [...hit.snippet.slice(from, to).matchAll(/\S+/g)];
  // A mark within a word takes the whole word: fragments match whole words.
  const marked = words.findIndex(({ 0: word, index }) => from + index + word.length > mark.start);
  const first = Math.max(0, Math.min(marked, words.length - FRAGMENT_WORDS));
  const shown = words.slice(first, first + FRAGMENT_WORDS).map(([word]) => word);
  return shown.join(' ').replace(/[\s,&]+$/, '');
}

/**
 * Whether the words of a fragment lead to the hit. Browsers go to the first place on the page that has them, and not to
 * the anchor: that is elsewhere where words are few, and below the name that was asked for where the heading has it, marked or as a
 * end of a longer name (`os.major`), which is marked as a whole or not at all.
 */
function leads(phrase: string, { anchor, headings, headingHighlights, snippet, highlights }: Hit): boolean {
  const isNamed = ({ start, length }: Highlight): boolean =>
    headings
      .at(-1)
      ?.toLowerCase()
      .endsWith(snippet.slice(start, start + length).toLowerCase()) === true;
  return (
    anchor === '' ||
    (!headingHighlights?.length && phrase.split(' ').length >= LEAST_WORDS && !highlights.some(isNamed))
  );
}

/** Where the page of a hit stands in the documentation, outermost first: titles of the navigation, else folders in words. */
export const placeOf = (hit: Partial<Pick<Hit, 'place'>>): readonly string[] => hit.place ?? [];
