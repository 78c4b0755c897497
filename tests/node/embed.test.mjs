/** `sheaf embed` over its pipes, and `sheaf pack --encoder MODEL` from documents to answers. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../dist/node/client/node.js';
import { findModel, loadEncoder } from '../../dist/node/encoder/node.js';
import { tinyBertReference, writeTinyBert } from '../fixtures/tiny_bert.mjs';
import { DOCS, MAIN, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('embed');
const store = join(folder, 'models');
const env = {
  ...process.env,
  SHEAF_MODEL_CACHE: store,
  XDG_CACHE_HOME: join(folder, 'cache'),
  XDG_DATA_HOME: join(folder, 'data'),
  NO_COLOR: '1',
};
let descriptor;

before(async () => {
  ({ descriptor } = await writeTinyBert(join(store, 'tiny-bert'), { precision: 'both' }));
  await writeTinyBert(join(store, 'like-the-table'), { name: 'like-the-table', space: 'minilm-l6-256', dimensions: 256 });
});

// ---- the packer's side of docs/embedding-protocol.md, written once more -----------------------------

const HELLO = 1,
  READY = 2,
  BATCH = 3,
  VECTORS = 4,
  ERROR = 5;

function frame(type, payload) {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(payload.length + 1);
  head.writeUInt8(type, 4);
  return Buffer.concat([head, payload]);
}

const words = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer);
const batch = (id, items) => frame(BATCH, Buffer.concat([words(id, items.length), ...items.map((ids) => words(ids.length, ...ids))]));
const hello = (protocol = 1) => frame(HELLO, Buffer.from(JSON.stringify({ protocol, packer: 'test' })));

function parse(bytes) {
  const frames = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    const payload = bytes.subarray(at + 5, at + 4 + length);
    frames.push({ type: bytes.readUInt8(at + 4), payload });
    at += 4 + length;
  }
  return frames;
}

/** Sends everything, ends the input, and returns what came back. */
async function embed(args, frames, { chunk = 1 << 20, environment = env } = {}) {
  const child = spawn(process.execPath, [MAIN, 'embed', ...args], { env: environment });
  const out = [];
  const err = [];
  child.stdout.on('data', (data) => out.push(data));
  child.stderr.on('data', (data) => err.push(data));
  child.stdin.on('error', () => {}); // it may have gone
  const bytes = Buffer.concat(frames);
  for (let at = 0; at < bytes.length; at += chunk) child.stdin.write(bytes.subarray(at, at + chunk));
  child.stdin.end();
  const [code] = await once(child, 'close');
  return { code, frames: parse(Buffer.concat(out)), stderr: Buffer.concat(err).toString() };
}

function vectorsOf({ payload }) {
  const [id, count] = [payload.readUInt32LE(0), payload.readUInt32LE(4)];
  const floats = new Float32Array(new Uint8Array(payload.subarray(8)).buffer);
  const width = floats.length / count;
  return { id, vectors: Array.from({ length: count }, (_, i) => floats.subarray(i * width, (i + 1) * width)) };
}

function errorOf({ payload }) {
  return { id: payload.readUInt32LE(0), item: payload.readUInt32LE(4), message: payload.subarray(8).toString() };
}

const cosine = (a, b) =>
  a.reduce((sum, v, i) => sum + v * b[i], 0) / Math.sqrt(a.reduce((s, v) => s + v * v, 0) * b.reduce((s, v) => s + v * v, 0));

describe('the embedding process', () => {
  it('The embedding process introduces itself and answers batches in order, however bytes are cut', async () => {
    const items = [
      [2, 40, 41, 3],
      [2, 60, 3],
    ];
    for (const chunk of [1, 7, 1 << 20]) {
      const { code, frames } = await embed(['tiny-bert'], [hello(), batch(7, items), batch(8, [items[1]])], { chunk });
      assert.equal(code, 0);
      assert.deepEqual(
        frames.map(({ type }) => type),
        [READY, VECTORS, VECTORS],
      );
      const ready = JSON.parse(frames[0].payload.toString());
      assert.deepEqual(ready, {
        protocol: 1,
        encoder: 'tiny-bert',
        hash: descriptor.files['onnx/model.onnx'].sha256,
        precision: 'fp32',
        space: 'tiny-16',
        dimensions: 16,
        input: 'tokens',
        vocabulary: join(store, 'tiny-bert', 'vocab.txt'),
        lowercase: true,
        stripAccents: true,
        splitCjk: true,
        maxTokens: 64,
        prefix: '',
        batchTokens: 4096,
        inFlight: 2,
      });
      const first = vectorsOf(frames[1]);
      assert.equal(first.id, 7);
      items.forEach((ids, i) => assert.ok(cosine(Array.from(first.vectors[i]), Array.from(tinyBertReference(ids).vector)) > 0.99999));
      assert.equal(vectorsOf(frames[2]).id, 8);
    }
  });

  it("The embedding process reports a failed batch as that batch's error, and continues", async () => {
    const { code, frames } = await embed(
      ['tiny-bert'],
      [hello(), batch(1, [[2, 99999, 3]]), batch(2, [new Array(65).fill(5)]), batch(3, [[2, 3]])],
    );
    assert.equal(code, 0);
    assert.deepEqual(
      frames.map(({ type }) => type),
      [READY, ERROR, ERROR, VECTORS],
    );
    assert.deepEqual([errorOf(frames[1]).id, errorOf(frames[2]).id], [1, 2]);
    assert.match(errorOf(frames[1]).message, /another vocabulary/);
    assert.match(errorOf(frames[2]).message, /65 tokens/);
  });

  it('The embedding process ends with one error when the protocol is broken', async () => {
    for (const [name, sent, pattern] of [
      ['another version', [hello(2)], /version 2 of the embedding protocol/],
      ['a batch before hello', [batch(1, [[2, 3]])], /type 3 was not expected/],
      ['an unknown type', [hello(), frame(9, Buffer.alloc(3))], /type 9/],
      ['a count beyond the frame', [hello(), frame(BATCH, words(1, 5, 2, 3))], /shorter or longer/],
      ['a frame of nothing', [hello(), words(0)], /frame of 0 bytes/],
      ['a frame beyond the cap', [hello(), words(0xffffffff)], /frame of 4294967295 bytes/],
      ['an end within a frame', [hello(), batch(1, [[2, 3]]).subarray(0, 9)], /within a frame/],
      ['a model that is not there', [hello()], /sheaf model add/],
    ]) {
      const { code, frames, stderr } = await embed([name.startsWith('a model') ? 'absent' : 'tiny-bert'], sent);
      assert.equal(code, 1, name);
      const last = frames.at(-1);
      assert.equal(last.type, ERROR, name);
      assert.equal(errorOf(last).id, 0xffffffff, name);
      assert.match(errorOf(last).message, pattern, name);
      assert.match(stderr, pattern, name);
    }
  });

  for (const [precision, least] of [
    ['fp32', 0.9999],
    ['int8', 0.98],
  ]) {
    it(`The embedding process gives the original vectors: all-MiniLM-L6-v2 ${precision}, cosine at least ${least}`, async (t) => {
      const model = await findModel('all-MiniLM-L6-v2').catch(() => undefined);
      if (model?.descriptor.models[precision] === undefined) {
        t.skip(`all-MiniLM-L6-v2 (${precision}) is not installed: sheaf model add all-MiniLM-L6-v2`);
        return;
      }
      const golden = JSON.parse(readFileSync(fileURLToPath(new URL('../golden/encoders/all-MiniLM-L6-v2.json', import.meta.url)), 'utf8'));
      const encoder = await loadEncoder('all-MiniLM-L6-v2', { precision });
      const ids = golden.texts.map((text) => encoder.tokenize(text));
      const numbers = new Float32Array(new Uint8Array(readFileSync(join(model.folder, 'space.f32'))).buffer);
      const project = (v) =>
        Array.from({ length: 256 }, (_, j) => v.reduce((sum, x, i) => sum + (x - numbers[i]) * numbers[384 + i * 256 + j], 0));
      await encoder.close();
      const { code, frames } = await embed(
        ['all-MiniLM-L6-v2', '--precision', precision],
        [hello(), ...ids.map((list, i) => batch(i, [list]))],
        { environment: process.env },
      );
      assert.equal(code, 0);
      frames.slice(1).forEach((answer, i) => {
        const expected = project(Array.from(new Float32Array(new Uint8Array(Buffer.from(golden.vectors[i], 'base64')).buffer)));
        const similarity = cosine(Array.from(vectorsOf(answer).vectors[0]), expected);
        assert.ok(similarity >= least, `${JSON.stringify(golden.texts[i].slice(0, 40))}: cosine ${similarity}`);
      });
    });
  }
});

describe('packing with a transformer', () => {
  const sheaf = (...args) => spawnSync(process.execPath, [MAIN, ...args], { env, encoding: 'utf8' });
  const bundle = join(folder, 'kiln.sheaf');
  const packed = (out, ...more) =>
    sheaf(
      'pack',
      DOCS,
      '--library',
      'kiln',
      '--version',
      '1',
      '-o',
      out,
      '--encoder',
      'tiny-bert',
      '--vector-bits',
      '8',
      '--json',
      ...more,
    );

  it('Packing with a transformer gives a bundle that names encoder, hash and space', () => {
    const run = packed(bundle);
    assert.equal(run.status, 0, run.stderr);
    const report = JSON.parse(run.stdout);
    assert.equal(report.embeddedPassages + report.cachedPassages, report.passages);
    assert.match(run.stderr, /passages\/s/);
    const inspected = JSON.parse(sheaf('inspect', bundle, '--json').stdout);
    assert.deepEqual(inspected.manifest.vectors, {
      space: 'tiny-16',
      dimensions: 16,
      bits: 8,
      encoder: 'tiny-bert',
      encoder_hash: descriptor.files['onnx/model.onnx'].sha256,
      precision: 'fp32',
    });
    assert.match(sheaf('inspect', bundle).stdout, /tiny-bert/);
    assert.equal(sheaf('inspect', '--verify', bundle).status, 0);
  });

  it('Packing with a transformer stores its vectors: each passage is nearest to itself', async () => {
    const library = await open(bundle, { encoder: false });
    const encoder = await loadEncoder(join(store, 'tiny-bert'), { precision: 'fp32' });
    for (const id of [0, 3, library.info.passages - 1]) {
      const passage = await library.passage(id);
      const { title } = await library.page(passage.page);
      // Title and headings once each, a line break, the text: packer/embed/embedding_text.h.
      const parts = [...new Set([title, ...passage.headings])].filter(Boolean);
      const vector = await encoder.embed(`${parts.join(' > ')}\n${passage.text}`);
      const { hits } = await library.search('x', { mode: 'semantic', vector, explain: true, topK: 1, by: 'passage' });
      assert.equal(hits[0].passage, id);
      assert.ok(hits[0].explanation.cosine > 0.995, `cosine ${hits[0].explanation.cosine}`);
    }
    await Promise.all([library.close(), encoder.close()]);
  });

  it('Packing unchanged pages embeds nothing anew, and gives the same bytes', () => {
    const again = join(folder, 'again.sheaf');
    const report = JSON.parse(packed(again).stdout);
    assert.deepEqual([report.embeddedPassages, report.cachedPassages], [0, report.passages]);
    assert.deepEqual(readFileSync(again), readFileSync(bundle));
  });

  it("The packing encoder answers queries, and another space's table is refused", () => {
    const answer = sheaf('query', 'clay', '--bundle', bundle, '--encoder', 'tiny-bert:fp32', '--json');
    assert.equal(answer.status, 0, answer.stderr);
    assert.equal(JSON.parse(answer.stdout).usedSemantic, true);
    const wrong = sheaf('query', 'clay', '--bundle', bundle, '--encoder', 'like-the-table');
    assert.notEqual(wrong.status, 0);
    assert.match(wrong.stderr, /tiny-16.*minilm-l6-256.*SPACE_MISMATCH/s);
  });

  it("The static table can query a transformer's vectors of its own space", async () => {
    const mixed = join(folder, 'mixed.sheaf');
    const run = sheaf('pack', DOCS, '--library', 'kiln', '--version', '2', '-o', mixed, '--encoder', 'like-the-table', '--quiet');
    assert.equal(run.status, 0, run.stderr);
    const library = await open(mixed);
    assert.equal(library.info.semantic, true);
    assert.equal((await library.search('keep passwords out of files')).usedSemantic, true);
    await library.close();
  });

  it('Packing names the way to a missing model, and leaves no file', () => {
    const run = sheaf('pack', DOCS, '--library', 'kiln', '--version', '3', '-o', join(folder, 'none.sheaf'), '--encoder', 'absent-model');
    assert.notEqual(run.status, 0);
    assert.match(run.stderr, /absent-model.*sheaf model add/s);
    assert.throws(() => readFileSync(join(folder, 'none.sheaf')), { code: 'ENOENT' });
  });
});
