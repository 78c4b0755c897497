/**
 * The extension in Debian's Firefox, over WebDriver BiDi: load, install, search, read, without a network. Skipped, with the
 * reason, where there is no firefox-esr.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { extensionFolder } from '../../scripts/extension.mjs';
import { packFixture, temporaryFolder } from '../node/packed.mjs';
import { generateKey } from '../../dist/node/catalogue/secret_key.js';
import { catalogueOf, serveSigned, startServer } from './library_server.mjs';

const PLACES = [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'];
const executablePath = PLACES.find((place) => place && existsSync(place));
const skip = executablePath === undefined && 'Firefox was not found; install the package firefox-esr, or name it in FIREFOX';
/** Firefox makes one up for each profile, unless this preference has it. */
const UUID = '5a4e7f10-9c1b-4d5e-8f6a-0b1c2d3e4f50';
const address = (path) => `moz-extension://${UUID}/${path}`;
const PATIENCE_MS = 60_000;

describe('Firefox', { skip }, () => {
  const root = temporaryFolder('extension-firefox');
  let server;
  let browser;
  let page;
  let bundle;

  before(async () => {
    server = await startServer();
    bundle = readFileSync(await packFixture(join(root, 'kiln.sheaf')));
    server.serve('/kiln@1.4.0.sheaf', bundle);
    server.serve('/catalogue.json', catalogueOf([{ library: 'kiln', version: '1.4.0', bytes: bundle, title: 'Kiln' }]));
    const folder = await extensionFolder('firefox');
    const { browser_specific_settings } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const { default: puppeteer } = await import('puppeteer-core');
    browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath,
      headless: true,
      args: ['--remote-allow-system-access'], // extension pages are none of the web
      protocolTimeout: PATIENCE_MS,
      extraPrefsFirefox: {
        'extensions.webextensions.uuids': JSON.stringify({ [browser_specific_settings.gecko.id]: UUID }),
        'extensions.webextOptionalPermissionPrompts': false,
        'remote.log.level': 'Warn',
      },
    });
    await browser.installExtension(folder);
    page = await open('library.html');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Puppeteer hears nothing of loads behind a change of process, so this asks the page itself. */
  async function open(path) {
    const tab = await browser.newPage();
    tab.setDefaultTimeout(PATIENCE_MS);
    tab.goto(address(path), { timeout: 1 }).catch(() => {});
    await arrived(tab, path);
    return tab;
  }

  async function arrived(tab, path) {
    for (const begun = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const found = await tab.evaluate(() => `${document.readyState} ${location.href}`).catch(() => '');
      if (found.startsWith('complete') && found.includes(path)) return found;
      assert.ok(Date.now() - begun < PATIENCE_MS, `${path} did not load: ${found}`);
    }
  }

  /** Asked again and again: an observer of the document sees nothing of a shadow tree. */
  const listed = (tab) =>
    tab.waitForFunction(() => document.querySelector('sheaf-search')?.shadowRoot?.querySelector('a[data-entry]'), { polling: 50 });
  const rows = 'sheaf-search >>> a[data-entry]';

  it('Firefox installs from a catalogue', async () => {
    await page.locator('#address').fill(server.origin);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.trouble');
    for (const button of await page.$$('.ways button')) {
      if ((await button.evaluate(({ textContent }) => textContent)) === 'Take it without a signature') await button.click();
    }
    await page.locator('.catalogue .card button').click();
    await page.waitForSelector('.catalogue .done');
    assert.match(await page.$eval('#installed', (heading) => heading.parentElement.innerText), /Kiln 1\.4\.0/);
  });

  it('Firefox searches and reads without another request', async () => {
    server.files.clear();
    server.requests.length = 0;
    const tab = await open('search.html?q=batches');
    await listed(tab);
    const hits = await tab.$$eval(rows, (links) => links.map((link) => link.textContent));
    assert.ok(hits.length > 0 && /batch/i.test(hits.join(' ')));
    await (await tab.$(rows)).click();
    await arrived(tab, 'reader.html?l=kiln');
    await tab.waitForSelector('article h1');
    assert.deepEqual(server.requests, []);
    await tab.close();
  });

  it('Firefox searches in sidebar and popup', async () => {
    for (const place of ['panel.html', 'popup.html']) {
      const tab = await open(place);
      await tab.locator('sheaf-search >>> input').fill('batches');
      await listed(tab);
      await tab.close();
    }
  });

  it("Firefox takes a file, which replaces a catalogue's library after consent", async () => {
    const tab = await open('library.html');
    await tab.evaluate(
      ([text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], 'kiln.sheaf'));
        document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      },
      [bundle.toString('base64')],
    );
    await tab.waitForSelector('.question');
    const question = await tab.$eval('.question', (element) => element.innerText);
    for (const part of ['kiln 1.4.0', `${server.origin}/catalogue.json`, 'from a file']) assert.ok(question.includes(part), question);
    await tab.locator('.question .danger').click();
    await tab.waitForFunction(() => !document.querySelector('.question') && document.body.innerText.includes('from a file'));
    await tab.close();
  });

  it('Firefox encodes queries by the table that came with it', async () => {
    const tab = await open('search.html');
    const used = await tab.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const port = chrome.runtime.connect({ name: 'sheaf-desk' });
          port.onMessage.addListener(
            (message) =>
              message.type === 'answer' && (message.error ? reject(new Error(message.error.message)) : resolve(message.value.usedSemantic)),
          );
          port.postMessage({ type: 'call', id: 1, name: 'search', args: ['fire pots together', {}, ''] });
        }),
    );
    assert.equal(used, true);
    await tab.close();
  });

  it('Firefox takes a signed catalogue, and refuses it in words once changed', async () => {
    const signed = await startServer();
    const tab = await open('library.html');
    try {
      const folder = join(root, 'signed');
      mkdirSync(folder);
      const files = await serveSigned(signed, [{ library: 'oven', version: '2.0', bytes: bundle }], { key: generateKey(), folder });
      await tab.locator('#address').fill(signed.origin);
      await tab.keyboard.press('Enter');
      await tab.waitForFunction(() => document.body.innerText.includes('Signed'));
      signed.serve('/catalogue.json', files.get('/catalogue.json').toString().replace('Signed', 'Sighed'));
      await tab.locator('::-p-xpath((//button[.="Look for updates"])[last()])').click();
      await tab.waitForFunction(() => document.body.innerText.includes('The catalogue is not the one that was trusted'));
      assert.ok(!(await tab.evaluate(() => document.body.innerText)).includes('Sighed'));
    } finally {
      await tab.close();
      await signed.close();
    }
  });
});
