/**
 * Brings a file into the vault, continuing what is there.
 *
 * A part is continued where the server's answer names the same file by its ETag or date, or where a hash will tell later,
 * and only with exactly what follows; anything else begins anew. (If-Range would ask the same, but other origins'
 * servers would first be asked for permission, and static hosts give none.) Size, hash and contents of the
 * file are checked afterwards, from the vault (checking.ts).
 *
 * Sizes are stated by strangers. What comes is counted, and more than was stated, or than a bundle may have, ends it.
 *
 * A site may have its data in small files alone (`sheaf site --pieces only`). So a file that is missing is looked for in pieces.
 */
import { openPieces } from '../browser/client/pieces.js';
import { isGone } from '../browser/client/successor.js';
import { DeskError, MOST_BYTES } from './plain.js';
import type { Vault, Writer } from './vault.js';

export interface Part {
  address: string;
  /** Name in the vault. */
  file: string;
  validator: string;
  /** A hash was announced, and will be checked. */
  hashed: boolean;
  /** As the list stated it. */
  stated?: number | undefined;
}

export interface FetchHooks {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  /** How much is there; what the server says of the file. */
  onProgress(received: number, total: number | undefined): void;
  onAnswer(validator: string, total: number | undefined): void | Promise<void>;
}

/** Resolves when all that the server has is in the vault. Rejects with ACCESS, NETWORK, TOO_LARGE, QUOTA or ABORTED. */
export async function fetchPart(vault: Vault, part: Part, hooks: FetchHooks): Promise<void> {
  const writer = await vault.writer(part.file);
  try {
    if (part.validator === '' && !part.hashed && writer.size > 0) writer.truncate();
    if (part.stated !== undefined && writer.size === part.stated) return; // it was cut while it was being checked
    const from = writer.size;
    const response = await ask(part, from, hooks);
    if (isGone(part.address, response) && (await fetchPieces(writer, part, hooks))) {
      await response.body?.cancel();
      return;
    }
    const validator = validatorOf(response);
    const continues =
      from > 0 &&
      response.status === 206 &&
      startOf(response, from) === from &&
      (validator === part.validator || (part.hashed && (validator === '' || part.validator === '')));
    if (from > 0 && (response.status === 416 || (response.status === 206 && !continues))) {
      await response.body?.cancel();
      writer.truncate();
      throw new DeskError('SOURCE_CHANGED', 'The file on the server has changed.');
    }
    if (response.status !== 200 && !continues) {
      await response.body?.cancel();
      throw new DeskError('NETWORK', `The server answered ${response.status}.`);
    }
    if (!continues && from > 0) writer.truncate();
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    // The length of a compressed answer is not the file's.
    const encoded = response.headers.has('content-encoding');
    const rest = Number.isSafeInteger(length) && length > 0 && !encoded ? length : undefined;
    const total = rest === undefined ? part.stated : writer.size + rest;
    const most = Math.min(part.stated ?? MOST_BYTES, MOST_BYTES);
    if (total !== undefined && total > most) {
      await response.body?.cancel();
      throw tooLarge(part, total);
    }
    await hooks.onAnswer(validator, total);
    if (response.body === null) return;
    const reader = response.body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (writer.size + value.length > most) throw tooLarge(part, writer.size + value.length);
        writer.write(value);
        hooks.onProgress(writer.size, total);
      }
    } catch (error) {
      await reader.cancel().catch(() => {});
      if (error instanceof DeskError || (error as Error).name === 'QuotaExceededError' || hooks.signal.aborted)
        throw error;
      throw wasCut(error);
    }
    if (total !== undefined && writer.size < total) throw wasCut();
  } finally {
    writer.close();
  }
}

/** Bytes that are read from pieces and written at once. */
const STEP = 2 ** 18;

/** Whether the file is there in pieces; all of it is in the vault then. What was there before is continued: names have hashes. */
async function fetchPieces(writer: Writer, part: Part, { fetch, signal, ...hooks }: FetchHooks): Promise<boolean> {
  const get = (address: string): Promise<Response> => request(address, { signal, cache: 'no-store' }, fetch);
  const pieces = await openPieces(part.address, get, undefined);
  if (pieces === null) return false;
  const { size } = pieces;
  if (size > Math.min(part.stated ?? MOST_BYTES, MOST_BYTES)) throw tooLarge(part, size);
  if (writer.size > size) writer.truncate();
  await hooks.onAnswer('', size);
  while (writer.size < size) {
    writer.write(await pieces.read(writer.size, Math.min(STEP, size - writer.size), signal));
    hooks.onProgress(writer.size, size);
  }
  return true;
}

function ask(part: Part, from: number, { fetch, signal }: FetchHooks): Promise<Response> {
  const headers: Record<string, string> = from > 0 ? { Range: `bytes=${from}-` } : {};
  return request(part.address, { headers, signal, cache: 'no-store' }, fetch);
}

const PRIVATE = { credentials: 'omit', referrerPolicy: 'no-referrer' } as const;

/**
 * fetch() fails alike for a server that lets no extension read it and for one that cannot be reached. A request without CORS,
 * whose answer is opaque, tells them apart: where it succeeds and the first way fails again, a permission is missing.
 */
async function request(address: string, options: RequestInit, fetch: typeof globalThis.fetch): Promise<Response> {
  const ask = (): Promise<Response> => fetch(address, { ...options, ...PRIVATE });
  try {
    return await ask();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    const { host } = new URL(address);
    const offline = globalThis.navigator?.onLine === false;
    const probe = { method: 'HEAD', mode: 'no-cors', cache: 'no-store', ...PRIVATE } as const;
    const reached = !offline && (await fetch(address, probe).catch(() => undefined)) !== undefined;
    if (!reached)
      throw new DeskError('NETWORK', `${host} cannot be reached${offline ? ' while this computer is offline' : ''}.`);
    try {
      return await ask();
    } catch (again) {
      if (options.signal?.aborted) throw again;
      throw new DeskError('ACCESS', `${host} does not let extensions read it without your permission.`, {
        cause: error,
      });
    }
  }
}

/** Where a partial answer begins; servers of other origins may hide the header, and then it is as asked. */
function startOf(response: Response, asked: number): number {
  const range = response.headers.get('content-range');
  if (range === null) return asked;
  const start = /^bytes (\d+)-/.exec(range)?.[1];
  return start === undefined ? Number.NaN : Number(start);
}

/** A strong ETag, else the date of the last change; '' where neither says that the file is the same. */
function validatorOf(response: Response): string {
  const etag = response.headers.get('etag');
  if (etag !== null && etag !== '' && !etag.startsWith('W/')) return etag;
  return response.headers.get('last-modified') ?? '';
}

function wasCut(cause?: unknown): DeskError {
  const message = 'The connection was cut. The part that arrived is kept; resume the download to get the rest.';
  return new DeskError('NETWORK', message, { cause });
}

function tooLarge({ stated }: Part, size: number): DeskError {
  return stated !== undefined && size > stated
    ? new DeskError('TOO_LARGE', `The file has more than the announced ${stated} bytes.`)
    : new DeskError('TOO_LARGE', `The file has more than ${MOST_BYTES} bytes, the most that a library may have here.`);
}

/** A list, as text. */
export async function fetchText(
  address: string,
  most: number,
  fetch: typeof globalThis.fetch,
  signal?: AbortSignal,
): Promise<string> {
  const found = await fetchBytes(address, most, fetch, signal);
  if (typeof found === 'number') throw new DeskError('NETWORK', `The server answered ${found}; is the address right?`);
  return new TextDecoder().decode(found);
}

/** A small file, or the status of an answer that is none. */
export async function fetchBytes(
  address: string,
  most: number,
  fetch: typeof globalThis.fetch,
  signal?: AbortSignal,
): Promise<Uint8Array | number> {
  const response = await request(address, { cache: 'no-cache', ...(signal === undefined ? {} : { signal }) }, fetch);
  const isDowngraded = address.startsWith('https:') && response.url.startsWith('http:');
  if (!response.ok || isDowngraded) await response.body?.cancel();
  if (isDowngraded) throw new DeskError('INSECURE', `${new URL(address).host} leads on to an address without https.`);
  if (!response.ok) return response.status;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > most) throw new DeskError('LIST', 'The list is too long.');
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
}
