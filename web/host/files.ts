/** Files that appear whole. */
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { flush } from '../encoder/store.js';

export interface WriteOptions {
  /** Its permissions, whatever the umask. */
  mode?: number;
  /** False: what may be lost need not wait for the disk. */
  isDurable?: boolean;
}

/**
 * Written whole under another name, brought to the disk, then renamed: nobody reads half a file, after a power cut
 * either.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode, isDurable = true }: WriteOptions = {},
): Promise<void> {
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    await writeFile(temporary, content, { flag: 'wx', ...(mode === undefined ? {} : { mode: mode & 0o700 }) });
    if (mode !== undefined) await chmod(temporary, mode & 0o7777);
    if (isDurable) await flush(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
