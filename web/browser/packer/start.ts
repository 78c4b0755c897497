/** Starts an instance of the module. */
import { asSheafError } from '../client/errors.js';
import { packersWords, type ReadRules } from './rules.js';
import type { PackerModule, StartOptions } from './sheaf-packer.mjs';

/** `env` is its environment. Error: WASM. */
export async function startModule(
  wasm: WebAssembly.Module,
  read: ReadRules,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<PackerModule> {
  try {
    const { default: start } = await import('./sheaf-packer.mjs');
    return await new Promise<PackerModule>((resolve, reject) => {
      const instantiateWasm: StartOptions['instantiateWasm'] = (imports, ready) => {
        let memory: WebAssembly.Memory;
        const sheaf = { words: packersWords(read, () => memory) };
        WebAssembly.instantiate(wasm, { ...imports, sheaf }).then((instance) => {
          memory = instance.exports.memory as WebAssembly.Memory;
          ready(instance, wasm);
        }, reject);
        return {};
      };
      const preRun = [
        (module: { ENV: Record<string, string> }) => {
          for (const [name, value] of Object.entries(env)) if (value !== undefined) module.ENV[name] = value;
        },
      ];
      start({ instantiateWasm, preRun }).then(resolve, reject);
    });
  } catch (error) {
    throw asSheafError(error, 'WASM', 'The packer could not be started');
  }
}
