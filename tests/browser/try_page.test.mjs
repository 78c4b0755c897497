/** The page of docs/try, assembled as for a static host: a visitor chooses a folder, searches it, reads a page of it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assemble } from '../../scripts/try_page.mjs';
import { DOCS, temporaryFolder } from '../node/packed.mjs';
import { launchChromium, newReader } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';
import { assertAccessible } from './ui_page.mjs';

const folder = join(temporaryFolder('try-page'), 'try');
let browser;
let site;
let reader;

before(async () => {
  assemble(folder);
  browser = await launchChromium();
  site = await serveSite({ '/': `${folder}/` });
  reader = await newReader(browser, { viewport: { width: 900, height: 800 } });
  await reader.page.goto(`${site.origin}/index.html`);
  await reader.page.waitForFunction(() => (window.element = document.querySelector('#search')).shadowRoot); // assertAccessible asks it
});
after(async () => {
  await browser?.close();
  await site?.close();
});

describe('the page that packs a folder', () => {
  it("The packing page makes a visitor's folder searchable and shows the hits", async () => {
    const { page, problems } = reader;
    await assertAccessible(page, 'try-begin');
    await page.locator('#picker').setInputFiles(DOCS);
    await page.locator('#result').waitFor();
    assert.match(await page.locator('#status').textContent(), /^8 pages with \d+ passages in \d+ kB\.$/);
    await page.locator('#search input').fill('certificate');
    const hit = page.locator('#search [data-entry]').first();
    await hit.waitFor();
    await assertAccessible(page, 'try-found');
    await hit.click();
    await page.locator('#page').waitFor();
    assert.equal(await page.locator('#page h2').textContent(), 'Installation');
    assert.match(await page.locator('#page pre').textContent(), /certificate/i);
    await assertAccessible(page, 'try-page');
    assert.deepEqual(problems, []);
  });

  it('The packing page reports a folder without documentation', async () => {
    const { page } = reader;
    await page.locator('#picker').setInputFiles(join(DOCS, '..', 'searx'));
    await page.locator('#status.failed').waitFor();
    assert.match(await page.locator('#status').textContent(), /no documentation found/);
    assert.equal(await page.locator('#result').isHidden(), true);
  });
});
