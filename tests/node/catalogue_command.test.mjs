/** `sheaf catalogue`: the list of a folder of bundles. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { MAIN, packFixture, TABLE, temporaryFolder } from './packed.mjs';

const folder = join(temporaryFolder('catalogue'), 'my docs');
const sheaf = (...args) => spawnSync(process.execPath, [MAIN, 'catalogue', ...args], { encoding: 'utf8' });
const list = () => JSON.parse(readFileSync(join(folder, 'catalogue.json'), 'utf8'));

describe('sheaf catalogue', () => {
  before(async () => {
    mkdirSync(folder);
    await packFixture(join(folder, 'kiln@1.4.0.sheaf'));
    await packFixture(join(folder, 'kiln@1.10.0.sheaf'), { version: '1.10.0' });
  });

  it('lists every bundle with its size, hash and address, newest version first', () => {
    const { status, stdout } = sheaf(folder);
    assert.equal(status, 0);
    assert.match(stdout, /1 libraries, 2 bundles/);
    const { sheaf: format, title, libraries } = list();
    assert.deepEqual([format, title, libraries.length], [1, 'my docs', 1]);
    assert.deepEqual(
      libraries[0].versions.map(({ version }) => version),
      ['1.10.0', '1.4.0'],
    );
    const [first] = libraries[0].versions;
    const bytes = readFileSync(join(folder, decodeURIComponent(first.address)));
    assert.deepEqual([first.bytes, first.sha256], [bytes.length, createHash('sha256').update(bytes).digest('hex')]);
  });

  it('writes the same bytes for the same folder', () => {
    const before = readFileSync(join(folder, 'catalogue.json'));
    assert.equal(sheaf(folder).status, 0);
    assert.ok(readFileSync(join(folder, 'catalogue.json')).equals(before));
  });

  it('takes what is said beside the bundles, lists tables, and leaves out what is no bundle, by name', () => {
    writeFileSync(join(folder, 'catalogue.about.json'), '{"kiln": {"title": "Kiln", "description": "Fires pots.", "licence": "MIT"}}');
    writeFileSync(join(folder, 'broken.sheaf'), 'nothing');
    copyFileSync(TABLE, join(folder, 'minilm-l6-256.sheaf'));
    const { status, stdout, stderr } = sheaf(folder, '--json', '--title', 'Ours');
    assert.equal(status, 0);
    assert.match(stderr, /broken\.sheaf is left out/);
    assert.deepEqual(
      JSON.parse(stdout).skipped.map(({ file }) => file),
      ['broken.sheaf'],
    );
    const { title, libraries, tables } = list();
    assert.deepEqual([title, libraries[0].title, libraries[0].description, libraries[0].licence], ['Ours', 'Kiln', 'Fires pots.', 'MIT']);
    assert.deepEqual(
      tables.map(({ space }) => space),
      ['minilm-l6-256'],
    );
  });

  it('says what is missing', () => {
    assert.equal(sheaf().status, 2);
    assert.notEqual(sheaf(join(folder, 'nowhere')).status, 0);
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    assert.match(sheaf(empty).stderr, /holds no bundle/);
  });
});
