import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { namesOutput } from '../../dist/cli/pack.js';
import { renderAnswer } from '../../dist/cli/query.js';
import { compareVersions, decodeFileName, encodeFileName, listStore, pick, storeFolder } from '../../dist/node/store/store.js';
import { harmless, oneLine, paintHighlights, table } from '../../dist/node/base/terminal.js';

describe('file names of the store', () => {
  it('Store file names read back as their library and version', () => {
    for (const [library, version, name] of [
      ['fastapi', '0.115.0', 'fastapi@0.115.0.sheaf'],
      ['@vue/runtime-core', '3.4.21', '@vue~runtime-core@3.4.21.sheaf'],
      ['libstdc++', '12', 'libstdc++@12.sheaf'],
      ['a/b/c', '1@beta 2', 'a~b~c@1@beta 2.sheaf'],
      ['x', 'été', 'x@été.sheaf'],
    ]) {
      assert.equal(encodeFileName(library, version), name);
      assert.deepEqual(decodeFileName(name), { library, version });
    }
  });

  it('Store file names never leave the folder', () => {
    for (const [library, version] of [
      ['..', '1'],
      ['../x', '1'],
      ['a/../b', '1'],
      ['a', '../1'],
      ['a', 'b/c'],
      ['', '1'],
      ['a', ''],
      ['a', ' 1'],
      ['a', '1\n2'],
      ['a b', '1'],
      ['~a', '1'],
      ['a'.repeat(129), '1'],
      ['a', '1'.repeat(65)],
    ]) {
      assert.throws(() => encodeFileName(library, version), { exitCode: 2 }, `${library} ${version}`);
    }
  });

  it('Other files in the store mean nothing', () => {
    for (const name of ['readme.md', 'x.sheaf', '@1.sheaf', 'x@.sheaf', '.x@1.sheaf', 'x@1.sheaf.tmp', 'x y@1.sheaf', '~x@1.sheaf'])
      assert.equal(decodeFileName(name), undefined, name);
  });
});

describe('versions', () => {
  it('Versions are ordered by number, with pre-releases before their release', () => {
    const ordered = ['0.9', '0.10', '1.0.0-alpha', '1.0.0-rc.1', '1.0.0-rc.2', '1.0.0', '1.0.1', 'v2', '10', '2024-06'];
    for (let i = 1; i < ordered.length; i++) {
      assert.ok(compareVersions(ordered[i - 1], ordered[i]) < 0, `${ordered[i - 1]} < ${ordered[i]}`);
      assert.ok(compareVersions(ordered[i], ordered[i - 1]) > 0);
    }
    assert.equal(compareVersions('1.2', '1.2'), 0);
  });
});

describe('the store', () => {
  it('The store lies in XDG_DATA_HOME, unless that is relative', () => {
    assert.equal(storeFolder({ XDG_DATA_HOME: '/data' }), '/data/sheaf/libraries');
    for (const env of [{}, { XDG_DATA_HOME: '' }, { XDG_DATA_HOME: 'data' }])
      assert.equal(storeFolder(env), join(homedir(), '.local/share/sheaf/libraries'));
  });

  it('The store lists bundles by library, newest version first, and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sheaf-store-'));
    try {
      for (const name of ['vue@3.9.sheaf', 'vue@3.10.sheaf', '@a~b@1.sheaf', 'notes.txt', 'x.sheaf'])
        await writeFile(join(folder, name), 'abc');
      await mkdir(join(folder, 'folder@1.sheaf'));
      const found = await listStore(folder);
      assert.deepEqual(
        found.map((b) => [b.library, b.version, b.bytes]),
        [
          ['@a/b', '1', 3],
          ['vue', '3.10', 3],
          ['vue', '3.9', 3],
        ],
      );
      assert.deepEqual(await listStore(join(folder, 'missing')), []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const bundles = [
    ['a', '2'],
    ['a', '1'],
    ['b', '1'],
  ].map(([library, version]) => ({ library, version, path: `${library}${version}`, bytes: 1 }));

  it('The store picks the requested version, else the newest', () => {
    assert.equal(pick(bundles, 'a', '1').path, 'a1');
    assert.equal(pick(bundles, 'a', undefined).path, 'a2');
    assert.equal(pick(bundles.slice(2), undefined, undefined).path, 'b1');
  });

  it('The store answers a missing library with the available ones', () => {
    assert.throws(() => pick(bundles, 'c', undefined), { exitCode: 4, message: "Library 'c' not found. Available libraries: a, b" });
    assert.throws(() => pick(bundles, 'a', '3'), {
      exitCode: 4,
      message: "Version '3' not found for library 'a'. Available versions: 2, 1",
    });
    assert.throws(() => pick(bundles, undefined, undefined), { exitCode: 2, message: /Available: a, b/ });
    assert.throws(() => pick([], 'a', undefined), { exitCode: 4, message: /no libraries yet/ });
  });
});

describe('the terminal', () => {
  it('The terminal sees no control characters from documentation', () => {
    assert.equal(oneLine('a\u001b[2Jb\r\nc\u009b1m'), 'a [2Jb c 1m');
    assert.equal(oneLine('txt\u202egpj.exe\u2066!'), 'txt gpj.exe !');
    assert.equal(harmless('a\u001b]0;title\u0007\tb\r\nc'), 'a\ufffd]0;title\ufffd\tb\nc');
    assert.equal(harmless('txt\u202egpj'), 'txt\ufffdgpj');
    assert.equal(paintHighlights('one\n\u001b[31mtwo', [{ start: 0, length: 3 }]), 'one [31mtwo');
  });

  it('The terminal ignores senseless highlights', () => {
    assert.equal(
      paintHighlights('abc', [
        { start: 2, length: 9 },
        { start: 1, length: 1 },
        { start: 0, length: 1 },
      ]),
      'abc',
    );
  });

  it('The terminal aligns columns', () => {
    assert.equal(
      table(
        [
          ['a', '1'],
          ['bcd', '22'],
        ],
        new Set([1]),
      ),
      'a     1\nbcd  22',
    );
  });

  it('The terminal counts matches in words', () => {
    const none = { hits: [], corrections: [], matchingPassages: 0, ignoredWords: 0, usedKeyword: true, usedSemantic: false };
    assert.equal(renderAnswer(none, '1'), 'Found 0 matches.');
    const hit = {
      page: 0,
      passage: 0,
      score: 0.5,
      title: 'T',
      place: [],
      url: '/u',
      source: 's.md',
      anchor: 'a',
      headings: ['T', 'H'],
      firstLine: 3,
      lastLine: 9,
      snippet: 'some text',
      highlights: [],
    };
    assert.equal(
      renderAnswer({ ...none, hits: [hit], corrections: [{ word: 'x', term: 'y' }] }, '1.2'),
      ['Found 1 match.', 'Searched y for x.', '', '1. T › H  0.5000  1.2', '   /u#a  (s.md:3-9)', '   some text'].join('\n'),
    );
    const symbol = { kind: 'method', deprecated: true, name: 'Kiln.fire', signature: 'fire(hours=8)' };
    const named = renderAnswer({ ...none, hits: [{ ...hit, symbol }] }, '1.2').split('\n');
    assert.deepEqual(named.slice(-2), ['   deprecated method  fire(hours=8)', '   some text']);
  });
});

describe('sheaf pack', () => {
  it('sheaf pack knows whether the packer was told an output', () => {
    for (const args of [['docs', '-o', 'x'], ['-ox'], ['--output=x'], ['--output', 'x'], ['-qo', 'x']])
      assert.equal(namesOutput(args), true, args.join(' '));
    for (const args of [['docs'], ['--only'], ['--', '-o'], []]) assert.equal(namesOutput(args), false, args.join(' '));
  });
});
