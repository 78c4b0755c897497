/**
 * Shortcuts of the whole page: `mod+k` (Cmd on Apple's systems, Ctrl elsewhere) and `/`.
 *
 * Several elements on a page share the keys: the one with an open dialog answers, else the first visible one. A bare
 * key such as `/` is ignored while the reader types, and every key while an input method composes.
 */
import type { ShortcutHost } from '../host.js';
import { isApple, parseShortcuts, type Shortcut } from '../state/shortcut.js';

function matches(event: KeyboardEvent, { key, mod, alt, shift }: Shortcut): boolean {
  const bare = !mod && !alt;
  // `/` needs Shift on many keyboards: for bare keys, the typed character counts.
  if (event.key.toLowerCase() !== key || (!bare && event.shiftKey !== shift)) return false;
  const pressed = isApple() ? event.metaKey : event.ctrlKey;
  const other = isApple() ? event.ctrlKey : event.metaKey;
  return pressed === mod && !other && event.altKey === alt;
}

/** Whether the event comes from a text field; looks into open shadow trees. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return false;
  if (target.localName.includes('-') && target.shadowRoot === null) return true; // a closed shadow tree may hold a field
  if (target instanceof HTMLElement && target.isContentEditable) return true;
  return target.matches(
    'input:not([type=button], [type=checkbox], [type=radio], [type=submit], [type=reset], [type=range]), textarea, select, [role=textbox], [role=combobox], [role=searchbox]',
  );
}

/** Whether its dialog covers the page. */
const covers = ({ mode, opened }: ShortcutHost): boolean => mode === 'button' && opened;

const hosts = new Set<ShortcutHost>();

function onKeydown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  for (const host of [...hosts].sort((a, b) => Number(covers(b)) - Number(covers(a)))) {
    const shortcut = parseShortcuts(host.shortcuts).find((candidate) => matches(event, candidate));
    if (shortcut === undefined || (!shortcut.mod && isTyping(event)) || host.checkVisibility?.() === false) continue;
    event.preventDefault();
    if (covers(host)) host.close();
    else void host.show();
    return;
  }
}

export function listenForShortcuts(host: ShortcutHost): () => void {
  if (hosts.size === 0) document.addEventListener('keydown', onKeydown);
  hosts.add(host);
  return () => {
    hosts.delete(host);
    if (hosts.size === 0) document.removeEventListener('keydown', onKeydown);
  };
}
