/**
 * The button that `sheaf site --inject` puts into pages of known themes and of others, in Chromium: tests/fixtures/themes.mjs.
 * `npm test` measures ten pages, one of each kind of place; `node scripts/browsers.mjs` measures all.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { THEME_PAGES } from '../fixtures/themes.mjs';
import { writeTree } from '../fixtures/tree.mjs';
import { measure, searchFolder, servePages } from '../looks/place_measures.mjs';
import { temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';

const isLong = process.env.SHEAF_BROWSERS === 'all';
const SHORT = 'mdbook rustdoc material sphinx-rtd furo docusaurus javadoc17 doxygen haddock unknown'.split(' ');
const MEASURED = Object.entries(THEME_PAGES).filter(([name]) => isLong || SHORT.includes(name));

const work = temporaryFolder('themes');
const hosts = [];
const serve = async (...options) => {
  const served = await servePages(join(work, 'pages'), ...options);
  hosts.push(served);
  return served;
};
let browser;
let host;
let sheaf;

before(async () => {
  sheaf = searchFolder(work);
  for (const [name, { html }] of Object.entries(THEME_PAGES)) writeTree(join(work, 'pages', name), { 'index.html': html });
  browser = await launchChromium();
  host = await serve(sheaf);
});
after(async () => {
  await browser?.close();
  for (const each of hosts) await each.close();
});

describe('the button in a page of a theme', () => {
  for (const [name, { mark, bar }] of MEASURED) {
    it(`The button in a page of ${name} moves nothing outside its bar, is seen, and opens a dialog that can be read`, async () => {
      for (const scheme of ['light', 'dark']) {
        const results = await measure({ browser, host, path: `/${name}/index.html`, scheme, bar });
        for (const [width, { facts, failures }] of Object.entries(results)) {
          assert.deepEqual(failures, [], `${scheme}, ${width}`);
          assert.equal(facts.mark, mark);
        }
      }
    });
  }

  it('The button in a page of a theme takes the place of its own search, which shows again where the code is gone', async () => {
    const folder = join(work, 'gone');
    cpSync(sheaf, folder, { recursive: true });
    const lost = await serve(folder);
    const page = await browser.newPage();
    const own = page.locator('#mdbook-search-toggle');
    await page.goto(`${lost.origin}/mdbook/index.html`);
    await page.locator('sheaf-search button').first().waitFor();
    assert.equal(await own.isVisible(), false);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    cpSync(join(sheaf, 'sheaf.js'), join(folder, 'sheaf.js'));
    cpSync(join(sheaf, 'place'), join(folder, 'place'), { recursive: true });
    await page.reload();
    const again = page.locator('sheaf-search a');
    await again.waitFor();
    assert.equal(await page.locator('sheaf-search').innerText(), 'The search could not be completed. Try again');
    assert.equal(await own.isVisible(), true);
    cpSync(sheaf, folder, { recursive: true });
    await again.click();
    await page.locator('sheaf-search button').first().waitFor();
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await page.reload();
    assert.equal(await own.isVisible(), true, 'without the folder nothing hides it');
    await page.close();
  });

  it('The button in a page of a theme is a form without scripts, and nothing of it is printed', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    for (const name of ['mdbook', 'unknown']) {
      await page.goto(`${host.origin}/${name}/index.html`);
      assert.equal(await page.locator('sheaf-search form input').inputValue(), 'site:kiln.example ');
      assert.equal(await page.locator('sheaf-search form button').isVisible(), true);
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.locator('sheaf-search').isVisible(), false);
      await page.emulateMedia({ media: 'screen' });
    }
    await context.close();
    const printed = await browser.newPage();
    await printed.goto(`${host.origin}/unknown/index.html`);
    await printed.locator('sheaf-search button').first().waitFor();
    await printed.emulateMedia({ media: 'print' });
    assert.equal(await printed.locator('sheaf-search').isVisible(), false);
    await printed.close();
  });

  it("The button in a page of a theme opens by the theme's own key", async () => {
    const page = await browser.newPage();
    await page.goto(`${host.origin}/mdbook/index.html`);
    await page.locator('sheaf-search button').first().waitFor();
    await page.keyboard.press('s');
    await page.locator('sheaf-search dialog[open]').waitFor();
    await page.close();
  });

  it('The button in a page of a theme opens a dialog whose keys are none of the page', async () => {
    const page = await browser.newPage();
    await page.goto(`${host.origin}/mkdocs/index.html`);
    await page.locator('sheaf-search button').first().waitFor();
    await page.evaluate(() => {
      globalThis.pressed = [];
      document.addEventListener('keydown', ({ key }) => globalThis.pressed.push(key));
    });
    await page.keyboard.press('n');
    await page.keyboard.press('Control+k');
    await page.locator('sheaf-search dialog[open]').waitFor();
    await page.keyboard.type('nps');
    await page.keyboard.press('Control+k');
    await page.locator('sheaf-search dialog[open]').waitFor({ state: 'detached' });
    assert.deepEqual(await page.evaluate(() => globalThis.pressed), ['n', 'Control', 'k', 'Control', 'k']);
    await page.close();
  });

  it('The button in a page of a theme works under a policy with nonces, without an error', async () => {
    const policy =
      "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self' 'nonce-abc'; require-trusted-types-for 'script'; trusted-types lit-html sheaf";
    const [before, tag] = ['<meta charset="utf-8">', '<script nonce="abc">globalThis.own = true</script>'];
    writeTree(join(work, 'pages', 'nonce'), {
      'index.html': THEME_PAGES.starlight.html.replace(before, before + tag).replaceAll(/<(style|script)>/g, '<$1 nonce="abc">'),
    });
    const strict = await serve(sheaf, { csp: policy });
    const page = await browser.newPage();
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(`${strict.origin}/nonce/index.html`);
    await page.locator('sheaf-search button').first().click();
    await page.keyboard.type('kiln');
    await page.locator('sheaf-search [data-entry]').first().waitFor();
    assert.deepEqual(
      errors.filter((each) => !/favicon/.test(each)),
      [],
    );
    await page.close();
  });
});
