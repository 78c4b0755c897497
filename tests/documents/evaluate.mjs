/**
 * Measures the search over real documentation: packs the sets of questions/sets.json and asks their questions.
 *
 *   node tests/documents/evaluate.mjs [SET…] [--sets=DIR] [--misses] [--against=PATH]
 *
 *   --sets=DIR       where the sets lie, by default build/documents; absent sets are named and left out
 *   --misses         lists the questions whose first hybrid hit is another page, or another section of the right one
 *   --against=PATH   packs with this sheaf-pack too, and prints what the tree's own packer changes
 *
 * The packer is build/native/sheaf-pack or $SHEAF_PACK. questions/README.md explains questions, grades and measures.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { mean, pairedBootstrap } from '../quality/statistics.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const MODES = ['keyword', 'hybrid'];
const DEPTH = 10;
/** Questions are in words of the page (all kinds but one) or in other words. */
export const KINDS = ['how-to', 'name', 'setting', 'error', 'paraphrase'];

export const readSets = () => JSON.parse(readFileSync(join(here, 'questions/sets.json'), 'utf8'));

export const readQuestions = (set) =>
  readFileSync(join(here, `questions/${set}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The name that identical pages share: the first prefix of `twins` that fits is replaced. Pure. */
export function canonical(path, twins = []) {
  const twin = twins.find(([prefix]) => path.startsWith(prefix));
  return twin === undefined ? path : twin[1] + path.slice(twin[0].length);
}

/** Map from page to grade: 2 answers, 1 helps. Pure. */
export function gradesOf({ relevant, helps = [] }, twins) {
  const grades = new Map(helps.map((path) => [canonical(path, twins), 1]));
  for (const path of relevant) grades.set(canonical(path, twins), 2);
  return grades;
}

const discounted = (gains) => gains.reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);

/** nDCG@10 with the grades as gains. A page gains once, under whichever of its names it comes. Pure. */
export function ndcg(pages, grades) {
  const gains = pages.slice(0, DEPTH).map((page, rank) => (pages.indexOf(page) === rank ? (grades.get(page) ?? 0) : 0));
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, DEPTH);
  return discounted(gains) / discounted(ideal);
}

const plain = (text) =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/** Whether the hit stands in the section that was judged for its page; undefined where none was. Pure. */
export function inSection(hit, { sections = {} }) {
  const section = sections[hit.source];
  if (section === undefined) return undefined;
  const wanted = plain(section);
  return [...hit.headings, hit.anchor].some((name) => plain(name).includes(wanted));
}

/** {ndcg, hit1, place1, first} of one question. Pure. */
export function scoreOf(hits, question, twins) {
  const grades = gradesOf(question, twins);
  const pages = hits.map((hit) => canonical(hit.source, twins));
  const hit1 = grades.get(pages[0]) === 2 ? 1 : 0;
  const place1 = hit1 === 1 ? inSection(hits[0], question) : undefined;
  return { ndcg: ndcg(pages, grades), hit1, place1: place1 === undefined ? undefined : Number(place1), first: hits[0] };
}

/** Whether a bundle was made. Exit code 3 says that some files failed, which the summary names. */
function pack(packer, folder, name, bundle) {
  const args = ['pack', folder, '-o', bundle, '--library', name, '--version', 'dev', '--quiet'];
  const { status, error } = spawnSync(packer, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error !== undefined) throw error;
  return status === 0 || status === 3;
}

/** Scores by mode, in the order of the questions. A set that cannot be packed scores 0. */
async function scoresOf(packer, set, folder, twins, questions) {
  const work = mkdtempSync(join(tmpdir(), 'sheaf-documents-'));
  const { open } = await import(pathToFileURL(join(root, 'dist/node/client/node.js')));
  let library;
  try {
    const bundle = join(work, 'set.sheaf');
    const packed = pack(packer, folder, set, bundle);
    if (packed) library = await open(bundle);
    else console.log(`${set}: ${packer} made no bundle; every question counts 0.`);
    const scores = {};
    for (const mode of MODES) {
      scores[mode] = [];
      for (const question of questions) {
        const hits = packed ? (await library.search(question.query, { mode, topK: DEPTH })).hits : [];
        scores[mode].push(scoreOf(hits, question, twins));
      }
    }
    if (packed) await nameAbsent(library, set, questions);
    return scores;
  } finally {
    await library?.close();
    rmSync(work, { recursive: true, force: true });
  }
}

async function nameAbsent(library, set, questions) {
  for (const path of new Set(questions.flatMap((q) => q.relevant))) {
    const page = await library.findPage(path).catch(() => undefined);
    if (page === undefined) console.log(`${set}: the bundle lacks the judged page ${path}.`);
  }
}

const fixed = (value) => (value === undefined ? '    -' : value.toFixed(3).padStart(5));
const signed = (value) => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;

function row(name, kind, rows) {
  const over = (mode, field) => {
    const values = rows.map((r) => r[mode][field]).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : mean(values);
  };
  const cells = MODES.flatMap((mode) => [over(mode, 'ndcg'), over(mode, 'hit1')]).map(fixed);
  return `${name.padEnd(16)} ${kind.padEnd(11)} ${String(rows.length).padStart(3)}  ${[...cells, fixed(over('hybrid', 'place1'))].join('  ')}`;
}

const HEAD = `${'set'.padEnd(16)} ${'kind'.padEnd(11)}   n  keyword: nDCG, hit@1;  hybrid: nDCG, hit@1, right place of those`;

/** All questions, one {set, question, keyword, hybrid, before} each. */
function printTables(rows) {
  console.log(HEAD);
  for (const set of new Set(rows.map((r) => r.set))) {
    const own = rows.filter((r) => r.set === set);
    const isParaphrase = (r) => r.question.kind === 'paraphrase';
    console.log(
      row(
        set,
        'page words',
        own.filter((r) => !isParaphrase(r)),
      ),
    );
    console.log(row(set, 'paraphrase', own.filter(isParaphrase)));
    console.log(row(set, 'all', own));
  }
  for (const kind of KINDS)
    console.log(
      row(
        'all sets',
        kind,
        rows.filter((r) => r.question.kind === kind),
      ),
    );
  console.log(row('all sets', 'all', rows));
}

function printMisses(rows) {
  console.log('\nQuestions whose first hybrid hit does not answer:');
  for (const { question, hybrid } of rows.filter((r) => r.hybrid.hit1 === 0)) {
    const hit = hybrid.first;
    const got = hit === undefined ? 'no hit' : `${hit.source}#${hit.anchor} (${hit.headings.at(-1) ?? hit.title})`;
    console.log(`${question.id} ${question.kind}: ${question.query}\n    got ${got}\n    not ${question.relevant.join(', ')}`);
  }
  console.log('\nQuestions whose first hybrid hit is the right page at another section:');
  for (const { question, hybrid } of rows.filter((r) => r.hybrid.place1 === 0)) {
    const { source, anchor, headings } = hybrid.first;
    console.log(`${question.id} ${question.kind}: ${question.query}`);
    console.log(`    got ${source}#${anchor} (${headings.at(-1) ?? 'its top'})\n    not "${question.sections[source]}"`);
  }
}

function printDifference(rows, against) {
  console.log(`\nAgainst ${against}: difference of nDCG@10 with its 95 % interval, and of hit@1`);
  for (const mode of MODES) {
    const differences = (chosen, field) => chosen.map((r) => r[mode][field] - r.before[mode][field]);
    const line = (name, chosen) => {
      const { mean: gain, low, high } = pairedBootstrap(differences(chosen, 'ndcg'));
      console.log(
        `${mode.padEnd(8)} ${name.padEnd(16)} ${signed(gain)} [${signed(low)}, ${signed(high)}]  ${signed(mean(differences(chosen, 'hit1')))}`,
      );
    };
    for (const set of new Set(rows.map((r) => r.set)))
      line(
        set,
        rows.filter((r) => r.set === set),
      );
    for (const kind of KINDS)
      line(
        kind,
        rows.filter((r) => r.question.kind === kind),
      );
    line('all', rows);
    for (const { question, ...r } of rows) {
      const change = r[mode].ndcg - r.before[mode].ndcg;
      if (Math.abs(change) >= 0.1) console.log(`    ${signed(change)} ${question.id} ${question.query}`);
    }
  }
}

async function main(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { sets: { type: 'string' }, misses: { type: 'boolean' }, against: { type: 'string' } },
  });
  const known = readSets();
  const unknown = positionals.filter((name) => known[name] === undefined);
  if (unknown.length > 0) throw new Error(`Unknown set: ${unknown.join(', ')}. Expected some of ${Object.keys(known).join(', ')}.`);
  const place = values.sets ?? join(root, 'build/documents');
  const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
  const rows = [];
  for (const [set, about] of Object.entries(known)) {
    if (positionals.length > 0 && !positionals.includes(set)) continue;
    const folder = join(place, about.folder);
    if (!existsSync(folder)) {
      console.log(`${set} skipped: ${place} lacks ${about.folder} (${about.source})`);
      continue;
    }
    const questions = readQuestions(set);
    const measure = (by) => scoresOf(by, set, folder, about.twins, questions);
    const now = await measure(packer);
    const before = values.against === undefined ? undefined : await measure(values.against);
    const of = (scores, i) => Object.fromEntries(MODES.map((mode) => [mode, scores[mode][i]]));
    questions.forEach((question, i) => {
      rows.push({ set, question, ...of(now, i), ...(before === undefined ? {} : { before: of(before, i) }) });
    });
  }
  if (rows.length === 0) throw new Error(`${place} has no set to measure. Name the folder of the sets: --sets=DIR.`);
  printTables(rows);
  if (values.misses) printMisses(rows);
  if (values.against !== undefined) printDifference(rows, values.against);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
