/**
 * `node tests/quality/languages/segmentation.mjs`: are pairs of characters, ICU's words or something between the better terms of a script
 * without spaces? docs/languages.md has the figures, docs/decisions/0030-segmentation.md what follows from them.
 *
 *   --only ja,libreoffice-km    some of the languages or collections
 *   --units pairs,words         some of the ways to cut
 *   --print                     prints the queries and measures nothing
 *   --write                     rewrites segmentation.csv
 *
 * Every way to cut is tried with the search as it is: each stretch of a script is cut, in pages and queries alike, and each term is
 * spelled in ASCII letters, three for a character, so that the packer takes it for one word. `as packed` is the text as it stands:
 * it differs from `pairs` in how the terms are spelled, in the length of passages that follows from it, and in the further terms that the packer adds.
 *
 * Needs Node with all of ICU's data (official builds have it), and of these Debian packages those that are there: gimp-help-{en,ja,ko,zh-cn},
 * libreoffice-help-{ja,ko,zh-cn,zh-tw,km}, firefox-esr-l10n-{th,km,my}. What is missing is named and skipped.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hitAt, ndcgAt } from '../../../dist/node/eval/metrics.js';
import { queriesOf } from '../languages.mjs';
import { readCollection } from '../peers/collections.mjs';
import { rankings } from '../peers/sheaf.mjs';
import { mean, pairedBootstrap } from '../statistics.mjs';
import { writeTable } from '../tables.mjs';
import { HELP, isInstalled, readManual, writeSite } from './manual.mjs';
import { clustersOf, drawUnspaced, firefox, libreOffice } from './unspaced.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const TABLE = join(here, 'segmentation.csv');
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆ﾞﾟ\u200B]+/gu;

const windows = (units, size) =>
  units.length <= size ? [units.join('')] : units.slice(size - 1).map((_, i) => units.slice(i, i + size).join(''));
const segmenters = new Map();
function icuWords(text, language) {
  if (!segmenters.has(language)) segmenters.set(language, new Intl.Segmenter(language, { granularity: 'word' }));
  return [...segmenters.get(language).segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}
/** What Korean nouns have behind them most. */
const PARTICLES = /(?<=..)(?:으로부터|에서부터|이라는|까지|부터|에서|에게|으로|처럼|보다|이나|라는|[을를이가은는의에로와과도만])$/u;
const inHiragana = (text) => text.replace(/[ァ-ヶ]/gu, (c) => String.fromCodePoint(c.codePointAt(0) - 0x60));
const withoutLongEnds = (text) => text.replace(/(?<=[ァ-ヶー]{2})ー(?![ァ-ヶー])/gu, '');
const pairs = (run) => windows([...run], 2);
const singles = (run) => ([...run].length > 1 ? [...run] : []);

/** Terms of one stretch: of the run itself, and of its language. */
const UNITS = {
  pairs,
  'single and pairs': (run) => [...singles(run), ...pairs(run)],
  'single on pages': (run, { isPage }) => [...pairs(run), ...(isPage ? singles(run) : [])],
  'across spaces on pages': (run, { isPage, next }) => [...pairs(run), ...(isPage && next ? [[...run].at(-1) + next] : [])],
  'single and across on pages': (run, { isPage, next }) => [
    ...pairs(run),
    ...(isPage ? singles(run) : []),
    ...(isPage && next ? [[...run].at(-1) + next] : []),
  ],
  'the same, query without particles': (run, { isPage, next }) =>
    isPage ? [...pairs(run), ...singles(run), ...(next ? [[...run].at(-1) + next] : [])] : pairs(run.replace(PARTICLES, '')),
  'without particles': (run) => pairs(run.replace(PARTICLES, '')),
  'query without particles': (run, { isPage }) => pairs(isPage ? run : run.replace(PARTICLES, '')),
  'kana as one': (run) => pairs(inHiragana(run)),
  'hiragana of katakana on pages': (run, { isPage }) => [
    ...pairs(run),
    ...(isPage ? (run.match(/[ァ-ヶー]{2,}/gu) ?? []).flatMap((word) => pairs(inHiragana(word))) : []),
  ],
  'without long ends': (run) => pairs(withoutLongEnds(run)),
  triples: (run) => windows([...run], 3),
  words: (run, { language }) => icuWords(run, language),
  'pairs and words': (run, { language }) => [...pairs(run), ...icuWords(run, language).filter((word) => [...word].length !== 2)],
  'pairs of clusters': (run) => windows(clustersOf(run), 2),
  'triples of clusters': (run) => windows(clustersOf(run), 3),
  'clusters and their pairs': (run) => [...clustersOf(run), ...(clustersOf(run).length > 1 ? windows(clustersOf(run), 2) : [])],
};
/** What is measured unless told otherwise. The others were tried on GIMP's help and Firefox, and are there to be tried again. */
const OWN = {
  ja: ['pairs', 'words', 'pairs and words', 'single on pages', 'hiragana of katakana on pages'],
  'zh-CN': ['pairs', 'words', 'pairs and words', 'single on pages'],
  'zh-TW': ['pairs', 'words', 'pairs and words', 'single on pages'],
  ko: ['pairs', 'words', 'pairs and words', 'single and across on pages', 'the same, query without particles'],
};
const OTHERS = ['pairs', 'words', 'pairs and words', 'pairs of clusters'];

/**
 * A term in letters: four for each character, so that what begins alike is spelled alike. The digit before them keeps it from being
 * taken for a misspelling of another. What is longer than a term may be is cut.
 */
const spelled = (term) => `9${[...term].slice(0, 15).map(letters).join('')}`;
const letters = (c) => [17576, 676, 26, 1].map((base) => 'abcdefghijklmnopqrstuvwxyz'[Math.floor(c.codePointAt(0) / base) % 26]).join('');

const isDense = (c) => c !== undefined && new RegExp(DENSE.source, 'u').test(c) && c !== '\u200B';
const cut = (text, unit, language, isPage) =>
  text.replace(DENSE, (stretch, at) => {
    // NFKC cuts "am" of Thai and Lao in two, which no segmentation expects.
    const run = stretch
      .replace(/\u200B/g, '')
      .normalize('NFKC')
      .replace(/\u0E4D\u0E32/g, '\u0E33')
      .replace(/\u0ECD\u0EB2/g, '\u0EB3');
    const after = text[at + stretch.length] === ' ' ? text[at + stretch.length + 1] : undefined;
    const next = isDense(after) ? after : undefined;
    return run === '' ? '' : ` ${UNITS[unit](run, { language, isPage, next }).map(spelled).join(' ')} `;
  });
const cutHtml = (html, unit, language) =>
  html
    .split(/(<[^>]*>)/)
    .map((part, i) => (i % 2 === 1 ? part : cut(part, unit, language, true)))
    .join('');

const GIMP = { ja: 'ja', 'zh-CN': 'zh_CN', ko: 'ko' };

/** {language, files: Map of name to HTML, queries}, or {missing}. */
function collection(name) {
  const [source, language] = /^(gimp|libreoffice|firefox)-(.*)$/.exec(name).slice(1);
  if (source === 'gimp') {
    for (const needed of ['en', GIMP[language]]) {
      if (!isInstalled(needed)) return { missing: `${HELP}/${needed} is not here (a Debian package gimp-help-…)` };
    }
    const place = mkdtempSync(join(work, 'gimp-'));
    writeSite(GIMP[language], language, place);
    const files = new Map(readdirSync(place).map((file) => [file, readFileSync(join(place, file), 'utf8')]));
    return { language, files, queries: queriesOf(language, readManual('en')) };
  }
  const read = source === 'firefox' ? firefox(language) : libreOffice(language);
  if (read.missing) return read;
  // Translators of Khmer write zero-width spaces between words; elsewhere words are as ICU sees them.
  const marked = language === 'km' && source === 'libreoffice';
  const words = (text) => (marked ? text.split(/[\s\u200B]+/u).filter(Boolean) : icuWords(text, language));
  return { language, files: new Map(read.pages.map(({ file, html }) => [file, html])), queries: drawUnspaced(language, read, words) };
}

let work;

async function measure(name, { language, files, queries }, unit) {
  const place = mkdtempSync(join(work, 'pages-'));
  const site = join(place, 'site');
  for (const [file, html] of files) {
    mkdirSync(dirname(join(site, file)), { recursive: true });
    const plainHtml = html.replace(/ (?:xml:)?lang="[^"]*"/g, '');
    writeFileSync(join(site, file), unit === AS_PACKED ? plainHtml : cutHtml(plainHtml, unit, language));
  }
  const asked = queries.map((query) => ({
    ...query,
    query: unit === AS_PACKED ? query.query : cut(query.query, unit, language, false).trim(),
  }));
  writeFileSync(join(place, 'queries.jsonl'), asked.map((query) => `${JSON.stringify(query)}\n`).join(''));
  const pack = (bundle) => {
    const packer = process.env.SHEAF_PACK ?? resolve(here, '../../../build/native/sheaf-pack');
    const flags = [
      '--library',
      name,
      '--version',
      '1',
      '--quiet',
      '--encoder',
      'none',
      '--language',
      unit === AS_PACKED ? language : 'none',
    ];
    execFileSync(packer, ['pack', site, '-o', bundle, ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const bundle = join(place, 'bundle.sheaf');
  const file = join(place, 'queries.jsonl');
  const { queries: judged } = await readCollection({ name, queries: file, pack }, bundle);
  const ranked = rankings(bundle, file, ['--mode', 'keyword', '--encoder', 'none']);
  const bytes = statSync(bundle).size;
  rmSync(place, { recursive: true });
  const scores = judged.map(({ id, relevant, kind }) => ({
    kind,
    ndcg10: ndcgAt(10, ranked.get(id), relevant),
    first: hitAt(1, ranked.get(id), relevant),
  }));
  return { bytes, scores };
}

const AS_PACKED = 'as packed';
const COLLECTIONS = [
  'gimp-ja',
  'libreoffice-ja',
  'gimp-zh-CN',
  'libreoffice-zh-CN',
  'libreoffice-zh-TW',
  'gimp-ko',
  'libreoffice-ko',
  'firefox-th',
  'libreoffice-km',
  'firefox-km',
  'firefox-my',
];
const COLUMNS = ['collection', 'units', 'kind', 'n', 'ndcg10', 'first', 'low', 'high', 'bytes'];

async function main() {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, units: { type: 'string' }, print: { type: 'boolean' }, write: { type: 'boolean' } },
  });
  const wanted = values.only?.split(',') ?? COLLECTIONS;
  work = mkdtempSync(join(tmpdir(), 'sheaf-segmentation-'));
  process.on('exit', () => rmSync(work, { recursive: true, force: true }));
  const rows = [];
  for (const name of COLLECTIONS.filter((name) => wanted.some((part) => name === part || name.endsWith(`-${part}`)))) {
    const made = collection(name);
    if (made.missing) {
      console.log(`${name} skipped: ${made.missing}`);
      continue;
    }
    if (values.print) {
      for (const { id, query, relevant } of made.queries) console.log(`${name}\t${id}\t${query}\t${relevant.join(' ')}`);
      continue;
    }
    console.log(`${name}: ${made.files.size} pages, ${made.queries.length} queries`);
    const units = [AS_PACKED, ...(values.units?.split(',') ?? OWN[made.language] ?? OTHERS)];
    let reference;
    for (const unit of units) {
      const { bytes, scores } = await measure(name, made, unit);
      if (unit === 'pairs') reference = scores;
      const kinds = ['all', ...new Set(scores.map(({ kind }) => kind))];
      const measured = kinds.map((kind) => {
        const chosen = scores.map((score, i) => ({ ...score, i })).filter((score) => kind === 'all' || score.kind === kind);
        const interval = pairedBootstrap(chosen.map(({ ndcg10, i }) => ndcg10 - (reference?.[i].ndcg10 ?? ndcg10)));
        const measures = { n: chosen.length, ndcg10: mean(chosen.map((s) => s.ndcg10)), first: mean(chosen.map((s) => s.first)) };
        return { collection: name, units: unit, kind, ...measures, low: interval.low, high: interval.high, bytes };
      });
      rows.push(...measured);
      console.log(
        `  ${unit.padEnd(26)} ${measured.map(({ kind, ndcg10 }) => `${kind} ${ndcg10.toFixed(3)}`).join('  ')}  [${measured[0].low.toFixed(3)} ${measured[0].high.toFixed(3)}]  ${(bytes / 1e6).toFixed(2)} MB`,
      );
    }
    const sorted = rows.map((row) => ({ ...row, set: row.collection }));
    if (values.write) await writeTable(TABLE, COLUMNS, sorted);
  }
}

await main();
