/**
 * What pages say where the component cannot, for want of scripts or of its code: the component's texts, in the page's language.
 */
import { loadStrings, stringsFor, type Strings } from '../../browser/ui/words/strings.js';

export interface Words {
  /** Of the texts: that of the page, or English. */
  language: string;
  strings: Strings;
}

/** English where nobody has said it in the page's language. */
export const ENGLISH: Words = stringsFor('en');

export async function wordsIn(language: string | undefined): Promise<Words> {
  await loadStrings(language ?? '');
  return stringsFor(language ?? '');
}
