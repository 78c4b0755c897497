/**
 * Handles what the reader does: open and close, type, point, choose, follow a hit, return to earlier searches. Keys,
 * choice and dialog have their own files; this one combines them.
 */
import type { Hit } from '../../client/types.js';
import type { Actions, KeysActions, ModalActions, ReaderHost } from '../host.js';
import { writeAddress } from '../state/addresses.js';
import { noteFollowed } from '../state/followed.js';
import { packedBaseOf } from '../state/manifest.js';
import { RecentSearches } from '../state/recent.js';
import { sectionsOf } from '../state/sections.js';
import { sectionLinks, type StartLink } from '../state/start.js';
import { Address } from './address.js';
import { Choice } from './choice.js';
import { tell } from './events.js';
import { filterOf } from './filters.js';
import { Keys } from './keys.js';
import { Modal } from './modal.js';
import { headingsOf } from './page_headings.js';

export interface SelectDetail {
  hit: Hit;
  query: string;
  url: string | undefined;
  newTab: boolean;
}

export class Reader implements Actions, KeysActions, ModalActions {
  readonly host: ReaderHost;
  readonly choice: Choice;
  readonly keys: Keys;
  readonly modal: Modal;
  readonly address: Address;
  #kept: string[] = [];
  #sections: StartLink[] = [];

  constructor(host: ReaderHost) {
    this.host = host;
    this.choice = new Choice(host);
    this.keys = new Keys(host, this);
    this.modal = new Modal(host, this);
    this.address = new Address(host);
  }

  /** The reader reaches for the search. */
  readonly warm = (): void => {
    // Once it is open, its top pages are known.
    if (this.host.prefetch !== 'none') void this.host.search.prefetch().then(() => this.host.requestUpdate());
  };

  readonly onFocus = (): void => {
    this.warm();
    if (this.host.mode === 'inline' && !this.host.opened) void this.host.show();
  };

  readonly onFocusOut = (event: FocusEvent): void => {
    // No target: the soft keyboard was hidden, or the window lost focus. From outside, the shadow tree is the element.
    const next = event.relatedTarget as Node | null;
    if (next !== null && !this.host.contains(next) && !this.host.renderRoot.contains(next)) this.host.close();
  };

  // ---- asking ------------------------------------------------------------------------------------

  readonly onInput = (event: InputEvent): void => {
    if (!isHalfWord(event)) this.onComposed(event); // else compositionend delivers the whole text
  };

  readonly onComposed = (event: Event): void => {
    this.setQuery((event.target as HTMLInputElement).value);
  };

  setQuery(query: string): void {
    const { host } = this;
    if (host.mode === 'inline') host.opened = true;
    host.search.setQuery(query);
    if (query !== '') return;
    this.readRecent();
    if (host.mode === 'page') writeAddress(host.param, '');
  }

  takeQuery(query: string): void {
    this.host.search.submit(query);
    this.host.input?.focus();
  }

  /** The controls' initial state yields to a filter that the page itself has set. */
  readonly onFilter = (event: Event): void => {
    const { host } = this;
    const slot = event.currentTarget as HTMLSlotElement;
    const filter = filterOf(slot.assignedElements({ flatten: true }), () => packedBaseOf(host.search.library?.info));
    if (event.type === 'change' || host.filter === undefined) host.filter = filter;
    host.requestUpdate();
  };

  // ---- recent searches ---------------------------------------------------------------------------

  get recent(): readonly string[] {
    return this.#offered(this.#kept);
  }

  #offered<T>(entries: readonly T[]): readonly T[] {
    return this.host.state.query.trim() === '' ? entries : [];
  }

  /** Sections of the page around a search, as they were when it was opened. */
  get sections(): readonly StartLink[] {
    return this.#offered(this.#sections);
  }

  /** What is offered before the first query. */
  readStart(): void {
    this.readRecent();
    // A heading counts as reached in the upper third of what the reader sees.
    this.#sections = sectionLinks(sectionsOf(headingsOf(document), innerHeight / 3), location.href);
  }

  /** Rereads what the browser has stored; another page may have added more. */
  readRecent(): void {
    this.#kept = this.#recentSearches().list();
  }

  removeRecent(query?: string): void {
    if (query === undefined) this.#recentSearches().clear();
    else this.#recentSearches().remove(query);
    this.readRecent();
    this.host.requestUpdate();
    this.host.input?.focus();
  }

  #recentSearches(): RecentSearches {
    return new RecentSearches(this.host.recentKey, this.host.recent);
  }

  // ---- following hits ----------------------------------------------------------------------------

  entries(): HTMLElement[] {
    return [...this.host.renderRoot.querySelectorAll<HTMLElement>('[data-entry]')];
  }

  readonly onLink = (event: MouseEvent): void => {
    if (!opensTab(event)) this.host.close();
  };

  readonly onHit = (event: MouseEvent): void => {
    const newTab = opensTab(event);
    if (!this.select(event.currentTarget as HTMLAnchorElement, newTab)) event.preventDefault();
    else if (!newTab && this.host.mode !== 'page') {
      this.address.leave((event.currentTarget as HTMLAnchorElement).href);
      this.host.close();
    }
  };

  select(entry: HTMLAnchorElement, newTab: boolean): boolean {
    const { answered, groups } = this.host.state;
    // What leads to the top of a page names the first hit below it.
    const hit = groups.flatMap((group) => group.hits)[Number(entry.dataset['entry'] ?? entry.dataset['top'])];
    if (hit === undefined) return false;
    this.#recentSearches().add(answered);
    if (this.host.highlight !== 'off') noteFollowed(entry.href, hit);
    const detail: SelectDetail = { hit, query: answered, url: entry.href, newTab };
    return tell(this.host, 'sheaf-select', detail, true);
  }
}

const opensTab = (event: MouseEvent): boolean => event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1;

/**
 * Text that an input method is composing is rarely a usable query. Exceptions: Hangul, and Android, whose keyboards
 * compose every word.
 */
function isHalfWord({ isComposing, data }: InputEvent): boolean {
  return isComposing && !/\p{Script=Hangul}$/u.test(data ?? '') && !/android/i.test(navigator.userAgent);
}
