/**
 * The languages that the component speaks besides English: one small file each, fetched by pages that need it. Their loaders are
 * written out, since a bundler follows no other import.
 *
 * A new language is a file like the others, and a line here; tests/node/ui_languages.test.mjs says what it must have.
 */
import type { LanguageStrings } from './words/texts.js';

export type LoadWords = () => Promise<{ default: LanguageStrings }>;

export const LANGUAGES: Readonly<Record<string, LoadWords>> = {
  ar: () => import('./languages/ar.js'),
  ca: () => import('./languages/ca.js'),
  cs: () => import('./languages/cs.js'),
  de: () => import('./languages/de.js'),
  es: () => import('./languages/es.js'),
  fa: () => import('./languages/fa.js'),
  fr: () => import('./languages/fr.js'),
  hu: () => import('./languages/hu.js'),
  id: () => import('./languages/id.js'),
  it: () => import('./languages/it.js'),
  ja: () => import('./languages/ja.js'),
  ko: () => import('./languages/ko.js'),
  nl: () => import('./languages/nl.js'),
  pl: () => import('./languages/pl.js'),
  pt: () => import('./languages/pt.js'),
  ro: () => import('./languages/ro.js'),
  ru: () => import('./languages/ru.js'),
  sv: () => import('./languages/sv.js'),
  tr: () => import('./languages/tr.js'),
  uk: () => import('./languages/uk.js'),
  vi: () => import('./languages/vi.js'),
  zh: () => import('./languages/zh.js'),
  'zh-hant': () => import('./languages/zh-hant.js'),
};
