/**
 * The TypeScript face of `sheaf-rows.wasm`, kept beside `rows.cc`, which implements it: the core (module.d.ts), with what
 * it gives out for the rows of databases, and how such rows are searched (src/search/row_search.h). For Node alone.
 *
 * Conventions are those of the core. A search is a number, too. What it takes is staged with `stageRows`.
 */
import type { CoreModule } from '../../browser/core/sheaf-core.mjs';

export interface RowsModule extends CoreModule {
  /** Of `count` passages from `first` on; `groups`: of all of the bundle. */
  terms(core: number, first: number, count: number): number;
  groups(core: number): number;
  /** Of the passage `id`. */
  vector(core: number, id: number): number;

  /** The versions of a language's tokenizer and stemmer: the upper and the lower 16 bits. */
  analysis(language: number): number;
  /** Makes room for `size` bytes and returns its address, valid until the next call. */
  stageRows(size: number): number;
  /**
   * Staged: v language · v pages · L( f ) centroid · u8 mode · v topK · u8 flags · f semanticWeight · s text.
   * flags: 1 explain, 2 rrf, 8 no typo, 16 passages instead of pages, 32 the encoder knows words.
   */
  createSearch(): number;
  destroySearch(search: number): void;
  /** Staged: L( group ). */
  supplyGroups(search: number): void;
  /** Staged: L( s term · v pages ). */
  supplyLengths(search: number, shortest: number, longest: number): void;
  /** Staged: the word. */
  supplyKnown(search: number, isKnown: number): void;
  /**
   * Staged: L( f ) the vector of the text · L( v page · v passage · v firstLine · v lastLine · f cosine · s title · s url ·
   * s source · s anchor · s text · s words · L(s) headings ). Returns the length of a message.
   */
  supplyCandidates(search: number, byTable: number): number;
  /** Returns the length of a message. */
  ask(search: number): number;
  /** Where the message of a search lies. */
  askMessage(search: number): number;
}

/*
 * Answers
 *   vector:  L( f )
 *   terms:   L( s words · s stems )
 *   groups:  L( group ) with group = s stem · v pages · L( s term · v pages )
 *   supplyCandidates: nothing
 *   ask:     that of `search`; or with tag 1:
 *            L(s) stems · L( v shortest · v longest ) lengths · L(s) unknown words ·
 *            u8 candidates · s text · L( s stem · f weight ) words
 */
