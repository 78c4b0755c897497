/** TransformerEncoder on ONNX Runtime: against a plain computation, and against the original libraries. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, mock } from 'node:test';
import { fileURLToPath } from 'node:url';
import { filesFor } from '../../dist/browser/encoder/descriptor.js';
import { loadHere } from '../../dist/browser/encoder/load.js';
import { findModel, loadEncoder, TransformerEncoder } from '../../dist/node/encoder/node.js';
import { loadRemote } from '../../dist/browser/encoder/remote.js';
import { TINY_VOCABULARY, tinyBertReference, writeTinyBert } from '../fixtures/tiny_bert.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('transformer');
const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'];
const TEXTS = ['the kiln', 'How to set the list of options?', 'glaze, fire; clay!', 'a '.repeat(40), 'unknowable 日本'];

let made = 0;
async function tiny(options = {}, load = {}) {
  const { folder: place } = await writeTinyBert(join(folder, `tiny-${made++}`), options);
  return { encoder: await loadEncoder(place, { precision: 'fp32', threads: 1, ...load }), place };
}

const cosine = (a, b) => {
  let dot = 0,
    aa = 0,
    bb = 0;
  for (let i = 0; i < a.length; i++) (dot += a[i] * b[i]), (aa += a[i] * a[i]), (bb += b[i] * b[i]);
  return a.length === b.length ? dot / Math.sqrt(aa * bb) : Number.NaN;
};

function assertClose(found, expected, what, tolerance = 1e-5) {
  assert.equal(found.length, expected.length, what);
  const worst = Math.max(...Array.from(found, (v, i) => Math.abs(v - expected[i])));
  assert.ok(worst <= tolerance, `${what}: off by ${worst}`);
}

describe('a transformer encoder', () => {
  for (const runtime of RUNTIMES) {
    for (const options of [
      { pooling: 'mean' },
      { pooling: 'cls' },
      { pooling: 'mean', projection: false },
      { pooling: 'cls', seed: 2, dimensions: 32 },
    ]) {
      it(`A transformer encoder agrees with a plain program: ${runtime}, ${JSON.stringify(options)}`, async () => {
        const { encoder } = await tiny(options, { runtime });
        for (const text of TEXTS) {
          assertClose(await encoder.embed(text), tinyBertReference(encoder.tokenize(text), options).vector, text);
        }
        await encoder.close();
      });
    }
  }

  it('A transformer encoder reads a projection that lies within a larger Buffer', async () => {
    const { descriptor, folder: place } = await findModel((await tiny()).place);
    const files = new Map(filesFor(descriptor, 'fp32').map((path) => [path, readFileSync(join(place, path))]));
    const { projection } = descriptor.space;
    files.set(projection, Buffer.concat([Buffer.alloc(6000, 1), files.get(projection)]).subarray(6000));
    const { default: runtime } = await import('onnxruntime-node');
    const wasm = readFileSync(new URL('../../dist/browser/core/sheaf-wordpiece.wasm', import.meta.url));
    const encoder = await TransformerEncoder.create({ descriptor, precision: 'fp32', files, runtime, wasm });
    assertClose(await encoder.embed('the kiln'), tinyBertReference(encoder.tokenize('the kiln')).vector, 'the kiln');
    await encoder.close();
  });

  it('A transformer encoder reports a module that is not ONNX Runtime, and the right one', async (t) => {
    const { place } = await tiny();
    mock.method(globalThis, 'fetch', async (url) => new Response(readFileSync(join(place, new URL(url).pathname))));
    t.after(() => mock.restoreAll());
    const request = {
      folder: 'https://x.example/',
      precision: 'fp32',
      device: 'wasm',
      runtime: 'data:text/javascript,export {}',
      instruction: false,
      cache: false,
    };
    await assert.rejects(loadHere(request), { code: 'RUNTIME', message: /is no module of ONNX Runtime.*ort\.wasm\.min\.mjs/ });
  });

  it('A transformer encoder ends its worker when the load was aborted before it began', async () => {
    const worker = Object.assign(new EventTarget(), {
      ended: 0,
      postMessage() {},
      terminate() {
        this.ended++;
      },
    });
    await assert.rejects(loadRemote(worker, {}, { signal: AbortSignal.abort() }), { code: 'ABORTED' });
    assert.equal(worker.ended, 1);
  });

  it('A transformer encoder gives a text the same vector alone and in a batch', async () => {
    const { encoder } = await tiny();
    const batch = await encoder.embedDocuments(TEXTS);
    for (const [i, text] of TEXTS.entries()) {
      const [alone] = await encoder.embedDocuments([text]);
      assertClose(batch[i], alone, text);
    }
    assert.deepEqual(await encoder.embedDocuments([]), []);
    await encoder.close();
  });

  it("A transformer encoder takes MPNet's special tokens where the vocabulary begins with them", async () => {
    const { encoder } = await tiny({ mpnet: true });
    const kiln = TINY_VOCABULARY.indexOf('kiln');
    assert.deepEqual([...encoder.tokenize('kiln </s> [CLS]')].slice(0, 3), [0, kiln, 2]);
    assert.equal(encoder.tokenize('kiln').at(-1), 2);
    const batch = await encoder.embedDocuments(TEXTS);
    for (const [i, text] of TEXTS.entries())
      assertClose(batch[i], tinyBertReference(encoder.tokenize(text)).vector, `${text}, padded by <pad>`);
    await encoder.close();
  });

  it('A transformer encoder gives vectors of length 1, also for an empty text', async () => {
    const { encoder } = await tiny();
    for (const text of ['', ...TEXTS]) {
      const vector = await encoder.embed(text);
      assert.equal(vector.length, encoder.dimensions);
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
    }
    await encoder.close();
  });

  it('A transformer encoder cuts a text at the longest input of its model', async () => {
    const { encoder } = await tiny();
    assert.equal(encoder.tokenize('kiln '.repeat(500)).length, 64);
    assertClose(await encoder.embed('kiln '.repeat(500)), await encoder.embed('kiln '.repeat(62)), 'cut');
    await assert.rejects(encoder.embedTokens([new Uint32Array(65).fill(5)]), {
      code: 'INVALID_ARGUMENT',
      message: /65 tokens; tiny-bert takes 1 to 64/,
    });
    await assert.rejects(encoder.embedTokens([Uint32Array.of(2, TINY_VOCABULARY.length, 3)]), {
      code: 'INVALID_ARGUMENT',
      message: /another vocabulary/,
    });
    await encoder.close();
  });

  it('A transformer encoder puts prefixes and, on request, the instruction before a text', async () => {
    const { place } = await tiny();
    const file = join(place, 'encoder.json');
    const descriptor = {
      ...JSON.parse(readFileSync(file, 'utf8')),
      prefix: { query: 'search ', document: 'page ' },
      instruction: 'find: ',
    };
    writeFileSync(file, JSON.stringify(descriptor));
    const plain = await loadEncoder(place, { precision: 'fp32' });
    const instructed = await loadEncoder(place, { precision: 'fp32', instruction: true });
    const vectorOf = (text) => tinyBertReference(plain.tokenize(text)).vector;
    assertClose(await plain.embed('clay'), vectorOf('search clay'), 'query');
    assertClose((await plain.embedDocuments(['clay']))[0], vectorOf('page clay'), 'document');
    assertClose(await instructed.embed('clay'), vectorOf('find: search clay'), 'instruction');
    await Promise.all([plain.close(), instructed.close()]);
    const { place: without } = await tiny();
    await assert.rejects(loadEncoder(without, { instruction: true }), { code: 'INVALID_ARGUMENT', message: /no query instruction/ });
  });

  it('A transformer encoder leaves aborted calls unrun and refuses calls after it was closed', async () => {
    const { encoder } = await tiny();
    const controller = new AbortController();
    const first = encoder.embed('one');
    const second = encoder.embed('two', { signal: controller.signal });
    controller.abort();
    await assert.rejects(second, { code: 'ABORTED', name: 'AbortError' });
    assert.equal((await first).length, 16);
    await encoder.close();
    await encoder.close();
    await assert.rejects(encoder.embed('three'), { code: 'CLOSED' });
  });

  it('A transformer encoder refuses a model file that was changed, naming the hashes', async () => {
    const { place } = await tiny();
    const model = join(place, 'onnx/model.onnx');
    const bytes = readFileSync(model);
    bytes[bytes.length - 100] ^= 1;
    writeFileSync(model, bytes);
    await assert.rejects(loadEncoder(place), { code: 'CHECKSUM_MISMATCH', message: /SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}/ });
  });

  it('A transformer encoder names the precisions and the way to a missing model', async () => {
    const { place } = await tiny();
    await assert.rejects(loadEncoder(place, { precision: 'int8' }), { code: 'INVALID_ARGUMENT', message: /no int8 model; there is fp32/ });
    await assert.rejects(loadEncoder('no-such-model'), { code: 'NOT_FOUND', message: /sheaf model add/ });
    await assert.rejects(loadEncoder(place, { precision: 'fp32', runtime: 'onnxruntime-absent' }), {
      code: 'RUNTIME',
      message: /npm install onnxruntime-absent/,
    });
  });
});

// Real weights are not part of the repository: npm test fetches them where it can (scripts/test.mjs).
const GOLDEN = ['all-MiniLM-L6-v2', 'bge-small-en-v1.5', 'mpnet-base-256'];
const LEAST = { fp32: 0.9999, int8: 0.98 };

describe('real models against the original libraries', () => {
  for (const name of GOLDEN) {
    for (const precision of ['fp32', 'int8']) {
      for (const runtime of RUNTIMES) {
        it(`${name} ${precision} on ${runtime} has a cosine of at least ${LEAST[precision]}`, async (t) => {
          const model = await findModel(name).catch(() => undefined);
          if (model?.descriptor.models[precision] === undefined) {
            t.skip(`${name} (${precision}) is not installed: sheaf model add ${name}`);
            return;
          }
          const golden = JSON.parse(readFileSync(fileURLToPath(new URL(`../golden/encoders/${name}.json`, import.meta.url)), 'utf8'));
          const encoder = await loadEncoder(name, { precision, runtime, threads: 1 });
          const project = projectionOf(model, golden.dimensions);
          for (const [i, text] of golden.texts.entries()) {
            const expected = new Float32Array(new Uint8Array(Buffer.from(golden.vectors[i], 'base64')).buffer);
            const found = await encoder.embed(text);
            const similarity = cosine(found, project(expected));
            assert.ok(similarity >= LEAST[precision], `${JSON.stringify(text.slice(0, 40))}: cosine ${similarity}`);
          }
          await encoder.close();
        });
      }
    }
  }
});

/** The space's rotation, written out once more. */
function projectionOf({ folder: place, descriptor }, from) {
  const { projection, dimensions: to } = descriptor.space;
  if (projection === undefined) return (vector) => vector;
  const numbers = new Float32Array(new Uint8Array(readFileSync(join(place, projection))).buffer);
  return (vector) =>
    Float64Array.from({ length: to }, (_, j) => vector.reduce((sum, v, i) => sum + (v - numbers[i]) * numbers[from + i * to + j], 0));
}
