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

/** As a button shows them, one cap each: `⌘` `K`, `Ctrl` `K`. */
export function shortcutKeys({ key, mod, alt, shift }: Shortcut): string[] {
  const apple = isApple();
  const parts = [
    mod && (apple ? '⌘' : 'Ctrl'),
    alt && (apple ? '⌥' : 'Alt'),
    shift && (apple ? '⇧' : 'Shift'),
    key.toUpperCase(),
  ];
  return parts.filter((part) => part !== false);
}

/** As aria-keyshortcuts wants it: `Control+K`. */
export function ariaShortcut({ key, mod, alt, shift }: Shortcut): string {
  return [mod && (isApple() ? 'Meta' : 'Control'), alt && 'Alt', shift && 'Shift', key.toUpperCase()]
    .filter(Boolean)
    .join('+');
}
