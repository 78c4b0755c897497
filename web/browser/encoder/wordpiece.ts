/**
 * WordPiece for BERT-type encoders: text -> token ids, with the same C++ code as the packer
 * (src/encode/wordpiece.h), equal to Hugging Face's tokenizer.
 *
 *     const tokenizer = await loadWordPiece({ vocabulary: await readFile('vocab.txt') });
 *     tokenizer.encode('keep an input focused', 256); // [CLS] … [SEP]
 *
 * Runtime-neutral: in Node, where fetch reads no files, pass the bytes of sheaf-wordpiece.wasm.
 * Cost: a vocabulary of 30,522 tokens loads in 10 to 30 ms; a query takes some ten microseconds.
 */
import { asSheafError, coreError, SheafError } from '../client/errors.js';
import { loadWordPieceModule, type WordPieceModule } from '../client/load_wordpiece.js';

export interface WordPieceOptions {
  /** The bytes of vocab.txt: one token a line. */
  vocabulary: Uint8Array;
  /** Default true, as for all three: what "uncased" models want. */
  lowercase?: boolean | undefined;
  stripAccents?: boolean | undefined;
  splitCjk?: boolean | undefined;
  /** The tokenizer's code, or its URL; by default beside this package's own files. */
  wasm?: Uint8Array | ArrayBuffer | URL | string | undefined;
}

export interface WordPieceTokenizer {
  /** [CLS], the text's pieces, [SEP]: `maxTokens` in all at most, 2 at least. Longer texts lose their last pieces. */
  encode(text: string, maxTokens: number): Uint32Array;
  /** Id of the padding token. */
  readonly padding: number;
  /** How many tokens the vocabulary has. */
  readonly size: number;
  /** Frees the memory; `encode` fails with CLOSED afterwards. */
  close(): void;
}

const LOWERCASE = 1;
const STRIP_ACCENTS = 2;
const SPLIT_CJK = 4;

/** Rejects with INVALID_ARGUMENT or TOO_LARGE for the vocabulary, with WASM where the code does not load. */
export async function loadWordPiece(options: WordPieceOptions): Promise<WordPieceTokenizer> {
  const { vocabulary, lowercase = true, stripAccents = true, splitCjk = true } = options;
  if (!(vocabulary instanceof Uint8Array)) {
    throw new SheafError(
      'INVALID_ARGUMENT',
      `vocabulary must be the bytes of a vocab.txt, a Uint8Array, not ${String(vocabulary)}.`,
    );
  }
  const module = await loadWordPieceModule(options.wasm);
  const tokenizer = new LoadedWordPiece(module);
  const flags = (lowercase ? LOWERCASE : 0) | (stripAccents ? STRIP_ACCENTS : 0) | (splitCjk ? SPLIT_CJK : 0);
  tokenizer.load(vocabulary, flags);
  return tokenizer;
}

const UTF8 = new TextEncoder();

class LoadedWordPiece implements WordPieceTokenizer {
  readonly #module: WordPieceModule;
  #core: number | undefined;
  #padding = 0;
  #size = 0;

  constructor(module: WordPieceModule) {
    this.#module = module;
    this.#core = module.create();
  }

  get padding(): number {
    return this.#padding;
  }

  get size(): number {
    return this.#size;
  }

  load(vocabulary: Uint8Array, flags: number): void {
    this.#call((module, core) => {
      this.#stage(core, vocabulary);
      const code = module.load(core, flags);
      if (code !== 0) {
        const message = new Uint8Array(module.memory.buffer, module.problemAddress(core), module.problemSize(core));
        const error = coreError(code, new TextDecoder().decode(message));
        this.close();
        throw error;
      }
      this.#padding = module.padding(core);
      this.#size = module.size(core);
    });
  }

  encode(text: string, maxTokens: number): Uint32Array {
    if (!Number.isInteger(maxTokens) || maxTokens < 2) {
      throw new SheafError(
        'INVALID_ARGUMENT',
        `maxTokens must be a whole number, at least 2 for [CLS] and [SEP], not ${maxTokens}.`,
      );
    }
    return this.#call((module, core) => {
      this.#stage(core, UTF8.encode(text));
      const count = module.encode(core, maxTokens);
      return new Uint32Array(module.memory.buffer, module.idsAddress(core), count).slice();
    });
  }

  close(): void {
    if (this.#core !== undefined) this.#module.destroy(this.#core);
    this.#core = undefined;
  }

  #stage(core: number, bytes: Uint8Array): void {
    const address = this.#module.stage(core, bytes.length);
    new Uint8Array(this.#module.memory.buffer, address).set(bytes);
  }

  /** After a trap the instance's state is undefined, so it is not used again. */
  #call<T>(body: (module: WordPieceModule, core: number) => T): T {
    if (this.#core === undefined) throw new SheafError('CLOSED', 'The tokenizer was closed; load it again.');
    try {
      return body(this.#module, this.#core);
    } catch (error) {
      if (error instanceof SheafError) throw error;
      this.#core = undefined;
      if (this.#module.outOfMemory() !== 0) {
        throw new SheafError('TOO_LARGE', 'The tokenizer ran out of memory; give it less text at once.', {
          cause: error,
        });
      }
      throw asSheafError(error, 'INTERNAL', 'The tokenizer failed');
    }
  }
}
