/**
 * How sure a difference between two rankings is: the paired bootstrap over queries.
 *
 * Both rankings answered the same queries, so the differences per query are drawn again, with replacement, as many as
 * there are, RESAMPLES times; the interval holds the middle 95 % of the means. Seeded: the same figures give the same
 * interval. It speaks of other queries like these ones, not of other collections. Cost: RESAMPLES x queries.
 */
const RESAMPLES = 5000;
const TAIL = 0.025;

/** A small generator of 32-bit states (mulberry32), for resampling alone. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export const mean = (values) => (values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length);

/** {mean, low, high} of differences, one a query. Pure. */
export function pairedBootstrap(differences, { seed = 1 } = {}) {
  const count = differences.length;
  if (count === 0) return { mean: 0, low: 0, high: 0 };
  const random = randomFrom(seed);
  const means = new Float64Array(RESAMPLES);
  for (let sample = 0; sample < RESAMPLES; sample++) {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += differences[Math.floor(random() * count)];
    means[sample] = sum / count;
  }
  means.sort();
  const at = (share) => means[Math.min(RESAMPLES - 1, Math.floor(share * RESAMPLES))];
  return { mean: mean(differences), low: at(TAIL), high: at(1 - TAIL) };
}
