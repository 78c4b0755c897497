/**
 * Documentation of an installed package: node_modules or site-packages holds exactly the version that the project runs, and
 * the code that pages of its API are made of.
 * Its metadata leads to its documentation (package_source.ts); with `readme_only`, what is installed is all, and no
 * network is needed.
 */
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isApiSource, type SourceTree } from '../convert/grammars.js';
import { makeApiPages } from './api_pages.js';
import { ARCHIVE_LIMITS, safePath } from './archive.js';
import type { LockedPackage } from './lockfile.js';
import { handedOn, npmFacts, npmPages, partFolder, shown } from './npm.js';
import { isSameName, normalisePypi, parsePackage } from './ecosystems.js';
import { isPackageDoc, parsePythonMetadata, readPackageJson, saveDoc } from './package_docs.js';
import { ownPages, settlePackage } from './package_source.js';
import { pypiFacts, pypiPages } from './pypi.js';
import { SourceError, type Fetched, type InstalledSpec, type SourceContext } from './source.js';

const MAX_DEPTH = 16;
const { files: MAX_FILES, fileBytes: MAX_FILE_BYTES } = ARCHIVE_LIMITS;

export async function fetchInstalled(spec: Omit<InstalledSpec, 'type'>, context: SourceContext): Promise<Fetched> {
  const there = await installedAt(spec.ecosystem, spec.path);
  if (there?.version !== spec.version || !isSameName(spec.ecosystem, there.name, spec.package)) {
    const found = there === undefined ? 'no package any more' : `${there.name} ${there.version}`;
    throw new SourceError(
      'missing',
      `${spec.path} holds ${found}, not ${spec.package} ${spec.version}; take up what a project uses now with: sheaf add --from-lockfile`,
    );
  }
  const root = join(context.folder, 'docs');
  await mkdir(root, { recursive: true });
  const isNpm = spec.ecosystem === 'npm';
  const files = isNpm ? await copyNpmDocs(spec.path, root) : await copyPythonDocs(spec.path, root, context);
  const facts = isNpm
    ? npmFacts(spec.package, spec.version, await readPackageJson(spec.path))
    : pypiFacts(spec.package, spec.version, parsePythonMetadata(await readFile(join(spec.path, 'METADATA'), 'utf8')));
  const code = isNpm ? await npmCode(spec.package, spec.path) : await pythonCode(spec.path);
  const unpacked = { files, root, api: await makeApiPages(code, context) };
  const own = isNpm ? ownPages(facts, unpacked, npmPages(facts.name, facts.version)) : pypiPages(facts, unpacked);
  return settlePackage(spec, facts, own === undefined ? own : await shown(own, context), context);
}

/** Where a locked package is installed, or why that version is not there. */
export async function findInstalled(
  locked: LockedPackage,
  base: string,
  env: NodeJS.ProcessEnv,
): Promise<Omit<InstalledSpec, 'type'> | { missing: string; isOdd?: true }> {
  if (locked.ecosystem !== 'npm' && locked.ecosystem !== 'pypi')
    return { missing: 'not installed: Sheaf looks into node_modules and virtual environments only' };
  try {
    parsePackage(locked.ecosystem, locked.version === undefined ? locked.name : `${locked.name}@${locked.version}`);
  } catch {
    return { missing: 'no name and version that a package can have', isOdd: true };
  }
  const { ecosystem, name, version } = locked;
  const path = ecosystem === 'npm' ? npmFolder(locked, base) : await distInfo(name, base, env);
  if (path === undefined)
    return {
      missing: ecosystem === 'npm' ? 'no place in node_modules' : 'not installed in .venv, venv or $VIRTUAL_ENV',
    };
  const there = await installedAt(ecosystem, path);
  if (there === undefined) return { missing: `not installed; expected in ${path}` };
  if (!isSameName(ecosystem, there.name, name))
    return { missing: `${path} holds ${there.name}, not ${name}`, isOdd: true };
  if (version !== undefined && there.version !== version)
    return { missing: `installed is ${there.version}, not ${version}` };
  return { ecosystem, package: name, version: there.version, path };
}

/** What the package in that folder calls itself. */
async function installedAt(
  ecosystem: 'npm' | 'pypi',
  path: string,
): Promise<{ name: string; version: string } | undefined> {
  if (ecosystem === 'npm') {
    const { name = '', version } = (await readPackageJson(path).catch(() => undefined)) ?? {};
    return version === undefined ? undefined : { name, version };
  }
  const metadata = await readFile(join(path, 'METADATA'), 'utf8').catch(() => undefined);
  return metadata === undefined ? undefined : parsePythonMetadata(metadata);
}

function npmFolder({ name, folder }: LockedPackage, base: string): string | undefined {
  const path = safePath(folder ?? `node_modules/${name}`);
  return path === undefined ? undefined : join(base, path);
}

async function copyNpmDocs(folder: string, root: string): Promise<string[]> {
  // Enter only documentation folders: test one with a made-up README.md in it.
  const files = await filesBelow(folder, isPackageDoc, (path) => isPackageDoc(`${path}/README.md`));
  for (const path of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await copyFile(join(folder, path), join(root, path));
  }
  return files;
}

/** Paths of files below a folder, with slashes; links are passed over. */
async function filesBelow(
  top: string,
  isWanted: (path: string) => boolean,
  enters: (path: string) => boolean,
  most = MAX_FILES,
): Promise<string[]> {
  const found: string[] = [];
  const walk = async (below: string, depth: number): Promise<void> => {
    for (const entry of await readdir(join(top, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth < MAX_DEPTH && enters(path)) await walk(path, depth + 1);
      else if (entry.isFile() && isWanted(path) && found.length < most && (await isReadable(join(top, path))))
        found.push(path);
    }
  };
  await walk('', 0);
  return found;
}

async function isReadable(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.isFile() === true && stats.size <= MAX_FILE_BYTES;
}

/** The package's own code, and that of packages beside it which it hands on. */
async function npmCode(name: string, folder: string): Promise<SourceTree> {
  const places = new Map<string, string>();
  const tree = {
    get paths(): string[] {
      return [...places.keys()];
    },
    read: (path: string): Uint8Array => readFileSync(places.get(path) as string),
  };
  const add = async (top: string, as: string): Promise<void> => {
    const isOwn = (path: string): boolean => basename(path) !== 'node_modules';
    for (const path of await filesBelow(top, isApiSource, isOwn, MAX_FILES - places.size))
      places.set(`${as}${path}`, join(top, path));
  };
  const home = await realpath(folder);
  await add(home, '');
  const find = async (other: string): Promise<{ top: string; as: string } | undefined> => {
    for (let at = home; at !== dirname(at); at = dirname(at)) {
      const top = basename(at) === 'node_modules' ? join(at, other) : join(at, 'node_modules', other);
      if ((await installedAt('npm', top))?.name === other) return { top, as: partFolder(other) };
    }
    return undefined;
  };
  for await (const { top, as } of handedOn(name, tree, find)) await add(await realpath(top), as);
  return tree;
}

// ---- Python ---------------------------------------------------------------------------------------

/** The site-packages folders of a project's virtual environment. */
async function sitePackages(base: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const environments = [...(env['VIRTUAL_ENV'] ? [env['VIRTUAL_ENV']] : []), join(base, '.venv'), join(base, 'venv')];
  const found: string[] = [];
  for (const environment of environments) {
    found.push(join(environment, 'Lib', 'site-packages'));
    for (const python of await readdir(join(environment, 'lib')).catch(() => []))
      found.push(join(environment, 'lib', python, 'site-packages'));
  }
  return found;
}

async function distInfo(name: string, base: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of await sitePackages(resolve(base), env)) {
    for (const entry of await readdir(folder).catch(() => [])) {
      const match = /^(.+)-[^-]+\.dist-info$/.exec(entry);
      if (match !== null && normalisePypi(match[1] as string) === normalisePypi(name)) return join(folder, entry);
    }
  }
  return undefined;
}

/** The modules that RECORD lists. */
async function pythonCode(info: string): Promise<SourceTree> {
  const site = dirname(info);
  const paths: string[] = [];
  for (const path of await recorded(info)) {
    if (!isApiSource(path) || paths.length >= MAX_FILES) continue;
    if (await isReadable(join(site, path))) paths.push(path);
  }
  return { paths, read: (path) => readFileSync(join(site, path)) };
}

/** The files of a distribution, below site-packages. */
async function recorded(info: string): Promise<string[]> {
  const listed = await readFile(join(info, 'RECORD'), 'utf8').catch(() => '');
  return listed
    .split('\n')
    .slice(0, 100_000)
    .flatMap((line) => safePath(line.replace(/,[^,]*,[^,]*$/, '').replace(/^"|"$/g, '')) ?? []);
}

/** Copies the description in METADATA as README, and the documentation files that RECORD lists. */
async function copyPythonDocs(info: string, root: string, context: SourceContext): Promise<string[]> {
  const files: string[] = [];
  const save = async (path: string, bytes: Buffer | string): Promise<void> => {
    if (await saveDoc(root, path, bytes, context)) files.push(path);
  };
  const metadata = parsePythonMetadata(await readFile(join(info, 'METADATA'), 'utf8'));
  if (metadata.description !== '') await save(`README${metadata.extension}`, metadata.description);
  const site = dirname(info);
  for (const path of await recorded(info)) {
    const inner = path.slice(path.indexOf('/') + 1);
    if (
      path.includes('.dist-info/') ||
      !path.includes('/') ||
      !isPackageDoc(inner) ||
      (metadata.description !== '' && /^readme[^/]*$/i.test(inner))
    )
      continue;
    if (await isReadable(join(site, path))) await save(path, await readFile(join(site, path)));
  }
  return files;
}
