/**
 * The search of a deployed site in Firefox and WebKit: a short set in `npm test`, where Chromium runs the other files of this
 * folder; with SHEAF_BROWSERS=all (`node scripts/browsers.mjs`) a long one, in Chromium too. Each browser is skipped, with the reason,
 * where it is not installed. Nothing here uses more of a browser than pages, keys and scripts: what WebDriver has everywhere.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { deploy } from '../../dist/node/site/deploy.js';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { writeTree } from '../fixtures/tree.mjs';
import { writeVersionedSite } from '../fixtures/versioned_site.mjs';
import { MAIN, manyPages, packFixture, TABLE, temporaryFolder } from '../node/packed.mjs';
import { launchChromiumBrowser } from './chromium.mjs';
import { launchFirefox, noFirefox } from './firefox.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';
import { launchWebKit, noWebKit } from './webkit.mjs';

const isLong = process.env.SHEAF_BROWSERS === 'all';
const BROWSERS = [
  ...(isLong ? [['Chromium', false, launchChromiumBrowser]] : []),
  ['Firefox', noFirefox, launchFirefox],
  ['WebKit', noWebKit, launchWebKit],
];
const isReady = BROWSERS.some(([, why]) => !why);
const root = temporaryFolder('browsers');
const site = join(root, 'site');
const built = join(root, 'built');
const versions = join(root, 'versions');
const CSP = `${STRICT_CSP}; require-trusted-types-for 'script'; trusted-types sheaf lit-html sheaf-offline`;
const QUERY = 'firing the kiln too fast';
const QUESTION = 'keep passwords out of files';

const page = ({ language = 'en', direction = 'ltr', head = '', box = '<sheaf-search></sheaf-search>' }) =>
  `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><title>Kiln</title><link rel="icon" href="data:,">${head}<script src="sheaf/sheaf.js" defer></script></head><body><h1>Kiln</h1>${box}</body></html>`;

/** Scripts that take away what older browsers lack, and stricter ones forbid. */
const WITHOUT = {
  webassembly: 'delete self.WebAssembly;',
  simd: 'WebAssembly.validate = () => false;',
  dialog: 'delete self.HTMLDialogElement;',
  worker: 'delete self.Worker;',
};

const html = (title, kind, body) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main data-sheaf-filter="kind:${kind}"><h1>${title}</h1>${body}</main></body></html>\n`;
const FILTERED = {
  'tools/oven.html': html('Oven', 'tool', '<p>The oven dries batches before they are fired.</p>'),
  'tools/tongs.html': html('Tongs', 'tool', '<p>Tongs lift batches out of the furnace.</p>'),
  'people/potter.html': html('Potter', 'person', '<p>The potter counts batches twice.</p>'),
  'long.html': html(
    'Long',
    'text',
    `${'<p>Filler of a long page.</p>'.repeat(300)}<h2 id="zaffre">Zaffre</h2><p>Zaffre is roasted cobalt ore.</p>`,
  ),
};

function build(folder, ...flags) {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', folder, '--inject', '--quiet', ...flags], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

before(async () => {
  if (!isReady) return;
  mkdirSync(site);
  const bundle = await packFixture(join(root, 'kiln.sheaf'), { docs: manyPages(join(root, 'docs'), 700), options: ['--level', '3'] });
  await deploy({ site, bundles: [{ file: bundle }], table: TABLE, pieces: 'beside' });
  writeFileSync(join(site, 'index.html'), page({}));
  writeFileSync(join(site, 'next.html'), page({}));
  writeFileSync(join(site, 'ar.html'), page({ language: 'ar', direction: 'rtl' }));
  for (const [name, script] of Object.entries(WITHOUT)) {
    writeFileSync(join(site, `without-${name}.js`), script);
    writeFileSync(join(site, `without-${name}.html`), page({ head: `<script src="without-${name}.js"></script>` }));
  }
  const own = '<sheaf-search><form action="/find"><input name="q"></form><i slot="empty">Nothing yet</i></sheaf-search>';
  const named = '<sheaf-search fallback="/all.html" placeholder="Suche"></sheaf-search>';
  writeFileSync(join(site, 'own.html'), page({ head: '<script src="without-webassembly.js"></script>', box: own + named }));
  writeFileSync(join(site, 'results.html'), page({ box: '<sheaf-search mode="page"></sheaf-search>' }));
  if (!isLong) return;
  writeTree(writeBuiltSite(built), FILTERED);
  build(built, '--file');
  build(writeVersionedSite(versions), '--version-dir', 'docs/*');
});

for (const [name, skip, launch] of BROWSERS) {
  describe(name, { skip }, () => {
    let browser;
    let host;
    let reader;
    before(async () => {
      browser = await launch();
    });
    after(() => browser?.close());
    beforeEach(async () => {
      host = await serveSite({ '/': `${site}/` }, { csp: CSP });
      reader = await browser.newReader();
    });
    afterEach(async () => {
      await reader?.close();
      await host?.close();
      host = undefined;
    });

    const serve = async (folder, settings = {}) => {
      await host?.close();
      host = await serveSite({ '/': `${folder}/` }, { csp: CSP, ...settings });
    };
    const visit = async (path = '/', address = host.origin + path) => {
      await reader.goto(address);
      await reader.evaluate(() => customElements.whenDefined('sheaf-search').then(() => true));
    };
    /** `check` runs in the page, and in the one behind it, until it returns something. */
    const until = async (check, ...args) => {
      let found;
      let error = '';
      for (const end = Date.now() + 20_000; Date.now() < end; await sleep(50)) {
        found = await reader.evaluate(check, ...args).catch((thrown) => void (error = String(thrown))); // the page may be leaving
        if (found) return found;
      }
      return assert.fail(`it did not happen within 20 s: ${check}; ${error}`);
    };
    const opened = () => until(() => document.querySelector('sheaf-search').shadowRoot.querySelector('dialog[open] input') !== null);

    /** Pages of the final list. The query is pasted: what is asked for half-typed words depends on how fast one types. */
    async function search(query, { isTyped = false } = {}) {
      await reader.press('/');
      await opened();
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
    const isSemantic = () => reader.evaluate(() => document.querySelector('sheaf-search').search.library.info.semantic);

    it(`${name}: the dialog opens by key and searches under a strict policy, by ranges`, async () => {
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

    it(`${name}: the next page requests no byte again`, async () => {
      await visit();
      const [first] = await search(QUERY); // further ones may differ once the whole bundle has come behind the first answer
      await sleep(1500); // what is kept is written half a second later
      host.requests.length = 0;
      // Not the same address: an automated WebKit holds storage in memory, and only while a page is there that uses it, be it one
      // to go back to.
      await visit('/next.html');
      assert.equal((await search(QUERY))[0], first);
      assert.deepEqual(asked(/\.sheaf$/), []);
    });

    it(`${name}: a host without ranges gives the same hits, in pieces`, async () => {
      await visit();
      const [first] = await search(QUERY);
      await reader.close();
      reader = await browser.newReader();
      host.settings.ranges = false;
      host.requests.length = 0;
      await visit();
      assert.equal((await search(QUERY))[0], first);
      const tried = asked(/\.sheaf$/).map(({ path }) => path);
      assert.deepEqual(tried, [...new Set(tried)], 'one try a file at most');
      assert.ok(asked(/\.pieces\//).length > 4);
    });

    it(`${name}: the dialog runs from right to left in such a language`, async () => {
      await visit('/ar.html');
      await search('kiln');
      const direction = () => {
        const dialog = document.querySelector('sheaf-search').shadowRoot.querySelector('dialog[open]');
        return getComputedStyle(dialog).direction;
      };
      assert.equal(await reader.evaluate(direction), 'rtl');
    });

    it(`${name}: the search reports a missing file`, async () => {
      await visit();
      host.settings.meddle = (path) => (path.endsWith('.sheaf') || path.includes('.pieces/') ? 404 : undefined);
      await assert.rejects(search(QUERY), /404|SheafError/);
    });

    it(`${name}: a page without WebAssembly shows a link and loads no search`, async () => {
      for (const what of ['webassembly', 'simd', 'dialog']) {
        await reader.goto(`${host.origin}/without-${what}.html`);
        const [text, href] = await until(() => {
          const link = document.querySelector('sheaf-search > a');
          return link && link.getBoundingClientRect().width > 0 && [link.textContent, link.href];
        });
        assert.deepEqual([text, href], ['Search', `${host.origin}/`], what);
      }
      assert.deepEqual(asked(/\/code-|\.sheaf$/), []);
      await reader.goto(`${host.origin}/own.html`);
      const shown = await until(() => {
        const [own, named] = document.querySelectorAll('sheaf-search');
        const link = named.querySelector('a');
        return (
          link && [
            own.querySelector('a') === null,
            own.querySelector('form').hidden,
            own.querySelector('i').hidden,
            link.textContent,
            link.pathname,
          ]
        );
      });
      assert.deepEqual(shown, [true, false, true, 'Suche', '/all.html'], 'what the owner wrote');
    });

    if (!isLong) return;

    it(`${name}: the search runs on the page's thread where workers are missing or forbidden`, async () => {
      await visit('/without-worker.html');
      const found = await search(QUERY);
      assert.ok(found.includes('guide/install.md'), found.join(' '));
      assert.deepEqual(asked(/client\/worker\.js$/), []);
      host.settings.csp = CSP.replace("worker-src 'self'", "worker-src 'none'");
      await visit();
      assert.deepEqual(await search(QUERY), found);
    });

    it(`${name}: the search runs in a worker, with script and core from the site`, async () => {
      await visit();
      await search(QUERY);
      assert.equal(asked(/client\/worker\.js$/).length, 1);
      assert.deepEqual(asked(/client\/open_here\.js$/), []);
    });

    it(`${name}: the search works where Trusted Types are enforced`, async () => {
      await visit();
      await search(QUERY);
      const forbidden = await reader.evaluate(() => {
        if (!('trustedTypes' in self)) return undefined;
        try {
          document.createElement('p').innerHTML = '<b>';
          return false;
        } catch {
          return true;
        }
      });
      assert.notEqual(forbidden, false, 'the policy is in force');
      console.log(`    ${name} ${browser.version}: Trusted Types ${forbidden ? 'enforced' : 'unknown to it'}`);
    });

    it(`${name}: results pages keep the question in the address`, async () => {
      await visit(`/results.html?q=${encodeURIComponent(QUERY)}`);
      const first = await until(() => {
        const { status, stage, groups } = document.querySelector('sheaf-search').state;
        return status === 'done' && stage === 'final' && groups[0]?.hits[0].source;
      });
      assert.ok(first);
      await reader.evaluate(() => {
        const input = document.querySelector('sheaf-search').shadowRoot.querySelector('input');
        input.value = 'kiln';
        input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
      });
      await until(() => new URL(location.href).searchParams.get('q') === 'kiln');
    });

    it(`${name}: Enter leads to the heading of the hit`, async () => {
      await serve(built);
      await visit('/guide/batches.html');
      assert.equal((await search('zaffre'))[0], 'long.html');
      await reader.press('Enter');
      const top = await until(() => {
        const heading = document.getElementById('zaffre');
        return (
          heading && scrollY > 0 && location.hash.startsWith('#zaffre') && { top: heading.getBoundingClientRect().top, high: innerHeight }
        );
      });
      assert.ok(top.top > -200 && top.top < top.high, JSON.stringify(top));
    });

    it(`${name}: filters narrow the hits and show counts`, async () => {
      await serve(built);
      await visit();
      const all = await search('batches');
      assert.ok(all.some((source) => source.startsWith('people/')) && all.some((source) => source.startsWith('tools/')), all.join(' '));
      const chips = await until(() => {
        const shown = [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('dialog[open] [part~=chip]')];
        const texts = shown.map((chip) => chip.textContent.trim().replace(/\s+/g, ' '));
        return texts.some((text) => /^tool/.test(text)) && texts;
      });
      assert.ok(
        chips.some((text) => /^tool \(2\)/.test(text)),
        chips.join(', '),
      );
      await reader.evaluate(() => {
        const shown = [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('dialog[open] [part~=chip]')];
        shown.find((chip) => /^\s*tool/.test(chip.textContent)).click();
      });
      const narrowed = await until(() => {
        const { status, groups } = document.querySelector('sheaf-search').state;
        const sources = groups.map(({ hits }) => hits[0].source);
        return status === 'done' && sources.every((source) => source.startsWith('tools/')) && sources;
      });
      assert.deepEqual([...narrowed].sort(), ['tools/oven.html', 'tools/tongs.html']);
    });

    it(`${name}: the search covers the page's version and switches to another`, async () => {
      await serve(versions);
      await visit('/docs/1.9/index.html');
      await search('batches');
      const links = (start, other) =>
        until(
          (mine, not) => {
            const shown = [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('a[data-entry]')];
            const paths = shown.map((link) => new URL(link.href).pathname);
            return paths.some((each) => each.startsWith(mine)) && !paths.some((each) => each.startsWith(not));
          },
          start,
          other,
        );
      await links('/docs/1.9/', '/docs/1.10/');
      await reader.evaluate(() => {
        const select = document.querySelector('sheaf-search').shadowRoot.querySelector('select');
        select.value = [...select.options].find(({ textContent }) => textContent.trim() === '1.10').value;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      });
      await links('/docs/1.10/', '/docs/1.9/');
    });

    it(`${name}: the site answers offline after one visit without a search`, async (test) => {
      const folder = join(root, `offline-${name}`);
      writeBuiltSite(folder);
      build(folder, '--offline');
      await serve(folder);
      await visit('/guide/batches.html');
      if (!(await reader.evaluate(() => 'serviceWorker' in navigator)))
        return test.skip(`${name}: the browser has no service workers here`);
      const wanted = [...JSON.parse(readFileSync(join(folder, 'sheaf/site.json'), 'utf8')).files, 'sheaf.js', 'site.json'].length;
      await until(async (count) => {
        const cache = await caches.open('sheaf /sheaf/');
        return (await cache.keys()).length === count && navigator.serviceWorker.controller !== null;
      }, wanted);
      await host.close(); // a host that is away, for whoever asks it
      host = undefined;
      assert.equal((await search('awaitable'))[0], 'guide/batches.html');
      await reader.press('Escape');
      await reader.press('Escape');
      assert.equal((await search(QUESTION))[0], 'guide/index.html');
      assert.equal(await isSemantic(), true);
    });

    it(`${name}: a search continues offline with the pieces that it has`, async () => {
      const folder = join(root, `offline-pieces-${name}`);
      cpSync(site, folder, { recursive: true });
      await deploy({ site: folder, bundles: [{ file: join(root, 'kiln.sheaf') }], table: TABLE, pieces: 'beside', offline: true });
      await serve(folder, { ranges: false });
      await visit();
      await search('kiln');
      await until(() => document.querySelector('sheaf-search').search.library.info.semantic);
      const begun = asked(/\.pieces\//).length;
      assert.ok(begun > 0);
      const { files, pieces } = JSON.parse(readFileSync(join(folder, 'sheaf/site.json'), 'utf8'));
      assert.equal(pieces.length, 2);
      await until(
        async (count) => {
          const cache = await caches.open('sheaf /sheaf/');
          return (await cache.keys()).length === count && navigator.serviceWorker.controller !== null;
        },
        files.length + pieces.length + 2,
      );
      await host.close();
      host = undefined;
      await reader.press('Escape');
      await reader.press('Escape');
      assert.ok((await search(QUERY)).includes('guide/install.md'));
      // Words whose rows of the table nobody has asked for.
      const ask = (query) =>
        document
          .querySelector('sheaf-search')
          .search.library.search(query)
          .then((answer) => answer.usedSemantic);
      assert.equal(await reader.evaluate(ask, QUESTION), true);
    });

    it(`${name}: pages opened as files are searched by words and meaning`, async () => {
      await visit('', pathToFileURL(join(built, 'guide/batches.html')).href);
      assert.equal((await search(QUESTION))[0], 'guide/index.html');
      assert.equal(await isSemantic(), true);
      await reader.press('Enter');
      await until(() => location.pathname.endsWith('/guide/index.html') && location.hash.startsWith('#secrets'));
    });

    it(`${name}: a page opened as a file names the missing file of its folder`, async () => {
      const folder = join(root, `incomplete-${name}`);
      cpSync(built, folder, { recursive: true });
      for (const each of readdirSync(join(folder, 'sheaf')).filter((entry) => /^site-.*\.pieces$/.test(entry)))
        if (existsSync(join(folder, 'sheaf', each, '0.js'))) rmSync(join(folder, 'sheaf', each, '0.js'));
      await visit('', pathToFileURL(join(folder, 'index.html')).href);
      await assert.rejects(search('batches'), /\.pieces\/0\.js could not be read/);
    });

    it(`${name}: damaged bytes are fetched again, and lasting damage is reported`, async () => {
      let isDamaged = true;
      host.settings.meddle = (path, bytes) =>
        isDamaged && /site-.*(\.sheaf|\.bin)$/.test(path) ? Buffer.from(bytes).fill(0x55, 64) : undefined;
      await visit();
      await assert.rejects(search(QUERY), /damaged/);
      isDamaged = false;
      await reader.close();
      reader = await browser.newReader();
      let times = 0;
      host.settings.meddle = (path, bytes) =>
        /site-[^/]*\.sheaf$/.test(path) && times++ === 0 ? Buffer.from(bytes).fill(0x55, 64) : undefined;
      await visit();
      const found = await search(QUERY);
      assert.ok(found.includes('guide/install.md'), found.join(' '));
    });

    it(`${name}: the search continues after a deploy that replaced the files`, async () => {
      const folder = join(root, `replaced-${name}`);
      cpSync(site, folder, { recursive: true });
      await serve(folder);
      await visit();
      rmSync(join(folder, 'sheaf'), { recursive: true });
      const bundle = await packFixture(join(root, `other-${name}.sheaf`), {
        docs: manyPages(join(root, `docs-${name}`), 650),
        options: ['--level', '3'],
      });
      await deploy({ site: folder, bundles: [{ file: bundle }], table: TABLE, pieces: 'beside' });
      // The page's code is of the deploy before; this host keeps it, as browsers do.
      const code = (where) => readdirSync(join(where, 'sheaf')).find((entry) => entry.startsWith('code-'));
      cpSync(join(site, 'sheaf', code(site)), join(folder, 'sheaf', code(site)), { recursive: true });
      const found = await search(QUERY);
      assert.ok(found.includes('guide/install.md'), found.join(' '));
      assert.ok(asked(/site-[^/]*\.sheaf$/).some(({ status }) => status === 404));
    });
  });
}
