/**
 * What `sheaf site` puts beside a built site, so that any static host serves search:
 *
 *   sheaf/sheaf.js              the one address that pages name; small, and never cached for long
 *   sheaf/site.json             what sheaf.js names now, for pages opened before a deploy, and the service worker
 *   sheaf/code-HASH/…           component, client, worker and core, as built (dist/node/site), with the rules of the bundles' languages
 *   sheaf/NAME-HASH.sheaf       the bundle of the site's pages, or one for each version and language
 *   sheaf/SPACE-HASH.sheaf      the encoder table of the bundle's vector space
 *   sheaf/NAME-HASH.pieces/…    the same bytes as either in small files, which any host serves (pieces.ts), beside it or in its place
 *   sheaf-offline.js            with `offline`: the service worker
 *   and for pages opened as files, what file_page.ts writes
 *
 * Idea: all but sheaf.js carry the hash of their content in their names, so hosts and browsers may cache
 * them forever; sheaf.js names the current ones. It is written last: until then readers get the old
 * search, whole. Files that nothing names any more are removed, a day after they were replaced, since
 * pages that are open in a browser still ask for them.
 *
 * Invariant: everything is written under another name and renamed.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashFile } from '../base/hash.js';
import { PIECES_ALONE } from '../../browser/client/fetch_source.js';
import { rulesOf } from '../../browser/client/languages.js';
import { CORE_FILE, languageFile } from '../client/paths.js';
import { LIST } from '../../browser/client/successor.js';
import { CliError, EXIT } from '../base/exit.js';
import { writeAtomically } from '../base/files.js';
import { discard, temporaryName } from '../base/leftovers.js';
import type { SiteSource } from '../../browser/page/begin.js';
import type { ReportTo } from '../../browser/page/report.js';
import type { BoxReport } from '../packer/packer.js';
import { entryScript } from './entry_script.js';
import { placeForFiles } from './file_page.js';
import { appearWhole, pathBelow, pathOf, touch } from './files.js';
import { ENTRY, OFFLINE_SCRIPT } from '../../browser/offline/store.js';
import { FOLDER } from '../published/list.js';
import { type Words, wordsIn } from './words.js';
import { placePieces } from './pieces.js';

export { ENTRY, FOLDER };

const CODE = fileURLToPath(new URL('./code/', import.meta.url));
/** What the component says in other languages than English: each page fetches its own. */
const LANGUAGES = fileURLToPath(new URL('../../browser/ui/languages/', import.meta.url));
const OFFLINE = fileURLToPath(new URL('./sheaf-offline.min.js', import.meta.url));
const OLD_AFTER_MS = 24 * 60 * 60 * 1000;

export interface Deployed {
  /** Paths below the site, of everything that is served now. */
  files: { path: string; bytes: number }[];
  removed: string[];
}

/** A bundle, and the part of the site it holds. */
export interface SiteBundle {
  file: string;
  version?: string | undefined;
  /** Folder of the version, below the site. */
  path?: string | undefined;
  language?: string | undefined;
  /** The language of its words, though it be the only one. */
  speaks?: string | undefined;
}

export type { ReportTo };

export interface DeployOptions {
  /** The site's folder. */
  site: string;
  /** At least one. */
  bundles: readonly SiteBundle[];
  /** The encoder table; undefined for a search by words alone. */
  table: string | undefined;
  /** Pages opened as files get search too. */
  file?: boolean;
  /** Keep the search in readers' browsers, for use without a network. */
  offline?: boolean | undefined;
  /** What browsers link to in which the search cannot run, from the site's folder; undefined: its start page. */
  fallback?: string | undefined;
  /** Where readers' questions are reported; undefined: nowhere. */
  report?: ReportTo | undefined;
  /** Who answers readers' questions: an address from the site's folder, or `browser`; undefined: nobody. */
  ask?: string | undefined;
  /** Texts and limits of the box. */
  box?: BoxReport | undefined;
  /** `beside`: pieces too, which any host serves. `only`: nothing else; not with `offline`. */
  pieces?: PiecesChoice;
  /** The table in pieces alone, whatever the bundles are in; not with `offline`. */
  tableInPieces?: boolean;
}

export type PiecesChoice = 'beside' | 'only' | 'none';

export async function deploy({
  site,
  bundles,
  table,
  file: forFilesToo = false,
  offline = false,
  fallback,
  report,
  ask,
  box,
  pieces = 'none',
  tableInPieces = pieces === 'only',
}: DeployOptions): Promise<Deployed> {
  const folder = join(site, FOLDER);
  await mkdir(folder, { recursive: true });
  const spoken = bundles.map(({ speaks, language }) => rulesOf(speaks ?? language ?? ''));
  const languages = [...new Set(spoken)].filter((each) => each !== undefined).sort();
  const code = await placeCode(folder, languages);
  const tableName = table === undefined ? undefined : await copyHashed(folder, table, basename(table, '.sheaf'));
  const sources: SiteSource[] = [];
  const stems = new Set<string>();
  for (const { file, version, path, language } of bundles) {
    const src = await copyHashed(
      folder,
      file,
      distinct(['site', version, language].filter((part) => part !== undefined).join('-'), stems),
    );
    sources.push({
      src,
      ...(tableName === undefined ? {} : { encoder: tableName }),
      ...(version === undefined ? {} : { version, path: `../${path}` }),
      ...(language === undefined ? {} : { language }),
    });
  }
  const sheaves = [...sources.map(({ src }) => src), ...(tableName === undefined ? [] : [tableName])];
  const forFiles = forFilesToo ? await placeForFiles(folder, sheaves, languages) : undefined;
  const inPieces: string[] = [];
  const isInPieces = (name: string): boolean => pieces !== 'none' || (tableInPieces && name === tableName);
  for (const name of sheaves.filter(isInPieces)) inPieces.push(await placePieces(folder, name));
  // The list has their names still: a page opened before the deploy looks for what replaced its bundle.
  const absent = sheaves.filter((name) => (name === tableName ? tableInPieces : pieces === 'only'));
  for (const name of absent) await rm(join(folder, name));
  const told = sources.map(({ src, encoder, ...source }) => ({
    ...source,
    src: addressOf(src, absent),
    ...(encoder === undefined ? {} : { encoder: addressOf(encoder, absent) }),
  }));
  const named = new Set([code, ...sheaves.filter((name) => !absent.includes(name))]);
  const files = [...(await listed(folder, folder, named)).map(({ path }) => path), ...absent];
  await writeAtomically(
    join(folder, LIST),
    `${JSON.stringify({ base: '..', offline, files, pieces: inPieces, sites: told }, undefined, 1)}\n`,
  );
  if (offline) await writeAtomically(join(site, OFFLINE_SCRIPT), await readFile(OFFLINE));
  else await rm(join(site, OFFLINE_SCRIPT), { force: true });
  const former = await readFile(join(folder, ENTRY), 'utf8').catch(() => '');
  await writeAtomically(
    join(folder, ENTRY),
    entryScript({
      code,
      sources: told,
      languages,
      file: forFiles,
      offline,
      fallback,
      report,
      ask,
      box,
      words: await wordsOf(bundles),
    }),
  );
  const extra =
    forFiles === undefined ? [] : [forFiles.code, ...Object.values(forFiles.pieces).map((each) => each.folder)];
  const current = new Set([ENTRY, LIST, ...named, ...inPieces, ...extra]);
  return { files: await listed(site, folder, current), removed: await removeOld(folder, current, former) };
}

async function wordsOf(bundles: readonly SiteBundle[]): Promise<Record<string, Words>> {
  const tags = new Set(bundles.flatMap(({ speaks = '', language = speaks }) => language || []));
  return Object.fromEntries(await Promise.all([...tags].sort().map(async (tag) => [tag, await wordsIn(tag)] as const)));
}

/** The client takes an address that ends so as read in pieces alone (web/browser/client/fetch_source.ts). */
const addressOf = (name: string, absent: readonly string[]): string =>
  absent.includes(name) ? name + PIECES_ALONE : name;

/** The stem as a file name, with a number where two versions would share it (`a/1.0`, `b/1.0`). */
function distinct(stem: string, taken: Set<string>): string {
  const clean = stem.replace(/[^\w.-]+/g, '-');
  let name = clean;
  for (let i = 2; taken.has(name); i++) name = `${clean}-${i}`;
  taken.add(name);
  return name;
}

/** Copies dist/node/site/code, with the component's words and the rules of these languages, under the hash of all of it. */
async function placeCode(folder: string, languages: readonly string[]): Promise<string> {
  const built = (await walk(CODE).catch(() => [])).map((file) => pathBelow(CODE, file));
  if (built.length === 0)
    throw new CliError(EXIT.FAILURE, `The component's code is missing in ${CODE}; build it: npm run build`);
  const from = new Map(built.map((name) => [name, join(CODE, name)]));
  from.set('core/sheaf-core.wasm', CORE_FILE); // the package has one copy
  for (const language of languages) from.set(`core/language-${language}.wasm`, languageFile(language));
  if (languages.length === 0) from.delete('client/language.js');
  for (const file of await walk(LANGUAGES).catch(() => []))
    if (file.endsWith('.js')) from.set(`client/languages/${pathBelow(LANGUAGES, file)}`, file); // where client/site.js looks
  const files = [...from].map(([name, file]) => ({ name, file })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const hash = createHash('sha256');
  for (const { file, name } of files)
    hash
      .update(name)
      .update('\0')
      .update(await readFile(file));
  const name = `code-${hash.digest('hex').slice(0, 12)}`;
  const target = join(folder, name);
  if (await areThere(files.map((each) => [each.file, join(target, each.name)]))) {
    await touch(target);
    return name;
  }
  await rm(target, { recursive: true, force: true });
  await appearWhole(target, async (whole) => {
    for (const each of files) {
      await mkdir(dirname(join(whole, each.name)), { recursive: true });
      await copyFile(each.file, join(whole, each.name));
    }
  });
  return name;
}

/** Copies a file under `STEM-HASH.sheaf`. */
async function copyHashed(folder: string, file: string, stem: string): Promise<string> {
  const name = `${stem.replace(/[^\w.-]+/g, '-')}-${(await hashFile(file)).slice(0, 12)}.sheaf`;
  const target = join(folder, name);
  if (await areThere([[file, target]])) {
    await touch(target);
    return name;
  }
  const temporary = temporaryName(target);
  try {
    await copyFile(file, temporary, constants.COPYFILE_FICLONE);
    await rename(temporary, target);
  } catch (error) {
    await discard(temporary);
    throw error;
  }
  return name;
}

/** Whether every copy is complete: a truncated one (full disk, interrupted restore) is copied again. */
async function areThere(copies: readonly (readonly [file: string, copy: string])[]): Promise<boolean> {
  for (const [file, copy] of copies) {
    const there = await stat(copy).catch(() => undefined);
    if (there === undefined || there.size !== (await stat(file)).size) return false;
  }
  return true;
}

const OURS = /^((code|file)-[0-9a-f]{12}|[\w.-]+-[0-9a-f]{12}\.(sheaf|pieces))(\.\d+(\.[0-9a-z]+)?\.tmp)?$/;

/** What the entry named until now (`former`) has its day before it. */
async function removeOld(folder: string, current: ReadonlySet<string>, former: string): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(folder)) {
    if (current.has(name) || !OURS.test(name)) continue;
    const path = join(folder, name);
    if (former.includes(name) || former.includes(name.replace(/\.pieces$/, '.sheaf'))) await touch(path);
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < OLD_AFTER_MS) continue;
    await rm(path, { recursive: true, force: true });
    removed.push(name);
  }
  return removed.sort();
}

async function listed(site: string, folder: string, current: ReadonlySet<string>): Promise<Deployed['files']> {
  const files: Deployed['files'] = [];
  for (const name of [...current].sort()) {
    const path = join(folder, name);
    for (const file of (await stat(path)).isDirectory() ? await walk(path) : [path]) {
      files.push({ path: pathBelow(site, file), bytes: (await stat(file)).size });
    }
  }
  return files;
}

/** Every file below a folder, sorted. */
export async function walk(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) found.push(pathOf(entry));
  }
  return found.sort();
}
