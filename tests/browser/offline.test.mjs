/** A site made to work offline, in Chromium: its service worker keeps the search, follows deploys and leaves when told. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { deploy } from '../../dist/node/site/deploy.js';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { MAIN, TABLE, temporaryFolder } from '../node/packed.mjs';
import { launchChromium, newReader } from './chromium.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';

const CSP = `${STRICT_CSP}; require-trusted-types-for 'script'; trusted-types lit-html sheaf sheaf-offline`;
const root = temporaryFolder('offline');
const template = writeBuiltSite(join(root, 'template'));
let made = 0;
let folder;
let browser;
let context;
let host;
let page;
let problems;

/** Packs the site and writes its search; old files are removed, as hosts do that replace a site whole. */
async function build({ offline = true } = {}) {
  const sheaf = join(folder, 'sheaf');
  rmSync(sheaf, { recursive: true, force: true });
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', folder, '--inject', '--quiet'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const bundle = join(
    sheaf,
    readdirSync(sheaf).find((name) => /^site-.*\.sheaf$/.test(name)),
  );
  await deploy({ site: folder, bundles: [{ file: bundle }], table: TABLE, offline });
}

before(async () => {
  browser = await launchChromium();
});
after(() => browser?.close());

beforeEach(async () => {
  folder = join(root, `site-${made++}`);
  cpSync(template, folder, { recursive: true });
  await build();
  host = await serveSite({ '/docs/': `${folder}/` }, { csp: CSP });
  ({ context, page, problems } = await newReader(browser));
});
afterEach(async () => {
  await context?.close();
  await host?.close();
});

const visit = (path = 'index.html') => page.goto(`${host.origin}/docs/${path}`);

/** Paths below sheaf/ that the service worker holds. */
const stored = () =>
  page.evaluate(async () => {
    const cache = await caches.open('sheaf /docs/sheaf/');
    return (await cache.keys()).map(({ url }) => new URL(url).pathname.replace('/docs/sheaf/', '')).sort();
  });
const named = () => [...JSON.parse(readFileSync(join(folder, 'sheaf/site.json'), 'utf8')).files, 'sheaf.js', 'site.json'].sort();
/** `found` tells what there was instead. */
const until = async (check, found = () => '') => {
  for (let i = 0; i < 600; i++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`it did not happen within 60 s: ${check}; found ${JSON.stringify(await found())}`);
};
/** All is stored, and the worker, which stores it while it is installed, is in charge of the page. */
async function kept() {
  await until(async () => JSON.stringify(await stored()) === JSON.stringify(named()), stored);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

async function goOffline() {
  await context.setOffline(true);
  await host.close(); // whoever is not told of it finds nobody either
  host = undefined;
}

async function search(query) {
  await page.waitForFunction(() => customElements.get('sheaf-search') !== undefined);
  await page.evaluate(() => document.querySelector('sheaf-search').show());
  await page.locator('sheaf-search input').first().fill(query);
  await page.waitForFunction((text) => {
    const { state } = document.querySelector('sheaf-search');
    return state.status === 'done' && state.answered === text;
  }, query);
  return page.evaluate(() => document.querySelector('sheaf-search').state.groups.map(({ url }) => url));
}

describe('a site that works offline', () => {
  it('An offline site answers by words and meaning after one visit without a search', async () => {
    await visit('guide/batches.html');
    await kept();
    await goOffline();
    assert.equal((await search('awaitable'))[0], '/guide/batches.html');
    assert.equal((await search('keep passwords out of files'))[0], '/guide/');
    assert.equal(await page.evaluate(() => document.querySelector('sheaf-search').search.library.info.semantic), true);
    assert.deepEqual(problems, []);
  });

  it('An offline site goes on answering in a session that began online', async () => {
    await visit();
    await search('furnace');
    await kept();
    await goOffline();
    assert.equal((await search('keep passwords out of files'))[0], '/guide/');
  });

  it('An offline site stores a new deploy at the next visit, and drops the rest', async () => {
    await visit();
    await kept();
    const before = await stored();
    writeFileSync(
      join(folder, 'guide/batches.html'),
      '<!doctype html><html lang="en"><head><title>Glaze</title></head><body><main><h1>Glaze</h1><p>Celadon is a glaze.</p></main></body></html>',
    );
    await build();
    await visit();
    await kept();
    assert.notDeepEqual(await stored(), before);
    await goOffline();
    assert.equal((await search('celadon'))[0], '/guide/batches.html');
  });

  it('An offline site answers every search from the store, and keeps no ranges beside it', async () => {
    await visit();
    await kept();
    await visit();
    const from = host.requests.length;
    await search('furnace');
    await search('keep passwords out of files');
    assert.deepEqual(
      host.requests.slice(from).filter(({ path }) => path.endsWith('.sheaf')),
      [],
    );
    await page.waitForTimeout(1000); // longer than the client waits before it writes
    assert.deepEqual(await page.evaluate(() => caches.keys()), ['sheaf /docs/sheaf/']);
    assert.deepEqual(await stored(), named());
  });

  it('An offline site replaces the ranges that the client kept before', async () => {
    await build({ offline: false });
    await visit();
    await search('furnace');
    const names = () => page.evaluate(() => caches.keys());
    await until(async () => (await names()).some((name) => name.startsWith('sheaf ranges ')), names);
    await build();
    await visit();
    await kept();
    await until(async () => String(await names()) === 'sheaf /docs/sheaf/', names);
    await goOffline();
    assert.ok((await search('furnace')).length > 0);
  });

  it('An offline site answers ranges of a file from the stored whole', async () => {
    await visit();
    await kept();
    const bundle = named().find((name) => /^site-.*\.sheaf$/.test(name));
    const bytes = readFileSync(join(folder, 'sheaf', bundle));
    await goOffline();
    const got = await page.evaluate(async (name) => {
      const answers = [];
      for (const range of ['bytes=0-9', 'bytes=100-', 'bytes=99999999-', undefined]) {
        const response = await fetch(`/docs/sheaf/${name}`, { headers: range ? { Range: range } : {} });
        answers.push([response.status, response.headers.get('Content-Range'), (await response.arrayBuffer()).byteLength]);
      }
      return answers;
    }, bundle);
    const size = bytes.length;
    assert.deepEqual(got, [
      [206, `bytes 0-9/${size}`, 10],
      [206, `bytes 100-${size - 1}/${size}`, size - 100],
      [416, `bytes */${size}`, 0],
      [200, null, size],
    ]);
  });

  it('A site deployed without the offline mode drops its store', async () => {
    await visit();
    await kept();
    await build({ offline: false });
    await visit();
    const left = () =>
      page.evaluate(async () => [
        ...(await caches.keys()),
        ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
      ]);
    await until(async () => (await left()).length === 0, left);
    // The page that is open still goes through the worker, which keeps nothing of that either.
    await page.evaluate(async (names) => {
      for (const name of names) await fetch(`/docs/sheaf/${name}`);
    }, named());
    assert.deepEqual(await left(), []);
    await visit();
    assert.equal((await search('furnace')).length > 0, true);
  });

  it("An offline site leaves the site's own service worker in charge, which may import it", async () => {
    writeFileSync(join(folder, 'own.js'), "self.addEventListener('fetch', () => {});\n");
    // From a page without the search, which would start its own worker a second after it was loaded.
    writeFileSync(join(folder, 'plain.html'), '<!doctype html><html lang="en"><title>Plain</title>');
    await visit('plain.html');
    await page.evaluate(async () => {
      const own = globalThis.trustedTypes.createPolicy('sheaf-offline', { createScriptURL: (url) => url }).createScriptURL('/docs/own.js');
      await navigator.serviceWorker.register(own, { scope: '/docs/' });
      await navigator.serviceWorker.ready; // so that it is in charge of the page that comes next
    });
    const said = page.waitForEvent('console', (message) => /importScripts\('[^']+\/docs\/sheaf-offline\.js'\)/.test(message.text()));
    await visit();
    await said;
    host.settings.csp = CSP.replace("require-trusted-types-for 'script'; ", '');
    writeFileSync(
      join(folder, 'own.js'),
      "importScripts('sheaf-offline.js');\nself.addEventListener('fetch', () => {});\nself.addEventListener('install', () => self.skipWaiting());\n",
    );
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await kept();
  });
});
