/**
 * README and docs of a PyPI package at an exact version, without running any of its code.
 *
 * An sdist holds the docs folder, but `pip download` runs its setup.py to look at it (pip issue 1884).
 * So the sdist's address comes from the index itself (the JSON form of PEP 691, at PIP_INDEX_URL, pip's
 * configuration, or pypi.org), its SHA-256 is checked, and the archive is only read. Where that fails
 * (an index that needs a token or speaks HTML alone, a package without sdist, PIP_NO_INDEX), the user's
 * own pip fetches a wheel, which holds the README.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readArchive } from './archive.js';
import { lastWords } from './command.js';
import { Guard } from './guard.js';
import { Fetcher, parseUrl } from './http.js';
import { expandPath, isPackageFile } from './local.js';
import {
  isPackageDoc,
  normalisePypi,
  parseJson,
  parsePackage,
  parsePythonMetadata,
  saveDoc,
  type PackageName,
  type PythonMetadata,
} from './package_docs.js';
import { runPip } from './pip.js';
import { messageOf, SourceError, withoutCredentials, type Fetched, type SourceContext } from './source.js';

const DEFAULT_INDEX = 'https://pypi.org/simple';
const LIMITS = { indexBytes: 64 << 20, sdistBytes: 1 << 30, indexMs: 60_000, sdistMs: 15 * 60_000 };

export async function fetchPypi(spec: { package: string }, context: SourceContext): Promise<Fetched> {
  if (isPackageFile('pypi', spec.package)) return readDistribution(expandPath(spec.package), context);
  const wanted = parsePackage('pypi', spec.package);
  let why: unknown;
  if (!context.env['PIP_NO_INDEX']) {
    try {
      return await readDistribution(await downloadSdist(wanted, context), context);
    } catch (error) {
      context.signal.throwIfAborted();
      why = error;
    }
  }
  if (why !== undefined) context.say(`No source distribution (${messageOf(why)}); asking pip for a wheel`);
  return readDistribution(await downloadWheel(wanted, context), context);
}

/** Docs and metadata of an sdist or a wheel. */
async function readDistribution(file: string, context: SourceContext): Promise<Fetched> {
  const isWheel = file.endsWith('.whl');
  const inner = (path: string): string => (isWheel ? path : path.slice(path.indexOf('/') + 1));
  const isMetadata = (path: string): boolean =>
    isWheel ? /^[^/]+\.dist-info\/METADATA$/.test(path) : inner(path) === 'PKG-INFO';
  const docs = join(context.folder, 'docs');
  let metadata: PythonMetadata | undefined;
  let files = 0;
  let readme = false;
  for await (const { path, bytes } of readArchive(file, (path) => isMetadata(path) || isPackageDoc(inner(path)))) {
    if (isMetadata(path)) metadata = parsePythonMetadata(bytes.toString('utf8'));
    else if (await saveDoc(docs, inner(path), bytes, context)) {
      readme ||= /^readme[^/]*$/i.test(inner(path));
      files++;
    }
  }
  if (metadata === undefined || metadata.name === '' || metadata.version === '') {
    throw new SourceError(
      'failed',
      `${basename(file)} is no Python distribution: it holds no metadata with a name and a version.`,
    );
  }
  if (!readme && metadata.description !== '') {
    if (await saveDoc(docs, `README${metadata.extension}`, metadata.description, context)) files++;
  }
  if (files === 0)
    throw new SourceError(
      'missing',
      `pypi:${metadata.name}@${metadata.version} holds no documentation (README, docs/); try its git repository.`,
    );
  return pypiAddress({ name: normalisePypi(metadata.name), version: metadata.version, root: docs });
}

/** PyPI shows the README on the version's page. Other files get made-up addresses below it. */
export function pypiAddress({ name, version, root }: { name: string; version: string; root: string }): Fetched {
  const baseUrl = `https://pypi.org/project/${name}/${encodeURIComponent(version)}/`;
  return {
    library: name,
    version,
    revision: version,
    root,
    inputs: [root],
    baseUrl,
    urlStyle: 'clean',
    noIgnore: false,
  };
}

// ---- the index ------------------------------------------------------------------------------------

interface IndexFile {
  filename: string;
  url: string;
  sha256: string;
  version: string;
  yanked: boolean;
}

/** The source distributions of a PEP 691 answer. Pure. */
export function sdistsOf(index: Record<string, unknown>, name: string): IndexFile[] {
  const files = Array.isArray(index['files']) ? (index['files'] as Record<string, unknown>[]) : [];
  const found: IndexFile[] = [];
  for (const file of files) {
    const { filename, url, hashes, yanked } = file ?? {};
    const sha256 = (hashes as Record<string, unknown> | undefined)?.['sha256'];
    if (
      typeof filename !== 'string' ||
      typeof url !== 'string' ||
      typeof sha256 !== 'string' ||
      !/^[\w.+-]+\.(tar\.gz|zip)$/.test(filename)
    )
      continue;
    const stem = filename.replace(/\.(tar\.gz|zip)$/, '');
    const cut = [...stem.matchAll(/-/g)]
      .map((match) => match.index)
      .find((at) => normalisePypi(stem.slice(0, at)) === normalisePypi(name));
    if (cut === undefined) continue;
    found.push({ filename, url, sha256: sha256.toLowerCase(), version: stem.slice(cut + 1), yanked: Boolean(yanked) });
  }
  return found;
}

function chooseSdist(
  files: readonly IndexFile[],
  { name, version }: PackageName,
  { compareVersions }: SourceContext,
): IndexFile {
  const exact = files.find((file) => file.version === version);
  if (exact !== undefined) return exact;
  const released = files.filter(
    (file) => !file.yanked && !/[a-z]/i.test(file.version.replace(/\.?post\d+|\+.*$/i, '')),
  );
  const newest = (released.length > 0 ? released : [...files]).sort((a, b) => compareVersions(b.version, a.version))[0];
  if (version === undefined && newest !== undefined) return newest;
  throw new SourceError(
    'missing',
    `${name}${version === undefined ? '' : ` ${version}`} has no source distribution${newest === undefined ? '' : `; the newest is ${newest.version}`}`,
  );
}

async function downloadSdist(wanted: PackageName, context: SourceContext): Promise<string> {
  const index = parseUrl(`${(await indexUrl(context)).replace(/\/+$/, '')}/${normalisePypi(wanted.name)}/`);
  const authorization =
    index.username === ''
      ? {}
      : {
          authorization: `Basic ${Buffer.from(`${decodeURIComponent(index.username)}:${decodeURIComponent(index.password)}`).toString('base64')}`,
        };
  index.username = index.password = '';
  const fetcher = new Fetcher(new Guard(context.allowPrivate, index), context.signal); // the index is the user's own setting
  try {
    const reply = await fetcher.get(index.href, {
      timeoutMs: LIMITS.indexMs,
      maxBytes: LIMITS.indexBytes,
      accept: 'application/vnd.pypi.simple.v1+json',
      ...authorization,
    });
    if (reply.status !== 200)
      throw new SourceError('failed', `${index.href} answered with HTTP status ${reply.status}`);
    if (!/json/i.test(String(reply.headers['content-type'])))
      throw new SourceError('failed', `${index.href} speaks no JSON`);
    const chosen = chooseSdist(
      sdistsOf(parseJson(reply.body.toString('utf8'), index.href), wanted.name),
      wanted,
      context,
    );
    const url = new URL(chosen.url, reply.url);
    context.say(`Fetching ${withoutCredentials(url.href)}`);
    const file = join(context.folder, chosen.filename);
    const { sha256 } = await fetcher.save(url.href, file, {
      timeoutMs: LIMITS.sdistMs,
      maxBytes: LIMITS.sdistBytes,
      ...(url.origin === index.origin ? authorization : {}),
    });
    if (sha256 !== chosen.sha256)
      throw new SourceError('failed', `${url.href} has SHA-256 ${sha256}, but its index says ${chosen.sha256}`);
    return file;
  } finally {
    fetcher.close();
  }
}

async function indexUrl(context: SourceContext): Promise<string> {
  const named = context.env['PIP_INDEX_URL'];
  if (named) return named;
  const asked = await runPip(['config', 'get', 'global.index-url'], context).catch(() => undefined);
  context.signal.throwIfAborted();
  return (asked?.code === 0 && asked.stdout.trim()) || DEFAULT_INDEX;
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
