/**
 * Packs documentation into a bundle, in Node: from memory as in browsers (index.ts), and from the machine's files.
 *
 *     import { pack, packFiles } from 'sheaf/packer';
 *     const { bundle } = await pack({ source: [{ path: 'a.md', bytes: '# A' }], library: 'kiln', version: '1' });
 *     await packFiles({ inputs: ['docs'], output: 'kiln.sheaf', library: 'kiln', version: '1' });
 *
 * The work is done in a worker thread. The bytes of a bundle are those of `sheaf-pack`.
 */
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { asSheafError, SheafError, throwIfAborted } from '../../browser/client/errors.js';
import { TABLE_FILE } from '../client/paths.js';
import { packerCode, startThread } from './node_thread.js';
import type { NodeWorkerMethods } from '../../browser/packer/protocol.js';
import { noTransformer, packRemotely, withWorker } from '../../browser/packer/remote.js';
import type { PackOptions, Report } from '../../browser/packer/sheaf-packer.mjs';
import type { NativeOption, PackHooks, PackJob, PackOutcome } from '../../browser/packer/types.js';

export type * from '../../browser/packer/types.js';

/** What to pack from files. `inputs` are files, folders and globs; `output` is a file or a folder. */
export type FilesJob = Omit<PackOptions, 'scratch' | NativeOption>;

export interface FilesOutcome {
  report: Omit<Report, 'bundle'>;
  /** The file that was written, where the job named an output. */
  path: string | undefined;
  /** The bundle, where it did not. */
  bundle: Uint8Array | undefined;
}

/** As in browsers. The encoder table may also be a path. */
export function pack(job: PackJob, hooks: PackHooks = {}): Promise<PackOutcome> {
  return packRemotely(job, hooks, {
    code: packerCode,
    table: async ({ encoderTable = TABLE_FILE }) => {
      if (encoderTable instanceof ArrayBuffer) return new Uint8Array(encoderTable);
      if (typeof encoderTable !== 'string' && !(encoderTable instanceof URL)) return encoderTable;
      return readFile(encoderTable).catch((error: unknown) => {
        throw asSheafError(error, 'FILE', `The encoder table ${String(encoderTable)} cannot be read`);
      });
    },
    start: (_, died) => Promise.resolve(startThread(died)),
  });
}

/**
 * Packs files of this machine. With `output` the file appears whole or not at all; an abort leaves an older one as it
 * was. Errors: the packer's with their codes (NOT_FOUND: there is no page), INVALID_ARGUMENT, WASM, ABORTED.
 */
export async function packFiles(job: FilesJob, hooks: PackHooks = {}): Promise<FilesOutcome> {
  throwIfAborted(hooks.signal);
  const encoder = job.encoder ?? 'static';
  if (encoder !== 'static' && encoder !== 'none') throw noTransformer(encoder);
  const inputs: unknown = job.inputs;
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.some((each) => typeof each !== 'string'))
    throw new SheafError('INVALID_ARGUMENT', 'inputs must be a list of paths, at least one.');
  const wasm = await packerCode();
  const start = (died: (detail: string) => void) => Promise.resolve(startThread(died));
  const { bundle, ...report } = await withWorker<NodeWorkerMethods, Report>(start, hooks, (peer, cancel) =>
    peer.call('packFiles', [
      {
        options: { encoderTable: TABLE_FILE, scratch: tmpdir(), ...job },
        surroundings: { wasm, env: {}, folder: process.cwd(), stdout: 'kept', stderr: 'kept', cancel },
      },
    ]),
  );
  return { report, bundle, path: job.output === undefined ? undefined : report.output };
}
