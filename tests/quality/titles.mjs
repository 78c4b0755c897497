/**
 * Whether a page is found by its title however it is typed, and what a question for a name finds.
 *
 *   node tests/quality/titles.mjs [--sets=DIR]
 *
 * Draws up to forty titles of two to four words a set, by a hash, and asks each as it is, with its words reversed, and with its last
 * word unfinished. Asks "what is X" for titles and headings of one word, and the judged questions of definitions.jsonl, which were
 * written before any answer was looked at. The five development sets; of DIR (tests/documents/questions/sets.json) five more. Prints
 * nDCG@10 and hit@1 by kind and mode. Needs build/native/sheaf-pack (or $SHEAF_PACK) and dist/; what is absent is named and left out.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { open } from '../../dist/node/client/node.js';
import { hitAt, ndcgAt } from '../../dist/node/eval/metrics.js';
import { packedSets } from './sets/check.mjs';
import { mean } from './statistics.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const MODES = ['keyword', 'hybrid'];
const OTHERS = ['jekyll', 'jest', 'k6', 'mkdocs-material', 'django'];
const TITLES = 40;
const NAMES = 20;
const CUT = 3; // letters that an unfinished word lacks

const judged = readFileSync(join(here, 'definitions.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const byHash = (names) => {
  const hash = (text) => createHash('sha1').update(text).digest('hex');
  return names.map(([name, pages]) => [hash(name), name, pages]).sort(([a], [b]) => (a < b ? -1 : 1));
};

/** Sources by title, and by heading. */
async function readNames(library) {
  const titles = new Map();
  const headings = new Map();
  const note = (map, name, source) => map.set(name, (map.get(name) ?? new Set()).add(source));
  for (let i = 0; i < library.info.pages; i++) {
    const { title, source, passages } = await library.page(i);
    note(titles, title.trim().toLowerCase(), source);
    for (const { headings: path } of passages) if (path.length > 0) note(headings, path.at(-1).toLowerCase(), source);
  }
  return { titles: [...titles].filter(([, pages]) => pages.size <= 3), headings: [...headings].filter(([, pages]) => pages.size === 1) };
}

/** [kind, query, pages] of one library. */
async function draw(library) {
  const { titles, headings } = await readNames(library);
  const drawn = [];
  const isShort = ([title]) => /^[\w\s-]+$/.test(title) && [2, 3, 4].includes(title.split(/\s+/).length);
  for (const [, title, pages] of byHash(titles.filter(isShort)).slice(0, TITLES)) {
    const reversed = title.split(/\s+/).reverse();
    drawn.push(['title', title, pages], ['reversed', reversed.join(' '), pages]);
    if (/\w{6}$/.test(title)) drawn.push(['unfinished', title.slice(0, -CUT), pages]);
    if (reversed.at(-1).length >= 6) drawn.push(['reversed, unfinished', reversed.join(' ').slice(0, -CUT), pages]);
  }
  const isName = ([name]) => /^[a-z]{4,16}$/.test(name);
  for (const [kind, names] of Object.entries({ 'what is TITLE': titles, 'what is HEADING': headings })) {
    for (const [, name, pages] of byHash(names.filter(isName)).slice(0, NAMES)) drawn.push([kind, `what is ${name}`, pages]);
  }
  return drawn;
}

const { values } = parseArgs({ options: { sets: { type: 'string' } } });
const work = mkdtempSync(join(tmpdir(), 'sheaf-titles-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

function* bundles() {
  const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');
  const known = JSON.parse(readFileSync(join(root, 'tests/documents/questions/sets.json'), 'utf8'));
  const folders = new Map(['vue', 'rust-book'].map((set) => [set, join(shared, 'corpora', set)]));
  for (const set of values.sets === undefined ? [] : OTHERS) folders.set(set, join(values.sets, known[set].folder));
  for (const [set, folder] of folders) {
    if (!existsSync(folder)) {
      console.log(`${set} skipped: there is no ${folder}`);
      continue;
    }
    const bundle = join(work, `${set}.sheaf`);
    const args = ['pack', folder, '-o', bundle, '--library', set, '--version', 'dev', '--quiet'];
    execFileSync(process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack'), args, { stdio: ['ignore', 'ignore', 'inherit'] });
    yield [set, bundle];
  }
  for (const { set, bundle } of packedSets(work)) yield [set.name, bundle];
}

const scores = new Map();
for (const [set, bundle] of bundles()) {
  const library = await open(bundle);
  const questions = judged.filter((q) => q.set === set).map((q) => ['judged: what is', q.query, new Set(q.relevant)]);
  for (const [kind, query, relevant] of [...(await draw(library)), ...questions]) {
    const of = scores.get(kind) ?? scores.set(kind, { keyword: [], hybrid: [] }).get(kind);
    for (const mode of MODES) {
      const { hits } = await library.search(query, { topK: 10, mode });
      const ranked = hits.map((hit) => hit.source);
      of[mode].push({ ndcg: ndcgAt(10, ranked, relevant), first: hitAt(1, ranked, relevant) });
    }
  }
  await library.close();
}
console.log('| kind | queries | keyword: nDCG@10 | hit@1 | hybrid: nDCG@10 | hit@1 |\n|---|--:|--:|--:|--:|--:|');
for (const [kind, of] of scores) {
  const cells = MODES.flatMap((mode) => ['ndcg', 'first'].map((field) => mean(of[mode].map((score) => score[field])).toFixed(3)));
  console.log(`| ${[kind, of.keyword.length, ...cells].join(' | ')} |`);
}
