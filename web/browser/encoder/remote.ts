/** The page's end of protocol.ts: a QueryEncoder whose work happens in a worker. */
import { SheafError } from '../client/errors.js';
import { Peer, type Methods } from '../client/rpc.js';
import type { EncoderRequest, LoadHooks } from './load.js';
import type { PageMethods, WorkerMethods } from './protocol.js';
import type { QueryEncoder } from './transformer.js';

/** Loads in `worker`, which said `ready`. A failure ends the worker. */
export async function loadRemote(worker: Worker, request: EncoderRequest, hooks: LoadHooks): Promise<QueryEncoder> {
  const methods: Methods<PageMethods> = { progress: (progress) => hooks.onProgress?.(progress) };
  const peer = new Peer<WorkerMethods, PageMethods>(worker, methods, {
    end: () => worker.terminate(),
    died: (detail) => new SheafError('RUNTIME', `The encoder's worker stopped (${detail}); load the encoder again.`),
  });
  const close = async (): Promise<void> => peer.end(new SheafError('CLOSED', 'The encoder was closed; load it again.'));
  try {
    const facts = await peer.call('load', [request], hooks.signal);
    return { ...facts, embed: (text, options) => peer.call('embed', [text], options?.signal), close };
  } catch (error) {
    await close();
    throw error;
  }
}
