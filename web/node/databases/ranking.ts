/**
 * One list out of an engine's two signals, as Sheaf ranks its own (src/search/fusion.h, ranking.h), with what an engine tells:
 * a convex combination of normalised scores, more weight on meaning the less its words answer a query, and first what the
 * query names. Pure.
 *
 * Not here: unfinished words, and the marks by which a bundle knows what defines a name.
 */
import type { Highlight } from '../../browser/client/types.js';
import type { Candidate } from './backend.js';
import type { WordForms } from './language.js';
import { splitWords, tokensOf } from './words.js';

const SEMANTIC_WEIGHT = 0.5;
const WELL_ANSWERED = 0.3;
const NAME_BONUS = 1;
const PHRASE_BONUS = 0.5;
const TITLE_BONUS = 0.2;
const PAGE_BONUS = 0.2;
const RRF_K = 60;

export interface FuseOptions {
  query: string;
  /** The cosine of the query with the mean of all passages. */
  background: number;
  /** The highest keyword score that the query could have. */
  highest: number;
  /** undefined: chosen for the query. */
  semanticWeight: number | undefined;
  byWords: boolean;
  byMeaning: boolean;
  rrf: boolean;
}

export interface Ranked extends Candidate {
  /** Normalised, 0..1. */
  words: number;
  meaning: number;
  weight: number;
  pageBonus: number;
  score: number;
}

/** Best first. */
export function fuse(candidates: readonly Candidate[], options: FuseOptions): Ranked[] {
  const { query, background, byWords, byMeaning, rrf } = options;
  const bestWords = Math.max(0, ...candidates.map(({ keyword }) => keyword));
  const bestCosine = Math.max(background, ...candidates.map(({ cosine }) => cosine));
  const weight = weigh(options, bestWords);
  const name = nameOf(query);
  const phrase = splitWords(query).join(' ');
  const ranked = candidates.map((candidate): Ranked => {
    const words = byWords && bestWords > 0 ? candidate.keyword / bestWords : 0;
    const meaning =
      byMeaning && bestCosine > background
        ? Math.max(0, (candidate.cosine - background) / (bestCosine - background))
        : 0;
    return { ...candidate, words, meaning, weight, pageBonus: 0, score: (1 - weight) * words + weight * meaning };
  });
  if (rrf) byRanks(ranked, byWords, byMeaning);
  if (byWords) {
    for (const each of ranked) {
      const { title, headings, text } = each.row;
      let share = 0;
      if (phrase.includes(' ') && hasPhrase(text, phrase)) share += PHRASE_BONUS;
      if (name !== '' && nameOf(title) === name) share += TITLE_BONUS;
      each.score *= 1 + share;
      if (name !== '' && each.keyword > 0 && nameOf(headings.at(-1) ?? title) === name) each.score += NAME_BONUS;
    }
  }
  return ranked.sort(better);
}

function hasPhrase(text: string, phrase: string): boolean {
  const lower = text.toLowerCase();
  return phrase.split(' ').every((word) => lower.includes(word)) && splitWords(text).join(' ').includes(phrase);
}

/** Each page once, by its best passage, which the others help. */
export function byPage(ranked: readonly Ranked[]): Ranked[] {
  const pages = new Map<number, Ranked[]>();
  for (const each of ranked) pages.set(each.row.page, [...(pages.get(each.row.page) ?? []), each]);
  return [...pages.values()]
    .map(([best, ...others]) => {
      const bonus = others.reduce((sum, other, i) => sum + (Math.min(other.score, 1) * PAGE_BONUS) / 2 ** i, 0);
      return { ...(best as Ranked), pageBonus: bonus, score: (best as Ranked).score + bonus };
    })
    .sort(better);
}

function better(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.row.passage - b.row.passage;
}

function weigh({ semanticWeight, highest, byWords, byMeaning }: FuseOptions, best: number): number {
  if (!byMeaning) return 0;
  if (!byWords) return 1;
  if (semanticWeight !== undefined) return semanticWeight;
  const good = WELL_ANSWERED * highest;
  if (!(good > 0)) return SEMANTIC_WEIGHT;
  return SEMANTIC_WEIGHT / (SEMANTIC_WEIGHT + (1 - SEMANTIC_WEIGHT) * Math.sqrt(best / good));
}

function byRanks(ranked: Ranked[], byWords: boolean, byMeaning: boolean): void {
  for (const each of ranked) each.score = 0;
  const signals = [...(byWords ? (['words'] as const) : []), ...(byMeaning ? (['meaning'] as const) : [])];
  for (const signal of signals) {
    const order = [...ranked].sort((a, b) => b[signal] - a[signal] || a.row.passage - b.row.passage);
    for (const [rank, each] of order.entries())
      if (each[signal] > 0) each.score += (0.5 * (RRF_K + 1)) / (RRF_K + rank + 1);
  }
}

/** A name without what surrounds it in headings: `useMemo()`, `<KeepAlive>`. */
function nameOf(text: string): string {
  const name = text.trim().toLowerCase();
  const call = name.endsWith(')') ? name.indexOf('(', name.lastIndexOf('\n') + 1) : -1;
  return (call < 0 ? name : name.slice(0, call)).replace(/[`<>#]/g, '').trim();
}

const SNIPPET = 240;

export interface Snippet {
  snippet: string;
  highlights: Highlight[];
  kind: 'text' | 'code';
}

interface Line {
  text: string;
  isCode: boolean;
}

/**
 * The lines with most of the words (by their stems), about SNIPPET characters of them, and where the words are. Headings stand above
 * a hit anyway; they are shown where there is nothing else.
 */
export function snippetOf(text: string, stems: ReadonlySet<string>, forms: WordForms): Snippet {
  const lines = linesOf(text);
  let best = 0;
  let most = -1;
  for (const [i, line] of lines.entries()) {
    const own = forms.words(line.text).map((word) => forms.stem(word));
    const found = new Set(own.filter((stem) => stems.has(stem))).size;
    if (found > most) [best, most] = [i, found];
  }
  const isCode = lines[best]?.isCode === true;
  let snippet = '';
  for (const line of lines.slice(best)) {
    if (line.isCode !== isCode || snippet.length >= SNIPPET) break;
    snippet += `${snippet === '' ? '' : '\n'}${line.text}`;
  }
  if (snippet.length > SNIPPET) snippet = `${snippet.slice(0, SNIPPET).replace(/\s+\S*$/, '')} …`;
  snippet = snippet.trim();
  return { snippet, highlights: highlightsIn(snippet, stems, forms), kind: isCode ? 'code' : 'text' };
}

/** What a mark may enclose is looked for from each mark on. */
const MAX_LINE = 4000;
const FENCE = /^\s*(```+|~~~+)(.*)$/;
const HEADING = /^#{1,6} /;

/** What there is to show: lines that say something, without Markdown's marks. */
function linesOf(text: string): Line[] {
  const all = text.split('\n');
  const fences = all.filter((line) => FENCE.test(line));
  // A long block of code is cut: a passage may begin within one, and then its first fence closes.
  let inCode = fences.length % 2 === 1 && FENCE.exec(fences[0] as string)?.[2]?.trim() === '';
  const lines: Line[] = [];
  const headings: Line[] = [];
  for (const line of all) {
    if (FENCE.test(line)) inCode = !inCode;
    else if (line.trim() === '') continue;
    else if (inCode) lines.push({ text: line.trimEnd(), isCode: true });
    else if (HEADING.test(line)) headings.push({ text: plain(line.replace(HEADING, '')), isCode: false });
    else if (/^( {4}|\t)/.test(line)) lines.push({ text: line.trimEnd(), isCode: true });
    else if (plain(line) !== '') lines.push({ text: plain(line), isCode: false });
  }
  return lines.length > 0 ? lines : headings;
}

/** A line of prose without addresses of links, marks of emphasis, and those of tables; of a very long one the beginning. */
function plain(line: string): string {
  if (/^[\s|:-]+$/.test(line) && line.includes('--')) return '';
  return line
    .slice(0, MAX_LINE)
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/(?<![\w*`])(\*\*?|`+)(\S|\S.*?\S)\1(?![\w*`])/g, '$2')
    .replace(/^\s*\|(.*)\|\s*$/, (_, cells: string) => cells.replaceAll('|', ' ').replace(/ {2,}/g, ' ').trim())
    .trimEnd();
}

/** Where a text has one of the stems; pairs of letters that overlap are one place. */
export function highlightsIn(text: string, stems: ReadonlySet<string>, forms: WordForms): Highlight[] {
  const places: Highlight[] = [];
  for (const { word, at, length } of tokensOf(text)) {
    if (!stems.has(forms.stem(word))) continue;
    const before = places.at(-1);
    if (before !== undefined && at < before.start + before.length) before.length = at + length - before.start;
    else places.push({ start: at, length });
  }
  return places;
}
