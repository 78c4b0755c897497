/**
 * Relevance of Sheaf's tools over databases, beside the search of the bundle itself:
 *
 *   node tests/quality/backends.mjs [--sets vue,fish] [--only lancedb,pgvector]
 *   node tests/quality/backends.mjs --languages de,fr,ja,zh-CN [--state before]
 *
 * `--languages` asks GIMP's help in other languages instead (languages.mjs says how), without the mode that words have no part in;
 * `--state` marks its rows in the table, so that they stay beside later ones.
 *
 * The same judged queries, the same passages and the same vectors; page level, by the measures of `sheaf eval`. The databases'
 * packages are found as `sheaf export` finds them, or in tests/quality/peers and tests/backends, where they are installed on demand.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hitAt, ndcgAt, reciprocalRankAt } from '../../dist/node/eval/metrics.js';
import { open } from '../../dist/node/client/node.js';
import { DatabaseLibrary } from '../../dist/node/databases/database_library.js';
import { queryVectors } from '../../dist/node/databases/query_vectors.js';
import { installBackends } from '../backends/install.mjs';
import { opened } from '../backends/store.mjs';
import { HELP, isInstalled, readManual } from './languages/manual.mjs';
import { describe, LANGUAGES, queriesOf } from './languages.mjs';
import { collectionNames, describeCollection, readCollection } from './peers/collections.mjs';
import { mean, pairedBootstrap } from './statistics.mjs';
import { writeTable } from './tables.mjs';

const TABLE = join(dirname(fileURLToPath(import.meta.url)), 'backends.csv');
const COLUMNS = [
  'set',
  'database',
  'mode',
  'kind',
  'n',
  'hit1',
  'found5',
  'mrr10',
  'ndcg10',
  'lead_ndcg10',
  'lead_ndcg10_low',
  'lead_ndcg10_high',
  'same_first',
];
/** The least share of questions whose first passage, by both signals, is the bundle's. */
const SAME_FIRST = 0.95;
const MODES = ['hybrid', 'keyword', 'semantic'];
const MODES_OF_LANGUAGES = ['hybrid', 'keyword'];

const DATABASES = {
  local: async (bundle) => open(bundle),
  lancedb: async (bundle, folder) => {
    const { LanceBackend, LanceFolder } = await import('../../dist/node/databases/lancedb.js');
    const tables = await LanceFolder.open(join(folder, 'lance'));
    for await (const rows of opened([bundle])) await tables.load(rows);
    return over(new LanceBackend('lancedb', tables));
  },
  pgvector: async (bundle, folder) => {
    const { connectFolder, load, PostgresBackend } = await import('../../dist/node/databases/postgres.js');
    const connection = await connectFolder(join(folder, 'pglite'));
    for await (const rows of opened([bundle])) await load(connection, rows);
    return over(new PostgresBackend('pglite', connection));
  },
};

async function over(backend) {
  const [held] = await backend.list();
  const vectors = queryVectors('static');
  const library = new DatabaseLibrary(backend, held, vectors);
  library.close = async () => {
    await vectors.close();
    await backend.close();
  };
  return library;
}

async function main(args) {
  const text = { type: 'string' };
  const { values } = parseArgs({ args, options: { sets: text, only: text, languages: text, state: text } });
  const names = values.only?.split(',') ?? Object.keys(DATABASES);
  const languages = values.languages?.split(',');
  if (!names.includes('local')) names.unshift('local');
  process.env.SHEAF_MODULES ??= installBackends((text) => console.error(text));
  const work = mkdtempSync(join(tmpdir(), 'sheaf-backends-'));
  process.on('exit', () => rmSync(work, { recursive: true, force: true }));
  const sets =
    languages?.map((language) => manualIn(language, work)) ?? (values.sets?.split(',') ?? collectionNames()).map(describeCollection);
  const modes = languages === undefined ? MODES : MODES_OF_LANGUAGES;
  const rows = [];
  const pooled = new Map();
  const skipped = [];
  const kinds = [];
  for (const description of sets) {
    if (description.missing !== undefined) {
      console.log(`${description.name} skipped: ${description.missing}`);
      skipped.push(description.name);
      continue;
    }
    const folder = mkdtempSync(join(work, 'set-'));
    const { name, bundle, queries } = await readCollection(description, join(folder, `${description.name}.sheaf`));
    kinds.push(...queries.map(({ kind }) => kind));
    const scores = new Map();
    for (const database of names) {
      const library = await DATABASES[database](bundle, folder);
      for (const mode of modes) {
        const times = [];
        const own = [];
        for (const { query, relevant } of queries) {
          const started = performance.now();
          const { hits } = await library.search(query, { mode, topK: 10, prefix: false });
          times.push(performance.now() - started);
          const ranked = hits.map(({ page }) => page);
          own.push({
            hit1: hitAt(1, ranked, relevant),
            found5: hitAt(5, ranked, relevant),
            mrr10: reciprocalRankAt(10, ranked, relevant),
            ndcg10: ndcgAt(10, ranked, relevant),
            first: hits[0]?.passage,
            ms: performance.now() - started,
          });
        }
        const key = `${database} ${mode}`;
        scores.set(key, own);
        pooled.set(key, [...(pooled.get(key) ?? []), ...own]);
        console.error(
          `${name.padEnd(10)} ${key.padEnd(20)} ${mean(own.map((each) => each.ndcg10)).toFixed(3)}  ${times.sort((a, b) => a - b)[times.length >> 1].toFixed(1)} ms`,
        );
      }
      await library.close();
    }
    rows.push(
      ...rowsOf(
        values.state === undefined ? name : `${name} ${values.state}`,
        scores,
        queries.map(({ kind }) => kind),
      ),
    );
  }
  const together = rowsOf('all sets', pooled, kinds);
  for (const row of together.filter(({ kind }) => kind === 'all'))
    console.log(
      `${row.database.padEnd(10)} ${row.mode.padEnd(9)} nDCG@10 ${row.ndcg10.toFixed(3)}  hit@1 ${row.hit1.toFixed(3)}  local ahead by ${row.lead_ndcg10.toFixed(3)} (${row.lead_ndcg10_low.toFixed(3)} to ${row.lead_ndcg10_high.toFixed(3)})  same first passage ${row.same_first.toFixed(3)}  ${row.ms.toFixed(1)} ms`,
    );
  for (const { database, mode, kind, same_first } of together)
    if (kind === 'all' && mode === 'hybrid' && same_first < SAME_FIRST) {
      console.error(`${database}: the first passage is the bundle's for ${same_first.toFixed(3)} of the questions, expected ${SAME_FIRST}`);
      process.exitCode = 1;
    }
  if (values.sets !== undefined || values.only !== undefined || skipped.length > 0)
    return console.log('This was a part: backends.csv stays as it is.');
  await writeTable(
    TABLE,
    COLUMNS,
    [...(languages === undefined ? together : []), ...rows].map(({ ms: _, ...row }) => row),
  );
}

/** GIMP's help in a language, with its queries. */
function manualIn(language, work) {
  const name = `gimp-help-${language}`;
  if (!(language in LANGUAGES)) throw new Error(`There are no queries in ${language}, only in ${Object.keys(LANGUAGES).join(', ')}.`);
  const absent = ['en', LANGUAGES[language]].find((folder) => !isInstalled(folder));
  if (absent !== undefined) return { name, missing: `${HELP}/${absent} is not here (a Debian package gimp-help-…)` };
  return { ...describe(language, queriesOf(language, readManual('en')), work), name };
}

function rowsOf(set, scores, kinds) {
  const rows = [];
  for (const [key, all] of scores) {
    const [database, mode] = key.split(' ');
    const reference = scores.get(`local ${mode}`);
    for (const kind of ['all', ...new Set(kinds)].sort()) {
      const chosen = kinds.flatMap((each, i) => (kind === 'all' || each === kind ? [i] : []));
      const of = (measure) => mean(chosen.map((i) => all[i][measure]));
      const same = chosen.filter((i) => all[i].first === reference[i].first).length / chosen.length;
      const lead = pairedBootstrap(chosen.map((i) => reference[i].ndcg10 - all[i].ndcg10));
      const ms = chosen.map((i) => all[i].ms).sort((a, b) => a - b)[chosen.length >> 1];
      rows.push({
        set,
        database,
        mode,
        kind,
        n: chosen.length,
        hit1: of('hit1'),
        found5: of('found5'),
        mrr10: of('mrr10'),
        ndcg10: of('ndcg10'),
        lead_ndcg10: lead.mean,
        lead_ndcg10_low: lead.low,
        lead_ndcg10_high: lead.high,
        same_first: same,
        ms,
      });
    }
  }
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
