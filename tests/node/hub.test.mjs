/** The downloader against a hub on loopback that has every habit a network can have. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { downloadFile, hubUrl, retryAfter } from '../../dist/node/encoder/hub.js';
import {
  announce,
  cutAfter,
  drip,
  endless,
  ignoreRange,
  REPOSITORY,
  REVISION,
  serveHub,
  short,
  status,
  wedgeAfter,
  wrongRange,
} from './hub_server.mjs';
import { temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const folder = temporaryFolder('hub');
const FILE = 'onnx/model.onnx';
// No two stretches alike, so that bytes joined at the wrong place show.
const BYTES = Buffer.concat(Array.from({ length: 4000 }, (_, i) => createHash('sha256').update(`${i}`).digest()));
const FACTS = { bytes: BYTES.length, sha256: createHash('sha256').update(BYTES).digest('hex') };
const HALF = BYTES.length / 2;
const hubs = [];

async function start(options) {
  const hub = await serveHub({ [FILE]: BYTES }, options);
  hubs.push(hub);
  return hub;
}
after(() => Promise.all(hubs.map((hub) => hub.close())));

async function scratchFolder() {
  const scratch = await mkdtemp(join(folder, 'part-'));
  return { folder: scratch, data: join(scratch, 'data') };
}

const urlOf = (hub, revision = REVISION) => hubUrl(hub.url, REPOSITORY, revision, FILE);

async function download(hub, options = {}, scratch) {
  const target = scratch ?? (await scratchFolder());
  const onProgress = (bytes, of) => {
    hub.arrived = bytes;
    options.onProgress?.(bytes, of);
  };
  await downloadFile(urlOf(hub), FACTS, target, { stallMs: 60_000, firstWaitMs: 20, ...options, onProgress });
  return readFile(target.data);
}

/** Waits until the download has written so many bytes. */
const arrivedAt = (hub) => (count) => until(() => hub.arrived === count, `${count} bytes to arrive`);
const cutAtHalf = (hub) => cutAfter(HALF, arrivedAt(hub));

/** A patience that no other timer has. */
const STALL_MS = 987_654;

/** Takes the timers of STALL_MS out of the clock's hands: they go off by `ring` alone. `waiting` are those that are set. */
function ownClock(t) {
  const waiting = new Map();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (work, ms, ...args) => {
    if (ms !== STALL_MS) return set(work, ms, ...args);
    const timer = {};
    waiting.set(timer, work);
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer) => waiting.delete(timer) || clear(timer));
  const ring = () => {
    const due = [...waiting.values()];
    waiting.clear();
    for (const work of due) work();
  };
  return { waiting, ring };
}

describe('downloading from a hub', () => {
  it('A download follows the redirect and brings the file, with progress to its end', async () => {
    const hub = await start();
    const seen = [];
    assert.deepEqual(await download(hub, { onProgress: (bytes, of) => seen.push([bytes, of]) }), BYTES);
    assert.deepEqual(seen[0], [0, BYTES.length]);
    assert.deepEqual(seen.at(-1), [BYTES.length, BYTES.length]);
    assert.deepEqual(
      hub.requests.map(({ at }) => at),
      ['hub', 'cdn'],
    );
  });

  it('A download sends the token to the hub and not to redirect targets', async () => {
    const hub = await start();
    await download(hub, { token: 'hf_secret' });
    assert.deepEqual(
      hub.requests.map(({ at, authorization }) => [at, authorization]),
      [
        ['hub', 'Bearer hf_secret'],
        ['cdn', undefined],
      ],
    );
  });

  it('A download keeps the token when the redirect stays with the hub', async () => {
    let hops = 0;
    const hub = await start({ redirect: (file, cdn) => (hops++ === 0 ? `/${REPOSITORY}/resolve/${REVISION}/${file}?again` : cdn) });
    await download(hub, { token: 'hf_secret' });
    assert.deepEqual(
      hub.requests.map(({ authorization }) => authorization),
      ['Bearer hf_secret', 'Bearer hf_secret', undefined],
    );
  });

  it('A download gives up a circle of redirects', async () => {
    const hub = await start({ redirect: (file) => `/${REPOSITORY}/resolve/${REVISION}/${file}` });
    await assert.rejects(download(hub), { code: 'NETWORK', message: /more than 5 times/ });
    assert.equal(hub.requests.length, 6);
  });

  for (const location of ['file:///etc/passwd', 'ftp://example.com/x', 'data:,x', 'http://[']) {
    it(`A download refuses a redirect to '${location}'`, async () => {
      await assert.rejects(download(await start({ redirect: () => location })), { code: 'NETWORK', message: /leads to/ });
    });
  }

  it('A download continues after a break and fetches nothing twice', async () => {
    const hub = await start();
    hub.spoil(FILE, cutAtHalf(hub));
    const reasons = [];
    assert.deepEqual(await download(hub, { onRetry: (reason) => reasons.push(reason) }), BYTES);
    assert.equal(reasons.length, 1);
    const [, second] = hub.to(FILE);
    assert.equal(second.range, `bytes=${HALF}-`);
    assert.match(second.ifRange, /^"[0-9a-f]{64}"$/);
    assert.equal(hub.sent(FILE), BYTES.length);
  });

  it("A download resumes an earlier call's part with its ETag", async () => {
    const hub = await start();
    const scratch = await scratchFolder();
    hub.spoil(FILE, cutAtHalf(hub));
    await assert.rejects(download(hub, { retries: 0 }, scratch), {
      code: 'NETWORK',
      message: new RegExp(`${HALF} of ${BYTES.length} bytes\\) is kept`),
    });
    assert.deepEqual(await download(hub, {}, scratch), BYTES);
    assert.equal(hub.sent(FILE), BYTES.length);
    assert.match(hub.to(FILE)[1].ifRange, /^"/);
  });

  it('A download sends no request when the file is complete', async () => {
    const hub = await start();
    const scratch = await scratchFolder();
    await writeFile(scratch.data, BYTES);
    assert.deepEqual(await download(hub, {}, scratch), BYTES);
    assert.equal(hub.requests.length, 0);
  });

  it('A download starts over where a server ignores ranges', async () => {
    const hub = await start({ redirect: false });
    hub.spoil(FILE, cutAtHalf(hub), ignoreRange);
    assert.deepEqual(await download(hub), BYTES);
  });

  it('A download starts over when the file changed between two parts', async () => {
    const hub = await start();
    hub.spoil(FILE, async (context) => {
      await cutAtHalf(hub)(context);
      hub.setEtag(FILE, '"other"');
    });
    assert.deepEqual(await download(hub), BYTES);
    assert.equal(hub.sent(FILE), HALF + BYTES.length);
  });

  it('A download notices another ETag where If-Range is not understood', async () => {
    const hub = await start();
    hub.setEtag(FILE, 'W/"weak"'); // weak: not for If-Range
    hub.spoil(FILE, async (context) => {
      await cutAtHalf(hub)(context);
      hub.setEtag(FILE, 'W/"other"');
    });
    assert.deepEqual(await download(hub), BYTES);
    assert.deepEqual(
      hub.to(FILE).map(({ range, ifRange }) => [range, ifRange]),
      [
        [undefined, undefined],
        [`bytes=${HALF}-`, undefined],
        [undefined, undefined],
      ],
    );
  });

  it('A download starts over after 416, and when a part begins elsewhere', async () => {
    for (const spoil of [status(416), wrongRange(-7)]) {
      const hub = await start();
      hub.spoil(FILE, cutAtHalf(hub), spoil);
      assert.deepEqual(await download(hub), BYTES);
      assert.equal(hub.to(FILE).at(-1).range, undefined);
    }
  });

  it('A download refuses a part of a file of another size', async () => {
    const hub = await start();
    hub.spoil(FILE, cutAtHalf(hub), wrongRange(0, BYTES.length + 5));
    await assert.rejects(download(hub), { name: 'Error', message: `has ${BYTES.length + 5} bytes there, expected ${BYTES.length}` });
  });

  it('A download refuses a wrong length without reading on', async () => {
    const hub = await start();
    hub.spoil(FILE, announce(BYTES.length + 1));
    await assert.rejects(download(hub), { message: `has ${BYTES.length + 1} bytes there, expected ${BYTES.length}` });
  });

  it('A download refuses an answer that ends early in good order', async () => {
    const hub = await start();
    hub.spoil(FILE, short(HALF));
    await assert.rejects(download(hub), { message: `ended after ${HALF} bytes, expected ${BYTES.length}` });
  });

  it('A download cuts an endless answer at the size of the file', async () => {
    const hub = await start();
    hub.always(FILE, endless());
    assert.deepEqual(await download(hub), BYTES);
  });

  it('A download retries after 408, 429 and 5xx, and waits as asked', async () => {
    const hub = await start();
    hub.spoil(
      FILE,
      status(429, { 'Retry-After': '0' }),
      status(503, { 'Retry-After': '1' }),
      status(408, { 'Retry-After': '0' }),
      status(500),
    );
    const waits = [];
    assert.deepEqual(await download(hub, { onRetry: (reason, wait) => waits.push([reason, wait]) }), BYTES);
    assert.deepEqual(waits.slice(0, 3), [
      ['the server answered 429', 0],
      ['the server answered 503', 1000],
      ['the server answered 408', 0],
    ]);
    assert.ok(waits[3][1] >= 80 && waits[3][1] <= 160, 'the fourth failure waits eight times the first wait, less up to half by chance');
  });

  it('A download does not wait for an hour', async () => {
    const hub = await start();
    hub.spoil(FILE, status(429, { 'Retry-After': '3600' }));
    await assert.rejects(download(hub), { code: 'NETWORK', status: 429, message: /asks to wait 3600 s/ });
  });

  for (const [code, way] of [
    [401, /HF_TOKEN/],
    [403, /terms/],
    [404, /--revision/],
    [410, /HF_ENDPOINT/],
  ]) {
    it(`A download takes ${code} as final and names the way out`, async () => {
      const hub = await start();
      hub.always(FILE, status(code));
      await assert.rejects(download(hub), { code: 'NETWORK', status: code, message: way });
      assert.equal(hub.to(FILE).length, 1);
    });
  }

  it('A download gives up after the given number of failures in a row', async () => {
    const hub = await start();
    hub.always(FILE, status(500, { 'Retry-After': '0' }));
    await assert.rejects(download(hub, { retries: 3 }), { code: 'NETWORK', message: /in 4 tries: the server answered 500.*--from/ });
    assert.equal(hub.to(FILE).length, 4);
  });

  it('A download gives up a silent connection, before and amid the body, and continues', async (t) => {
    const hub = await start();
    const { ring } = ownClock(t);
    const silentAfter = (count) => async (context) => {
      wedgeAfter(count)(context);
      await arrivedAt(hub)(count);
      ring();
    };
    hub.spoil(FILE, silentAfter(0), silentAfter(HALF));
    const reasons = [];
    assert.deepEqual(await download(hub, { stallMs: STALL_MS, onRetry: (reason) => reasons.push(reason) }), BYTES);
    assert.deepEqual(reasons, ['no byte came for 987.654 s', 'no byte came for 987.654 s']);
    assert.equal(hub.sent(FILE), BYTES.length);
  });

  it('A download is patient with a slow connection that never falls silent', async (t) => {
    const hub = await start();
    const { waiting } = ownClock(t);
    const after = []; // each piece: the timers that are set then
    hub.spoil(
      FILE,
      drip(12, async (count) => {
        await arrivedAt(hub)(count);
        if (count < BYTES.length) after.push([...waiting.keys()]);
      }),
    );
    assert.deepEqual(await download(hub, { stallMs: STALL_MS, retries: 0 }), BYTES);
    assert.deepEqual(
      after.map((timers) => timers.length),
      Array(11).fill(1),
    );
    assert.equal(new Set(after.flat()).size, 11, 'with each piece the wait begins anew');
    assert.equal(waiting.size, 0, 'and it ends with the last');
    assert.equal(hub.to(FILE).length, 1);
  });

  it('A download stops at once when its signal fires, in a body or a wait', async () => {
    const aborted = { code: 'ABORTED', name: 'AbortError' };
    const hub = await start();
    hub.spoil(FILE, wedgeAfter(HALF));
    const amid = new AbortController();
    await assert.rejects(download(hub, { signal: amid.signal, onProgress: (bytes) => bytes === HALF && amid.abort() }), aborted);
    for (const when of [(stop) => stop(), setImmediate]) {
      hub.spoil(FILE, status(503, { 'Retry-After': '200' }));
      const controller = new AbortController();
      await assert.rejects(download(hub, { signal: controller.signal, onRetry: () => when(() => controller.abort()) }), aborted);
    }
  });

  it('A download explains an unreachable hub, and the way without it', async () => {
    const hub = await serveHub({});
    await hub.close();
    await assert.rejects(download(hub, { retries: 0 }), {
      code: 'NETWORK',
      message: /ECONNREFUSED.*HF_ENDPOINT.*--from.*NODE_USE_ENV_PROXY/,
    });
  });
});

describe('addresses and dates', () => {
  it("A hub address has a mirror's path in front, and encodes odd characters", () => {
    assert.equal(
      hubUrl('https://mirror.example/hf/', 'a/b', 'refs x', 'onnx/m#1.onnx').href,
      'https://mirror.example/hf/a/b/resolve/refs%20x/onnx/m%231.onnx',
    );
  });

  it('A hub endpoint is refused when it is no web address, or carries a password', () => {
    for (const endpoint of ['', 'huggingface.co', 'file:///models', 'https://user:secret@hub.example']) {
      assert.throws(() => hubUrl(endpoint, 'a/b', 'main', 'x'), { code: 'INVALID_ARGUMENT' }, endpoint);
    }
  });

  it('Retry-After is read in seconds and as a date', () => {
    assert.equal(retryAfter('7'), 7000);
    assert.equal(retryAfter('Thu, 01 Jan 2026 00:00:09 GMT', Date.UTC(2026, 0, 1)), 9000);
    assert.equal(retryAfter('Thu, 01 Jan 2025 00:00:00 GMT', Date.UTC(2026, 0, 1)), 0);
    assert.equal(retryAfter('soon'), undefined);
    assert.equal(retryAfter(null), undefined);
  });
});
