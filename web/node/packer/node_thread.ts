/** Starts the packer's thread in Node (node_worker.ts), with the code that ships with this package. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import { asSheafError } from '../../browser/client/errors.js';
import type { Port } from '../../browser/client/rpc.js';
import type { PackerWorker } from '../../browser/packer/remote.js';

/**
 * Documents nest, and parsers recurse: as much as a native thread of the packer has (packer/pipeline). Only touched
 * pages cost memory.
 */
const STACK_MB = 64;

/** The module's code. */
export const PACKER_FILE = fileURLToPath(new URL('../../browser/packer/sheaf-packer.wasm', import.meta.url));

let code: Promise<WebAssembly.Module> | undefined;

/** The module's code, compiled once. Error: WASM. */
export function packerCode(): Promise<WebAssembly.Module> {
  code ??= readFile(PACKER_FILE)
    .then((bytes) => WebAssembly.compile(bytes))
    .catch((error: unknown) => {
      code = undefined;
      throw asSheafError(error, 'WASM', `The packer could not be read from ${PACKER_FILE}`);
    });
  return code;
}

/** `died` is called when the thread ends by itself, which it never should. */
export function startThread(died: (detail: string) => void): PackerWorker {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('./node_worker.js', import.meta.url), {
    workerData: port2,
    transferList: [port2],
    resourceLimits: { stackSizeMb: STACK_MB },
    stdin: false,
    execArgv: [],
  });
  worker.on('error', (error) => died(error.message));
  worker.on('exit', (status) => died(`its thread ended with ${status}`));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  return {
    port: port1 as unknown as Port,
    ended,
    end: () => {
      port1.close();
      void worker.terminate();
    },
  };
}
