/** The judged development sets, packed: {name, bundle, queries} each. Those that are not here are named and left out. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packedSets } from './sets/check.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');

export const readLines = (file) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Packed into the folder `work`. */
export function* collections(work) {
  for (const name of ['vue', 'rust-book']) {
    const folder = join(shared, 'corpora', name);
    if (!existsSync(folder)) {
      console.log(`${name} skipped: it is not in ../shared`);
      continue;
    }
    const bundle = join(work, `${name}.sheaf`);
    const args = ['pack', folder, '-o', bundle, '--library', name, '--version', 'dev', '--quiet'];
    execFileSync(process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack'), args, { stdio: ['ignore', 'ignore', 'inherit'] });
    yield { name, bundle, queries: readLines(join(shared, `eval/${name}/queries.jsonl`)) };
  }
  for (const { set, bundle } of packedSets(work)) yield { name: set.name, bundle, queries: set.queries };
}
