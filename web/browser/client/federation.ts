/**
 * The core's arithmetic for several bundles (src/search/federation.h), in a module of 2 kB that comes inside of a script: so
 * there is no further address to deploy and no further request. It is compiled once, with the first answers of two bundles.
 */
import federation, { type FederationModule } from '../core/sheaf-federation.mjs';
import { loadModule } from './load_module.js';
import type { BundleAnswer } from './merge.js';
import { MATCH_KINDS } from './wire.js';

export interface CommonScale {
  /** Of each answer, the score that its best hit has among all, 0..1. */
  best: readonly number[];
  /** Words of the query that some bundle has as typed, or in another form; corrections of them are unnecessary guesses. */
  known: ReadonlySet<string>;
}

let module: Promise<FederationModule> | undefined;

/** Of hits with an explanation. Errors: WASM. */
export async function findCommonScale(answers: readonly BundleAnswer[]): Promise<CommonScale> {
  const words = new Numbered();
  const spaces = new Numbered();
  const explained = answers.map(({ answer }) => answer.hits.flatMap(({ explanation }) => explanation ?? []));
  const hits = explained.flat();
  const matches = hits.flatMap(({ terms }) => terms);
  module ??= loadModule('module of several bundles', bytesOf(federation));
  const { memory, stage, commonScale } = await module;
  const address = stage(3 * answers.length + 6 * hits.length + 4 * matches.length);
  const integers = new Uint32Array(memory.buffer, address);
  const floats = new Float32Array(memory.buffer, address);
  let at = 0;
  answers.forEach(({ pages, space }, i) => {
    for (const count of [pages, spaces.of(space), explained[i]?.length ?? 0]) integers[at++] = count;
  });
  for (const { keyword, semantic, cosine, semanticWeight, pageBonus, terms } of hits) {
    for (const part of [keyword, semantic, cosine, semanticWeight, pageBonus]) floats[at++] = part;
    integers[at++] = terms.length;
  }
  for (const { word, kind, idf, score } of matches) {
    integers[at++] = words.of(word);
    integers[at++] = MATCH_KINDS.indexOf(kind);
    floats[at++] = idf;
    floats[at++] = score;
  }
  const found = commonScale(address, words.size, spaces.size, answers.length, hits.length, matches.length);
  const scale = [...new Float32Array(memory.buffer, found, answers.length + words.size)];
  const known = [...words.keys()].filter((_, i) => scale[answers.length + i] === 1);
  return { best: scale.slice(0, answers.length), known: new Set(known) };
}

function bytesOf(hexadecimal: string): Uint8Array {
  return Uint8Array.from(hexadecimal.match(/../g) as string[], (byte) => Number.parseInt(byte, 16));
}

/** Names, each with a number, from 0. */
class Numbered extends Map<string, number> {
  of(name: string): number {
    const number = this.get(name) ?? this.size;
    this.set(name, number);
    return number;
  }
}
