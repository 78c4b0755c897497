/**
 * The TypeScript face of `sheaf-federation.mjs`, which holds its module in hexadecimal, kept beside `federation.cc`, which
 * implements it: what an instance exports. It imports nothing; `web/browser/client/federation.ts` instantiates it.
 */
declare const bytes: string;
export default bytes;

export interface FederationModule {
  /** Its buffer is replaced when memory grows: read it anew after every call. */
  readonly memory: { readonly buffer: ArrayBuffer };

  /** Makes room for so many numbers of four bytes and returns its address, valid until the next `stage`. */
  stage(numbers: number): number;
  /**
   * One scale for the answers of several bundles (src/search/federation.h), which lie at `staged`: all members, then all
   * hits, then all matches, each field of four bytes. `words`, `spaces`: how many numbers these have. REQUIRES: what is
   * staged agrees with the counts. Returns the address of floats: each member's best, then 0 or 1 for each word.
   */
  commonScale(staged: number, words: number, spaces: number, members: number, hits: number, matches: number): number;
  /** Not 0 when the module trapped because memory ran out. */
  outOfMemory(): number;
}
