/**
 * The sections of a page, as its passages tell them, and where a long page may stop.
 *
 * Idea: a passage knows its anchor and the headings above it, so a section is a run of passages: from the first one at
 * the anchor to the last whose headings continue its own. Text is never searched for headings. A heading directly above
 * another one has no passage of its own; its section is found by the name that generators make of a heading.
 *
 * Pure. Cost: linear in the passages.
 */
import type { Page, Passage } from './types.js';
import { decodePercent } from './percent.js';

export interface Section {
  anchor: string;
  /** Headings from the outermost to its own. */
  headings: readonly string[];
  /** Passages: the first, and the one after the last. */
  first: number;
  end: number;
  /** Characters of the page. */
  from: number;
  to: number;
}

/** Where each passage begins in the page's text; one more for its end. */
export function startsOf({ passages }: Page): number[] {
  const starts = [0];
  for (const { text } of passages) starts.push((starts.at(-1) as number) + text.length);
  return starts;
}

/** Every section, in order, outer ones before those within them. Passages without an anchor begin none. */
export function sectionsOf(page: Page): Section[] {
  const { passages } = page;
  const starts = startsOf(page);
  const sections: Section[] = [];
  passages.forEach((passage, first) => {
    const { anchor, headings } = passage;
    const before = passages[first - 1];
    if (anchor === '' || (before !== undefined && isSame(before, passage))) return;
    // Headings above its own that begin here, too: they have no text, and so no passage.
    const shared = before === undefined ? 0 : common(before.headings, headings);
    for (let depth = shared + 1; depth < headings.length; depth++) {
      const outer = headings.slice(0, depth);
      sections.push(run(page, starts, first, slug(outer.at(-1) as string), outer));
    }
    sections.push(run(page, starts, first, anchor, headings));
  });
  return sections;
}

/** The section at an anchor, with those below it. */
export function sectionAt(page: Page, anchor: string): Section | undefined {
  const wanted = decodePercent(anchor);
  const sections = sectionsOf(page);
  const stated = new Set(page.passages.map((passage) => passage.anchor));
  const named = slug(wanted);
  return (
    sections.find((section) => section.anchor === wanted && stated.has(wanted)) ??
    sections.find((section) => section.anchor.toLowerCase() === wanted.toLowerCase()) ??
    (named === ''
      ? undefined
      : sections.find((section) => slug(section.anchor) === named || slug(section.headings.at(-1) ?? '') === named))
  );
}

/** Sections directly below `within`, or the outermost ones of the page. */
export function outline(sections: readonly Section[], within?: Section): Section[] {
  const inside = sections.filter(
    (section) =>
      section !== within && (within === undefined || (section.first >= within.first && section.end <= within.end)),
  );
  const top: Section[] = [];
  for (const section of inside) {
    const last = top.at(-1);
    if (last === undefined || section.first >= last.end) top.push(section);
  }
  return top;
}

/**
 * The last border between two sections that lies after `offset` and not beyond `reach`, if it leaves at least half of
 * the room used; of several near the end, one between outer sections.
 */
export function headingBorder(page: Page, offset: number, reach: number): number | undefined {
  const half = offset + (reach - offset) / 2;
  const borders = sectionsOf(page).filter(({ from }) => from > half && from <= reach);
  const [best] = borders.sort((a, b) => a.headings.length - b.headings.length || b.from - a.from);
  return best?.from;
}

function run(
  page: Page,
  starts: readonly number[],
  first: number,
  anchor: string,
  headings: readonly string[],
): Section {
  const { passages } = page;
  let end = first + 1;
  while (end < passages.length && continues(passages[end] as Passage, anchor, headings)) end++;
  return { anchor, headings, first, end, from: starts[first] as number, to: starts[end] as number };
}

function continues(passage: Passage, anchor: string, headings: readonly string[]): boolean {
  if (!headings.every((heading, i) => passage.headings[i] === heading)) return false;
  return passage.headings.length > headings.length || passage.anchor === anchor;
}

function common(a: readonly string[], b: readonly string[]): number {
  const differs = b.findIndex((heading, i) => a[i] !== heading);
  return differs < 0 ? b.length : differs;
}

function isSame(a: Passage, b: Passage): boolean {
  return a.anchor === b.anchor && a.headings.length === b.headings.length && continues(b, a.anchor, a.headings);
}

/** As generators make anchors of headings, roughly: lower case, words joined by hyphens. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
