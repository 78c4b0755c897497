/**
 * `npm run quality -- --peers`: the same judged queries through Sheaf and through other search engines, one run, one table.
 * Rewrites tests/quality/peers.csv and prints nDCG@10 by kind.
 *
 *   --sets vue,fish     these sets alone       --only Sheaf,Pagefind     these search engines alone
 *
 * All search engines get the page texts and passages that Sheaf's packer extracts (peers/collections.mjs), and everything is
 * measured at page level by the measures of `sheaf eval`. Beside each one stands how far Sheaf's hybrid with
 * static queries is ahead, with the 95 % interval of a paired bootstrap over the queries. They are installed into
 * tests/quality/peers on demand. MiniLM's vectors need `sheaf model add all-MiniLM-L6-v2` and are kept
 * ($SHEAF_QUALITY_CACHE). What is missing is named and left out; its rows in the table stay.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hitAt, ndcgAt, reciprocalRankAt } from '../../dist/node/eval/metrics.js';
import { collectionNames, describeCollection, readCollection } from './peers/collections.mjs';
import { installPeers } from './peers/install.mjs';
import { lancedb } from './peers/lancedb.mjs';
import { minisearch } from './peers/minisearch.mjs';
import { pagefind } from './peers/pagefind.mjs';
import { REFERENCE, sheaf } from './peers/sheaf.mjs';
import { installedModel, MODEL } from './peers/vectors.mjs';
import { zbsearch } from './peers/zbsearch.mjs';
import { mean, pairedBootstrap } from './statistics.mjs';
import { writeTable } from './tables.mjs';

const TABLE = join(dirname(fileURLToPath(import.meta.url)), 'peers.csv');
const BUILDERS = { Sheaf: sheaf, MiniSearch: minisearch, ZBSearch: zbsearch, LanceDB: lancedb, Pagefind: pagefind };
export const COLUMNS = [
  'set',
  'engine',
  'setting',
  'records',
  'kind',
  'n',
  'hit1',
  'found5',
  'mrr10',
  'ndcg10',
  'lead_ndcg10',
  'lead_ndcg10_low',
  'lead_ndcg10_high',
  'lead_hit1',
  'lead_hit1_low',
  'lead_hit1_high',
];
const POOLED = 'all sets';

/** One query's measures, from its ranked pages. Pure. */
function scoreOf(query, ranked) {
  const { relevant } = query;
  return {
    hit1: hitAt(1, ranked, relevant),
    found5: hitAt(5, ranked, relevant),
    mrr10: reciprocalRankAt(10, ranked, relevant),
    ndcg10: ndcgAt(10, ranked, relevant),
  };
}

/** Asks every search engine every query: {engine, setting, records, scores: one a query}. */
async function askAll(collection, names, context) {
  const answered = [];
  for (const name of names) {
    const { engines, close } = await BUILDERS[name](context, collection);
    try {
      for (const { rank, ...engine } of engines) {
        const scores = [];
        for (const query of collection.queries) scores.push(scoreOf(query, await rank(query)));
        answered.push({ ...engine, scores });
        const ndcg10 = mean(scores.map((score) => score.ndcg10)).toFixed(3);
        console.error(`${collection.name.padEnd(10)} ${ndcg10}  ${engine.engine}, ${engine.setting} (${engine.records})`);
      }
    } finally {
      await close?.();
    }
  }
  return answered;
}

/** Rows of the table: each search engine, over all queries and by kind. Pure. */
export function rowsOf(set, queries, answered) {
  const reference = answered.find(({ engine, setting }) => engine === 'Sheaf' && setting === REFERENCE);
  const kinds = ['all', ...[...new Set(queries.map((query) => query.kind))].sort()];
  return answered.flatMap(({ scores, engine, setting, records }) =>
    kinds.map((kind) => {
      const chosen = queries.flatMap((query, i) => (kind === 'all' || query.kind === kind ? [i] : []));
      const of = (measure) => mean(chosen.map((i) => scores[i][measure]));
      const measures = Object.fromEntries(['hit1', 'found5', 'mrr10', 'ndcg10'].map((measure) => [measure, of(measure)]));
      const row = { set, engine, setting, records, kind, n: chosen.length, ...measures };
      for (const measure of reference === undefined ? [] : ['ndcg10', 'hit1']) {
        const lead = pairedBootstrap(chosen.map((i) => reference.scores[i][measure] - scores[i][measure]));
        Object.assign(row, { [`lead_${measure}`]: lead.mean, [`lead_${measure}_low`]: lead.low, [`lead_${measure}_high`]: lead.high });
      }
      return row;
    }),
  );
}

/** nDCG@10 by kind as a Markdown table, and the lead over each search engine. Pure. */
export function markdown(set, rows) {
  const kinds = [...new Set(rows.map((row) => row.kind))];
  const engines = rows.filter((row) => row.kind === 'all').sort((a, b) => b.ndcg10 - a.ndcg10);
  const short = (value) => value.toFixed(3).replace(/^(-?)0\./, '$1.');
  const lines = engines.map((whole) => {
    const same = ['engine', 'setting', 'records'];
    const mine = rows.filter((row) => same.every((name) => row[name] === whole[name]));
    const [lead, low, high] = ['', '_low', '_high'].map((end) => whole[`lead_ndcg10${end}`]);
    const ahead = lead === undefined ? '' : `${short(lead)} (${short(low)} to ${short(high)})`;
    const byKind = kinds.map((kind) => short(mine.find((row) => row.kind === kind).ndcg10));
    const overall = [whole.hit1, whole.mrr10, whole.found5].map(short);
    return `| ${[`${whole.engine}: ${whole.setting}`, whole.records, ...overall, ...byKind, ahead].join(' | ')} |`;
  });
  const head = ['engine', 'records', 'hit@1', 'MRR@10', 'found@5', ...kinds, 'Sheaf hybrid ahead by'];
  const top = [`### ${set}, ${engines[0].n} queries: nDCG@10`, '', `| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`];
  return [...top, ...lines, ''].join('\n');
}

function choose(flag, value, known) {
  const wanted = value === undefined ? known : value.split(',');
  const strangers = wanted.filter((name) => !known.includes(name));
  if (strangers.length > 0) throw new Error(`--${flag}: unknown ${strangers.join(', ')}; known are ${known.join(', ')}`);
  return wanted;
}

function progress(done, all) {
  if (process.stderr.isTTY || done === all || done % 500 < 16) console.error(`embedding: ${done} of ${all}`);
}

export async function main(args) {
  const { values } = parseArgs({ args, options: { sets: { type: 'string' }, only: { type: 'string' }, peers: { type: 'boolean' } } });
  const names = choose('only', values.only, Object.keys(BUILDERS));
  const wanted = choose('sets', values.sets, collectionNames());
  installPeers((text) => console.error(text));
  const model = await installedModel();
  if (model === undefined) console.log(`Rows with MiniLM skipped: ${MODEL} is not installed (sheaf model add ${MODEL}).`);

  const work = mkdtempSync(join(tmpdir(), 'sheaf-peers-'));
  process.on('exit', () => rmSync(work, { recursive: true, force: true }));
  const rows = [];
  const pooled = { queries: [], answered: [] };
  const skipped = [];
  for (const description of wanted.map(describeCollection)) {
    if (description.missing !== undefined) {
      console.log(`${description.name} skipped: ${description.missing}`);
      skipped.push(description.name);
      continue;
    }
    const collection = await readCollection(description, join(work, `${description.name}.sheaf`));
    const answered = await askAll(collection, names, { model, work, progress });
    const own = rowsOf(collection.name, collection.queries, answered);
    console.log(markdown(collection.name, own));
    rows.push(...own);
    pooled.queries.push(...collection.queries);
    pooled.answered = answered.map((engine, i) => ({ ...engine, scores: [...(pooled.answered[i]?.scores ?? []), ...engine.scores] }));
  }
  if (rows.length === 0) return;
  const together = rowsOf(POOLED, pooled.queries, pooled.answered);
  if (new Set(rows.map((row) => row.set)).size > 1) console.log(markdown(POOLED, together));
  const whole = names.length === Object.keys(BUILDERS).length && model !== undefined && values.sets === undefined;
  if (!whole) return console.log('This was a part: peers.csv stays as it is.');
  await writeTable(TABLE, COLUMNS, skipped.length === 0 ? [...together, ...rows] : rows);
  console.log(`Wrote ${TABLE}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
