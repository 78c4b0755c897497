/**
 * Starts the search of a page: gives each `<sheaf-search>`, present or added later, what `sheaf site` knows, and
 * then defines the element. The order matters: a results page searches as soon as it is defined.
 *
 * An element with its own `src` or `sites` stays unchanged, and so does each attribute that its author wrote, except
 * those of `always`.
 */
import { SheafSearch } from '../ui/sheaf-search.js';
import type { ReportTo } from './report.js';

export interface BeginOptions {
  /** Attributes that replace the author's: an address that works on a host does not work in a folder. */
  always?: readonly string[];
}

/** Addresses are relative to the folder of sheaf.js. */
export interface SiteSource {
  src: string;
  encoder?: string;
  version?: string;
  path?: string;
  language?: string;
}

/** What the entry script knows: the site's bundle or bundles, and the script that stores the search for offline use. */
export type Settings = (Pick<SiteSource, 'src' | 'encoder'> | { sites: readonly SiteSource[] }) & {
  offline?: string;
  /** Where questions are reported. */
  report?: ReportTo;
  /** Who answers questions: an address from the site's folder, or `browser`. */
  ask?: string;
  /** The language whose rules every bundle needs. */
  rules?: string;
};

/** The attributes for these settings; `folder` is the address of sheaf.js's folder, with a trailing slash. Pure. */
export function attributesOf(settings: Settings, folder: string): [name: string, value: string][] {
  const absolute = ({ src, encoder, path }: Partial<SiteSource>): Record<string, string> => {
    const given = Object.entries({ src, encoder, path }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return Object.fromEntries(given.map(([name, file]) => [name, new URL(file, folder).href]));
  };
  const base = new URL('..', folder).href;
  const { ask } = settings;
  const given = { base, ...(ask && { ask: ask === 'browser' ? ask : new URL(ask, base).href }) };
  if (!('sites' in settings)) return Object.entries({ ...given, ...absolute(settings) });
  const sites = JSON.stringify(settings.sites.map((site) => ({ ...site, ...absolute(site) })));
  return Object.entries({ ...given, sites });
}

/** `folder` as for attributesOf. */
export function begin(settings: Settings, folder: string, { always = [] }: BeginOptions = {}): void {
  const attributes = attributesOf(settings, folder);
  const done = new WeakSet<Element>();
  const furnish = (element: Element): void => {
    if (done.has(element) || element.hasAttribute('src') || element.hasAttribute('sites')) return;
    done.add(element);
    for (const [name, value] of attributes) {
      if (always.includes(name) || !element.hasAttribute(name)) element.setAttribute(name, value);
    }
  };
  const furnishAll = (): void => document.querySelectorAll('sheaf-search').forEach(furnish);
  furnishAll();
  new MutationObserver(furnishAll).observe(document.documentElement, { childList: true, subtree: true });
  if (customElements.get('sheaf-search') === undefined) customElements.define('sheaf-search', SheafSearch);
}
