/**
 * Words, as simply as will do for what engines do not tell: which words a text has, and which of a query's. Pure.
 * The engines' own analysis decides what is found, and where it is asked for the words of a query it is Sheaf's encoder that says
 * which of them are words at all (query_vectors.ts). What a language makes of a word is in language.ts.
 */
import { edits } from '../base/edits.js';

/** Those of docs/analysis.md, section 4. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are arent as at be because been being but by can cannot cant could couldnt did didnt do
  does doesnt doing done dont each either for from had has hasnt have havent having he her here his how i if in into is isnt it
  its just may me might must my no nor of off on onto or our ours out over own please shall she should shouldnt so some such than
  that the their them then there these they this those to too upon us very was wasnt we were werent what when where whether which
  while who whom whose why will with wont would wouldnt you your yours`.split(/\s+/),
);
export const MAX_LENGTH = 64;

/** Letters of scripts without spaces: the class `dense` of docs/analysis.md, section 1. */
export const DENSE: readonly (readonly [first: number, last: number])[] =
  `02C7 02C9-02CB 0E01-0E3A 0E40-0E4E 0E81-0E82 0E84 0E86-0E8A 0E8C-0EA3 0EA5 0EA7-0EBD 0EC0-0EC4 0EC6 0EC8-0ECE
  0EDC-0EDF 1000-103F 1050-108F 109A-109D 1100-115E 1161-11FF 1780-17B3 17B6-17D3 17D7 17DC-17DD 1950-196D 1970-1974
  1980-19AB 19B0-19C9 1A20-1A5E 1A60-1A7C 1A7F 1AA7 3005-3007 3021-3029 302E-302F 3031-3035 3038-303C 3041-3096
  309D-309F 30A1-30FA 30FC-30FF 3105-312F 3131-3163 3165-318E 31A0-31BF 31F0-31FF 3400-4DBF 4E00-A48C A960-A97C
  A9E0-A9EF A9FA-A9FE AA60-AA76 AA7A-AAC2 AADB-AADD AC00-D7A3 D7B0-D7C6 D7CB-D7FB F900-FA6D FA70-FAD9 FF66-FF9D
  FFA1-FFBE FFC2-FFC7 FFCA-FFCF FFD2-FFD7 FFDA-FFDC 1AFF0-1AFF3 1AFF5-1AFFB 1AFFD-1AFFE 1B000-1B122 1B132 1B150-1B152
  1B155 1B164-1B167 20000-3347F`
    .split(/\s+/)
    .map((range) => range.split('-').map((point) => Number.parseInt(point, 16)))
    .map(([first = 0, last = first]) => [first, last]);

/** What the core passes over within them: voiced sound marks that stand alone, and spaces without width. */
export const PASSED_OVER = String.raw`\u3099\u309a\uff9e\uff9f\u200b-\u200d\u2060\ufeff`;

const dense = `[${DENSE.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('')}]`;
const WORD = new RegExp(`${dense}(?:${dense}|[${PASSED_OVER}])*|(?:(?!${dense})[\\p{L}\\p{M}\\p{N}_])+`, 'gu');
/** One letter, with its marks; of Hangul a syllable, also where it is decomposed. */
const UNIT = new RegExp(`(?:[\u1100-\u115e][\u1161-\u11a7][\u11a8-\u11ff]?|${dense})[${PASSED_OVER}]*`, 'gu');
const IS_DENSE = new RegExp(`^${dense}`, 'u');

export interface Token {
  /** As it is written; of scripts without spaces a pair of letters, in their usual width. */
  word: string;
  /** In UTF-16 units of the text. */
  at: number;
  length: number;
}

/** Words in order; scripts without spaces are cut into pairs of letters, as the core cuts them. */
export function* tokensOf(text: string): Generator<Token> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!IS_DENSE.test(word)) {
      yield { word, at: index, length: word.length };
      continue;
    }
    let before: RegExpExecArray | undefined;
    for (const unit of word.matchAll(UNIT)) {
      if (before !== undefined) yield pairOf(index, before, unit);
      before = unit;
    }
    if (before?.index === 0) yield pairOf(index, before); // a letter that stands alone
  }
}

function pairOf(at: number, first: RegExpExecArray, second?: RegExpExecArray): Token {
  const last = second ?? first;
  const length = last.index + last[0].length - first.index;
  const word = `${first[0]}${second?.[0] ?? ''}`.normalize('NFKC').replace(INVISIBLE, '');
  return { word, at: at + first.index, length };
}

const INVISIBLE = /[\u200b-\u200d\u2060\ufeff]/g;

/** Words in lower case, in order. */
export function splitWords(text: string): string[] {
  return Array.from(tokensOf(text), ({ word }) => word.toLowerCase());
}

/** Whether a word that nothing has may be a mistyped one, and how many edits are forgiven. */
export function forgiven(word: string): number {
  if (word.length < 4 || !/^\p{L}+$/u.test(word)) return 0;
  return word.length < 8 ? 1 : 2;
}

/** The likeliest of `terms` for a mistyped word: fewest edits, then the most pages. */
export function corrected(word: string, terms: readonly { term: string; pages: number }[]): string | undefined {
  const most = forgiven(word);
  let best: { term: string; edits: number; pages: number } | undefined;
  for (const { term, pages } of terms) {
    const count = edits(word, term, most);
    if (count === 0 || count > most) continue;
    if (best === undefined || count < best.edits || (count === best.edits && pages > best.pages))
      best = { term, edits: count, pages };
  }
  return best?.term;
}

export function idf(pages: number, having: number): number {
  const n = Math.min(having, pages);
  return Math.log(1 + (pages - n + 0.5) / (n + 0.5));
}

/** Counts in how many pages words occur; pages come one after the other. */
export class PageFrequencies {
  readonly counts = new Map<string, number>();
  readonly #last = new Map<string, number>();

  add(page: number, words: Iterable<string>): void {
    for (const word of words) {
      if (word.length > MAX_LENGTH || this.#last.get(word) === page) continue;
      this.#last.set(word, page);
      this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
    }
  }
}
