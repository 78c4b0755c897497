/**
 * Chips of a bundle's filters (`data-sheaf-filter`), with the number of pages each value would leave. Loaded with the
 * first answer that has filters.
 */
import type { Facet } from '../../client/types.js';
import type { ChipsHost, Filters } from '../host.js';
import { barIn, facetRows, replaceKeepingFocus, type Choice } from './controls.js';

/** Values shown per filter; the most common ones. */
const MOST_VALUES = 12;

export class FacetChips {
  readonly #host: ChipsHost;
  readonly #narrow: (filters: Filters) => void;
  /** What stands above the hits. */
  readonly bar: HTMLElement;
  readonly #chosen = new Map<string, ReadonlySet<string>>();

  constructor(host: ChipsHost, narrow: (filters: Filters) => void) {
    this.#host = host;
    this.#narrow = narrow;
    this.bar = barIn(host.renderRoot as ShadowRoot, 'facets');
  }

  /** Draws what the last answer counted. */
  update(): void {
    const order = this.#host.facets?.split(',').map((key) => key.trim());
    const rows = rowsOf(this.#host.state.facets ?? [], this.#chosen, this.#host.state.query !== '', order);
    const fresh = facetRows(rows, this.#chosen, (key, chosen) => this.#choose(key, chosen));
    this.bar.hidden = rows.length === 0;
    replaceKeepingFocus(this.bar, fresh);
  }

  #choose(key: string, chosen: ReadonlySet<string>): void {
    this.#chosen.set(key, chosen);
    this.update();
    const filters = [...this.#chosen].map(([name, values]): [string, string[]] => [name, [...values]]);
    this.#narrow(Object.fromEntries(filters));
  }
}

/** Rows worth showing: filters with something to choose, of those named in `order`, and whatever was chosen. Pure. */
export function rowsOf(
  facets: readonly Facet[],
  chosen: ReadonlyMap<string, ReadonlySet<string>>,
  asked: boolean,
  order: readonly string[] = facets.map(({ key }) => key),
): { key: string; label: string; values: Choice[] }[] {
  const inUse = [...chosen].filter(([, values]) => values.size > 0).map(([key]) => key);
  const keys = asked ? new Set([...order, ...inUse]) : [];
  return [...keys].flatMap((key) => {
    const own = chosen.get(key) ?? new Set();
    const counts = new Map(facets.find((facet) => facet.key === key)?.values.map(({ value, pages }) => [value, pages]));
    const common = [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, MOST_VALUES)
      .map(([value]) => value);
    const shown = [...new Set([...common, ...own])].sort((a, b) => a.localeCompare(b));
    if (shown.length < 2 && own.size === 0) return [];
    const label = key.charAt(0).toLocaleUpperCase() + key.slice(1);
    return [{ key, label, values: shown.map((value) => ({ value, label: value, count: counts.get(value) ?? 0 })) }];
  });
}
