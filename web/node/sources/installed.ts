/**
 * Documentation of an installed package: node_modules or site-packages holds exactly the version that the project runs.
 * Its metadata leads to its documentation (package_source.ts); with `readme_only`, what is installed is all, and no
 * network is needed.
 */
import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { safePath } from './archive.js';
import type { LockedPackage } from './lockfile.js';
import { npmFacts, npmPages, shown } from './npm.js';
import { isSameName, normalisePypi, parsePackage } from './ecosystems.js';
import { isPackageDoc, parsePythonMetadata, readPackageJson, saveDoc } from './package_docs.js';
import { ownPages, settlePackage } from './package_source.js';
import { pypiFacts, pypiPages } from './pypi.js';
import { SourceError, type Fetched, type InstalledSpec, type SourceContext } from './source.js';

const MAX_DEPTH = 16;
const MAX_FILE_BYTES = 32 << 20;
const MAX_FILES = 20_000;

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
  const unpacked = { files, root };
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
  const files = await npmDocs(folder);
  for (const path of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await copyFile(join(folder, path), join(root, path));
  }
  return files;
}

async function npmDocs(folder: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (below: string, depth: number): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      // Enter only documentation folders: test one with a made-up README.md in it.
      if (entry.isDirectory() && depth < MAX_DEPTH && isPackageDoc(`${path}/README.md`)) await walk(path, depth + 1);
      else if (
        entry.isFile() &&
        isPackageDoc(path) &&
        found.length < MAX_FILES &&
        (await stat(join(folder, path))).size <= MAX_FILE_BYTES
      )
        found.push(path);
    }
  };
  await walk('', 0);
  return found;
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

/** Copies the description in METADATA as README, and the documentation files that RECORD lists. */
async function copyPythonDocs(info: string, root: string, context: SourceContext): Promise<string[]> {
  const files: string[] = [];
  const save = async (path: string, bytes: Buffer | string): Promise<void> => {
    if (await saveDoc(root, path, bytes, context)) files.push(path);
  };
  const metadata = parsePythonMetadata(await readFile(join(info, 'METADATA'), 'utf8'));
  if (metadata.description !== '') await save(`README${metadata.extension}`, metadata.description);
  const site = dirname(info);
  const listed = await readFile(join(info, 'RECORD'), 'utf8').catch(() => '');
  for (const line of listed.split('\n').slice(0, 100_000)) {
    const path = safePath(line.replace(/,[^,]*,[^,]*$/, '').replace(/^"|"$/g, ''));
    const inner = path?.slice(path.indexOf('/') + 1) ?? '';
    if (
      path === undefined ||
      path.includes('.dist-info/') ||
      !path.includes('/') ||
      !isPackageDoc(inner) ||
      (metadata.description !== '' && /^readme[^/]*$/i.test(inner))
    )
      continue;
    const stats = await stat(join(site, path)).catch(() => undefined);
    if (stats?.isFile() && stats.size <= MAX_FILE_BYTES) await save(path, await readFile(join(site, path)));
  }
  return files;
}
