/** What the controls say in English; loaded with them. Other languages bring these words with their own (languages/), as may `addStrings` and an element's `strings`. */
import { completed } from '../words/completed.js';
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

export const scopeStrings = (given: ScopeStrings): Required<ScopeStrings> => completed(ENGLISH, given);
