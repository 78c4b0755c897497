/** Where exports are written: a file or folder that appears under its name when it is whole, and leaves nothing when it never is. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { makeWorkFolder, removeLeftovers, temporaryName } from '../base/leftovers.js';
import { oneLine } from '../base/terminal.js';

/** What `fill` writes to the name that it gets becomes the file `path`. What killed exports left beside it goes. */
export async function writtenFile<T>(path: string, fill: (temporary: string) => Promise<T>): Promise<T> {
  if ((await stat(path).catch(() => undefined))?.isDirectory())
    throw usageError(`${oneLine(path)} is a folder; name a file.`);
  await removeLeftovers(dirname(resolve(path)));
  const temporary = temporaryName(path);
  try {
    const result = await fill(temporary);
    await rename(temporary, path);
    return result;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Says that a folder is an export, which another may replace. */
export const MARK = '.sheaf-export';

/**
 * What `fill` writes into the folder that it gets becomes the folder `path`; an older export there goes. What killed exports left
 * beside it goes, too.
 */
export async function writtenFolder<T>(path: string, fill: (work: string) => Promise<T>): Promise<T> {
  const folder = resolve(path);
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    const reason = error.code === 'ENOTDIR' ? 'it is a file, and a folder is to come' : error.message;
    throw new CliError(EXIT.FAILURE, `${oneLine(path)} cannot be written to: ${reason}.`);
  });
  if (holds(folder, process.cwd()))
    throw usageError(
      `${oneLine(path)} is the working directory or holds it, and the export takes the place of the whole folder; name a folder in it, such as ${join(path, 'requests')}.`,
    );
  if (there.length > 0 && !there.includes(MARK))
    throw usageError(`${oneLine(path)} is a folder with other files; name a new one, or one that sheaf export made.`);
  await mkdir(dirname(folder), { recursive: true });
  await removeLeftovers(dirname(folder));
  const own = await makeWorkFolder(dirname(folder));
  try {
    const work = join(own, 'work');
    await mkdir(work);
    const result = await fill(work);
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
    return result;
  } finally {
    await rm(own, { recursive: true, force: true, maxRetries: 3 });
  }
}

function holds(folder: string, other: string): boolean {
  const way = relative(folder, other);
  return way === '' || !(isAbsolute(way) || /^\.\.([\\/]|$)/.test(way));
}
