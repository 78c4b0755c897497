/**
 * The scope of a search. Pure functions of the installed libraries.
 *
 * A scope is a short text: '' everything (of each library its newest version), `vue` one library, `vue@3.4` one of its
 * versions, `vue@*` all of its versions side by side, or the name of a group. A query may begin with one, and a colon:
 * `py: asyncio timeout`. Only names that are known count, so `std::vector` and `http://…` stay words. A group hides a
 * library of the same name.
 */
import { compareVersions } from './offers.js';
import { publisherOf } from './plain.js';
import type { Group, LibraryRecord } from './types.js';

type Installed = Pick<LibraryRecord, 'id' | 'library' | 'version' | 'title' | 'language' | 'origin'>;

/** Letters of a title in a badge. */
const MOST_TITLE = 18;
const PREFIX = /^\s*([^\s:]{1,160}):(?!:|\/\/)\s*/;

export interface ScopedQuery {
  query: string;
  /** undefined: the query names none. */
  scope: string | undefined;
}

export function splitQuery(text: string, libraries: readonly Installed[], groups: readonly Group[]): ScopedQuery {
  const match = PREFIX.exec(text);
  const scope = match === null ? undefined : knownScope(match[1] as string, libraries, groups);
  return scope === undefined
    ? { query: text, scope }
    : { query: text.slice((match as RegExpExecArray)[0].length), scope };
}

/** The scope as it is written, or undefined where nothing installed goes by that name. */
export function knownScope(
  name: string,
  libraries: readonly Installed[],
  groups: readonly Group[],
): string | undefined {
  const wanted = name.toLowerCase();
  const group = groups.find((each) => each.name.toLowerCase() === wanted);
  if (group !== undefined) return group.name;
  const found = libraries.find(({ library }) => library.toLowerCase() === wanted);
  if (found !== undefined) return found.library;
  const side = libraries.find(({ library }) => `${library.toLowerCase()}@*` === wanted);
  if (side !== undefined) return `${side.library}@*`;
  return libraries.find(({ id }) => id.toLowerCase() === wanted)?.id;
}

/** Positions in `libraries` of what a scope holds; none for a scope of nothing. */
export function inScope(scope: string, libraries: readonly Installed[], groups: readonly Group[]): number[] {
  const all = libraries.map((_, i) => i);
  if (scope === '') return newest(all, libraries);
  const group = groups.find(({ name }) => name === scope);
  if (group !== undefined)
    return [...new Set(group.members.flatMap((member) => named(member, all, libraries)))].sort((a, b) => a - b);
  return named(scope, all, libraries);
}

function named(name: string, all: readonly number[], libraries: readonly Installed[]): number[] {
  const at = (i: number): Installed => libraries[i] as Installed;
  const exact = all.filter((i) => at(i).id === name);
  if (exact.length > 0) return exact;
  if (name.endsWith('@*')) return all.filter((i) => `${at(i).library}@*` === name);
  return newest(
    all.filter((i) => at(i).library === name),
    libraries,
  );
}

/** Of each library of each publisher, the newest version in each of its languages: no name hides another's. */
function newest(positions: readonly number[], libraries: readonly Installed[]): number[] {
  const best = new Map<string, number>();
  for (const i of positions) {
    const { library, language, version, origin } = libraries[i] as Installed;
    const key = `${library} ${language} ${publisherOf(origin)}`;
    const known = best.get(key);
    if (known === undefined || compareVersions(version, (libraries[known] as Installed).version) > 0) best.set(key, i);
  }
  return [...best.values()].sort((a, b) => a - b);
}

/** Tells a library from the others in scope: by title and version, and by language and publisher where they differ. */
export function labelOf(library: Installed, scope: readonly Installed[]): string {
  const same = scope.filter((each) => each.library === library.library);
  if (scope.length < 2) return '';
  // A long title would leave a row of the popup no room for the page's; the name is what scopes are typed by.
  const short = library.title.length > MOST_TITLE ? library.library : library.title;
  const isAlone = same.length === scope.length;
  const isNumbered = /^v?\d/.test(library.version); // others are long, and say little: `local-2026-11-29`
  const told = [
    isAlone ? undefined : `${short}${isNumbered ? ` ${library.version}` : ''}`,
    new Set(same.map(({ version }) => version)).size > 1 && (isAlone || !isNumbered) ? library.version : undefined,
    new Set(same.map(({ language }) => language)).size > 1 ? library.language : undefined,
    new Set(same.map(({ origin }) => publisherOf(origin))).size > 1 ? hostOf(library.origin) : undefined,
  ];
  return told.filter(Boolean).join(' · ') || library.title;
}

/** The host that a library came from; '' for a file that the reader gave. */
export const hostOf = ({ address }: LibraryRecord['origin']): string => (address === '' ? '' : new URL(address).host);

export const isGroupName = (name: string): boolean => /^[^\s:@/\\]{1,20}$/u.test(name);
