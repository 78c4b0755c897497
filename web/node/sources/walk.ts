/**
 * The documentation files below a folder and their SHA-256, so that an update can tell what changed.
 * The rules are those of packer/source/ignore.h, except for links: a link's target is hashed at its real place,
 * or not at all if that is outside. Nothing in a .git folder is read, whatever leads there.
 */
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { hashFile } from '../base/hash.js';
import { isGitFolder, isInside, leadsIntoGit } from '../base/paths.js';
import { SourceError } from './source.js';

const EXTENSION = /\.(md|mdx|rst|txt|html?|ipynb|adoc|asciidoc|pdf)$/i;
/** Names that prove nothing: of OpenAPI, manual pages, AsciiDoc and compressed pages (packer/source/unread.h). */
const PERHAPS = /\.(json|ya?ml|asc|n|[1-9][a-z]*(\.gz)?|(mdx?|rst|txt|html?|ipynb)\.gz)$/i;
/** How such files begin. */
const HEAD =
  /(^|["'\n])(openapi["']?\s*:\s*["']?3|swagger["']?\s*:\s*["']?2)|^\x1f\x8b|^([.'\\].{0,500}\r?\n|\r?\n)*\.(TH|Dd|so|SH|Sh)\s/;
const HEAD_BYTES = 4096;
const IGNORED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '__pycache__']);
const VIRTUAL_ENVIRONMENT = 'pyvenv.cfg';
const MAX_FILES = 1_000_000;

export function isDocumentation(name: string): boolean {
  return EXTENSION.test(name) || /^README(\.|$)/.test(name) || /^readme$/i.test(name);
}

/**
 * Hashes of the files that would be packed, by path below `root`, sorted. Unreadable files have none: the packer
 * reports them.
 */
export async function hashFiles(
  root: string,
  inputs: readonly string[],
  noIgnore: boolean,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const files = await findFiles(root, inputs, noIgnore);
  const hashes = new Map<string, string>();
  for (const [path, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    signal.throwIfAborted();
    const hash = await hashFile(asPath(file)).catch(() => undefined);
    if (hash !== undefined) hashes.set(path, hash);
  }
  return hashes;
}

/** The files that would be packed: their paths below `root`, and what to read, a character per byte. */
export async function findFiles(
  root: string,
  inputs: readonly string[],
  noIgnore: boolean,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const input of inputs.map(toBytes)) {
    const stats = await stat(asPath(input)).catch(() => undefined);
    if (stats?.isFile()) {
      if (!leadsIntoGit(await resolved(input), await resolved(dirname(input)))) files.set(keyOf(root, input), input);
    } else if (stats?.isDirectory()) {
      const inside = await resolved(input);
      await collect({ root, inside, noIgnore, files, walked: new Set() }, input, inside);
    }
  }
  return files;
}

/** Whether a file of that name is documentation, by its first bytes where the name proves nothing. */
async function isDocumentationAt(name: string, path: string): Promise<boolean> {
  if (isDocumentation(name)) return true;
  if (!PERHAPS.test(name)) return false;
  if (/\.asc$/i.test(name)) return true;
  for await (const head of createReadStream(asPath(path), { end: HEAD_BYTES - 1 }))
    return HEAD.test((head as Buffer).toString('latin1'));
  return false;
}

interface Walk {
  root: string;
  /** The input with links resolved. */
  inside: string;
  noIgnore: boolean;
  files: Map<string, string>;
  walked: Set<string>;
}

/**
 * `real`: the folder with links resolved. Only links are resolved: to resolve a folder of a known one would walk down
 * from the top of the disk each time, which makes deep trees cost the square of their depth.
 */
async function collect(walk: Walk, folder: string, real: string): Promise<void> {
  const { root, inside, noIgnore, files, walked } = walk;
  if (walked.has(real)) return;
  walked.add(real);
  const links: string[] = [];
  const entries = await readdir(asPath(folder), { withFileTypes: true, encoding: 'latin1' });
  if (!noIgnore && real !== inside && entries.some(({ name }) => name === VIRTUAL_ENVIRONMENT)) return;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (!noIgnore && entry.name.startsWith('.')) continue;
    if (entry.isSymbolicLink()) links.push(path);
    else if (entry.isDirectory()) {
      if (!isGitFolder(entry.name) && (noIgnore || !IGNORED_FOLDERS.has(entry.name)))
        await collect(walk, path, join(real, entry.name));
    } else if (entry.isFile() && (await isDocumentationAt(entry.name, path).catch(() => false))) {
      if (files.size >= MAX_FILES)
        throw new SourceError('failed', `${root} holds more than ${MAX_FILES} documentation files.`);
      files.set(keyOf(root, path), path);
    }
  }
  for (const path of links) {
    const target = await resolved(path).catch(() => undefined);
    if (target === undefined || !isInside(target, inside) || leadsIntoGit(target, inside)) continue;
    const stats = await stat(asPath(target));
    if (stats.isFile() && (await isDocumentationAt(basename(path), target).catch(() => false)))
      files.set(keyOf(root, path), target);
    else if (stats.isDirectory() && (noIgnore || !IGNORED_FOLDERS.has(basename(path))))
      await collect(walk, path, target);
  }
}

// In this file a path is a string with one character per byte (Latin-1), because a name need not be UTF-8.

function toBytes(path: string): string {
  return Buffer.from(path).toString('latin1');
}

function asPath(bytes: string): Buffer {
  return Buffer.from(bytes, 'latin1');
}

async function resolved(bytes: string): Promise<string> {
  return realpath(asPath(bytes), 'latin1');
}

/** The path below `root` as text; if it is not UTF-8, its non-ASCII bytes are percent-escaped. */
function keyOf(root: string, bytes: string): string {
  const below = slashed(relative(toBytes(root), bytes));
  const text = asPath(below).toString();
  return toBytes(text) === below
    ? text
    : below.replace(/[^\x20-\x7e]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
