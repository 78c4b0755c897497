/**
 * A library that encodes queries with a transformer once it has loaded. Until then, and whenever the
 * transformer fails, the static table encodes them. Same index, same shape of hits, no reload.
 *
 *     const library = withTransformer(await open('vue.sheaf', { encoder: table }), loadEncoder({ model: '/models/minilm/' }));
 *     await library.search('keep an input focused');   // at once, by the table
 *     await library.ready;                             // 'ready' or 'failed'
 *     await library.search('keep an input focused');   // by the transformer, in the same space
 *
 * Invariants
 *  1. A search never fails and never comes back empty because of the transformer: `state` and
 *     `onState` report what goes wrong there, and the query falls back to the table.
 *  2. An encoder for another space than the bundle's is rejected, with an error that names both.
 */
import { abortable, SheafError } from '../client/errors.js';
import type {
  CallOptions,
  Library,
  LibraryFacets,
  LibraryInfo,
  Page,
  Passage,
  PrefetchOptions,
  SearchAnswer,
  SearchOptions,
} from '../client/types.js';
import type { QueryEncoder } from './transformer.js';

export type EncoderState =
  /** Queries go to the static table; the transformer is on its way. */
  | { kind: 'loading' }
  | { kind: 'ready'; name: string; precision: string }
  /** Queries stay with the static table. */
  | { kind: 'failed'; error: SheafError };

export interface UpgradeOptions {
  onState?: (state: EncoderState) => void;
  /** `close` also closes the encoder. Default false, since it may serve other libraries. */
  closeEncoder?: boolean;
}

export interface UpgradedLibrary extends Library {
  readonly state: EncoderState;
  /** Settles, never rejects, when the state is no longer 'loading'. */
  readonly ready: Promise<EncoderState>;
}

/** After this many failures in a row the transformer is no longer used. */
const MAX_FAILURES = 3;

/**
 * Closing the result closes `library`.
 * Throws SPACE_MISMATCH or NO_VECTORS when `encoder` is given and does not fit; a promise's failure,
 * or a misfit found later, becomes the state.
 */
export function withTransformer(
  library: Library,
  encoder: QueryEncoder | Promise<QueryEncoder>,
  options: UpgradeOptions = {},
): UpgradedLibrary {
  return new Upgraded(library, encoder, options);
}

class Upgraded implements UpgradedLibrary {
  readonly #library: Library;
  readonly #options: UpgradeOptions;
  readonly ready: Promise<EncoderState>;
  #state: EncoderState = { kind: 'loading' };
  #encoder: QueryEncoder | undefined;
  #failures = 0;
  #closed = false;

  constructor(library: Library, encoder: QueryEncoder | Promise<QueryEncoder>, options: UpgradeOptions) {
    this.#library = library;
    this.#options = options;
    if (encoder instanceof Promise) {
      this.ready = encoder.then(
        (loaded) => this.#accept(loaded),
        (error: unknown) => this.#fail(error),
      );
    } else {
      checkFit(library.info, encoder);
      this.ready = Promise.resolve(this.#accept(encoder));
    }
  }

  get state(): EncoderState {
    return this.#state;
  }

  get info(): LibraryInfo {
    const info = this.#library.info;
    return { ...info, semantic: info.semantic || this.#encoder !== undefined };
  }

  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    const wanted =
      options.vector === undefined &&
      options.mode !== 'keyword' &&
      options.semanticWeight !== 0 &&
      typeof query === 'string' &&
      query.trim() !== '';
    if (!wanted) return this.#library.search(query, options);
    // Without a table, a search by meaning alone has to wait for the transformer.
    if (options.mode === 'semantic' && !this.#library.info.semantic && this.#state.kind === 'loading')
      await abortable(this.ready, options.signal);
    const vector = await this.#embed(query, options.signal);
    return this.#library.search(query, vector === undefined ? options : { ...options, vector });
  }

  page(idOrUrl: number | string, options?: CallOptions): Promise<Page> {
    return this.#library.page(idOrUrl, options);
  }
  passage(id: number, options?: CallOptions): Promise<Passage> {
    return this.#library.passage(id, options);
  }
  findPage(urlOrSource: string, options?: CallOptions): Promise<number> {
    return this.#library.findPage(urlOrSource, options);
  }
  prefetch({ words, ...options }: PrefetchOptions = {}): Promise<void> {
    const tableServes = words !== undefined && this.#encoder === undefined;
    return this.#library.prefetch(tableServes ? { ...options, words } : options);
  }
  facets(options?: CallOptions): Promise<LibraryFacets> {
    return this.#library.facets(options);
  }
  verify(options?: CallOptions): Promise<number> {
    return this.#library.verify(options);
  }

  /** Uses the encoder that searches use at the moment. */
  async embed(text: string, options?: CallOptions): Promise<Float32Array> {
    return (
      (text.trim() === '' ? undefined : await this.#embed(text, options?.signal)) ?? this.#library.embed(text, options)
    );
  }

  async close(): Promise<void> {
    const encoder = this.#encoder;
    this.#encoder = undefined;
    this.#closed = true;
    await this.#library.close();
    if (this.#options.closeEncoder) await encoder?.close();
  }
  [Symbol.dispose](): void {
    void this.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #embed(text: string, signal: AbortSignal | undefined): Promise<Float32Array | undefined> {
    const encoder = this.#encoder;
    if (encoder === undefined) return undefined;
    try {
      const vector = await encoder.embed(text, signal === undefined ? {} : { signal });
      this.#failures = 0;
      return vector;
    } catch (error) {
      if (error instanceof SheafError && error.code === 'ABORTED') throw error;
      const hopeless = error instanceof SheafError && error.code === 'CLOSED';
      if (hopeless || ++this.#failures >= MAX_FAILURES) this.#fail(error);
      return undefined;
    }
  }

  #accept(encoder: QueryEncoder): EncoderState {
    if (this.#closed) {
      if (this.#options.closeEncoder) void encoder.close();
      return this.#state;
    }
    try {
      checkFit(this.#library.info, encoder);
    } catch (error) {
      return this.#fail(error);
    }
    this.#encoder = encoder;
    return this.#enter({ kind: 'ready', name: encoder.name, precision: encoder.precision });
  }

  #fail(error: unknown): EncoderState {
    this.#encoder = undefined;
    const known =
      error instanceof SheafError
        ? error
        : new SheafError('RUNTIME', error instanceof Error ? error.message : String(error), { cause: error });
    return this.#enter({ kind: 'failed', error: known });
  }

  #enter(state: EncoderState): EncoderState {
    this.#state = state;
    if (!this.#closed) this.#options.onState?.(state); // a query that ends because of `close` is not a failure
    return state;
  }
}

/** Errors: NO_VECTORS, SPACE_MISMATCH. */
export function checkFit(info: LibraryInfo, encoder: Pick<QueryEncoder, 'name' | 'space' | 'dimensions'>): void {
  const library = `${info.library} ${info.version}`;
  if (info.dimensions === 0)
    throw new SheafError('NO_VECTORS', `${library} was packed without vectors; pack it again with an encoder.`);
  if (info.space === encoder.space && info.dimensions === encoder.dimensions) return;
  throw new SheafError(
    'SPACE_MISMATCH',
    `The vectors of ${library} live in the space '${info.space}' (${info.dimensions} dimensions), the encoder ${encoder.name} embeds into '${encoder.space}' (${encoder.dimensions}); use an encoder of the bundle's space, or pack the documents again with --encoder ${encoder.name}.`,
  );
}
