/**
 * The page's end of protocol.ts: a Library whose work happens in a worker.
 *
 * Errors keep their codes, signals reach the worker, and `close` ends it. Should the worker die, every
 * call under way and every later one rejects.
 */
import { abortable, abortError, asSheafError, fromPlainError, SheafError, throwIfAborted, toPlainError } from './errors.js';
import type { Calls, Port, ToPage, ToWorker, WireSource } from './protocol.js';
import { isOffline, untilOnline } from './retry.js';
import { BlobSource, type Source } from './source.js';
import type { CallOptions, Library, LibraryFacets, LibraryInfo, Page, Passage, Progress, SearchAnswer, SearchOptions } from './types.js';

/** What a source may be before it crosses. */
export type RemoteSource = URL | Uint8Array | ArrayBuffer | Blob | Source;

export interface RemoteOpenOptions {
  encoder?: RemoteSource | undefined;
  lazy?: boolean | undefined;
  deferEncoder?: boolean | undefined;
  wasm?: Uint8Array | ArrayBuffer | string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Hand byte sources over instead of copying them; the caller's view is empty afterwards. */
  transfer?: boolean | undefined;
}

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}

let policy: ScriptPolicy | undefined;

/**
 * Where Trusted Types are enforced, a worker's address must come from a policy. Ours, `sheaf`, never
 * leaves this module and blesses the addresses of the package's own workers. Where there are no Trusted
 * Types, or the page forbids the policy, the address stays what it is.
 */
export function ownScript(url: URL): URL {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy } }).trustedTypes;
  try {
    policy ??= types?.createPolicy('sheaf', { createScriptURL: (own: string) => own });
  } catch {
    // The worker will not start, and the caller falls back.
  }
  return (policy?.createScriptURL(url.href) ?? url) as URL;
}

/** The address in full; texts are relative to the page. */
export function absolute(url: string): URL {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  try {
    return new URL(url, base);
  } catch (error) {
    throw new SheafError('INVALID_ARGUMENT', `“${url}” is not a URL; for files, import sheaf/node.`, { cause: error });
  }
}

/** A worker that said `ready`, or undefined where workers do not exist or are not allowed. Rejects with ABORTED. */
export async function startWorker(url: URL | string, signal?: AbortSignal): Promise<Worker | undefined> {
  const worker = await tryWorker(url, signal);
  if (worker !== undefined || !isOffline()) return worker;
  await untilOnline(signal); // its script was not to be had
  return tryWorker(url, signal);
}

function tryWorker(url: URL | string, signal: AbortSignal | undefined): Promise<Worker | undefined> {
  let worker: Worker;
  try {
    worker = new Worker(url, { type: 'module', name: 'sheaf' });
  } catch {
    return Promise.resolve(undefined); // another origin, a Content-Security-Policy without worker-src, Trusted Types without our policy
  }
  const started = new Promise<Worker | undefined>((resolve) => {
    worker.addEventListener(
      'error',
      (event) => {
        event.preventDefault(); // told by the fallback
        worker.terminate();
        resolve(undefined);
      },
      { once: true },
    );
    worker.addEventListener('message', () => resolve(worker), { once: true });
  });
  return abortable(started, signal).catch((error: unknown) => {
    worker.terminate();
    throw error;
  });
}

/** Opens a library at the other end of `port`, which said `ready`. `end` is called on close. */
export async function openRemote(port: Port, end: () => void, bundle: RemoteSource, options: RemoteOpenOptions = {}): Promise<Library> {
  const library = new RemoteLibrary(port, end, options.onProgress);
  try {
    await library.open(bundle, options);
    return library;
  } catch (error) {
    await library.close();
    throw error;
  }
}

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: SheafError) => void;
}

class RemoteLibrary implements Library {
  readonly #port: Port;
  readonly #end: () => void;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  readonly #pending = new Map<number, Pending>();
  readonly #sources: Source[] = [];
  readonly #serving = new Map<number, AbortController>();
  #nextId = 0;
  #info: LibraryInfo | undefined;
  #ended: SheafError | undefined;

  constructor(port: Port, end: () => void, onProgress: ((progress: Progress) => void) | undefined) {
    this.#port = port;
    this.#end = end;
    this.#onProgress = onProgress;
    port.addEventListener('message', (event) => this.#receive(event.data as ToPage));
    const died = (event: Event): void => {
      const detail = (event as ErrorEvent).message || event.type;
      this.#finish(new SheafError('INTERNAL', `The worker stopped (${detail}); open the library again.`));
    };
    // A MessagePort has no such events; a Worker has.
    const events = port as unknown as EventTarget;
    events.addEventListener('error', died);
    events.addEventListener('messageerror', died);
  }

  get info(): LibraryInfo {
    if (this.#info === undefined) throw new SheafError('INTERNAL', 'The bundle was not opened yet.');
    return this.#info;
  }

  async open(bundle: RemoteSource, options: RemoteOpenOptions): Promise<void> {
    const transfer: Transferable[] = [];
    const wireBundle = this.#toWire(bundle, options.transfer, transfer);
    const wireEncoder = options.encoder === undefined ? undefined : this.#toWire(options.encoder, options.transfer, transfer);
    await this.#request(
      (id) => ({
        type: 'open',
        id,
        bundle: wireBundle,
        encoder: wireEncoder,
        lazy: options.lazy,
        deferEncoder: options.deferEncoder,
        wasm: options.wasm,
        progress: this.#onProgress !== undefined,
      }),
      options.signal,
      transfer,
    );
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    const { signal, ...rest } = options;
    return this.#call('search', [query, rest], signal);
  }

  async page(idOrUrl: number | string, options: CallOptions = {}): Promise<Page> {
    return this.#call('page', [idOrUrl], options.signal);
  }

  async passage(id: number, options: CallOptions = {}): Promise<Passage> {
    return this.#call('passage', [id], options.signal);
  }

  async findPage(urlOrSource: string, options: CallOptions = {}): Promise<number> {
    return this.#call('findPage', [urlOrSource], options.signal);
  }

  async embed(text: string, options: CallOptions = {}): Promise<Float32Array> {
    return this.#call('embed', [text], options.signal);
  }

  async prefetch(options: CallOptions = {}): Promise<void> {
    return this.#call('prefetch', [], options.signal);
  }

  async facets(options: CallOptions = {}): Promise<LibraryFacets> {
    return this.#call('facets', [], options.signal);
  }

  async verify(options: CallOptions = {}): Promise<number> {
    return this.#call('verify', [], options.signal);
  }

  async close(): Promise<void> {
    this.#finish(new SheafError('CLOSED', 'The library was closed; open it again to search it.'));
    await Promise.all(this.#sources.splice(0).map((source) => source.close?.())); // after the worker died, too
  }

  [Symbol.dispose](): void {
    void this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #call<Method extends keyof Calls, Value>(method: Method, args: Calls[Method], signal: AbortSignal | undefined): Promise<Value> {
    return this.#request((id) => ({ type: 'call', id, method, args }), signal) as Promise<Value>;
  }

  async #request(make: (id: number) => ToWorker, signal?: AbortSignal, transfer: Transferable[] = []): Promise<unknown> {
    if (this.#ended !== undefined) throw this.#ended;
    throwIfAborted(signal);
    const id = this.#nextId++;
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        onAbort = () => {
          this.#send({ type: 'abort', id });
          reject(abortError(signal as AbortSignal));
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        this.#send(make(id), transfer);
      });
    } catch (error) {
      throw asSheafError(error, 'INVALID_ARGUMENT', 'The arguments could not be sent to the worker');
    } finally {
      this.#pending.delete(id);
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    }
  }

  #send(message: ToWorker, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #receive(message: ToPage): void {
    switch (message.type) {
      case 'ready':
        break;
      case 'reply': {
        if (!('error' in message) && message.info !== undefined) this.#info = message.info;
        const pending = this.#pending.get(message.id);
        if ('error' in message) pending?.reject(fromPlainError(message.error));
        else pending?.resolve(message.value);
        break;
      }
      case 'progress':
        this.#onProgress?.(message.progress);
        break;
      case 'serve':
        void this.#serve(message);
        break;
      case 'serveAbort':
        this.#serving.get(message.id)?.abort();
        break;
    }
  }

  /** Reads a custom source on the worker's behalf. */
  async #serve(message: Extract<ToPage, { type: 'serve' }>): Promise<void> {
    const { id } = message;
    const source = this.#sources[message.source];
    const controller = new AbortController();
    this.#serving.set(id, controller);
    try {
      let value: Uint8Array | number | undefined;
      if (message.action === 'size') value = await source?.size(controller.signal);
      else if (message.action === 'read') value = await source?.read(message.offset, message.length, controller.signal);
      else source?.reset?.();
      this.#send({ type: 'served', id, value }); // copied: the source may keep what it returned
    } catch (error) {
      this.#send({ type: 'served', id, error: toPlainError(error) });
    } finally {
      this.#serving.delete(id);
    }
  }

  #toWire(source: RemoteSource, hand: boolean | undefined, transfer: Transferable[]): WireSource {
    if (source instanceof URL) return { kind: 'url', url: source.href };
    if (source instanceof Uint8Array || source instanceof ArrayBuffer) {
      const bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
      if (hand && bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength) transfer.push(bytes.buffer);
      return { kind: 'bytes', bytes };
    }
    if (typeof Blob !== 'undefined' && source instanceof Blob) return { kind: 'blob', blob: source };
    const custom = source as Exclude<RemoteSource, URL | Uint8Array | ArrayBuffer | Blob | BlobSource>;
    this.#sources.push(custom);
    return { kind: 'custom', source: this.#sources.length - 1, key: custom.key, local: custom.local ?? false };
  }

  #finish(reason: SheafError): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const pending of this.#pending.values()) pending.reject(reason);
    for (const controller of this.#serving.values()) controller.abort();
    this.#end();
  }
}
