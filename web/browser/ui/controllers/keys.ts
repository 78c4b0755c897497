/**
 * How keys move through entries, and what Enter and Escape do.
 *
 * There are two ways to choose. Hits below a combobox are *active descendants*: the focus stays in the input, and
 * arrows cycle through the list. Links of a results page, and what is offered before the first query, use *roving focus*: they take the
 * focus themselves, and arrow up from the first returns to the input.
 *
 * Keys that belong to an input method are left alone. Keys typed here stay here: outside, an event seems to come from the
 * element, which is no text field, and pages with shortcuts of one letter would take it. Listeners of the capture phase run first.
 */
import type { KeysActions, KeysHost } from '../host.js';
import { resultsHref } from '../state/addresses.js';
import { isApple } from '../state/shortcut.js';

/** Keys that write or move the caret; not Tab, Escape, function keys and modifiers. */
const TYPED = /^(?:.|Enter|Backspace|Delete|Arrow\w+|Home|End|Page\w+|Dead|Process|Unidentified)$/u;

export class Keys {
  readonly #host: KeysHost;
  readonly #actions: KeysActions;

  constructor(host: KeysHost, actions: KeysActions) {
    this.#host = host;
    this.#actions = actions;
  }

  /** Within the input. */
  readonly onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    const emacs = isApple() && event.ctrlKey && !event.metaKey && !event.altKey;
    const key = emacs && event.key === 'n' ? 'ArrowDown' : emacs && event.key === 'p' ? 'ArrowUp' : event.key;
    if (this.#handle(key, event)) event.preventDefault();
  };

  /** Within lists of real links and buttons: results page, what is offered before the first query. */
  readonly onListKey = (event: KeyboardEvent): void => {
    const host = this.#host;
    const { recent } = this.#actions;
    const entry = (event.target as Element).closest<HTMLElement>('[data-entry]');
    if (entry === null) return;
    host.active = this.#actions.entries().indexOf(entry);
    const kept = recent[host.active];
    if (event.key === 'Delete' && kept !== undefined) {
      this.#actions.removeRecent(kept);
      event.preventDefault();
    } else if (this.#starting && /^\S$/u.test(event.key) && !event.ctrlKey && !event.metaKey) {
      host.input?.focus(); // so that the character goes there
    } else if (event.key !== 'Enter' && event.key !== 'Tab' && this.#handle(event.key, event)) {
      event.preventDefault();
    }
  };

  /** Within the list below a box: leaves its controls. */
  readonly onPopupKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    this.#host.input?.focus();
    this.#host.close();
  };

  /** Of all of the element, last. The page's own controls in a slot stay the page's. */
  readonly onTyped = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey, target, currentTarget } = event;
    if (ctrlKey || metaKey || altKey || !TYPED.test(key)) return;
    if ((target as Element).closest('dialog,.field,.popup') && (currentTarget as Node).contains(target as Node))
      event.stopPropagation();
  };

  /** Nothing is typed: recent searches, sections and top pages are shown. */
  get #starting(): boolean {
    const { query, count } = this.#host.state;
    return query.trim() === '' && count === 0;
  }

  /** Whether entries take the focus themselves. */
  get #roving(): boolean {
    return this.#host.mode === 'page' || this.#starting;
  }

  /** Whether the reader has, and not only the list for them. */
  get #hasChosen(): boolean {
    return this.#roving ? this.#host.active >= 0 : this.#actions.choice.taken;
  }

  #handle(key: string, event: KeyboardEvent): boolean {
    const host = this.#host;
    const last = this.#actions.entries().length - 1;
    switch (key) {
      case 'ArrowDown':
        if (host.mode === 'inline' && !host.opened) {
          void host.show();
          return this.#choose(0);
        }
        return this.#choose(host.active >= last ? (this.#roving ? last : 0) : host.active + 1);
      case 'ArrowUp':
        if (this.#roving && host.active <= 0) return this.#leaveList();
        return this.#choose(host.active <= 0 ? last : host.active - 1);
      // Without a chosen entry, they move the caret.
      case 'Home':
        return !event.shiftKey && this.#hasChosen && this.#choose(0);
      case 'End':
        return !event.shiftKey && this.#hasChosen && this.#choose(last);
      case 'Enter':
        return this.#enter(event.metaKey || event.ctrlKey);
      case 'Escape':
        return this.#escape();
      case 'Tab':
        if (!this.#roving) this.#actions.choice.point(-1);
        return false;
      default:
        return false;
    }
  }

  #choose(index: number): boolean {
    const entry = this.#actions.entries()[index];
    if (entry === undefined) return false;
    this.#actions.choice.point(index);
    if (this.#roving) entry.focus();
    return true;
  }

  #leaveList(): boolean {
    this.#actions.choice.point(-1);
    this.#host.input?.focus();
    return true;
  }

  /**
   * Follows the choice, which is the first hit of a finished search unless the reader takes another; without hits, opens
   * the results page. Soft keyboards label the key “search”.
   */
  #enter(newTab: boolean): boolean {
    const host = this.#host;
    const { query, answered } = host.state;
    const chosen = this.#actions.entries()[host.active];
    const results = resultsHref(host);
    if (this.#roving) host.search.submit();
    else if (chosen === undefined && results !== undefined) go(results, newTab);
    else if (!this.#hasChosen && matchMedia('(pointer: coarse)').matches)
      host.input?.blur(); // hides the keyboard, so the list is visible
    else if (!this.#hasChosen && (answered !== query || query.trim() === '')) host.search.submit();
    else this.#follow(chosen, newTab);
    return true;
  }

  #follow(entry: HTMLElement | undefined, newTab: boolean): void {
    if (!(entry instanceof HTMLAnchorElement)) return;
    if (!newTab)
      entry.click(); // onHit goes on
    else if (this.#actions.select(entry, true)) go(entry.href, true);
  }

  /** One step back: leaves the list, closes the list, clears the query, closes the dialog. */
  #escape(): boolean {
    const host = this.#host;
    if (this.#roving && host.active >= 0) return this.#leaveList();
    if (host.mode === 'inline' && host.opened) host.close();
    else if (host.state.query !== '') this.#actions.setQuery('');
    else if (host.opened) host.close();
    else return false;
    return true;
  }
}

function go(url: string, newTab: boolean): void {
  if (newTab) window.open(url, '_blank', 'noopener');
  else location.assign(url);
}
