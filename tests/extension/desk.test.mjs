/** The extension's service in Node, over a vault in memory: installing, replacing, resuming, refusing, searching. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deploy } from '../../dist/node/site/deploy.js';
import { readSiteList } from '../../dist/extension/lists.js';
import { requirePacker } from '../native_packer.mjs';
import { manyPages, packFixture, temporaryFolder } from '../node/packed.mjs';
import { generateKey, publicOf } from '../../dist/node/catalogue/secret_key.js';
import { deskOver, MemoryVault } from './desk_world.mjs';
import { catalogueOf, serveSigned, sha256, startServer } from './library_server.mjs';

const root = temporaryFolder('extension-desk');
let server;
let bundles;

const freshWorld = () => ({ vault: new MemoryVault() });

async function until(desk, test) {
  for (let i = 0; i < 1200; i++) {
    const state = await desk.state();
    if (test(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`${test} did not come to pass: ${JSON.stringify(await desk.state())}`);
}

const settled = ({ downloads }) => downloads.every(({ status }) => status === 'failed' || status === 'paused');

/** Serves these as a catalogue, and gives its offers. */
async function offer(desk, libraries) {
  for (const { library, version, bytes, path, serve = bytes, more } of libraries)
    server.serve(`/${path ?? `${library}@${version}.sheaf`}`, serve, more);
  server.serve('/catalogue.json', catalogueOf(libraries));
  return (await desk.addCatalogue(`${server.origin}/`, true)).offers;
}

before(async () => {
  server = await startServer();
  const pack = async (library, version, options = {}) =>
    readFileSync(await packFixture(join(root, `${library}-${version}.sheaf`), { library, version, ...options }));
  bundles = {
    kiln14: await pack('kiln', '1.4.0'),
    kiln15: await pack('kiln', '1.5.0'),
    many: await pack('many', '1.0', { docs: manyPages(join(root, 'many'), 120) }),
    namesake: await pack('kiln', '1.4.0', { docs: manyPages(join(root, 'namesake'), 20), options: ['--language', 'none'] }),
    kiln999: await pack('kiln', '999', { options: ['--language', 'none'] }),
    large: await pack('large', '1.0', { docs: manyPages(join(root, 'large'), 700), options: ['--level', '3'] }),
  };
});
after(() => server.close());
beforeEach(() => {
  server.files.clear();
  server.requests.length = 0;
});

describe('installing from a site', () => {
  /** What `sheaf site --pieces only` leaves on a host. */
  async function serveSite(absent) {
    const site = join(root, `pieces-${absent}`);
    mkdirSync(site, { recursive: true });
    const file = join(root, 'large-1.0.sheaf');
    await deploy({ site, bundles: [{ file }], table: undefined, pieces: 'only' });
    const files = readdirSync(site, { recursive: true }).filter((name) => name.startsWith('sheaf'));
    for (const name of files)
      if (statSync(join(site, name)).isFile()) server.serve(`/${name.replaceAll('\\', '/')}`, readFileSync(join(site, name)));
    const list = readFileSync(join(site, 'sheaf', 'site.json'), 'utf8');
    const [given] = readSiteList(list, `${server.origin}/sheaf/site.json`, 'Large');
    const path = new URL(given.origin.address).pathname;
    if (absent === 200) server.serve(path, '<!doctype html><p>Home</p>', { type: 'text/html' });
    return { given, folder: path.replace(/sheaf$/, 'pieces') };
  }

  for (const absent of [404, 200])
    it(`An install from a site takes the pieces where the file is missing (${absent})`, async () => {
      const desk = deskOver(freshWorld());
      const { given } = await serveSite(absent);
      await desk.install(given);
      const { libraries } = await until(desk, (state) => state.libraries.length === 1 || settled(state));
      assert.deepEqual([libraries[0]?.library, libraries[0]?.bytes], ['large', bundles.large.length]);
      assert.ok((await desk.search('kiln')).hits.length > 0);
    });

  it('An install from a site resumes at the missing piece, and names it', async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    const { given, folder } = await serveSite(404);
    const last = [...server.files.keys()].filter((path) => path.startsWith(folder)).length - 1;
    assert.ok(last > 3);
    const missing = `${folder}/${last}.bin`;
    const kept = server.files.get(missing);
    server.files.delete(missing);
    const id = await desk.install(given);
    const { downloads } = await until(desk, (state) => state.downloads.length === 1 && settled(state));
    assert.match(downloads[0].error.message, new RegExp(`/${last}\\.bin .* it is gone`));
    server.files.set(missing, kept);
    server.requests.length = 0;
    await desk.resume(id);
    await until(desk, (state) => state.libraries.length === 1);
    const again = server.requests.filter(({ path }) => path.startsWith(folder));
    assert.ok(again.length < last / 2, `${again.length} of ${last} pieces`);
  });

  it('An install from a site reports that file and pieces are both missing', async () => {
    const desk = deskOver(freshWorld());
    const { given, folder } = await serveSite(404);
    server.files.delete(`${folder}/0.bin`);
    await desk.install(given);
    const { downloads } = await until(desk, (state) => state.downloads.length === 1 && settled(state));
    assert.match(downloads[0].error.message, /answered 404/);
  });
});

describe('installing from a catalogue', () => {
  it('An install checks size, hash and contents, and then searches by words and meaning', async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 }]);
    await desk.install(kiln);
    const { libraries } = await until(desk, (state) => state.libraries.length === 1);
    assert.deepEqual([libraries[0].id, libraries[0].bytes, libraries[0].missing], ['kiln@1.4.0', bundles.kiln14.length, false]);
    const answer = await desk.search('batches');
    assert.ok(answer.hits.length > 0 && answer.usedSemantic && answer.usedKeyword);
    const { page } = await desk.page(answer.hits[0].id, answer.hits[0].own);
    assert.equal(page.title, answer.hits[0].title);
    assert.equal(Object.keys(world.ledger.tables).length, 1);
    await desk.close();
  });

  it('An install refuses a wrong hash, size, contents or file, and leaves nothing behind', async () => {
    const damaged = Buffer.from(bundles.kiln14);
    damaged[damaged.length >> 1] ^= 255;
    const cases = {
      HASH: { bytes: bundles.kiln14, hash: sha256('another') },
      TOO_LARGE: { bytes: bundles.kiln14, size: 1000 },
      'HASH of another size': { bytes: bundles.kiln14, size: bundles.kiln14.length + 5 },
      OTHER_LIBRARY: { bytes: bundles.many },
      CHECKSUM_MISMATCH: { bytes: damaged },
      NOT_A_BUNDLE: { bytes: Buffer.from('<!doctype html><p>Not found'.repeat(100)) },
    };
    for (const [code, more] of Object.entries(cases)) {
      const world = freshWorld();
      const desk = deskOver(world);
      const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', ...more, serve: more.bytes }]);
      await desk.install(kiln);
      const { downloads, libraries } = await until(desk, (state) => settled(state) && state.downloads.length > 0);
      assert.equal(downloads[0].error.code, code.split(' ')[0]);
      assert.equal(libraries.length, 0);
      await desk.cancel(downloads[0].id);
      assert.deepEqual(await world.vault.names(), []);
      await desk.close();
    }
  });

  it('An install names a format newer than this reader', async () => {
    const desk = deskOver(freshWorld());
    const newer = Buffer.from(bundles.kiln14);
    newer.writeUInt16LE(newer.readUInt16LE(8) + 1, 8);
    const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', bytes: newer }]);
    await desk.install(kiln);
    const { downloads } = await until(desk, (state) => settled(state) && state.downloads.length > 0);
    assert.equal(downloads[0].error.code, 'UNSUPPORTED_VERSION');
    await desk.close();
  });

  it('An install ends an unsized file at the cap, or when room is short', async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 }]);
    world.free = 1000;
    await assert.rejects(desk.install(kiln), { code: 'QUOTA' });
    await desk.install({ ...kiln, bytes: undefined });
    const { downloads } = await until(desk, (state) => settled(state) && state.downloads.length > 0);
    assert.equal(downloads[0].error.code, 'QUOTA');
    world.free = 1e12;
    world.vault.room = 5000; // and the browser may say so while it is written
    await desk.resume(downloads[0].id);
    const again = await until(desk, (state) => settled(state) && state.downloads.length > 0);
    assert.equal(again.downloads[0].error.code, 'QUOTA');
    world.vault.room = Infinity;
    await desk.resume(downloads[0].id);
    await until(desk, (state) => state.libraries.length === 1);
    await desk.close();
  });

  it('An install requests only hosts that the reader named, without cookies or referrer', async () => {
    const asked = [];
    const desk = deskOver(freshWorld(), {
      fetch: (address, options) => {
        asked.push([new URL(address).origin, options.credentials, options.referrerPolicy]);
        return fetch(address, options);
      },
    });
    const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 }]);
    await desk.install(kiln);
    await until(desk, (state) => state.libraries.length === 1);
    await desk.search('batches');
    assert.deepEqual([...new Set(asked.map(String))], [`${server.origin},omit,no-referrer`]);
    await desk.close();
  });
});

describe('a download', () => {
  it('A cut download resumes by a range', async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14, more: { cut: 10_000 } }]);
    const id = await desk.install(kiln);
    const cut = await until(desk, (state) => settled(state) && state.downloads.length > 0);
    assert.deepEqual([cut.downloads[0].error.code, cut.downloads[0].received], ['NETWORK', 10_000]);
    server.files.get('/kiln@1.4.0.sheaf').cut = undefined;
    await desk.resume(id);
    await until(desk, (state) => state.libraries.length === 1);
    assert.equal(server.requests.at(-1).range, 'bytes=10000-');
    await desk.close();
  });

  it('A download begins anew for another file, or a server without ranges', async () => {
    for (const change of [{ etag: '"other"' }, { ranges: false }]) {
      const desk = deskOver(freshWorld());
      const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14, more: { cut: 10_000 } }]);
      const id = await desk.install(kiln);
      await until(desk, (state) => settled(state) && state.downloads.length > 0);
      Object.assign(server.files.get('/kiln@1.4.0.sheaf'), { cut: undefined, ...change });
      await desk.resume(id);
      await until(desk, (state) => state.libraries.length === 1);
      await desk.close();
    }
  });

  it('A download pauses, and continues after a restart', async () => {
    const world = freshWorld();
    let desk = deskOver(world);
    const [many] = await offer(desk, [{ library: 'many', version: '1.0', bytes: bundles.many, more: { slow: 30 } }]);
    const id = await desk.install(many);
    await until(desk, ({ downloads }) => downloads[0].received > 20_000);
    await desk.pause(id);
    const { downloads } = await until(desk, settled);
    assert.equal(downloads[0].status, 'paused');
    await desk.resume(id);
    await until(desk, (state) => state.downloads[0].received > downloads[0].received);
    const ledger = structuredClone(world.ledger); // as it stands when the browser ends
    await desk.pause(id);
    await desk.close();
    world.ledger = ledger;
    server.files.get('/many@1.0.sheaf').slow = undefined;
    desk = deskOver(world);
    const after = await until(desk, (state) => state.libraries.length === 1);
    assert.deepEqual(after.downloads, []);
    assert.match(server.requests.at(-1).range, /^bytes=\d{5,}-$/);
    await desk.close();
  });

  it('A download runs once, however often it is asked for', async () => {
    const desk = deskOver(freshWorld());
    const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14, more: { slow: 20 } }]);
    const ids = await Promise.all([desk.install(kiln), desk.install(kiln), desk.install(kiln)]);
    assert.equal(new Set(ids).size, 1);
    const { libraries } = await until(desk, (state) => state.libraries.length > 0 && state.downloads.length === 0);
    assert.equal(libraries.length, 1);
    await desk.close();
  });
});

describe('a new version', () => {
  it('A new version replaces the old by one write, and running searches finish', async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    const [newest, old] = await offer(desk, [
      { library: 'kiln', version: '1.5.0', bytes: bundles.kiln15 },
      { library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 },
    ]);
    await desk.install(old);
    await until(desk, (state) => state.libraries.length === 1);
    await desk.setGroup('k', ['kiln@1.4.0']);
    await desk.install(newest, 'kiln@1.4.0');
    let asked = 0;
    for (;;) {
      const { libraries, downloads } = await desk.state();
      assert.notEqual(downloads[0]?.status, 'failed', JSON.stringify(downloads));
      if (libraries[0].version !== '1.4.0') break;
      await new Promise((resolve) => setImmediate(resolve)); // all of this is in memory, and would never let the network in
      const [hit] = (await desk.search('batches')).hits;
      assert.match(hit.id, /^kiln@1\.[45]\.0$/);
      asked++;
    }
    assert.ok(asked > 0);
    const { libraries, groups } = await desk.state();
    assert.deepEqual(
      libraries.map(({ id }) => id),
      ['kiln@1.5.0'],
    );
    assert.deepEqual(groups, [{ name: 'k', members: ['kiln@1.5.0'] }]);
    await until(desk, () => world.vault.files.size === 2); // it, and the table
    await desk.close();
  });

  it('A new version that fails leaves the old as it was', async () => {
    const desk = deskOver(freshWorld());
    const [newest, old] = await offer(desk, [
      { library: 'kiln', version: '1.5.0', bytes: bundles.kiln15, hash: sha256('x') },
      { library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 },
    ]);
    await desk.install(old);
    await until(desk, (state) => state.libraries.length === 1);
    await desk.install(newest, 'kiln@1.4.0');
    const { libraries } = await until(desk, (state) => state.downloads[0]?.status === 'failed');
    assert.deepEqual(
      libraries.map(({ id }) => id),
      ['kiln@1.4.0'],
    );
    assert.ok((await desk.search('batches')).hits.length > 0);
    await desk.close();
  });

  it('A new version can stand beside the old, searched as one list', async () => {
    const desk = deskOver(freshWorld());
    for (const each of await offer(desk, [
      { library: 'kiln', version: '1.5.0', bytes: bundles.kiln15 },
      { library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 },
    ]))
      await desk.install(each);
    await until(desk, (state) => state.libraries.length === 2);
    const ids = async (query, scope) => [...new Set((await desk.search(query, {}, scope)).hits.map(({ id }) => id))].sort();
    assert.deepEqual(await ids('batches', ''), ['kiln@1.5.0']);
    assert.deepEqual(await ids('batches', 'kiln@*'), ['kiln@1.4.0', 'kiln@1.5.0']);
    assert.deepEqual(await ids('kiln@1.4.0: batches', ''), ['kiln@1.4.0']);
    const { hits } = await desk.search('kiln@*: batches');
    assert.deepEqual([...new Set(hits.map(({ label }) => label))].sort(), ['1.4.0', '1.5.0']);
    assert.ok(hits.every(({ score }, i) => i === 0 || score <= hits[i - 1].score));
    await desk.close();
  });
});

describe('the pages of a library', () => {
  it('The pages of a library are listed with their folders, those to begin with first, some hundreds at a time', async () => {
    const desk = deskOver(freshWorld());
    const given = [
      { library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 },
      { library: 'large', version: '1.0', bytes: bundles.large },
    ];
    for (const each of await offer(desk, given)) await desk.install(each);
    await until(desk, (state) => state.libraries.length === 2);
    const kiln = await desk.contents('kiln@1.4.0', 0);
    assert.equal(kiln.pages.length, kiln.total);
    assert.ok(kiln.pages.some(({ folder }) => folder === 'guide') && kiln.pages.some(({ folder }) => folder === ''));
    assert.ok(kiln.first.length > 0);
    for (const { page, title } of kiln.first) assert.equal((await desk.page('kiln@1.4.0', page)).page.title, title);
    const one = await desk.contents('large@1.0', 0);
    const two = await desk.contents('large@1.0', one.pages.length);
    assert.ok(one.total >= 700 && one.pages.length === 300 && two.pages.length === 300 && two.first.length === 0);
    assert.deepEqual(
      [...one.pages, ...two.pages].map(({ page }) => page),
      Array.from({ length: 600 }, (_, i) => i),
    );
    assert.deepEqual((await desk.contents('large@1.0', 5000)).pages, []);
    await assert.rejects(desk.contents('other@1', 0), { code: 'NOT_FOUND' });
    await desk.close();
  });
});

describe('a library that goes by the name of another', () => {
  /** The signed one of a catalogue, and what a site or a file says that it is, too. */
  async function withSigned(world, own = {}) {
    const desk = deskOver(world);
    const folder = join(root, `namesake-${names++}`);
    mkdirSync(folder);
    await serveSigned(server, [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 }], { key: generateKey(), folder });
    const [signed] = (await desk.addCatalogue(server.origin)).offers;
    await desk.install(signed);
    await until(desk, (state) => state.libraries.length === 1);
    server.serve('/docs/kiln.sheaf', bundles.namesake);
    server.serve('/docs/new.sheaf', bundles.kiln999);
    const list = (src) => JSON.stringify({ sites: [{ src, ...own }] });
    const offered = (src) => readSiteList(list(src), `${server.origin}/docs/sheaf/site.json`, 'Kiln')[0];
    return { desk, signed, namesake: offered('../kiln.sheaf'), newer: offered('../new.sheaf') };
  }
  let names = 0;
  const asked = ({ downloads }) => downloads[0]?.status === 'asking';
  const hashes = async (desk) => (await desk.state()).libraries.map(({ hash }) => hash);

  it("A library with another's name replaces it only after a consent that shows both", async () => {
    const world = freshWorld();
    const { desk, signed, namesake } = await withSigned(world);
    const id = await desk.install(namesake);
    const { downloads } = await until(desk, asked);
    const { comes, goes } = downloads[0].question;
    const facts = ({ library, version, origin }) => [library, version, origin.list];
    assert.deepEqual(facts(comes), ['kiln', '1.4.0', `${server.origin}/docs/sheaf/site.json`]);
    assert.deepEqual(goes.map(facts), [['kiln', '1.4.0', signed.origin.list]]);
    assert.deepEqual(await hashes(desk), [sha256(bundles.kiln14)], 'nothing was replaced');
    assert.equal((await desk.search('batches')).hits[0].id, 'kiln@1.4.0');

    await desk.resume(id);
    assert.ok(asked(await desk.state()), 'nothing but an answer ends the question');
    await desk.cancel(id);
    assert.deepEqual([await hashes(desk), (await desk.state()).downloads], [[sha256(bundles.kiln14)], []]);
    assert.equal(world.vault.files.size, 2, 'the library and the table');

    await desk.install(namesake);
    const again = await until(desk, asked);
    await desk.replace(again.downloads[0].id);
    assert.deepEqual([await hashes(desk), (await desk.state()).downloads], [[sha256(bundles.namesake)], []]);
    await desk.close();
  });

  it("A library with another's name asks again after a restart, and for libraries installed since", async () => {
    const world = freshWorld();
    const { desk, namesake } = await withSigned(world);
    await desk.install(namesake);
    await until(desk, asked);
    await desk.close();
    const later = deskOver(world);
    const { downloads } = await until(later, asked);
    await later.remove('kiln@1.4.0');
    world.vault.files.set('drop-3', new Uint8Array(bundles.kiln14));
    await later.adopt('drop-3', 'kiln.sheaf');
    await later.replace(downloads[0].id);
    assert.ok(asked(await later.state()), 'the reader agreed to replace the signed one, not the file');
    assert.deepEqual(await hashes(later), [sha256(bundles.kiln14)]);
    await later.close();
  });

  it("A library with another's name asks for a dropped file, too", async () => {
    const world = freshWorld();
    const { desk } = await withSigned(world);
    world.vault.files.set('drop-1', new Uint8Array(bundles.namesake));
    assert.equal(await desk.adopt('drop-1', 'kiln.sheaf'), undefined);
    const { downloads } = await desk.state();
    assert.deepEqual([downloads[0].status, downloads[0].question.comes.origin.kind], ['asking', 'file']);
    assert.deepEqual(await hashes(desk), [sha256(bundles.kiln14)]);
    await desk.replace(downloads[0].id);
    assert.deepEqual(await hashes(desk), [sha256(bundles.namesake)]);
    world.vault.files.set('drop-2', new Uint8Array(bundles.kiln14));
    assert.equal((await desk.adopt('drop-2', 'kiln.sheaf')).hash, sha256(bundles.kiln14), 'a file replaces a file');
    await desk.close();
  });

  it("A library with another's name and a higher version stands beside it, without sole scope", async () => {
    const { desk, newer } = await withSigned(freshWorld());
    await desk.install(newer);
    const { libraries } = await until(desk, (state) => state.libraries.length === 2);
    assert.deepEqual(
      libraries.map(({ id }) => id),
      ['kiln@1.4.0', 'kiln@999'],
    );
    for (const [query, scope] of [
      ['batches', ''],
      ['batches', 'kiln'],
      ['kiln: batches', ''],
    ]) {
      const { hits } = await desk.search(query, {}, scope);
      assert.deepEqual([...new Set(hits.map(({ id }) => id))].sort(), ['kiln@1.4.0', 'kiln@999'], `${query} in ${scope}`);
      assert.ok(hits.every(({ label }) => label.includes(new URL(server.origin).host)));
    }
    await desk.close();
  });
});

describe('an encoder table', () => {
  /** A table of invented vectors. */
  async function table(space, dimensions = 16) {
    const folder = join(root, `table-${space}-${dimensions}`);
    mkdirSync(folder, { recursive: true });
    const words = ['fire', 'kiln', 'pots', 'table', '##s'];
    writeFileSync(join(folder, 'table.json'), JSON.stringify({ space, dimensions, manifest: {} }));
    writeFileSync(join(folder, 'words.txt'), `${words.join('\n')}\n`);
    writeFileSync(
      join(folder, 'rows.f32'),
      Float32Array.from({ length: words.length * dimensions }, (_, i) => Math.sin(i + 1)),
    );
    const file = `${folder}.sheaf`;
    execFileSync(await requirePacker(), ['table', folder, file], { stdio: 'pipe' });
    return file;
  }
  const pack = async (library, file) => readFileSync(await packFixture(join(root, `${library}-toy.sheaf`), { library, table: file }));
  /** Serves a catalogue below `/name/`, whose bundles are of the space `toy`. */
  async function toy(desk, name, libraries, entry) {
    for (const [library, bytes] of Object.entries(libraries)) server.serve(`/${name}/${library}.sheaf`, bytes);
    const listed = Object.entries(libraries).map(([library, bytes]) => ({ library, version: '1.4.0', bytes, path: `${library}.sheaf` }));
    const catalogue = catalogueOf(listed, { tables: [{ space: 'toy', address: 'toy.table', ...entry }] });
    server.serve(`/${name}/catalogue.json`, catalogue.replaceAll('minilm-l6-256', 'toy'));
    return (await desk.addCatalogue(`${server.origin}/${name}/`, true)).offers;
  }
  const tablesOf = ({ vault }) => [...vault.files.keys()].filter((name) => name.endsWith('.table'));

  it('An encoder table is kept only when it opens for its library', async () => {
    const good = await table('toy');
    const cases = {
      'no table': bundles.kiln14,
      'another space': readFileSync(await table('other')),
      'other dimensions': readFileSync(await table('toy', 32)),
      'not the file that was named': [readFileSync(good), { sha256: sha256('another') }],
      nothing: Buffer.from('<!doctype html>'),
    };
    for (const [name, given] of Object.entries(cases)) {
      const [bytes, entry] = [given].flat();
      const world = freshWorld();
      const desk = deskOver(world);
      const [oven] = await toy(desk, 'liar', { oven: await pack('oven', good) }, entry);
      server.serve('/liar/toy.table', bytes);
      await desk.install(oven);
      await until(desk, (state) => state.libraries.length === 1);
      assert.deepEqual([world.ledger.tables, tablesOf(world)], [[], []], name);
      assert.ok((await desk.search('batches')).hits.length > 0, `${name}: searched by words`);
      await desk.close();
    }
  });

  it('An encoder table serves its own publisher, and goes with its last library', async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    const file = await table('toy');
    const [oven, kettle, honest] = await Promise.all(['oven', 'kettle', 'honest'].map((name) => pack(name, file)));
    const own = await toy(desk, 'one', { oven, kettle });
    server.serve('/one/toy.table', readFileSync(file));
    for (const each of own) await desk.install(each);
    await until(desk, (state) => state.libraries.length === 2);
    assert.equal(tablesOf(world).length, 1, 'one for both');
    for (const each of await toy(desk, 'two', { honest })) await desk.install(each); // its own table is not there
    await until(desk, (state) => state.libraries.length === 3);
    assert.equal(tablesOf(world).length, 1);
    const meaning = async (scope) => (await desk.search('fire pots', {}, scope)).usedSemantic;
    assert.deepEqual([await meaning('oven'), await meaning('kettle'), await meaning('honest')], [true, true, false]);
    await desk.remove('oven@1.4.0');
    assert.equal(await meaning('kettle'), true);
    await desk.remove('kettle@1.4.0');
    assert.deepEqual([world.ledger.tables, tablesOf(world)], [[], []]);
    assert.ok((await desk.search('batches')).hits.length > 0);
    await desk.close();
  });

  it("The extension's own encoder table goes with the last library, too", async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    const [kiln] = await offer(desk, [{ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 }]);
    await desk.install(kiln);
    await until(desk, (state) => state.libraries.length === 1);
    await desk.remove('kiln@1.4.0');
    assert.deepEqual([world.ledger.tables, await world.vault.names()], [[], []]);
    await desk.close();
  });
});

describe('what the browser deletes', () => {
  it('Files deleted by the browser are noticed, reported, and repaired by one call', async () => {
    const world = freshWorld();
    let desk = deskOver(world);
    const [kiln, many] = await offer(desk, [
      { library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 },
      { library: 'many', version: '1.0', bytes: bundles.many },
    ]);
    await desk.install(kiln);
    await desk.install(many);
    await until(desk, (state) => state.libraries.length === 2);
    await desk.close();
    world.vault.files.clear();
    desk = deskOver(world);
    assert.deepEqual(
      (await desk.state()).libraries.map(({ missing }) => missing),
      [true, true],
    );
    const { hits, failures } = await desk.search('batches');
    assert.deepEqual([hits, failures.map(({ trouble }) => trouble.code)], [[], ['MISSING', 'MISSING']]);
    await assert.rejects(desk.page('kiln@1.4.0', 0), { code: 'MISSING' });
    assert.deepEqual(await desk.mend(), { begun: 2, files: [] });
    await until(desk, ({ libraries, downloads }) => downloads.length === 0 && libraries.every(({ missing }) => !missing));
    const answer = await desk.search('batches');
    assert.ok(answer.hits.length > 0 && answer.usedSemantic, 'the table came back too');
    await desk.close();
  });
});

describe('the start', () => {
  it("The extension's start removes files without an owner", async () => {
    const world = freshWorld();
    world.vault.files.set('left.sheaf', new Uint8Array(5));
    const desk = deskOver(world);
    await desk.state();
    assert.deepEqual(await world.vault.names(), []);
    await desk.close();
  });
});

describe('a file that is given', () => {
  it('A given file becomes a library, or is refused with a reason and removed', async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    await desk.state();
    world.vault.files.set('drop-1', new Uint8Array(bundles.kiln14));
    assert.equal((await desk.adopt('drop-1', 'kiln.sheaf')).id, 'kiln@1.4.0');
    world.vault.files.set('drop-2', new Uint8Array(Buffer.from('nothing of the kind'.repeat(10))));
    await assert.rejects(desk.adopt('drop-2', 'x'), { code: 'NOT_A_BUNDLE' });
    assert.ok(!world.vault.files.has('drop-2'));
    await assert.rejects(desk.adopt('../ledger', 'x'), { code: 'INVALID_ARGUMENT' });
    assert.deepEqual(await desk.mend(), { begun: 0, files: [] });
    await desk.close();
  });
});

describe('a catalogue with a head', () => {
  const key = generateKey();
  let count = 0;
  const place = () => {
    const folder = join(root, `signed-${count++}`);
    mkdirSync(folder);
    return folder;
  };
  const kiln = () => ({ library: 'kiln', version: '1.4.0', bytes: bundles.kiln14 });

  it('A signed catalogue with a head is added, and installs', async () => {
    const desk = deskOver(freshWorld());
    await serveSigned(server, [kiln()], { key, folder: place() });
    const { title, offers, pin } = await desk.addCatalogue(server.origin);
    assert.deepEqual([title, offers.length, pin.key], ['Signed', 1, publicOf(key).text]);
    await desk.install(offers[0]);
    const { libraries } = await until(desk, (state) => state.libraries.length === 1);
    assert.equal(libraries[0].hash, sha256(bundles.kiln14));
    await desk.close();
  });

  it('A catalogue without a head is taken on request alone, and no catalogue comes by plain http from another machine', async () => {
    const asked = [];
    const text = catalogueOf([kiln()]);
    const fetched = async (address) => (asked.push(String(address)), new Response(text));
    const desk = deskOver(freshWorld(), { fetch: fetched });
    await assert.rejects(desk.addCatalogue('http://host.example/', true), { code: 'INSECURE' });
    assert.deepEqual(asked, []);
    await assert.rejects(desk.addCatalogue('https://host.example/'), { code: 'UNSIGNED' });
    assert.equal((await desk.addCatalogue('https://host.example/', true)).offers.length, 1);
    assert.equal((await desk.addCatalogue('https://host.example/')).offers.length, 1, 'it is read again as it was taken');
    await desk.close();
  });

  it('An unsigned, changed, mixed, older or expired catalogue is refused whole, by name', async () => {
    const world = freshWorld();
    const desk = deskOver(world);
    const refused = (code) => assert.rejects(desk.addCatalogue(server.origin), { code });
    const folder = place();
    const files = await serveSigned(server, [kiln()], { key, folder });
    const put = (path, bytes) => server.serve(path, bytes);
    server.files.delete('/catalogue.json.minisig');
    await refused('UNSIGNED');
    assert.equal((await desk.addCatalogue(server.origin, true)).pin.key, '', 'unless it is asked for');
    await desk.removeCatalogue(`${server.origin}/catalogue.json`);
    put('/catalogue.json.minisig', files.get('/catalogue.json.minisig'));
    await desk.addCatalogue(server.origin);
    const before = structuredClone(world.ledger.catalogues);

    put('/catalogue.json', Buffer.from(files.get('/catalogue.json').toString().replace('Signed', 'Sighed')));
    await refused('BAD_SIGNATURE');
    put('/catalogue.json', files.get('/catalogue.json'));
    const [shard] = [...files.keys()].filter((path) => path.startsWith('/shards/'));
    put(shard, Buffer.from(files.get(shard).toString().replace('About', 'Above')));
    await refused('TAMPERED');
    put(shard, files.get(shard));
    await serveSigned(server, [kiln()], { key: generateKey(), folder: place() });
    await refused('WRONG_KEY');
    await serveSigned(server, [kiln()], { key, folder: place() });
    await refused('OTHER_CATALOGUE');
    await serveSigned(server, [kiln(), { ...kiln(), version: '2' }], { key, folder });
    await desk.addCatalogue(server.origin);
    for (const [path, bytes] of files) put(path, bytes);
    await refused('ROLLBACK');
    put('/catalogue.json', catalogueOf([kiln()]));
    await refused('ROLLBACK');
    assert.equal(world.ledger.catalogues[0].pin.id, before[0].pin.id);
    await desk.close();

    await serveSigned(server, [kiln()], { key, folder: place() });
    let days = 11;
    const late = deskOver(freshWorld(), { now: () => Date.now() + days * 24 * 3600 * 1000 });
    await assert.rejects(late.addCatalogue(server.origin), { code: 'EXPIRED' });
    days = 0;
    const [offer] = (await late.addCatalogue(server.origin)).offers;
    days = 11;
    await assert.rejects(late.install(offer), { code: 'EXPIRED' }, 'what was listed before counts no longer');
    await late.close();
  });

  it('A slower reading neither restores nor resets a catalogue', async () => {
    const world = freshWorld();
    let gate;
    let began;
    const slowly = async (url, ...more) => {
      const response = await fetch(url, ...more);
      if (gate !== undefined && String(url).includes('/shards/')) {
        const waiting = gate;
        gate = undefined; // the first one waits
        began();
        await waiting;
      }
      return response;
    };
    const desk = deskOver(world, { fetch: slowly });
    const folder = place();
    const address = `${server.origin}/catalogue.json`;
    const meanwhile = async (slow, work) => {
      let go;
      const reached = new Promise((resolve) => (began = resolve));
      gate = new Promise((resolve) => (go = resolve));
      const reading = slow();
      await reached;
      await work();
      go();
      return reading;
    };
    const serial = () => world.ledger.catalogues[0].pin.serial;
    await serveSigned(server, [kiln()], { key, folder });
    await desk.addCatalogue(server.origin);
    for (const [i, slow] of [() => desk.addCatalogue(server.origin), () => desk.findOffers(address, 'kiln')].entries()) {
      await serveSigned(server, [{ ...kiln(), version: `2.${i}` }], { key, folder });
      await meanwhile(slow, async () => {
        await serveSigned(server, [{ ...kiln(), version: `3.${i}` }], { key, folder });
        await desk.addCatalogue(server.origin);
      });
      assert.equal(world.ledger.catalogues[0].offers[0].version, `3.${i}`);
      assert.equal(serial(), JSON.parse(server.files.get('/catalogue.json').bytes).serial);
    }
    await assert.rejects(
      meanwhile(
        () => desk.addCatalogue(server.origin),
        () => desk.removeCatalogue(address),
      ),
      { code: 'ABORTED' },
    );
    assert.deepEqual(world.ledger.catalogues, []);
    await desk.close();
  });

  it("A catalogue's newest head vouches for its libraries, its older list no longer", async () => {
    const world = freshWorld();
    let days = 0;
    const now = () => Date.now() + days * 24 * 3600 * 1000;
    const desk = deskOver(world, { now });
    const folder = place();
    await serveSigned(server, [kiln()], { key, folder });
    const [listed] = (await desk.addCatalogue(server.origin)).offers;
    await serveSigned(server, [kiln(), { library: 'many', version: '1.0', bytes: bundles.many }], {
      ...{ key, folder, expiresInDays: 30 },
    });
    days = 11;
    const [found] = await desk.findOffers(`${server.origin}/catalogue.json`, 'many');
    await assert.rejects(desk.install(listed), { code: 'EXPIRED' });
    await desk.install(found);
    await until(desk, (state) => state.libraries.length === 1);
    await desk.close();
  });

  it('A catalogue of thousands is searched by name and purpose, with kilobytes read', async () => {
    const pages = place();
    const about = (i) => ({ library: `library-${i}`, description: `${'Does something else altogether. '.repeat(9)}${i}` });
    const others = Array.from({ length: 3000 }, (_, i) => ({ ...kiln(), ...about(i) }));
    const http = { ...kiln(), library: 'wire', description: 'An HTTP client that fetches pages over the network.' };
    for (const { library, description } of [...others.slice(0, 50), http])
      writeFileSync(join(pages, `${library}.md`), `# ${library}\n\n${description}\n`);
    const index = readFileSync(await packFixture(join(root, 'index.sheaf'), { docs: pages, library: 'libraries', version: 'latest' }));
    await serveSigned(server, [...others, http, kiln()], { key, folder: place(), index });
    const desk = deskOver(freshWorld());
    const address = `${server.origin}/catalogue.json`;
    const bytesOf = () => server.requests.reduce((sum, { path }) => sum + server.files.get(path).bytes.length, 0);
    const record = await desk.addCatalogue(server.origin);
    assert.deepEqual([record.size, record.offers], [3002, []]);
    assert.ok(bytesOf() < 64 * 1024, `${bytesOf()} bytes to add it`);
    assert.equal((await desk.findOffers(address, 'library-2999'))[0].library, 'library-2999');
    const found = await desk.findOffers(address, 'http client');
    assert.equal(found[0].library, 'wire');
    await desk.install((await desk.findOffers(address, 'kiln'))[0]);
    await until(desk, (state) => state.libraries.length === 1);
    assert.deepEqual(
      (await desk.addCatalogue(server.origin)).offers.map(({ library }) => library),
      ['kiln'],
      'what is installed is followed',
    );
    await desk.close();
  });
});
