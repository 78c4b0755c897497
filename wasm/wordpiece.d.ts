/**
 * The TypeScript face of the tokenizer's WASM module (`sheaf-wordpiece.mjs` + `sheaf-wordpiece.wasm`),
 * kept beside `wordpiece.cc`, which implements it. A module of its own: a page without a transformer
 * never fetches its tables.
 *
 * Conventions are those of `module.d.ts`
 *  1. The host passes the compiled bytes as `wasmBinary`; the glue performs no I/O.
 *  2. Bytes go in through `stage`: ask for room, copy into `HEAPU8` at the returned address, then call
 *     `load` or `encode`. The address is valid until the next call on the same Tokenizer.
 *  3. No call throws for bad input: `load` returns an error code (web/client/errors.ts), and `problem`
 *     its message.
 *  4. `delete()` frees the Tokenizer. Sizes and numbers are doubles.
 */
export interface WordPieceModule {
  HEAPU8: Uint8Array; // replaced when memory grows: read it anew after every call
  Tokenizer: { new (): Tokenizer };
}

export interface Tokenizer {
  /** Makes room for `size` bytes and returns its address in HEAPU8. */
  stage(size: number): number;
  /**
   * Takes the staged bytes as vocab.txt. flags: 1 lower case, 2 strip accents, 4 split ideographs.
   * Returns 0 or an error code.
   */
  load(flags: number): number;
  /** What was wrong with the last `load` that failed. */
  problem(): string;
  /**
   * Encodes the staged bytes, UTF-8. Returns how many ids lie at `idsAddress()`: two at least,
   * `maxTokens` at most; 0 before `load`.
   */
  encode(maxTokens: number): number;
  /** Of uint32 ids, until the next call. */
  idsAddress(): number;
  /** How many tokens the vocabulary has. */
  size(): number;
  /** The id of the padding token. */
  padding(): number;
  delete(): void;
}

/** Emscripten's factory, the default export of sheaf-wordpiece.mjs. */
declare const createSheafWordPiece: (options: { wasmBinary: ArrayBuffer | Uint8Array }) => Promise<WordPieceModule>;
export default createSheafWordPiece;
