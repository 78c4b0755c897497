/** Loads sheaf-text.wasm as load.ts does the core: what the core makes of texts, for those who have no bundle. */
import type { TextModule } from '../core/sheaf-text.mjs';
import { readBlocks, type Block } from './blocks.js';
import { loadModule } from './load_module.js';
import type { BaseOpenOptions } from './types.js';

type Module = NonNullable<BaseOpenOptions['wasm']>;

export async function loadText(wasm?: Module): Promise<Text> {
  return new Text(await loadModule('text module', wasm ?? (await where())));
}

type Where = () => Module | Promise<Module>;
let where: Where = () => new URL('../core/sheaf-text.wasm', import.meta.url);

/** For pages that have the module elsewhere: of an extension, or opened as files. */
export function takeTextFrom(source: Where): void {
  where = source;
}

/** Pure functions. Cost: a copy of the text into the module, and one of the answer. */
export class Text {
  readonly #module: TextModule;

  constructor(module: TextModule) {
    this.#module = module;
  }

  /** Edits between two words; `limit` + 1 where there are more. `limit`: 0 to 3. */
  edits(a: string, b: string, limit: number): number {
    return this.#module.edits(this.#stage(a, b), limit);
  }

  /** Blocks of a stored passage; `isCode`: what matched in it is code. */
  blocks(text: string, source: string, isCode = false): Block[] {
    const length = this.#module.blocks(this.#stage(source, text), Number(isCode));
    return readBlocks(new Uint8Array(this.#module.memory.buffer, this.#module.answerAddress(), length));
  }

  /** Copies the texts into the module, one after the other. Returns the length of the first in bytes. */
  #stage(...texts: string[]): number {
    const parts = texts.map((text) => new TextEncoder().encode(text));
    let at = this.#module.stage(parts.reduce((sum, part) => sum + part.length, 0));
    for (const part of parts) {
      new Uint8Array(this.#module.memory.buffer, at).set(part);
      at += part.length;
    }
    return (parts[0] as Uint8Array).length;
  }
}
