/** Ranges that a browser keeps from page to page; in a real one: tests/browser/kept_ranges.test.mjs. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { KeptRanges } from '../../dist/browser/client/kept_ranges.js';
import { fakeCaches } from './fake_caches.mjs';

const NAME = 'sheaf ranges https://x.example/site- 0123';
const turns = async (count = 20) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

let caches;
beforeEach(() => {
  caches = globalThis.caches = fakeCaches();
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(() => {
  mock.timers.reset();
  delete globalThis.caches;
});

async function opened() {
  const kept = new KeptRanges('https://x.example/site-');
  await kept.open('0123');
  return kept;
}
/** The moment of quiet after which entries are written. */
const quiet = async () => {
  mock.timers.tick(500);
  await turns();
};

describe('kept ranges', () => {
  it('Kept ranges are written once the page is quiet, and the next page finds them', async () => {
    const kept = await opened();
    kept.put(0, new Uint8Array([1, 2, 3]));
    await turns();
    assert.equal(caches.all.size, 0);
    await quiet();
    assert.deepEqual([...caches.all.keys()], [NAME]);
    const next = await opened();
    assert.equal(next.has(0, 3), true);
    assert.deepEqual(await next.get(0, 3), new Uint8Array([1, 2, 3]));
  });

  it('Kept ranges stay away when cleared during a write, and may be kept anew', async () => {
    const kept = await opened();
    const { open } = caches;
    let reached;
    let release;
    const opening = new Promise((resolve) => (reached = resolve));
    const gate = new Promise((resolve) => (release = resolve));
    caches.open = async (name) => {
      reached();
      await gate;
      return open(name);
    };
    kept.put(0, new Uint8Array([1, 2, 3]));
    mock.timers.tick(500);
    await opening;
    kept.clear();
    await turns();
    release();
    await turns();
    assert.deepEqual([...caches.all.keys()], []);
    kept.put(7, new Uint8Array([4]));
    await quiet();
    const next = await opened();
    assert.deepEqual([next.has(0, 3), next.has(7, 1)], [false, true]);
  });

  it('Kept ranges of one identity are not given for another', async () => {
    const before = await opened();
    before.put(0, new Uint8Array([1, 2, 3]));
    await quiet();
    const kept = await opened();
    await kept.open('4567');
    assert.equal(kept.has(0, 3), false);
    assert.equal(await kept.get(0, 3), undefined);
    kept.put(0, new Uint8Array([4, 5, 6]));
    await quiet();
    assert.deepEqual([...caches.all.keys()], ['sheaf ranges https://x.example/site- 4567']);
    assert.deepEqual(await kept.get(0, 3), new Uint8Array([4, 5, 6]));
  });

  it('Kept ranges replace those of another identity', async () => {
    await caches.open('sheaf ranges https://x.example/site- 9999');
    await caches.open('sheaf ranges https://x.example/other- 9999');
    const kept = await opened();
    kept.put(0, new Uint8Array([1]));
    await quiet();
    assert.deepEqual([...caches.all.keys()].sort(), ['sheaf ranges https://x.example/other- 9999', NAME]);
  });

  it('Kept ranges of former versions go on clearing, and no others do', async () => {
    const others = ['sheaf ranges https://x.example/other- 9999', 'sheaf ranges https://x.example/site-b- 9999', 'sheaf /docs/', 'theirs'];
    for (const name of [...others, NAME, 'sheaf ranges https://x.example/site- 9999']) await caches.open(name);
    new KeptRanges('https://x.example/site-').clear();
    await turns();
    assert.deepEqual([...caches.all.keys()], others);
  });
});
