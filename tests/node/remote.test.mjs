/** Both ends of web/browser/client/protocol.ts, linked by a MessageChannel within one thread. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { sharedWorker } from '../../dist/browser/client/federated.js';
import { openRemote } from '../../dist/browser/client/remote.js';
import { serve } from '../../dist/browser/client/serve.js';
import { startWorker } from '../../dist/browser/client/start_worker.js';
import { BLOCK, HEAD, makeFakeModule, makeFile, makeTable } from './fake_core.mjs';
import { serveFile } from './serve_file.mjs';
import { until } from './until.mjs';

const ends = [];
let server;
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await server?.close();
  server = undefined;
});

/** The page's end of a link to a worker over the fake core. */
function link(module = makeFakeModule(), loadCore = async () => module) {
  const { port1, port2 } = new MessageChannel();
  const close = () => {
    port1.close();
    port2.close();
  };
  ends.push(close);
  port1.start();
  port2.start();
  serve(port2, loadCore);
  return { port: port1, module, close };
}

describe('a library in a worker', () => {
  it('A library in a worker answers like one on the calling thread', async () => {
    const { port, close } = link();
    const library = await openRemote(port, close, makeFile({ space: 'toy-4' }), { encoder: makeTable('toy-4') });
    assert.equal(library.info.library, 'kiln');
    assert.equal(library.info.semantic, true);
    assert.deepEqual(
      (await library.search('2 1')).hits.map((hit) => hit.page),
      [2, 1],
    );
    assert.equal((await library.page('p3.md')).title, 'Page 3');
    assert.equal((await library.passage(6)).anchor, 'top');
    assert.equal(await library.findPage('/p1'), 1);
    assert.deepEqual(await library.embed('abc'), Float32Array.of(0.5, -0.25, 3));
    assert.equal(await library.prefetch(), undefined);
    assert.ok((await library.verify()) > 0);
    await library.close();
  });

  it('A library in a worker keeps error codes, names and statuses across the border', async () => {
    const { port, close } = link();
    const library = await openRemote(port, close, makeFile());
    await assert.rejects(library.page('elsewhere'), { name: 'SheafError', code: 'NOT_FOUND', message: /no page is called elsewhere/ });
    await assert.rejects(library.search('x', { topK: -1 }), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(library.search('x', { vector: () => 1 }), { code: 'INVALID_ARGUMENT', message: /could not be sent/ });
    await library.close();
    server = await serveFile({ bytes: new Uint8Array(0), status: 404 });
    const second = link();
    await assert.rejects(openRemote(second.port, second.close, new URL(server.url)), { code: 'NETWORK', status: 404 });
  });

  it('A library in a worker reports a core that cannot be loaded', async () => {
    const { port, close } = link(undefined, async () => {
      throw new Error('blocked');
    });
    await assert.rejects(openRemote(port, close, makeFile()), { code: 'INTERNAL', message: /blocked/ });
  });

  it('A library in a worker copies byte sources, or takes them over when asked to', async () => {
    const first = link();
    const bytes = makeFile();
    const library = await openRemote(first.port, first.close, bytes);
    assert.equal(bytes.length, HEAD + 8 * BLOCK);
    await library.close();
    const second = link();
    const other = await openRemote(second.port, second.close, bytes, { transfer: true });
    assert.equal(bytes.length, 0);
    assert.equal((await other.search('1')).hits.length, 1);
    await other.close();
  });

  it('A library in a worker opens Blobs and URLs', async () => {
    server = await serveFile({ bytes: makeFile({ pages: 60 }) });
    for (const source of [new Blob([makeFile({ pages: 60 })]), new URL(server.url)]) {
      const { port, close } = link();
      const library = await openRemote(port, close, source);
      assert.equal(library.info.lazy, source instanceof URL);
      assert.equal((await library.search('59')).hits[0].page, 59);
      await library.close();
    }
  });

  it("A library in a worker reads the page's own sources through the border", async () => {
    const bytes = makeFile();
    const reads = [];
    let closed = 0;
    const source = {
      key: 'own',
      size: async () => bytes.length,
      read: async (offset, length) => {
        reads.push([offset, length]);
        return bytes.slice(offset, offset + length);
      },
      close: () => void closed++,
    };
    const { port, close } = link();
    const library = await openRemote(port, close, source, { lazy: true });
    assert.equal((await library.search('5')).hits[0].page, 5);
    assert.deepEqual(reads, [
      [0, HEAD],
      [HEAD + 5 * BLOCK, BLOCK],
    ]);
    await library.close();
    assert.equal(closed, 1);
  });

  it("A library in a worker closes the page's sources once, though the worker died", async () => {
    const bytes = makeFile();
    let closed = 0;
    const source = {
      key: 'own',
      size: async () => bytes.length,
      read: async (offset, length) => bytes.slice(offset, offset + length),
      close: () => void closed++,
    };
    const { port, close } = link();
    const library = await openRemote(port, close, source);
    port.dispatchEvent(new Event('error'));
    await assert.rejects(library.search('1'), { code: 'INTERNAL', message: /worker stopped/ });
    await library.close();
    await library.close();
    assert.equal(closed, 1);
  });

  it('A library in a worker passes aborts on, and lets a short custom read finish', async () => {
    const bytes = makeFile();
    const controller = new AbortController();
    let aborted = false;
    const source = {
      key: 'slow',
      size: async () => bytes.length,
      read: (offset, length, signal) =>
        offset === 0
          ? Promise.resolve(bytes.slice(0, length))
          : new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                aborted = true;
                reject(signal.reason);
              });
              setImmediate(() => controller.abort());
            }),
    };
    const { port, close } = link();
    const library = await openRemote(port, close, source, { lazy: true });
    await assert.rejects(library.search('5', { signal: controller.signal }), { name: 'AbortError', code: 'ABORTED' });
    assert.equal(aborted, false);
    await library.close();
    await until(() => aborted, 'the source to hear of it');
  });

  it('A closed library in a worker rejects running and later calls', async () => {
    const bytes = makeFile();
    const source = {
      key: 'slow',
      size: async () => bytes.length,
      read: (offset, length) => (offset === 0 ? Promise.resolve(bytes.slice(0, length)) : new Promise(() => {})),
    };
    const { port, close } = link();
    const library = await openRemote(port, close, source, { lazy: true });
    const waiting = library.search('5');
    await Promise.all([assert.rejects(waiting, { code: 'CLOSED' }), library.close()]);
    await assert.rejects(library.search('1'), { code: 'CLOSED' });
    await library.close();
  });

  it('A library in a worker reports progress and changed facts', async () => {
    const behaviour = { bytes: makeFile(), etag: '"1"' };
    server = await serveFile(behaviour);
    const { port, close } = link();
    const progress = [];
    const library = await openRemote(port, close, new URL(server.url), {
      lazy: true,
      onProgress: (p) => progress.push(p),
      encoder: undefined,
    });
    behaviour.bytes = makeFile({ pages: 9 });
    behaviour.etag = '"2"';
    await library.search('4');
    assert.equal(library.info.pages, 9);
    await library.close();

    const whole = link();
    const other = await openRemote(whole.port, whole.close, makeFile(), { onProgress: (p) => progress.push(p) });
    assert.equal(progress.at(-1).loaded, HEAD + 8 * BLOCK);
    await other.close();
  });
});

describe('starting a worker', () => {
  let workers;
  /** A worker whose script never comes. */
  class SilentWorker extends EventTarget {
    ended = 0;
    constructor() {
      super();
      workers.push(this);
    }
    terminate() {
      this.ended++;
    }
  }
  beforeEach(() => {
    workers = [];
    globalThis.Worker = SilentWorker;
  });
  afterEach(() => delete globalThis.Worker);

  it("A signal ends the worker's start, and the worker too", async () => {
    const controller = new AbortController();
    const starting = startWorker('https://x.example/worker.js', controller.signal);
    controller.abort();
    await assert.rejects(starting, { name: 'AbortError', code: 'ABORTED' });
    assert.deepEqual(
      workers.map(({ ended }) => ended),
      [1],
    );
  });

  it('A worker is not started for an invalid address', async () => {
    const open = sharedWorker('https://x.example/worker.js');
    await assert.rejects(open('http://[', {}), { code: 'INVALID_ARGUMENT', message: /“http:\/\/\[” is not a URL/ });
    await assert.rejects(open('https://x.example/a.sheaf', { encoder: 'http://[' }), { code: 'INVALID_ARGUMENT' });
    assert.equal(workers.length, 0);
  });
});
