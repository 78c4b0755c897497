/** The store behind the search box when there is no network, and when a library has to be opened anew. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createSearch } from '../../dist/browser/ui/headless.js';
import { until } from './until.mjs';

const connection = { onLine: true };
const events = new EventTarget();
const original = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
before(() => {
  Object.defineProperty(globalThis, 'navigator', { value: connection, configurable: true });
  for (const name of ['addEventListener', 'removeEventListener']) globalThis[name] = events[name].bind(events);
});
after(() => {
  if (original) Object.defineProperty(globalThis, 'navigator', original);
  else delete globalThis.navigator;
  delete globalThis.addEventListener;
  delete globalThis.removeEventListener;
});

const stores = [];
afterEach(() => {
  for (const store of stores.splice(0)) store.dispose();
  network(true);
});

function network(onLine) {
  connection.onLine = onLine;
  events.dispatchEvent(new Event(onLine ? 'online' : 'offline'));
}

const hit = (page) => ({
  page,
  passage: page,
  score: 1,
  title: `Page ${page}`,
  url: `/p${page}`,
  source: `p${page}.md`,
  anchor: '',
  headings: [],
  firstLine: 1,
  lastLine: 1,
  snippet: 'x',
  highlights: [],
});
const answer = (...pages) => ({
  hits: pages.map(hit),
  corrections: [],
  matchingPassages: 1,
  ignoredWords: 0,
  usedKeyword: true,
  usedSemantic: true,
});
const failure = (code) => Object.assign(new Error(code), { code });

function start(library, options = {}) {
  const store = createSearch(library, { debounce: 0, patience: 0, ...options });
  stores.push(store);
  return store;
}
/** Resolves when `check` holds of the state. */
const when = async (store, check) => {
  await until(() => check(store.state), check);
  return store.state;
};
/** Resolves when a search has failed; `offline` alone may also be shown by one that still waits. */
const failed = (store) => when(store, ({ error }) => error !== undefined);
const status = (store, wanted) => when(store, (state) => state.status === wanted);

/** A library whose searches are answered by hand. */
function manual({ semantic = false } = {}) {
  const calls = [];
  const library = {
    info: { semantic, manifest: {} },
    search: (query, options) => new Promise((resolve, reject) => calls.push({ query, ...options, resolve, reject })),
  };
  return { library, calls };
}

describe('a search without a network', () => {
  it('An offline search says that it waits, and resumes with the same request', async () => {
    const { library, calls } = manual();
    const store = start(library);
    network(false);
    store.setQuery('x');
    await status(store, 'offline');
    network(true);
    await status(store, 'searching');
    calls[0].resolve(answer(1));
    await status(store, 'done');
    assert.equal(calls.length, 1);
  });

  it('A search says so when the network goes midway, or during opening', async () => {
    const { library, calls } = manual();
    let open;
    const store = start(() => new Promise((resolve) => (open = () => resolve(library))));
    store.setQuery('x');
    await status(store, 'opening');
    network(false);
    await status(store, 'offline');
    network(true);
    await status(store, 'opening');
    open();
    await when(store, () => calls.length === 1);
    network(false);
    await status(store, 'offline');
  });

  it('A search that failed without a network is repeated', async () => {
    for (const [code, shown] of [
      ['NETWORK', 'offline'],
      ['WASM', 'error'],
      [undefined, 'offline'],
      ['CORRUPT', 'error'],
    ]) {
      const { library, calls } = manual();
      const store = start(library);
      network(false);
      store.setQuery('x');
      await when(store, () => calls.length === 1);
      calls[0].reject(failure(code));
      assert.equal((await failed(store)).status, shown);
      network(true);
      assert.equal(store.state.status, shown === 'offline' ? 'searching' : 'error');
    }
  });

  it('A search that failed before the loss was known is repeated as well', async () => {
    const { library, calls } = manual();
    const store = start(library);
    store.setQuery('x');
    await when(store, () => calls.length === 1);
    calls[0].reject(failure('NETWORK'));
    await status(store, 'error');
    network(true);
    assert.equal(store.state.status, 'searching');
  });

  it('An offline search is repeated for a later listener when the network returns', async () => {
    const { library, calls } = manual();
    const store = start(library);
    const leave = store.subscribe(() => {});
    network(false);
    store.setQuery('x');
    await when(store, () => calls.length === 1);
    calls[0].reject(failure('NETWORK'));
    assert.equal((await failed(store)).status, 'offline');
    leave(); // an element that the page takes out
    network(true);
    assert.equal(store.state.status, 'offline');
    store.subscribe(() => {});
    assert.equal(store.state.status, 'searching');
  });

  it('An offline search shows hits by words and waits for the rest', async () => {
    const { library, calls } = manual({ semantic: true });
    const store = start(library);
    network(false);
    store.setQuery('x');
    await status(store, 'offline');
    calls[0].resolve(answer(1));
    const shown = await when(store, ({ stage }) => stage === 'keyword');
    assert.equal(shown.status, 'offline');
    network(true);
    calls[1].resolve(answer(2, 1));
    await status(store, 'done');
  });

  it('An offline search is not mentioned when the answer lies in memory', async () => {
    const search = () => new Promise((resolve) => setTimeout(resolve, 10, answer(1))); // however late, timers end in their order
    const store = start({ ...manual().library, search });
    const seen = [];
    store.subscribe((state) => seen.push(state.status));
    network(false);
    store.setQuery('x');
    await status(store, 'done');
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(seen.includes('offline'), false);
  });

  it('An offline search is forgotten with the query', async () => {
    const { library } = manual();
    const store = start(library);
    network(false);
    store.setQuery('x');
    store.setQuery('');
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(store.state.status, 'idle');
  });
});

describe('a library that has to be opened anew', () => {
  it('A library that must reopen is handed back to the next opener', async () => {
    const { library, calls } = manual();
    const contexts = [];
    const stale = {
      info: { semantic: false, manifest: {} },
      search: async () => {
        throw failure('SOURCE_CHANGED');
      },
    };
    const store = start((context) => {
      contexts.push(context);
      return contexts.length === 1 ? stale : library;
    });
    store.setQuery('x');
    await when(store, () => calls.length === 1);
    assert.deepEqual(
      contexts.map(({ again, failed }) => [again, failed]),
      [
        [false, undefined],
        [true, stale],
      ],
    );
  });
});

describe('prefetch', () => {
  it('Prefetching opens the library and lets it bring the standing needs of queries', async () => {
    let fetched = 0;
    const store = start(async () => ({ ...manual().library, prefetch: async () => void fetched++ }));
    await store.prefetch();
    assert.equal(fetched, 1);
    assert.notEqual(store.library, undefined);
    await start(manual().library).prefetch(); // a library of the page's own may know nothing of it
  });
});
