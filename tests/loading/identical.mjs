/**
 * Whether a bundle that is read by ranges answers as one that lies in memory does.
 *
 * Keyword answers must be the same, hit for hit: passage, score, snippet. Meaning may be looked up in a part of the
 * vectors only; then the share of the resident library's ten best by meaning that the other one finds as well
 * (recall@10) must reach a floor in the mean of a set, and hybrid answers that differ are counted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../dist/node/client/node.js';
import { packSet, readSet, setNames, whyNoPages } from '../quality/sets/check.mjs';
import { TABLE } from './sites.mjs';

const RECALL_FLOOR = 0.85;

/** Every hit as it is compared: where it is, how good it is said to be, and what is shown. */
const shown = ({ page, passage, score, snippet, highlights }) => ({ page, passage, score, snippet, highlights });
const same = (a, b) => JSON.stringify(a.hits.map(shown)) === JSON.stringify(b.hits.map(shown));

/** {name, queries, keyword, hybrid, recall, worst}: queries whose answers differ, and recall@10 by meaning. */
export async function compare(name, bundle, queries) {
  const options = { encoder: TABLE };
  const resident = await open(bundle, { ...options, lazy: false });
  const ranged = await open(bundle, { ...options, lazy: true });
  try {
    if (!ranged.info.lazy || resident.info.lazy)
      throw new Error(`${name}: expected one library read by ranges and one in memory, got neither`);
    const result = { name, queries: queries.length, keyword: [], hybrid: [], recall: 0, worst: 1 };
    for (const query of queries) {
      const both = (more) => Promise.all([resident, ranged].map((library) => library.search(query, more)));
      for (const mode of ['keyword', 'hybrid']) {
        const [whole, part] = await both({ mode });
        if (!same(whole, part)) result[mode].push(query);
      }
      const recall = recallOf(...(await both({ mode: 'semantic', by: 'passage', topK: 10 })));
      result.recall += recall / queries.length;
      result.worst = Math.min(result.worst, recall);
    }
    return result;
  } finally {
    await resident.close();
    await ranged.close();
  }
}

function recallOf(whole, part) {
  const found = new Set(part.hits.map(({ passage }) => passage));
  return whole.hits.length === 0 ? 1 : whole.hits.filter(({ passage }) => found.has(passage)).length / whole.hits.length;
}

/** The development sets whose documentation is installed, packed and compared; `skipped` names the others. */
export async function compareSets(say = () => {}) {
  const work = mkdtempSync(join(tmpdir(), 'sheaf-identical-'));
  try {
    const results = [];
    const skipped = [];
    for (const set of setNames().map(readSet)) {
      const why = whyNoPages(set);
      if (why !== undefined) {
        skipped.push(`${set.name}: ${why}`);
        continue;
      }
      const bundle = join(work, `${set.name}.sheaf`);
      packSet(set, bundle);
      results.push(
        await compare(
          set.name,
          bundle,
          set.queries.map(({ query }) => query),
        ),
      );
      say(line(results.at(-1)));
    }
    return { results, skipped };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export const line = ({ name, queries, keyword, hybrid, recall, worst }) =>
  `answers of ${name}: ${queries} queries, keyword ${keyword.length} differ, hybrid ${hybrid.length} differ, ` +
  `recall@10 by meaning ${recall.toFixed(4)} (worst ${worst.toFixed(2)})`;

/** What is wrong with a comparison; empty when nothing is. */
export function complaints({ name, keyword, recall }) {
  return [
    ...keyword.map((query) => `${name}: the keyword answer to “${query}” differs when read by ranges`),
    ...(recall < RECALL_FLOOR
      ? [`${name}: recall@10 by meaning is ${recall.toFixed(4)} when read by ranges, expected at least ${RECALL_FLOOR}`]
      : []),
  ];
}
