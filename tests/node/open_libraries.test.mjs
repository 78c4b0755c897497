/** The cache of open libraries that the MCP server and the extension share. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OpenLibraries } from '../../dist/browser/client/open_libraries.js';

const MiB = 2 ** 20;
const ESTIMATE = 5 * MiB;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Opens libraries of 5 MiB, and counts them. */
function opener() {
  const count = { open: 0, most: 0, opened: [], closed: [] };
  const open = (key) => async () => {
    count.opened.push(key);
    count.most = Math.max(count.most, ++count.open);
    await pause(2);
    return {
      bytes: () => 5 * MiB,
      library: {
        search: async () => (await pause(2), { hits: [], key }),
        close: async () => void (count.open--, count.closed.push(key)),
      },
    };
  };
  return { count, open };
}

describe('the cache of open libraries', () => {
  it('The cache of open libraries keeps to its cap, closes the least recently used, and reopens', async () => {
    const { count, open } = opener();
    const cache = new OpenLibraries(21 * MiB, ESTIMATE);
    const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
    const search = (key) => cache.use(key, open(key), (library) => library.search('x'));
    await Promise.all(keys.map(search));
    const answers = await Promise.all(keys.map(search));
    assert.deepEqual(
      answers.map(({ key }) => key),
      keys,
    );
    assert.ok(count.most <= 4, `${count.most} were open at once`);
    assert.ok(cache.memory.used <= 21 * MiB && cache.memory.peak <= 21 * MiB, JSON.stringify(cache.memory));
    assert.ok(count.opened.length > keys.length, 'some had to be opened again');
    await cache.close();
    assert.equal(count.open, 0);
  });

  it('The cache of open libraries opens one above the cap when no other is in use', async () => {
    const { count, open } = opener();
    const cache = new OpenLibraries(MiB, ESTIMATE);
    for (const key of ['a', 'b']) await cache.use(key, open(key), (library) => library.search('x'));
    assert.deepEqual([count.opened, count.most], [['a', 'b'], 1]);
    await cache.close();
  });

  it('The shelf waits for running calls before it closes a dropped library', async () => {
    let finish;
    const events = [];
    const cache = new OpenLibraries(100 * MiB, ESTIMATE);
    const open = async () => ({
      bytes: () => 1,
      library: { search: () => new Promise((resolve) => (finish = resolve)), close: async () => events.push('closed') },
    });
    const search = cache.use('a', open, (library) => library.search('x')).then(() => events.push('answered'));
    await turn();
    const dropped = cache.drop('a');
    finish({});
    await Promise.all([search, dropped]);
    assert.deepEqual(events, ['answered', 'closed']);
  });

  it('The cache of open libraries forgets failed libraries, and retries with the next call', async () => {
    const { open } = opener();
    const cache = new OpenLibraries(100 * MiB, ESTIMATE);
    const failing = () => Promise.reject(new Error('locked'));
    const calls = [1, 2].map(() => cache.use('a', failing, () => {}));
    for (const { reason } of await Promise.allSettled(calls)) assert.equal(reason.message, 'locked');
    assert.equal((await cache.use('a', open('a'), (library) => library.search('x'))).key, 'a');
    await cache.close();
  });

  it('The cache of open libraries releases an aborted waiting call, and all on closing', async () => {
    const { open } = opener();
    const cache = new OpenLibraries(6 * MiB, ESTIMATE);
    let release;
    const busy = cache.use('a', open('a'), () => new Promise((resolve) => (release = resolve)));
    await pause(10);
    const controller = new AbortController();
    const aborted = cache.use('b', open('b'), () => assert.fail('was used'), controller.signal);
    const waiting = cache.use('c', open('c'), () => assert.fail('was used'));
    controller.abort();
    await assert.rejects(aborted, { code: 'ABORTED' });
    await cache.close();
    await assert.rejects(waiting, { code: 'CLOSED' });
    release();
    await busy;
  });
});
