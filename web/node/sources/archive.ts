/**
 * Reads chosen files out of the archives that registries serve: .tgz, .tar.gz, .crate, .tar, .gem, .zip, .whl, .jar.
 *
 * Libraries parse the formats (archive_formats.d.mts); this file decides what to extract. It keeps only
 * regular files that `wanted` accepts, under names that cannot escape the folder. It skips links, devices
 * and everything else; no other program unpacks anything.
 *
 * Cost: memory of one wanted file. Caps on size, number and total keep a small archive from filling the
 * disk. The stated size is checked before a byte of the file is kept, and the libraries enforce it.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { openZip, readTarEntries, zipEntryName } from './archive_formats.mjs';
import { SourceError } from './source.js';

export const ARCHIVE_LIMITS = {
  fileBytes: 32 << 20,
  files: 20_000,
  totalBytes: 512 << 20,
  unpackedBytes: 8 * 2 ** 30,
  entries: 500_000,
};

export interface ArchiveFile {
  path: string;
  bytes: Buffer;
}

/** By a path and its stated size: whether a file is read. `aside`: it counts for none of the limits, the caller's bound it. */
export type Wanted = (path: string, size: number) => boolean | 'aside';
type Entry = ArchiveFile & { wanted: true | 'aside' };

export async function* readArchive(file: string, wanted: Wanted): AsyncGenerator<ArchiveFile> {
  const entries = /\.(zip|whl|jar)$/i.test(file) ? readZip(file, wanted) : readTar(file, wanted);
  let files = 0;
  let total = 0;
  for await (const entry of entries) {
    if (entry.wanted === true) {
      files += 1;
      total += entry.bytes.length;
    }
    if (files > ARCHIVE_LIMITS.files || total > ARCHIVE_LIMITS.totalBytes) {
      throw broken(
        file,
        `holds more than ${ARCHIVE_LIMITS.files} documentation files or ${ARCHIVE_LIMITS.totalBytes >> 20} MiB of them`,
      );
    }
    yield entry;
  }
}

/** The paths of all files that could be read. */
export async function listArchive(file: string): Promise<string[]> {
  const paths = new Set<string>();
  for await (const _ of readArchive(file, (path) => (paths.add(path), false)));
  return [...paths];
}

/** `a/b/c.md`, or undefined for names that are absolute, climb, or hold control characters. */
export function safePath(name: string): string | undefined {
  const parts = name
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (
    /^[/\\]|^[A-Za-z]:|[\u0000-\u001f\u007f]/.test(name) ||
    parts.includes('..') ||
    parts.length === 0 ||
    name.length > 1000
  )
    return undefined;
  return parts.join('/');
}

function broken(file: string, what: string): SourceError {
  return new SourceError('failed', `${file} ${what}.`);
}

/** A library's error about a damaged archive, as one sentence. */
function unreadable(file: string, error: unknown): SourceError {
  return error instanceof SourceError
    ? error
    : broken(file, `cannot be unpacked: ${(error as Error).message.split(/[.?!](?=\s|$)/, 1)[0]}`);
}

// ---- tar -------------------------------------------------------------------------------------------

/** Takes a tar as input and yields its entries. Its streams behave like Node's in every way that we use. */
type TarEntries = Writable &
  AsyncIterable<Readable & { header: { name: string; size?: number; type?: string | null } }>;

async function* readTar(file: string, wanted: Wanted): AsyncGenerator<Entry> {
  const options = { allowUnknownFormat: true }; // tars older than the ustar format
  const entries = readTarEntries(options as object) as unknown as TarEntries;
  const meter = new TarMeter(file);
  const ended = new AbortController();
  const raw = createReadStream(file);
  const stages = [raw, ...(/(gz|\.crate)$/i.test(file) ? [createGunzip()] : []), meter.measured, entries];
  const feeding = pipeline(stages as unknown as NodeJS.ReadWriteStream[], { signal: ended.signal });
  feeding.catch(() => {}); // `entries` ends with the same error
  try {
    for await (const entry of entries) {
      const { name, size = 0, type } = entry.header;
      meter.expect(type === 'directory' ? 0 : size); // a directory has no data, whatever size it states
      const path = safePath(name);
      const isFile = type === 'file' && size <= ARCHIVE_LIMITS.fileBytes;
      const taken = isFile && path !== undefined && wanted(path, size);
      if (path !== undefined && taken !== false) yield { path, bytes: await collect(entry), wanted: taken };
      else entry.resume();
    }
    await feeding;
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    ended.abort();
  }
}

/** Room for long names and attributes, beyond the stated sizes of the entries; they cost the most to read. */
const EXTRAS = { bytes: 2 << 20, bytesPerEntry: 4096 };

/** Stops reading a tar that is too long, or holds more than its entries account for. */
class TarMeter {
  readonly #file: string;
  #entries = 0;
  /** Bytes of headers and files so far, as the headers state them. */
  #stated = 0;

  constructor(file: string) {
    this.#file = file;
  }

  expect(size: number): void {
    this.#stated += 512 + Math.ceil(size / 512) * 512;
    if (++this.#entries > ARCHIVE_LIMITS.entries) throw broken(this.#file, 'holds too many entries');
    if (!(this.#stated <= ARCHIVE_LIMITS.unpackedBytes)) throw broken(this.#file, 'is damaged, or far too large');
  }

  /** Passes the bytes on. */
  readonly measured = async function* (this: TarMeter, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let passed = 0;
    for await (const chunk of source) {
      passed += chunk.length;
      if (passed > this.#stated + EXTRAS.bytes + this.#entries * EXTRAS.bytesPerEntry) {
        throw broken(this.#file, 'is damaged: it holds more than its files');
      }
      yield chunk;
    }
  }.bind(this);
}

async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// ---- zip -------------------------------------------------------------------------------------------

async function* readZip(file: string, wanted: Wanted): AsyncGenerator<Entry> {
  let archive: Awaited<ReturnType<typeof openZip>> | undefined;
  try {
    // Names are decoded below, so that an unusable name is skipped and does not fail the whole archive.
    archive = await openZip(file, { decodeStrings: false });
    if (archive.entryCount > ARCHIVE_LIMITS.entries) throw broken(file, 'holds too many entries');
    for await (const entry of archive.eachEntry()) {
      const name = zipEntryName(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
      const path = safePath(name);
      const regular = !name.endsWith('/') && ((entry.externalFileAttributes >>> 16) & 0o170000) !== 0o120000;
      const fits = Math.max(entry.uncompressedSize, entry.compressedSize) <= ARCHIVE_LIMITS.fileBytes;
      const taken = path !== undefined && regular && fits && wanted(path, entry.uncompressedSize);
      if (path === undefined || taken === false) continue;
      yield { path, bytes: await collect(await archive.openReadStreamPromise(entry)), wanted: taken };
    }
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    archive?.close();
  }
}

/** Of a zip, name and SHA-256 of each file, none left out. Cost: memory of a piece of a file. */
export async function* hashZip(file: string): AsyncGenerator<{ name: string; sha256: string }> {
  let archive: Awaited<ReturnType<typeof openZip>> | undefined;
  try {
    archive = await openZip(file, { decodeStrings: false });
    if (archive.entryCount > ARCHIVE_LIMITS.entries) throw broken(file, 'holds too many entries');
    let total = 0;
    for await (const entry of archive.eachEntry()) {
      const name = zipEntryName(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
      total += entry.uncompressedSize;
      if (total > ARCHIVE_LIMITS.unpackedBytes) throw broken(file, 'is far too large');
      const hash = createHash('sha256');
      for await (const piece of await archive.openReadStreamPromise(entry)) hash.update(piece as Buffer);
      yield { name, sha256: hash.digest('hex') };
    }
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    archive?.close();
  }
}
