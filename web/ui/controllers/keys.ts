/**
 * How keys move through entries, and what Enter and Escape do.
 *
 * Two ways of choosing. Hits below a combobox are *pointed at*: the focus stays in the input, and arrows go
 * around the list. Links of a results page and recent searches are *roved*: they take the focus
 * themselves, and arrow up from the first leads back to the input.
 *
 * Keys that belong to an input method are left alone.
 */
import { resultsHref } from '../state/addresses.js';
import type { SheafSearch } from '../sheaf-search.js';
import { isApple } from './shortcuts.js';

export class ListKeys {
  constructor(private readonly host: SheafSearch) {}

  /** Keys within the input. */
  onKey(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === 229) return;
    const emacs = isApple() && event.ctrlKey && !event.metaKey && !event.altKey;
    const key = emacs && event.key === 'n' ? 'ArrowDown' : emacs && event.key === 'p' ? 'ArrowUp' : event.key;
    if (this.#handle(key, event)) event.preventDefault();
  }

  /** Keys within a list of real links or buttons. */
  onListKey(event: KeyboardEvent): void {
    const { host } = this;
    const entry = (event.target as Element).closest<HTMLElement>('[data-entry]');
    if (entry === null) return;
    host.active = host.entries().indexOf(entry);
    if (event.key === 'Delete' && host.recentShown) {
      host.removeRecent(host.recentList[host.active]);
      event.preventDefault();
    } else if (host.recentShown && /^\S$/u.test(event.key) && !event.ctrlKey && !event.metaKey) {
      host.input?.focus(); // and the letter goes there
    } else if (event.key !== 'Enter' && event.key !== 'Tab' && this.#handle(event.key, event)) {
      event.preventDefault();
    }
  }

  /** Whether entries take the focus themselves. */
  get #roving(): boolean {
    return this.host.mode === 'page' || this.host.recentShown;
  }

  #handle(key: string, event: KeyboardEvent): boolean {
    const { host } = this;
    const last = host.entries().length - 1;
    switch (key) {
      case 'ArrowDown':
        if (host.mode === 'inline' && !host.opened) void host.show();
        return this.#choose(host.active >= last ? (this.#roving ? last : 0) : host.active + 1);
      case 'ArrowUp':
        if (this.#roving && host.active <= 0) return this.#leaveList();
        return this.#choose(host.active <= 0 ? last : host.active - 1);
      // Without a chosen entry, they are the caret's.
      case 'Home': return !event.shiftKey && host.active >= 0 && this.#choose(0);
      case 'End': return !event.shiftKey && host.active >= 0 && this.#choose(last);
      case 'Enter': return this.#enter(event.metaKey || event.ctrlKey);
      case 'Escape': return this.#escape();
      case 'Tab':
        if (!this.#roving) host.point(-1);
        return false;
      default: return false;
    }
  }

  #choose(index: number): boolean {
    const entry = this.host.entries()[index];
    if (entry === undefined) return false;
    this.host.point(index);
    if (this.#roving) entry.focus();
    return true;
  }

  #leaveList(): boolean {
    this.host.point(-1);
    this.host.input?.focus();
    return true;
  }

  /** Follows the choice; without one, leads to the results page, or follows the best hit of a finished search. Soft keyboards say “search” there. */
  #enter(newTab: boolean): boolean {
    const { host } = this;
    const { query, answered } = host.state;
    const chosen = host.entries()[host.active];
    const results = resultsHref(host);
    if (this.#roving) host.search.submit();
    else if (chosen === undefined && results !== undefined) go(results, newTab);
    else if (chosen === undefined && matchMedia('(pointer: coarse)').matches) host.input?.blur(); // the keyboard goes, the list is seen
    else if (chosen === undefined && (answered !== query || query.trim() === '')) host.search.submit();
    else this.#follow(chosen ?? host.entries()[0], newTab);
    return true;
  }

  #follow(entry: HTMLElement | undefined, newTab: boolean): void {
    if (!(entry instanceof HTMLAnchorElement)) return;
    if (!newTab) entry.click(); // onHit goes on
    else if (this.host.select(entry, true)) go(entry.href, true);
  }

  /** One step back: out of the list, the list away, the query away, the dialog away. */
  #escape(): boolean {
    const { host } = this;
    if (this.#roving && host.active >= 0) return this.#leaveList();
    if (host.mode === 'inline' && host.opened) host.close();
    else if (host.state.query !== '') host.setQuery('');
    else if (host.opened) host.close();
    else return false;
    return true;
  }
}

function go(url: string, newTab: boolean): void {
  if (newTab) window.open(url, '_blank', 'noopener');
  else location.assign(url);
}
