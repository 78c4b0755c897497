/**
 * What the core makes of a database's rows: their words when they are written, and the answers of searches over them. The
 * code is src/search/row_search.h; here texts and numbers are passed to it, and its questions back.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { asSheafError, coreError, SheafError } from '../../browser/client/errors.js';
import type { CoreQuery } from '../../browser/client/core_host.js';
import { loadCore, type Core } from '../../browser/client/load.js';
import type { SearchAnswer } from '../../browser/client/types.js';
import { decodeMessage, readAnswer, readNothing, Reader } from '../../browser/client/wire.js';
import { readLanguage } from '../client/paths.js';
import { analysisOf } from './language.js';
import type { Row } from './row.js';
import type { RowsModule } from './sheaf-rows.mjs';

export type Rows = Core & RowsModule;

const FILE = fileURLToPath(new URL('sheaf-rows.wasm', import.meta.url));

/** A new instance. */
export async function loadRows(): Promise<Rows> {
  const code = await readFile(FILE).catch((error: unknown) => {
    throw asSheafError(error, 'WASM', `The module for databases could not be read from ${FILE}`);
  });
  return (await loadCore(code, readLanguage)) as Rows;
}

/** The words of a passage, as a row keeps them and as a database matches them. */
export interface RowWords {
  words: string;
  stems: string;
}

export interface Term {
  term: string;
  pages: number;
}

/** All terms of a stem; `pages` have any of them. */
export interface TermGroup {
  stem: string;
  pages: number;
  terms: Term[];
}

export const readTerms = (reader: Reader): RowWords[] =>
  reader.list((r) => ({ words: r.string(), stems: r.string() }), 2);

export const readGroups = (reader: Reader): TermGroup[] =>
  reader.list(
    (r) => ({
      stem: r.string(),
      pages: r.varint(),
      terms: r.list((t) => ({ term: t.string(), pages: t.varint() }), 2),
    }),
    3,
  );

/** How words are made: a language with its rules, and the versions of tokenizer and stemmer. Rows and queries must agree. */
export interface Analysis {
  /** "en 1.1" */
  name: string;
  /** As cores name it (src/text/language.h). */
  language: number;
  module: Rows;
}

const analyses = new Map<string, Promise<Analysis>>();

/** Of what a bundle or a row names: a BCP 47 tag, or an analysis of it. The same for everybody. */
export function analysisFor(name: string): Promise<Analysis> {
  const tag = analysisOf(name.split(' ', 1)[0] as string);
  let loading = analyses.get(tag);
  if (loading === undefined) {
    loading = loadAnalysis(tag);
    analyses.set(tag, loading);
    loading.catch(() => analyses.delete(tag));
  }
  return loading;
}

async function loadAnalysis(tag: string): Promise<Analysis> {
  const module = await loadRows();
  if (tag !== '' && tag !== 'en') await module.learn?.(tag);
  const language = tag === 'en' ? 1 : tag === '' ? 0 : tag.charCodeAt(0) | (tag.charCodeAt(1) << 8);
  const versions = module.analysis(language);
  return { name: `${tag || 'none'} ${versions >>> 16}.${versions & 0xffff}`, language, module };
}

/** What a search lacks. */
export interface Needs {
  stems: string[];
  lengths: { shortest: number; longest: number }[];
  /** Words of which the encoder is asked. */
  unknown: string[];
  /** Passages are asked for that have `words`, and by meaning those near `text`. */
  candidates: boolean;
  text: string;
  words: { stem: string; weight: number }[];
}

export interface Ranked {
  row: Row;
  cosine: number;
}

const MODES = { keyword: 0, semantic: 1, hybrid: 2 };

/** One search: `ask` until it answers, and supply what it lacks. */
export class RowSearch implements Disposable {
  readonly #module: Rows;
  readonly #search: number;

  constructor(
    { module, language }: Analysis,
    library: { pages: number; centroid: readonly number[] },
    query: CoreQuery,
    asksEncoder: boolean,
  ) {
    this.#module = module;
    const flags =
      (query.explain ? 1 : 0) |
      (query.rrf ? 2 : 0) |
      (query.typo ? 0 : 8) |
      (query.by === 'passage' ? 16 : 0) |
      (asksEncoder ? 32 : 0);
    const out = new Writer();
    out.varint(language).varint(library.pages).floats(library.centroid);
    out.u8(MODES[query.mode]).varint(Math.min(query.topK, 1000)).u8(flags).f32(query.semanticWeight).string(query.text);
    this.#stage(out);
    this.#search = module.createSearch();
  }

  ask(): { answer: SearchAnswer } | { needs: Needs } {
    const reader = new Reader(this.#message(this.#module.ask(this.#search)));
    const tag = reader.u8();
    if (tag === 2) throw coreError(reader.u8(), reader.string());
    if (tag === 0) return { answer: readAnswer(reader) };
    return {
      needs: {
        stems: reader.list((r) => r.string()),
        lengths: reader.list((r) => ({ shortest: r.varint(), longest: r.varint() }), 2),
        unknown: reader.list((r) => r.string()),
        candidates: reader.flag(),
        text: reader.string(),
        words: reader.list((r) => ({ stem: r.string(), weight: r.f32() }), 5),
      },
    };
  }

  /** Those of `stems` that are no groups here, the database lacks. */
  supplyGroups(stems: readonly string[], groups: readonly TermGroup[]): void {
    const found = new Map(groups.map((group) => [group.stem, group]));
    const all = stems.map((stem) => found.get(stem) ?? { stem, pages: 0, terms: [] });
    const out = new Writer().varint(all.length);
    for (const { stem, pages, terms } of all) out.string(stem).varint(pages).terms(terms);
    this.#stage(out);
    this.#module.supplyGroups(this.#search);
  }

  supplyLengths({ shortest, longest }: Needs['lengths'][number], terms: readonly Term[]): void {
    this.#stage(new Writer().terms(terms));
    this.#module.supplyLengths(this.#search, shortest, longest);
  }

  supplyKnown(word: string, isKnown: boolean): void {
    this.#stage(new Writer().bytes(UTF8.encode(word)));
    this.#module.supplyKnown(this.#search, isKnown ? 1 : 0);
  }

  supplyCandidates(candidates: readonly Ranked[], vector: ArrayLike<number>, byTable: boolean): void {
    const out = new Writer().floats(vector).varint(candidates.length);
    for (const { row, cosine } of candidates) {
      out.varint(row.page).varint(row.passage).varint(row.firstLine).varint(row.lastLine).f32(cosine);
      for (const text of [row.title, row.url, row.source, row.anchor, row.text, row.words ?? '']) out.string(text);
      out.varint(row.headings.length);
      for (const heading of row.headings) out.string(heading);
    }
    this.#stage(out);
    const message = decodeMessage(
      this.#message(this.#module.supplyCandidates(this.#search, byTable ? 1 : 0)),
      readNothing,
    );
    if (message.kind === 'error') throw message.error;
  }

  [Symbol.dispose](): void {
    this.#module.destroySearch(this.#search);
  }

  #stage(out: Writer): void {
    const bytes = out.taken();
    const address = this.#module.stageRows(bytes.length);
    new Uint8Array(this.#module.memory.buffer, address, bytes.length).set(bytes);
  }

  #message(length: number): Uint8Array {
    return new Uint8Array(this.#module.memory.buffer, this.#module.askMessage(this.#search), length).slice();
  }
}

const UTF8 = new TextEncoder();

/** The twin of src/base/bytes.h's ByteReader. */
class Writer {
  readonly #parts: Uint8Array[] = [];
  #size = 0;

  bytes(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    this.#size += bytes.length;
    return this;
  }

  u8(value: number): this {
    return this.bytes(Uint8Array.of(value));
  }

  varint(value: number): this {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new SheafError('INTERNAL', `A database gave the number ${value}, where a count belongs.`);
    const bytes: number[] = [];
    for (let left = value; ; left = Math.floor(left / 128)) {
      bytes.push((left % 128) + (left >= 128 ? 128 : 0));
      if (left < 128) return this.bytes(Uint8Array.from(bytes));
    }
  }

  f32(value: number): this {
    return this.bytes(new Uint8Array(Float32Array.of(value).buffer));
  }

  floats(values: ArrayLike<number>): this {
    return this.varint(values.length).bytes(new Uint8Array(Float32Array.from(values).buffer));
  }

  string(text: string): this {
    const bytes = UTF8.encode(text);
    return this.varint(bytes.length).bytes(bytes);
  }

  terms(terms: readonly Term[]): this {
    this.varint(terms.length);
    for (const { term, pages } of terms) this.string(term).varint(pages);
    return this;
  }

  taken(): Uint8Array {
    const all = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
