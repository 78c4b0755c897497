/**
 * Each adapter on a real project: built by its generator, served by a plain static host, searched in Chromium.
 *
 *   node --test tests/adapters/adapters.test.mjs                                  all of them (minutes; npm packages, Debian's mkdocs and sphinx)
 *   SHEAF_ADAPTERS=vitepress,plain node --test tests/adapters/adapters.test.mjs   some
 *   SHEAF_SCREENSHOTS=DIR node --test tests/adapters/adapters.test.mjs            and pictures of each, light and dark
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { launchChromium } from '../browser/chromium.mjs';
import { pages } from './pages.mjs';
import { projects } from './projects.mjs';
import { fileFor, serveStatic } from './static_server.mjs';

const wanted = process.env.SHEAF_ADAPTERS?.split(',') ?? Object.keys(projects);
const pictures = process.env.SHEAF_SCREENSHOTS;
if (pictures) mkdirSync(pictures, { recursive: true });

// Words that generators put around the text; the sample pages hold none of them.
const FURNITURE = [
  /edit this page/i,
  /on this page/i,
  /skip to/i,
  /permalink/i,
  /previous/i,
  /\bnext\b(?! to)/i,
  /is invented/i,
  /¶/,
  /copy code|copy to clipboard/i,
  /powered by|built with/i,
  /last updated/i,
  /section titled/i,
  /Handmade with care/,
  /noch nicht in deiner Sprache/,
  /unreleased/i,
  /&#|\u200b/,
];
// Themes whose colours we hand over, and those whose narrow bar has room for an icon alone.
const ICONS = ['vitepress', 'docusaurus', 'starlight'];
const COLOURED = [...ICONS, 'mkdocs-material', 'mkdocs-readthedocs', 'mkdocs-mkdocs', 'sphinx-furo', 'sphinx-sphinx_rtd_theme'];
const ROUTED = ['vitepress', 'docusaurus'];
// Themes that load scripts from elsewhere, or miss some in Debian's package: only our own errors count.
const NOISY = ['mkdocs-readthedocs', 'mkdocs-mkdocs', 'wheel-mkdocs'];

let browser;
before(async () => {
  browser = await launchChromium();
});
after(() => browser?.close());

/** Every page of the bundle that `sheaf site` made, with its passages. */
async function packed(dir) {
  const bundle = readdirSync(join(dir, 'sheaf')).find((name) => /^site-(en-)?[0-9a-f]{12}\.sheaf$/.test(name)); // not the German one
  const library = await open(join(dir, 'sheaf', bundle));
  const all = [];
  for (let id = 0; id < library.info.pages; id++) all.push({ ...(await library.page(id)), passages: [] });
  for (let id = 0; id < library.info.passages; id++) {
    const passage = await library.passage(id);
    all[passage.page].passages.push(passage);
  }
  await library.close();
  return all;
}

const words = (markdown) =>
  markdown
    .replace(/[’]/g, "'")
    .replace(/[`*]|\{#.*?\}|\]\([^)]*\)|[[\]|]|^#+ /gm, ' ')
    .split(/\s+/)
    .filter((word) => /\w/.test(word));

const bare = (word) => word.replace(/[:.,]$/, '');

/** Opens the search by its key, types, and gives the hits' addresses when the list is final. */
async function searchFor(page, query) {
  await page.waitForFunction(() => customElements.get('sheaf-search') !== undefined, undefined, { timeout: 20_000 });
  await page.evaluate(() => {
    globalThis.answered = new Promise((resolve) =>
      addEventListener('sheaf-search', (event) => {
        if (event.detail.stage === 'final') resolve(event.detail.query);
      }),
    );
  });
  await page.keyboard.press('Control+k');
  await page.locator('sheaf-search input').first().fill(query);
  await page.evaluate(() => globalThis.answered);
  return linksOf(page);
}

const linksOf = (page) =>
  page.evaluate(() => [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('a[data-entry]')].map((link) => link.href));

for (const name of wanted) {
  const { build, missing } = projects[name] ?? assert.fail(`SHEAF_ADAPTERS names ${name}; there are ${Object.keys(projects).join(', ')}`);
  const isPlain = name === 'plain';

  describe(name, { skip: missing || false }, () => {
    let site;
    let bundle;
    let host;
    before(async () => {
      site = await build();
      bundle = await packed(site.dir);
      host = await serveStatic(site.dir, site.base);
    });
    after(() => host?.close());

    async function visit(path, colorScheme = 'light') {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
      const problems = [];
      const counts = (where) => !NOISY.includes(name) || where.includes('/sheaf/');
      page.on('pageerror', (error) => {
        if (counts(error.stack ?? '')) problems.push(String(error));
      });
      page.on('console', (message) => {
        if (message.type() === 'error' && counts(message.location().url) && !/favicon/.test(message.location().url))
          problems.push(message.text());
      });
      await page.goto(host.origin + site.base + path, { waitUntil: 'networkidle' });
      return { page, problems };
    }
    const pathOf = (url) => new URL(url, host.origin).pathname;

    it(`${name}: the index takes the authors' text alone`, () => {
      for (const { url, text } of bundle) {
        for (const pattern of FURNITURE) assert.doesNotMatch(text, pattern, url);
      }
      if (isPlain) return;
      const english = pages().filter(({ path }) => !path.startsWith('de/'));
      for (const { path, text } of english) {
        const title = /^# (.*)/.exec(text)[1];
        const found = bundle.find((page) => page.title.startsWith(title) && !/\/(de|next)\//.test(page.url));
        assert.ok(found, `${path} is missing`);
        const has = new Set(words(found.text).map((word) => bare(word)));
        // Fences name languages, callouts kinds: syntax, not text.
        const lost = words(text.replace(/^(```|:::)\w*/gm, '')).filter((word) => !has.has(bare(word)));
        assert.deepEqual(lost, [], `words of ${path} are missing`);
      }
      const code = bundle.find(({ title }) => title === 'Make a first mark').text;
      assert.match(
        code,
        /^import \{ mark \} from 'tidemark';\n\n\/\/ Copies what changed, and nothing else\.\nconst made = await mark\(/m,
        'code stands as written, without line numbers',
      );
    });

    it(`${name}: pages have their own titles, without the site's name`, () => {
      for (const { title, url } of bundle) assert.doesNotMatch(title, /[|—-] (Tidemark|Handmade)/, url);
    });

    it(`${name}: pages have addresses that the host serves, and passages have existing anchors`, () => {
      for (const { url, passages } of bundle) {
        const file = fileFor(site.dir, site.base, pathOf(url));
        assert.ok(file, `${url} is not served`);
        const html = readFileSync(file, 'utf8');
        for (const { anchor } of passages)
          assert.ok(anchor === '' || html.includes(`id="${anchor}"`) || html.includes(`name="${anchor}"`), `${url}#${anchor}`);
        assert.ok(isPlain || passages.slice(1).every(({ anchor }) => anchor !== ''), `${url}: passages without anchors`);
      }
    });

    it(`${name}: the keyboard searches the site, and Enter lands on the heading`, async () => {
      const { page, problems } = await visit('');
      await page.evaluate(() => {
        globalThis.sameDocument = true;
      });
      const links = await searchFor(page, 'checksum differs');
      assert.ok(
        links.every((link) => link.startsWith(host.origin + site.base)),
        links.join('\n'),
      );
      await page.keyboard.press('Enter');
      await page.waitForURL(/errors.*#checksum/, { timeout: 10_000 });
      const heading = isPlain ? 'a[name=checksum]' : new URL(page.url()).hash.replace(/:~:.*$/, '');
      await page.waitForFunction((selector) => {
        const box = document.querySelector(selector)?.getBoundingClientRect();
        return box !== undefined && box.top >= -2 && box.top < innerHeight;
      }, heading);
      assert.equal(
        await page.evaluate(() => globalThis.sameDocument === true),
        ROUTED.includes(name),
        'followed by the router, where there is one',
      );
      await page.goBack();
      await page.waitForURL(({ pathname }) => pathname === site.base); // with the query, whose list shows again
      await page.waitForFunction(() => document.querySelector('h1')?.textContent.startsWith('Tidemark'));
      assert.ok(
        host.requests.every(({ path }) => path.startsWith(site.base) || path === '/favicon.ico'),
        'nothing is asked of elsewhere',
      );
      assert.deepEqual(problems, []);
      await page.close();
    });

    it(`${name}: the search finds pages by meaning`, { skip: isPlain ? 'two pages hold too little' : false }, async () => {
      const { page } = await visit('');
      const links = await searchFor(page, 'get back a file I deleted by mistake');
      assert.match(pathOf(links[0]), /\/guide\/restore/);
      await page.close();
    });

    it(`${name}: the page has one search and no other`, async () => {
      for (const width of [1280, 390]) {
        const { page } = await visit('');
        await page.setViewportSize({ width, height: 800 });
        const seen = await page.evaluate(() => ({
          elements: document.querySelectorAll('sheaf-search').length,
          others: [
            ...document.querySelectorAll(
              '.DocSearch, #local-search, site-search, [data-md-component=search], #rtd-search-form, .sidebar-search-container',
            ),
          ].filter((other) => other.checkVisibility()).length,
          overflow: document.documentElement.scrollWidth - innerWidth,
        }));
        assert.deepEqual([seen.elements, seen.others], [1, 0]);
        assert.ok(seen.overflow <= 0, `the page is ${seen.overflow} pixels too wide at ${width}`);
        await page.close();
      }
    });

    it(`${name}: a phone gets a named button in the theme's font and accent`, async () => {
      const { page } = await visit('');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.waitForFunction(() => customElements.get('sheaf-search') !== undefined);
      const { size, font, around, accent } = await page.evaluate(() => {
        const element = document.querySelector('sheaf-search');
        const button = element.shadowRoot.querySelector('[part=button]');
        const probe = element.shadowRoot.appendChild(document.createElement('i'));
        probe.style.color = 'var(--_accent)';
        const { width, height } = button.getBoundingClientRect();
        return {
          size: [width, height], // none in the drawer of a theme
          font: getComputedStyle(button).fontFamily,
          around: getComputedStyle(element.parentElement).fontFamily,
          accent: getComputedStyle(probe).color,
        };
      });
      assert.equal(font, around);
      assert.equal(
        accent === 'rgb(5, 80, 174)',
        !COLOURED.includes(name),
        `${accent}: the component's own blue is for themes we do not know`,
      );
      if (ICONS.includes(name)) {
        assert.ok(Math.min(...size) >= 44, `${size} px`);
        assert.equal(await page.getByRole('button', { name: /^(Search|Suchen)$/ }).count(), 1);
      }
      await page.close();
    });

    it(`${name}: the search looks like the page around it, in light and in dark`, async () => {
      for (const scheme of ['light', 'dark']) {
        const { page } = await visit('', scheme);
        if (pictures) await page.screenshot({ path: join(pictures, `${name}-${scheme}-closed.png`) });
        await searchFor(page, 'disk is failing');
        await page.waitForTimeout(300); // animations end
        if (pictures) await page.screenshot({ path: join(pictures, `${name}-${scheme}.png`) });
        const [around, dialog] = await page.evaluate(() => {
          const light = (color) => {
            // of a computed colour, as drawn
            const context = document.createElement('canvas').getContext('2d');
            context.fillStyle = color;
            context.fillRect(0, 0, 1, 1);
            const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
            return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
          };
          const text = getComputedStyle(document.querySelector('main, [role=main], .body, body')).color;
          const root = document.querySelector('sheaf-search').shadowRoot;
          return [1 - light(text), light(getComputedStyle(root.querySelector('dialog')).backgroundColor)];
        });
        const hidden = await page.evaluate(() => {
          const list = document.querySelector('sheaf-search').shadowRoot.querySelector('.scroll');
          return list.scrollWidth - list.clientWidth;
        });
        assert.ok(hidden <= 0, `lines run ${hidden} pixels out of the dialog: what surrounds the element forbids breaks`);
        assert.equal(dialog > 0.5, around > 0.5, `page ${around}, dialog ${dialog}`);
        await page.close();
      }
    });
  });
}

describe('languages and versions', () => {
  const needs = (name) => ({ skip: wanted.includes(name) ? false : `SHEAF_ADAPTERS leaves ${name} out` });

  /** With `language`, those that are there once the reader has chosen it in the box. */
  async function links(name, path, query, language) {
    const { dir, base } = await projects[name].build();
    const host = await serveStatic(dir, base);
    const page = await browser.newPage();
    try {
      await page.goto(host.origin + base + path, { waitUntil: 'networkidle' });
      const found = await searchFor(page, query);
      if (language === undefined) return found.map((link) => new URL(link).pathname);
      await page.locator('sheaf-search select').selectOption(language);
      await page.waitForFunction(
        (before) => document.querySelector('sheaf-search').shadowRoot.querySelector('a[data-entry]')?.href !== before,
        found[0],
      );
      await page.waitForFunction(() => document.querySelector('sheaf-search').state.status === 'done');
      return (await linksOf(page)).map((link) => new URL(link).pathname);
    } finally {
      await page.close();
      await host.close();
    }
  }

  for (const [name, home] of [
    ['vitepress', '/docs/'],
    ['starlight', '/handbook/'],
  ]) {
    it(`${name}: the search keeps to the reader's language`, needs(name), async () => {
      const german = await links(name, 'de/', 'restore');
      assert.ok(german.length > 0 && german.every((path) => path.startsWith(`${home}de/`)), german.join('\n'));
      const english = await links(name, '', 'restore');
      assert.ok(english.length > 0 && english.every((path) => !path.startsWith(`${home}de/`)), english.join('\n'));
      const chosen = await links(name, '', 'restore', 'de');
      assert.ok(chosen.length > 0 && chosen.every((path) => path.startsWith(`${home}de/`)), chosen.join('\n'));
    });
  }

  it('Starlight: the index leaves out pages with pagefind: false', needs('starlight'), async () => {
    const { dir } = await projects.starlight.build();
    assert.ok(existsSync(join(dir, 'guide/unlisted/index.html')));
    assert.deepEqual(
      (await packed(dir)).filter(({ title }) => title === 'Unlisted'),
      [],
    );
  });

  it('Docusaurus: the search keeps to the version being read, per language', needs('docusaurus'), async () => {
    const latest = await links('docusaurus', '', 'shore busy');
    assert.ok(latest.length > 0 && latest.every((path) => !path.includes('/next')), latest.join('\n'));
    const next = await links('docusaurus', 'next', 'shore busy');
    assert.ok(next.length > 0 && next.every((path) => path.startsWith('/manual/next')), next.join('\n'));
    const german = await links('docusaurus', 'de/', 'restore');
    assert.ok(german.length > 0 && german.every((path) => path.startsWith('/manual/de/')), german.join('\n'));
  });
});
