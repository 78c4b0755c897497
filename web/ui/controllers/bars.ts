/**
 * What narrows a search, above the list: controls of several bundles, chips of filters. Their code (scope/) is loaded
 * when an element needs it. What was loaded for other bundles than the element names by then is dropped.
 */
import type { BarsHost, BarsLoaders, ChipsBar, Filters, ScopeBar } from '../host.js';

export class Bars {
  shown: readonly HTMLElement[] = [];
  /** Which pages to search, as chosen by chips; holds when the library is opened again. */
  filters: Filters | undefined;
  #scope: Promise<ScopeBar> | undefined;
  #chips: Promise<ChipsBar> | undefined;
  readonly #host: BarsHost;
  readonly #load: BarsLoaders;

  constructor(host: BarsHost, load: BarsLoaders) {
    this.#host = host;
    this.#load = load;
  }

  /** The element names other bundles. */
  reset(): void {
    this.#scope = this.#chips = this.filters = undefined;
    this.shown = [];
  }

  /** Draws the controls anew, in the element's language; chips, when other ones are wanted. */
  update(facets: boolean): void {
    void this.#scope?.then(
      (scope) => scope.update(),
      () => {},
    );
    if (facets)
      void this.#chips?.then(
        (chips) => chips.update(),
        () => {},
      );
  }

  /** Several bundles. Rejects when the element names others by the time the code is there. */
  several(): Promise<ScopeBar> {
    if (this.#scope !== undefined) return this.#scope;
    const loading = this.#load.scope().then((scope) => {
      if (this.#scope !== loading) throw new Error('superseded'); // told to nobody: that store has ended
      this.#show([scope.bar, ...this.shown]);
      return scope;
    });
    this.#scope = loading;
    loading.catch(() => this.#scope === loading && (this.#scope = undefined));
    return loading;
  }

  /** Chips of the bundle's filters, as counted for the last answer. */
  count(): void {
    const loading = (this.#chips ??= this.#load.chips(this.#narrow));
    const drawn = (chips: ChipsBar): void => {
      if (this.#chips !== loading) return; // of another bundle
      chips.update();
      if (!this.shown.includes(chips.bar)) this.#show([...this.shown, chips.bar]);
    };
    loading.then(drawn, () => this.#chips === loading && (this.#chips = undefined));
  }

  readonly #narrow = (filters: Filters): void => {
    this.filters = filters;
    this.#host.search.configure({ filters });
  };

  #show(bars: readonly HTMLElement[]): void {
    this.shown = bars;
    this.#host.requestUpdate();
  }
}
