/** Filters, counts, orders, meta and weights from HTML to hits, through the packer, the core in WebAssembly and the command. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { requirePacker } from '../native_packer.mjs';
import { MAIN, TABLE, temporaryFolder } from './packed.mjs';

const PAGES = {
  'glaze.html': `<head><title>Glazes</title><meta data-sheaf-filter="author[content]" content="Anne"></head>
    <main><h1 data-sheaf-meta="title">Glazes and kilns</h1><p data-sheaf-filter="kind:guide" data-sheaf-sort="date:2024-01-01">Pottery needs a kiln.</p>
    <img data-sheaf-meta="image[src], image_alt[alt]" src="/glaze.png" alt="A pot"></main>`,
  'kiln.html': `<title>Kilns</title><main data-pagefind-body><h1>Kilns</h1><p data-pagefind-filter="author">Bo</p>
    <p data-pagefind-filter="kind:reference" data-pagefind-sort="date:2023-01-01">Pottery is fired in a kiln.</p></main>`,
  'wheel.html': `<title>Wheels</title><main><h1>Wheels</h1><p data-sheaf-filter="author:Anne">Pottery on a wheel.</p><p data-sheaf-weight="0">Secretword.</p>
    <p data-sheaf-filter="kind[">Broken.</p></main>`,
  'clay.md':
    '---\nsheaf:\n  filter: { kind: guide, author: [Bo, Cleo] }\n  sort: { date: 2025-01-01 }\n---\n# Clay\n\nPottery begins with clay.\n',
};

const folder = temporaryFolder('facets');
const bundle = join(folder, 'pots@1.sheaf');
let library, packed, packer;

before(async () => {
  packer = await requirePacker();
  const docs = join(folder, 'docs');
  mkdirSync(docs);
  for (const [name, text] of Object.entries(PAGES)) writeFileSync(join(docs, name), text);
  packed = spawnSync(
    packer,
    ['pack', docs, '--library', 'pots', '--version', '1', '--encoder-table', TABLE, '--json', '-q', '-o', bundle],
    { encoding: 'utf8' },
  );
  assert.equal(packed.status, 0, packed.stderr);
  library = await open(bundle, { encoder: TABLE });
});

after(() => library?.close());

const sources = (answer) => answer.hits.map((hit) => hit.source);

describe('facets', () => {
  it('Facets are listed with the pages of each value, without a search', async () => {
    assert.deepEqual(await library.facets(), {
      filters: [
        {
          key: 'author',
          values: [
            { value: 'Anne', pages: 2 },
            { value: 'Bo', pages: 2 },
            { value: 'Cleo', pages: 1 },
          ],
        },
        {
          key: 'kind',
          values: [
            { value: 'guide', pages: 2 },
            { value: 'reference', pages: 1 },
          ],
        },
      ],
      sorts: ['date'],
    });
  });

  it('Facets filter in every mode, and are counted beside the hits', async () => {
    for (const mode of ['keyword', 'semantic', 'hybrid']) {
      const answer = await library.search('pottery', { mode, filters: { author: 'Anne' }, facets: true });
      assert.deepEqual(sources(answer).sort(), ['glaze.html', 'wheel.html'], mode);
      assert.ok(answer.facets.some(({ key }) => key === 'kind'));
    }
    const { facets } = await library.search('pottery', { mode: 'keyword', filters: { author: ['Bo'] }, facets: true });
    assert.deepEqual(facets, [
      {
        key: 'author',
        values: [
          { value: 'Anne', pages: 2 },
          { value: 'Bo', pages: 2 },
          { value: 'Cleo', pages: 1 },
        ],
      },
      {
        key: 'kind',
        values: [
          { value: 'guide', pages: 1 },
          { value: 'reference', pages: 1 },
        ],
      },
    ]);
    assert.deepEqual(sources(await library.search('pottery', { filters: { author: ['Bo', 'Cleo'], kind: ['guide'] } })), ['clay.md']);
    assert.deepEqual(sources(await library.search('pottery', { filters: { colour: 'red' } })), []);
    assert.equal('facets' in (await library.search('pottery')), false);
  });

  it('Facets sort with pages that have no value last', async () => {
    const up = await library.search('pottery', { sort: { key: 'date' } });
    assert.deepEqual(sources(up), ['kiln.html', 'glaze.html', 'clay.md', 'wheel.html']);
    assert.equal(up.usedSemantic, false);
    const down = await library.search('pottery', { sort: { key: 'date', descending: true } });
    assert.deepEqual(sources(down), ['clay.md', 'glaze.html', 'kiln.html', 'wheel.html']);
  });

  it("Facets come with the page's own values", async () => {
    const { hits } = await library.search('glazes', { mode: 'keyword' });
    assert.equal(hits[0].title, 'Glazes and kilns');
    assert.deepEqual(hits[0].meta, { image: '/glaze.png', image_alt: 'A pot' });
    const [wheel] = (await library.search('wheel', { mode: 'keyword' })).hits;
    assert.equal('meta' in wheel, false);
  });

  it('Facets leave weightless text out of the words, and report unreadable values', async () => {
    assert.deepEqual(sources(await library.search('secretword', { mode: 'keyword' })), []);
    const { notes } = JSON.parse(packed.stdout);
    assert.deepEqual(
      notes.map(({ path }) => path),
      ['wheel.html'],
    );
    assert.match(notes[0].reason, /data-sheaf-filter="kind\[" .* expected key, key\[attribute\] or key:value/);
  });

  it('Facets are the same when the bundle is read by range', async () => {
    const lazy = await open(bundle, { encoder: TABLE, lazy: true });
    const options = { filters: { author: ['Anne', 'Bo'] }, facets: true, sort: { key: 'date' } };
    assert.deepEqual(await lazy.search('pottery', options), await library.search('pottery', options));
    assert.deepEqual(await lazy.facets(), await library.facets());
    await lazy.close();
  });

  it('Facets are the same natively', async () => {
    for (const [args, options] of [
      [['--filter', 'author=Anne', '--filter', 'author=Cleo', '--facets'], { filters: { author: ['Anne', 'Cleo'] }, facets: true }],
      [['--sort', 'date:desc', '--filter', 'kind=guide'], { sort: { key: 'date', descending: true }, filters: { kind: 'guide' } }],
    ]) {
      const { stdout, stderr } = spawnSync(packer, ['search', bundle, 'pottery', '--json', '--encoder-table', TABLE, ...args], {
        encoding: 'utf8',
      });
      const native = JSON.parse(stdout || `"${stderr}"`);
      const { hits, facets } = await library.search('pottery', options);
      assert.deepEqual(
        native.hits.map(({ source, meta, score }) => [source, meta, Math.fround(score)]),
        hits.map(({ source, meta, score }) => [source, meta, score]),
      );
      assert.deepEqual(native.facets, facets);
    }
  });

  it('Facets are available on the command line', () => {
    const run = (...args) =>
      spawnSync(process.execPath, [MAIN, 'query', 'pottery', '-b', bundle, '--encoder', TABLE, ...args], {
        encoding: 'utf8',
        env: { ...process.env, XDG_CONFIG_HOME: folder, NO_COLOR: '1' },
      });
    const found = run('--filter', 'author=Bo', '--facets', '--sort', 'date:desc');
    assert.equal(found.status, 0, found.stderr);
    assert.match(found.stdout, /Found 2 matches[\s\S]*1\. Clay[\s\S]*2\. Kilns[\s\S]*kind\n {2}guide \(1\)\n {2}reference \(1\)/);
    assert.deepEqual(
      JSON.parse(run('--filter', 'kind=reference', '--json').stdout).hits.map((hit) => hit.source),
      ['kiln.html'],
    );
    const wrong = run('--filter', 'author');
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /--filter must be KEY=VALUE, such as author=Anne, not 'author'/);
  });
});
