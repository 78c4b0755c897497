/** The rules of languages for the packer's module, which wants them at once: what a page is in, it finds out itself. */
import { nameOf, passWord, type LanguageModule, type Words } from '../client/language.js';
import { rulesOf } from '../client/languages.js';

/** Brings the module of a language, on the calling thread. Undefined where it is not there. */
export type ReadRules = (language: string) => BufferSource | undefined;

/** What the packer asks; `memory` gives its memory. */
export function packersWords(read: ReadRules, memory: () => WebAssembly.Memory): Words {
  const known = new Map<number, LanguageModule | undefined>();
  const load = (number: number): LanguageModule | undefined => {
    const language = nameOf(number);
    const code = rulesOf(language) === language ? read(language) : undefined;
    if (code === undefined) return undefined;
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code));
    (exports._initialize as () => void)();
    return exports as unknown as LanguageModule;
  };
  return (number, room, size) => {
    if (!known.has(number)) known.set(number, load(number));
    const rules = known.get(number);
    return rules === undefined ? 0 : passWord(rules, memory(), room, size);
  };
}

/** From beside the package's core, in a browser's worker. */
export function fetchRules(language: string): BufferSource | undefined {
  const request = new XMLHttpRequest();
  request.open('GET', new URL(`../core/language-${language}.wasm`, import.meta.url), false);
  request.responseType = 'arraybuffer';
  request.send();
  if (request.status === 200) return request.response as ArrayBuffer;
  throw new Error(`the rules of the language ${language} could not be fetched: the server answered ${request.status}`);
}
