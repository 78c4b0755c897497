/**
 * Loads the WASM core. Each library gets its own instance: closing it frees its memory, and a hostile
 * bundle has an address space to itself.
 */
import type { CoreModule } from '../core/sheaf-core.mjs';
import { loadModule } from './load_module.js';
import type { BaseOpenOptions } from './types.js';

export function loadCore(wasm: BaseOpenOptions['wasm']): Promise<CoreModule> {
  return loadModule('core', wasm ?? new URL('../core/sheaf-core.wasm', import.meta.url));
}
