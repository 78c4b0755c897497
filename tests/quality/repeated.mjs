/**
 * `node tests/quality/repeated.mjs`: documentation whose pages repeat each other's text. Packs the standard library of rust-doc (std, core
 * and alloc, without the thousands of intrinsics of processors), where four passages in five stand on several pages: below every
 * type the generator writes the implementations that all types have. Asks the judged questions of repeated.jsonl, and prints
 * nDCG@10 and hit@1 by mode, and how many of the hits have the very text of a hit above them.
 *
 * A page that std, core and alloc have alike counts in each of them. Needs the Debian package rust-doc, build/native/sheaf-pack (or
 * $SHEAF_PACK) and dist/; a minute of one core. README.md has the figures.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hitAt, ndcgAt } from '../../dist/node/eval/metrics.js';
import { open } from '../../dist/node/client/node.js';
import { plainText } from './peers/collections.mjs';
import { mean } from './statistics.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const html = '/usr/share/doc/rust-doc/html';
const CRATES = ['std', 'core', 'alloc'];
const WITHOUT = ['core/core_arch/**', 'core/arch/**', 'std/arch/**'];
const MODES = ['keyword', 'semantic', 'hybrid'];

/** {query, relevant: Set of sources}: `pages` of a line are below each crate that has them. */
function readQueries() {
  const lines = readFileSync(join(here, 'repeated.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.map(({ query, pages }) => {
    const relevant = CRATES.flatMap((crate) => pages.map((page) => `${crate}/${page}`)).filter((page) => existsSync(join(html, page)));
    if (relevant.length === 0) throw new Error(`repeated.jsonl: rust-doc has no page of "${query}"; it was judged on rust-doc 1.63.0`);
    return { query, relevant: new Set(relevant) };
  });
}

function pack(bundle) {
  const globs = [...CRATES.flatMap((crate) => ['--include', `${crate}/**`]), ...WITHOUT.flatMap((glob) => ['--exclude', glob])];
  const args = ['pack', html, '-o', bundle, '--library', 'rust', '--version', 'dev', '--quiet', '--graph', 'never', ...globs];
  execFileSync(process.env.SHEAF_PACK ?? join(here, '../../build/native/sheaf-pack'), args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** How many of `hits` have the text of one above, marks and addresses aside. */
async function countRepeated(library, hits) {
  const seen = new Set();
  for (const { passage } of hits) seen.add(plainText((await library.passage(passage)).text).replace(/\s+/g, ' '));
  return hits.length - seen.size;
}

if (!existsSync(html)) {
  console.log('skipped: the Debian package rust-doc is not installed');
  process.exit();
}
const queries = readQueries();
const work = mkdtempSync(join(tmpdir(), 'sheaf-repeated-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const bundle = join(work, 'rust.sheaf');
pack(bundle);
const library = await open(bundle);
console.log(`${library.info.pages} pages, ${library.info.passages} passages, ${statSync(bundle).size} bytes; ${queries.length} queries`);
console.log('| mode | nDCG@10 | hit@1 | hits that repeat one above |\n|---|---|---|---|');
for (const mode of MODES) {
  const scores = [];
  for (const { query, relevant } of queries) {
    const { hits } = await library.search(query, { topK: 10, mode });
    const ranked = hits.map((hit) => hit.source);
    scores.push({
      ndcg: ndcgAt(10, ranked, relevant),
      first: hitAt(1, ranked, relevant),
      hits: hits.length,
      repeated: await countRepeated(library, hits),
    });
  }
  const of = (name) => mean(scores.map((score) => score[name]));
  console.log(`| ${mode} | ${of('ndcg').toFixed(3)} | ${of('first').toFixed(3)} | ${((100 * of('repeated')) / of('hits')).toFixed(1)} % |`);
  if (process.argv.includes('--per-query'))
    for (const [i, { ndcg }] of scores.entries()) console.log(`${mode}\t${ndcg.toFixed(4)}\t${queries[i].query}`);
}
await library.close();
