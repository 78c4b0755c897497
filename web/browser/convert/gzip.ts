/** Pages that gzip compressed, such as Debian's `README.md.gz`: unpacked, and read by the packer as any page of their kind. */
import type { Page, Source } from './converter.js';

/** As of an archive's file. */
const MAX_BYTES = 32 * 1024 * 1024;

export async function convert(source: Source): Promise<Page> {
  return { text: await unpacked(source.bytes, MAX_BYTES) };
}

/** The bytes as they are, where gzip did not compress them. Error: more than `most` bytes, or damaged. */
export async function unpacked(bytes: Uint8Array, most: number): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'));
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parts.push(read.value);
    size += read.value.length;
    if (size <= most) continue;
    await reader.cancel();
    throw new Error(`it unpacks to more than ${most} bytes`);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
