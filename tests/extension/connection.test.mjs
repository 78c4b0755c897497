/** The way from a view to its libraries when a part of it is slow, lost or held back: ports, worker, files, ledger. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, describe, it } from 'node:test';
import { DeskClient } from '../../dist/extension/connect.js';
import { Host } from '../../dist/extension/host.js';
import { keeperThrough } from '../../dist/extension/ledger_keeper.js';
import { OpfsVault } from '../../dist/extension/vault.js';
import { deskOver, MemoryVault } from './desk_world.mjs';
import { packFixture, temporaryFolder } from '../node/packed.mjs';

const root = temporaryFolder('extension-connection');
let bundle;
before(async () => (bundle = readFileSync(await packFixture(join(root, 'kiln.sheaf')))));

const globals = ['chrome', 'Worker', 'navigator'];
const own = Object.fromEntries(globals.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
const pretend = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
afterEach(() => {
  for (const name of globals)
    if (own[name] === undefined) delete globalThis[name];
    else Object.defineProperty(globalThis, name, own[name]);
});

function event() {
  const listeners = new Set();
  return {
    addListener: (listener) => listeners.add(listener),
    emit: (...args) => [...listeners].forEach((listener) => listener(...args)),
  };
}

describe('a view that connects', () => {
  /** A browser whose `n`th port is answered by `answers[n]`, and the last by what follows. */
  function browser(...answers) {
    let count = 0;
    const connect = () => {
      const port = { onMessage: event(), onDisconnect: event(), disconnect() {}, postMessage: () => {} };
      const answer = answers[Math.min(count++, answers.length - 1)];
      setImmediate(() => answer(port));
      return port;
    };
    pretend('chrome', { runtime: { connect } });
    return () => count;
  }
  const lost = () => {};
  const early = (port) => port.onDisconnect.emit();
  const listening = (port) => {
    port.postMessage = ({ id }) => setImmediate(() => port.onMessage.emit({ type: 'answer', id, value: 'here' }));
    port.onMessage.emit({ type: 'ready' });
  };

  it('A connecting view retries where nobody listens yet', async () => {
    const count = browser(early, early, listening);
    assert.equal(await new DeskClient().call('state', []), 'here');
    assert.equal(count(), 3);
  });

  it('A connecting view retries where its port is lost without an answer', { timeout: 20_000 }, async () => {
    const count = browser(lost, listening);
    assert.equal(await new DeskClient().call('state', []), 'here');
    assert.equal(count(), 2);
  });
});

describe('the page that keeps the worker', () => {
  it('The page that keeps the worker ends its own port when the worker dies', { timeout: 5000 }, async () => {
    const workers = [];
    const ports = [];
    pretend('chrome', { runtime: { getURL: (path) => path } });
    pretend(
      'Worker',
      class extends EventTarget {
        constructor() {
          super();
          workers.push(this);
        }
        postMessage({ type }, [port] = []) {
          if (type !== 'port') return;
          ports.push(port);
          port.on('message', ({ id, type: kind }) => {
            if (kind === 'call' && workers.length > 1) port.postMessage({ type: 'answer', id, value: `worker ${workers.length}` });
          });
        }
        terminate() {}
      },
    );
    const host = new Host({ read: async () => undefined, write: async () => {} });
    const desk = new DeskClient(async () => host.port());
    const answer = desk.call('state', []); // the first worker answers nothing
    await new Promise((resolve) => setTimeout(resolve, 20));
    workers[0].dispatchEvent(Object.assign(new Event('error'), { message: 'out of memory' }));
    assert.equal(await answer, 'worker 2');
    for (const port of ports) port.close(); // else this process waits for them
  });
});

describe('a file that another worker still holds', () => {
  /** An origin private file system over the vault in memory; a handle of a file in `locked` cannot be had. */
  function pretendOpfs(vault, locked) {
    const missing = () => Promise.reject(new DOMException('no such file', 'NotFoundError'));
    const handleOf = (name) => ({
      getFile: async () => new Blob([vault.files.get(name)]),
      createSyncAccessHandle: async () => {
        if (locked()) throw new DOMException('locked', 'NoModificationAllowedError');
        const bytes = vault.files.get(name);
        return {
          getSize: () => bytes.length,
          read: (into, { at }) => (into.set(bytes.subarray(at, at + into.length)), Math.min(into.length, bytes.length - at)),
          close: () => {},
        };
      },
    });
    const folder = {
      keys: async function* () {
        yield* vault.files.keys();
      },
      getFileHandle: async (name) => (vault.files.has(name) ? handleOf(name) : missing()),
    };
    const getDirectory = async () => ({ getDirectoryHandle: async () => folder });
    pretend('navigator', { storage: { getDirectory } });
    return new OpfsVault('libraries');
  }

  async function installed() {
    const world = { vault: new MemoryVault() };
    const desk = deskOver(world);
    await desk.state();
    world.vault.files.set('drop-1', new Uint8Array(bundle));
    await desk.adopt('drop-1', 'kiln.sheaf');
    await desk.close();
    return world;
  }

  it('A file held by another worker delays the first search until it answers', { timeout: 20_000 }, async () => {
    const world = await installed();
    let isLocked = true;
    const vault = pretendOpfs(world.vault, () => isLocked);
    const desk = deskOver({ ...world, vault });
    const searching = desk.search('batches');
    setTimeout(() => (isLocked = false), 2500);
    const { hits, failures } = await searching;
    assert.deepEqual([hits.length > 0, failures], [true, []]);
    await desk.close();
  });

  it('A file held by another worker is not taken for deleted, and later searched', async (context) => {
    const world = await installed();
    let isLocked = true;
    const desk = deskOver({ ...world, vault: pretendOpfs(world.vault, () => isLocked) });
    await desk.state();
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let answer;
    desk.search('batches').then(
      (value) => (answer = value),
      (error) => (answer = error),
    );
    while (answer === undefined) {
      context.mock.timers.tick(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    context.mock.timers.reset();
    assert.equal(answer.code, 'LOCKED');
    assert.equal((await desk.state()).libraries[0].missing, false);
    isLocked = false;
    assert.ok((await desk.search('batches')).hits.length > 0);
    await desk.close();
  });
});

describe('a ledger that cannot be read', () => {
  it('An unreadable ledger is an error, and not an empty one that sweeps every file', async () => {
    const answers = [undefined, { error: 'The disk is full.' }, {}, { ledger: { libraries: [] } }];
    const keeper = keeperThrough(async () => answers.shift());
    await assert.rejects(keeper.read(), /gave no answer/);
    await assert.rejects(keeper.read(), /The disk is full/);
    assert.equal(await keeper.read(), undefined, 'nothing was written yet');
    assert.deepEqual(await keeper.read(), { libraries: [] });
  });

  it('An unreadable ledger is read again by the next call, before any sweep', async () => {
    const vault = new MemoryVault();
    vault.files.set('kiln.sheaf', new Uint8Array(bundle));
    let isThere = false;
    const readLedger = async () => {
      if (!isThere) throw new Error('The background page is gone.');
    };
    const desk = deskOver({ vault }, { readLedger });
    await assert.rejects(desk.state(), /background page is gone/);
    assert.deepEqual(await vault.names(), ['kiln.sheaf']);
    isThere = true;
    assert.deepEqual((await desk.state()).libraries, []);
    await desk.close();
  });
});
