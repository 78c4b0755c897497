/** Runs sheaf-pack as a WebAssembly program: node wasm_program.mjs PATH/TO/sheaf-pack.mjs ARGUMENTS… */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [program, ...args] = process.argv.slice(2);
// Emscripten 3.1.6 writes ES modules that expect what only CommonJS has.
globalThis.require = createRequire(import.meta.url);
globalThis.__dirname = dirname(resolve(program));
const { default: create } = await import(pathToFileURL(resolve(program)).href);
const module = await create({ noInitialRun: true, wasmBinary: readFileSync(program.replace(/\.mjs$/, '.wasm')) });
Object.assign(module.ENV, process.env);
module.callMain(args);
