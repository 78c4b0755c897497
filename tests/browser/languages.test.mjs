/** A site in German, with the search that `sheaf site` gave it: on a static host and opened as files, in Chromium. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { writeTree } from '../fixtures/tree.mjs';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';

const html = (title, text) => `<!doctype html>
<html lang="de-DE"><head><meta charset="utf-8"><title>${title}</title></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body></html>
`;
const folder = join(temporaryFolder('browser-german'), 'dist');
let browser;
let host;
let page;
let requests;

before(async () => {
  writeTree(folder, {
    'index.html': html('Handbuch', 'Wie man Bilder bearbeitet.'),
    'masken.html': html('Ebenenmasken', 'Eine Ebenenmaske steuert die Deckkraft. Sie gehört zu einer Ebene.'),
    'ebenen.html': html('Ebenen stapeln', 'Mehrere Ebenen liegen übereinander. Jede Maske verdeckt etwas.'),
    'drucken.html': html('Drucken', 'Masken und Ebenen werden nicht gedruckt. Der Drucker braucht Papier.'),
  });
  const args = [MAIN, 'site', folder, '--inject', '--file', '--keywords', '--quiet'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  browser = await launchChromium();
});
after(() => browser?.close());
afterEach(async () => {
  await page?.close();
  await host?.close();
  host = undefined;
});

async function search(address, query) {
  page = await browser.newPage();
  requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  await page.waitForFunction(() => customElements.get('sheaf-search') !== undefined, undefined, { timeout: 60_000 });
  await page.keyboard.press('/');
  await page.locator('sheaf-search input').first().fill(query);
  await page.waitForFunction(
    (text) => {
      const { state, shadowRoot } = document.querySelector('sheaf-search');
      return state.status === 'done' && state.answered === text && shadowRoot.querySelector('a[data-entry]') !== null;
    },
    query,
    { timeout: 60_000 },
  );
  return page.evaluate(() =>
    [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('a[data-entry]')].map((link) =>
      new URL(link.href).pathname.split('/').pop(),
    ),
  );
}

const rules = () => requests.filter((url) => /language-..\.(wasm|js)$/.test(url)).map((url) => url.split('/').pop());

describe('a German site', () => {
  it('A German site finds other word forms under a strict policy, with German rules alone', async () => {
    host = await serveSite({ '/': `${folder}/` }, { csp: `${STRICT_CSP}; img-src 'self'` });
    assert.deepEqual(await search(`${host.origin}/`, 'gedruckten Papiere'), ['drucken.html']);
    assert.ok(rules().length > 0 && rules().every((name) => name === 'language-de.wasm'), rules().join());
  });

  it('A German site finds a compound by its parts, opened as files', async () => {
    const found = await search(pathToFileURL(join(folder, 'index.html')).href, 'Ebenen Maske');
    assert.ok(found.includes('masken.html'), found.join());
    assert.deepEqual([...new Set(rules())], ['language-de.js']);
  });
});
