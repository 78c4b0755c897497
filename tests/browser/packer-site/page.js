// What tests/browser/packer_module.test.mjs calls in its page.
import { open } from '/dist/browser/client/index.js';
import { pack } from '/dist/browser/packer/index.js';

const violations = [];
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  violations.push(`${violatedDirective} ${blockedURI}`),
);

const base64 = (bytes) => {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
};

async function picked(job) {
  const told = [];
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  const { files } = document.querySelector('input');
  const { bundle } = await pack({ ...job, source: files }, { onProgress: ({ stage }) => told.push(stage) });
  clearInterval(timer);
  const bytes = base64(bundle);
  const library = await open(bundle, { worker: false });
  const { hits } = await library.search('certificate');
  await library.close();
  return { bytes, told, ticks, title: hits[0]?.title, violations };
}

async function handle() {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('docs', { create: true });
  const guide = await root.getDirectoryHandle('guide', { create: true });
  for (const [folder, name, text] of [
    [root, 'index.md', '# Kiln\n\nFires clay.\n'],
    [guide, 'glaze.md', '# Glaze\n\nCeladon.\n'],
  ]) {
    const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await writable.write(text);
    await writable.close();
  }
  const { bundle, report } = await pack({ source: root, library: 'kiln', version: '1', encoder: 'none' });
  const library = await open(bundle, { worker: false });
  const found = await Promise.all(['celadon', 'fires'].map((word) => library.search(word)));
  await library.close();
  return { pages: report.pages, paths: found.map(({ hits }) => hits[0].url) };
}

async function aborted() {
  const cancel = new AbortController();
  const source = Array.from({ length: 4000 }, (_, i) => ({ path: `${i}.md`, bytes: `# P ${i}\n\n${`word${i} clay `.repeat(80)}` }));
  let after = 0;
  const onProgress = () => {
    if (cancel.signal.aborted) after++;
    cancel.abort();
  };
  const job = { source, library: 'kiln', version: '1', encoder: 'none' };
  const code = await pack(job, { signal: cancel.signal, onProgress }).then(
    () => 'packed',
    (error) => error.code,
  );
  return { isolated: crossOriginIsolated, code, after };
}

async function wrong() {
  const job = { source: [{ path: 'a.md', bytes: '# A\n\nClay.' }], library: 'kiln', version: '1', encoder: 'none' };
  const failed = (promise) =>
    promise.then(
      () => ({ code: 'packed' }),
      ({ code, message }) => ({ code, message }),
    );
  return Promise.all([
    failed(pack({ ...job, encoder: 'all-MiniLM-L6-v2' })),
    failed(pack({ ...job, source: [] })),
    failed(pack(job, { wasm: '/nowhere.wasm' })),
  ]);
}

/** Parsers recurse, and a worker's stack is small. */
async function nested() {
  const source = [
    { path: 'deep.html', bytes: `<p>clay${'<div>'.repeat(9000)}deep` },
    { path: 'deep.md', bytes: `${'> '.repeat(5000)}quoted` },
    { path: 'deeper.html', bytes: `${'<div>'.repeat(100_000)}deeper` },
  ];
  const { report } = await pack({ source, library: 'kiln', version: '1', encoder: 'none' });
  return { pages: report.pages, skipped: report.skipped };
}

window.packing = { picked, handle, aborted, wrong, nested };
