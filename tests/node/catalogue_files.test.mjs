/** What of a catalogue stays where writing it fails, or where another build is in the way. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bundlePath, HEAD, HEAD_SIGNATURE, PUBLIC_KEY } from '../../dist/browser/catalogue/format.js';
import { NODE_PRIMITIVES } from '../../dist/node/catalogue/node.js';
import { openCatalogue } from '../../dist/browser/catalogue/reader.js';
import { generateKey } from '../../dist/node/catalogue/secret_key.js';
import { addressName } from '../../dist/node/publish/build_lock.js';
import { readHead, writeCatalogue } from '../../dist/node/publish/files.js';
import { putBundle } from '../../dist/node/publish/make.js';
import { FolderStore } from '../../dist/node/publish/store.js';
import { tryLock } from '../../dist/node/base/lock.js';
import { writeTree } from '../fixtures/tree.mjs';
import { isolatedSheaf } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const root = temporaryFolder('catalogue-files');

/** A folder in which writing fails from a path on, as on a full disk or with keys that expired. */
class Failing extends FolderStore {
  failsFrom;
  #fails = false;

  async write(path, content) {
    this.#fails ||= path === this.failsFrom;
    if (path === this.failsFrom || (this.#fails && this.staysFull)) throw new Error(`${path} cannot be written: no room.`);
    await super.write(path, content);
  }
}

const bundle = (text) => ({ sha256: createHash('sha256').update(text).digest('hex'), bytes: text.length });

const storeAt = (name) => new Failing(join(root, name)).prepare();
const keep = (store, text) => writeFileSync(join(store.output, bundlePath(bundle(text).sha256)), text);

const library = (text) => ({
  ...{ library: 'kiln', title: 'Kiln', description: '', licence: '', words: [], vector: '', space: '' },
  versions: [
    {
      ...{ version: text, language: '', pages: 1, passages: 1, space: '', source: '', licence: '', commit: '' },
      ...{ ...bundle(text), date: '2026-01-01T00:00:00.000Z' },
    },
  ],
});
const wishes = (key) => ({ title: 'Mine', expiresInDays: 90, key, now: new Date() });
const writeOnly = async (store, text, key, before) =>
  writeCatalogue(store, [library(text)], undefined, before ?? (await readHead(store)), wishes(key));
const write = async (store, text, ...more) => {
  keep(store, text);
  return writeOnly(store, text, ...more);
};
const versions = async (store, more = {}) => {
  const catalogue = await openCatalogue({ ...NODE_PRIMITIVES, get: (path) => store.read(path), now: Date.now(), ...more });
  return (await catalogue.library('kiln')).versions.map(({ version }) => version);
};

describe('a head that cannot be written', () => {
  it('A head that cannot be written leaves the signed old one, whoever signs next', async () => {
    const [first, second] = [generateKey(), generateKey()];
    for (const key of [first, second, undefined]) {
      const store = await storeAt(`head-${key === undefined ? 'unsigned' : key === first ? 'same' : 'other'}`);
      await write(store, 'one', first);
      for (const path of [HEAD_SIGNATURE, PUBLIC_KEY, HEAD]) {
        store.failsFrom = path;
        if (key === undefined && path !== HEAD) continue;
        await assert.rejects(write(store, 'two', key), new RegExp(`${path} cannot be written`));
        assert.deepEqual(await versions(store), ['one'], path);
      }
      store.failsFrom = undefined;
      await write(store, 'two', key);
      assert.equal(existsSync(join(store.output, HEAD_SIGNATURE)), key !== undefined);
      assert.deepEqual(await versions(store, { unsigned: key === undefined }), ['two']);
    }
  });

  it('A failed return to the old signature is reported, and the next build repairs it', async () => {
    const key = generateKey();
    const store = await storeAt('full');
    await write(store, 'one', key);
    store.failsFrom = HEAD;
    store.staysFull = true;
    await assert.rejects(write(store, 'two', key), /catalogue\.json cannot be written.* could not be put back, so readers refuse it/);
    await assert.rejects(versions(store), { code: 'BAD_SIGNATURE' });
    const room = new FolderStore(store.output);
    assert.equal((await write(room, 'one', key)).isNew, true, 'though the content is the same');
    assert.deepEqual(await versions(room), ['one']);
  });
});

describe('files of a catalogue that were damaged in their size', () => {
  it('A bundle that is made again, and a shard, replace damaged files of their size', async () => {
    const store = await storeAt('damaged');
    const made = join(root, 'made.sheaf');
    writeFileSync(made, 'one');
    keep(store, 'one');
    const path = join(store.output, bundlePath(bundle('one').sha256));
    writeFileSync(path, 'eno');
    await putBundle(store, made);
    assert.equal(readFileSync(path, 'utf8'), 'one');
    await write(store, 'one');
    const [shard] = readdirSync(join(store.output, 'shards'));
    const whole = readFileSync(join(store.output, 'shards', shard), 'utf8');
    writeFileSync(join(store.output, 'shards', shard), whole.replace('kiln', 'nlik'));
    await write(store, 'one');
    assert.deepEqual(await versions(store, { unsigned: true }), ['one']);
  });
});

describe('two builds of one catalogue', () => {
  it('Of two builds of one catalogue, the second is refused by name', async () => {
    const sheaf = isolatedSheaf(root);
    writeTree(sheaf.cwd, { 'docs/a.md': '# Kiln\n\nFires pots.\n', 'list.txt': 'kiln -s ./docs -v 1\n' });
    mkdirSync(join(sheaf.cwd, 'cat'));
    for (const [path, more] of [
      ['cat/build.lock', ['--state', 'other.json']],
      ['cat.state.json.lock', []],
      ['mine.json.lock', ['--state', 'mine.json']],
    ]) {
      const release = await tryLock(join(sheaf.cwd, path));
      const { code, stderr } = await sheaf(['publish', 'build', 'list.txt', '-o', 'cat', ...more]);
      assert.deepEqual([code, existsSync(join(sheaf.cwd, 'cat', HEAD))], [1, false]);
      assert.match(stderr, new RegExp(`^sheaf: Another build into .*cat, or with its state file, is running \\(.*${path}\\)`, 'm'));
      await release();
    }
    await sheaf.json(['publish', 'build', 'list.txt', '-o', 'cat']);
    for (const path of ['cat/build.lock', 'cat.state.json.lock']) assert.ok(!existsSync(join(sheaf.cwd, path)), path);
  });

  it('Two builds without a common lock leave the head of the first', async () => {
    const store = await storeAt('race');
    const key = generateKey();
    const none = await readHead(store);
    assert.equal(none, undefined);
    await write(store, 'one', key);
    await assert.rejects(
      writeCatalogue(store, [library('two')], undefined, none, wishes(key)),
      /Another build into .*race wrote catalogue\.json/,
    );
    const before = await readHead(store);
    await write(store, 'two', key);
    await assert.rejects(write(store, 'three', key, before), /wrote catalogue\.json meanwhile, so this one wrote no head; run it again/);
    assert.deepEqual(await versions(store), ['two']);
  });

  it('Two builds of one catalogue never name a missing bundle', async () => {
    const store = await storeAt('missing');
    const key = generateKey();
    await write(store, 'one', key);
    await assert.rejects(writeOnly(store, 'two', key), /removed bundles\/[0-9a-f]{64}\.sheaf \(kiln@two\) meanwhile/);
    writeFileSync(join(store.output, bundlePath(bundle('two').sha256)), 'tw');
    await assert.rejects(writeOnly(store, 'two', key), /kiln@two/, 'nor half of one');
    assert.deepEqual(await versions(store), ['one']);
  });
});

describe('the state of a catalogue under an address', () => {
  it('The state of a catalogue belongs to its address, even where two end alike', () => {
    const names = ['s3://one/cat', 's3://two/cat'].map(addressName);
    for (const name of names) assert.match(name, /^cat-[0-9a-f]{8}$/);
    assert.notEqual(names[0], names[1]);
  });
});
