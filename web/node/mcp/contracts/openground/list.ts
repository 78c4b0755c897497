/**
 * `list_libraries_tool`: libraries and their versions as one object, within a budget.
 *
 * A store of two hundred libraries must not fill a client's memory. What does not fit goes in this order: all versions but the
 * newest of each library, then libraries from the end. An entry called MORE says how many, and how to see them.
 */
import { CHARACTERS_PER_TOKEN } from '../../quote.js';
import type { ToolReply } from '../../tool.js';

export const LIST_TOKENS = 1_500;
const ROOM = LIST_TOKENS * CHARACTERS_PER_TOKEN;
/** No library is called so: a name begins with a letter, a digit, @ or _. */
export const MORE = '…';
/** Room for that entry. */
const RESERVED = 160;

type Listed = ReadonlyMap<string, readonly unknown[]>;

/** Libraries whose name has the term, or whose name in small letters without signs does. Pure. */
export function having<T>(libraries: ReadonlyMap<string, T>, term: string): Map<string, T> {
  const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  const wanted = bare(term);
  return new Map(
    [...libraries].filter(([name]) => name.includes(term) || (wanted !== '' && bare(name).includes(wanted))),
  );
}

/** The object as text and as it is. `newest` picks of a library's versions the one that is kept. Pure. */
export function listed(libraries: Listed, newest: (name: string) => number): ToolReply {
  const whole = written([...libraries]);
  if (whole.length <= ROOM) return { text: whole, structured: Object.fromEntries(libraries) };
  const short = [...libraries].map(
    ([name, versions]) => [name, versions.slice(newest(name), newest(name) + 1)] as const,
  );
  let room = ROOM - RESERVED;
  const full = short.findIndex((entry) => (room -= written([entry]).length) < 0);
  const kept = full < 0 ? short : short.slice(0, full);
  const left = libraries.size - kept.length;
  const more = [
    ...(left === 0 ? ['only one version of each is listed'] : [`and ${left} libraries more, one version of each`]),
    'search_term lists those whose name has it, with all versions',
  ];
  const entries = [...kept, [MORE, [more.join('; ')]] as const];
  return { text: written(entries), structured: Object.fromEntries(entries) };
}

/** Assembled by hand: objects put names like "7" before all others. */
function written(entries: readonly (readonly [string, readonly unknown[]])[]): string {
  return `{${entries.map(([name, versions]) => `${JSON.stringify(name)}:${JSON.stringify(versions)}`).join(',')}}`;
}
