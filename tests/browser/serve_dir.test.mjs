/** `sheaf serve DIR` in Chromium: a page that stays open finds what was written after it was opened. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';

const root = temporaryFolder('browser-serve');
const PAGE = (title, text) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`;
let browser;
let server;
let page;
let problems;

before(async () => (browser = await launchChromium()));
after(() => browser?.close());
afterEach(async () => {
  await page?.close();
  server?.child.kill('SIGTERM'); // so that it takes its folder along
  await server?.ended;
});

async function serve(site) {
  const child = spawn(process.execPath, [MAIN, 'serve', site, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  let stdout = '';
  for await (const chunk of child.stdout) if ((stdout += chunk).endsWith('}\n')) break;
  server = { child, ended, origin: JSON.parse(stdout).url.replace(/\/$/, ''), stderr: () => stderr };
}

async function visit(path) {
  page = await browser.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/favicon/.test(message.location().url)) problems.push(message.text());
  });
  await page.goto(server.origin + path);
  await page.waitForFunction(() => customElements.get('sheaf-search') !== undefined);
}

/** Until all of these are in the list at once. */
const untilLinked = (...paths) =>
  page.waitForFunction((wanted) => {
    const links = [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('a[data-entry]')].map(
      (link) => new URL(link.href).pathname,
    );
    return wanted.every((path) => links.includes(path));
  }, paths);

describe('a page that stays open', () => {
  it('An open page finds new words without a reload, its query in place', async () => {
    const site = writeBuiltSite(join(root, 'dist'));
    await serve(site);
    await visit('/guide/batches');
    await page.evaluate(() => (window.stayed = true));
    await page.keyboard.press('/');
    await page.locator('sheaf-search input').first().fill('celadon');
    await page.waitForFunction(() => /celadon/.test(document.querySelector('sheaf-search').shadowRoot.textContent));
    writeFileSync(join(site, 'glaze.html'), PAGE('Glaze', 'Celadon is a glaze of pale green.'));
    await untilLinked('/glaze.html');
    writeFileSync(join(site, 'static/celadon.html'), PAGE('More', 'More about celadon, celadon, celadon.'));
    await untilLinked('/static/celadon.html', '/glaze.html');
    assert.deepEqual(
      [await page.evaluate(() => window.stayed), await page.locator('sheaf-search input').first().inputValue()],
      [true, 'celadon'],
    );
    assert.deepEqual(problems, []);
    assert.ok(!readFileSync(join(site, 'index.html'), 'utf8').includes('sheaf'), 'the files are as they were');
  });

  it('An open page gets its search when the first pages arrive', async () => {
    const site = join(root, 'later');
    mkdirSync(site);
    await serve(site);
    writeFileSync(join(site, '404.html'), PAGE('Not yet', 'The builder has not begun.')); // counts as a page, and is not indexed
    page = await browser.newPage();
    await page.goto(`${server.origin}/`);
    writeBuiltSite(site);
    await page.waitForFunction(() => Boolean(document.querySelector('sheaf-search')?.shadowRoot));
    await page.keyboard.press('/');
    await page.locator('sheaf-search input').first().fill('awaitable');
    await untilLinked('/guide/batches.html');
  });
});
