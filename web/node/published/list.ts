/**
 * What a site publishes for its search: the list `sheaf/site.json`, which `sheaf site` writes beside a site's pages. All of
 * it is a stranger's text.
 *
 * Idea: the list names every bundle, one for each version and language, by file names with the hash of their content. So
 * whoever has the address of a page can find the site's search, and read of it by range.
 *
 * Invariant: a bundle lies in the folder of its list, whatever the list says. Pure.
 */
import { isVersion } from '../../browser/client/names.js';
import { LIST } from '../../browser/client/successor.js';

/** Name of the folder of the search within a site. */
export const FOLDER = 'sheaf';
export const MAX_LIST = 1024 * 1024;
const MOST_BUNDLES = 500;
const MOST_FOLDERS = 8;

export interface PublishedBundle {
  /** May end in `#pieces`, as the client reads addresses (web/browser/client/fetch_source.ts). */
  src: string;
  encoder: string | undefined;
  /** Undefined where the site has one version, or one language. */
  version: string | undefined;
  language: string | undefined;
}

/** Whether an address is that of a list. */
export function isList(url: URL): boolean {
  return url.pathname.endsWith(`/${LIST}`);
}

/** Address of the site's folder, from that of its list. */
export function siteOf(list: URL): URL {
  return new URL('..', list);
}

/** Where the list may be: beside a page, and in every folder above. */
export function listAddresses(page: URL): URL[] {
  const addresses: URL[] = [];
  for (let folder = new URL('.', page); addresses.length < MOST_FOLDERS; folder = new URL('..', folder)) {
    addresses.push(new URL(`${FOLDER}/${LIST}`, folder));
    if (folder.pathname === '/') break;
  }
  return addresses;
}

/** The bundles of a list, as it orders them; undefined for a text that is no list, or names none. */
export function bundlesIn(text: string, list: URL): PublishedBundle[] | undefined {
  let sites: unknown;
  try {
    ({ sites } = (JSON.parse(text) ?? {}) as { sites?: unknown });
  } catch {
    return undefined;
  }
  if (!Array.isArray(sites)) return undefined;
  const folder = new URL('.', list).href;
  const inFolder = (name: unknown): string | undefined => {
    if (typeof name !== 'string' || !URL.canParse(name, folder)) return undefined;
    const { href } = new URL(name, folder);
    return href.startsWith(folder) ? href : undefined;
  };
  const found: PublishedBundle[] = [];
  for (const site of sites.slice(0, MOST_BUNDLES) as (Record<string, unknown> | null)[]) {
    const src = inFolder(site?.['src']);
    if (src === undefined) continue;
    const { version, language } = site as Record<string, unknown>;
    found.push({
      src,
      encoder: inFolder(site?.['encoder']),
      version: typeof version === 'string' && isVersion(version) ? version : undefined,
      language: typeof language === 'string' && /^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(language) ? language : undefined,
    });
  }
  return found.length === 0 ? undefined : found;
}

/**
 * A version of the library for each bundle: the site's version, with the language behind it (`2.0-de`) where the version
 * comes in several and it is not the first choice: English, else the first of the list. `own`: what the bundles
 * themselves say, for a site of one version.
 */
export function versionNames(bundles: readonly PublishedBundle[], own: string): string[] {
  const plain = bundles.map(({ version }) => version ?? own);
  const main = new Map<string, PublishedBundle>();
  for (const [i, bundle] of bundles.entries()) {
    const name = plain[i] as string;
    if (!main.has(name) || (isEnglish(bundle) && !isEnglish(main.get(name) as PublishedBundle))) main.set(name, bundle);
  }
  return bundles.map((bundle, i) => {
    const name = plain[i] as string;
    return main.get(name) === bundle ? name : `${name}-${bundle.language ?? i + 1}`;
  });
}

function isEnglish({ language = '' }: PublishedBundle): boolean {
  return /^en\b/i.test(language);
}
