/**
 * Loads the WASM core. Each library gets its own instance: closing it frees its memory, and a hostile
 * bundle has an address space to itself.
 */
import type { CoreModule, Words } from '../core/sheaf-core.mjs';
import { loadModule } from './load_module.js';
import type { BaseOpenOptions } from './types.js';

/** A core that can be taught the language of its bundle. */
export interface Core extends CoreModule {
  /** Error: WASM. */
  learn?: (language: string) => Promise<void>;
}

/** Rules of languages where they cannot be fetched from beside the core: by name, or what reads them. */
export type Languages = Readonly<Record<string, Uint8Array>> | ((language: string) => Promise<Uint8Array>);

export async function loadCore(
  wasm: BaseOpenOptions['wasm'] = new URL('../core/sheaf-core.wasm', import.meta.url),
  languages?: Languages,
): Promise<Core> {
  let words: Words = () => 0;
  const core = await loadModule<CoreModule>('core', wasm, {
    sheaf: { words: (...word: Parameters<Words>) => words(...word) },
  });
  return {
    ...core,
    learn: async (language) => {
      const { learn } = await import('./language.js');
      words = await learn(language, core, wasm, languages);
    },
  };
}
