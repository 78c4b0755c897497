/** Pieces: what `sheaf site` writes for hosts that serve no ranges, and how the client gets from any host the same answers. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FetchSource } from '../../dist/browser/client/fetch_source.js';
import { loadCore } from '../../dist/browser/client/load.js';
import { open } from '../../dist/node/client/node.js';
import { openRemote } from '../../dist/browser/client/remote.js';
import { serve } from '../../dist/browser/client/serve.js';
import { deploy } from '../../dist/node/site/deploy.js';
import { cutsOf, pieceFiles } from '../../dist/node/site/pieces.js';
import { HOSTS, serveLike } from '../hosts/simulated.mjs';
import { manyPages, packFixture, TABLE, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('no-ranges');
const site = join(root, 'site');
const CORE = readFileSync(new URL('../../dist/browser/core/sheaf-core.wasm', import.meta.url));
const QUERY = 'firing the kiln too fast';
let bundle;
let names;
let answers;
let host;

const options = { lazy: true };
const deferred = () => {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
};
const idsOf = ({ hits }) => hits.map(({ passage, url, title }) => [passage, url, title]);

before(async () => {
  mkdirSync(site);
  bundle = await packFixture(join(root, 'kiln.sheaf'), { docs: manyPages(join(root, 'docs'), 700), options: ['--level', '3'] });
  await deploy({ site, bundles: [{ file: bundle }], table: TABLE, pieces: 'beside' });
  const files = readdirSync(join(site, 'sheaf'));
  const found = (begin) => files.find((name) => name.startsWith(begin) && name.endsWith('.sheaf'));
  names = { bundle: `/sheaf/${found('site-')}`, table: `/sheaf/${found('minilm')}` };
  answers = {};
  for (const mode of ['keyword', 'hybrid']) {
    const library = await open(new FetchSource((host = await serveLike('good', site)).origin + names.bundle), {
      encoder: new FetchSource(host.origin + names.table),
      ...options,
    });
    answers[mode] = idsOf(await library.search(QUERY, { mode }));
    await library.close();
    await host.close();
  }
  host = undefined;
});
afterEach(async () => {
  await host?.close();
  host = undefined;
});
after(() => rmSync(root, { recursive: true, force: true }));

async function ask(mode, { suffix = '' } = {}) {
  const table = new FetchSource(host.origin + names.table + suffix, { first: 16 * 1024 });
  const library = await open(new FetchSource(host.origin + names.bundle + suffix), {
    encoder: mode === 'keyword' ? false : table,
    ...options,
  });
  try {
    return idsOf(await library.search(QUERY, { mode }));
  } finally {
    await library.close();
  }
}

/** A site with pieces alone. */
async function onlyPieces() {
  const only = join(root, 'only');
  mkdirSync(only, { recursive: true });
  await deploy({ site: only, bundles: [{ file: bundle }], table: TABLE, pieces: 'only' });
  assert.deepEqual(
    readdirSync(join(only, 'sheaf')).filter((name) => name.endsWith('.sheaf')),
    [],
  );
  assert.match(readFileSync(join(only, 'sheaf', 'sheaf.js'), 'utf8'), /site-[0-9a-f]{12}\.sheaf#pieces/);
  return only;
}

const inPieces = () => host.requests.filter(({ path }) => path.includes('.pieces/'));

describe('a host', () => {
  for (const [name, { like }] of Object.entries(HOSTS)) {
    for (const mode of ['keyword', 'hybrid']) {
      it(`A host that answers ranges ${name} (${like}) gives the same answers by ${mode}`, async () => {
        host = await serveLike(name, site);
        assert.deepEqual(await ask(mode), answers[mode]);
        const hasRanges = name === 'good' || (name === 'of other files' && mode === 'keyword');
        assert.equal(inPieces().length > 0, !hasRanges);
        for (const { path, status } of host.requests) assert.ok(status < 400, `${path} ${status}`);
      });
    }
  }

  it('A host with ranges gets no request for pieces, and none in excess', async () => {
    host = await serveLike('good', site);
    await ask('hybrid');
    const asked = host.requests.length;
    assert.deepEqual(inPieces(), []);
    await host.close();
    const bare = join(root, 'bare');
    await deploy({ site: (mkdirSync(bare), bare), bundles: [{ file: bundle }], table: TABLE });
    host = await serveLike('good', bare);
    await ask('hybrid');
    assert.equal(host.requests.length, asked);
  });

  it('A host that compresses whole files gives the same answers, pieces too', async () => {
    host = await serveLike('whole', site, { encode: true });
    assert.deepEqual(await ask('hybrid'), answers.hybrid);
  });

  for (const name of Object.keys(HOSTS)) {
    for (const mode of ['keyword', 'hybrid']) {
      it(`A host that answers ranges ${name} gives the same answers from pieces alone by ${mode}`, async () => {
        host = await serveLike(name, await onlyPieces());
        assert.deepEqual(await ask(mode, { suffix: '#pieces' }), answers[mode]);
        assert.equal(inPieces().length, host.requests.length);
        for (const { path, status } of host.requests) assert.ok(status < 400, `${path} ${status}`);
        if (name !== 'whole') return;
        const asked = host.requests.map(({ path }) => path);
        assert.deepEqual(asked, [...new Set(asked)], 'what came whole is not asked for again');
      });
    }
  }

  it('A host with ranges sends of pieces what it would send of the file', async () => {
    const moved = async (suffix, folder) => {
      host = await serveLike('good', folder);
      await ask('hybrid', { suffix });
      const { requests } = host;
      await host.close();
      return { count: requests.length, sent: requests.reduce((sum, { sent }) => sum + sent, 0) };
    };
    const [file, pieces] = [await moved('', site), await moved('#pieces', await onlyPieces())];
    assert.ok(pieces.sent < file.sent * 1.1, `${pieces.sent} bytes of pieces, ${file.sent} of the files`);
    assert.ok(pieces.count <= file.count * 1.5, `${pieces.count} requests of pieces, ${file.count} of the files`);
  });

  it('A host whose ranges of pieces are damaged is read in whole ones', async () => {
    host = await serveLike('damaged', await onlyPieces());
    const source = new FetchSource(`${host.origin + names.bundle}#pieces`, { first: 1024 });
    const library = await open(source, { encoder: false, ...options });
    assert.deepEqual(idsOf(await library.search(QUERY, { mode: 'keyword' })), answers.keyword);
    await library.close();
    assert.ok(inPieces().some(({ status }) => status === 206));
  });

  for (const absent of [404, 200]) {
    it(`A host without ranges and pieces (which it answers with ${absent}) sends the whole file`, async () => {
      const bare = join(root, `bare-${absent}`);
      mkdirSync(bare);
      await deploy({ site: bare, bundles: [{ file: bundle }], table: TABLE });
      host = await serveLike('whole', bare, { absent });
      assert.deepEqual(await ask('keyword'), answers.keyword);
      assert.equal(inPieces().length, 1);
    });
  }

  it('A host that stops serving ranges midway is read in pieces from then on', async () => {
    host = await serveLike('good', site);
    const { origin } = host;
    // The same address throughout, wherever it is answered from.
    const moved = (url, init) => fetch(String(url).replace(origin, host.origin), init);
    const source = new FetchSource(origin + names.bundle, { fetch: moved });
    await source.size();
    assert.equal(host.requests.at(-1).status, 206);
    await host.close();
    host = await serveLike('whole', site);
    assert.deepEqual(Buffer.from(await source.read(100_000, 5000)), readFileSync(bundle).subarray(100_000, 105_000));
    assert.equal(source.rangesIgnored, false);
    assert.deepEqual(Buffer.from(await source.readAll()), readFileSync(bundle));
    assert.equal(host.requests.filter(({ path }) => path.endsWith('.sheaf')).length, 1);
  });

  it('A host is asked once for a piece that several reads need', async () => {
    host = await serveLike('whole', site);
    const source = new FetchSource(host.origin + names.bundle);
    await source.size();
    await Promise.all([source.read(200_000, 10), source.read(200_020, 10), source.read(200_000, 30)]);
    const asked = inPieces().map(({ path }) => path);
    assert.deepEqual(asked, [...new Set(asked)]);
  });

  it("A host's short or missing piece is reported, not believed", async () => {
    const spoilt = join(root, 'spoilt');
    mkdirSync(spoilt);
    await deploy({ site: spoilt, bundles: [{ file: bundle }], table: TABLE, pieces: 'beside' });
    const folder = join(spoilt, names.bundle.replace(/\.sheaf$/, '.pieces'));
    const source = async () => {
      host ??= await serveLike('whole', spoilt);
      return new FetchSource(host.origin + names.bundle);
    };
    writeFileSync(join(folder, '9.bin'), readFileSync(join(folder, '9.bin')).subarray(0, 100));
    await assert.rejects((await source()).readAll(), { code: 'SOURCE_CHANGED', message: /9\.bin .* has 100 bytes instead of \d+/ });
    rmSync(join(folder, '9.bin'));
    await assert.rejects((await source()).readAll(), { code: 'SOURCE_CHANGED', message: /9\.bin .* it is gone/ });
  });

  it('A host without one of its pieces sends the whole file instead, once', async () => {
    const holed = join(root, 'holed');
    mkdirSync(holed);
    await deploy({ site: holed, bundles: [{ file: bundle }], table: TABLE, pieces: 'beside' });
    const folder = join(holed, names.bundle.replace(/\.sheaf$/, '.pieces'));
    for (const name of readdirSync(folder)) if (name !== '0.bin') rmSync(join(folder, name));
    host = await serveLike('whole', holed);
    assert.deepEqual(await ask('keyword'), answers.keyword);
    const asked = host.requests.filter(({ path }) => path.endsWith('.sheaf'));
    assert.equal(asked.length, 2, 'the try for a range, and the file');
  });

  it('A host that stops serving ranges during several requests sends no file twice', async () => {
    for (const isBare of [false, true]) {
      const folder = join(root, `several-${isBare}`);
      mkdirSync(folder);
      await deploy({ site: folder, bundles: [{ file: bundle }], table: undefined, pieces: isBare ? 'none' : 'beside' });
      host = await serveLike('good', folder);
      const { origin } = host;
      const waiting = [];
      let whole = 0;
      // Answers leave one after the other, the later ones once the first has been understood.
      const moved = async (url, init) => {
        const range = new Headers(init?.headers).get('range');
        const answer = await fetch(String(url).replace(origin, host.origin), init);
        if (!String(url).endsWith('.sheaf') || waiting.isOpen !== true) return answer;
        if (range !== null) await new Promise((go) => setTimeout(go, 150 * waiting.push(range)));
        return new Response(answer.body.pipeThrough(new TransformStream({ flush: () => void whole++ })), answer);
      };
      const source = new FetchSource(origin + names.bundle, { fetch: moved });
      await source.size();
      await host.close();
      host = await serveLike('whole', folder);
      waiting.isOpen = true;
      const bytes = readFileSync(bundle);
      const parts = [100_000, 200_000, 300_000, 400_000];
      const read = await Promise.all(parts.map((at) => source.read(at, 5000)));
      parts.forEach((at, i) => assert.deepEqual(Buffer.from(read[i]), bytes.subarray(at, at + 5000)));
      assert.equal(waiting.length, 4);
      assert.equal(whole, isBare ? 1 : 0);
      await host.close();
    }
  });

  it('A host without ranges for the bundle gets no range request for the table', async () => {
    host = await serveLike('whole', site);
    await new FetchSource(host.origin + names.bundle).size();
    await new FetchSource(host.origin + names.table).size();
    assert.deepEqual(
      host.requests.filter(({ path }) => path.endsWith('.sheaf')).map(({ path }) => path),
      [names.bundle],
    );
  });

  /** Opens both as a page does, in a worker whose core is there once `core` is. */
  async function openInWorker(core) {
    const { port1, port2 } = new MessageChannel();
    const close = () => [port1, port2].forEach((port) => port.close());
    port1.start();
    port2.start();
    serve(port2, async () => (await core, loadCore(CORE)));
    return openRemote(port1, close, new URL(host.origin + names.bundle), { encoder: new URL(host.origin + names.table), ...options });
  }
  const until = async (found) => {
    for (let i = 0; i < 400 && !found(); i++) await sleep(10);
    assert.ok(found());
  };
  const tried = (name) => host.requests.filter(({ path }) => path === names[name]).length;

  it('A host without ranges is tried with one of two files opened together', async () => {
    host = await serveLike('whole', site);
    const core = deferred();
    const opening = openInWorker(core.promise);
    await until(() => inPieces().some(({ path }) => path.startsWith(names.table.replace(/sheaf$/, 'pieces'))));
    core.resolve();
    const library = await opening;
    assert.deepEqual(idsOf(await library.search(QUERY)), answers.hybrid);
    await library.close();
    assert.deepEqual([tried('bundle'), tried('table')], [1, 0]);
  });

  it("A host with ranges sends both files' beginnings early, without waiting", async () => {
    host = await serveLike('good', site);
    const core = deferred();
    const opening = openInWorker(core.promise);
    await until(() => tried('table') === 1);
    core.resolve();
    await (await opening).close();
    await host.close();
    host = await serveLike('good', site, { hold: (path) => path === names.bundle && until(() => tried('table') === 1) });
    await (await openInWorker(undefined)).close(); // the core is there at once
    assert.ok(tried('table') >= 1);
  });

  it('A host without the file, but with its pieces, is read by them', async () => {
    const left = join(root, 'left');
    mkdirSync(left);
    await deploy({ site: left, bundles: [{ file: bundle }], table: TABLE, pieces: 'only' });
    host = await serveLike('good', left);
    assert.deepEqual(await ask('keyword'), answers.keyword, 'as a page asks that was opened before');
  });

  it('A host is followed through a deploy, from old pages and from lagging files', async () => {
    const places = ['before', 'behind'].map((name) => join(root, name));
    const other = await packFixture(join(root, 'other.sheaf'), {
      docs: manyPages(join(root, 'docs-other'), 690),
      options: ['--level', '3'],
    });
    const bundleOf = (folder) => readdirSync(join(folder, 'sheaf')).find((name) => /^site-.*sheaf$/.test(name));
    for (const [i, folder] of places.entries()) {
      mkdirSync(folder);
      await deploy({ site: folder, bundles: [{ file: [other, bundle][i] }], table: undefined, pieces: 'beside' });
    }
    for (const [serving, page] of [places, [...places].reverse()]) {
      host = await serveLike('whole', serving);
      const source = new FetchSource(`${host.origin}/sheaf/${bundleOf(page)}`);
      assert.deepEqual(Buffer.from(await source.read(0, 5000)), readFileSync(join(serving, 'sheaf', bundleOf(serving))).subarray(0, 5000));
      assert.ok(source.key.endsWith(bundleOf(serving)));
      assert.deepEqual(inPieces().filter(({ status }) => status === 200).length > 0, true, 'in pieces still');
      await host.close();
    }
  });

  it('A host whose list of pieces does not add up sends the whole file', async () => {
    const wrong = join(root, 'wrong-list');
    mkdirSync(wrong);
    await deploy({ site: wrong, bundles: [{ file: bundle }], table: TABLE, pieces: 'beside' });
    const file = join(wrong, names.bundle.replace(/\.sheaf$/, '.pieces'), '0.bin');
    const right = readFileSync(file);
    const last = 4 * right.readUInt32LE(0);
    for (const value of [0, 7, 2 ** 32 - 1]) {
      const bytes = Buffer.from(right);
      bytes.writeUInt32LE(value, last);
      writeFileSync(file, bytes);
      host = await serveLike('whole', wrong);
      assert.deepEqual(await ask('keyword'), answers.keyword);
      assert.equal(inPieces().length, 1);
      await host.close();
    }
  });

  it('A host sends a small part of the data for a question', async () => {
    host = await serveLike('whole', site);
    await ask('hybrid');
    const bytes = inPieces().reduce((sum, { sent }) => sum + sent, 0);
    assert.ok(bytes < 500_000, `${bytes} bytes`);
  });
});

describe('pieces', () => {
  it('Pieces are the file, in order, cut between its records', () => {
    for (const file of [bundle, TABLE]) {
      const bytes = readFileSync(file);
      const cuts = cutsOf(bytes);
      assert.ok(cuts.length > 20);
      const files = [...pieceFiles(bytes)];
      assert.deepEqual(
        files.map(([name]) => name),
        cuts.map((_, i) => `${i}.bin`),
      );
      const joined = Buffer.concat(files.map(([, content], i) => (i === 0 ? content.subarray(4 + 4 * cuts.length) : content)));
      assert.ok(joined.equals(bytes));
      assert.ok(Math.max(...files.map(([, content]) => content.length)) < 70_000);
    }
  });

  it('Pieces of a small file are one', () => {
    assert.deepEqual(cutsOf(readFileSync(bundle).subarray(0, 300_000)), [300_000]);
  });

  it('Pieces of an invalid or damaged bundle are cut anywhere, and complete', () => {
    const noise = Buffer.from(readFileSync(bundle));
    for (let at = 64; at < 2000; at += 7) noise[at] ^= 0x55;
    for (const bytes of [noise, Buffer.alloc(700_000, 7)]) assert.equal(cutsOf(bytes).at(-1), bytes.length);
  });

  it('Pieces are removed a day after the last deploy with them, like their file', async () => {
    const folder = join(root, 'removed');
    mkdirSync(folder);
    await deploy({ site: folder, bundles: [{ file: bundle }], table: undefined, pieces: 'beside' });
    const name = names.bundle.slice('/sheaf/'.length).replace(/\.sheaf$/, '.pieces');
    assert.ok(existsSync(join(folder, 'sheaf', name)));
    await deploy({ site: folder, bundles: [{ file: bundle }], table: undefined });
    assert.ok(existsSync(join(folder, 'sheaf', name)), 'open pages may ask for it');
  });
});
