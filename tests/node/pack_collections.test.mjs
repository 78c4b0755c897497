/** Packing a site that falls into several bundles, again and again (dist/node/site/pack_collections.js). */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { openPacker } from '../../dist/node/packer/choose.js';
import { nativePacker } from '../../dist/node/packer/native.js';
import { CollectionsPacker, packCollections, shareOf } from '../../dist/node/site/pack_collections.js';
import { simplePage, writeVersionedSite } from '../fixtures/versioned_site.mjs';
import { temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const root = temporaryFolder('pack-collections');
let made = 0;
let packer;

async function setUp({ language, versionDirs = ['docs/*'] } = {}) {
  const site = writeVersionedSite(join(root, `site-${made++}`));
  const work = join(root, `work-${made}`);
  mkdirSync(work);
  const request = { site, work, library: 'kiln', version: 'site', keywords: true, versionDirs, language, quiet: true };
  packer = new CollectionsPacker(await openPacker(), request);
  return { site, work, request };
}
afterEach(() => packer?.close());

const names = (bundles) => bundles.map(({ version, language }) => `${version ?? '-'} ${language ?? '-'}`);

async function pagesOf({ file }) {
  const library = await open(file);
  const { pages } = library.info;
  await library.close();
  return pages;
}

describe('a site of several versions and languages that is packed while somebody writes', () => {
  it('A packer of several versions gives the bundles of a single packing', async () => {
    const { request } = await setUp();
    const report = await packer.round();
    assert.deepEqual(names(packer.bundles), ['1.10 de', '1.10 en', '1.9 en', '- en']);
    assert.deepEqual([report.round, report.written, report.pages, report.added], [1, true, 7, 7]);
    const sizes = await Promise.all(packer.bundles.map(pagesOf));
    const once = join(root, `once-${made}`);
    mkdirSync(once);
    const packed = await packCollections(await openPacker(), { ...request, work: once });
    assert.deepEqual(names(packed.bundles), names(packer.bundles));
    assert.deepEqual(await Promise.all(packed.bundles.map(pagesOf)), sizes);
  });

  it('A site of several versions repacks only the changed ones', async () => {
    const { site } = await setUp();
    await packer.round();
    const before = packer.bundles.map(({ file }) => readFileSync(file));
    assert.equal((await packer.round()).written, false);
    writeFileSync(join(site, 'docs/1.10/de/fire.html'), simplePage('de', 'Brennen', 'Der Ofen (furnace) ist jetzt heiß.'));
    const { written, changed } = await packer.round();
    assert.deepEqual([written, changed], [true, 1]);
    assert.deepEqual(
      packer.bundles.map(({ file }, i) => readFileSync(file).equals(before[i])),
      [false, true, true, true],
    );
  });

  it('A site of several versions follows versions and languages that come and go', async () => {
    const { site } = await setUp();
    await packer.round();
    mkdirSync(join(site, 'docs/2.0'));
    writeFileSync(join(site, 'docs/2.0/index.html'), simplePage('en', 'Batches in 2.0', 'Batches are queues in this version.'));
    writeFileSync(join(site, 'docs/1.9/seul.html'), simplePage('fr', 'Seul', 'Une page parmi les autres.'));
    assert.equal((await packer.round()).written, true);
    assert.deepEqual(names(packer.bundles), ['2.0 en', '1.10 de', '1.10 en', '1.9 en', '1.9 fr', '- en']);
    assert.equal(await pagesOf(packer.bundles[3]), 2, 'the French page is in its own bundle alone');
    rmSync(join(site, 'docs/2.0'), { recursive: true });
    rmSync(join(site, 'docs/1.9/seul.html'));
    assert.equal((await packer.round()).written, true);
    assert.deepEqual(names(packer.bundles), ['1.10 de', '1.10 en', '1.9 en', '- en']);
  });

  it('A closed packer of several versions starts no process, even in a waiting round', async () => {
    const at = (name) => join(root, name);
    const script = `#!${process.execPath}
      const fs = require('node:fs');
      fs.appendFileSync(${JSON.stringify(at('started'))}, 'x');
      process.on('SIGTERM', () => {
        fs.writeFileSync(${JSON.stringify(at('ending'))}, '');
        setInterval(() => fs.existsSync(${JSON.stringify(at('end'))}) && process.exit(0), 10);
      });
      process.stdin.resume();
      console.log(JSON.stringify({ ok: true, pages: 1, passages: 1, written: true }));
    `;
    writeFileSync(at('packer.cjs'), script, { mode: 0o755 });
    const site = at('closed');
    mkdirSync(site);
    const pageAt = (address) =>
      writeFileSync(join(site, 'index.html'), `<html><head><link rel="canonical" href="${address}"></head><body>x</body></html>`);
    pageAt('https://kiln.example/');
    packer = new CollectionsPacker(nativePacker(at('packer.cjs')), {
      site,
      work: root,
      library: 'kiln',
      version: 'site',
      keywords: true,
      quiet: true,
    });
    await packer.round();
    pageAt('https://kiln.example/docs/'); // other options: another process takes the place of the first
    const round = packer.round();
    await until(() => existsSync(at('ending')), 'the end of the first process');
    await packer.close();
    writeFileSync(at('end'), '');
    await assert.rejects(round, /closed/);
    assert.equal(readFileSync(at('started'), 'utf8'), 'x');
  });

  it('A site of several versions is one nameless bundle on request', async () => {
    await setUp({ language: 'none', versionDirs: [] });
    const { pages } = await packer.round();
    assert.equal(pages, 7);
    assert.deepEqual(names(packer.bundles), ['- -']);
  });
});

describe('a site whose pages name no language', () => {
  it('A site without a stated language gets the detected one, and its rules', async () => {
    const site = join(root, `site-${made++}`);
    mkdirSync(site);
    const text = 'Οι στρώσεις της εικόνας αλλάζουν με το εργαλείο επιλογής. Κάθε στρώση έχει τη δική της αδιαφάνεια.';
    writeFileSync(join(site, 'index.html'), `<title>Στρώσεις</title><p>${text}</p>`);
    const request = { site, work: site, library: 'kiln', version: 'site', keywords: true, quiet: true };
    const { bundles } = await packCollections(await openPacker(), request);
    assert.deepEqual(
      bundles.map(({ speaks }) => speaks),
      ['el'],
    );
    packer = new CollectionsPacker(await openPacker(), request);
    await packer.round();
    assert.equal(packer.bundles[0].speaks, 'el', 'also while somebody writes');
  });
});

describe('memory for several packers', () => {
  it('Several packers share memory, and each gets at least its minimum', () => {
    assert.equal(shareOf('2G', 1), '2G');
    assert.equal(shareOf('2G', 4), String(2 ** 29));
    assert.equal(shareOf(undefined, 2), String(2 ** 29));
    assert.equal(shareOf('20M', 5), String(2 ** 24));
    assert.equal(shareOf('8M', 5), String(2 ** 23), 'which sheaf-pack refuses by itself');
    assert.equal(shareOf('much', 5), 'much');
  });
});
