/** What the service worker of an offline site keeps, and what it answers from it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { OfflineStore, parseList, rangeOfPiece, respond } from '../../dist/browser/offline/store.js';
import { fakeCaches } from './fake_caches.mjs';

const FOLDER = new URL('https://x.example/docs/sheaf/');
const bundleOf = (text) => ({ name: `site-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.sheaf`, text });

/** A store over a site whose files may be changed; `down` ends the network. */
function setUp() {
  const site = { down: false, files: new Map(), requests: [] };
  site.deploy = (bundle, { offline = true, code = 'code-1/ui/index.js' } = {}) => {
    site.files = new Map([
      [bundle.name, bundle.text],
      [code, 'code'],
      ['site.json', JSON.stringify({ offline, files: [code, bundle.name] })],
      ['sheaf.js', `entry of ${bundle.name} ${code.split('/')[0]} ${offline}`],
    ]);
  };
  const caches = fakeCaches();
  let retired = 0;
  const fetch = async (input, init = {}) => {
    const url = typeof input === 'string' ? input : input.url;
    site.requests.push([url.replace(FOLDER.href, ''), init.cache ?? input.cache ?? 'default']);
    if (site.down) throw new TypeError('Failed to fetch');
    const text = site.files.get(url.replace(FOLDER.href, ''));
    return text === undefined
      ? new Response('', { status: 404 })
      : new Response(text, { headers: { ETag: '"1"', 'Content-Type': site.type ?? 'text/plain' } });
  };
  const store = new OfflineStore({ folder: FOLDER, caches, fetch, onRetired: async () => void retired++ });
  const work = [];
  const ask = async (path, { range, cache } = {}) => {
    const request = {
      method: 'GET',
      url: FOLDER.href + path,
      cache: cache ?? 'default',
      headers: new Headers(range ? { Range: range } : {}),
    };
    assert.equal(store.handles(request), true);
    const response = await store.answer(request, (more) => work.push(more));
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const held = () => [...(caches.all.get('sheaf /docs/sheaf/')?.keys() ?? [])].map((url) => url.replace(FOLDER.href, '')).sort();
  return { site, store, ask, held, caches: caches.all, settle: () => Promise.all(work.splice(0)), retired: () => retired };
}

const one = bundleOf('the first bundle');
const two = bundleOf('another bundle');

describe('the store of an offline site', () => {
  it('The offline store keeps the listed files, and answers without a network', async () => {
    const { site, store, ask, held } = setUp();
    site.deploy(one);
    await store.refresh();
    assert.deepEqual(held(), ['code-1/ui/index.js', 'sheaf.js', 'site.json', one.name].sort());
    site.down = true;
    assert.equal((await ask('sheaf.js?x#y')).text, `entry of ${one.name} code-1 true`);
    assert.equal((await ask('code-1/ui/index.js')).text, 'code');
    const part = await ask(one.name, { range: 'bytes=4-8' });
    assert.deepEqual(
      [part.status, part.text, part.headers.get('Content-Range'), part.headers.get('ETag')],
      [206, 'first', `bytes 4-8/${one.text.length}`, '"1"'],
    );
  });

  it('The offline store follows a new deploy when the entry changed, and drops the rest', async () => {
    const { site, store, ask, held, settle } = setUp();
    site.deploy(one);
    await store.refresh();
    const before = site.requests.length;
    await ask('sheaf.js');
    await settle();
    assert.equal(site.requests.length, before + 1, 'an entry that did not change costs nothing more');
    site.deploy(two, { code: 'code-2/ui/index.js' });
    await ask('sheaf.js');
    await settle();
    assert.deepEqual(held(), ['code-2/ui/index.js', 'sheaf.js', 'site.json', two.name].sort());
  });

  it('The offline store keeps the old until the new is complete, and resumes a run', async () => {
    const { site, store, ask, held, settle } = setUp();
    site.deploy(one);
    await store.refresh();
    const before = held();
    site.deploy(two);
    const text = site.files.get(two.name);
    site.files.delete(two.name); // not there yet
    await ask('sheaf.js');
    await settle();
    assert.deepEqual(held(), before);
    site.down = true;
    assert.equal((await ask('sheaf.js')).text, `entry of ${one.name} code-1 true`);
    site.down = false;
    site.files.set(two.name, text);
    await ask('sheaf.js');
    await settle();
    assert.ok(held().includes(two.name) && !held().includes(one.name));
  });

  it("The offline store keeps no entry with another deploy's files", async () => {
    const { site, store, ask, held, settle } = setUp();
    site.deploy(one);
    await store.refresh();
    const before = held();
    site.deploy(two, { code: 'code-2/ui/index.js' });
    const entry = site.files.get('sheaf.js');
    site.files.set('sheaf.js', `entry of ${one.name} code-1 true`);
    await assert.rejects(store.refresh(), /is being deployed/);
    assert.deepEqual(held(), before);
    site.files.set('sheaf.js', entry);
    await ask('sheaf.js');
    await settle();
    assert.deepEqual(held(), ['code-2/ui/index.js', 'sheaf.js', 'site.json', two.name].sort());
  });

  it('The offline store keeps no bundle with a wrong hash, and no web page', async () => {
    const { site, store, held } = setUp();
    site.deploy(one);
    site.files.set(one.name, 'the first bundlf');
    await assert.rejects(store.refresh(), /other bytes than its name promises/);
    assert.ok(!held().includes(one.name));
    site.deploy(one);
    site.type = 'text/html; charset=utf-8';
    await assert.rejects(store.refresh(), /with a web page/);
  });

  it('The offline store asks the network first when distrusted, and stores anew once', async () => {
    const { site, store, ask, settle } = setUp();
    site.deploy(one);
    await store.refresh();
    const before = site.requests.filter(([name]) => name === one.name).length;
    for (let i = 0; i < 2; i++) {
      assert.equal((await ask(one.name, { cache: 'reload' })).text, one.text);
      await settle();
    }
    assert.equal(site.requests.filter(([name]) => name === one.name).length, before + 3);
    site.down = true;
    assert.equal((await ask(one.name, { cache: 'reload' })).text, one.text, 'offline, what is stored is better than nothing');
  });

  it('The offline store answers for pieces from the whole file, and stores their list', async () => {
    const { site, store, ask, held } = setUp();
    site.deploy(one);
    const folder = one.name.replace(/sheaf$/, 'pieces');
    const list = Buffer.alloc(16);
    [3, 4, 9, one.text.length - 13].forEach((value, i) => list.writeUInt32LE(value, 4 * i));
    const first = Buffer.concat([list, Buffer.from(one.text.slice(0, 4))]);
    const { files } = JSON.parse(site.files.get('site.json'));
    site.files.set('site.json', JSON.stringify({ offline: true, files, pieces: [folder, 'gone-0123456789ab.pieces'] }));
    site.files.set(`${folder}/0.bin`, first);
    site.files.set(`${folder}/1.bin`, 'of the network');
    assert.equal((await ask(`${folder}/1.bin`)).text, 'of the network', 'before anything is stored');
    await store.refresh();
    assert.deepEqual(held(), ['code-1/ui/index.js', 'sheaf.js', 'site.json', one.name, `${folder}/0.bin`].sort());
    site.down = true;
    const parts = [await ask(`${folder}/1.bin`), await ask(`${folder}/2.bin`, { cache: 'reload' })];
    assert.deepEqual(
      parts.map(({ text }) => text),
      [one.text.slice(4, 13), one.text.slice(13)],
    );
    assert.deepEqual(
      parts.map(({ headers }) => [headers.get('Content-Length'), headers.get('Cache-Control')]),
      [
        ['9', 'no-store'],
        [`${one.text.length - 13}`, 'no-store'],
      ],
    );
    assert.equal((await ask(`${folder}/0.bin`)).text, first.toString());
    await assert.rejects(ask(`${folder}/3.bin`), /Failed to fetch/, 'there is none');
  });

  it('The offline store believes no list of pieces that differs from the file', () => {
    const list = (...numbers) => new DataView(Uint32Array.from(numbers).buffer);
    assert.deepEqual(rangeOfPiece(list(2, 10, 5), 0, 15), [0, 10]);
    assert.deepEqual(rangeOfPiece(list(2, 10, 5), 1, 15), [10, 15]);
    for (const [view, number, size] of [
      [list(2, 10, 5), 2, 15],
      [list(2, 10, 5), 1, 16],
      [list(3, 10, 5), 1, 15],
      [list(0), 0, 0],
      [new DataView(new ArrayBuffer(3)), 0, 0],
    ])
      assert.equal(rangeOfPiece(view, number, size), undefined);
  });

  it('The offline store passes unknown requests on, so that clients learn of missing files', async () => {
    const { site, store, ask } = setUp();
    site.deploy(two);
    await store.refresh();
    assert.equal((await ask(one.name, { range: 'bytes=0-1' })).status, 404);
  });

  it('The offline store keeps nothing of a site without offline mode or search', async () => {
    for (const end of [(site) => site.deploy(one, { offline: false }), (site) => site.files.clear()]) {
      const { site, store, ask, held, settle, retired, caches } = setUp();
      site.deploy(one);
      await store.refresh();
      end(site);
      await ask('sheaf.js');
      await settle();
      assert.deepEqual([held(), retired()], [[], 1]);
      // The page that is open goes on asking: its worker lives until the page is left.
      for (const [path, how] of [['code-1/ui/index.js'], [one.name, { range: 'bytes=0-1' }], [one.name, { cache: 'reload' }]])
        await ask(path, how);
      await settle();
      assert.deepEqual([...caches.keys()], []);
    }
  });

  it("The offline store drops clients' ranges of whole files, and no other ranges", async () => {
    const { site, store, caches } = setUp();
    const others = ['sheaf ranges https://x.example/other/site- 1', 'sheaf ranges https://y.example/docs/sheaf/site- 1', 'theirs'];
    for (const name of [...others, `sheaf ranges ${FOLDER.href}site- 1`, `sheaf ranges ${FOLDER.href}minilm- 2`])
      caches.set(name, new Map());
    site.deploy(one);
    site.down = true;
    await assert.rejects(store.refresh());
    assert.equal(caches.size, 5);
    site.down = false;
    await store.refresh();
    assert.deepEqual([...caches.keys()].sort(), [...others, 'sheaf /docs/sheaf/'].sort());
  });

  it('The offline store leaves every other request alone', () => {
    const { store } = setUp();
    for (const [method, url] of [
      ['GET', 'https://x.example/docs/guide/'],
      ['GET', 'https://y.example/docs/sheaf/sheaf.js'],
      ['HEAD', `${FOLDER}sheaf.js`],
      ['GET', 'https://x.example/docs/sheaf'],
    ]) {
      assert.equal(store.handles({ method, url }), false, `${method} ${url}`);
    }
  });

  it('The offline store takes no invalid list, and no file from outside its folder', async () => {
    for (const text of ['', '[]', '{}', '{"files":{}}', '{"files":[1]}', JSON.stringify({ files: new Array(1001).fill('a') })])
      assert.throws(() => parseList(text), undefined, text.slice(0, 20));
    const { site, store, held } = setUp();
    site.deploy(one);
    site.files.set('site.json', JSON.stringify({ offline: true, files: ['../../secret', 'https://evil.example/a.js', one.name] }));
    await store.refresh();
    assert.deepEqual(held(), ['sheaf.js', 'site.json', one.name].sort());
    assert.ok(!site.requests.some(([name]) => /secret|evil/.test(name)));
  });
});

describe('an answer by range', () => {
  const held = { blob: new Blob(['0123456789']), headers: new Headers() };
  const ask = async (range) => {
    const response = respond(held, range);
    return [response.status, response.headers.get('Content-Range'), await response.text()];
  };

  it('An answer by range is the requested slice', async () => {
    assert.deepEqual(await ask('bytes=2-4'), [206, 'bytes 2-4/10', '234']);
    assert.deepEqual(await ask('bytes=7-'), [206, 'bytes 7-9/10', '789']);
    assert.deepEqual(await ask('bytes=7-99'), [206, 'bytes 7-9/10', '789']);
  });
  it('An answer by range reports a range outside the file', async () => {
    for (const range of ['bytes=10-12', 'bytes=4-2']) assert.deepEqual(await ask(range), [416, 'bytes */10', '']);
  });
  it('An answer by range is the whole file where the request is not understood', async () => {
    for (const range of [null, 'bytes=-3', 'bytes=0-1,4-5', 'lines=1-2'])
      assert.deepEqual(await ask(range), [200, null, '0123456789'], range);
  });
});
