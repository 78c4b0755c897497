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
import { gzipSync } from 'node:zlib';
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
  python: 'reference/python.html',
  decision: 'decisions/0001-levels-instead-of-counts.html',
};

/**
 * What the landing page may take until it rests, counted in Chromium: no count depends on how quick a machine is. Requests and bytes
 * are Vue, the theme and the component; `compressed` is what a host sends that compresses. `calls` are calls of the page's functions,
 * `layouts` and `styles` the times that the browser computed them, `shift` is what moves while it loads (a good page has less than 0.1).
 */
const BUDGET = {
  requests: 12,
  bytes: 400_000,
  compressed: 125_000,
  scripts: 270_000,
  calls: 36_000,
  layouts: 8,
  styles: 16,
  nodes: 750,
  shift: 0.02,
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

/** The page that shows Sheaf at work packs in the browser. */
const hasTry = () => readdirSync(dir).includes('try');

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

  it('A page loads nothing from elsewhere', async () => {
    for (const path of [...Object.values(READ), ...(hasTry() ? ['try/'] : [])]) {
      const { context, page, problems } = await newReader(browser, { viewport: DESKTOP });
      const loaded = [];
      page.on('request', (request) => loaded.push(request.url()));
      await page.goto(host.origin + BASE + path);
      await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated || document.querySelector('#all:not([hidden])'));
      await page.waitForLoadState('networkidle');
      assert.ok(loaded.length > 3);
      assert.deepEqual(
        loaded.filter((url) => !url.startsWith(host.origin)),
        [],
      );
      assert.deepEqual(problems, []);
      await context.close();
    }
  });

  it('The landing page keeps its budget of requests, bytes and work', async (t) => {
    const { context, page, problems } = await newReader(browser, { viewport: DESKTOP });
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable');
    await session.send('Profiler.enable');
    await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await page.addInitScript(() => {
      window.seen = { shift: 0, longTasks: [] };
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.seen.shift += value;
      }).observe({ type: 'layout-shift', buffered: true });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.seen.longTasks.push(Math.round(duration));
      }).observe({ type: 'longtask', buffered: true });
    });
    const loaded = [];
    page.on('response', (response) => loaded.push(response.body().then((body) => ({ url: response.url(), body }))));
    await page.goto(host.origin + BASE);
    await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
    await page.waitForLoadState('networkidle');
    const files = await Promise.all(loaded);
    const sum = (of) => files.reduce((total, file) => total + of(file), 0);
    const { result } = await session.send('Profiler.takePreciseCoverage');
    const { metrics } = await session.send('Performance.getMetrics');
    const metric = (name) => metrics.find((each) => each.name === name).value;
    const { shift, longTasks } = await page.evaluate(() => window.seen);
    const ours = result.filter(({ url }) => url.startsWith(host.origin));
    const found = {
      requests: files.length,
      bytes: sum(({ body }) => body.length),
      compressed: sum(({ body }) => gzipSync(body).length),
      scripts: sum(({ url, body }) => (/\.js$/.test(url) ? body.length : 0)),
      calls: ours.reduce((total, { functions }) => total + functions.reduce((all, { ranges: [{ count }] }) => all + count, 0), 0),
      layouts: metric('LayoutCount'),
      styles: metric('RecalcStyleCount'),
      nodes: metric('Nodes'),
      shift,
    };
    t.diagnostic(`${JSON.stringify(found)}; long tasks on this machine: ${longTasks.join(', ') || 'none'} ms`);
    const over = Object.entries(BUDGET).filter(([name, most]) => !(found[name] <= most));
    assert.deepEqual(
      over.map(([name, most]) => `${name}: ${found[name]}, and the budget is ${most}`),
      [],
      files.map(({ url, body }) => `${url} ${body.length}`).join('\n'),
    );
    assert.ok(found.calls > 1000 && found.layouts > 0 && found.nodes > 100, 'nothing was counted');
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('The landing page leads to the page that shows Sheaf at work, which searches these pages and goes on without a network', async (t) => {
    if (!hasTry()) return t.skip("the packer's module is not built: npm run build -- --module");
    const { context, page, problems } = await newReader(browser, { viewport: DESKTOP });
    await page.goto(host.origin + BASE);
    await page.locator('main .note a').click();
    await page.waitForURL(`${host.origin}${BASE}try/`);
    await page.getByRole('button', { name: 'how do I add search to my site' }).click();
    const answeredHere = (text) => page.waitForFunction((query) => document.body.dataset.answered === query, text);
    await answeredHere('how do I add search to my site');
    const links = await page.locator('#hits a').evaluateAll((found) => found.map(({ href }) => href));
    assert.ok(
      links.some((href) => href.startsWith(`${host.origin}${BASE}site.html`)),
      links.join('\n'),
    );
    if (pictures) await page.screenshot({ path: join(pictures, 'try-found.png'), fullPage: true });
    await page.locator('#network').press('Enter');
    await page.locator('#network[aria-checked=false]').waitFor();
    await context.setOffline(true); // a request that left would fail
    const leaving = [];
    page.on('request', (request) => leaving.push(request.url()));
    await page.locator('#query').fill('search in several languages');
    await answeredHere('search in several languages');
    assert.notEqual(await page.locator('#hits > li').count(), 0);
    assert.deepEqual(leaving, []);
    assert.match(await page.textContent('#lines'), new RegExp(`npx sheaf install-mcp --cursor ${host.origin}${BASE}`));
    assert.deepEqual(problems, []);
    await page.locator('#home').waitFor();
    await context.close();
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
