/**
 * `node tests/quality/weak.mjs`: when an answer says that it is weak (`SearchAnswer.weak`). README.md has the figures.
 *
 * Two numbers, a collection each: how many of its judged queries are called weak, which should be none, and how many of the gibberish
 * and off-topic queries of nonsense.jsonl. `--margins` prints, of the queries without a word in the documentation, by how much the
 * nearest passage exceeds the background: what Ranking::weak_margin was chosen by. Collections that are not here are named and left out.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '../../dist/node/client/node.js';
import { collections, readLines } from './collections.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const margins = process.argv.includes('--margins');

const work = mkdtempSync(join(tmpdir(), 'sheaf-weak-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

/** By how much the nearest passage exceeds the background, from cosines and the normalised values made of them. */
function marginOf(hits) {
  const [best, other] = [hits[0], hits.find(({ explanation: e }) => e.semantic < 0.95)].map((hit) => hit?.explanation);
  if (best === undefined || other === undefined) return undefined;
  return (best.cosine - other.cosine) / (1 - other.semantic);
}

const nonsense = readLines(join(here, 'nonsense.jsonl'));
const totals = new Map();
for (const { name, bundle, queries } of collections(work)) {
  const library = await open(bundle);
  const kinds = [{ kind: 'judged', queries: queries.map(({ query }) => query) }, ...nonsense];
  const shown = [];
  for (const { kind, queries: texts } of kinds) {
    let weak = 0;
    let wordless = 0;
    for (const text of texts) {
      const answer = await library.search(text, { topK: 30, explain: true });
      if (answer.weak) weak++;
      if (answer.matchingPassages === 0) wordless++;
      if (margins && (answer.matchingPassages === 0 || (kind === 'judged' && answer.weak))) {
        console.log(
          `  ${name} ${kind}: ${marginOf(answer.hits)?.toFixed(3)} cos ${answer.hits[0]?.explanation.cosine.toFixed(3)} ${answer.weak ? 'weak' : '-'} ${text}`,
        );
      }
    }
    const [w, n, without] = totals.get(kind) ?? [0, 0, 0];
    totals.set(kind, [w + weak, n + texts.length, without + wordless]);
    shown.push(`${kind} ${weak} of ${texts.length} (${wordless} without a word found)`);
  }
  await library.close();
  console.log(`${name.padEnd(10)} weak: ${shown.join(', ')}`);
}
for (const [kind, [weak, n, wordless]] of totals) console.log(`all ${kind}: ${weak} of ${n} weak, ${wordless} without a word found`);
