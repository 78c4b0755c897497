/**
 * Every text of the component in English, and which texts another language gets: its file of languages/, fetched when an element first
 * speaks it, and what the page adds.
 *
 *     import { addStrings } from 'sheaf/ui';
 *     addStrings('eo', { placeholder: 'Serĉi', … });           // what is missing stays English
 *     element.strings = { placeholder: 'Ask the manual' };     // one element
 */
import { LANGUAGES, type LoadWords } from '../languages.js';
import type { Forms, Strings } from './texts.js';

export type { AskStrings, Forms, LanguageStrings, ScopeStrings, Strings } from './texts.js';

const EN: Strings = {
  search: 'Search',
  placeholder: 'Search the documentation',
  clear: 'Clear',
  close: 'Close',
  results: 'Results',
  countFor: '{count} for “{query}”',
  count: '{sections} on {pages}',
  sections: { one: '{n} section', other: '{n} sections' },
  pages: { one: '{n} page', other: '{n} pages' },
  opening: 'Loading the index… {percent}',
  searching: 'Searching…',
  empty: 'Type words, a name from the code, or a question.',
  noResults: 'No results for “{query}”',
  noResultsHint: 'Try fewer or more general words.',
  corrected: 'Showing results for {query}',
  weak: 'No good match for “{query}”. The nearest:',
  offline: 'You are offline. The search continues when the connection is back.',
  failed: 'The search could not be completed.',
  badAnswer: 'The server answers with error {status}.',
  damaged: 'The search index is damaged.',
  tooNew: 'The search index is newer than this page.',
  noAnswer: 'The server does not answer.',
  noWasm: 'This browser or page does not allow WebAssembly.',
  noRoom: 'This device has too little free memory.',
  retry: 'Try again',
  reload: 'Reload the page',
  byWords: 'Searching by words only: the file for meaning could not be loaded.',
  more: 'More results',
  allResults: 'All results',
  recent: 'Recent searches',
  onThisPage: 'On this page',
  topPages: 'Top pages',
  alsoIn: 'also in {pages}',
  preview: 'Preview',
  removeRecent: 'Remove “{query}” from recent searches',
  clearRecent: 'Clear all',
  keyNavigate: 'to move',
  keyOpen: 'to open',
  keyNewTab: 'in a new tab',
  keyClose: 'to close',
  filters: 'Filters',
};

/** Words that have come, by the name of their file. */
const loaded = new Map<string, Strings>([['en', EN]]);
/** What the page's owner says instead, by tag. */
const given = new Map<string, Partial<Strings>>();
const coming = new Map<string, Promise<unknown>>();

const lower = (language: string): string => language.toLowerCase().replace(/_/g, '-');

/** Which words a language gets: `pt-BR` those of `pt`, `zh-TW` those of `zh-hant`; undefined where there are none. */
export function wordsOf(language: string): string | undefined {
  const tag = lower(language);
  const [short] = tag.split('-') as [string];
  return short === 'zh' && isTraditional(tag)
    ? 'zh-hant'
    : short === 'en' || Object.hasOwn(LANGUAGES, short)
      ? short
      : undefined;
}

function isTraditional(tag: string): boolean {
  try {
    return new Intl.Locale(tag).maximize().script === 'Hant';
  } catch {
    return false; // not a tag that anybody has defined
  }
}

/** Adds or amends a language, by BCP 47 tag; elements use it when they next render. */
export function addStrings(language: string, strings: Partial<Strings>): void {
  const tag = lower(language);
  given.set(tag, { ...given.get(tag), ...strings });
}

/** Fetches the words of a language if they are not here; undefined if there is nothing to wait for. Rejects where they cannot be loaded. */
export function loadStrings(language: string): Promise<unknown> | undefined {
  const name = wordsOf(language);
  if (name === undefined || loaded.has(name)) return undefined;
  let load = coming.get(name);
  if (load === undefined) {
    load = (LANGUAGES[name] as LoadWords)().then(
      (words) => loaded.set(name, words.default),
      (error: unknown) => {
        coming.delete(name); // the next one tries again
        throw error;
      },
    );
    coming.set(name, load);
  }
  return load;
}

export interface Localised {
  strings: Strings;
  /** The language that was found, for plurals and numbers. */
  language: string;
}

/** The strings of `de-AT`, else of `de`, else English. Those of other languages than English have to be loaded first. */
export function stringsFor(language: string): Localised {
  const name = wordsOf(language) ?? '';
  const own = loaded.get(name);
  const amended: string[] = [];
  for (let tag = lower(language); tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
    const known = tag === 'zh' && name === 'zh-hant' ? name : tag; // one script is no stand-in for the other
    if (given.has(known) && !amended.includes(known)) amended.unshift(known);
  }
  const strings = Object.assign({}, own ?? EN, ...amended.map((tag) => given.get(tag))) as Strings;
  return { strings, language: amended.at(-1) ?? (own === undefined ? 'en' : name) };
}

export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Shortens a pasted text to an identifying beginning. */
export function shortened(text: string): string {
  const characters = [...text];
  return characters.length > 80 ? `${characters.slice(0, 60).join('')}…` : text;
}

/** The form of `forms` for the number `n`, with `{n}` in the language's digits. */
export function counted(forms: Forms, n: number, language: string, values: Record<string, string> = {}): string {
  const form = forms[new Intl.PluralRules(language).select(n)] ?? forms.other;
  return fill(form, { ...values, n: new Intl.NumberFormat(language).format(n) });
}

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ps', 'ur', 'yi', 'ckb', 'dv', 'ug', 'sd']);

export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language.split('-')[0] as string) ? 'rtl' : 'ltr';
}
