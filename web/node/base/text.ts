/** The text module (sheaf-text.wasm) in Node. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { asSheafError } from '../../browser/client/errors.js';
import { loadText, type Text } from '../../browser/client/load_text.js';

const FILE = fileURLToPath(new URL('../../browser/core/sheaf-text.wasm', import.meta.url));

let loading: Promise<Text> | undefined;

/** Loaded once. */
export function textModule(): Promise<Text> {
  loading ??= readFile(FILE)
    .then(loadText)
    .catch((error: unknown) => {
      loading = undefined;
      throw asSheafError(error, 'WASM', `The text module could not be read from ${FILE}`);
    });
  return loading;
}
