import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createServer } from 'node:http';
import { afterEach, describe, it, mock } from 'node:test';
import { FileSource } from '../../dist/node/client/node.js';
import { parseContentRange } from '../../dist/browser/client/http_answer.js';
import { FetchSource, FIRST_READ } from '../../dist/browser/client/fetch_source.js';
import { BlobSource, BytesSource } from '../../dist/browser/client/source.js';
import { refusingPort, serveFile } from './serve_file.mjs';
import { until } from './until.mjs';

const BYTES = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);
const slice = (offset, length) => BYTES.slice(offset, offset + length);

let server;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const serve = async (behaviour) => (server = await serveFile({ bytes: BYTES, etag: '"1"', ...behaviour }));

describe('FetchSource', () => {
  it('FetchSource learns the size from its first range and serves the beginning from it', async () => {
    const { url, requests } = await serve();
    const source = new FetchSource(url);
    assert.equal(await source.size(), BYTES.length);
    assert.deepEqual(await source.read(100, 1000), slice(100, 1000));
    assert.deepEqual(
      requests.map((r) => r.range),
      [`bytes=0-${FIRST_READ - 1}`],
    );
    assert.equal(source.rangesIgnored, false);
  });

  it('FetchSource reads a range by itself, and only its missing part', async () => {
    const { url, requests } = await serve();
    const source = new FetchSource(url);
    assert.deepEqual(await source.read(50_000, 5000), slice(50_000, 5000));
    assert.deepEqual(await source.read(FIRST_READ - 10, 20), slice(FIRST_READ - 10, 20));
    assert.deepEqual(
      requests.slice(1).map((r) => r.range),
      ['bytes=50000-54999', `bytes=${FIRST_READ}-${FIRST_READ + 9}`],
    );
  });

  it('FetchSource reads everything with two requests when ranges work', async () => {
    const { url, requests } = await serve();
    assert.deepEqual(await new FetchSource(url).readAll(), BYTES);
    assert.equal(requests.length, 2);
  });

  it('FetchSource downloads once, and says so, where Range is ignored', async () => {
    const { url, requests } = await serve({ ranges: 'ignore' });
    const source = new FetchSource(url);
    const progress = [];
    assert.deepEqual(await source.readAll(undefined, (loaded, total) => progress.push([loaded, total])), BYTES);
    assert.deepEqual(await source.read(99_000, 1000), slice(99_000, 1000));
    assert.equal(source.rangesIgnored, true);
    assert.equal(requests.length, 1);
    assert.deepEqual(progress.at(-1), [BYTES.length, BYTES.length]);
  });

  it('FetchSource downloads once without asking for a range when told to', async () => {
    const { url, requests } = await serve();
    const source = new FetchSource(url, { whole: true });
    assert.deepEqual(await source.readAll(), BYTES);
    assert.deepEqual(
      requests.map((r) => r.range),
      [undefined],
    );
    assert.equal(source.rangesIgnored, false);
  });

  it('FetchSource keeps the whole file when a server stops honouring ranges midway', async () => {
    const behaviour = { bytes: BYTES, etag: '"1"' };
    server = await serveFile(behaviour);
    const source = new FetchSource(server.url);
    await source.size();
    behaviour.ranges = 'ignore';
    assert.deepEqual(await source.read(60_000, 10), slice(60_000, 10));
    assert.deepEqual(await source.read(70_000, 10), slice(70_000, 10));
    assert.equal(server.requests.length, 2);
  });

  it('FetchSource asks HEAD for the size where Content-Range is hidden', async () => {
    const { url, requests } = await serve({ hideRange: true });
    const source = new FetchSource(url);
    assert.equal(await source.size(), BYTES.length);
    assert.deepEqual(await source.read(50_000, 7), slice(50_000, 7));
    assert.deepEqual(
      requests.map((r) => r.method),
      ['GET', 'HEAD', 'GET'],
    );
  });

  it('FetchSource notices another ETag, another size and a range that is gone', async () => {
    const behaviour = { bytes: BYTES, etag: '"1"' };
    server = await serveFile(behaviour);
    const source = new FetchSource(server.url);
    await source.size();
    behaviour.etag = '"2"';
    await assert.rejects(source.read(50_000, 10), { code: 'SOURCE_CHANGED', message: /ETag was "1" and is now "2"/ });
    behaviour.etag = '"1"';
    behaviour.bytes = BYTES.subarray(0, 90_000);
    await assert.rejects(source.read(50_000, 10), { code: 'SOURCE_CHANGED', message: /size was 100000 and is now 90000/ });
    await assert.rejects(source.read(95_000, 10), { code: 'SOURCE_CHANGED' });
    source.reset();
    assert.equal(await source.size(), 90_000);
  });

  it('FetchSource takes a weak ETag for the same file as the strong one', async () => {
    const behaviour = { bytes: BYTES, etag: '"1"' };
    server = await serveFile(behaviour);
    const source = new FetchSource(server.url);
    await source.size();
    behaviour.etag = 'W/"1"';
    assert.deepEqual(await source.read(50_000, 10), slice(50_000, 10));
  });

  it('FetchSource takes the whole file where another range comes than requested', async () => {
    const { url } = await serve({ ranges: 'wrong' });
    const source = new FetchSource(url);
    assert.deepEqual(await source.read(50_000, 10), slice(50_000, 10));
    assert.equal(source.rangesIgnored, true);
  });

  it('FetchSource reports an answer that ends early, whole or by range', async () => {
    const { url } = await serve({ ranges: 'short' });
    await assert.rejects(new FetchSource(url).size(), { code: 'NETWORK' });
    await assert.rejects(new FetchSource(url, { whole: true }).readAll(), { code: 'NETWORK' });
  });

  it('FetchSource reports 404 with its status, and tries again when asked again', async () => {
    const behaviour = { bytes: BYTES, status: 404 };
    server = await serveFile(behaviour);
    const source = new FetchSource(server.url);
    await assert.rejects(source.size(), { code: 'NETWORK', status: 404, message: /answered 404/ });
    behaviour.status = 200;
    assert.equal(await source.size(), BYTES.length);
  });

  it('FetchSource reports an unreachable server', async () => {
    const { port, close } = await refusingPort();
    server = { close };
    await assert.rejects(new FetchSource(`http://127.0.0.1:${port}/docs.sheaf`).size(), {
      code: 'NETWORK',
      message: /could not be fetched/,
    });
  });

  it('FetchSource knows an empty file', async () => {
    const { url } = await serve({ bytes: new Uint8Array(0) });
    const source = new FetchSource(url);
    assert.equal(await source.size(), 0);
    assert.equal((await source.readAll()).length, 0);
  });

  it('FetchSource ends a slow request when the signal fires', async () => {
    const controller = new AbortController();
    const onRequest = (count) => count === 2 && setImmediate(() => controller.abort(new DOMException('too slow', 'TimeoutError')));
    const { url, requests } = await serve({ hang: true, onRequest });
    const source = new FetchSource(url);
    await source.size();
    await assert.rejects(source.read(50_000, 10, controller.signal), { code: 'ABORTED', name: 'TimeoutError' });
    await until(() => requests[1].aborted, 'the server to hear of it');
  });

  it('FetchSource refuses a server that sends more than requested', async () => {
    const source = new FetchSource('http://x/', {
      fetch: async () => new Response(BYTES, { status: 206, headers: { 'Content-Range': `bytes 0-16383/${BYTES.length}` } }),
    });
    await assert.rejects(source.size(), { code: 'TOO_LARGE' });
  });

  it('FetchSource refuses ranges outside the file', async () => {
    const { url } = await serve();
    await assert.rejects(new FetchSource(url).read(99_999, 2), { code: 'TRUNCATED' });
  });
});

describe('a request that fails', () => {
  /** A server that misbehaves for the requests from `from` to `to`, and then honours ranges. */
  const failing = async (trouble, { from = 2, to = 3 } = {}) => {
    const behaviour = { bytes: BYTES, etag: '"1"' };
    behaviour.onRequest = (count) =>
      Object.assign(behaviour, { status: 200, headers: {}, ranges: 'honour' }, count >= from && count <= to ? trouble : {});
    server = await serveFile(behaviour);
    return new FetchSource(server.url);
  };

  for (const [name, trouble] of [
    ['429', { status: 429 }],
    ['503', { status: 503 }],
    ['an answer cut short', { ranges: 'short' }],
  ]) {
    it(`A request that fails is tried again after ${name}, up to three times in all`, async () => {
      const source = await failing(trouble);
      await source.size();
      assert.deepEqual(await source.read(50_000, 5000), slice(50_000, 5000));
      assert.equal(server.requests.length, 4);
    });
  }

  it('A request that fails is given up after the third try', async () => {
    const source = await failing({ status: 500 }, { from: 1, to: 3 });
    await assert.rejects(source.size(), { code: 'NETWORK', status: 500, message: /answered 500.*try again/ });
    assert.equal(server.requests.length, 3);
    assert.equal(await source.size(), BYTES.length, 'the next call tries anew');
  });

  it('A request is tried once where a retry is useless', async () => {
    const source = await failing({ status: 403 }, { from: 1, to: 9 });
    await assert.rejects(source.size(), { code: 'NETWORK', status: 403 });
    assert.equal(server.requests.length, 1);
  });

  it('A failed request waits as long as the server asks, ten seconds at most', async () => {
    let source = await failing({ status: 429, headers: { 'Retry-After': '0' } });
    await source.size();
    const pauses = mock.method(globalThis, 'setTimeout');
    await source.read(50_000, 10);
    assert.deepEqual(
      pauses.mock.calls.map(({ arguments: [, ms] }) => ms).filter((ms) => ms === 0),
      [0, 0],
    );
    pauses.mock.restore();
    await server.close();
    source = await failing({ status: 503, headers: { 'Retry-After': '11' } });
    await source.size();
    await assert.rejects(source.read(50_000, 10), { code: 'NETWORK', status: 503 });
    assert.equal(server.requests.length, 2);
  });

  it('A failed request is not retried once its signal fired', async () => {
    const source = await failing({ status: 503, headers: { 'Retry-After': '9' } }, { from: 2, to: 9 });
    await source.size();
    const controller = new AbortController();
    const reading = source.read(50_000, 10, controller.signal);
    await until(() => server.requests.length === 2, 'the request that fails');
    controller.abort(); // within the pause before the next
    await assert.rejects(reading, { code: 'ABORTED', name: 'AbortError' });
    assert.equal(server.requests.length, 2);
  });

  it('A failed request waits while the browser is offline, and resumes by itself', async () => {
    const connection = { onLine: false };
    const navigator = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    Object.defineProperty(globalThis, 'navigator', { value: connection, configurable: true });
    const events = new EventTarget();
    for (const name of ['addEventListener', 'removeEventListener']) globalThis[name] = events[name].bind(events);
    try {
      let tries = 0;
      const source = new FetchSource('http://x/', {
        fetch: async () => {
          connection.onLine = ++tries > 5;
          if (!connection.onLine) throw new TypeError('Failed to fetch');
          return new Response(BYTES.slice(0, 100), { status: 206, headers: { 'Content-Range': 'bytes 0-99/100' } });
        },
      });
      const size = source.size();
      for (let i = 0; i < 5; i++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        assert.equal(tries, i + 1, 'nothing is asked while offline');
        connection.onLine = true; // for a moment: what fails offline is no try
        events.dispatchEvent(new Event('online'));
      }
      assert.equal(await size, 100);
    } finally {
      if (navigator) Object.defineProperty(globalThis, 'navigator', navigator);
      else delete globalThis.navigator;
      delete globalThis.addEventListener;
      delete globalThis.removeEventListener;
    }
  });
});

describe('a file that is gone', () => {
  const OLD = 'site-000000000000.sheaf';
  const NEW = 'site-111111111111.sheaf';

  /** A folder of a site; paths are answered by `files`, others like `missing`. */
  async function folder(files, missing = { status: 404, body: 'not found', type: 'text/plain' }) {
    const requests = [];
    const own = createServer((request, response) => {
      requests.push(request.url);
      const bytes = files[request.url.slice('/sheaf/'.length)];
      if (bytes === undefined) return response.writeHead(missing.status, { 'Content-Type': missing.type }).end(missing.body);
      const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      if (!match) return response.writeHead(200).end(bytes);
      const end = Math.min(Number(match[2]), bytes.length - 1);
      return response
        .writeHead(206, { 'Content-Range': `bytes ${match[1]}-${end}/${bytes.length}` })
        .end(bytes.slice(Number(match[1]), end + 1));
    });
    await new Promise((resolve) => own.listen(0, '127.0.0.1', resolve));
    server = {
      close: () =>
        new Promise((resolve) => {
          own.closeAllConnections();
          own.close(resolve);
        }),
    };
    return { url: `http://127.0.0.1:${own.address().port}/sheaf/`, requests };
  }
  const list = (...names) => Buffer.from(JSON.stringify({ files: names }));

  for (const [host, missing] of [
    ['says so', undefined],
    ['sends a web page instead', { status: 200, body: '<p>Home</p>', type: 'text/html; charset=utf-8' }],
  ]) {
    it(`A file that is gone is followed to its replacement, where the host ${host}`, async () => {
      const files = { [OLD]: BYTES, 'site.json': list('code-1/ui/index.js', 'other-111111111111.sheaf', NEW) };
      const { url } = await folder(files, missing);
      const source = new FetchSource(url + OLD);
      assert.equal(await source.size(), BYTES.length);
      files[NEW] = BYTES.slice(0, 90_000);
      delete files[OLD];
      await assert.rejects(source.read(50_000, 10), { code: 'SOURCE_CHANGED', message: /it is gone/ });
      source.reset();
      assert.equal(await source.size(), 90_000);
      assert.equal(source.key, url + NEW);
      assert.deepEqual(await source.read(50_000, 10), slice(50_000, 10));
    });
  }

  it('A file that is gone without replacement is reported with a way out', async () => {
    for (const files of [
      {},
      { 'site.json': list(OLD) },
      { 'site.json': list('other-111111111111.sheaf', 'https://evil.example/site-111111111111.sheaf', '../site-111111111111.sheaf', 7) },
      { 'site.json': Buffer.from('{') },
    ]) {
      const { url } = await folder(files);
      await assert.rejects(new FetchSource(url + OLD).size(), {
        code: 'NETWORK',
        status: 404,
        message: /answered 404.*after a new deploy, reload the page/,
      });
      await server.close();
    }
  });

  it('A file that is gone is not looked up when its name carries no hash', async () => {
    const { url, requests } = await folder({ 'site.json': list(NEW), [NEW]: BYTES });
    await assert.rejects(new FetchSource(`${url}docs.sheaf`).size(), { status: 404 });
    assert.deepEqual(requests, ['/sheaf/docs.sheaf']);
  });
});

describe('parseContentRange', () => {
  const parse = (value) => parseContentRange(new Response(null, { headers: { 'Content-Range': value } }));
  it('parseContentRange reads ranges, unknown totals and unsatisfied ranges', () => {
    assert.deepEqual(parse('bytes 5-9/100'), { start: 5, end: 9, total: 100 });
    assert.deepEqual(parse('bytes 5-9/*'), { start: 5, end: 9, total: undefined });
    assert.deepEqual(parse('bytes */100'), { start: 0, end: -1, total: 100 });
  });
  it('parseContentRange ignores other values', () => {
    for (const value of ['', 'bytes', 'items 0-1/2', 'bytes 0-1', 'bytes -1-2/3', 'bytes 0-9999999999999999999/1'])
      assert.equal(parse(value), undefined, value);
  });
});

describe('local sources', () => {
  it('Local sources read the same bytes from memory, a Blob and a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sheaf-source-'));
    try {
      const path = join(folder, 'a file#1.sheaf');
      await writeFile(path, BYTES);
      for (const source of [
        new BytesSource(BYTES),
        new BytesSource(BYTES.buffer),
        new BlobSource(new Blob([BYTES])),
        new FileSource(path),
        new FileSource(pathToFileURL(path)),
      ]) {
        assert.equal(await source.size(), BYTES.length);
        assert.deepEqual(new Uint8Array(await source.read(777, 2000)), slice(777, 2000));
        assert.equal((await source.read(BYTES.length, 0)).length, 0);
        await assert.rejects(source.read(BYTES.length - 1, 2), { code: 'TRUNCATED' });
        await assert.rejects(source.read(-1, 2), { code: 'TRUNCATED' });
        await assert.rejects(source.read(0.5, 2), { code: 'TRUNCATED' });
        await source.close?.();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('Local sources name a missing file or a folder', async () => {
    await assert.rejects(new FileSource('/nonexistent/x.sheaf').size(), {
      code: 'FILE',
      message: /x\.sheaf cannot be opened: there is no such file/,
    });
    await assert.rejects(new FileSource(tmpdir()).size(), { code: 'FILE', message: /is not a file/ });
  });
});
