import { SheafError } from './errors.js';

/** Resolves an address; strings are relative to the page. `wayOut` ends the error message for an invalid address. */
export function absolute(url: string | URL, wayOut = '; for files, import sheaf/node'): URL {
  try {
    return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href);
  } catch (error) {
    throw new SheafError('INVALID_ARGUMENT', `“${String(url)}” is not a URL${wayOut}.`, { cause: error });
  }
}
