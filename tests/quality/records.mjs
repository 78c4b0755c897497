/**
 * `node tests/quality/records.mjs`: documentation that brings its changelog. Packs five Python libraries at a commit, each with
 * its documentation and its changelog, and asks the judged queries of records.jsonl: whether the page that explains stands before
 * the changelog that merely mentions it ("explains"), and whether who asks for a changelog finds it ("asks"). The queries were
 * written before any answer was looked at.
 *
 *   --mirror DIR   repositories as OWNER+NAME/repo or OWNER/NAME(.git) below DIR; others are cloned from GitHub
 *   --cache DIR    keeps what was fetched (default: build/agents)
 *   --misses       prints what is not first    --mode M    hybrid (default), keyword, semantic; all of them: all
 *
 * Needs build/native/sheaf-pack (or $SHEAF_PACK) and dist/; README.md has the figures.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hitAt, ndcgAt } from '../../dist/node/eval/metrics.js';
import { open } from '../../dist/node/client/node.js';
import { checkout } from './checkout.mjs';
import { readLines } from './collections.mjs';
import { mean } from './statistics.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const { values } = parseArgs({
  options: {
    mirror: { type: 'string' },
    cache: { type: 'string', default: join(root, 'build/agents') },
    mode: { type: 'string', default: 'hybrid' },
    misses: { type: 'boolean' },
  },
});
const LIBRARIES = JSON.parse(readFileSync(join(here, 'records.json'), 'utf8'));
const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
const work = mkdtempSync(join(tmpdir(), 'sheaf-records-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

const queries = readLines(join(here, 'records.jsonl'));
const modes = values.mode === 'all' ? ['keyword', 'semantic', 'hybrid'] : [values.mode];
const scores = new Map();
for (const library of LIBRARIES) {
  const folder = checkout(library, { cache: resolve(values.cache), mirror: values.mirror });
  const bundle = join(work, `${library.library}.sheaf`);
  const inputs = library.docs.map((path) => join(folder, path));
  const base = library.root === undefined ? folder : join(folder, library.root);
  execFileSync(packer, ['pack', ...inputs, '--root', base, '-o', bundle, '--library', library.library, '--version', 'dev', '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const opened = await open(bundle);
  console.log(`${library.library}: ${opened.info.pages} pages, ${opened.info.passages} passages, ${statSync(bundle).size} bytes`);
  for (const mode of modes) {
    for (const { kind, query, pages } of queries.filter((each) => each.library === library.library)) {
      const missing = pages.find((page) => !existsSync(join(base, page)));
      if (missing !== undefined) throw new Error(`records.jsonl: ${library.library} has no ${missing}`);
      const { hits } = await opened.search(query, { topK: 10, mode });
      const ranked = hits.map((hit) => hit.source);
      const relevant = new Set(pages);
      for (const key of [`${mode}, ${kind}, all`, `${mode}, ${kind}, ${library.library}`]) {
        if (!scores.has(key)) scores.set(key, []);
        const answer = ranked.findIndex((page) => relevant.has(page));
        const above = ranked.slice(0, answer < 0 ? ranked.length : answer);
        const behind = above.some((page) => new RegExp(library.records).test(page));
        scores.get(key).push({ ndcg: ndcgAt(10, ranked, relevant), first: hitAt(1, ranked, relevant), behind });
      }
      if (values.misses && !relevant.has(ranked[0])) console.log(`  ${mode} ${kind}: ${query}\n      ${ranked.slice(0, 4).join('  ')}`);
    }
  }
  await opened.close?.();
}
console.log('| mode, kind, library | queries | nDCG@10 | first | behind a record |\n|---|--:|--:|--:|--:|');
for (const [key, list] of [...scores].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const first = list.filter((each) => each.first).length;
  const behind = list.filter((each) => each.behind).length;
  console.log(`| ${key} | ${list.length} | ${mean(list.map((each) => each.ndcg)).toFixed(3)} | ${first} | ${behind} |`);
}
