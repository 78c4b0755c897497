/**
 * `npm run quality`: packs the development collections, asks their judged queries through the
 * WASM core with `sheaf eval`, and rewrites tests/quality/results.csv (with its chart results.svg) and
 * per_query.csv: a change of ranking shows as a diff.
 *
 *   --check    compares with the checked-in tables instead and fails on a drop beyond noise (drops.mjs)
 *   --quick    the same on the sets of this repository alone: half a minute, for CI
 *   --peers    other search engines on the same queries (peers.mjs)
 *   --how-good ten of the questions, and the first three answers of four search engines: docs/how-good.md (how_good.mjs)
 *
 * Vue, the Rust book and Cranfield lie beside the repository in ../shared (or $SHEAF_SHARED); the sets of
 * tests/quality/sets ask documentation packages of Debian. What is not there is named and left out, and
 * keeps its rows in the table.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAtomically } from '../../dist/node/base/files.js';
import { chartOf, parseCsv } from './chart.mjs';
import { writeCranfield } from './cranfield.mjs';
import { findDrop } from './drops.mjs';
import { packedSets } from './sets/check.mjs';
import { writeTable } from './tables.mjs';

if (process.argv.includes('--peers')) {
  const { main } = await import('./peers.mjs');
  await main(process.argv.slice(2));
  process.exit();
}
if (process.argv.includes('--how-good')) {
  const { main } = await import('./how_good.mjs');
  process.exit(await main());
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');
const table = join(root, 'tests/quality/results.csv');
const perQueryTable = join(root, 'tests/quality/per_query.csv');
const quick = process.argv.includes('--quick');
const check = quick || process.argv.includes('--check');

const hasShared = !quick && existsSync(join(shared, 'eval')) && existsSync(join(shared, 'corpora'));
if (!hasShared && !quick) {
  const place = process.env.SHEAF_SHARED ? '$SHEAF_SHARED' : '../shared';
  console.log(`Vue, Rust book and Cranfield skipped: no evaluation sets in ${place} (they are not part of the product).`);
}

const work = mkdtempSync(join(tmpdir(), 'sheaf-quality-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');

function pack(input, name, flags = []) {
  const bundle = join(work, `${name}.sheaf`);
  const args = ['pack', input, '-o', bundle, '--library', name, '--version', 'dev', '--quiet', ...flags];
  execFileSync(packer, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return bundle;
}

function evaluate(bundle, queries, flags) {
  const args = [join(root, 'dist/cli/main.js'), 'eval', '--bundle', bundle, '--queries', queries, '--json', ...flags];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 }));
}

const MODES = [['keyword'], ['semantic'], ['hybrid'], ['hybrid', '--rrf']];
const labelOf = ([mode, ...flags]) => (flags.includes('--rrf') ? `${mode}-rrf` : mode);
const rows = [];
// nDCG@10 by set, query and mode, where the shipped encoder answers in all modes.
const perQuery = new Map();
function measure(set, bundle, queries, encoder, modes) {
  for (const [mode, ...flags] of modes) {
    const report = evaluate(bundle, queries, ['--mode', mode, ...flags]);
    const label = labelOf([mode, ...flags]);
    for (const [kind, s] of [['all', report.overall], ...Object.entries(report.kinds)]) {
      rows.push({ set, encoder, mode: label, kind, n: s.n, hit1: s.hit1, found5: s.found5, mrr10: s.mrr10, ndcg10: s.ndcg10 });
    }
    for (const q of modes === MODES ? report.queries : []) {
      const key = `${set},${q.id}`;
      perQuery.set(key, { set, id: q.id, kind: q.kind, ...perQuery.get(key), [label]: q.ndcg10 });
    }
    console.error(`${set.padEnd(16)} ${encoder.padEnd(16)} ${label.padEnd(11)} nDCG@10 ${report.overall.ndcg10.toFixed(3)}`);
  }
}

for (const set of hasShared ? ['vue', 'rust-book'] : []) {
  const queries = join(shared, `eval/${set}/queries.jsonl`);
  const folder = join(shared, `corpora/${set}`);
  measure(set, pack(folder, set), queries, 'static', MODES);
  if (!check) measure(set, pack(folder, `${set}-8bit`, ['--vector-bits', '8']), queries, 'static, 8 bits', [['semantic'], ['hybrid']]);
}
if (hasShared) {
  const { folder, file } = writeCranfield(join(shared, 'eval/cranfield'), work);
  // A whole abstract as one passage is what BM25 is usually measured on.
  measure('cranfield', pack(folder, 'cranfield', ['--encoder', 'none', '--passage-size', '4000']), file, 'none, whole', [['keyword']]);
  if (!check) measure('cranfield', pack(folder, 'cranfield-800'), file, 'static', [['keyword'], ['semantic'], ['hybrid']]);
}

// The repository's own sets, over documentation packages of Debian.
for (const { set, bundle } of packedSets(work)) measure(set.name, bundle, set.file, 'static', MODES);

const columns = ['set', 'encoder', 'mode', 'kind', 'n', 'hit1', 'found5', 'mrr10', 'ndcg10'];
const queryColumns = ['set', 'id', 'kind', ...MODES.map(labelOf)];

/** The graph against the flat scan, on a collection large enough to need one. Says whether its recall is as it should be. */
function measureGraph() {
  const manual = '/usr/share/doc/postgresql-doc-15/html';
  if (!existsSync(manual)) {
    console.error('postgresql graph: skipped, Debian package postgresql-doc-15 is not installed');
    return true;
  }
  if (!existsSync(join(root, 'build/native/build.ninja'))) {
    console.error('postgresql graph: skipped, build/native holds no native build; npm run build makes one');
    return true;
  }
  execFileSync('ninja', ['-C', join(root, 'build/native'), 'sheaf_recall'], { stdio: 'ignore' });
  const bundle = pack(manual, 'postgresql', ['--graph', 'always']);
  const recall = [join(root, 'build/native/sheaf_recall'), [bundle, join(root, 'models/minilm-l6-256.sheaf')]];
  try {
    console.error(`postgresql graph: ${execFileSync(...recall, { encoding: 'utf8' }).trim()}`);
    return true;
  } catch (error) {
    console.error(`postgresql graph: recall below 0.98: ${error.stdout}`);
    return false;
  }
}

if (check) {
  const tables = { results: parseCsv(readFileSync(table, 'utf8')), queries: parseCsv(readFileSync(perQueryTable, 'utf8')) };
  const whole = rows.filter((row) => row.kind === 'all');
  const queriesOf = (set) => [...perQuery.values()].filter((q) => q.set === set);
  const drops = whole.map((row) => findDrop(row, queriesOf(row.set), tables)).filter((drop) => drop !== undefined);
  for (const drop of drops) console.error(`DROP ${drop}`);
  console.log(`quality: ${whole.length - drops.length} passed, ${drops.length} failed`);
  // A check that compared nothing has not passed.
  if (whole.length === 0) {
    console.error('Nothing could be compared. The sets of this repository need: apt-get install python-pil-doc fish-common octave-doc');
  }
  const sound = quick || measureGraph();
  process.exit(drops.length > 0 || whole.length === 0 || !sound ? 1 : 0);
}
await writeTable(table, columns, rows);
await writeTable(perQueryTable, queryColumns, [...perQuery.values()]);
await writeAtomically(join(root, 'tests/quality/results.svg'), chartOf(parseCsv(readFileSync(table, 'utf8'))));
console.log(`Wrote ${table}, per_query.csv and results.svg`);
if (!measureGraph()) process.exitCode = 1;
