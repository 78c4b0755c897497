/** What of a catalogue is believed: each way of deceiving a reader is refused by its name. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { HEAD, parseHead, parseShard, shardOf, shardsFor } from '../../dist/browser/catalogue/format.js';
import { parsePublicKey, parseSignature } from '../../dist/browser/catalogue/minisign.js';
import { NODE_PRIMITIVES } from '../../dist/node/catalogue/node.js';
import { advancePin, changePins, readPins } from '../../dist/node/catalogue/pins.js';
import { mayFollow, openCatalogue } from '../../dist/browser/catalogue/reader.js';
import { formatSecretKey, generateKey, parseSecretKey, publicOf, signBytes } from '../../dist/node/catalogue/secret_key.js';
import { CatalogueFiles, openAdded } from '../../dist/node/sources/catalogue.js';
import { Guard } from '../../dist/node/sources/guard.js';
import { Fetcher } from '../../dist/node/sources/http.js';
import { readHead } from '../../dist/node/publish/files.js';
import { FolderStore } from '../../dist/node/publish/store.js';
import { isolatedSheaf, serve } from './doc_servers.mjs';
import { packFixture, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('catalogue-trust');
const sheaf = isolatedSheaf(root);
const at = (...names) => join(sheaf.cwd, ...names);

/** All files of a folder, by path. */
function filesOf(folder) {
  const files = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      files.set(path.slice(folder.length + 1).replaceAll('\\', '/'), readFileSync(path));
    }
  return files;
}

const openFiles = (files, more = {}) =>
  openCatalogue({ ...NODE_PRIMITIVES, get: async (path) => files.get(path), now: Date.now(), ...more });

const refused = (files, code, more) => assert.rejects(openFiles(files, more), { name: 'CatalogueRefusal', code });
const edited = (files, path, edit) => new Map([...files, [path, edit(files.get(path))]]);
const flipped = (bytes) => {
  const copy = Buffer.from(bytes);
  copy[Math.floor(copy.length / 2)] ^= 1;
  return copy;
};

/** A signed catalogue in a folder of its own. */
async function build(name, { key = 'first.key', list = 'kiln@1.4.0.sheaf\n', more = [] } = {}) {
  writeFileSync(at(`${name}.txt`), list);
  return sheaf.json(['publish', 'build', `${name}.txt`, '-o', name, '--key', key, ...more]);
}

/** Edits the head of a folder and signs it again. */
async function resign(folder, edit, key = 'first.key') {
  const head = JSON.parse(readFileSync(at(folder, HEAD), 'utf8'));
  edit(head);
  writeFileSync(at(folder, HEAD), JSON.stringify(head));
  const secret = await parseSecretKey(readFileSync(at(key), 'utf8'), async () => '');
  writeFileSync(at(folder, `${HEAD}.minisig`), signBytes(secret, readFileSync(at(folder, HEAD)), 'edited'));
}

let files;
let pin;

before(async () => {
  await packFixture(at('kiln@1.4.0.sheaf'));
  await packFixture(at('kiln@1.10.0.sheaf'), { version: '1.10.0' });
  for (const name of ['first', 'second', 'stranger']) await sheaf.json(['publish', 'keygen', `${name}.key`]);
  await build('cat');
  files = filesOf(at('cat'));
  pin = (await openFiles(files)).pin;
});

describe('a signed catalogue', () => {
  it('A signed catalogue is opened on first use, with key, id and number remembered', async () => {
    const catalogue = await openFiles(files);
    assert.equal(catalogue.pin.key, parsePublicKey(readFileSync(at('first.key.pub'), 'utf8')).text);
    assert.equal(catalogue.pin.head, createHash('sha256').update(files.get(HEAD)).digest('hex'));
    assert.deepEqual(
      (await catalogue.library('kiln')).versions.map(({ version }) => version),
      ['1.4.0'],
    );
    assert.equal(await catalogue.library('nothing'), undefined);
    assert.ok((await catalogue.index()).length > 0);
  });

  it('A signed catalogue is opened again with the remembered key, id and number', async () =>
    assert.deepEqual((await openFiles(files, { pin })).pin, pin));

  it('A signed catalogue is refused when its head was changed', async () => {
    await refused(edited(files, HEAD, flipped), 'BAD_SIGNATURE', { pin });
    await refused(edited(files, HEAD, flipped), 'BAD_SIGNATURE');
  });

  it('A signed catalogue is refused for a changed comment or an older signature', async () => {
    const change = (edit) => edited(files, `${HEAD}.minisig`, (bytes) => Buffer.from(edit(bytes.toString())));
    await refused(
      change((text) => text.replace(/expires \d{4}/, 'expires 2999')),
      'BAD_SIGNATURE',
    );
    await refused(
      change((text) => text.replace('\nRU', '\nRW')),
      'BAD_SIGNATURE',
    );
    await refused(
      change(() => 'nothing'),
      'BAD_SIGNATURE',
    );
  });

  it('A signed catalogue is refused without its signature, unless asked for', async () => {
    const without = new Map(files);
    without.delete(`${HEAD}.minisig`);
    await refused(without, 'UNSIGNED');
    await refused(without, 'UNSIGNED', { pin });
    assert.equal((await openFiles(without, { unsigned: true })).pin.key, '');
  });

  it('A signed catalogue is refused when a shard or the index is changed or missing', async () => {
    const { head } = await openFiles(files);
    const shard = `shards/${head.shards[0].sha256}.json`;
    const index = `bundles/${head.index.sha256}.sheaf`;
    for (const change of [flipped, (bytes) => bytes.subarray(1), (bytes) => Buffer.concat([bytes, Buffer.from(' ')])]) {
      await assert.rejects((await openFiles(edited(files, shard, change), { pin })).library('kiln'), { code: 'TAMPERED' });
      await assert.rejects((await openFiles(edited(files, index, change), { pin })).index(), { code: 'TAMPERED' });
    }
    const gone = new Map(files);
    gone.delete(shard);
    await assert.rejects((await openFiles(gone, { pin })).library('kiln'), { code: 'MISSING' });
  });

  it('A signed catalogue is read again when head and signature disagree midway', async () => {
    await build('moving');
    const old = filesOf(at('moving'));
    await resign('moving', (head) => head.serial++);
    const fresh = filesOf(at('moving'));
    let asked = 0;
    const get = async (path) => (path === `${HEAD}.minisig` && asked++ === 0 ? old : fresh).get(path);
    const catalogue = await openCatalogue({ ...NODE_PRIMITIVES, get, now: Date.now() });
    assert.equal(asked, 2);
    assert.equal(catalogue.head.serial, parseHead(JSON.parse(fresh.get(HEAD))).serial);
  });
});

describe('a catalogue that is not the one that was seen', () => {
  it('An older catalogue is refused, by number, time, or same number', async () => {
    await build('older');
    const seen = (await openFiles(filesOf(at('older')))).pin;
    const old = filesOf(at('older'));
    await resign('older', (head) => head.serial++);
    const newer = (await openFiles(filesOf(at('older')), { pin: seen })).pin;
    await refused(old, 'ROLLBACK', { pin: newer });
    await resign('older', (head) => (head.title = 'another'));
    await refused(filesOf(at('older')), 'ROLLBACK', { pin: newer });
    await resign('older', (head) => {
      head.serial++;
      head.created = '2020-01-01T00:00:00.000Z';
    });
    await refused(filesOf(at('older')), 'ROLLBACK', { pin: newer });
  });

  it('A catalogue is refused when the older form replaces a numbered one', async () => {
    const old = new Map([[HEAD, Buffer.from('{"sheaf":1,"title":"x","libraries":[]}')]]);
    await refused(old, 'ROLLBACK', { unsigned: true, pin: { ...pin, key: '' } });
    await refused(old, 'UNSIGNED', { pin });
  });

  it('Another catalogue of the same key is refused', async () => {
    await build('other');
    await refused(filesOf(at('other')), 'OTHER_CATALOGUE', { pin });
  });

  it("A catalogue with another one's shard is refused", async () => {
    await build('mixed', { list: 'kiln@1.10.0.sheaf\n' });
    const others = filesOf(at('mixed'));
    const theirs = (await openFiles(others)).head.shards[0].sha256;
    const { head } = await openFiles(files);
    const mixed = edited(files, `shards/${head.shards[0].sha256}.json`, () => others.get(`shards/${theirs}.json`));
    await assert.rejects((await openFiles(mixed, { pin })).library('kiln'), { code: 'TAMPERED' });
  });

  it('An expired catalogue is refused', async () => {
    const { expires } = JSON.parse(files.get(HEAD));
    await refused(files, 'EXPIRED', { pin, now: Date.parse(expires) });
    await openFiles(files, { pin, now: Date.parse(expires) - 1 });
  });
});

describe('another key', () => {
  it('Another key is refused, even with its own catalogue.pub beside it', async () => {
    await build('taken');
    const own = (await openFiles(filesOf(at('taken')))).pin;
    await resign('taken', (head) => head.serial++, 'stranger.key');
    copyFileSync(at('stranger.key.pub'), at('taken', 'catalogue.pub'));
    await refused(filesOf(at('taken')), 'WRONG_KEY', { pin: own });
    await refused(filesOf(at('taken')), 'WRONG_KEY', { key: parsePublicKey(readFileSync(at('first.key.pub'), 'utf8')) });
  });

  it('Another key is refused under the id of the pinned one', async () => {
    const stranger = { ...generateKey(), id: parsePublicKey(pin.key).id };
    const forged = edited(files, `${HEAD}.minisig`, () => Buffer.from(signBytes(stranger, files.get(HEAD), 'x')));
    await refused(forged, 'BAD_SIGNATURE', { pin });
  });

  it("Another key is taken after the old one's rotation, and the old no more", async () => {
    await build('rotated');
    const own = (await openFiles(filesOf(at('rotated')))).pin;
    const { to } = await sheaf.json(['publish', 'rotate', 'rotated', '--key', 'first.key', '--new', 'second.key.pub']);
    await openFiles(filesOf(at('rotated')), { pin: own }); // the old key signs until the new one does
    await resign('rotated', (head) => head.serial++, 'second.key');
    const rotated = filesOf(at('rotated'));
    const next = (await openFiles(rotated, { pin: own })).pin;
    assert.equal(parsePublicKey(next.key).id, to);
    await resign('rotated', (head) => head.serial++, 'first.key');
    await refused(filesOf(at('rotated')), 'WRONG_KEY', { pin: next });

    const paths = [`keys/${to}.pub`, `keys/${to}.pub.minisig`];
    await refused(edited(rotated, paths[1], flipped), 'BAD_ROTATION', { pin: own }).catch(() =>
      refused(edited(rotated, paths[1], flipped), 'BAD_SIGNATURE', { pin: own }),
    );
    const strange = readFileSync(at('stranger.key.pub'));
    await refused(
      edited(rotated, paths[0], () => strange),
      'BAD_ROTATION',
      { pin: own },
    );
    const gone = new Map(rotated);
    gone.delete(paths[1]);
    await refused(gone, 'WRONG_KEY', { pin: own });
  });

  it("Another key is refused after a stranger's rotation, or for another catalogue", async () => {
    await build('passed');
    const own = (await openFiles(filesOf(at('passed')))).pin;
    await resign('passed', (head) => head.serial++, 'second.key');
    const id = parsePublicKey(readFileSync(at('second.key.pub'), 'utf8')).id;
    const bytes = readFileSync(at('second.key.pub'));
    const by = async (name, comment) => {
      const secret = await parseSecretKey(readFileSync(at(name), 'utf8'), async () => '');
      return new Map([
        ...filesOf(at('passed')),
        [`keys/${id}.pub`, bytes],
        [`keys/${id}.pub.minisig`, Buffer.from(signBytes(secret, bytes, comment))],
      ]);
    };
    await openFiles(await by('first.key', `sheaf catalogue ${own.id} key`), { pin: own });
    await refused(await by('first.key', `sheaf catalogue ${pin.id} key`), 'BAD_ROTATION', { pin: own });
    await refused(await by('stranger.key', `sheaf catalogue ${own.id} key`), 'WRONG_KEY', { pin: own });
  });

  it('Another key is found over several rotations, and a circle of them ends', async () => {
    const keys = Array.from({ length: 4 }, generateKey);
    const { id } = JSON.parse(files.get(HEAD));
    const chain = new Map(files);
    const passOn = (from, to) => {
      const { id: name, text } = publicOf(to);
      const bytes = Buffer.from(`untrusted comment: x\n${text}\n`);
      chain.set(`keys/${name}.pub`, bytes);
      chain.set(`keys/${name}.pub.minisig`, Buffer.from(signBytes(from, bytes, `sheaf catalogue ${id} key`)));
    };
    for (let i = 1; i < keys.length; i++) passOn(keys[i - 1], keys[i]);
    chain.set(`${HEAD}.minisig`, Buffer.from(signBytes(keys[3], files.get(HEAD), 'x')));
    await openFiles(chain, { pin: { ...pin, key: publicOf(keys[0]).text } });
    passOn(keys[3], keys[1]);
    await refused(chain, 'BAD_ROTATION', { pin: { ...pin, key: publicOf(keys[0]).text } });
  });
});

/** What minisign asks for by default takes a gibibyte and seconds. */
const LIGHT = { opslimit: 32768n, memlimit: 16777216n };

describe('secret keys', () => {
  it('Secret keys are for their user alone, and never overwritten', async () => {
    assert.equal(statSync(at('first.key')).mode & 0o777, 0o600);
    assert.match((await sheaf(['publish', 'keygen', 'first.key'])).stderr, /never overwritten/);
    copyFileSync(at('first.key'), at('open.key'));
    chmodSync(at('open.key'), 0o644);
    const { code, stderr } = await sheaf(['publish', 'sign', 'cat', '--key', 'open.key']);
    assert.deepEqual([code, /others may read it/.test(stderr)], [1, true]);
  });

  it('Secret keys come back with their passphrase, and not with another', async () => {
    const key = generateKey();
    const text = formatSecretKey(key, 'correct horse', LIGHT);
    const again = await parseSecretKey(text, async () => 'correct horse');
    assert.deepEqual([again.id, Buffer.compare(again.secret, key.secret)], [key.id, 0]);
    await assert.rejects(
      parseSecretKey(text, async () => 'wrong'),
      /passphrase is wrong/,
    );
    await assert.rejects(
      parseSecretKey('untrusted comment: x\nAAAA\n', async () => ''),
      /no secret key/,
    );
  });

  it('Secret keys need at most two gibibytes of memory', async () => {
    const all = Buffer.from(formatSecretKey(generateKey(), 'x', LIGHT).split('\n')[1], 'base64');
    all.writeBigUInt64LE(2n ** 60n, 38);
    all.writeBigUInt64LE(2n ** 50n, 46);
    await assert.rejects(
      parseSecretKey(`untrusted comment: x\n${all.toString('base64')}\n`, async () => 'x'),
      /memory/,
    );
  });
});

const minisign = spawnSync('minisign', ['-v']).error === undefined;

describe('minisign', { skip: minisign ? false : 'minisign is not installed' }, () => {
  it('The tool minisign checks our signatures: the head, and a new key', async () => {
    await build('theirs');
    await sheaf.json(['publish', 'rotate', 'theirs', '--key', 'first.key', '--new', 'second.key.pub']);
    const verify = (file) => execFileSync('minisign', ['-Vm', file, '-p', at('first.key.pub')], { encoding: 'utf8' });
    assert.match(verify(at('theirs', HEAD)), /verified\nTrusted comment: sheaf catalogue /);
    const [key] = readdirSync(at('theirs', 'keys')).filter((name) => name.endsWith('.pub'));
    assert.match(verify(at('theirs', 'keys', key)), /verified/);
  });

  it('The tool minisign signs for us, with keys of its own and of ours', async () => {
    await build('back');
    execFileSync('minisign', ['-GW', '-p', at('their.pub'), '-s', at('their.key')]);
    // Without a passphrase it reads no input: what is written to it may come when it has ended (EPIPE).
    const sign = (key) => execFileSync('minisign', ['-Sm', at('back', HEAD), '-s', at(key)], { stdio: 'ignore' });
    sign('their.key');
    copyFileSync(at('their.pub'), at('back', 'catalogue.pub'));
    assert.equal((await openFiles(filesOf(at('back')))).pin.key, parsePublicKey(readFileSync(at('their.pub'), 'utf8')).text);
    chmodSync(at('their.key'), 0o600);
    await sheaf.json(['publish', 'sign', 'back', '--key', 'their.key']);
    await openFiles(filesOf(at('back')));
    sign('first.key');
    assert.equal(
      parseSignature(readFileSync(at('back', `${HEAD}.minisig`), 'utf8')).keyId,
      parsePublicKey(readFileSync(at('first.key.pub'), 'utf8')).id,
    );
  });

  it('The tool minisign opens our keys with a passphrase, and we its own', async () => {
    const env = { SHEAF_CATALOGUE_PASSPHRASE: 'correct horse' };
    await sheaf.json(['publish', 'keygen', 'hidden.key'], env);
    await build('hidden');
    execFileSync('minisign', ['-Sm', at('hidden', HEAD), '-s', at('hidden.key')], { input: 'correct horse\n' });
    execFileSync('minisign', ['-G', '-p', at('own.pub'), '-s', at('own.key')], { input: 'battery\nbattery\n' });
    chmodSync(at('own.key'), 0o600);
    await sheaf.json(['publish', 'sign', 'hidden', '--key', 'own.key'], { SHEAF_CATALOGUE_PASSPHRASE: 'battery' });
    assert.match((await sheaf(['publish', 'sign', 'hidden', '--key', 'own.key'])).stderr, /PASSPHRASE is not set/);
  });
});

describe('what a catalogue says', () => {
  it("A catalogue's text is capped, and names no path", () => {
    const good = JSON.parse(files.get(HEAD));
    assert.equal(parseHead(good).id, good.id);
    for (const wrong of [
      { shards: [] },
      { shards: [...good.shards, ...good.shards, ...good.shards] },
      { shards: [{ sha256: '../../etc/passwd', bytes: 1 }] },
      { shards: [{ ...good.shards[0], bytes: 1e12 }] },
      { serial: -1 },
      { id: '../x' },
      { expires: 'never' },
      { sheaf: 3 },
    ])
      assert.throws(() => parseHead({ ...good, ...wrong }), { code: 'MALFORMED' });
  });

  it("A catalogue's unusable names, versions and libraries of others are passed over", () => {
    const version = { version: '1', sha256: 'a'.repeat(64), bytes: 1 };
    const named = (library, more = {}) => ({ library, versions: [{ ...version, ...more }] });
    const parse = (libraries, shard = 0, shards = 1) => parseShard({ sheaf: 2, libraries }, shard, shards).map(({ library }) => library);
    assert.deepEqual(
      parse([named('ok'), named('../x'), named('a', { version: '../1' }), named('b', { sha256: 'x' }), named('c', { bytes: -1 }), null]),
      ['ok'],
    );
    assert.deepEqual(parse([named('ok')], 1 - shardOf('ok', 2), 2), []);
    const [{ description }] = parseShard(
      { sheaf: 2, libraries: [{ ...named('ok'), description: `a\u001b[31m\u202e${'x'.repeat(999)}` }] },
      0,
      1,
    );
    assert.ok(description.length <= 300 && !/[\u001b\u202e]/.test(description));
  });

  it('A catalogue is spread evenly: of ten thousand names a client loads kilobytes', () => {
    const shards = shardsFor(10_000);
    const counts = new Array(shards).fill(0);
    for (let i = 0; i < 10_000; i++) counts[shardOf(`@scope-${i % 97}/library-${i}`, shards)]++;
    assert.ok(Math.max(...counts) < 64, `the fullest of ${shards} shards has ${Math.max(...counts)}`);
  });
});

describe('the head of a folder that is built again', () => {
  it('A missing old head counts as absent, and an unreadable one is an error', async () => {
    const folder = temporaryFolder('catalogue-head');
    assert.equal(await readHead(new FolderStore(folder)), undefined);
    mkdirSync(join(folder, HEAD));
    await assert.rejects(readHead(new FolderStore(folder)), /cannot be read/);
  });
});

describe('what is remembered of a catalogue', () => {
  const env = { ...process.env, XDG_CONFIG_HOME: temporaryFolder('catalogue-pins') };
  const pin = { id: 'one', key: '', serial: 10, created: '2026-01-01T00:00:00Z', head: 'a' };
  const added = { ...pin, address: 'https://docs.example.org/', title: '', insecure: false, private: false };
  const seen = { ...pin, serial: 12, head: 'c' };

  it("A catalogue's memory continues from the pin of its opening", async () => {
    await changePins(() => [added], env);
    await advancePin(added.address, pin, seen, env);
    assert.deepEqual(await readPins(env), [{ ...added, ...seen }]);
  });

  it("A catalogue's memory keeps a trusted key and a head seen meanwhile", async () => {
    for (const meanwhile of [
      { ...added, key: 'RWQkey' },
      { ...added, serial: 11, head: 'b' },
      { ...added, id: 'another' },
    ]) {
      await changePins(() => [meanwhile], env);
      await advancePin(added.address, pin, seen, env);
      assert.deepEqual(await readPins(env), [meanwhile]);
    }
  });

  it("A catalogue's memory yields only to a later head of the same id and key", () => {
    const stored = { ...pin, key: 'RWQkey', serial: 11, head: 'b' };
    assert.equal(mayFollow(stored, pin, { ...stored, serial: 12, head: 'c' }), true);
    assert.equal(mayFollow(stored, pin, stored), true);
    assert.equal(mayFollow(undefined, undefined, seen), true);
    for (const other of [seen, { ...stored, serial: 11, head: 'c' }, { ...stored, id: 'another', serial: 12 }])
      assert.equal(mayFollow(stored, pin, other), false);
    assert.equal(mayFollow(undefined, pin, seen), false, 'removed meanwhile');
  });

  it('An unwritable memory of a catalogue stops no answer', async () => {
    const access = { address: at('cat'), title: '', insecure: false, private: false };
    const broken = join(temporaryFolder('catalogue-broken'), 'file');
    writeFileSync(broken, '');
    const opened = { ...(await openFiles(files)).pin, head: 'an older one', serial: 1 };
    const to = new CatalogueFiles(access, new AbortController().signal, () => {});
    const said = [];
    const env = { ...process.env, XDG_CONFIG_HOME: broken };
    const catalogue = await openAdded({ ...access, ...opened }, to, { env, say: (text) => said.push(text) });
    assert.match(said.join(), /is not remembered/);
    assert.notEqual(await catalogue.library('kiln'), undefined);
  });
});

describe('over the network', () => {
  it('A remote catalogue gives files of its own host and folder alone', () => {
    const access = { address: 'https://docs.example.org/cat/', insecure: false, private: false };
    const files = new CatalogueFiles(access, new AbortController().signal, () => {});
    assert.equal(files.url('a/b.sheaf'), 'https://docs.example.org/cat/a/b.sheaf');
    assert.equal(files.url('https://docs.example.org/cat/b.sheaf'), 'https://docs.example.org/cat/b.sheaf');
    for (const path of [
      'https://other.example.org/cat/b.sheaf',
      '//other.example.org/cat/b.sheaf',
      'http://docs.example.org/cat/b.sheaf',
      'https://docs.example.org/catalogue/b.sheaf',
      '../b.sheaf',
      '/b.sheaf',
      'x/..%2f..%2fb.sheaf',
      'http://[',
    ])
      assert.throws(() => files.url(path), { code: 'MALFORMED' }, path);
    files.close();
  });

  it('A remote catalogue gives no bundle that the host compressed', async () => {
    let coding = 'gzip';
    const asked = [];
    const server = await serve((request) => {
      asked.push(request.headers['accept-encoding']);
      return { status: 200, headers: { 'content-encoding': coding }, body: Buffer.from('x') };
    });
    const file = join(temporaryFolder('catalogue-coding'), 'x');
    const fetcher = new Fetcher(new Guard(true), new AbortController().signal, () => {});
    try {
      const saving = () => fetcher.save(server.url, file, { timeoutMs: 5000, maxBytes: 100 });
      await assert.rejects(saving(), /sent as gzip/);
      coding = 'identity';
      assert.equal((await saving()).bytes, 1);
      assert.deepEqual(asked, ['identity', 'identity']);
    } finally {
      fetcher.close();
      await server.close();
    }
  });

  it('A remote catalogue comes by https, without plain redirects, except on this machine', async () => {
    const { code, stderr } = await sheaf(['catalogue', 'add', 'http://docs.example.org/']);
    assert.deepEqual([code, /INSECURE/.test(stderr)], [1, true]);
    const away = await serve((request) => ({ status: 302, headers: { location: `http://docs.example.org${request.url}` } }));
    try {
      assert.match((await sheaf(['catalogue', 'add', away.url])).stderr, /INSECURE/);
    } finally {
      await away.close();
    }
  });

  it('A wrong remote bundle is refused, and the library stays', async () => {
    await build('web');
    let change = (_path, bytes) => bytes;
    const server = await serve(({ url }) => {
      const file = at('web', url.slice(1));
      return existsSync(file) && statSync(file).isFile() ? { body: change(url, readFileSync(file)) } : undefined;
    });
    try {
      await sheaf.json(['catalogue', 'add', server.url]);
      change = (path, bytes) => (path.startsWith('/bundles/') ? flipped(bytes) : bytes);
      const bad = await sheaf(['add', 'kiln']);
      assert.equal(bad.code, 1);
      assert.match(bad.stderr, /TAMPERED/);
      assert.deepEqual(existsSync(sheaf.store) ? readdirSync(sheaf.store).filter((name) => name.endsWith('.sheaf')) : [], []);
      change = (path, bytes) => (path.startsWith('/bundles/') ? Buffer.concat([bytes, bytes]) : bytes);
      assert.match((await sheaf(['add', 'kiln'])).stderr, /larger|TAMPERED/);
      change = (_path, bytes) => bytes;
      assert.equal((await sheaf.json(['add', 'kiln'])).version, '1.4.0');
      change = (path, bytes) => (path === `/${HEAD}` ? flipped(bytes) : bytes);
      const { stderr } = await sheaf(['add', 'kiln']);
      assert.match(stderr, /BAD_SIGNATURE/);
      assert.match((await sheaf(['catalogue', 'add', server.url])).stderr, /BAD_SIGNATURE/);
    } finally {
      await server.close();
      await sheaf(['catalogue', 'remove', server.url]);
    }
  });

  it('An unsigned remote catalogue is taken only on request', async () => {
    writeFileSync(at('plain.txt'), 'kiln@1.4.0.sheaf\n');
    await sheaf.json(['publish', 'build', 'plain.txt', '-o', 'plain']);
    assert.match((await sheaf(['catalogue', 'add', 'plain'])).stderr, /UNSIGNED.*--unsigned/s);
    assert.equal((await sheaf.json(['catalogue', 'add', 'plain', '--unsigned'])).key, '');
    await sheaf.json(['publish', 'sign', 'plain', '--key', 'first.key']);
    assert.notEqual((await sheaf.json(['catalogue', 'add', 'plain'])).key, '', 'it may become signed');
    assert.match((await sheaf(['catalogue', 'add', 'plain', '--unsigned'])).stderr, /added with a key/);
    await sheaf.json(['catalogue', 'remove', 'plain']);
  });

  it('A remote catalogue is not trusted when its list of keys is unreadable', async () => {
    const path = join(sheaf.home, 'config', 'sheaf', 'catalogues.json');
    const text = existsSync(path) ? readFileSync(path) : undefined;
    writeFileSync(path, '{"format": 1, "catalogues": [{}]}');
    assert.match((await sheaf(['catalogue', 'list'])).stderr, /which keys to trust/);
    if (text === undefined) rmSync(path);
    else writeFileSync(path, text);
    mkdirSync(at('x'), { recursive: true });
  });
});
