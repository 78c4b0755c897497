/**
 * How well several bundles answer as one: the development sets, federated.
 *
 *   node tests/quality/federation.mjs        the table of docs/decisions/0007-federation.md, as Markdown
 *
 * Every judged query is asked of all collections at once; relevant is what its own set judged so, although another
 * manual may hold an answer too. So the rows compare ways of merging, and do not measure an absolute.
 * Vue and the Rust book lie in ../shared (or $SHEAF_SHARED); what is missing is named and left out. Nothing is tuned
 * here on other sets. Needs build/native/sheaf-pack (or $SHEAF_PACK) and dist/.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hitAt, ndcgAt } from '../../dist/node/eval/metrics.js';
import { mergeAnswers } from '../../dist/browser/client/merge.js';
import { open } from '../../dist/node/client/node.js';
import { readSet, setNames, whyNoPages } from './sets/check.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');
const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
const work = mkdtempSync(join(tmpdir(), 'sheaf-federation-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const DEPTH = 20;

/** {name, folder, exclude, queries} of each collection that is here. */
function collections() {
  const found = [];
  for (const name of ['vue', 'rust-book']) {
    const [folder, file] = [join(shared, 'corpora', name), join(shared, 'eval', name, 'queries.jsonl')];
    if (existsSync(folder) && existsSync(file))
      found.push({
        name,
        folder,
        exclude: [],
        queries: readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      });
    else console.error(`${name} left out: not in ${shared}`);
  }
  for (const set of setNames().map(readSet)) {
    const missing = whyNoPages(set);
    if (missing !== undefined) console.error(`${set.name} left out: ${missing}`);
    else found.push({ name: set.name, folder: set.about.root, exclude: set.about.exclude ?? [], queries: set.queries });
  }
  return found;
}

function pack(name, inputs, exclude, flags = []) {
  const bundle = join(work, `${name}.sheaf`);
  const excluded = exclude.flatMap((glob) => ['--exclude', glob]);
  execFileSync(packer, ['pack', ...inputs, '-o', bundle, '--library', name, '--version', 'dev', '--quiet', ...excluded, ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return open(bundle);
}

const sets = collections();
const libraries = [];
for (const { name, folder, exclude } of sets) libraries.push(await pack(name, [folder], exclude));
const together = await pack(
  'together',
  sets.map(({ folder }) => folder),
  sets.flatMap(({ exclude }) => exclude),
  ['--root', '/'],
);

const STRIDE = 2 ** 32;
const keyOf = (set, page) => set * STRIDE + page;
const withKeys = (answers, score) =>
  answers.flatMap(({ answer }, set) => answer.hits.map((hit, rank) => ({ key: keyOf(set, hit.page), score: score(hit, rank, set) })));
const WAYS = {
  'its own bundle alone (the ceiling)': (answers, set) =>
    withKeys([answers[set]], (hit) => hit.score).map((hit, rank) => ({
      key: keyOf(set, answers[set].answer.hits[rank].page),
      score: hit.score,
    })),
  'in turns (round robin)': (answers) => withKeys(answers, (_, rank, set) => -rank - set / 100),
  'by the score that each gave': (answers) => withKeys(answers, (hit) => hit.score),
  'by cosine': (answers) => withKeys(answers, (hit) => hit.explanation.cosine),
  'common statistics (mergeAnswers)': async (answers) =>
    (await mergeAnswers(answers, 1000)).hits.map(({ bundle, page, score }) => ({ key: keyOf(bundle, page), score })),
};

/** Pages, best first, each once. */
const ranked = (hits) => [...new Set(hits.sort((a, b) => b.score - a.score).map(({ key }) => key))];

async function relevantKeys(query, set) {
  const pages = [];
  for (const path of query.relevant) pages.push(keyOf(set, await libraries[set].findPage(path)));
  return new Set(pages);
}

/** One index of everything, with its pages under the same keys. */
async function askTogether(query, by) {
  const { hits } = await together.search(query, { topK: 3 * DEPTH, by });
  const keys = [];
  for (const { source } of hits) {
    const set = sets.findIndex(({ folder }) => `/${source}`.startsWith(`${resolve(folder)}/`));
    keys.push(keyOf(set, await libraries[set].findPage(relative(resolve(sets[set].folder), `/${source}`))));
  }
  return [...new Set(keys)];
}

/** 95 % interval of the mean of paired differences, by bootstrap with a fixed seed. */
function interval(differences, rounds = 2000) {
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647; // Lehmer's generator
  const means = Array.from(
    { length: rounds },
    () => differences.reduce((sum) => sum + differences[Math.floor(random() * differences.length)], 0) / differences.length,
  );
  means.sort((a, b) => a - b);
  return [means[Math.floor(0.025 * rounds)], means[Math.floor(0.975 * rounds)]].map((mean) => mean.toFixed(3)).join(' to ');
}

for (const by of ['page', 'passage']) {
  const rows = new Map([...Object.keys(WAYS), 'one index of all of them'].map((name) => [name, []]));
  for (const [set, { queries }] of sets.entries()) {
    for (const query of queries) {
      const answers = [];
      for (const [bundle, library] of libraries.entries()) {
        answers.push({
          bundle,
          pages: library.info.pages,
          space: library.info.space,
          answer: await library.search(query.query, { topK: DEPTH, by, explain: true }),
        });
      }
      const relevant = await relevantKeys(query, set);
      const note = (name, pages) =>
        rows.get(name).push({
          set,
          ndcg: ndcgAt(10, pages, relevant),
          hit: hitAt(1, pages, relevant),
          found: hitAt(5, pages, relevant),
          right: Number(Math.floor((pages[0] ?? -1) / STRIDE) === set),
        });
      for (const [name, way] of Object.entries(WAYS)) note(name, ranked(await way(answers, set)));
      note('one index of all of them', await askTogether(query.query, by));
    }
  }
  const mean = (list, field) => (list.reduce((sum, row) => sum + row[field], 0) / list.length).toFixed(3);
  console.log(`\nBy ${by}, ${rows.values().next().value.length} queries:\n`);
  console.log(
    `| way of merging | nDCG@10 | hit@1 | found@5 | right bundle first | … per set: ${sets.map(({ name }) => name).join(' · ')} |`,
  );
  console.log('|---|---|---|---|---|---|');
  for (const [name, list] of rows) {
    const perSet = sets.map((_, set) =>
      mean(
        list.filter((row) => row.set === set),
        'right',
      ),
    );
    console.log(
      `| ${name} | ${mean(list, 'ndcg')} | ${mean(list, 'hit')} | ${mean(list, 'found')} | ${mean(list, 'right')} | ${perSet.join(' · ')} |`,
    );
  }
  const [merged, own, one] = ['common statistics (mergeAnswers)', 'by the score that each gave', 'one index of all of them'].map((name) =>
    rows.get(name),
  );
  const against = (list) => interval(merged.map(({ ndcg }, i) => ndcg - list[i].ndcg));
  console.log(
    `\nnDCG@10 of mergeAnswers, 95 % interval of the difference: against the scores that each gave ${against(own)}, against one index ${against(one)}`,
  );
}
