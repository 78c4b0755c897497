/** What the controls say; loaded with them. `addStrings` and an element's `strings` may bring the same keys. */
import type { ScopeStrings } from '../words/strings.js';

const STRINGS: Record<string, Required<ScopeStrings>> = {
  en: {
    scope: 'Search in',
    version: 'Version',
    language: 'Language',
    allLanguages: 'All languages',
    sites: 'Sites',
    allSites: 'All sites',
    missing: '{label} could not be searched.',
  },
  de: {
    scope: 'Suchen in',
    version: 'Version',
    language: 'Sprache',
    allLanguages: 'Alle Sprachen',
    sites: 'Websites',
    allSites: 'Alle Websites',
    missing: '{label} konnte nicht durchsucht werden.',
  },
  zh: {
    scope: '搜索范围',
    version: '版本',
    language: '语言',
    allLanguages: '所有语言',
    sites: '网站',
    allSites: '所有网站',
    missing: '无法搜索 {label}。',
  },
  ar: {
    scope: 'البحث في',
    version: 'الإصدار',
    language: 'اللغة',
    allLanguages: 'كل اللغات',
    sites: 'المواقع',
    allSites: 'كل المواقع',
    missing: 'تعذّر البحث في {label}.',
  },
};

export function scopeStrings(language: string, given: ScopeStrings): Required<ScopeStrings> {
  const known =
    STRINGS[language] ?? STRINGS[language.split('-')[0] as string] ?? (STRINGS['en'] as Required<ScopeStrings>);
  const own = Object.fromEntries(Object.entries(given).filter(([key, text]) => key in known && text !== undefined));
  return { ...known, ...own };
}
