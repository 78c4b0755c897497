/**
 * Documentation in an archive, a file or at an address: .tgz, .tar.gz, .zip, .whl, .jar, .gem, .crate, .deb.
 *
 *     archive -> what it is, by the metadata in it -> read as a package of that registry (without asking any registry)
 *                                                  -> else: every page in it, below its top folder if it has one
 *
 * Name and version are those of the metadata, else of the file's name (kiln-1.2.zip), else the day.
 */
import { stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { hashFile } from '../base/hash.js';
import { libraryCharacters } from '../../browser/client/names.js';
import { joinApi } from './api_pages.js';
import { listArchive, readArchive } from './archive.js';
import { fetcherFor, parseUrl } from './http.js';
import { expandPath, isWebAddress } from './local.js';
import { isPackageDoc } from './package_docs.js';
import { REGISTRY_LIMITS } from './registry.js';
import { isoDay, SourceError, type Fetched, type SourceContext } from './source.js';
import { belowTop, unpack } from './unpack.js';
import { isDocumentation } from './walk.js';
import { decodePercent } from '../../browser/client/percent.js';

const TIMEOUT_MS = 15 * 60_000;
const MAX_METADATA = 4 << 20;

export async function fetchArchive(spec: { archive: string }, context: SourceContext): Promise<Fetched> {
  const isRemote = isWebAddress(spec.archive);
  const file = isRemote ? await download(spec.archive, context) : expandPath(spec.archive);
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) throw new SourceError('missing', `${file} cannot be read: there is no such file.`);
  const revision = await hashFile(file);
  const found = await read(file, context);
  return { ...found, revision };
}

async function download(address: string, context: SourceContext): Promise<string> {
  const url = parseUrl(address);
  const fetcher = fetcherFor(url, context);
  const name = decodePercent(url.pathname.slice(url.pathname.lastIndexOf('/') + 1));
  const file = join(context.folder, libraryCharacters(name).replace(/^\.+/, '').slice(-200));
  try {
    context.say(`Fetching ${url.origin}${url.pathname}`);
    await fetcher.save(url.href, file, { timeoutMs: TIMEOUT_MS, maxBytes: REGISTRY_LIMITS.archiveBytes });
    return file;
  } finally {
    fetcher.close();
  }
}

async function read(file: string, context: SourceContext): Promise<Fetched> {
  if (/\.deb$/i.test(file)) return (await import('./deb.js')).readDeb(file, context);
  if (/\.gem$/i.test(file)) return readGem(file, context);
  const paths = await listArchive(file);
  const has = (pattern: RegExp): boolean => paths.some((path) => pattern.test(path));
  if (has(/^package\/package\.json$/))
    return (await import('./npm.js')).fetchNpm({ type: 'npm', package: file }, context);
  if (has(/^[^/]+\/Cargo\.toml$/) && /\.crate$/i.test(file))
    return existing(file, (await (await import('./crate.js')).readCrate(file, context)).own, context);
  if (has(/^[^/]+\.dist-info\/METADATA$/) || has(/^[^/]+\/PKG-INFO$/))
    return (await import('./pypi.js')).fetchPypi({ type: 'pypi', package: file }, context);
  return readPages(file, paths, context);
}

/** A jar, or any archive: all its pages. */
async function readPages(file: string, paths: readonly string[], context: SourceContext): Promise<Fetched> {
  const isJar = /\.jar$/i.test(file);
  const tops = new Set(paths.map((path) => path.split('/', 1)[0]));
  const hasTop = !isJar && tops.size === 1 && paths.every((path) => path.includes('/'));
  const unpacked = isJar
    ? await (await import('./maven.js')).readJar(file, context)
    : await unpack(file, { ...(hasTop ? { inner: belowTop } : {}), isDoc: isPage }, context);
  const [properties] = unpacked.metadata.values();
  const { propertiesOf } = await import('./maven.js');
  const stated = properties === undefined ? undefined : propertiesOf(properties.toString('utf8'));
  const named = nameIn(basename(file));
  const library = stated?.name.split(':')[1] || named.name;
  const version = stated?.version || named.version || `local-${isoDay()}`;
  const { root, files, api } = unpacked;
  const pages = { root, inputs: [root], baseUrl: '', urlStyle: 'keep' as const, noIgnore: false };
  return existing(file, files.length + api.length === 0 ? undefined : { library, version, ...pages, api }, context);
}

const isPage = (path: string): boolean => isDocumentation(path) && !/(^|\/)(node_modules|\.git|__MACOSX)\//.test(path);

async function existing(file: string, given: Fetched | undefined, context: SourceContext): Promise<Fetched> {
  if (given !== undefined) {
    const { api = [], ...found } = given;
    return joinApi(found, api, () => undefined, context);
  }
  throw new SourceError('missing', `${file} holds no documentation (README, *.md, *.html, docs/).`);
}

/** `guava-33.0.0-jre-javadoc.jar` is guava 33.0.0-jre. Pure. */
export function nameIn(fileName: string): { name: string; version: string | undefined } {
  const stem = fileName
    .replace(/\.(tar\.gz|tgz|tar|zip|whl|jar|gem|crate|deb)$/i, '')
    .replace(/[-_.](javadoc|sources|docs?|html|documentation)$/i, '');
  const cut = /[-_]v?(?=\d)/i.exec(stem);
  const whole = cut === null || cut.index === 0;
  const name = libraryCharacters(whole ? stem : stem.slice(0, cut.index)).replace(/^[^A-Za-z0-9_]+/, '');
  return { name: name || 'archive', version: whole ? undefined : stem.slice(cut.index + cut[0].length) };
}

// ---- gems -----------------------------------------------------------------------------------------

/** A gem: a tar of metadata.gz and data.tar.gz. Its README, doc and docs, and its lib where a converter reads Ruby. */
async function readGem(file: string, context: SourceContext): Promise<Fetched> {
  let specification = '';
  const data = join(context.folder, 'data.tar.gz');
  let hasData = false;
  for await (const { path, bytes } of readArchive(file, (path) => /^(metadata\.gz|data\.tar\.gz)$/.test(path))) {
    if (path === 'metadata.gz') specification = gunzipSync(bytes, { maxOutputLength: MAX_METADATA }).toString('utf8');
    else {
      await writeFile(data, bytes);
      hasData = true;
    }
  }
  // YAML of Ruby's own classes, which no reader of YAML knows; these fields stand at the left.
  const field = (pattern: RegExp): string =>
    pattern
      .exec(specification)?.[1]
      ?.replace(/^(['"])(.*)\1$/, '$2')
      .trim() ?? '';
  const name = field(/^name: (.+)$/m);
  const version = field(/^version: !ruby\/object:Gem::Version\n {2}version: (.+)$/m);
  if (!hasData || name === '' || version === '')
    throw new SourceError('failed', `${file} is no gem: it holds no files, or no name and version.`);
  const layout = {
    isDoc: (path: string): boolean => isPackageDoc(path),
    isSource: (path: string): boolean => /^lib\/.*\.rb$/.test(path),
  };
  const { root, files } = await unpack(data, layout, context);
  const about = { description: field(/^summary: (.+)$/m), licence: field(/^licenses:\n- (.+)$/m), keywords: [] };
  const pages = { root, inputs: [root], baseUrl: '', urlStyle: 'keep' as const, noIgnore: false };
  return existing(
    file,
    files.length === 0 ? undefined : { library: libraryCharacters(name), version, ...pages, about },
    context,
  );
}
