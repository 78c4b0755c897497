/**
 * What a shortcut is: parsed from an attribute, shown on a button, exposed to assistive technology. Pure, except
 * for the platform's keys.
 */
export interface Shortcut {
  key: string;
  mod: boolean;
  alt: boolean;
  shift: boolean;
}

export const DEFAULT_SHORTCUTS = 'mod+k /';

/** `mod+k /` → two shortcuts; `none` or an empty string → no shortcut. */
export function parseShortcuts(text: string): Shortcut[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'none')
    .map((word) => {
      const parts = word.toLowerCase().split('+');
      const key = parts.pop() || '+'; // `mod++`
      return { key, mod: parts.includes('mod'), alt: parts.includes('alt'), shift: parts.includes('shift') };
    });
}

export const isApple = (): boolean => /^(mac|iphone|ipad|ipod)/i.test(globalThis.navigator?.platform ?? '');

/** Its keys, with the names that a Mac and others have for `mod`, `alt` and `shift`. */
function named({ key, mod, alt, shift }: Shortcut, mac: readonly string[], others: readonly string[]): string[] {
  const names = isApple() ? mac : others;
  return [...names.filter((_, i) => [mod, alt, shift][i]), key.toUpperCase()];
}

/** As a button shows them, one cap each: `⌘` `K`, `Ctrl` `K`. */
export const shortcutKeys = (shortcut: Shortcut): string[] =>
  named(shortcut, ['⌘', '⌥', '⇧'], ['Ctrl', 'Alt', 'Shift']);

/** As aria-keyshortcuts wants it: `Control+K`. */
export const ariaShortcut = (shortcut: Shortcut): string =>
  named(shortcut, ['Meta', 'Alt', 'Shift'], ['Control', 'Alt', 'Shift']).join('+');
