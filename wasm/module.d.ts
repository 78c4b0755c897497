/**
 * The TypeScript face of the WASM module (`sheaf-core.mjs` + `sheaf-core.wasm`), kept beside
 * `bindings.cc`, which implements it. `tests/parity` calls every member declared here.
 *
 * Conventions
 *  1. The host passes the compiled bytes as `wasmBinary`; the glue performs no I/O.
 *  2. Bytes go in through `stage`: ask for room, copy into `HEAPU8` at the returned address, then
 *     call `supply`. The address is valid until the next call on the same Core.
 *  3. Every question returns the length of a message that lies at `messageAddress()` until the next
 *     call on the same Core; `web/client/wire.ts` decodes it and is the one place that does.
 *  4. No call throws for bad input: errors are messages.
 *  5. `delete()` frees the Core. Offsets and sizes are doubles (exact below 2^53).
 */
export interface CoreModule {
  HEAPU8: Uint8Array; // replaced when memory grows: read it anew after every call
  Core: { new (): Core };
  /** Names of the error codes as "code NAME" lines, for the parity test with errors.ts. */
  errorCodes(): string;
}

export interface Core {
  /** Declares a source (0 bundle, 1 encoder table) of `size` bytes; forgets earlier bytes of it. */
  setSource(source: number, size: number): number;
  /** Makes room for `size` bytes and returns its address in HEAPU8. */
  stage(size: number): number;
  /** Hands over the staged bytes as the range [offset, offset + size) of `source`. */
  supply(source: number, offset: number): number;

  open(): number;
  openEncoder(): number;
  /**
   * mode: 0 keyword, 1 semantic, 2 hybrid.
   * flags: 1 explain, 2 rrf, 4 no prefix, 8 no typo, 16 the staged bytes are a float32 query vector,
   * 32 passages instead of pages.
   * semanticWeight: 0..1, or negative to let the engine choose.
   */
  search(text: string, mode: number, topK: number, flags: number, semanticWeight: number): number;
  embed(text: string): number;
  page(id: number): number;
  findPage(urlOrSource: string): number;
  passage(id: number): number;
  verify(): number;

  messageAddress(): number;
  delete(): void;
}

/*
 * Messages, little-endian; v = LEB128 varint, s = v length + UTF-8 bytes, f = float32,
 * L(x) = v count + that many x.
 *
 *   u8 tag   0 answer, 1 needs, 2 error
 *   error:   u8 code · s message
 *   needs:   L( u8 source · v offset · v length )
 *   answer of
 *     setSource, supply: nothing
 *     open:     s library · s version · s manifest · v pages · v passages · v terms ·
 *               v dimensions · v vectorBits · u8 hasGraph · s space · v fileSize
 *     openEncoder: s space
 *     search:   v matchingPassages · v ignoredWords · u8 usedKeyword · u8 usedSemantic ·
 *               L( s word · s term ) corrections ·
 *               L( hit ) with hit =
 *                 v page · v passage · f score · s title · s url · s source · s anchor ·
 *                 L(s) headings · v firstLine · v lastLine · s snippet ·
 *                 L( v start · v length ) highlights (UTF-16 units) ·
 *                 u8 hasExplanation, and if 1:
 *                   f keywordRaw · f keyword · f cosine · f semantic · f semanticWeight ·
 *                   f coverage · f pageBonus ·
 *                   L( s word · s term · u8 kind · f idf · f weight · f frequency · f score )
 *     embed:    L( f )
 *     page:     v id · s title · s url · s source · s description · s lastModified · L( passage )
 *     findPage: v id
 *     passage:  v id · v page · s anchor · L(s) headings · v firstLine · v lastLine · s text
 *     verify:   v blocks
 *   kind: 0 exact, 1 stem, 2 part, 3 joined, 4 prefix, 5 typo
 */

/** Emscripten's factory, the default export of sheaf-core.mjs. */
declare const createSheafCore: (options: { wasmBinary: ArrayBuffer | Uint8Array }) => Promise<CoreModule>;
export default createSheafCore;
