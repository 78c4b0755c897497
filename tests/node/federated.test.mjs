/** Several bundles as one library, in Node: real core, real bundles. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openAll } from '../../dist/browser/client/federated.js';
import { open } from '../../dist/node/client/node.js';
import { DOCS, packFixture, TABLE, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('federated');
const guide = join(folder, 'guide.sheaf');
const reference = join(folder, 'reference.sheaf');
const words = join(folder, 'words.sheaf');
const missing = join(folder, 'missing.sheaf');
let docs;

before(async () => {
  await packFixture(guide, { docs: join(DOCS, 'guide'), library: 'guide' });
  await packFixture(reference, { docs: join(DOCS, 'reference'), library: 'reference' });
  await packFixture(words, { docs: join(DOCS, 'guide'), library: 'words', options: ['--encoder', 'none'] });
  docs = await openAll(
    [
      { src: guide, label: 'Guide', encoder: TABLE },
      { src: reference, label: 'Reference', encoder: TABLE },
    ],
    { open },
  );
});
const made = [];
after(() => Promise.all([docs, ...made].map((library) => library?.close())));

/** openAll, closed when the tests have ended. */
async function opening(entries, options) {
  const library = await openAll(entries, options);
  made.push(library);
  return library;
}

/** Opens, and remembers with what. */
function recording(failing = () => false) {
  const opened = [];
  return {
    opened,
    open: async (src, options) => {
      opened.push([src, options.encoder]);
      if (failing(src, opened.length)) throw new Error(`no ${src}`);
      return open(src, options);
    },
  };
}

describe('openAll', () => {
  it("openAll answers from all bundles in one list, and names each hit's bundle", async () => {
    const { hits, failures, usedSemantic } = await docs.search('how do I check a certificate of the furnace', { topK: 8 });
    assert.deepEqual(new Set(hits.map(({ bundle }) => bundle)), new Set([0, 1]));
    assert.deepEqual(failures, []);
    assert.equal(usedSemantic, true);
    assert.equal(new Set(hits.map(({ page }) => page)).size, hits.length, 'page numbers are unique over all bundles');
    assert.ok(
      hits.every(({ explanation }) => explanation === undefined),
      'nobody asked for explanations',
    );
    assert.ok((await docs.search('furnace', { explain: true })).hits.every(({ explanation }) => explanation !== undefined));
  });

  it('openAll keeps the order that each bundle would give alone', async () => {
    for (const [bundle, file] of [guide, reference].entries()) {
      const alone = await open(file);
      for (const query of ['schedules', 'keep passwords out of files', 'furnace.fire']) {
        for (const by of ['page', 'passage']) {
          const own = (await alone.search(query, { topK: 20, by })).hits.map(({ url, anchor }) => url + anchor);
          const merged = (await docs.search(query, { topK: 20, by })).hits
            .filter((hit) => hit.bundle === bundle)
            .map(({ url, anchor }) => url + anchor);
          assert.deepEqual(merged, own.slice(0, merged.length), `${query} by ${by}`);
        }
      }
      await alone.close();
    }
  });

  it('openAll answers from one bundle alone exactly as that bundle does', async () => {
    const alone = await open(reference);
    const expected = (await alone.search('file format')).hits.map(({ url, score }) => [url, score]);
    const { hits } = await docs.search('file format', { bundles: [1] });
    assert.deepEqual(
      hits.map(({ url, score }) => [url, score]),
      expected,
    );
    await alone.close();
  });

  it('openAll opens pages by hit numbers, and by address in the right bundle', async () => {
    for (const hit of (await docs.search('batches', { topK: 6 })).hits) {
      const page = await docs.page(hit.page);
      assert.equal(page.url, hit.url);
      assert.equal(page.id, hit.page);
      const passage = await docs.passage(hit.passage);
      assert.deepEqual([passage.id, passage.page, passage.anchor], [hit.passage, hit.page, hit.anchor]);
      assert.equal(await docs.findPage(hit.url), hit.page);
      assert.equal((await docs.page(hit.url)).title, hit.title);
    }
    await assert.rejects(docs.page('https://kiln.example/docs/nowhere'), { code: 'NOT_FOUND' });
    await assert.rejects(docs.page(2 * 2 ** 32), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(docs.passage(-1), { code: 'INVALID_ARGUMENT' });
  });

  it('openAll gives the sums of its bundles', () => {
    const [one, other] = [docs.infoOf(0), docs.infoOf(1)];
    assert.equal(docs.info.pages, one.pages + other.pages);
    assert.equal(docs.info.space, 'minilm-l6-256');
    assert.equal(docs.info.semantic, true);
  });

  it('openAll has one bundle open a shared encoder table, and searches all by meaning', async () => {
    const { opened, open: recorded } = recording();
    const both = await opening(
      [
        { src: guide, encoder: TABLE },
        { src: reference, encoder: TABLE },
      ],
      { open: recorded },
    );
    assert.deepEqual(opened, [
      [guide, TABLE],
      [reference, false],
    ]);
    const { hits } = await both.search('what does a damaged archive look like', { mode: 'semantic', topK: 20 });
    assert.deepEqual(new Set(hits.map(({ bundle }) => bundle)), new Set([0, 1]));
    const same = await docs.search('what does a damaged archive look like', { mode: 'semantic', topK: 20 });
    assert.deepEqual(
      hits.map(({ url, score }) => [url, score]),
      same.hits.map(({ url, score }) => [url, score]),
    );
    assert.deepEqual((await both.search('zzzzqqqq', { mode: 'semantic' })).failures, [], 'a word without a vector is no failure');
  });

  it('openAll passes the table to another bundle when the first fails', async () => {
    const { opened, open: recorded } = recording((src) => src === missing);
    const rest = await opening(
      [
        { src: missing, encoder: TABLE, label: 'Gone' },
        { src: reference, encoder: TABLE },
      ],
      { open: recorded },
    );
    const { hits, failures, usedSemantic } = await rest.search('what does a damaged archive look like');
    assert.ok(hits.length > 0 && hits.every(({ bundle }) => bundle === 1));
    assert.equal(usedSemantic, true);
    assert.deepEqual(
      failures.map(({ bundle, label }) => [bundle, label]),
      [[0, 'Gone']],
    );
    assert.ok(
      opened.some(([src, encoder]) => src === reference && encoder === TABLE),
      JSON.stringify(opened),
    );
  });

  it('openAll passes the table on once, however many searches wait', async () => {
    const { opened, open: recorded } = recording((src) => src === missing);
    const rest = await opening(
      [
        { src: missing, encoder: TABLE },
        { src: reference, encoder: TABLE },
      ],
      { open: recorded },
    );
    const answers = await Promise.all(['furnace', 'clay', 'glaze'].map((query) => rest.search(query)));
    assert.ok(answers.every(({ failures }) => failures.every(({ bundle }) => bundle === 0)));
    assert.equal(opened.filter(([src, encoder]) => src === reference && encoder === TABLE).length, 1, JSON.stringify(opened));
  });

  it('openAll names a failed bundle beside the other hits, and retries it next time', async () => {
    let broken = true;
    const { open: flaky } = recording((src) => broken && src === reference);
    const some = await opening(
      [
        { src: guide, label: 'Guide' },
        { src: reference, label: 'Reference' },
      ],
      { open: flaky },
    );
    const first = await some.search('furnace');
    assert.ok(first.hits.length > 0);
    assert.deepEqual(
      first.failures.map(({ label, error }) => [label, error.name]),
      [['Reference', 'SheafError']],
    );
    broken = false;
    const second = await some.search('furnace');
    assert.deepEqual(second.failures, []);
    assert.ok(second.hits.some(({ bundle }) => bundle === 1));
  });

  it('openAll reopens a bundle whose library became useless', async () => {
    const libraries = [];
    const keep = async (src, options) => {
      const library = await open(src, options);
      libraries.push({ src, library });
      return library;
    };
    const both = await opening([{ src: guide }, { src: reference }], { open: keep });
    await libraries.find(({ src }) => src === reference).library.close();
    const first = await both.search('furnace');
    assert.deepEqual(
      first.failures.map(({ bundle, error }) => [bundle, error.code]),
      [[1, 'CLOSED']],
    );
    assert.deepEqual((await both.search('furnace')).failures, []);
    assert.equal(libraries.length, 3);
  });

  it('openAll rejects when every bundle fails, with the first reason', async () => {
    await assert.rejects(openAll([{ src: missing }, { src: `${missing}2` }], { open }), {
      code: 'FILE',
      message: /missing\.sheaf cannot be opened/,
    });
    await assert.rejects(openAll([]), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(openAll([{ src: guide }], { open, bundles: [1] }), { code: 'INVALID_ARGUMENT', message: /from 0 to 0.*not 1/ });
  });

  it('openAll opens an unchosen bundle when it is first asked for', async () => {
    const { opened, open: recorded } = recording();
    const versions = await opening([{ src: guide }, { src: reference }], { open: recorded, bundles: [1] });
    await versions.search('furnace');
    assert.deepEqual(
      opened.map(([src]) => src),
      [reference],
    );
    const { hits } = await versions.search('schedules', { bundles: [0] });
    assert.ok(hits.every(({ bundle }) => bundle === 0) && hits.length > 0);
    assert.equal(opened.length, 2);
  });

  it('openAll opens bundles later though its signal has fired since', async () => {
    const controller = new AbortController();
    const versions = await opening([{ src: guide }, { src: reference }], { open, bundles: [1], signal: controller.signal });
    controller.abort();
    const { hits, failures } = await versions.search('schedules', { bundles: [0] });
    assert.deepEqual(failures, []);
    assert.ok(hits.length > 0);
  });

  it('openAll ends a search by its signal while a bundle is opening', async () => {
    let fail;
    const slow = new Promise((_, reject) => (fail = reject));
    const some = await opening([{ src: guide }, { src: missing }], {
      open: (src, options) => (src === missing ? slow : open(src, options)),
      bundles: [0],
    });
    const controller = new AbortController();
    const search = some.search('furnace', { bundles: [0, 1], signal: controller.signal });
    controller.abort();
    try {
      await assert.rejects(search, { name: 'AbortError', code: 'ABORTED' });
    } finally {
      fail(new Error('gone'));
    }
  });

  it('openAll joins bundles with vectors and bundles without', async () => {
    const mixed = await opening([{ src: words }, { src: reference }], { open });
    const { hits, failures } = await mixed.search('batches of the furnace');
    assert.deepEqual(failures, []);
    assert.deepEqual(new Set(hits.map(({ bundle }) => bundle)), new Set([0, 1]));
    const { failures: refused } = await mixed.search('batches', { mode: 'semantic' });
    assert.deepEqual(
      refused.map(({ bundle, error }) => [bundle, error.code]),
      [[0, 'NO_VECTORS']],
    );
  });

  it('openAll ends a search by its signal, and everything by close', async () => {
    const one = await openAll([{ src: guide }, { src: reference }], { open });
    await assert.rejects(one.search('furnace', { signal: AbortSignal.abort() }), { name: 'AbortError', code: 'ABORTED' });
    await one.close();
    await one.close();
    await assert.rejects(one.search('furnace'), { code: 'CLOSED' });
  });
});

describe('sorting by a key over several bundles', () => {
  /** Pages about glazing: name to what their front matter states. */
  async function bundleOf(library, pages) {
    const source = temporaryFolder('sorted');
    for (const [name, { sort, meta = sort }] of Object.entries(pages)) {
      const lines = Object.entries({ sort, meta })
        .filter(([, stated]) => stated !== undefined)
        .map(([kind, stated]) => `  ${kind}: { ${stated} }\n`);
      writeFileSync(join(source, `${name}.md`), `---\nsheaf:\n${lines.join('')}---\n# ${name}\n\nGlazing of ${name}.\n`);
    }
    const file = join(folder, `${library}.sheaf`);
    await packFixture(file, { docs: source, library, options: ['--encoder', 'none'] });
    return { src: file };
  }
  const dated = (date) => ({ sort: `date: ${date}` });
  const sorted = async (library, sort, more = {}) =>
    (await library.search('glazing', { sort, ...more })).hits.map(({ source }) => source.replace('.md', ''));

  it('Sorting over several bundles merges by meta values too, with missing ones last', async () => {
    const library = await opening(
      [
        await bundleOf('days', { b: dated('2024-02-01'), d: dated('2024-04-01'), none: { sort: 'rank: 1' } }),
        await bundleOf('more-days', { a: dated('2024-01-01'), c: dated('2024-03-01'), e: dated('2024-05-01') }),
      ],
      { open },
    );
    assert.deepEqual(await sorted(library, { key: 'date' }), ['a', 'b', 'c', 'd', 'e', 'none']);
    assert.deepEqual(await sorted(library, { key: 'date', descending: true }), ['e', 'd', 'c', 'b', 'a', 'none']);
    assert.deepEqual(await sorted(library, { key: 'date' }, { topK: 2 }), ['a', 'b']);
    assert.deepEqual(await sorted(library, { key: 'date' }, { bundles: [1] }), ['a', 'c', 'e']);
  });

  it('Sorting over several bundles takes values for numbers where all are', async () => {
    const ranked = (rank) => ({ sort: `rank: ${rank}` });
    const library = await opening(
      [
        await bundleOf('ranks', { nine: ranked(9), hundred: ranked(100) }),
        await bundleOf('more-ranks', { ten: ranked(10), tiny: ranked(0.5) }),
      ],
      { open },
    );
    assert.deepEqual(await sorted(library, { key: 'rank' }), ['tiny', 'nine', 'ten', 'hundred']);
  });

  it('Sorting over several bundles names the bundle without the key, and the remedy', async () => {
    const days = await bundleOf('days-alone', { b: dated('2024-02-01') });
    const ranks = await bundleOf('ranks-alone', { a: { sort: 'rank: 1' } });
    const silent = await bundleOf('silent', { a: { sort: 'date: 2024-01-01', meta: 'x: 1' } });
    const library = await opening([days, ranks, silent, silent], { open });
    await assert.rejects(sorted(library, { key: 'date' }), {
      code: 'INVALID_ARGUMENT',
      message: /those of ranks-alone state no “date”; name the others in bundles/,
    });
    await assert.rejects(sorted(library, { key: 'date' }, { bundles: [2, 3] }), {
      code: 'INVALID_ARGUMENT',
      message: /state it as meta too \(data-sheaf-meta\)/,
    });
    assert.deepEqual(await sorted(library, { key: 'date' }, { bundles: [0, 2] }), ['b', 'a'], 'as a page without a date');
  });
});
