/**
 * What search costs a whole site: the processor time (user and system, of all processes, Node's start included)
 * and output of `sheaf site`, with the native packer and with the module where it is built, and of Pagefind on the
 * same pages in the same run. They take turns, so that a busy machine slows all of them; medians are printed.
 *
 *   node tests/bench/site.mjs [--runs 5] [--only native,module,pagefind] [DIR]
 *
 * DIR is PostgreSQL's manual by default (Debian's postgresql-doc-15). Pagefind is what tests/loading/peer pins, installed
 * below build/loading. Needs bash.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installed, pagefindVersion } from '../loading/pagefind.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5' }, only: { type: 'string' } },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs ${values.runs}: expected a whole number from 1 on`);
const pages = resolve(positionals[0] ?? '/usr/share/doc/postgresql-doc-15/html');
if (!existsSync(pages)) throw new Error(`${pages} is not there; install postgresql-doc-15 or name a folder of pages`);

const sheaf = [process.execPath, join(root, 'dist/cli/main.js'), 'site'];
const native = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
const candidates = {
  native: {
    label: 'Sheaf, native packer',
    output: 'sheaf',
    missing: existsSync(native) ? undefined : `${native} is not built`,
    command: (site) => [...sheaf, site],
    env: { SHEAF_PACK: native },
  },
  module: {
    label: 'Sheaf, WebAssembly packer',
    output: 'sheaf',
    missing: existsSync(join(root, 'dist/browser/packer/sheaf-packer.wasm')) ? undefined : 'dist/browser/packer is not built',
    command: (site) => [...sheaf, site],
    env: { SHEAF_PACK: 'module' },
  },
  pagefind: {
    label: `Pagefind ${pagefindVersion()}`,
    output: 'pagefind',
    command: (site) => [process.execPath, join(pagefind, 'lib/runner/bin.cjs'), '--site', site],
    env: {},
  },
};
const wanted = values.only?.split(',') ?? Object.keys(candidates);
for (const name of wanted) {
  if (!(name in candidates)) throw new Error(`--only ${name}: expected ${Object.keys(candidates).join(', ')}`);
  const { label, missing } = candidates[name];
  if (missing) console.log(`${label}: left out, ${missing}`);
}
const chosen = wanted.map((name) => candidates[name]).filter(({ missing }) => missing === undefined);
const pagefind = wanted.includes('pagefind') ? await installed(join(root, 'build/loading')) : '';

const work = mkdtempSync(join(tmpdir(), 'sheaf-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

/** Bash says what a command and all that it waited for took. */
function measure({ command, env, label, output }) {
  const site = join(work, 'site');
  cpSync(pages, site, { recursive: true, dereference: true });
  const script = 'TIMEFORMAT="%U %S %R"; { time "$@" > "$0" 2>&1; } 2>&1';
  const log = join(work, 'log');
  const { status, stdout } = spawnSync('bash', ['-c', script, log, ...command(site)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', ...env },
  });
  if (status !== 0) throw new Error(`${label} ended with ${status}: ${stdout}`);
  const [user, system, wall] = stdout.trim().split(/\s+/).map(Number);
  const bytes = sizeOf(join(site, output));
  rmSync(site, { recursive: true });
  return { processor: user + system, wall, bytes };
}

const sizeOf = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];

const measured = chosen.map(() => []);
for (let run = 0; run < runs; ++run) chosen.forEach((one, i) => measured[i].push(measure(one)));
const rows = [['', 'processor', 'from - to', 'wall', 'written']];
chosen.forEach(({ label }, i) => {
  const processor = measured[i].map((one) => one.processor);
  rows.push([
    label,
    `${median(processor).toFixed(2)} s`,
    `${Math.min(...processor).toFixed(2)} - ${Math.max(...processor).toFixed(2)} s`,
    `${median(measured[i].map((one) => one.wall)).toFixed(2)} s`,
    `${(measured[i][0].bytes / 1e6).toFixed(2)} MB`,
  ]);
});
const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
console.log(`${pages}, ${runs} runs each`);
for (const row of rows) console.log(row.map((cell, i) => cell[i ? 'padStart' : 'padEnd'](widths[i])).join('  '));
