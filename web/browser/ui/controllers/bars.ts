/**
 * The controls above the list that narrow a search: for several bundles, and chips for filters. Their code (scope/)
 * loads when an element needs it. If the element names other bundles by then, the controls are dropped.
 */
import type { BarsHost, BarsLoaders, ChipsBar, Filters, ScopeBar } from '../host.js';

export class Bars {
  shown: readonly HTMLElement[] = [];
  /** Which pages to search, as chosen by chips; survives reopening the library. */
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

  /** Redraws the controls in the element's language, and the chips if other ones are requested. */
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

  /** Opens several bundles. Rejects if the element names others by the time the code has loaded. */
  several(): Promise<ScopeBar> {
    if (this.#scope !== undefined) return this.#scope;
    const loading = this.#load.scope().then((scope) => {
      if (this.#scope !== loading) throw new Error('superseded'); // nobody sees this: that store has ended
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
