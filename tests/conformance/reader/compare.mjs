/**
 * The second reader beside the core: ids equal and in the same order, scores within 1e-5, over real documentation.
 *
 *   node tests/conformance/reader/compare.mjs            hundreds of queries, the sample of `npm test`
 *   node tests/conformance/reader/compare.mjs --all      thousands
 *
 * The bundles are the demo's, packed where they are missing, and those of tests/conformance with filters, sorts, many
 * partitions and a graph. Queries are made from their texts by a fixed rule: titles, headings, runs of words, names,
 * words with a typing error, unfinished ones. Each is asked in every mode. The core is the one that the web uses.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const TABLE = `${ROOT}models/minilm-l6-256.sheaf`;
const CONFORMANCE = `${ROOT}tests/conformance/bundles/`;

export const TOLERANCE = 1e-5;

/** What the reader needs, as Debian names it; python3 of PATH may have it from PyPI (requirements.txt). */
export const NEEDED = 'python3-numpy python3-zstandard python3-xxhash python3-snowballstemmer';

/** A Python that has what the reader needs, or undefined. */
export function findPython() {
  const imports = 'import numpy, snowballstemmer, sys, xxhash, zstandard; assert sys.version_info >= (3, 10)';
  return ['/usr/bin/python3', 'python3'].find((python) => spawnSync(python, ['-c', imports]).status === 0);
}

// ---- queries -------------------------------------------------------------------------------------

const words = (text) => text.match(/[\p{L}\p{N}_'.-]*[\p{L}\p{N}]/gu) ?? [];

/** Two letters in the middle of the longest word change places. */
function mistyped(list) {
  const longest = list.reduce((a, b) => (b.length > a.length ? b : a), '');
  const at = Math.floor(longest.length / 2);
  const wrong = longest.slice(0, at - 1) + longest[at] + longest[at - 1] + longest.slice(at + 1);
  return list.map((word) => (word === longest && longest.length > 4 ? wrong : word)).join(' ');
}

const KINDS = [
  (page) => page.title,
  (page, passage) => passage.headings.at(-1) ?? page.description,
  (_, passage) => words(passage.text).slice(5, 9).join(' '),
  (_, passage) => words(passage.text).slice(2, 13).join(' '),
  (_, passage) => mistyped(words(passage.text).slice(8, 11)),
  (_, passage) => words(passage.text).slice(3, 5).join(' ').slice(0, -2),
  (_, passage) => words(passage.text).find((word) => /[a-z][A-Z_.:-]\w/.test(word)),
  (page, passage) => `how do I ${words(passage.text).slice(-4).join(' ')} in ${page.title}?`,
];

/** Options that queries have in turn; by page and by passage follow from the place. */
const OPTIONS = [
  {},
  { topK: 50 },
  { prefix: false },
  { rrf: true },
  { typo: false },
  { semanticWeight: 0.3 },
  { topK: 3 },
  {},
  { semanticWeight: 0.9, rrf: true },
];

/** `count` texts from passages spread over a library, each with options. */
async function queriesOf(library, count, first) {
  const { passages } = library.info;
  const made = [];
  for (let i = 0; i < count; i += 1) {
    const passage = await library.passage(Math.floor(((i + 0.5) * passages) / count));
    const text = KINDS[(first + i) % KINDS.length](await library.page(passage.page), passage);
    const options = { ...OPTIONS[(first + i) % OPTIONS.length], by: (first + i) % 2 ? 'passage' : 'page' };
    if (text) made.push({ text, options });
  }
  return made;
}

/** The same with each filter of the library and each sort in turn; empty where it has none. */
async function selectionsOf(library, queries) {
  const { filters, sorts } = await library.facets();
  const chosen = filters.map(({ key, values }) => ({ filters: { [key]: values.slice(0, 2).map(({ value }) => value) } }));
  for (const key of sorts) chosen.push({ sort: { key } }, { sort: { key, descending: true } });
  if (chosen.length === 0) return [];
  return queries.map(({ text, options }, i) => ({ text, options: { ...options, ...chosen[i % chosen.length] } }));
}

/** A query as the cases of tests/conformance have it. */
function asCase(bundle, { text, options }) {
  const { topK = 10, semanticWeight = -1, filters = {}, sort, ...same } = options;
  const lines = Object.entries(filters).map(([key, values]) => `${key}\t${values.join('\t')}\t\n`);
  const selection = sort || lines.length ? `${sort?.key ?? ''}\n${lines.join('')}` : '';
  const query = { text, top_k: topK, semantic_weight: semanticWeight, selection, descending: !!sort?.descending, ...same };
  return { bundle, query };
}

// ---- comparison ----------------------------------------------------------------------------------

/** The other reader: a function that answers cases in turn, and one that ends it. */
function startReader(python, table) {
  const reader = spawn(python, ['-B', '-m', 'sheaf_reader', 'answer', '--table', table], {
    cwd: HERE,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: reader.stdout })[Symbol.asyncIterator]();
  return {
    async answer(given) {
      reader.stdin.write(`${JSON.stringify(given)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the reader ended at ${JSON.stringify(given)}`);
      return JSON.parse(value);
    },
    async end() {
      reader.stdin.end();
      if (reader.exitCode === null) await once(reader, 'exit');
    },
  };
}

/** The client shows passages that say the same as one hit, which names the others, and searches deeper for their places. */
const copiesOf = ({ hits }) => new Set(hits.flatMap(({ alsoIn = [] }) => alsoIn.map(({ page, passage }) => `${page}:${passage}`)));

/** How one answer differs, or undefined; and by how much scores do. */
function difference(core, { hits: found = [], ...other }, topK = 10) {
  const copies = copiesOf(core);
  other.hits = found.filter(([page, passage]) => !copies.has(`${page}:${passage}`)).slice(0, topK);
  const ids = (hits) => hits.map(([page, passage]) => `${page}:${passage}`).join(' ');
  const hits = core.hits.map(({ page, passage, score, anchor }) => [page, passage, score, anchor]);
  if (other.error) return { what: `the reader says ${other.error}` };
  if (ids(hits) !== ids(other.hits)) return { what: `hits are ${ids(other.hits)}, not ${ids(hits)}` };
  const apart = Math.max(0, ...hits.map(([, , score], i) => Math.abs(score - other.hits[i][2])));
  const facts = (answer, hit, corrections) => JSON.stringify([hit.map((one) => one[3]), ...answer, corrections]);
  const wanted = facts(
    [core.matchingPassages, core.ignoredWords, core.usedKeyword, core.usedSemantic, core.weak],
    hits,
    core.corrections.map(({ word, term }) => [word, term]),
  );
  const got = facts([other.matching, other.ignored, other.keyword, other.semantic, other.weak], other.hits, other.corrections);
  if (apart > TOLERANCE) return { what: `scores are ${apart} apart`, apart };
  return { what: got === wanted ? undefined : `${got} is not ${wanted}`, apart };
}

/**
 * Compares over all bundles. `share`: about which part of the queries, 0 to 1. Returns how many queries and answers
 * there were, the largest distance of two scores, and a line for each difference.
 */
export async function compare({ python, share = 1 }) {
  const { packDemo } = await import(pathToFileURL(`${ROOT}scripts/demo.mjs`).href);
  const { open } = await import(pathToFileURL(`${ROOT}dist/node/client/node.js`).href);
  const { DEEPER } = await import(pathToFileURL(`${ROOT}dist/browser/client/copies.js`).href);
  const demo = (await packDemo()).map(({ bundle }) => ({ bundle, table: TABLE }));
  const made = ['guide', 'eight', 'wide'].map((name) => ({
    bundle: `${CONFORMANCE}${name}.sheaf`,
    table: `${CONFORMANCE}${name === 'wide' ? 'table4' : 'table8'}.sheaf`,
  }));
  const result = { bundles: 0, queries: 0, answers: 0, hits: 0, apart: 0, differences: [] };
  const readers = new Map();
  let first = 0;
  for (const { bundle, table } of [...demo, ...made]) {
    const library = await open(bundle, { encoder: table });
    if (!readers.has(table)) readers.set(table, startReader(python, table));
    // Most from the largest, which is a manual; some from each of the many.
    const { passages } = library.info;
    const count = Math.ceil(share * (passages > 5000 ? 400 : passages > 100 ? 60 : 10));
    const plain = await queriesOf(library, count, first);
    first += count;
    const queries = [...plain, ...(await selectionsOf(library, plain))];
    result.bundles += 1;
    for (const query of queries) {
      result.queries += 1;
      for (const mode of ['keyword', 'semantic', 'hybrid']) {
        const asked = { ...query, options: { ...query.options, mode } };
        const given = asCase(bundle, asked);
        const [core, first] = await Promise.all([library.search(asked.text, asked.options), readers.get(table).answer(given)]);
        const { topK } = asked.options;
        const deeper = { ...given, query: { ...given.query, top_k: given.query.top_k * DEEPER } };
        const inDepth = async () => difference(core, await readers.get(table).answer(deeper), topK);
        let found = copiesOf(core).size > 0 ? await inDepth() : difference(core, first, topK);
        // Copies among the first hits alone, which the texts of further ones push out, are named by no hit.
        if (found.what && copiesOf(core).size === 0) found = await inDepth();
        const { what, apart = 0 } = found;
        result.answers += 1;
        result.hits += core.hits.length;
        result.apart = Math.max(result.apart, apart);
        if (what) result.differences.push(`${JSON.stringify(given)}: ${what}`);
      }
    }
    await library.close();
  }
  for (const reader of readers.values()) await reader.end();
  return result;
}

/** What `npm test` compares. */
export const SAMPLE = 0.1;

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const python = findPython();
  if (!python) throw new Error(`No Python has what the reader needs: apt-get install ${NEEDED}`);
  const begun = Date.now();
  const { bundles, queries, answers, hits, apart, differences } = await compare({
    python,
    share: process.argv.includes('--all') ? 1 : SAMPLE,
  });
  for (const line of differences) console.log(line);
  console.log(
    `${queries} queries of ${bundles} bundles in three modes: ${answers} answers, ${hits} hits, ${differences.length} ` +
      `different, scores at most ${apart} apart, in ${Math.round((Date.now() - begun) / 1000)} s`,
  );
  process.exitCode = differences.length ? 1 : 0;
}
