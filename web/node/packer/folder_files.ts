/**
 * Files that a page's converter asks for, of a folder on this machine.
 *
 * Invariant: it reads only regular files whose resolved path lies in `within`, none that is hidden below it, and none
 * of more than MAX_FILE bytes: a page may be untrusted, and included text becomes part of a bundle.
 */
import fs from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

const MAX_FILE = 1024 * 1024;

export class FolderFiles {
  readonly #root: string;
  readonly #within: string;
  readonly #looked = new Set<string>();

  /** Both are absolute and resolved; `root` lies in `within`. */
  constructor(root: string, within: string) {
    this.#root = root;
    this.#within = within;
  }

  /** The page itself, which the packer found. */
  readPage(path: string): Uint8Array {
    return fs.readFileSync(path);
  }

  /** By its path below the root. Undefined: it is not there, or may not be read. */
  read(path: string): Uint8Array | undefined {
    const asked = resolve(this.#root, path);
    this.#looked.add(asked);
    try {
      const real = fs.realpathSync(asked);
      const below = relative(this.#within, real);
      if (below === '' || below.split(sep).some((part) => part.startsWith('.')) || join(this.#within, below) !== real)
        return undefined;
      const facts = fs.statSync(real);
      return facts.isFile() && facts.size <= MAX_FILE ? fs.readFileSync(real) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Absolute paths that were asked for, missing ones too. */
  looked(): string[] {
    return [...this.#looked];
  }
}
