/** Loads the tokenizer's WASM module as load.ts does the core. */
import type { WordPieceModule } from '../core/sheaf-wordpiece.mjs';
import { loadModule } from './load_module.js';
import type { BaseOpenOptions } from './types.js';

export type { WordPieceModule } from '../core/sheaf-wordpiece.mjs';

export function loadWordPieceModule(wasm: BaseOpenOptions['wasm']): Promise<WordPieceModule> {
  return loadModule('tokenizer', wasm ?? new URL('../core/sheaf-wordpiece.wasm', import.meta.url));
}
