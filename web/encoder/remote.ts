/** The page's end of protocol.ts: a QueryEncoder whose work happens in a worker. */
import { abortError, asSheafError, fromPlainError, SheafError, throwIfAborted } from '../client/errors.js';
import type { CallOptions } from '../client/types.js';
import type { EncoderRequest, LoadHooks } from './load.js';
import { LOAD_ID, type EncoderFacts, type FromEncoder, type ToEncoder } from './protocol.js';
import type { QueryEncoder } from './transformer.js';

/** Loads in `worker`, which said `ready`. A failure ends the worker. */
export async function loadRemote(worker: Worker, request: EncoderRequest, hooks: LoadHooks): Promise<QueryEncoder> {
  const remote = new RemoteEncoder(worker);
  try {
    throwIfAborted(hooks.signal);
    await remote.load(request, hooks);
    return remote;
  } catch (error) {
    await remote.close();
    throw error;
  }
}

interface Pending {
  resolve: (vector: Float32Array) => void;
  reject: (error: SheafError) => void;
}

class RemoteEncoder implements QueryEncoder {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #facts: EncoderFacts | undefined;
  #loading: { resolve: () => void; reject: (error: SheafError) => void; hooks: LoadHooks } | undefined;
  #nextId = LOAD_ID + 1;
  #ended: SheafError | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener('message', (event) => this.#receive(event.data as FromEncoder));
    const died = (event: Event): void => {
      this.#finish(new SheafError('RUNTIME', `The encoder's worker stopped (${(event as ErrorEvent).message || event.type}); load the encoder again.`));
    };
    worker.addEventListener('error', died);
    worker.addEventListener('messageerror', died);
  }

  get name(): string {
    return this.#known.name;
  }
  get space(): string {
    return this.#known.space;
  }
  get dimensions(): number {
    return this.#known.dimensions;
  }
  get precision(): EncoderFacts['precision'] {
    return this.#known.precision;
  }
  get #known(): EncoderFacts {
    if (this.#facts === undefined) throw new SheafError('INTERNAL', 'The encoder was not loaded yet.');
    return this.#facts;
  }

  async load(request: EncoderRequest, hooks: LoadHooks): Promise<void> {
    const onAbort = (): void => {
      this.#send({ type: 'abort', id: LOAD_ID });
      this.#loading?.reject(abortError(hooks.signal as AbortSignal));
    };
    hooks.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        this.#loading = { resolve, reject, hooks };
        this.#send({ type: 'load', request });
      });
    } finally {
      this.#loading = undefined;
      hooks.signal?.removeEventListener('abort', onAbort);
    }
  }

  async embed(text: string, options: CallOptions = {}): Promise<Float32Array> {
    if (this.#ended !== undefined) throw this.#ended;
    const { signal } = options;
    throwIfAborted(signal);
    const id = this.#nextId++;
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise<Float32Array>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        onAbort = () => {
          this.#send({ type: 'abort', id });
          reject(abortError(signal as AbortSignal));
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        this.#send({ type: 'embed', id, text });
      });
    } catch (error) {
      throw asSheafError(error, 'INVALID_ARGUMENT', 'The text could not be sent to the worker');
    } finally {
      this.#pending.delete(id);
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    this.#finish(new SheafError('CLOSED', 'The encoder was closed; load it again.'));
  }

  #send(message: ToEncoder): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromEncoder): void {
    switch (message.type) {
      case 'ready':
        break;
      case 'progress':
        this.#loading?.hooks.onProgress?.(message.progress);
        break;
      case 'loaded':
        this.#facts = message.facts;
        this.#loading?.resolve();
        break;
      case 'failed':
        this.#loading?.reject(fromPlainError(message.error));
        break;
      case 'vector':
        this.#pending.get(message.id)?.resolve(message.vector);
        break;
      case 'error':
        this.#pending.get(message.id)?.reject(fromPlainError(message.error));
        break;
    }
  }

  #finish(reason: SheafError): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#worker.terminate();
    this.#loading?.reject(reason);
    for (const pending of this.#pending.values()) pending.reject(reason);
  }
}
