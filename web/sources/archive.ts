/**
 * Reads chosen files out of the archives that registries serve: .tgz, .tar.gz, .tar, .zip, .whl.
 *
 * Only regular files that `wanted` asks for are kept, under names that cannot leave a folder. Links,
 * devices and everything else are passed over; nothing is unpacked by another program.
 *
 * Cost: memory of one wanted file; caps on size, number and total, so that a small archive cannot
 * become a full disk.
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip, inflateRawSync } from 'node:zlib';
import { SourceError } from './source.js';

export const ARCHIVE_LIMITS = { fileBytes: 32 << 20, files: 20_000, totalBytes: 512 << 20, unpackedBytes: 8 * 2 ** 30, entries: 500_000 };

export interface ArchiveFile {
  path: string;
  bytes: Buffer;
}

export async function* readArchive(file: string, wanted: (path: string) => boolean): AsyncGenerator<ArchiveFile> {
  const entries = /\.(zip|whl)$/i.test(file) ? readZip(file, wanted) : readTar(file, wanted);
  let files = 0;
  let total = 0;
  for await (const entry of entries) {
    total += entry.bytes.length;
    if (++files > ARCHIVE_LIMITS.files || total > ARCHIVE_LIMITS.totalBytes) {
      throw broken(file, `holds more than ${ARCHIVE_LIMITS.files} documentation files or ${ARCHIVE_LIMITS.totalBytes >> 20} MiB of them`);
    }
    yield entry;
  }
}

/** `a/b/c.md`, or undefined for names that are absolute, climb, or hold control characters. */
export function safePath(name: string): string | undefined {
  const parts = name.replaceAll('\\', '/').split('/').filter((part) => part !== '' && part !== '.');
  if (/^[/\\]|^[A-Za-z]:|[\u0000-\u001f\u007f]/.test(name) || parts.includes('..') || parts.length === 0 || name.length > 1000) return undefined;
  return parts.join('/');
}

function broken(file: string, what: string): SourceError {
  return new SourceError('failed', `${file} ${what}.`);
}

// ---- tar: headers of 512 bytes, each followed by the file in whole blocks of 512 ---------------------

async function* readTar(file: string, wanted: (path: string) => boolean): AsyncGenerator<ArchiveFile> {
  const raw = createReadStream(file);
  const source: Readable = /gz$/i.test(file) ? raw.pipe(createGunzip()) : raw;
  raw.on('error', (error) => source.destroy(error));
  const blocks = new Blocks(source);
  try {
    let longName: string | undefined;
    for (let entries = 0; ; entries++) {
      const header = await blocks.take(512);
      if (header === undefined || header[0] === 0) return;
      if (entries > ARCHIVE_LIMITS.entries) throw broken(file, 'holds too many entries');
      const size = octal(header.subarray(124, 136));
      const type = String.fromCharCode(header[156] ?? 0);
      if (!(size >= 0) || blocks.taken + size > ARCHIVE_LIMITS.unpackedBytes) throw broken(file, 'is damaged, or far too large');
      const padded = Math.ceil(size / 512) * 512;
      if (type === 'x' || type === 'L') {
        if (size > 1 << 20) throw broken(file, 'is damaged: a name of more than 1 MiB');
        const data = ((await blocks.take(padded)) ?? Buffer.alloc(0)).subarray(0, size);
        longName = type === 'L' ? text(data) : (paxPath(data) ?? longName);
        continue;
      }
      const path = safePath(longName ?? ustarName(header));
      longName = type === 'g' ? longName : undefined;
      const take = (type === '0' || type === '\0') && path !== undefined && size <= ARCHIVE_LIMITS.fileBytes && wanted(path);
      if (!take) await blocks.skip(padded);
      else {
        const data = await blocks.take(padded);
        if (data === undefined) throw broken(file, 'ends in the middle of a file');
        yield { path, bytes: Buffer.from(data.subarray(0, size)) };
      }
    }
  } catch (error) {
    throw error instanceof SourceError ? error : broken(file, `cannot be unpacked: ${(error as Error).message}`);
  } finally {
    raw.destroy();
    source.destroy();
  }
}

/** A stream in pieces of the size one asks for. */
class Blocks {
  taken = 0;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: Readable) {
    this.#chunks = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** undefined at the end of the stream. */
  async take(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) return undefined;
        this.#rest = next.value;
      }
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    this.taken += length;
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; left -= 1 << 16) if ((await this.take(Math.min(left, 1 << 16))) === undefined) return;
  }
}

function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function octal(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(BigInt(`0x${field.subarray(4).toString('hex')}`)); // base 256, for sizes from 8 GiB on
  return Number.parseInt(text(field).trim() || '0', 8);
}

function ustarName(header: Buffer): string {
  const name = text(header.subarray(0, 100));
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? text(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** `path` of a pax header: records of the form "LENGTH KEY=VALUE\n". */
function paxPath(data: Buffer): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < data.length; ) {
    const match = /^(\d{1,7}) ([^=]*)=/.exec(data.toString('latin1', at, at + 200));
    const length = Number(match?.[1]);
    if (match === null || length < 3) return found;
    if (match[2] === 'path') found = data.toString('utf8', at + match[0].length, at + length - 1);
    at += length;
  }
  return found;
}

// ---- zip: a directory at the end tells where each file is ------------------------------------------

async function* readZip(file: string, wanted: (path: string) => boolean): AsyncGenerator<ArchiveFile> {
  const handle = await open(file, 'r');
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, offset);
    if (bytesRead < length) throw broken(file, 'is damaged: it ends too early');
    return bytes;
  };
  try {
    const { size } = await handle.stat();
    const tail = await read(Math.max(0, size - 65_557), Math.min(size, 65_557));
    const end = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
    if (end < 0 || end + 22 > tail.length) throw broken(file, 'is not a zip archive');
    const [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
    if (offset + length > size || length > 256 << 20) throw broken(file, 'is damaged, or of a kind (zip64) that is not read here');
    const directory = await read(offset, length);
    for (let at = 0; at < directory.length; ) {
      if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02014b50) throw broken(file, 'is damaged: its list of files ends too early');
      const [method, packed, unpacked] = [directory.readUInt16LE(at + 10), directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 24)];
      const [nameLength, extra, comment] = [directory.readUInt16LE(at + 28), directory.readUInt16LE(at + 30), directory.readUInt16LE(at + 32)];
      const mode = directory.readUInt32LE(at + 38) >>> 16;
      const local = directory.readUInt32LE(at + 42);
      const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
      at += 46 + nameLength + extra + comment;
      const path = safePath(name);
      const regular = !name.endsWith('/') && (mode & 0o170000) !== 0o120000;
      if (path === undefined || !regular || unpacked > ARCHIVE_LIMITS.fileBytes || packed > ARCHIVE_LIMITS.fileBytes || !wanted(path)) continue;
      const head = await read(local, 30);
      const data = await read(local + 30 + head.readUInt16LE(26) + head.readUInt16LE(28), packed);
      if (method !== 0 && method !== 8) throw broken(file, `packs ${path} in a way that is not read here`);
      yield { path, bytes: method === 0 ? data : inflateRawSync(data, { maxOutputLength: Math.max(1, unpacked) }) };
    }
  } catch (error) {
    throw error instanceof SourceError ? error : broken(file, `cannot be unpacked: ${(error as Error).message}`);
  } finally {
    await handle.close();
  }
}
