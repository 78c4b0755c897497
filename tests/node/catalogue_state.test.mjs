/** The state file of `sheaf publish build`: what a running build writes, and what of a killed one is read. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { StateFile } from '../../dist/node/publish/state.js';
import { writeTree } from '../fixtures/tree.mjs';
import { isolatedSheaf, serve } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const root = temporaryFolder('catalogue-state');
const entry = (name) => ({
  ...{ text: name, identity: name, file: { sha256: 'ab', bytes: 1 }, recipe: '', source: '', commit: '', date: '' },
  about: {
    ...{ library: name, version: '1', language: '', title: '', description: 'd'.repeat(1000), licence: '', space: '', vector: '' },
    ...{ pages: 1, passages: 1, words: ['clay'], headings: [] },
  },
});
const entriesOf = (names) => Object.fromEntries(names.map((name) => [`["${name}"]`, entry(name)]));
const names = (count) => Array.from({ length: count }, (_, at) => `library-${at}`);

/** Waits until the file holds `text`. */
async function until(path, text) {
  for (let n = 0; n < 1500 && !(existsSync(path) && readFileSync(path, 'utf8').includes(text)); n++) await wait(20);
  assert.ok(readFileSync(path, 'utf8').includes(text), `${path} never held ${text}`);
}

const opened = (path, fail = (error) => assert.fail(error)) => StateFile.open(path, fail);

describe('the state of a catalogue', () => {
  it('The state of a catalogue grows only by new entries, however long it is', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const path = join(root, 'grows.json');
    const old = entriesOf(names(3000));
    await (await opened(path)).write({ format: 1, entries: old });
    const { ino, size, mode } = statSync(path);
    assert.ok(size > 3e6 && (mode & 0o777) === 0o600);
    const state = await opened(path);
    for (const name of ['new', 'newer']) {
      state.add(name, entry(name));
      state.add('library-0', { ...entry('library-0'), identity: name });
      t.mock.timers.tick(5000);
      t.mock.timers.reset();
      await until(path, `"identity":"${name}","file":{"sha256":"ab","bytes":1},`);
      t.mock.timers.enable({ apis: ['setTimeout'] });
    }
    t.mock.timers.reset();
    const now = statSync(path);
    assert.equal(now.ino, ino, 'it is the same file');
    assert.ok(now.size - size < 6000, `${now.size - size} bytes for four entries`);
    const { before } = await opened(path);
    assert.deepEqual(before.entries, {
      ...old,
      new: entry('new'),
      newer: entry('newer'),
      'library-0': { ...entry('library-0'), identity: 'newer' },
    });
    await state.write({ format: 1, entries: { new: entry('new') } });
    assert.deepEqual((await opened(path)).before, { format: 1, entries: { new: entry('new') } });
  });

  it('The state of a catalogue is read up to a torn end, then mended', async (t) => {
    for (const [at, torn] of ['["b",{"text"', '["b"]\n', '\0\0\0\n["c",{}]\n', '["b",null]\n'].entries()) {
      const path = join(root, `torn-${at}.json`);
      await (await opened(path)).write({ format: 1, entries: entriesOf(['a']) });
      appendFileSync(path, `${JSON.stringify(['kept', entry('kept')])}\n${torn}`);
      const state = await opened(path);
      assert.deepEqual(Object.keys(state.before.entries), ['["a"]', 'kept'], torn);
      t.mock.timers.enable({ apis: ['setTimeout'] });
      state.add('new', entry('new'));
      t.mock.timers.tick(5000);
      t.mock.timers.reset();
      await until(path, '["new",');
      assert.deepEqual(Object.keys((await opened(path)).before.entries), ['["a"]', 'kept', 'new'], torn);
      await state.write({ format: 1, entries: {} });
    }
  });

  it('The state of a catalogue is refused by name when it is another file', async () => {
    const path = join(root, 'other.json');
    for (const text of ['', '{}', '[1]', 'null', '{"format":2,"entries":{}}', '{"format":1,"entries":null}', '{"format":1']) {
      writeFileSync(path, text);
      await assert.rejects(opened(path), /other\.json is not what sheaf publish build writes; remove it/, text);
    }
  });

  it('The state of a catalogue passes over an incomplete entry anywhere', async () => {
    const path = join(root, 'members.json');
    const { about, file } = entry('a');
    const bad = [{}, 7, null, { ...entry('a'), file: { ...file, bytes: '1' } }, { ...entry('a'), about: { ...about, words: [1] } }];
    for (const name of Object.keys(entry('a'))) bad.push({ ...entry('a'), [name]: undefined });
    for (const name of Object.keys(about)) bad.push({ ...entry('a'), about: { ...about, [name]: undefined } });
    const entries = Object.fromEntries([...bad.entries(), ['good', entry('good')]]);
    writeFileSync(
      path,
      `${JSON.stringify({ format: 1, entries, index: { pages: 'x' } })}\n["c",{}]\n${JSON.stringify(['d', entry('d')])}\n`,
    );
    assert.deepEqual((await opened(path)).before, { format: 1, entries: { good: entry('good'), d: entry('d') } });
  });

  it('An unwritable state of a catalogue is reported during and after the build', async (t) => {
    const folder = join(root, 'gone');
    mkdirSync(folder);
    const heard = [];
    const state = await opened(join(folder, 'state.json'), (error) => heard.push(error.message));
    rmSync(folder, { recursive: true });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    state.add('new', entry('new'));
    t.mock.timers.tick(5000);
    t.mock.timers.reset();
    for (let n = 0; n < 100 && heard.length === 0; n++) await wait(20);
    assert.match(heard[0], /gone\/state\.json cannot be written: .*ENOENT/);
    await assert.rejects(state.write({ format: 1, entries: {} }), /gone\/state\.json cannot be written/);
  });

  it('The state of a catalogue has entries from seconds before a kill', async () => {
    const site = await serve(() => () => {}); // never answers
    try {
      const sheaf = isolatedSheaf(root);
      writeTree(sheaf.cwd, {
        'docs/a.md': '# Kiln\n\nFires pots of clay.\n',
        'list.txt': `kiln -s ./docs -v 1\nslow -s ${site.url}/sitemap.xml\n`,
      });
      const state = join(sheaf.cwd, 'cat.state.json');
      const child = sheaf.start(['publish', 'build', 'list.txt', '-o', 'cat', '--allow-private']);
      await until(state, '"kiln"');
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
      writeFileSync(join(sheaf.cwd, 'list.txt'), 'kiln -s ./docs -v 1\n');
      const again = await sheaf.json(['publish', 'build', 'list.txt', '-o', 'cat']);
      assert.deepEqual([again.packed, again.unchanged], [0, 1]);
    } finally {
      await site.close();
    }
  });
});
