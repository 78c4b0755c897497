/**
 * How good a list of pages is, for `sheaf eval` and the playground.
 *
 *   nDCG@k   sum of 1 / log2(rank + 1) over relevant pages among the first k, divided by the same sum
 *            for the ideal list, which begins with min(k, number of relevant pages) relevant ones
 */

/** REQUIRES: no page twice in `ranked`. Pure. */
export function ndcgAt<Page>(k: number, ranked: readonly Page[], relevant: ReadonlySet<Page>): number {
  let gain = 0;
  ranked.slice(0, k).forEach((page, index) => {
    if (relevant.has(page)) gain += discount(index);
  });
  let ideal = 0;
  for (let index = 0; index < Math.min(k, relevant.size); index++) ideal += discount(index);
  return ideal === 0 ? 0 : gain / ideal;
}

function discount(index: number): number {
  return 1 / Math.log2(index + 2);
}
