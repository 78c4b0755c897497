/**
 * Words as they are written. The index has them folded: `loschen`, which nobody writes. What a reader is told of a
 * correction takes its spelling from the hits. Pure.
 */
import { markedWords } from './marked_words.js';
import { SPELLED } from './spelled_letters.js';
import type { Hit, SearchAnswer } from './types.js';

const SPELLED_LETTER = new RegExp(`[${Object.keys(SPELLED).join('')}]`, 'g');

/** A digit of any script as ASCII has it: zeros end in 0 or, where 5 is no digit, in 6. */
const digit = (letter: string): string => {
  const code = letter.codePointAt(0) as number;
  return `${(code - (/\p{Nd}/u.test(String.fromCodePoint((code & ~15) | 5)) ? 0 : 6)) & 15}`;
};

/**
 * A word as the index has it (docs/analysis.md, section 1), where its script is an alphabet. In others it may be another
 * word, which is none of the index. With the browser's Unicode data: docs/decisions/0036-folding-in-the-page.md.
 */
export const folded = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}'’]/gu, '')
    .replace(/(?<=l)·/gi, '') // ŀ, l·l
    .replace(/\p{Nd}/gu, digit)
    .toLowerCase() // of ẞ, ß
    .toUpperCase() // of which SS, and of ı, I
    .toLowerCase()
    .replace(/ς/g, 'σ')
    .replace(SPELLED_LETTER, (letter) => SPELLED[letter] as string);

/**
 * A term as the hits have it, in small letters where one does; as it is where none has it, and where only capitals
 * differ: most are those of a heading.
 */
export function asWritten(term: string, hits: readonly Hit[]): string {
  const written = hits.flatMap(markedWords).filter((word) => word.toLowerCase() !== term && folded(word) === term);
  return written.sort().at(-1) ?? term; // capitals first, then letters without accents
}

const partPattern = (word: string): RegExp => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') || '$^', 'giu');

/**
 * The query with its mistyped words replaced, or '' when nothing was mistyped. Words are written as the hits write
 * them: the index knows no accents.
 */
export function correctedQuery(
  query: string,
  corrections: SearchAnswer['corrections'],
  hits: readonly Hit[] = [],
): string {
  const like = (typed: string, term: string): string => {
    const written = asWritten(term, hits);
    return /^\p{Lu}/u.test(typed) ? written.charAt(0).toUpperCase() + written.slice(1) : written;
  };
  const corrected = query.replace(/[\p{L}\p{M}\p{N}](?:(?:['’]|(?<=l)·(?=l))?[\p{L}\p{M}\p{N}\p{Cf}])*/giu, (typed) => {
    const whole = corrections.find(({ word }) => folded(typed) === word);
    if (whole !== undefined) return like(typed, whole.term);
    // Part of a name (watchEfect), or behind an article (l’imge).
    return corrections.reduce(
      (name, { word, term }) =>
        name.replace(partPattern(word), (part, at: number, all: string) =>
          /^\p{Ll}/u.test(all.slice(at + part.length)) ? part : like(part, term),
        ),
      typed,
    );
  });
  return corrected === query ? '' : corrected;
}
