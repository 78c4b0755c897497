/**
 * How long one query takes in WebAssembly, by mode, beside the floor of one flat int8 scan of as
 * many rows in WebAssembly. Queries: the judged ones of Vue where they lie beside the repository,
 * else those of tests/fixtures. Warm: a first pass is not timed.
 *
 *   node tests/bench/query.mjs [--json]     --json: one line for each corpus, times in ms
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');
const judged = join(shared, 'eval/vue/queries.jsonl');
const queries = readFileSync(existsSync(judged) ? judged : join(root, 'tests/fixtures/docs-queries.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line).query);
const corpora = [
  ['postgresql', '/usr/share/doc/postgresql-doc-15/html'],
  ['vue', join(shared, 'corpora/vue')],
  ['fixture', join(root, 'tests/fixtures/docs')],
];

const json = process.argv.includes('--json');
const say = (text) => (json ? undefined : console.log(text));

const { open } = await import(pathToFileURL(join(root, 'dist/node/client/node.js')).href);
const scanner = spawnSync('ninja', ['-C', join(root, 'build/wasm'), 'sheaf-scan'], { encoding: 'utf8' });
let scan;
if (scanner.status === 0) {
  const { loadModule } = await import(pathToFileURL(join(root, 'dist/browser/client/load_module.js')).href);
  scan = await loadModule('scan', readFileSync(join(root, 'build/wasm/sheaf-scan.wasm')));
} else {
  say(`no floor: the scan could not be built: ${scanner.stdout?.slice(-300)}`);
}

const work = mkdtempSync(join(tmpdir(), 'sheaf-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const percentile = (times, p) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * p))];
const ms = (value) => value.toFixed(2);

for (const [name, folder] of corpora) {
  if (!existsSync(folder)) {
    say(`${name}: skipped, ${folder} is not there`);
    continue;
  }
  const bundle = join(work, `${name}.sheaf`);
  const packed = spawnSync(packer, ['pack', folder, '-o', bundle, '--library', name, '--version', 'bench', '--quiet'], {
    encoding: 'utf8',
  });
  if (packed.status !== 0 && packed.status !== 3) throw new Error(packed.stderr);
  const opened = performance.now();
  const library = await open(bundle);
  await library.search('warm up');
  const first = performance.now() - opened;
  let floor;
  if (scan) {
    scan.prepare(library.info.passages, library.info.dimensions);
    const times = Array.from({ length: 200 }, () => {
      const begun = performance.now();
      scan.scan();
      return performance.now() - begun;
    });
    floor = percentile(times, 0.5);
  }
  say(
    `\n${name}: ${library.info.pages} pages, ${library.info.passages} passages; open and first search ${first.toFixed(0)} ms${floor === undefined ? '' : `; flat scan floor ${ms(floor)} ms`}`,
  );
  const figures = {};
  for (const mode of ['keyword', 'semantic', 'hybrid']) {
    const times = [];
    for (let round = 0; round < 4; round++) {
      for (const query of queries) {
        const begun = performance.now();
        await library.search(query, { mode });
        if (round > 0) times.push(performance.now() - begun);
      }
    }
    const p50 = percentile(times, 0.5);
    figures[mode] = p50;
    say(
      `  ${mode.padEnd(8)} p50 ${ms(p50)} ms  p95 ${ms(percentile(times, 0.95))} ms${floor === undefined ? '' : `  ${(p50 / floor).toFixed(1)} × the scan`}`,
    );
  }
  if (json) console.log(JSON.stringify({ name, first, floor, p50: figures }));
  await library.close();
}
