/**
 * How a reply without `max_tokens` spends its room: the best place whole, as far as it goes, the further ones shorter, as many
 * as there is room for.
 *
 * The room and its shares were chosen with tests/agents: neighbouring figures answer as many questions.
 */
import { closed, blocksOf, CHARACTERS_PER_TOKEN } from '../../quote.js';

export const REPLY_TOKENS = 1_000;
export const REPLY_CHARACTERS = REPLY_TOKENS * CHARACTERS_PER_TOKEN;
/** What the best place may say, a further one, and one more for the block that it announces, before any gets more. */
const BEST = 1_200;
const FURTHER = 700;
const ANNOUNCED = 600;
/** What the best place of each match is sure of, and what a further one must at least have room for. */
const LEAST = 150;

export interface Wanted {
  length: number;
  rank: number;
  announces: boolean;
  /** The best place of its match, which no reply leaves out. */
  leads: boolean;
}

/** Characters for each place; 0: it is left out. `between`: what stands before a further place of a match. Pure. */
export function allot(places: readonly Wanted[], room: number, between: number): number[] {
  if (room === Infinity) return places.map(({ length }) => length);
  const given = places.map(() => 0);
  const order = [...places.keys()].sort((a, b) => (places[a] as Wanted).rank - (places[b] as Wanted).rank);
  const least = (place: Wanted): number => (place.leads ? Math.min(place.length, LEAST) : 0);
  let left = places.reduce((sum, place) => sum - least(place), room);
  for (const [at, i] of order.entries()) {
    const place = places[i] as Wanted;
    const { length, leads, announces } = place;
    const own = least(place) + Math.max(0, left) - (leads ? 0 : between);
    if (!leads && own < Math.min(length, LEAST)) continue;
    const share = at === 0 ? BEST : FURTHER + (announces ? ANNOUNCED : 0);
    given[i] = Math.min(length, own, share);
    left -= given[i] - least(place) + (leads ? 0 : between);
  }
  for (const i of order) {
    const more = given[i] === 0 ? 0 : Math.max(0, Math.min((places[i] as Wanted).length - (given[i] as number), left));
    given[i] = (given[i] as number) + more;
    left -= more;
  }
  return given;
}

/** The text up to a border of blocks or lines within `length`, with a mark where something is missing. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, Math.max(length - MARK, 40));
  const whole = blocksOf(kept).slice(0, -1).join('');
  const line = kept.lastIndexOf('\n');
  const part = whole.length > kept.length / 2 ? whole : line > kept.length / 2 ? kept.slice(0, line) : kept;
  return closed(`${part.replace(/[\ud800-\udbff]$/, '').trimEnd()} …`);
}

/** Room for the mark and the end of a code block. */
const MARK = 8;
