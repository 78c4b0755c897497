// Fifty libraries in the extension: the first query after a browser's start, warm queries, memory.
//
//   node tests/extension/fifty.mjs [--rounds N]      prints a table; docs/benchmarks.md has the figures
//
// The libraries are real documentation of this machine, each packed with vectors: Rust's books, the modules of its
// standard library, parts of PostgreSQL's manual, octave, and what ../shared/corpora holds. The queries go the way of the
// address bar, in the service worker, so the first one also starts offscreen document, worker and core.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/support.mjs';
import { requirePacker } from '../native_packer.mjs';
import { TABLE, temporaryFolder } from '../node/packed.mjs';
import { ask, startChromium, until } from './chromium_extension.mjs';
import { catalogueOf, startServer } from './library_server.mjs';

const COUNT = 50;
const RUST = '/usr/share/doc/rust-doc/html';
const QUERIES = [
  'run code when a value changes',
  'keep readers from blocking writers',
  'HashMap entry',
  'read a file line by line',
  'asyncio timeout',
  'CREATE INDEX',
  'lifetime elision',
  'share data between threads',
  'spell out an error',
  'vec::drain',
  'max_connections',
  'how do I test private functions',
  'split a string',
  'which queries are slow',
  'iterate in reverse',
  'custom derive',
  'backup a database',
  'slot props',
  'unsafe pointer',
  'build a release',
];

/** Inputs of the packer, by name; the largest first. */
function candidates() {
  const found = [];
  const shared = join(root, '..', 'shared', 'corpora');
  for (const name of ['vue', 'rust-book']) if (existsSync(join(shared, name))) found.push([name, [join(shared, name)]]);
  if (existsSync(RUST)) {
    for (const name of readdirSync(RUST).sort())
      if (existsSync(join(RUST, name, 'print.html')) || existsSync(join(RUST, name, 'index.html')))
        if (!['std', 'core', 'alloc'].includes(name)) found.push([`rustdoc-${name}`, [join(RUST, name)]]);
    const modules = ['std', 'core'].flatMap((crate) =>
      readdirSync(join(RUST, crate), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => [`${crate}-${name}`, join(RUST, crate, name), readdirSync(join(RUST, crate, name), { recursive: true }).length]),
    );
    modules.sort((a, b) => b[2] - a[2]);
    found.push(...modules.slice(0, 40).map(([name, folder]) => [name, [folder]]));
  }
  const manual = '/usr/share/doc/postgresql-doc-15/html';
  if (existsSync(manual)) {
    const pages = readdirSync(manual)
      .filter((name) => name.endsWith('.html'))
      .sort()
      .map((name) => join(manual, name));
    for (let i = 0; i < 10; i++) found.push([`postgresql-${i}`, pages.filter((_, at) => at % 10 === i)]);
  }
  return found;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const ms = (value) => `${Math.round(value)} ms`;
const MB = (value) => `${(value / 1e6).toFixed(0)} MB`;

async function pack() {
  const packer = await requirePacker();
  const folder = temporaryFolder('fifty');
  const libraries = [];
  let pages = 0;
  for (const [name, inputs] of candidates()) {
    if (libraries.length === COUNT) break;
    const file = join(folder, `${name}.sheaf`);
    try {
      execFileSync(packer, ['pack', ...inputs, '--library', name, '--version', '1', '--encoder-table', TABLE, '-q', '-o', file], {
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      pages += JSON.parse(execFileSync(packer, ['inspect', file, '--json'], { encoding: 'utf8' })).pages;
    } catch {
      continue; // nothing to pack
    }
    libraries.push({ library: name, version: '1', bytes: readFileSync(file) });
  }
  return { libraries, pages };
}

/** Anonymous memory of the process that the extension's pages share: the renderer that grew most. */
function anonymousBytes(pids) {
  return new Map(
    pids.flatMap((pid) => {
      try {
        const [, kB] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        return kB === undefined ? [] : [[pid, Number(kB) * 1024]];
      } catch {
        return [];
      }
    }),
  );
}

async function renderers(context) {
  const cdp = await context.browser().newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

const rounds = Number(process.argv[process.argv.indexOf('--rounds') + 1] || 3) || 3;
const { libraries, pages } = await pack();
const bytes = libraries.reduce((sum, each) => sum + each.bytes.length, 0);
console.log(`${libraries.length} libraries, ${pages} pages, ${MB(bytes)}`);
const server = await startServer();
for (const { library, bytes: content } of libraries) server.serve(`/${library}@1.sheaf`, content);
server.serve('/catalogue.json', catalogueOf(libraries));
let browser = await startChromium();
let page = await browser.open('library.html');
const { offers } = await ask(page, 'addCatalogue', server.origin, true);
const begun = performance.now();
for (const offer of offers) await ask(page, 'install', offer, null);
const done = await until(page, ({ downloads }) => downloads.every(({ status }) => status === 'failed'));
for (const { offer, error } of done.downloads) console.log(`${offer.library} was refused: ${error.code} ${error.message}`);
console.log(`installed in ${((performance.now() - begun) / 1000).toFixed(1)} s (loopback; each checked whole)`);
await browser.close();
await server.close();

const first = [];
const warm = [];
const alone = [];
let report;
let grown = 0;
let idle = 0;
for (let round = 0; round < rounds; round++) {
  browser = await startChromium({ profile: browser.profile });
  const query = (text) =>
    browser.worker.evaluate(
      (typed) =>
        new Promise((resolve) => {
          const at = performance.now();
          chrome.omnibox.onInputChanged.dispatch(typed, (suggestions) => resolve([performance.now() - at, suggestions.length]));
        }),
      text,
    );
  const pids = await renderers(browser.context);
  const before = anonymousBytes(pids);
  first.push((await query(QUERIES[round % QUERIES.length]))[0]);
  for (const text of QUERIES) await query(text); // every library has been open by now
  for (const text of QUERIES) warm.push((await query(text))[0]);
  for (const text of QUERIES) alone.push((await query(`vue: ${text}`))[0]);
  const after = anonymousBytes(await renderers(browser.context));
  const sizes = [...after].map(([pid, size]) => [size - (before.get(pid) ?? 0), size]).sort((a, b) => b[0] - a[0]);
  grown = Math.max(grown, sizes[0][1]);
  idle = Math.max(idle, ...before.values());
  page = await browser.open('library.html');
  report = await ask(page, 'memory');
  await browser.close();
}
const ninety = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.9)];
console.log(`first query after a browser's start  ${ms(median(first))} (${first.map(ms).join(', ')})`);
console.log(`warm query over all                  ${ms(median(warm))}, p90 ${ms(ninety(warm))}`);
console.log(`warm query of one library            ${ms(median(alone))}, p90 ${ms(ninety(alone))}`);
console.log(
  `WebAssembly memory                   ${MB(report.used)} now, at most ${MB(report.peak)}, cap ${MB(report.cap)}, ${report.open} open`,
);
console.log(`process with the worker              ${MB(grown)} anonymous`);
