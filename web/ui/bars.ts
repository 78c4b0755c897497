/**
 * What narrows a search, above the list: controls of several bundles, chips of filters. Their code (scope/) is loaded when an element
 * needs it. What was loaded for other bundles than the element names by then is dropped.
 */
import type { FacetChips } from './scope/facets.js';
import type { Scope } from './scope/index.js';
import type { SheafSearch } from './sheaf-search.js';

export class Bars {
  shown: readonly HTMLElement[] = [];
  #scope: Promise<Scope> | undefined;
  #chips: Promise<FacetChips> | undefined;

  constructor(private readonly host: SheafSearch) {}

  /** The element names other bundles. */
  reset(): void {
    this.#scope = this.#chips = undefined;
    this.shown = [];
  }

  /** Draws the controls anew, in the element's language; chips, when other ones are wanted. */
  update(facets: boolean): void {
    void this.#scope?.then((scope) => scope.update(), () => {});
    if (facets) void this.#chips?.then((chips) => chips.update(), () => {});
  }

  /** Several bundles. Rejects when the element names others by the time the code is there. */
  several(): Promise<Scope> {
    if (this.#scope !== undefined) return this.#scope;
    const loading = import('./scope/index.js').then(({ Scope }) => {
      if (this.#scope !== loading) throw new Error('superseded'); // told to nobody: that store has ended
      const scope = new Scope(this.host);
      this.#show([scope.bar, ...this.shown]);
      return scope;
    });
    this.#scope = loading;
    loading.catch(() => this.#scope === loading && (this.#scope = undefined));
    return loading;
  }

  /** Chips of the bundle's filters, as counted for the last answer. */
  count(): void {
    const loading = (this.#chips ??= import('./scope/facets.js').then(({ FacetChips }) => new FacetChips(this.host)));
    const drawn = (chips: FacetChips): void => {
      if (this.#chips !== loading) return; // of another bundle
      chips.update();
      if (!this.shown.includes(chips.bar)) this.#show([...this.shown, chips.bar]);
    };
    loading.then(drawn, () => this.#chips === loading && (this.#chips = undefined));
  }

  #show(bars: readonly HTMLElement[]): void {
    this.shown = bars;
    this.host.requestUpdate();
  }
}
