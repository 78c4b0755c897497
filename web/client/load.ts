/**
 * Loads the WASM core. Each library gets an instance of its own: closing it returns its memory, and a
 * hostile bundle shares an address space with nothing.
 */
import type { CoreModule } from '../core/sheaf-core.mjs';
import { loadModule } from './load_module.js';
import type { BaseOpenOptions } from './types.js';

export function loadCore(wasm: BaseOpenOptions['wasm']): Promise<CoreModule> {
  return loadModule('core', wasm ?? new URL('../core/sheaf-core.wasm', import.meta.url));
}
