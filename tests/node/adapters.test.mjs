/** The adapters without their generators: settings in, arguments out; routes, parts of a site, the development server. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { siteArguments } from '../../dist/node/adapters/after_build.js';
import { serveLastBuild } from '../../dist/node/adapters/dev_server.js';
import docusaurus, { builtSite as docusaurusSite, ownPages } from '../../dist/node/adapters/docusaurus.js';
import { versionAt } from '../../dist/node/adapters/docusaurus/versions.js';
import { ENTRY_PATH, isSamePage, keepTo, keepToLanguage, markWords, routeOf } from '../../dist/node/adapters/page.js';
import starlight, { builtSite as starlightSite, pageSettings } from '../../dist/node/adapters/starlight.js';
import { builtSite as vitepressSite, withSheaf } from '../../dist/node/adapters/vitepress.js';
import { baseOf } from '../../dist/node/site/base_url.js';
import { paletteOf } from '../../dist/node/site/themes.js';
import { ENTRY, FOLDER } from '../../dist/node/site/deploy.js';
import { dialects } from '../adapters/pages.mjs';
import { MAIN, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const kept = (filter, ...urls) => urls.filter((url) => filter({ url }));

describe('after a build', () => {
  it("The adapter names the library after the site, and passes on the owner's options", () => {
    const args = siteArguments(
      { dir: '/x/dist', baseUrl: '/docs/', title: ' Kiln: Guide & Co. ', urlStyle: 'clean' },
      { version: '2', exclude: ['blog/**'], keywords: true },
    );
    assert.deepEqual(args, [
      'site',
      '/x/dist',
      '--quiet',
      '--json',
      '--base-url',
      '/docs/',
      '--name',
      'kiln-guide-co',
      '--version',
      '2',
      '--url-style',
      'clean',
      '--exclude',
      'blog/**',
      '--keywords',
    ]);
    assert.ok(
      !siteArguments({ dir: 'd', baseUrl: '/', title: '文档' }).includes('--name'),
      'the command chooses where the title leaves nothing',
    );
  });

  it('The adapter uses flags that sheaf site knows', () => {
    const { stdout } = spawnSync(process.execPath, [MAIN, 'help', 'site'], { encoding: 'utf8' });
    const flags = siteArguments(
      { dir: 'd', baseUrl: '/', title: 't', urlStyle: 'clean' },
      { version: '1', language: 'none', include: ['a'], exclude: ['b'], keywords: true },
    );
    for (const flag of flags.filter((word) => word.startsWith('--'))) assert.ok(stdout.includes(flag), `${flag} is not in the help`);
  });

  it('The adapter knows the script by the name that sheaf site gives it', () => assert.equal(ENTRY_PATH, `${FOLDER}/${ENTRY}`));
});

describe('following a hit', () => {
  const here = 'https://kiln.example/docs/guide/';
  const route = (url, newTab = false) => routeOf({ url, newTab }, here, '/docs/');

  it("A followed hit asks the router for the page's anchor, without the text fragment", () => {
    assert.equal(route('https://kiln.example/docs/install#linux:~:text=tar%20%2Dxf'), '/docs/install#linux');
    assert.equal(route('https://kiln.example/docs/install#:~:text=tar'), '/docs/install');
    assert.equal(route('https://kiln.example/docs/?v=2#a'), '/docs/?v=2#a');
  });

  it('A followed hit leaves other tabs, sites and bases to the browser', () => {
    assert.equal(route('https://kiln.example/docs/install', true), undefined);
    assert.equal(route('https://elsewhere.example/docs/install'), undefined);
    assert.equal(route('https://kiln.example/blog/'), undefined);
    assert.equal(route(undefined), undefined);
  });
});

describe('marking words on a page that a router has brought', () => {
  it("Marking words follows the text fragment and keeps the router's history entry", (t) => {
    const calls = [];
    globalThis.history = { state: { key: 'a' }, replaceState: (...args) => calls.push(args) };
    globalThis.location = {
      replace: (to) => {
        calls.push(to);
        globalThis.history.state = null;
      },
    };
    t.after(() => {
      delete globalThis.history;
      delete globalThis.location;
    });
    markWords('https://kiln.example/docs/install#linux');
    assert.deepEqual(calls, [], 'there is nothing to mark');
    markWords('https://kiln.example/docs/install#linux:~:text=tar');
    assert.deepEqual(calls, ['#linux:~:text=tar', [{ key: 'a' }, '']]);
  });
});

describe('the page that a router shows', () => {
  it('The router shows the requested page, whichever way its address is written', () => {
    assert.ok(isSamePage('/guide/install.html', '/guide/install.html'), 'a site without clean addresses');
    assert.ok(isSamePage('/guide/install', '/guide/install.html'));
    assert.ok(isSamePage('/guide/', '/guide'));
    assert.ok(!isSamePage('/guide/install.html', '/guide/start.html'));
  });
});

describe('a part of a site', () => {
  it('A part of a site is found by the longest path that holds a page', () => {
    const parts = ['/docs/', '/docs/de/', '/docs/1.0/'];
    const urls = ['/docs/a', 'https://kiln.example/docs/de/a', '/docs/de', '/docs/1.0/a', '/blog/'];
    assert.deepEqual(kept(keepTo('/docs/', parts), ...urls), ['/docs/a', '/blog/']);
    assert.deepEqual(kept(keepTo('/docs/de/', parts), ...urls), ['https://kiln.example/docs/de/a', '/docs/de', '/blog/']);
    assert.equal(keepTo('/docs/', ['/docs/']), undefined, 'nothing to choose');
  });

  it('A language part lets hits of another chosen language pass', () => {
    const keeps = keepToLanguage('/docs/', ['/docs/', '/docs/de/', '/docs/gb/'], () => 'en-US');
    const hits = [['/docs/a'], ['/docs/a', 'en'], ['/docs/de/a'], ['/docs/de/a', 'de'], ['/docs/gb/a', 'en']];
    assert.deepEqual(
      hits.map(([url, lang]) => keeps({ url, lang })),
      [true, true, false, true, false],
    );
    assert.equal(
      keepToLanguage('/docs/', ['/docs/'], () => 'en'),
      undefined,
    );
  });

  it('A part of a site is the version being read, else the latest', () => {
    const docs = [
      {
        versions: [
          { path: '/m/next', isLast: false },
          { path: '/m', isLast: true },
        ],
      },
    ];
    assert.deepEqual(versionAt('/m/next/guide', docs), { part: '/m/next/', parts: ['/m/next/', '/m/'] });
    assert.equal(versionAt('/m/guide', docs).part, '/m/');
    assert.equal(versionAt('/elsewhere', docs).part, '/m/');
    assert.deepEqual(versionAt('/m', [...docs, ...docs]).parts, [], 'several sets of docs are several subjects');
  });
});

describe('VitePress', () => {
  it('VitePress gets a search box, loses its own search and keeps everything else', async () => {
    const config = withSheaf({
      title: 'Kiln',
      head: [['meta', {}]],
      themeConfig: { search: { provider: 'local' }, nav: [1] },
      locales: { de: { label: 'Deutsch', themeConfig: { search: {}, nav: [2] } } },
      vite: { plugins: ['own'], define: {} },
    });
    assert.deepEqual(config.themeConfig, { search: undefined, nav: [1] });
    assert.deepEqual(config.locales.de, { label: 'Deutsch', themeConfig: { search: undefined, nav: [2] } });
    assert.deepEqual([config.head[0], config.head[1][0]], [['meta', {}], 'style']);
    assert.equal(config.vite.plugins[0], 'own');
    const [{ find, replacement }] = config.vite.plugins[1].config().resolve.alias;
    assert.match('./VPNavBarSearch.vue', find);
    assert.ok(readFileSync(replacement, 'utf8').includes('sheaf-search'));
  });

  it("VitePress states its base, its site map's origin, and whether addresses are clean", () => {
    const site = { root: '/x', outDir: '/x/dist', cleanUrls: true, site: { base: '/docs/', title: 'Kiln' } };
    assert.deepEqual(vitepressSite(site), { dir: '/x/dist', baseUrl: '/docs/', title: 'Kiln', urlStyle: 'clean' });
    assert.equal(vitepressSite({ ...site, sitemap: { hostname: 'https://kiln.example/docs/' } }).baseUrl, 'https://kiln.example/docs/');
  });
});

describe('Docusaurus', () => {
  const context = {
    siteConfig: { title: 'Kiln', url: 'https://kiln.example/', trailingSlash: false },
    baseUrl: '/m/de/',
    outDir: '/x/build/de',
    i18n: { currentLocale: 'de', defaultLocale: 'en', locales: ['en', 'de'] },
  };

  it('Docusaurus packs each language by itself, by its own words', () => {
    assert.deepEqual(docusaurusSite(context), {
      dir: '/x/build/de',
      baseUrl: 'https://kiln.example/m/de/',
      title: 'Kiln',
      urlStyle: 'clean',
    });
    assert.equal(ownPages(context, {}).language, 'de');
    const english = ownPages({ i18n: { ...context.i18n, currentLocale: 'en' } }, { exclude: ['blog/**'], id: 'x' });
    assert.deepEqual(english.exclude, ['de/**', '**/tags/**', '**/page/[0-9]*/**', 'blog/**']);
    assert.equal(english.language, 'en');
  });

  it("Docusaurus gets the script below its language's base, and replaces the theme's search bar", () => {
    const plugin = docusaurus(context, {});
    assert.equal(plugin.injectHtmlTags().headTags[0].attributes.src, '/m/de/sheaf/sheaf.js');
    assert.ok(readFileSync(join(plugin.getThemePath(), 'SearchBar', 'index.js'), 'utf8').includes('sheaf-search'));
    assert.deepEqual(plugin.configureWebpack({}, true), {});
  });
});

describe('Starlight', () => {
  it('Starlight replaces the search component, keeps others and switches Pagefind off', () => {
    const updates = [];
    const integrations = [];
    starlight().hooks['config:setup']({
      config: { title: 'Kiln', components: { Footer: 'f' } },
      updateConfig: (value) => updates.push(value),
      addIntegration: (value) => integrations.push(value),
    });
    assert.equal(updates[0].pagefind, false);
    assert.equal(updates[0].components.Footer, 'f');
    assert.ok(readFileSync(updates[0].components.Search, 'utf8').includes('<sheaf-search'));
    assert.deepEqual(Object.keys(integrations[0].hooks), [
      'astro:config:setup',
      'astro:config:done',
      'astro:server:setup',
      'astro:build:done',
    ]);
  });

  it('Starlight joins site and base, with or without slashes', () => {
    assert.equal(starlightSite({ base: '/docs', site: 'https://kiln.example' }, 'd', 'Kiln').baseUrl, 'https://kiln.example/docs/');
    assert.equal(starlightSite({ base: '/', site: undefined }, 'd', 'Kiln').baseUrl, '/');
    const { palette, ...rest } = pageSettings({ base: '/docs' }, ['root', 'de']);
    assert.deepEqual(rest, { entry: '/docs/sheaf/sheaf.js', parts: ['/docs/', '/docs/de/'] });
    assert.match(palette, /^header sheaf-search\{--sheaf-text:var\(--sl-color-white\);.*\}$/);
  });

  it('Adapters take the colours of their theme from the table of --inject', () => {
    const ours = (text) => Object.fromEntries([...text.matchAll(/--sheaf-([\w-]+):([^;]+);/g)].map(([, name, value]) => [name, value]));
    const vitepress = withSheaf({}).head.at(-1)[2];
    const infima = docusaurus({ baseUrl: '/', outDir: root }, {}).injectHtmlTags().headTags[1].innerHTML;
    for (const [name, text] of Object.entries({
      VitePress: vitepress,
      Docusaurus: infima,
      Starlight: pageSettings({ base: '/' }, []).palette,
    })) {
      const { 'font-size': size, radius, ...colours } = ours(text);
      assert.deepEqual(colours, paletteOf(name), name);
    }
    assert.throws(() => paletteOf('Kiln'), /no palette of Kiln/);
  });
});

describe('the base of a site', () => {
  const page = (link) => `<!doctype html><head><title>T</title>${link}</head><body></body>`;

  it("A site's base comes from the start page's canonical address", () => {
    assert.equal(baseOf(page('<link rel="canonical" href="https://kiln.example/docs/index.html">')), 'https://kiln.example/docs/');
    assert.equal(baseOf(page("<LINK href='https://kiln.example/docs' rel='Canonical'/>")), 'https://kiln.example/docs/');
    assert.equal(baseOf(page('<link href=https://kiln.example/ rel=canonical>')), 'https://kiln.example/');
  });

  it("A site's base is unknown without one, and where it is only mentioned", () => {
    assert.equal(baseOf(page('<link rel="stylesheet" href="https://kiln.example/a.css">')), undefined);
    assert.equal(baseOf(page('<link rel="canonical" href="/docs/">')), undefined);
    assert.equal(
      baseOf(
        page('<!-- <link rel="canonical" href="https://kiln.example/"> --><script>"<link rel=canonical href=https://a.example/>"</script>'),
      ),
      undefined,
    );
    assert.equal(baseOf('<head></head><body><link rel="canonical" href="https://kiln.example/"></body>'), undefined);
    assert.equal(baseOf(page('<link rel="canonical" href="https://[">')), undefined);
  });
});

describe('the development server', () => {
  const dir = temporaryFolder('last-build');
  mkdirSync(join(dir, 'sheaf'));
  writeFileSync(join(dir, 'secret.txt'), 'secret');
  writeFileSync(join(dir, 'sheaf', 'site.sheaf'), '0123456789');
  let server;
  let origin;
  before(async () => {
    const middleware = serveLastBuild({ dir, base: '/docs/', build: 'kiln build' });
    server = createServer((request, response) => middleware(request, response, () => response.writeHead(418).end())).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${server.address().port}`;
  });
  after(() => server.close());

  it('The development server names the command for a missing index', async () => {
    const text = await (await fetch(`${origin}/docs/sheaf/sheaf.js?v=1`)).text();
    assert.match(text, /^console\.info\(.*kiln build/);
  });

  it('The development server serves the last index by range, with and without the base', async () => {
    const ask = (path, range) => fetch(origin + path, { headers: range ? { Range: range } : {} });
    const part = await ask('/docs/sheaf/site.sheaf', 'bytes=2-4');
    assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 2-4/10', '234']);
    assert.equal(await (await ask('/docs/sheaf/site.sheaf', 'bytes=8-99')).text(), '89');
    assert.equal((await ask('/docs/sheaf/site.sheaf', 'bytes=20-30')).status, 416);
    assert.equal(await (await ask('/sheaf/site.sheaf')).text(), '0123456789');
  });

  it('The development server closes the file of a reader who leaves midway', { skip: process.platform !== 'linux' }, async () => {
    const large = join(dir, 'sheaf', 'large.sheaf');
    writeFileSync(large, '');
    truncateSync(large, 64 * 2 ** 20); // more than waits between two ends of a connection
    const isOpen = () =>
      readdirSync('/proc/self/fd').some((number) => {
        try {
          return readlinkSync(`/proc/self/fd/${number}`) === large;
        } catch {
          return false; // closed meanwhile
        }
      });
    const [response] = await once(get(`${origin}/docs/sheaf/large.sheaf`), 'response');
    assert.ok(isOpen());
    response.destroy();
    await until(() => !isOpen(), 'the end of the file');
  });

  it('The development server sends known content only when it has changed', async () => {
    const first = await fetch(`${origin}/docs/sheaf/site.sheaf`);
    const headers = { 'If-None-Match': first.headers.get('etag') };
    assert.equal((await fetch(`${origin}/docs/sheaf/site.sheaf`, { headers })).status, 304);
    writeFileSync(join(dir, 'sheaf', 'site.sheaf'), '9876543210');
    assert.equal(await (await fetch(`${origin}/docs/sheaf/site.sheaf`, { headers })).text(), '9876543210');
  });

  it('The development server serves no other file', async () => {
    symlinkSync(dir, join(dir, 'sheaf', 'up'));
    writeFileSync(join(dir, 'sheaf', '.hidden'), 'x');
    for (const path of ['/docs/sheaf/up/secret.txt', '/docs/sheaf/.hidden']) assert.equal((await fetch(origin + path)).status, 404, path);
    for (const path of [
      '/docs/sheaf/..%2fsecret.txt',
      '/docs/sheaf/%2e%2e/secret.txt',
      '/docs/sheaf/%00',
      '/docs/sheaf/%zz',
      '/docs/sheaf/',
      '/docs/sheaf/none',
    ]) {
      assert.ok([404, 418].includes((await fetch(origin + path)).status), path);
    }
    assert.equal((await fetch(`${origin}/docs/guide`)).status, 418, 'left to the generator');
    assert.equal((await fetch(`${origin}/docs/sheaf/site.sheaf`, { method: 'POST' })).status, 418);
  });
});

describe('what is published', () => {
  it('The published package holds every file that the adapters name', () => {
    const { files, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const name of ['./vitepress', './docusaurus', './starlight']) assert.ok(readFileSync(join(root, exports[name].default)), name);
    for (const folder of ['web/node/adapters/starlight', 'web/node/adapters/python']) assert.ok(files.includes(folder), folder);
  });

  it('docs/adapters.md shows lines from the sample projects', () => {
    const page = readFileSync(join(root, 'docs', 'adapters.md'), 'utf8');
    const sample = (path) => readFileSync(join(root, 'tests', 'adapters', path), 'utf8');
    for (const [path, line] of [
      ['vitepress/.vitepress/config.js', "import { withSheaf } from 'sheaf/vitepress';"],
      ['docusaurus/docusaurus.config.js', "plugins: ['sheaf/docusaurus']"],
      ['starlight/astro.config.mjs', "import sheaf from 'sheaf/starlight';"],
      ['starlight/astro.config.mjs', 'plugins: [sheaf()]'],
      ['mkdocs/mkdocs.yml', 'plugins: []'],
      ['sphinx/conf.py', '"sheaf_docs"'],
      ['wheel/mkdocs/mkdocs.yml', 'plugins: [sheaf]'],
      ['wheel/sphinx/conf.py', '"sheaf.sphinx"'],
    ]) {
      assert.ok(sample(path).includes(line), `${path}: ${line}`);
      assert.ok(page.includes(line), `docs/adapters.md: ${line}`);
    }
  });

  it("Published callouts have each generator's own form", () => {
    const text = ':::caution[Hot]\nMind the *lid*.\n:::\n';
    assert.equal(dialects.vitepress(text), '::: warning Hot\nMind the *lid*.\n:::\n');
    assert.equal(dialects.mkdocs(text), '!!! warning "Hot"\n\n    Mind the *lid*.\n\n');
  });
});
