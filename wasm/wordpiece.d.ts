/**
 * The TypeScript face of `sheaf-wordpiece.wasm`, kept beside `wordpiece.cc`, which implements it: what
 * an instance exports. A module of its own: a page without a transformer never fetches its tables.
 *
 * Conventions are those of `module.d.ts`; a Tokenizer is a number, too.
 */
export interface WordPieceModule {
  /** Its buffer is replaced when memory grows: read it anew after every call. */
  readonly memory: { readonly buffer: ArrayBuffer };

  /** A new Tokenizer. */
  create(): number;
  destroy(tokenizer: number): void;
  /** Makes room for `size` bytes and returns its address, valid until the next call. */
  stage(tokenizer: number, size: number): number;
  /**
   * Takes the staged bytes as vocab.txt. flags: 1 lower case, 2 strip accents, 4 split ideographs.
   * Returns 0 or an error code (web/browser/client/errors.ts).
   */
  load(tokenizer: number, flags: number): number;
  /** Where in memory lies what was wrong with the last `load` that failed, in UTF-8. */
  problemAddress(tokenizer: number): number;
  problemSize(tokenizer: number): number;
  /**
   * Encodes the staged bytes, UTF-8. Returns how many ids lie at `idsAddress`: two at least,
   * `maxTokens` at most; 0 before `load`.
   */
  encode(tokenizer: number, maxTokens: number): number;
  /** Of uint32 ids, until the next call. */
  idsAddress(tokenizer: number): number;
  /** How many tokens the vocabulary has. */
  size(tokenizer: number): number;
  /** The id of the padding token. */
  padding(tokenizer: number): number;
  /** Not 0 when the module trapped because memory ran out. */
  outOfMemory(): number;
}
