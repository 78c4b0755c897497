/**
 * Where the files of a catalogue lie: a folder of this machine, or what a cluster writes to (ray.ts).
 *
 * Invariant: a file appears whole or not at all, and nothing but the same bytes is written to the name of a hash.
 */
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { CliError, EXIT } from '../base/exit.js';
import { flush, writeAtomically } from '../base/files.js';
import { makeWorkFolder, removeLeftovers } from '../base/leftovers.js';

export interface CatalogueStore {
  /** For people. */
  readonly output: string;
  /** Undefined: there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Takes a file that lies in a folder of `staging`; it may be moved. */
  put(file: string, path: string): Promise<void>;
  /** In bytes; undefined: there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** Names of the files of a folder; none where it is not there. */
  list(folder: string): Promise<string[]>;
  remove(path: string): Promise<void>;
  /** A new folder of this machine, from which `put` is cheap. The caller removes it. */
  staging(): Promise<string>;
}

export class FolderStore implements CatalogueStore {
  readonly output: string;

  constructor(folder: string) {
    this.output = folder;
  }

  /** Makes the folder, and removes what killed builds left in it. */
  async prepare(): Promise<this> {
    await mkdir(join(this.output, 'bundles'), { recursive: true }).catch((error: Error) => {
      throw new CliError(EXIT.FAILURE, `${this.output} cannot be a folder of catalogues: ${error.message}.`);
    });
    for (const part of ['.', 'bundles', 'shards', 'keys']) await removeLeftovers(join(this.output, part));
    return this;
  }

  async read(path: string): Promise<Buffer | undefined> {
    return readFile(join(this.output, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw new CliError(EXIT.FAILURE, `${join(this.output, path)} cannot be read: ${error.message}.`);
    });
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const full = join(this.output, path);
    try {
      await mkdir(dirname(full), { recursive: true });
      await writeAtomically(full, content);
    } catch (error) {
      throw new CliError(EXIT.FAILURE, `${full} cannot be written: ${(error as Error).message}.`);
    }
  }

  async put(file: string, path: string): Promise<void> {
    await flush(file);
    await rename(file, join(this.output, path));
  }

  async size(path: string): Promise<number | undefined> {
    return (await stat(join(this.output, path)).catch(() => undefined))?.size;
  }

  list(folder: string): Promise<string[]> {
    return readdir(join(this.output, folder)).catch(() => []);
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.output, path), { force: true });
  }

  staging(): Promise<string> {
    return makeWorkFolder(this.output);
  }
}
