/** The encoder's module worker: the other end of remote.ts. Start it with `new Worker(url, { type: 'module' })`. */
import { Peer, type Port } from '../client/rpc.js';
import { loadHere } from './load.js';
import type { PageMethods, WorkerMethods } from './protocol.js';
import type { TransformerEncoder } from './transformer.js';

let encoder: TransformerEncoder | undefined;

const page = new Peer<PageMethods, WorkerMethods>(globalThis as unknown as Port, {
  async load(request, signal) {
    encoder = await loadHere(request, { signal, onProgress: (progress) => page.tell('progress', progress) });
    const { name, space, dimensions, precision } = encoder;
    return { name, space, dimensions, precision };
  },
  embed: (text, signal) => (encoder as TransformerEncoder).embed(text, { signal }),
});
page.ready();
