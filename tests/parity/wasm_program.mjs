/** Runs sheaf-pack as a WebAssembly program: node wasm_program.mjs PATH/TO/sheaf-pack.mjs ARGUMENTS… */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packersWords } from '../../dist/browser/packer/rules.js';

const [program, ...args] = process.argv.slice(2);
// Emscripten 3.1.6 writes ES modules that expect what only CommonJS has.
globalThis.require = createRequire(import.meta.url);
globalThis.__dirname = dirname(resolve(program));
const { default: create } = await import(pathToFileURL(resolve(program)).href);
const wasm = new WebAssembly.Module(readFileSync(program.replace(/\.mjs$/, '.wasm')));
const rules = (language) => readFileSync(new URL(`../../dist/browser/core/language-${language}.wasm`, import.meta.url));
const module = await create({
  noInitialRun: true,
  instantiateWasm(imports, ready) {
    const sheaf = { words: packersWords(rules, () => instance.exports.memory) };
    const instance = new WebAssembly.Instance(wasm, { ...imports, sheaf });
    ready(instance, wasm);
    return instance.exports;
  },
});
Object.assign(module.ENV, process.env);
module.callMain(args);
