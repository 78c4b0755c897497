/**
 * Loads the WASM core. The glue performs no I/O: the bytes come from here, which is what lets one
 * artefact serve page, worker, extension and Node.
 *
 * Each library gets an instance of its own: closing it returns its memory, and a hostile bundle
 * shares an address space with nothing. The bytes are fetched once.
 */
import createSheafCore, { type CoreModule } from '../core/sheaf-core.mjs';
import { asSheafError, SheafError } from './errors.js';
import { readBody } from './source.js';
import type { BaseOpenOptions } from './types.js';

const MAX_WASM_BYTES = 64 * 1024 * 1024;

const fetched = new Map<string, Promise<Uint8Array>>();

export async function loadCore(wasm: BaseOpenOptions['wasm']): Promise<CoreModule> {
  const wasmBinary =
    wasm instanceof Uint8Array || wasm instanceof ArrayBuffer ? wasm : await fetchOnce(wasm ?? new URL('../core/sheaf-core.wasm', import.meta.url));
  try {
    return await createSheafCore({ wasmBinary });
  } catch (error) {
    throw asSheafError(
      error,
      'WASM',
      "The core could not be compiled; if the page has a Content-Security-Policy, script-src needs 'wasm-unsafe-eval'",
    );
  }
}

/** Kept while it succeeds; a failure is forgotten, so that the next call tries again. */
function fetchOnce(url: URL | string): Promise<Uint8Array> {
  const key = String(url);
  let bytes = fetched.get(key);
  if (bytes === undefined) {
    bytes = fetchBytes(key);
    fetched.set(key, bytes);
    bytes.catch(() => fetched.delete(key));
  }
  return bytes;
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    const hint = url.startsWith('file:') ? '; in Node, import sheaf/node' : '';
    throw asSheafError(error, 'WASM', `The core could not be fetched from ${url}${hint}`);
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new SheafError(
      'WASM',
      `The core could not be fetched from ${url}: the server answered ${response.status}; place sheaf-core.wasm there or name its address in the option wasm.`,
      { status: response.status },
    );
  }
  return readBody(response, MAX_WASM_BYTES, url);
}
