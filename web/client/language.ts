/**
 * Rules of a language for a core: a module beside it, whose words they pass to one another. Loaded with the first bundle
 * that has them; English ones never do.
 */
import type { LanguageModule } from '../core/language.mjs';
import type { CoreModule, Words } from '../core/sheaf-core.mjs';
import { rulesOf } from './languages.js';
import type { Languages } from './load.js';
import { loadModule } from './load_module.js';
import type { BaseOpenOptions } from './types.js';

/** What the core may ask; it refuses to search the words of a language that is not here. Error: WASM. */
export async function learn(
  language: string,
  core: CoreModule,
  wasm: NonNullable<BaseOpenOptions['wasm']>,
  languages?: Languages,
): Promise<Words> {
  if (rulesOf(language) !== language) return () => 0;
  const own = typeof languages === 'function' ? await languages(language) : languages?.[language];
  const code = own ?? besideCore(language, wasm);
  const rules = await loadModule<LanguageModule>(`module of the language ${language}`, code);
  const number = language.charCodeAt(0) | (language.charCodeAt(1) << 8);
  return (asked, room, size) => {
    if (asked !== number) return 0;
    if (size === 0) return rules.words(0);
    const bytes = new Uint8Array(rules.memory.buffer, rules.room(), 256);
    bytes.set(new Uint8Array(core.memory.buffer, room, size));
    const length = rules.words(size);
    new Uint8Array(core.memory.buffer, room, length).set(bytes.subarray(0, length));
    return length;
  };
}

/** Pages opened as files have no addresses to ask, and bring all they need. */
function besideCore(language: string, wasm: NonNullable<BaseOpenOptions['wasm']>): URL {
  const core = typeof wasm === 'string' || wasm instanceof URL ? wasm : new URL('../core/', import.meta.url);
  return new URL(`language-${language}.wasm`, core);
}
