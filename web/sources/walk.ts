/**
 * The documentation files below a folder and their SHA-256, by which an update tells what changed.
 * The rules are those of packer/source/ignore.h, links apart: what a link shows is hashed where it really lies,
 * or not at all when that is outside. Nothing in a .git folder is read, whatever leads there.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isGitFolder, isInside, leadsIntoGit } from '../host/paths.js';
import { SourceError } from './source.js';

const EXTENSION = /\.(md|mdx|rst|txt|html?|ipynb)$/i;
const IGNORED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', '__pycache__', 'images', 'img', 'assets', 'static', '_build', 'build', 'dist']);
const MAX_FILES = 1_000_000;

export function isDocumentation(name: string): boolean {
  return EXTENSION.test(name) || /^README(\.|$)/.test(name) || /^readme$/i.test(name);
}

/** Hashes of the files that would be packed, by path below `root`, sorted. */
export async function hashFiles(root: string, inputs: readonly string[], noIgnore: boolean, signal: AbortSignal): Promise<Map<string, string>> {
  const files = new Map<string, string>(); // below root -> where it is read
  for (const input of inputs) {
    const stats = await stat(input).catch(() => undefined);
    if (stats?.isFile()) {
      if (!leadsIntoGit(await realpath(input), await realpath(dirname(input)))) files.set(slashed(relative(root, input)), input);
    }
    else if (stats?.isDirectory()) await collect(root, input, await realpath(input), noIgnore, files, new Set());
  }
  const hashes = new Map<string, string>();
  for (const [path, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    signal.throwIfAborted();
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    hashes.set(path, hash.digest('hex'));
  }
  return hashes;
}

async function collect(root: string, folder: string, inside: string, noIgnore: boolean, files: Map<string, string>, walked: Set<string>): Promise<void> {
  const real = await realpath(folder);
  if (walked.has(real)) return;
  walked.add(real);
  const links: string[] = [];
  for (const entry of (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (!noIgnore && entry.name.startsWith('.')) continue;
    if (entry.isSymbolicLink()) links.push(path);
    else if (entry.isDirectory()) {
      if (!isGitFolder(entry.name) && (noIgnore || !IGNORED_FOLDERS.has(entry.name))) await collect(root, path, inside, noIgnore, files, walked);
    } else if (entry.isFile() && isDocumentation(entry.name)) {
      if (files.size >= MAX_FILES) throw new SourceError('failed', `${root} holds more than ${MAX_FILES} documentation files.`);
      files.set(slashed(relative(root, path)), path);
    }
  }
  for (const path of links) {
    const target = await realpath(path).catch(() => undefined);
    if (target === undefined || !isInside(target, inside) || leadsIntoGit(target, inside)) continue;
    const stats = await stat(target);
    if (stats.isFile() && isDocumentation(basename(path))) files.set(slashed(relative(root, path)), target);
    else if (stats.isDirectory() && (noIgnore || !IGNORED_FOLDERS.has(basename(path)))) await collect(root, path, inside, noIgnore, files, walked);
  }
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
