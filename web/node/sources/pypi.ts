/**
 * Documentation of a PyPI package at an exact version, without running any of its code.
 *
 * An sdist holds the docs folder, but `pip download` runs its setup.py to look at it (pip issue 1884). So the sdist's
 * address comes from the indexes that pip is configured to use, in either form (PEP 503 and 691), its SHA-256 is
 * checked where the index states it, and the archive is only read. Where that fails (an index that needs netrc, a proxy,
 * a package without sdist, no-index), the user's own pip fetches a wheel, which holds the README. The metadata of both
 * leads to the rest (package_source.ts).
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { lastWords } from './command.js';
import { parseUrl } from './http.js';
import { expandPath, isPackageFile } from './local.js';
import { checkIdentity, normalisePypi, parsePackage, type PackageName } from './ecosystems.js';
import { parseJson, parsePythonMetadata, saveDoc, type PythonMetadata } from './package_docs.js';
import { ownPages, settlePackage, type OwnFiles, type PackageFacts } from './package_source.js';
import { pipSettings, runPip, type PipSettings } from './pip.js';
import { checkHash, Registry } from './registry.js';
import { pythonHome, pythonRepository } from './repository.js';
import { messageOf, SourceError, type Fetched, type PackageSpec, type SourceContext } from './source.js';
import { belowTop, unpack } from './unpack.js';
import { xmlParser } from './xml_format.mjs';
import { decodePercent } from '../../browser/client/percent.js';
import { withoutEndSlashes } from '../base/slashes.js';

export async function fetchPypi(spec: PackageSpec, context: SourceContext): Promise<Fetched> {
  if (isPackageFile('pypi', spec.package)) {
    const { own, facts } = await readDistribution(expandPath(spec.package), context);
    return settlePackage({ readme_only: true }, facts, own, context);
  }
  const wanted = parsePackage('pypi', spec.package);
  const file = await download(wanted, context);
  const version = versionIn(basename(file), wanted.name);
  const asked = version === undefined ? wanted : { name: wanted.name, version };
  const { own, facts } = await readDistribution(file, context, asked);
  return settlePackage(spec, facts, own, context);
}

/** The sdist where there is one, else a wheel by pip. */
async function download(wanted: PackageName, context: SourceContext): Promise<string> {
  const settings = await pipSettings(context);
  if (!settings.noIndex) {
    try {
      return await downloadSdist(wanted, settings, context);
    } catch (error) {
      context.signal.throwIfAborted();
      context.say(`No source distribution (${messageOf(error)}); asking pip for a wheel`);
    }
  }
  return downloadWheel(wanted, context);
}

/** Docs and metadata of an sdist or a wheel. Error: they are not of the package that was `asked` for. */
async function readDistribution(
  file: string,
  context: SourceContext,
  asked?: PackageName,
): Promise<{ own: Fetched | undefined; facts: PackageFacts }> {
  const isWheel = file.endsWith('.whl');
  const isMetadata = (path: string): boolean =>
    isWheel ? /^[^/]+\.dist-info\/METADATA$/.test(path) : path === 'PKG-INFO';
  const {
    files,
    root,
    metadata: found,
    api,
  } = await unpack(file, isWheel ? { isMetadata } : { inner: belowTop, isMetadata }, context);
  const [stated] = found.values();
  const metadata = stated === undefined ? undefined : parsePythonMetadata(stated.toString('utf8'));
  if (metadata === undefined || metadata.name === '' || metadata.version === '') {
    throw new SourceError(
      'failed',
      `${basename(file)} is no Python distribution: it holds no metadata with a name and a version.`,
    );
  }
  if (asked !== undefined) checkIdentity('pypi', asked, metadata);
  if (!files.some((path) => /^readme[^/]*$/i.test(path)) && metadata.description !== '') {
    const name = `README${metadata.extension}`;
    if (await saveDoc(root, name, metadata.description, context)) files.push(name);
  }
  const facts = pypiFacts(metadata.name, metadata.version, metadata);
  return { own: pypiPages(facts, { files, root, api }), facts };
}

/** PyPI shows a README on the version's page. No short address leads to another file, so more are named by their paths. */
export function pypiPages(facts: PackageFacts, unpacked: OwnFiles): Fetched | undefined {
  const { files, api = [] } = unpacked;
  const isLone = api.length === 0 && files.length === 1 && /^readme/i.test(files[0] as string);
  const page = `https://pypi.org/project/${facts.name}/${encodeURIComponent(facts.version)}/`;
  const own = ownPages(facts, unpacked, isLone ? page : '');
  return own === undefined || !isLone ? own : { ...own, urlStyle: 'clean' };
}

export function pypiFacts(name: string, version: string, metadata: PythonMetadata): PackageFacts {
  const [repository, home] = [pythonRepository(metadata), pythonHome(metadata)];
  return { ecosystem: 'pypi', name: normalisePypi(name), version, repository, home, about: metadata.about };
}

// ---- the index ------------------------------------------------------------------------------------

/** A file of an index. */
interface IndexFile {
  filename: string;
  url: string;
  /** Absent if the index states none. */
  sha256?: string;
  yanked: boolean;
}

interface Sdist extends IndexFile {
  version: string;
}

/** The files of a PEP 691 answer. Pure. */
export function filesOfJson(index: Record<string, unknown>): IndexFile[] {
  const files = Array.isArray(index['files']) ? (index['files'] as Record<string, unknown>[]) : [];
  return files.flatMap((file) => {
    const { filename, url, hashes, yanked } = file ?? {};
    if (typeof filename !== 'string' || typeof url !== 'string') return [];
    const sha256 = (hashes as Record<string, unknown> | undefined)?.['sha256'];
    return [{ filename, url, yanked: Boolean(yanked), ...(typeof sha256 === 'string' ? { sha256 } : {}) }];
  });
}

/** The files of a PEP 503 page: its links, each with the file's hash behind the `#`. Pure. */
export function filesOfHtml(html: string, address: string): IndexFile[] {
  const found: IndexFile[] = [];
  const parser = xmlParser(false, { lowercase: true });
  let base = address;
  parser.onopentag = ({ name, attributes }) => {
    const { href, 'data-yanked': yanked } = attributes as Record<string, string | undefined>;
    if (href === undefined || !URL.canParse(href, base)) return;
    if (name === 'base') base = new URL(href, base).href;
    if (name !== 'a') return;
    const url = new URL(href, base);
    const sha256 = /^#(?:.*&)?sha256=([0-9a-f]{64})\b/i.exec(url.hash)?.[1];
    url.hash = '';
    const last = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
    const filename = decodePercent(last);
    found.push({ filename, url: url.href, yanked: yanked !== undefined, ...(sha256 === undefined ? {} : { sha256 }) });
  };
  parser.onerror = () => {
    (parser as unknown as { error: null }).error = null; // pages need not be well-formed
  };
  parser.write(html).close();
  return found;
}

/** The source distributions among them. Pure. */
export function sdistsOf(files: readonly IndexFile[], name: string): Sdist[] {
  return files.flatMap((file) => {
    if (!/^[\w.+-]+\.(tar\.gz|zip)$/.test(file.filename)) return [];
    const stem = file.filename.replace(/\.(tar\.gz|zip)$/, '');
    const cut = [...stem.matchAll(/-/g)]
      .map((match) => match.index)
      .find((at) => normalisePypi(stem.slice(0, at)) === normalisePypi(name));
    return cut === undefined ? [] : [{ ...file, version: stem.slice(cut + 1) }];
  });
}

function chooseSdist(
  files: readonly Sdist[],
  { name, version }: PackageName,
  { compareVersions }: SourceContext,
): Sdist {
  const same = (a: string): string => a.replace(/(?<!\.0)(\.0)+$/, ''); // 2.0 is 2.0.0
  const exact =
    files.find((file) => file.version === version) ??
    files.find((file) => version !== undefined && same(file.version) === same(version));
  if (exact !== undefined) return exact;
  const released = files.filter(
    (file) => !file.yanked && !/[a-z]/i.test(file.version.replace(/\.?post\d+|\+.*$/is, '')),
  );
  const newest = (released.length > 0 ? released : [...files]).sort((a, b) => compareVersions(b.version, a.version))[0];
  if (version === undefined && newest !== undefined) return newest;
  throw new SourceError(
    'missing',
    `${name}${version === undefined ? '' : ` ${version}`} has no source distribution${newest === undefined ? '' : `; the newest is ${newest.version}`}`,
  );
}

async function downloadSdist(wanted: PackageName, settings: PipSettings, context: SourceContext): Promise<string> {
  const indexes = await openIndexes(wanted.name, settings, context);
  try {
    const found: (Sdist & { index: Registry })[] = [];
    for (const index of indexes) {
      try {
        for (const sdist of await listSdists(index, wanted.name)) found.push({ ...sdist, index });
      } catch (error) {
        context.signal.throwIfAborted();
        if (indexes.length === 1) throw error;
        context.say(messageOf(error)); // as pip does, go on with the others
      }
    }
    const chosen = chooseSdist(found, wanted, context) as (typeof found)[number];
    const file = join(context.folder, chosen.filename);
    const sha256 = await chosen.index.save(chosen.url, file);
    if (chosen.sha256 !== undefined) checkHash(chosen.url, 'SHA-256', sha256, chosen.sha256);
    return file;
  } finally {
    for (const index of indexes) index.close();
  }
}

async function openIndexes(name: string, settings: PipSettings, context: SourceContext): Promise<Registry[]> {
  if (settings.proxy !== undefined)
    throw new SourceError('failed', 'pip is told to use a proxy, which only pip itself does');
  const pem = async (path: string | undefined): Promise<Buffer | undefined> => {
    if (path === undefined) return undefined;
    return readFile(expandPath(path)).catch((error: unknown) => {
      throw new SourceError('failed', `the certificates that pip is told to use cannot be read: ${messageOf(error)}`);
    });
  };
  const [ca, own] = [await pem(settings.cert), await pem(settings.clientCert)];
  const tls = { ...(ca === undefined ? {} : { ca }), ...(own === undefined ? {} : { cert: own, key: own }) };
  return settings.indexes.map((address) => {
    const url = parseUrl(`${withoutEndSlashes(address)}/${normalisePypi(name)}/`);
    if (url.protocol === 'https:' && settings.trustedHosts.some((host) => host === url.host || host === url.hostname))
      throw new SourceError('failed', `pip is told not to verify ${url.host}, which only pip itself does`);
    return new Registry(url.href, context, { tls });
  });
}

/** The versions that the user's indexes have, each with the hashes of its files. Yanked ones are left out. */
export async function pypiVersions(name: string, context: SourceContext): Promise<Map<string, string[]>> {
  const settings = await pipSettings(context);
  if (settings.noIndex) throw new SourceError('failed', 'pip is told to use no index, so versions cannot be listed');
  const indexes = await openIndexes(name, settings, context);
  const versions = new Map<string, string[]>();
  try {
    for (const index of indexes)
      for (const { filename, url, sha256, yanked } of await listFiles(index)) {
        const version = yanked ? undefined : versionIn(filename, name);
        if (version !== undefined) versions.set(version, [...(versions.get(version) ?? []), sha256 ?? url]);
      }
  } finally {
    for (const index of indexes) index.close();
  }
  return versions;
}

/** The version in the name of an sdist or a wheel. */
function versionIn(filename: string, name: string): string | undefined {
  const wheel = /^([^-]+)-([^-]+)-.*\.whl$/.exec(filename);
  if (wheel !== null) return normalisePypi(wheel[1] as string) === normalisePypi(name) ? wheel[2] : undefined;
  return sdistsOf([{ filename, url: '', yanked: false }], name)[0]?.version;
}

async function listSdists(index: Registry, name: string): Promise<Sdist[]> {
  return sdistsOf(await listFiles(index), name);
}

const ACCEPT = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

async function listFiles(index: Registry): Promise<IndexFile[]> {
  const reply = await index.text('', ACCEPT);
  if (reply === undefined) return [];
  const { text, type, url } = reply;
  if (!/json|html/i.test(type))
    throw new SourceError('failed', `${index.url.href} is no index of packages, but ${type}`);
  const files = /json/i.test(type) ? filesOfJson(parseJson(text, index.url.href)) : filesOfHtml(text, url);
  return files.map((file) => ({ ...file, url: new URL(file.url, url).href }));
}

async function downloadWheel({ name, version }: PackageName, context: SourceContext): Promise<string> {
  const folder = join(context.folder, 'wheel');
  await mkdir(folder);
  const spec = version === undefined ? name : `${name}==${version}`;
  const args = [
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--dest',
    folder,
    '--',
    spec,
  ];
  const result = await runPip(args, context);
  const wheel = (await readdir(folder)).find((file) => file.endsWith('.whl'));
  if (result.code === 0 && wheel !== undefined) return join(folder, wheel);
  const missing = /No matching distribution/i.test(result.stderr);
  throw new SourceError(
    missing ? 'missing' : 'failed',
    `pypi:${spec} could not be had: ${lastWords(result.stderr, 2) || `pip ended with ${result.code}`}`,
  );
}
