/**
 * How a reply without `max_tokens` spends its room: the best match whole, as far as it goes, the further ones shorter.
 *
 * The room was chosen with tests/agents: the first reply answers as often as one without bounds.
 */
import { closed, blocksOf, CHARACTERS_PER_TOKEN } from '../../quote.js';

export const REPLY_TOKENS = 1_000;
export const REPLY_CHARACTERS = REPLY_TOKENS * CHARACTERS_PER_TOKEN;
/** What each match may say before the best one gets more. */
const LEAST = 280;
/** Share of the room for the best match, where the others need theirs. */
const BEST = 0.45;

/** Characters for each text, of those that it has. Pure. */
export function allot(lengths: readonly number[], room: number): number[] {
  if (room === Infinity) return [...lengths];
  const [best = 0, ...rest] = lengths;
  const least = rest.reduce((sum, length) => sum + Math.min(length, LEAST), 0);
  const own = Math.min(best, Math.max(room * BEST, room - least, LEAST));
  const given = [own];
  let left = room - own;
  rest.forEach((length, i) => {
    const share = Math.min(length, Math.max(LEAST, Math.floor(left / (rest.length - i))));
    left -= share;
    given.push(share);
  });
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
