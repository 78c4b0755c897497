/**
 * `sheaf embed all-MiniLM-L6-v2` out of the vectors that peers are given, projected as the model's descriptor says: what
 * is embedded for LanceDB is not embedded again for Sheaf. Speaks docs/embedding-protocol.md on stdin and stdout.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../../../dist/node/encoder/embedding_process.js';
import { modelHash } from '../../../dist/node/encoder/node.js';
import { installedModel, MODEL, openKept, WIDTH } from './vectors.mjs';

/** (vector - mean) x rotation, of length 1: the projection file holds mean, then the rotation row by row. */
function project(vector, numbers, dimensions) {
  const out = new Float64Array(dimensions);
  for (let i = 0; i < WIDTH; i++) {
    const centred = vector[i] - numbers[i];
    const row = WIDTH + i * dimensions;
    for (let j = 0; j < dimensions; j++) out[j] += centred * numbers[row + j];
  }
  const length = Math.hypot(...out);
  return Float32Array.from(out, (value) => value / length);
}

async function load() {
  const model = await installedModel();
  if (model === undefined) throw new Error(`${MODEL} is not installed; add it: sheaf model add ${MODEL}`);
  const { folder, descriptor } = model;
  const { name, dimensions, projection } = descriptor.space;
  const bytes = readFileSync(join(folder, projection));
  const numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const kept = await openKept(model);
  const embedTokens = async (lists) => (await kept.embedTokens(lists)).map((vector) => project(vector, numbers, dimensions));
  const encoder = { descriptor, precision: 'fp32', space: name, dimensions, embedTokens, close: () => kept.close() };
  const facts = { hash: modelHash(descriptor, 'fp32'), vocabulary: join(folder, descriptor.tokenizer.vocabulary), batchTokens: 4096 };
  return { encoder, facts };
}

process.exitCode = await serve(process.stdin, process.stdout, load);
