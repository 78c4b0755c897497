/**
 * BM25 on Cranfield against figures published for Lucene. README.md beside this file has them.
 *
 *   node tests/quality/reproduce/cranfield.mjs [--runs FOLDER]
 *
 * Sheaf's keyword search (a passage an abstract) and LanceDB's BM25, an implementation that shares no line with either,
 * are asked the 225 queries; measured are MAP@50, P@5 and nDCG@10 by binary relevance, every judged document relevant
 * (1,837, as trec_eval counts them). `--runs` names a folder with runs of Lucene in TREC's form (query Q0 document rank
 * score tag), which are measured alike. Needs ../shared (or $SHEAF_SHARED); stops with exit code 0 where it is missing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ndcgAt } from '../../../dist/node/eval/metrics.js';
import { open } from '../../../dist/node/client/node.js';
import { parseJudgments } from '../../../dist/node/eval/judgments.js';
import { writeCranfield } from '../cranfield.mjs';
import { installPeers } from '../peers/install.mjs';
import { FTS, importLance } from '../peers/lancedb.mjs';
import { mean } from '../statistics.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const source = join(process.env.SHEAF_SHARED ?? resolve(root, '../shared'), 'eval/cranfield');
const DEPTH = 50; // as deep as the published runs go

/** Average precision over the first DEPTH. Pure. */
export function averagePrecision(ranked, relevant) {
  let found = 0;
  let sum = 0;
  ranked.slice(0, DEPTH).forEach((page, index) => {
    if (relevant.has(page)) sum += ++found / (index + 1);
  });
  return relevant.size === 0 ? 0 : sum / relevant.size;
}

const precisionAt5 = (ranked, relevant) => ranked.slice(0, 5).filter((page) => relevant.has(page)).length / 5;

function report(name, rankings, queries) {
  const over = (measure) => mean(queries.map(({ relevant }, i) => measure(rankings[i], relevant))).toFixed(3);
  const measures = [averagePrecision, precisionAt5, (ranked, relevant) => ndcgAt(10, ranked, relevant)];
  console.log(`| ${[name, ...measures.map(over)].join(' | ')} |`);
}

/** Rankings of a run in TREC's form, one a query in their order. Pure. */
export function parseRun(text, count) {
  const rankings = Array.from({ length: count }, () => []);
  for (const line of text.trim().split('\n')) {
    const [query, , document] = line.split(/\s+/);
    rankings[Number(query) - 1]?.push(Number(document));
  }
  return rankings;
}

async function bySheaf(bundle, queries) {
  const library = await open(bundle, { encoder: false });
  try {
    const numbers = [];
    for (let page = 0; page < library.info.pages; page++) numbers.push(Number.parseInt((await library.page(page)).source, 10));
    const rankings = [];
    for (const { query } of queries) {
      const { hits } = await library.search(query, { mode: 'keyword', topK: DEPTH, prefix: false });
      rankings.push(hits.map((hit) => numbers[hit.page]));
    }
    return rankings;
  } finally {
    await library.close();
  }
}

/** Abstracts as one field, ranked by LanceDB's BM25 (k1 1.2, b 0.75, English stems and stop words). */
async function byLanceDb(folder, queries, work) {
  installPeers((text) => console.error(text));
  const lance = await importLance();
  const rows = readdirSync(folder).map((file) => {
    const [, title, body] = /^---\ntitle: (.*)\n---\n([\s\S]*)$/.exec(readFileSync(join(folder, file), 'utf8'));
    return { document: Number.parseInt(file, 10), content: `${JSON.parse(title)}\n${body}` };
  });
  const db = await lance.connect(join(work, 'lancedb'));
  const table = await db.createTable('cranfield', rows);
  await table.createIndex('content', { config: lance.Index.fts(FTS) });
  const rankings = [];
  for (const { query } of queries) {
    const found = await table.search(query, 'fts', ['content']).select(['document', '_score']).limit(DEPTH).toArray();
    rankings.push(found.map((row) => Number(row.document)));
  }
  return rankings;
}

async function main() {
  const { values } = parseArgs({ options: { runs: { type: 'string' } } });
  if (!existsSync(source)) return console.log(`Skipped: no Cranfield collection at ${source} (not part of the product).`);
  const work = mkdtempSync(join(tmpdir(), 'sheaf-cranfield-'));
  try {
    const { folder, file } = writeCranfield(source, work);
    const queries = parseJudgments(readFileSync(file, 'utf8'), file).map(({ query, relevant }) => {
      return { query, relevant: new Set(relevant.map((name) => Number.parseInt(name, 10))) };
    });
    const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
    const bundle = join(work, 'cranfield.sheaf');
    const flags = ['--library', 'cranfield', '--version', 'dev', '--quiet', '--encoder', 'none', '--passage-size', '4000'];
    execFileSync(packer, ['pack', folder, '-o', bundle, ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
    const judged = queries.reduce((sum, { relevant }) => sum + relevant.size, 0);
    console.log(`${queries.length} queries, ${judged} relevant documents\n\n| ranking | MAP@50 | P@5 | nDCG@10 |\n|---|---|---|---|`);
    report('Sheaf, keyword', await bySheaf(bundle, queries), queries);
    report('LanceDB, BM25', await byLanceDb(folder, queries, work), queries);
    for (const name of values.runs === undefined ? [] : readdirSync(values.runs).sort()) {
      report(`published run ${name}`, parseRun(readFileSync(join(values.runs, name), 'utf8'), queries.length), queries);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
