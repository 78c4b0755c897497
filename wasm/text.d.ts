/**
 * The TypeScript face of `sheaf-text.wasm`, kept beside `text.cc`, which implements it: what an instance exports. A sibling
 * of the core for those who have a text and no bundle: the same code, and a module of its own, so that a page that only
 * searches never fetches it. It imports nothing; `web/browser/client/load_text.ts` instantiates it.
 *
 * Conventions
 *  1. Texts go in through `stage`: ask for room, copy UTF-8 into `memory.buffer` at the returned address, then call a
 *     function that takes it. The address is valid until the next call.
 *  2. A function whose answer is bytes returns their number; they lie at `answerAddress` until the next call.
 *  3. Every function is pure: its answer depends on the staged text and its arguments alone.
 */
export interface TextModule {
  /** Its buffer is replaced when memory grows: read it anew after every call. */
  readonly memory: { readonly buffer: ArrayBuffer };

  /** Makes room for `size` bytes and returns its address. */
  stage(size: number): number;
  answerAddress(): number;
  /**
   * Of the two words that are staged one after the other, the first of `size` bytes: the edits between them
   * (src/lexical/edit_distance.h), or `limit` + 1 where there are more. `limit`: 0 to 3.
   */
  edits(size: number, limit: number): number;
  /** Not 0 when the module trapped because memory ran out. */
  outOfMemory(): number;
}
