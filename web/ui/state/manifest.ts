/** What an open bundle's manifest says about the documents; '' for missing values. */
import type { Library } from '../../client/types.js';

/** Base URL that the bundle was packed with. */
export const packedBaseOf = (library: Library | undefined): string => textOf(library, 'base_url');

/** Language of the documents. */
export const languageOf = (library: Library | undefined): string => textOf(library, 'language').replace(/^none$/, '');

function textOf(library: Library | undefined, key: string): string {
  const text = library?.info.manifest[key];
  return typeof text === 'string' ? text : '';
}
