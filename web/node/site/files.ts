/** What the site's parts share of files: paths as pages write them, and folders that appear whole. */
import type { Dirent } from 'node:fs';
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { discard } from '../base/leftovers.js';

/** Path of what a recursive listing found; Node before 20.12 calls the folder by another name. */
export function pathOf(entry: Dirent): string {
  return join(entry.parentPath ?? (entry as unknown as { path: string }).path, entry.name);
}

/** The path below a folder, with '/' on every system. Pure. */
export function pathBelow(folder: string, path: string): string {
  return relative(folder, path).split('\\').join('/');
}

/** Whether a path is that of a page, by its name. Pure. */
export function isHtml(path: string): boolean {
  return /\.html?$/i.test(path);
}

/** In use again: restarts the day that it is kept. */
export async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}

/** Gives a folder that is whole its name, unless another run was first. */
async function renameUnlessThere(temporary: string, target: string): Promise<void> {
  await rename(temporary, target).catch(async (error: NodeJS.ErrnoException) => {
    await discard(temporary);
    if (!['EEXIST', 'ENOTEMPTY'].includes(error.code ?? '')) throw error;
  });
}

/** A folder that appears whole or not at all: filled under another name, and renamed unless another run was first. */
export async function appearWhole(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const temporary = `${target}.${process.pid}.tmp`;
  await rm(temporary, { recursive: true, force: true });
  try {
    await mkdir(temporary, { recursive: true });
    await fill(temporary);
  } catch (error) {
    await discard(temporary);
    throw error;
  }
  await renameUnlessThere(temporary, target);
}

type Files = Iterable<[name: string, content: Uint8Array | string]>;

/** Writes a folder under another name and renames it, unless it is there; then its day begins anew. */
export async function placeFolder(target: string, files: () => Files | Promise<Files>): Promise<void> {
  if (await stat(target).catch(() => undefined)) return touch(target);
  await appearWhole(target, async (folder) => {
    for (const [name, content] of await files()) await writeFile(join(folder, name), content);
  });
}
