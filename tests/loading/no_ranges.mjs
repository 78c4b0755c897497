/**
 * What a first search moves on a host that answers every range with the whole file (`sheaf site --pieces`), beside one that
 * serves ranges. What has left the host before the reader hangs up counts (counting_server.mjs).
 *
 *   node tests/loading/no_ranges.mjs [--site NAME] [--queries N] [--http1]
 *
 * Bytes of answers, medians (and the most) over the queries, code included: the library by words, by meaning, and
 * <sheaf-search> as it is deployed, typed a key every 150 ms.
 */
import { parseArgs } from 'node:util';
import { libraryCold, openBench } from './measure.mjs';
import { fewer, prepare, queriesOf } from './sites.mjs';
import { median, summary } from './tally.mjs';
import { typed, typingPlaces } from './typing.mjs';

const { values } = parseArgs({
  options: { site: { type: 'string', default: 'pg' }, queries: { type: 'string', default: '8' }, http1: { type: 'boolean' } },
});
const site = await prepare(values.site, { pagefind: false, say: console.error });
const queries = fewer(queriesOf(values.site), Number(values.queries));

const ASKED = {
  keyword: (bench, query) => libraryCold(bench, query, 'keyword'),
  hybrid: (bench, query) => libraryCold(bench, query, 'hybrid'),
  typed: (bench, query) => typed(bench, 'sheaf', query, 'steady'),
};

const kB = (bytes) => Math.round(bytes / 1000);

console.log('| PostgreSQL manual | requests | kB, median | most | of it bundle | table | code |\n|---|--:|--:|--:|--:|--:|--:|');
for (const ranges of [true, false]) {
  for (const [name, ask] of Object.entries(ASKED)) {
    const bench = await openBench(site, { http2: !values.http1, ranges, delay: 25, places: typingPlaces() });
    try {
      const visits = [];
      for (const { query } of queries) visits.push(await ask(bench, query));
      const of = (key) => median(visits.map((visit) => visit[key]));
      const { median: middle, max } = summary(visits.map(({ body }) => body));
      const cells = [of('requests'), kB(middle), kB(max), kB(of('index')), kB(of('table')), kB(of('code'))];
      console.log(`| ${name}, ${ranges ? 'ranges' : 'no ranges'} | ${cells.join(' | ')} |`);
    } finally {
      await bench.close();
    }
  }
}
