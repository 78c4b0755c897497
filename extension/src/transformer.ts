/**
 * The transformer as an option: off until the reader asks for it, then loaded once, with progress, and from the browser's
 * own storage from then on. The static table encodes whatever it cannot.
 */
import { loadEncoder } from '../browser/encoder/index.js';
import type { QueryEncoder } from '../browser/encoder/transformer.js';
import { troubleOf } from './plain.js';
import type { DeskState } from './types.js';

type State = DeskState['transformer'];

const MODEL = 'all-MiniLM-L6-v2';
const RUNTIME = new URL('../runtime/ort.wasm.min.mjs', import.meta.url);
const WORKER = new URL('../browser/encoder/worker.js', import.meta.url);
const WORDPIECE = new URL('../browser/core/sheaf-wordpiece.wasm', import.meta.url);

export class Transformer {
  readonly #tell: (state: State) => void;
  #wanted = false;
  #encoder: QueryEncoder | undefined;
  #controller: AbortController | undefined;

  constructor(tell: (state: State) => void) {
    this.#tell = tell;
  }

  /** Loads it, or lets it go. */
  follow(wanted: boolean): void {
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#controller?.abort();
    void this.#encoder?.close();
    this.#encoder = undefined;
    if (wanted) void this.#load((this.#controller = new AbortController()));
    else this.#tell({ status: 'off' });
  }

  async #load(controller: AbortController): Promise<void> {
    const { signal } = controller;
    let told = 0;
    this.#tell({ status: 'loading' });
    try {
      const encoder = await loadEncoder({
        model: MODEL,
        runtime: RUNTIME,
        worker: WORKER,
        wasm: WORDPIECE,
        signal,
        onProgress: ({ loaded, total }) => {
          const share = total ? loaded / total : undefined;
          if (signal.aborted || share === undefined || share - told < 0.01) return;
          told = share;
          this.#tell({ status: 'loading', share });
        },
      });
      if (signal.aborted) return void encoder.close();
      this.#encoder = encoder;
      this.#tell({ status: 'ready' });
    } catch (error) {
      if (!signal.aborted) this.#tell({ status: 'failed', error: troubleOf(error).message });
    }
  }

  async encode(query: string, space: string, signal: AbortSignal | undefined): Promise<Float32Array | undefined> {
    const encoder = this.#encoder;
    return encoder === undefined || encoder.space !== space || query.trim() === ''
      ? undefined
      : encoder.embed(query, signal === undefined ? {} : { signal });
  }
}
