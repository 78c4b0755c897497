/**
 * Where bytes come from. A Source knows its size and reads ranges of itself; nothing else in the client touches
 * network (fetch_source.ts) or files (file_source.ts).
 */
import { asSheafError, SheafError } from './errors.js';

/** Called as bytes arrive; `total` is undefined while unknown. */
export type OnProgress = (loaded: number, total?: number) => void;

export interface Source {
  /** Names the source in messages: a URL, a path. */
  readonly key: string;
  /** Reads need no network, so reading everything at once is cheap. */
  readonly local?: boolean;
  /** All of it was downloaded because the server does not do ranges; known after `size`. */
  readonly rangesIgnored?: boolean;
  /** The beginning of the file, if finding its size out brought it; known after `size`. */
  readonly head?: Uint8Array | undefined;
  /** The file's size in bytes. Reports progress where only a download reveals it. */
  size(signal?: AbortSignal, onProgress?: OnProgress): Promise<number>;
  /** Exactly `length` bytes from `offset`; both lie within the size. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** Whether exactly this range is stored locally, so that it need not be read as part of a longer one. */
  has?(offset: number, length: number): boolean;
  /** Receives the ranges that the core asked for, cut from what was read; may keep them for later. */
  keep?(offset: number, bytes: Uint8Array): void;
  /** The whole file, where there is a better way than one long `read`. */
  readAll?(signal?: AbortSignal, onProgress?: OnProgress): Promise<Uint8Array>;
  /** Forgets what is known of the file, after SOURCE_CHANGED. */
  reset?(): void;
  /** Ends reading. May be called again. */
  close?(): void | Promise<void>;
}

/** Largest file held whole in memory; the core's address space is 4 GiB, and the core needs part of it. */
export const MAX_WHOLE_BYTES = 2 ** 30;

export class BytesSource implements Source {
  readonly key: string;
  readonly local = true;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array | ArrayBuffer, key = 'bytes') {
    this.#bytes = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
    this.key = key;
  }

  async size(): Promise<number> {
    return this.#bytes.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.key, offset, length, this.#bytes.length);
    return this.#bytes.subarray(offset, offset + length);
  }
}

export class BlobSource implements Source {
  readonly key: string;
  readonly local = true;
  readonly #blob: Blob;

  constructor(blob: Blob, key = typeof File !== 'undefined' && blob instanceof File ? blob.name : 'blob') {
    this.#blob = blob;
    this.key = key;
  }

  async size(): Promise<number> {
    return this.#blob.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this.key, offset, length, this.#blob.size);
    try {
      return new Uint8Array(await this.#blob.slice(offset, offset + length).arrayBuffer());
    } catch (error) {
      throw asSheafError(error, 'FILE', `${this.key} could not be read; was the file moved or changed?`);
    }
  }
}

export function isSource(value: unknown): value is Source {
  const source = value as Partial<Source> | null;
  return (
    typeof source === 'object' &&
    source !== null &&
    typeof source.size === 'function' &&
    typeof source.read === 'function'
  );
}

export function checkRange(key: string, offset: number, length: number, size: number): void {
  if (
    Number.isSafeInteger(offset) &&
    Number.isSafeInteger(length) &&
    offset >= 0 &&
    length >= 0 &&
    offset + length <= size
  )
    return;
  throw new SheafError(
    'TRUNCATED',
    `${key}: bytes ${offset} to ${offset + length} are wanted, but it has ${size}; is the file complete?`,
  );
}
