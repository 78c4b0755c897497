/** Packs tests/fixtures/docs with the native packer, for tests that need a real bundle. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirePacker } from '../native_packer.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

export const DOCS = path('../fixtures/docs');
export const QUERIES = path('../fixtures/docs-queries.jsonl');
export const TABLE = path('../../models/minilm-l6-256.sheaf');
export const MAIN = path('../../dist/cli/main.js');
export const BASE_URL = 'https://kiln.example/docs/';

/** A folder that is removed when the process ends. */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `sheaf-${name}-`));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })); // a child that ends may still write
  return folder;
}

/**
 * A folder with the fixture's pages and `count` others, made of invented words by a fixed rule. Its bundle is
 * large enough to be read by range.
 */
export function manyPages(folder, count = 400) {
  cpSync(DOCS, folder, { recursive: true });
  let state = 1;
  const random = (below) => (state = (state * 48271) % 2147483647) % below; // Lehmer's generator
  const syllables = ['ka', 'to', 'mi', 'ren', 'sol', 'vi', 'du', 'pra', 'lek', 'shu', 'on', 'fa'];
  const word = () => Array.from({ length: 2 + random(3) }, () => syllables[random(syllables.length)]).join('');
  const sentence = () => `${Array.from({ length: 8 + random(10) }, word).join(' ')}.`;
  const paragraph = () => Array.from({ length: 4 + random(5) }, sentence).join(' ');
  for (let i = 0; i < count; i++) {
    const title = `${word()} ${word()}`;
    writeFileSync(join(folder, `page-${i}.md`), `# ${title}\n\n${paragraph()}\n\n## ${word()}\n\n${paragraph()}\n`);
  }
  return folder;
}

/** Path of a fresh bundle of the fixture documentation: kiln 1.4.0. */
export async function packFixture(output, { docs = DOCS, library = 'kiln', version = '1.4.0', table = TABLE, options = [] } = {}) {
  const packer = await requirePacker();
  const args = [
    'pack',
    docs,
    '--library',
    library,
    '--version',
    version,
    '--base-url',
    BASE_URL,
    '--url-style',
    'clean',
    '--encoder-table',
    table,
    '-q',
    '-o',
    output,
    ...options,
  ];
  const { status, stderr } = spawnSync(packer, args, { encoding: 'utf8' });
  assert.equal(status, 0, `sheaf-pack failed: ${stderr}`);
  return output;
}

/** The encoder table without its other wordings, which databases do not ask. */
export async function plainTable(folder) {
  const [none, output] = [join(folder, 'none.txt'), join(folder, 'plain-table.sheaf')];
  writeFileSync(none, '');
  const { status, stderr } = spawnSync(await requirePacker(), ['table', TABLE, output, '--wordings', none], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return output;
}

/**
 * Two bundles below `root`, `first` and `second`, of the same pages; the second has one page more. `docs` is the
 * folder of the pages. Both bundles are too large to be read whole.
 */
export async function packTwice(root) {
  const docs = manyPages(join(root, 'docs'), 700);
  const options = ['--level', '3'];
  const first = await packFixture(join(root, 'first.sheaf'), { docs, options });
  writeFileSync(join(docs, 'glaze.md'), '# Glaze\n\nCeladon is a glaze for workers.\n');
  const second = await packFixture(join(root, 'second.sheaf'), { docs, options });
  return { docs, first, second };
}

/** The addresses of an open library's pages, sorted. */
export async function urlsOf(library) {
  const urls = [];
  for (let id = 0; id < library.info.pages; id++) urls.push((await library.page(id)).url);
  return urls.sort();
}

/** How a child process ended, and everything it printed. */
export function finish(child) {
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
