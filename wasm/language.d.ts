/**
 * The TypeScript face of `language-xx.wasm`, kept beside `language.cc`, which implements it: what an instance exports.
 * It imports nothing and has a memory of its own.
 */
export interface LanguageModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Where a word goes, and what the rules make of it: 256 bytes. */
  room(): number;
  /**
   * Replaces the `size` bytes of a word at `room` by what the rules make of it (src/text/language.h), and returns its
   * length. With 0: the version of the rules.
   */
  words(size: number): number;
}
