/** A part of tests/faults/run.mjs, which tries every verb: calls of the system that write fail in turn. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const file = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const why =
  process.platform !== 'linux'
    ? 'a library is loaded before each command, as Linux does'
    : spawnSync('cc', ['--version']).status !== 0
      ? 'there is no C compiler'
      : existsSync(file('build/native/sheaf-pack'))
        ? false
        : 'build/native/sheaf-pack is not built';

describe('failing calls of the system', { skip: why }, () => {
  it('Packing, removing and setting leave the old files or the new ones, whichever call fails', () => {
    const sweep = spawnSync(process.execPath, [file('tests/faults/run.mjs'), '--only=config,remove,pack'], {
      encoding: 'utf8',
    });
    assert.equal(sweep.status, 0, `${sweep.stdout}${sweep.stderr}`);
    assert.match(sweep.stdout, /^config: [1-9]\d* calls; .* [1-9]\d* runs failed/m);
    assert.match(sweep.stdout, /No file was lost/);
  });
});
