/** The worker's end of protocol.ts: opens one library and answers calls for it. */
import type { CoreModule } from '../core/sheaf-core.mjs';
import { abortable, fromPlainError, SheafError, toPlainError } from './errors.js';
import { openLocal, progressOf } from './local.js';
import type { CallRequest, OpenRequest, Port, ToPage, ToWorker, WireSource } from './protocol.js';
import { BlobSource, BytesSource, FetchSource, FIRST_READ_OF_TABLE, type FetchSourceOptions, type Source } from './source.js';
import type { Library, LibraryInfo, Progress } from './types.js';

type Loader = (wasm: OpenRequest['wasm']) => Promise<CoreModule>;

export function serve(port: Port, loadCore: Loader): void {
  const running = new Map<number, AbortController>();
  const asked = new Map<number, { resolve: (value: unknown) => void; reject: (error: SheafError) => void }>();
  let nextAsk = 0;
  let library: Library | undefined;
  let lastInfo: LibraryInfo | undefined;

  const send = (message: ToPage, transfer: Transferable[] = []): void => port.postMessage(message, transfer);

  /** Asks the page to read one of its custom sources. */
  function ask(
    request: { source: number } & ({ action: 'size' | 'reset' } | { action: 'read'; offset: number; length: number }),
    signal?: AbortSignal,
  ): Promise<unknown> {
    const id = nextAsk++;
    const reply = new Promise<unknown>((resolve, reject) => asked.set(id, { resolve, reject }));
    send({ type: 'serve', id, ...request });
    const onAbort = (): void => send({ type: 'serveAbort', id });
    signal?.addEventListener('abort', onAbort, { once: true });
    return abortable(
      reply.finally(() => signal?.removeEventListener('abort', onAbort)),
      signal,
    );
  }

  function toSource(wire: WireSource, options: FetchSourceOptions): Source {
    switch (wire.kind) {
      case 'url':
        return new FetchSource(wire.url, options);
      case 'bytes':
        return new BytesSource(wire.bytes);
      case 'blob':
        return new BlobSource(wire.blob);
      case 'custom': {
        const { source } = wire;
        return {
          key: wire.key,
          local: wire.local,
          size: (signal) => ask({ source, action: 'size' }, signal) as Promise<number>,
          read: (offset, length, signal) => ask({ source, action: 'read', offset, length }, signal) as Promise<Uint8Array>,
          reset: () => void ask({ source, action: 'reset' }).catch(() => {}), // messages keep their order
          // The page closes it, when the library is closed.
        };
      }
    }
  }

  async function open(request: OpenRequest, signal: AbortSignal): Promise<undefined> {
    if (library !== undefined) throw new SheafError('INTERNAL', 'This worker already serves a library.');
    const whole = request.lazy === false;
    const encoder = request.encoder === undefined ? undefined : toSource(request.encoder, { whole, first: FIRST_READ_OF_TABLE });
    const bundle = toSource(request.bundle, { whole });
    const hooks = request.progress ? { onProgress: (progress: Progress): void => send({ type: 'progress', progress }) } : {};
    const core = loadCore(request.wasm);
    // Their first requests need not wait for the core; a failure is told in its turn.
    if (request.bundle.kind === 'url') bundle.size(signal, progressOf('bundle', hooks)).catch(() => {});
    if (request.encoder?.kind === 'url' && !request.deferEncoder) encoder?.size(signal, progressOf('encoder', hooks)).catch(() => {});
    library = await openLocal(await core, bundle, {
      encoder,
      signal,
      ...(request.lazy === undefined ? {} : { lazy: request.lazy }),
      deferEncoder: request.deferEncoder === true,
      ...hooks,
    });
    return undefined;
  }

  function call(request: CallRequest, signal: AbortSignal): Promise<unknown> {
    if (library === undefined) throw new SheafError('INTERNAL', 'No library was opened in this worker.');
    const [first, second] = request.args;
    switch (request.method) {
      case 'search':
        return library.search(first as string, { ...(second as object), signal });
      case 'page':
        return library.page(first as number | string, { signal });
      case 'passage':
        return library.passage(first as number, { signal });
      case 'findPage':
        return library.findPage(first as string, { signal });
      case 'embed':
        return library.embed(first as string, { signal });
      case 'prefetch':
        return library.prefetch({ signal });
      case 'facets':
        return library.facets({ signal });
      case 'verify':
        return library.verify({ signal });
    }
  }

  async function answer(request: OpenRequest | CallRequest): Promise<void> {
    const controller = new AbortController();
    running.set(request.id, controller);
    try {
      const value = request.type === 'open' ? await open(request, controller.signal) : await call(request, controller.signal);
      const info = library?.info;
      const news = JSON.stringify(info) === JSON.stringify(lastInfo) ? undefined : info;
      lastInfo = info;
      send({ type: 'reply', id: request.id, value, info: news }, value instanceof Float32Array ? [value.buffer as ArrayBuffer] : []);
    } catch (error) {
      send({ type: 'reply', id: request.id, error: toPlainError(error) });
    } finally {
      running.delete(request.id);
    }
  }

  port.addEventListener('message', (event) => {
    const message = event.data as ToWorker;
    switch (message.type) {
      case 'open':
      case 'call':
        void answer(message);
        break;
      case 'abort':
        running.get(message.id)?.abort();
        break;
      case 'served': {
        const waiting = asked.get(message.id);
        asked.delete(message.id);
        if ('error' in message) waiting?.reject(fromPlainError(message.error));
        else waiting?.resolve(message.value);
        break;
      }
    }
  });
  send({ type: 'ready' });
}
