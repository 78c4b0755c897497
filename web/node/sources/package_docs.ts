/**
 * Which files of a package are its documentation: README and other Markdown or reStructuredText at the
 * top, and everything below docs, doc, guides, manual and the like, of the package or its build. Licences and lists of
 * requirements are not.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, SourceError, type About, type SourceContext } from './source.js';
import { isDocumentation } from './walk.js';

const DOC_FOLDER = /^(docs?|documentation|guides?|manual|handbook|book|tutorials?)$/i;
/** Where builds put documentation: dist/docs is one of the package. */
const BUILD_FOLDER = /^(dist|build)$/i;
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
    : DOC_FOLDER.test(parts[BUILD_FOLDER.test(parts[0] as string) && parts.length > 2 ? 1 : 0] as string);
}

const BESIDES =
  /^(readme|crates-io|changelog|changes|history|news|release|upgrad|migrat|contribut|security|authors|maintainers|governance|support)/i;

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
  const urls = [...head.matchAll(/^Project-URL:([^,\n]*),[ \t]*(\S+)[ \t]*$/gim)].map(([, label, url]) => ({
    label: (label as string).trim(),
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
