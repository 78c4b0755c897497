/** The words of the extension's own pages, in the browser's language: `_locales`. The component brings its own. */
import { publisherOf } from './plain.js';
import { hostOf } from './scope.js';
import type { Origin } from './types.js';

export function t(name: string, ...filled: (string | number)[]): string {
  return chrome.i18n.getMessage(name, filled.map(String)) || name;
}

/** Of the words that are shown, which need not be the browser's own. */
export const language = (): string => chrome.i18n.getMessage('language') || 'en';

export const direction = (): 'ltr' | 'rtl' => (/^(ar|fa|he|ur)\b/.test(language()) ? 'rtl' : 'ltr');

/** `3 libraries`: one message for each plural category of the language that needs its own. */
export function counted(name: string, count: number): string {
  const category = new Intl.PluralRules(language()).select(count);
  const number = new Intl.NumberFormat(language()).format(count);
  return chrome.i18n.getMessage(`${name}_${category}`, [number]) || t(`${name}_other`, number);
}

/** Libraries with their versions, as a list. */
export const namesText = (libraries: readonly { title: string; version: string }[]): string =>
  new Intl.ListFormat(language()).format(libraries.map(({ title, version }) => `${title} ${version}`));

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

export function sizeText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return new Intl.NumberFormat(language(), {
    style: 'unit',
    unit: UNITS[unit] as string,
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0,
  }).format(value);
}

/** Where a library came from, in a line of facts. */
export const originText = (origin: Origin): string => hostOf(origin) || t('fromFile');

/** Whose it is, in full: a host may have catalogues of several owners. */
export const publisherText = (origin: Origin): string => publisherOf(origin) || t('fromFile');

export const percentText = (share: number): string =>
  new Intl.NumberFormat(language(), { style: 'percent' }).format(share);

/** Fills in what the page's own HTML leaves to the language: `data-t`, and `data-t-NAME` for attributes. */
export function translatePage(): void {
  const root = document.documentElement;
  root.lang = language();
  root.dir = direction();
  for (const element of document.querySelectorAll<HTMLElement>('[data-t]'))
    element.textContent = t(element.dataset['t'] as string);
  for (const name of ['title', 'aria-label', 'placeholder'])
    for (const element of document.querySelectorAll(`[data-t-${name}]`))
      element.setAttribute(name, t(element.getAttribute(`data-t-${name}`) as string));
}
