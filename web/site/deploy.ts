/**
 * What `sheaf site` puts beside a built site, so that any static host serves search:
 *
 *   sheaf/sheaf.js              the one address that pages name; small, and never cached for long
 *   sheaf/code-HASH/…           component, client, worker and core, as built (dist/site)
 *   sheaf/NAME-HASH.sheaf       the bundle of the site's pages
 *   sheaf/SPACE-HASH.sheaf      the encoder table of the bundle's vector space
 *
 * Idea: all but sheaf.js carry the hash of their content in their names, so hosts and browsers may keep
 * them for ever; sheaf.js names the current ones. It is written last: until then readers get the old
 * search, whole. Files that nothing names any more are removed, a day after they were replaced, since
 * pages that are open in a browser still ask for them.
 *
 * Invariant: everything is written under another name and renamed.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAtomically } from '../host/config.js';
import { CliError, EXIT } from '../host/exit.js';

/** Name of the folder within a site. */
export const FOLDER = 'sheaf';
export const ENTRY = 'sheaf.js';

const CODE = fileURLToPath(new URL('../site/code/', import.meta.url));
const OLD_AFTER_MS = 24 * 60 * 60 * 1000;

export interface Deployed {
  /** Paths below the site, of everything that is served now. */
  files: { path: string; bytes: number }[];
  removed: string[];
}

export interface DeployOptions {
  /** The site's folder. */
  site: string;
  bundle: string;
  /** The encoder table; undefined for a search by words alone. */
  table: string | undefined;
}

export async function deploy({ site, bundle, table }: DeployOptions): Promise<Deployed> {
  const folder = join(site, FOLDER);
  await mkdir(folder, { recursive: true });
  const code = await placeCode(folder);
  const bundleName = await place(folder, bundle, 'site');
  const tableName = table === undefined ? undefined : await place(folder, table, basename(table, '.sheaf'));
  await writeAtomically(join(folder, ENTRY), entryScript({ code, bundle: bundleName, table: tableName }));
  const current = new Set([ENTRY, code, bundleName, ...(tableName === undefined ? [] : [tableName])]);
  return { files: await listed(site, folder, current), removed: await removeOld(folder, current) };
}

/** The script that pages load. It gives each `<sheaf-search>` without a source this site's own. Pure. */
export function entryScript({ code, bundle, table }: { code: string; bundle: string; table: string | undefined }): string {
  const settings = JSON.stringify({ src: bundle, ...(table === undefined ? {} : { encoder: table }) });
  return `// Made by sheaf site; made again on every run.
const here = new URL('.', import.meta.url);
const settings = { base: new URL('..', here).href };
for (const [name, file] of Object.entries(${settings})) settings[name] = new URL(file, here).href;
const furnish = (element) => {
  if (element.hasAttribute('src')) return;
  for (const [name, value] of Object.entries(settings)) if (!element.hasAttribute(name)) element.setAttribute(name, value);
};
const furnishAll = () => document.querySelectorAll('sheaf-search').forEach(furnish);
furnishAll();
new MutationObserver(furnishAll).observe(document.documentElement, { childList: true, subtree: true });
await import(new URL('${code}/ui/index.js', here).href);
`;
}

/** Copies dist/site/code under the hash of all of it. */
async function placeCode(folder: string): Promise<string> {
  const files = await walk(CODE).catch(() => []);
  if (files.length === 0) throw new CliError(EXIT.FAILURE, `The component's code is missing in ${CODE}; build it: npm run build`);
  const hash = createHash('sha256');
  for (const file of files) hash.update(relative(CODE, file)).update('\0').update(await readFile(file));
  const name = `code-${hash.digest('hex').slice(0, 12)}`;
  const target = join(folder, name);
  if (await stat(target).catch(() => undefined)) {
    await touch(target);
    return name;
  }
  const temporary = `${target}.${process.pid}.tmp`;
  await rm(temporary, { recursive: true, force: true });
  await cp(CODE, temporary, { recursive: true });
  await rename(temporary, target).catch(async (error: NodeJS.ErrnoException) => {
    await rm(temporary, { recursive: true, force: true });
    if (!['EEXIST', 'ENOTEMPTY'].includes(error.code ?? '')) throw error; // another run was first
  });
  return name;
}

/** Copies a file under `STEM-HASH.sheaf`. */
async function place(folder: string, file: string, stem: string): Promise<string> {
  const bytes = await readFile(file);
  const name = `${stem.replace(/[^\w.-]+/g, '-')}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.sheaf`;
  const target = join(folder, name);
  if (await stat(target).catch(() => undefined)) await touch(target);
  else await writeAtomically(target, bytes);
  return name;
}

/** In use again: its day begins anew. */
async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}

const OURS = /^(code-[0-9a-f]{12}|[\w.-]+-[0-9a-f]{12}\.sheaf)(\.\d+(\.[0-9a-z]+)?\.tmp)?$/;

async function removeOld(folder: string, current: ReadonlySet<string>): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(folder)) {
    if (current.has(name) || !OURS.test(name)) continue;
    const path = join(folder, name);
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
      files.push({ path: relative(site, file).split('\\').join('/'), bytes: (await stat(file)).size });
    }
  }
  return files;
}

/** Every file below a folder, sorted. */
export async function walk(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) found.push(join(entry.parentPath ?? (entry as unknown as { path: string }).path, entry.name));
  }
  return found.sort();
}
