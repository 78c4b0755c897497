/**
 * From ranked passages to what a reply quotes: of each page its best places, whole sections where they are short, and the code
 * that a sentence announces.
 *
 * Idea: a passage is cut for ranking, not for reading, and a match costs an agent its address and title besides. So the hits
 * of one page become one match, with its places in reading order. A text that ends in a colon, inside a code block, or with a
 * heading goes on to the block that it announces; the best match quotes a short section whole. Each place then knows which
 * part matched, so that a small budget keeps that part.
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
/** What a place may gain by the block that it announces. */
const MOST_ADDED = 1_600;
/** Places of all matches together, for each match that was asked for: more than most replies have room for. */
const PLACES = 2;

export interface Match {
  hit: Hit;
  /** In reading order. */
  places: Place[];
}

export interface Place {
  /** Among the places of all matches: 0 is the best one. */
  rank: number;
  /** The number of its first passage, and of the last one that is quoted whole. */
  first: number;
  last: number;
  /** What the hit's own passage begins, and what is quoted above it. */
  text: string;
  above: string;
  /** The text goes on to a block that the hit's passage announces. */
  announces: boolean;
}

/** At most `count` matches that `hits` make. `context`: neighbouring passages to quote on each side, instead of what fits. */
export async function matchesOf(
  library: Library,
  hits: readonly Hit[],
  count: number,
  context: number,
  options: CallOptions,
): Promise<Match[]> {
  const reader = new Reader(library, options);
  const matches = new Map<number, Match>();
  let rank = 0;
  for (const hit of hits) {
    if (rank === (context > 0 ? count : PLACES * count)) break;
    const match = matches.get(hit.page) ?? { hit, places: [] };
    if (reader.isTaken(hit.passage) || (match.places.length === 0 && matches.size === count)) continue;
    reader.take(hit.passage);
    matches.set(hit.page, match);
    match.places.push({ rank, ...(await placeOf(reader, hit.passage, rank === 0, context)) });
    rank++;
  }
  for (const { places } of matches.values()) places.sort((a, b) => a.first - b.first);
  return [...matches.values()];
}

async function placeOf(reader: Reader, id: number, isBest: boolean, context: number): Promise<Omit<Place, 'rank'>> {
  const own = await reader.passage(id);
  const { above, below } =
    context > 0
      ? await neighbours(reader, own, context)
      : isBest
        ? await section(reader, own)
        : { above: [], below: [] };
  const text = joined([own, ...below]);
  const last = below.at(-1) ?? own;
  const more = context > 0 ? '' : await announced(reader, last, text);
  return {
    first: id - above.length,
    last: id + below.length,
    text: text + more,
    above: joined(above),
    announces: more !== '',
  };
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

  isTaken(id: number): boolean {
    return this.#taken.has(id);
  }

  /** Undefined beyond the bundle's ends, and for a passage that is quoted already. */
  async free(id: number): Promise<Passage | undefined> {
    return id < 0 || id >= this.#library.info.passages || this.#taken.has(id) ? undefined : this.passage(id);
  }
}

interface Around {
  above: Passage[];
  below: Passage[];
}

/** As many passages of the page on each side as were asked for. */
async function neighbours(reader: Reader, own: Passage, count: number): Promise<Around> {
  const side = async (step: 1 | -1): Promise<Passage[]> => {
    const found: Passage[] = [];
    for (let id = own.id + step; found.length < count; id += step) {
      const passage = await reader.free(id);
      if (passage === undefined || passage.page !== own.page) break;
      reader.take(id);
      found.push(passage);
    }
    return found;
  };
  const above = await side(-1);
  return { above: above.reverse(), below: await side(1) };
}

/** The rest of the section where it is short. */
async function section(reader: Reader, own: Passage): Promise<Around> {
  const room = SHORT_SECTION - own.text.length;
  const above = await restOfSection(reader, own, -1, room);
  const below = above === undefined ? undefined : await restOfSection(reader, own, 1, room - joined(above).length);
  if (above === undefined || below === undefined) return { above: [], below: [] };
  for (const { id } of [...above, ...below]) reader.take(id);
  return { above, below };
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
