/** What an open bundle's manifest says about the documents; '' for missing values. */
import type { LibraryInfo } from '../../client/types.js';

/** Of a bundle that is open; undefined before. */
type Info = Pick<LibraryInfo, 'manifest'> | undefined;

/** Base URL that the bundle was packed with. */
export const packedBaseOf = (info: Info): string => textOf(info, 'base_url');

/** Language of the documents. */
export const languageOf = (info: Info): string => textOf(info, 'language').replace(/^none$/, '');

function textOf(info: Info, key: string): string {
  const text = info?.manifest[key];
  return typeof text === 'string' ? text : '';
}
