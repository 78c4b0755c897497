/**
 * A page as sections of blocks: what the reader draws. Plain data, no DOM.
 *
 * Passages are slices of the page, and those below one heading are one section, so that a list or code that was cut
 * between passages is whole again.
 */
import { decodePercent } from '../browser/client/percent.js';
import type { Page } from '../browser/client/types.js';
import type { Block } from '../browser/client/blocks.js';
import type { Text } from '../browser/client/load_text.js';
import { HTML } from '../browser/ui/views/passage_link.js';

export interface Section {
  /** Of the page's own web address; '' at its top. */
  anchor: string;
  /** Heading path, outermost first. */
  headings: readonly string[];
  blocks: Block[];
}

export interface Entry {
  anchor: string;
  text: string;
  /** From 0. */
  depth: number;
}

/** Of one section; a page of more is shown up to here. */
const MOST_CHARACTERS = 400_000;

export function sectionsOf(
  { passages, source }: Pick<Page, 'passages' | 'source'>,
  reader: Pick<Text, 'blocks'>,
): Section[] {
  const sections: (Omit<Section, 'blocks'> & { text: string })[] = [];
  for (const { anchor, headings, text } of passages) {
    const last = sections.at(-1);
    if (last !== undefined && last.anchor === anchor && last.headings.join('\n') === headings.join('\n'))
      last.text += text;
    else sections.push({ anchor, headings, text });
  }
  let left = MOST_CHARACTERS;
  return sections.map(({ anchor, headings, text }) => {
    const read = text.slice(0, Math.max(0, left));
    left -= text.length;
    return { anchor, headings, blocks: reader.blocks(read, source) };
  });
}

/** The table of contents. */
export function contentsOf(sections: readonly Section[]): Entry[] {
  const entries: Entry[] = [];
  for (const { anchor, headings } of sections) {
    const text = headings.at(-1);
    if (anchor === '' || text === undefined || entries.some((entry) => entry.anchor === anchor)) continue;
    entries.push({ anchor, text, depth: Math.min(headings.length - 1, 3) });
  }
  return entries;
}

/** Where a link of the page leads. */
export type Target =
  | { kind: 'here'; anchor: string }
  /** Perhaps a page of the library, under one of these names; else the address, where it is one. */
  | { kind: 'page'; candidates: string[]; anchor: string; address: string | undefined }
  | { kind: 'nowhere' };

const NO_HOST = 'https://page.invalid/';

/**
 * `to` is a stranger's text. Only addresses of the web and of mail come out. In text of HTML they are written as those of
 * pages are, elsewhere relative to the page.
 */
export function targetOf(to: string, page: Pick<Page, 'url' | 'source'>, packedBase: string): Target {
  const link = to.trim();
  if (link.startsWith('#')) return { kind: 'here', anchor: decodePercent(link.slice(1)) };
  const root = absolute(packedBase, NO_HOST) ?? new URL(NO_HOST);
  const home = HTML.test(page.source) ? root : (absolute(page.url, root.href) ?? root);
  const url = absolute(link, home.href);
  if (url?.protocol === 'mailto:') return { kind: 'page', candidates: [], anchor: '', address: url.href };
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '')
    return { kind: 'nowhere' };
  const anchor = decodePercent(url.hash.slice(1));
  url.hash = '';
  const elsewhere = url.origin !== home.origin;
  const [path = ''] = link.split(/[?#]/);
  const bySource = absolute(path, HTML.test(page.source) ? NO_HOST : `${NO_HOST}${page.source}`);
  const sources = elsewhere || bySource === undefined ? [] : [decodePercent(bySource.pathname.slice(1))];
  const names = elsewhere
    ? [url.href]
    : [url.href, ...(home.origin === new URL(NO_HOST).origin ? [url.pathname.slice(1)] : [])];
  const candidates = [...new Set([...names.flatMap(variants), ...sources.flatMap(sourceVariants)])].filter(
    (name) => name !== '',
  );
  return { kind: 'page', candidates, anchor, address: url.origin === new URL(NO_HOST).origin ? undefined : url.href };
}

/** Sites answer to several spellings of one page. */
function variants(address: string): string[] {
  const bare = address
    .replace(/\/$/, '')
    .replace(/\/index\.html?$/, '')
    .replace(/\.html?$/, '')
    .replace(/\.mdx?$/, '');
  return [address, bare, `${bare}.html`, `${bare}/`, `${bare}/index.html`];
}

function sourceVariants(path: string): string[] {
  const bare = path.replace(/\/$/, '').replace(/\.(html?|mdx?)$/, '');
  return [path, `${bare}.md`, `${bare}/index.md`, `${bare}.html`];
}

function absolute(address: string, base: string): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}
