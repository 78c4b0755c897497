/**
 * `node tests/quality/chunking.mjs`: what the size of passages is worth, and what it costs. Rewrites tests/quality/chunking.csv: for each
 * size and development set, nDCG@10 and hit@1 in every mode, passages, and bytes of the bundle.
 *
 * The development sets alone; those that are not here (run.mjs says where they lie) are named, and then nothing is written. Needs
 * build/native/sheaf-pack (or $SHEAF_PACK) and dist/.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '../../dist/node/client/node.js';
import { writeAtomically } from '../../dist/node/base/files.js';
import { collectionNames, describeCollection } from './peers/collections.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '../../dist/cli/main.js');
const table = join(here, 'chunking.csv');
const SIZES = [400, 600, 800, 1200, 1600]; // characters; 800 is the default
const MODES = ['keyword', 'semantic', 'hybrid'];

const work = mkdtempSync(join(tmpdir(), 'sheaf-chunking-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

async function passagesOf(bundle) {
  const library = await open(bundle, { encoder: false });
  try {
    return library.info.passages;
  } finally {
    await library.close();
  }
}

const lines = ['characters,set,passages,bytes,n,' + MODES.flatMap((mode) => [`${mode}_ndcg10`, `${mode}_hit1`]).join(',')];
const collections = collectionNames().map(describeCollection);
for (const { name, missing } of collections) if (missing !== undefined) console.log(`${name} skipped: ${missing}`);
const there = collections.filter(({ missing }) => missing === undefined);
for (const size of SIZES) {
  for (const { name, queries, pack } of there) {
    const bundle = join(work, `${name}-${size}.sheaf`);
    pack(bundle, ['--passage-size', String(size)]);
    const reports = MODES.map((mode) => {
      const args = [main, 'eval', '--bundle', bundle, '--queries', queries, '--mode', mode, '--json'];
      return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })).overall;
    });
    const figures = reports.flatMap(({ ndcg10, hit1 }) => [ndcg10, hit1]);
    lines.push([size, name, await passagesOf(bundle), statSync(bundle).size, reports[0].n, ...figures].join(','));
    console.error(lines.at(-1));
  }
}
if (there.length < collections.length) console.log('This was a part: chunking.csv stays as it is.');
else {
  await writeAtomically(table, `${lines.join('\n')}\n`);
  console.log(`Wrote ${table}`);
}
