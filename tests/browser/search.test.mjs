/** The package in Chromium, under a strict Content-Security-Policy. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { manyPages, packFixture, TABLE, temporaryFolder } from '../node/packed.mjs';
import { until } from '../node/until.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = temporaryFolder('browser');
const file = join(folder, 'kiln.sheaf');

let browser;
let site;
let page;
let problems;

before(async () => {
  await packFixture(file, { docs: manyPages(join(folder, 'docs')), options: ['--level', '3'] });
  browser = await launchChromium();
});
after(() => browser?.close());

beforeEach(async () => {
  site = await serveSite({ '/dist/': here('../../dist/'), '/kiln.sheaf': file, '/table.sheaf': TABLE, '/': here('site/') });
  page = await browser.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
});
afterEach(async () => {
  await page?.close();
  await site?.close();
});

/** Opens the search page and waits until its library is ready. */
async function visit(parameters = {}) {
  await page.goto(`${site.origin}/?${new URLSearchParams(parameters)}`);
  await page.waitForSelector('#status:has-text("ready")');
}

async function search(query) {
  await page.fill('#query', query);
  await page.waitForSelector(`#status:has-text(${JSON.stringify(`for “${query}”`)})`);
  return page.$$eval('#hits li', (items) => items.map((item) => ({ source: item.dataset.source, text: item.textContent })));
}

async function assertNoProblems() {
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(problems, []);
}

const bundleRequests = () => site.requests.filter((request) => request.path === '/kiln.sheaf');

describe('a search page', () => {
  for (const worker of ['true', 'false']) {
    for (const lazy of ['true', 'false']) {
      it(`A search page finds its pages ${worker === 'true' ? 'in a worker' : 'on the main thread'}, ${lazy === 'true' ? 'by range' : 'whole'}`, async () => {
        await visit({ worker, lazy, encoder: '/table.sheaf' });
        for (const [query, source] of [
          ['useEffect', 'guide/dashboard.md'],
          ['C++', 'guide/install.md'],
          ['<table>', 'guide/dashboard.md'],
        ]) {
          const hits = await search(query);
          assert.equal(hits[0].source, source, query);
        }
        assert.equal(await page.evaluate(() => window.library.info.semantic), true);
        assert.equal(await page.evaluate(() => window.library.info.lazy), lazy === 'true');
        assert.equal(page.workers().length, worker === 'true' ? 1 : 0);
        const requests = bundleRequests();
        if (lazy === 'true') assert.ok(requests.length > 1 && requests.every((request) => request.status === 206));
        else
          assert.deepEqual(
            requests.map((request) => request.status),
            [200],
          );
        await assertNoProblems();
      });
    }
  }

  // By meaning, a bundle that is read by range is searched through its partitions: compared with one that Node reads so too.
  for (const [mode, lazy] of [
    ['keyword', false],
    ['hybrid', true],
  ]) {
    it(`A search page gives the same hits as Node, ${mode}`, async () => {
      await visit({ lazy: String(lazy), encoder: '/table.sheaf' });
      const library = await open(file, { lazy });
      for (const query of ['certificate clock', 'keep passwords out of files', 'asyncio.gather', 'wrkers limit', '予定表']) {
        const expected = await library.search(query, { mode, explain: true });
        const found = await page.evaluate(([text, options]) => window.library.search(text, options), [query, { mode, explain: true }]);
        assert.deepEqual(found, expected, query);
      }
      await library.close();
      await assertNoProblems();
    });
  }

  it('A search page loads only part of the encoder table', async () => {
    await visit({ encoder: '/table.sheaf' });
    await search('keep passwords out of files');
    const sent = site.requests.filter((request) => request.path === '/table.sheaf').reduce((sum, request) => sum + request.sent, 0);
    assert.ok(sent > 0 && sent < (await stat(TABLE)).size / 4, `${sent} bytes of the table were sent`);
  });

  it('A search page shows hostile text as text', async () => {
    await visit({ encoder: '/table.sheaf' });
    const hits = await search('onerror pwned');
    assert.equal(hits[0].source, 'guide/security.md');
    await page.click('#hits li a');
    await page.waitForFunction(() => document.getElementById('page').textContent !== '');
    const shown = await page.textContent('#page');
    assert.match(shown, /<img src=x onerror="window\.pwned = true">/);
    assert.match(shown, /<script>window\.pwned = true<\/script>/);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.evaluate(() => document.querySelectorAll('img, #hits script, #page *').length), 0);
    await assertNoProblems();
  });

  it('A search page answers the last of many keystrokes', async () => {
    await visit({ lazy: 'true', encoder: '/table.sheaf' });
    await page.locator('#query').pressSequentially('asyncio.gather', { delay: 5 });
    await page.waitForSelector('#status:has-text("for “asyncio.gather”")');
    assert.equal(await page.$eval('#hits li', (item) => item.dataset.source), 'guide/batches.md');
    await assertNoProblems();
  });

  it('A search page marks its hits, and its picture is not blank', async () => {
    await visit({ encoder: '/table.sheaf' });
    await search('workers');
    assert.ok((await page.$$('#hits mark')).length > 0);
    const path = join(folder, 'search.png');
    await page.screenshot({ path });
    assert.ok((await stat(path)).size > 5000);
  });

  it('A search page opens Blobs, bytes and its own sources, and closes', async () => {
    await visit();
    const found = await page.evaluate(async () => {
      const { open } = await import('/dist/browser/client/index.js');
      const bytes = new Uint8Array(await (await fetch('/kiln.sheaf')).arrayBuffer());
      const own = { key: 'own', size: async () => bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
      const results = [];
      for (const worker of [true, false]) {
        for (const source of [new Blob([bytes]), bytes, bytes.buffer, own]) {
          const library = await open(source, { worker });
          results.push((await library.search('certificate')).hits[0].source);
          await library.close();
          results.push(
            await library.search('x').then(
              () => 'open',
              (error) => error.code,
            ),
          );
        }
      }
      return [...new Set(results)];
    });
    assert.deepEqual(found, ['guide/install.md', 'CLOSED']);
    await until(() => page.workers().length === 1, 'the worker of the page itself to be the only one');
    await assertNoProblems();
  });

  it('A search page keeps error codes across the worker', async () => {
    await visit();
    const codes = await page.evaluate(async () => {
      const { open, SheafError } = await import('/dist/browser/client/index.js');
      const codeOf = (promise) =>
        promise.then(
          () => 'none',
          (error) => (error instanceof SheafError ? `${error.code} ${error.status ?? ''}`.trim() : String(error)),
        );
      const controller = new AbortController();
      const aborted = window.library.search('furnace', { signal: controller.signal });
      controller.abort();
      return [
        await codeOf(open('/missing.sheaf')),
        await codeOf(open('/style.css')),
        await codeOf(open('/kiln.sheaf', { encoder: '/kiln.sheaf' })),
        await codeOf(open('http://[')),
        await codeOf(window.library.search('x', { mode: 'semantic' })),
        await codeOf(window.library.search('x', { topK: -1 })),
        await codeOf(window.library.page('nowhere')),
        await codeOf(aborted),
      ];
    });
    assert.deepEqual(codes, [
      'NETWORK 404',
      'NOT_A_BUNDLE',
      'WRONG_KIND',
      'INVALID_ARGUMENT',
      'NO_ENCODER',
      'INVALID_ARGUMENT',
      'NOT_FOUND',
      'ABORTED',
    ]);
  });
});

describe('a server', () => {
  it('A server that ignores ranges costs one whole download, reported once', async () => {
    site.settings.ranges = false;
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    await visit({ lazy: 'true', worker: 'false' });
    assert.equal((await search('certificate'))[0].source, 'guide/install.md');
    assert.deepEqual(
      bundleRequests().map((request) => request.status),
      [200],
    );
    assert.equal(said.filter((text) => /ignores Range requests/.test(text)).length, 1);
  });

  it('A server that forbids workers gets searches on the main thread', async () => {
    site.settings.csp = STRICT_CSP.replace("worker-src 'self'", "worker-src 'none'");
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    await visit({ encoder: '/table.sheaf' });
    assert.equal((await search('certificate'))[0].source, 'guide/install.md');
    await until(() => page.workers().length === 0, 'no worker');
    assert.equal(said.filter((text) => /no worker could be started/.test(text)).length, 1);
  });

  it('A server that forbids WebAssembly learns the missing part of its policy', async () => {
    site.settings.csp = STRICT_CSP.replace(" 'wasm-unsafe-eval'", '');
    for (const worker of ['true', 'false']) {
      await page.goto(`${site.origin}/?worker=${worker}`);
      await page.waitForSelector('#status:has-text("WASM")');
      assert.match(await page.textContent('#status'), /^WASM: .*wasm-unsafe-eval/);
    }
  });
});
