/**
 * From a flat list of passages to what a reader sees: pages, each with its best passages; and the
 * plain-data pieces of a hit that every interface needs. Pure functions, no DOM.
 */
import type { Highlight, Hit } from '../../client/types.js';

/** Extra data that the list shows for a hit of one bundle among several. */
export interface ShownHit extends Hit {
  /** The label that distinguishes its bundle from the others in scope. */
  label?: string;
  /** Where the pages of its bundle live. */
  base?: string;
  /** Language of its page. */
  lang?: string;
}

/** Characters that one line shows before its first mark, and in all. A text that ends sooner has more before the mark. */
const LEAD = 40;
const LINE = 72;

/** A page of the answer, with its passages, best first. */
export interface PageGroup {
  page: number;
  title: string;
  /** Of the page, without anchor, as the bundle has it. */
  url: string;
  /** At least one. */
  hits: ShownHit[];
}

/** A segment of a text; `mark` says that it matched. Always text, never HTML. */
export interface Segment {
  text: string;
  mark: boolean;
}

/**
 * Pages in the order of their best passage, at most `pages`, each with at most `passages`. Of passages below the same
 * heading, the best stands for all.
 */
export function groupHits(hits: readonly Hit[], pages: number, passages: number): PageGroup[] {
  const groups = new Map<number, PageGroup>();
  for (const hit of hits) {
    const group = groups.get(hit.page);
    if (group !== undefined) {
      if (group.hits.length < passages && !group.hits.some((other) => isSamePlace(hit, other))) group.hits.push(hit);
    } else if (groups.size < pages) {
      groups.set(hit.page, { page: hit.page, title: hit.title, url: hit.url, hits: [hit] });
    }
  }
  return [...groups.values()];
}

/** Whether a reader could not tell their rows, or what they lead to, apart. */
function isSamePlace(a: Hit, b: Hit): boolean {
  const path = ({ headings }: Hit): string => headings.join('\n');
  return path(a) === path(b) || (a.anchor !== '' && a.anchor === b.anchor);
}

/** Whether a hit is the top of its page, before the first heading. */
export const isTop = ({ anchor, headings }: Hit): boolean => anchor === '' && headings.length === 0;

/** Pages on screen keep their place; new pages come below. */
export function keepInPlace(shown: readonly PageGroup[], fresh: readonly PageGroup[], pages: number): PageGroup[] {
  const known = new Set(shown.map((group) => group.page));
  return [...shown, ...fresh.filter((group) => !known.has(group.page))].slice(0, Math.max(pages, shown.length));
}

/** Splits the snippet into segments. */
export function segments(hit: Hit): Segment[] {
  return marked(hit.snippet, hit.highlights);
}

/** The same for one line: where the first mark lies far into the text, from the clause or the words shortly before it. */
export function oneLine(hit: Hit): Segment[] {
  const found = segments(hit);
  const [first] = found;
  if (first === undefined || first.mark || found.length === 1) return found;
  const { text } = first;
  const room = Math.max(LEAD, LINE - hit.snippet.length + text.length);
  if (text.length <= room) return found;
  const lead = text.slice(-room).replace(room > LEAD ? /^\S*\s/ : /^(?:.*?[.,:;!?]|\S*)\s/, '');
  return [{ text: `… ${lead}`, mark: false }, ...found.slice(1)];
}

/** The same for any text, from the character `from` on. Highlights that overlap or lie outside of it are cut to fit. */
export function marked(text: string, highlights: readonly Highlight[] = [], from = 0): Segment[] {
  const found: Segment[] = [];
  let position = from;
  for (const { start, length } of [...highlights].sort((a, b) => a.start - b.start)) {
    const begin = Math.max(start, position);
    const end = Math.min(start + length, text.length);
    if (!(end > begin)) continue; // also catches NaN
    if (begin > position) found.push({ text: text.slice(position, begin), mark: false });
    found.push({ text: text.slice(begin, end), mark: true });
    position = end;
  }
  if (position < text.length) found.push({ text: text.slice(position), mark: false });
  return found;
}

/**
 * The lines of a code snippet that a row of `count` lines shows: from the first that has a mark, else from the first
 * that has a word, or from the one above it where there is room. The indentation that they have in common is left out.
 */
export function codeLines(hit: Hit, count: number): Segment[] {
  const { snippet, highlights } = hit;
  const lines = snippet.split('\n');
  const mark = Math.min(...highlights.map(({ start }) => start).filter((start) => start >= 0), snippet.length);
  const words = Math.max(0, snippet.search(/[\p{L}\p{N}]/u));
  const line = snippet.slice(0, mark < snippet.length ? mark : words).split('\n').length - 1;
  const first = Math.max(0, Math.min(count > 1 ? line - 1 : line, lines.length - count));
  const shown = lines.slice(first, first + count);
  const indent = Math.min(...shown.map((text) => text.search(/\S/)).filter((at) => at >= 0));
  let end = lines.slice(0, first).reduce((sum, text) => sum + text.length + 1, 0) - 1;
  return shown.flatMap((text, i) => {
    const start = end + 1 + Math.min(indent, text.length);
    end += text.length + 1;
    const found = marked(snippet.slice(0, end), highlights, start);
    return i === 0 ? found : [{ text: '\n', mark: false }, ...found];
  });
}
