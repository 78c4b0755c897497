/** Ranges that the browser keeps from page to page, in Chromium: what a second visit asks for, and when nothing kept may be used. */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { manyPages, packFixture, packTwice, TABLE, temporaryFolder } from '../node/packed.mjs';
import { until } from '../node/until.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = temporaryFolder('kept-ranges');
const HASHED = 'docs-0123456789ab.sheaf';
let first;
let second;
let browser;
let context;
let host;
let page;

before(async () => {
  ({ first, second } = await packTwice(root));
  writeFileSync(join(root, 'watched_worker.js'), `(${watchWrites})();\nawait import('/dist/browser/client/worker.js');\n`);
  await packFixture(join(root, 'small.sheaf'), { docs: manyPages(join(root, 'few'), 60) });
  browser = await launchChromium();
});
after(() => browser?.close());

beforeEach(async () => {
  host = await serveSite(
    { '/dist/': here('../../dist/'), '/table.sheaf': TABLE, '/small.sheaf': join(root, 'small.sheaf'), '/': `${root}/` },
    {},
  );
  for (const name of ['docs.sheaf', HASHED]) copyFileSync(first, join(root, name));
  writeFileSync(join(root, 'page.html'), '<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,">');
  context = await browser.newContext();
});
afterEach(async () => {
  await context?.close();
  await host?.close();
});

/**
 * Where this ran first, `underWay()` counts timers and calls of the browser's storage that have not ended: the client writes what
 * it keeps on a timer, and tells nobody. Each step of the writing begins in the task that ends the one before, so 0 is the end.
 */
function watchWrites() {
  const timers = new Set();
  let calls = 0;
  const { setTimeout: begin, clearTimeout: end } = self;
  self.setTimeout = (work, ms, ...given) => {
    const timer = begin(() => {
      timers.delete(timer);
      work(...given);
    }, ms);
    timers.add(timer);
    return timer;
  };
  self.clearTimeout = (timer) => {
    timers.delete(timer);
    end(timer);
  };
  for (const storage of [self.CacheStorage, self.Cache]) {
    for (const name of ['keys', 'open', 'match', 'put', 'delete']) {
      const call = storage?.prototype[name];
      if (call === undefined) continue;
      storage.prototype[name] = function (...given) {
        calls++;
        return call.apply(this, given).finally(() => calls--);
      };
    }
  }
  self.underWay = () => timers.size + calls;
}

/**
 * A page that is there for one search, and until what is kept of it is written; returns the hits and the bytes of `.sheaf` files
 * that came for it. Scripts of the page reach no worker, so with `before` the search runs beside them.
 */
async function visit(query, { bundle = 'docs.sheaf', mode = 'keyword', before, origin = host.origin } = {}) {
  page = await context.newPage();
  await page.addInitScript(watchWrites);
  if (before !== undefined) await page.addInitScript(before);
  await page.goto(`${origin}/page.html`);
  const from = host.requests.length;
  const worker = before === undefined && '/watched_worker.js';
  const found = await page.evaluate(
    async ([bundle, mode, query, worker]) => {
      const { open } = await import('/dist/browser/client/index.js');
      const library = await open(`/${bundle}`, { encoder: '/table.sheaf', worker });
      const { hits } = await library.search(query, { mode });
      return hits.map(({ source, score }) => `${source} ${score}`);
    },
    [bundle, mode, query, worker],
  );
  const data = host.requests.slice(from).filter(({ path }) => path.endsWith('.sheaf'));
  const sent = (name) => data.filter(({ path }) => path === `/${name}`).reduce((sum, { sent: bytes }) => sum + bytes, 0);
  const [thread] = worker ? page.workers() : [page];
  await until(async () => (await thread.evaluate(() => self.underWay())) === 0, 'what is kept to be written');
  await page.close();
  return { found, data, bundle: sent(bundle), table: sent('table.sheaf') };
}

const caches = () =>
  page.evaluate(async () =>
    Promise.all((await window.caches.keys()).sort().map(async (name) => [name, (await (await window.caches.open(name)).keys()).length])),
  );

const HEAD = 40.5 * 1024; // of a bundle that is opened with an encoder
const HEAD_OF_TABLE = 12.25 * 1024;

describe('a second visit', () => {
  for (const mode of ['keyword', 'hybrid']) {
    it(`A second visit with the same query requests no hashed file again, by ${mode}`, async () => {
      const one = await visit('certificate clock', { bundle: HASHED, mode });
      assert.ok(one.bundle > HEAD && one.found.length > 0);
      const two = await visit('certificate clock', { bundle: HASHED, mode });
      assert.deepEqual(
        two.data.filter(({ path }) => path === `/${HASHED}`),
        [],
      );
      assert.deepEqual(two.found, one.found);
    });
  }

  it('A second visit requests only the head of a file without a hash', async () => {
    const one = await visit('certificate clock', { mode: 'hybrid' });
    const two = await visit('certificate clock', { mode: 'hybrid' });
    assert.equal(two.bundle, HEAD);
    assert.equal(two.table, HEAD_OF_TABLE);
    assert.deepEqual(two.found, one.found);
  });

  it('A second visit with another query requests only the new bytes', async () => {
    const cold = await visit('keep passwords out of files', { bundle: HASHED, mode: 'hybrid' });
    await context.close();
    context = await browser.newContext();
    await visit('certificate clock', { bundle: HASHED, mode: 'hybrid' });
    const two = await visit('keep passwords out of files', { bundle: HASHED, mode: 'hybrid' });
    assert.ok(two.bundle > 0 && two.bundle < cold.bundle * 0.6, `${two.bundle} of ${cold.bundle} bytes`);
    assert.deepEqual(two.found, cold.found);
  });

  it('A second visit requests only the head of a small bundle read whole', async () => {
    const one = await visit('certificate clock', { bundle: 'small.sheaf' });
    assert.ok(one.bundle > HEAD);
    assert.equal((await visit('furnace', { bundle: 'small.sheaf' })).bundle, HEAD);
  });
});

describe('nothing kept is used', () => {
  it("The browser drops kept ranges of a replaced bundle, and keeps the new one's", async () => {
    await visit('furnace', { mode: 'hybrid' });
    const before = await namesOf('docs.sheaf');
    copyFileSync(second, join(root, 'docs.sheaf'));
    const { found, data } = await visit('celadon glaze', { mode: 'hybrid' });
    assert.match(found[0], /^glaze\.md /);
    assert.ok(data.filter(({ path }) => path === '/docs.sheaf').length > 1);
    const after = await namesOf('docs.sheaf');
    assert.deepEqual([before.length, after.length], [1, 1]);
    assert.notDeepEqual(after, before);
  });

  it('The browser drops kept ranges of a bundle deployed under another hash', async () => {
    await visit('furnace', { bundle: HASHED });
    copyFileSync(second, join(root, 'docs-ba9876543210.sheaf'));
    const { found } = await visit('celadon glaze', { bundle: 'docs-ba9876543210.sheaf' });
    assert.match(found[0], /^glaze\.md /);
    assert.deepEqual(
      (await namesOf('docs')).map((name) => name.split(' ').pop()),
      ['ba9876543210'],
    );
  });

  for (const [what, which] of [
    ['a range', 'ranges'],
    ['the head', 'head'],
  ]) {
    it(`A file with damaged ${what} is fetched and kept again`, async () => {
      const one = await visit('certificate clock', { bundle: HASHED });
      await damage((bytes) => bytes.fill(0x5a), which);
      const two = await visit('certificate clock', { bundle: HASHED });
      assert.deepEqual(two.found, one.found);
      assert.ok(two.bundle > 0);
      const three = await visit('certificate clock', { bundle: HASHED });
      assert.deepEqual([three.found, three.bundle], [one.found, 0]);
    });
  }

  it('A range that was cut short is fetched again alone', async () => {
    const one = await visit('certificate clock', { bundle: HASHED });
    await damage((bytes) => bytes.slice(0, -1), 'ranges');
    const two = await visit('certificate clock', { bundle: HASHED });
    assert.deepEqual(two.found, one.found);
    assert.ok(two.bundle > 0 && two.data.every(({ path, range }) => path === '/table.sheaf' || range !== `bytes=0-${HEAD - 1}`));
  });

  it('The browser keeps no ranges where the server forbids storage', async () => {
    await visit('certificate clock', { bundle: HASHED });
    host.settings.headers = { 'Cache-Control': 'no-store' };
    await visit('furnace fire', { bundle: HASHED });
    host.settings.headers = {};
    assert.deepEqual(await namesOf('docs'), []);
  });
});

describe('a browser that stores nothing', () => {
  for (const [what, before] of [
    [
      'refuses every call',
      () => {
        for (const name of ['keys', 'open', 'delete'])
          CacheStorage.prototype[name] = () => Promise.reject(new DOMException('no', 'SecurityError'));
      },
    ],
    [
      'has no room',
      () => {
        Cache.prototype.put = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
      },
    ],
    [
      'throws at the name',
      () => {
        Object.defineProperty(self, 'caches', {
          get() {
            throw new DOMException('sandboxed', 'SecurityError');
          },
        });
      },
    ],
    [
      'has no such storage',
      () => {
        delete self.caches;
        delete Object.getPrototypeOf(self).caches;
        delete Window.prototype.caches;
      },
    ],
  ]) {
    it(`A browser that stores no ranges searches as ever where it ${what}`, async () => {
      const problems = [];
      context.on('weberror', (error) => problems.push(String(error.error())));
      const here = { before, bundle: HASHED, mode: 'hybrid' };
      const one = await visit('certificate clock', here);
      const two = await visit('certificate clock', here);
      assert.ok(one.found.length > 0);
      assert.deepEqual([two.found, two.bundle], [one.found, one.bundle]);
      assert.deepEqual(problems, []);
    });
  }

  it('A browser that stores no ranges searches as ever on an insecure page', async () => {
    const insecure = host.origin.replace('127.0.0.1', 'kiln.test');
    await browser.close();
    browser = await launchChromium(['--host-resolver-rules=MAP kiln.test 127.0.0.1']);
    context = await browser.newContext();
    const one = await visit('certificate clock', { bundle: HASHED, origin: insecure });
    assert.equal((await visit('certificate clock', { bundle: HASHED, origin: insecure })).bundle, one.bundle);
  });
});

async function withPage(work) {
  page = await context.newPage();
  await page.goto(`${host.origin}/page.html`);
  try {
    return await work();
  } finally {
    await page.close();
  }
}

/** Names of the caches of files that begin with `name`. */
const namesOf = (name) => withPage(async () => (await caches()).map(([cache]) => cache).filter((cache) => cache.includes(`/${name}`)));

/** Changes what is kept of the hashed bundle. */
const damage = (change, which) =>
  withPage(() =>
    page.evaluate(
      async ([change, which]) => {
        const work = (0, eval)(`(${change})`);
        for (const name of (await window.caches.keys()).filter((each) => each.includes('/docs-'))) {
          const cache = await window.caches.open(name);
          for (const { url } of await cache.keys()) {
            if (url.endsWith('/0+41472') !== (which === 'head')) continue;
            await cache.put(url, new Response(work(new Uint8Array(await (await cache.match(url)).arrayBuffer()))));
          }
        }
      },
      [String(change), which],
    ),
  );
