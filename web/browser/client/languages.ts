/** The languages that have rules of their own (docs/languages.md), as their modules are named: dist/browser/core/language-xx.wasm. */
const LANGUAGES = 'ar ca da de el es eu fi fr ga hi hu hy id it lt ne nl no pt ro ru sr sv ta tr yi'.split(' ');

/** Of a BCP 47 tag; undefined where the core alone serves: English, and languages without rules. Pure. */
export function rulesOf(tag: string): string | undefined {
  const [language = ''] = tag.toLowerCase().split('-');
  const name = language === 'nb' || language === 'nn' ? 'no' : language;
  return LANGUAGES.includes(name) ? name : undefined;
}
