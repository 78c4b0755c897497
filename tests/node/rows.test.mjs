/** Search over rows of a database that has every passage as a candidate: it answers as the bundle does. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { BundleRows } from '../../dist/node/databases/bundle_rows.js';
import { DatabaseLibrary } from '../../dist/node/databases/database_library.js';
import { queryVectors } from '../../dist/node/databases/query_vectors.js';
import { makeOtherLanguages } from '../backends/suite.mjs';
import { packFixture, plainTable, temporaryFolder } from './packed.mjs';

/** A database in memory that takes every row for a candidate. */
async function everything(path) {
  const bundle = await BundleRows.open(path);
  const rows = [];
  for await (const batch of bundle.batches()) rows.push(...batch);
  const groups = await bundle.groups();
  const held = { ...bundle.facts, centroid: bundle.mean() };
  await bundle.close();
  const cosine = (a, b) => (a === undefined || b === undefined ? 0 : a.reduce((sum, v, i) => sum + v * b[i], 0));
  return {
    held,
    name: 'memory',
    asked: [],
    groups: async (_, stems) => groups.filter(({ stem }) => stems.includes(stem)),
    spellings: async (_, { shortest, longest }) =>
      groups.flatMap(({ terms }) => terms).filter(({ term }) => Buffer.byteLength(term) >= shortest && Buffer.byteLength(term) <= longest),
    async candidates(_, asked) {
      this.asked.push(asked);
      return rows.map((row) => ({ row, cosine: cosine(asked.vector, row.vector) }));
    },
  };
}

const near = (a, b) => Math.abs(a - b) < 0.02;

describe('search over rows', () => {
  const root = temporaryFolder('rows');
  const vectors = queryVectors('static');
  let encoder;
  before(async () => (encoder = await plainTable(root)));
  after(() => vectors.close());

  const compare = async (path, queries, options) => {
    const [library, backend] = [await open(path, { encoder }), await everything(path)];
    const over = new DatabaseLibrary(backend, backend.held, vectors);
    for (const query of queries) {
      const asked = { ...options, prefix: false, explain: true };
      const [own, theirs] = [await library.search(query, asked), await over.search(query, asked)];
      const shown = ({ hits, corrections, usedKeyword, usedSemantic, weak }) => ({
        ...{ corrections, usedKeyword, usedSemantic, weak },
        hits: hits.map(({ score: _, meta: __, place: ___, explanation: { terms }, ...hit }) => ({
          ...hit,
          terms: terms.map(({ word, term, frequency }) => ({ word, term, frequency })),
        })),
      });
      assert.deepEqual(shown(theirs), shown(own), query);
      for (const [i, { score }] of own.hits.entries()) assert.ok(near(score, theirs.hits[i].score), `${query}: ${score}`);
    }
    await library.close();
    return backend;
  };

  it("Search over rows gives the bundle's hits, snippets and marks, by words", async () => {
    const path = await packFixture(`${root}/kiln.sheaf`);
    const queries = [
      'furnace',
      'firing schedule',
      'how do I install kiln',
      'kiln --version',
      'the',
      'secure the dashboard with a password',
    ];
    for (const by of ['page', 'passage']) await compare(path, queries, { mode: 'keyword', by });
    const { asked } = await compare(path, ['how do I install the furnaces'], { mode: 'keyword' });
    assert.deepEqual(
      asked[0].words.map(({ stem }) => stem),
      ['furnac', 'instal'],
      'the stems of what says something',
    );
  });

  it("Search over rows gives the bundle's hits by words and meaning, and meaning alone", async () => {
    const path = await packFixture(`${root}/both.sheaf`);
    const queries = ['furnace', 'how hot may it get', 'secure the dashboard with a password', 'qwertzuiop'];
    for (const mode of ['hybrid', 'semantic']) await compare(path, queries, { mode });
  });

  it('At most eight searches over rows run at a time, and one that fails or is cancelled gives its turn to the next', async () => {
    const backend = await everything(await packFixture(`${root}/turns.sheaf`));
    let [running, most] = [0, 0];
    const counting = {
      ...backend,
      async candidates(...asked) {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        if (asked[1].words.some(({ stem }) => stem === 'dashboard')) throw new Error('the database is gone');
        return backend.candidates(...asked);
      },
    };
    const over = () => new DatabaseLibrary(counting, backend.held, vectors);
    const [alone] = (await over().search('furnace', { mode: 'keyword' })).hits;
    const gone = new AbortController();
    const asked = Array.from({ length: 60 }, (_, i) =>
      over().search(i % 3 === 1 ? 'dashboard' : 'furnace', { mode: 'keyword', ...(i % 3 === 2 ? { signal: gone.signal } : {}) }),
    );
    gone.abort(new Error('the client left'));
    for (const [i, { value, reason }] of (await Promise.allSettled(asked)).entries()) {
      if (i % 3 === 0) assert.deepEqual(value.hits[0], alone);
      else assert.match(reason.message, i % 3 === 1 ? /the database is gone/ : /the client left/);
    }
    assert.equal(most, 8);
    assert.deepEqual((await over().search('furnace', { mode: 'keyword' })).hits[0], alone);
  });

  it('Search over rows corrects mistyped words as the bundle does', async () => {
    const path = await packFixture(`${root}/typos.sheaf`);
    const [library, backend] = [await open(path, { encoder }), await everything(path)];
    const over = new DatabaseLibrary(backend, backend.held, vectors);
    for (const mode of ['keyword', 'hybrid'])
      for (const query of ['furnnace', 'furnace instal', 'warning', 'dashbord passwrd', 'installkiln', 'qwertzuiop']) {
        const [own, theirs] = [await library.search(query, { mode, prefix: false }), await over.search(query, { mode })];
        assert.deepEqual(theirs.corrections, own.corrections, query);
        assert.deepEqual(
          theirs.hits.map(({ passage }) => passage),
          own.hits.map(({ passage }) => passage),
          query,
        );
      }
    await library.close();
  });

  it('Search over rows reads words by the rules of their language', async () => {
    const others = await makeOtherLanguages(root);
    const queries = { de: ['Ebenenmaske', 'gemischte Farben', 'wie kann ich die Größe'], ja: ['レイヤー', '追加'], km: ['ភាព'] };
    for (const [language, path] of Object.entries(others)) await compare(path, queries[language], { mode: 'keyword' });
  });

  it("Search over rows refuses rows with another version's words, and damaged ones", async () => {
    const path = await packFixture(`${root}/other.sheaf`);
    const backend = await everything(path);
    const other = new DatabaseLibrary(backend, { ...backend.held, analysis: 'en 1.0' }, vectors);
    await assert.rejects(other.search('kiln'), { code: 'UNKNOWN_ANALYSIS', message: /export the bundle again/ });
    const candidates = backend.candidates.bind(backend);
    for (const words of ['. kiln', '. kiln x', '. kiln 256', '. kiln -1', '.  1']) {
      backend.candidates = async (...args) => (await candidates(...args)).map(({ row, cosine }) => ({ row: { ...row, words }, cosine }));
      await assert.rejects(new DatabaseLibrary(backend, backend.held, vectors).search('kiln'), { code: 'CORRUPT' }, words);
    }
  });
});
