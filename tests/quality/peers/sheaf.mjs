/**
 * Sheaf itself, asked as its users ask: `sheaf eval` on the packed bundle. The oracle takes, for each query, the better
 * of keyword and semantic: what a perfect choice between the two would reach, and fusion may exceed.
 */
import { execFileSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ndcgAt } from '../../../dist/node/eval/metrics.js';
import { DEPTH } from './records.mjs';
import { MODEL } from './vectors.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const main = resolve(here, '../../../dist/cli/main.js');

/** Ranked pages by query id. */
export function rankings(bundle, file, flags) {
  const args = [main, 'eval', '--bundle', bundle, '--queries', file, '--json', ...flags];
  const { queries } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 }));
  return new Map(queries.map(({ id, ranked }) => [id, ranked]));
}

export const REFERENCE = 'hybrid, static queries';

export async function sheaf({ model, work }, collection) {
  const { bundle, file, name } = collection;
  const engines = [];
  const add = (setting, ranked) => engines.push({ engine: 'Sheaf', setting, records: 'passage', rank: ({ id }) => ranked.get(id) });
  const keyword = rankings(bundle, file, ['--mode', 'keyword']);
  const semantic = rankings(bundle, file, ['--mode', 'semantic']);
  add(REFERENCE, rankings(bundle, file, ['--mode', 'hybrid']));
  add('keyword (BM25F)', keyword);
  add('semantic, static queries', semantic);
  const better = (query) => {
    const [words, meaning] = [keyword, semantic].map((ranked) => ranked.get(query.id));
    return ndcgAt(DEPTH, meaning, query.relevant) > ndcgAt(DEPTH, words, query.relevant) ? meaning : words;
  };
  engines.push({ engine: 'Sheaf', setting: 'oracle: the better of keyword and semantic', records: 'passage', rank: better });
  if (model !== undefined) {
    const embedded = join(work, `${name}-minilm.sheaf`);
    // The process that sheaf-pack would start, but for vectors that are kept: see embed_kept.mjs.
    const command = `'${process.execPath}' '${join(here, 'embed_kept.mjs')}'`;
    collection.pack(embedded, ['--encoder', MODEL, '--encoder-command', command, '--vector-cache', 'none']);
    add('hybrid, MiniLM documents, static queries', rankings(embedded, file, ['--encoder', 'static']));
    add('hybrid, MiniLM documents and queries', rankings(embedded, file, ['--encoder', `${MODEL}:fp32`]));
  }
  return { engines };
}
