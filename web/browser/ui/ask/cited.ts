/**
 * Which sentences of a model's answer are shown: those that cite a passage they were given, by its number (`[1]`).
 *
 * Invariants
 *  1. A sentence that cites no passage, or one that is not there, is dropped; so is one that did not end before a stop.
 *  2. At most MOST_CHARACTERS of an answer are read, and MOST_OF_EVENT of a line of the stream.
 *  3. Text stays text: views put it into text nodes.
 */
const MOST_CHARACTERS = 6_000;
const MOST_OF_EVENT = 100_000;

export interface Sentence {
  /** With its citations. */
  text: string;
  /** The passages that it cites, from 1, each once. */
  cites: number[];
}

/** Numbers in brackets, as `[2]` or `[1, 3]`. */
const CITATION = /\[(\d{1,3}(?:, ?\d{1,3}){0,9})\]/g;
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
      const to = index + end.length;
      if (ABBREVIATION.test(this.#rest.slice(from, to))) continue;
      sentences.push(this.#rest.slice(from, to));
      from = to;
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
      const prose = sentence.replace(/`[^`]*`/g, ''); // `list[1]` is code
      const numbers = [...prose.matchAll(CITATION)].flatMap(([, list = '']) => list.split(',').map(Number));
      const isKnown = numbers.every((number) => number >= 1 && number <= this.#passages);
      return numbers.length > 0 && isKnown ? [{ text: sentence.trim(), cites: [...new Set(numbers)] }] : [];
    });
  }
}

/** The text in a stream of the chat protocol: server-sent events, each `data:` with `choices[0].delta.content`. */
export async function* chatText(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop() as string;
      for (const line of lines) {
        const data = line.startsWith('data:') ? line.slice(5).trim() : '';
        if (data === '[DONE]') return;
        if (data !== '') yield contentOf(data);
      }
      if (done) return;
      if (rest.length > MOST_OF_EVENT) throw new Error(`A line of the answer has over ${MOST_OF_EVENT} characters.`);
    }
  } finally {
    await reader.cancel().catch(() => {}); // it has failed already
  }
}

function contentOf(data: string): string {
  let event: { choices?: { delta?: { content?: unknown } }[]; error?: unknown } | null;
  try {
    event = JSON.parse(data) as typeof event;
  } catch {
    throw new Error('The answer is not in the chat protocol: its events have to be JSON.');
  }
  if (event?.error) throw new Error('The endpoint reports an error within its answer.');
  const content = event?.choices?.[0]?.delta?.content;
  return typeof content === 'string' ? content : '';
}
