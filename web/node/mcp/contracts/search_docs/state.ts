/**
 * What an index folder holds, and how to tell whether it is still true.
 *
 *     state.json       this record
 *     HASH.sheaf       the bundle; HASH is of the files' paths and contents
 *     lock             held while somebody builds
 *     logs/            what sheaf-pack said when it failed
 *
 * Invariant: state.json is replaced by renaming, after its bundle is there. Whoever reads it sees a
 * whole index, old or new.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../../../base/files.js';
import type { FoundFile } from './files.js';

export const FORMAT = 1;

export interface IndexedFile extends FoundFile {
  /** SHA-256 of its bytes, in hexadecimal. */
  hash: string;
}

export interface IndexState {
  format: typeof FORMAT;
  project: string;
  /** Name of the bundle in the index folder; null when no file holds text. */
  bundle: string | null;
  pages: number;
  passages: number;
  files: IndexedFile[];
  /** When the files were looked at, in milliseconds since 1970. */
  readAt: number;
  /** ISO 8601. */
  updated: string;
  /** What is not in the index, for people. */
  warnings: string[];
}

const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** Undefined without a usable one: missing, damaged, of another format or another project. */
export async function loadState(folder: string, project: string): Promise<IndexState | undefined> {
  const path = join(folder, 'state.json');
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile() || stats.size > MAX_STATE_BYTES) return undefined;
  try {
    const state = JSON.parse(await readFile(path, 'utf8')) as IndexState;
    const usable =
      state.format === FORMAT && state.project === project && Array.isArray(state.files) && isBundleName(state.bundle);
    return usable ? state : undefined;
  } catch {
    return undefined; // made anew by create_index
  }
}

/** Changes whenever another process writes a state. */
export async function stateKey(folder: string): Promise<string> {
  const stats = await stat(join(folder, 'state.json'), { bigint: true }).catch(() => undefined);
  return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

export async function saveState(folder: string, state: IndexState): Promise<void> {
  await writeAtomically(join(folder, 'state.json'), JSON.stringify(state), { mode: 0o600 });
}

export function bundleName(files: readonly IndexedFile[]): string {
  const hash = createHash('sha256').update(`sheaf project ${FORMAT}\n`);
  for (const file of files) hash.update(`${file.path}\0${file.hash}\n`);
  return `${hash.digest('hex')}.sheaf`;
}

function isBundleName(name: unknown): boolean {
  return name === null || (typeof name === 'string' && /^[0-9a-f]{64}\.sheaf$/.test(name));
}

/** A file changed this shortly before it was looked at may change again within its clock's grain. */
const GRAIN_MS = 100;

export interface Changes {
  /** Whose bytes must be looked at to know. */
  suspects: FoundFile[];
  /** The set of paths is another one. */
  moved: boolean;
}

/** Compares what was indexed with what is there now, by names, sizes and times alone. */
export function compare(state: IndexState, now: readonly FoundFile[]): Changes {
  const known = new Map(state.files.map((file) => [file.path, file]));
  let moved = known.size !== now.length;
  const suspects: FoundFile[] = [];
  for (const file of now) {
    const old = known.get(file.path);
    if (old === undefined) moved = true;
    else if (differs(old, file) || isFresh(old, state.readAt)) suspects.push(file);
  }
  return { suspects, moved };
}

function differs(a: FoundFile, b: FoundFile): boolean {
  return a.size !== b.size || a.mtimeMs !== b.mtimeMs || a.ctimeMs !== b.ctimeMs;
}

function isFresh(file: FoundFile, readAt: number): boolean {
  return Math.max(file.mtimeMs, file.ctimeMs) > readAt - GRAIN_MS;
}
