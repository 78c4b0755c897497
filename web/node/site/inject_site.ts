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
import { readFile, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { writeAtomically } from '../base/files.js';
import { pathOnHost, statedBase } from './base_url.js';
import { ENTRY, FOLDER, walk } from './deploy.js';
import { isHtml, pathBelow } from './files.js';
import { baseHref, folderOf, injected } from './inject.js';

export interface Injected {
  injected: string[];
  skipped: { path: string; why: string }[];
}

export interface InjectOptions {
  /** Where the site is on the web, if that was said. */
  baseUrl?: string | undefined;
  /** Receives the number of pages done, and of all pages. */
  progress?: (done: number, all: number) => void;
}

export async function injectAll(site: string, { baseUrl, progress }: InjectOptions = {}): Promise<Injected> {
  const result: Injected = { injected: [], skipped: [] };
  const stated = baseUrl ?? (await statedBase(site));
  const files = (await walk(site)).filter(isHtml);
  for (const [i, file] of files.entries()) {
    progress?.(i, files.length);
    const path = pathBelow(site, file);
    if (path.startsWith(`${FOLDER}/`)) continue;
    const isErrorPage = /(^|\/)404\.html?$/i.test(path);
    const addressIn = async (html: string): Promise<string> => {
      const base = baseHref(html) ?? '';
      const isFixed = isErrorPage || /^(\/|[a-z][a-z0-9+.-]*:)/i.test(base);
      return isFixed ? `${await pathOnHost(site, html, stated)}${FOLDER}/${ENTRY}` : scriptAddress(path, base);
    };
    const why = await injectFile(file, addressIn);
    if (why === undefined) result.injected.push(path);
    else result.skipped.push({ path, why });
  }
  progress?.(files.length, files.length);
  result.injected.sort();
  return result;
}

/** Address of the entry script from a page, given by its path below the site; `base` is its relative `<base>`. Pure. */
export function scriptAddress(path: string, base = ''): string {
  const folder = posix.join('/', posix.dirname(path), folderOf(base));
  return posix.join(posix.relative(folder, '/') || '.', FOLDER, ENTRY).replace(/^(?!\.)/, './');
}

/** Why the page was left alone, or undefined. */
async function injectFile(file: string, addressIn: (html: string) => Promise<string>): Promise<string | undefined> {
  const stats = await stat(file).catch(ifUnreadable);
  const before = await readFile(file).catch(ifUnreadable);
  if (typeof stats === 'string') return stats;
  if (typeof before === 'string') return before;
  const html = before.toString('latin1');
  const done = injected(html, await addressIn(html));
  if ('skipped' in done) return done.skipped;
  if (done.html === html) return undefined;
  await writeAtomically(file, Buffer.from(done.html, 'latin1'), { mode: stats.mode, isDurable: false });
  return undefined;
}

/** Why: a builder may take a page away between listing and reading. */
function ifUnreadable(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'it is gone';
  if (error.code === 'EACCES' || error.code === 'EPERM') return 'it may not be read';
  throw error;
}
