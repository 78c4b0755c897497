/** Facts that are stated once: paths of files, limits, names, and how a file is replaced (dist/node/client, dist/node/store). */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FileSource } from '../../dist/node/client/file_source.js';
import { MAX_TOP_K } from '../../dist/browser/client/limits.js';
import { CORE_FILE, ownVersion, readCore, TABLE_FILE, tableOf, userFolder } from '../../dist/node/client/paths.js';
import { writeAtomically } from '../../dist/node/base/files.js';
import { isLibraryName, isVersion, libraryCharacters } from '../../dist/browser/client/names.js';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('paths');

describe('paths', () => {
  it('Paths of shipped files exist', async () => {
    for (const file of [CORE_FILE, TABLE_FILE]) assert.ok(existsSync(file), file);
    assert.equal(tableOf('minilm-l6-256'), TABLE_FILE);
    assert.ok((await readCore()).equals(readFileSync(CORE_FILE)));
    assert.equal(await ownVersion(), JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version);
  });

  it('Paths of tables are below models, whatever a bundle calls its space', () => {
    for (const space of ['', '../package', 'a/b', 'A', '.', 'a\0', 'a'.repeat(65)]) assert.equal(tableOf(space), undefined, space);
  });

  it("Paths of the user come from the environment's absolute paths", () => {
    assert.equal(userFolder('cache', { XDG_CACHE_HOME: '/x' }), '/x');
    assert.equal(userFolder('cache', { XDG_CACHE_HOME: 'x' }), join(homedir(), '.cache'));
    assert.equal(userFolder('data', {}), join(homedir(), '.local', 'share'));
    assert.equal(userFolder('config', { XDG_CONFIG_HOME: '' }), join(homedir(), '.config'));
  });
});

describe('the most hits of a search', () => {
  it('The most hits of a search are as many as the core gives', () => {
    const header = readFileSync(new URL('../../src/search/query.h', import.meta.url), 'utf8');
    assert.equal(MAX_TOP_K, Number(/kMaxTopK = (\d+)/.exec(header)?.[1]));
  });
});

describe('names', () => {
  it('Names of libraries and versions follow the rules of sheaf-pack', () => {
    for (const name of ['a', '@vue/core', 'socket.io', 'c++', '_x', 'a'.repeat(128)]) assert.ok(isLibraryName(name), name);
    for (const name of ['', '.a', '-a', 'a b', 'a//b', '/a', '@', 'a~b', 'a'.repeat(129)]) assert.ok(!isLibraryName(name), name);
    for (const version of ['1.0', '2024-06', 'latest build', 'é'.repeat(32)]) assert.ok(isVersion(version), version);
    for (const version of ['', ' 1', '1 ', 'a/b', 'a\\b', 'a\nb', 'é'.repeat(33)]) assert.ok(!isVersion(version), version);
  });

  it('Names are made of other text by dashes', () => assert.equal(libraryCharacters('my docs, größe+1.0'), 'my-docs-gr-e+1.0'));
});

describe('a file that is replaced', () => {
  it('A replaced file appears whole, with the requested permissions, and no remains', async () => {
    const path = join(folder, 'whole');
    await writeAtomically(path, 'one');
    chmodSync(path, 0o640);
    await writeAtomically(path, 'two', { mode: statSync(path).mode });
    assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o7777], ['two', 0o640]);
    await writeAtomically(path, 'three', { mode: 0o400 });
    assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o7777], ['three', 0o400]);
    mkdirSync(join(folder, 'taken'));
    await assert.rejects(writeAtomically(join(folder, 'taken'), 'x'), { code: 'EISDIR' });
    assert.deepEqual(readdirSync(folder).sort(), ['taken', 'whole']);
  });
});

describe('a file as a source', () => {
  const path = join(folder, 'source');
  const text = async (source, ...range) => Buffer.from(await source.read(...range)).toString();

  it('A file as a source opens itself, and again after it was closed', async () => {
    writeFileSync(path, 'abcdef');
    const source = new FileSource(path);
    assert.deepEqual([await source.size(), await text(source, 1, 3)], [6, 'bcd']);
    await source.close();
    assert.equal(await text(source, 0, 2), 'ab');
    await source.close();
  });

  it('An open file as a source is that file alone, and closes with it', async () => {
    writeFileSync(path, 'abcdef');
    const source = new FileSource(path, await open(path));
    await writeAtomically(path, 'another');
    assert.equal(await text(source, 0, 6), 'abcdef');
    await source.close();
    await assert.rejects(source.read(0, 1), { code: 'CLOSED' });
    await source.close();
  });
});
