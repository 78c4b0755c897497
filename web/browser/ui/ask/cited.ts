/**
 * Which sentences of a model's answer are shown: those that cite a passage they were given, by its number (`[1]`).
 *
 * Invariants
 *  1. A sentence that cites no passage, or one that is not there, is dropped; so is one that did not end before a stop.
 *  2. At most MOST_CHARACTERS of an answer are read.
 *  3. Text stays text: the parts of a sentence are words for text nodes.
 */
const MOST_CHARACTERS = 6_000;

/** Of a sentence: text as it stands, code between backticks, the numbers of cited passages. */
export type Part = { text: string } | { code: string } | { cites: readonly number[] };

export interface Sentence {
  /** As the model wrote it. */
  text: string;
  parts: Part[];
  /** The passages that it cites, from 1, each once. */
  cites: number[];
}

/** Code, or numbers in brackets, as `[2]` or `[1, 3]`: `list[1]` between backticks is no citation. */
const PARTS = /`([^`]+)`|\s?\[(\d{1,3}(?:, ?\d{1,3}){0,9})\]/g;
/** Citations may stand behind the full stop. The end is known once the first letter of the next sentence has come. */
const END = /(?:[.!?…]["'”’»)*]{0,3}(?= ?\[|\s)|[。！？])(?: ?\[\d[\d, ]{0,50}\])*(?=\s*[^\s[])|\n(?=[^\n[])/g;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf)\.$/i;

/** Cuts an answer, which comes in pieces, into its cited sentences. */
export class CitedSentences {
  #rest = '';
  #read = 0;
  readonly #passages: number;

  constructor(passages: number) {
    this.#passages = passages;
  }

  /** Whether the answer is as long as it may be. */
  get full(): boolean {
    return this.#read >= MOST_CHARACTERS;
  }

  /** The sentences that end in what has come. */
  push(piece: string): Sentence[] {
    const taken = piece.slice(0, MOST_CHARACTERS - this.#read);
    this.#read += taken.length;
    this.#rest += taken;
    const sentences: string[] = [];
    let from = 0;
    for (const { 0: end, index } of this.#rest.matchAll(END)) {
      const sentence = this.#rest.slice(from, index + end.length);
      if (end !== '\n' && (ABBREVIATION.test(sentence) || isWithinCode(sentence))) continue;
      sentences.push(sentence);
      from += sentence.length;
    }
    this.#rest = this.#rest.slice(from);
    return this.#cited(sentences);
  }

  /** The last sentence; none where the answer was cut at its bound. */
  end(): Sentence[] {
    return this.full ? [] : this.#cited([this.#rest]);
  }

  #cited(sentences: readonly string[]): Sentence[] {
    return sentences.flatMap((sentence) => {
      const text = sentence.trim();
      const parts = partsOf(text);
      const cites = [...new Set(parts.flatMap((part) => ('cites' in part ? part.cites : [])))];
      const isKnown = cites.every((number) => number >= 1 && number <= this.#passages);
      return cites.length > 0 && isKnown ? [{ text, parts, cites }] : [];
    });
  }
}

/** A backtick is open: what looks like an end may be code. */
const isWithinCode = (sentence: string): boolean => sentence.split('`').length % 2 === 0;

function partsOf(sentence: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const { 0: all, 1: code, 2: list = '', index } of sentence.matchAll(PARTS)) {
    if (index > from) parts.push({ text: sentence.slice(from, index) });
    parts.push(code === undefined ? { cites: list.split(',').map(Number) } : { code });
    from = index + all.length;
  }
  if (from < sentence.length) parts.push({ text: sentence.slice(from) });
  return parts;
}
