/**
 * The page that shows Sheaf at work (docs/try), assembled as for a static host: its reader types by key, sees what is asked for, packs a
 * folder, and goes on with the network off. The lines that it offers to copy are typed in tests/node/try_lines.test.mjs.
 */
import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assemble } from '../../scripts/try_page.mjs';
import { DOCS, manyPages, packFixture, temporaryFolder } from '../node/packed.mjs';
import { launchChromium, newReader } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';
import { assertAccessible, shots } from './ui_page.mjs';

const root = temporaryFolder('try-page');
const folder = join(root, 'site', 'try');
let browser;
let site;

before(async () => {
  const large = await packFixture(join(root, 'large.sheaf'), { docs: manyPages(join(root, 'docs'), 700), options: ['--level', '3'] });
  const small = await packFixture(join(root, 'small.sheaf'), { library: 'oven' });
  const told = (src, label, file) => ({ src, label, bytes: statSync(file).size });
  await assemble(folder, [
    { ...told('../large.sheaf', 'kiln 1.4.0', large), question: 'keep readers', base: '../docs/', isSite: true },
    { ...told('../small.sheaf', 'oven 1.4.0', small), spec: 'npm:oven@1.4.0' },
  ]);
  browser = await launchChromium();
  site = await serveSite({ '/large.sheaf': large, '/small.sheaf': small, '/': `${join(root, 'site')}/` });
});
after(async () => {
  await browser?.close();
  await site?.close();
});

async function visit(options = {}) {
  const reader = await newReader(browser, { viewport: { width: 1280, height: 900 }, ...options });
  site.requests.length = 0;
  await reader.page.goto(`${site.origin}/try/index.html`);
  await reader.page.locator('#all').waitFor();
  return reader;
}

/** Types into what has the focus, and waits for the whole answer. */
async function typed(page, text) {
  await page.keyboard.type(text);
  await answered(page);
}
const answered = (page) =>
  page.waitForFunction(
    () => document.body.dataset.answered === document.querySelector('#query').value.trim() && document.body.dataset.answered !== '',
  );

/** What the page counts, and what the server has sent of what it counts: once both stay the same. */
async function counted(page) {
  const shown = () =>
    page.$$eval('#requests, #bytes, #range, #whole', (all) => all.map(({ textContent, title }) => [textContent.split(',')[0], title]));
  let before;
  for (let now = await shown(); String(now) !== String(before); now = await shown()) {
    before = now;
    await page.waitForTimeout(250);
  }
  const data = site.requests.filter(({ path }) => /\.sheaf$|\.wasm$/.test(path));
  const sum = (some) => some.reduce((total, { sent }) => total + sent, 0);
  const of = (some) => ({ requests: String(some.length), bytes: `${sum(some).toLocaleString('en')} bytes` });
  const [all, range, whole] = [data, data.filter(({ status }) => status === 206), data.filter(({ status }) => status === 200)].map(of);
  const server = [all.requests, all.bytes, range.requests, range.bytes, whole.requests, whole.bytes];
  const [[requests], [, bytes], ...kinds] = before;
  return { shown: [requests, bytes, ...kinds.flat()], server, requests: data.length };
}

describe('the page that shows Sheaf at work', () => {
  it('Nothing is asked for before its reader types, and then what the page counts is what the server sent', async () => {
    const { page, context, problems } = await visit();
    await page.locator('#query').focus();
    assert.deepEqual((await counted(page)).shown, ['0', '0 bytes', '0', '0 bytes', '0', '0 bytes']);
    assert.equal(site.requests.filter(({ path }) => /\.sheaf$|\.wasm$/.test(path)).length, 0);
    await typed(page, 'cert');
    const first = await counted(page);
    assert.deepEqual(first.shown, first.server);
    await typed(page, 'ificate');
    const second = await counted(page);
    assert.deepEqual(second.shown, second.server);
    assert.ok(Number(second.shown[2]) > 2);
    assert.equal(second.shown[4], '1'); // the core
    assert.match(await page.textContent('#latest li'), /\.sheaf.*bytes [\d,]+–[\d,]+.*kB.*“cert/);
    const bars = await page.$$eval('#hits .bar', (all) => all.map((bar) => bar.getAttribute('aria-label')));
    assert.match(bars[0], /^Score \d\.\d\d: words \d\.\d\d/);
    assert.match(await page.textContent('#hits > li:first-child .terms'), /certificate/);
    assert.equal(await page.textContent('#hits > li:first-child mark'), 'certificate');
    assert.match(await page.getAttribute('#hits > li:first-child a', 'href'), new RegExp(`^${site.origin}/docs/`));
    await assertAccessible(page, 'try-found');
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('With the network off, what was chosen is searched on and no request leaves the browser', async () => {
    const { page, context, problems } = await visit();
    await page.locator('#query').focus();
    await typed(page, 'certificate');
    await page.locator('#network').focus();
    await page.keyboard.press('Enter');
    await page.locator('#network[aria-checked=false]').waitFor();
    const { shown, server, requests } = await counted(page);
    assert.deepEqual(shown, server);
    const all = site.requests.length;
    assert.equal(await page.locator('#libraries input').nth(1).isDisabled(), true);
    for (const words of ['temperature of the first firing', 'worker threads', 'certifcate', 'katomi ren', 'glaze']) {
      await page.locator('#query').fill('');
      await page.locator('#query').focus();
      await typed(page, words);
      assert.equal(await page.locator('#status.failed').count(), 0);
      assert.notEqual(await page.locator('#hits > li').count(), 0, words);
    }
    assert.equal((await counted(page)).requests, requests);
    assert.equal(site.requests.length, all, JSON.stringify(site.requests.slice(all)));
    assert.match(await page.textContent('#off'), /^Off\. Since then: 0 requests .*, 0 refused here\.$/);
    await page.locator('#picker').setInputFiles(DOCS);
    assert.match(await page.textContent('#told'), /^Switch the network on first/);
    await assertAccessible(page, 'try-off');

    await page.locator('#network').press('Enter');
    await page.locator('#libraries label').nth(1).click();
    await page.locator('#hits .label', { hasText: 'oven 1.4.0' }).first().waitFor();
    const after = await counted(page);
    assert.ok(after.requests > requests);
    assert.deepEqual(after.shown, after.server);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('On a host without ranges the page counts whole files', async () => {
    const { page, context, problems } = await visit();
    site.settings.ranges = false;
    try {
      await page.locator('#query').focus();
      await typed(page, 'certificate');
      const { shown, server } = await counted(page);
      assert.deepEqual(shown, server);
      assert.deepEqual([shown[2], shown[4]], ['0', '3']); // bundle, table, core
      assert.deepEqual(problems, []);
    } finally {
      site.settings.ranges = true;
    }
    await context.close();
  });

  it('A folder that is dropped becomes the library that is searched', async () => {
    const { page, context, problems } = await visit();
    await page.locator('#query').focus();
    await typed(page, 'certificate');
    assert.notEqual(await page.locator('#hits > li').count(), 0);
    await page.locator('#query').fill('');
    const session = await context.newCDPSession(page);
    const data = { items: [], files: [DOCS], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 900, y: 300, data });
    await page.locator('#result').waitFor();
    assert.match(await page.textContent('#told'), /^8 pages with \d+ passages in \d+ kB\.$/);
    assert.equal(await page.locator('#hits > li').count(), 0);
    await typed(page, 'certificate');
    assert.match(await page.textContent('#hits > li:first-child h3'), /^Installation › Troubleshooting/);
    assert.equal(
      await page.locator('#libraries label:has(:checked)').textContent(),
      `docs${await page.textContent('#libraries label:has(:checked) small')}`,
    );
    assert.match(await page.textContent('#lines'), /npx sheaf add docs -s \.\/docs/);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it("A reader's folder is packed in the page, found, read there, and downloaded; its pages' text stays text", async () => {
    const { page, context, problems } = await visit();
    await page.locator('#picker').setInputFiles(DOCS);
    await page.locator('#result').waitFor();
    assert.match(await page.textContent('#told'), /^8 pages with \d+ passages in \d+ kB\.$/);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'query');
    const { requests, shown, server } = await counted(page);
    assert.deepEqual(shown, server);
    await page.locator('#network').press('Enter');
    await page.locator('#network[aria-checked=false]').waitFor();
    await page.locator('#query').focus();
    await typed(page, 'certificate');
    assert.ok((await counted(page)).requests <= requests + 1); // the core
    await page.locator('#hits button').first().click();
    await page.locator('#page').waitFor();
    assert.equal(await page.textContent('#page-title'), 'Installation');
    assert.match(await page.textContent('#page-text'), /certificate/i);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#download').click()]);
    assert.equal(download.suggestedFilename(), 'docs@1.sheaf');
    await page.locator('#network').press('Enter');

    const hostile = join(root, 'A <b>folder</b>');
    mkdirSync(hostile, { recursive: true });
    writeFileSync(join(hostile, 'page.md'), '# Title\n\n`<img src=x onerror=alert(1)>` is a certificate of `<script>`.\n');
    await page.locator('#picker').setInputFiles(hostile);
    await page.waitForFunction(() => document.querySelector('#told').textContent.startsWith('1 page '));
    await answered(page);
    await page.locator('#hits', { hasText: '<img src=x' }).waitFor();
    assert.equal(await page.locator('#all img, #all script, #libraries b').count(), 0);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('A folder without documentation is said to be one', async () => {
    const { page, context } = await visit();
    await page.locator('#picker').setInputFiles(join(DOCS, '..', 'searx'));
    await page.locator('#told.failed').waitFor();
    assert.match(await page.textContent('#told'), /no documentation found/);
    assert.equal(await page.locator('#result').isHidden(), true);
    await context.close();
  });

  it('Questions are asked and lines copied by keyboard alone', async () => {
    const { page, context } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator('#query').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await answered(page);
    assert.equal(await page.inputValue('#query'), 'keep readers');
    const second = page.locator('#libraries input').nth(1);
    for (const isChecked of [true, false, true]) {
      if (isChecked) await second.focus();
      await page.keyboard.press('Space');
      assert.deepEqual([await second.isChecked(), await second.evaluate((box) => box === document.activeElement)], [isChecked, true]);
    }
    await page.locator('#hits .label', { hasText: 'oven 1.4.0' }).first().waitFor();
    const copy = page.getByRole('button', { name: 'Copy: npx sheaf install-mcp' });
    await copy.focus();
    await page.keyboard.press('Enter');
    await page.locator('#copied', { hasText: 'Copied: ' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `npx sheaf install-mcp --cursor ${site.origin}/`);
    await context.close();
  });

  it('The page fits phones and right-to-left readers, light and dark, and is accessible there', async () => {
    for (const [name, options] of Object.entries({
      'desktop-light': {},
      'desktop-dark': { colorScheme: 'dark' },
      'phone-light': { viewport: { width: 390, height: 844 } },
      'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    })) {
      const { page, context } = await visit(options);
      await page.locator('#libraries label').nth(1).click();
      await page.locator('#query').focus();
      await typed(page, 'certificate');
      for (const dir of ['ltr', 'rtl']) {
        await page.evaluate((to) => (document.documentElement.dir = to), dir);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name}, ${dir}: ${wide} pixels too wide`);
        if (dir === 'ltr' && /^(?:desktop-light|phone-dark)$/.test(name)) await assertAccessible(page, `try-${name}`);
        if (shots) await page.screenshot({ path: join(shots, `try-${name}-${dir}-whole.png`), fullPage: true });
      }
      await context.close();
    }
  });

  it('A browser without WebAssembly or modules is told so', async () => {
    const { context, page } = await newReader(browser);
    await page.addInitScript(() => delete globalThis.WebAssembly);
    await page.goto(`${site.origin}/try/index.html`);
    await page.locator('#needs', { hasText: 'no WebAssembly' }).waitFor();
    assert.equal(await page.locator('#all').isHidden(), true);
    await context.close();
    const { context: without, page: plain } = await newReader(browser, { javaScriptEnabled: false });
    await plain.goto(`${site.origin}/try/index.html`);
    assert.equal(await plain.locator('#needs').textContent(), 'This page needs JavaScript modules and WebAssembly.');
    await without.close();
  });
});
