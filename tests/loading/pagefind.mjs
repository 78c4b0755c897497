/**
 * Pagefind on the same pages, by its own Node API.
 *
 * It is no dependency of the repository: `npm run loading` installs the version that peer/ pins below build/loading. (Its
 * lock file names the platforms whose packages were published when it was written; npm adds others by itself.)
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PEER = fileURLToPath(new URL('peer/', import.meta.url));

export const pagefindVersion = () => manifest(PEER).dependencies.pagefind;

/** The folder of the package, installed below `work` where it is not yet. */
export async function installed(work) {
  const folder = join(work, 'peer');
  const found = join(folder, 'node_modules/pagefind');
  const known = statSync(join(found, 'package.json'), { throwIfNoEntry: false }) && manifest(found).version;
  if (known !== pagefindVersion()) {
    await mkdir(folder, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) await copyFile(join(PEER, name), join(folder, name));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]);
  }
  return found;
}

const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

async function load(work) {
  const folder = await installed(work);
  return import(pathToFileURL(join(folder, manifest(folder).main)).href);
}

/**
 * Indexes every page below `site` as one English site and writes the index to `target`. Returns the bytes that a
 * host would need to keep for searching: its own user interfaces, which a page may do without, are not counted.
 */
export async function indexPages(site, target, { furniture, work }) {
  const { createIndex, close } = await load(work);
  try {
    const { index, errors } = await createIndex({ excludeSelectors: furniture, forceLanguage: 'en' });
    if (index === undefined) throw new Error(`Pagefind could not start: ${errors.join('; ')}`);
    complain(await index.addDirectory({ path: site }));
    complain(await index.writeFiles({ outputPath: target }));
  } finally {
    await close();
  }
  const entries = readdirSync(target, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && !/-(ui|highlight)\b|\.unknown\./.test(entry.name));
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

function complain({ errors }) {
  if (errors.length > 0) throw new Error(`Pagefind: ${errors.join('; ')}`);
}
