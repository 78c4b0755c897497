/**
 * Where a built site says that it will be served: its start page's canonical link.
 *
 * Pages with canonical links are known to the bundle by absolute addresses. With the site's own base URL on
 * record, the component moves hits to wherever the site is being read: a preview, a mirror, a folder. Without
 * it, every hit would lead to the published site.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { attribute } from './insertion_points.js';
import { baseHref, folderOf } from './inject.js';

/** The canonical address of DIR/index.html as a folder; `/` where it names none. */
export async function canonicalBase(site: string): Promise<string> {
  return (await statedBase(site)) ?? '/';
}

/** What the start page says; undefined where it names none. */
export async function statedBase(site: string): Promise<string | undefined> {
  return baseOf(await readFile(join(site, 'index.html'), 'utf8').catch(() => ''));
}

/**
 * The path on its host that the site lies below, with a slash at both ends: of what was `stated`, else
 * what a page's own links to files of the site tell (`/kiln/assets/app.js` where DIR has `assets/app.js`), else `/`.
 */
export async function pathOnHost(site: string, html: string, stated: string | undefined): Promise<string> {
  if (stated !== undefined) return new URL(stated, 'http://host/').pathname.replace(/(?<!\/)\/*$/, '/');
  for (const path of rootedLinks(html)) {
    for (let depth = 0; depth < path.length; depth++) {
      const file = await stat(join(site, ...path.slice(depth))).catch(() => undefined);
      if (file?.isFile()) return ['', ...path.slice(0, depth), ''].join('/');
    }
  }
  return '/';
}

const MOST_LINKS = 50;
const MOST_FOLDERS = 10;

/** Parts of the paths that a page links from the root of its host, by itself or through its `<base>`, as they are written. Pure. */
export function rootedLinks(html: string): string[][] {
  const base = baseHref(html) ?? '';
  const folder = isRooted(base) ? folderOf(base) : undefined;
  const links = [...html.matchAll(/\s(?:href|src)\s*=\s*["']?([^"'?#>\s]+)/gi)].map(([, link]) => link as string);
  return links
    .map((link) =>
      isRooted(link) ? link : folder === undefined || /^[a-z][a-z0-9+.-]*:|^\/\//i.test(link) ? '' : folder + link,
    )
    .filter((path) => path !== '')
    .slice(0, MOST_LINKS)
    .map((path) => path.split('/').filter(Boolean))
    .filter(
      (parts) => parts.length > 0 && parts.length <= MOST_FOLDERS && !parts.some((part) => /^\.+$|[\\\0]/.test(part)),
    );
}

/** An address from the root of its host. Pure. */
export function isRooted(address: string): boolean {
  return /^\/(?!\/)/.test(address);
}

/** Pure. */
export function baseOf(html: string): string | undefined {
  const text = html.replace(/<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '');
  const head = text.slice(0, /<\/head\s*>|<body\b/i.exec(text)?.index ?? text.length);
  for (const [link] of head.matchAll(/<link\b(?:[^<>"']|"[^"]*"|'[^']*')*>/gi)) {
    if (attribute(link, 'rel')?.toLowerCase() !== 'canonical') continue;
    const href = attribute(link, 'href') ?? '';
    if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return undefined;
    const url = new URL(href);
    const path = url.pathname.replace(/\/index(\.html?)?$/i, '/');
    return url.origin + (path.endsWith('/') ? path : `${path}/`);
  }
  return undefined;
}
