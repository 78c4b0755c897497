/**
 * The search of a deployed site in Firefox and WebKit: the short set. Chromium runs the other files of this folder. Each engine
 * is skipped, with the reason, where it is not installed.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deploy } from '../../dist/site/deploy.js';
import { manyPages, packFixture, TABLE, temporaryFolder } from '../node/packed.mjs';
import { launchFirefox, noFirefox } from './firefox.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';
import { launchWebKit, noWebKit } from './webkit.mjs';

const root = temporaryFolder('engines');
const site = join(root, 'site');
const CSP = `${STRICT_CSP}; require-trusted-types-for 'script'; trusted-types sheaf lit-html`;
const QUERY = 'firing the kiln too fast';
const ready = !noFirefox || !noWebKit;

before(async () => {
  if (!ready) return;
  mkdirSync(site);
  const bundle = await packFixture(join(root, 'kiln.sheaf'), { docs: manyPages(join(root, 'docs'), 700), options: ['--level', '3'] });
  await deploy({ site, bundles: [{ file: bundle }], table: TABLE, pieces: 'beside' });
  const page = (language, direction) =>
    `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><title>Kiln</title><link rel="icon" href="data:,"><script src="sheaf/sheaf.js" defer></script></head><body><h1>Kiln</h1><sheaf-search></sheaf-search></body></html>`;
  writeFileSync(join(site, 'index.html'), page('en', 'ltr'));
  writeFileSync(join(site, 'ar.html'), page('ar', 'rtl'));
});

for (const [name, skip, launch] of [
  ['Firefox', noFirefox, launchFirefox],
  ['WebKit', noWebKit, launchWebKit],
]) {
  describe(name, { skip }, () => {
    let engine;
    let host;
    let reader;
    before(async () => {
      engine = await launch();
    });
    after(() => engine?.close());
    beforeEach(async () => {
      host = await serveSite({ '/': `${site}/` }, { csp: CSP });
      reader = await engine.newReader();
    });
    afterEach(async () => {
      await reader?.close();
      await host?.close();
    });

    const visit = async (path = '/') => {
      await reader.goto(host.origin + path);
      await reader.evaluate(() => customElements.whenDefined('sheaf-search').then(() => true));
    };

    /** Pages of the final list. The query is pasted: what is asked for half-typed words depends on how fast one types. */
    async function search(query, { isTyped = false } = {}) {
      await reader.press('/');
      await reader.evaluate(async () => {
        const { shadowRoot } = document.querySelector('sheaf-search');
        for (let i = 0; i < 200 && !shadowRoot.querySelector('dialog[open] input'); i++) await new Promise((go) => setTimeout(go, 50));
      });
      if (isTyped) await reader.type(query);
      return reader.evaluate(
        async (wanted, typed) => {
          const element = document.querySelector('sheaf-search');
          const input = element.shadowRoot.querySelector('dialog[open] input');
          if (!typed) {
            input.value = wanted;
            input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
          }
          for (let i = 0; i < 1000; i++) {
            const { status, stage, answered, error } = element.state;
            if (status === 'done' && stage === 'final' && answered === wanted) break;
            if (status === 'error') throw error;
            await new Promise((go) => setTimeout(go, 50));
          }
          await element.updateComplete;
          return element.state.groups.map(({ hits }) => hits[0].source);
        },
        query,
        isTyped,
      );
    }
    const asked = (pattern) => host.requests.filter(({ path }) => pattern.test(path));

    it('opens the dialog by key, and finds by words and meaning under a strict policy, by ranges', async () => {
      await visit();
      const pages = await search(QUERY, { isTyped: true });
      assert.ok(pages.length >= 3 && pages.includes('guide/install.md'), pages.join(' '));
      const links = await reader.evaluate(() => document.querySelector('sheaf-search').shadowRoot.querySelectorAll('a[data-entry]').length);
      assert.ok(links >= 3);
      assert.ok(asked(/\.sheaf$/).every(({ status }) => status === 206));
      assert.ok(asked(/minilm.*\.sheaf$/).length > 0, 'the table is read');
      assert.deepEqual(asked(/\.pieces\//), []);
      await reader.press('Escape'); // empties the field
      await reader.press('Escape');
      assert.equal(
        await reader.evaluate(() => document.querySelector('sheaf-search').shadowRoot.querySelector('dialog[open]') === null),
        true,
      );
    });

    // An automated WebKit keeps no entries of its Cache API from page to page, of any site.
    const forgets = name === 'WebKit' && 'a session under WebDriver forgets its storage with each page';
    it('asks for no byte again on the next page', { skip: forgets }, async () => {
      await visit();
      const [first] = await search(QUERY); // further ones may differ once the whole bundle has come behind the first answer
      await sleep(1500); // what is kept is written half a second later
      host.requests.length = 0;
      await visit();
      assert.equal((await search(QUERY))[0], first);
      assert.deepEqual(asked(/\.sheaf$/), []);
    });

    it('finds the same on a host without ranges, in pieces', async () => {
      await visit();
      const [first] = await search(QUERY);
      await reader.close();
      reader = await engine.newReader();
      host.settings.ranges = false;
      host.requests.length = 0;
      await visit();
      assert.equal((await search(QUERY))[0], first);
      assert.equal(asked(/\.sheaf$/).length, 2, 'one try a file');
      assert.ok(asked(/\.pieces\//).length > 4);
    });

    it('lays itself out from right to left in a language that is written so', async () => {
      await visit('/ar.html');
      await search('kiln');
      const direction = () => {
        const dialog = document.querySelector('sheaf-search').shadowRoot.querySelector('dialog[open]');
        return getComputedStyle(dialog).direction;
      };
      assert.equal(await reader.evaluate(direction), 'rtl');
    });

    it('says so when a file is missing', async () => {
      await visit();
      host.settings.meddle = (path) => (path.endsWith('.sheaf') || path.includes('.pieces/') ? 404 : undefined);
      await assert.rejects(search(QUERY), /404|SheafError/);
    });
  });
}
