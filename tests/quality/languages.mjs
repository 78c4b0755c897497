/**
 * `node tests/quality/languages.mjs`: how well are pages found in languages other than English? languages/README.md has the method, docs/languages.md the figures.
 *
 *   --only de,ja        some of the languages
 *   --engines Sheaf     without the peers
 *   --misses            prints each query that had no right page among the first three
 *   --pack='FLAGS'      further flags of sheaf-pack, such as '--language none'
 *   --print             prints the queries and measures nothing
 *   --write LABEL       rewrites the rows of LABEL and of the peers in languages.csv, and the table in docs/languages.md
 *
 * Packs GIMP's help as Debian installs it (gimp-help-de and others), asks the drawn and written queries of languages/ by keyword and hybrid, and
 * asks Pagefind and MiniSearch the same. Languages that are not installed are named and keep their rows.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hitAt, ndcgAt, reciprocalRankAt } from '../../dist/node/eval/metrics.js';
import { parseCsv } from './chart.mjs';
import { drawQueries } from './languages/draw.mjs';
import { HELP, isInstalled, readManual, writeSite } from './languages/manual.mjs';
import { KINDS, table, tableInto } from './languages/table.mjs';
import { readCollection } from './peers/collections.mjs';
import { installPeers } from './peers/install.mjs';
import { minisearch } from './peers/minisearch.mjs';
import { pagefind } from './peers/pagefind.mjs';
import { rankings } from './peers/sheaf.mjs';
import { mean } from './statistics.mjs';
import { writeTable } from './tables.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const TABLE = join(here, 'languages.csv');
const PAGE = resolve(here, '../../docs/languages.md');
const COLUMNS = ['language', 'state', 'engine', 'setting', 'records', 'kind', 'n', 'first', 'three', 'mrr10', 'ndcg10'];

/** Language tags and the folders of GIMP's help: three alphabets, kana, Hangul and Chinese characters. */
export const LANGUAGES = {
  de: 'de',
  nl: 'nl',
  sv: 'sv',
  fi: 'fi',
  fr: 'fr',
  es: 'es',
  it: 'it',
  'pt-BR': 'pt_BR',
  ru: 'ru',
  el: 'el',
  ja: 'ja',
  ko: 'ko',
  'zh-CN': 'zh_CN',
  ca: 'ca',
  cs: 'cs',
  da: 'da',
  lt: 'lt',
  nn: 'nn',
  ro: 'ro',
};

async function sheaf({ bundle, file }) {
  return {
    engines: ['hybrid', 'keyword'].map((setting) => {
      const ranked = rankings(bundle, file, ['--mode', setting]);
      return { engine: 'Sheaf', setting, records: 'passage', rank: ({ id }) => ranked.get(id) };
    }),
  };
}
const BUILDERS = {
  Sheaf: sheaf,
  Pagefind: (collection) => pagefind({}, collection),
  MiniSearch: (collection) => minisearch({}, collection),
};

const readLines = (name) =>
  readFileSync(join(here, 'languages', name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
const HAND = readLines('hand.jsonl').map((line) => JSON.parse(line));
const DROPPED = new Set(readLines('dropped.txt').map((line) => line.split(/\s/)[0]));

export function queriesOf(language, english) {
  const manual = readManual(LANGUAGES[language]);
  const written = HAND.filter((line) => line.language === language);
  return drawQueries({ manual, english, language, written, dropped: DROPPED });
}

/** How to pack a language's pages, and where its queries lie. */
export function describe(language, queries, work, more = []) {
  const site = join(work, language);
  const file = join(work, `${language}.jsonl`);
  writeSite(LANGUAGES[language], language, site);
  writeFileSync(file, queries.map((query) => `${JSON.stringify(query)}\n`).join(''));
  const pack = (bundle, flags = []) => {
    const packer = process.env.SHEAF_PACK ?? resolve(here, '../../build/native/sheaf-pack');
    const args = ['pack', site, '-o', bundle, '--library', 'gimp', '--version', language, '--quiet', ...more, ...flags];
    execFileSync(packer, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  return { name: language, queries: file, pack };
}

function rowsOf(language, state, queries, { engine, setting, records }, ranked) {
  const scores = queries.map(({ relevant }, i) => ({
    first: hitAt(1, ranked[i], relevant),
    three: hitAt(3, ranked[i], relevant),
    mrr10: reciprocalRankAt(10, ranked[i], relevant),
    ndcg10: ndcgAt(10, ranked[i], relevant),
  }));
  return ['all', ...KINDS].map((kind) => {
    const chosen = scores.filter((_, i) => kind === 'all' || queries[i].kind === kind);
    const measures = ['first', 'three', 'mrr10', 'ndcg10'].map((measure) => [measure, mean(chosen.map((score) => score[measure]))]);
    return { language, state, engine, setting, records, kind, n: chosen.length, ...Object.fromEntries(measures) };
  });
}

async function measure(collection, engines, { misses, state }) {
  const rows = [];
  for (const name of engines) {
    const { engines: asked, close } = await BUILDERS[name](collection);
    try {
      for (const { rank, ...engine } of asked) {
        const ranked = [];
        for (const query of collection.queries) ranked.push(await rank(query));
        const own = rowsOf(collection.name, name === 'Sheaf' ? state : '', collection.queries, engine, ranked);
        rows.push(...own);
        const shown = own.map(({ kind, ndcg10, first, three }) => `${kind} ${ndcg10.toFixed(3)} (${first.toFixed(2)} ${three.toFixed(2)})`);
        console.log(
          `${collection.name.padEnd(5)} ${`${engine.engine}, ${engine.setting}, ${engine.records}`.padEnd(52)} ${shown.join('  ')}`,
        );
        if (misses && name === 'Sheaf' && engine.setting === 'hybrid') sayMisses(collection, ranked);
      }
    } finally {
      await close?.();
    }
  }
  return rows;
}

function sayMisses({ queries, pages }, ranked) {
  const name = (page) => pages[page].source.replace(/\.html$/, '');
  queries.forEach((query, i) => {
    if (hitAt(3, ranked[i], query.relevant) > 0) return;
    console.log(
      `  ${query.kind} "${query.query}": meant ${[...query.relevant].map(name).join(' ')}; got ${ranked[i].slice(0, 3).map(name).join(' ')}`,
    );
  });
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      engines: { type: 'string', default: Object.keys(BUILDERS).join(',') },
      misses: { type: 'boolean', default: false },
      pack: { type: 'string', default: '' },
      print: { type: 'boolean', default: false },
      write: { type: 'string' },
    },
  });
  const wanted = values.only?.split(',') ?? Object.keys(LANGUAGES);
  const engines = values.engines.split(',');
  const strangers = [...wanted.filter((name) => !(name in LANGUAGES)), ...engines.filter((name) => !(name in BUILDERS))];
  if (strangers.length > 0) throw new Error(`unknown: ${strangers.join(', ')}`);
  if (!isInstalled('en')) {
    console.log(`Everything skipped: ${HELP}/en is not here (the Debian package gimp-help-en); it tells what is translated.`);
    return;
  }
  if (!values.print && engines.some((name) => name !== 'Sheaf'))
    installPeers((text) => console.error(text), ['pagefind', 'minisearch', '@orama/stemmers']);
  const english = readManual('en');
  const work = mkdtempSync(join(tmpdir(), 'sheaf-languages-'));
  process.on('exit', () => rmSync(work, { recursive: true, force: true }));
  for (const language of wanted) {
    if (!isInstalled(LANGUAGES[language])) {
      console.log(`${language} skipped: ${HELP}/${LANGUAGES[language]} is not here (a Debian package gimp-help-…)`);
      continue;
    }
    const queries = queriesOf(language, english);
    if (values.print) {
      for (const { id, query, relevant } of queries) console.log(`${id}\t${query}\t${relevant.join(' ')}`);
      continue;
    }
    const described = describe(language, queries, work, values.pack.split(/\s+/).filter(Boolean));
    const collection = await readCollection(described, join(work, `${language}.sheaf`));
    const rows = await measure({ ...collection, language }, engines, { misses: values.misses, state: values.write ?? 'now' });
    if (values.write !== undefined) await keep(rows);
  }
}

/** Into the table, in the place of what it had of the same languages, engines and state; after each language, since a run takes minutes. */
async function keep(rows) {
  const key = ({ language, state, engine }) => [language, state, engine].join();
  const measured = new Set(rows.map(key));
  const before = existsSync(TABLE) ? parseCsv(readFileSync(TABLE, 'utf8')) : [];
  const all = [...before.filter((row) => !measured.has(key(row))), ...rows].map((row) => ({ ...row, set: row.language }));
  const order = Object.keys(LANGUAGES);
  all.sort((a, b) => order.indexOf(a.language) - order.indexOf(b.language) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  await writeTable(TABLE, COLUMNS, all);
  tableInto(PAGE, table(parseCsv(readFileSync(TABLE, 'utf8')), order));
  console.log(`Wrote ${TABLE} and the table of ${PAGE}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
