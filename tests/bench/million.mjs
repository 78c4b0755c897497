/**
 * A million passages in one bundle: how packing and searching go at that size.
 *
 *   node tests/bench/million.mjs [--work DIR] [--bundle FILE] [--only gather,pack,count,node,chromium,recall,fts] [--queries N]
 *
 * gather    Debian's documentation packages below, downloaded by apt-get and unpacked into DIR/docs; nothing is installed.
 *           What is there already stays. 5 GB.
 * pack      sheaf-pack with --memory 2G: processor time, most memory, bytes. Half an hour of one core.
 * count     passages by package, and the texts as JSON lines for `fts`.
 * node      the questions, by ranges of the file on disk: bytes and reads of the first search of each in a library just
 *           opened, and of one after the other; times; memory of the process; a question typed key by key.
 * chromium  the same by HTTP ranges over HTTP/2, as tests/loading measures, and typed into <sheaf-search>.
 * recall    of graph and partitions against the exact scan (tests/quality/recall.cc), some 200 questions.
 * fts       SQLite's FTS5 over the same passages, asked the same questions: sqlite3 of Debian.
 *
 * DIR is build/million unless given, the bundle DIR/million.sheaf. Results go to DIR/results.json, a part at a time, and are printed as they come.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { requirePacker } from '../native_packer.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const TABLE = join(root, 'models/minilm-l6-256.sheaf');
const PARTS = ['gather', 'pack', 'count', 'node', 'chromium', 'recall', 'fts'];

const PACKAGES = [
  'cmake-doc',
  'cppreference-doc-en-html',
  'debian-reference-en',
  'erlang-doc',
  'ghc-doc',
  'gnome-user-docs',
  'libboost1.81-doc',
  'linux-doc-6.1',
  'nodejs-doc',
  'openjdk-17-doc',
  'petsc3.18-doc',
  'python-astropy-doc',
  'python-django-doc',
  'python-pandas-doc',
  'python-scipy-doc',
  'python-statsmodels-doc',
  'python-sympy-doc',
  'python3.11-doc',
  'qtbase5-doc-html',
  'r-doc-html',
  'racket-doc',
  'rust-doc',
  'scala-doc',
  'twisted-doc',
];

/** Of those packages; written before anything was measured. */
const QUESTIONS = [
  'how do I read a file line by line in rust',
  'difference between HashMap and BTreeMap',
  'what happens when a thread panics',
  'convert a string to an integer',
  'group rows by a column and sum another',
  'merge two data frames on different keys',
  'fill missing values with the previous one',
  'solve a system of linear equations',
  'integrate a function numerically',
  'ordinary least squares with robust standard errors',
  'simplify a symbolic expression',
  'convert sky coordinates between frames',
  'start a child process and read its output',
  'how does the garbage collector decide when to run',
  'lock a mutex with a timeout',
  'iterate over a map while removing entries',
  'supervisor restart strategy',
  'pattern matching on binaries',
  'lazy evaluation and space leaks',
  'define a macro that introduces bindings',
  'implicit conversion between types',
  'connect a signal to a slot',
  'draw text on a widget',
  'asynchronous read from a socket',
  'shared pointer to this',
  'move constructor and noexcept',
  'iterator invalidation of vector',
  'write a kernel module that registers a character device',
  'how are pages reclaimed under memory pressure',
  'device tree binding for gpio',
  'find a library with cmake and link it',
  'create a custom target that always runs',
  'many to many relation with extra fields',
  'cache a view per user',
  'stream a file over http',
  'parse command line arguments',
  'schedule a call after some seconds',
  'change the default editor of the system',
  'weak reference to a key',
  'AbstractQueuedSynchronizer',
];

const { values } = parseArgs({
  options: {
    work: { type: 'string' },
    bundle: { type: 'string' },
    only: { type: 'string' },
    queries: { type: 'string' },
    searched: { type: 'string' },
  },
});
const work = resolve(values.work ?? join(root, 'build/million'));
const parts = values.only?.split(',') ?? PARTS;
for (const part of parts) if (!PARTS.includes(part)) throw new Error(`--only ${part}: expected some of ${PARTS.join(', ')}`);
const questions = QUESTIONS.filter((_, i) => i % Math.ceil(QUESTIONS.length / Number(values.queries ?? QUESTIONS.length)) === 0);
const docs = join(work, 'docs');
const bundle = resolve(values.bundle ?? join(work, 'million.sheaf'));
const texts = join(work, 'texts.jsonl');
mkdirSync(docs, { recursive: true });

const resultsFile = join(work, 'results.json');
function keep(part, result) {
  const results = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : {};
  writeFileSync(resultsFile, `${JSON.stringify({ ...results, [part]: result }, null, 1)}\n`);
  console.log(part, JSON.stringify(result, null, 1));
}
const quantile = (numbers, q) => numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];
const spread = (numbers) => ({ p50: Math.round(quantile(numbers, 0.5)), p95: Math.round(quantile(numbers, 0.95)) });
const milliseconds = (numbers) => ({ p50: +quantile(numbers, 0.5).toFixed(1), p95: +quantile(numbers, 0.95).toFixed(1) });

// ---- gather and pack -----------------------------------------------------------------------------

function gather() {
  for (const name of PACKAGES) {
    const folder = join(docs, name);
    if (existsSync(folder)) continue;
    console.error(`downloading ${name}`);
    execFileSync('apt-get', ['download', '-qq', name], { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
    const file = readdirSync(work).find((entry) => entry.startsWith(`${name}_`) && entry.endsWith('.deb'));
    rmSync(`${folder}.part`, { recursive: true, force: true });
    execFileSync('dpkg-deb', ['-x', join(work, file), `${folder}.part`]);
    renameSync(`${folder}.part`, folder);
    rmSync(join(work, file));
  }
}

const TICKS = 100; // a second, of /proc/PID/stat

/** Runs a command: what it printed, its processor time and the most memory that the system counted for it. */
async function measured(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (text) => (printed += text));
  const ended = once(child, 'close');
  let running = true;
  void ended.then(() => (running = false));
  const begun = performance.now();
  const result = { seconds: 0, wall: 0, peak: 0 };
  while (running) {
    try {
      const [, most] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
      if (most !== undefined) result.peak = Number(most) * 1024;
      result.seconds = (Number(fields[11]) + Number(fields[12])) / TICKS;
    } catch {
      // It has just ended.
    }
    await sleep(50);
  }
  result.wall = (performance.now() - begun) / 1000;
  const [code] = await ended;
  return { ...result, code, printed };
}

async function pack() {
  const args = ['pack', docs, '-o', bundle, '--library', 'million', '--version', '1', '--encoder-table', TABLE, '--memory', '2G'];
  const { code, printed, ...result } = await measured(await requirePacker(), [...args, '--quiet', '--json']);
  if (code !== 0 && code !== 3) throw new Error(`sheaf-pack ended with ${code}: ${printed}`);
  const { pages, passages, bundleBytes, textBytes, spilledBytes } = JSON.parse(printed);
  return { ...result, pages, passages, bundleBytes, textBytes, spilledBytes };
}

// ---- what is in it -------------------------------------------------------------------------------

async function count() {
  const { BundleRows } = await import('../../dist/node/databases/bundle_rows.js');
  const rows = await BundleRows.open(bundle, { vectors: false });
  const byPackage = new Map();
  const distinct = new Set();
  const out = createWriteStream(texts);
  for await (const batch of rows.batches()) {
    for (const { passage, page, title, headings, source, text } of batch) {
      const name = source.split('/')[0];
      byPackage.set(name, (byPackage.get(name) ?? 0) + 1);
      distinct.add(hash(text));
      const line = JSON.stringify({ passage, page, title, headings: headings.join(' > '), text });
      if (!out.write(`${line}\n`)) await once(out, 'drain');
    }
  }
  out.end();
  await once(out, 'close');
  await rows.close();
  return { passages: rows.facts.passages, pages: rows.facts.pages, distinct: distinct.size, byPackage: Object.fromEntries(byPackage) };
}

/** 53 bits (cyrb53): enough to count a million texts. */
function hash(text) {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 2654435761);
    b = Math.imul(b ^ c, 1597334677);
  }
  return 4294967296 * (2097151 & (b ^ (b >>> 13))) + ((a ^ (a >>> 16)) >>> 0);
}

// ---- Node ----------------------------------------------------------------------------------------

/** A file on disk that counts what is read of it. */
async function countedFile(path) {
  const file = await openFile(path);
  const counts = { reads: 0, bytes: 0 };
  const read = async (offset, length) => {
    counts.reads++;
    counts.bytes += length;
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
    return new Uint8Array(buffer);
  };
  return { counts, close: () => file.close(), source: { key: `${path}-${Math.random()}`, size: async () => statSync(path).size, read } };
}

/** All of the file in memory. */
async function searchedWhole() {
  const { open } = await import('../../dist/node/client/node.js');
  const begun = performance.now();
  const library = await open(bundle, { encoder: TABLE, lazy: false });
  const result = { openMs: Math.round(performance.now() - begun) };
  for (const mode of ['keyword', 'semantic', 'hybrid']) {
    const times = [];
    for (const question of [...questions, ...questions]) {
      const asked = performance.now();
      await library.search(question, { mode, topK: 10 });
      times.push(performance.now() - asked);
    }
    result[mode] = { warmMs: milliseconds(times.slice(questions.length)) };
  }
  return { ...result, memory: mostMemory() };
}

const mostMemory = () => Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;

/** In a process of its own, so that its memory is that of one library and one mode. */
async function searched(mode) {
  if (mode === 'whole') return searchedWhole();
  const { open } = await import('../../dist/node/client/node.js');
  const options = { mode, topK: 10 };
  const first = [];
  for (const question of questions) {
    const file = await countedFile(bundle);
    const begun = performance.now();
    const library = await open(file.source, { encoder: mode === 'keyword' ? false : TABLE, lazy: true });
    const opened = file.counts.bytes;
    const { hits } = await library.search(question, options);
    first.push({ ...file.counts, opened, ms: performance.now() - begun, hits: hits.length });
    await library.close();
    await file.close();
  }
  const file = await countedFile(bundle);
  const library = await open(file.source, { encoder: mode === 'keyword' ? false : TABLE, lazy: true });
  const ask = async (question) => {
    const before = { ...file.counts };
    const begun = performance.now();
    await library.search(question, options);
    return { bytes: file.counts.bytes - before.bytes, ms: performance.now() - begun };
  };
  await ask('warm up');
  const further = [];
  for (const question of questions) further.push(await ask(question));
  const again = [];
  for (const question of questions) again.push(await ask(question));
  const typed = [];
  const keys = questions[0];
  for (let i = 1; i <= keys.length; i++) typed.push(await ask(keys.slice(0, i)));
  const result = {
    withoutHits: first.filter(({ hits }) => hits === 0).length,
    toOpen: spread(first.map(({ opened }) => opened)),
    firstBytes: spread(first.map(({ bytes }) => bytes)),
    firstReads: spread(first.map(({ reads }) => reads)),
    firstMs: milliseconds(first.map(({ ms }) => ms)),
    furtherBytes: spread(further.map(({ bytes }) => bytes)),
    furtherMs: milliseconds(further.map(({ ms }) => ms)),
    warmMs: milliseconds(again.map(({ ms }) => ms)),
    typedBytes: typed.reduce((sum, { bytes }) => sum + bytes, 0),
    typedMs: milliseconds(typed.map(({ ms }) => ms)),
    memory: mostMemory(),
  };
  await library.close();
  await file.close();
  return result;
}

function inNode() {
  const results = {};
  for (const mode of ['keyword', 'semantic', 'hybrid', 'whole']) {
    const args = [
      fileURLToPath(import.meta.url),
      '--work',
      work,
      '--bundle',
      bundle,
      '--searched',
      mode,
      '--queries',
      String(questions.length),
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(stderr);
    results[mode] = JSON.parse(stdout);
  }
  return results;
}

// ---- Chromium ------------------------------------------------------------------------------------

/** A site of one page, whose bundle the large one takes the place of. */
async function deploy() {
  const site = join(work, 'site');
  rmSync(site, { recursive: true, force: true });
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), '<!doctype html><title>One page</title><main><h1>One page</h1><p>Of a few words.</p></main>');
  const main = join(root, 'dist/cli/main.js');
  const { files } = JSON.parse(
    execFileSync(process.execPath, [main, 'site', site, '--name', 'million', '--json', '--quiet'], { encoding: 'utf8' }),
  );
  const paths = files.map(({ path }) => path);
  const own = paths.find((path) => /\/site-[^/]*\.sheaf$/.test(path));
  rmSync(join(site, own));
  linkSync(bundle, join(site, own));
  const client = paths.find(
    (path) => /\/client\/[^/]+\.js$/.test(path) && /\bexport\s*\{[^}]*\bas open\s*[,}]/.test(readFileSync(join(site, path), 'utf8')),
  );
  return {
    folder: site,
    pagefind: site,
    bundle: own,
    table: `${/^.*\/minilm[^/]*(?=\.pieces\/)/.exec(paths.find((path) => /\/minilm[^/]*\.pieces\//.test(path)))[0]}.sheaf#pieces`,
    client,
  };
}

async function inChromium() {
  const { libraryCold, librarySession, openBench } = await import('../loading/measure.mjs');
  const { typed, typingPlaces } = await import('../loading/typing.mjs');
  const bench = await openBench(await deploy(), { http2: true, places: typingPlaces() });
  const sums = (visits) => ({
    withoutHits: visits.filter(({ hits }) => hits === 0).length,
    body: spread(visits.map(({ body }) => body)),
    index: spread(visits.map(({ index }) => index)),
    table: spread(visits.map(({ table }) => table)),
    requests: spread(visits.map(({ requests }) => requests)),
  });
  const results = {};
  try {
    for (const mode of ['keyword', 'hybrid']) {
      const visits = [];
      for (const question of questions) visits.push(await libraryCold(bench, question, mode));
      const session = await librarySession(bench, questions.slice(0, 10), mode);
      results[mode] = { first: sums(visits), further: sums(session.slice(1).map((visit) => ({ ...visit, hits: 1 }))) };
    }
    for (const script of ['pasted', 'steady']) {
      const visits = [];
      for (const question of questions.slice(0, 6)) visits.push(await typed(bench, 'sheaf', question, script));
      results[script] = { ...sums(visits), settle: milliseconds(visits.map(({ settle }) => settle)) };
    }
  } finally {
    await bench.close();
  }
  return results;
}

// ---- recall, and a peer --------------------------------------------------------------------------

function recall() {
  execFileSync('ninja', ['-C', join(root, 'build/native'), 'sheaf_recall'], { stdio: 'ignore' });
  const { passages } = JSON.parse(
    execFileSync(process.execPath, [join(root, 'dist/cli/main.js'), 'inspect', bundle, '--json'], { encoding: 'utf8' }),
  );
  const args = [bundle, TABLE, String(Math.floor(passages / 200))];
  return { lines: spawnSync(join(root, 'build/native/sheaf_recall'), args, { encoding: 'utf8' }).stdout.trim().split('\n') };
}

/**
 * What users of SQLite would write: porter over unicode61, bm25 with weights, any of the words, and the same without
 * function words, which Sheaf does not look for beside others.
 */
const FTS = `
import json, resource, sqlite3, sys, time
texts, database, questions = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
db = sqlite3.connect(database)
db.execute("create virtual table p using fts5(title, headings, text, tokenize='porter unicode61')")
with open(texts) as lines:
    db.executemany('insert into p(rowid, title, headings, text) values (?, ?, ?, ?)',
                   ((r['passage'] + 1, r['title'], r['headings'], r['text']) for r in map(json.loads, lines)))
db.commit()
db.execute("insert into p(p) values ('optimize')")
db.commit()
built = resource.getrusage(resource.RUSAGE_SELF)
bytes_ = db.execute('select page_count * page_size from pragma_page_count, pragma_page_size').fetchone()[0]
def ask(words):
    match = ' OR '.join('"' + w.replace('"', '') + '"' for w in words)
    begun = time.perf_counter()
    db.execute('select rowid, title, snippet(p, 2, "", "", "…", 30) from p where p match ? order by bm25(p, 4, 2, 1) limit 10', (match,)).fetchall()
    return (time.perf_counter() - begun) * 1000
def measure(asked):
    for words in asked: ask(words)
    times = sorted(ask(words) for words in asked)
    return {'p50': round(times[len(times) // 2], 1), 'p95': round(times[int(len(times) * .95)], 1)}
function_words = set('a an and are as at be by do does for from how i in is it my of on or that the this to was what when where which who why with'.split())
every = [q.split() for q in questions]
print(json.dumps({'seconds': built.ru_utime + built.ru_stime, 'bytes': bytes_, 'warmMs': measure(every),
                  'warmMsWithoutFunctionWords': measure([[w for w in words if w.lower() not in function_words] or words for words in every]),
                  'sqlite': sqlite3.sqlite_version}))
`;

function fts() {
  const database = join(work, 'fts.sqlite');
  rmSync(database, { force: true });
  const { status, stdout, stderr } = spawnSync('python3', ['-c', FTS, texts, database, JSON.stringify(questions)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

// --------------------------------------------------------------------------------------------------

if (values.searched !== undefined) {
  console.log(JSON.stringify(await searched(values.searched)));
} else {
  if (parts.includes('gather')) gather();
  const runs = { pack, count, node: inNode, chromium: inChromium, recall, fts };
  for (const [part, run] of Object.entries(runs)) if (parts.includes(part)) keep(part, await run());
}
