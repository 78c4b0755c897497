/**
 * The sections of the page that a reader is on, as the search offers them before anything is typed.
 *
 * Idea: the headings of the highest levels that still fit, in their order. The page's own title is none of them, since
 * it leads where the reader is. If even the highest level has too many, those around the reader's place are shown.
 *
 * Cost: linear in the headings. No DOM: controllers/page_headings.ts reads the page.
 */
export interface Heading {
  id: string;
  text: string;
  /** 1 to 6. */
  level: number;
  /** Pixels from the top of what the reader sees; negative once scrolled past. */
  top: number;
}

export interface Section {
  id: string;
  text: string;
  /** Below the highest level that is shown; 0 and up. */
  depth: number;
  /** The reader is in it. */
  current: boolean;
}

export const MOST_SECTIONS = 8;
/** Entries above the current one, where not all fit. */
const BEFORE = 2;

/** `line`: pixels from the top above which a heading counts as reached. */
export function sectionsOf(headings: readonly Heading[], line: number): Section[] {
  const titles = headings.filter(({ level }) => level === 1).length;
  const candidates = headings.filter(({ level }) => level > 1 || titles > 1);
  const levels = [...new Set(candidates.map(({ level }) => level))].sort((a, b) => a - b);
  const upTo = (most: number): Heading[] => candidates.filter(({ level }) => level <= most);
  const [highest = 1] = levels;
  const fitting = levels.filter((level) => upTo(level).length <= MOST_SECTIONS);
  const shown = upTo(fitting.at(-1) ?? highest);
  let current = -1;
  shown.forEach(({ top }, i) => top <= line && (current = i));
  const from = Math.max(0, Math.min(current - BEFORE, shown.length - MOST_SECTIONS));
  return shown
    .map(({ id, text, level }, i) => ({ id, text, depth: levels.indexOf(level), current: i === current }))
    .slice(from, from + MOST_SECTIONS);
}
