/**
 * The part of an adapter that runs in the reader's page: where a hit leads within a client-side router,
 * and which part of a site (a language, a version) a search keeps to. No DOM but for what is passed in.
 */

/** Address of the search's script below a site's base; `sheaf site` writes it. */
export const ENTRY_PATH = 'sheaf/sheaf.js';

/** Of a hit; `lang` is there where each language has a bundle of its own. */
type Keeps = (hit: { url: string; lang?: string | undefined }) => boolean;

/** What adapters need of `<sheaf-search>`; `sheaf/ui` has the whole type. */
export interface SearchElement extends HTMLElement {
  filter: Keeps | undefined;
  close(): void;
}

/**
 * Keeps a site's search to one of its parts. `parts` are paths that end in '/': where one holds another
 * (`/docs/` and `/docs/1.0/`), a page belongs to the longest. Pages outside of all parts are always kept.
 * Undefined when there is nothing to choose. Pure.
 */
export function keepTo(part: string, parts: readonly string[]): Keeps | undefined {
  if (!parts.some((other) => other !== part)) return undefined;
  const sorted = [...parts].sort((a, b) => b.length - a.length);
  return ({ url }) => {
    const path = new URL(url, 'http://site').pathname;
    const own = sorted.find((prefix) => path.startsWith(prefix) || `${path}/` === prefix);
    return own === undefined || own === part;
  };
}

/**
 * The same where parts are languages. Keeps hits in another language than the page's (`language()`, the tag of
 * `<html lang>`): they are there because the reader chose that language in the box. Pure.
 */
export function keepToLanguage(part: string, parts: readonly string[], language: () => string): Keeps | undefined {
  const keeps = keepTo(part, parts);
  const plain = (tag: string): string => tag.toLowerCase().replace(/[-_].*/s, '');
  return keeps && ((hit) => keeps(hit) || (hit.lang !== undefined && plain(hit.lang) !== plain(language())));
}

/**
 * Path, anchor included, that a router is asked for; undefined when the browser should go itself: another
 * tab, another site, a page outside of `base`. The text fragment means nothing to routers and is cut off. Pure.
 */
export function routeOf(
  { url, newTab }: { url: string | undefined; newTab: boolean },
  here: string,
  base: string,
): string | undefined {
  if (url === undefined || newTab) return undefined;
  const target = new URL(url, here);
  if (target.origin !== new URL(here).origin || !target.pathname.startsWith(base)) return undefined;
  const anchor = target.hash.replace(/:~:.*$/s, '');
  return target.pathname + target.search + (anchor === '#' ? '' : anchor);
}

/** Sets the filter once the element is defined: before that, a property would hide the element's own. */
export async function applyFilter(element: SearchElement, filter: SearchElement['filter']): Promise<void> {
  await customElements.whenDefined('sheaf-search');
  element.filter = filter;
}

/**
 * The browser marks the words of a text fragment, as it does on a page that it loads. Called when the router
 * has brought the page. If the words are not found, or fragments are unsupported, the anchor still works.
 */
export function markWords(url: string): void {
  const fragment = new URL(url).hash;
  if (!fragment.includes(':~:')) return;
  const { state } = history;
  location.replace(fragment);
  history.replaceState(state, ''); // routers know their entries by their state
}

const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));

/** Once the router has scrolled to the anchor, which it may do a frame after the page is there. */
async function markWhenThere(url: string): Promise<void> {
  const { pathname } = new URL(url);
  for (let frame = 0; frame < 3; frame++) await nextFrame();
  if (isSamePage(location.pathname, pathname)) markWords(url);
}

/** A router may show a page with or without `.html`, or a slash, at its end. Pure. */
export function isSamePage(shown: string, asked: string): boolean {
  const plain = (path: string): string => path.replace(/\/$|\.html$/, '');
  return plain(shown) === plain(asked);
}

/** Lets `go` follow hits within the site, until it resolves; returns how to stop. `go` may be called with the path of the present page. */
export function followBy(element: SearchElement, base: string, go: (route: string) => unknown): () => void {
  const onSelect = (event: Event): void => {
    const { detail } = event as CustomEvent<{ url: string | undefined; newTab: boolean }>;
    const route = routeOf(detail, location.href, base);
    if (route === undefined || detail.url === undefined) return;
    const { url } = detail;
    event.preventDefault();
    element.close();
    void Promise.resolve(go(route)).then(() => markWhenThere(url));
  };
  element.addEventListener('sheaf-select', onSelect);
  return () => element.removeEventListener('sheaf-select', onSelect);
}
