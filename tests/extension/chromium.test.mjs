/**
 * The extension in Debian's Chromium: installing, searching by every way, reading, without a network, after a reload and a
 * restart, and what goes wrong.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, beforeEach, describe, it } from 'node:test';
import { manyPages, packFixture, temporaryFolder } from '../node/packed.mjs';
import { buildTinyBert } from '../fixtures/tiny_bert.mjs';
import { ask, startChromium, until } from './chromium_extension.mjs';
import { generateKey } from '../../dist/node/catalogue/secret_key.js';
import { catalogueOf, serveSigned, sha256, startServer } from './library_server.mjs';

const root = temporaryFolder('extension-chromium');
let server;
let closed;
let browser;
let page;
let bundles;

const pack = async (library, version, options) =>
  readFileSync(await packFixture(join(root, `${library}-${version}.sheaf`), { library, version, ...options }));

/** A page whose text tries to be more than text. */
function hostilePages(folder) {
  writeFileSync(
    join(manyPages(folder, 0), 'evil.md'),
    `# <img src=x onerror="parent.pwned=1">Snare

<script>window.pwned = 1</script> [go](javascript:window.pwned=1) [data](data:text/html,<script>1</script>)
[fine](guide/../index.md) ![p](javascript:window.pwned=1) <a href="javascript:window.pwned=1">raw</a> snare

## \u202eturned <b>bold</b>

<iframe src="javascript:window.pwned=1"></iframe> snare

\`\`\`html
<img src=x onerror="window.pwned=1">
\`\`\`
`,
  );
  return folder;
}

before(async () => {
  server = await startServer();
  closed = await startServer({ cors: false });
  bundles = {
    kiln14: await pack('kiln', '1.4.0'),
    kiln15: await pack('kiln', '1.5.0'),
    evil: await pack('evil', '6.6', { docs: hostilePages(join(root, 'evil')) }),
    many: await pack('many', '1.0', { docs: manyPages(join(root, 'many'), 200) }),
  };
  const newer = Buffer.from(bundles.kiln14);
  newer.writeUInt16LE(newer.readUInt16LE(8) + 1, 8);
  bundles.newer = newer;
  browser = await startChromium({ hosts: [`${closed.origin}/*`] });
  page = await browser.open('library.html');
});
after(async () => {
  await browser?.close();
  await server?.close();
  await closed?.close();
});
beforeEach(() => server.files.clear());

function serveCatalogue(libraries, more) {
  for (const { library, version, bytes, path, serve = bytes, how } of libraries)
    server.serve(`/${path ?? `${library}@${version}.sheaf`}`, serve, how);
  server.serve('/catalogue.json', catalogueOf(libraries, more));
}

async function removeAll() {
  const { libraries, downloads, catalogues } = await ask(page, 'state');
  for (const { id } of downloads) await ask(page, 'cancel', id);
  for (const { id } of libraries) await ask(page, 'remove', id);
  for (const { address } of catalogues) await ask(page, 'removeCatalogue', address);
}

async function offers(libraries) {
  serveCatalogue(libraries);
  return (await ask(page, 'addCatalogue', `${server.origin}/`, true)).offers;
}

/** Rows of the list that the component shows. */
const rows = (view) => view.locator('sheaf-search a[data-entry]');

describe('a newcomer', () => {
  it('A newcomer reads a catalogue, installs, and reads a page without another request', async () => {
    serveCatalogue([{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14, title: 'Kiln' }]);
    await page.locator('#address').fill(server.origin);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Take it without a signature' }).click();
    const card = page.locator('.catalogue .card');
    await card.waitFor();
    assert.match(await card.innerText(), /Kiln\s+1\.4\.0[^]*About kiln\.[^]*kB[^]*MIT/);
    assert.match(await page.locator('#more + p').innerText(), /used, .* free/);
    await card.getByRole('button', { name: 'Install Kiln 1.4.0' }).click();
    await card.getByText('Installed').waitFor();

    server.requests.length = 0;
    server.files.clear();
    const popup = await browser.open('popup.html');
    await popup.locator('sheaf-search input').pressSequentially('fire a batch');
    await rows(popup).first().waitFor();
    const opened = browser.context.waitForEvent('page');
    await popup.keyboard.press('ArrowDown');
    await popup.keyboard.press('ArrowUp');
    await popup.keyboard.press('Enter').catch(() => {}); // it closes itself, perhaps before the key is up
    const reader = await opened;
    await reader.locator('article h1').waitFor();
    assert.match(reader.url(), /\/reader\.html\?l=kiln%401\.4\.0&p=\d+/);
    assert.deepEqual(server.requests, []);
    await reader.close();
    assert.deepEqual(browser.problems, []);
  });

  it('The extension takes a signed catalogue, and refuses it in words once changed', async () => {
    await removeAll();
    const folder = join(root, 'signed');
    mkdirSync(folder);
    const libraries = [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 }];
    const files = await serveSigned(server, libraries, { key: generateKey(), folder });
    await page.reload();
    await page.locator('#address').fill(server.origin);
    await page.keyboard.press('Enter');
    const card = page.locator('.catalogue .card');
    await card.getByRole('button', { name: 'Install kiln 1.4.0' }).click();
    await card.getByText('Installed').waitFor();
    server.serve('/catalogue.json', files.get('/catalogue.json').toString().replace('Signed', 'Sighed'));
    await page.getByRole('button', { name: 'Look for updates' }).click();
    await page.getByText('The catalogue is not the one that was trusted').waitFor();
    server.files.delete('/catalogue.json.minisig');
    await page
      .locator('.catalogue')
      .getByRole('button', { name: /Forget/ })
      .click();
    await page.locator('#address').fill(server.origin);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Take it without a signature' }).click();
    await page.locator('.catalogue h3', { hasText: 'Sighed' }).waitFor();
    await removeAll();
  });

  it('The extension offers a newcomer the first three libraries of its catalogue', async () => {
    const empty = await startChromium({ catalogue: `${server.origin}/catalogue.json` });
    try {
      const libraries = ['a', 'b', 'c', 'd'].map((library) => ({ library, version: '1', bytes: bundles.kiln14 }));
      const folder = join(root, 'first');
      mkdirSync(folder);
      await serveSigned(server, libraries, { key: generateKey(), folder });
      const popup = await empty.open('popup.html');
      await popup.getByRole('button', { name: 'Show three' }).click();
      await popup.locator('.empty .card').nth(2).waitFor();
      assert.equal(await popup.locator('.empty .card').count(), 3);
    } finally {
      await empty.close();
    }
  });
});

describe("a newcomer with Sheaf's own manual", () => {
  it('A newcomer without a catalogue searches the manual, keeps a page, and finds it again', async () => {
    const fresh = await startChromium();
    try {
      const view = await fresh.open('search.html');
      await view.getByRole('button', { name: /own manual/ }).click();
      await view.locator('.chip').waitFor();
      await view.locator('.chip').click();
      await view.getByRole('link', { name: 'All pages of Sheaf' }).click();
      await view.locator('.contents li a').first().waitFor();
      const page = view.locator('.contents').getByRole('link', { name: 'The browser extension', exact: true }).first();
      await page.click();
      await view.locator('article h1').getByText('The browser extension').waitFor();
      await view.getByRole('button', { name: 'Keep' }).click();
      await view.locator('#keep[aria-pressed=true]').waitFor();
      await view.locator('#library').click();
      await view
        .locator('.contents h1')
        .getByText(/^Sheaf \d/)
        .waitFor();
      const popup = await fresh.open('popup.html');
      const section = (title) => popup.locator('section').filter({ has: popup.getByRole('heading', { name: title }) });
      await section('Kept pages').locator('li').waitFor();
      assert.match(await section('Read recently').innerText(), /The browser extension\s+Sheaf/);
      await section('Read recently').getByRole('button').click();
      await section('Read recently').waitFor({ state: 'detached' });
      assert.equal(await section('Kept pages').locator('li').count(), 1);
      await view.goto(fresh.address('search.html'));
      await view.getByRole('link', { name: /The browser extension/ }).click();
      await view.locator('article h1').getByText('The browser extension').waitFor();
      assert.deepEqual(fresh.problems, []);
    } finally {
      await fresh.close();
    }
  });
});

const CORPORA = fileURLToPath(new URL('../../../shared/corpora/', import.meta.url));
const noCorpora = !existsSync(CORPORA) && 'the documentation of Vue and the Rust book is not in ../shared/corpora';

describe('with two libraries of real documentation', { skip: noCorpora }, () => {
  it("A question with few common words finds Vue's watchers page beside another library", async () => {
    const two = await startChromium();
    try {
      const view = await two.open('library.html');
      for (const [library, version] of [
        ['vue', '3.5'],
        ['rust-book', '1.91'],
      ]) {
        const bytes = await pack(library, version, { docs: join(CORPORA, library) });
        await view.locator('input[type=file]').setInputFiles({ name: `${library}.sheaf`, mimeType: '', buffer: bytes });
        await until(view, ({ libraries }) => libraries.some((each) => each.library === library));
      }
      await view.close();
      const popup = await two.open('popup.html');
      await popup.locator('sheaf-search input').pressSequentially('run code when a value changes');
      await popup.waitForFunction(() => {
        const rows = [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('[part=page-title]')];
        return rows.some((row) => row.textContent === 'Watchers');
      });
    } finally {
      await two.close();
    }
  });
});

describe('searching', () => {
  before(async () => {
    await removeAll();
    for (const offer of await offers([
      { library: 'kiln', version: '1.5.0', bytes: bundles.kiln15, title: 'Kiln' },
      { library: 'kiln', version: '1.4.0', bytes: bundles.kiln14, title: 'Kiln' },
      { library: 'many', version: '1.0', bytes: bundles.many },
    ]))
      await ask(page, 'install', offer, null);
    await until(page, ({ libraries }) => libraries.length === 3);
    await ask(page, 'setGroup', 'k', ['kiln']);
  });

  const suggest = (text) =>
    browser.worker.evaluate((typed) => new Promise((resolve) => chrome.omnibox.onInputChanged.dispatch(typed, resolve)), text);

  it('The address bar answers, also from a group, and opens the chosen hit', async () => {
    const suggestions = await suggest('k: batches');
    assert.ok(suggestions.length > 0);
    for (const { content } of suggestions) {
      assert.ok(content.startsWith(browser.address('reader.html?l=kiln%401.5.0')), content);
    }
    assert.ok(suggestions.some(({ description }) => /<match>/.test(description)));
    const opened = browser.context.waitForEvent('page');
    await browser.worker.evaluate((content) => chrome.omnibox.onInputEntered.dispatch(content, 'newForegroundTab'), suggestions[0].content);
    const reader = await opened;
    await reader.locator('article h1').waitFor();
    await reader.close();
    const all = browser.context.waitForEvent('page');
    await browser.worker.evaluate(() => chrome.omnibox.onInputEntered.dispatch('batches', 'newForegroundTab'));
    const results = await all;
    await rows(results).first().waitFor();
    assert.match(results.url(), /search\.html\?q=batches/);
    await results.close();
  });

  it('The address bar answers after the service worker was stopped', async () => {
    const stopper = await browser.context.newPage();
    const cdp = await browser.context.newCDPSession(stopper);
    await cdp.send('ServiceWorker.enable');
    await cdp.send('ServiceWorker.stopAllWorkers');
    await stopper.close();
    const panel = await browser.open('panel.html');
    await panel.locator('sheaf-search input').fill('batches');
    await rows(panel).first().waitFor();
    await panel.close();
    browser.worker = browser.context.serviceWorkers()[0] ?? browser.worker;
  });

  it('The side panel shows contents, follows links, copies, finds, and returns to hits', async () => {
    const panel = await browser.open('panel.html');
    await panel.setViewportSize({ width: 380, height: 700 });
    await panel.locator('sheaf-search input').fill('kiln: batches');
    await rows(panel).first().click();
    await panel.locator('article h1').waitFor();
    assert.match(panel.url(), /in=panel/);
    await panel.keyboard.press('Control+f');
    await panel.locator('#find input').fill('the');
    assert.match(await panel.locator('#find output').innerText(), /^1 of \d+$/);
    await panel.keyboard.press('Enter');
    assert.match(await panel.locator('#find output').innerText(), /^2 of \d+$/);
    await panel.keyboard.press('Escape');
    const original = await panel.locator('#original').getAttribute('href');
    assert.match(original, /^https:\/\/kiln\.example\/docs\//);
    await panel.locator('#back').click();
    await rows(panel).first().waitFor();
    assert.equal(await panel.locator('sheaf-search input').inputValue(), 'kiln: batches');
    await panel.close();
  });

  it('The extension copies code, and follows links between pages', async () => {
    const { hits } = await ask(page, 'search', 'kiln', { topK: 20 }, 'kiln');
    const reader = await browser.open('search.html');
    let copied = false;
    let followed = false;
    for (const { id, own } of hits) {
      await reader.goto(browser.address(`reader.html?${new URLSearchParams({ l: id, p: own })}`));
      await reader.locator('article h1').waitFor();
      if (!copied && (await reader.locator('.code button').count()) > 0) {
        await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
        await reader.locator('.code').first().hover();
        await reader.locator('.code button').first().click();
        await reader.getByText('Copied').waitFor();
        assert.equal(await reader.evaluate(() => navigator.clipboard.readText()), await reader.locator('.code code').first().textContent());
        copied = true;
      }
      const link = reader.locator('article a[href^="https://kiln.example/"]').first();
      if (!followed && (await link.count()) > 0) {
        const before = reader.url();
        await link.click();
        await reader.waitForFunction((url) => location.href !== url, before);
        assert.match(reader.url(), /reader\.html\?l=kiln/);
        followed = true;
      }
    }
    assert.ok(copied && followed, JSON.stringify({ copied, followed }));
    await reader.close();
  });

  it('The popup opens the side panel, and the menu sends it a selection', async () => {
    const popup = await browser.open('popup.html');
    await popup.getByRole('button', { name: 'Side panel' }).click();
    const contexts = () => page.evaluate(async () => (await chrome.runtime.getContexts({ contextTypes: ['SIDE_PANEL'] })).length);
    while ((await contexts()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const panel = await browser.open('panel.html');
    await browser.worker.evaluate(() => {
      chrome.contextMenus.onClicked.dispatch({ menuItemId: 'search-selection', selectionText: ' batches ' }, { windowId: 1 });
    });
    await panel.waitForFunction(() => document.querySelector('sheaf-search')?.query === 'batches');
    await panel.close();
  });

  it('The list of scopes narrows hits, and shows versions side by side with labels', async () => {
    const tab = await browser.open('search.html?q=batches');
    await rows(tab).first().waitFor();
    await tab.locator('.scope select').selectOption('kiln@*');
    await tab.waitForFunction(() => {
      const labels = [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('[part=label]')].map(
        (label) => label.textContent,
      );
      return labels.includes('1.4.0') && labels.includes('1.5.0');
    });
    await tab.close();
  });

  it('The extension serves two windows at once', async () => {
    const [one, two] = await Promise.all([browser.open('search.html'), browser.open('panel.html')]);
    await Promise.all([one.locator('sheaf-search input').fill('batches'), two.locator('sheaf-search input').fill('glaze')]);
    await Promise.all([rows(one).first().waitFor(), rows(two).first().waitFor()]);
    await ask(one, 'setGroup', 'two', ['many']);
    await two.waitForFunction(() => [...document.querySelectorAll('.scope option')].some(({ value }) => value === 'two'));
    await Promise.all([one.close(), two.close()]);
  });

  it('The extension keeps its memory under the stated cap', async () => {
    const { used, peak, cap } = await ask(page, 'memory');
    assert.ok(used > 0 && peak <= cap, JSON.stringify({ used, peak, cap }));
  });
});

describe('installing', () => {
  beforeEach(removeAll);

  it('The extension takes a dropped file, and says why it refuses another', async () => {
    const drop = (bytes, name) =>
      page.evaluate(
        ([text, file]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], file));
          document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
        },
        [bytes.toString('base64'), name],
      );
    await drop(bundles.kiln14, 'kiln.sheaf');
    await until(page, ({ libraries }) => libraries.length === 1);
    await drop(Buffer.from('MZ this is a program'.repeat(20)), '<b>evil</b>.sheaf');
    await page.locator('.trouble').waitFor();
    assert.match(await page.locator('.trouble').innerText(), /^<b>evil<\/b>\.sheaf: .*\n*.*This is no \.sheaf file/);
    const picker = page.locator('input[type=file]');
    const file = (name, buffer) => ({ name, mimeType: '', buffer });
    const cut = bundles.kiln15.subarray(0, 5000);
    await picker.setInputFiles([file('1.sheaf', bundles.kiln15), file('2.sheaf', cut), file('3.sheaf', bundles.many)]);
    await until(page, ({ libraries }) => libraries.length === 3);
    await page.locator('.said').getByText('Installed: kiln 1.5.0 and many 1.0').waitFor();
    assert.match(await page.locator('.trouble').innerText(), /^2\.sheaf: /);
  });

  it('The extension finds the index of the site being read, and installs it', async () => {
    const name = `site-${sha256(bundles.kiln14).slice(0, 12)}.sheaf`;
    closed.serve('/docs/', '<!doctype html><title>Kiln docs</title><script src="/docs/sheaf/sheaf.js" defer></script><p>Read me', {
      type: 'text/html',
    });
    closed.serve('/docs/sheaf/sheaf.js', '', { type: 'text/javascript' });
    closed.serve('/docs/sheaf/site.json', JSON.stringify({ base: '..', files: [name], sites: [{ src: name }] }), {
      type: 'application/json',
    });
    closed.serve(`/docs/sheaf/${name}`, bundles.kiln14);
    const site = await browser.context.newPage();
    await site.goto(`${closed.origin}/docs/`);
    const tab = await page.evaluate(async (url) => (await chrome.tabs.query({ url: `${url}*` }))[0].id, closed.origin + '/');
    closed.requests.length = 0;
    const popup = await browser.open(`popup.html?tab=${tab}`);
    await popup.getByText('This site has an offline index').waitFor();
    const asked = closed.requests.filter(({ path: file }) => file !== '/favicon.ico').map(({ path: file }) => file);
    assert.deepEqual(asked, [], 'nothing is asked for before the reader wants it');
    await popup.getByRole('button', { name: 'Show what it offers' }).click();
    await popup.getByText(/\d+ kB/).waitFor();
    await popup.getByRole('button', { name: /^Install/ }).click();
    const { libraries } = await until(page, (state) => state.libraries.length === 1);
    assert.deepEqual([libraries[0].origin.kind, libraries[0].base], ['site', `${closed.origin}/docs/`]);
    await popup.close();
    await site.close();
  });

  it('The extension names the host to allow where its server bars extensions', async () => {
    const other = await startServer({ cors: false });
    try {
      other.serve('/catalogue.json', catalogueOf([{ library: 'kiln', version: '1', bytes: bundles.kiln14 }]));
      await page.locator('#address').fill(other.origin);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `Allow access to ${new URL(other.origin).host}` }).waitFor();
    } finally {
      await other.close();
    }
  });

  it('The extension refuses a wrong hash, a newer format and a false size in words', async () => {
    const cases = [
      [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14, hash: sha256('x') }, /not the announced one/],
      [{ library: 'kiln', version: '1.4.0', bytes: bundles.newer }, /newer format/],
      [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14, size: 100 }, /larger than announced/],
      [{ library: 'many', version: '9', bytes: bundles.kiln14 }, /another library than the announced one/],
    ];
    for (const [library, words] of cases) {
      const [offer] = await offers([library]);
      await ask(page, 'install', offer, null);
      await page.locator('.download .trouble').waitFor();
      assert.match(await page.locator('.download .trouble').first().innerText(), words);
      await removeAll();
      await page.locator('.download').first().waitFor({ state: 'detached' });
    }
    assert.deepEqual((await ask(page, 'state')).libraries, []);
  });

  it('The extension shows progress, pauses, and resumes a cut download by a range', async () => {
    const [offer] = await offers([{ library: 'many', version: '1.0', bytes: bundles.many, how: { slow: 300 } }]);
    await ask(page, 'install', offer, null);
    await page.locator('#installed ~ .cards progress').first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).first().click();
    await page
      .getByText(/^Paused/)
      .first()
      .waitFor();
    const { downloads } = await ask(page, 'state');
    Object.assign(server.files.get('/many@1.0.sheaf'), { slow: undefined, cut: downloads[0].received + 10_000 });
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await page.getByText('The connection failed').first().waitFor();
    Object.assign(server.files.get('/many@1.0.sheaf'), { cut: undefined });
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await until(page, ({ libraries }) => libraries.length === 1);
    assert.match(server.requests.at(-1).range, /^bytes=\d+-$/);
  });

  it('The extension reports a full disk, and installs once there is room', async () => {
    const cdp = await browser.context.newCDPSession(page);
    const quota = (quotaSize) =>
      cdp.send('Storage.overrideQuotaForOrigin', {
        origin: new URL(page.url()).origin.replace('null', browser.address('').replace(/\/$/, '')),
        ...(quotaSize === undefined ? {} : { quotaSize }),
      });
    const [offer] = await offers([{ library: 'many', version: '1.0', bytes: bundles.many }]);
    await quota(1000);
    await assert.rejects(ask(page, 'install', offer, null), /QUOTA/);
    await quota(undefined);
    await ask(page, 'install', offer, null);
    await until(page, ({ libraries }) => libraries.length === 1);
  });

  it('The extension updates during a search, and the old version answers until then', async () => {
    const [newest, old] = await offers([
      { library: 'kiln', version: '1.5.0', bytes: bundles.kiln15 },
      { library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 },
    ]);
    await ask(page, 'install', old, null);
    await until(page, ({ libraries }) => libraries.length === 1);
    await ask(page, 'install', newest, 'kiln@1.4.0');
    for (let version = '1.4.0'; version !== '1.5.0'; ) {
      const { hits } = await ask(page, 'search', 'batches', { topK: 3 }, '');
      assert.ok(hits.length > 0);
      version = hits[0].id.split('@')[1];
    }
    assert.deepEqual(
      (await ask(page, 'state')).libraries.map(({ id }) => id),
      ['kiln@1.5.0'],
    );
  });
});

describe('the transformer', () => {
  it('The transformer is off by default, and reports a missing network', async () => {
    await removeAll();
    const [offer] = await offers([{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 }]);
    await ask(page, 'install', offer, null);
    const { transformer } = await until(page, ({ libraries }) => libraries.length === 1);
    assert.equal(transformer.status, 'off');
    await page.locator('#settings ~ label input').check();
    const state = await until(page, (each) => each.transformer.status === 'failed' || each.transformer.status === 'ready');
    if (state.transformer.status === 'failed') assert.match(state.transformer.error, /could not be fetched/);
    assert.equal((await ask(page, 'search', 'fire pots together', {}, '')).usedSemantic, true);
    await page.locator('#settings ~ label input').uncheck();
    await until(page, (each) => each.transformer.status === 'off');
  });

  it("The transformer has its runtime in the package, under the pages' policy", async () => {
    const { model } = buildTinyBert();
    const outputs = await page.evaluate(async (text) => {
      const runtime = await import(chrome.runtime.getURL('runtime/ort.wasm.min.mjs'));
      runtime.env.wasm.numThreads = 1;
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const session = await runtime.InferenceSession.create(bytes, { executionProviders: ['wasm'] });
      const tensor = (values) => new runtime.Tensor('int64', BigInt64Array.from(values.map(BigInt)), [1, values.length]);
      const feeds = { input_ids: tensor([2, 120, 3]), attention_mask: tensor([1, 1, 1]), token_type_ids: tensor([0, 0, 0]) };
      const result = await session.run(Object.fromEntries(session.inputNames.map((name) => [name, feeds[name]])));
      return result[session.outputNames[0]].dims;
    }, Buffer.from(model).toString('base64'));
    assert.deepEqual(outputs, [1, 3, 32]);
  });
});

describe('for everyone', () => {
  it('axe-core accepts every page of the extension', async () => {
    const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    for (const path of [
      'library.html',
      'popup.html',
      'panel.html',
      'search.html?q=batches',
      'reader.html?l=kiln%401.4.0&p=0',
      'reader.html?l=kiln%401.4.0',
    ]) {
      const view = await browser.open(path);
      await view.waitForTimeout(500);
      const cdp = await browser.context.newCDPSession(view);
      await cdp.send('Runtime.evaluate', { expression: axe });
      const found = await cdp.send('Runtime.evaluate', {
        expression: 'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes[0].html])))',
        awaitPromise: true,
      });
      assert.equal(found.result.value, '[]', path);
      await view.close();
    }
  });

  it('The extension speaks Arabic from right to left', async () => {
    const other = await startChromium({ locale: 'ar' });
    try {
      const view = await other.open('library.html');
      await view.locator('h1').waitFor();
      assert.deepEqual(
        await view.evaluate(() => [document.documentElement.lang, document.documentElement.dir, document.querySelector('h1').textContent]),
        ['ar', 'rtl', 'المكتبات'],
      );
    } finally {
      await other.close();
    }
  });
});

describe('what is hostile', () => {
  it('Hostile text stays text in list, address bar and reader', async () => {
    await removeAll();
    const [offer] = await offers([
      {
        library: 'evil',
        version: '6.6',
        bytes: bundles.evil,
        title: '<img src=x onerror="window.pwned=1">',
        description: '\u202e<script>window.pwned=1</script>',
      },
    ]);
    await page.locator('.catalogue .card').waitFor();
    await ask(page, 'install', offer, null);
    await until(page, ({ libraries }) => libraries.length === 1);
    const suggestions = await browser.worker.evaluate(
      () => new Promise((resolve) => chrome.omnibox.onInputChanged.dispatch('snare', resolve)),
    );
    for (const { description } of suggestions) assert.doesNotMatch(description.replace(/<\/?(match|dim|url)>/g, ''), /[<>]/);
    const tab = await browser.open('search.html?q=snare');
    await rows(tab).first().waitFor();
    await rows(tab).first().click();
    await tab.locator('article h1').waitFor();
    const found = await tab.evaluate(() => ({
      pwned: 'pwned' in window,
      elements: document.querySelectorAll('article :is(script, img, iframe)').length,
      links: [...document.querySelectorAll('article a')].map((link) => link.protocol),
      text: document.querySelector('article').textContent,
    }));
    assert.equal(found.pwned, false);
    assert.equal(found.elements, 0);
    assert.ok(
      found.links.every((protocol) => ['https:', 'http:', 'chrome-extension:'].includes(protocol)),
      String(found.links),
    );
    assert.match(found.text, /<img src=x onerror="window\.pwned=1">/); // in its code block
    await tab.close();
  });

  it('Invalid lists have no effect, and the address bar takes only its own addresses', async () => {
    for (const text of [
      '<html>',
      '{"sheaf":1,"libraries":[{"library":"../../x","versions":[{"version":"1","address":"javascript:1"}]}]}',
    ]) {
      server.serve('/catalogue.json', text);
      await assert.rejects(ask(page, 'addCatalogue', server.origin, true), /LIST/);
    }
    const opened = browser.context.waitForEvent('page');
    await browser.worker.evaluate(() => chrome.omnibox.onInputEntered.dispatch('javascript:alert(1)', 'newForegroundTab'));
    const tab = await opened;
    await tab.waitForURL(/search\.html\?q=javascript/);
    await tab.close();
  });

  it('The extension asks for no host permission, and no tabs or history', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../build/extension/chromium/manifest.json', import.meta.url), 'utf8'));
    assert.equal(manifest.host_permissions, undefined);
    assert.deepEqual(manifest.permissions, [
      'activeTab',
      'scripting',
      'contextMenus',
      'storage',
      'unlimitedStorage',
      'offscreen',
      'sidePanel',
    ]);
    assert.equal(manifest.content_scripts, undefined);
    assert.match(manifest.content_security_policy.extension_pages, /script-src 'self' 'wasm-unsafe-eval';/);
  });
});

describe('a restart', () => {
  it('A restart keeps installed libraries, continues a download, and repairs deleted files', async () => {
    await removeAll();
    const [kiln, many] = await offers([
      { library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 },
      { library: 'many', version: '1.0', bytes: bundles.many, how: { slow: 100 } },
    ]);
    await ask(page, 'install', kiln, null);
    await until(page, ({ libraries }) => libraries.length === 1);
    await ask(page, 'install', many, null);
    await until(page, ({ downloads }) => downloads[0]?.received > 30_000);
    await browser.close();
    server.files.get('/many@1.0.sheaf').slow = undefined;

    // Without a network: every request fails at a proxy that is not there.
    const offline = await startChromium({
      profile: browser.profile,
      args: ['--proxy-server=http://127.0.0.1:9', '--proxy-bypass-list=<-loopback>'],
    });
    browser = offline;
    const popup = await offline.open('popup.html');
    await popup.locator('sheaf-search input').pressSequentially('batches');
    await rows(popup).first().waitFor();
    const opened = offline.context.waitForEvent('page');
    await popup.keyboard.press('Enter').catch(() => {}); // it closes itself, perhaps before the key is up
    await (await opened).locator('article h1').waitFor();
    const view = await offline.open('library.html');
    const { downloads } = await until(view, ({ downloads: [many] }) => many.status === 'failed');
    assert.equal(downloads[0].error.code, 'NETWORK');
    assert.ok(downloads[0].received > 30_000);
    await ask(view, 'resume', downloads[0].id); // as if the browser ended while it ran
    await offline.close();

    browser = await startChromium({ profile: browser.profile });
    page = await browser.open('library.html');
    const [{ id }] = (await until(page, ({ downloads: [first] }) => first === undefined || first.status === 'failed' || true)).downloads;
    await ask(page, 'resume', id);
    await until(page, ({ libraries }) => libraries.length === 2);
    assert.match(server.requests.at(-1).range ?? '', /^bytes=\d+-$/);

    // As the browser does when it evicts: the files go, the extension's own settings stay.
    await page.evaluate(() => chrome.offscreen.closeDocument());
    await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry('libraries', { recursive: true }));
    const again = await browser.open('popup.html');
    await again.getByRole('alert').waitFor();
    await again.getByRole('button', { name: 'Load them again' }).click();
    await until(page, ({ libraries, downloads }) => downloads.length === 0 && libraries.every(({ missing }) => !missing));
    assert.ok((await ask(page, 'search', 'batches', {}, 'kiln')).usedSemantic);
  });
});
