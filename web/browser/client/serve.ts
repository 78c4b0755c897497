/** The worker's end of protocol.ts: opens one library and answers calls for it. */
import { SheafError } from './errors.js';
import type { Core } from './load.js';
import { openLocal, progressOf } from './local.js';
import type { OpenRequest, PageMethods, WireSource, WorkerMethods } from './protocol.js';
import { Peer, type Port } from './rpc.js';
import { FetchSource, firstReadOf, PIECES_ALONE, type FetchSourceOptions } from './fetch_source.js';
import { BlobSource, BytesSource, type Source } from './source.js';
import type { Library, Progress } from './types.js';

type Loader = (wasm: OpenRequest['wasm'], languages: OpenRequest['languages']) => Promise<Core>;

export function serve(port: Port, loadCore: Loader): void {
  let library: Library | undefined;
  let told: string | undefined;

  const page = new Peer<PageMethods, WorkerMethods>(port, {
    async open(request, signal) {
      if (library !== undefined) throw new SheafError('INTERNAL', 'This worker already serves a library.');
      library = await open(request, signal);
      tellInfo(library);
    },
    async ask(method, args, options, signal) {
      if (library === undefined) throw new SheafError('INTERNAL', 'No library was opened in this worker.');
      const ask = library[method] as (...args: unknown[]) => Promise<unknown>;
      const value = await ask.call(library, ...args, { ...options, signal });
      tellInfo(library);
      return value;
    },
  });

  function tellInfo({ info }: Library): void {
    const text = JSON.stringify(info);
    if (text !== told) page.tell('info', info);
    told = text;
  }

  async function open(request: OpenRequest, signal: AbortSignal): Promise<Library> {
    const whole = request.lazy === false;
    const encoder =
      request.encoder === undefined ? undefined : toSource(request.encoder, { whole, first: firstReadOf('encoder') });
    const bundle = toSource(request.bundle, { whole, first: firstReadOf('bundle', encoder !== undefined) });
    const hooks = request.progress ? { onProgress: (progress: Progress): void => page.tell('progress', progress) } : {};
    const core = loadCore(request.wasm, request.languages);
    // Their first requests need not wait for the core; a failure surfaces when the source is opened. The table's waits for
    // the bundle's while the core is on its way, and nobody could use it: a host without ranges is then tried once. Those
    // that are there in pieces alone can be had of any host.
    const first = request.bundle.kind === 'url' ? bundle.size(signal, progressOf('bundle', hooks)) : undefined;
    const isTried = [request.bundle, request.encoder].every(
      (each) => each?.kind === 'url' && !each.url.endsWith(PIECES_ALONE),
    );
    const begin = (): void => {
      // A deferred table's request outlives `open`, so it ignores the signal of `open`.
      if (request.encoder?.kind === 'url')
        encoder?.size(request.deferEncoder ? undefined : signal, progressOf('encoder', hooks)).catch(() => {});
    };
    Promise.race([isTried ? first : undefined, core]).then(begin, begin);
    return openLocal(await core, bundle, {
      encoder,
      signal,
      ...(request.lazy === undefined ? {} : { lazy: request.lazy }),
      deferEncoder: request.deferEncoder === true,
      ...hooks,
    });
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
          size: (signal) => page.call('size', [source], signal),
          read: (offset, length, signal) => page.call('read', [source, offset, length], signal),
          reset: () => void page.call('reset', [source]).catch(() => {}), // messages keep their order
          // The page closes it when the library closes.
        };
      }
    }
  }

  page.ready();
}
