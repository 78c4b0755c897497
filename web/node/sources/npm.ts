/**
 * Documentation of an npm package at an exact version. The user's own npm fetches the tarball, so the user's
 * registries, mirrors, proxies and tokens apply. Its package.json leads to the rest (package_source.ts). No script of the package runs, and project-level
 * .npmrc files are ignored. What the package calls itself must be what was asked for.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lastWords, runCommand, type CommandOptions, type CommandResult } from './command.js';
import { expandPath, isPackageFile } from './local.js';
import { checkIdentity, parsePackage, type PackageName } from './ecosystems.js';
import { parseJson } from './package_docs.js';
import { ownPages, settlePackage, type PackageFacts } from './package_source.js';
import { npmHome, npmRepository } from './repository.js';
import { belowTop, MOST_PARTS, unpack, type Part } from './unpack.js';
import type { SourceTree } from '../convert/grammars.js';
import { messageOf, SourceError, type About, type Fetched, type PackageSpec, type SourceContext } from './source.js';

/** npm's own waits between tries are 10 and 60 seconds, which is how long it takes without a network to say so. */
const IMPATIENT = { npm_config_fetch_retries: '1', npm_config_fetch_retry_mintimeout: '1000' };
const ASK_MS = 60_000;
const PACK_MS = 10 * 60_000;
const ADVICE = 'It comes with Node.js; put it on PATH.';

export async function fetchNpm(spec: PackageSpec, context: SourceContext): Promise<Fetched> {
  const isFile = isPackageFile('npm', spec.package);
  const { tarball, asked } = isFile
    ? { tarball: expandPath(spec.package) }
    : await download(parsePackage('npm', spec.package), context);
  // Paths in a tarball begin with `package/`, or another folder in old ones.
  const layout = {
    inner: belowTop,
    isMetadata: (path: string): boolean => path === 'package.json',
    ...(asked === undefined
      ? {}
      : { parts: (code: SourceTree) => handedOn(asked.name, code, fromRegistry(asked.name, context)) }),
  };
  const unpacked = await unpack(tarball, layout, context);
  const stated = unpacked.metadata.get('package.json')?.toString('utf8') ?? '{}';
  const manifest = parseJson(stated, `package.json of ${spec.package}`);
  const { name, version } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new SourceError(
      'failed',
      `${spec.package} is no npm package: it holds no package.json with a name and a version.`,
    );
  if (asked !== undefined) checkIdentity('npm', asked, { name, version });
  const facts = {
    ...npmFacts(name, version, manifest),
    commit: () => publishedFrom(name, version, context),
    sources: async () => ((await isShown(name, context)) ? npmPages(name, version) : ''),
  };
  const own = ownPages(facts, unpacked, npmPages(name, version));
  if (isFile) return settlePackage({ readme_only: true }, facts, own, context);
  return shown(await settlePackage(spec, facts, own, context), context);
}

/** By the first of the ranges that there is a version for; undefined: it cannot be had, which is no error. */
type FindPart<T> = (other: string, ...ranges: string[]) => Promise<T | undefined>;

/**
 * The packages that hold part of a package's API: its declarations in `@types`, if it has none, and those that its
 * declarations name and that are called as it is (`@vue/runtime-dom` of vue). `code` has each part that was found, below
 * `node_modules/NAME/`, before the next one is asked for.
 */
export async function* handedOn<T>(name: string, code: SourceTree, find: FindPart<T>): AsyncIterable<T> {
  const seen = new Set([name]);
  const folders: string[] = [];
  const part = async (other: string, ...ranges: string[]): Promise<T[]> => {
    if (seen.has(other) || seen.size > MOST_PARTS) return [];
    seen.add(other);
    const found = await find(other, ...ranges);
    if (found === undefined) return [];
    folders.push(partFolder(other));
    return [found];
  };
  const manifestIn = (folder: string): Record<string, unknown> => {
    const path = `${folder}package.json`;
    return code.paths.includes(path) ? parseJson(Buffer.from(code.read(path)).toString('utf8'), path) : {};
  };
  const manifest = manifestIn('');
  if (declaresTypes(manifest, code.paths)) folders.push('');
  else if (!name.startsWith('@types/') && code.paths.some((path) => /\.[cm]?jsx?$/.test(path))) {
    const version = String(manifest['version']);
    const [major = version] = /^[1-9]\d*|^0\.\d+/.exec(version) ?? [];
    yield* await part(typesOf(name), major, 'latest');
  }
  for (const folder of folders) {
    const { dependencies = {} } = manifestIn(folder) as { dependencies?: Record<string, unknown> };
    const named = new Set<string>();
    for (const path of code.paths.filter((each) => each.startsWith(folder) && /\.d\.[cm]?ts$/.test(each)))
      for (const [, one] of Buffer.from(code.read(path)).toString('utf8').matchAll(SPECIFIER)) named.add(one as string);
    for (const one of named) {
      const other = [one, typesOf(one)].find((each) => typeof dependencies[each] === 'string');
      if (other !== undefined && isFamily(one, name)) yield* await part(other, dependencies[other] as string);
    }
  }
}

export const partFolder = (name: string): string => `node_modules/${name}/`;

/** A registry that the package does not come from is not asked for its parts, for it would learn a private name. */
function fromRegistry(name: string, context: SourceContext): FindPart<Part> {
  let settings: Promise<Record<string, unknown>> | undefined;
  return async (other, ...ranges) => {
    settings ??= npmSettings(context);
    if (registryFor(other, await settings) !== registryFor(name, await settings)) return undefined;
    for (const [i, range] of ranges.entries())
      try {
        const own = { ...context, folder: join(context.folder, `part-${other.replace(/\W+/g, '-')}-${i}`) };
        await mkdir(own.folder);
        const { tarball, asked } = await download(parsePackage('npm', `${other}@${range}`), own);
        if (i > 0)
          context.warn(`The API of ${name} is that of ${other} ${asked.version ?? range}, not of this version`);
        return { archive: tarball, folder: partFolder(other) };
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof SourceError)) throw error;
        context.say(`${other}@${range} is not in the pages of ${name}: ${messageOf(error)}`);
        if (error.kind !== 'missing') break;
      }
    return undefined;
  };
}

/** Whether declarations of what a package exports are in it. */
export function declaresTypes(manifest: Record<string, unknown>, paths: readonly string[]): boolean {
  const { types, typings, main, exports } = manifest;
  if (typeof types === 'string' || typeof typings === 'string') return true;
  if (paths.some((path) => /(?<!\.d)\.[cm]?tsx?$/.test(path))) return true;
  const top = typeof exports === 'object' && exports !== null && '.' in exports ? exports['.'] : exports;
  if (/\.d\.[cm]?ts"/.test(JSON.stringify(top ?? ''))) return true;
  const stems = [main, top, 'index'].flatMap((one) =>
    typeof one === 'string' ? one.replace(/^\.\//, '').replace(/\.[cm]?js$/, '') : [],
  );
  return paths.some((path) => stems.includes(path.replace(/\.d\.[cm]?ts$/, '')) && /\.d\.[cm]?ts$/.test(path));
}

const SPECIFIER = /\bfrom\s{0,9}['"]((?:@[\w.-]{1,100}\/)?[\w.-]{1,100})['"]/g;

const typesOf = (name: string): string => `@types/${name.replace(/^@([^/]+)\//, '$1__')}`;

/** Of the same scope, or of the package's own, or with its name before a hyphen. */
const isFamily = (other: string, name: string): boolean =>
  other.startsWith(`@${name}/`) ||
  other.startsWith(`${name}-`) ||
  (name.startsWith('@') && other.startsWith(name.slice(0, name.indexOf('/') + 1)));

export function npmFacts(name: string, version: string, manifest: Record<string, unknown>): PackageFacts {
  const [repository, home, about] = [npmRepository(manifest), npmHome(manifest), npmAbout(manifest)];
  return { ecosystem: 'npm', name, version, repository, home, about };
}

/** What a package.json says of its package. */
export function npmAbout({ description, license, keywords }: Record<string, unknown>): About {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const old = (license as { type?: unknown } | null | undefined)?.type; // {"type": "MIT", "url": …}
  const words = typeof keywords === 'string' ? keywords.split(/[,\s]+/) : Array.isArray(keywords) ? keywords : [];
  return {
    description: text(description),
    licence: text(license) || text(old),
    keywords: words.filter((word): word is string => typeof word === 'string' && word !== '').slice(0, 64),
  };
}

/** The versions of a package that its registry has, and which one `latest` is. */
export async function npmVersions(
  name: string,
  context: SourceContext,
): Promise<{ versions: string[]; latest: string | undefined }> {
  const found = await view(name, ['versions', 'dist-tags'], context);
  const versions = [found['versions']].flat().filter((one): one is string => typeof one === 'string');
  const latest = (found['dist-tags'] as Record<string, unknown> | undefined)?.['latest'];
  return { versions, latest: typeof latest === 'string' ? latest : undefined };
}

/** What the registry says that a version's files are: another answer is another package. */
export async function npmIntegrity(name: string, version: string, context: SourceContext): Promise<string> {
  const found = await view(`${name}@${version}`, ['version', 'dist.integrity', 'dist.shasum'], context);
  return String(found['dist.integrity'] ?? found['dist.shasum'] ?? '');
}

async function view(what: string, fields: string[], context: SourceContext): Promise<Record<string, unknown>> {
  parsePackage('npm', what);
  const { code, stdout, stderr } = await runNpm(['view', what, ...fields, '--json', '--loglevel=error'], context);
  if (code === 0) return parseJson(stdout.trim() || '{}', `the registry's answer about ${what}`);
  const missing = /\bE404\b/.test(stderr + stdout);
  throw new SourceError(
    missing ? 'missing' : 'failed',
    `npm:${what} could not be asked about: ${npmReason(stderr) || `npm ended with ${code}`}`,
  );
}

/** The commit that npm says a release was made from. */
async function publishedFrom(name: string, version: string, context: SourceContext): Promise<string | undefined> {
  try {
    parsePackage('npm', `${name}@${version}`); // the package says so itself, and it must be no option of npm's
  } catch {
    return undefined;
  }
  const { code, stdout } = await runNpm(['view', `${name}@${version}`, 'gitHead', '--loglevel=error'], context);
  return code === 0 && /^[0-9a-f]{40}\s*$/.test(stdout) ? stdout.trim() : undefined;
}

/** unpkg.com serves exactly the files of a version, so a page's address leads to its text. */
export const npmPages = (name: string, version: string): string => `https://unpkg.com/${name}@${version}/`;

/**
 * Pages of a package itself, named by their paths where unpkg.com does not have them: it knows the public registry alone.
 */
export async function shown(found: Fetched, context: SourceContext): Promise<Fetched> {
  if (!found.baseUrl.startsWith('https://unpkg.com/')) return found;
  return (await isShown(found.library ?? '', context)) ? found : { ...found, baseUrl: '' };
}

async function isShown(name: string, context: SourceContext): Promise<boolean> {
  const registry = registryFor(name, await npmSettings(context).catch(() => ({})));
  return /^https:\/\/registry\.(npmjs\.(org|com)|yarnpkg\.com)\//.test(registry);
}

const REGISTRY = 'https://registry.npmjs.org/';

/** The registry that serves a package, by npm's settings. */
export function registryFor(name: string, settings: Record<string, unknown>): string {
  const scoped = name.startsWith('@') ? settings[`${name.slice(0, name.indexOf('/'))}:registry`] : undefined;
  return String(scoped ?? settings['registry'] ?? REGISTRY);
}

/** The user's settings; empty if npm does not say. */
export async function npmSettings(options: CommandOptions): Promise<Record<string, unknown>> {
  const { code, stdout } = await runNpm(['config', 'list', '--json', '--loglevel=error'], options);
  return code === 0 && stdout.trim().startsWith('{') ? parseJson(stdout, "npm's configuration") : {};
}

/**
 * npm searches upwards from its working directory for a project, with its .npmrc, and for an enclosing workspace. We
 * make its empty folder the project (--prefix), so that it searches no further. Corepack's npm searches for a
 * packageManager in the same way. And an npm that runs `sheaf` as a script names its workspace in variables.
 */
export function runNpm(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const own = Object.entries(options.env).filter(
    ([name]) => !/^npm_config_(workspaces?|include_workspace_root|local_prefix)$/i.test(name),
  );
  const env = {
    ...IMPATIENT,
    ...Object.fromEntries(own),
    COREPACK_ENABLE_PROJECT_SPEC: '0',
    COREPACK_ENV_FILE: '0',
  };
  const limitMs = args[0] === 'pack' ? PACK_MS : ASK_MS;
  return runCommand('npm', [...args, '--prefix', '.'], ADVICE, { limitMs, ...options, env });
}

/** The tarball, and the name and version that it must hold: of a tag or a range, the version that npm says it means. */
async function download(
  { name, version }: PackageName,
  context: SourceContext,
): Promise<{ tarball: string; asked: PackageName }> {
  const spec = `${name}@${version ?? 'latest'}`;
  context.say(`Fetching npm:${spec}`);
  const args = [
    'pack',
    spec,
    '--ignore-scripts',
    '--pack-destination',
    '..',
    '--loglevel=error',
    '--no-audit',
    '--no-update-notifier',
  ];
  const result = await runNpm(args, context);
  if (result.code !== 0) {
    const missing = /\bE404\b|\bETARGET\b/.test(result.stderr);
    throw new SourceError(
      missing ? 'missing' : 'failed',
      `npm:${spec} could not be had: ${npmReason(result.stderr) || `npm ended with ${result.code}`}`,
    );
  }
  const tarball = (await readdir(context.folder)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new SourceError('failed', `npm pack ${spec} wrote no tarball.`);
  const stem = `${name.replace('@', '').replace('/', '-')}-`; // npm calls it NAME-VERSION.tgz
  const stated = tarball.startsWith(stem) ? tarball.slice(stem.length, -'.tgz'.length) : undefined;
  const exact = version !== undefined && /^\d+\.\d+\.\d+/.test(version) ? version : stated;
  return { tarball: join(context.folder, tarball), asked: exact === undefined ? { name } : { name, version: exact } };
}

const MAX_REASON = 800;

/** What npm says of an error, in one line: its code, then its reasons, without its advice and its log's place. */
export function npmReason(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .flatMap((line) => /^npm (?:error|ERR!)\s?(.*)$/.exec(line)?.[1]?.trim() ?? [])
    .map((line) => line.replace(/^(?:404|notarget)\s+(?=\S)/, ''))
    .filter(
      (line) =>
        line !== '' && !/^(E?404|A complete log|.*_logs[\\/]|Note that you can also|tarball, folder)/.test(line),
    );
  return [...new Set(lines)].join(' | ').slice(0, MAX_REASON) || lastWords(stderr);
}
