/** The encoder's module worker; see protocol.ts. Start it with `new Worker(url, { type: 'module' })`. */
import { toPlainError } from '../client/errors.js';
import type { Port } from '../client/protocol.js';
import { loadHere } from './load.js';
import { LOAD_ID, type FromEncoder, type ToEncoder } from './protocol.js';
import type { TransformerEncoder } from './transformer.js';

const port = globalThis as unknown as Port;
const running = new Map<number, AbortController>();
let encoder: TransformerEncoder | undefined;

const send = (message: FromEncoder, transfer: Transferable[] = []): void => port.postMessage(message, transfer);

async function load(message: Extract<ToEncoder, { type: 'load' }>, signal: AbortSignal): Promise<void> {
  try {
    encoder = await loadHere(message.request, { signal, onProgress: (progress) => send({ type: 'progress', progress }) });
    const { name, space, dimensions, precision } = encoder;
    send({ type: 'loaded', facts: { name, space, dimensions, precision } });
  } catch (error) {
    send({ type: 'failed', error: toPlainError(error) });
  }
}

async function embed(id: number, text: string, signal: AbortSignal): Promise<void> {
  try {
    const vector = await (encoder as TransformerEncoder).embed(text, { signal });
    send({ type: 'vector', id, vector }, [vector.buffer as ArrayBuffer]);
  } catch (error) {
    send({ type: 'error', id, error: toPlainError(error) });
  }
}

async function run(id: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  await work(controller.signal).finally(() => running.delete(id));
}

port.addEventListener('message', (event) => {
  const message = event.data as ToEncoder;
  switch (message.type) {
    case 'load':
      void run(LOAD_ID, (signal) => load(message, signal));
      break;
    case 'embed':
      void run(message.id, (signal) => embed(message.id, message.text, signal));
      break;
    case 'abort':
      running.get(message.id)?.abort();
      break;
    case 'close':
      void encoder?.close();
      break;
  }
});
send({ type: 'ready' });
