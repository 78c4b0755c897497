/**
 * Documentation of a Maven artifact at an exact version: the pages of its javadoc jar, else pages that a converter makes of its
 * sources jar (api_pages.ts), else what its repository holds (package_source.ts). Kotlin's and Scala's javadoc jars hold the
 * pages of Dokka and Scaladoc.
 *
 *     settings.xml -> repositories, mirrors -> maven-metadata.xml -> version -> .pom, identity checked -> jars, SHA-1 checked
 *
 * Which repositories are asked is Maven's own setting, of the user and not of a project.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkIdentity, parsePackage, releaseOf, type PackageName, type Releases } from './ecosystems.js';
import { ownPages, settlePackage, type PackageFacts } from './package_source.js';
import { checkHash, Registry } from './registry.js';
import { isOnHost, parseRepository, webAddress } from './repository.js';
import { messageOf, SourceError, type Fetched, type PackageSpec, type SourceContext } from './source.js';
import { unpack, type Unpacked } from './unpack.js';
import { isDocumentation } from './walk.js';
import { parseXml, type Element } from './xml_tree.js';

type Options = Pick<SourceContext, 'env' | 'allowPrivate' | 'signal' | 'say'>;

export async function fetchMaven(spec: PackageSpec, context: SourceContext): Promise<Fetched> {
  const asked = parsePackage('maven', spec.package);
  const { pom, own } = await askRepositories(asked.name, context, async (repository, isPublic) => {
    let newest: PackageOfJar | undefined;
    for (const version of await versionsOn(repository, asked)) {
      const found = await fromRepository(repository, { name: asked.name, version }, isPublic, context);
      if (found.own !== undefined) return found;
      newest ??= found;
    }
    return newest as PackageOfJar;
  });
  return settlePackage(spec, pom, own, context);
}

interface PackageOfJar {
  pom: PackageFacts;
  own: Fetched | undefined;
}

async function fromRepository(
  repository: Registry,
  asked: Required<PackageName>,
  isPublic: boolean,
  context: SourceContext,
): Promise<PackageOfJar> {
  const { version } = asked;
  const [group, artifact] = asked.name.split(':') as [string, string];
  const stem = `${folderOf(asked.name)}/${encodeURIComponent(version)}/${artifact}-${encodeURIComponent(version)}`;
  const reply = await repository.text(`${stem}.pom`);
  if (reply === undefined) throw new SourceError('missing', `${repository.url.host} has no ${asked.name} ${version}`);
  const pom = readPom(reply.text, reply.url);
  checkIdentity('maven', asked, pom);
  const unpacked = await jarOf(repository, stem, asked.name, version, context);
  const base = isPublic ? `https://javadoc.io/doc/${group}/${artifact}/${encodeURIComponent(version)}/` : '';
  return { pom, own: unpacked === undefined ? undefined : ownPages(pom, unpacked, base) };
}

/** The pages of the javadoc jar, or of the sources jar; undefined if neither has any. */
async function jarOf(
  repository: Registry,
  stem: string,
  name: string,
  version: string,
  context: SourceContext,
): Promise<Unpacked | undefined> {
  for (const kind of ['javadoc', 'sources']) {
    const path = `${stem}-${kind}.jar`;
    const file = join(context.folder, `${kind}.jar`);
    try {
      await repository.save(path, file);
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'missing') throw error;
      context.say(`maven:${name}@${version} has no ${kind} jar`);
      continue;
    }
    const stated = /^[0-9a-f]{40}/i.exec((await repository.text(`${path}.sha1`))?.text.trim() ?? '')?.[0];
    if (stated !== undefined) checkHash(new URL(path, repository.url).href, 'SHA-1', await sha1Of(file), stated);
    const unpacked = await readJar(file, context, { name, version });
    if (unpacked.files.length + unpacked.api.length > 0) return unpacked;
  }
  return undefined;
}

/** Pages of a jar. Error: its pom.properties name another artifact than was `asked` for. */
export async function readJar(file: string, context: SourceContext, asked?: PackageName): Promise<Unpacked> {
  const layout = {
    isMetadata: (path: string): boolean => /^META-INF\/maven\/[^/]+\/[^/]+\/pom\.properties$/.test(path),
    isDoc: (path: string): boolean => isDocumentation(path) && !/^(META-INF|legal|resources|jquery)\//i.test(path),
  };
  const unpacked = await unpack(file, layout, context);
  const found = [...unpacked.metadata.values()].map((bytes) => propertiesOf(bytes.toString('utf8')));
  // A jar of several artifacts has several; its own is one of them.
  const own = found.find(({ name }) => name === asked?.name) ?? found[0];
  if (asked !== undefined && own !== undefined) checkIdentity('maven', asked, own);
  return unpacked;
}

/** `groupId=…`, `artifactId=…`, `version=…`. Pure. */
export function propertiesOf(text: string): Required<PackageName> {
  const field = (key: string): string =>
    new RegExp(`^[ \\t]*${key}[ \\t]*[=:][ \\t]*(\\S+)`, 'm').exec(text)?.[1] ?? '';
  return { name: `${field('groupId')}:${field('artifactId')}`, version: field('version') };
}

/** What a .pom says of its artifact; group and version may be its parent's. */
export function readPom(text: string, file: string): PackageFacts {
  const root = parseXml(text);
  if (root?.name !== 'project') throw new SourceError('failed', `${file} is no pom: it holds no <project>.`);
  const fill = filler(root);
  const field = (path: string): string => fill(root.of(path) ?? '');
  const group = field('groupId') || field('parent/groupId');
  const address = field('scm/url') || field('scm/connection').replace(/^scm:[a-z]+:/, '') || field('url');
  const stated = parseRepository(address);
  const home = webAddress(field('url'));
  return {
    ecosystem: 'maven',
    name: `${group}:${field('artifactId')}`,
    version: field('version') || field('parent/version'),
    repository: stated !== undefined && isOnHost(stated.url) ? stated : undefined,
    home,
    about: {
      description: field('description').replace(/\s+/g, ' '),
      licence: fill(root.at('licenses')?.all('license')[0]?.of('name') ?? ''),
      keywords: [],
    },
    isWhole: true,
  };
}

/** Puts `<properties>` and the project's own fields in place of `${…}`, at most a few times deep. */
export function filler(project: Element): (text: string) => string {
  const values = new Map<string, string>();
  for (const { name, text } of project.at('properties')?.children ?? []) values.set(name, text.trim());
  for (const field of ['groupId', 'artifactId', 'version'])
    for (const prefix of ['project.', 'pom.'])
      values.set(prefix + field, project.of(field) ?? project.of(`parent/${field}`) ?? '');
  return (text) => {
    let filled = text;
    for (let round = 0; round < 4 && filled.includes('${'); round++)
      filled = filled.slice(0, 4096).replace(/\$\{([^{}]{1,200})\}/g, (all, key: string) => values.get(key) ?? all);
    return filled.trim();
  };
}

async function sha1Of(file: string): Promise<string> {
  const hash = createHash('sha1');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

// ---- repositories -----------------------------------------------------------------------------------

/** com.google.guava:guava lies at com/google/guava/guava. */
function folderOf(name: string): string {
  const [group, artifact] = name.split(':') as [string, string];
  return `${group.replaceAll('.', '/')}/${artifact}`;
}

/** The versions that the first repository lists which has the artifact. A release never changes. */
export async function mavenReleases(name: string, context: SourceContext): Promise<Releases> {
  return askRepositories(name, context, async (repository) => {
    const { versions, latest } = await listed(repository, name);
    if (versions.length === 0) throw new SourceError('missing', `${repository.url.host} has no ${name}`);
    return { versions, latest, identity: (version: string) => version };
  });
}

/** How many releases are tried for a javadoc jar, if no version was asked for. */
const MOST_TRIED = 4;

/** The version that was asked for; without one the newest release, and a few before it, should it have no javadoc jar. */
async function versionsOn(repository: Registry, { name, version }: PackageName): Promise<string[]> {
  // Anything but a plain range is taken as it is written: versions of Maven may be any word.
  if (version !== undefined && !/^(latest|[\^~].*|\d+(\.\d+)?)$/.test(version)) return [version];
  const { versions, latest } = await listed(repository, name);
  if (versions.length > 0) {
    const chosen = releaseOf({ versions, latest }, version ?? 'latest', `maven:${name}`);
    if (!/^(latest)?$/.test(version ?? '')) return [chosen];
    const kind = kindOf(chosen);
    const older = versions.slice(0, versions.indexOf(chosen)).filter((one) => isFinished(one) && kindOf(one) === kind);
    return [chosen, ...older.reverse()].slice(0, MOST_TRIED);
  }
  if (version !== undefined && /^\d/.test(version)) return [version]; // its pom tells whether it is there
  throw new SourceError('missing', `${repository.url.host} has no ${name}`);
}

async function listed(repository: Registry, name: string): Promise<{ versions: string[]; latest: string | undefined }> {
  const reply = await repository.text(`${folderOf(name)}/maven-metadata.xml`);
  const root = reply === undefined ? undefined : parseXml(reply.text);
  const versions =
    root
      ?.at('versioning/versions')
      ?.all('version')
      .map(({ text }) => text.trim()) ?? [];
  const stated = root?.of('versioning/release') ?? root?.of('versioning/latest');
  // For Maven a release is anything but a snapshot, a candidate too.
  const stable = versions.filter(isFinished);
  return { versions, latest: stated !== undefined && !isFinished(stated) ? (stable.at(-1) ?? stated) : stated };
}

const UNFINISHED = /[-.](snapshot|alpha|beta|rc|cr|m\d|pre|preview|ea|incubating)|[-.]\d*[abm]\d+$/i;

/** A release, and no candidate. Old ones called by their day (20030203.000550) stand above all others, and are not the newest. */
const isFinished = (version: string): boolean => !UNFINISHED.test(version) && !/^\d{8}/.test(version);

/** `jre` of 33.0.0-jre, `android` of 33.0.0-android: releases for other platforms. */
const kindOf = (version: string): string => version.replace(/^[\d.]+/, '');

export interface MavenRepository {
  id: string;
  url: string;
  authorization?: string;
}

const CENTRAL = { id: 'central', url: 'https://repo.maven.apache.org/maven2' };

/** Maven Central, by any of its names. */
export const isCentral = (url: string): boolean => /^https?:\/\/repo1?\.maven(\.apache)?\.org\//.test(url);

/** What the first repository that has it says, in the order of Maven's settings. */
async function askRepositories<T>(
  name: string,
  context: Options,
  ask: (repository: Registry, isPublic: boolean) => Promise<T>,
): Promise<T> {
  const reasons: string[] = [];
  for (const { url, authorization } of await mavenRepositories(context)) {
    const repository = new Registry(url, context, { authorization });
    try {
      return await ask(repository, isCentral(url));
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof SourceError) || error.kind !== 'missing') throw error;
      reasons.push(messageOf(error));
    } finally {
      repository.close();
    }
  }
  throw new SourceError('missing', `maven:${name} could not be had: ${reasons.join('; ')}`);
}

/** The repositories of the user's settings.xml, then Maven Central, each by its mirror where there is one. */
export async function mavenRepositories({ env }: Pick<SourceContext, 'env'>): Promise<MavenRepository[]> {
  const path = join(env['HOME'] || homedir(), '.m2', 'settings.xml');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? [CENTRAL] : repositoriesOf(text, env, path);
}

/** Pure. Error: Maven is told to stay offline, or the file is no settings.xml. */
export function repositoriesOf(text: string, env: NodeJS.ProcessEnv, file: string): MavenRepository[] {
  const root = parseXml(text);
  if (root?.name !== 'settings') throw new SourceError('failed', `${file} holds no <settings>.`);
  const fill = (value = ''): string => value.replace(/\$\{env\.(\w{1,100})\}/g, (_, name: string) => env[name] ?? '');
  if (root.of('offline') === 'true')
    throw new SourceError('failed', `Maven is told to stay offline (${file}), so artifacts cannot be had`);
  const active = new Set(
    root
      .at('activeProfiles')
      ?.all('activeProfile')
      .map(({ text: id }) => id.trim()),
  );
  const own = (root.at('profiles')?.all('profile') ?? [])
    .filter((profile) => active.has(profile.of('id') ?? '') || profile.of('activation/activeByDefault') === 'true')
    .flatMap((profile) => profile.at('repositories')?.all('repository') ?? [])
    .map((one) => ({ id: one.of('id') ?? '', url: fill(one.of('url')) }));
  const all = [...own.filter(({ id }) => id !== CENTRAL.id), own.find(({ id }) => id === CENTRAL.id) ?? CENTRAL];
  const mirrors = (root.at('mirrors')?.all('mirror') ?? []).map((one) => ({
    id: one.of('id') ?? '',
    url: fill(one.of('url')),
    of: (one.of('mirrorOf') ?? '').split(',').map((part) => part.trim()),
  }));
  const servers = new Map(
    root
      .at('servers')
      ?.all('server')
      .map((server) => [server.of('id') ?? '', server]),
  );
  const found = all.map((repository) => {
    const mirror =
      mirrors.find(({ of }) => of.length === 1 && of[0] === repository.id) ??
      mirrors.find(({ of }) => isMirrorOf(of, repository));
    const { id, url } = mirror ?? repository;
    const server = servers.get(id);
    const [user, password] = [fill(server?.of('username')), fill(server?.of('password'))];
    const login =
      user === '' ? {} : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
    return { id, url, ...login };
  });
  return [...new Map(found.filter(({ url }) => /^https?:/i.test(url)).map((one) => [one.url, one])).values()];
}

function isMirrorOf(patterns: readonly string[], { id, url }: { id: string; url: string }): boolean {
  if (patterns.includes(`!${id}`)) return false;
  const isLocal = !URL.canParse(url) || /^(localhost|127\.0\.0\.1)$/.test(new URL(url).hostname) || /^file:/i.test(url);
  return patterns.some(
    (pattern) =>
      pattern === '*' ||
      pattern === id ||
      (pattern === 'external:*' && !isLocal) ||
      (pattern === 'external:http:*' && !isLocal && /^http:/i.test(url)),
  );
}
