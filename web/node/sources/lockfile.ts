/**
 * The exact versions that a project uses, from its package manager's lock file. Pure except for reading
 * the file and the manifest beside it.
 *
 *     package-lock.json, npm-shrinkwrap.json (v2, v3)   pnpm-lock.yaml   yarn.lock (1 and later)   bun.lock
 *     poetry.lock   uv.lock   pdm.lock   pylock.toml   Pipfile.lock   requirements.txt
 *     Cargo.lock   go.mod, go.sum   pom.xml   gradle.lockfile   Gemfile.lock   composer.lock   (lock_builds.ts)
 *
 * Libraries parse the formats (lock_formats.d.mts) in time linear in the file. Only names, versions and the registries
 * that they came from are taken; nothing in a lock file is followed. requirements.txt has no such library: one regular
 * expression finds the names and pinned versions of its lines. bun.lock is JSON with trailing commas.
 *
 * Which packages the project itself uses stands in package-lock.json, pnpm-lock.yaml and bun.lock, else in package.json,
 * pyproject.toml or Pipfile.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  parseCargoLock,
  parseComposerLock,
  parseGemfileLock,
  parseGoMod,
  parseGoSum,
  parseGradleLock,
  parsePom,
  type LockedPackage,
} from './lock_builds.js';
import { parseSums } from './go_sums.js';
import { FAILSAFE_SCHEMA, loadYaml, parseYarn } from './lock_formats.mjs';
import { isInside } from '../base/paths.js';
import { normalisePypi } from './ecosystems.js';
import { parseJson } from './package_docs.js';
import { messageOf, SourceError } from './source.js';
import { parseToml } from './toml.js';

export type { LockedPackage } from './lock_builds.js';

/** By language; a project has one of each at most. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  javascript: ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'],
  python: ['poetry.lock', 'uv.lock', 'pdm.lock', 'pylock.toml', 'Pipfile.lock', 'requirements.txt'],
  rust: ['Cargo.lock'],
  go: ['go.mod', 'go.sum'],
  jvm: ['gradle.lockfile', 'pom.xml'],
  ruby: ['Gemfile.lock'],
  php: ['composer.lock'],
};
export const LOCKFILES: readonly string[] = Object.values(FAMILIES).flat();
const MAX_BYTES = 64 << 20;

/** The lock files of a folder: at most one for each language. */
export async function findLockfiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const names of Object.values(FAMILIES)) {
    for (const name of names) {
      if (!(await stat(join(folder, name)).catch(() => undefined))?.isFile()) continue;
      found.push(join(folder, name));
      break;
    }
  }
  return found;
}

/**
 * `transitive`: include indirect dependencies. `say` gets remarks on what the project does not tell. Sorted by name, each
 * version once.
 */
export async function readLockfile(
  file: string,
  transitive: boolean,
  say: (text: string) => void = () => {},
): Promise<LockedPackage[]> {
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile())
    throw new SourceError(
      'missing',
      `${file} cannot be read: there is no such file. Known are ${LOCKFILES.join(', ')}.`,
    );
  if (stats.size > MAX_BYTES) throw new SourceError('failed', `${file} is larger than ${MAX_BYTES >> 20} MB.`);
  const text = await readFile(file, 'utf8');
  const packages = await parse(file, text, transitive, say);
  const unique = new Map(packages.map((found) => [`${found.ecosystem} ${found.name} ${found.version}`, found]));
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** What says which packages a build asks for itself, and where from. */
const GRADLE_BUILD = [
  ...['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
  'gradle/libs.versions.toml',
];

async function parse(
  file: string,
  text: string,
  transitive: boolean,
  say: (text: string) => void,
): Promise<LockedPackage[]> {
  const name = basename(file).toLowerCase();
  const beside = (other: string): Promise<string | undefined> =>
    readFile(join(dirname(file), other), 'utf8').then(
      (found) => (found.length > MAX_BYTES ? undefined : found),
      () => undefined,
    );
  if (name === 'cargo.lock') return parseCargoLock(text, file, transitive);
  if (name === 'go.mod' || name === 'go.sum') {
    const sums = parseSums(name === 'go.sum' ? text : ((await beside('go.sum')) ?? ''));
    const modules = name === 'go.mod' ? text : transitive ? undefined : ((await beside('go.mod')) ?? '');
    const found = modules === undefined ? parseGoSum(text) : parseGoMod(modules, transitive);
    return found.map((one) => {
      const sum = sums.get(`${one.name} ${one.version}`);
      return sum === undefined ? one : { ...one, sum };
    });
  }
  if (name === 'pom.xml') return parsePom(text, file);
  if (name === 'gradle.lockfile') {
    const build = await Promise.all(GRADLE_BUILD.map(beside));
    return parseGradleLock(text, build.join('\n').trim(), transitive);
  }
  if (name === 'gemfile.lock') return parseGemfileLock(text, transitive);
  if (name === 'composer.lock') return parseComposerLock(text, file, await beside('composer.json'), transitive);
  const npm = (found: Pinned[]): LockedPackage[] => found.map((one) => ({ ecosystem: 'npm', ...one }));
  const pypi = (found: Pinned[], wanted?: ReadonlySet<string>): LockedPackage[] =>
    found
      .map((one) => ({ ecosystem: 'pypi' as const, ...one, name: normalisePypi(one.name) }))
      .filter((one) => wanted === undefined || wanted.has(one.name));
  if (name === 'pipfile.lock')
    return pypi(parsePipfileLock(text, file), transitive ? undefined : await wantedByPipfile(file));
  if (name === 'bun.lock') return npm(parseBunLock(text, file, transitive));
  if (name === 'bun.lockb')
    throw new SourceError(
      'usage',
      `${file} is bun's binary form; bun writes the text form: bun install --save-text-lockfile`,
    );
  if (name.endsWith('.json')) return npm(parsePackageLock(text, file, transitive));
  if (name.endsWith('.yaml') || name.endsWith('.yml')) return npm(parsePnpmLock(text, file, transitive));
  if (name === 'yarn.lock') return npm(parseYarnLock(text, file, transitive ? undefined : await wantedBy(file)));
  if (name.endsWith('.lock') || /^pylock\b.*\.toml$/.test(name))
    return pypi(parseTomlLock(text, file), transitive ? undefined : await wantedByPyproject(file, say));
  if (name.endsWith('.txt')) return pypi(parseRequirements(await withRequirements(file, text)));
  throw new SourceError('usage', `${file} is no lock file that is known here: ${LOCKFILES.join(', ')}.`);
}

export interface Pinned {
  name: string;
  version?: string;
  folder?: string;
  registry?: string;
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
    throw new SourceError(
      'usage',
      `${file} is of lockfileVersion ${String(lock['lockfileVersion'])}; expected 2 or 3. npm 7 and later write it: npm install --package-lock-only`,
    );
  }
  const packages = record(lock['packages']);
  const at = (folder: string): Pinned | undefined => {
    const entry = record(Object.hasOwn(packages, folder) ? packages[folder] : undefined);
    const placed = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const name = typeof entry['name'] === 'string' ? entry['name'] : placed; // an alias is placed under another name
    return typeof entry['version'] === 'string' && !entry['link']
      ? { name, version: entry['version'], folder, ...registryOf(entry['resolved']) }
      : undefined;
  };
  const inModules = (folder: string): boolean => /(^|\/)node_modules\//.test(folder);
  if (transitive)
    return Object.keys(packages)
      .filter(inModules)
      .flatMap((folder) => at(folder) ?? []);
  // The project and its workspaces; a workspace's own node_modules comes before the shared one.
  return Object.keys(packages)
    .filter((folder) => !inModules(folder))
    .flatMap((workspace) =>
      dependenciesOf(record(packages[workspace])).flatMap(
        ([name]) =>
          (workspace === '' ? undefined : at(`${workspace}/node_modules/${name}`)) ?? at(`node_modules/${name}`) ?? [],
      ),
    );
}

function registryOf(address: unknown): { registry?: string } {
  return typeof address === 'string' && /^https?:\/\//.test(address)
    ? { registry: address.split('#', 1)[0] as string }
    : {};
}

/** bun.lock: `packages` maps a place to ["NAME@VERSION", REGISTRY, …]; `workspaces` are the project's manifests. */
export function parseBunLock(text: string, file: string, transitive: boolean): Pinned[] {
  const lock = parseJson(withoutTrailingCommas(text), file);
  const packages = record(lock['packages']);
  const at = (key: string): Pinned[] => {
    const [id, registry] = Array.isArray(packages[key]) ? (packages[key] as unknown[]) : [];
    const cut = typeof id === 'string' ? id.indexOf('@', 1) : -1;
    const version = cut < 0 ? '' : (id as string).slice(cut + 1);
    return /^\d/.test(version) ? [{ name: (id as string).slice(0, cut), version, ...registryOf(registry) }] : [];
  };
  if (transitive) return Object.keys(packages).flatMap(at);
  return Object.values(record(lock['workspaces']))
    .map(record)
    .flatMap((workspace) =>
      dependenciesOf(workspace).flatMap(([name]) => {
        const own = at(`${String(workspace['name'])}/${name}`);
        return own.length > 0 ? own : at(name);
      }),
    );
}

/** JSON of a text whose lists and objects may end in a comma. */
function withoutTrailingCommas(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? '' : part));
}

/** Pipfile.lock: {"default": {NAME: {"version": "==1.2"}}, "develop": {…}}. */
export function parsePipfileLock(text: string, file: string): Pinned[] {
  const lock = parseJson(text, file);
  const sources = record(lock['_meta'])['sources'];
  const indexes = new Map((Array.isArray(sources) ? sources : []).map(record).map(({ name, url }) => [name, url]));
  return ['default', 'develop'].flatMap((group) =>
    Object.entries(record(lock[group])).flatMap(([name, entry]) => {
      const { version, index } = record(entry);
      const exact = typeof version === 'string' ? /^===?\s*(\S+)$/.exec(version)?.[1] : undefined;
      return exact === undefined ? [] : [{ name, version: exact, ...registryOf(indexes.get(index)) }];
    }),
  );
}

/** Parses a text with a library; its error names the file. */
function understood<T>(file: string, format: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new SourceError('usage', `${file} is not ${format}: ${messageOf(error).split('\n', 1)[0]}.`);
  }
}

/** Reads every version as a string, 3.10 too. */
export function parsePnpmLock(text: string, file: string, transitive: boolean): Pinned[] {
  // Newer pnpm puts a document about itself before the one about the project.
  const documents = understood(file, 'YAML', () => loadYaml(text, null, { schema: FAILSAFE_SCHEMA, json: true })).map(
    record,
  );
  if (transitive) {
    return documents
      .flatMap((lock) => Object.keys(record(lock['packages'])))
      .flatMap((key) => {
        const match = /^\/?((?:@[^/@]+\/)?[^/@]+)[@/]([^/(_]+)/.exec(key);
        return match === null ? [] : [{ name: match[1] as string, version: match[2] as string }];
      });
  }
  return documents
    .flatMap((lock) => [lock, ...Object.values(record(lock['importers'])).map(record)])
    .flatMap((project) =>
      dependenciesOf(project).flatMap(([name, found]) => {
        const stated = typeof found === 'string' ? found : record(found)['version'];
        const version = typeof stated === 'string' ? /^\d[^(_]*/.exec(stated)?.[0] : undefined; // not link:…
        return version === undefined ? [] : [{ name, version }];
      }),
    );
}

/** `wanted`: name and range as package.json has them; undefined takes every package. */
export function parseYarnLock(text: string, file: string, wanted: ReadonlyMap<string, string> | undefined): Pinned[] {
  const lock = record(understood(file, 'a lock file of Yarn', () => parseYarn(text)));
  // Yarn 1 has an entry for each range, Yarn 2 and later one for several.
  const ranges = new Map<unknown, { name: string; range: string }[]>();
  for (const [key, entry] of Object.entries(lock)) {
    for (const part of key.split(/,\s*/).filter((each) => each.includes('@', 1))) {
      const at = part.indexOf('@', 1);
      const descriptors = ranges.get(entry) ?? [];
      descriptors.push({ name: part.slice(0, at), range: part.slice(at + 1).replace(/^npm:/, '') });
      ranges.set(entry, descriptors);
    }
  }
  const found = [...ranges].flatMap(([entry, descriptors]) => {
    const { version, resolved } = record(entry);
    const name = descriptors[0]?.name;
    if (typeof version !== 'string' || !name || version.startsWith('0.0.0-use.local')) return [];
    return [{ name, version, ...registryOf(resolved), ranges: descriptors.map(({ range }) => range) }];
  });
  const versions = new Map<string, number>();
  for (const { name } of found) versions.set(name, (versions.get(name) ?? 0) + 1);
  const isWanted = ({ name, ranges: own }: (typeof found)[number]): boolean => {
    const range = wanted?.get(name);
    return range !== undefined && (own.includes(range) || versions.get(name) === 1);
  };
  return (wanted === undefined ? found : found.filter(isWanted)).map(({ ranges: _, ...pinned }) => pinned);
}

async function wantedBy(lockfile: string): Promise<Map<string, string>> {
  const file = join(dirname(lockfile), 'package.json');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new SourceError(
      'usage',
      `${file} says which packages the project itself uses, but cannot be read: ${messageOf(error)}. Add --transitive to take all of the lock file.`,
    );
  });
  return new Map(dependenciesOf(parseJson(text, file)).map(([name, range]) => [name, String(range)]));
}

/** poetry.lock, uv.lock and pdm.lock: [[package]] tables, each with a name and a version; in pylock.toml [[packages]]. */
export function parseTomlLock(text: string, file: string): Pinned[] {
  const { package: tables, packages } = understood(file, 'TOML', () => parseToml(text));
  const all = Array.isArray(tables) ? tables : Array.isArray(packages) ? packages : [];
  return all.map(record).flatMap(({ name, version, source, path, index }) => {
    const origin = record(source);
    const own = ['virtual', 'editable', 'directory'].some((kind) => kind in origin) || typeof path === 'string'; // the project itself
    if (typeof name !== 'string' || typeof version !== 'string' || own) return [];
    return [{ name, version, ...registryOf(origin['registry'] ?? origin['url'] ?? index) }];
  });
}

/** Names that pyproject.toml beside the lock file asks for; undefined, for all, if there is none. */
async function wantedByPyproject(lockfile: string, say: (text: string) => void): Promise<Set<string> | undefined> {
  const file = join(dirname(lockfile), 'pyproject.toml');
  const manifest = await readToml(file);
  if (manifest === undefined) return undefined;
  const dynamic = [record(manifest['project'])['dynamic']].flat();
  const computed = ['dependencies', 'optional-dependencies'].filter((one) => dynamic.includes(one));
  if (computed.length > 0)
    say(
      `${file} calls ${computed.map((one) => `project.${one}`).join(' and ')} dynamic: a build computes them, so they are left out. Add --transitive to take all of ${basename(lockfile)}.`,
    );
  const [project, tool] = [record(manifest['project']), record(manifest['tool'])];
  const [poetry, uv, pdm] = [record(tool['poetry']), record(tool['uv']), record(tool['pdm'])];
  const lines = [
    project['dependencies'],
    ...Object.values(record(project['optional-dependencies'])),
    ...Object.values(record(manifest['dependency-groups'])),
    ...Object.values(record(pdm['dev-dependencies'])),
    uv['dev-dependencies'],
  ].flatMap((list) => (Array.isArray(list) ? list : []));
  const tables = [
    poetry['dependencies'],
    poetry['dev-dependencies'],
    ...Object.values(record(poetry['group'])).map((group) => record(group)['dependencies']),
  ];
  const names = [
    ...lines.flatMap((line) => (typeof line === 'string' ? (NAME.exec(line)?.[1] ?? []) : [])),
    ...tables.flatMap((table) => Object.keys(record(table))),
  ];
  return new Set(names.map(normalisePypi));
}

async function wantedByPipfile(lockfile: string): Promise<Set<string> | undefined> {
  const manifest = await readToml(join(dirname(lockfile), 'Pipfile'));
  if (manifest === undefined) return undefined;
  const names = ['packages', 'dev-packages'].flatMap((group) => Object.keys(record(manifest[group])));
  return new Set(names.map(normalisePypi));
}

/** undefined if there is no such file. */
async function readToml(file: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : record(understood(file, 'TOML', () => parseToml(text)));
}

const NAME = /^\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(?=\s*(?:$|[[;=<>!~#@(\\]|--))/;

const MOST_REQUIRED = 50;

/** The text with what its lines `-r FILE` name, each once. Error: a file is missing, or lies outside of the project's folder. */
async function withRequirements(file: string, text: string): Promise<string> {
  const home = await realpath(dirname(file));
  const texts = new Map([[await realpath(file), text]]);
  let bytes = text.length;
  for (const [path, each] of texts) {
    for (const [, named] of each.matchAll(/^[ \t]*(?:-r|--requirement)[ =]?[ \t]*([^\s#]{1,1000})/gm)) {
      const wanted = join(dirname(path), named as string);
      const found = await realpath(wanted).catch(() => wanted);
      if (texts.has(found)) continue;
      if (!isInside(found, home))
        throw new SourceError(
          'failed',
          `${path} names ${wanted}, which lies outside of ${home}; give that file by itself.`,
        );
      const more = await readFile(found, 'utf8').catch((error: unknown) => {
        throw new SourceError('missing', `${path} names ${wanted}, which cannot be read: ${messageOf(error)}.`);
      });
      bytes += more.length;
      if (texts.size >= MOST_REQUIRED || bytes > MAX_BYTES)
        throw new SourceError(
          'failed',
          `${file} names more than ${MOST_REQUIRED} files, or ${MAX_BYTES >> 20} MB of them.`,
        );
      texts.set(found, more);
    }
  }
  return [...texts.values()].join('\n');
}

/** Pinned lines have an exact version, others none. `--index-url` of the file is the registry of all. */
export function parseRequirements(text: string): Pinned[] {
  const index = /^[ \t]*(?:-i|--index-url)[ =][ \t]*(https?:\/\/\S+)/m.exec(text)?.[1];
  return text.split(/\r?\n/).flatMap((line) => {
    const name = NAME.exec(line)?.[1];
    if (name === undefined || /^\s*[\w.-]+\s*(?:\[[^\]]*\]\s*)?@/.test(line)) return []; // NAME @ URL
    const version = /^\s*[\w.-]+\s*(?:\[[^\]]*\]\s*)?===?\s*([^\s;#,\\*]+)\s*(?:[;#\\].*)?(?:--hash.*)?$/s.exec(
      line,
    )?.[1];
    return [{ name, ...(version === undefined ? {} : { version }), ...registryOf(index) }];
  });
}
