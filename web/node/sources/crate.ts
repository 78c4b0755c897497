/**
 * Documentation of a crate at an exact version: its README, its docs and guides, the Markdown that its doc comments include,
 * and pages of its API where a converter reads the code (api_pages.ts). Its Cargo.toml leads to its repository
 * (package_source.ts). Nothing is built.
 *
 *     config.toml of CARGO_HOME -> sparse index -> version, SHA-256 -> .crate -> identity checked -> pages
 *
 * Which registry is asked is cargo's own setting: source replacement, registries, tokens, certificates. Of projects' own
 * .cargo folders nothing is read.
 */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkIdentity, isSameName, parsePackage, releaseOf, type PackageName, type Releases } from './ecosystems.js';
import { parseToml } from './toml.js';
import { isPackageDoc } from './package_docs.js';
import { ownPages, settlePackage, type PackageFacts } from './package_source.js';
import { checkHash, Registry } from './registry.js';
import { parseRepository, webAddress } from './repository.js';
import { messageOf, SourceError, type Fetched, type PackageSpec, type SourceContext } from './source.js';
import { belowTop, MOST_PARTS, unpack, type Layout, type Part } from './unpack.js';
import type { SourceTree } from '../convert/grammars.js';
import { withoutEndSlashes } from '../base/slashes.js';

type Table = Record<string, unknown>;
type Options = Pick<SourceContext, 'env' | 'allowPrivate' | 'signal' | 'say'>;

export async function fetchCrate(spec: PackageSpec, context: SourceContext): Promise<Fetched> {
  const asked = parsePackage('crate', spec.package);
  const { file, version, isPublic } = await download(asked, context);
  const parts = (code: SourceTree): AsyncIterable<Part> => handedOn(asked.name, code, context);
  const found = await readCrate(file, context, { name: asked.name, version }, isPublic, parts);
  return settlePackage(spec, found.facts, found.own, context);
}

/** A .crate. Error: it is not of the package that was `asked` for. `isPublic`: docs.rs shows its files. */
export async function readCrate(
  file: string,
  context: SourceContext,
  asked?: PackageName,
  isPublic = false,
  parts?: Layout['parts'],
): Promise<{ own: Fetched | undefined; facts: PackageFacts }> {
  const layout = {
    inner: belowTop,
    isMetadata: (path: string): boolean => path === 'Cargo.toml' || path === '.cargo_vcs_info.json',
    isDoc: (path: string): boolean => isPackageDoc(path) || /^src\/.*\.md$/i.test(path),
    ...(parts === undefined ? {} : { parts }),
  };
  const unpacked = await unpack(file, layout, context);
  const manifest = tableOf(unpacked.metadata.get('Cargo.toml')?.toString('utf8') ?? '', `Cargo.toml of ${file}`);
  const about = record(manifest['package']);
  const { name, version } = about;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new SourceError('failed', `${file} is no crate: it holds no Cargo.toml with a name and a version.`);
  if (asked !== undefined) checkIdentity('crate', asked, { name, version });
  const facts = crateFacts(name, version, about, unpacked.metadata.get('.cargo_vcs_info.json')?.toString('utf8'));
  const base = isPublic ? `https://docs.rs/crate/${name}/${encodeURIComponent(version)}/source/` : '';
  return { own: ownPages(facts, unpacked, base), facts: { ...facts, sources: async () => base } };
}

/**
 * The crates that a crate hands on to its users (`pub use serde_core::de`), if they are called as it is: `serde_core` of
 * serde. So a crate split over several has its API. Crates of macros have none.
 */
async function* handedOn(name: string, code: SourceTree, context: SourceContext): AsyncIterable<Part> {
  const seen = new Set<string>();
  const folders = [''];
  for (const folder of folders) {
    const text = (path: string): string =>
      code.paths.includes(folder + path) ? Buffer.from(code.read(folder + path)).toString('utf8') : '';
    const needed = Object.entries(record(tableOf(text('Cargo.toml'), `Cargo.toml of ${name}`)['dependencies']));
    const used = new Set(
      [...text('src/lib.rs').matchAll(/^[ \t]*pub use (?:::)?(\w{1,64})\b/gm)].map(([, one]) => one),
    );
    for (const [key, value] of needed) {
      const { package: renamed, version } = typeof value === 'string' ? { version: value } : record(value);
      const other = typeof renamed === 'string' ? renamed : key;
      const isOwn = other.replace(/-/g, '_').startsWith(`${name.replace(/-/g, '_')}_`);
      if (!isOwn || !used.has(key.replace(/-/g, '_')) || /[-_](?:derive|macros?)$/.test(other)) continue;
      if (seen.has(other) || seen.size >= MOST_PARTS || typeof version !== 'string') continue;
      seen.add(other);
      try {
        const wanted = parsePackage('crate', `${other}@${asRange(version)}`);
        const { file } = await download(wanted, context);
        folders.push(`vendor/${other}/`);
        yield { archive: file, folder: `vendor/${other}/` };
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof SourceError)) throw error;
        context.warn(`${other}, which ${name} hands on, is not in its pages: ${messageOf(error)}`);
      }
    }
  }
}

/** A requirement of cargo, whose plain versions are ranges: `=1.2.3` is that one, `1.2.3` the newest that fits `^1.2.3`. */
const asRange = (version: string): string =>
  /^=\s*\d/.test(version) ? version.replace(/^=\s*/, '') : /^\d/.test(version) ? `^${version}` : version;

function crateFacts(name: string, version: string, about: Table, vcs: string | undefined): PackageFacts {
  const text = (key: string): string => (typeof about[key] === 'string' ? (about[key] as string) : '');
  const origin = commitOf(vcs);
  const stated = parseRepository(text('repository')) ?? parseRepository(text('homepage'));
  const repository = stated === undefined ? undefined : { ...stated, directory: origin.directory ?? stated.directory };
  const words = Array.isArray(about['keywords']) ? about['keywords'] : [];
  return {
    ecosystem: 'crate',
    name,
    version,
    repository,
    home: webAddress(text('documentation')) ?? webAddress(text('homepage')) ?? `https://docs.rs/${name}/${version}`,
    about: {
      description: text('description').trim(),
      licence: text('license'),
      keywords: words.filter((word): word is string => typeof word === 'string').slice(0, 64),
    },
    ...(origin.commit === undefined ? {} : { commit: async () => origin.commit }),
  };
}

/** What `cargo package` wrote of the commit that the crate was made from. */
function commitOf(text: string | undefined): { commit?: string; directory?: string } {
  try {
    const { git, path_in_vcs: path } = JSON.parse(text ?? '{}') as { git?: { sha1?: unknown }; path_in_vcs?: unknown };
    const commit = typeof git?.sha1 === 'string' && /^[0-9a-f]{40}$/.test(git.sha1) ? { commit: git.sha1 } : {};
    const clean = typeof path === 'string' && !/\\|(^|\/)\.{1,2}(\/|$)/.test(path) && path.length < 500;
    return { ...commit, ...(clean ? { directory: path.replace(/^\/+|\/+$/g, '') } : {}) };
  } catch {
    return {};
  }
}

// ---- the registry ---------------------------------------------------------------------------------

interface Entry {
  version: string;
  sha256: string;
  yanked: boolean;
}

/** The versions that the registry has; yanked ones are left out. */
export async function crateReleases(name: string, context: SourceContext): Promise<Releases> {
  const registry = await openRegistry(context);
  try {
    const entries = (await entriesOf(name, registry)).filter(({ yanked }) => !yanked);
    const hashes = new Map(entries.map(({ version, sha256 }) => [version, sha256]));
    return { versions: [...hashes.keys()], identity: (version) => hashes.get(version) ?? '' };
  } finally {
    registry.close();
  }
}

async function download(
  { name, version: wanted }: PackageName,
  context: SourceContext,
): Promise<{ file: string; version: string; isPublic: boolean }> {
  const registry = await openRegistry(context);
  try {
    const entries = await entriesOf(name, registry);
    const current = entries.filter(({ version, yanked }) => !yanked || version === wanted);
    const version = releaseOf({ versions: current.map((one) => one.version) }, wanted ?? 'latest', `crate:${name}`);
    const { sha256 } = current.find((one) => one.version === version) as Entry;
    const settings = tableOf((await registry.text('config.json'))?.text ?? '', 'config.json of the index', JSON.parse);
    const address = downloadAddress(String(settings['dl'] ?? ''), name, version, sha256);
    const file = join(context.folder, `${name}-${version}.crate`.replace(/[/\\]/g, '-'));
    checkHash(address, 'SHA-256', await registry.save(address, file), sha256);
    return { file, version, isPublic: registry.url.host === new URL(PUBLIC).host };
  } finally {
    registry.close();
  }
}

/** The lines of a sparse index, as JSON. */
async function entriesOf(name: string, registry: Registry): Promise<Entry[]> {
  const reply = await registry.text(indexPath(name));
  if (reply === undefined)
    throw new SourceError('missing', `crate:${name} could not be had: ${registry.url.host} has no crate of that name.`);
  return reply.text.split('\n').flatMap((line) => {
    try {
      const { name: own, vers, cksum, yanked } = JSON.parse(line) as Table;
      if (typeof vers !== 'string' || typeof cksum !== 'string' || !isSameName('crate', own, name)) return [];
      return [{ version: vers, sha256: cksum, yanked: yanked === true }];
    } catch {
      return []; // an empty line, or one of a later format
    }
  });
}

/** Where a sparse index has a crate: 1/a, 2/ab, 3/a/abc, ab/cd/abcde. Pure. */
export function indexPath(name: string): string {
  const low = name.toLowerCase();
  return `${prefixOf(low)}/${low}`;
}

function prefixOf(name: string): string {
  if (name.length < 3) return String(name.length);
  return name.length === 3 ? `3/${name[0]}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`;
}

/** `dl` of an index: a template, or what the path is put behind. Pure. */
export function downloadAddress(dl: string, name: string, version: string, sha256: string): string {
  const marks: Record<string, string> = {
    crate: name,
    version,
    prefix: prefixOf(name),
    lowerprefix: prefixOf(name.toLowerCase()),
    'sha256-checksum': sha256,
  };
  if (!/\{(crate|version|prefix|lowerprefix|sha256-checksum)\}/.test(dl))
    return `${withoutEndSlashes(dl)}/${name}/${encodeURIComponent(version)}/download`;
  return dl.replace(/\{([a-z0-9-]+)\}/g, (all, mark: string) =>
    Object.hasOwn(marks, mark) ? encodeURI(marks[mark] as string) : all,
  );
}

// ---- cargo's settings -------------------------------------------------------------------------------

const PUBLIC = 'https://index.crates.io/';
/** The older form of the same registry. */
const PUBLIC_GIT = /^(?:registry\+)?https:\/\/github\.com\/rust-lang\/crates\.io-index\/?$/;

/** Whether a lock file means crates.io, whichever registry stands for it here. */
export const isPublicIndex = (address: string): boolean => PUBLIC_GIT.test(address) || address.startsWith(PUBLIC);

async function openRegistry(context: Options): Promise<Registry> {
  const { index, token, cainfo } = await cargoSettings(context);
  const ca = cainfo === undefined ? undefined : await readFile(cainfo).catch(() => undefined);
  return new Registry(index, context, { authorization: token, ...(ca === undefined ? {} : { tls: { ca } }) });
}

export interface CargoSettings {
  /** Of the registry that stands for crates.io: a sparse index. */
  index: string;
  token?: string;
  /** A file of certificates. */
  cainfo?: string;
}

/** What cargo would ask instead of crates.io. Error: only cargo itself can ask it. */
export async function cargoSettings({ env }: Pick<SourceContext, 'env'>): Promise<CargoSettings> {
  const home = resolve(env['CARGO_HOME'] || join(env['HOME'] || homedir(), '.cargo'));
  const read = async (names: string[]): Promise<Table> => {
    for (const name of names) {
      const path = join(home, name);
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text !== undefined) return tableOf(text, path);
    }
    return {};
  };
  const config = await read(['config', 'config.toml']);
  const logins = await read(['credentials', 'credentials.toml']);
  if (/^(1|true)$/.test(env['CARGO_NET_OFFLINE'] ?? '') || record(config['net'])['offline'] === true)
    throw new SourceError('failed', 'cargo is told to stay offline, so crates cannot be had');
  const { index, registry } = replacement(config, env);
  const key = registry.toUpperCase().replaceAll('-', '_');
  const login = record(record(logins['registries'])[registry])['token'];
  const token = env[`CARGO_REGISTRIES_${key}_TOKEN`] ?? login;
  const cainfo = env['CARGO_HTTP_CAINFO'] ?? record(config['http'])['cainfo'];
  return {
    index,
    ...(typeof token === 'string' && registry !== '' ? { token } : {}),
    ...(typeof cainfo === 'string' ? { cainfo: resolve(home, cainfo) } : {}),
  };
}

/** Follows `replace-with` from crates-io. */
function replacement(config: Table, env: NodeJS.ProcessEnv): { index: string; registry: string } {
  const sources = record(config['source']);
  let name = 'crates-io';
  for (let steps = 0; steps < 16; steps++) {
    const source = record(sources[name]);
    const next = source['replace-with'];
    if (typeof next === 'string') {
      name = next;
      continue;
    }
    const listed = env[`CARGO_REGISTRIES_${name.toUpperCase().replaceAll('-', '_')}_INDEX`];
    const stated = source['registry'] ?? listed ?? record(record(config['registries'])[name])['index'];
    if (typeof stated !== 'string' && name === 'crates-io') return { index: PUBLIC, registry: '' };
    if (typeof stated === 'string' && PUBLIC_GIT.test(stated)) return { index: PUBLIC, registry: '' };
    if (typeof stated === 'string' && /^sparse\+https?:/.test(stated))
      return { index: stated.slice('sparse+'.length), registry: name };
    const what = ['directory', 'local-registry', 'git'].find((kind) => kind in source) ?? 'registry';
    const where = String(source[what] ?? stated ?? name).slice(0, 200);
    throw new SourceError(
      'failed',
      `cargo is told to take crates from ${what === 'registry' ? 'the git index' : `the ${what}`} ${where}, which only cargo itself reads; Sheaf reads sparse indexes. Add a folder of it instead: sheaf add NAME -s FOLDER`,
    );
  }
  throw new SourceError('failed', `cargo's sources replace each other in a circle, from crates-io to ${name}`);
}

function record(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

function tableOf(text: string, file: string, parse: (text: string) => unknown = parseToml): Table {
  try {
    return record(parse(text));
  } catch (error) {
    throw new SourceError('failed', `${file} cannot be read: ${messageOf(error).split('\n', 1)[0]}.`);
  }
}
