/**
 * Keeps the query of the dialog in the page's own address, as a results page does. So the address bar holds a link to
 * share, and Back from a followed hit shows the list again, at its place and with the same entry chosen.
 *
 * The parameter is there while the dialog shows an answer, and in the history entry of a page that the reader left by a
 * hit. It goes when the dialog closes, and before a jump within the page, which would load the page again else. The first
 * element of a page does this, unless one is a results page; an empty `param` turns it off.
 */
import type { AddressHost } from '../host.js';
import { writeAddress, type Place } from '../state/addresses.js';

export class Address {
  readonly #host: AddressHost;
  /** Whether the reader left by a hit: closing keeps the address then. */
  #left = false;
  /** The place in the list that the reader left, until the list is back. */
  #place: Place | undefined;

  constructor(host: AddressHost) {
    this.#host = host;
  }

  /** Shows the dialog if the address asks for it, now and when Back returns to it. Returns what ends that. */
  listen(): () => void {
    const end = new AbortController();
    addEventListener('popstate', this.read, end);
    addEventListener('pageshow', ({ persisted }) => persisted && this.read(), end);
    addEventListener('hashchange', this.#host.markFollowed, end);
    this.#host.markFollowed();
    return () => end.abort();
  }

  /** Shows the dialog if the address asks for it. */
  readonly read = (): void => {
    const host = this.#host;
    const query = this.#keeps ? new URLSearchParams(location.search).get(host.param) : null;
    if (!query) return;
    this.#place = (history.state as { sheaf?: Place } | null)?.sheaf;
    host.search.submit(query);
    void Promise.resolve(host.show()).then(() => this.#restore());
  };

  /** The list of a query is complete. */
  answered(query: string): void {
    if (!this.#keeps || !this.#host.opened) return;
    this.#left = false;
    writeAddress(this.#host.param, query);
    this.#restore();
  }

  /** Goes to the place that the reader left, once both are there: the dialog, and the final list. */
  #restore(): void {
    const { state, opened } = this.#host;
    if (!opened || this.#place === undefined || state.stage !== 'final' || state.answered !== state.query) return;
    const [chosen, top] = this.#place;
    this.#place = undefined;
    if (chosen > 0) this.#host.choose(chosen);
    void this.#host.updateComplete.then(() => this.#list()?.scrollTo(0, top));
  }

  #list(): Element | null {
    return this.#host.renderRoot.querySelector('.scroll');
  }

  /** The reader follows a hit to `href`, in this tab. */
  leave(href: string): void {
    const target = new URL(href);
    this.#left = target.origin + target.pathname !== location.origin + location.pathname;
    if (this.#left && this.#keeps && this.#written)
      writeAddress(this.#host.param, this.#host.state.answered, [this.#host.active, this.#list()?.scrollTop ?? 0]);
  }

  /** The dialog closed. */
  closed(): void {
    if (this.#keeps && this.#written && !this.#left) writeAddress(this.#host.param, '');
    this.#left = false;
  }

  get #written(): boolean {
    return new URLSearchParams(location.search).has(this.#host.param);
  }

  get #keeps(): boolean {
    const { mode, param } = this.#host;
    if (mode !== 'button' || param === '' || document.querySelector('sheaf-search[mode=page]') !== null) return false;
    return document.querySelector('sheaf-search') === (this.#host as unknown);
  }
}
