/**
 * Reads an HTTP response: what it says about the file, and its body up to a limit. A header that CORS hides counts as
 * not sent.
 */
import { abortError, asSheafError, SheafError } from './errors.js';
import type { OnProgress } from './source.js';

/** `bytes 0-99/1234`; the total is undefined when it is `*`. */
export function parseContentRange(
  response: Response,
): { start: number; end: number; total: number | undefined } | undefined {
  const value = response.headers.get('Content-Range');
  if (value === null) return undefined;
  const match = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/.exec(value.trim());
  if (match === null) return undefined;
  return {
    start: Number(match[1] ?? 0),
    end: Number(match[2] ?? -1),
    total: match[3] === '*' ? undefined : Number(match[3]),
  };
}

/** Whether an answer's bytes are those of an encoding of the file. Of a range, that is nothing anybody can read. */
export function isEncoded(response: Response): boolean {
  return response.headers.has('Content-Encoding');
}

/** The file's validator, which differs between versions; empty when the server sends none or CORS hides it. */
export function validatorOf(response: Response): string {
  const etag = response.headers.get('ETag');
  if (etag !== null) return etag.replace(/^W\//, '');
  return response.headers.get('Last-Modified') ?? '';
}

/** The body, refused once it exceeds `limit` bytes, so that no server can fill the memory. */
export async function readBody(
  response: Response,
  limit: number,
  key: string,
  signal?: AbortSignal,
  onProgress?: OnProgress,
): Promise<Uint8Array> {
  const tooLarge = (): SheafError =>
    new SheafError(
      'TOO_LARGE',
      `${key}: the server sends more than the ${limit} bytes expected; ranges may not work, or the file is too large to be held whole.`,
    );
  const announced = Number(response.headers.get('Content-Length') ?? Number.NaN);
  // With a content encoding, Content-Length counts the encoded bytes.
  const total =
    Number.isSafeInteger(announced) && response.headers.get('Content-Encoding') === null ? announced : undefined;
  if (total !== undefined && total > limit) {
    await discard(response);
    throw tooLarge();
  }
  if (response.body === null) return new Uint8Array(0);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      loaded += value.length;
      if (loaded > limit) throw tooLarge();
      chunks.push(value);
      onProgress?.(loaded, total);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw networkError(error, key, signal);
  }
  if (total !== undefined && loaded < total) {
    throw new SheafError('NETWORK', `${key}: the answer ended early, after ${loaded} of ${total} bytes; try again.`);
  }
  const bytes = new Uint8Array(loaded);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
}

export async function discard(response: Response): Promise<void> {
  try {
    await response.body?.cancel();
  } catch {
    // The body is not needed anyway.
  }
}

export function networkError(error: unknown, key: string, signal: AbortSignal | undefined): SheafError {
  if (error instanceof SheafError) return error;
  if (signal?.aborted) return abortError(signal);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return asSheafError(error, 'NETWORK', `${key} could not be fetched${cause}`);
}
