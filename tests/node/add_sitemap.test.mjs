/** `sheaf add` of sites: sitemaps, robots.txt and HTML. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ALLOW_ALL, parseRobots } from '../../dist/node/sources/robots.js';
import { addressHtml, addressMarkdown, decodeBody, looksLikeApp, PageNames } from '../../dist/node/sources/sitemap_page.js';
import { parseSitemap } from '../../dist/node/sources/sitemap_xml.js';
import { choosePages } from '../../dist/node/sources/sitemap.js';
import { html, isolatedSheaf, serve, urlset } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('add-sitemap');
const sheaf = isolatedSheaf(folder);
let site;

before(async () => {
  await sheaf(['config', 'set', 'extraction.timeout_seconds', '60']); // only what is meant to take too long does
  site = await serve({});
  const { url, routes } = site;
  Object.assign(routes, {
    '/robots.txt': 'User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\nAllow: /private/open\n',
    '/sitemap.xml': urlset(
      `${url}/docs/install`,
      `${url}/docs/batch?lang=en&amp;x=1`,
      `${url}/docs/static/build/deep.html`,
      `${url}/private/secret`,
      `${url}/private/open`,
      `${url}/blog/news`,
      `${url}/docs/install#again`,
    ),
    '/docs/install': html('Install', 'Unpack the kiln.', '<link rel="canonical" href="https://elsewhere.example/home">'),
    '/docs/batch?lang=en&x=1': html('Batches', 'Bake many pots at once.'),
    '/docs/batch': html('Batches', 'Bake many pots without a query.'),
    '/docs/static/build/deep.html': html('Deep', 'Below folders that look like build output.'),
    '/private/secret': html('Secret', 'Nobody shall read this.'),
    '/private/open': html('Open', 'Everybody may read this.'),
    '/blog/news': html('News', 'Something happened.'),
  });
});
after(() => site.close());

describe('sheaf add with a sitemap', () => {
  it('sheaf add takes every <loc> at its own address, as version latest, minding robots.txt', async () => {
    const { code, stdout, stderr } = await sheaf(['add', 'kiln', '-s', `${site.url}/sitemap.xml`, '-y']);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'Embedding complete: Library kiln (latest) added.\n');
    assert.match(stderr, /Processing URLs: 6 of 6/);
    assert.match(stderr, /1 of 6 pages left out, as the site's robots\.txt asks/);
    for (const path of ['/docs/install', '/docs/batch?lang=en&x=1', '/docs/static/build/deep.html', '/private/open']) {
      assert.equal((await sheaf.page('kiln', 'latest', site.url + path)).url, site.url + path);
    }
    assert.ok(!site.seen.includes('/private/secret'), 'what is disallowed is not even asked for');
    assert.deepEqual(
      [...site.agents].map((agent) => agent.split(' ')[0]),
      ['sheaf'],
    );
    assert.ok(site.most <= 8, 'eight requests at once on one host, at most');
  });

  it('sheaf add keeps pages whose URL holds one of the keywords, in any case', async () => {
    const outcome = await sheaf.json(['add', 'some', '-s', `${site.url}/sitemap.xml`, '-f', 'INSTALL', '-f', 'deep', '-y']);
    assert.equal(outcome.pages, 2);
    const none = await sheaf(['add', 'some', '-s', `${site.url}/sitemap.xml`, '-f', 'zebra', '-y']);
    assert.equal(none.code, 4);
    assert.match(none.stderr, /none of its 7 pages matches zebra/);
  });

  it('sheaf add drops queries with --trim-query-params', async () => {
    await sheaf.json(['add', 'trim', '-s', `${site.url}/sitemap.xml`, '--trim-query-params', '-f', 'batch', '-y']);
    const page = await sheaf.page('trim', 'latest', `${site.url}/docs/batch`);
    assert.match(page.text, /without a query/);
  });

  it('sheaf add refuses --version with exit code 1: a sitemap is always latest', async () => {
    const { code, stderr } = await sheaf(['add', 'kiln', '-s', `${site.url}/sitemap.xml`, '-v', '1.0', '-y']);
    assert.equal(code, 1);
    assert.match(stderr, /--version is only for git repositories and packages: a sitemap is always latest/);
  });

  it('sheaf add warns of unclear sources, and finds the sitemap of a site', async () => {
    const guess = await serve({ '/': html('Home', 'Welcome.'), '/sitemap.xml': '' });
    guess.routes['/sitemap.xml'] = urlset(`${guess.url}/a`);
    guess.routes['/a'] = html('A', 'Text of a.');
    after(() => guess.close());
    const { code, stderr } = await sheaf(['add', 'guess', '-s', `${guess.url}/`, '-y']);
    assert.equal(code, 0, stderr);
    assert.ok(stderr.includes(`Could not reliably detect source type for ${guess.url}/. Defaulting to sitemap.\n`));
  });

  it('sheaf add follows sitemap indexes and gzip, and names failed sitemaps', async () => {
    const server = await serve({});
    after(() => server.close());
    Object.assign(server.routes, {
      '/index.xml': `<sitemapindex><sitemap><loc>${server.url}/a.xml.gz</loc></sitemap><sitemap><loc>${server.url}/gone.xml</loc></sitemap><sitemap><loc>${server.url}/index.xml</loc></sitemap></sitemapindex>`,
      '/a.xml.gz': { headers: { 'content-type': 'application/gzip' }, body: gzipSync(urlset(`${server.url}/p`)) },
      '/p': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(html('Packed', 'Sent in gzip.')) },
    });
    const outcome = await sheaf.json(['add', 'indexed', '-s', `${server.url}/index.xml`, '-y']);
    assert.equal(outcome.pages, 1);
    assert.match(outcome.warnings.join(), /Sitemap left out: .*gone\.xml answered with HTTP status 404/);
  });

  it("sheaf add names pages without content or with JavaScript in OpenGround's two sentences", async () => {
    const server = await serve({});
    after(() => server.close());
    Object.assign(server.routes, {
      '/sitemap.xml': urlset(`${server.url}/full`, `${server.url}/empty`, `${server.url}/app`),
      '/full': html('Full', 'Text.'),
      '/empty': '<html><body></body></html>',
      '/app': '<html><body><div id="root"></div><script src="/x.js"></script></body></html>',
    });
    const { code, stderr } = await sheaf(['add', 'spa', '-s', `${server.url}/sitemap.xml`, '-y']);
    assert.equal(code, 0);
    assert.ok(stderr.includes(`Warning: No content extracted for ${server.url}/empty\n`), stderr);
    assert.ok(
      stderr.includes(`Warning: Page likely requires JavaScript to render (detected SPA/CSR indicators): ${server.url}/app\n`),
      stderr,
    );
  });

  it("sheaf add reports an endless page's size and non-pages, and takes the others", async () => {
    const server = await serve({});
    after(() => server.close());
    const bomb = gzipSync(Buffer.alloc(30 << 20, 'a'));
    Object.assign(server.routes, {
      '/sitemap.xml': urlset(...['/good', '/endless', '/bomb', '/pdf', '/cut', '/loop'].map((path) => server.url + path)),
      '/good': html('Good', 'Text.'),
      '/endless': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const chunk = Buffer.alloc(1 << 18, 'x');
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', more);
        more();
      },
      '/bomb': { headers: { 'content-encoding': 'gzip' }, body: bomb },
      '/pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
      '/cut': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100' }).write('short');
        setTimeout(() => response.destroy(), 20);
      },
      '/loop': { status: 302, headers: { location: '/loop' } },
    });
    const outcome = await sheaf.json(['add', 'bad', '-s', `${server.url}/sitemap.xml`, '-y']);
    assert.equal(outcome.pages, 1);
    const warnings = outcome.warnings.join('\n');
    for (const [path, what] of [
      ['/endless', 'is larger than 10 MB'],
      ['/bomb', 'is larger than 10 MB'],
      ['/pdf', 'is not a page of text'],
      ['/cut', 'aborted'],
      ['/loop', 'more than 8 redirects'],
    ]) {
      assert.match(warnings, new RegExp(`${path}:? ?${what}`), path);
    }
  });

  it('sheaf add gives a slow page its time, and takes the others', async () => {
    const server = await serve({});
    after(() => server.close());
    Object.assign(server.routes, {
      '/sitemap.xml': urlset(`${server.url}/good`, `${server.url}/slow`),
      '/good': html('Good', 'Text.'),
      '/slow': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).write('<p>wait'),
    });
    const hasty = { XDG_CONFIG_HOME: join(folder, 'hasty') };
    await sheaf(['config', 'set', 'extraction.timeout_seconds', '6'], hasty); // also for the good page, on a machine that stumbles
    const outcome = await sheaf.json(['add', 'slow', '-s', `${server.url}/sitemap.xml`, '-y'], hasty);
    assert.equal(outcome.pages, 1);
    assert.match(outcome.warnings.join('\n'), /\/slow: no complete answer within 6 s/);
  });

  it('sheaf add follows no page or redirect to a private address, unless allowed', async () => {
    const secret = await serve({ '/meta': html('Metadata', 'The secret token.') });
    const server = await serve({});
    after(() => Promise.all([secret.close(), server.close()]));
    Object.assign(server.routes, {
      '/sitemap.xml': urlset(
        `${server.url}/good`,
        `${secret.url}/meta`,
        `${server.url}/jump`,
        'http://169.254.169.254/latest',
        'http://[::1]:1/',
        'http://2130706433:1/',
        'file:///etc/passwd',
        'ftp://x/y',
      ),
      '/good': html('Good', 'Text.'),
      '/jump': { status: 302, headers: { location: `${secret.url}/meta` } },
    });
    const outcome = await sheaf.json(['add', 'ssrf', '-s', `${server.url}/sitemap.xml`, '-y']);
    assert.equal(outcome.pages, 1);
    assert.deepEqual(secret.seen, []);
    assert.equal(outcome.warnings.filter((text) => /is refused: .* private network/.test(text)).length, 5);
    assert.equal(outcome.warnings.filter((text) => /only http and https/.test(text)).length, 2);
    assert.equal((await sheaf.json(['add', 'allowed', '-s', `${server.url}/sitemap.xml`, '-f', 'jump', '--allow-private', '-y'])).pages, 1);
  });

  it('sheaf add believes a sources file less than the user', async () => {
    const file = join(folder, 'theirs.json');
    writeFileSync(file, JSON.stringify({ inner: { type: 'sitemap', sitemap_url: `${site.url}/sitemap.xml` } }));
    const { code, stderr } = await sheaf(['add', 'inner', '--sources-file', file, '-y']);
    assert.equal(code, 1);
    assert.match(stderr, /is refused: 127\.0\.0\.1 is an address of this machine/);
    assert.equal((await sheaf(['add', 'inner', '--sources-file', file, '-y', '--allow-private', '-f', 'install'])).code, 0);
  });

  it('sheaf add prints no cursor sequence', async () => {
    const server = await serve({ '/sitemap.xml': urlset('http://127.0.0.1:1/\u001b[2J', 'http://127.0.0.1:1/ok') });
    after(() => server.close());
    const { stderr } = await sheaf(['add', 'esc\u001b[2J', '-s', `${server.url}/sitemap.xml`, '-y']);
    const other = await sheaf(['add', 'esc', '-s', `${server.url}/sitemap.xml`, '-y']);
    assert.doesNotMatch(stderr + other.stderr, /\u001b/);
  });

  it('An interrupted sheaf add leaves the old bundle, and tidies up', async () => {
    const bundle = join(sheaf.store, 'kiln@latest.sheaf');
    const before = readFileSync(bundle);
    let asked;
    const reached = new Promise((resolve) => (asked = resolve));
    const tmp = join(folder, 'tmp');
    mkdirSync(tmp);
    site.routes['/docs/install'] = () => asked(); // never answers
    const child = sheaf.start(['add', 'kiln', '-s', `${site.url}/sitemap.xml`, '-y'], { TMPDIR: tmp });
    const ended = new Promise((resolve) => child.on('close', (code) => resolve(code)));
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += chunk));
    await reached;
    child.kill('SIGINT');
    assert.equal(await ended, 130);
    assert.match(stderr, /Interrupted; the libraries are unchanged/);
    assert.deepEqual(readFileSync(bundle), before);
    assert.deepEqual(readdirSync(tmp), []);
  });
});

describe('robots.txt (RFC 9309)', () => {
  const allows = (text, path) => parseRobots(text).allows(path);

  it("robots.txt prefers our own group to everybody's", () => {
    const text = 'User-agent: *\nDisallow: /\n\nUser-agent: Sheaf/1.0\nuser-agent: other\nDisallow: /no';
    assert.equal(allows(text, '/yes'), true);
    assert.equal(allows(text, '/no/x'), false);
  });

  it('robots.txt lets the longest rule decide, and Allow a tie', () => {
    const text = 'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /same\nAllow: /same\nDisallow:';
    assert.deepEqual(
      ['/a', '/a/b/c', '/same', '/else'].map((path) => allows(text, path)),
      [false, true, true, true],
    );
  });

  it('robots.txt knows * and $, and spellings of one path', () => {
    const text = 'User-agent: *\nDisallow: /*.pdf$\nDisallow: /x*y\nDisallow: /caf%c3%a9\nDisallow: /ex$';
    assert.deepEqual(
      ['/a.pdf', '/a.pdf?x', '/x--y', '/xz', '/café', '/caf%C3%A9/x', '/ex', '/example'].map((path) => allows(text, path)),
      [false, true, false, true, false, false, false, true],
    );
  });

  it('robots.txt merges groups, minds comments and line ends, and lists sitemaps', () => {
    const robots = parseRobots(
      '\ufeffUser-agent: *\r\nDisallow: /a # why\r\n\r\nSitemap: https://x.example/s.xml\r\nuser-agent: *\r\nDisallow: /b',
    );
    assert.deepEqual(
      ['/a', '/b', '/c'].map((path) => robots.allows(path)),
      [false, false, true],
    );
    assert.deepEqual(robots.sitemaps, ['https://x.example/s.xml']);
    assert.equal(ALLOW_ALL.allows('/a'), true);
  });

  it('robots.txt matches hostile patterns without going through all their ways', () => {
    assert.equal(allows(`User-agent: *\nDisallow: /${'*a'.repeat(5000)}$`, `/${'a'.repeat(20_000)}b`), true);
  });
});

describe('sitemaps', () => {
  it('Sitemaps are read with entities, CDATA, comments and prefixes, without image locations', () => {
    const text =
      '<?xml version="1.0"?><!-- <loc>no</loc> --><s:urlset xmlns:s="x"><s:url><s:loc> https://a/?x=1&amp;y=&#50; </s:loc><s:lastmod>2024-01-02</s:lastmod><image:image><image:loc>https://a/i.png</image:loc></image:image></s:url><s:url><s:loc><![CDATA[https://a/?q&r]]></s:loc></s:url><s:url></s:url></s:urlset>';
    assert.deepEqual(parseSitemap(text, 10), {
      kind: 'pages',
      entries: [
        { loc: 'https://a/?x=1&y=2', lastmod: '2024-01-02' },
        { loc: 'https://a/?q&r', lastmod: '' },
      ],
    });
    assert.equal(parseSitemap(text, 1).entries.length, 1);
  });

  it('Sitemaps are told from other files, and broken ones end', () => {
    for (const text of ['', 'plain', '<html><body><loc>x</loc></body></html>', '<rss>'])
      assert.equal(parseSitemap(text, 10), undefined, text);
    for (const text of ['<urlset><url><loc>x', '<urlset><url><loc>x</lo', '<urlset><!-- ', '<urlset><![CDATA['])
      assert.deepEqual(parseSitemap(text, 10).entries, [], text);
    assert.equal(parseSitemap(`<urlset>${'<url><loc>'.repeat(200_000)}`, 10).entries.length, 0);
  });

  it('Sitemaps follow no document type entity, and keep a bare ampersand', () => {
    const text =
      '<!DOCTYPE urlset [<!ENTITY e "<url><loc>https://a/no</loc></url>">]><urlset><url><loc>https://a/?x=&e;&y=1&amp;z=&nbsp;</loc></url></urlset>';
    assert.deepEqual(
      parseSitemap(text, 10).entries.map(({ loc }) => loc),
      ['https://a/?x=&e;&y=1&z=&nbsp;'],
    );
  });

  it('Sitemaps of hostile shape cost linear time', () => {
    for (const unit of ['</b>', '<', 'x&', '<a b=1 ', '<![CDATA[', '<url><loc>']) {
      assert.deepEqual(parseSitemap(`<urlset>${unit.repeat(Math.ceil(2e6 / unit.length))}`, 10).entries, [], unit);
    }
  });

  it('Sitemaps with other contents are given up before they fill the memory', () => {
    for (const start of [
      '<!--',
      '<?',
      '<!DOCTYPE [',
      "<a b='",
      `<a ${Array.from({ length: 9000 }, (_, i) => `a${i}=1 `).join('')}`,
      '<a>'.repeat(20_000),
    ]) {
      const text = `<urlset>${start}${'x'.repeat(20e6)}`;
      const before = process.memoryUsage().heapUsed;
      assert.deepEqual(parseSitemap(text, 10).entries, [], start.slice(0, 20));
      assert.ok(process.memoryUsage().heapUsed - before < 200e6, start.slice(0, 20)); // 32 bytes a character if it were kept
    }
  });

  it('Sitemaps give each page once', () => {
    const entries = ['https://a/x', 'https://a/x#y', 'https://u:p@a/x', 'not a url', 'https://a/x?q'].map((loc) => ({ loc, lastmod: '' }));
    assert.deepEqual(
      choosePages(entries, {}).map(({ loc }) => loc),
      ['https://a/x', 'https://a/x?q'],
    );
    assert.deepEqual(
      choosePages(entries, { trim_query_params: true }).map(({ loc }) => loc),
      ['https://a/x'],
    );
  });
});

describe('files of fetched pages', () => {
  it('Files of fetched pages are named by their address, each its own, inside the folder', () => {
    const names = new PageNames('a.example');
    const name = (url) => names.nameOf(new URL(url), '.html');
    assert.equal(name('https://a.example/'), 'index.html');
    assert.equal(name('https://a.example/docs/'), 'docs/index.html');
    assert.equal(name('https://a.example/docs/x.html'), 'docs/x.html');
    assert.equal(name('https://b.example/docs/x'), 'b.example/docs/x.html');
    const seen = new Set();
    for (const url of [
      '/docs/X.htm',
      '/docs/x',
      '/docs/x?a',
      '/docs/x?b',
      '/..%2f..%2fetc/passwd',
      '/%2e%2e/%2e%2e/x',
      '/.git/config',
      '/a%00b',
      '/con:aux',
      '/x.html/y',
      `/${'long/'.repeat(400)}x`,
      `/${'é'.repeat(500)}`,
    ]) {
      const made = name(`https://a.example${url}`);
      assert.ok(!made.split('/').some((part) => part === '' || part.startsWith('.')) && Buffer.byteLength(made) < 1100, made);
      assert.ok(!seen.has(made.toLowerCase()), made);
      seen.add(made.toLowerCase());
    }
  });

  it('Files of fetched pages say their address last, and keep their lines', () => {
    const page = addressHtml(
      '<html>\n<head><link rel=canonical href="https://evil.example"></head><body>rel="canonical"</body>',
      'https://a/?x="1"&y',
      '2024-01-02T03:04:05Z',
    );
    assert.match(
      page,
      /^<link rel="canonical" href="https:\/\/a\/\?x=&quot;1&quot;&amp;y"><meta name="lastmod" content="2024-01-02T03:04:05Z"><html>\n/,
    );
    assert.match(page, /rel=own-address href="https:\/\/evil\.example"/);
    assert.match(page, /<body>rel="canonical"/);
    assert.equal(addressMarkdown('# T\n', 'https://a/x'), '---\nurl: "https://a/x"\n---\n# T\n');
    assert.equal(addressMarkdown('---\ntitle: T\nurl: /y\n---\n# T\n', 'https://a/x'), '---\nurl: "https://a/x"\ntitle: T\n\n---\n# T\n');
    assert.equal(
      addressMarkdown('---\ntitle: T\n---\nurl: the address\n', 'https://a/x'),
      '---\nurl: "https://a/x"\ntitle: T\n---\nurl: the address\n',
    );
    assert.equal(
      addressMarkdown('---\nNo front matter,\nurl: but a line\n', 'https://a/x'),
      '---\nurl: "https://a/x"\n---\n---\nNo front matter,\nurl: but a line\n',
    );
    assert.equal(addressMarkdown('x\n---\na: b\n---\n', 'https://a/x'), '---\nurl: "https://a/x"\n---\nx\n---\na: b\n---\n');
  });

  it('Files of fetched pages are decoded by byte order mark, header, then <meta>', () => {
    assert.equal(decodeBody(Buffer.from('caf\xe9', 'latin1'), 'text/html; charset=ISO-8859-1'), 'café');
    assert.equal(decodeBody(Buffer.from('<meta charset="windows-1252">\x80', 'latin1'), 'text/html').slice(-1), '€');
    assert.equal(decodeBody(Buffer.from('\ufeffcafé'), 'text/html; charset=latin1'), 'café');
    assert.equal(decodeBody(Buffer.from('café'), 'text/html; charset=nonsense'), 'café');
  });

  it('Applications among fetched pages are known by their marks', () => {
    for (const mark of [
      '<div id="root"></div>',
      "<div class=a id='__next'>",
      '<app-root></app-root>',
      '<noscript>You need to enable JavaScript to run this app.</noscript>',
    ])
      assert.equal(looksLikeApp(mark), true, mark);
    assert.equal(looksLikeApp('<div id="rooted">words</div>'), false);
  });
});

assert.ok(!existsSync(join(process.cwd(), '.sheaf')), 'tests leave the checkout alone');
