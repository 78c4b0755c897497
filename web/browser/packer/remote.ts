/**
 * The caller's end: packs in a worker, which is ended when the work is done.
 *
 * An abort is told through shared memory, so that the packer stops by itself. Where memory cannot be shared (pages
 * that are not cross-origin isolated), the worker is ended in the middle of its work. Either way nothing remains: the
 * packer's files are the worker's memory.
 */
import { abortable, abortError, SheafError, throwIfAborted } from '../client/errors.js';
import { Peer, type Port } from '../client/rpc.js';
import type { PageMethods, WorkerMethods } from './protocol.js';
import type { Report } from './sheaf-packer.mjs';
import { entriesOf } from './sources.js';
import type { PackHooks, PackJob, PackOutcome } from './types.js';

export interface PackerWorker {
  port: Port;
  end(): void;
  /** Resolves when it has ended; undefined where that cannot be known. */
  ended?: Promise<void>;
}

type Start = (died: (detail: string) => void) => Promise<PackerWorker>;

/** What differs between browsers and Node. */
export interface Platform {
  /** The module's code, compiled. */
  code(signal: AbortSignal | undefined): Promise<WebAssembly.Module>;
  table(job: PackJob, signal: AbortSignal | undefined): Promise<Uint8Array | Blob>;
  start(signal: AbortSignal | undefined, died: (detail: string) => void): Promise<PackerWorker>;
}

export async function packRemotely(job: PackJob, hooks: PackHooks, platform: Platform): Promise<PackOutcome> {
  const { signal } = hooks;
  throwIfAborted(signal);
  const { source, encoderTable: _, ...settings } = job;
  const encoder = settings.encoder ?? 'static';
  if (encoder !== 'static' && encoder !== 'none') throw noTransformer(encoder);
  const wantsTable = encoder === 'static' && settings.vectorBits !== 0;
  const inputs = Promise.all([
    entriesOf(source, signal),
    platform.code(signal),
    wantsTable ? platform.table(job, signal) : undefined,
  ]);
  const [entries, wasm, table] = await abortable(inputs, signal);
  const start: Start = (died) => platform.start(signal, died);
  const { bundle, ...report } = await withWorker<WorkerMethods, Report>(start, hooks, (peer, cancel) =>
    peer.call('pack', [{ wasm, entries, table, settings, cancel }]),
  );
  return { bundle: bundle as Uint8Array, report };
}

/** Calls `work` with a new worker and ends it. An abort wins over every other result. */
export async function withWorker<Theirs extends { [Name in keyof Theirs]: (...args: never[]) => unknown }, T>(
  start: Start,
  { signal, onProgress, onRemark }: PackHooks,
  work: (peer: Peer<Theirs, PageMethods>, cancel: SharedArrayBuffer | undefined) => Promise<T>,
): Promise<T> {
  let peer: Peer<Theirs, PageMethods> | undefined;
  const died = (detail: string): SheafError =>
    new SheafError('WASM', `The packer stopped (${detail}); it may have run out of memory.`);
  const worker = await start((detail) => peer?.end(died(detail)));
  peer = new Peer<Theirs, PageMethods>(
    worker.port,
    {
      progress: (progress) => void (signal?.aborted || onProgress?.(progress)),
      remark: (remark, isProblem) => void (signal?.aborted || onRemark?.(remark, isProblem)),
    },
    { end: () => worker.end(), died },
  );
  (worker.port as { start?: () => void }).start?.();
  const cancel = sharedFlag();
  const stop = (): void => {
    if (cancel !== undefined) Atomics.store(new Uint8Array(cancel), 0, 1);
    else peer?.end(abortError(signal as AbortSignal));
  };
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const result = await work(peer, cancel);
    throwIfAborted(signal);
    return result;
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    peer.end(new SheafError('CLOSED', 'The packing is over.'));
    await worker.ended;
  }
}

function sharedFlag(): SharedArrayBuffer | undefined {
  const isolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated;
  return typeof SharedArrayBuffer === 'function' && isolated !== false ? new SharedArrayBuffer(1) : undefined;
}

export function noTransformer(encoder: string): SheafError {
  return new SheafError(
    'INVALID_ARGUMENT',
    `The encoder ${JSON.stringify(String(encoder).slice(0, 100))} cannot be used here: sheaf/packer has the encoders static and none. Pack with a transformer by the command: sheaf pack DOCS --encoder NAME.`,
  );
}
