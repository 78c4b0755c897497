/**
 * From ranked passages to what a reply quotes: whole sections where they are short, and the code that a sentence announces.
 *
 * Idea: a passage is cut for ranking, not for reading. Neighbouring hits of one section become one match, in reading order.
 * A text that ends in a colon, inside a code block, or with a heading goes on to the block that it announces; a short
 * section is quoted whole. Each match then knows which part matched, so that a small budget keeps that part.
 *
 * Invariants
 *  1. A passage is quoted at most once in a reply.
 *  2. Matches keep the order of their best passages.
 *
 * Cost: a few passages more a match, which lie beside it in the bundle.
 */
import type { CallOptions, Hit, Library, Passage } from '../../../../browser/client/types.js';
import { blocksOf, openFence } from '../../quote.js';

/** A section of this length is quoted whole; characters. */
const SHORT_SECTION = 1_200;
/** What a match may gain by the block that it announces. */
const MOST_ADDED = 1_600;
/** Passages that lie between two hits of one match. */
const GAP = 1;

export interface Match {
  hit: Hit;
  /** What the hit's own passage begins, and what is quoted above it. */
  text: string;
  above: string;
}

/** The first `count` matches that `hits` make. `context`: neighbouring passages to quote on each side, instead of what fits. */
export async function matchesOf(
  library: Library,
  hits: readonly Hit[],
  count: number,
  context: number,
  options: CallOptions,
): Promise<Match[]> {
  const reader = new Reader(library, options);
  const runs = runsOf(hits, count);
  for (const { first, last } of runs) for (let id = first; id <= last; id++) reader.take(id);
  const matches: Match[] = [];
  for (const { hit, first, last } of runs) {
    const run: Passage[] = [];
    for (let id = first; id <= last; id++) run.push(await reader.passage(id));
    const { before, after } = context > 0 ? await neighbours(reader, run, context) : await completed(reader, run);
    const own = hit.passage - first;
    matches.push({ hit, text: joined(run.slice(own)) + after, above: before + joined(run.slice(0, own)) });
  }
  return matches;
}

interface Run {
  /** The best of its hits. */
  hit: Hit;
  /** Numbers of passages. */
  first: number;
  last: number;
}

/** Neighbouring hits of one section as one run. Of later hits only as many are looked at as `count` runs take. Pure. */
function runsOf(hits: readonly Hit[], count: number): Run[] {
  const runs: Run[] = [];
  for (const [rank, hit] of hits.entries()) {
    const beside = runs.find(
      ({ hit: best, first, last }) =>
        isSameSection(best, hit) && hit.passage >= first - 1 - GAP && hit.passage <= last + 1 + GAP,
    );
    if (beside === undefined && runs.length < count) runs.push({ hit, first: hit.passage, last: hit.passage });
    else if (beside !== undefined && rank < count) {
      beside.first = Math.min(beside.first, hit.passage);
      beside.last = Math.max(beside.last, hit.passage);
    }
  }
  return runs;
}

type Placed = Pick<Passage, 'page' | 'anchor' | 'headings'>;

function isSameSection(a: Placed, b: Placed): boolean {
  return a.page === b.page && a.anchor === b.anchor && isWithin(a, b) && isWithin(b, a);
}

/** Whether `inner` stands below the headings of `outer`. */
function isWithin(outer: Placed, inner: Placed): boolean {
  return outer.page === inner.page && outer.headings.every((heading, i) => inner.headings[i] === heading);
}

class Reader {
  readonly #library: Library;
  readonly #options: CallOptions;
  readonly #taken = new Set<number>();

  constructor(library: Library, options: CallOptions) {
    this.#library = library;
    this.#options = options;
  }

  passage(id: number): Promise<Passage> {
    return this.#library.passage(id, this.#options);
  }

  take(id: number): void {
    this.#taken.add(id);
  }

  /** Undefined beyond the bundle's ends, and for a passage that is quoted already. */
  async free(id: number): Promise<Passage | undefined> {
    return id < 0 || id >= this.#library.info.passages || this.#taken.has(id) ? undefined : this.passage(id);
  }
}

interface Around {
  before: string;
  after: string;
}

/** As many passages of the page on each side as were asked for. */
async function neighbours(reader: Reader, passages: readonly Passage[], count: number): Promise<Around> {
  const side = async (start: number, step: 1 | -1): Promise<string[]> => {
    const texts: string[] = [];
    for (let id = start; texts.length < count; id += step) {
      const passage = await reader.free(id);
      if (passage === undefined || passage.page !== passages[0]?.page) break;
      reader.take(id);
      texts.push(passage.text);
    }
    return texts;
  };
  const [first, last] = [passages[0] as Passage, passages.at(-1) as Passage];
  const before = await side(first.id - 1, -1);
  return { before: before.reverse().join(''), after: (await side(last.id + 1, 1)).join('') };
}

/** The whole section where it is short, and the block that the text announces. */
async function completed(reader: Reader, passages: readonly Passage[]): Promise<Around> {
  const [first, last] = [passages[0] as Passage, passages.at(-1) as Passage];
  const matched = joined(passages);
  const room = SHORT_SECTION - matched.length;
  const above = await restOfSection(reader, first, -1, room);
  const below = above === undefined ? undefined : await restOfSection(reader, last, 1, room - joined(above).length);
  const isShort = above !== undefined && below !== undefined;
  const [before, after] = isShort ? [above, below] : [[], []];
  for (const { id } of [...before, ...after]) reader.take(id);
  const rest = joined(after);
  return { before: joined(before), after: rest + (await announced(reader, after.at(-1) ?? last, matched + rest)) };
}

/** The section's other passages on one side, in reading order. Undefined where they are longer than `room`. */
async function restOfSection(
  reader: Reader,
  edge: Passage,
  step: 1 | -1,
  room: number,
): Promise<Passage[] | undefined> {
  const rest: Passage[] = [];
  for (let id = edge.id + step; ; id += step) {
    const passage = await reader.free(id);
    if (passage === undefined || !isSameSection(edge, passage)) return step < 0 ? rest.reverse() : rest;
    room -= passage.text.length;
    if (room < 0) return undefined;
    rest.push(passage);
  }
}

/** What follows `last` up to the end of the block that `text` announces; of an empty section, the beginning of those below it. */
async function announced(reader: Reader, last: Passage, text: string): Promise<string> {
  let added = '';
  for (let id = last.id + 1; announces(text + added); id++) {
    const passage = await reader.free(id);
    if (passage === undefined || !isWithin(last, passage)) break;
    reader.take(id);
    for (const [i, block] of blocksOf(passage.text).entries()) {
      const goesOn = i > 0 && isItem(block) && isItem(lastBlock(added));
      if (added.length + block.length > MOST_ADDED || !(goesOn || announces(text + added))) return added;
      added += block;
    }
  }
  return added;
}

/** Whether the text ends with a heading or a colon, or inside a code block. */
function announces(text: string): boolean {
  const end = lastBlock(text).trimEnd();
  return openFence(text) !== undefined || /^#{1,6}\s/.test(end) || /[:\uff1a][*_]{0,3}$/.test(end);
}

const lastBlock = (text: string): string => blocksOf(text).at(-1) ?? '';

const isItem = (block: string): boolean => /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(block);

const joined = (passages: readonly Passage[]): string => passages.map(({ text }) => text).join('');
