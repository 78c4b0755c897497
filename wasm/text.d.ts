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
  /**
   * Of a passage as bundles store it, staged behind the source path of its page, which has `size` bytes: its blocks
   * (src/text/stored_markdown.h). isCode 1: what matched is code.
   */
  blocks(size: number, isCode: number): number;
  /** Not 0 when the module trapped because memory ran out. */
  outOfMemory(): number;
}

/*
 * Answers, with the fields of module.d.ts:
 *   blocks: L( s address ) links · L( u8 kind · u8 depth · s label · L( u8 looks · v link · s text ) ) blocks
 *           kind: 0 paragraph, 1 heading, 2 quotation, 3 list item, 4 code, 5 table cell, whose depth is its column
 *           looks: 1 code, 2 emphasis, 4 strong, 8 deleted; link: from 1, 0 for none
 */
