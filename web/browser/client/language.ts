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

export type { LanguageModule, Words };

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
  const number = numberOf(language);
  return (asked, room, size) => (asked === number ? passWord(rules, core.memory, room, size) : 0);
}

/** A language's number, as cores name it (wasm/module.d.ts). */
const numberOf = (language: string): number => language.charCodeAt(0) | (language.charCodeAt(1) << 8);
export const nameOf = (number: number): string => String.fromCharCode(number & 255, number >> 8);

/** Has the word in `memory` read by the rules. */
export function passWord(rules: LanguageModule, memory: CoreModule['memory'], room: number, size: number): number {
  if (size === 0) return rules.words(0);
  const bytes = new Uint8Array(rules.memory.buffer, rules.room(), 256);
  bytes.set(new Uint8Array(memory.buffer, room, size));
  const length = rules.words(size);
  new Uint8Array(memory.buffer, room, length).set(bytes.subarray(0, length));
  return length;
}

/** Pages opened as files have no addresses to ask, and bring all they need. */
function besideCore(language: string, wasm: NonNullable<BaseOpenOptions['wasm']>): URL {
  const core = typeof wasm === 'string' || wasm instanceof URL ? wasm : new URL('../core/', import.meta.url);
  return new URL(`language-${language}.wasm`, core);
}
