/**
 * How many dependent round trips a query takes behind the open library: reads that were begun before the first of them
 * ended are one. Sources in memory end all that was asked for at once, so that the count depends on the core alone.
 */
import { readFileSync } from 'node:fs';
import { open } from '../../dist/node/client/node.js';
import { TABLE } from './sites.mjs';

/** Round trips that most queries may take, and the share of the queries without misspelt words that must keep to it. */
export const MOST_ROUNDS = { keyword: 2, hybrid: 3 };
/**
 * By words, others name a symbol whose text is not among those of the hits that the words alone find. By both, others are answered
 * badly by their own words, and ask the table for other wordings, then the index for those.
 */
export const LEAST_SHARE = { keyword: 0.75, hybrid: 0.7 };

/** Sources whose reads land together, and how often they did. */
function countedSources(...files) {
  const clock = { rounds: 0 };
  let waiting = [];
  const land = () => {
    const landing = waiting;
    waiting = [];
    clock.rounds++;
    for (const go of landing) go();
  };
  const sources = files.map((bytes, i) => ({
    key: `counted-${i}`,
    size: async () => bytes.length,
    read: (offset, length) =>
      new Promise((resolve) => {
        if (waiting.length === 0) setTimeout(land, 0);
        waiting.push(() => resolve(new Uint8Array(bytes.subarray(offset, offset + length))));
      }),
  }));
  return { clock, sources };
}

/** {mode, counted: [{query, kind, rounds}]}: each query asked of a library that was just opened. */
export async function countRounds(bundle, queries, mode) {
  const files = [readFileSync(bundle), readFileSync(TABLE)];
  const counted = [];
  for (const { query, kind } of queries) {
    const { clock, sources } = countedSources(...files);
    const library = await open(sources[0], { encoder: mode === 'keyword' ? false : sources[1], lazy: true });
    const before = clock.rounds;
    await library.search(query, { mode, topK: 10 });
    counted.push({ query, kind, rounds: clock.rounds - before });
    await library.close();
  }
  return { mode, counted };
}

/** Share of the queries that keep to the round trips allowed; queries with misspelt words take further ones. */
export function shareWithin({ mode, counted }) {
  const meant = counted.filter(({ kind }) => kind !== 'typo');
  return meant.filter(({ rounds }) => rounds <= MOST_ROUNDS[mode]).length / meant.length;
}

/** "3: 28 queries, 4: 9 queries" */
export function roundsLine({ mode, counted }) {
  const by = new Map();
  for (const { rounds } of counted) by.set(rounds, (by.get(rounds) ?? 0) + 1);
  const counts = [...by].sort(([a], [b]) => a - b).map(([rounds, queries]) => `${rounds}: ${queries}`);
  return `round trips by ${mode}, of ${counted.length} queries: ${counts.join(', ')}`;
}
