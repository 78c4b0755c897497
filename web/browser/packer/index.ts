/**
 * Packs documentation into a bundle, in browsers. In Node, `sheaf/packer` is node.ts, which has the same `pack`.
 *
 *     import { pack } from 'sheaf/packer';
 *     const { bundle, report } = await pack(
 *       { source: input.files, library: 'kiln', version: '1.4.0' },
 *       { onProgress: ({ share }) => bar.value = share },
 *     );
 *     const library = await open(bundle);
 *
 * The bytes of a bundle are those of `sheaf-pack` for the same files and settings. The work is done in a worker of the
 * package, single-threaded; it needs about twice the size of the finished bundle and 100 MB more.
 */
import { asSheafError, SheafError } from '../client/errors.js';
import type { Port } from '../client/rpc.js';
import { ownScript, startWorker } from '../client/start_worker.js';
import { packRemotely, type Platform } from './remote.js';
import type { PackHooks, PackJob, PackOutcome } from './types.js';

export type * from './types.js';

export interface PackOptions extends PackHooks {
  /** The module's code or its address; by default sheaf-packer.wasm beside this script. */
  wasm?: WebAssembly.Module | Uint8Array | ArrayBuffer | URL | string | undefined;
}

/**
 * Packs `job` and gives the bundle's bytes. Errors: the packer's with their codes (NOT_FOUND: there is no page),
 * INVALID_ARGUMENT, NETWORK (code or table cannot be fetched), WASM, ABORTED.
 */
export function pack(job: PackJob, { wasm, ...hooks }: PackOptions = {}): Promise<PackOutcome> {
  return packRemotely(job, hooks, {
    code: (signal) => compile(wasm ?? new URL('./sheaf-packer.wasm', import.meta.url), signal),
    table: ({ encoderTable = new URL('../../../models/minilm-l6-256.sheaf', import.meta.url) }, signal) =>
      read(encoderTable, 'encoder table', signal),
    start,
  });
}

const start: Platform['start'] = async (signal) => {
  const worker = await startWorker(ownScript(new URL('./worker.js', import.meta.url)), signal);
  if (worker === undefined)
    throw new SheafError(
      'WASM',
      'The packer runs in a worker, and none could start; a Content-Security-Policy needs worker-src for this origin.',
    );
  return { port: worker as unknown as Port, end: () => worker.terminate() };
};

async function compile(
  wasm: NonNullable<PackOptions['wasm']>,
  signal: AbortSignal | undefined,
): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  const code = await read(wasm, 'packer', signal);
  try {
    return await WebAssembly.compile(await new Response(code as BodyInit).arrayBuffer());
  } catch (error) {
    throw asSheafError(
      error,
      'WASM',
      "The packer could not be compiled; if the page has a Content-Security-Policy, script-src needs 'wasm-unsafe-eval'",
    );
  }
}

/** `name` is for messages. Error: NETWORK. */
async function read(
  from: Uint8Array | ArrayBuffer | Blob | URL | string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | Blob> {
  if (from instanceof ArrayBuffer) return new Uint8Array(from);
  if (typeof from !== 'string' && !(from instanceof URL)) return from;
  const url = String(from);
  const failed = (why: string): SheafError =>
    new SheafError('NETWORK', `The ${name} could not be fetched from ${url}: ${why}.`);
  const response = await fetch(url, signal === undefined ? {} : { signal }).catch((error: Error) => {
    throw failed(error.message);
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw failed(`the server answered ${response.status}`);
  }
  return new Uint8Array(await response.arrayBuffer());
}
