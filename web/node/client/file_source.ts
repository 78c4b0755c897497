/** A file as a Source, in Node. */
import { open as openFile, type FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SheafError } from '../../browser/client/errors.js';
import { checkRange, type Source } from '../../browser/client/source.js';

/** A file, held open from the first read to `close`, so replacing it on disk does no harm. */
export class FileSource implements Source {
  readonly key: string;
  readonly local = true;
  #handle: Promise<FileHandle> | undefined;
  readonly #isGiven: boolean;

  /** `handle`: the file, already open. Closing the source closes it, and the source cannot be reopened. */
  constructor(path: string | URL, handle?: FileHandle) {
    this.key = path instanceof URL ? fileURLToPath(path) : path;
    this.#isGiven = handle !== undefined;
    if (handle !== undefined) this.#handle = Promise.resolve(handle);
  }

  async size(): Promise<number> {
    const stats = await (await this.#open()).stat();
    if (!stats.isFile()) throw new SheafError('FILE', `${this.key} is not a file.`);
    return stats.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const handle = await this.#open();
    checkRange(this.key, offset, length, (await handle.stat()).size);
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      // One read() moves at most 2 GiB.
      const { bytesRead } = await handle.read(bytes, done, Math.min(length - done, 2 ** 30), offset + done);
      if (bytesRead === 0)
        throw new SheafError('TRUNCATED', `${this.key} became shorter while it was being read; open it again.`);
      done += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await (await handle?.catch(() => undefined))?.close();
  }

  #open(): Promise<FileHandle> {
    if (this.#isGiven && this.#handle === undefined) throw new SheafError('CLOSED', `${this.key} was closed.`);
    this.#handle ??= openFile(this.key, 'r').catch((error: NodeJS.ErrnoException) => {
      this.#handle = undefined;
      const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
      throw new SheafError('FILE', `${this.key} cannot be opened: ${reason}.`, { cause: error });
    });
    return this.#handle;
  }
}
