/** Documentation that lies in a folder or file of this machine; its version is the day it was read. */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { libraryCharacters } from '../host/names.js';
import { isoDay, SourceError, type Fetched } from './source.js';

/** `~/x`, `file:` URLs and relative paths as absolute paths. */
export function expandPath(path: string, home: string = homedir()): string {
  if (/^file:\/\//i.test(path)) return fileURLToPath(path);
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return resolve(path);
}

export async function fetchLocal(spec: { local_path: string }): Promise<Fetched> {
  const path = expandPath(spec.local_path);
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(error.code === 'ENOENT' ? 'missing' : 'failed', `${path} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file or folder' : error.message}.`);
  });
  const root = stats.isDirectory() ? path : dirname(path);
  return {
    library: libraryCharacters(basename(stats.isDirectory() ? path : dirname(path))),
    version: `local-${isoDay()}`,
    root,
    inputs: [path],
    baseUrl: `${pathToFileURL(root).href.replace(/\/$/, '')}/`,
    urlStyle: 'keep',
    noIgnore: false,
  };
}
