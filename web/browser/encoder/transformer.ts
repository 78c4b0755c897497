/**
 * A transformer sentence encoder: text -> vector in the space that its descriptor names.
 *
 *     text -> WordPiece ids -> ONNX Runtime -> pooling -> L2 -> projection -> L2
 *
 * Pooling after Reimers and Gurevych, Sentence-BERT (2019): the mean of the token outputs, or the
 * output of [CLS]. The projection is the space's PCA rotation (descriptor.ts).
 *
 * The same code serves browsers and Node: callers pass in the runtime, the files' bytes and the tokenizer.
 *
 * Invariants
 *  1. Vectors are finite, of length 1, and have `dimensions` components.
 *  2. One inference at a time: calls queue, and a call whose signal fired leaves the queue unrun.
 *  3. Files are checked against their SHA-256 before they get here.
 *
 * Cost: one forward pass per text, or per batch: about 10 ms for a query of MiniLM's size on one core.
 */
import { asSheafError, SheafError, throwIfAborted } from '../client/errors.js';
import type { CallOptions } from '../client/types.js';
import { filesFor, type EncoderDescriptor, type Precision } from './descriptor.js';
import type { Runtime, Session } from './runtime.js';
import { loadWordPiece, type WordPieceTokenizer } from './wordpiece.js';

/** Turns a query into a vector: this class, or its proxy for a worker. */
export interface QueryEncoder {
  readonly name: string;
  /** The vector space; must be the bundle's. */
  readonly space: string;
  readonly dimensions: number;
  readonly precision: Precision;
  /** L2-normalised. Rejects with ABORTED, RUNTIME or CLOSED. */
  embed(query: string, options?: CallOptions): Promise<Float32Array>;
  close(): Promise<void>;
}

export interface TransformerParts {
  descriptor: EncoderDescriptor;
  precision: Precision;
  /** The bytes of `filesFor(descriptor, precision)`, by path. */
  files: ReadonlyMap<string, Uint8Array>;
  runtime: Runtime;
  /** Execution providers, threads: as InferenceSession.create takes them. */
  sessionOptions?: Record<string, unknown>;
  /** The tokenizer's code: bytes, or where to fetch it; by default the package's own file. */
  wasm?: Uint8Array | ArrayBuffer | URL | string | undefined;
  /** Put the descriptor's instruction before queries. Default false. */
  instruction?: boolean | undefined;
  /** How many recent queries' vectors are kept. Default 64: readers switch between only a few. */
  recent?: number | undefined;
}

export class TransformerEncoder implements QueryEncoder {
  readonly descriptor: EncoderDescriptor;
  readonly precision: Precision;
  readonly #tokenizer: WordPieceTokenizer;
  readonly #session: Session;
  readonly #runtime: Runtime;
  readonly #projection: Projection | undefined;
  readonly #queryPrefix: string;
  readonly #recent = new Map<string, Float32Array>();
  readonly #maxRecent: number;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(parts: TransformerParts, tokenizer: WordPieceTokenizer, session: Session) {
    this.descriptor = parts.descriptor;
    this.precision = parts.precision;
    this.#tokenizer = tokenizer;
    this.#session = session;
    this.#runtime = parts.runtime;
    this.#maxRecent = parts.recent ?? 64;
    const { space, dimensions, prefix, instruction } = parts.descriptor;
    this.#projection =
      space.projection === undefined
        ? undefined
        : new Projection(fileOf(parts, space.projection), dimensions, space.dimensions);
    this.#queryPrefix = parts.instruction ? (instruction ?? '') + prefix.query : prefix.query;
  }

  static async create(parts: TransformerParts): Promise<TransformerEncoder> {
    const { descriptor, precision, runtime } = parts;
    const needed = filesFor(descriptor, precision);
    if (parts.instruction && descriptor.instruction === undefined) {
      throw new SheafError('INVALID_ARGUMENT', `${descriptor.name} has no query instruction; leave the option out.`);
    }
    const { vocabulary, lowercase, stripAccents, splitCjk } = descriptor.tokenizer;
    const tokenizer = await loadWordPiece({
      vocabulary: fileOf(parts, vocabulary),
      lowercase,
      stripAccents,
      splitCjk,
      wasm: parts.wasm,
    });
    let session: Session;
    try {
      session = await runtime.InferenceSession.create(fileOf(parts, needed.at(-1) as string), {
        graphOptimizationLevel: 'all',
        ...parts.sessionOptions,
      });
    } catch (error) {
      throw asSheafError(error, 'RUNTIME', `ONNX Runtime could not load ${descriptor.name} (${precision})`);
    }
    const unknown = session.inputNames.filter((name) => !(name in INPUTS));
    if (unknown.length > 0) {
      throw new SheafError(
        'RUNTIME',
        `${descriptor.name} asks for the inputs ${unknown.join(', ')}; a BERT encoder takes ${Object.keys(INPUTS).join(', ')}.`,
      );
    }
    return new TransformerEncoder(parts, tokenizer, session);
  }

  get name(): string {
    return this.descriptor.name;
  }
  get space(): string {
    return this.descriptor.space.name;
  }
  get dimensions(): number {
    return this.descriptor.space.dimensions;
  }

  async embed(query: string, options: CallOptions = {}): Promise<Float32Array> {
    const known = this.#recent.get(query);
    if (known !== undefined) {
      this.#recent.delete(query);
      this.#recent.set(query, known);
      return known.slice();
    }
    const [vector] = await this.#enqueue([this.tokenize(this.#queryPrefix + query)], options.signal);
    const found = vector as Float32Array;
    this.#recent.set(query, found);
    if (this.#recent.size > this.#maxRecent) this.#recent.delete(this.#recent.keys().next().value as string);
    return found.slice();
  }

  /** Vectors of documents, in their order; they are run as one batch. */
  async embedDocuments(texts: readonly string[], options: CallOptions = {}): Promise<Float32Array[]> {
    return this.embedTokens(
      texts.map((text) => this.tokenize(this.descriptor.prefix.document + text)),
      options,
    );
  }

  /** Vectors of token ids (with [CLS] and [SEP]), run as one batch padded to the longest. */
  async embedTokens(ids: readonly Uint32Array[], options: CallOptions = {}): Promise<Float32Array[]> {
    for (const list of ids) {
      if (list.length === 0 || list.length > this.descriptor.maxTokens) {
        throw new SheafError(
          'INVALID_ARGUMENT',
          `A text has ${list.length} tokens; ${this.name} takes 1 to ${this.descriptor.maxTokens}.`,
        );
      }
      if (list.some((id) => id >= this.#tokenizer.size)) {
        throw new SheafError(
          'INVALID_ARGUMENT',
          `A token id is beyond the ${this.#tokenizer.size} of ${this.name}; was another vocabulary used?`,
        );
      }
    }
    return ids.length === 0 ? [] : this.#enqueue(ids, options.signal);
  }

  tokenize(text: string): Uint32Array {
    return this.#tokenizer.encode(text, this.descriptor.maxTokens);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#last.catch(() => {});
    await this.#session.release?.();
    this.#tokenizer.close();
  }

  #enqueue(ids: readonly Uint32Array[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const turn = this.#last.then(() => {
      throwIfAborted(signal);
      if (this.#closed) throw new SheafError('CLOSED', `The encoder ${this.name} was closed; load it again.`);
      return this.#infer(ids);
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #infer(ids: readonly Uint32Array[]): Promise<Float32Array[]> {
    const longest = Math.max(...ids.map((list) => list.length));
    const dims = [ids.length, longest] as const;
    const feeds = Object.fromEntries(
      this.#session.inputNames.map((name) => [
        name,
        new this.#runtime.Tensor('int64', (INPUTS[name] as Fill)(ids, longest, this.#tokenizer.padding), dims),
      ]),
    );
    let outputs: Awaited<ReturnType<Session['run']>>;
    try {
      outputs = await this.#session.run(feeds);
    } catch (error) {
      throw asSheafError(error, 'RUNTIME', `${this.name} failed on ${ids.length} texts of up to ${longest} tokens`);
    }
    const name = this.#session.outputNames.includes('last_hidden_state')
      ? 'last_hidden_state'
      : this.#session.outputNames[0];
    const { data, dims: shape } = outputs[name as string] ?? { data: undefined, dims: [] };
    const width = this.descriptor.dimensions;
    if (!(data instanceof Float32Array) || shape.join() !== [...dims, width].join()) {
      throw new SheafError(
        'RUNTIME',
        `${this.name} gave ${String(name)} of shape [${shape.join(', ')}]; expected float32 [${[...dims, width].join(', ')}].`,
      );
    }
    return ids.map((list, row) => {
      const tokens = data.subarray(row * longest * width, (row + 1) * longest * width);
      const pooled =
        this.descriptor.pooling === 'cls'
          ? Float64Array.from(tokens.subarray(0, width))
          : meanOf(tokens, list.length, width);
      normalize(pooled, this.name);
      return toUnit(this.#projection?.apply(pooled) ?? pooled, this.name);
    });
  }
}

type Fill = (ids: readonly Uint32Array[], longest: number, padding: number) => BigInt64Array;

/** The inputs that BERT encoders have; the model says which of them it takes. */
const INPUTS: Record<string, Fill> = {
  input_ids: (ids, longest, padding) => fill(ids, longest, BigInt(padding), (list, i) => BigInt(list[i] as number)),
  attention_mask: (ids, longest) => fill(ids, longest, 0n, () => 1n),
  token_type_ids: (ids, longest) => new BigInt64Array(ids.length * longest),
};

function fill(
  ids: readonly Uint32Array[],
  longest: number,
  otherwise: bigint,
  value: (list: Uint32Array, i: number) => bigint,
): BigInt64Array {
  const numbers = new BigInt64Array(ids.length * longest).fill(otherwise);
  ids.forEach((list, row) => {
    for (let i = 0; i < list.length; i++) numbers[row * longest + i] = value(list, i);
  });
  return numbers;
}

function meanOf(tokens: Float32Array, count: number, width: number): Float64Array {
  const mean = new Float64Array(width);
  for (let t = 0; t < count; t++)
    for (let d = 0; d < width; d++) mean[d] = (mean[d] as number) + (tokens[t * width + d] as number);
  return mean; // its length does not matter: it is normalised next
}

function normalize(vector: Float64Array, name: string): void {
  const length = Math.sqrt(vector.reduce((sum, v) => sum + v * v, 0));
  if (!(length > 0 && Number.isFinite(length))) {
    throw new SheafError(
      'RUNTIME',
      `${name} gave a vector that is zero or not finite; its files may be damaged (sheaf model verify ${name}).`,
    );
  }
  for (let d = 0; d < vector.length; d++) vector[d] = (vector[d] as number) / length;
}

function toUnit(vector: Float64Array, name: string): Float32Array {
  normalize(vector, name);
  return Float32Array.from(vector);
}

/** (v - mean) x rotation. The file: float32 mean[from], then rotation[from][to]. */
class Projection {
  readonly #mean: Float32Array;
  readonly #rotation: Float32Array;
  readonly #to: number;

  constructor(bytes: Uint8Array, from: number, to: number) {
    const numbers = new Float32Array(new Uint8Array(bytes).buffer); // an aligned copy; slice() of a Buffer copies nothing
    this.#mean = numbers.subarray(0, from);
    this.#rotation = numbers.subarray(from, from * (1 + to));
    this.#to = to;
  }

  apply(vector: Float64Array): Float64Array {
    const out = new Float64Array(this.#to);
    for (let i = 0; i < vector.length; i++) {
      const v = (vector[i] as number) - (this.#mean[i] as number);
      const row = i * this.#to;
      for (let j = 0; j < this.#to; j++) out[j] = (out[j] as number) + v * (this.#rotation[row + j] as number);
    }
    return out;
  }
}

function fileOf(parts: TransformerParts, path: string): Uint8Array {
  const bytes = parts.files.get(path);
  const expected = parts.descriptor.files[path]?.bytes;
  if (bytes === undefined || bytes.length !== expected) {
    throw new SheafError(
      'INVALID_ARGUMENT',
      `${path} of ${parts.descriptor.name} has ${bytes?.length ?? 0} bytes; expected ${expected}.`,
    );
  }
  return bytes;
}
