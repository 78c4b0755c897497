/** What the store behind the search box fetches of a word before it searches for it. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSearch } from '../../dist/browser/ui/headless.js';
import { until } from './until.mjs';

const stores = [];
afterEach(() => stores.splice(0).forEach((store) => store.dispose()));

/** A library that is read by ranges and has `words`; `asked` are its calls. */
function ranged(words, { lazy = true } = {}) {
  const asked = [];
  return {
    asked,
    of: (what) => asked.filter((call) => call.what === what).map(({ query }) => query),
    info: { semantic: true, lazy, fileSize: 1e9, manifest: {} },
    async search(query, { topK }) {
      asked.push({ what: topK === 0 ? 'look up' : 'search', query });
      return { hits: [], corrections: [], matchingPassages: words.includes(query) ? 3 : 0, ignoredWords: 0 };
    },
    async prefetch({ words } = {}) {
      if (words !== undefined) asked.push({ what: 'rows', query: words.join(' ') });
    },
  };
}

async function opened(library) {
  const store = createSearch(library);
  stores.push(store);
  await store.prefetch();
  return store;
}

/** Keys at `gap` milliseconds. */
async function type(store, text, gap = 40) {
  let query = store.state.query;
  for (const letter of text) {
    await sleep(gap);
    store.setQuery((query += letter));
  }
}

describe('a word that is being typed', () => {
  it('A typed word is looked up from its fifth letter, and its row of the encoder table fetched', async () => {
    const library = ranged(['tables']);
    const store = await opened(library);
    await type(store, 'tables');
    await until(() => store.state.status === 'done');
    assert.deepEqual(library.of('look up'), ['table', 'tables']);
    assert.deepEqual(library.of('rows'), ['tables']);
  });

  it('A typed word is searched for sooner where the documentation has it', async () => {
    const restOf = async (words) => {
      const library = ranged(words);
      const store = await opened(library);
      await type(store, 'table', 120);
      const from = performance.now();
      await until(() => library.of('search').length > 0);
      return performance.now() - from;
    };
    const [known, unknown] = [await restOf(['table']), await restOf([])];
    assert.ok(known < unknown, `${known} and ${unknown} ms`);
  });

  it('A typed word does not bring back a query that a later key has replaced', async () => {
    const library = ranged(['table']);
    const answer = library.search;
    library.search = async (query, options) => {
      if (options.topK === 0) await sleep(30);
      return answer(query, options);
    };
    const store = await opened(library);
    await type(store, 'table');
    store.setQuery('tables of');
    await until(() => store.state.status === 'done');
    await sleep(60);
    assert.deepEqual([...new Set(library.of('search'))], ['tables of']);
    assert.deepEqual(library.of('rows'), []);
  });

  it('A typed word costs nothing where the library is in memory', async () => {
    const library = ranged(['table'], { lazy: false });
    const store = await opened(library);
    await type(store, 'table');
    await until(() => store.state.status === 'done');
    assert.deepEqual([library.of('look up'), library.of('rows')], [[], []]);
  });

  it('A complete word has its row of the encoder table fetched while the next one is typed', async () => {
    const library = ranged([]);
    const store = await opened(library);
    await type(store, 'a row ');
    await until(() => store.state.status === 'done');
    assert.deepEqual(library.of('rows'), ['a', 'a row']);
  });

  it('A name has no row fetched before it is searched for: the encoder takes it apart', async () => {
    const library = ranged([]);
    const store = await opened(library);
    await type(store, "PQexec pg_dump Größe user's New ");
    await until(() => store.state.status === 'done');
    assert.deepEqual(library.of('rows'), ['new']);
  });

  it('A list behind a word stays for a second while its reader types on, and the next words are fetched without hits', async () => {
    const library = ranged([]);
    const store = await opened(library);
    const shown = [];
    store.subscribe(({ stage, answered }) => stage === 'keyword' && shown.push(answered));
    await type(store, 'a row of ');
    assert.deepEqual([...new Set(shown)], ['a ']);
    assert.deepEqual(library.of('search'), ['a ']);
    assert.deepEqual(library.of('look up'), ['a row ', 'a row of ']);
    await until(() => store.state.status === 'done');
    assert.equal(store.state.answered, 'a row of ', 'the rest behind the last word has its list at once');
    await sleep(1000);
    await type(store, 'all ');
    await until(() => shown.includes('a row of all '));
  });
});
