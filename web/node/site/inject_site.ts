/**
 * Puts the search into every page below a site.
 *
 * Pages are rewritten byte for byte but for the two insertion points: they are read as Latin-1, in which every byte is a
 * character, so a page of any encoding that holds ASCII comes out as it went in. Each keeps its mode. One page
 * is in memory at a time.
 *
 * Pages name the script relative to themselves, so that the site may move; but for 404.html, which hosts send for addresses
 * of any depth, and pages with a `<base>` of a fixed address: they name it from the root of the host (base_url.ts).
 */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { writeAtomically } from '../base/files.js';
import { pathOnHost, statedBase } from './base_url.js';
import { ENTRY, FOLDER, walk } from './deploy.js';
import { languageOf } from './collections.js';
import { isHtml, pathBelow } from './files.js';
import { baseHref, folderOf, injected, type InjectedPage, withoutSearch } from './inject.js';
import { type InjectChoice, type Place, placeFiles } from './place.js';
import { wordsIn } from './words.js';

/** Pages whose search stands in the same place. */
export interface PagesOfPlace {
  /** Undefined: none that is known. */
  theme?: string;
  /** `own`: in an element that the page has. */
  place: Place['kind'] | 'own';
  /** Why it is in no bar of the theme; a clause, or empty. */
  why: string;
  pages: number;
}

export interface Injected {
  injected: string[];
  /** Most pages first. */
  places: PagesOfPlace[];
  skipped: { path: string; why: string }[];
}

export interface InjectOptions {
  /** Where the site is on the web, if that was said. */
  baseUrl?: string | undefined;
  choice?: InjectChoice;
  /** Keys that open the search; by default the theme's. */
  keys?: string | undefined;
  /** Where readers without scripts go; by default a search of the web for the site, where its address is known. */
  fallback?: string | undefined;
  /** Receives the number of pages done, and of all pages. */
  progress?: (done: number, all: number) => void;
}

/** Letters in which a page names its language. */
const HEAD = 4096;

export async function injectAll(site: string, options: InjectOptions = {}): Promise<Injected> {
  const { baseUrl, progress, choice = 'auto', keys, fallback } = options;
  const result: Injected = { injected: [], places: [], skipped: [] };
  const rows = new Map<string, PagesOfPlace>();
  const placed = new Map<string, string>();
  const stated = baseUrl ?? (await statedBase(site));
  const files = (await walk(site)).filter(isHtml);
  for (const [i, file] of files.entries()) {
    progress?.(i, files.length);
    const path = pathBelow(site, file);
    if (path.startsWith(`${FOLDER}/`)) continue;
    const isErrorPage = /(^|\/)404\.html?$/i.test(path);
    const addressIn = async (html: string): Promise<string> => {
      const base = baseHref(html) ?? '';
      return isErrorPage || isFixed(base)
        ? `${await pathOnHost(site, html, stated)}${FOLDER}/${ENTRY}`
        : scriptAddress(path, base);
    };
    const done = await injectFile(file, async (html) => {
      const script = await addressIn(html);
      const words = await wordsIn(languageOf(html.slice(0, HEAD)));
      return injected(html, script, { choice, keys, home: homeOf(script, fallback, stated), words });
    });
    if ('skipped' in done) {
      result.skipped.push({ path, why: done.skipped });
      continue;
    }
    result.injected.push(path);
    const { place } = done;
    const { theme, kind = 'own', why = '' } = place ?? {};
    const key = `${theme?.name}\0${kind}`;
    const row = rows.get(key) ?? { ...(theme && { theme: theme.name }), place: kind, why, pages: 0 };
    row.pages++;
    if (rows.has(key)) continue;
    rows.set(key, row);
    if (place !== undefined && kind !== 'none') for (const [name, text] of placeFiles(place)) placed.set(name, text);
  }
  progress?.(files.length, files.length);
  result.injected.sort();
  result.places = [...rows.values()].sort((a, b) => b.pages - a.pages);
  await writePlaceFiles(site, placed);
  return result;
}

/** Takes the search out of every page below a site, and its folder away. Returns the pages that had it. */
export async function removeAll(site: string): Promise<string[]> {
  const pages: string[] = [];
  await rm(join(site, FOLDER), { recursive: true, force: true });
  for (const file of (await walk(site)).filter(isHtml)) {
    await injectFile(file, async (html) => {
      const before = withoutSearch(html);
      if (before !== html) pages.push(pathBelow(site, file));
      return { html: before };
    });
  }
  return pages.sort();
}

/** Writes files of places below a site's `sheaf`, by their names there. */
export async function writePlaceFiles(
  site: string,
  files: Iterable<readonly [name: string, text: string]>,
): Promise<void> {
  for (const [name, text] of files) {
    const file = join(site, FOLDER, name);
    await mkdir(dirname(file), { recursive: true });
    await writeAtomically(file, text, { isDurable: false });
  }
}

/** Whether an address says itself where it leads from any page. */
const isFixed = (address: string): boolean => /^(\/|[a-z][a-z0-9+.-]*:)/i.test(address);

/** Relative to the page, but for addresses on the web. */
function homeOf(
  script: string,
  fallback: string | undefined,
  stated: string | undefined,
): { search: string } | { link: string } {
  const root = script.slice(0, -`${FOLDER}/${ENTRY}`.length) || './';
  if (fallback !== undefined) return { link: isFixed(fallback) ? fallback : root + fallback };
  if (stated === undefined || !/^https?:/i.test(stated)) return { link: root };
  const { host, pathname } = new URL(stated);
  return { search: host + pathname.replace(/\/$/, '') };
}

/** Address of the entry script from a page, given by its path below the site; `base` is its relative `<base>`. Pure. */
export function scriptAddress(path: string, base = ''): string {
  const folder = posix.join('/', posix.dirname(path), folderOf(base));
  return posix.join(posix.relative(folder, '/') || '.', FOLDER, ENTRY).replace(/^(?!\.)/, './');
}

async function injectFile(
  file: string,
  inject: (html: string) => Promise<InjectedPage | { skipped: string }>,
): Promise<InjectedPage | { skipped: string }> {
  const stats = await stat(file).catch(ifUnreadable);
  const before = await readFile(file).catch(ifUnreadable);
  if (typeof stats === 'string') return { skipped: stats };
  if (typeof before === 'string') return { skipped: before };
  const html = before.toString('latin1');
  const done = await inject(html);
  if ('skipped' in done || done.html === html) return done;
  await writeAtomically(file, Buffer.from(done.html, 'latin1'), { mode: stats.mode, isDurable: false });
  return done;
}

/** Why: a builder may take a page away between listing and reading. */
function ifUnreadable(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'it is gone';
  if (error.code === 'EACCES' || error.code === 'EPERM') return 'it may not be read';
  throw error;
}
