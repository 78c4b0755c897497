/** The tests' own little BERT: ONNX Runtime and plain JavaScript compute the same. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import ortNode from 'onnxruntime-node';
import * as ortWeb from 'onnxruntime-web';
import { parseDescriptor } from '../../dist/browser/encoder/descriptor.js';
import { buildTinyBert, TINY, TINY_VOCABULARY, tinyBertReference, writeTinyBert } from '../fixtures/tiny_bert.mjs';
import { temporaryFolder } from './packed.mjs';

ortWeb.env.wasm.numThreads = 1;
const RUNTIMES = { 'onnxruntime-node': [ortNode, 'cpu'], 'onnxruntime-web': [ortWeb, 'wasm'] };
const SEQUENCES = [
  [2, 100, 120, 3],
  [2, 3],
  [2, ...Array.from({ length: TINY.maxTokens - 2 }, (_, i) => (i * 7) % TINY_VOCABULARY.length), 3],
];

/** Hidden states of a padded batch, one row of Float32Arrays a sequence. */
async function infer([ort, provider], model, sequences) {
  const session = await ort.InferenceSession.create(model, { executionProviders: [provider] });
  const length = Math.max(...sequences.map((s) => s.length));
  const [ids, mask, types] = [0, 1, 2].map(() => new BigInt64Array(sequences.length * length));
  sequences.forEach((sequence, row) =>
    sequence.forEach((id, i) => {
      ids[row * length + i] = BigInt(id);
      mask[row * length + i] = 1n;
    }),
  );
  const tensor = (data) => new ort.Tensor('int64', data, [sequences.length, length]);
  const { last_hidden_state: out } = await session.run({
    input_ids: tensor(ids),
    attention_mask: tensor(mask),
    token_type_ids: tensor(types),
  });
  assert.deepEqual([...out.dims], [sequences.length, length, TINY.hidden]);
  return sequences.map((sequence, row) =>
    sequence.map((_, i) => out.data.subarray((row * length + i) * TINY.hidden).subarray(0, TINY.hidden)),
  );
}

describe('the tiny BERT', () => {
  for (const [name, runtime] of Object.entries(RUNTIMES)) {
    for (const precision of ['fp32', 'int8']) {
      it(`The tiny BERT agrees with the reference in ${name}, ${precision}, padded or not`, async () => {
        const found = await infer(runtime, buildTinyBert({ precision }).model, SEQUENCES);
        SEQUENCES.forEach((ids, row) => {
          const { tokens } = tinyBertReference(ids, { precision });
          tokens.forEach((values, i) =>
            values.forEach((value, d) =>
              assert.ok(
                Math.abs(value - found[row][i][d]) < 1e-4,
                `sequence ${row}, token ${i}, component ${d}: ${found[row][i][d]}, expected ${value}`,
              ),
            ),
          );
        });
      });
    }
  }

  it('The tiny BERT tells texts, poolings, precisions and seeds apart', () => {
    const vector = (ids, options) => tinyBertReference(ids, options).vector;
    const cosine = (a, b) => a.reduce((s, v, i) => s + v * b[i], 0);
    const base = vector(SEQUENCES[0]);
    assert.ok(Math.abs(cosine(base, base) - 1) < 1e-12, 'vectors have length 1');
    assert.ok(cosine(base, vector(SEQUENCES[2])) < 0.9);
    assert.ok(cosine(base, vector(SEQUENCES[0], { pooling: 'cls' })) < 0.99);
    assert.ok(cosine(base, vector(SEQUENCES[0], { seed: 2 })) < 0.9);
    const int8 = cosine(base, vector(SEQUENCES[0], { precision: 'int8' }));
    assert.ok(int8 > 0.98 && int8 < 1 - 1e-7, `${int8}`);
  });

  it('The tiny BERT writes folders whose encoder.json describes them', async () => {
    const folder = join(temporaryFolder('tiny'), 'model');
    for (const options of [
      {},
      { projection: false },
      { precision: 'both', space: 'minilm-l6-256', dimensions: 256, pooling: 'cls', name: 'other' },
    ]) {
      const { descriptor } = await writeTinyBert(folder, options);
      assert.deepEqual(parseDescriptor(await readFile(join(folder, 'encoder.json'), 'utf8'), 'encoder.json'), descriptor);
      for (const [path, { bytes }] of Object.entries(descriptor.files)) assert.equal((await readFile(join(folder, path))).length, bytes);
    }
  });
});
