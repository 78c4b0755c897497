/**
 * Loads the WASM modules of this package. Their glue performs no I/O: the bytes come from here, which
 * is what lets one artefact serve page, worker, extension and Node. They are fetched once.
 */
import { asSheafError, SheafError } from './errors.js';
import { readBody } from './source.js';

const MAX_WASM_BYTES = 64 * 1024 * 1024;

const fetched = new Map<string, Promise<Uint8Array>>();

type Bytes = Uint8Array | ArrayBuffer;

/** A new instance. `name` is for messages, `create` the module's Emscripten factory, `wasm` its code or where that lies. */
export async function loadModule<M>(
  name: string,
  create: (options: { wasmBinary: Bytes }) => Promise<M>,
  wasm: Bytes | URL | string,
): Promise<M> {
  const wasmBinary = wasm instanceof Uint8Array || wasm instanceof ArrayBuffer ? wasm : await fetchOnce(name, wasm);
  try {
    return await create({ wasmBinary });
  } catch (error) {
    throw asSheafError(
      error,
      'WASM',
      `The ${name} could not be compiled; if the page has a Content-Security-Policy, script-src needs 'wasm-unsafe-eval'`,
    );
  }
}

/** Kept while it succeeds; a failure is forgotten, so that the next call tries again. */
function fetchOnce(name: string, url: URL | string): Promise<Uint8Array> {
  const key = String(url);
  let bytes = fetched.get(key);
  if (bytes === undefined) {
    bytes = fetchBytes(name, key);
    fetched.set(key, bytes);
    bytes.catch(() => fetched.delete(key));
  }
  return bytes;
}

async function fetchBytes(name: string, url: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    const hint = url.startsWith('file:') ? '; in Node, import sheaf/node or pass the bytes' : '';
    throw asSheafError(error, 'WASM', `The ${name} could not be fetched from ${url}${hint}`);
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new SheafError(
      'WASM',
      `The ${name} could not be fetched from ${url}: the server answered ${response.status}; place ${url.slice(url.lastIndexOf('/') + 1)} there or name its address in the option wasm.`,
      { status: response.status },
    );
  }
  return readBody(response, MAX_WASM_BYTES, url);
}
