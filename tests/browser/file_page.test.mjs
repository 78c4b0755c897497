/** Pages that `sheaf site --file` gave search, opened as files: no host, no modules, no fetch, in Chromium. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { writeTree } from '../fixtures/tree.mjs';
import { writeVersionedSite } from '../fixtures/versioned_site.mjs';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { until } from '../node/until.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';

const root = temporaryFolder('browser-file');
const folder = join(root, 'Öfen #1, 50% off', 'dist');
const QUESTION = 'keep passwords out of files';
const TRUSTED = "require-trusted-types-for 'script'; trusted-types lit-html sheaf";
const NOINDEX = '<meta name="robots" content="noindex">';
const html = (body, head = '') => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${head}<title>A page</title></head>
<body><main>${body}</main></body></html>
`;
const withPolicy = (workers) => {
  const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src ${workers}; style-src 'self'; ${TRUSTED}`;
  return html('<h1>Strict</h1>', `<meta http-equiv="Content-Security-Policy" content="${policy}">${NOINDEX}`);
};
const PAGES = {
  'Über uns/Brennöfen #2? & 100%.html': html(`<h1>Brick kilns</h1>
<h2 id="lehm">Clay</h2><p>Clay comes from the pit behind the yard.</p>
<h2 id="wärme">Warmth</h2><p>Bricks hoard the warmth of yesterday, so the chamber needs half the fuel.</p>`),
  'strict.html': withPolicy('blob:'),
  'deep/down/no worker.html': withPolicy("'none'"),
  'deutsch.html': html('<h1>Öfen</h1>', NOINDEX).replace('lang="en"', 'lang="de-AT"'),
  'عربي.html': html('<h1>أفران</h1>', NOINDEX).replace('lang="en"', 'lang="ar"'),
  'results.html': html('<h1>Results</h1><sheaf-search mode="page" base="/elsewhere/"></sheaf-search>', NOINDEX),
};

let browser;
let page;
let host;
let problems;
let requests;

function build(site, ...flags) {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', site, '--inject', '--quiet', ...flags], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

before(async () => {
  writeBuiltSite(folder);
  writeTree(folder, PAGES);
  build(folder, '--file');
  browser = await launchChromium();
});
after(() => browser?.close());
afterEach(async () => {
  await page?.close();
  await host?.close();
  host = undefined;
});

const address = (path, site = folder) => pathToFileURL(join(site, path)).href;

async function visit(url, { expected = /^$/ } = {}) {
  page = await browser.newPage();
  problems = [];
  requests = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !expected.test(message.text())) problems.push(message.text());
  });
  page.on('request', (request) => requests.push(decodeURI(request.url())));
  await page.goto(url);
}

const defined = () => page.waitForFunction(() => customElements.get('sheaf-search') !== undefined);
const settled = () =>
  page.waitForFunction(() => {
    const { status } = document.querySelector('sheaf-search').state;
    return status === 'done' || status === 'error';
  });

async function searchFor(query) {
  await defined();
  await page.keyboard.press('/');
  await page.locator('sheaf-search input').first().fill(query);
  await page.waitForFunction((text) => document.querySelector('sheaf-search').state.query === text, query);
  await settled();
  return linksShown();
}
const linksShown = () =>
  page.evaluate(() => {
    const { shadowRoot } = document.querySelector('sheaf-search');
    return [...shadowRoot.querySelectorAll('a[data-entry]')].map((link) => link.href);
  });
const semantic = () => page.evaluate(() => document.querySelector('sheaf-search').search.library.info.semantic);
/** Path and anchor that an address of a file leads to. */
const placeOf = (href) => {
  const { pathname, hash } = new URL(href);
  return decodeURIComponent(pathname) + decodeURIComponent(hash.replace(/:~:.*/, ''));
};
const atPlace = (path) => page.waitForURL((url) => placeOf(url) === join(folder, path));

describe('a page in another language', () => {
  const direction = () =>
    page.evaluate(() => getComputedStyle(document.querySelector('sheaf-search').shadowRoot.querySelector('.root')).direction);

  for (const [where, open] of [
    ['opened as a file', (path) => visit(address(path))],
    [
      'on a host',
      async (path) => {
        host = await serveSite({ '/': `${folder}/` }, { csp: `${STRICT_CSP}; img-src 'self'` });
        await visit(`${host.origin}/${encodeURI(path)}`, { expected: /favicon|status of 404/ });
      },
    ],
  ]) {
    it(`A page in another language has a search in its words and direction, ${where}`, async () => {
      await open('deutsch.html');
      await page.getByRole('button', { name: 'Suchen' }).waitFor();
      assert.equal(await direction(), 'ltr');
      await page.close();
      await host?.close();
      await open('عربي.html');
      await page.getByRole('button', { name: 'بحث' }).click();
      assert.equal(await direction(), 'rtl');
      await page.getByPlaceholder('ابحث في التوثيق').waitFor();
      assert.deepEqual(problems, []);
    });
  }
});

describe('a page opened as a file', () => {
  it("A file page finds by meaning, and Enter opens the heading's file", async () => {
    await visit(address('guide/batches.html'));
    const links = await searchFor(QUESTION);
    assert.ok(links[0].startsWith(`${address('guide/index.html')}#secrets`), links[0]);
    assert.equal(await semantic(), true);
    await page.keyboard.press('Enter');
    await atPlace('guide/index.html#secrets');
    assert.deepEqual(problems, []);
    assert.ok(
      requests.every((url) => /^(file|blob):/.test(url)),
      'nothing is asked of the network',
    );
  });

  it('A file page searches its own version, and switches to another', async () => {
    const site = writeVersionedSite(join(root, 'versions'));
    build(site, '--file', '--version-dir', 'docs/*');
    await visit(address('docs/1.9/index.html', site));
    const own = await searchFor('batches');
    assert.ok(own[0].startsWith(address('docs/1.9/', site)), own[0]);
    assert.ok(!own.some((link) => link.startsWith(address('docs/1.10/', site))), 'versions are not mixed');
    await page.locator('sheaf-search select').first().selectOption('1.10');
    await page.waitForFunction(
      (start) =>
        [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('a[data-entry]')].some((link) =>
          link.href.startsWith(start),
        ),
      address('docs/1.10/', site),
    );
    assert.ok(!(await linksShown()).some((link) => link.startsWith(address('docs/1.9/', site))), 'the other version alone');
    assert.deepEqual(problems, []);
  });

  it('A file page handles blanks, umlauts, #, ? and % in names', async () => {
    await visit(address('index.html'));
    const links = await searchFor('bricks hoard warmth');
    assert.equal(placeOf(links[0]), `${join(folder, 'Über uns/Brennöfen #2? & 100%.html')}#wärme`);
    await page.keyboard.press('Enter');
    await atPlace('Über uns/Brennöfen #2? & 100%.html#wärme');
    assert.equal(await page.evaluate(() => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.textContent), 'Warmth');
    const back = await searchFor(QUESTION);
    assert.ok(back[0].startsWith(`${address('guide/index.html')}#secrets`), back[0]);
    assert.deepEqual(problems, []);
  });

  it('A file page loads the component alone, then only the pieces of a query', async () => {
    await visit(address('index.html'));
    await defined();
    await page.waitForLoadState('networkidle');
    const ours = requests.filter((url) => /\/sheaf\//.test(url)).map((url) => url.replace(/^.*\/sheaf\//, '').replace(/-[0-9a-f]{12}/, ''));
    assert.deepEqual(ours, ['place/float.css', 'sheaf.js', 'file/page.js']);
    await searchFor('awaitable');
    const read = new Set(requests.filter((url) => /minilm.*\.pieces\//.test(url)));
    const all = readdirSync(
      join(
        folder,
        'sheaf',
        readdirSync(join(folder, 'sheaf')).find((name) => /^minilm.*\.pieces$/.test(name)),
      ),
    );
    assert.ok(read.size > 0 && read.size < all.length, `${read.size} of ${all.length} pieces of the table`);
  });

  it('A file page searches under a strict policy with Trusted Types', async () => {
    await visit(address('strict.html'));
    const links = await searchFor(QUESTION);
    assert.ok(links[0].startsWith(`${address('guide/index.html')}#secrets`), links[0]);
    assert.deepEqual(problems, []);
  });

  it('A file page searches on its own thread where workers are forbidden', async () => {
    await visit(address('deep/down/no worker.html'), { expected: /worker/i });
    const warned = page.waitForEvent('console', (message) => /^sheaf: no worker could be started/.test(message.text()));
    const links = await searchFor(QUESTION);
    await warned;
    assert.ok(links[0].startsWith(`${address('guide/index.html')}#secrets`), links[0]);
    assert.equal(await semantic(), true);
    assert.deepEqual(problems, []);
  });

  it('A file page has results pages with links that hold in a folder', async () => {
    await visit(`${address('results.html')}?q=${encodeURIComponent(QUESTION)}`);
    await defined();
    await settled();
    const [first] = await linksShown();
    assert.ok(first.startsWith(`${address('guide/index.html')}#secrets`), first);
    await page.locator('sheaf-search input').fill('awaitable');
    await page.waitForFunction(() => new URL(location.href).searchParams.get('q') === 'awaitable');
    assert.deepEqual(problems, []);
  });

  it('On a host, the same pages give the same hits without file scripts', async () => {
    const found = async (url) => {
      await visit(url);
      await searchFor('gather batches that wait');
      const hits = await page.evaluate(() => {
        const all = document.querySelector('sheaf-search').state.groups.flatMap((group) => group.hits);
        return all.map(({ source, anchor, score }) => ({ source, anchor, score }));
      });
      assert.deepEqual(
        problems.filter((text) => !/favicon|404/.test(text)),
        [],
      );
      await page.close();
      return hits;
    };
    host = await serveSite({ '/docs/': `${folder}/` });
    const online = await found(`${host.origin}/docs/guide/batches.html`);
    assert.ok(online.length > 0);
    assert.ok(
      host.requests.every(({ path }) => !/file-/.test(path)),
      'nothing that is for files',
    );
    assert.deepEqual(await found(address('guide/batches.html')), online);
  });
});

describe('a site that is incomplete, or was made otherwise', () => {
  const copy = (name) => {
    const site = join(root, name);
    cpSync(folder, site, { recursive: true });
    return site;
  };
  const pieces = (site) =>
    join(
      site,
      'sheaf',
      readdirSync(join(site, 'sheaf')).find((name) => /^site-.*\.pieces$/.test(name) && existsSync(join(site, 'sheaf', name, '0.js'))),
    );
  const message = () => page.evaluate(() => document.querySelector('sheaf-search').state.error?.message ?? '');

  it('An incomplete site names the missing file', async () => {
    const site = copy('missing');
    rmSync(join(pieces(site), '0.js'));
    await visit(address('index.html', site));
    await searchFor('batches');
    assert.match(await message(), /\.pieces\/0\.js could not be read; keep the folder sheaf beside the pages/);
  });

  it('A page names the file that was rewritten', async () => {
    const site = copy('rewritten');
    const piece = join(pieces(site), '0.js');
    const text = readFileSync(piece, 'utf8');
    writeFileSync(piece, text.slice(0, 100) + text.slice(101), 'utf8');
    await visit(address('index.html', site));
    await searchFor('batches');
    assert.match(await message(), /\.pieces\/0\.js does not hold \d+ bytes as sheaf site --file wrote them/);
  });

  it('A page reads pieces that a tool rewrote in another encoding', async () => {
    const site = copy('rewritten-alike');
    for (const name of readdirSync(pieces(site))) {
      const piece = join(pieces(site), name);
      writeFileSync(piece, `\ufeff${readFileSync(piece, 'utf8')}`, 'utf16le');
    }
    await visit(address('index.html', site));
    const links = await searchFor('awaitable');
    assert.ok(links[0].startsWith(`${address('guide/batches.html', site)}#waiting`), links[0]);
  });

  it('A page made with words alone searches without meaning', async () => {
    const site = writeBuiltSite(join(root, 'words', 'dist'));
    build(site, '--file', '--keywords');
    await visit(address('index.html', site));
    const links = await searchFor('awaitable');
    assert.ok(links[0].startsWith(`${address('guide/batches.html', site)}#waiting`), links[0]);
    assert.equal(await semantic(), false);
    assert.deepEqual(problems, []);
  });

  it('Without --file, the page names the needed command on the console, and breaks nowhere', async () => {
    const site = writeBuiltSite(join(root, 'hosted', 'dist'));
    build(site);
    page = await browser.newPage();
    const texts = [];
    page.on('console', (text) => texts.push(`${text.type()}: ${text.text()}`));
    page.on('pageerror', (error) => texts.push(String(error)));
    await page.goto(address('index.html', site));
    await until(() => texts.length > 0, 'a message');
    assert.deepEqual(texts, ['info: sheaf: pages opened as files get search from sheaf site --file.']);
  });

  it('On a host, pages that still name the entry as a module work', async () => {
    const site = copy('former');
    const file = join(site, 'guide/batches.html');
    const before = readFileSync(file, 'utf8');
    const former = before.replace(/<script src="([^"]+)" defer data-sheaf-site>/, '<script type="module" src="$1">');
    assert.notEqual(former, before);
    writeFileSync(file, former);
    host = await serveSite({ '/': `${site}/` }, { csp: `${STRICT_CSP}; img-src 'self'; ${TRUSTED}` });
    await visit(`${host.origin}/guide/batches.html`, { expected: /404/ });
    const links = await searchFor(QUESTION);
    assert.ok(links[0].startsWith(`${host.origin}/guide/#secrets`), links[0]);
    assert.deepEqual(problems, []);
  });
});
