/**
 * The project's own site (`npm run docs`): built, served by a plain static host, read in Chromium.
 *
 *   node --test tests/site/site.test.mjs                        some 40 s of processor time, and as much again for the first installation
 *   SHEAF_SITE=build/site/dist node --test tests/site/site.test.mjs      of a site that is built already, with --base /sheaf/
 *   SHEAF_SCREENSHOTS=DIR …                                     and pictures, desktop and phone, light and dark
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildDocs } from '../../scripts/docs.mjs';
import { fileFor, serveStatic } from '../adapters/static_server.mjs';
import { launchChromium, newReader } from '../browser/chromium.mjs';

/** Below a path, as on GitHub Pages: an address that forgets it leads nowhere. */
const BASE = '/sheaf/';
const AXE = fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url));
const pictures = process.env.SHEAF_SCREENSHOTS;
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const READ = {
  landing: '',
  guide: 'site.html',
  command: 'reference/command.html',
  api: 'reference/api/sheaf.html',
  decision: 'decisions/0001-levels-instead-of-counts.html',
};

let dir;
let host;
let browser;

before(async () => {
  dir = process.env.SHEAF_SITE === undefined ? await buildDocs({ base: BASE }) : resolve(process.env.SHEAF_SITE);
  host = await serveStatic(dir, BASE);
  browser = await launchChromium();
  if (pictures) mkdirSync(pictures, { recursive: true });
});
after(async () => {
  await browser?.close();
  await host?.close();
});

/** Waits for the whole answer to all that was typed. */
const answered = (page, box, query) =>
  page.waitForFunction(
    ([selector, text]) => {
      const { state } = document.querySelector(selector);
      return state?.status === 'done' && state.answered === text;
    },
    [box, query],
  );

/** The pages that the generator wrote. */
const htmlFiles = () =>
  readdirSync(dir, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.html') && !name.startsWith('try/'));

describe('the site', () => {
  it('Links of the site lead to pages, files and headings that are there', () => {
    const texts = new Map();
    const textOf = (file) => {
      if (!texts.has(file)) texts.set(file, readFileSync(file, 'utf8'));
      return texts.get(file);
    };
    const lost = [];
    let checked = 0;
    for (const name of htmlFiles()) {
      for (const [, href] of textOf(join(dir, name)).matchAll(/<(?:a|link)\b[^>]*?\bhref="([^"]*)"/g)) {
        const url = new URL(href.replaceAll('&amp;', '&'), `http://site${BASE}${name}`);
        if (url.host !== 'site') continue;
        checked += 1;
        const file = fileFor(dir, BASE, url.pathname);
        const anchor = decodeURIComponent(url.hash.slice(1));
        if (file === undefined) lost.push(`${name}: ${href}`);
        else if (anchor !== '' && file.endsWith('.html') && !textOf(file).includes(`id="${anchor}"`))
          lost.push(`${name}: ${href}, no such heading`);
      }
    }
    assert.ok(checked > 3000, `${checked} links`);
    assert.deepEqual([...new Set(lost)], []);
  });

  it('A page loads nothing from elsewhere, and the landing page little', async () => {
    for (const path of Object.values(READ)) {
      const { context, page, problems } = await newReader(browser, { viewport: DESKTOP });
      const loaded = [];
      page.on('response', (response) =>
        loaded.push(
          response.body().then(
            (body) => [response.url(), body.length],
            () => [response.url(), 0],
          ),
        ),
      );
      await page.goto(host.origin + BASE + path);
      await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
      await page.waitForLoadState('networkidle');
      const files = await Promise.all(loaded);
      assert.deepEqual(
        files.filter(([url]) => !url.startsWith(host.origin)),
        [],
      );
      const bytes = files.reduce((sum, [, size]) => sum + size, 0);
      // Vue, the theme and the component, not compressed.
      if (path === READ.landing)
        assert.ok(files.length <= 12 && bytes < 400_000, `${path}: ${files.length} requests, ${bytes} bytes\n${files.join('\n')}`);
      assert.deepEqual(problems, []);
      await context.close();
    }
  });

  it('The box of the landing page answers from these pages, and a hit opens at its heading', async () => {
    const { context, page, problems } = await newReader(browser, { viewport: DESKTOP });
    await page.goto(host.origin + BASE);
    await page.getByRole('button', { name: 'how do I add search to my site' }).click();
    const box = page.locator('main sheaf-search');
    await answered(page, 'main sheaf-search', 'how do I add search to my site');
    if (pictures) await page.screenshot({ path: join(pictures, 'answer.png') });
    const links = await box.locator('a[href]').evaluateAll((found) => found.map(({ href }) => href));
    assert.ok(
      links.some((href) => href.startsWith(`${host.origin}${BASE}site.html`)),
      links.join('\n'),
    );
    await box.locator('a[href*="site.html#"]').first().click();
    await page.waitForURL(/site\.html#/);
    assert.equal(
      await page.evaluate(() => document.getElementById(decodeURIComponent(location.hash.slice(1)).split(':~:')[0]) !== null),
      true,
    );
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('The box in the bar opens from every page, and the libraries of the landing page answer where they were packed', async (t) => {
    const { context, page } = await newReader(browser, { viewport: DESKTOP });
    await page.goto(`${host.origin}${BASE}${READ.command}`);
    await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pinned pages');
    await answered(page, 'sheaf-search', 'pinned pages');
    const hits = await page.locator('sheaf-search a[href]').evaluateAll((found) => found.map(({ href }) => href));
    assert.ok(
      hits.some((href) => href.includes('/rules.html')),
      hits.join('\n'),
    );
    if (!readdirSync(dir).includes('libraries')) {
      t.diagnostic('build/demo holds no libraries: npm run demo');
    } else {
      await page.goto(host.origin + BASE);
      await page.getByRole('button', { name: 'keep readers from blocking writers' }).click();
      await answered(page, 'main sheaf-search', 'keep readers from blocking writers');
      const found = await page.locator('main sheaf-search a[href]').evaluateAll((all) => all.map(({ href }) => href));
      assert.ok(
        found.some((href) => href.startsWith('https://www.postgresql.org/')),
        found.join('\n'),
      );
    }
    await context.close();
  });

  for (const [name, path] of Object.entries(READ))
    it(`A page of kind ${name} is accessible and fits its window, on desktop and phone, light and dark`, async () => {
      const axe = readFileSync(AXE, 'utf8');
      for (const [device, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
        for (const colorScheme of ['light', 'dark']) {
          const { context, page } = await newReader(browser, { viewport, colorScheme });
          await page.goto(host.origin + BASE + path);
          await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
          if (pictures) await page.screenshot({ path: join(pictures, `${name}-${device}-${colorScheme}.png`) });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          assert.ok(wide <= 0, `${name} on ${device} is ${wide} pixels too wide`);
          await page.evaluate(`${axe};0`);
          const violations = await page.evaluate(async () =>
            (await window.axe.run(document, { resultTypes: ['violations'] })).violations.map(
              ({ id, nodes }) =>
                `${id} (${nodes.length}): ${nodes
                  .slice(0, 3)
                  .map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`)
                  .join(' | ')}`,
            ),
          );
          assert.deepEqual(violations, [], `${name}, ${device}, ${colorScheme}`);
          await context.close();
        }
      }
    });
});
