/** `sheaf site` over several languages and versions: which pages come into which bundle. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { byVersion, collect, languageOf, othersIn } from '../../dist/node/site/collections.js';
import { simplePage, writeVersionedSite } from '../fixtures/versioned_site.mjs';
import { MAIN, temporaryFolder, urlsOf } from './packed.mjs';

const root = temporaryFolder('collections');
let made = 0;
const freshSite = (pages) => writeVersionedSite(join(root, `kiln-${made++}`, 'dist'), pages);
const sheaf = (...args) =>
  spawnSync(process.execPath, [MAIN, 'site', ...args], { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
const brief = (collections) => collections.map(({ version, language, pages, folder }) => [version, language, pages, folder]);
const list = (site) => JSON.parse(readFileSync(join(site, 'sheaf/site.json'), 'utf8'));

async function urlsIn(site, name) {
  const library = await open(join(site, 'sheaf', name), { encoder: false });
  const urls = await urlsOf(library);
  const { version, manifest } = library.info;
  await library.close();
  return { urls, version, stemmer: manifest.language };
}

describe('collections of a site', () => {
  it('Collections are one per version and language, newest first and the rest last', async () => {
    assert.deepEqual(brief(await collect(freshSite(), { versionDirs: ['docs/*'] })), [
      ['1.10', 'de', 2, 'docs/1.10/de'],
      ['1.10', 'en', 1, 'docs/1.10'],
      ['1.9', 'en', 2, 'docs/1.9'],
      [undefined, 'en', 2, ''],
    ]);
  });

  it('Collections are one where all pages are of one kind, or indistinguishable', async () => {
    const site = freshSite();
    assert.deepEqual(brief(await collect(site, { languages: false })), [[undefined, undefined, 0, '']]);
    const english = freshSite({ 'a/index.html': simplePage('en', 'A', 'a'), 'a/b.html': simplePage('', 'B', 'b') });
    assert.deepEqual(brief(await collect(english, {})), [[undefined, 'en', 2, '']]);
  });

  it("Collections name other pages by whole folders where possible, from the site's root", () => {
    const all = ['index.html', 'index.de.html', 'de/a.html', 'de/deep/b.html', 'fr/c.html', 'mixed/d.html', 'mixed/e[1].html'];
    assert.deepEqual(othersIn('', all, new Set(['index.html', 'mixed/d.html'])), [
      '/de/',
      '/fr/',
      '/index.de.html',
      '/mixed/e\\[1\\].html',
    ]);
    assert.deepEqual(othersIn('mixed', all, new Set(['mixed/d.html'])), ['/mixed/e\\[1\\].html']);
    assert.throws(
      () =>
        othersIn(
          '',
          Array.from({ length: 2002 }, (_, i) => `${i}.html`),
          new Set(['0.html']),
        ),
      /2001 places.*--language none/,
    );
  });

  it('Collections read the language of a page as real sites write it', () => {
    const cases = {
      '<html lang="de">': 'de',
      "<!DOCTYPE html><!-- <html lang=fr> --><HTML class='a>b' LANG='pt-br'>": 'pt-BR',
      '<html lang=zh_CN>': 'zh-CN',
      '<html lang="en-US">': 'en',
      '<html data-lang="de">': undefined,
      '<html xml:lang="de">': undefined,
      '<html lang="">': undefined,
      '<html lang="no language">': undefined,
      '<html>': undefined,
      '': undefined,
    };
    for (const [html, language] of Object.entries(cases)) assert.equal(languageOf(html), language, html);
  });

  it("Collections are in the readers' order of versions", () => {
    assert.deepEqual(['main', undefined, '1.2', 'v1.10', '2.0-beta', 'latest', 'v1.9', 'old'].sort(byVersion), [
      'latest',
      'v1.10',
      'v1.9',
      '1.2',
      'main',
      '2.0-beta',
      'old',
      undefined,
    ]);
  });
});

describe('sheaf site over several languages and versions', () => {
  it('sheaf site writes a bundle for each, every page once, stemmed by its language', async () => {
    const site = freshSite();
    const { status, stdout, stderr } = sheaf(site, '--version-dir', 'docs/*');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^7 pages \(1\.10 de: 2, 1\.10 en: 1, 1\.9 en: 2, en: 2\)/);
    const { sites, base } = list(site);
    assert.equal(base, '..');
    assert.deepEqual(
      sites.map(({ version, language, path }) => [version, language, path]),
      [
        ['1.10', 'de', '../docs/1.10/'],
        ['1.10', 'en', '../docs/1.10/'],
        ['1.9', 'en', '../docs/1.9/'],
        [undefined, 'en', undefined],
      ],
    );
    const held = [];
    for (const { src } of sites) held.push(await urlsIn(site, src));
    assert.deepEqual(
      held.map(({ version, stemmer }) => [version, stemmer]),
      [
        ['1.10', 'de'],
        ['1.10', 'en'],
        ['1.9', 'en'],
        ['site', 'en'],
      ],
    );
    assert.deepEqual(held[0].urls, ['/docs/1.10/de/', '/docs/1.10/de/fire.html']);
    assert.deepEqual(held.flatMap(({ urls }) => urls).sort(), [
      '/',
      '/about.html',
      '/docs/1.10/',
      '/docs/1.10/de/',
      '/docs/1.10/de/fire.html',
      '/docs/1.9/',
      '/docs/1.9/fire.html',
    ]);
    const entry = readFileSync(join(site, 'sheaf/sheaf.js'), 'utf8');
    for (const { src } of sites) assert.ok(entry.includes(src), src);
  });

  it('sheaf site names bundles so that same-named versions in two folders stay apart', () => {
    const site = freshSite({ 'a/1.0/x.html': simplePage('en', 'A', 'one'), 'b/1.0/x.html': simplePage('en', 'B', 'two') });
    assert.equal(sheaf(site, '--version-dir', '*/1.0').status, 0);
    const names = list(site).sites.map(({ src }) => src.replace(/-[0-9a-f]{12}\.sheaf$/, ''));
    assert.deepEqual(names, ['site-1.0-en', 'site-1.0-en-2']);
  });

  it('sheaf site keeps pages to their version despite a canonical link to another', async () => {
    const canonical = (html, url) => html.replace('</title>', `</title><link rel="canonical" href="${url}">`);
    const page = (title) => simplePage('en', title, 'furnace');
    const site = freshSite({
      'index.html': canonical(page('Front'), 'https://kiln.example/k/'),
      'docs/1.9/fire.html': canonical(page('Old'), 'https://kiln.example/k/docs/2.0/fire'),
      'docs/2.0/fire.html': canonical(page('New'), 'https://kiln.example/k/docs/2.0/fire'),
      'docs/2.0/index.html': canonical(page('Home'), '/k/docs/stable/'),
    });
    assert.equal(sheaf(site, '--version-dir', 'docs/*', '--keywords').status, 0);
    const held = {};
    for (const { src, version = 'none' } of list(site).sites) held[version] = (await urlsIn(site, src)).urls;
    assert.deepEqual(held, {
      '2.0': ['https://kiln.example/k/docs/2.0/', 'https://kiln.example/k/docs/2.0/fire'],
      1.9: ['https://kiln.example/k/docs/1.9/fire.html'],
      none: ['https://kiln.example/k/'],
    });
  });

  it('sheaf site names an unreadable page, and continues with the others', {
    skip: process.getuid?.() === 0 && 'root may read everything',
  }, () => {
    const site = freshSite();
    chmodSync(join(site, 'about.html'), 0);
    const { status, stdout, stderr } = sheaf(site, '--keywords', '--inject');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^6 pages /);
    assert.match(stderr, /skipped about\.html: cannot be read: Permission denied/);
    assert.match(stderr, /about\.html: left alone, it may not be read/);
  });

  it('sheaf site leaves out a language without indexable pages', () => {
    const hidden = simplePage('de', 'Entwurf', 'nichts').replace('</title>', '</title><meta name="robots" content="noindex">');
    const site = freshSite({ 'index.html': simplePage('en', 'Kiln', 'fires batches'), 'de/index.html': hidden });
    const { status, stderr } = sheaf(site);
    assert.equal(status, 0, stderr);
    assert.equal(readdirSync(join(site, 'sheaf')).filter((name) => /^site-.*\.sheaf$/.test(name)).length, 1);
  });

  it('sheaf site makes one bundle with --language, and reports a missing version folder', () => {
    const site = freshSite();
    assert.equal(sheaf(site, '--language', 'none').status, 0);
    assert.equal(list(site).sites.length, 1);
    const { status, stderr } = sheaf(site, '--version-dir', 'releases/*');
    assert.equal(status, 4);
    assert.match(stderr, /No folder with pages matches --version-dir releases\/\*/);
  });

  it('sheaf site names the target of a link given as a version', () => {
    const site = freshSite();
    symlinkSync('de', join(site, 'latest'));
    const { status, stderr } = sheaf(site, '--version-dir', 'latest/');
    assert.equal(status, 4);
    assert.match(stderr, /latest\/ is a link to de: pages are of the folder that a link leads to; name that\.$/m);
  });
});
