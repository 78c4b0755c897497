/** Transformer encoders in Chromium: static at once, the transformer when it is there, a model's files kept and checked. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { findModel, loadEncoder } from '../../dist/node/encoder/node.js';
import { writeTinyBert } from '../fixtures/tiny_bert.mjs';
import { manyPages, packFixture, TABLE, temporaryFolder } from '../node/packed.mjs';
import { until } from '../node/until.mjs';
import { launchChromium, newReader } from './chromium.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = temporaryFolder('browser-encoder');
const file = join(folder, 'kiln.sheaf');
const tiny = join(folder, 'tiny');
const other = join(folder, 'other');
const QUERY = 'keep passwords out of files';
const installed = new Map();
for (const name of ['all-MiniLM-L6-v2', 'bge-small-en-v1.5']) installed.set(name, await findModel(name).catch(() => undefined));

let browser;
let context;
let page;
let site;
let problems;

before(async () => {
  await packFixture(file, { docs: manyPages(join(folder, 'docs'), 50), options: ['--level', '3'] });
  await writeTinyBert(tiny, { precision: 'both', space: 'minilm-l6-256', dimensions: 256 });
  await writeTinyBert(other, { name: 'other-bert' });
  browser = await launchChromium();
});
after(() => browser?.close());

beforeEach(async () => {
  site = await serveSite({
    '/dist/': here('../../dist/'),
    '/ort/': here('../../node_modules/onnxruntime-web/dist/'),
    '/tiny/': `${tiny}/`,
    '/other/': `${other}/`,
    '/kiln.sheaf': file,
    '/table.sheaf': TABLE,
    '/': here('site/'),
  });
  ({ context, page, problems } = await newReader(browser));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (404|500|503)/.test(message.text())) problems.push(message.text());
  });
});
afterEach(async () => {
  await context?.close();
  await site?.close();
});

async function visit(parameters = {}) {
  await page.goto(`${site.origin}/?${new URLSearchParams({ encoder: '/table.sheaf', model: '/tiny/', ...parameters })}`);
  await page.waitForSelector('#status:has-text("ready")');
}

const encoderSays = (text) => page.waitForSelector(`#encoder:has-text(${JSON.stringify(text)})`);
const search = (query = QUERY, options = {}) =>
  page.evaluate(([text, more]) => window.library.search(text, { explain: true, ...more }), [query, options]);
const modelRequests = () => site.requests.filter(({ path }) => path.startsWith('/tiny/') && !path.endsWith('.json'));

/** The answers that Node gives: by the table, and by the same transformer. */
async function expected(precision = 'fp32') {
  const library = await open(file);
  const encoder = await loadEncoder(tiny, { precision, threads: 1 });
  const vector = await encoder.embed(QUERY);
  const answers = {
    table: await library.search(QUERY, { explain: true }),
    transformer: await library.search(QUERY, { explain: true, vector }),
  };
  await Promise.all([library.close(), encoder.close()]);
  return answers;
}

const ranking = (answer) => answer.hits.map((hit) => hit.source);

function assertNear(found, wanted) {
  assert.deepEqual(ranking(found), ranking(wanted));
  found.hits.forEach((hit, i) =>
    assert.ok(Math.abs(hit.score - wanted.hits[i].score) < 1e-3, `${hit.source}: ${hit.score} and ${wanted.hits[i].score}`),
  );
}

async function assertNoProblems() {
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(problems, []);
}

describe('a page with a transformer on its way', () => {
  for (const worker of ['true', 'false']) {
    it(`The page answers by the table at once, later by the transformer, ${worker === 'true' ? 'in a worker' : 'on the main thread'}`, async () => {
      let release;
      const held = new Promise((resolve) => (release = resolve));
      site.settings.meddle = async (path) => void (path.endsWith('.onnx') && (await held));
      const { table, transformer } = await expected();
      assert.notDeepEqual(
        ranking(table).slice(0, 8),
        ranking(transformer).slice(0, 8),
        'the two encoders must differ for this test to mean anything',
      );

      await visit({ worker });
      assertNear(await search(), table);
      assert.equal(await page.evaluate(() => window.library.state.kind), 'loading');
      // A reader who types through the switch sees hits after every keystroke.
      await page.evaluate(() => {
        window.seen = [];
        new MutationObserver(() =>
          window.seen.push([document.getElementById('status').textContent, document.querySelectorAll('#hits li').length]),
        ).observe(document.getElementById('status'), { childList: true, characterData: true, subtree: true });
      });
      const typing = page.locator('#query').pressSequentially('keep passwords out of files and logs', { delay: 15 });
      release();
      await typing;
      await encoderSays('ready tiny-bert fp32');
      assertNear(await search(), transformer);
      await page.waitForSelector('#status:has-text("for “keep passwords out of files and logs”")');
      const seen = await page.evaluate(() => window.seen);
      assert.ok(seen.length > 0);
      for (const [status, hits] of seen) assert.ok(hits > 0 && /pages for “/.test(status), `${status}: ${hits} hits`);
      assert.equal(await page.evaluate(() => performance.getEntriesByType('navigation').length), 1);
      await assertNoProblems();
    });
  }

  it('The page keeps answering by the table when the model fails, and says why', async () => {
    const { table } = await expected();
    for (const [meddle, says] of [
      [(path) => (path.endsWith('.onnx') ? 404 : undefined), /^NETWORK: onnx\/model\.onnx .* answered 404/],
      [(path) => (path === '/tiny/encoder.json' ? 404 : undefined), /^NETWORK: .*encoder\.json answered 404/],
      [
        (path, bytes) => (path.endsWith('.onnx') ? bytes.map((b, i) => (i === 999 ? b ^ 1 : b)) : undefined),
        /^CHECKSUM_MISMATCH: .*SHA-256/,
      ],
      [(path, bytes) => (path.endsWith('.onnx') ? Buffer.concat([bytes, bytes]) : undefined), /^TOO_LARGE/],
      [(path) => (path === '/ort/ort.wasm.min.mjs' ? 404 : undefined), /^RUNTIME: .*ort\.wasm\.min\.mjs/],
      [(path) => (path.endsWith('wordpiece.wasm') ? 404 : undefined), /^NETWORK: .*answered 404/],
    ]) {
      site.settings.meddle = meddle;
      await visit();
      await page.waitForSelector('#encoder:not(:empty)');
      assert.match(await page.textContent('#encoder'), says);
      assertNear(await search(), table);
      assert.deepEqual(await page.evaluate(() => window.states), ['failed']);
    }
    assert.deepEqual(await page.evaluate(() => window.violations), []);
  });

  it('The page retries where the server was only overloaded', async () => {
    let failures = 2;
    site.settings.meddle = (path) => (path.endsWith('.onnx') && failures-- > 0 ? 503 : undefined);
    await visit();
    await encoderSays('ready');
    assert.deepEqual(
      modelRequests()
        .filter(({ path }) => path.endsWith('.onnx'))
        .map(({ status }) => status),
      [503, 503, 200],
    );
  });

  it('The page refuses an encoder of another space, naming both, and goes on', async () => {
    const { table } = await expected();
    await visit({ model: '/other/' });
    await encoderSays('SPACE_MISMATCH');
    assert.match(await page.textContent('#encoder'), /minilm-l6-256.*other-bert.*tiny-16/);
    assertNear(await search(), table);
  });

  it('The page uses WebAssembly where WebGPU was asked for and is missing', async () => {
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    await visit({ device: 'webgpu', runtime: '/ort/ort.webgpu.min.mjs' });
    await encoderSays('ready');
    const present = await page.evaluate(async () => Boolean(await navigator.gpu?.requestAdapter().catch(() => null)));
    const warned = () => said.some((text) => /WebGPU.* runs on WebAssembly|no graphics adapter/.test(text));
    if (present) assert.ok(!warned());
    else await until(warned, 'the warning, which comes from the worker in its own time');
    assertNear(await search(), (await expected()).transformer);
  });

  it('The page uses threads under cross-origin isolation, with the same answers', async () => {
    site.settings.headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
    // Its threads are module workers made from the runtime's own file.
    await visit({ worker: 'false' });
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
    await encoderSays('ready');
    assertNear(await search(), (await expected()).transformer);
    const threads = await page.evaluate(async () => (await import('/ort/ort.wasm.min.mjs')).env.wasm.numThreads);
    assert.equal(threads, await page.evaluate(() => Math.min(4, navigator.hardwareConcurrency)));
    assert.deepEqual(problems, []);
  });

  it("The page can abort the model's load", async () => {
    const asked = new Set();
    site.settings.meddle = (path) => (path.endsWith('.onnx') ? new Promise(() => asked.add(path)) : undefined);
    await visit({ model: '/tiny/' });
    await page.evaluate(async () => {
      const { loadEncoder } = await import('/dist/browser/encoder/index.js');
      window.controller = new AbortController();
      const loading = loadEncoder({
        model: '/tiny/',
        precision: 'int8',
        runtime: '/ort/ort.wasm.min.mjs',
        signal: window.controller.signal,
      });
      window.outcome = loading.then(
        () => 'loaded',
        (error) => error.code,
      );
    });
    await until(() => asked.size === 2, 'both models to be asked for');
    assert.equal(await page.evaluate(() => (window.controller.abort(), window.outcome)), 'ABORTED');
  });
});

describe("a model's files", () => {
  const cached = () =>
    page.evaluate(async () => (await (await caches.open('sheaf-models')).keys()).map((request) => new URL(request.url).pathname).sort());

  it("A model's files are fetched once, with progress, and then come from Cache Storage", async () => {
    await visit();
    await encoderSays('ready');
    const progress = await page.evaluate(() => window.progress);
    for (const path of ['vocab.txt', 'space.f32', 'onnx/model.onnx']) {
      const last = progress.filter((entry) => entry.file === path).at(-1);
      assert.deepEqual([last.loaded, last.cached], [last.total, false], path);
    }
    assert.equal(modelRequests().length, 3);
    assert.equal((await cached()).length, 3);
    site.requests.length = 0;
    await visit();
    await encoderSays('ready');
    assert.deepEqual(modelRequests(), []);
    assert.ok((await page.evaluate(() => window.progress)).every((entry) => entry.cached));
    await assertNoProblems();
  });

  it("A model's files are fetched again when evicted or damaged", async () => {
    await visit();
    await encoderSays('ready');
    await page.evaluate(async () => {
      const cache = await caches.open('sheaf-models');
      const [first, second] = await cache.keys();
      await cache.delete(first);
      await cache.put(second, new Response('damaged'));
    });
    site.requests.length = 0;
    await visit();
    await encoderSays('ready');
    assert.equal(modelRequests().length, 2);
    assert.equal((await cached()).length, 3);
    const hashes = await page.evaluate(async () => {
      const cache = await caches.open('sheaf-models');
      return Promise.all(
        (await cache.keys()).map(async (request) => {
          const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await (await cache.match(request)).arrayBuffer()));
          return `/.sheaf/sha256/${Array.from(digest, (b) => b.toString(16).padStart(2, '0')).join('')}`;
        }),
      );
    });
    assert.deepEqual(hashes.sort(), await cached());
  });

  it("A model's files are shared by two encoders that load at once", async () => {
    await visit();
    await encoderSays('ready');
    site.requests.length = 0;
    const vectors = await page.evaluate(async () => {
      const { loadEncoder } = await import('/dist/browser/encoder/index.js');
      const encoders = await Promise.all(
        [1, 2].map(() => loadEncoder({ model: '/tiny/encoder.json', precision: 'fp32', runtime: '/ort/ort.wasm.min.mjs' })),
      );
      const found = await Promise.all(encoders.map((encoder) => encoder.embed('clay').then((vector) => Array.from(vector))));
      await Promise.all(encoders.map((encoder) => encoder.close()));
      return found;
    });
    assert.deepEqual(vectors[0], vectors[1]);
    assert.deepEqual(modelRequests(), []);
  });
});

describe('real models in Chromium', () => {
  for (const [name, precision, least] of [
    ['all-MiniLM-L6-v2', 'fp32', 0.9999],
    ['all-MiniLM-L6-v2', 'int8', 0.98],
    ['bge-small-en-v1.5', 'fp32', 0.9999],
    ['bge-small-en-v1.5', 'int8', 0.98],
  ]) {
    // Known before the test begins: hooks of a test that skips itself do not all run.
    const model = installed.get(name);
    const skip = model?.descriptor.models[precision] === undefined && `${name} (${precision}) is not installed: sheaf model add ${name}`;
    it(`${name} ${precision} in Chromium has a cosine of at least ${least} with the original library`, { skip }, async () => {
      const own = await serveSite(
        {
          '/dist/': here('../../dist/'),
          '/ort/': here('../../node_modules/onnxruntime-web/dist/'),
          '/model/': `${model.folder}/`,
          '/': here('site/'),
        },
        { csp: STRICT_CSP },
      );
      const golden = JSON.parse(readFileSync(here(`../golden/encoders/${name}.json`), 'utf8'));
      await page.goto(`${own.origin}/`);
      const vectors = await page.evaluate(
        async ([texts, wanted]) => {
          const { loadEncoder } = await import('/dist/browser/encoder/index.js');
          const encoder = await loadEncoder({ model: '/model/', precision: wanted, runtime: '/ort/ort.wasm.min.mjs' });
          const found = [];
          for (const text of texts) found.push(Array.from(await encoder.embed(text)));
          await encoder.close();
          return found;
        },
        [golden.texts, precision],
      );
      await own.close();
      const project = projectionOf(model, golden.dimensions);
      golden.texts.forEach((text, i) => {
        const expectedVector = project(new Float32Array(new Uint8Array(Buffer.from(golden.vectors[i], 'base64')).buffer));
        const similarity = cosine(vectors[i], expectedVector);
        assert.ok(similarity >= least, `${JSON.stringify(text.slice(0, 40))}: cosine ${similarity}`);
      });
    });
  }
});

function cosine(a, b) {
  const dot = (x, y) => x.reduce((sum, v, i) => sum + v * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

function projectionOf({ folder: place, descriptor }, from) {
  const { projection, dimensions: to } = descriptor.space;
  if (projection === undefined) return (vector) => Array.from(vector);
  const bytes = readFileSync(join(place, projection));
  assert.equal(createHash('sha256').update(bytes).digest('hex'), descriptor.files[projection].sha256);
  const numbers = new Float32Array(new Uint8Array(bytes).buffer);
  return (vector) =>
    Array.from({ length: to }, (_, j) => vector.reduce((sum, v, i) => sum + (v - numbers[i]) * numbers[from + i * to + j], 0));
}
