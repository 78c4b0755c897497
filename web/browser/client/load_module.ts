/**
 * Loads the WASM modules of this package. They import next to nothing, so an instance's exports are the whole
 * interface (wasm/module.d.ts), and one artefact serves page, worker, extension and Node.
 *
 * Code from a URL is fetched and compiled once, streaming if the host serves it as application/wasm.
 * Every call gets its own instance.
 */
import { asSheafError, SheafError } from './errors.js';
import { persist, retryAfterOf } from './retry.js';

const compiled = new Map<string, Promise<WebAssembly.Module>>();

type Bytes = Uint8Array | ArrayBuffer;

/** A new instance's exports. `name` is for messages, `wasm` is the module's code or its URL. */
export async function loadModule<M>(
  name: string,
  wasm: Bytes | URL | string,
  imports?: WebAssembly.Imports,
): Promise<M> {
  try {
    const address = typeof wasm === 'string' || wasm instanceof URL;
    const module = address ? compileOnce(name, String(wasm)) : WebAssembly.compile(wasm as BufferSource);
    const { exports } = await WebAssembly.instantiate(await module, imports);
    (exports._initialize as () => void)(); // static constructors
    return exports as M;
  } catch (error) {
    throw asSheafError(
      error,
      'WASM',
      `The ${name} could not be compiled; if the page has a Content-Security-Policy, script-src needs 'wasm-unsafe-eval'`,
    );
  }
}

/** Kept while it succeeds; a failure is forgotten, so that the next call tries again. */
function compileOnce(name: string, url: string): Promise<WebAssembly.Module> {
  let module = compiled.get(url);
  if (module === undefined) {
    module = persist(() => fetchModule(name, url));
    compiled.set(url, module);
    module.catch(() => compiled.delete(url));
  }
  return module;
}

async function fetchModule(name: string, url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url).catch((error: unknown) => {
    const hint = url.startsWith('file:') ? '; in Node, import sheaf/node or pass the bytes' : '';
    throw asSheafError(error, 'NETWORK', `The ${name} could not be fetched from ${url}${hint}`);
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new SheafError(
      'NETWORK',
      `The ${name} could not be fetched from ${url}: the server answered ${response.status}; place ${url.slice(url.lastIndexOf('/') + 1)} there or name its address in the option wasm.`,
      { status: response.status, retryAfter: retryAfterOf(response) },
    );
  }
  // Streaming compilation requires exactly this type.
  const streams = response.headers.get('content-type') === 'application/wasm';
  try {
    return await (streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer()));
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) throw error;
    throw asSheafError(error, 'NETWORK', `The ${name} was cut short on its way from ${url}`);
  }
}
