/** `sheaf site`: what it writes beside a built site, and what it puts into pages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { open } from '../../dist/client/node.js';
import { libraryName } from '../../dist/cli/site.js';
import { entryScript } from '../../dist/site/deploy.js';
import { injected } from '../../dist/site/inject.js';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { MAIN, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('site');
let made = 0;
const freshSite = () => writeBuiltSite(join(root, `my-docs-${made++}`, 'dist'));
const sheaf = (...args) => spawnSync(process.execPath, [MAIN, 'site', ...args], { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
const served = (site) => readdirSync(join(site, 'sheaf')).sort();
const bundleOf = (site) => join(site, 'sheaf', served(site).find((name) => name.startsWith('site-')));

describe('sheaf site', () => {
  it('writes one fixed entry and files named by their content', () => {
    const site = freshSite();
    const { status, stdout, stderr } = sheaf(site);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^5 pages, \d+ passages in /);
    assert.match(stdout, /<script type="module" src="\/sheaf\/sheaf\.js"><\/script>\n {2}<sheaf-search><\/sheaf-search>/);
    const names = served(site);
    assert.equal(names.length, 4);
    assert.match(names.join(' '), /^code-[0-9a-f]{12} minilm-l6-256-[0-9a-f]{12}\.sheaf sheaf\.js site-[0-9a-f]{12}\.sheaf$/);
    for (const name of names.filter((each) => each.endsWith('.sheaf'))) {
      assert.ok(name.includes(createHash('sha256').update(readFileSync(join(site, 'sheaf', name))).digest('hex').slice(0, 12)), name);
    }
    for (const path of ['ui/index.js', 'client/worker.js', 'core/sheaf-core.wasm']) assert.ok(existsSync(join(site, 'sheaf', names[0], path)), path);
    const entry = readFileSync(join(site, 'sheaf/sheaf.js'), 'utf8');
    for (const name of names.filter((each) => each !== 'sheaf.js')) assert.ok(entry.includes(name), name);
  });

  it('packs the pages under addresses below the site, without its own files and the 404 page', async () => {
    const site = freshSite();
    sheaf(site);
    assert.equal(sheaf(site).status, 0);
    const library = await open(bundleOf(site));
    const urls = [];
    for (let id = 0; id < library.info.pages; id++) urls.push((await library.page(id)).url);
    assert.deepEqual(urls.sort(), ['/', '/fragment.html', '/guide/', '/guide/batches.html', '/static/reference.html']);
    assert.match(library.info.library, /^my-docs-\d+$/);
    await library.close();
  });

  it('changes nothing when nothing changed, and removes what is a day out of use', () => {
    const site = freshSite();
    sheaf(site);
    const before = served(site);
    sheaf(site);
    assert.deepEqual(served(site), before);
    const [old] = before.filter((name) => name.startsWith('site-'));
    writeFileSync(join(site, 'guide/batches.html'), '<html><head><title>New</title></head><body><h1>New</h1><p>Something new.</p></body></html>');
    sheaf(site);
    assert.ok(served(site).includes(old), 'open pages still ask for it');
    const long = new Date(Date.now() - 25 * 3600_000);
    utimesSync(join(site, 'sheaf', old), long, long);
    writeFileSync(join(site, 'sheaf', 'notes.txt'), 'mine');
    const { stdout } = sheaf(site, '--json');
    assert.deepEqual(JSON.parse(stdout).removed, [old]);
    assert.ok(served(site).includes('notes.txt'), 'what is not ours stays');
  });

  it('injects into every page once, by relative addresses, and names what it left alone', () => {
    const site = freshSite();
    const { status, stderr } = sheaf(site, '--inject');
    assert.equal(status, 0);
    assert.match(stderr, /fragment\.html: left alone, it has no <\/head>/);
    const first = readFileSync(join(site, 'guide/batches.html'), 'utf8');
    assert.match(first, /<script type="module" src="\.\.\/sheaf\/sheaf\.js" data-sheaf-site><\/script><\/head>/);
    assert.match(first, /data-x='a > b'><sheaf-search data-sheaf-site><\/sheaf-search>/);
    assert.match(readFileSync(join(site, 'index.html'), 'utf8'), /src="\.\/sheaf\/sheaf\.js"/);
    const bundle = bundleOf(site);
    sheaf(site, '--inject');
    assert.equal(readFileSync(join(site, 'guide/batches.html'), 'utf8'), first);
    assert.equal(bundleOf(site), bundle, 'the injected lines are no text of the pages');
  });

  it('searches by words alone on request', () => {
    const site = freshSite();
    sheaf(site, '--keywords');
    assert.deepEqual(served(site).filter((name) => name.endsWith('.sheaf')).length, 1);
  });

  it('says what is wrong: no folder, no pages, no such flag', () => {
    const nowhere = sheaf(join(root, 'nowhere'));
    assert.equal(nowhere.status, 4);
    assert.match(nowhere.stderr, /not a folder.*site generator/);
    const empty = sheaf(temporaryFolder('empty-site'));
    assert.equal(empty.status, 1);
    assert.match(empty.stderr, /no documentation found|no page could be packed/);
    assert.equal(sheaf().status, 2);
    assert.equal(sheaf(root, '--frob').status, 2);
  });
});

describe('injecting', () => {
  it('does not mistake comments, scripts and titles for tags', () => {
    const tricky = '<html><head><!-- </head><body> --><title></head> as a title</title><script>document.write("</head><body>")</script></head>\n<BODY CLASS="a">x</BODY></html>';
    const { html } = injected(tricky, 'sheaf/sheaf.js');
    assert.ok(html.includes('</script><script type="module" src="sheaf/sheaf.js" data-sheaf-site></script></head>'), html);
    assert.ok(html.includes('<BODY CLASS="a"><sheaf-search data-sheaf-site></sheaf-search>x'), html);
  });

  it("leaves a page's own element alone and replaces an older script", () => {
    const own = '<html><head>\n</head><body><header><sheaf-search mode="inline"></sheaf-search></header></body></html>';
    const once = injected(own, 'a.js').html;
    assert.equal(once.match(/<sheaf-search/g).length, 1);
    const twice = injected(once, 'b&"c.js').html;
    assert.equal(twice.match(/<script/g).length, 1);
    assert.match(twice, /src="b&amp;&quot;c\.js"/);
  });

  it('names libraries after the project where the folder is a builder’s', () => {
    assert.deepEqual(['/x/kiln docs/dist', '/x/_site', '/x/handbook', '/x/???/public'].map(libraryName), ['kiln-docs', 'x', 'handbook', 'site']);
  });

  it('writes an entry that is a module without surprises', () => {
    const script = entryScript({ code: 'code-1', bundle: 'site-2.sheaf', table: undefined });
    assert.match(script, /\{"src":"site-2\.sheaf"\}/);
    assert.match(script, /code-1\/ui\/index\.js/);
  });
});
