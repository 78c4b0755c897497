/**
 * The page's end of protocol.ts: a Library whose work happens in a worker.
 *
 * Errors keep their codes, signals reach the worker, and `close` ends it. If the worker dies, every
 * pending call and every later one rejects.
 */
import { SheafError } from './errors.js';
import type { ArgumentsOf, Asked, OpenRequest, PageMethods, WireSource, WorkerMethods } from './protocol.js';
import { Peer, type Methods, type Port } from './rpc.js';
import type { BlobSource, Source } from './source.js';
import type {
  CallOptions,
  Library,
  LibraryFacets,
  LibraryInfo,
  Page,
  Passage,
  PrefetchOptions,
  Progress,
  SearchAnswer,
  SearchOptions,
} from './types.js';

/** A source before it is sent to the worker. */
export type RemoteSource = URL | Uint8Array | ArrayBuffer | Blob | Source;

export interface RemoteOpenOptions {
  encoder?: RemoteSource | undefined;
  lazy?: boolean | undefined;
  deferEncoder?: boolean | undefined;
  wasm?: Uint8Array | ArrayBuffer | string | undefined;
  languages?: Readonly<Record<string, Uint8Array>> | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Hand byte sources over instead of copying them; the caller's view is empty afterwards. */
  transfer?: boolean | undefined;
}

/** Opens a library at the other end of `port`, which said `ready`. `end` is called on close. */
export async function openRemote(
  port: Port,
  end: () => void,
  bundle: RemoteSource,
  options: RemoteOpenOptions = {},
): Promise<Library> {
  const library = new RemoteLibrary(port, end, options.onProgress);
  try {
    await library.open(bundle, options);
    return library;
  } catch (error) {
    await library.close();
    throw error;
  }
}

class RemoteLibrary implements Library {
  readonly #worker: Peer<WorkerMethods, PageMethods>;
  readonly #sources: Source[] = [];
  readonly #progress: boolean;
  #info: LibraryInfo | undefined;

  constructor(port: Port, end: () => void, onProgress: ((progress: Progress) => void) | undefined) {
    this.#progress = onProgress !== undefined;
    const source = (number: number): Source => this.#sources[number] as Source;
    const methods: Methods<PageMethods> = {
      size: (number, signal) => source(number).size(signal),
      // Copied: the source may keep what it returns.
      read: (number, offset, length, signal) => source(number).read(offset, length, signal),
      reset: (number) => source(number).reset?.(),
      info: (info) => void (this.#info = info),
      progress: (progress) => onProgress?.(progress),
    };
    this.#worker = new Peer(port, methods, {
      end,
      died: (detail) => new SheafError('INTERNAL', `The worker stopped (${detail}); open the library again.`),
    });
  }

  get info(): LibraryInfo {
    if (this.#info === undefined) throw new SheafError('INTERNAL', 'The bundle was not opened yet.');
    return this.#info;
  }

  async open(bundle: RemoteSource, options: RemoteOpenOptions): Promise<void> {
    const { encoder, lazy, deferEncoder, wasm, languages, signal, transfer: hand } = options;
    const transfer: Transferable[] = [];
    const request: OpenRequest = {
      bundle: this.#toWire(bundle, hand, transfer),
      encoder: encoder === undefined ? undefined : this.#toWire(encoder, hand, transfer),
      lazy,
      deferEncoder,
      wasm,
      languages,
      progress: this.#progress,
    };
    await this.#worker.call('open', [request], signal, transfer);
  }

  async search(query: string, { signal, ...options }: SearchOptions = {}): Promise<SearchAnswer> {
    return this.#ask('search', [query], signal, options);
  }

  async page(idOrUrl: number | string, options: CallOptions = {}): Promise<Page> {
    return this.#ask('page', [idOrUrl], options.signal);
  }

  async passage(id: number, options: CallOptions = {}): Promise<Passage> {
    return this.#ask('passage', [id], options.signal);
  }

  async findPage(urlOrSource: string, options: CallOptions = {}): Promise<number> {
    return this.#ask('findPage', [urlOrSource], options.signal);
  }

  async embed(text: string, options: CallOptions = {}): Promise<Float32Array> {
    return this.#ask('embed', [text], options.signal);
  }

  async prefetch({ signal, ...options }: PrefetchOptions = {}): Promise<void> {
    return this.#ask('prefetch', [], signal, options);
  }

  async facets(options: CallOptions = {}): Promise<LibraryFacets> {
    return this.#ask('facets', [], options.signal);
  }

  async verify(options: CallOptions = {}): Promise<number> {
    return this.#ask('verify', [], options.signal);
  }

  async close(): Promise<void> {
    this.#worker.end(new SheafError('CLOSED', 'The library was closed; open it again to search it.'));
    await Promise.all(this.#sources.splice(0).map((source) => source.close?.())); // after the worker died, too
  }

  [Symbol.dispose](): void {
    void this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #ask<Name extends Asked>(
    method: Name,
    args: ArgumentsOf<Name>,
    signal: AbortSignal | undefined,
    options: Omit<SearchOptions & PrefetchOptions, 'signal'> = {},
  ): ReturnType<Library[Name]> {
    return this.#worker.call('ask', [method, args, options], signal) as ReturnType<Library[Name]>;
  }

  #toWire(source: RemoteSource, hand: boolean | undefined, transfer: Transferable[]): WireSource {
    if (source instanceof URL) return { kind: 'url', url: source.href };
    if (source instanceof Uint8Array || source instanceof ArrayBuffer) {
      const bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
      if (hand && bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength)
        transfer.push(bytes.buffer);
      return { kind: 'bytes', bytes };
    }
    if (typeof Blob !== 'undefined' && source instanceof Blob) return { kind: 'blob', blob: source };
    const custom = source as Exclude<RemoteSource, URL | Uint8Array | ArrayBuffer | Blob | BlobSource>;
    this.#sources.push(custom);
    return { kind: 'custom', source: this.#sources.length - 1, key: custom.key, local: custom.local ?? false };
  }
}
