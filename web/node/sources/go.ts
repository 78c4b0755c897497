/**
 * Documentation of a Go module at an exact version, by the module proxy protocol: README, docs, READMEs of its packages, and
 * pages of its API where a converter reads the code (api_pages.ts). A module's zip holds what its repository does at that
 * version. Nothing is built.
 *
 *     go env -> proxies in their order -> @v/list, @latest -> version -> @v/VERSION.zip -> hash and identity checked -> pages
 *
 * A name that GOPRIVATE or GONOPROXY calls private is asked of no proxy. One that is kept from the checksum database alone
 * (GONOSUMDB) is not asked of the public proxy.
 */
import { join } from 'node:path';
import { listArchive } from './archive.js';
import { checkIdentity, parsePackage, releaseOf, type PackageName, type Releases } from './ecosystems.js';
import { runCommand, type CommandOptions } from './command.js';
import { pagesAt } from './git.js';
import { parseGitAddress } from './git_url.js';
import { checkModule, escapedPath, parseDatabase, type Database } from './go_sums.js';
import { parseJson } from './package_docs.js';
import { ownPages, settlePackage, type PackageFacts } from './package_source.js';
import { Registry } from './registry.js';
import { chooseDocs, isOnHost, parseRepository } from './repository.js';
import { messageOf, SourceError, type Fetched, type PackageSpec, type SourceContext } from './source.js';
import { unpack } from './unpack.js';
import { isDocumentation } from './walk.js';
import { withoutEndSlashes } from '../base/slashes.js';

export async function fetchGo(spec: PackageSpec, context: SourceContext): Promise<Fetched> {
  const asked = parsePackage('go', spec.package);
  const file = join(context.folder, 'module.zip');
  const version = await askProxies(asked.name, context, async (proxy, database) => {
    const found = await versionOn(proxy, asked);
    await proxy.save(`${escapedPath(asked.name)}/@v/${escapedPath(found)}.zip`, file);
    const [summed, hash] = spec.sum?.split(' ') ?? [];
    const sums = {
      stated: summed === found ? hash : undefined,
      database,
      proxy,
      isPublic: PUBLIC.test(proxy.url.href),
    };
    await checkModule(file, { name: asked.name, version: found }, sums, context);
    return found;
  });
  return readModule(spec, file, { name: asked.name, version }, context);
}

async function readModule(
  spec: PackageSpec,
  file: string,
  asked: Required<PackageName>,
  context: SourceContext,
): Promise<Fetched> {
  const { name, version } = asked;
  const top = `${name}@${version}/`;
  const paths = await listArchive(file);
  // Every file is below MODULE@VERSION/, and go.mod says the module's name again; an old one has no go.mod.
  const other = paths.find((path) => !path.startsWith(top));
  const [, otherName = 'another module', otherVersion = ''] = /^(.+?)@([^/@]+)\//.exec(other ?? '') ?? [];
  if (other !== undefined) checkIdentity('go', asked, { name: otherName, version: otherVersion });
  const { folders, without, files } = chooseDocs(
    paths.map((path) => path.slice(top.length)),
    '',
  );
  const isIn = (path: string, all: readonly string[]): boolean => all.some((folder) => path.startsWith(`${folder}/`));
  const isChosen = (path: string): boolean => isDocumentation(path) && isIn(path, folders) && !isIn(path, without);
  const layout = {
    inner: (path: string): string => path.slice(top.length),
    isMetadata: (path: string): boolean => path === 'go.mod',
    isDoc: (path: string): boolean => files.includes(path) || isChosen(path) || isReadmeOfPackage(path),
  };
  const unpacked = await unpack(file, layout, context);
  const stated = /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(unpacked.metadata.get('go.mod')?.toString('utf8') ?? '')?.[1];
  if (stated !== undefined) checkIdentity('go', asked, { name: stated, version });
  const facts = { ...goFacts(name, version), sources: async () => addressOf(name, version) };
  return settlePackage(spec, facts, ownPages(facts, unpacked, addressOf(name, version)), context);
}

/** The README of a package below the module's top. */
function isReadmeOfPackage(path: string): boolean {
  const folders = path.split('/').slice(0, -1);
  return (
    /(^|\/)readme\.(md|rst|txt)$/i.test(path) && folders.length < 4 && !folders.some((folder) => INNER.test(folder))
  );
}

const INNER = /^(internal|vendor|testdata|tests?|examples?|_.*|\..*)$/i;

function goFacts(name: string, version: string): PackageFacts {
  const home = `https://pkg.go.dev/${name}@${version}`;
  const found = parseRepository(`https://${name}`);
  // A module below the top of its repository may have its docs there; another module's zip is its repository.
  const repository =
    found !== undefined && isOnHost(found.url) && folderOf(name) !== ''
      ? { ...found, directory: folderOf(name) }
      : undefined;
  const about = { description: '', licence: '', keywords: [] };
  return { ecosystem: 'go', name, version, repository, home, about, isWhole: true };
}

/** The module's folder in its repository on a host of repositories: github.com/OWNER/REPO/FOLDER/v2. */
function folderOf(name: string): string {
  return name
    .split('/')
    .slice(3)
    .join('/')
    .replace(/(^|\/)v\d+$/, '');
}

/** Where the host shows the files at the version; '' where it is no host of repositories. */
function addressOf(name: string, version: string): string {
  const found = parseRepository(`https://${name}`);
  if (found === undefined || !isOnHost(found.url)) return '';
  const folder = folderOf(name);
  // v0.0.0-20240102030405-abcdefabcdef was made of that commit.
  const commit = /-(?:0\.)?\d{14}-([0-9a-f]{12})$/.exec(version)?.[1];
  const tag = `${folder === '' ? '' : `${folder}/`}${version.replace(/\+incompatible$/, '')}`;
  const ref = { name: commit ?? tag, commit: '', fetch: commit ?? `refs/tags/${tag}`, isDefault: false };
  return `${pagesAt(parseGitAddress(found.url), ref)}${folder === '' ? '' : `${folder}/`}`;
}

// ---- the proxies ----------------------------------------------------------------------------------

/** The versions that the proxies list. What is published never changes. */
export async function goReleases(name: string, context: SourceContext): Promise<Releases> {
  return askProxies(name, context, async (proxy) => {
    const versions = await listed(proxy, name);
    const latest = versions.length === 0 ? await newest(proxy, name) : undefined;
    return { versions: latest === undefined ? versions : [latest], identity: (version: string) => version };
  });
}

async function versionOn(proxy: Registry, { name, version }: PackageName): Promise<string> {
  if (version !== undefined && /^v?\d+\.\d+\.\d+/.test(version))
    return version.startsWith('v') ? version : `v${version}`;
  const versions = await listed(proxy, name);
  if (versions.length > 0) return releaseOf({ versions }, version ?? 'latest', `go:${name}`);
  const found = await newest(proxy, name);
  if (found !== undefined && /^(latest)?$/.test(version ?? '')) return found;
  throw new SourceError(
    'missing',
    `${proxy.url.host} has no ${version === undefined ? 'version' : version} of ${name}`,
  );
}

async function listed(proxy: Registry, name: string): Promise<string[]> {
  const { text } = (await proxy.text(`${escapedPath(name)}/@v/list`)) ?? { text: '' };
  return text.split(/\s+/).filter((version) => /^v\d/.test(version) && version.length <= 128);
}

/** Of a module without tags: the version that the proxy makes of its newest commit. */
async function newest(proxy: Registry, name: string): Promise<string | undefined> {
  const reply = await proxy.text(`${escapedPath(name)}/@latest`);
  const version = reply === undefined ? undefined : parseJson(reply.text, reply.url)['Version'];
  return typeof version === 'string' && /^v\d[\w.+-]*$/.test(version) ? version : undefined;
}

/**
 * What the first proxy that has it says. After a comma the next one is asked only if this one has no such module, after a
 * bar whatever failed, as go itself does.
 */
async function askProxies<T>(
  name: string,
  context: SourceContext,
  ask: (proxy: Registry, database: Database | undefined) => Promise<T>,
): Promise<T> {
  const settings = await goSettings(context);
  const isPrivate = matchesPatterns(name, settings.private);
  const direct = `Add its repository: sheaf add NAME -s https://${name}`;
  if (isPrivate)
    throw new SourceError(
      'failed',
      `go:${name} is private by GOPRIVATE or GONOPROXY, so no proxy is asked for it. ${direct}`,
    );
  // Names that are kept from the database are not told to it.
  const database = matchesPatterns(name, settings.unlisted) ? undefined : parseDatabase(settings.database);
  const reasons: string[] = [];
  let kind: SourceError['kind'] = 'missing';
  for (const { address, goesOn } of proxiesOf(settings.proxy)) {
    if (address === 'off') throw new SourceError('failed', `go:${name}: go is told to ask no proxy (GOPROXY=off)`);
    if (address === 'direct') break;
    if (PUBLIC.test(address) && matchesPatterns(name, settings.unlisted)) {
      reasons.push('it is private by GONOSUMDB, so the public proxy is not asked');
      continue;
    }
    if (!/^https?:/i.test(address)) {
      reasons.push(`the proxy ${address.slice(0, 100)} is no http address, which only go itself reads`);
      kind = 'failed';
      continue;
    }
    const proxy = new Registry(address, context);
    try {
      return await ask(proxy, database);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof SourceError)) throw error;
      reasons.push(messageOf(error));
      if (error.kind !== 'missing') kind = 'failed';
      if (error.kind !== 'missing' && goesOn === 'missing') break;
    } finally {
      proxy.close();
    }
  }
  throw new SourceError(
    kind,
    `go:${name} could not be had: ${reasons.join('; ') || 'GOPROXY names no proxy'}. ${direct}`,
  );
}

const PUBLIC = /^https:\/\/proxy\.golang\.org\/?$/;

/** GOPROXY, in order; `goesOn`: when the next one is asked. Pure. */
export function proxiesOf(text: string): { address: string; goesOn: 'missing' | 'always' }[] {
  return [...text.matchAll(/([^,|\s]+)\s*([,|]?)/g)].map(([, address, mark]) => ({
    address: address as string,
    goesOn: mark === '|' ? 'always' : 'missing',
  }));
}

interface GoSettings {
  proxy: string;
  /** Patterns of modules that no proxy may be asked for. */
  private: string;
  /** Of modules that are kept from the public checksum database. */
  unlisted: string;
  /** GOSUMDB. */
  database: string;
}

const NAMES = ['GOPROXY', 'GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOSUMDB'] as const;

/** What `go` would use; without it, the variables alone. */
async function goSettings(options: CommandOptions): Promise<GoSettings> {
  const env = { ...options.env, GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '' };
  const ran = await runCommand('go', ['env', '-json', ...NAMES], 'Install Go.', { ...options, env }).catch(
    (error: unknown) => {
      options.signal.throwIfAborted();
      if (error instanceof SourceError && error.message.includes('was not found')) return undefined;
      throw error;
    },
  );
  // Rather stop than ask the public proxy for a name that a setting keeps from it.
  if (ran !== undefined && ran.code !== 0)
    throw new SourceError('failed', `go's configuration cannot be read: ${ran.stderr.trim().slice(0, 300)}`);
  const stated: Record<string, unknown> = ran === undefined ? options.env : parseJson(ran.stdout, "go's configuration");
  const text = (name: (typeof NAMES)[number]): string => String(stated[name] ?? '');
  return {
    proxy: text('GOPROXY') || 'https://proxy.golang.org,direct',
    private: text('GONOPROXY') || text('GOPRIVATE'),
    unlisted: `${text('GONOSUMDB')},${text('GOPRIVATE')}`,
    database: text('GOSUMDB') || 'sum.golang.org',
  };
}

/** Whether a pattern of GOPRIVATE fits the beginning of a module's path, part by part. Pure. */
export function matchesPatterns(name: string, patterns: string): boolean {
  const parts = name.split('/');
  return patterns
    .split(',')
    .map((pattern) => withoutEndSlashes(pattern.trim()))
    .filter((pattern) => pattern !== '' && pattern !== 'none')
    .some((pattern) => {
      const wanted = pattern.split('/');
      return wanted.length <= parts.length && wanted.every((one, i) => fits(parts[i] as string, one));
    });
}

/** Shell patterns of one part: `*`, `?`, `[a-z]`. Only the last star is tried anew, so it costs at most their product. */
function fits(text: string, pattern: string): boolean {
  const marks = pattern.match(/\[[^\][]+\]|[^]/g) ?? [];
  let [at, mark, star, from] = [0, 0, -1, 0];
  while (at < text.length) {
    if (marks[mark] === '*') [star, from] = [mark++, at];
    else if (mark < marks.length && isOne(text[at] as string, marks[mark] as string)) [at, mark] = [at + 1, mark + 1];
    else if (star >= 0) [mark, at] = [star + 1, ++from];
    else return false;
  }
  return marks.slice(mark).every((each) => each === '*');
}

function isOne(letter: string, mark: string): boolean {
  if (mark === '?') return true;
  if (mark.length === 1) return mark === letter;
  const isNot = /^\[[!^]/.test(mark);
  const ranges = mark.slice(isNot ? 2 : 1, -1).match(/[^]-[^]|[^]/g) ?? [];
  return ranges.some((one) => letter >= (one[0] as string) && letter <= (one.at(-1) as string)) !== isNot;
}
