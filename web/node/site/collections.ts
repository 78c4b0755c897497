/**
 * How a site's pages fall into bundles: one for each language (`<html lang>`) of each version (a folder). Readers
 * search one version and, at first, one language, and download no other.
 *
 * Idea: the packer gets a collection as the folder that holds all of its pages, and globs for the parts of that folder
 * that belong to others, as coarse as possible: `/de/` rather than each page. So the packer needs no
 * list of files, and new pages find their place.
 *
 * Cost: the first 4 KiB of every page.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { CliError, EXIT } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';
import { FOLDER, walk } from './deploy.js';
import { isHtml, pathBelow } from './files.js';
import { withoutEndSlashes } from '../base/slashes.js';

export interface Collection {
  /** Name of its folder; undefined for pages outside of all versions. */
  version: string | undefined;
  /** The version's folder with a slash behind it, below the site: `docs/1.0/`. */
  path: string | undefined;
  /** BCP 47 tag; undefined where no page names one, and with `languages: false`. */
  language: string | undefined;
  pages: number;
  /** Below the site, '' for all of it. */
  folder: string;
  /** The parts of the folder that belong to others. */
  exclude: string[];
}

export interface CollectOptions {
  /** Globs of folders below the site, each of which is a version: `*`, `v*`, `docs/*`. */
  versionDirs?: readonly string[];
  /** Whether languages get bundles of their own. Default true. */
  languages?: boolean;
}

const HEAD_BYTES = 4096;
const PAGES_A_TURN = 64;
/** More would not fit into a command line. */
const MOST_EXCLUDES = 2000;
const MOST_COLLECTIONS = 500;

interface SitePage {
  path: string;
  version: { name: string; path: string } | undefined;
  language: string | undefined;
}

/** At least one; the first is what a page outside of all of them would search. */
export async function collect(
  site: string,
  { versionDirs = [], languages = true }: CollectOptions,
): Promise<Collection[]> {
  const whole: Collection = {
    version: undefined,
    path: undefined,
    language: undefined,
    pages: 0,
    folder: '',
    exclude: [],
  };
  if (versionDirs.length === 0 && !languages) return [whole];
  const paths = (await walk(site)).map((file) => pathBelow(site, file)).filter(isPage);
  const matchers = versionDirs.map(folderMatcher);
  const pages = paths.map((path): SitePage => ({ path, version: versionOf(path, matchers), language: undefined }));
  const unused = versionDirs.filter(
    (_, i) => !paths.some((path) => versionOf(path, [matchers[i] as FolderMatcher]) !== undefined),
  );
  if (unused.length > 0) {
    const links = await linksAmong(site, unused);
    const flag = `--version-dir ${unused.join(' ')}`;
    const instead =
      links.length > 0
        ? `${links.join(', ')}: pages are of the folder that a link leads to; name that`
        : "expected a glob such as 'v*' or 'docs/*'";
    throw new CliError(EXIT.NOT_FOUND, `No folder with pages matches ${flag} below ${site}; ${instead}.`);
  }
  if (languages) await readLanguages(site, pages);
  const found = group(pages);
  if (found.length > MOST_COLLECTIONS) {
    const message = `${site} would fall into ${found.length} bundles, more than ${MOST_COLLECTIONS}; is --version-dir too wide?`;
    throw new CliError(EXIT.FAILURE, message);
  }
  return found.length > 0 ? found : [whole];
}

const isPage = (path: string): boolean =>
  isHtml(path) && !path.startsWith(`${FOLDER}/`) && !/(^|\/)404\.html$/.test(path);

/** `latest is a link to 2.0`, of the names that are links. */
async function linksAmong(site: string, names: readonly string[]): Promise<string[]> {
  const told = names.map(async (name) => {
    const target = await readlink(join(site, withoutEndSlashes(name))).catch(() => undefined);
    return target === undefined ? [] : [`${name} is a link to ${oneLine(target)}`];
  });
  return (await Promise.all(told)).flat();
}

type FolderMatcher = RegExp;

/** `docs/v*`: whole segments; `*` and `?` stay within one. */
function folderMatcher(glob: string): FolderMatcher {
  const clean = glob.replace(/^\.?\/+|\/+$/g, '');
  return new RegExp(
    `^${clean
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replace(/\*/g, '[^/]*')
      .replace(/\?/g, '[^/]')}/`,
  );
}

function versionOf(path: string, matchers: readonly FolderMatcher[]): SitePage['version'] {
  for (const matcher of matchers) {
    const folder = matcher.exec(path)?.[0];
    if (folder !== undefined) return { name: folder.slice(0, -1).split('/').pop() as string, path: folder };
  }
  return undefined;
}

/** Pages that name no language speak the commonest one. */
async function readLanguages(site: string, pages: SitePage[]): Promise<void> {
  const buffer = Buffer.alloc(HEAD_BYTES);
  for (const [i, page] of pages.entries()) {
    if (i % PAGES_A_TURN === PAGES_A_TURN - 1) await turn(); // `sheaf serve` answers meanwhile
    page.language = languageOf(beginning(join(site, page.path), buffer));
  }
  const counts = new Map<string, number>();
  for (const { language } of pages) if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  const commonest = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0];
  for (const page of pages) page.language ??= commonest;
}

/**
 * Empty where it cannot be read, or is gone: the packer says so. Synchronous, since a file opened by a promise takes
 * four times the processor time, more than all else that Node does for a site.
 */
function beginning(file: string, buffer: Buffer): string {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    return buffer.toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, 0));
  } catch {
    return '';
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

const HTML_LANG = /<html\b(?:[^<>"']|"[^"]*"|'[^']*')*?\slang\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/i;

/** The tag of `<html lang>`; all kinds of English are one language, since templates of one site often disagree. Pure. */
export function languageOf(html: string): string | undefined {
  const tag = HTML_LANG.exec(html.replace(/<!--[\s\S]*?(?:-->|$)/g, ''));
  const raw = (tag?.[1] ?? tag?.[2] ?? tag?.[3] ?? '').trim().replace(/_/g, '-');
  if (!/^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i.test(raw)) return undefined;
  try {
    const known = new Intl.Locale(raw);
    return known.language === 'en' ? 'en' : known.toString();
  } catch {
    return undefined;
  }
}

function group(pages: readonly SitePage[]): Collection[] {
  const groups = new Map<string, SitePage[]>();
  for (const page of pages) {
    const key = JSON.stringify([page.version?.path, page.language]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [page]);
    else known.push(page);
  }
  const all = pages.map(({ path }) => path);
  const collections = [...groups.values()].map((own): Collection => {
    const { version, language } = own[0] as SitePage;
    const paths = own.map(({ path }) => path);
    const folder = groups.size === 1 ? '' : commonFolder(paths);
    const exclude = othersIn(folder, all, new Set(paths));
    return { version: version?.name, path: version?.path, language, pages: own.length, folder, exclude };
  });
  const byName = (a: string | undefined, b: string | undefined): number => ((a ?? '') < (b ?? '') ? -1 : 1);
  return collections.sort(
    (a, b) => byVersion(a.version, b.version) || b.pages - a.pages || byName(a.language, b.language),
  );
}

/** The deepest folder that holds all paths; '' for the top. */
function commonFolder(paths: readonly string[]): string {
  let common = (paths[0] as string).split('/').slice(0, -1);
  for (const path of paths) {
    const folders = path.split('/').slice(0, -1);
    const until = common.findIndex((folder, i) => folders[i] !== folder);
    if (until >= 0) common = common.slice(0, until);
  }
  return common.join('/');
}

/** Globs, from the site's root, of everything below `folder` but `own`: whole folders where they can be. */
export function othersIn(folder: string, all: readonly string[], own: ReadonlySet<string>): string[] {
  const start = folder === '' ? 0 : folder.split('/').length;
  const mine = new Set<string>();
  for (const path of own) for (const above of foldersOf(path)) mine.add(above);
  const globs = new Set<string>();
  for (const path of all) {
    if (own.has(path) || (folder !== '' && !path.startsWith(`${folder}/`))) continue;
    const other = foldersOf(path)
      .slice(start)
      .find((above) => !mine.has(above));
    globs.add(`/${escapeGlob(other ?? path)}${other === undefined ? '' : '/'}`);
  }
  if (globs.size > MOST_EXCLUDES) {
    const message = `Pages of several languages lie side by side in ${globs.size} places, which is more than ${MOST_EXCLUDES}`;
    throw new CliError(
      EXIT.FAILURE,
      `${message}; put each language into a folder, or index all pages as one with --language none.`,
    );
  }
  return [...globs].sort();
}

/** `a/b/c.html`: `a`, `a/b`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}]/g, '\\$&');
}

const CURRENT = /^(latest|stable|current)$/i;
const UNFINISHED = /alpha|beta|\brc|dev|pre|next|nightly|canary|main|master|unreleased/i;

/** Names of what is current first, then numbers downwards, then what is being written, then other names, then no version. */
export function byVersion(a: string | undefined, b: string | undefined): number {
  return rankOf(a) - rankOf(b) || (b ?? '').localeCompare(a ?? '', 'en', { numeric: true });
}

function rankOf(version: string | undefined): number {
  if (version === undefined) return 4;
  if (CURRENT.test(version)) return 0;
  if (UNFINISHED.test(version)) return 2;
  return /\d/.test(version) ? 1 : 3;
}
