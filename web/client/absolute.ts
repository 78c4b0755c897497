import { SheafError } from './errors.js';

/** The address in full; texts are relative to the page. */
export function absolute(url: string): URL {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  try {
    return new URL(url, base);
  } catch (error) {
    throw new SheafError('INVALID_ARGUMENT', `“${url}” is not a URL; for files, import sheaf/node.`, { cause: error });
  }
}
