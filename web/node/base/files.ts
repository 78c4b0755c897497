/** Atomic file writes, and whether a file is there. */
import { access, chmod, constants, open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { temporaryName } from './leftovers.js';

/** Whether `path` is there and this process may use it so: constants.R_OK, W_OK or X_OK; by default, whether it is there. */
export function canAccess(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

export interface WriteOptions {
  /** The file's permissions; the umask does not apply. */
  mode?: number;
  /** False: skip the fsync, for data that may be lost. */
  isDurable?: boolean;
}

/**
 * Writes a temporary file, syncs it to disk and renames it, so nobody ever reads half a file, even after a power
 * cut.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode, isDurable = true }: WriteOptions = {},
): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await writeFile(temporary, content, { flag: 'wx', ...(mode === undefined ? {} : { mode: mode & 0o700 }) });
    if (mode !== undefined) await chmod(temporary, mode & 0o7777);
    if (isDurable) await flush(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw named(error, path);
  }
}

/** Creates a file that holds all of `content`, or none: false where one is there. Whoever creates it first has it. */
export async function createWhole(
  path: string,
  content: string,
  { mode = 0o666, isDurable = false }: WriteOptions = {},
): Promise<boolean> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    await handle.writeFile(content);
    if (isDurable) await handle.sync();
    return true;
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

/** Node names no file where a write fails, as on a full disk. */
function named(error: unknown, path: string): unknown {
  return error instanceof Error && 'syscall' in error && !('path' in error) ? Object.assign(error, { path }) : error;
}

/** Flushes a file to disk. Some file systems say only here that the disk is full, or that it has failed. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!CANNOT_FLUSH.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/** Of systems that do not flush such a file, or none that is open for reading alone. */
const CANNOT_FLUSH = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EPERM']);

/** Flushes a folder's entries to disk, where the system can. */
export const flushFolder = (path: string): Promise<void> => flush(path).catch(() => {});
