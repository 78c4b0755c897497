/**
 * Whether a ranking became worse than the checked-in tables say, beyond noise.
 *
 * Where per_query.csv knows the very same queries, the differences per query decide: a drop is one whose 95 % interval
 * (paired bootstrap) lies below zero and whose mean is more than LEAST. The interval alone would call four queries that
 * each lose a hair a drop; the mean alone would call one query that falls from first to nowhere one, in a small set.
 * Elsewhere (Cranfield, other packings) means are compared, and NOISE is what one hit in eighty is worth.
 */
import { pairedBootstrap } from './statistics.mjs';

export const LEAST = 0.005;
export const NOISE = 0.0125;

/**
 * What to say of `row` (a row over all kinds of queries), or undefined where there is no drop. `queries`: what
 * its set's queries got now, {set, id, [mode]: nDCG}. `tables`: the parsed rows of results.csv and per_query.csv. Pure.
 */
export function findDrop(row, queries, tables) {
  const before = tables.results.find((old) => ['set', 'encoder', 'mode', 'kind'].every((name) => old[name] === row[name]));
  if (before === undefined) return undefined; // a new row has nothing to fall from
  const place = `${row.set}, ${row.encoder}, ${row.mode}`;
  const figures = `nDCG@10 ${row.ndcg10.toFixed(4)}, the table says ${Number(before.ndcg10).toFixed(4)}`;
  const differences = row.encoder === 'static' ? pairedWith(tables.queries, queries, row.mode) : undefined;
  if (differences === undefined) return row.ndcg10 < Number(before.ndcg10) - NOISE ? `${place}: ${figures}` : undefined;
  const { mean, low, high } = pairedBootstrap(differences);
  if (high >= 0 || mean > -LEAST) return undefined;
  return `${place}: ${figures}; over the same queries ${mean.toFixed(4)}, 95 % interval ${low.toFixed(4)} to ${high.toFixed(4)}`;
}

/** Differences now - before, one a query; undefined where the two do not hold the same queries. */
function pairedWith(table, queries, mode) {
  const now = queries.filter((query) => query[mode] !== undefined);
  const before = new Map(table.map((old) => [`${old.set},${old.id}`, Number(old[mode])]));
  const old = now.map(({ set, id }) => before.get(`${set},${id}`));
  if (now.length === 0 || old.some((value) => value === undefined || Number.isNaN(value))) return undefined;
  return now.map((query, i) => query[mode] - old[i]);
}
