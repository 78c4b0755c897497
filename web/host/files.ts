/** Files that appear whole. */
import { chmod, rename, rm, writeFile } from 'node:fs/promises';

/**
 * Written whole under another name, then renamed: nobody reads half a file. `mode`: its permissions, whatever
 * the umask.
 */
export async function writeAtomically(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    await writeFile(temporary, content, { flag: 'wx', ...(mode === undefined ? {} : { mode: mode & 0o700 }) });
    if (mode !== undefined) await chmod(temporary, mode & 0o7777);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
