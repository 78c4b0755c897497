/** What distributed/ has that needs neither Ray nor PyPI. The rest: `node --test --test-concurrency=1 tests/distributed/*.test.mjs`. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isOutputAddress, elsewhereOf, stagesOf } from '../../dist/node/publish/stages.js';
import { withoutRayDumps } from '../../dist/node/publish/ray.js';
import { finish, MAIN } from './packed.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 11)']).status === 0;

describe('distributed/sheaf_cluster', () => {
  it('distributed/sheaf_cluster passes its own tests', { skip: hasPython ? false : 'python3 3.11 or later is not installed' }, async () => {
    const { code, stderr } = await finish(spawn('python3', ['tests/distributed/test_parts.py'], { cwd: root, env: process.env }));
    assert.equal(code, 0, stderr);
    assert.ok(Number(/^Ran (\d+) tests/m.exec(stderr)?.[1]) >= 15, stderr);
  });
});

describe('what a cluster prints', () => {
  it("Ray's dumps of a lost node are left out, and every other line is shown", () => {
    const lines = [
      'a warning',
      '\u001b[33m(raylet)\u001b[0m Raylet is terminated. Last 20 lines of the Raylet logs:',
      '    [state-dump] NodeManager:',
      '',
      '\t[state-dump] Node ID: 1',
      'Traceback (most recent call last):',
      '  File "driver.py", line 1',
      '(raylet, ip=10.0.0.2) it again',
      '  more',
      'the end',
    ];
    const shown = ['a warning', 'Traceback (most recent call last):', '  File "driver.py", line 1', 'the end'];
    assert.deepEqual(lines.filter(withoutRayDumps()), shown);
  });
});

describe('flags of a cluster', () => {
  it('Flags of a cluster state the needs of each stage', () => {
    assert.deepEqual(stagesOf(['pack:cpus=2,memory=2G', 'pack:at-once=16', 'embed:gpus=0.5,actors=4,a100=1']), {
      pack: { cpus: 2, memory: 2 * 2 ** 30, atOnce: 16 },
      embed: { gpus: 0.5, actors: 4, resources: { a100: 1 } },
    });
    for (const text of ['pack', 'pack:', 'sign:cpus=1', 'pack:cpus', 'pack:at-once=0', 'pack:at-once=1.5', 'fetch:cpus=x', 'embed:cpus=1'])
      assert.throws(() => stagesOf([text]), /--stage/, text);
    assert.deepEqual(stagesOf(['fetch:actors=2']), { fetch: { resources: { actors: 2 } } });
  });

  it('Flags of a cluster are needed together', () => {
    assert.equal(elsewhereOf({}), undefined);
    assert.deepEqual(elsewhereOf({ on: 'ray://h:10001', vectors: 'none' }), {
      address: 'ray://h:10001',
      stages: {},
      vectors: '',
      sharedPaths: false,
    });
    assert.throws(() => elsewhereOf({ stage: ['pack:cpus=1'] }), /belong to --on ray/);
    assert.throws(() => elsewhereOf({ on: 'dask' }), /--on takes ray/);
    assert.throws(() => elsewhereOf({ on: 'ray', vectors: './here' }), /an address that all nodes reach/);
    assert.deepEqual(['s3://b/c', 'file:///x', './x', 'C:\\x', '/x'].map(isOutputAddress), [true, true, false, false, false]);
  });

  it('Wrong flags of a cluster are refused by name, and so is a missing Ray', async () => {
    const sheaf = (args, env = {}) =>
      finish(spawn(process.execPath, [MAIN, 'publish', 'build', ...args], { cwd: root, env: { ...process.env, ...env } }));
    for (const [args, why] of [
      [['README.md', '-o', 's3://bucket/x'], /needs --on ray/],
      [['README.md', '-o', 'x', '--encoder-command', 'cat'], /are for a transformer/],
      [['README.md', '-o', 'x', '--jobs', '0'], /--jobs takes/],
      [['README.md', '-o', 'ftp://me:secret@host/x', '--on', 'ray'], /^(?!.*secret).*-o holds a user name or password/s],
      [['README.md', '-o', 's3://b/x', '--on', 'ray', '--vectors', 's3://key@b/v'], /--vectors holds a user name or password/],
    ]) {
      const { code, stderr } = await sheaf(args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, why);
    }
  });
});
