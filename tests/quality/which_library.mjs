/**
 * `node tests/quality/which_library.mjs`: does the index of a catalogue find libraries by what they do? README.md has the figures.
 *
 *   --misses       prints each question without an accepted library among the first five, with what came first
 *   --mode MODE    keyword, semantic or hybrid (default)
 *   --meaning X    share of meaning, 0 to 1, or `core` for what the core chooses; by default that of sheaf add
 *   --json FILE    writes the rank of each question
 *
 * The haystack is what Debian 12 says of its packages, name and summary alone: every python3-NAME (as pypi/NAME), node-NAME (npm/NAME) and
 * development package (debian/NAME). Its packages of Python and Node are the much used ones of PyPI and npm, with the summaries that these give
 * of themselves. It needs apt's lists, which apt-get update fetches; nothing is asked over the network.
 *
 * The hundred questions of which_library/questions.jsonl were written by hand before any answer was looked at, each with libraries that
 * are known to do that. Others may do it too, and count as wrong, so the figures are lower bounds. Accepted names that Debian has not are
 * ignored, and a question that has none left is left out and named.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { libraryOfPage } from '../../dist/browser/catalogue/format.js';
import { wordsOf, writeIndexPages } from '../../dist/node/publish/about.js';
import { MEANING } from '../../dist/node/sources/catalogue_find.js';
import { open } from '../../dist/node/client/node.js';
import { openPacker } from '../../dist/node/packer/choose.js';
import { isLibraryName } from '../../dist/browser/client/names.js';

const here = dirname(fileURLToPath(import.meta.url));
const { values: flags } = parseArgs({
  options: {
    misses: { type: 'boolean', default: false },
    mode: { type: 'string', default: 'hybrid' },
    meaning: { type: 'string' },
    json: { type: 'string' },
  },
});

const share = flags.meaning === 'core' ? {} : { semanticWeight: Number(flags.meaning ?? MEANING) };

/** What the registry of each kind is called in a list. */
const KINDS = { pypi: 'pypi:', npm: 'npm:', debian: '' };

/** `[kind, name, summary]` of every library package, each once. */
function packages() {
  const found = new Map();
  const text = execFileSync('apt-cache', ['dumpavail'], { encoding: 'utf8', maxBuffer: 2 ** 30 });
  for (const entry of text.split('\n\n')) {
    const name = /^Package: (.+)$/m.exec(entry)?.[1];
    const summary = /^Description(?:-en)?: (.+)$/m.exec(entry)?.[1];
    const section = /^Section: (?:.*\/)?(.+)$/m.exec(entry)?.[1];
    if (name === undefined || summary === undefined) continue;
    if (/-(doc|dbg|dbgsym|common|examples|data|tests?)$/.test(name) || /transitional|dummy package|metapackage/i.test(summary)) continue;
    const [, kind, own] =
      [/^(python3)-(.+)$/, /^(node)-(.+)$/].map((pattern) => pattern.exec(name)).find((match) => match !== null) ??
      (section === 'libdevel' ? [null, 'debian', name] : []);
    const id = { python3: 'pypi', node: 'npm', debian: 'debian' }[kind];
    if (id !== undefined && isLibraryName(`${id}/${own}`)) found.set(`${id}/${own}`, summary);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

const all = packages();
if (all.length < 1000) throw new Error(`apt knows ${all.length} libraries; run apt-get update on Debian 12 first`);
const known = new Set(all.map(([name]) => name));
const questions = readFileSync(join(here, 'which_library/questions.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .map(({ question, accept }) => ({ question, accept: accept.filter((name) => known.has(name)) }));
for (const { question, accept } of questions) if (accept.length === 0) console.log(`left out, Debian has no answer: ${question}`);

const folder = mkdtempSync(join(tmpdir(), 'which-library-'));
try {
  const libraries = all.map(([library, summary]) => {
    const name = library.slice(library.indexOf('/') + 1);
    const source = `${KINDS[library.split('/')[0]]}${name}`;
    return { library, title: name, description: summary, words: wordsOf([], [], summary), headings: [], versions: [{ source }] };
  });
  const pages = join(folder, 'pages');
  await writeIndexPages(pages, libraries);
  const output = join(folder, 'libraries.sheaf');
  const job = {
    library: 'libraries',
    version: 'latest',
    output,
    root: pages,
    inputs: [pages],
    noIgnore: true,
    urlStyle: 'keep',
    encoder: 'static',
  };
  await (await openPacker()).pack(job, { show: 'failures' });
  const library = await open(output);
  const ranks = [];
  for (const { question, accept } of questions.filter((each) => each.accept.length > 0)) {
    const { hits } = await library.search(question, { topK: 10, prefix: false, mode: flags.mode, ...share });
    const names = hits.map(({ source }) => libraryOfPage(source));
    const rank = names.findIndex((name) => accept.includes(name)) + 1;
    ranks.push({ question, rank });
    if (flags.misses && (rank === 0 || rank > 5)) console.log(`${question}\n    ${names.slice(0, 5).join('  ')}`);
  }
  const { pages: count, fileSize } = library.info;
  await library.close();
  const success = (k) => (ranks.filter(({ rank }) => rank > 0 && rank <= k).length / ranks.length).toFixed(2);
  console.log(`${count} libraries, index ${(fileSize / 1e6).toFixed(1)} MB, ${ranks.length} questions, ${flags.mode}`);
  console.log(`success@1 ${success(1)}  success@3 ${success(3)}  success@5 ${success(5)}`);
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(ranks, null, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
