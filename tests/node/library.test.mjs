/** The package as Node users meet it: real core, real bundle, real files. */
import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, it } from 'node:test';
import { BytesSource, open, SheafError } from '../../dist/node/client/node.js';
import { BASE_URL, DOCS, manyPages, packFixture, TABLE, temporaryFolder } from './packed.mjs';
import { serveFile } from './serve_file.mjs';

const folder = temporaryFolder('library');
const file = join(folder, 'kiln@1.4.0.sheaf');
let bytes;
let library;

before(async () => {
  await packFixture(file);
  bytes = await readFile(file);
  library = await open(file);
});
after(() => library?.close());

const QUERIES = [
  'how do I warm up slowly',
  'C++',
  '<table>',
  '--save-dev',
  'asyncio.gather',
  'useEffect',
  'use effect',
  'compresed fils',
  '予定表',
  'furnac',
  '',
];

describe('open', () => {
  it('Opening a library reports its contents', () => {
    const { info } = library;
    assert.equal(info.library, 'kiln');
    assert.equal(info.version, '1.4.0');
    assert.equal(info.pages, 8);
    assert.ok(info.passages >= info.pages && info.terms > 100);
    assert.equal(info.fileSize, bytes.length);
    assert.equal(info.space, 'minilm-l6-256');
    assert.equal(info.dimensions, 256);
    assert.equal(info.semantic, true);
    assert.equal(info.lazy, false);
    assert.equal(typeof info.manifest, 'object');
  });

  it('Opening takes a path, URL, bytes, Blob or source, with the same hits', async () => {
    const server = await serveFile({ bytes, etag: '"1"' });
    try {
      const expected = await library.search('warm up slowly');
      assert.ok(expected.hits.length > 0);
      const arrayBuffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
      for (const source of [
        file,
        pathToFileURL(file),
        pathToFileURL(file).href,
        bytes,
        arrayBuffer,
        new Blob([bytes]),
        new BytesSource(bytes),
        server.url,
        new URL(server.url),
      ]) {
        const same = await open(source);
        assert.deepEqual(await same.search('warm up slowly'), expected);
        await same.close();
      }
    } finally {
      await server.close();
    }
  });

  it('Opening without an encoder searches by keyword', async () => {
    const plain = await open(bytes, { encoder: false });
    assert.equal(plain.info.semantic, false);
    const answer = await plain.search('warm up slowly');
    assert.equal(answer.usedKeyword, true);
    assert.equal(answer.usedSemantic, false);
    await assert.rejects(plain.search('x', { mode: 'semantic' }), { code: 'NO_ENCODER' });
    await plain.close();
  });

  it('Opening refuses an invalid bundle, with a code and a way out', async () => {
    const changed = (at, value) => {
      const copy = Uint8Array.from(bytes);
      copy[at] = value;
      return copy;
    };
    const cases = [
      [new Uint8Array(0), 'NOT_A_BUNDLE'],
      [new TextEncoder().encode('<!doctype html>'.repeat(100)), 'NOT_A_BUNDLE'],
      [changed(0, 0), 'NOT_A_BUNDLE'],
      [await readFile(TABLE), 'WRONG_KIND'],
    ];
    for (const [data, code] of cases) {
      await assert.rejects(open(data), (error) => error instanceof SheafError && error.code === code && error.message.length > 20, code);
    }
    for (const data of [changed(8, 200), changed(40, bytes[40] ^ 1), bytes.subarray(0, bytes.length - 1), bytes.subarray(0, 100)]) {
      await assert.rejects(open(data), (error) =>
        ['UNSUPPORTED_VERSION', 'CHECKSUM_MISMATCH', 'TRUNCATED', 'CORRUPT'].includes(error.code),
      );
    }
    await assert.rejects(open(join(folder, 'missing.sheaf')), { code: 'FILE', message: /there is no such file/ });
    for (const source of [undefined, null, 5, {}]) await assert.rejects(open(source), { code: 'INVALID_ARGUMENT' });
  });

  it('Opening refuses an encoder table that is a bundle', async () => {
    await assert.rejects(open(bytes, { encoder: bytes }), { code: 'WRONG_KIND' });
  });
});

describe('search', () => {
  for (const [query, source] of [
    ['C++', 'guide/install.md'],
    ['<table>', 'guide/dashboard.md'],
    ['--save-dev', 'guide/install.md'],
    ['response_model_exclude_unset', 'guide/batches.md'],
    ['asyncio.gather', 'guide/batches.md'],
    ['std::vector', 'guide/install.md'],
    ['useEffect', 'guide/dashboard.md'],
    ['use effect', 'guide/dashboard.md'],
    ['予定表', 'guide/schedules.md'],
  ]) {
    for (const mode of ['keyword', 'hybrid']) {
      it(`A search finds the page of ${query} first (${mode})`, async () => {
        const { hits } = await library.search(query, { mode });
        assert.equal(hits[0]?.source, source);
      });
    }
  }

  it('A search forgives a typing error and names the corrected query', async () => {
    const { hits, corrections } = await library.search('certifcate', { mode: 'keyword' });
    assert.equal(hits[0].source, 'guide/install.md');
    assert.equal(corrections[0].word, 'certifcate');
    assert.deepEqual((await library.search('certifcate', { mode: 'keyword', typo: false })).hits, []);
  });

  it('A search completes the last word unless told that it is complete', async () => {
    assert.equal((await library.search('troubleshoo', { mode: 'keyword', typo: false })).hits[0].source, 'guide/install.md');
    assert.deepEqual((await library.search('troubleshoo', { mode: 'keyword', typo: false, prefix: false })).hits, []);
  });

  it('A search gives falling scores, one hit a page, with highlights inside the snippet', async () => {
    for (const mode of ['keyword', 'semantic', 'hybrid']) {
      const { hits } = await library.search('workers and jobs of the furnace', { mode });
      assert.ok(hits.length > 2, mode);
      assert.equal(new Set(hits.map((hit) => hit.page)).size, hits.length);
      for (const [i, hit] of hits.entries()) {
        assert.ok(hit.score >= 0 && hit.score <= 1 && (i === 0 || hit.score <= hits[i - 1].score));
        assert.ok(hit.url.startsWith(BASE_URL));
        assert.ok(hit.firstLine >= 1 && hit.lastLine >= hit.firstLine);
        for (const { start, length } of hit.highlights) assert.ok(length > 0 && start + length <= hit.snippet.length);
        assert.equal(hit.explanation, undefined);
      }
    }
  });

  it('A search explains its scores when asked', async () => {
    const { hits } = await library.search('raise the limit of workers', { explain: true });
    const { explanation } = hits[0];
    assert.ok(explanation.terms.length > 0 && explanation.keywordRaw > 0 && explanation.coverage > 0);
    assert.ok(explanation.cosine >= -1 && explanation.cosine <= 1);
  });

  it("A search takes a vector in place of the query's own", async () => {
    const vector = await library.embed('keep passwords secret');
    assert.equal(vector.length, 256);
    const own = await library.search('keep passwords secret', { mode: 'semantic' });
    const given = await library.search('keep passwords secret', { mode: 'semantic', vector });
    assert.deepEqual(
      given.hits.map((hit) => hit.page),
      own.hits.map((hit) => hit.page),
    );
    await assert.rejects(library.search('x', { mode: 'semantic', vector: [1, 2, 3] }), { code: 'INVALID_ARGUMENT' });
  });

  it('A search bears odd queries', async () => {
    for (const query of [
      '',
      ' ',
      '\0',
      '\0\0a',
      '\ud800',
      'x'.repeat(100_000),
      'word '.repeat(20_000),
      '🌾'.repeat(1000),
      '"*+-:()[]{}\\',
    ]) {
      for (const mode of ['keyword', 'hybrid']) assert.ok(Array.isArray((await library.search(query, { mode })).hits));
    }
    assert.deepEqual((await library.search('')).hits, []);
    const counted = await library.search('furnace', { topK: 0 });
    assert.deepEqual(counted.hits, []);
    assert.ok(counted.matchingPassages > 0);
    assert.ok((await library.search('furnace', { topK: 1e6 })).hits.length <= 8);
    assert.ok((await library.search('word '.repeat(100))).ignoredWords > 0);
    await assert.rejects(library.search('x'.repeat(2 ** 20 + 1)), { code: 'TOO_LARGE' });
  });

  it('A search gives the same hits whole and by range, from memory and over HTTP', async () => {
    const server = await serveFile({ bytes, etag: '"1"' });
    try {
      for (const source of [bytes, file, server.url]) {
        const lazy = await open(source, { lazy: true });
        assert.equal(lazy.info.lazy, true);
        for (const query of QUERIES) {
          for (const mode of ['keyword', 'semantic', 'hybrid']) {
            assert.deepEqual(
              await lazy.search(query, { mode, explain: true }),
              await library.search(query, { mode, explain: true }),
              `${query} (${mode})`,
            );
          }
        }
        assert.deepEqual(await lazy.page('guide/batches.md'), await library.page('guide/batches.md'));
        assert.equal(await lazy.verify(), await library.verify());
        await lazy.close();
      }
    } finally {
      await server.close();
    }
  });

  it('A search fetches a small part of a larger bundle, with nearly the same hits', async () => {
    const large = await readFile(
      await packFixture(join(folder, 'large.sheaf'), { docs: manyPages(join(folder, 'docs')), options: ['--level', '3'] }),
    );
    const server = await serveFile({ bytes: large, etag: '"1"' });
    try {
      const whole = await open(large);
      const lazy = await open(server.url, { lazy: true });
      await lazy.search('certificate clock', { mode: 'keyword' });
      const sent = server.requests.reduce((sum, { sent: bytes }) => sum + bytes, 0);
      assert.ok(
        server.requests.length > 1 && sent < large.length / 3,
        `${sent} of ${large.length} bytes in ${server.requests.length} requests`,
      );
      const recalls = [];
      for (const query of [...QUERIES, 'katomi renso', 'sol']) {
        const expected = await whole.search(query, { mode: 'keyword' });
        assert.deepEqual(await lazy.search(query, { mode: 'keyword' }), expected, query);
        for (const mode of ['semantic', 'hybrid']) {
          const pages = (await lazy.search(query, { mode })).hits.map(({ source }) => source);
          const best = (await whole.search(query, { mode })).hits.map(({ source }) => source);
          assert.equal(pages.length, best.length, `${query} (${mode})`);
          if (best.length > 0) recalls.push(best.filter((source) => pages.includes(source)).length / best.length);
        }
      }
      // Partitions are looked at in part; the pages of this corpus are words at random, which is the worst of cases.
      const recall = recalls.reduce((sum, each) => sum + each, 0) / recalls.length;
      assert.ok(recall >= 0.85, `${recall}: ${recalls.join(' ')}`);
      await Promise.all([lazy.close(), whole.close()]);
    } finally {
      await server.close();
    }
  });

  it('A search starts afresh when the file on the server is packed anew', async () => {
    const docs = manyPages(join(folder, 'more docs'), 100);
    const pack = async (name, bits) =>
      readFile(await packFixture(join(folder, name), { docs, options: ['--level', '3', '--vector-bits', bits] }));
    const behaviour = { bytes: await pack('four.sheaf', '4'), etag: '"1"' };
    const server = await serveFile(behaviour);
    try {
      const lazy = await open(server.url, { lazy: true });
      assert.equal(lazy.info.vectorBits, 4);
      behaviour.bytes = await pack('eight.sheaf', '8');
      behaviour.etag = '"2"';
      const [page, first, second] = await Promise.all([
        lazy.page('guide/batches.md'),
        lazy.search('certificate'),
        lazy.search('asyncio.gather'),
      ]);
      assert.equal(lazy.info.vectorBits, 8);
      assert.equal(page.title, 'Batches');
      assert.equal(first.hits[0].source, 'guide/install.md');
      assert.equal(second.hits[0].source, 'guide/batches.md');
      await lazy.close();
    } finally {
      await server.close();
    }
  });
});

describe('page and passage', () => {
  it("Page and passage give back the source's text, once", async () => {
    const page = await library.page('guide/install.md');
    const source = await readFile(join(DOCS, 'guide/install.md'), 'utf8');
    assert.equal(page.title, 'Installation');
    assert.equal(page.text.trimEnd(), source.trimEnd());
    assert.equal(page.passages.map((passage) => passage.text).join(''), page.text);
    for (const passage of page.passages) {
      assert.deepEqual(await library.passage(passage.id), passage);
      assert.equal(passage.page, page.id);
    }
  });

  it('Page and passage are found by URL, with and without an anchor, and source path', async () => {
    const { hits } = await library.search('certificate');
    const [hit] = hits;
    for (const name of [hit.page, hit.url, `${hit.url}#${hit.anchor}`, hit.source]) assert.equal((await library.page(name)).id, hit.page);
    assert.equal((await library.page(0)).id, 0);
  });

  it('A missing page or passage is NOT_FOUND', async () => {
    for (const name of [999, 'nowhere.md', '', `${BASE_URL}nowhere`, 2 ** 32 - 1])
      await assert.rejects(library.page(name), { code: 'NOT_FOUND' }, String(name));
    await assert.rejects(library.passage(1e6), { code: 'NOT_FOUND' });
  });

  it('Page and passage keep front matter apart from the text', async () => {
    const page = await library.page('index.md');
    assert.equal(page.title, 'Kiln');
    assert.equal(page.description, 'Kiln fires batches of jobs at the right temperature.');
    assert.doesNotMatch(page.text, /description:/);
  });
});

describe('verify', () => {
  it('Verifying finds every harmful flipped byte', async () => {
    assert.ok((await library.verify()) > 5);
    const expected = await library.search('certificate');
    for (let at = 0; at < bytes.length; at += 997) {
      const copy = Uint8Array.from(bytes);
      copy[at] ^= 0x10;
      let damaged;
      try {
        damaged = await open(copy, { encoder: false });
      } catch (error) {
        assert.ok(error instanceof SheafError && error.code !== 'INTERNAL', `${at}: ${error}`);
        continue;
      }
      await damaged.verify().then(
        async () => assert.equal((await damaged.search('certificate', { mode: 'keyword' })).hits[0].source, expected.hits[0].source),
        (error) => assert.ok(['CHECKSUM_MISMATCH', 'CORRUPT'].includes(error.code), `${at}: ${error}`),
      );
      await damaged.close();
    }
  });
});

describe('many libraries', () => {
  it('Many libraries live side by side, each with its own core', async () => {
    const other = join(folder, 'other.sheaf');
    await packFixture(other, { library: '@kiln/extra', version: '2' });
    const libraries = await Promise.all([open(file), open(other), open(file)]);
    assert.deepEqual(
      libraries.map((l) => l.info.library),
      ['kiln', '@kiln/extra', 'kiln'],
    );
    await libraries[0].close();
    assert.equal((await libraries[1].search('certificate')).hits[0].source, 'guide/install.md');
    await Promise.all(libraries.map((l) => l.close()));
  });

  it('Open libraries survive the replacement of their file on disk', async () => {
    const path = join(folder, 'replaced.sheaf');
    await writeFile(path, bytes);
    const lazy = await open(path, { lazy: true });
    await writeFile(`${path}.new`, 'something else');
    await rename(`${path}.new`, path);
    assert.equal((await lazy.search('certificate')).hits[0].source, 'guide/install.md');
    await lazy.close();
  });
});
