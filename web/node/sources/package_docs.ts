/**
 * Which files of a package are its documentation: README and other Markdown or reStructuredText at the
 * top, and everything below docs, doc, documentation, guide, guides or manual. Licences and lists of
 * requirements are not.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, SourceError, type About, type SourceContext } from './source.js';
import { isDocumentation } from './walk.js';

const DOC_FOLDER = /^(docs?|documentation|guides?|manual)$/i;
/** Text files that are no documentation. */
export const NOT_DOCS =
  /^(licen[cs]e|copying|notice|third.?party|code.?of.?conduct|requirements|cmakelists|sources|top_level|manifest)\b/i;

/** `path` is relative to the package. */
export function isPackageDoc(path: string): boolean {
  const parts = path.split('/');
  const name = parts[parts.length - 1] as string;
  if (!isDocumentation(name) || NOT_DOCS.test(name) || parts.includes('node_modules')) return false;
  return parts.length === 1
    ? /^readme/i.test(name) || /\.(md|mdx|rst)$/i.test(name)
    : DOC_FOLDER.test(parts[0] as string);
}

const BESIDES =
  /^(readme|changelog|changes|history|news|release|upgrad|migrat|contribut|security|authors|maintainers|governance|support)/i;

/** Whether a package holds documentation beyond its README and what stands beside it. */
export function contentOf(paths: readonly string[]): 'package' | 'readme' {
  return paths.some((path) => path.includes('/') || !BESIDES.test(path)) ? 'package' : 'readme';
}

/**
 * The system's error codes for a name that is impossible here: too long, or in conflict with another entry's folder
 * or file.
 */
const BAD_NAME: ReadonlySet<string | undefined> = new Set([
  'ENAMETOOLONG',
  'ENOTDIR',
  'EEXIST',
  'EISDIR',
  'EILSEQ',
  'EINVAL',
]);

/** Returns false, with a warning, if the name is impossible here. */
export async function saveDoc(
  folder: string,
  path: string,
  bytes: Buffer | string,
  { warn }: Pick<SourceContext, 'warn'>,
): Promise<boolean> {
  const file = join(folder, path);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!BAD_NAME.has(code)) throw error;
    warn(
      `Left out: ${path.slice(0, 200)}: ${code === 'ENAMETOOLONG' ? 'its name is too long' : 'no file can have that name beside the others'}`,
    );
    return false;
  }
}

// ---- names ----------------------------------------------------------------------------------------

const NPM_NAME = /^(?:@[a-z0-9_~][\w.~-]*\/)?[a-z0-9_~][\w.~-]*$/i;
const PYPI_NAME = /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i;
/** Versions, ranges and tags that are one word; no URL, path or option. */
const RANGE = /^[\w^~*][\w.+~^*-]*$/;

export interface PackageName {
  name: string;
  /** What follows the last `@` (npm) or `@` or `==` (PyPI). */
  version?: string;
}

export function parsePackage(ecosystem: 'npm' | 'pypi', text: string): PackageName {
  const separator = ecosystem === 'npm' ? text.indexOf('@', 1) : text.search(/@|==/);
  const name = separator < 0 ? text : text.slice(0, separator);
  const version = separator < 0 ? undefined : text.slice(separator).replace(/^(@|==)/, '');
  const good =
    (ecosystem === 'npm' ? NPM_NAME : PYPI_NAME).test(name) &&
    name.length <= 128 &&
    (version === undefined || (RANGE.test(version) && version.length <= 64));
  if (good) return version === undefined ? { name } : { name, version };
  const example =
    ecosystem === 'npm'
      ? 'npm:vue, npm:@vue/core@3.5.0 or npm:./package.tgz'
      : 'pypi:fastapi, pypi:fastapi@0.115.0 or pypi:./package.tar.gz';
  throw new SourceError(
    'usage',
    `'${ecosystem}:${text.slice(0, 200)}' names no package; expected one such as ${example}.`,
  );
}

/**
 * Error: a package's own metadata names another package or version than was asked for. A registry, a mirror or a cache may serve
 * anything under a name; what it is filed under here must be what it is.
 */
export function checkIdentity(ecosystem: 'npm' | 'pypi', asked: PackageName, found: Required<PackageName>): void {
  const { name, version } = asked;
  const isSame = ecosystem === 'npm' ? sameNpmVersion : samePypiVersion;
  if (isSameName(ecosystem, found.name, name) && (version === undefined || isSame(version, found.version))) return;
  const wanted = version === undefined ? name : `${name} ${version}`;
  throw new SourceError(
    'failed',
    `${ecosystem}:${name} was asked for, so its metadata should name ${wanted}; it names ${found.name.slice(0, 128)} ${found.version.slice(0, 64)}. Nothing was added. See which registry serves it (${ecosystem === 'npm' ? 'npm config get registry' : 'pip config list'}); if that other package is meant, add it by its own name.`,
  );
}

/** Whether two packages' names are one on their registry. */
export function isSameName(ecosystem: 'npm' | 'pypi', a: unknown, b: string): boolean {
  return typeof a === 'string' && (ecosystem === 'npm' ? a === b : normalisePypi(a) === normalisePypi(b));
}

/** npm cleans versions when it publishes: a package may say `v1.0.0beta+1` of what the registry calls 1.0.0-beta. */
function sameNpmVersion(a: string, b: string): boolean {
  const clean = (version: string): string => version.trim().replace(/^[v=\s]+|\+.*$|-(?=[a-z])/gi, '');
  return clean(a) === clean(b);
}

/** As PEP 440 compares: 1.0-beta.2 is 1.0.0b2. */
function samePypiVersion(a: string, b: string): boolean {
  return normaliseVersion(a) === normaliseVersion(b);
}

const PEP_440 =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+(.+))?$/;

function normaliseVersion(version: string): string {
  const text = version.trim().toLowerCase();
  const parts = text.length > 128 ? null : PEP_440.exec(text);
  if (parts === null) return text;
  const [, epoch, release = '', pre, preNumber, bare, post, postNumber, dev, devNumber, local = ''] = parts;
  const numbers = release.split('.').map(Number);
  while (numbers.at(-1) === 0) numbers.pop();
  const kind = pre === undefined ? '' : /^[ab]/.test(pre) ? pre[0] : 'rc';
  return JSON.stringify([
    Number(epoch ?? 0),
    numbers,
    kind === '' ? [] : [kind, Number(preNumber)],
    bare !== undefined ? [Number(bare)] : post === undefined ? [] : [Number(postNumber)],
    dev === undefined ? [] : [Number(devNumber)],
    local.replace(/[-_]/g, '.'),
  ]);
}

/** As PyPI compares names: `Typing_Extensions` is typing-extensions. */
export function normalisePypi(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

// ---- metadata -------------------------------------------------------------------------------------

export interface PythonMetadata {
  name: string;
  version: string;
  /** The long description, usually the README. */
  description: string;
  /** The description's extension: `.md`, `.rst` or `.txt`. */
  extension: string;
  /** Project-URL and Home-page. */
  urls: { label: string; url: string }[];
  about: About;
}

/** PKG-INFO or METADATA: headers as in an e-mail, then the description. */
export function parsePythonMetadata(text: string): PythonMetadata {
  const clean = text.replace(/\r\n?/g, '\n');
  const end = clean.indexOf('\n\n');
  const head = (end < 0 ? clean : clean.slice(0, end)).replace(/\n(?: {8}|\t| {7}\|)/g, '\u0000');
  const field = (name: string): string =>
    (new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(head)?.[1] ?? '').replaceAll('\u0000', '\n').trim();
  const body = end < 0 ? '' : clean.slice(end + 2);
  const type = field('Description-Content-Type');
  const urls = [...head.matchAll(/^Project-URL:[ \t]*([^,\n]*),[ \t]*(\S+)[ \t]*$/gim)].map(([, label, url]) => ({
    label: label as string,
    url: url as string,
  }));
  const home = field('Home-page');
  if (home !== '') urls.push({ label: 'Homepage', url: home });
  return {
    name: field('Name'),
    version: field('Version'),
    description: body.trim() === '' ? field('Description') : body,
    extension: /markdown/i.test(type) ? '.md' : /plain/i.test(type) ? '.txt' : '.rst',
    urls: urls.slice(0, 100),
    about: { description: field('Summary'), licence: licenceOf(field, head), keywords: keywordsOf(field('Keywords')) },
  };
}

/** The expression, else the classifier, else the field, which some fill with the whole text. */
function licenceOf(field: (name: string) => string, head: string): string {
  const classifier = /^Classifier:[ \t]*License :: (?:.* :: )?(.+)$/im.exec(head)?.[1]?.trim() ?? '';
  const stated = field('License');
  return field('License-Expression') || (/^[^\n]{1,40}$/.test(stated) ? stated : classifier);
}

function keywordsOf(text: string): string[] {
  const words = text.includes(',') ? text.split(',') : text.split(/\s+/);
  return words.flatMap((word) => word.trim() || []).slice(0, 64);
}

export async function readPackageJson(
  folder: string,
): Promise<{ name?: string; version?: string } & Record<string, unknown>> {
  return parseJson(await readFile(join(folder, 'package.json'), 'utf8'), join(folder, 'package.json'));
}

/** An object, or an error that names the file. */
export function parseJson(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new SourceError('usage', `${file} is not JSON: ${messageOf(error)}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SourceError('usage', `${file} holds no JSON object.`);
  return value as Record<string, unknown>;
}
