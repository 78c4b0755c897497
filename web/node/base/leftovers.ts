/**
 * Folders and files of runs that were killed. A run that ends by itself, or by Ctrl+C, cleans up; one that was killed
 * cannot, so the next one does.
 *
 * Idea: what a run makes says whose it is. A folder holds a file `owner` with process and machine; a temporary file has
 * both in its name. What belongs to a process of this machine that has ended is removed. What belongs to another machine
 * (a shared disk) is left alone; a folder, until it is a week old.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isAlive } from './alive.js';
import { CliError, EXIT } from './exit.js';

const PREFIX = 'sheaf-work-';
const OWNER = 'owner';
const WEEK_MS = 7 * 24 * 3600 * 1000;
const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const TEMPORARY = /\.(\d+)\.([0-9a-f]{8})[0-9a-z]+\.tmp$/;

/** A new folder below `parent`, absolute, readable by this user alone. Holds nothing but its owner's name. Error: CliError. */
export async function makeWorkFolder(parent: string): Promise<string> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(parent, PREFIX));
    await writeFile(join(folder, OWNER), JSON.stringify({ pid: process.pid, machine: MACHINE }), { mode: 0o600 });
    return folder;
  } catch (error) {
    if (folder !== undefined) await discard(folder);
    const way = parent === resolve(tmpdir()) ? '; TMPDIR names the folder for such files' : '';
    throw new CliError(EXIT.FAILURE, `No files can be made in ${parent}: ${(error as Error).message}${way}.`);
  }
}

/** Removes what a run made for itself. The next run removes what stays. */
export const discard = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});

/** A name beside `path` for a file that will be renamed to it. */
export function temporaryName(path: string): string {
  return `${path}.${process.pid}.${MACHINE}${Math.random().toString(36).slice(2)}.tmp`;
}

/** Removes what ended runs of this user left in `parent`. Never throws: it may be somebody else's folder. */
export async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(PREFIX) && !TEMPORARY.test(name)) continue;
    const path = join(parent, name);
    try {
      const stats = await lstat(path);
      if (stats.uid !== (process.getuid?.() ?? stats.uid)) continue;
      const isOld = Date.now() - stats.mtimeMs > WEEK_MS;
      const match = TEMPORARY.exec(name);
      const left =
        match === null
          ? stats.isDirectory() && ((await hasEnded(path)) ?? isOld)
          : stats.isFile() && match[2] === MACHINE && !isAlive(Number(match[1]));
      if (left) await discard(path);
    } catch {
      // Gone meanwhile, or not ours to remove.
    }
  }
}

/** Whether the owner of the folder has ended; undefined if that cannot be known here. */
async function hasEnded(folder: string): Promise<boolean | undefined> {
  const text = await readFile(join(folder, OWNER), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined; // it is being made, or was left half made
  const { pid, machine } = JSON.parse(text) as { pid?: unknown; machine?: unknown };
  return machine === MACHINE && Number.isInteger(pid) ? !isAlive(pid as number) : undefined;
}
