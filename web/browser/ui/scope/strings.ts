/** What the controls say in English; loaded with them. Other languages bring these words with their own (languages/), as may `addStrings` and an element's `strings`. */
import type { ScopeStrings } from '../words/texts.js';

const ENGLISH: Required<ScopeStrings> = {
  scope: 'Search in',
  version: 'Version',
  language: 'Language',
  allLanguages: 'All languages',
  sites: 'Sites',
  allSites: 'All sites',
  missing: '{label} could not be searched.',
};

export function scopeStrings(given: ScopeStrings): Required<ScopeStrings> {
  const own = Object.fromEntries(Object.entries(given).filter(([key, text]) => key in ENGLISH && text !== undefined));
  return { ...ENGLISH, ...own };
}
