/**
 * The sites that loading is measured on, made ready below build/loading/NAME:
 *
 *   site/           a copy of the pages, with what `sheaf site` wrote into it
 *   pagefind/       what Pagefind writes for the same pages
 *   *.stamp.json    what each was made from and what came of it; made again only when that changed
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeAtomically } from '../../dist/node/base/files.js';
import { requirePacker } from '../native_packer.mjs';
import { indexPages, pagefindVersion } from './pagefind.mjs';

const run = promisify(execFile);
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const MAIN = join(root, 'dist/cli/main.js');

export const WORK = join(root, 'build/loading');
export const TABLE = join(root, 'models/minilm-l6-256.sheaf');

/** `furniture`: what Pagefind is told to leave out beyond nav, header and footer; Sheaf finds that by itself. */
export const SITES = {
  pg: {
    title: 'PostgreSQL manual',
    source: '/usr/share/doc/postgresql-doc-15/html',
    package: 'postgresql-doc-15',
    choose: (pages) => pages,
    furniture: ['.navheader', '.navfooter', '.toc'],
  },
  rust10k: {
    title: 'rust-doc, every third page',
    source: '/usr/share/doc/rust-doc/html',
    package: 'rust-doc',
    choose: (pages) => pages.filter((_, i) => i % 3 === 0).slice(0, 10_000),
    furniture: ['.sidebar', '.mobile-topbar', '.sub', '.out-of-band', '.srclink', '#menu-bar', '.nav-wrapper', '.nav-wide-wrapper'],
  },
};

/** Why a site cannot be made here, or undefined. */
export function whyNot(name) {
  const { source, package: debian } = SITES[name];
  return existsSync(source) ? undefined : `Debian package ${debian} is not installed (no ${source})`;
}

/** [{id, kind, query}] of a site. */
export function queriesOf(name) {
  const file = fileURLToPath(new URL(`queries/${name}.jsonl`, import.meta.url));
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Every `n`th query, so that all kinds stay in proportion. */
export const fewer = (queries, count) =>
  queries.filter((_, i) => Math.floor((i * count) / queries.length) !== Math.floor(((i - 1) * count) / queries.length));

/** The site's pages, sorted by the bytes of their relative paths (`LC_ALL=C sort`). */
function pagesOf({ source, choose }) {
  const found = readdirSync(source, { recursive: true })
    .filter((path) => path.endsWith('.html'))
    .map((path) => path.split('\\').join('/'));
  return choose(found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

/** Makes a site ready. Returns what the measurements need to know of it. */
export async function prepare(name, { pagefind = true, say = () => {} } = {}) {
  const site = SITES[name];
  const folder = join(WORK, name);
  const [pages, ours, theirs] = ['site', 'sheaf', 'pagefind'].map((part) => join(folder, `${part}.stamp.json`));
  const copied = await made(pages, digest(site.source, pagesOf(site).join('\n')), () => copyPages(site, join(folder, 'site'), say));
  const sheaf = await made(ours, digest(copied.digest, await codeDigest()), () => addSearch(join(folder, 'site'), name, say));
  const index = pagefind
    ? await made(theirs, digest(copied.digest, pagefindVersion(), site.furniture.join()), () => addPagefind(folder, site, say))
    : undefined;
  const files = sheaf.files.map(({ path }) => path);
  return {
    name,
    title: site.title,
    folder: join(folder, 'site'),
    pagefind: join(folder, 'pagefind'),
    bundle: files.find((path) => /\/site-[^/]*\.sheaf$/.test(path)),
    table: `${dirname(files.find((path) => /\/minilm[^/]*\.pieces\//.test(path))).replace(/\.pieces$/, '.sheaf')}#pieces`,
    client: await clientOf(join(folder, 'site'), files),
    worker: files.find((path) => /\/client\/worker\.js$/.test(path)),
    figures: {
      pages: copied.pages,
      sourceBytes: copied.bytes,
      indexed: sheaf.pages,
      passages: sheaf.passages,
      sheaf: bytesOf(sheaf.files),
      pagefind: index?.bytes,
    },
  };
}

const digest = (...parts) => createHash('sha256').update(parts.join('\0')).digest('hex');

/** What a stamp tells, after `make` where it tells of something else. */
async function made(stamp, wanted, make) {
  const known = await readFile(stamp, 'utf8').then(JSON.parse, () => undefined);
  if (known?.digest === wanted) return known;
  await rm(stamp, { force: true }); // what it describes is about to go
  const result = { digest: wanted, ...(await make()) };
  await writeAtomically(stamp, `${JSON.stringify(result)}\n`);
  return result;
}

async function copyPages(site, target, say) {
  const pages = pagesOf(site);
  say(`copying ${pages.length} pages of ${site.title}`);
  await rm(target, { recursive: true, force: true });
  let bytes = 0;
  for (const page of pages) {
    const to = join(target, page);
    await mkdir(dirname(to), { recursive: true });
    await copyFile(join(site.source, page), to);
    bytes += (await readFile(to)).length;
  }
  return { pages: pages.length, bytes };
}

/** Changes with everything that `sheaf site` puts beside a site or is made by. */
async function codeDigest() {
  const hash = createHash('sha256');
  for (const file of [await requirePacker(), TABLE, ...filesBelow(join(root, 'dist/node/site')), join(root, 'dist/cli/site.js')])
    hash.update(readFileSync(file));
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(js|wasm)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

async function addSearch(site, name, say) {
  say(`sheaf site, ${name}`);
  await rm(join(site, 'sheaf'), { recursive: true, force: true });
  const { stdout } = await run(process.execPath, [MAIN, 'site', site, '--name', name, '--json', '--quiet'], { maxBuffer: 1 << 28 });
  const { files, pages, passages } = JSON.parse(stdout);
  return { files, pages, passages };
}

async function addPagefind(folder, site, say) {
  say(`Pagefind, ${site.title}`);
  await rm(join(folder, 'pagefind'), { recursive: true, force: true });
  return { bytes: await indexPages(join(folder, 'site'), join(folder, 'pagefind'), { furniture: site.furniture, work: WORK }) };
}

/** The file of the deployed code that exports `open`: the library without the component. */
async function clientOf(site, files) {
  for (const path of files.filter((file) => /\/client\/[^/]+\.js$/.test(file))) {
    if (/\bexport\s*\{[^}]*\bas open\s*[,}]/.test(await readFile(join(site, path), 'utf8'))) return path;
  }
  throw new Error(
    `No file of the deployed code exports \`open\`; looked through ${files.filter((file) => file.endsWith('.js')).join(', ')}.`,
  );
}

function bytesOf(files) {
  const sum = (pattern) => files.filter(({ path }) => pattern.test(path)).reduce((total, { bytes }) => total + bytes, 0);
  return { bundle: sum(/\/site-[^/]*\.sheaf$/), table: sum(/\/minilm[^/]*\.pieces\//) };
}
