/**
 * `node tests/quality/unanswered.mjs`: when agents are told that nothing answers (web/node/mcp/contracts/openground/confidence.ts).
 * README.md has the figures.
 *
 * Every judged query is asked of its own library and, as one that it does not answer, of every other; and the nonsense of nonsense.jsonl
 * of all. Counted: answers that would be lost, which are judged queries with a judged page among the first five passages
 * that are marked all the same, and the questions of other libraries and the nonsense that are marked. Marked means called weak, or
 * pointed to another library that knows more. `--limits` prints the trade between the two.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '../../dist/node/client/node.js';
import { CLEARLY, UNSURE, WEAK, confidenceOf, isWeak } from '../../dist/node/mcp/contracts/openground/confidence.js';
import { collections, readLines } from './collections.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'sheaf-unanswered-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

const sets = [...collections(work)];
const nonsense = readLines(join(here, 'nonsense.jsonl'));
const questions = [
  ...sets.flatMap(({ name, queries }) => queries.map(({ query, relevant }) => ({ text: query, from: name, relevant }))),
  ...nonsense.flatMap(({ kind, queries }) => queries.map((text) => ({ text, from: kind, relevant: [] }))),
];

const rows = [];
for (const { name, bundle } of sets) {
  const library = await open(bundle);
  for (const [id, { text, from, relevant }] of questions.entries()) {
    const answer = await library.search(text, { topK: 5, by: 'passage', explain: true });
    const confidence = confidenceOf(answer, library.info);
    const kind = from === name ? 'own' : sets.some((set) => set.name === from) ? 'other library' : from;
    const answered = kind === 'own' && answer.hits.some(({ source }) => relevant.includes(source));
    rows.push({ id, name, kind, answered, confidence, core: answer.weak, weak: isWeak(answer, confidence) });
  }
  await library.close();
}

const best = new Map();
for (const row of rows) best.set(row.id, [...(best.get(row.id) ?? []), row]);
const pointed = (row, { weak = WEAK, unsure = UNSURE, clearly = CLEARLY } = {}) =>
  row.confidence < unsure &&
  best.get(row.id).some((other) => other.name !== row.name && other.confidence > Math.max(row.confidence, weak) + clearly);

const share = (list, test) =>
  `${list.filter(test).length} of ${list.length} (${((100 * list.filter(test).length) / list.length).toFixed(1)} %)`;
const own = rows.filter(({ kind }) => kind === 'own');
for (const [title, test] of [
  ["weak by the core's word", (row) => row.core],
  ['weak by the limit', (row) => row.weak],
  ['marked: weak, or another library knows more', (row) => row.weak || pointed(row)],
]) {
  console.log(title);
  console.log(`  answers lost   ${share(own, (row) => row.answered && test(row))}`);
  console.log(`  judged, marked ${share(own, test)}`);
  for (const kind of ['other library', 'gibberish', 'off-topic'])
    console.log(
      `  ${kind.padEnd(14)} ${share(
        rows.filter((row) => row.kind === kind),
        test,
      )}`,
    );
}
if (process.argv.includes('--limits')) {
  for (let weak = 0.3; weak < 0.81; weak += 0.05) {
    const marked = (row) => row.core || row.confidence < weak;
    console.log(
      `${weak.toFixed(2)}: lost ${own.filter((row) => row.answered && marked(row)).length}, of other libraries ${share(
        rows.filter(({ kind }) => kind === 'other library'),
        marked,
      )}, with others ${share(
        rows.filter(({ kind }) => kind === 'other library'),
        (row) => marked(row) || pointed(row, { weak }),
      )}`,
    );
  }
}
