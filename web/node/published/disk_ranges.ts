/**
 * Keeps ranges of remote files on this machine's disk, from one server to the next: what the browser's Cache API does for
 * pages (web/browser/client/kept_ranges.ts).
 *
 *     FOLDER/ADDRESS/IDENTITY/OFFSET+LENGTH    one range; both names are hashes
 *
 * Invariants
 *  1. A range is of one content: IDENTITY is the hash in the file's name, or the one in its header, and the first range of
 *     a new identity drops the old one. Two hosts never share ranges.
 *  2. Nothing here fails an answer: what cannot be read or written counts as not kept. What is read is checked by the core.
 *
 * Cost: one listing a file; a small file a range. At most MOST_KEPT bytes a file.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../base/files.js';
import type { Kept } from '../../browser/client/kept_ranges.js';

const MOST_KEPT = 64 * 2 ** 20;
const NAME = /^(\d{1,16})\+(\d{1,10})$/;

export class DiskRanges implements Kept {
  readonly #folder: string;
  #own: string | undefined;
  readonly #ranges = new Map<string, { offset: number; length: number }>();
  #room = MOST_KEPT;
  /** Serialises what changes the disk. */
  #queue: Promise<unknown> = Promise.resolve();

  /** `address` is the file's, without the part that differs between versions. */
  constructor(parent: string, address: string) {
    this.#folder = join(parent, hashed(address));
  }

  async open(identity: string): Promise<void> {
    this.#own = hashed(identity);
    this.#ranges.clear();
    this.#room = MOST_KEPT;
    for (const name of await readdir(join(this.#folder, this.#own)).catch(() => [])) {
      const [, offset, length] = NAME.exec(name) ?? [];
      if (offset === undefined) continue;
      this.#ranges.set(name, { offset: Number(offset), length: Number(length) });
      this.#room -= Number(length);
    }
  }

  has(offset: number, length: number): boolean {
    return this.#covering(offset, length) !== undefined;
  }

  async get(offset: number, length: number): Promise<Uint8Array | undefined> {
    const name = this.#covering(offset, length);
    const range = name === undefined ? undefined : this.#ranges.get(name);
    if (name === undefined || range === undefined || this.#own === undefined) return undefined;
    const bytes = await readFile(join(this.#folder, this.#own, name)).catch(() => undefined);
    const from = offset - range.offset;
    // A copy: the core may keep what it is given, and the rest of a pooled buffer is not its business.
    if (bytes?.length === range.length) return new Uint8Array(bytes.subarray(from, from + length));
    this.#ranges.delete(name);
    return undefined;
  }

  put(offset: number, bytes: Uint8Array): void {
    const name = `${offset}+${bytes.length}`;
    const own = this.#own;
    if (own === undefined || this.#ranges.has(name) || bytes.length > this.#room) return;
    this.#room -= bytes.length;
    const copy = bytes.slice();
    this.#then(async () => {
      await mkdir(join(this.#folder, own), { recursive: true, mode: 0o700 });
      await this.#dropAllBut(own);
      await writeAtomically(join(this.#folder, own, name), copy, { isDurable: false });
      if (own === this.#own) this.#ranges.set(name, { offset, length: copy.length });
    });
  }

  clear(): void {
    this.#ranges.clear();
    this.#room = MOST_KEPT;
    this.#then(() => rm(this.#folder, { recursive: true, force: true }));
  }

  #covering(offset: number, length: number): string | undefined {
    for (const [name, range] of this.#ranges)
      if (range.offset <= offset && offset + length <= range.offset + range.length) return name;
    return undefined;
  }

  async #dropAllBut(own: string): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (name !== own) await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  #then(work: () => Promise<unknown>): void {
    this.#queue = this.#queue.then(work).catch(() => {});
  }
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
