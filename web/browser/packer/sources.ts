/**
 * Makes one list of files with checked paths from every kind of source.
 *
 * Invariant: paths are relative and have no part that is empty, `.` or `..`; no two are equal. The list is in the
 * order of the source: the packer sorts.
 */
import { SheafError } from '../client/errors.js';
import type { FileHandle, FolderHandle, MemoryFile, PackSource } from './types.js';

export interface Entry {
  path: string;
  data: Uint8Array | Blob;
}

/** More files than any documentation has; each costs a few hundred bytes. */
const MAX_FILES = 1_000_000;
/** Folders within folders; links in a folder cannot make a circle, but a hostile disk image can be deep. */
const MAX_DEPTH = 200;
const MAX_PATH = 4000;

/** Error: INVALID_ARGUMENT for a path or source that is none, ABORTED. */
export async function entriesOf(source: PackSource, signal: AbortSignal | undefined): Promise<Entry[]> {
  const entries: Entry[] = [];
  const paths = new Set<string>();
  const add = (path: string, data: Entry['data']): void => {
    const name = checkedPath(path);
    if (paths.has(name)) throw invalid(`two files have the path ${JSON.stringify(name)}`);
    if (entries.length === MAX_FILES) throw invalid(`more than ${MAX_FILES} files`);
    paths.add(name);
    entries.push({ path: name, data });
  };
  if (isFolder(source)) {
    await walk(source, '', 0, add, signal);
  } else if (typeof source === 'object' && source !== null && Symbol.iterator in source) {
    for (const file of source) {
      if (isFile(file)) add(pathOf(file), file);
      else add(file.path, bytesOf(file));
    }
  } else {
    throw invalid('source must be files or a folder’s handle');
  }
  return entries;
}

async function walk(
  folder: FolderHandle,
  prefix: string,
  depth: number,
  add: (path: string, data: Blob) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (depth > MAX_DEPTH) throw invalid(`folders are nested more than ${MAX_DEPTH} deep`);
  for await (const each of folder.values()) {
    signal?.throwIfAborted();
    if (isFolder(each)) await walk(each, `${prefix}${each.name}/`, depth + 1, add, signal);
    else add(prefix + each.name, await each.getFile());
  }
}

/** Below the folder that was picked, whose own name is left off, as it is of a handle. Pure. */
function pathOf({ webkitRelativePath, name }: File): string {
  return webkitRelativePath ? webkitRelativePath.slice(webkitRelativePath.indexOf('/') + 1) : name;
}

/** Pure. Error: INVALID_ARGUMENT. */
export function checkedPath(path: unknown): string {
  if (typeof path !== 'string') throw invalid(`a file's path must be a string, not ${String(path)}`);
  const parts = path.split('/');
  const isSafe = !parts.some((part) => part === '' || part === '.' || part === '..') && !path.includes('\0');
  if (isSafe && path.length <= MAX_PATH) return path;
  throw invalid(
    `${JSON.stringify(path.slice(0, 200))} is no path: expected names with / between them, such as guide/install.md`,
  );
}

function bytesOf({ path, bytes }: MemoryFile): Uint8Array | Blob {
  if (typeof bytes === 'string') return new TextEncoder().encode(bytes);
  if (bytes instanceof Uint8Array || bytes instanceof Blob) return bytes;
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  throw invalid(`bytes of ${JSON.stringify(path)} must be a Uint8Array, an ArrayBuffer, a Blob or a string`);
}

function isFolder(each: PackSource | FileHandle): each is FolderHandle {
  return (each as { kind?: unknown }).kind === 'directory';
}

function isFile(each: MemoryFile | File): each is File {
  return typeof File === 'function' && each instanceof File;
}

function invalid(what: string): SheafError {
  return new SheafError('INVALID_ARGUMENT', `The documentation cannot be packed: ${what}.`);
}
