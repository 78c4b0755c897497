/** Two ends of web/browser/client/rpc.ts, linked by a MessageChannel within one thread. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { SheafError } from '../../dist/browser/client/errors.js';
import { Peer } from '../../dist/browser/client/rpc.js';
import { until } from './until.mjs';

const ports = [];
afterEach(() => ports.splice(0).forEach((port) => port.close()));

/** The end of a page, and of a thread that it started, with these methods; `ended` counts the thread's ends. */
function link({ page = {}, worker = {} }) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const seen = { ended: 0 };
  const thread = { end: () => void seen.ended++, died: (detail) => new SheafError('RUNTIME', `gone: ${detail}`) };
  const ends = { page: new Peer(port1, page, thread), worker: new Peer(port2, worker), port: port1, seen };
  port1.start();
  port2.start();
  return ends;
}

const CLOSED = new SheafError('CLOSED', 'closed');
const forever = () => new Promise(() => {});

describe('two ends', () => {
  it('Two ends call each other, whichever began, and under the same numbers', async () => {
    const { page, worker } = link({
      worker: { double: async (n) => 2 * (await worker.call('plus', [n, 1])) },
      page: { plus: (a, b) => a + b },
    });
    const all = [3, 4, 5].map((n) => page.call('double', [n]));
    assert.deepEqual(await Promise.all(all), [8, 10, 12]);
  });

  it('Two ends pass errors with code, name and status, and wrap others', async () => {
    const status = () => {
      throw new SheafError('NETWORK', 'no', { status: 503 });
    };
    const { page } = link({
      worker: {
        status,
        odd: () => {
          throw new RangeError('odd');
        },
      },
    });
    await assert.rejects(page.call('status', []), { code: 'NETWORK', name: 'SheafError', message: 'no', status: 503 });
    await assert.rejects(page.call('odd', []), { code: 'INTERNAL', message: /odd/ });
    await assert.rejects(page.call('unknown', []), { code: 'INTERNAL' });
  });

  it('Two ends report arguments or answers that cannot be copied', async () => {
    const { page } = link({ worker: { take: () => 1, give: () => () => 1 } });
    await assert.rejects(page.call('take', [() => 1]), { code: 'INVALID_ARGUMENT', message: /could not be sent to the worker/ });
    await assert.rejects(page.call('give', []), { code: 'INTERNAL' });
    assert.equal(await page.call('take', [1]), 1);
  });

  it('Two ends deliver notices before the answer that follows them', async () => {
    const heard = [];
    const { page, worker } = link({
      worker: {
        work: () => {
          for (const n of [1, 2]) worker.tell('progress', n);
          return 'done';
        },
      },
      page: { progress: (n) => heard.push(n) },
    });
    assert.equal(await page.call('work', []).then((value) => [...heard, value].join()), '1,2,done');
  });

  it('Two ends hand vectors over and copy other bytes', async () => {
    const vector = Float32Array.of(1, 2);
    const bytes = Uint8Array.of(1, 2);
    const { page } = link({ worker: { vector: () => vector, bytes: () => bytes } });
    assert.deepEqual(await page.call('vector', []), Float32Array.of(1, 2));
    assert.equal(vector.length, 0);
    assert.deepEqual(await page.call('bytes', []), bytes);
    const given = new Uint8Array(3);
    await page.call('bytes', [given], undefined, [given.buffer]);
    assert.equal(given.length, 0);
  });

  it('Two ends ignore messages of others', async () => {
    const { page, port } = link({ worker: { one: () => 1 } });
    for (const message of [{ type: 'port' }, {}, { type: 'answer', id: 77, value: 1 }, { type: 'abort', id: 77 }])
      port.postMessage(message);
    assert.equal(await page.call('one', []), 1);
  });
});

describe('a call that is aborted', () => {
  it('A call that is aborted rejects at once, and the method learns of it', async () => {
    let signal;
    const { page } = link({
      worker: {
        wait: (given) => {
          signal = given;
          return forever();
        },
      },
    });
    const controller = new AbortController();
    const waiting = page.call('wait', [], controller.signal);
    await until(() => signal !== undefined, 'the call to arrive');
    controller.abort();
    await assert.rejects(waiting, { code: 'ABORTED', name: 'AbortError' });
    await until(() => signal.aborted, 'the method to hear of it');
  });

  it('A call aborted before it began is not sent', async () => {
    let calls = 0;
    const { page } = link({ worker: { count: () => ++calls } });
    await assert.rejects(page.call('count', [], AbortSignal.abort()), { code: 'ABORTED' });
    assert.equal(await page.call('count', []), 1);
  });
});

describe('an end', () => {
  it('An end rejects running and later calls with the first reason, and closes once', async () => {
    let served;
    const { page, worker, seen } = link({
      worker: { wait: forever },
      page: {
        read: (signal) => {
          served = signal;
          return forever();
        },
      },
    });
    const waiting = page.call('wait', []);
    void worker.call('read', []);
    await until(() => served !== undefined, 'the worker to ask');
    page.end(CLOSED);
    page.end(new SheafError('INTERNAL', 'later'));
    await assert.rejects(waiting, CLOSED);
    await assert.rejects(page.call('wait', []), CLOSED);
    assert.deepEqual([served.aborted, seen.ended], [true, 1]);
  });

  it('A closed end hears no messages', async () => {
    const heard = [];
    const { page, worker, port } = link({ page: { progress: (n) => heard.push(n) } });
    worker.tell('progress', 1);
    await until(() => heard.length === 1, 'the first to be heard');
    page.end(CLOSED);
    worker.tell('progress', 2);
    await new Promise((resolve) => port.addEventListener('message', resolve, { once: true }));
    assert.deepEqual(heard, [1]);
  });

  for (const type of ['error', 'messageerror']) {
    it(`An end comes with the thread's death, reported by ${type}`, async () => {
      const { page, port, seen } = link({ worker: { wait: forever } });
      const waiting = page.call('wait', []);
      port.dispatchEvent(new Event(type));
      await assert.rejects(waiting, { code: 'RUNTIME', message: `gone: ${type}` });
      await assert.rejects(page.call('wait', []), { code: 'RUNTIME' });
      assert.equal(seen.ended, 1);
    });
  }
});
