/** Which theme a page is of, and where `sheaf site --inject` puts its button: tests/fixtures/themes.mjs, and pages between. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { injected } from '../../dist/node/site/inject.js';
import { injectAll } from '../../dist/node/site/inject_site.js';
import { allPlaceFiles, placeIn, sheetOf } from '../../dist/node/site/place.js';
import { matches, selector } from '../../dist/node/site/selector.js';
import { THEMES } from '../../dist/node/site/themes.js';
import { THEME_PAGES } from '../fixtures/themes.mjs';
import { writeTree } from '../fixtures/tree.mjs';
import { MAIN, temporaryFolder } from './packed.mjs';

const elementOf = (html) => /<sheaf-search data-sheaf-site="([^"]*)"/.exec(html)?.[1];

describe('themes', () => {
  for (const [name, { html, mark }] of Object.entries(THEME_PAGES)) {
    it(`Themes are recognised: ${name}`, () => {
      const once = injected(html, 's.js');
      assert.equal(elementOf(once.html), mark);
      assert.equal(injected(once.html, 's.js').html, once.html, 'a second run changes nothing');
      const added = /<link[^<>]*data-sheaf-site[^<>]*>|<(script|sheaf-search)\b[^<>]*data-sheaf-site[^<>]*><\/\1>/g;
      assert.equal(once.html.replace(added, ''), html, 'other bytes stay');
    });
  }

  it('Themes have a page each among the fixtures, and a style sheet that names no other', () => {
    const found = new Set(Object.values(THEME_PAGES).map(({ html }) => placeIn(html, 'auto').theme?.name));
    assert.deepEqual(
      THEMES.map(({ name }) => name).filter((name) => !found.has(name)),
      [],
    );
    const files = allPlaceFiles();
    assert.equal(new Set(files.map(([name]) => name)).size, files.length);
    const sheets = files.filter(([name]) => name.endsWith('.css'));
    for (const [name, css] of sheets) {
      assert.doesNotMatch(css, /&/, `${name}: every & has become the element`);
      assert.equal(css.split('{').length, css.split('}').length, name);
      assert.ok(css.length < 6000, `${name} has ${css.length} bytes`);
    }
  });

  it('Themes whose script draws the bar get a script that keeps the button there, and pages of others none', () => {
    const loaded = Object.entries(THEME_PAGES).map(([name, { html }]) => [
      name,
      /place\/([\w-]+\.js)/.exec(injected(html, 's.js').html)?.[1],
    ]);
    assert.deepEqual(
      loaded.filter(([, script]) => script !== undefined),
      [
        ['nextra', 'nextra.js'],
        ['fumadocs', 'fumadocs.js'],
      ],
    );
    const { html } = THEME_PAGES.fumadocs;
    assert.match(
      injected(html, '../sheaf/sheaf.js', { keys: 'mod+"p' }).html,
      /<script src="\.\.\/sheaf\/place\/fumadocs\.js" defer data-sheaf-site data-sheaf-element="{&quot;data-sheaf-site&quot;:&quot;fumadocs&quot;,&quot;shortcuts&quot;:&quot;mod\+\\&quot;p&quot;}"><\/script>/,
    );
    assert.doesNotMatch(injected(html, 's.js', { choice: 'float' }).html, /place\/\w+\.js/);
    const scripts = allPlaceFiles().filter(([name]) => name.endsWith('.js'));
    assert.deepEqual(
      scripts.map(([name]) => name),
      ['place/nextra.js', 'place/fumadocs.js'],
    );
    for (const [name, text] of scripts) {
      assert.doesNotThrow(() => new Function(text), name);
      assert.ok(text.length < 3000, `${name} has ${text.length} bytes`);
    }
  });

  it('Themes are the rows of the table in docs/site.md, with their keys', () => {
    const docs = readFileSync(new URL('../../docs/site.md', import.meta.url), 'utf8');
    const rows = [...docs.matchAll(/^\| ([^|]+) \| [^|]+ \| [^|]*\| ?([^|]*?) ?\|$/gm)].map(([, name, keys]) => [name, keys]);
    const own = (keys = '') =>
      keys
        .replace(/mod\+k|\//g, '')
        .trim()
        .split(/\s+/)
        .join(', ');
    assert.deepEqual(
      rows.filter(([name]) => THEMES.some((theme) => theme.name === name)),
      THEMES.map(({ name, keys }) => [name, own(keys)]),
    );
  });

  it('Themes whose bar a page lacks, and pages of none, float; bar puts them at the beginning', () => {
    const bare = '<!doctype html><head><meta name=generator content=rustdoc></head><body><p>x</p>';
    assert.match(injected(bare, 's.js').html, /<body><sheaf-search data-sheaf-site="float rustdoc" shortcuts="mod\+k"><\/sheaf-search><p>/);
    assert.equal(placeIn(bare, 'auto').why, 'its bar is not in the page');
    assert.equal(elementOf(injected(bare, 's.js', { choice: 'bar' }).html), 'start rustdoc');
    assert.equal(elementOf(injected(THEME_PAGES.mdbook.html, 's.js', { choice: 'float' }).html), 'float mdbook');
    const none = injected(bare, 's.js', { choice: 'none' }).html;
    assert.doesNotMatch(none, /<sheaf-search|<link/);
    assert.match(none, /<script src="s\.js"/);
    assert.equal(injected(injected(bare, 's.js').html, 's.js', { choice: 'none' }).html, none, 'the button of a former run goes');
  });

  it('Themes show some pages in a frame of others: these get no button', () => {
    const list = '<!doctype html><meta name=generator content="Doxygen 1.9"><body class="SRPage"><div id=SRIndex></div>';
    assert.doesNotMatch(injected(list, 's.js').html, /<sheaf-search/);
    assert.equal(placeIn(list, 'auto').why, 'other pages show it in a frame');
  });

  it('Themes in comments, texts and scripts are none', () => {
    for (const text of [
      '<!-- <div id="titlearea"></div> -->',
      '<textarea><div id="titlearea"></textarea>',
      '<script>"<div id=titlearea>"</script>',
    ])
      assert.equal(placeIn(`<!doctype html><title>T</title><body>${text}<p>x</p>`, 'auto').theme, undefined, text);
  });

  it('Themes have places at the edges of elements, however their tags nest', () => {
    const page =
      '<!doctype html><head><meta name=generator content="Doxygen 1.9"></head><body><div id=top><div id="titlearea"><div>a</div><div><div>b</div></div>§</div></div>';
    const wanted = page.replace('§', '<sheaf-search data-sheaf-site="doxygen"></sheaf-search>');
    assert.ok(injected(page.replace('§', ''), 's.js').html.endsWith(wanted.slice(wanted.indexOf('<body>'))));
  });

  it('Themes pass their keys on, unless others are named', () => {
    const { html } = THEME_PAGES.mdbook;
    assert.match(injected(html, 's.js').html, /<sheaf-search data-sheaf-site="mdbook" shortcuts="mod\+k \/ s">/);
    assert.match(injected(html, 's.js', { keys: 'mod+"p' }).html, /shortcuts="mod\+&quot;p"/);
  });

  it('Readers without scripts get a form or a link, and a nonce is passed on', () => {
    const page = '<!doctype html><script nonce=\'{{ "n" }}\'>1</script><title>T</title><body><p>x</p>';
    const formed = injected(page, 's.js', { home: { search: 'kiln.example/docs' } }).html;
    assert.match(
      formed,
      /<noscript><form action="https:\/\/duckduckgo\.com\/" lang="en"><input name="q" size="12" value="site:kiln\.example\/docs "/,
    );
    assert.match(
      injected(page, 's.js', { home: { link: '../"x' } }).html,
      /<noscript><a href="\.\.\/&quot;x" lang="en">Search<\/a><\/noscript>/,
    );
    assert.equal(formed.match(/ nonce="\{\{ &quot;n&quot; \}\}"/g).length, 2);
    assert.equal(injected(formed, 's.js').html, injected(page, 's.js').html);
    const outer = page.replace('<script', '<!-- <script nonce="old">0</script> --><script');
    assert.equal(injected(outer, 's.js').html.match(/ nonce="\{\{ &quot;n&quot; \}\}"/g).length, 2, 'none of a comment');
  });

  it('Readers without scripts get a form in the language of the page, in letters that any encoding has', () => {
    const site = temporaryFolder('no-scripts');
    const page = (lang) => `<!doctype html><html lang="${lang}"><head><title>T</title></head><body><p>x</p></body></html>`;
    writeTree(site, { 'de/index.html': page('de-AT'), 'ja/index.html': page('ja'), 'fi/index.html': page('fi') });
    return injectAll(site, { baseUrl: 'https://kiln.example/' }).then(() => {
      const form = (path) => {
        const html = readFileSync(join(site, path, 'index.html'), 'latin1');
        assert.match(html, /^[\x00-\x7f]*$/);
        return /<form.*<\/form>/.exec(html)[0].replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
      };
      assert.match(form('de'), /lang="de".* aria-label="Dokumentation durchsuchen \(DuckDuckGo\)" \/><button>Suchen<\/button>/);
      assert.match(form('ja'), /lang="ja".*<button>検索<\/button>/);
      assert.match(form('fi'), /lang="en".*<button>Search<\/button>/);
    });
  });

  it('Selectors match by name, id, class and attribute, and refuse what they do not know', () => {
    const holds = (text, tag) => matches(selector(text), /^<([\w-]+)/.exec(tag)[1], tag);
    assert.ok(holds('nav.a.b#c', '<nav id=c class="x b  a">'));
    assert.ok(!holds('nav.a', '<nav class="ab">'));
    assert.ok(!holds('nav.a', '<div class="a">'));
    assert.ok(holds('a[href$=".css"][rel]', '<a rel href="x.css">'));
    assert.ok(!holds('a[href^=x]', '<a href="yx">'));
    for (const odd of ['.a', 'a b', 'a > b', 'a:not(b)', '']) assert.throws(() => selector(odd), /is no selector/);
  });
});

describe('sheaf site --inject', () => {
  const sheaf = (...args) => spawnSync(process.execPath, [MAIN, 'site', ...args], { encoding: 'utf8' });

  it('sheaf site --inject says where the buttons are and writes the style sheets that pages name', () => {
    const site = temporaryFolder('places');
    const own = '<!doctype html><title>O</title><body><sheaf-search></sheaf-search><h1>O</h1><p>Own words.';
    writeTree(site, {
      'a.html': THEME_PAGES.mdbook.html,
      'b.html': THEME_PAGES.docbook.html,
      'c.html': own,
      'd.html': THEME_PAGES.mdbook.html.replace('Firing', 'Cones'),
    });
    const { status, stdout, stderr } = sheaf(site, '--inject', '--keywords');
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /Search is in 4 pages\.\n\n2 {2}mdBook {3}in the theme's bar\n1 {2}DocBook {2}floats at a corner: it has no bar\n1 {11}in the page's own <sheaf-search>/,
    );
    for (const page of ['a', 'b']) {
      const [, name] = /href="\.\/sheaf\/(place\/[^"]*)"/.exec(readFileSync(join(site, `${page}.html`), 'utf8'));
      assert.ok(existsSync(join(site, 'sheaf', name)), name);
    }
    assert.equal(sheetOf(placeIn(THEME_PAGES.mdbook.html, 'auto')), 'place/mdbook.css');
    const { places } = JSON.parse(sheaf(site, '--inject=float', '--keywords', '--json').stdout);
    assert.deepEqual(places[0], { theme: 'mdBook', place: 'float', why: '--inject=float', pages: 2 });
  });

  it('sheaf site --inject refuses other values, and keys without it', () => {
    const site = temporaryFolder('refused');
    writeTree(site, { 'a.html': THEME_PAGES.unknown.html });
    const odd = sheaf(site, '--inject=top');
    assert.equal(odd.status, 2);
    assert.match(odd.stderr, /--inject takes auto, bar, float, none, not 'top'/);
    const keys = sheaf(site, '--shortcuts', 'mod+p');
    assert.equal(keys.status, 2);
    assert.match(keys.stderr, /--shortcuts needs --inject/);
    for (const wrong of ['ctrl+k', '%%', 'mod+'])
      assert.match(sheaf('--inject', site, '--shortcuts', `/ ${wrong}`).stderr, /--shortcuts takes keys such as 'mod\+k \/', .*not '/);
    assert.equal(sheaf('--inject', site, '--shortcuts', 'mod+p', '--fallback', 'find.html', '--keywords').status, 0);
    assert.match(readFileSync(join(site, 'a.html'), 'utf8'), /shortcuts="mod\+p"><noscript><a href="\.\/find\.html" lang="en">/);
  });
});
