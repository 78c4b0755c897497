import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { decideQuery, openLocal } from '../../dist/browser/client/local.js';
import { abortable, SheafError } from '../../dist/browser/client/errors.js';
import { FetchSource } from '../../dist/browser/client/fetch_source.js';
import { BytesSource } from '../../dist/browser/client/source.js';
import { BLOCK, HEAD, hitOf, makeFakeModule, makeFile, makeTable } from './fake_core.mjs';
import { serveFile } from './serve_file.mjs';

let server;
afterEach(async () => {
  await server?.close();
  server = undefined;
  mock.restoreAll();
});

const titles = (answer) => answer.hits.map((hit) => hit.title);
const pageText = (i, stamp = 'first') => `page ${i} of 1.0, ${stamp}`;

/** A local source that counts, and may be made to wait. */
function countingSource(bytes) {
  const reads = [];
  const gate = { open: Promise.resolve() };
  return {
    reads,
    gate,
    key: 'counting',
    local: true,
    closed: 0,
    async size() {
      return bytes.length;
    },
    async read(offset, length, signal) {
      reads.push([offset, length]);
      await gate.open;
      signal?.throwIfAborted();
      return bytes.slice(offset, offset + length);
    },
    close() {
      this.closed++;
    },
  };
}

describe('a library', () => {
  it('A library answers the same whether its bytes come whole or by range', async () => {
    const bytes = makeFile();
    const answers = [];
    for (const lazy of [false, true]) {
      const library = await openLocal(makeFakeModule(), new BytesSource(bytes), { lazy });
      assert.equal(library.info.lazy, lazy);
      answers.push([
        await library.search('5 0 3'),
        await library.page(2),
        await library.passage(4),
        await library.embed('word'),
        await library.verify(),
      ]);
      await library.close();
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.deepEqual(
      answers[0][0].hits,
      [5, 0, 3].map((i) => hitOf(i, pageText(i))).map((hit) => ({ ...hit, score: Math.fround(hit.score) })),
    );
    assert.equal(answers[0][1].text, `one ${pageText(2)}`);
  });

  it('A library reports its contents', async () => {
    const library = await openLocal(makeFakeModule(), new BytesSource(makeFile({ library: '@a/b', version: '2' })));
    assert.deepEqual(library.info, {
      library: '@a/b',
      version: '2',
      manifest: { title: 'Kiln' },
      pages: 8,
      passages: 16,
      terms: 99,
      dimensions: 0,
      vectorBits: 0,
      hasGraph: false,
      space: '',
      fileSize: HEAD + 8 * BLOCK,
      language: '',
      semantic: false,
      lazy: false,
    });
    await library.close();
  });

  it('A library reads local bytes once and whole by default', async () => {
    const source = countingSource(makeFile());
    const library = await openLocal(makeFakeModule(), source);
    await library.search('1 2 3');
    assert.deepEqual(source.reads, [[0, HEAD + 8 * BLOCK]]);
    await library.close();
    assert.equal(source.closed, 1);
  });

  it('A library fetches only the needed bytes, neighbours together, each once', async () => {
    const source = countingSource(makeFile());
    const library = await openLocal(makeFakeModule(), source, { lazy: true });
    await library.search('6 1 2');
    await library.search('2 6');
    assert.deepEqual(source.reads, [
      [0, HEAD],
      [HEAD + BLOCK, 2 * BLOCK],
      [HEAD + 6 * BLOCK, BLOCK],
    ]);
    await library.close();
  });

  it('A library lets searches overlap without mixing their answers', async () => {
    const library = await openLocal(makeFakeModule(), countingSource(makeFile()), { lazy: true });
    const answers = await Promise.all(['0', '7 0', '3', '', '7'].map((query) => library.search(query)));
    assert.deepEqual(
      answers.map(titles),
      [[0], [7, 0], [3], [], [7]].map((pages) => pages.map((i) => pageText(i))),
    );
    await library.close();
  });

  it('A library rejects a superseded search at once and goes on', async () => {
    const source = countingSource(makeFile());
    const library = await openLocal(makeFakeModule(), source, { lazy: true });
    let release;
    source.gate.open = new Promise((resolve) => (release = resolve));
    const controller = new AbortController();
    const first = library.search('1', { signal: controller.signal });
    const second = library.search('1 2');
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await assert.rejects(first, { name: 'AbortError', code: 'ABORTED' });
    release();
    assert.deepEqual(titles(await second), [pageText(1), pageText(2)]);
    await assert.rejects(library.search('1', { signal: AbortSignal.abort() }), { code: 'ABORTED' });
    await library.close();
  });

  it('A closed library rejects running calls, frees the core, and may close twice', async () => {
    const module = makeFakeModule();
    const source = countingSource(makeFile());
    const library = await openLocal(module, source, { lazy: true });
    source.gate.open = new Promise(() => {});
    const waiting = library.search('4');
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([assert.rejects(waiting, { code: 'CLOSED' }), library.close()]);
    await library.close();
    await assert.rejects(library.search('4'), { code: 'CLOSED' });
    assert.equal(module.live, 0);
    assert.equal(source.closed, 1);
  });

  it('A library is closed by using', async () => {
    const module = makeFakeModule();
    const library = await openLocal(module, new BytesSource(makeFile()));
    await library[Symbol.asyncDispose]();
    assert.equal(module.live, 0);
    const other = await openLocal(module, new BytesSource(makeFile()));
    other[Symbol.dispose]();
    assert.equal(module.live, 0);
  });

  it('A library frees the core when it cannot be opened', async () => {
    const module = makeFakeModule();
    await assert.rejects(openLocal(module, new BytesSource(new Uint8Array(10))), { code: 'TRUNCATED' });
    await assert.rejects(openLocal(module, new BytesSource(new Uint8Array(0))), { code: 'TRUNCATED' });
    await assert.rejects(openLocal(module, new BytesSource(new Uint8Array(2000))), { code: 'NOT_A_BUNDLE' });
    await assert.rejects(openLocal(module, new BytesSource(makeFile()), { signal: AbortSignal.abort() }), { code: 'ABORTED' });
    await assert.rejects(openLocal(module, { key: 'odd', size: async () => -1, read: async () => new Uint8Array(0) }), {
      code: 'INVALID_ARGUMENT',
    });
    assert.equal(module.live, 0);
  });

  it('A library that fails to open lets go of all sources, even unread ones', async () => {
    const bundle = {
      ...countingSource(makeFile()),
      size: async () => {
        throw new SheafError('FILE', 'a folder');
      },
    };
    const table = countingSource(makeTable('toy-4'));
    await assert.rejects(openLocal(makeFakeModule(), bundle, { encoder: table }), { code: 'FILE' });
    assert.deepEqual([bundle.closed, table.closed], [1, 1]);
  });

  it('A library finds pages by number, URL and source path', async () => {
    const library = await openLocal(makeFakeModule(), new BytesSource(makeFile()));
    for (const name of [3, '/p3', 'p3.md']) assert.equal((await library.page(name)).title, 'Page 3');
    assert.equal(await library.findPage('p5.md'), 5);
    await assert.rejects(library.page('elsewhere'), { code: 'NOT_FOUND' });
    await assert.rejects(library.page(8), { code: 'NOT_FOUND' });
    for (const bad of [-1, 1.5, Number.NaN, 2 ** 32, undefined, {}])
      await assert.rejects(library.page(bad), { code: 'INVALID_ARGUMENT' }, String(bad));
    await library.close();
  });

  it('A library reports a trap of the core, then and ever after', async () => {
    const library = await openLocal(makeFakeModule(), new BytesSource(makeFile()));
    await assert.rejects(library.search('trap'), { code: 'INTERNAL', message: /core stopped \(unreachable\)/ });
    await assert.rejects(library.search('1'), { code: 'INTERNAL', message: /core stopped/ });
    await library.close();
  });

  it('A library reports exhausted memory, and the way to need less', async () => {
    const library = await openLocal(makeFakeModule(), new BytesSource(makeFile()));
    await assert.rejects(library.search('too much'), { code: 'TOO_LARGE', message: /ran out of memory.*lazy: true/ });
    await assert.rejects(library.search('1'), { code: 'TOO_LARGE' });
    await library.close();
  });

  it('A library gives up on a core that keeps asking for the same bytes', async () => {
    const library = await openLocal(makeFakeModule(), new BytesSource(makeFile()), { lazy: true });
    await assert.rejects(library.search('stuck'), { code: 'INTERNAL', message: /keeps asking/ });
    assert.equal((await library.search('1')).hits.length, 1);
    await library.close();
  });

  it('A library reports progress, of downloads as they come', async () => {
    const seen = [];
    const bytes = makeFile();
    const library = await openLocal(makeFakeModule(), new BytesSource(bytes), { onProgress: (progress) => seen.push(progress) });
    assert.deepEqual(seen.at(-1), { source: 'bundle', loaded: bytes.length, total: bytes.length });
    await library.close();

    const large = makeFile({ pages: 200 });
    server = await serveFile({ bytes: large });
    seen.length = 0;
    const whole = await openLocal(makeFakeModule(), new FetchSource(server.url, { whole: true }), {
      lazy: false,
      onProgress: (progress) => seen.push(progress.loaded),
    });
    assert.ok(seen.length > 2 && seen.at(-1) === large.length, `${seen}`);
    await whole.close();
  });
});

describe('the encoder', () => {
  const bundle = () => new BytesSource(makeFile({ space: 'toy-4' }));

  it('The encoder is opened when the bundle has vectors, and left alone otherwise', async () => {
    const module = makeFakeModule();
    const library = await openLocal(module, bundle(), { encoder: new BytesSource(makeTable('toy-4')) });
    assert.equal(library.info.semantic, true);
    await library.close();
    const unused = countingSource(makeTable('toy-4'));
    const plain = await openLocal(module, new BytesSource(makeFile()), { encoder: unused });
    assert.equal(plain.info.semantic, false);
    assert.deepEqual(unused.reads, []);
    assert.equal(unused.closed, 1);
    await plain.close();
  });

  it('An encoder of another space is refused', async () => {
    await assert.rejects(openLocal(makeFakeModule(), bundle(), { encoder: new BytesSource(makeTable('other')) }), {
      code: 'SPACE_MISMATCH',
    });
  });

  it('The encoder is looked up by the name of the space, and may be missing', async () => {
    const asked = [];
    const library = await openLocal(makeFakeModule(), bundle(), { encoder: async (space) => void asked.push(space) });
    assert.deepEqual(asked, ['toy-4']);
    assert.equal(library.info.semantic, false);
    await library.close();
  });
});

describe('a deferred encoder', () => {
  const bundle = () => new BytesSource(makeFile({ space: 'toy-4' }));

  it('A deferred encoder delays no search by words, and the other modes wait', async () => {
    const table = countingSource(makeTable('toy-4'));
    let release;
    table.gate.open = new Promise((resolve) => (release = resolve));
    const library = await openLocal(makeFakeModule(), bundle(), { encoder: table, deferEncoder: true });
    assert.equal(library.info.semantic, true);
    const order = [];
    const waiting = ['hybrid', 'semantic'].map((mode) => library.search('1', { mode }).then(() => order.push(mode)));
    const embedded = library.embed('x').then(() => order.push('embed'));
    assert.equal((await library.search('1', { mode: 'keyword' })).hits.length, 1);
    assert.equal((await library.search('1', { vector: [1, 2] })).hits.length, 1, 'a query that brings its vector needs no table');
    const aborted = new AbortController();
    const left = library.search('1', { signal: aborted.signal });
    aborted.abort();
    await assert.rejects(left, { code: 'ABORTED' });
    assert.deepEqual(order, []);
    release();
    await Promise.all([...waiting, embedded]);
    assert.deepEqual(order.sort(), ['embed', 'hybrid', 'semantic']);
    await library.close();
  });

  it('A deferred encoder gives its failure to waiting queries, and the next retries', async () => {
    let broken = true;
    const bytes = makeTable('toy-4');
    const source = {
      key: 'table',
      size: async () => {
        if (broken) throw new SheafError('NETWORK', 'no');
        return bytes.length;
      },
      read: async (offset, length) => bytes.slice(offset, offset + length),
    };
    const library = await openLocal(makeFakeModule(), bundle(), { encoder: source, deferEncoder: true });
    await assert.rejects(library.search('1'), { code: 'NETWORK' });
    assert.equal((await library.search('1', { mode: 'keyword' })).hits.length, 1);
    broken = false;
    assert.equal((await library.search('1')).hits.length, 1);
    await library.close();
    const misfit = await openLocal(makeFakeModule(), bundle(), { encoder: new BytesSource(makeTable('other')), deferEncoder: true });
    await assert.rejects(misfit.search('1'), { code: 'SPACE_MISMATCH' });
    await misfit.close();
  });

  it('A deferred encoder that is no table fails only its own queries, and is retried', async () => {
    let bytes = new Uint8Array(HEAD);
    const source = { key: 'table', size: async () => HEAD, read: async () => bytes };
    const library = await openLocal(makeFakeModule(), bundle(), { encoder: source, deferEncoder: true });
    await assert.rejects(library.search('1'), { code: 'NOT_A_BUNDLE' });
    assert.equal((await library.search('1', { mode: 'keyword' })).hits.length, 1);
    assert.equal((await library.search('1', { vector: [1, 2] })).hits.length, 1);
    assert.equal((await library.page(2)).title, 'Page 2');
    bytes = makeTable('toy-4');
    assert.equal((await library.search('1')).hits.length, 1);
    await library.close();
  });

  it('A deferred encoder continues when the signal of open fires after the library is ready', async () => {
    const bytes = makeTable('toy-4');
    let arrive;
    let first; // the first call makes the request, as in FetchSource
    const sized = new Promise((resolve) => (arrive = () => resolve(bytes.length)));
    const source = { key: 'table', size: (signal) => (first ??= abortable(sized, signal)), read: async () => bytes };
    const opening = new AbortController();
    const library = await openLocal(makeFakeModule(), bundle(), { encoder: source, deferEncoder: true, signal: opening.signal });
    const search = library.search('1');
    opening.abort();
    arrive();
    assert.equal((await search).hits.length, 1);
    await library.close();
  });

  it('A deferred encoder is freed unread when the library closes first', async () => {
    const table = countingSource(makeTable('toy-4'));
    let arrive;
    const sized = new Promise((resolve) => (arrive = resolve));
    table.size = () => sized;
    const library = await openLocal(makeFakeModule(), bundle(), { encoder: table, deferEncoder: true });
    await library.close();
    arrive(HEAD);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([table.closed, table.reads], [1, []]);
  });

  it('A deferred encoder is opened by prefetch, which requests the standing needs of queries', async () => {
    const module = makeFakeModule();
    const table = countingSource(makeTable('toy-4'));
    const library = await openLocal(module, bundle(), { encoder: table, deferEncoder: true });
    await library.prefetch();
    assert.deepEqual(
      module.log.filter(([name]) => ['openEncoder', 'search'].includes(name)).map((call) => call.slice(0, 3)),
      [['search', '', 0], ['openEncoder'], ['search', '', 2]],
    );
    await library.close();
  });
});

describe('a library behind HTTP', () => {
  it('A remote library is downloaded whole when small, and by range otherwise', async () => {
    const small = makeFile();
    server = await serveFile({ bytes: small });
    let library = await openLocal(makeFakeModule(), new FetchSource(server.url));
    assert.equal(library.info.lazy, false);
    await library.search('7');
    assert.equal(server.requests.length, 2);
    await library.close();
    library = await openLocal(makeFakeModule(), new FetchSource(server.url), { lazy: true });
    assert.equal(library.info.lazy, true);
    await library.close();
    await server.close();

    server = await serveFile({ bytes: makeFile({ pages: 60 }) });
    library = await openLocal(makeFakeModule(), new FetchSource(server.url));
    assert.equal(library.info.lazy, true);
    assert.deepEqual(titles(await library.search('59')), [pageText(59)]);
    assert.equal(server.requests.length, 2);
    await library.close();
  });

  it('A remote library reports once that ranges are ignored', async () => {
    const warn = mock.method(console, 'warn', () => {});
    server = await serveFile({ bytes: makeFile({ pages: 60 }), ranges: 'ignore' });
    for (let i = 0; i < 2; i++) {
      const library = await openLocal(makeFakeModule(), new FetchSource(server.url), { lazy: true });
      assert.equal(library.info.lazy, false);
      assert.deepEqual(titles(await library.search('59')), [pageText(59)]);
      await library.close();
    }
    assert.equal(warn.mock.callCount(), 1);
    assert.match(warn.mock.calls[0].arguments[0], /ignores Range requests/);
    assert.equal(server.requests.length, 2);
  });

  it('A remote library starts afresh, once, when the file was replaced', async () => {
    const behaviour = { bytes: makeFile({ stamp: 'first' }), etag: '"1"' };
    server = await serveFile(behaviour);
    const library = await openLocal(makeFakeModule(), new FetchSource(server.url), { lazy: true });
    await library.search('6');
    behaviour.bytes = makeFile({ stamp: 'second', pages: 9 });
    behaviour.etag = '"2"';
    const answers = await Promise.all([library.search('6 3'), library.search('4'), library.search('8 4')]);
    assert.deepEqual(
      answers.map(titles),
      [[6, 3], [4], [8, 4]].map((pages) => pages.map((i) => pageText(i, 'second'))),
    );
    assert.equal(library.info.pages, 9);
    await library.close();
  });

  it('A remote library refuses another version under the same address', async () => {
    const behaviour = { bytes: makeFile(), etag: '"1"' };
    server = await serveFile(behaviour);
    const library = await openLocal(makeFakeModule(), new FetchSource(server.url), { lazy: true });
    behaviour.bytes = makeFile({ version: '2.0' });
    behaviour.etag = '"2"';
    for (let i = 0; i < 2; i++) {
      await assert.rejects(library.search('4'), { code: 'SOURCE_CHANGED', message: /was kiln 1\.0 and is now kiln 2\.0/ });
    }
    assert.equal(library.info.version, '1.0');
    await library.close();
  });

  it('A remote library gives up when the file changes with every request', async () => {
    const behaviour = { bytes: makeFile(), etag: '"0"' };
    behaviour.onRequest = (count) => {
      if (count > 1) behaviour.etag = `"${count}"`;
    };
    server = await serveFile(behaviour);
    const library = await openLocal(makeFakeModule(), new FetchSource(server.url), { lazy: true });
    await assert.rejects(library.search('4'), { code: 'SOURCE_CHANGED' });
    behaviour.onRequest = undefined;
    assert.deepEqual(titles(await library.search('4')), [pageText(4)]);
    await library.close();
  });

  it('A remote library follows the replacement of a bundle that is gone', async () => {
    const files = { '/site-000000000000.sheaf': makeFile({ stamp: 'first' }) };
    const fetch = async (address, { headers = {} } = {}) => {
      const bytes = files[new URL(address).pathname];
      if (bytes === undefined) return new Response('', { status: 404 });
      const [, start, end] = /(\d+)-(\d+)/.exec(headers.Range ?? '') ?? [];
      if (start === undefined) return new Response(bytes);
      const part = bytes.slice(Number(start), Number(end) + 1);
      return new Response(part, {
        status: 206,
        headers: { 'Content-Range': `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}` },
      });
    };
    const library = await openLocal(makeFakeModule(), new FetchSource('http://x/site-000000000000.sheaf', { fetch }), { lazy: true });
    delete files['/site-000000000000.sheaf'];
    files['/site-111111111111.sheaf'] = makeFile({ stamp: 'second', pages: 9 });
    files['/site.json'] = '{"files":["site-111111111111.sheaf"]}';
    const answers = await Promise.all([library.search('6 3'), library.search('8 4')]);
    assert.deepEqual(
      answers.map(titles),
      [
        [6, 3],
        [8, 4],
      ].map((pages) => pages.map((i) => pageText(i, 'second'))),
    );
    await library.close();
  });

  for (const lazy of [true, false]) {
    it(`A remote library refetches bytes of a wrong checksum once, past caches, when read ${lazy ? 'by range' : 'whole'}`, async () => {
      const behaviour = { bytes: makeFile({ damaged: [4] }), etag: '"1"' };
      server = await serveFile(behaviour);
      const fetch = (address, init) => {
        if (init.cache === 'reload') behaviour.bytes = makeFile(); // what lay in a cache was damaged
        return globalThis.fetch(address, init);
      };
      const library = await openLocal(makeFakeModule(), new FetchSource(server.url, { fetch }), { lazy });
      const answers = await Promise.all([library.search('4 2'), library.search('4'), library.search('1')]);
      assert.deepEqual(
        answers.map(titles),
        [[4, 2], [4], [1]].map((pages) => pages.map((i) => pageText(i))),
      );
      await library.close();
    });
  }

  it('A remote library reports lasting damage on the server, and answers the rest', async () => {
    server = await serveFile({ bytes: makeFile({ damaged: [4] }), etag: '"1"' });
    const library = await openLocal(makeFakeModule(), new FetchSource(server.url), { lazy: true });
    await assert.rejects(library.search('4'), {
      code: 'CHECKSUM_MISMATCH',
      message: /does not match its checksum; fetching it again brought the same.*deploy it again/,
    });
    assert.deepEqual(titles(await library.search('3')), [pageText(3)]);
    await library.close();
  });

  it('A library does not read a local file twice for a checksum', async () => {
    const source = countingSource(makeFile({ damaged: [4] }));
    const library = await openLocal(makeFakeModule(), source, { lazy: true });
    await assert.rejects(library.search('4'), { code: 'CHECKSUM_MISMATCH', message: /fetch it again$/ });
    assert.equal(source.reads.length, 2);
    await library.close();
  });

  it('A remote library survives a failed request: the next call tries again', async () => {
    const behaviour = { bytes: makeFile(), etag: '"1"' };
    server = await serveFile(behaviour);
    const library = await openLocal(makeFakeModule(), new FetchSource(server.url), { lazy: true });
    behaviour.status = 503;
    await assert.rejects(library.search('4'), { code: 'NETWORK', status: 503 });
    behaviour.status = 200;
    assert.deepEqual(titles(await library.search('4')), [pageText(4)]);
    await library.close();
  });

  it('A remote library ends a slow search when its signal fires', async () => {
    server = await serveFile({ bytes: makeFile({ pages: 20 }), hang: true });
    const library = await openLocal(makeFakeModule(), new FetchSource(server.url), { lazy: true });
    await assert.rejects(library.search('19', { signal: AbortSignal.timeout(30) }), { code: 'ABORTED', name: 'TimeoutError' });
    await library.close();
  });
});

describe('search options', () => {
  it('Search options have the documented defaults', () => {
    assert.deepEqual(decideQuery('x', {}), {
      text: 'x',
      mode: 'hybrid',
      topK: 10,
      by: 'page',
      explain: false,
      rrf: false,
      prefix: true,
      typo: true,
      semanticWeight: -1,
      facets: false,
      descending: false,
      selection: '\n',
    });
    assert.deepEqual(decideQuery('x', { topK: undefined, prefix: undefined }).topK, 10);
  });

  it('Search options reach the core as numbers and flags', async () => {
    const module = makeFakeModule();
    const library = await openLocal(module, new BytesSource(makeFile()), { lazy: true });
    await library.search('1', {
      mode: 'semantic',
      topK: 3,
      explain: true,
      rrf: true,
      prefix: false,
      typo: false,
      semanticWeight: 0.25,
      vector: [1, -2],
      by: 'passage',
    });
    await library.search('2', {
      mode: 'keyword',
      facets: true,
      sort: { key: 'date', descending: true },
      filters: { author: ['Anne', 'Bo'], kind: 'guide', none: [] },
    });
    const calls = module.log.filter(([name]) => name === 'search');
    assert.deepEqual(calls, [
      ['search', '1', 1, 3, 31, 0.25, '\n', [1, -2]],
      ['search', '1', 1, 3, 31, 0.25, '\n', [1, -2]], // again, once its block was there
      ['search', '2', 0, 10, 96, -1, 'date\nauthor\tAnne\tBo\t\nkind\tguide\t\n'],
      ['search', '2', 0, 10, 96, -1, 'date\nauthor\tAnne\tBo\t\nkind\tguide\t\n'],
    ]);
    await library.close();
  });

  it('Search options out of their range are refused by name', () => {
    const cases = [
      [{ mode: 'both' }, /mode must be .* not “both”/],
      [{ topK: -1 }, /topK must be a whole number/],
      [{ topK: 1.5 }, /topK/],
      [{ topK: Number.NaN }, /topK/],
      [{ topK: '5' }, /topK/],
      [{ semanticWeight: 1.01 }, /semanticWeight/],
      [{ semanticWeight: Number.NaN }, /semanticWeight/],
      [{ vector: [] }, /vector/],
      [{ filters: { author: 'Anne\n' } }, /filters\.author must be text without control characters/],
      [{ filters: { 'a\tb': 'x' } }, /filters must be text/],
      [{ filters: { author: ['Anne', 5] } }, /filters\.author/],
      [{ filters: { author: '' } }, /filters\.author/],
      [{ sort: { key: '' } }, /sort\.key/],
      [{ sort: {} }, /sort\.key/],
      [{ vector: [1, Number.NaN] }, /vector/],
    ];
    for (const [options, message] of cases) assert.throws(() => decideQuery('x', options), { code: 'INVALID_ARGUMENT', message });
    for (const text of [undefined, null, 5, {}])
      assert.throws(() => decideQuery(text, {}), { code: 'INVALID_ARGUMENT', message: /query must be a string/ });
  });

  it('Search options take a million results for the most there are, and none for none', () => {
    assert.equal(decideQuery('x', { topK: 1e6 }).topK, 1000);
    assert.equal(decideQuery('x', { topK: Infinity }).topK, 1000);
    assert.equal(decideQuery('x', { topK: 0 }).topK, 0);
  });

  it('Search options keep odd text, but no half characters', () => {
    assert.equal(decideQuery('a\0b', {}).text, 'a\0b');
    assert.equal(decideQuery('', {}).text, '');
    assert.equal(decideQuery('x\ud83cy 🌾', {}).text, 'x\ufffdy 🌾');
  });
});
