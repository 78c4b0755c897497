/** `sheaf config` and the configuration's file. */
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { configPath, loadConfig } from '../../dist/node/store/config.js';
import { writeAtomically } from '../../dist/node/base/files.js';
import { isolatedSheaf } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('config');
const sheaf = isolatedSheaf(folder);
const env = { XDG_CONFIG_HOME: join(sheaf.home, 'config') };
const path = join(env.XDG_CONFIG_HOME, 'sheaf', 'config.json');

function write(text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

beforeEach(() => rmSync(path, { force: true }));

describe('the config file', () => {
  it('The config file is made on first use, and stderr says Config file created at PATH', async () => {
    const { code, stdout, stderr } = await sheaf(['config', 'get', 'query.top_k']);
    assert.equal(code, 0);
    assert.equal(stdout, '5\n');
    assert.equal(stderr, `Config file created at ${path}\n`);
    assert.equal((await sheaf(['config', 'get', 'query.top_k'])).stderr, '');
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {}, 'only what differs from the defaults');
  });

  it('The config file lies in XDG_CONFIG_HOME, else in ~/.config', () => {
    assert.equal(configPath({ XDG_CONFIG_HOME: '/c' }), '/c/sheaf/config.json');
    for (const env of [{}, { XDG_CONFIG_HOME: 'relative' }]) assert.match(configPath(env), /\/\.config\/sheaf\/config\.json$/);
  });

  it('The config file overrides the defaults by section', async () => {
    write('{"query":{"top_k":9,"mine":1},"other":{"x":[1]}}');
    const config = await loadConfig(env);
    assert.deepEqual(
      [
        config.get('query.top_k'),
        config.get('query.encoder'),
        config.get('sources.auto_add_local'),
        config.get('extraction.concurrency_limit'),
        config.get('embeddings.chunk_size'),
      ],
      [9, 'static', true, 50, 800],
    );
    assert.deepEqual(
      [
        config.get('query.mine'),
        config.get('other.x'),
        config.get('nothing'),
        config.get('query.top_k.deep'),
        config.get('__proto__.x'),
        config.get('constructor'),
      ],
      [1, [1], undefined, undefined, undefined, undefined],
    );
    assert.equal(config.path, path);
  });

  it('A config file that is not JSON gives Invalid JSON in config file PATH', async () => {
    write('{"query":');
    const { code, stderr } = await sheaf(['config', 'show']);
    assert.equal(code, 1);
    assert.ok(stderr.includes(`Invalid JSON in config file ${path}: `));
    assert.match(stderr, /sheaf config reset/);
  });

  it('A config section that is no object points to config reset', async () => {
    for (const text of ['{"query":7}', '{"sources":[]}', '{"embeddings":null}', '[]', '7']) {
      write(text);
      const { code, stderr } = await sheaf(['config', 'get', 'query.top_k']);
      assert.equal(code, 1, text);
      assert.match(stderr, /config reset/, text);
    }
    assert.equal((await sheaf(['config', 'reset', '-y'])).code, 0);
    assert.equal((await sheaf(['config', 'get', 'query.top_k'])).stdout, '5\n');
  });

  it('A config value of the wrong kind is explained, and set can mend it', async () => {
    write('{"query":{"top_k":"many"}}');
    const { code, stderr } = await sheaf(['config', 'show']);
    assert.equal(code, 1);
    assert.match(stderr, /'query\.top_k' is "many"; expected a whole number from 1 to 1000.*sheaf config set query\.top_k VALUE/);
    assert.equal((await sheaf(['config', 'set', 'query.top_k', '7'])).code, 0);
    assert.equal((await sheaf(['config', 'get', 'query.top_k'])).stdout, '7\n');
  });

  it('An unwritable config file is done without', async () => {
    const blocked = join(folder, 'file');
    writeFileSync(blocked, '');
    const { code, stdout, stderr } = await sheaf(['list', '--sources', '--json'], { XDG_CONFIG_HOME: blocked });
    assert.equal(code, 0, stderr);
    assert.ok(JSON.parse(stdout).sources.length > 5);
  });
});

describe('sheaf config', () => {
  it('sheaf config show prints the values, --defaults the defaults', async () => {
    write('{"query":{"top_k":8}}');
    assert.equal(JSON.parse((await sheaf(['config', 'show'])).stdout).query.top_k, 8);
    const defaults = JSON.parse((await sheaf(['config', 'show', '--defaults'])).stdout);
    assert.deepEqual(
      [defaults.query.top_k, defaults.sources.auto_add_local, defaults.extraction.concurrency_limit, defaults.embeddings.chunk_size],
      [5, true, 50, 800],
    );
  });

  it('sheaf config set reads JSON, else text, and says Set {k} = {v}', async () => {
    for (const [key, text, value, said] of [
      ['query.top_k', '12', 12, '12'],
      ['sources.auto_add_local', 'false', false, 'false'],
      ['query.encoder', 'bge-small-en-v1.5', 'bge-small-en-v1.5', 'bge-small-en-v1.5'],
      ['query.encoder', '"none"', 'none', 'none'],
      ['sources.file_path', 'null', null, 'null'],
    ]) {
      const { code, stdout } = await sheaf(['config', 'set', key, text]);
      assert.equal(code, 0);
      assert.equal(stdout, `Set ${key} = ${said}\n`);
      assert.deepEqual((await sheaf.json(['config', 'get', key])).value, value);
    }
  });

  it('sheaf config set keeps unknown keys, and refuses values out of range', async () => {
    write('{"other":{"x":1},"query":{"mine":true}}');
    for (const value of ['0', '1001', '-1', '1.5', 'many', '"5"', '[]', 'null', 'x'.repeat(10_000)]) {
      const { code, stderr } = await sheaf(['config', 'set', 'query.top_k', value]);
      assert.equal(code, 2, value);
      assert.match(stderr, /cannot be the value of query\.top_k; expected a whole number from 1 to 1000/);
    }
    await sheaf(['config', 'set', 'query.top_k', '6']);
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { other: { x: 1 }, query: { mine: true, top_k: 6 } });
  });

  it('sheaf config of an unknown key ends with 1 and Key KEY not found in config', async () => {
    for (const args of [
      ['get', 'query.nothing'],
      ['set', 'nothing', '1'],
      ['get', '__proto__'],
      ['set', '__proto__.x', '1'],
      ['set', 'toString', '1'],
    ]) {
      const { code, stderr } = await sheaf(['config', ...args]);
      assert.equal(code, 1);
      assert.ok(stderr.includes(`Error: Key '${args[1]}' not found in config.`), stderr);
    }
  });

  it('sheaf config path prints the path, and makes no file', async () => {
    assert.equal((await sheaf(['config', 'path'])).stdout, `${path}\n`);
    assert.equal(existsSync(path), false);
  });

  it('sheaf config reset asks, and needs -y without a terminal', async () => {
    write('{"query":{"top_k":8}}');
    assert.equal((await sheaf(['config', 'reset'])).code, 2);
    assert.equal((await sheaf(['config', 'get', 'query.top_k'])).stdout, '8\n');
    assert.equal((await sheaf(['config', 'reset', '-y'])).code, 0);
    assert.equal((await sheaf(['config', 'get', 'query.top_k'])).stdout, '5\n');
  });

  it('sheaf config with other words points to its help', async () => {
    for (const args of [[], ['sow'], ['get'], ['set', 'query.top_k'], ['show', 'x'], ['get', 'query.top_k', '--defaults'], ['toString']]) {
      const { code, stderr } = await sheaf(['config', ...args]);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, /sheaf config --help/);
    }
  });
});

describe('a file that is replaced', () => {
  it("A replaced file is on the disk before it takes the old one's place", async (t) => {
    const file = join(folder, 'replaced.json');
    writeFileSync(file, 'old');
    const handle = await open(file);
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    const { sync } = prototype;
    t.after(() => (prototype.sync = sync));
    const seen = [];
    prototype.sync = async function counted() {
      seen.push(readFileSync(file, 'utf8'));
      return sync.call(this);
    };
    await writeAtomically(file, 'new');
    assert.deepEqual([seen, readFileSync(file, 'utf8')], [['old'], 'new']);
    await writeAtomically(file, 'newer', { isDurable: false });
    assert.deepEqual([seen.length, readFileSync(file, 'utf8')], [1, 'newer']);
  });
});
