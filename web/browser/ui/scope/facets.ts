/**
 * Chips of a bundle's filters (`data-sheaf-filter`), with the number of pages each value would leave; and of the kind that
 * a query asks for (`kind:function`), which a press removes. Loaded with the first answer that has filters, or such a query.
 */
import { kindFilter } from '../../client/kind_filter.js';
import type { Facet } from '../../client/types.js';
import type { ChipsHost, Filters } from '../host.js';
import { barIn, facetRows, replaceKeepingFocus, type Choice } from './controls.js';

/** Values shown per filter, the most common ones; and when the reader wants all. */
const MOST_VALUES = 12;
const ALL_VALUES = 200;

/** What stays in its place while the query does. */
export interface Kept {
  /** Values shown before, by key, in their order. */
  values: ReadonlyMap<string, readonly string[]>;
  /** Keys of the filters whose values are all shown. */
  open: ReadonlySet<string>;
}

const NOTHING_KEPT: Kept = { values: new Map(), open: new Set() };

export class FacetChips {
  readonly #host: ChipsHost;
  readonly #narrow: (filters: Filters) => void;
  /** What stands above the hits. */
  readonly bar: HTMLElement;
  readonly #chosen = new Map<string, ReadonlySet<string>>();
  readonly #open = new Set<string>();
  #shown = new Map<string, readonly string[]>();
  /** The query that they were shown for. */
  #query = '';

  constructor(host: ChipsHost, narrow: (filters: Filters) => void) {
    this.#host = host;
    this.#narrow = narrow;
    this.bar = barIn(host.renderRoot as ShadowRoot, 'facets');
  }

  /** Draws what the last answer counted. */
  update(): void {
    const { facets, query, answered } = this.#host.state;
    const order = this.#host.facets?.split(',').map((key) => key.trim());
    if (answered !== this.#query) this.#shown = new Map();
    this.#query = answered;
    const rows = rowsOf(facets ?? [], this.#chosen, query !== '', order, { values: this.#shown, open: this.#open });
    this.#shown = new Map(rows.map(({ key, values }) => [key, values.map(({ value }) => value)]));
    const fresh = facetRows(
      rows,
      this.#chosen,
      (key, chosen) => this.#choose(key, chosen),
      this.#open,
      (key) => this.#toggle(key),
    );
    const { text, kind } = kindFilter(query);
    if (kind) {
      const row = { key: 'kind:', label: 'kind', values: [{ value: kind, label: kind }], cut: 0 };
      const chosen = new Map([[row.key, new Set([kind])]]);
      const remove = (): void => this.#host.search.submit(text);
      fresh.unshift(...facetRows([row], chosen, remove, new Set(), () => {}));
    }
    this.bar.hidden = fresh.length === 0;
    replaceKeepingFocus(this.bar, fresh);
  }

  #toggle(key: string): void {
    if (!this.#open.delete(key)) this.#open.add(key);
    this.update();
  }

  #choose(key: string, chosen: ReadonlySet<string>): void {
    this.#chosen.set(key, chosen);
    this.update();
    const filters = [...this.#chosen].map(([name, values]): [string, string[]] => [name, [...values]]);
    this.#narrow(Object.fromEntries(filters));
  }
}

/**
 * Rows worth showing: filters with something to choose, of those named in `order`, whatever was chosen, and what was shown
 * before, which keeps its place: to choose a value leaves fewer of the others, and they must not move under the pointer.
 * Pure.
 */
export function rowsOf(
  facets: readonly Facet[],
  chosen: ReadonlyMap<string, ReadonlySet<string>>,
  asked: boolean,
  order?: readonly string[],
  kept: Kept = NOTHING_KEPT,
): { key: string; label: string; values: Choice[]; cut: number }[] {
  const inUse = [...chosen].filter(([, values]) => values.size > 0).map(([key]) => key);
  const keys = order ?? [...kept.values.keys(), ...facets.map(({ key }) => key)];
  return [...new Set(asked ? [...keys, ...inUse] : [])].flatMap((key) => {
    const most = kept.open.has(key) ? ALL_VALUES : MOST_VALUES;
    const own = chosen.get(key) ?? new Set();
    const before = (kept.values.get(key) ?? []).slice(0, most);
    const counts = new Map(facets.find((facet) => facet.key === key)?.values.map(({ value, pages }) => [value, pages]));
    const others = [...counts]
      .filter(([value]) => !before.includes(value))
      .sort(([, a], [, b]) => b - a)
      .map(([value]) => value);
    const common = others.slice(0, Math.max(0, most - before.length));
    const added = [...new Set([...common, ...own])].filter((value) => !before.includes(value));
    const shown = [...before, ...added.sort((a, b) => a.localeCompare(b))];
    if (before.length === 0 && shown.length < 2 && own.size === 0) return [];
    const label = key.charAt(0).toLocaleUpperCase() + key.slice(1);
    const values = shown.map((value) => ({ value, label: value, count: counts.get(value) ?? 0 }));
    return [{ key, label, values, cut: others.filter((value) => !shown.includes(value)).length }];
  });
}
