/**
 * Sheaf in the reader's browser, shown at work: choose libraries, type, see what is asked for and why a hit is where it is, drop a
 * folder, switch the network off, take a line along (docs/packing.md). `node scripts/try_page.mjs` assembles it with parts of the package,
 * and `npm run docs` puts it into the site.
 *
 *     box ─▶ store of <sheaf-search> ─▶ libraries (worker) ─▶ files ─▶ door ─▶ network
 *     folder ─▶ sheaf/packer ─▶ one more library
 *
 * The list and its pictures are those of the playground. Nothing is asked for before a reader types.
 */
import { Door, fileBehind } from './door.js';
import { linesFor, nameOfFolder } from './lines.js';
import { SheafError } from './sheaf/client/errors.js';
import { openAll } from './sheaf/client/federated.js';
import { firstReadOf } from './sheaf/client/fetch_source.js';
import { isSupported } from './sheaf/client/supported.js';
import { pack } from './sheaf/packer/index.js';
import { byId, h } from './sheaf/playground/dom.js';
import { drawHit, drawLegend, nameOf } from './sheaf/playground/hits.js';
import { createSearch, hitHref, segments } from './sheaf/ui/headless.js';

const query = byId('query');
const network = byId('network');
const door = new Door(
  () => drawSoon(),
  () => query.value.trim(),
);
const table = fileBehind(door, './sheaf/minilm-l6-256.sheaf', firstReadOf('encoder'));

/** What libraries.json lists, and the reader's folder: { label, file, bytes, … }. */
let entries = [];
let chosen = new Set();
let library;
let store;

// ---- what is loaded once ---------------------------------------------------------------------------

const once = (make) => {
  let made;
  return () =>
    (made ??= make().catch((error) => {
      made = undefined;
      throw error;
    }));
};
const bytesOf = async (address) => {
  const response = await door.fetch(new URL(address, import.meta.url));
  if (!response.ok)
    throw new SheafError('NETWORK', `${address} could not be fetched: the server answered ${response.status}.`);
  return response.arrayBuffer();
};
const core = once(() => bytesOf('./sheaf/core/sheaf-core.wasm'));
const packer = once(async () => WebAssembly.compile(await bytesOf('./sheaf/packer/sheaf-packer.wasm')));

// ---- libraries and the search ----------------------------------------------------------------------

async function openLibraries() {
  if (door.isShut) throw new SheafError('NETWORK', 'The network is switched off on this page.', { status: 403 });
  const wasm = await core();
  const all = entries.map(({ file, label }) => ({ src: file, encoder: table, label }));
  const opened = await openAll(all, { bundles: [...chosen], wasm, deferEncoder: true });
  const search = opened.search.bind(opened);
  opened.search = (words, options) => search(words, { ...options, explain: true });
  if (chosen.size > 0) opened.chosen = [...chosen]; // it may have changed meanwhile
  return (library = opened);
}

function begin() {
  store?.dispose();
  void library?.close();
  library = shown = undefined;
  byId('hits').replaceChildren();
  store = createSearch(openLibraries, { pages: 6, passagesPerPage: 1 });
  store.subscribe(drawAnswer);
  drawEntries();
  drawChoice();
  ask();
}

function choose(at, isChosen) {
  if (isChosen) chosen.add(at);
  else chosen.delete(at);
  if (library !== undefined && chosen.size > 0) library.chosen = [...chosen];
  drawChoice();
  if (query.value.trim() === store.state.query.trim() && chosen.size > 0) store.configure({});
  else ask();
}

function ask() {
  store.setQuery(chosen.size === 0 ? '' : query.value);
  if (chosen.size === 0) say('Choose a library.');
}

let shown;

function drawAnswer({ status, answered, stage, groups, suggestion, weak, error }) {
  document.body.dataset.state = status;
  document.body.dataset.answered = status === 'done' && stage === 'final' ? answered : '';
  const hits = groups.map(({ hits: [first] }) => first);
  if (groups !== shown) byId('hits').replaceChildren(...hits.map(drawOne)); // a link that has the focus keeps it
  shown = groups;
  if (status === 'opening') say('Opening …');
  else if (status === 'error' || status === 'offline') say(error?.message ?? 'There is no network.', true);
  else if (status === 'done')
    say(
      [
        weak && 'No good match:',
        hits.length === 0 ? 'No page has that.' : `${count(hits.length, 'page')} for “${answered}”.`,
        suggestion !== '' && `Read as “${suggestion}”.`,
      ]
        .filter(Boolean)
        .join(' '),
    );
  else if (status === 'idle' && chosen.size > 0) say('');
}

function drawOne(hit) {
  const { base, isFolder, label } = entries[hit.bundle] ?? {};
  const packedBase = library?.infoOf(hit.bundle)?.manifest.base_url;
  const href = isFolder ? undefined : hitHref(hit, { base, packedBase });
  const name = isFolder
    ? h('button', { type: 'button', className: 'link', onclick: () => void showPage(hit) }, nameOf(hit))
    : href === undefined
      ? nameOf(hit)
      : h('a', { href, target: '_blank', rel: 'noopener' }, nameOf(hit));
  return drawHit(hit, {
    name,
    beside: chosen.size > 1 ? h('span', { className: 'label' }, label) : undefined,
    snippet: segments(hit).map(({ text, mark }) => (mark ? h('mark', {}, text) : text)),
  });
}

/** A folder's pages have no address on the web, so they are shown here. */
async function showPage(hit) {
  const { title, text } = await library.page(hit.page);
  byId('page-title').textContent = title;
  byId('page-text').textContent = text.startsWith(`# ${title}\n`) ? text.slice(title.length + 3).trim() : text;
  byId('page').hidden = false;
  byId('page').focus();
}

// ---- what the page shows ---------------------------------------------------------------------------

function say(text, isFailed = false) {
  byId('status').textContent = text;
  byId('status').classList.toggle('failed', isFailed);
}

/** Once for each list of libraries: a box that is drawn anew would lose the focus. */
function drawEntries() {
  byId('libraries').replaceChildren(
    ...entries.map(({ label, bytes }, at) => {
      const box = h('input', { type: 'checkbox' });
      box.addEventListener('change', () => choose(at, box.checked));
      return h('label', {}, box, h('span', {}, label), h('small', {}, size(bytes)));
    }),
  );
}

function drawChoice() {
  [...byId('libraries').children].forEach((label, at) => {
    const isOut = door.isShut && !chosen.has(at);
    label.className = isOut ? 'out' : '';
    Object.assign(label.querySelector('input'), { checked: chosen.has(at), disabled: isOut });
  });
  const wanted = [...chosen].map((at) => entries[at]);
  byId('questions').replaceChildren(
    ...wanted
      .filter(({ question }) => question !== undefined)
      .map(({ question }) => h('button', { type: 'button', onclick: () => put(question) }, question)),
  );
  const site = entries.some(({ isSite }) => isSite) ? new URL('../', import.meta.url).href : undefined;
  const folder = entries.find(({ isFolder }) => isFolder)?.label;
  byId('lines').replaceChildren(...linesFor({ site, libraries: wanted, folder }).flatMap(drawLine));
  drawSoon();
}

/** As if the reader had typed it. */
function put(text) {
  query.value = text;
  query.focus();
  ask();
  store.submit();
}

function drawLine({ about, line }) {
  const button = h('button', { type: 'button', label: `Copy: ${line}` }, 'Copy');
  button.addEventListener('click', async () => {
    // Refused, or not served securely: the reader copies what is selected then.
    const isCopied = await navigator.clipboard?.writeText(line).then(
      () => true,
      () => false,
    );
    if (!isCopied) getSelection()?.selectAllChildren(code);
    byId('copied').textContent = isCopied ? `Copied: ${line}` : 'The line is selected: copy it with the keyboard.';
    button.textContent = isCopied ? 'Copied' : 'Selected';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  const code = h('code', {}, ...line.split(/(?<= )/).map((word) => h('span', {}, word))); // no flag breaks at its hyphens
  return [h('dt', {}, about), h('dd', {}, code, button)];
}

let isDrawing = false;
function drawSoon() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    drawFigures();
  });
}

function drawFigures() {
  const { range, whole, latest } = door;
  const bytes = range.bytes + whole.bytes;
  byId('requests').textContent = number(range.requests + whole.requests);
  drawBytes('bytes', bytes, size(bytes) || '0 kB');
  for (const [id, { requests, bytes: got }] of Object.entries({ range, whole }))
    drawBytes(id, got, `${number(requests)}${got > 0 ? `, ${size(got)}` : ''}`);
  byId('latest').replaceChildren(
    ...[...latest]
      .reverse()
      .map(({ file, from, to, bytes: got, words }) =>
        h(
          'li',
          {},
          h('span', { className: 'file' }, file),
          h('span', {}, from === undefined ? 'whole' : `bytes ${number(Number(from))}–${number(Number(to))}`),
          h('span', { className: 'got' }, size(got)),
          words !== '' && h('span', { className: 'words-then' }, `“${words}”`),
        ),
      ),
  );
  byId('none').hidden = latest.length > 0;
  network.setAttribute('aria-checked', String(!door.isShut));
  if (door.isShut)
    byId('off').textContent =
      `Off. Since then: ${count(sinceShut, 'request')} by the browser’s own count, ${number(door.refused)} refused here.`;
}

/** The exact number is there too. */
const drawBytes = (id, bytes, text) => Object.assign(byId(id), { textContent: text, title: `${number(bytes)} bytes` });
const number = (value) => value.toLocaleString('en');
const count = (value, noun) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
const size = (bytes) =>
  !bytes ? '' : bytes < 1e6 ? `${number(Math.max(1, Math.round(bytes / 1e3)))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

// ---- the network -----------------------------------------------------------------------------------

/** What the browser counts while the door is shut: a second witness. */
let sinceShut = 0;
let shutAt = Infinity;
new PerformanceObserver((list) => {
  sinceShut += list.getEntries().filter(({ startTime }) => startTime >= shutAt).length;
  drawSoon();
}).observe({ type: 'resource' });

/** All that is chosen comes whole, and then nothing passes. */
async function shut() {
  if (chosen.size === 0) return say('Choose a library.');
  byId('off').textContent = 'Loading all of what is chosen …';
  network.disabled = true;
  try {
    await Promise.all([table, ...[...chosen].map((at) => entries[at].file)].map((file) => file.load?.()));
    await store.prefetch();
    await library?.prefetch(); // those that were chosen since
    if (library === undefined) throw new Error('The libraries could not be opened.');
    door.isShut = true;
    door.refused = sinceShut = 0;
    shutAt = performance.now();
  } catch (error) {
    byId('off').textContent = `Still on: ${error.message}`;
  } finally {
    network.disabled = false;
    network.focus();
    drawChoice();
  }
}

function unshut() {
  door.isShut = false;
  shutAt = Infinity;
  byId('off').textContent = '';
  drawChoice();
}

// ---- a folder --------------------------------------------------------------------------------------

let stopping;
let address;

/** Packs `source` and makes it the library that is searched; `name` is that of the folder. */
async function take(source, name) {
  if (door.isShut) return tell('Switch the network on first: the packer may still need parts of itself.', true);
  stopping?.abort();
  const mine = (stopping = new AbortController());
  const { signal } = mine;
  tell('Reading the folder …');
  byId('progress').hidden = byId('stop').hidden = false;
  byId('result').hidden = byId('page').hidden = true;
  try {
    const [wasm, encoderTable] = await Promise.all([packer(), table.load(signal)]);
    const { bundle, report } = await pack(
      { source: await source, library: nameOfFolder(name), version: '1', encoderTable: encoderTable.slice() },
      {
        wasm,
        signal,
        onProgress({ text, share }) {
          tell(text);
          byId('progress').value = share;
        },
      },
    );
    offer(bundle, report, name);
  } catch (error) {
    if (mine === stopping) tell(error.code === 'ABORTED' ? 'Stopped.' : error.message, error.code !== 'ABORTED');
  } finally {
    if (mine === stopping) byId('progress').hidden = byId('stop').hidden = true;
  }
}

function offer(bundle, { pages, passages, skipped, notes }, name) {
  tell(`${count(pages, 'page')} with ${count(passages, 'passage')} in ${(bundle.length / 1000).toFixed(0)} kB.`);
  URL.revokeObjectURL(address);
  address = URL.createObjectURL(new Blob([bundle]));
  Object.assign(byId('download'), { href: address, download: `${nameOfFolder(name)}@1.sheaf` });
  const remarks = [...skipped, ...notes];
  byId('left-out').hidden = remarks.length === 0;
  byId('left-out').querySelector('summary').textContent = count(remarks.length, 'remark');
  byId('remarks').replaceChildren(
    ...remarks.slice(0, 100).map(({ path, reason }) => h('li', {}, `${path}: ${reason}`)),
  );
  byId('result').hidden = false;
  const own = { label: name, file: bundle, bytes: bundle.length, isFolder: true };
  entries = [own, ...entries.filter(({ isFolder }) => !isFolder)];
  chosen = new Set([0]);
  begin();
  query.focus();
}

function tell(text, isFailed = false) {
  byId('told').textContent = text;
  byId('told').classList.toggle('failed', isFailed);
}

/** The files below a dropped folder, with their paths. Every browser has these entries. */
async function filesOf(folder, prefix = '') {
  const files = [];
  const reader = folder.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // a part of them
    if (some.length === 0) return files;
    for (const entry of some) {
      const path = prefix + entry.name;
      if (entry.isDirectory) files.push(...(await filesOf(entry, `${path}/`)));
      else files.push({ path, bytes: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    }
  }
}

// ---- the page --------------------------------------------------------------------------------------

/** Light or dark, as the reader has chosen on the pages of the site: VitePress keeps it under this name. */
function followSite() {
  try {
    const look = localStorage.getItem('vitepress-theme-appearance');
    if (look === 'light' || look === 'dark') document.documentElement.style.colorScheme = look;
  } catch {
    // Storage is refused: as the system has it.
  }
}

async function start() {
  if (!isSupported()) {
    byId('needs').textContent =
      'This browser has no WebAssembly with SIMD, or forbids it, so nothing can be searched here.';
    return;
  }
  const response = await fetch(new URL('./libraries.json', import.meta.url));
  if (!response.ok)
    throw new Error(`The list of libraries could not be fetched: the server answered ${response.status}.`);
  entries = (await response.json()).map(({ src, ...told }) => ({
    ...told,
    file: fileBehind(door, src, firstReadOf('bundle', true)),
  }));
  if (entries.length > 0) chosen.add(0);
  byId('choice').hidden = entries.length === 0;
  if (entries.some(({ isSite }) => isSite)) {
    byId('home').hidden = false;
    followSite();
  }
  byId('hits').before(drawLegend());
  query.addEventListener('input', ask);
  query.addEventListener('keydown', ({ key }) => key === 'Enter' && store.submit());
  network.addEventListener('click', () => void (door.isShut ? unshut() : shut()));
  byId('picker').addEventListener('change', ({ target }) => {
    const files = [...target.files];
    target.value = ''; // the same folder may be chosen again
    if (files.length > 0) void take(files, files[0].webkitRelativePath.split('/')[0]);
  });
  byId('stop').addEventListener('click', () => stopping.abort());
  for (const type of ['dragover', 'dragleave', 'drop'])
    addEventListener(type, (event) => {
      event.preventDefault();
      byId('drop').classList.toggle('over', type === 'dragover');
    });
  addEventListener('drop', ({ dataTransfer }) => {
    const [entry] = [...dataTransfer.items]
      .map((dropped) => dropped.webkitGetAsEntry())
      .filter((each) => each?.isDirectory);
    if (entry === undefined) tell('Please drop a folder.', true);
    else void take(filesOf(entry), entry.name);
  });
  byId('needs').hidden = true;
  byId('all').hidden = false;
  begin();
  if (entries.length === 0) say('Drop a folder to search it.');
}

start().catch((error) => (byId('needs').textContent = error.message));
