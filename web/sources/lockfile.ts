/**
 * The exact versions that a project uses, from the lock file that its package manager keeps. Pure but
 * for the reading of the file and of the package.json beside it.
 *
 *     package-lock.json, npm-shrinkwrap.json (v2, v3)   pnpm-lock.yaml   yarn.lock (1 and later)
 *     poetry.lock   uv.lock   requirements.txt (lines NAME==VERSION)
 *
 * Only names and versions are read, so a few lines a format do; nothing in a lock file is followed.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { normalisePypi, parseJson } from './package_docs.js';
import { messageOf, SourceError } from './source.js';

export interface LockedPackage {
  ecosystem: 'npm' | 'pypi';
  name: string;
  version: string;
  /** Below the lock file's folder, where the lock file says it. */
  folder?: string;
}

export const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'poetry.lock', 'uv.lock', 'requirements.txt'] as const;
const PYTHON: ReadonlySet<string> = new Set(['poetry.lock', 'uv.lock', 'requirements.txt']);
const MAX_BYTES = 64 << 20;

/** The lock files of a folder: one of JavaScript's and one of Python's at most. */
export async function findLockfiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const python of [false, true]) {
    for (const name of LOCKFILES) {
      if (PYTHON.has(name) !== python || !(await stat(join(folder, name)).catch(() => undefined))?.isFile()) continue;
      found.push(join(folder, name));
      break;
    }
  }
  return found;
}

/** `transitive`: also what only packages need. Sorted by name, each version once. */
export async function readLockfile(file: string, transitive: boolean): Promise<LockedPackage[]> {
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) throw new SourceError('missing', `${file} cannot be read: there is no such file. Known are ${LOCKFILES.join(', ')}.`);
  if (stats.size > MAX_BYTES) throw new SourceError('failed', `${file} is larger than ${MAX_BYTES >> 20} MB.`);
  const text = await readFile(file, 'utf8');
  const packages = await parse(file, text, transitive);
  const unique = new Map(packages.map((found) => [`${found.ecosystem} ${found.name} ${found.version}`, found]));
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

async function parse(file: string, text: string, transitive: boolean): Promise<LockedPackage[]> {
  const name = basename(file).toLowerCase();
  const npm = (found: Pinned[]): LockedPackage[] => found.map((one) => ({ ecosystem: 'npm', ...one }));
  const pypi = (found: Pinned[]): LockedPackage[] => found.map((one) => ({ ecosystem: 'pypi', ...one, name: normalisePypi(one.name) }));
  if (name.endsWith('.json')) return npm(parsePackageLock(text, file, transitive));
  if (name.endsWith('.yaml') || name.endsWith('.yml')) return npm(parsePnpmLock(text, transitive));
  if (name === 'yarn.lock') return npm(parseYarnLock(text, transitive ? undefined : await wantedBy(file)));
  if (name.endsWith('.lock')) return pypi(parseTomlLock(text));
  if (name.endsWith('.txt')) return pypi(parseRequirements(text));
  throw new SourceError('usage', `${file} is no lock file that is known here: ${LOCKFILES.join(', ')}.`);
}

export interface Pinned {
  name: string;
  version: string;
  folder?: string;
}

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function dependenciesOf(manifest: Record<string, unknown>): [string, unknown][] {
  return GROUPS.flatMap((group) => Object.entries(record(manifest[group])));
}

export function parsePackageLock(text: string, file: string, transitive: boolean): Pinned[] {
  const lock = parseJson(text, file);
  if (typeof lock['packages'] !== 'object') {
    throw new SourceError('usage', `${file} is of lockfileVersion ${String(lock['lockfileVersion'])}; expected 2 or 3. npm 7 and later write it: npm install --package-lock-only`);
  }
  const packages = record(lock['packages']);
  const at = (folder: string): Pinned | undefined => {
    const entry = record(Object.hasOwn(packages, folder) ? packages[folder] : undefined);
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return typeof entry['version'] === 'string' && !entry['link'] ? { name, version: entry['version'], folder } : undefined;
  };
  const inModules = (folder: string): boolean => /(^|\/)node_modules\//.test(folder);
  if (transitive) return Object.keys(packages).filter(inModules).flatMap((folder) => at(folder) ?? []);
  // The project itself and its workspaces, each with its own node_modules before the common one.
  return Object.keys(packages).filter((folder) => !inModules(folder)).flatMap((workspace) =>
    dependenciesOf(record(packages[workspace])).flatMap(([name]) => (workspace === '' ? undefined : at(`${workspace}/node_modules/${name}`)) ?? at(`node_modules/${name}`) ?? []));
}

/** `key: value` lines with the keys above them; what YAML has beyond that does not occur in these files. */
function* yamlLines(text: string): Generator<{ path: string[]; value: string }> {
  const stack: { indent: number; key: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = /^( *)(?:'([^']*)'|"([^"]*)"|([^\s'"#-][^\s:]*(?::[^\s:]+)*))\s*:(?:\s+(.*))?$/.exec(line);
    if (match === null) continue;
    const indent = (match[1] as string).length;
    while (stack.length > 0 && (stack[stack.length - 1] as { indent: number }).indent >= indent) stack.pop();
    stack.push({ indent, key: match[2] ?? match[3] ?? match[4] ?? '' });
    if (stack.length <= 8) yield { path: stack.map(({ key }) => key), value: (match[5] ?? '').trim().replace(/^(['"])(.*)\1$/, '$2') };
  }
}

export function parsePnpmLock(text: string, transitive: boolean): Pinned[] {
  const found: Pinned[] = [];
  for (const { path, value } of yamlLines(text)) {
    if (transitive && path[0] === 'packages' && path.length === 2) {
      const match = /^\/?((?:@[^/@]+\/)?[^/@]+)[@/]([^/(_]+)/.exec(path[1] as string);
      if (match !== null) found.push({ name: match[1] as string, version: match[2] as string });
    } else if (!transitive) {
      const keys = path[0] === 'importers' ? path.slice(2) : path;
      const [group = '', name = '', field] = keys;
      const version = /^[^(_]+/.exec(value)?.[0] ?? '';
      if (GROUPS.includes(group) && (keys.length === 2 || field === 'version') && /^\d/.test(version)) found.push({ name, version });
    }
  }
  return found;
}

/** `wanted`: name and range as package.json has them; undefined takes every package. */
export function parseYarnLock(text: string, wanted: ReadonlyMap<string, string> | undefined): Pinned[] {
  const found: (Pinned & { ranges: string[] })[] = [];
  let descriptors: { name: string; range: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (/^["\w@].*:$/.test(line)) {
      const parts = line.slice(0, -1).replaceAll('"', '').split(/,\s*/).filter((part) => part.includes('@', 1));
      descriptors = parts.map((part) => ({ name: part.slice(0, part.indexOf('@', 1)), range: part.slice(part.indexOf('@', 1) + 1).replace(/^npm:/, '') }));
    }
    const version = /^ {2}version:? "?([^"\s]+)"?$/.exec(line)?.[1];
    const name = descriptors[0]?.name;
    if (version === undefined || name === undefined || name === '') continue;
    if (!version.startsWith('0.0.0-use.local')) found.push({ name, version, ranges: descriptors.map(({ range }) => range) });
    descriptors = [];
  }
  const versions = new Map<string, number>();
  for (const { name } of found) versions.set(name, (versions.get(name) ?? 0) + 1);
  const isWanted = ({ name, ranges }: (typeof found)[number]): boolean => {
    const range = wanted?.get(name);
    return range !== undefined && (ranges.includes(range) || versions.get(name) === 1);
  };
  return (wanted === undefined ? found : found.filter(isWanted)).map(({ name, version }) => ({ name, version }));
}

async function wantedBy(lockfile: string): Promise<Map<string, string>> {
  const file = join(dirname(lockfile), 'package.json');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new SourceError('usage', `${file} says which packages the project itself uses, but cannot be read: ${messageOf(error)}. Add --transitive to take all of the lock file.`);
  });
  return new Map(dependenciesOf(parseJson(text, file)).map(([name, range]) => [name, String(range)]));
}

/** poetry.lock and uv.lock: [[package]] tables, each with a name and a version. */
export function parseTomlLock(text: string): Pinned[] {
  return text.split(/^\[\[package\]\]\s*$/m).slice(1).flatMap((table) => {
    const own = table.split(/^\[/m, 1)[0] as string; // up to the next table
    const name = /^name\s*=\s*"([^"]+)"/m.exec(own)?.[1];
    const version = /^version\s*=\s*"([^"]+)"/m.exec(own)?.[1];
    return name === undefined || version === undefined || /^source\s*=\s*\{\s*(virtual|editable)\b/m.test(own) ? [] : [{ name, version }];
  });
}

/** Only pinned lines have an exact version. */
export function parseRequirements(text: string): Pinned[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const match = /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*===?\s*([^\s;#,\\*]+)\s*(?:[;#\\].*)?(?:--hash.*)?$/.exec(line);
    return match === null ? [] : [{ name: match[1] as string, version: match[2] as string }];
  });
}
