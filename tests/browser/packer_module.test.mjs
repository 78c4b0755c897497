/** sheaf/packer in Chromium: a folder becomes a bundle in the page, under a strict policy, and is searched at once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DOCS, packFixture, temporaryFolder } from '../node/packed.mjs';
import { launchChromium, newReader } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = temporaryFolder('browser-packer');
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

let browser;
let site;
let reader;
let native;

before(async () => {
  native = readFileSync(await packFixture(join(folder, 'native.sheaf')));
  browser = await launchChromium();
});
after(() => browser?.close());
afterEach(async () => {
  await reader?.context.close();
  await site?.close();
});

/** A page with what the tests call, of `dist` and the models. */
async function visit(headers = {}) {
  site = await serveSite({ '/dist/': here('../../dist/'), '/models/': here('../../models/'), '/': here('packer-site/') });
  Object.assign(site.settings.headers, headers);
  reader = await newReader(browser);
  await reader.page.goto(`${site.origin}/`);
  await reader.page.waitForFunction(() => 'packing' in window);
  return reader.page;
}

const JOB = { library: 'kiln', version: '1.4.0', baseUrl: 'https://kiln.example/docs/', urlStyle: 'clean' };

describe('a page', () => {
  it('A page packs a picked folder into the bytes of sheaf-pack, and searches it', async () => {
    const page = await visit();
    await page.locator('input').setInputFiles(DOCS);
    const { bytes, told, ticks, title, violations } = await page.evaluate((job) => window.packing.picked(job), JOB);
    assert.ok(Buffer.from(bytes, 'base64').equals(native));
    assert.ok(told.includes('packing') && told.includes('writing'), `progress: ${told}`);
    assert.ok(ticks > 2, 'the page went on meanwhile');
    assert.equal(title, 'Installation');
    assert.deepEqual([violations, reader.problems], [[], []]);
  });

  it('A page packs its own folder by its handle', async () => {
    const page = await visit(ISOLATED);
    const { pages, paths } = await page.evaluate(() => window.packing.handle());
    assert.deepEqual([pages, paths], [2, ['guide/glaze.md', 'index.md']]);
  });

  for (const [how, headers] of [
    ['by itself, where memory can be shared', ISOLATED],
    ['with its worker, where it cannot', {}],
  ]) {
    it(`A page learns of an abort, and the packer ends ${how}`, async () => {
      const page = await visit(headers);
      const { isolated, code, after } = await page.evaluate(() => window.packing.aborted());
      assert.deepEqual([isolated, code, after], [headers === ISOLATED, 'ABORTED', 0]);
    });
  }

  it("A page packs deeply nested documents, up to the native packer's limit", async () => {
    const page = await visit();
    const { pages, skipped } = await page.evaluate(() => window.packing.nested());
    assert.deepEqual([pages, skipped.map(({ path }) => path)], [2, ['deeper.html']]);
    assert.match(skipped[0].reason, /nested more than 10000 deep/);
  });

  it('A page learns of a fault: a transformer, no page, missing code', async () => {
    const page = await visit();
    const errors = await page.evaluate(() => window.packing.wrong());
    assert.deepEqual(
      errors.map(({ code }) => code),
      ['INVALID_ARGUMENT', 'NOT_FOUND', 'NETWORK'],
    );
    assert.match(errors[0].message, /encoders static and none/);
    assert.match(errors[2].message, /the server answered 404/);
  });
});
