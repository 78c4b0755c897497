/**
 * `node tests/quality/wordings.mjs`: what a question in several wordings gains (`other_wordings`). README.md has the figures.
 *
 * wordings.jsonl has two other wordings for a hundred questions of the development sets, 96 of them paraphrases, written by
 * hand before any answer was looked at, in the words that somebody would use who knows the field. Asked alone, each wording
 * alone, all joined into one query, and fused as the tool does (`fuse`) or by reciprocal ranks.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '../../dist/node/client/node.js';
import { fuse } from '../../dist/node/mcp/contracts/openground/search.js';
import { collections, readLines } from './collections.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'sheaf-wordings-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const wordings = readLines(join(here, 'wordings.jsonl'));

function byRank(lists, k = 60) {
  const sums = new Map();
  for (const list of lists)
    list.forEach((hit, i) => sums.set(hit.passage, { hit, sum: (sums.get(hit.passage)?.sum ?? 0) + 1 / (k + i + 1) }));
  return [...sums.values()].sort((a, b) => b.sum - a.sum).map(({ hit }) => hit);
}

const WAYS = {
  'as asked': ([asked]) => asked,
  'first other wording': ([, first]) => first,
  'second other wording': ([, , second]) => second,
  'joined into one query': (lists) => lists[3],
  'fused, reciprocal ranks': (lists) => byRank(lists.slice(0, 3)),
  'fused, mean scores': (lists) => fuse(lists.slice(0, 3)),
};
const totals = Object.fromEntries(Object.keys(WAYS).map((way) => [way, { ndcg: 0, first: 0, five: 0 }]));
let count = 0;
for (const { name, bundle, queries } of collections(work)) {
  const library = await open(bundle);
  for (const { id, other } of wordings.filter(({ set }) => set === name)) {
    const { query, relevant } = queries.find((each) => each.id === id);
    const lists = [];
    for (const text of [query, ...other, [query, ...other].join(' ')])
      lists.push((await library.search(text, { topK: 50, by: 'passage' })).hits);
    count++;
    for (const [way, list] of Object.entries(WAYS)) {
      const pages = [...new Set(list(lists).map(({ source }) => source))];
      const gain = (i) => 1 / Math.log2(i + 2);
      const ideal = relevant.slice(0, 10).reduce((sum, _, i) => sum + gain(i), 0);
      totals[way].ndcg += pages.slice(0, 10).reduce((sum, page, i) => sum + (relevant.includes(page) ? gain(i) : 0), 0) / ideal;
      if (relevant.includes(pages[0])) totals[way].first++;
      if (pages.slice(0, 5).some((page) => relevant.includes(page))) totals[way].five++;
    }
  }
  await library.close();
}
for (const [way, { ndcg, first, five }] of Object.entries(totals))
  console.log(`${way.padEnd(24)} nDCG@10 ${(ndcg / count).toFixed(3)}  first ${first}  in the first five ${five}  of ${count}`);
