/**
 * `node tests/quality/encoders.mjs`: what each pair of encoders is worth, and what it costs. Rewrites
 * tests/quality/encoders.csv: for Vue and the Rust book, nDCG@10 per kind of query, the bytes that a
 * browser must fetch to encode queries (brotli where servers compress), and milliseconds per query
 * in Node and in Chromium (median over the set's queries, after a warm-up).
 *
 * Needs ../shared (or $SHEAF_SHARED) and installed models (sheaf model add all-MiniLM-L6-v2); says so
 * and stops with exit code 0 where they are missing. Takes some minutes: documents are embedded.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { FileSource, open } from '../../dist/node/client/node.js';
import { filesFor } from '../../dist/browser/encoder/descriptor.js';
import { findModel, loadEncoder } from '../../dist/node/encoder/node.js';
import { parseJudgments } from '../../dist/node/eval/judgments.js';
import { percentile } from '../../dist/node/eval/metrics.js';
import { launchChromium } from '../browser/chromium.mjs';
import { serveSite } from '../browser/serve_site.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');
const main = join(root, 'dist/cli/main.js');
const TABLE = join(root, 'models/minilm-l6-256.sheaf');
const MINILM = 'all-MiniLM-L6-v2';
const OTHERS = ['bge-small-en-v1.5', 'mpnet-base-256']; // each in a space of its own

function stop(reason) {
  console.log(`Encoder table skipped: ${reason}`);
  process.exit(0);
}
if (!existsSync(join(shared, 'eval'))) stop('no evaluation sets in ../shared (they are not part of the product).');
const models = Object.fromEntries(
  await Promise.all([MINILM, ...OTHERS].map(async (name) => [name, await findModel(name).catch(() => undefined)])),
);
if (models[MINILM] === undefined) stop(`${MINILM} is not installed: sheaf model add ${MINILM}`);

const work = mkdtempSync(join(tmpdir(), 'sheaf-encoders-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

// document encoder, query encoder
const PAIRS = [
  ['static', 'none'],
  ['static', 'static'],
  [`${MINILM}:fp32`, 'static'],
  [`${MINILM}:int8`, 'static'],
  [`${MINILM}:fp32`, `${MINILM}:int8`],
  [`${MINILM}:fp32`, `${MINILM}:fp32`],
  [`${MINILM}:int8`, `${MINILM}:int8`],
  ...OTHERS.filter((name) => models[name] !== undefined).flatMap((name) => [
    [`${name}:fp32`, `${name}:int8`],
    [`${name}:fp32`, `${name}:fp32`],
  ]),
];

const bundles = new Map();
function pack(set, documents) {
  const key = `${set}-${documents}`.replace(':', '-');
  if (!bundles.has(key)) {
    const file = join(work, `${key}.sheaf`);
    const [name, precision] = documents.split(':');
    const encoder = precision === undefined ? ['--encoder', name] : ['--encoder', name, '--encoder-precision', precision];
    execFileSync(
      process.execPath,
      [main, 'pack', join(shared, 'corpora', set), '-o', file, '--library', set, '--version', 'dev', '--quiet', ...encoder],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    bundles.set(key, file);
  }
  return bundles.get(key);
}

function evaluate(set, documents, queries) {
  const flags = queries === 'none' ? ['--mode', 'keyword'] : ['--encoder', queries];
  const weight = process.env.SHEAF_WEIGHT === undefined || queries === 'none' ? [] : ['--weight', process.env.SHEAF_WEIGHT];
  return JSON.parse(
    execFileSync(
      process.execPath,
      [
        main,
        'eval',
        '--bundle',
        pack(set, documents),
        '--queries',
        join(shared, `eval/${set}/queries.jsonl`),
        '--json',
        ...flags,
        ...weight,
      ],
      { encoding: 'utf8' },
    ),
  );
}

const texts = (set) => parseJudgments(readFileSync(join(shared, `eval/${set}/queries.jsonl`), 'utf8'), set).map(({ query }) => query);
const brotli = (path) => brotliCompressSync(readFileSync(path), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
const round = (value, digits) => Number(value.toFixed(digits));

// ---- bytes ------------------------------------------------------------------------------------

/** What the static table costs a first query that reads it by range: the median over the queries. */
async function tableBytes(set) {
  const sizes = [];
  for (const text of texts(set)) {
    let bytes = 0;
    const file = new FileSource(TABLE);
    const counted = {
      key: 'table',
      local: false,
      size: () => file.size(),
      close: () => file.close(),
      read: async (offset, length) => ((bytes += length), file.read(offset, length)),
    };
    const library = await open(pack(set, 'static'), { encoder: counted, lazy: true });
    await library.search(text);
    await library.close();
    sizes.push(bytes);
  }
  return percentile(sizes, 0.5);
}

const runtimeBytes = (() => {
  const ort = (name) => join(root, 'node_modules/onnxruntime-web/dist', name);
  const code = [
    ort('ort.wasm.min.mjs'),
    ort('ort-wasm-simd-threaded.mjs'),
    ort('ort-wasm-simd-threaded.wasm'),
    join(root, 'dist/browser/core/sheaf-wordpiece.wasm'),
  ];
  let sum;
  return () => (sum ??= code.reduce((total, path) => total + brotli(path), 0));
})();

async function browserBytes(set, queries) {
  if (queries === 'none') return 0;
  if (queries === 'static') return tableBytes(set);
  const [name, precision] = queries.split(':');
  const { folder, descriptor } = models[name];
  // Weights hardly compress; the rest is text and code.
  return (
    runtimeBytes() +
    filesFor(descriptor, precision).reduce(
      (total, path) => total + (path.endsWith('.txt') ? brotli(join(folder, path)) : statSync(join(folder, path)).size),
      0,
    )
  );
}

// ---- milliseconds -------------------------------------------------------------------------------

async function nodeMilliseconds(set, queries) {
  if (queries === 'none') return 0;
  const library = queries === 'static' ? await open(pack(set, 'static')) : undefined;
  const [name, precision] = queries.split(':');
  const encoder = library ?? (await loadEncoder(name, { precision, recent: 0 }));
  const times = [];
  for (let pass = 0; pass < 2; pass++) {
    times.length = 0;
    for (const text of texts(set)) {
      const begun = performance.now();
      await encoder.embed(text);
      times.push(performance.now() - begun);
    }
  }
  await encoder.close();
  return percentile(times, 0.5);
}

async function chromiumMilliseconds(browser, set, queries) {
  if (queries === 'none') return 0;
  const [name, precision] = queries.split(':');
  const places = {
    '/dist/': join(root, 'dist/'),
    '/ort/': join(root, 'node_modules/onnxruntime-web/dist/'),
    '/table.sheaf': TABLE,
    '/bundle.sheaf': pack(set, 'static'),
    '/': join(root, 'tests/browser/site/'),
  };
  const site = await serveSite(precision === undefined ? places : { '/model/': `${models[name].folder}/`, ...places });
  const page = await browser.newPage();
  await page.goto(`${site.origin}/style.css`);
  const times = await page.evaluate(
    async ([list, wanted]) => {
      let encoder;
      if (wanted === undefined) {
        const { open: openInPage } = await import('/dist/browser/client/index.js');
        encoder = await openInPage('/bundle.sheaf', { encoder: '/table.sheaf', lazy: false });
      } else {
        const { loadEncoder: load } = await import('/dist/browser/encoder/index.js');
        encoder = await load({ model: '/model/', precision: wanted, runtime: '/ort/ort.wasm.min.mjs' });
      }
      const found = [];
      for (let pass = 0; pass < 2; pass++) {
        found.length = 0;
        for (const text of list) {
          const begun = performance.now();
          await encoder.embed(pass === 0 ? text : `${text} `); // as good as the same, and not remembered
          found.push(performance.now() - begun);
        }
      }
      await encoder.close();
      return found;
    },
    [texts(set), precision],
  );
  await page.close();
  await site.close();
  return percentile(times, 0.5);
}

// ---- the table ----------------------------------------------------------------------------------

const KINDS = ['identifier', 'keyword', 'natural', 'paraphrase', 'typo'];
const browser = await launchChromium();
const results = join(root, 'tests/quality/encoders.csv');
const before = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : [];
const lines = [
  [
    'set',
    'documents',
    'queries',
    'n',
    'hit1',
    'ndcg10',
    ...KINDS.map((kind) => `ndcg10_${kind}`),
    'bytes_browser',
    'ms_node',
    'ms_chromium',
  ].join(','),
];
for (const set of ['vue', 'rust-book']) {
  for (const [documents, queries] of PAIRS) {
    const { overall, kinds } = evaluate(set, documents, queries);
    const costs =
      process.env.SHEAF_WEIGHT === undefined
        ? [
            await browserBytes(set, queries),
            round(await nodeMilliseconds(set, queries), 3),
            round(await chromiumMilliseconds(browser, set, queries), 3),
          ]
        : [0, 0, 0];
    lines.push(
      [set, documents, queries, overall.n, overall.hit1, overall.ndcg10, ...KINDS.map((kind) => kinds[kind]?.ndcg10 ?? ''), ...costs].join(
        ',',
      ),
    );
    console.error(lines.at(-1));
  }
  for (const name of OTHERS.filter((other) => models[other] === undefined)) {
    const kept = before.filter((line) => line.startsWith(`${set},${name}`));
    if (kept.length > 0) console.log(`${name} is not installed: its ${kept.length} rows of ${set} stay as they were.`);
    lines.push(...kept);
  }
}
await browser.close();
if (process.env.SHEAF_WEIGHT === undefined) {
  writeFileSync(results, `${lines.join('\n')}\n`);
  console.log('Wrote tests/quality/encoders.csv');
}
