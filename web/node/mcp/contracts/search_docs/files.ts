/**
 * A project's documentation: which files there are now, and their bytes.
 *
 * Taken are .md and .txt files that Git does not ignore (git.ts), up to 1 MB each, 20 folders deep and
 * 50,000 in number. Symbolic links are passed over, on the way to a file too: what is indexed lies in
 * the project. Names must be UTF-8 without control characters, since they are shown.
 *
 * Cost: one run of Git and one lstat a file.
 */
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { throwIfAborted } from '../../../../browser/client/errors.js';
import { listWithGit, NoGit, type GitOptions } from './git.js';

export const MAX_FILE_BYTES = 1024 * 1024;
export const MAX_FILES = 50_000;
export const MAX_DEPTH = 20;

const EXTENSIONS = ['.md', '.txt'];
/** Never looked into, whatever .gitignore says. (.env, *.pem, *.key, *.log and *.lock are no .md or .txt.) */
const EXCLUDED = ['node_modules', '.git', 'dist', 'build', '.idea', '.vscode', 'coverage'];
const EXCLUDED_SET: ReadonlySet<string> = new Set(EXCLUDED);

export interface FoundFile {
  /** Relative to the root, '/' between segments. */
  path: string;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

export interface Listing {
  /** Sorted by path. */
  files: FoundFile[];
  /** What was left out, for people. */
  warnings: string[];
}

export type ListOptions = Pick<GitOptions, 'emptyRepository' | 'env' | 'signal'>;

export async function listFiles(root: string, options: ListOptions): Promise<Listing> {
  const warnings: string[] = [];
  const names = await candidates(root, options, warnings);
  const files = await inspect(root, names, warnings, options.signal);
  return { files, warnings };
}

/** Paths by their names alone: right extension, no excluded folder, not too deep. Sorted. */
async function candidates(root: string, options: ListOptions, warnings: string[]): Promise<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const names = new Set<string>();
  let unreadable = 0;
  for (const bytes of await rawNames(root, options, warnings)) {
    const name = decoded(decoder, bytes);
    if (name === undefined) unreadable++;
    else if (isWanted(name)) names.add(name);
  }
  if (unreadable > 0)
    warnings.push(`Left out: ${count(unreadable, 'file')} whose name is not UTF-8 or holds control characters.`);
  const sorted = [...names].sort();
  if (sorted.length > MAX_FILES)
    warnings.push(`Left out: ${count(sorted.length - MAX_FILES, 'file')} beyond the limit of ${MAX_FILES}.`);
  return sorted.slice(0, MAX_FILES);
}

async function rawNames(root: string, options: ListOptions, warnings: string[]): Promise<Buffer[]> {
  try {
    const { names, cut } = await listWithGit(root, { ...options, exclude: EXCLUDED, extensions: EXTENSIONS });
    if (cut) warnings.push('The list of files is incomplete: there are too many.');
    return names;
  } catch (error) {
    if (!(error instanceof NoGit)) throw error;
    return walk(root, warnings, options.signal);
  }
}

/** For machines without Git. */
async function walk(root: string, warnings: string[], signal: AbortSignal): Promise<Buffer[]> {
  const names: Buffer[] = [];
  const folders: { path: string; depth: number }[] = [{ path: '', depth: 0 }];
  let rules = false;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    throwIfAborted(signal);
    const { path, depth } = folder;
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch((error: unknown) => {
      if (path === '') throw error;
      return [];
    });
    for (const entry of entries) {
      const name = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.name === '.gitignore') rules = true;
      if (entry.isFile() && hasExtension(name)) names.push(Buffer.from(name));
      else if (entry.isDirectory() && depth < MAX_DEPTH && !EXCLUDED_SET.has(entry.name))
        folders.push({ path: name, depth: depth + 1 });
    }
    if (names.length > MAX_FILES) break;
  }
  if (rules)
    warnings.push('Git was not found, so .gitignore files are not applied; install git to have them respected.');
  return names;
}

function decoded(decoder: TextDecoder, bytes: Buffer): string | undefined {
  try {
    const name = decoder.decode(bytes);
    return /[\p{Cc}\u2028\u2029]/u.test(name) ? undefined : name;
  } catch {
    return undefined;
  }
}

function isWanted(name: string): boolean {
  const folders = name.split('/').slice(0, -1);
  return (
    hasExtension(name) &&
    folders.length <= MAX_DEPTH &&
    !folders.some((folder) => EXCLUDED_SET.has(folder) || folder === '..')
  );
}

function hasExtension(name: string): boolean {
  const lower = name.toLowerCase();
  return EXTENSIONS.some((extension) => lower.endsWith(extension));
}

/** Looks at this many files at a time. */
const BATCH = 64;

/** Regular files within bounds. Those that are gone or cannot be seen are left out. */
async function inspect(
  root: string,
  names: readonly string[],
  warnings: string[],
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  const folders = new Map<string, Promise<boolean>>();
  let large = 0;
  for (let start = 0; start < names.length; start += BATCH) {
    throwIfAborted(signal);
    const batch = names.slice(start, start + BATCH);
    const found = await Promise.all(
      batch.map(async (path) =>
        (await isReal(root, dirname(path), folders)) ? lstat(join(root, path)).catch(() => undefined) : undefined,
      ),
    );
    found.forEach((stats, i) => {
      if (!stats?.isFile()) return;
      if (stats.size > MAX_FILE_BYTES) large++;
      else files.push({ path: batch[i] as string, size: stats.size, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs });
    });
  }
  if (large > 0) warnings.push(`Left out: ${count(large, 'file')} larger than 1 MB.`);
  return files;
}

/** Whether a folder and all those above it, up to the root, are folders and not links to some. */
function isReal(root: string, folder: string, known: Map<string, Promise<boolean>>): Promise<boolean> {
  if (folder === '.' || folder === '') return Promise.resolve(true);
  let answer = known.get(folder);
  if (answer === undefined) {
    answer = isReal(root, dirname(folder), known).then(
      async (real) => real && (await lstat(join(root, folder)).catch(() => undefined))?.isDirectory() === true,
    );
    known.set(folder, answer);
  }
  return answer;
}

/** A file's bytes; undefined when it is gone, was replaced by something else, or grew beyond the limit. */
export async function readDocument(root: string, path: string): Promise<Buffer | undefined> {
  // O_NONBLOCK: a pipe that took the file's place must not keep anybody waiting.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(join(root, path), flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
    const bytes = await handle.readFile();
    return bytes.length > MAX_FILE_BYTES ? undefined : bytes;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
