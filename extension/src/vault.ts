/**
 * Where files lie: the origin private file system. One flat folder; names are made by this extension and never come from
 * outside.
 *
 * A file is read through one access handle however many read it, because a handle locks its file (and Firefox knows no
 * other kind). Reads are synchronous calls within the worker: a range costs microseconds, where a slice of a Blob costs
 * a round trip to another process.
 */
import { asSheafError, SheafError } from '../browser/client/errors.js';
import { checkRange, type Source } from '../browser/client/source.js';
import { DeskError } from './plain.js';

export interface Writer {
  /** Bytes there are. */
  readonly size: number;
  /** Adds to the end. Throws QuotaExceededError. */
  write(bytes: Uint8Array): void;
  truncate(): void;
  /** On disk afterwards. */
  close(): void;
}

export interface Vault {
  names(): Promise<string[]>;
  /** Undefined where there is no such file. */
  size(name: string): Promise<number | undefined>;
  /** Reads a file; rejects with FILE where it is gone, with LOCKED where it is there and stays locked. Close it. */
  source(name: string): Promise<Source>;
  /** Continues a file, or begins it. */
  writer(name: string): Promise<Writer>;
  /** Also when it is not there. */
  remove(name: string): Promise<void>;
}

interface AccessHandle {
  read(into: Uint8Array, options: { at: number }): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  getSize(): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

type Accessible = FileSystemFileHandle & { createSyncAccessHandle(): Promise<AccessHandle> };

interface Reading {
  handle: Promise<AccessHandle>;
  users: number;
}

export class OpfsVault implements Vault {
  readonly #folder: Promise<FileSystemDirectoryHandle>;
  readonly #reading = new Map<string, Reading>();

  constructor(folder: string) {
    this.#folder = navigator.storage.getDirectory().then((root) => root.getDirectoryHandle(folder, { create: true }));
    this.#folder.catch(() => {});
  }

  async names(): Promise<string[]> {
    const names: string[] = [];
    const entries = (await this.#folder) as unknown as { keys(): AsyncIterable<string> };
    for await (const name of entries.keys()) names.push(name);
    return names;
  }

  async size(name: string): Promise<number | undefined> {
    try {
      return (await (await (await this.#folder).getFileHandle(name)).getFile()).size;
    } catch (error) {
      if ((error as DOMException).name === 'NotFoundError') return undefined;
      throw error;
    }
  }

  async source(name: string): Promise<Source> {
    const reading = this.#reading.get(name) ?? { handle: this.#handle(name, false), users: 0 };
    this.#reading.set(name, reading);
    reading.users++;
    let closed = false;
    const close = async (): Promise<void> => {
      if (closed) return;
      closed = true;
      if (--reading.users > 0) return;
      this.#reading.delete(name);
      await reading.handle.then((handle) => handle.close()).catch(() => {});
    };
    try {
      const handle = await reading.handle;
      return new HandleSource(name, handle, close);
    } catch (error) {
      await close();
      if (isLocked(error))
        throw new DeskError('LOCKED', 'The browser keeps the file of this library locked; search again.', {
          cause: error,
        });
      throw asSheafError(error, 'FILE', 'The file of this library could not be opened');
    }
  }

  async writer(name: string): Promise<Writer> {
    const handle = await this.#handle(name, true);
    return new HandleWriter(handle);
  }

  async remove(name: string): Promise<void> {
    try {
      await (await this.#folder).removeEntry(name);
    } catch (error) {
      if ((error as DOMException).name !== 'NotFoundError') throw error;
    }
  }

  async #handle(name: string, create: boolean): Promise<AccessHandle> {
    const file = (await (await this.#folder).getFileHandle(name, { create })) as Accessible;
    for (let waited = 0, pause = 5; ; waited += pause, pause = Math.min(2 * pause, MOST_PAUSE_MS)) {
      try {
        return await file.createSyncAccessHandle();
      } catch (error) {
        if (!isLocked(error) || waited > LOCKED_MS) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}

/**
 * A worker that has ended holds its files until the browser has taken it down, which takes seconds on a busy machine.
 * The file is there, so this waits for it.
 */
const LOCKED_MS = 30_000;
const MOST_PAUSE_MS = 200;
const isLocked = (error: unknown): boolean => (error as DOMException).name === 'NoModificationAllowedError';

class HandleSource implements Source {
  readonly key: string;
  readonly local = true;
  readonly #handle: AccessHandle;
  readonly #size: number;
  readonly close: () => Promise<void>;

  constructor(key: string, handle: AccessHandle, close: () => Promise<void>) {
    this.key = key;
    this.#handle = handle;
    this.#size = handle.getSize();
    this.close = close;
  }

  async size(): Promise<number> {
    return this.#size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.key, offset, length, this.#size);
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = this.#handle.read(bytes.subarray(done), { at: offset + done });
      if (count === 0) throw new SheafError('TRUNCATED', `${this.key} became shorter while it was being read.`);
      done += count;
    }
    return bytes;
  }
}

class HandleWriter implements Writer {
  readonly #handle: AccessHandle;
  #size: number;

  constructor(handle: AccessHandle) {
    this.#handle = handle;
    this.#size = handle.getSize();
  }

  get size(): number {
    return this.#size;
  }

  write(bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) {
      const count = this.#handle.write(bytes.subarray(done), { at: this.#size + done });
      if (!(count > 0)) throw new DOMException('No room to write.', 'QuotaExceededError');
      done += count;
    }
    this.#size += done;
  }

  truncate(): void {
    this.#handle.truncate(0);
    this.#size = 0;
  }

  close(): void {
    try {
      this.#handle.flush();
    } finally {
      this.#handle.close();
    }
  }
}

/** The folder's name in the origin private file system; views write what is dropped on them into it. */
export const VAULT = 'libraries';
