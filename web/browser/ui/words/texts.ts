/**
 * Which texts the component has. `{n}`, `{query}` and the like are filled in. Counted texts have one form per plural category of the
 * language (CLDR, by Intl.PluralRules); `other` is always there.
 */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Words of the controls for several languages, versions and sites; their defaults come with the controls (scope/strings.ts). */
export interface ScopeStrings {
  scope?: string;
  version?: string;
  language?: string;
  allLanguages?: string;
  sites?: string;
  allSites?: string;
  /** `{label}` */
  missing?: string;
}

/** Words of asking; their defaults come with it (ask/strings.ts). */
export interface AskStrings {
  /** Of the button, and of what it brings. */
  ask?: string;
  askStop?: string;
  askWaiting?: string;
  /** Below an answer. */
  askNote?: string;
  /** Why there is none. */
  askNothing?: string;
  askBusy?: string;
  askFailed?: string;
}

export interface Strings extends ScopeStrings, AskStrings {
  /** Label of button, dialog and input. */
  search: string;
  placeholder: string;
  clear: string;
  close: string;
  results: string;
  /** `{count}` for `{query}`: announced, and shown above a results page. */
  countFor: string;
  /** `{sections}` on `{pages}`, each counted by its own forms. */
  count: string;
  sections: Forms;
  pages: Forms;
  /** Share of a download: `{percent}`. */
  opening: string;
  searching: string;
  empty: string;
  noResults: string;
  noResultsHint: string;
  /** `{query}`: the query without its typing mistakes. */
  corrected: string;
  /** Above hits for `{query}` that hardly match. */
  weak: string;
  offline: string;
  failed: string;
  /** Why, below `failed`. */
  noAnswer: string;
  /** `{status}`: the number that HTTP has for it */
  badAnswer: string;
  damaged: string;
  tooNew: string;
  noRoom: string;
  noWasm: string;
  retry: string;
  /** Instead of `retry`, where files of an older deploy are gone. */
  reload: string;
  /** Above hits by words, where meaning could not be loaded. */
  byWords: string;
  more: string;
  allResults: string;
  recent: string;
  /** Sections of the page around the search. */
  onThisPage: string;
  topPages: string;
  /** `{pages}`: titles of pages that have the passage too */
  alsoIn: string;
  /** Of the chosen hit. */
  preview: string;
  /** `{query}` */
  removeRecent: string;
  clearRecent: string;
  keyNavigate: string;
  keyOpen: string;
  keyNewTab: string;
  keyClose: string;
  filters: string;
}

/** What a file of languages/ has: every text, those that load later too. */
export type LanguageStrings = Required<Strings>;
