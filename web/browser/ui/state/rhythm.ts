/**
 * When a half-typed query is worth a search.
 *
 * A library in memory answers every key at once and for nothing. One that is read by ranges pays for each search in
 * requests, and a list that is replaced by the next key serves nobody. So there
 *
 *   - words are searched when one is complete (a space behind it), and when the reader rests;
 *   - meaning waits for a rest: a pause longer than this reader's own between keys, or a pasted or dictated text. (A space
 *     behind the third word is none: whoever types on replaces that list before it is there, for 6 requests and 35 kB.)
 *
 * A fixed pause would be too short for whoever types slowly and too long for whoever types fast, so it follows the
 * rhythm of the last keys. Inside a word, most pauses end with its next letter; behind a word that the documentation
 * has, most end the query, so there a shorter one will do. Pure but for what it remembers of them; times are milliseconds of one clock.
 */

/** Milliseconds to wait; `words` is undefined where nothing is searched before `all`. */
export interface Plan {
  words: number | undefined;
  all: number;
  /** Instead of `all`, should the last word turn out to be one of the documentation's; undefined: no need to ask. */
  known?: number;
}

export interface PlanContext {
  query: string;
  /** The query before this key. */
  before: string;
  now: number;
  /** Whether searches cost requests; so it is taken to be while the library opens. */
  lazy: boolean;
  /** For libraries in memory; 0 searches at each key anywhere. */
  debounce: number;
}

/** What is assumed of a reader who has not typed yet. */
const USUAL_GAP = 160;
/** A rest is this many of the reader's gaps between keys, within bounds. */
const GAPS_OF_REST = { known: 1.1, other: 1.4 };
const SHORTEST_REST = { known: 120, other: 200 };
const LONGEST_REST = 500;
/** A longer gap is thought, not rhythm. */
const LONGEST_GAP = 1000;
/** Weight of the newest gap in the mean. */
const NEWEST = 0.3;

export class Rhythm {
  #gap = USUAL_GAP;
  #last = -Infinity;

  /** What to search after a key, and when. */
  plan({ query, before, now, lazy, debounce }: PlanContext): Plan {
    const gap = now - this.#last;
    this.#last = now;
    if (gap > 0 && gap < LONGEST_GAP) this.#gap += (gap - this.#gap) * NEWEST;
    if (debounce <= 0) return { words: undefined, all: 0 };
    if (!lazy) return { words: undefined, all: debounce };
    if (isJump(before, query)) return { words: undefined, all: 0 };
    const all = this.#rest('other');
    if (!query.startsWith(before)) return { words: undefined, all }; // taking letters back
    return /\S\s$/u.test(query) ? { words: 0, all } : { words: undefined, all, known: this.#rest('known') };
  }

  #rest(word: 'known' | 'other'): number {
    return Math.round(Math.min(Math.max(this.#gap * GAPS_OF_REST[word], SHORTEST_REST[word]), LONGEST_REST));
  }
}

/** More than a key: pasted, dictated, or chosen from a list. */
function isJump(before: string, query: string): boolean {
  return Math.abs([...query].length - [...before].length) > 1;
}
