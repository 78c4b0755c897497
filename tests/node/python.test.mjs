/** The Python module, by its own tests (tests/python), from the source tree and with this Node. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isNeeded, ownersLines } from '../../scripts/wheel.mjs';
import { finish } from './packed.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;

describe('python/sheaf', { skip: hasPython ? false : 'python3 3.9 or later is not installed: apt-get install python3' }, () => {
  it('python/sheaf passes its own tests', async () => {
    const args = ['-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-s', 'tests/python'];
    const env = { ...process.env, SHEAF_NODE: process.execPath };
    const { code, stderr } = await finish(spawn('python3', args, { cwd: root, env }));
    assert.equal(code, 0, stderr);
    assert.ok(Number(/^Ran (\d+) tests/m.exec(stderr)?.[1]) > 40, stderr);
  });
});

describe('the wheel', () => {
  it("The wheel takes the running files, without types and other generators' code", () => {
    const taken = ['dist/cli/main.js', 'dist/node/pipe/main.js', 'models/minilm-l6-256.sheaf', 'licences/Unicode-3.0.txt', 'package.json'];
    const left = [
      'dist/cli/main.d.ts',
      'dist/browser/core/sheaf-core.d.mts',
      'dist/node/adapters/vitepress.js',
      'web/node/adapters/python/sheaf_docs.py',
    ];
    assert.deepEqual([...taken, ...left].filter(isNeeded), taken);
  });

  it("The wheel gets the owner's facts at publication, and none while unknown", () => {
    assert.deepEqual(ownersLines({}), []);
    const known = {
      author: { name: 'Ann "A" Lee', email: 'ann@kiln.example' },
      homepage: 'https://kiln.example/#readme',
      repository: { type: 'git', url: 'git+https://kiln.example/kiln.git' },
      bugs: { url: 'https://kiln.example/issues' },
    };
    assert.deepEqual(ownersLines(known), [
      'authors = [{ name = "Ann \\"A\\" Lee", email = "ann@kiln.example" }]',
      'urls = { Homepage = "https://kiln.example/#readme", Source = "https://kiln.example/kiln", Issues = "https://kiln.example/issues" }',
    ]);
  });
});
