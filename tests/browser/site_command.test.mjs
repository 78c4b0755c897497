/** A site with the search that `sheaf site --inject` gave it, on a static host, in Chromium. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { injected } from '../../dist/node/site/inject.js';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { ODD_PAGES } from '../fixtures/odd_pages.mjs';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';

const folder = writeBuiltSite(join(temporaryFolder('browser-site'), 'dist'));
let browser;
let host;
let page;
let problems;

before(async () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', folder, '--inject'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  browser = await launchChromium();
});
after(() => browser?.close());
afterEach(async () => {
  await page?.close();
  await host?.close();
});

async function visit(path, places) {
  host = await serveSite(places, { csp: `${STRICT_CSP}; img-src 'self'` });
  page = await browser.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/favicon/.test(message.location().url)) problems.push(message.text());
  });
  await page.goto(host.origin + path);
}

async function searchFor(query) {
  await page.waitForFunction(() => customElements.get('sheaf-search') !== undefined, undefined, { timeout: 60_000 });
  await page.keyboard.press('/');
  await page.locator('sheaf-search input').first().fill(query);
  // The final list: hits by words may come before the table was read, in another order.
  await page.waitForFunction(
    (text) => {
      const { state, shadowRoot } = document.querySelector('sheaf-search');
      return state.status === 'done' && state.answered === text && shadowRoot.querySelector('a[data-entry]') !== null;
    },
    query,
    { timeout: 60_000 },
  );
  return page.evaluate(() =>
    [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll('a[data-entry]')].map((link) => link.href),
  );
}

describe('a site with search', () => {
  for (const [where, prefix] of [
    ['at the root of its host', '/'],
    ['below a path', '/docs/v2/'],
  ]) {
    it(`A site with search finds its pages from any page, ${where}, under a strict policy`, async () => {
      await visit(`${prefix}guide/batches.html`, { [prefix]: `${folder}/` });
      const links = await searchFor('keep passwords out of files');
      assert.ok(links[0].startsWith(`${host.origin}${prefix}guide/#secrets`), links[0]);
      assert.deepEqual(problems, []);
      assert.ok(
        host.requests.every(({ path }) => path.startsWith(prefix) || path === '/favicon.ico'),
        'nothing is asked of elsewhere',
      );
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/guide\/#secrets/);
    });
  }

  it('A site with search marks the words of a followed hit in its section, until Escape', async () => {
    await visit('/index.html', { '/': `${folder}/` });
    const next = '<h2 id="next">Next</h2><p>An error is raised here, too.</p></main>';
    host.settings.meddle = (path, bytes) => (path.endsWith('batches.html') ? Buffer.from(`${bytes}`.replace('</main>', next)) : undefined);
    await searchFor('the first error is raised');
    await page.keyboard.press('Enter');
    await page.waitForURL(/batches\.html#waiting/);
    const marks = () => page.evaluate(() => [...(CSS.highlights.get('sheaf') ?? [])].map(String));
    await page.waitForFunction(() => CSS.highlights.get('sheaf') !== undefined);
    const words = await marks();
    assert.ok(
      words.some((word) => /^(error|raised)$/i.test(word)),
      `${words}`,
    );
    assert.equal(
      await page.evaluate(() => [...CSS.highlights.get('sheaf')].filter(({ startContainer: text }) => text.data.includes('here')).length),
      0,
      'the next section keeps its looks',
    );
    await page.keyboard.press('Escape');
    assert.deepEqual(await marks(), []);
    await page.reload();
    await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
    assert.deepEqual(await marks(), [], 'they belong to that one landing');
    assert.deepEqual(problems, []);
  });

  it('A site with --report tells its host what was asked and followed, unless the reader asks for privacy', async () => {
    const reporting = writeBuiltSite(join(temporaryFolder('browser-report'), 'dist'));
    const flags = ['--inject', '--report', '/search-log', '--report-words'];
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', reporting, ...flags], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const reports = () => host.requests.filter(({ path }) => path.startsWith('/search-log'));
    for (const isPrivate of [true, false]) {
      await visit('/index.html', { '/': `${reporting}/` });
      if (isPrivate) {
        await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true }));
        await page.reload();
      }
      await searchFor('keep passwords out of files');
      await Promise.all([page.waitForURL(/#secrets/), page.keyboard.press('Enter')]);
      await page.close();
      for (let tries = 0; tries < 100 && reports().length === 0 && !isPrivate; tries++) await new Promise((done) => setTimeout(done, 50));
      if (isPrivate) assert.deepEqual(reports(), []);
      else assert.match(decodeURIComponent(reports()[0].url), /sheaf=1&s=\d+\.1\.keep\+passwords\+out\+of\+files/);
      await host.close();
    }
  });

  it('A site with --ask offers answers in every box but one that says otherwise, below the site, and asks by the press alone', async () => {
    const asking = writeBuiltSite(join(temporaryFolder('browser-ask'), 'dist'));
    const site = (...flags) => spawnSync(process.execPath, [MAIN, 'site', asking, '--inject', ...flags], { encoding: 'utf8' });
    for (const wrong of ['', 'javascript:1', 'ftp://ask.example/'])
      assert.match(site('--ask', wrong).stderr, /--ask takes an address such as \/ask/);
    assert.match(site('--ask', 'https://:key@ask.example/').stderr, /without a password: every reader gets it/);
    const { status, stderr } = site('--ask', 'answers');
    assert.equal(status, 0, stderr);
    await visit('/docs/index.html', { '/docs/': `${asking}/` });
    const asked = [];
    host.settings.serve = (request, response) => {
      if (request.method !== 'POST') return false;
      asked.push(request.url);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end('data: {"choices":[{"delta":{"content":"From the environment [1]."}}]}\n\ndata: [DONE]\n\n');
      return true;
    };
    const rows = await searchFor('keep passwords out of files');
    await page.locator('sheaf-search [part=ask]').waitFor();
    assert.deepEqual(asked, []);
    await page.locator('sheaf-search [part=ask]').click();
    assert.equal(await page.locator('sheaf-search [part=citation]').getAttribute('href'), rows[0]);
    assert.deepEqual(asked, ['/docs/answers']);
    const given = await page.evaluate(() => {
      const off = document.createElement('sheaf-search');
      off.setAttribute('ask', '');
      document.body.append(off);
      return new Promise((resolve) => setTimeout(() => resolve([off.getAttribute('ask'), off.hasAttribute('base')])));
    });
    assert.deepEqual(given, ['', true]);
    assert.deepEqual(problems, []);
  });

  it('The rules of docs/site.md hold in the box and in what an agent gets', async () => {
    const [, rules] = /```yaml\n(synonyms:.*?)```/s.exec(readFileSync(new URL('../../docs/site.md', import.meta.url), 'utf8'));
    const [, asked] = /window\.sheaf\.search_docs\((\{.*?\})\)/.exec(readFileSync(new URL('../../docs/site.md', import.meta.url), 'utf8'));
    assert.equal(asked, "{ query: 'k8s' }");
    const own = writeBuiltSite(join(temporaryFolder('browser-newcomer'), 'public'));
    const put = (path, title, text) =>
      writeFileSync(
        join(own, path),
        `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main></html>`,
      );
    put('guide/install.html', 'Set up', 'Unpack the archive.');
    put('guide/clusters.html', 'Clusters', 'Kubernetes runs a kiln on many machines.');
    const run = () => spawnSync(process.execPath, [MAIN, 'site', own, '--inject', '--keywords'], { encoding: 'utf8' });
    const agent = (query) => page.evaluate((text) => window.sheaf.search_docs({ query: text }), query);
    for (const withRules of [false, true]) {
      if (withRules) writeFileSync(join(own, '../sheaf.search.yaml'), rules);
      const { status, stderr } = run();
      assert.equal(status, 0, stderr);
      await visit('/index.html', { '/': `${own}/` });
      const first = (await searchFor('how to install'))[0];
      const replies = JSON.stringify([await agent('k8s'), await agent('install')]);
      if (!withRules) {
        assert.doesNotMatch(first, /guide\/install/);
        assert.doesNotMatch(replies, /clusters\.html/);
        await page.close();
        await host.close();
        continue;
      }
      assert.match(first, /guide\/install\.html$/);
      assert.match((await searchFor('k8s'))[0], /guide\/clusters\.html/);
      assert.match(replies, /clusters\.html.*guide\/install\.html/s);
    }
    assert.deepEqual(problems, []);
  });

  it("A site's box says what the owner's rules say, and a page's own words count instead", async () => {
    const ruled = writeBuiltSite(join(temporaryFolder('browser-box'), 'dist'));
    writeFileSync(
      join(ruled, 'sheaf.search.yaml'),
      'box:\n  placeholder: Ask the <kiln> ↓\n  pages: 1\n  recent: 0\n  words: { noResults: "Nothing about {query}", noResultsHint: Ask us., keyOpen: opens }\n',
    );
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', ruled, '--inject', '--keywords'], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const seen = () =>
      page.evaluate(() => {
        const { shadowRoot: shown } = document.querySelector('sheaf-search');
        return { placeholder: shown.querySelector('input').placeholder, text: shown.querySelector('.panel, [part~=panel]').textContent };
      });
    await visit('/index.html', { '/': `${ruled}/` });
    assert.equal(new Set((await searchFor('batches')).map((link) => link.split('#')[0])).size, 1, 'one page');
    assert.match((await seen()).text, /opens/);
    assert.equal((await seen()).placeholder, 'Ask the <kiln> ↓');
    await page.locator('sheaf-search input').first().fill('zebras');
    await page.waitForFunction(() => document.querySelector('sheaf-search').shadowRoot.textContent.includes('Nothing about zebras'));
    assert.match((await seen()).text, /Ask us\./);
    const late = await page.evaluate(async () => {
      const [own, others] = [document.createElement('sheaf-search'), document.createElement('sheaf-search')];
      own.setAttribute('placeholder', 'Mine');
      own.options = { pages: 4 };
      own.strings = { keyOpen: 'mine' };
      others.setAttribute('src', '/other.sheaf');
      document.body.append(own, others);
      await new Promise((resolve) => setTimeout(resolve));
      return [own, others].map(({ placeholder, recent, options, strings }) => ({ placeholder, recent, options, strings }));
    });
    assert.deepEqual(late[0], {
      placeholder: 'Mine',
      recent: 0,
      options: { pages: 4 },
      strings: { noResults: 'Nothing about {query}', noResultsHint: 'Ask us.', keyOpen: 'mine' },
    });
    assert.deepEqual([late[1].recent, late[1].options, late[1].strings], [5, {}, {}], 'an element with a bundle of its own');
    assert.deepEqual(problems, []);
  });

  it('A site with search leaves out the 404 page and pages with noindex', async () => {
    await visit('/', { '/': `${folder}/` });
    const links = await searchFor('batches');
    assert.ok(links.length > 0);
    assert.ok(!links.some((link) => /404|draft/.test(link)), links.join('\n'));
  });

  it('A site with search requests ranges of bundle and table, not the whole table', async () => {
    await visit('/', { '/': `${folder}/` });
    await searchFor('awaitable');
    const sent = host.requests.filter(({ path }) => /minilm/.test(path)).reduce((sum, { sent: bytes }) => sum + bytes, 0);
    assert.ok(sent > 0 && sent < 1_000_000, `${sent} bytes of the table`);
  });
});

describe('a browser that cannot run the search', () => {
  const lacking = async (what, address) => {
    page = await browser.newPage();
    problems = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
    await page.addInitScript(what);
    await page.goto(address);
    const link = page.locator('sheaf-search > a');
    await link.waitFor({ state: 'visible' });
    return link.evaluate(({ href, textContent }) => [textContent, href]);
  };
  const WAYS = {
    'without WebAssembly': 'delete globalThis.WebAssembly',
    'without SIMD': 'WebAssembly.validate = () => false',
    'without <dialog>': 'delete globalThis.HTMLDialogElement',
    'of before 2021': 'delete Object.hasOwn',
  };
  for (const [name, script] of Object.entries(WAYS)) {
    it(`${name} gets a link to the start page, and no failure`, async () => {
      host = await serveSite({ '/docs/': `${folder}/` }, { csp: `${STRICT_CSP}; img-src 'self'` });
      assert.deepEqual(await lacking(script, `${host.origin}/docs/guide/batches.html`), ['Search', `${host.origin}/docs/`]);
      assert.deepEqual(
        problems.filter((text) => !/favicon|404/.test(text)),
        [],
      );
      assert.deepEqual(
        host.requests.filter(({ path }) => /code-|\.sheaf$/.test(path)),
        [],
      );
    });
  }

  it('A browser without search gets the --fallback page, also from a module and a file', async () => {
    const site = writeBuiltSite(join(temporaryFolder('browser-fallback'), 'dist'));
    const run = (address) =>
      spawnSync(process.execPath, [MAIN, 'site', site, '--inject', '--file', '--fallback', address], { encoding: 'utf8' });
    for (const address of ['javascript:alert(1)', 'ftp://x.example/']) {
      const { status, stderr } = run(address);
      assert.equal(status, 2, stderr);
      assert.match(stderr, /--fallback takes a page's address/);
    }
    const { status, stderr } = run('all/pages.html');
    assert.equal(status, 0, stderr);
    const file = join(site, 'guide/batches.html');
    const isOld = WAYS['without WebAssembly'];
    assert.deepEqual(await lacking(isOld, pathToFileURL(file).href), ['Search', pathToFileURL(join(site, 'all/pages.html')).href]);
    await page.close();
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/<script src="([^"]+)" defer data-sheaf-site>/, '<script type="module" src="$1">'),
    );
    host = await serveSite({ '/docs/': `${site}/` });
    assert.deepEqual(await lacking(isOld, `${host.origin}/docs/guide/batches.html`), ['Search', `${host.origin}/docs/all/pages.html`]);
  });

  it("A browser without workers searches on the page's thread", async () => {
    host = await serveSite({ '/': `${folder}/` }, { csp: `${STRICT_CSP}; img-src 'self'` });
    page = await browser.newPage();
    await page.addInitScript('delete globalThis.Worker');
    await page.goto(`${host.origin}/guide/batches.html`);
    const links = await searchFor('keep passwords out of files');
    assert.ok(links[0].startsWith(`${host.origin}/guide/#secrets`), links[0]);
  });
});

describe('pages with tags left out, as the browser reads them', () => {
  it('Pages with omitted tags gain script and button, and are otherwise unchanged', async () => {
    page = await browser.newPage();
    let body = '';
    await page.route('**/*', (route) =>
      route.request().url().endsWith('/s.js')
        ? route.fulfill({ contentType: 'text/javascript', body: 'window.hasRun = true' })
        : route.fulfill({ contentType: 'text/html', body }),
    );
    const read = async (html) => {
      body = html;
      await page.goto('http://kiln.test/');
      return page.evaluate(() => {
        const own = document.querySelectorAll('[data-sheaf-site]');
        const facts = {
          tags: [...own].map(({ localName }) => localName),
          hasRun: window.hasRun === true,
          inBody: document.querySelector('body sheaf-search') !== null,
        };
        for (const each of own) each.remove();
        return { ...facts, mode: document.compatMode, html: document.documentElement.outerHTML };
      });
    };
    for (const [what, marked] of Object.entries(ODD_PAGES)) {
      const plain = marked.replace(/§(script|button)?/g, '');
      const before = await read(plain);
      const after = await read(injected(plain, 's.js').html);
      assert.deepEqual(before.tags, [], what);
      assert.deepEqual(after.tags, plain.includes('</sheaf-search>') ? ['script'] : ['link', 'script', 'sheaf-search'], what);
      assert.ok(after.hasRun && after.inBody, what);
      assert.equal(after.mode, before.mode, what);
      assert.equal(after.html, before.html, what);
    }
  });

  it('Any of 20,000 pages of random tags and text gains only style sheet, script and button', async () => {
    // Without noscript, which is text only where scripts run, as they do not in a DOMParser.
    const pieces = [
      ...['<!doctype html>', '<html>', '<html lang=a>', '<head>', '</head>', '<body>', '<body class="x>y">', '</body>', '</html>'],
      ...[
        '<title>',
        '</title>',
        '<title>a<b></title>',
        '<Title/>x</tItLe >',
        '<meta a=1>',
        '<META/>',
        '<link href="</head>">',
        '<base target=x>',
      ],
      ...['<style>', '</style>', '<script>', '</script>', '<script src=a></script>', '<script><!--<script></script>--></script>'],
      ...['<!-- a -->', '<!-->', '<!-- <body> --!>', '<!--', '-->', '<?xml ?>', '<!x>', '</ >', '<', '<template>', '</template>'],
      ...[
        '<p>',
        '</p>',
        'text',
        ' ',
        '\n',
        '\u00a0',
        '<br>',
        '</br>',
        '</div>',
        `<div a = "x" b='>' c=d"e>`,
        '<header>',
        '<headx>',
        '<A B=C/>',
      ],
      ...['<textarea>', '</textarea>', '<iframe></iframe>', '<xmp><p></xmp>', '<noframes></noframes>', '<frameset>', '<input type=hidden>'],
      ...['<svg><title>x</title></svg>', '<table><tr><td>', '<select><option>', '<sheaf-search></sheaf-search>', '<basefont>', '<bgsound>'],
    ];
    let state = 1;
    const random = (below) => (state = (state * 48271) % 2147483647) % below; // Lehmer's generator
    const pairs = [];
    for (let i = 0; i < 20_000; i++) {
      let html = random(3) === 0 ? '' : '<!doctype html>';
      for (let length = 1 + random(12); length > 0; length--) html += pieces[random(pieces.length)];
      const done = injected(html, 's.js');
      if ('html' in done) pairs.push([html, done.html]);
    }
    assert.ok(pairs.length > 10_000, String(pairs.length));
    page = await browser.newPage();
    const wrong = await page.evaluate((all) => {
      const read = (html) => {
        const { documentElement } = new DOMParser().parseFromString(html, 'text/html');
        const own = documentElement.querySelectorAll('[data-sheaf-site]');
        for (const each of own) each.remove();
        return [documentElement.outerHTML, own.length > 0];
      };
      return all.filter(([before, after]) => read(before)[0] !== read(after)[0] || !read(after)[1]);
    }, pairs);
    assert.deepEqual(wrong.slice(0, 5), []);
  });
});
