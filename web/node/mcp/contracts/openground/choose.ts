/**
 * Which bundle a library's name and a version mean, and what the reply says where they are not the very ones.
 *
 * A name is taken for another one only where both are the same but for case, signs, a scope or an ending such as "js"; a
 * version for a bundle that is named by no version only where the library has nothing else.
 */
import { likeNames, sameNames } from '../../../base/near.js';
import type { StoredBundle } from '../../../store/store.js';
import { compareVersions, isRelease, resolveVersion } from '../../../store/versions.js';
import type { Environment } from '../../tool.js';
import { shown } from './arguments.js';
import { LIST_TOOL } from './names.js';

/** Libraries that a reply may name. */
export const NAMED = 12;
/** Of the catalogues' answer only a name is used, so that a slow one is not waited for. */
const CATALOGUE_MS = 3_000;

export interface Choice {
  bundle: StoredBundle;
  /** Sentences in parentheses for the end of the reply. */
  notes: string[];
}

/** The bundle, or the text that says what is missing. */
export async function choose(
  bundles: readonly StoredBundle[],
  library: string,
  wanted: string,
  environment: Pick<Environment, 'lockedVersion' | 'findLibraries' | 'planAddition'>,
  signal: AbortSignal,
): Promise<Choice | string> {
  const libraries = grouped(bundles);
  const name = libraries.has(library) ? library : await nameMeant(library, [...libraries.keys()]);
  if (name === undefined) return noLibrary(library, [...libraries.keys()], environment, signal);
  const own = bundles.filter((bundle) => bundle.library === name);
  const { bundle, notes } = await ofVersion(own, wanted, environment);
  if (bundle === undefined)
    return `Version '${shown(wanted)}' not found for library '${name}'. Available versions: ${libraries.get(name)?.join(', ')}`;
  const renamed = name === library ? [] : [`(Library ${shown(library)} was asked for; this is ${name}.)`];
  return { bundle, notes: [...renamed, ...notes] };
}

/** One version of each library: what the project has, else the highest. */
export async function newestOf(
  bundles: readonly StoredBundle[],
  environment: Pick<Environment, 'lockedVersion'>,
): Promise<StoredBundle[]> {
  const chosen: StoredBundle[] = [];
  for (const library of new Set(bundles.map((bundle) => bundle.library))) {
    const own = bundles.filter((bundle) => bundle.library === library);
    const { bundle } = await ofVersion(own, 'latest', environment);
    if (bundle !== undefined) chosen.push(bundle);
  }
  return chosen;
}

/** Libraries by name, versions as plain strings, both sorted. */
export function grouped(bundles: readonly StoredBundle[]): Map<string, string[]> {
  const libraries = new Map<string, string[]>();
  for (const { library, version } of bundles) libraries.set(library, [...(libraries.get(library) ?? []), version]);
  const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
  for (const versions of libraries.values()) versions.sort(byCodePoint);
  return new Map([...libraries].sort(([a], [b]) => byCodePoint(a, b)));
}

async function nameMeant(library: string, names: readonly string[]): Promise<string | undefined> {
  const same = sameNames(library, names);
  return same.length === 1 ? same[0] : undefined;
}

async function noLibrary(
  library: string,
  names: readonly string[],
  { findLibraries, planAddition }: Pick<Environment, 'findLibraries' | 'planAddition'>,
  signal: AbortSignal,
): Promise<string> {
  const missing = `Library '${shown(library)}' not found.`;
  const installable = await inCatalogue(library, findLibraries, planAddition !== undefined, signal);
  if (names.length === 0) return `${missing} No libraries are currently available in the database.${installable}`;
  const near = [...new Set([...sameNames(library, names), ...(await likeNames(library, names))])].slice(0, 3);
  const available =
    near.length > 0
      ? near.join(', ')
      : names.length <= NAMED
        ? names.join(', ')
        : `${names.length}; ${LIST_TOOL} names them, and search_term finds some`;
  return `${missing} Available libraries: ${available}${installable}`;
}

/** A line about a library of that name in the user's catalogues; empty where none has it, or none answers soon. */
async function inCatalogue(
  library: string,
  findLibraries: Environment['findLibraries'],
  canAdd: boolean,
  signal: AbortSignal,
): Promise<string> {
  if (findLibraries === undefined || library.length > 100) return '';
  const soon = AbortSignal.any([signal, AbortSignal.timeout(CATALOGUE_MS)]);
  const answer = await findLibraries(library, 5, soon).catch(() => undefined);
  signal.throwIfAborted();
  const names = answer?.found.map((each) => each.library) ?? [];
  const [name] = names.includes(library) ? [library] : sameNames(library, names);
  if (name === undefined) return '';
  const how = canAdd ? 'add_library installs it.' : `The user installs it with: sheaf add ${shown(name)}`;
  return `\n(${shown(name)} is in a catalogue, but not installed. ${how})`;
}

async function ofVersion(
  own: readonly StoredBundle[],
  wanted: string,
  { lockedVersion }: Pick<Environment, 'lockedVersion'>,
): Promise<{ bundle: StoredBundle | undefined; notes: string[] }> {
  const exact = own.find(({ version }) => version === wanted);
  if (exact !== undefined && !isLatest(wanted)) return { bundle: exact, notes: [] };
  const library = own[0]?.library ?? '';
  const versions = own.map(({ version }) => version);
  const locked = await lockedVersion?.(library);
  const version = resolveVersion(versions, wanted, locked) ?? unnamed(versions, wanted);
  const bundle = own.find((each) => each.version === version);
  if (bundle === undefined || bundle.version === wanted) return { bundle, notes: [] };
  if (isLatest(wanted) && locked === undefined) return { bundle, notes: [] };
  const asked = wanted.trim() === '' ? 'No version was asked for' : `Version ${shown(wanted)} was asked for`;
  const reason = !isLatest(wanted)
    ? isRelease(bundle.version)
      ? ''
      : ', the only one installed'
    : locked === version
      ? " as in the project's lock file"
      : `; the project's lock file has ${shown(locked ?? '')}, which is not installed`;
  return { bundle, notes: [`(${asked}; this is ${bundle.version}${reason}.)`] };
}

const isLatest = (wanted: string): boolean => /^(latest|)$/i.test(wanted.trim());

/** Of a library without a version's number, the only bundle or the one called `latest`: what a number is asked of. */
function unnamed(versions: readonly string[], wanted: string): string | undefined {
  if (!/\d/.test(wanted) || versions.some(isRelease)) return undefined;
  const [only] = [...versions].sort((a, b) => compareVersions(b, a));
  return versions.find((version) => version === 'latest') ?? (versions.length === 1 ? only : undefined);
}
