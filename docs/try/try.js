/**
 * A page that packs the folder that its reader drops, and searches it (docs/packing.md). `node scripts/try_page.mjs`
 * assembles it with the package in one folder for any static host.
 */
import { open } from './sheaf/client/index.js';
import { pack } from './sheaf/packer/index.js';
import './sheaf/ui/sheaf-search.min.js';

const $ = (id) => document.getElementById(id);
const TABLE = new URL('./sheaf/minilm-l6-256.sheaf', import.meta.url);

let stopping;
let library;
let address;

/** Packs `source` and shows the search; `name` is that of the folder. */
async function take(source, name) {
  stopping?.abort();
  const mine = (stopping = new AbortController());
  show('Reading the folder…');
  $('progress').hidden = $('stop').hidden = false;
  $('result').hidden = $('page').hidden = true;
  try {
    const { bundle, report } = await pack(
      { source: await source, library: nameOf(name), version: '1', encoderTable: TABLE },
      {
        signal: mine.signal,
        onProgress({ text, share }) {
          show(text);
          $('progress').value = share;
        },
      },
    );
    const opened = await open(bundle, { encoder: TABLE });
    await library?.close();
    library = opened;
    offer(bundle, report, name);
  } catch (error) {
    if (mine === stopping) show(error.code === 'ABORTED' ? 'Stopped.' : error.message, error.code !== 'ABORTED');
  } finally {
    if (mine === stopping) $('progress').hidden = $('stop').hidden = true;
  }
}

function offer(bundle, { pages, passages, skipped, notes }, name) {
  show(`${count(pages, 'page')} with ${count(passages, 'passage')} in ${(bundle.length / 1000).toFixed(0)} kB.`);
  $('search').library = library;
  URL.revokeObjectURL(address);
  address = URL.createObjectURL(new Blob([bundle]));
  $('download').href = address;
  $('download').download = `${nameOf(name)}@1.sheaf`;
  const remarks = [...skipped, ...notes];
  $('left-out').hidden = remarks.length === 0;
  $('left-out').querySelector('summary').textContent = count(remarks.length, 'remark');
  $('left-out')
    .querySelector('ul')
    .replaceChildren(...remarks.slice(0, 100).map(({ path, reason }) => item(`${path}: ${reason}`)));
  $('result').hidden = false;
  void $('search').show(); // the box has the focus
}

/** The pages have no address on the web, so they are shown here. */
$('search').addEventListener('sheaf-select', async (event) => {
  event.preventDefault();
  const { title, text } = await library.page(event.detail.hit.page);
  $('page').querySelector('h2').textContent = title;
  $('page').querySelector('pre').textContent = text.startsWith(`# ${title}\n`) ? text.slice(title.length + 3).trim() : text;
  $('page').hidden = false;
  $('page').focus();
});

$('picker').addEventListener('change', ({ target }) => {
  const files = [...target.files];
  target.value = ''; // the same folder may be chosen again
  if (files.length > 0) void take(files, files[0].webkitRelativePath.split('/')[0]);
});
$('stop').addEventListener('click', () => stopping.abort());

for (const type of ['dragover', 'dragleave', 'drop'])
  addEventListener(type, (event) => {
    event.preventDefault();
    $('drop').classList.toggle('over', type === 'dragover');
  });
addEventListener('drop', ({ dataTransfer }) => {
  const [entry] = [...dataTransfer.items].map((dropped) => dropped.webkitGetAsEntry()).filter((each) => each?.isDirectory);
  if (entry === undefined) show('Please drop a folder.', true);
  else void take(filesOf(entry), entry.name);
});

/** The files below a dropped folder, with their paths. Every browser has these entries. */
async function filesOf(folder, prefix = '') {
  const files = [];
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // a part of them
    if (entries.length === 0) return files;
    for (const entry of entries) {
      const path = prefix + entry.name;
      if (entry.isDirectory) files.push(...(await filesOf(entry, `${path}/`)));
      else files.push({ path, bytes: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    }
  }
}

function show(text, failed = false) {
  $('status').textContent = text;
  $('status').classList.toggle('failed', failed);
}

function item(text) {
  const made = document.createElement('li');
  made.textContent = text;
  return made;
}

const count = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
/** A library's name has no characters that paths or shells take otherwise. */
const nameOf = (folder) => folder.toLowerCase().replace(/[^a-z0-9._-]+/g, '-').replace(/^[-.]+/, '') || 'docs';
