/** What languages are called: by the core's rules, and by databases that read texts of their own. Pure. */
import { rulesOf } from '../../browser/client/languages.js';

/** Languages with rules as Snowball and databases call them. */
export const NAMES: Readonly<Record<string, string>> = {
  ...{
    ar: 'arabic',
    ca: 'catalan',
    da: 'danish',
    de: 'german',
    el: 'greek',
    es: 'spanish',
    eu: 'basque',
    fi: 'finnish',
  },
  ...{ fr: 'french', ga: 'irish', hi: 'hindi', hu: 'hungarian', hy: 'armenian', id: 'indonesian', it: 'italian' },
  ...{ lt: 'lithuanian', ne: 'nepali', nl: 'dutch', no: 'norwegian', pt: 'portuguese', ro: 'romanian', ru: 'russian' },
  ...{ sr: 'serbian', sv: 'swedish', ta: 'tamil', tr: 'turkish', yi: 'yiddish' },
};

/** `en`, a language with rules, or empty: words are searched as they are written. Of a BCP 47 tag. */
export function analysisOf(tag: string): string {
  return /^en\b/i.test(tag) ? 'en' : (rulesOf(tag) ?? '');
}
