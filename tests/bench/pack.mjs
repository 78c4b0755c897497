/**
 * How much processor time packing documentation takes and how large the bundle is, beside the floor of reading and
 * compressing the same files with gzip -9 on one thread. Needs bash. Corpora: PostgreSQL's manual (Debian's
 * postgresql-doc-15) and, where they lie beside the repository, the development corpora.
 *
 *   node tests/bench/pack.mjs
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');
const corpora = [
  ['postgresql', '/usr/share/doc/postgresql-doc-15/html'],
  ['vue', join(shared, 'corpora/vue')],
  ['rust-book', join(shared, 'corpora/rust-book')],
];

const work = mkdtempSync(join(tmpdir(), 'sheaf-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const files = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((e) => e.isFile() && /\.(md|mdx|rst|txt|html?|ipynb)$/i.test(e.name))
    .map((e) => join(e.parentPath ?? e.path, e.name));
const seconds = (begun) => Number(process.hrtime.bigint() - begun) / 1e9;
const best = (times, run) => Math.min(...Array.from({ length: times }, run));

const rows = [
  ['corpus', 'pages', 'source', 'pack', 'pages/s', 'MB/s', 'without vectors', 'gzip -9 floor', 'bundle', 'a page', 'of source'],
];
for (const [name, folder] of corpora) {
  if (!existsSync(folder)) {
    console.log(`${name}: skipped, ${folder} is not there`);
    continue;
  }
  const list = files(folder);
  const bytes = list.reduce((sum, file) => sum + statSync(file).size, 0);
  const bundle = join(work, `${name}.sheaf`);
  let report;
  const pack = (extra) =>
    best(3, () => {
      const flags = ['-o', bundle, '--library', name, '--version', 'bench', '--quiet', '--json', ...extra];
      const script = 'TIMEFORMAT="%U %S"; time "$@"';
      const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', packer, 'pack', folder, ...flags], {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C' },
      });
      if (status !== 0 && status !== 3) throw new Error(stderr);
      report = JSON.parse(stdout);
      const [user, system] = stderr.trim().split('\n').pop().split(' ').map(Number);
      return user + system;
    });
  const keyword = pack(['--encoder', 'none']);
  const full = pack([]);
  const size = statSync(bundle).size;
  const floor = best(1, () => {
    const begun = process.hrtime.bigint();
    for (const file of list) gzipSync(readFileSync(file), { level: 9 });
    return seconds(begun);
  });
  const pages = report.pages ?? report.counts?.pages ?? list.length;
  rows.push([
    name,
    pages,
    `${(bytes / 1e6).toFixed(2)} MB`,
    `${full.toFixed(2)} s`,
    Math.round(pages / full),
    (bytes / 1e6 / full).toFixed(1),
    `${keyword.toFixed(2)} s`,
    `${floor.toFixed(2)} s`,
    `${(size / 1e6).toFixed(3)} MB`,
    `${Math.round(size / pages)} B`,
    (size / bytes).toFixed(3),
  ]);
}
const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => String(row[i]).length)));
for (const row of rows) console.log(row.map((cell, i) => String(cell)[i ? 'padStart' : 'padEnd'](widths[i])).join('  '));
