/**
 * The TypeScript face of `sheaf-core.wasm`, kept beside `bindings.cc`, which implements it: what an
 * instance exports. `tests/parity` compares the two.
 *
 * Conventions
 *  1. The module imports one function, `sheaf.words`: the rules of the bundle's language (`Words` below);
 *     `web/browser/client/load.ts` instantiates it.
 *  2. A Core is a number, its address. One instance may hold several; a trap loses them all, and
 *     only `outOfMemory` may be asked after it.
 *  3. Bytes go in through `stage`: ask for room, copy into `memory.buffer` at the returned address,
 *     then call what takes them. The address is valid until the next call on the same Core. Texts
 *     are UTF-8. The staged bytes stay for later calls, except that `supply` takes them away.
 *  4. Every question returns the length of a message that lies at `messageAddress` until the next
 *     call on the same Core; `web/browser/client/wire.ts` decodes it and is the one place that does.
 *  5. No call traps for bad input: errors are messages. Offsets and sizes are doubles (exact below 2^53).
 */
export interface CoreModule {
  /** Its buffer is replaced when memory grows: read it anew after every call. */
  readonly memory: { readonly buffer: ArrayBuffer };

  /** A new Core. */
  create(): number;
  destroy(core: number): void;
  /** Makes room for `size` bytes and returns its address. */
  stage(core: number, size: number): number;

  /** Declares a source (0 bundle, 1 encoder table) of `size` bytes; forgets earlier bytes of it. */
  setSource(core: number, source: number, size: number): number;
  /** Hands over the staged bytes as the range [offset, offset + size) of `source`. */
  supply(core: number, source: number, offset: number): number;

  open(core: number): number;
  openEncoder(core: number): number;
  /**
   * Staged: `dimensions` float32 of a query vector (0: none), `chosen` bytes of the selection, then the text.
   * mode: 0 keyword, 1 semantic, 2 hybrid.
   * flags: 1 explain, 2 rrf, 4 no prefix, 8 no typo, 16 passages instead of pages, 32 count facets, 64 sort descending,
   * and from bit 8 on 1 and the number of a kind: only symbols of this kind that the text names.
   * semanticWeight: 0..1, or negative to let the core choose.
   * selection: lines that each end in a newline: the key to sort by or nothing, then a line a
   * filter, a key and its values, each of them ended by a tab; an empty string sorts and filters by nothing.
   */
  search(
    core: number,
    mode: number,
    topK: number,
    flags: number,
    semanticWeight: number,
    dimensions: number,
    chosen: number,
  ): number;
  /** Staged: the text. */
  embed(core: number): number;
  /** Staged: a folded word. The answer is 1 if the encoder table has it, else 0. */
  knowsWord(core: number): number;
  page(core: number, id: number): number;
  /** Staged: a URL or source path. */
  findPage(core: number): number;
  passage(core: number, id: number): number;
  verify(core: number): number;

  messageAddress(core: number): number;
  /** Not 0 when the module trapped because memory ran out. */
  outOfMemory(): number;
}

/**
 * What the core asks its host. The language is a number: its two letters, the first in the lowest byte. With size 0: the
 * version of the rules, 0 for a language that the host has not. Else replaces the `size` bytes of a word at `room`, where
 * there is room for 256, by what the rules make of it (src/text/language.h), and returns its length.
 */
export type Words = (language: number, room: number, size: number) => number;

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
 *               v dimensions · v vectorBits · u8 hasGraph · s space · v fileSize ·
 *               s language, whose rules are needed unless it is en or empty
 *     openEncoder: s space
 *     search:   v matchingPassages · v ignoredWords · u8 usedKeyword · u8 usedSemantic · u8 weak ·
 *               L( s word · s term ) corrections ·
 *               L( hit ) with hit =
 *                 v page · v passage · f score · s title · L(s) place · s url · s source · s anchor ·
 *                 L(s) headings · v firstLine · v lastLine · u8 kind · s snippet ·
 *                 L( v start · v length ) highlights (UTF-16 units) ·
 *                 L( v start · v length ) titleHighlights · L( v start · v length ) headingHighlights ·
 *                 L( s key · s value ) meta ·
 *                 u8 hasSymbol, and if 1: u8 kind · u8 deprecated · s name · s signature ·
 *                 u8 hasExplanation, and if 1:
 *                   f keywordRaw · f keyword · f cosine · f semantic · f semanticWeight ·
 *                   f coverage · f pageBonus ·
 *                   L( s word · s term · u8 kind · f idf · f weight · f frequency · f score ) terms ·
 *               s facets, lines `key TAB value TAB pages`
 *     embed:    L( f )
 *     page:     v id · s title · s url · s source · s description · s lastModified · L( passage )
 *     findPage: v id
 *     passage:  v id · v page · s anchor · L(s) headings · v firstLine · v lastLine · s text
 *     verify:   v blocks
 *   kind of a hit: 0 heading, 1 code, 2 text
 *   kind of a symbol: as docs/format.md numbers them
 *   kind of a term: 0 exact, 1 stem, 2 part, 3 joined, 4 prefix, 5 typo
 */
