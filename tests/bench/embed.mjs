/**
 * Packing with a transformer against ONNX Runtime alone: what the pipes, the tokenizer, pooling and
 * the packer cost. The very batches that the packer sent are run once more through a bare session.
 *
 *   node tests/bench/embed.mjs [DOCS] [--model all-MiniLM-L6-v2] [--precision fp32]
 *
 * DOCS: by default the Rust book of ../shared, else PostgreSQL's manual. Prints passages/s of both, and
 * their ratio; nothing is cached.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { filesFor } from '../../dist/browser/encoder/descriptor.js';
import { findModel } from '../../dist/node/encoder/node.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string', default: 'all-MiniLM-L6-v2' }, precision: { type: 'string', default: 'fp32' } },
});
const docs =
  positionals[0] ??
  [join(process.env.SHEAF_SHARED ?? resolve(root, '../shared'), 'corpora/rust-book'), '/usr/share/doc/postgresql-doc-15/html'].find(
    existsSync,
  );
const model = await findModel(values.model).catch((error) => error);
if (docs === undefined || model instanceof Error) {
  console.log(`Embedding benchmark skipped: ${docs === undefined ? 'no documentation found; name a folder' : model.message}`);
  process.exit(0);
}

const work = mkdtempSync(join(tmpdir(), 'sheaf-bench-embed-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const recorded = join(work, 'batches.bin');
const main = join(root, 'dist/cli/main.js');
const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const command = `tee ${quote(recorded)} | ${quote(process.execPath)} ${quote(main)} embed ${quote(values.model)} --precision ${values.precision}`;
const report = JSON.parse(
  execFileSync(
    process.execPath,
    [
      main,
      'pack',
      docs,
      '--library',
      'bench',
      '--version',
      '1',
      '-o',
      join(work, 'bench.sheaf'),
      '--encoder-command',
      command,
      '--vector-cache',
      'none',
      '--json',
      '--quiet',
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  ),
);

/** Token ids of each batch, as they went through the pipe. */
function batches(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32LE(at)) {
    if (bytes.readUInt8(at + 4) !== 3) continue;
    const count = bytes.readUInt32LE(at + 9);
    const items = [];
    for (let i = 0, p = at + 13; i < count; i++) {
      const n = bytes.readUInt32LE(p);
      items.push(Array.from({ length: n }, (_, k) => bytes.readUInt32LE(p + 4 + 4 * k)));
      p += 4 + 4 * n;
    }
    found.push(items);
  }
  return found;
}

const ort = (await import('onnxruntime-node')).default;
const sent = batches(readFileSync(recorded));
const session = await ort.InferenceSession.create(readFileSync(join(model.folder, filesFor(model.descriptor, values.precision).at(-1))), {
  graphOptimizationLevel: 'all',
});

async function run(items) {
  const longest = Math.max(...items.map((ids) => ids.length));
  const dims = [items.length, longest];
  const tensor = (value) =>
    new ort.Tensor(
      'int64',
      BigInt64Array.from({ length: dims[0] * longest }, (_, i) => value(items[Math.floor(i / longest)], i % longest)),
      dims,
    );
  const feeds = {
    input_ids: tensor((ids, i) => BigInt(ids[i] ?? 0)),
    attention_mask: tensor((ids, i) => (i < ids.length ? 1n : 0n)),
    token_type_ids: tensor(() => 0n),
  };
  await session.run(Object.fromEntries(session.inputNames.map((name) => [name, feeds[name]])));
}
await run(sent[0]);
const begun = performance.now();
for (const items of sent) await run(items);
const bareSeconds = (performance.now() - begun) / 1000;

const passages = sent.reduce((sum, items) => sum + items.length, 0);
const tokens = sent.reduce((sum, items) => sum + items.reduce((total, ids) => total + ids.length, 0), 0);
const padded = sent.reduce((sum, items) => sum + items.length * Math.max(...items.map((ids) => ids.length)), 0);
const packed = passages / report.embeddingSeconds;
const bare = passages / bareSeconds;
console.log(
  `${values.model} ${values.precision}, ${passages} passages, ${sent.length} batches, ${(tokens / passages).toFixed(0)} tokens a passage, ${((100 * (padded - tokens)) / padded).toFixed(1)} % padding`,
);
console.log(
  `  sheaf pack, embedding       ${packed.toFixed(1).padStart(8)} passages/s   (${report.embeddingSeconds.toFixed(1)} s; the whole pack ${report.seconds.toFixed(1)} s)`,
);
console.log(`  ONNX Runtime, same batches  ${bare.toFixed(1).padStart(8)} passages/s   (${bareSeconds.toFixed(1)} s)`);
console.log(`  ratio                       ${(packed / bare).toFixed(3).padStart(8)}`);
