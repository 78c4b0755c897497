/** SHA-256 in lower-case hexadecimal: the one door for files, which are never in memory as a whole. */
import { createHash } from 'node:crypto';
import { createReadStream, type PathLike } from 'node:fs';

/** `onBytes`: called with the bytes that were hashed so far. */
export async function hashFile(file: PathLike, onBytes?: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    onBytes?.((bytes += chunk.length));
  }
  return hash.digest('hex');
}

export const hashOf = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
