/**
 * The button that `sheaf site --inject` puts into pages of known themes and of others, in Chromium: tests/fixtures/themes.mjs.
 * `npm test` measures ten pages, one of each kind of place; `node scripts/browsers.mjs` measures all.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { THEME_PAGES } from '../fixtures/themes.mjs';
import { writeTree } from '../fixtures/tree.mjs';
import { measure, searchFolder, servePages } from '../looks/place_measures.mjs';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';
import { shots } from './ui_page.mjs';

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

  /** What a page at 400 % cannot do, in words: 1280 x 800 pixels are 320 x 200 there. */
  const failuresZoomed = async (page) => {
    const button = page.locator('sheaf-search button').first();
    await button.waitFor();
    const failures = [];
    const within = async (locator, what) => {
      const box = await locator.boundingBox();
      if (box === null || box.x < -1 || box.x + box.width > 321 || box.y < -1 || box.y + box.height > 201)
        failures.push(`${what} is out of sight: ${JSON.stringify(box)}`);
    };
    await within(button, 'the button');
    await page.evaluate(() => {
      globalThis.answered = new Promise((resolve) =>
        addEventListener('sheaf-search', ({ detail }) => detail.stage === 'final' && resolve()),
      );
    });
    await button.click();
    await page.keyboard.type('kiln');
    await page.evaluate(() => globalThis.answered);
    await within(page.locator('sheaf-search input'), 'the box');
    await within(page.locator('sheaf-search [part~=close]'), 'what closes it');
    const { scroll, wide } = await page.evaluate(() => {
      const { shadowRoot } = document.querySelector('sheaf-search');
      const list = shadowRoot.querySelector('.scroll');
      const [width, height] = [list.clientWidth, list.clientHeight];
      return {
        scroll: height,
        wide:
          [...shadowRoot.querySelectorAll('dialog, .panel, .scroll')].some((each) => each.scrollWidth > each.clientWidth + 1) ||
          width > 320,
      };
    });
    if (scroll < 60) failures.push(`the list has ${scroll} px`);
    if (wide) failures.push('the dialog scrolls sideways');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const chosen = page.locator('sheaf-search [aria-selected=true]');
    const [list, row] = [await page.locator('sheaf-search .scroll').boundingBox(), await chosen.boundingBox()];
    if (row.y + 20 > list.y + list.height || row.y + row.height < list.y + 20) failures.push('the chosen row is out of sight');
    return failures;
  };

  it('The button in a page of a theme and its dialog work at 400 %, by pointer and by keys', async () => {
    const context = await browser.newContext({ viewport: { width: 320, height: 200 }, reducedMotion: 'reduce' });
    const wrong = [];
    for (const [name] of MEASURED) {
      const page = await context.newPage();
      await page.goto(`${host.origin}/${name}/index.html`);
      wrong.push(...(await failuresZoomed(page)).map((failure) => `${name}: ${failure}`));
      if (shots) await page.screenshot({ path: join(shots, `zoomed-${name}.png`) });
      await page.close();
    }
    await context.close();
    assert.deepEqual(wrong, []);
  });

  it('The button in a page of a theme and the chosen row can be told apart in forced colours, and nothing moves where motion is unwanted', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, forcedColors: 'active', reducedMotion: 'reduce' });
    for (const [name] of MEASURED) {
      const page = await context.newPage();
      await page.goto(`${host.origin}/${name}/index.html`);
      await page.locator('sheaf-search button').first().waitFor();
      const button = await page.evaluate(() => {
        const style = getComputedStyle(document.querySelector('sheaf-search').shadowRoot.querySelector('.open'));
        const plain = document.createElement('button');
        document.body.append(plain);
        const { color } = getComputedStyle(plain);
        plain.remove();
        const sides = ['Top', 'Bottom'].map((side) => [style[`border${side}Style`], Number.parseFloat(style[`border${side}Width`])]);
        return { sides, isForced: style.color === color };
      });
      assert.deepEqual(
        button.sides.filter(([style, width]) => style === 'none' || width < 1),
        [],
        `${name}: the border that shows where the button ends`,
      );
      assert.ok(button.isForced, `${name}: the colour of buttons`);
      if (shots) await page.screenshot({ path: join(shots, `forced-${name}.png`) });
      await page.evaluate(() => {
        globalThis.answered = new Promise((resolve) =>
          addEventListener('sheaf-search', ({ detail }) => detail.stage === 'final' && resolve()),
        );
        return document.querySelector('sheaf-search').show();
      });
      const running = await page.evaluate(() => document.querySelector('sheaf-search').shadowRoot.getAnimations().length);
      assert.equal(running, 0, `${name}: the dialog is there at once`);
      await page.keyboard.type('kiln');
      await page.evaluate(() => globalThis.answered);
      await page.keyboard.press('ArrowDown');
      const [chosen, other] = await page.evaluate(() => {
        const { shadowRoot } = document.querySelector('sheaf-search');
        const look = (row) =>
          ['backgroundColor', 'outlineStyle', 'outlineColor', 'color'].map((each) => getComputedStyle(row)[each]).join();
        return [
          look(shadowRoot.querySelector('[aria-selected=true]')),
          look(shadowRoot.querySelector('[role=option]:not([aria-selected=true])')),
        ];
      });
      assert.notEqual(chosen, other, `${name}: the chosen row`);
      if (shots) await page.screenshot({ path: join(shots, `forced-${name}-chosen.png`) });
      await page.close();
    }
    await context.close();
  });

  it('The button in a page of a theme finds its files below a base, below a sub-path, and in a page opened as a file', async () => {
    const site = join(work, 'addresses');
    const { html } = THEME_PAGES.furo;
    writeTree(site, {
      'index.html': html,
      'guide/firing.html': html,
      'guide/based.html': html.replace('<head>', '<head><base href="/docs/">'),
      'guide/relative.html': html.replace('<head>', '<head><base href="../">'),
    });
    const { status, stderr } = spawnSync(
      process.execPath,
      [MAIN, 'site', site, '--inject', '--file', '--keywords', '--quiet', '--base-url', 'https://kiln.example/docs/'],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    const below = await serveSite({ '/docs/': `${site}/` }, { csp: "style-src * 'unsafe-inline'" });
    hosts.push(below);
    const page = await browser.newPage();
    const lands = async (address, target) => {
      await page.goto(address);
      await page.locator('sheaf-search button').first().waitFor();
      const place = await page.evaluate(() => getComputedStyle(document.querySelector('sheaf-search')).display);
      assert.equal(place, 'block', `${address}: the style sheet of the theme`);
      await page.evaluate(() => document.querySelector('sheaf-search').show());
      await page.keyboard.type('cooling');
      const link = page.locator('sheaf-search a[data-entry]').first();
      await link.waitFor();
      assert.match(await link.evaluate(({ href }) => href), target, address);
    };
    for (const path of ['index.html', 'guide/firing.html', 'guide/based.html', 'guide/relative.html'])
      await lands(`${below.origin}/docs/${path}`, new RegExp(`^${below.origin}/docs/`));
    for (const path of ['index.html', 'guide/firing.html']) await lands(pathToFileURL(join(site, path)).href, /^file:.*\/addresses\//);
    await page.close();
  });

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

  it('The button in a page of a theme that draws its bar by a script stands there once the bar is drawn, comes back, and alone has its keys', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const [before, mark] = THEME_PAGES.fumadocs.html.split('<script>for (const each');
    writeTree(join(work, 'pages', 'drawn'), {
      'index.html': `${before}<script>globalThis.taken = []; addEventListener('keydown', ({ key }) => taken.push(key)); function hydrate() { for (const each${mark.replace('</script>', '}</script>')}`,
    });
    await page.goto(`${host.origin}/drawn/index.html`);
    const parent = () => page.evaluate(() => document.querySelector('sheaf-search')?.parentElement.className);
    const stands = (inside) =>
      page.waitForFunction((wanted) => document.querySelector('sheaf-search')?.parentElement.matches(wanted), inside);
    await page.waitForFunction(() => document.querySelector('sheaf-search')?.shadowRoot);
    assert.equal(await parent(), '', 'it waits for the script of the page');
    await page.evaluate('hydrate()');
    await stands('.head');
    assert.equal(await page.locator('[data-search-full]').isVisible(), false);
    for (let i = 0; i < 3; i++) {
      // In one step: ours is back after 50 ms.
      const isOwnInSight = await page.evaluate(() => {
        document.querySelector('sheaf-search').remove();
        return document.querySelector('[data-search-full]').checkVisibility({ visibilityProperty: true });
      });
      assert.equal(isOwnInSight, true, 'its own search shows without ours');
      await stands('.head');
    }
    await page.evaluate(() => {
      document.querySelector('#nd-sidebar').innerHTML = '<div class="new"><button data-search-full>Search</button></div>';
      globalThis.hydrate();
    });
    await stands('.new');
    await page.setViewportSize({ width: 375, height: 700 });
    await stands('#nd-subnav');
    await page.keyboard.press('Control+k');
    await page.locator('sheaf-search dialog[open]').waitFor();
    assert.deepEqual(await page.evaluate('taken'), ['Control'], 'the page does not get the key');
    await page.keyboard.press('Escape');
    await page.evaluate(() => document.querySelector('#nd-sidebar [data-search-full]').click());
    await page.locator('sheaf-search dialog[open]').waitFor();
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
