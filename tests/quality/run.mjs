/**
 * `npm run quality`: packs the development collections, asks their judged queries through the
 * WASM core with `sheaf eval`, and rewrites tests/quality/results.csv: a change of ranking shows as a
 * diff. `--check` compares with the checked-in table instead and fails on a drop beyond noise.
 *
 * Vue, the Rust book and Cranfield lie beside the repository in ../shared (or $SHEAF_SHARED); the sets of
 * tests/quality/sets ask documentation packages of Debian. What is not there is named and left out, and
 * keeps its rows in the table.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packSet, readSet, setNames, whyNoPages } from './sets/check.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');
const table = join(root, 'tests/quality/results.csv');
const check = process.argv.includes('--check');
// One hit more or less among 80 queries moves nDCG by about .0125; a change of that size is noise.
const NOISE = 0.0125;

const hasShared = existsSync(join(shared, 'eval')) && existsSync(join(shared, 'corpora'));
if (!hasShared) console.log(`Vue, Rust book and Cranfield skipped: no evaluation sets in ${process.env.SHEAF_SHARED ? '$SHEAF_SHARED' : '../shared'} (they are not part of the product).`);

const work = mkdtempSync(join(tmpdir(), 'sheaf-quality-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');

function pack(input, name, flags = []) {
  const bundle = join(work, `${name}.sheaf`);
  execFileSync(packer, ['pack', input, '-o', bundle, '--library', name, '--version', 'dev', '--quiet', ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
  return bundle;
}

function evaluate(bundle, queries, flags) {
  const out = execFileSync(process.execPath, [join(root, 'dist/cli/main.js'), 'eval', '--bundle', bundle, '--queries', queries, '--json', ...flags], { encoding: 'utf8' });
  return JSON.parse(out);
}

// The Cranfield 1400 collection as a folder of pages and a file of judged queries.
function cranfield() {
  const source = join(shared, 'eval/cranfield');
  const read = (file) => readFileSync(join(source, file), 'latin1').replaceAll('\r', '');
  const folder = join(work, 'cranfield');
  mkdirSync(folder);
  const name = (id) => `${String(id).padStart(4, '0')}.md`;
  for (const record of read('cran.all.1400').split(/^\.I /m).slice(1)) {
    const id = parseInt(record, 10);
    const field = (letter) => (record.split(new RegExp(`^\\.${letter}\\n`, 'm'))[1] ?? '').split(/^\.[TABWI]/m)[0].replace(/\s+/g, ' ').trim();
    const title = field('T');
    const text = field('W');
    // The abstract repeats the title; a page has it once.
    const body = text.startsWith(title) ? text.slice(title.length) : text;
    writeFileSync(join(folder, name(id)), `---\ntitle: ${JSON.stringify(title || 'Untitled')}\n---\n\n${body.replace(/[<*_`#]/g, ' ').trim() || title || 'Untitled'}\n`);
  }
  const relevant = new Map();
  for (const line of read('cranqrel').split('\n')) {
    const [query, document, grade] = line.trim().split(/\s+/).map(Number);
    if (!query || grade === -1 || grade === 5) continue; // "of no interest"
    relevant.set(query, [...(relevant.get(query) ?? []), name(document)]);
  }
  const queries = read('cran.qry').split(/^\.I /m).slice(1).map((record, i) => ({
    id: `cran-${i + 1}`,
    query: record.split('.W\n')[1].replace(/\s+/g, ' ').trim(),
    kind: 'abstract',
    relevant: relevant.get(i + 1) ?? [],
  }));
  const file = join(work, 'cranfield.jsonl');
  writeFileSync(file, queries.filter((q) => q.relevant.length).map((q) => JSON.stringify(q)).join('\n') + '\n');
  return { folder, file };
}

const rows = [];
function measure(set, bundle, queries, encoder, modes) {
  for (const [mode, ...flags] of modes) {
    const report = evaluate(bundle, queries, ['--mode', mode, ...flags]);
    const label = flags.includes('--rrf') ? `${mode}-rrf` : mode;
    for (const [kind, s] of [['all', report.overall], ...Object.entries(report.kinds)]) {
      rows.push({ set, encoder, mode: label, kind, n: s.n, hit1: s.hit1, found5: s.found5, mrr10: s.mrr10, ndcg10: s.ndcg10 });
    }
    console.error(`${set.padEnd(16)} ${encoder.padEnd(16)} ${label.padEnd(11)} nDCG@10 ${report.overall.ndcg10.toFixed(3)}`);
  }
}

const MODES = [['keyword'], ['semantic'], ['hybrid'], ['hybrid', '--rrf']];
for (const set of hasShared ? ['vue', 'rust-book'] : []) {
  const queries = join(shared, `eval/${set}/queries.jsonl`);
  const folder = join(shared, `corpora/${set}`);
  measure(set, pack(folder, set), queries, 'static', MODES);
  if (!check) measure(set, pack(folder, `${set}-8bit`, ['--vector-bits', '8']), queries, 'static, 8 bits', [['semantic'], ['hybrid']]);
}
if (hasShared) {
  const { folder, file } = cranfield();
  // A whole abstract as one passage is what BM25 is usually measured on.
  measure('cranfield', pack(folder, 'cranfield', ['--encoder', 'none', '--passage-size', '4000']), file, 'none, whole', [['keyword']]);
  if (!check) measure('cranfield', pack(folder, 'cranfield-800'), file, 'static', [['keyword'], ['semantic'], ['hybrid']]);
}

// The repository's own sets, over documentation packages of Debian.
for (const set of setNames().map(readSet)) {
  const missing = whyNoPages(set);
  if (missing !== undefined) {
    console.log(`${set.name} skipped: ${missing}`);
    continue;
  }
  const bundle = join(work, `${set.name}.sheaf`);
  packSet(set, bundle);
  measure(set.name, bundle, set.file, 'static', MODES);
}

// The graph against the flat scan, on a collection large enough to need one.
{
  const manual = '/usr/share/doc/postgresql-doc-15/html';
  if (existsSync(manual)) {
    execFileSync('ninja', ['-C', join(root, 'build/native'), 'sheaf_recall'], { stdio: 'ignore' });
    const bundle = pack(manual, 'postgresql', ['--hnsw', 'always']);
    try {
      console.error(`postgresql graph: ${execFileSync(join(root, 'build/native/sheaf_recall'), [bundle, join(root, 'models/minilm-l6-256.sheaf')], { encoding: 'utf8' }).trim()}`);
    } catch (error) {
      console.error(`postgresql graph: recall below 0.98: ${error.stdout}`);
      process.exitCode = 1;
    }
  } else {
    console.error('postgresql graph: skipped, Debian package postgresql-doc-15 is not installed');
  }
}

const columns = ['set', 'encoder', 'mode', 'kind', 'n', 'hit1', 'found5', 'mrr10', 'ndcg10'];
const cell = (v) => (typeof v === 'number' && !Number.isInteger(v) ? v.toFixed(4) : /[",]/.test(String(v)) ? `"${v}"` : String(v));
const lines = rows.map((row) => columns.map((c) => cell(row[c])).join(','));
// What could not be measured here keeps its rows.
const measured = new Set(rows.map((row) => row.set));
const kept = existsSync(table) ? readFileSync(table, 'utf8').trim().split('\n').slice(1).filter((line) => !measured.has(line.split(',')[0])) : [];
const csv = [columns.join(','), ...lines, ...kept].join('\n') + '\n';

if (check) {
  const parse = (line) => line.match(/("[^"]*"|[^,]+)/g).map((c) => c.replace(/^"|"$/g, ''));
  const before = new Map(readFileSync(table, 'utf8').trim().split('\n').slice(1).map(parse).map((c) => [c.slice(0, 4).join('|'), Number(c[8])]));
  let drops = 0;
  for (const row of rows.filter((r) => r.kind === 'all')) {
    const expected = before.get([row.set, row.encoder, row.mode, row.kind].join('|'));
    if (expected === undefined || row.ndcg10 >= expected - NOISE) continue;
    console.error(`DROP ${row.set} ${row.encoder} ${row.mode}: nDCG@10 ${row.ndcg10.toFixed(4)}, the table says ${expected.toFixed(4)}`);
    drops += 1;
  }
  console.log(`quality: ${rows.filter((r) => r.kind === 'all').length - drops} passed, ${drops} failed`);
  process.exit(drops ? 1 : 0);
}
writeFileSync(table, csv);
console.log(`Wrote ${table}`);
