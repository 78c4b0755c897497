/** `sheaf site`: what it writes beside a built site, and what it puts into pages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { runInNewContext, Script } from 'node:vm';
import { open } from '../../dist/node/client/node.js';
import { entryScript } from '../../dist/node/site/entry_script.js';
import { wordsIn } from '../../dist/node/site/words.js';
import { injected } from '../../dist/node/site/inject.js';
import { libraryName } from '../../dist/node/site/library_name.js';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { MAIN, temporaryFolder, urlsOf } from './packed.mjs';

const root = temporaryFolder('site');
let made = 0;
const freshSite = () => writeBuiltSite(join(root, `my-docs-${made++}`, 'dist'));
const sheaf = (...args) =>
  spawnSync(process.execPath, [MAIN, 'site', ...args], { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
const served = (site) => readdirSync(join(site, 'sheaf')).sort();
const bundleOf = (site) =>
  join(
    site,
    'sheaf',
    served(site).find((name) => /^site-.*\.sheaf$/.test(name)),
  );

describe('sheaf site', () => {
  it('sheaf site writes one fixed entry and files named by their content', () => {
    const site = freshSite();
    const { status, stdout, stderr } = sheaf(site);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^5 pages, \d+ passages in /);
    assert.match(stdout, /<script src="\/sheaf\/sheaf\.js" defer><\/script>\n {2}<sheaf-search><\/sheaf-search>/);
    const names = served(site);
    assert.equal(names.length, 6);
    const [table, bundle] = ['minilm-l6-256', 'site'].map((stem) => `(${stem}-[0-9a-f]{12})`);
    const all = new RegExp(`^code-[0-9a-f]{12} ${table}\\.pieces sheaf\\.js ${bundle}\\.pieces \\2\\.sheaf site\\.json$`);
    const [, tableName] = all.exec(names.join(' ')) ?? [];
    assert.ok(tableName, names.join(' '));
    for (const name of names.filter((each) => each.endsWith('.sheaf'))) {
      assert.ok(
        name.includes(
          createHash('sha256')
            .update(readFileSync(join(site, 'sheaf', name)))
            .digest('hex')
            .slice(0, 12),
        ),
        name,
      );
    }
    for (const path of ['client/site.js', 'client/worker.js', 'core/sheaf-core.wasm'])
      assert.ok(existsSync(join(site, 'sheaf', names[0], path)), path);
    const entry = readFileSync(join(site, 'sheaf/sheaf.js'), 'utf8');
    const named = names.filter((each) => !/^sheaf\.js$|^site\.json$|\.pieces$/.test(each));
    for (const name of named) assert.ok(entry.includes(name), name);
    const inPieces = `${tableName}.sheaf`;
    assert.ok(entry.includes(`${inPieces}#pieces`), 'the table is there in pieces alone');
    const list = JSON.parse(readFileSync(join(site, 'sheaf/site.json'), 'utf8'));
    assert.deepEqual([...new Set(list.files.map((path) => path.split('/')[0]))].sort(), [...named, inPieces].sort());
    for (const path of list.files) assert.equal(existsSync(join(site, 'sheaf', path)), path !== inPieces, path);
    assert.equal(list.offline, false);
  });

  it('sheaf site --offline writes the table whole too, which a service worker stores', () => {
    const site = freshSite();
    assert.equal(sheaf(site, '--offline').status, 0);
    assert.equal(served(site).filter((name) => /^minilm.*\.(sheaf|pieces)$/.test(name)).length, 2);
    assert.ok(!readFileSync(join(site, 'sheaf/sheaf.js'), 'utf8').includes('#pieces'));
  });

  it('sheaf site packs the pages below its addresses, without own files and 404 page', async () => {
    const site = freshSite();
    sheaf(site);
    assert.equal(sheaf(site).status, 0);
    const library = await open(bundleOf(site));
    assert.deepEqual(await urlsOf(library), ['/', '/fragment.html', '/guide/', '/guide/batches.html', '/static/reference.html']);
    assert.match(library.info.library, /^my-docs-\d+$/);
    await library.close();
  });

  it('sheaf site repairs files cut by a full disk or an interrupted copy', () => {
    const site = freshSite();
    sheaf(site);
    const cut = ['core/sheaf-core.wasm', 'client/worker.js'].map((path) => join(site, 'sheaf', served(site)[0], path));
    cut.push(
      ...served(site)
        .filter((name) => name.endsWith('.sheaf'))
        .map((name) => join(site, 'sheaf', name)),
    );
    const whole = cut.map((path) => readFileSync(path));
    writeFileSync(cut[0], '');
    rmSync(cut[1]);
    for (const path of cut.slice(2)) truncateSync(path, 100);
    assert.equal(sheaf(site).status, 0);
    cut.forEach((path, i) => assert.ok(readFileSync(path).equals(whole[i]), path));
  });

  it('sheaf site changes nothing without changes, and removes files a day unused', () => {
    const site = freshSite();
    sheaf(site);
    const before = served(site);
    sheaf(site);
    assert.deepEqual(served(site), before);
    const old = before.filter((name) => name.startsWith('site-')); // the bundle and its pieces
    writeFileSync(
      join(site, 'guide/batches.html'),
      '<html><head><title>New</title></head><body><h1>New</h1><p>Something new.</p></body></html>',
    );
    sheaf(site);
    for (const name of old) assert.ok(served(site).includes(name), 'open pages still ask for it');
    const long = new Date(Date.now() - 25 * 3600_000);
    for (const name of old) utimesSync(join(site, 'sheaf', name), long, long);
    writeFileSync(join(site, 'sheaf', 'notes.txt'), 'mine');
    const { stdout } = sheaf(site, '--json');
    assert.deepEqual(JSON.parse(stdout).removed, old);
    assert.ok(served(site).includes('notes.txt'), 'what is not ours stays');
  });

  it('sheaf site keeps replaced files for a day, however long they were used', () => {
    const site = freshSite();
    sheaf(site, '--keywords');
    const old = served(site).filter((name) => name.startsWith('site-'));
    const long = new Date(Date.now() - 25 * 3600_000);
    for (const name of old) utimesSync(join(site, 'sheaf', name), long, long);
    writeFileSync(
      join(site, 'guide/batches.html'),
      '<html><head><title>New</title></head><body><h1>New</h1><p>Something new.</p></body></html>',
    );
    assert.deepEqual(JSON.parse(sheaf(site, '--keywords', '--json').stdout).removed, []);
    for (const name of old) assert.ok(served(site).includes(name), 'open pages still ask for it');
    for (const name of old) assert.ok(statSync(join(site, 'sheaf', name)).mtimeMs > Date.now() - 3600_000);
  });

  it('sheaf site injects into every page once, relatively, and names the others', () => {
    const site = freshSite();
    const { status, stderr } = sheaf(site, '--inject');
    assert.equal(status, 0);
    assert.match(stderr, /fragment\.html: left alone, it is a piece of a page, without <!doctype>/);
    const first = readFileSync(join(site, 'guide/batches.html'), 'utf8');
    assert.match(first, /<script src="\.\.\/sheaf\/sheaf\.js" defer data-sheaf-site><\/script><\/head>/);
    assert.match(first, /data-x='a > b'><sheaf-search data-sheaf-site="float"><noscript>.*?<\/noscript><\/sheaf-search>/);
    assert.match(readFileSync(join(site, 'index.html'), 'utf8'), /src="\.\/sheaf\/sheaf\.js"/);
    const bundle = bundleOf(site);
    sheaf(site, '--inject');
    assert.equal(readFileSync(join(site, 'guide/batches.html'), 'utf8'), first);
    assert.equal(bundleOf(site), bundle, 'the injected lines are no text of the pages');
  });

  it('sheaf site injects into pages without <head>, and fails without an injectable page', () => {
    const site = temporaryFolder('omitted');
    const page = '<!doctype html>\n<title>Kilns</title>\n<h1>Kilns</h1>\n<p>A kiln fires batches of work.\n';
    writeFileSync(join(site, 'index.html'), page);
    const done = sheaf(site, '--inject', '--keywords');
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /Search is in 1 page\.\n\n1  no known theme  floats at a corner\n/);
    assert.match(
      readFileSync(join(site, 'index.html'), 'utf8'),
      /<\/title>\n<link [^>]*><script src="\.\/sheaf\/sheaf\.js"[^>]*><\/script><sheaf-search[^>]*>.*?<\/sheaf-search><h1>/,
    );

    const pieces = temporaryFolder('pieces');
    writeFileSync(join(pieces, 'one.html'), '<h1>Kilns</h1><p>A kiln fires batches of work.');
    writeFileSync(join(pieces, 'two.html'), '<!doctype html><title>T</title><frameset><frame src="one.html"></frameset>');
    for (const flags of [[], ['--json']]) {
      const { status, stderr, stdout } = sheaf(pieces, '--inject', '--keywords', ...flags);
      assert.equal(status, 1);
      assert.match(stderr, /two\.html: left alone, it is a frameset/);
      assert.match(stderr, /sheaf: The search is in no page of \S*pieces\S*: one\.html: it is a piece of a page/);
      if (flags.length > 0) assert.equal(JSON.parse(stdout).left_alone.length, 2);
      else assert.match(stdout, /Search is in 0 pages; 2 pages left alone\./);
    }
    assert.equal(sheaf(pieces, '--keywords').status, 0, 'who pastes the lines needs no place for them');
  });

  it("sheaf site names the script in 404.html from the host's root, if known", () => {
    const address = (site) => /<script src="([^"]*)" defer data-sheaf-site>/.exec(readFileSync(join(site, '404.html'), 'utf8'))[1];
    const lost = (head) => `<!doctype html><html><head><title>Lost</title>${head}</head><body><h1>Lost</h1></body></html>`;
    const site = freshSite();
    const index = readFileSync(join(site, 'index.html'), 'utf8');
    writeFileSync(join(site, 'index.html'), index.replace(/<link rel="?canonical[^>]*>/, ''));
    sheaf(site, '--inject');
    assert.equal(address(site), '/sheaf/sheaf.js');
    for (const [link, wanted] of [
      ['<link rel="stylesheet" href="/guide/batches.html">', '/sheaf/sheaf.js'],
      [
        '<script src="https://cdn.example/guide/batches.html"></script><a href="//x/guide/batches.html"></a><a href=/kiln/docs/guide/batches.html?x>',
        '/kiln/docs/sheaf/sheaf.js',
      ],
      ['<a href="/../../etc/passwd"></a><a href="/nowhere/x.css"></a>', '/sheaf/sheaf.js'],
    ]) {
      writeFileSync(join(site, '404.html'), lost(link));
      for (let run = 0; run < 2; run++) {
        assert.equal(sheaf(site, '--inject').status, 0);
        assert.equal(address(site), wanted, link);
      }
    }
    sheaf(site, '--inject', '--base-url', 'https://kiln.example/stated');
    assert.equal(address(site), '/stated/sheaf/sheaf.js');
    sheaf(site, '--inject', '--base-url', '/path/');
    assert.equal(address(site), '/path/sheaf/sheaf.js');
    writeFileSync(join(site, 'index.html'), index.replace('</head>', '<link rel="canonical" href="https://kiln.example/canon/"></head>'));
    sheaf(site, '--inject');
    assert.equal(address(site), '/canon/sheaf/sheaf.js');
  });

  it("sheaf site names the script so that a page's <base> leads to it", () => {
    const site = freshSite();
    const address = (path, head) => {
      writeFileSync(join(site, path), `<html><head><title>Based</title>${head}</head><body><h1>Based</h1><p>A page.</p></body></html>`);
      for (let run = 0; run < 2; run++) assert.equal(sheaf(site, '--inject', '--keywords').status, 0);
      return /<script src="([^"]*)" defer data-sheaf-site>/.exec(readFileSync(join(site, path), 'utf8'))[1];
    };
    assert.equal(address('guide/based.html', '<base href="../">'), './sheaf/sheaf.js');
    assert.equal(address('guide/based.html', "<base target=_top><BASE HREF='..'>"), '../sheaf/sheaf.js');
    assert.equal(address('guide/based.html', '<!-- <base href="/no/"> --><base href="static/x.html?a/b">'), '../../sheaf/sheaf.js');
    assert.equal(address('guide/based.html', '<base href="/">'), '/sheaf/sheaf.js');
    assert.equal(address('guide/based.html', '<base href="/docs/"><link rel=stylesheet href="static/app.css">'), '/docs/sheaf/sheaf.js');
    assert.equal(
      address('guide/based.html', '<base href="/docs/guide/"><link rel=stylesheet href="../static/app.css"><a href="batches.html"></a>'),
      '/docs/sheaf/sheaf.js',
    );
  });

  it('sheaf site keeps the mode and every other byte of a page, whatever its encoding', () => {
    const site = freshSite();
    const page = join(site, 'latin.html');
    const before = Buffer.from(
      '<html><head><meta charset="iso-8859-1"><title>Caf\xe9</title></head><body><h1>Caf\xe9</h1><p>Br\xfbl\xe9e.</p></body></html>',
      'latin1',
    );
    writeFileSync(page, before);
    chmodSync(page, 0o640);
    assert.equal(sheaf(site, '--inject').status, 0);
    const after = readFileSync(page);
    assert.equal(statSync(page).mode & 0o7777, 0o640);
    assert.ok(
      Buffer.from(
        after.toString('latin1').replace(/<link [^>]*data-sheaf-site>|<(script|sheaf-search)\b[^>]*data-sheaf-site[^>]*>.*?<\/\1>/g, ''),
        'latin1',
      ).equals(before),
    );
    assert.deepEqual(
      readdirSync(site).filter((name) => name.endsWith('.tmp')),
      [],
    );
  });

  it('sheaf site passes --memory on, and names unpackable files', () => {
    const site = freshSite();
    assert.equal(sheaf(site, '--memory', '16M').status, 0);
    const little = sheaf(site, '--memory', '1M');
    assert.equal(little.status, 1);
    assert.match(little.stderr, /--memory 1M: expected a size of at least 16M/);
    symlinkSync(join(site, 'nowhere.html'), join(site, 'gone.html'));
    const { status, stderr, stdout } = sheaf(site, '--json');
    assert.equal(status, 0);
    assert.match(stderr, /skipped gone\.html: a link to something that does not exist/);
    assert.deepEqual(
      JSON.parse(stdout).skipped.map(({ path }) => path),
      ['gone.html'],
    );
  });

  it('sheaf site names omitted or misread pages, like remarks in one line', () => {
    const site = freshSite();
    for (const name of ['b', 'c']) writeFileSync(join(site, `${name}.html`), '<html><head><title>x</title></head><body></body></html>');
    for (const [name, to] of [
      ['d', 'b'],
      ['e', 'c'],
    ])
      writeFileSync(join(site, `${name}.html`), `<meta http-equiv="refresh" content="0; url=${to}.html">`);
    writeFileSync(join(site, 'heavy.html'), '<html><body><h1>Heavy</h1><p data-pagefind-weight="much">Text.</p></body></html>');
    assert.deepEqual(sheaf(site).stderr.trimEnd().split('\n').sort(), [
      'note: b.html and 1 more: left out: it holds no text',
      'note: d.html and 1 more: left out: it only forwards to another page',
      'note: draft.html: left out: it asks not to be indexed (noindex)',
      'note: heavy.html: data-pagefind-weight="much" is left out: expected a number from 0 to 10',
    ]);
    assert.equal(sheaf(site, '--quiet').stderr, '');
    const { status, stdout, stderr } = sheaf(site, '--json');
    assert.deepEqual([status, stderr], [0, '']);
    assert.deepEqual(
      JSON.parse(stdout).notes.map(({ path }) => path),
      ['b.html', 'c.html', 'd.html', 'draft.html', 'e.html', 'heavy.html'],
    );
  });

  it("sheaf site leaves out pages without marked content where others use Pagefind's marks", async () => {
    const packed = async (site) => {
      const { status, stderr } = sheaf(site, '--keywords');
      assert.equal(status, 0, stderr);
      const library = await open(bundleOf(site));
      const urls = await urlsOf(library);
      await library.close();
      const notes = stderr.split('\n').filter((line) => line.includes('data-pagefind-body'));
      rmSync(join(site, 'sheaf'), { recursive: true });
      return [urls, notes];
    };
    const page = (mark) =>
      `<html lang="en"><head><title>Marked</title></head><body><div ${mark}><h1>Marked</h1><p>furnace ${mark}</p></div></body></html>`;
    const site = freshSite();
    const [all] = await packed(site);
    writeFileSync(join(site, 'zz.html'), page('data-sheaf-body'));
    assert.deepEqual(await packed(site), [[...all, '/zz.html'], []], 'our own mark says nothing of other pages');
    writeFileSync(join(site, 'm.html'), page('data-pagefind-body'));
    assert.deepEqual(await packed(site), [
      ['/m.html', '/zz.html'],
      ['note: index.html and 4 more: left out: it has no data-pagefind-body, which other pages have'],
    ]);
    writeFileSync(join(site, 'm.html'), page('').replace('furnace', '&lt;div data-pagefind-body>'));
    assert.equal((await packed(site))[0].length, all.length + 2, 'the words in a text are no mark');
  });

  it('sheaf site packs pages of any .html spelling, and readme.html separately', async () => {
    const site = freshSite();
    const text = (path) => `<html lang="en"><head><title>Odd</title></head><body><h1>Odd</h1><p>An odd name: ${path}.</p></body></html>`;
    mkdirSync(join(site, 'deep/pages.html'), { recursive: true });
    for (const path of ['UPPER.HTML', 'old.Htm', 'deep/readme.html', 'deep/pages.html/index.html'])
      writeFileSync(join(site, path), text(path));
    assert.equal(sheaf(site, '--keywords').status, 0);
    const library = await open(bundleOf(site));
    const urls = await urlsOf(library);
    await library.close();
    assert.deepEqual(
      urls.filter((url) => /upper|old|deep/i.test(url)),
      ['/UPPER.HTML', '/deep/pages.html/', '/deep/readme.html', '/old.Htm'],
    );
  });

  it('sheaf site explains an unwritable folder in a sentence, and leaves served files', () => {
    const site = freshSite();
    assert.equal(sheaf(site, '--keywords').status, 0);
    const before = readFileSync(join(site, 'sheaf/sheaf.js'), 'utf8');
    writeFileSync(join(site, 'guide/batches.html'), '<html><head><title>New</title></head><body><h1>New</h1></body></html>');
    // No user may write below a file, whoever runs this.
    const blocked = join(site, 'sheaf', 'site.json');
    rmSync(blocked);
    mkdirSync(blocked);
    const { status, stderr } = sheaf(site, '--keywords');
    assert.equal(status, 1);
    assert.match(stderr, /^sheaf: .*site\.json.*\n$/);
    assert.equal(readFileSync(join(site, 'sheaf/sheaf.js'), 'utf8'), before);
    const nowhere = spawnSync(process.execPath, [MAIN, 'site', site], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: join(site, 'index.html/x'), NO_COLOR: '1' },
    });
    assert.match(nowhere.stderr, /^sheaf: .*index\.html.*\n$/);
  });

  it('sheaf site makes a search by words alone on request', () => {
    const site = freshSite();
    sheaf(site, '--keywords');
    assert.deepEqual(served(site).filter((name) => name.endsWith('.sheaf')).length, 1);
  });

  it('sheaf site writes scripts for file pages on request, and removes unused ones', () => {
    const site = freshSite();
    const { status, stdout, stderr } = sheaf(site, '--file', '--pieces', 'none');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /the address must lead from the page to the script/);
    const names = served(site)
      .map((name) => name.replace(/-[0-9a-f]{12}(?=\.|$)/, '-HASH'))
      .sort()
      .join(' '); // pieces have a hash of their own
    assert.equal(
      names,
      'code-HASH file-HASH minilm-l6-256-HASH.pieces minilm-l6-256-HASH.sheaf sheaf.js site-HASH.pieces site-HASH.sheaf site.json',
    );
    assert.ok(!/pieces\/\d/.test(stdout), 'a folder is one row');
    const extra = served(site).filter((name) => /^file-|\.pieces$/.test(name));
    const long = new Date(Date.now() - 25 * 3600_000);
    for (const name of extra) utimesSync(join(site, 'sheaf', name), long, long);
    assert.deepEqual(JSON.parse(sheaf(site, '--file', '--pieces', 'none', '--json').stdout).removed, []);
    assert.deepEqual(JSON.parse(sheaf(site, '--pieces', 'none', '--json').stdout).removed, [], 'pages that are open still ask for them');
    for (const name of extra) utimesSync(join(site, 'sheaf', name), long, long);
    assert.deepEqual(JSON.parse(sheaf(site, '--pieces', 'none', '--json').stdout).removed, extra);
  });

  it('sheaf site names the fault: no folder, no pages, no such flag', () => {
    const pieces = sheaf(freshSite(), '--pieces', 'some');
    assert.deepEqual([pieces.status, /--pieces takes beside, only, none, not 'some'/.test(pieces.stderr)], [2, true]);
    const both = sheaf(freshSite(), '--pieces', 'only', '--offline');
    assert.deepEqual([both.status, /take --pieces beside/.test(both.stderr)], [2, true]);
    const nowhere = sheaf(join(root, 'nowhere'));
    assert.equal(nowhere.status, 4);
    assert.match(nowhere.stderr, /not a folder.*site generator/);
    const empty = sheaf(temporaryFolder('empty-site'));
    assert.equal(empty.status, 1);
    assert.match(empty.stderr, /no documentation found/);
    const drafts = temporaryFolder('drafts');
    writeFileSync(join(drafts, 'index.html'), '<html><head><meta name="robots" content="noindex"></head><body>Not yet.</body></html>');
    assert.match(sheaf(drafts).stderr, /no page could be packed; 1 file left out, such as index\.html: it asks not to be indexed/);
    assert.equal(sheaf().status, 2);
    assert.equal(sheaf(root, '--frob').status, 2);
  });
});

describe('injecting', () => {
  it('Injecting does not mistake comments, scripts and titles for tags', () => {
    const tricky =
      '<html><head><!-- </head><body> --><title></head> as a title</title><script>document.write("</head><body>")</script></head>\n<BODY CLASS="a">x</BODY></html>';
    const { html } = injected(tricky, 'sheaf/sheaf.js');
    assert.ok(html.includes('data-sheaf-site><script src="sheaf/sheaf.js" defer data-sheaf-site></script></head>'), html);
    assert.ok(html.includes('<BODY CLASS="a"><sheaf-search data-sheaf-site="float"></sheaf-search>x'), html);
  });

  it('Injecting puts the script behind <body> where </head> is left out', () => {
    const once = injected('<!doctype html><title>T</title><body class=x><h1>T</h1>', 's.js').html;
    assert.equal(
      once,
      '<!doctype html><title>T</title><body class=x><link rel="stylesheet" href="place/float.css" data-sheaf-site><script src="s.js" defer data-sheaf-site></script><sheaf-search data-sheaf-site="float"></sheaf-search><h1>T</h1>',
    );
    assert.equal(injected(once, 's.js').html, once);
  });

  it('Injecting ignores tags in attributes, and a stray </head> in the body', () => {
    const script = '<link rel="stylesheet" href="place/float.css" data-sheaf-site><script src="s.js" defer data-sheaf-site></script>';
    const button = '<sheaf-search data-sheaf-site="float"></sheaf-search>';
    const head = `<html><head><meta content="The <body> and </head> of 'it'"><link href=a"b title='<sheaf-search>'>`;
    assert.equal(injected(`${head}</head><body>x</body>`, 's.js').html, `${head}${script}</head><body>${button}x</body>`);
    const stray = '<title>T</title><body><p>a</p><p>a paragraph that is longer than the button</p></head><p>b</p>';
    const once = injected(stray, 's.js').html;
    assert.equal(once, stray.replace('<body>', `<body>${script}${button}`));
    assert.equal(injected(once, 's.js').html, once);
  });

  it('Injecting takes linear time for tags that never end', () => {
    const open = ['<body ', '<body "', '<base ', '<script', '<script data-sheaf-site '].map((unit) => unit.repeat(50_000));
    for (const html of [...open, `<script ${'data-sheaf-site '.repeat(50_000)}`]) {
      assert.deepEqual(injected(html, 's.js'), { skipped: 'a comment, a tag or raw text in it never ends' }, html.slice(0, 40));
    }
  });

  it("Injecting leaves a page's own element alone and replaces an older script", () => {
    const own = '<html><head>\n</head><body><header><sheaf-search mode="inline"></sheaf-search></header></body></html>';
    const once = injected(own, 'a.js').html;
    assert.equal(once.match(/<sheaf-search/g).length, 1);
    const former = once.replace(/<script src="a\.js" defer/, '<script type="module" src="a.js"');
    assert.notEqual(former, once);
    assert.equal(injected(former, 'a.js').html, once, 'the module of former versions');
    const twice = injected(once, 'b&"c.js').html;
    assert.equal(twice.match(/<script/g).length, 1);
    assert.match(twice, /src="b&amp;&quot;c\.js"/);
  });

  it("Injecting names libraries after the project where the folder is a builder's", async () => {
    assert.deepEqual(await Promise.all(['/x/kiln docs/dist', '/x/_site', '/x/handbook', '/x/???/public', '/public'].map(libraryName)), [
      'kiln-docs',
      'x',
      'handbook',
      'x',
      'site',
    ]);
    const project = temporaryFolder('a-project');
    const site = join(project, 'docs/.vitepress/dist');
    mkdirSync(site, { recursive: true });
    assert.equal(await libraryName(site), basename(project), 'hidden folders and `docs` say nothing');
    for (const [file, text, wanted] of [
      ['pyproject.toml', '[build-system]\nname = "no"\n\n[project]\nversion = "1"\nname = "glaze"\n', 'glaze'],
      ['mkdocs.yml', 'nav: []\nsite_name: "Glaze: the manual" # ours\n', 'Glaze-the-manual'],
      ['package.json', '{ "name": "@kilns/kiln" }', 'kiln'],
      ['docs/package.json', '{ "name": "docs" }', 'kiln'],
      ['docs/package.json', '{ not JSON', 'kiln'],
      ['docs/package.json', '{ "name": "kiln-docs" }', 'kiln-docs'],
    ]) {
      writeFileSync(join(project, file), text);
      assert.equal(await libraryName(site), wanted, `${file}: ${text}`);
    }
  });

  it('Injecting names libraries after the start page where folders say nothing', async () => {
    const site = join(temporaryFolder('unnamed'), 'a/b/c/d/docs/website/docs/src/dist');
    mkdirSync(site, { recursive: true });
    assert.equal(await libraryName(site), 'site');
    writeFileSync(join(site, 'index.html'), '<html><head><title>Kiln &amp; clay | Docs</title></head></html>');
    assert.equal(await libraryName(site), 'Kiln-clay');
  });

  it('Injecting writes an entry that parses as a classic script and as a module', () => {
    const file = { code: 'file-3', core: 1, piece: 2, pieces: {} };
    for (const script of [
      entryScript({ code: 'code-1', sources: [{ src: 'site-2.sheaf' }] }),
      entryScript({ code: 'code-1', sources: [{ src: 'site-2.sheaf', encoder: 'x.sheaf' }], file, offline: true }),
    ]) {
      new Script(script);
      const { status, stderr } = spawnSync(process.execPath, ['--check', '--input-type=module'], { input: script, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    }
    const script = entryScript({ code: 'code-1', sources: [{ src: 'site-2.sheaf' }] });
    assert.match(script, /\{"src":"site-2\.sheaf"\}/);
    assert.match(script, /code-1\/client\/site\.js/);
    assert.ok(!script.includes('offline'), 'what is not asked for');
  });

  it('Injecting writes an entry in ASCII that speaks the language of the page where its code is gone', async () => {
    const words = Object.fromEntries(await Promise.all(['ru', 'zh-TW'].map(async (tag) => [tag, await wordsIn(tag)])));
    const script = entryScript({ code: 'code-1', sources: [{ src: 'site-2.sheaf' }], words });
    assert.match(script, /^[\x20-\x7e\n]*$/);
    const said = (lang) => {
      const element = {
        parts: [],
        append: (...parts) => element.parts.push(...parts),
        querySelectorAll: () => [],
        querySelector: () => null,
      };
      const attributes = { placeholder: null };
      const document = {
        documentElement: { lang, dataset: {} },
        currentScript: { src: 'https://kiln.example/sheaf/sheaf.js' },
        querySelectorAll: () => [Object.assign(element, { getAttribute: (name) => attributes[name] ?? null })],
        createElement: () => ({}),
      };
      runInNewContext(script, { document, self: {}, location: {}, URL, console }); // a browser without any of the features
      return [element.parts[0].textContent, element.parts[0].title];
    };
    assert.deepEqual(said('ru-RU'), ['Поиск', words.ru.strings.noWasm]);
    assert.deepEqual(said('zh-TW'), [words['zh-TW'].strings.search, words['zh-TW'].strings.noWasm]);
    for (const other of ['', 'fi', 'constructor']) assert.equal(said(other)[0], 'Search');
  });
});
