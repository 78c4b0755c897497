/**
 * Words, as simply as will do for what engines do not tell: which words of a query a passage has. Pure.
 * The engines' own analysis decides what is found, and where it is asked for the words of a query it is Sheaf's encoder that says
 * which of them are words at all (query_vectors.ts). The core's stems stay in the core: giving them out would cost every page that
 * searches in a browser 0.4 kB more.
 */
import { edits } from '../host/edits.js';

/** Those of docs/analysis.md, section 4. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are arent as at be because been being but by can cannot cant could couldnt did didnt do
  does doesnt doing done dont each either for from had has hasnt have havent having he her here his how i if in into is isnt it
  its just may me might must my no nor of off on onto or our ours out over own please shall she should shouldnt so some such than
  that the their them then there these they this those to too upon us very was wasnt we were werent what when where whether which
  while who whom whose why will with wont would wouldnt you your yours`.split(/\s+/),
);
const MAX_WORDS = 64;
const MAX_LENGTH = 64;

/** Words in lower case, in order. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** The words of a query that say something, each once; all of them, where none does. */
export function queryWords(query: string): string[] {
  const all = [...new Set(splitWords(query))].filter((word) => word.length <= MAX_LENGTH).slice(0, MAX_WORDS);
  const content = all.filter((word) => !FUNCTION_WORDS.has(word));
  return content.length > 0 ? content : all;
}

/** What forms of an English word share, roughly. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const cut = word.replace(/(ies|ied)$/, 'y').replace(/(ings?|edly|ed|ers?|es|ly|s)$/, '');
  return (cut.length >= 3 ? cut : word).replace(/e$/, '').replace(/([b-df-hj-np-tv-z])\1$/, '$1');
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

  add(page: number, text: string): void {
    for (const word of splitWords(text)) {
      if (word.length > MAX_LENGTH || this.#last.get(word) === page) continue;
      this.#last.set(word, page);
      this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
    }
  }
}
