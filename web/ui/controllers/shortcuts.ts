/**
 * Shortcuts of the whole page: `mod+k` (Cmd on Apple's systems, Ctrl elsewhere) and `/`.
 *
 * Several elements on a page share the keys: the one whose dialog is open answers, else the first that is visible. A bare key such
 * as `/` is left alone while the reader types, and every key while an input method composes.
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
  return text.split(/\s+/).filter((word) => word !== '' && word !== 'none').map((word) => {
    const parts = word.toLowerCase().split('+');
    const key = parts.pop() || '+'; // `mod++`
    return { key, mod: parts.includes('mod'), alt: parts.includes('alt'), shift: parts.includes('shift') };
  });
}

export const isApple = (): boolean => /^(mac|iphone|ipad|ipod)/i.test(globalThis.navigator?.platform ?? '');

/** As a button shows it: `⌘K`, `Ctrl K`. */
export function shortcutLabel({ key, mod, alt, shift }: Shortcut): string {
  const apple = isApple();
  const parts = [mod && (apple ? '⌘' : 'Ctrl'), alt && (apple ? '⌥' : 'Alt'), shift && (apple ? '⇧' : 'Shift'), key.toUpperCase()];
  return parts.filter(Boolean).join(apple ? '' : ' ');
}

/** As aria-keyshortcuts wants it: `Control+K`. */
export function ariaShortcut({ key, mod, alt, shift }: Shortcut): string {
  return [mod && (isApple() ? 'Meta' : 'Control'), alt && 'Alt', shift && 'Shift', key.toUpperCase()].filter(Boolean).join('+');
}

function matches(event: KeyboardEvent, { key, mod, alt, shift }: Shortcut): boolean {
  const bare = !mod && !alt;
  // `/` needs Shift on many keyboards: for bare keys, what was typed counts.
  if (event.key.toLowerCase() !== key || (!bare && event.shiftKey !== shift)) return false;
  const pressed = isApple() ? event.metaKey : event.ctrlKey;
  const other = isApple() ? event.ctrlKey : event.metaKey;
  return pressed === mod && !other && event.altKey === alt;
}

/** Whether the event comes from where the reader types; looks into open shadow trees. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  if (target.localName.includes('-') && target.shadowRoot === null) return true; // a closed shadow tree may hold a field
  if (target instanceof HTMLElement && target.isContentEditable) return true;
  return target.matches('input:not([type=button], [type=checkbox], [type=radio], [type=submit], [type=reset], [type=range]), textarea, select, [role=textbox], [role=combobox], [role=searchbox]');
}

export interface ShortcutTarget extends Element {
  readonly shortcutList: readonly Shortcut[];
  /** Whether its dialog covers the page. */
  readonly modal: boolean;
  onShortcut(): void;
}

const targets = new Set<ShortcutTarget>();

function onKeydown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  for (const target of [...targets].sort((a, b) => Number(b.modal) - Number(a.modal))) {
    const shortcut = target.shortcutList.find((candidate) => matches(event, candidate));
    if (shortcut === undefined || (!shortcut.mod && isTyping(event)) || target.checkVisibility?.() === false) continue;
    event.preventDefault();
    target.onShortcut();
    return;
  }
}

export function listenForShortcuts(target: ShortcutTarget): () => void {
  if (targets.size === 0) document.addEventListener('keydown', onKeydown);
  targets.add(target);
  return () => {
    targets.delete(target);
    if (targets.size === 0) document.removeEventListener('keydown', onKeydown);
  };
}
