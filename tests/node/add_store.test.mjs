/** `sheaf add`, `update` and `remove` of folders and ready bundles, and what all sources share. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { confirm, pressEnter } from '../../dist/node/base/confirm.js';
import { requirePacker } from '../native_packer.mjs';
import { compare } from '../../dist/node/ingest/ingest.js';
import { temporaryName } from '../../dist/node/base/leftovers.js';
import { isoDay } from '../../dist/node/sources/source.js';
import { hashFiles } from '../../dist/node/sources/walk.js';
import { writeTree } from '../fixtures/tree.mjs';
import { finish, isolatedSheaf, serve } from './doc_servers.mjs';
import { DOCS, MAIN, packFixture, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('add-store');
const sheaf = isolatedSheaf(folder);
const docs = join(sheaf.cwd, 'docs');
// A folder is versioned by the day, so these tests run in a zone where it has just begun.
const hour = new Date().getUTCHours();
process.env.TZ = hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`;
const today = `local-${isoDay()}`;

before(() => cpSync(DOCS, docs, { recursive: true }));

describe('sheaf add with a folder', () => {
  it("A folder's version is local-YYYY-MM-DD, and its addresses are file: URLs", async () => {
    const { code, stdout, stderr } = await sheaf(['add', 'kiln', '-s', './docs', '-y']);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `Embedding complete: Library kiln (${today}) added.\n`);
    assert.equal((await sheaf.page('kiln', today, 'guide/install.md')).url, `${pathToFileURL(docs).href}/guide/install.md`);
  });

  it("A folder's version is what --version says, also after an update", async () => {
    writeTree(sheaf.cwd, { 'named/index.md': '# Named\n\nText.\n' });
    assert.equal((await sheaf.json(['add', 'named', '-s', './named', '-v', '3.5', '-y'])).version, '3.5');
    assert.equal((await sheaf.json(['add', 'named', '-s', './named', '-v', '3.4', '-y'])).version, '3.4', 'beside it');
    writeTree(sheaf.cwd, { 'named/index.md': '# Named\n\nOther text.\n' });
    const updated = await sheaf.json(['update', 'named', '-v', '3.5', '-y']);
    assert.deepEqual([updated.version, updated.action], ['3.5', 'updated']);
    assert.ok(existsSync(join(sheaf.store, 'named@3.4.sheaf')) && existsSync(join(sheaf.store, 'named@3.5.sheaf')));
  });

  it('sheaf add takes a folder with spaces and brackets, and a single file', async () => {
    writeTree(sheaf.cwd, { 'a b [1]%/x.md': '# X\n\nText.\n', '-odd/x.md': '# X\n\nText.\n' });
    assert.equal((await sheaf.json(['add', 'brackets', '-s', './a b [1]%', '-y'])).pages, 1);
    assert.equal((await sheaf.json(['add', 'odd', '-s', './-odd', '-y'])).pages, 1);
    assert.equal((await sheaf.json(['add', 'file', '-s', 'docs/index.md', '-y'])).pages, 1);
    assert.equal((await sheaf.json(['add', './docs', '-y'])).library, 'docs');
  });

  it('sheaf add takes non-UTF-8 names, and notices when such files change', { skip: process.platform !== 'linux' }, async () => {
    const place = Buffer.concat([Buffer.from(join(sheaf.cwd, 'bytes', 'f')), Buffer.from([0xff])]);
    const file = (name) => Buffer.concat([place, Buffer.from('/'), Buffer.from(name, 'latin1')]);
    mkdirSync(place, { recursive: true });
    for (const name of ['a\xfe.md', 'b.md']) writeFileSync(file(name), `# ${name[0]}\n\nText.\n`);
    writeTree(sheaf.cwd, { 'bytes/ä.md': '# Ä\n\nText.\n' });
    symlinkSync(file('a\xfe.md'), join(sheaf.cwd, 'bytes', 'link.md'));
    const { pages, library, version } = await sheaf.json(['add', 'bytes', '-s', './bytes', '-y']);
    assert.equal(pages, 3, 'a link and its target are one page');
    assert.deepEqual(
      Object.keys(JSON.parse(readFileSync(join(sheaf.data, 'sheaf', 'sources', `${library}@${version}.json`), 'utf8')).files),
      ['f%FF/a%FE.md', 'f%FF/b.md', 'link.md', 'ä.md'],
    );
    assert.equal((await sheaf.json(['add', 'bytes', '-s', './bytes', '-y'])).action, 'unchanged');
    writeFileSync(file('a\xfe.md'), '# A\n\nOther text.\n');
    assert.deepEqual((await sheaf.json(['add', 'bytes', '-s', './bytes', '-y'])).changes, {
      added: 0,
      modified: 2,
      deleted: 0,
      unchanged: 2,
    });
  });

  it('sheaf add reads nothing in a .git folder, whatever links lead there', async () => {
    writeTree(sheaf.cwd, {
      'own/a.md': '# A\n\nText.\n',
      'own/.git/config': 'url = https://me:hunter2@host/\n',
      'own/.git/x/b.md': '# B\n\nText.\n',
    });
    for (const [target, path] of [
      ['.git/config', 'leak.md'],
      ['.git', 'meta'],
      ['.git/x', 'x'],
    ])
      symlinkSync(target, join(sheaf.cwd, 'own', path));
    const { pages, library, version } = await sheaf.json(['add', 'own', '-s', './own', '-y']);
    assert.equal(pages, 1);
    assert.deepEqual(
      Object.keys(JSON.parse(readFileSync(join(sheaf.data, 'sheaf', 'sources', `${library}@${version}.json`), 'utf8')).files),
      ['a.md'],
    );
    for (const noIgnore of [true, false])
      assert.deepEqual(
        [...(await hashFiles(join(sheaf.cwd, 'own'), [join(sheaf.cwd, 'own')], noIgnore, new AbortController().signal)).keys()],
        ['a.md'],
      );
    assert.notEqual((await sheaf(['add', 'leak', '-s', './own/leak.md', '-y'])).code, 0);
  });

  it('sheaf add resolves links alone, so a deep folder costs as much as a wide one', async (t) => {
    const deep = join(sheaf.cwd, 'deep');
    mkdirSync(join(deep, ...Array(300).fill('a')), { recursive: true });
    writeTree(deep, { [`${'a/'.repeat(300)}x.md`]: '# X\n\nText.\n', 'b/y.md': '# Y\n\nText.\n' });
    symlinkSync('../../b', join(deep, 'a', 'a', 'link'));
    const counted = t.mock.method(promises, 'realpath');
    syncBuiltinESMExports();
    t.after(() => {
      counted.mock.restore();
      syncBuiltinESMExports();
    });
    const hashes = await hashFiles(deep, [deep], false, new AbortController().signal);
    assert.deepEqual([...hashes.keys()], ['a/a/link/y.md', `${'a/'.repeat(300)}x.md`].toSorted());
    assert.equal(counted.mock.callCount(), 2, 'the input and the link');
  });

  it('sheaf add notices changed includes, within the folder alone', async () => {
    writeFileSync(join(folder, 'secret.py'), '1\n');
    writeTree(sheaf.cwd, {
      'with/docs/a.md': '# A\n\n{{#include ../code/x.py:part}}\n\n{{#include ../../../secret.py}}\n\n{{#include ../code/link.py}}\n',
      'with/code/x.py': '1\n',
      'with/code/y.py': '1\n',
    });
    symlinkSync(join(folder, 'secret.py'), join(sheaf.cwd, 'with/code/link.py'));
    const { library, version } = await sheaf.json(['add', 'with', '-s', './with', '-y']);
    const { files } = JSON.parse(readFileSync(join(sheaf.data, 'sheaf', 'sources', `${library}@${version}.json`), 'utf8'));
    assert.deepEqual(Object.keys(files), ['docs/a.md', 'code/x.py']);
    writeTree(sheaf.cwd, { 'with/code/x.py': '2\n', 'with/code/y.py': '2\n' });
    assert.equal((await sheaf.json(['add', 'with', '-s', './with', '-y'])).changes.modified, 1);
  });

  it('A second sheaf add updates by SHA-256 of the pages: new, modified, deleted, unchanged', async () => {
    assert.equal((await sheaf.json(['add', 'kiln', '-s', './docs', '-y'])).action, 'unchanged');
    writeTree(docs, { 'new.md': '# New\n\nText.\n', 'index.md': '# Changed\n\nText.\n' });
    rmSync(join(docs, 'guide/security.md'));
    const { stderr, code } = await sheaf(['add', 'kiln', '-s', './docs', '-y']);
    assert.equal(code, 0);
    assert.match(stderr, /Update Summary:\n {2}Added: 1\n {2}Modified: 1\n {2}Deleted: 1\n {2}Unchanged: 6\n/);
  });

  it("sheaf update replaces an older day's bundle by today's", async () => {
    const [old, record] = [
      join(sheaf.store, 'kiln@local-2020-01-02.sheaf'),
      (version) => join(sheaf.data, 'sheaf', 'sources', `kiln@${version}.json`),
    ];
    renameSync(join(sheaf.store, `kiln@${today}.sheaf`), old);
    writeFileSync(
      record('local-2020-01-02'),
      readFileSync(record(today), 'utf8').replace(`"version": "${today}"`, '"version": "local-2020-01-02"'),
    );
    rmSync(record(today));
    assert.equal((await sheaf.json(['update', 'kiln', '-y'])).version, 'local-2020-01-02', 'nothing changed');
    writeTree(docs, { 'index.md': '# Changed again\n\nText.\n' });
    const { stderr } = await sheaf(['update', 'kiln', '-y']);
    assert.match(stderr, /Replaced local-2020-01-02\./);
    assert.equal(existsSync(old), false);
    assert.equal(existsSync(join(sheaf.store, `kiln@${today}.sheaf`)), true);
  });

  it('sheaf add names the fault: missing folder, no documentation, a version', async () => {
    mkdirSync(join(sheaf.cwd, 'bare'));
    for (const [args, code, message] of [
      [['-s', './nowhere'], 4, /nowhere cannot be read: there is no such file or folder/],
      [['-s', './bare'], 4, /No documentation found in .*bare; taken are \.md/],
      [['-s', './ready.sheaf', '-v', '1.0'], 1, /--version is only for git repositories and packages/],
      [['-s', './docs', '-v', '../1.0'], 2, /version/],
      [['-s', './docs', '-f', 'x'], 2, /--filter-keyword is for sitemaps/],
      [['-s', './docs', '-d', 'x'], 2, /--docs-path is for git repositories/],
      [['-s', 'gopher://x/y'], 2, /scheme gopher:/],
      [['-s', ''], 2, /The source is empty/],
      [['-s', 'x'.repeat(100_000)], 2, /longer than/],
    ]) {
      const result = await sheaf(['add', 'wrong', ...args, '-y']);
      assert.equal(result.code, code, result.stderr);
      assert.match(result.stderr, message);
      assert.equal(result.stdout, '');
    }
    for (const args of [[], ['a', 'b'], ['a', '--nonsense']]) assert.equal((await sheaf(['add', ...args])).code, 2);
  });

  it('sheaf add of an unknown name ends with 1 and No source provided for library', async () => {
    const { code, stderr } = await sheaf(['add', 'unheard-of', '-y']);
    assert.equal(code, 1);
    assert.ok(
      stderr.includes("No source provided for library 'unheard-of'. Please provide a --source URL or use a library from the source file."),
    );
  });

  it('sheaf add names the way to a missing packer, before any fetch', async () => {
    const { code } = await sheaf(['add', 'kiln', '-s', './docs', '-y'], { SHEAF_PACK: join(folder, 'none') });
    assert.equal(code, 5);
  });
});

describe('what is there already', () => {
  it('An existing bundle is not replaced from elsewhere unless the user says so', async () => {
    writeTree(sheaf.cwd, { 'other/a.md': '# Other\n\nText.\n' });
    await sheaf.json(['add', 'claimed', '-s', './docs', '-y']);
    const bundle = join(sheaf.store, `claimed@${today}.sheaf`);
    const bytes = readFileSync(bundle);
    const { code, stderr } = await sheaf(['add', 'claimed', '-s', './other', '-y']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /claimed local-\S+ is there already, from .*docs\. Give this one a name of its own: .*sheaf update claimed -v \S+ --source .*other/,
    );
    assert.deepEqual(readFileSync(bundle), bytes);
    const [, command] = /replace it: sheaf (.*)\n/.exec(stderr);
    assert.equal((await sheaf.json([...command.split(' '), '-y'])).pages, 1, 'as it was told to');
    assert.equal((await sheaf.json(['add', 'claimed', '-s', './other', '-y'])).action, 'unchanged');
  });

  it('An existing bundle of unknown origin is not replaced', async () => {
    const bundle = join(sheaf.store, `unknown@${today}.sheaf`);
    await packFixture(bundle, { library: 'unknown', version: today });
    const bytes = readFileSync(bundle);
    const { code, stderr } = await sheaf(['add', 'unknown', '-s', './other', '-y']);
    assert.deepEqual([code, /is there already, and no record says from where/.test(stderr)], [1, true], stderr);
    assert.deepEqual(readFileSync(bundle), bytes);
    const [, command] = /replace it: sheaf (.*)\n/.exec(stderr);
    assert.equal((await sheaf.json([...command.split(' '), '-y'])).pages, 1, 'as it was told to');
  });

  it("An existing bundle is not replaced when another version's update arrives there", async () => {
    await sheaf.json(['add', 'moving', '-s', './docs', '-y']);
    for (const folder of [sheaf.store, join(sheaf.data, 'sheaf', 'sources')])
      for (const name of readdirSync(folder).filter((each) => each.startsWith('moving@')))
        renameSync(join(folder, name), join(folder, name.replace(today, 'local-2020-01-01')));
    const record = join(sheaf.data, 'sheaf', 'sources', 'moving@local-2020-01-01.json');
    writeFileSync(
      record,
      readFileSync(record, 'utf8')
        .replaceAll(today, 'local-2020-01-01')
        .replace(/"files": \{/, '"files": {"gone.md":"",'),
    );
    await packFixture(join(sheaf.store, `moving@${today}.sheaf`), { library: 'moving', version: today });
    const { code, stderr } = await sheaf(['update', 'moving', '-v', 'local-2020-01-01', '-y']);
    assert.deepEqual([code, /is there already/.test(stderr)], [1, true], stderr);
  });
});

describe('what a killed run left', () => {
  it("A killed run's leftovers are removed by the next, and a running one's are kept", async () => {
    const tmp = join(folder, 'killed-tmp');
    mkdirSync(tmp);
    const stub = join(folder, 'sleeping');
    writeFileSync(
      stub,
      '#!/bin/sh\n[ "$1" = unread ] && exec echo \'{"ok":true,"root":"/","includesFrom":"/","files":[]}\'\nwhile [ "$1" != --output ]; do shift; done\necho half > "$2"\necho started >&2\nexec sleep 60\n',
      {
        mode: 0o755,
      },
    );
    const run = async (library) => {
      const child = sheaf.start(['add', library, '-s', './docs', '-y'], { SHEAF_PACK: stub, TMPDIR: tmp }, { detached: true });
      await new Promise((done) => child.stderr.on('data', (chunk) => String(chunk).includes('started') && done()));
      return child;
    };
    const ended = (child) => new Promise((done) => child.once('exit', done));
    const left = () => [...readdirSync(tmp), ...readdirSync(sheaf.store).filter((name) => !name.endsWith('.sheaf'))];
    const [killed, alive] = [await run('killed'), await run('alive')];
    assert.equal(left().length, 4, left().join());
    const exit = ended(killed);
    process.kill(-killed.pid, 'SIGKILL');
    await exit;
    const records = join(sheaf.data, 'sheaf', 'sources');
    const [dead, ours] = [killed.pid, process.pid].map((pid) =>
      temporaryName(join(records, 'x.json')).replace(`.${process.pid}.`, `.${pid}.`),
    );
    for (const path of [dead, ours]) writeFileSync(path, '');
    assert.equal((await sheaf(['add', 'after', '-s', './docs', '-y'], { TMPDIR: tmp })).code, 0);
    assert.equal(left().length, 2, left().join());
    assert.deepEqual([existsSync(dead), existsSync(ours)], [false, true]);
    const over = ended(alive);
    process.kill(-alive.pid, 'SIGTERM');
    await over;
    rmSync(ours);
    await sheaf(['add', 'after', '-s', './docs', '-y'], { TMPDIR: tmp });
    assert.deepEqual(left(), []);
    assert.equal(existsSync(join(sheaf.store, `killed@${today}.sheaf`)), false);
  });
});

describe('a failing packer', () => {
  it('A packer that fails, dies or is interrupted leaves the old bundle', async () => {
    const bundle = join(sheaf.store, `kiln@${today}.sheaf`);
    const bytes = readFileSync(bundle);
    writeTree(docs, { 'more.md': '# More\n\nText.\n' });
    const stub = join(folder, 'stub');
    for (const [script, message] of [
      ['exit 2', /could not be packed: sheaf-pack ended with 2\. What was there before is untouched/],
      ['kill -9 $$', /could not be packed/],
      ['echo \'{"ok":false,"error":{"message":"disk full"}}\'; exit 2', /could not be packed: disk full/],
    ]) {
      writeFileSync(stub, `#!/bin/sh\n${script}\n`);
      chmodSync(stub, 0o755);
      const { code, stderr } = await sheaf(['add', 'kiln', '-s', './docs', '-y'], { SHEAF_PACK: stub });
      assert.equal(code, 1, stderr);
      assert.match(stderr, message);
    }
    const tmp = join(folder, 'tmp');
    mkdirSync(tmp);
    writeFileSync(stub, '#!/bin/sh\n[ "$1" = unread ] && exit\necho started >&2\nexec sleep 60\n');
    const child = sheaf.start(['add', 'kiln', '-s', './docs', '-y'], { SHEAF_PACK: stub, TMPDIR: tmp });
    child.stderr.once('data', function wait(chunk) {
      if (String(chunk).includes('started')) child.kill('SIGTERM');
      else child.stderr.once('data', wait);
    });
    const { code, stderr } = await finish(child);
    assert.equal(code, 143, stderr);
    assert.deepEqual(readFileSync(bundle), bytes);
    assert.deepEqual(readdirSync(tmp), []);
    assert.equal((await sheaf.json(['add', 'kiln', '-s', './docs', '-y'])).changes.added, 1, 'the next one sees the change');
  });

  it('sheaf add packs anew over a bundle that another program wrote', async () => {
    await packFixture(join(sheaf.store, `kiln@${today}.sheaf`), { library: 'kiln', version: today });
    assert.equal((await sheaf.json(['add', 'kiln', '-s', './docs', '-y'])).action, 'added');
  });
});

describe('sheaf add with a ready bundle', () => {
  const file = join(folder, 'ready.sheaf');
  before(() => packFixture(file, { library: '@kiln/ready', version: '7.1' }));

  it('sheaf add names a ready bundle by its own manifest, from a file or URL', async () => {
    const outcome = await sheaf.json(['add', file, '-y']);
    assert.deepEqual([outcome.library, outcome.version, outcome.action], ['@kiln/ready', '7.1', 'added']);
    assert.deepEqual(readFileSync(join(sheaf.store, '@kiln~ready@7.1.sheaf')), readFileSync(file));
    const server = await serve({
      '/x/any.sheaf': { body: readFileSync(file) },
      '/moved.sheaf': { status: 302, headers: { location: '/x/any.sheaf' } },
      '/away.sheaf': { status: 302, headers: { location: 'http://10.0.0.1/x.sheaf' } },
    });
    after(() => server.close());
    assert.equal((await sheaf.json(['add', `${server.url}/x/any.sheaf`, '-y'])).action, 'unchanged', 'another source, the same bytes');
    assert.match(
      readFileSync(join(sheaf.data, 'sheaf', 'sources', '@kiln~ready@7.1.json'), 'utf8'),
      /any\.sheaf/,
      'which is where updates come from now',
    );
    assert.equal((await sheaf.json(['add', `${server.url}/moved.sheaf`, '-y'])).library, '@kiln/ready');
    assert.equal((await sheaf.json(['update', '@kiln/ready', '-y'])).action, 'unchanged');
    const away = await sheaf(['add', `${server.url}/away.sheaf`, '-y']);
    assert.match(away.stderr, /10\.0\.0\.1 is refused/);
    assert.equal((await sheaf(['add', `${server.url}/none.sheaf`, '-y'])).code, 4);
  });

  it('sheaf add refuses a ready bundle of another name, and an unsound one', async () => {
    const other = await sheaf(['add', 'kiln', '-s', file, '-y']);
    assert.equal(other.code, 2);
    assert.match(other.stderr, /The bundle is of library '@kiln\/ready', not 'kiln'/);
    const before = readdirSync(sheaf.store).sort();
    const damaged = readFileSync(file);
    damaged[damaged.length >> 1] ^= 1;
    for (const [name, bytes] of [
      ['damaged.sheaf', damaged],
      ['cut.sheaf', damaged.subarray(0, 900)],
      ['text.sheaf', 'text '.repeat(100)],
      ['empty.sheaf', ''],
    ]) {
      writeFileSync(join(folder, name), bytes);
      const { code, stderr } = await sheaf(['add', join(folder, name), '-y']);
      assert.equal(code, 3, `${name}: ${stderr}`);
    }
    assert.equal((await sheaf(['add', join(folder, 'missing.sheaf'), '-y'])).code, 4);
    assert.deepEqual(readdirSync(sheaf.store).sort(), before);
  });

  it("A ready bundle is no longer updated from a file that became another library's", async () => {
    const place = join(folder, 'place.sheaf');
    const before = readdirSync(sheaf.store).sort();
    cpSync(file, place);
    await sheaf.json(['add', place, '-y']);
    await packFixture(place, { library: 'react', version: '99.0.0' });
    const { code, stderr } = await sheaf(['update', '@kiln/ready', '-y']);
    assert.equal(code, 2);
    assert.match(stderr, /The bundle is of library 'react', not '@kiln\/ready'/);
    assert.deepEqual(readdirSync(sheaf.store).sort(), before);
  });
});

describe('sheaf update', () => {
  it('sheaf update alone ends with 1 and Either provide a library name or use --all', async () => {
    const { code, stderr } = await sheaf(['update']);
    assert.equal(code, 1);
    assert.ok(stderr.includes('Either provide a library name or use --all to update all libraries\n'));
  });

  it('sheaf update --all excludes a library, -s and -v', async () => {
    for (const args of [['kiln'], ['-s', 'x'], ['-v', '1']])
      assert.equal((await sheaf(['update', '--all', ...args])).code, 2, args.join(' '));
  });

  it('sheaf update reports an unknown source, and takes one', async () => {
    await packFixture(join(sheaf.store, 'lone@latest.sheaf'), { library: 'lone', version: 'latest' });
    const { code, stderr } = await sheaf(['update', 'lone', '-y']);
    assert.equal(code, 1);
    assert.match(stderr, /No source is known for library 'lone' \(latest\), which was packed here; name one with --source/);
    assert.equal((await sheaf(['update', 'never', '-y'])).code, 4);
    assert.equal((await sheaf(['update', 'kiln', '-v', '99', '-y'])).code, 4);
    assert.equal((await sheaf.json(['update', 'lone', '-s', './docs', '-y'])).library, 'lone');
  });

  it('sheaf update --all continues after a failure, and reports all of it', async () => {
    await sheaf.json(['add', 'doomed', '-s', './-odd', '-y']);
    rmSync(join(sheaf.cwd, '-odd'), { recursive: true });
    writeTree(docs, { 'index.md': '# Third\n\nText.\n' });
    const { code, stdout, stderr } = await sheaf(['update', '--all', '-y', '--json']);
    assert.equal(code, 1);
    const report = JSON.parse(stdout);
    assert.ok(report.failed.some(({ library }) => library === 'doomed'));
    assert.deepEqual(report.libraries.find(({ library }) => library === 'kiln').changes.modified, 1);
    assert.match(stderr, /\d+ updated, \d+ unchanged, \d+ failed, \d+ without a known source\./);
  });
});

describe('sheaf remove', () => {
  it('sheaf remove shows chunks, pages and three titles, and says Deleted N chunks for library', async () => {
    const { passages, pages } = await sheaf.json(['add', 'gone', '-s', './docs', '-y']);
    const { code, stdout, stderr } = await sheaf(['remove', 'gone', '-v', today, '-y']);
    assert.equal(code, 0);
    assert.equal(stdout, `Deleted ${passages} chunks for library 'gone' version '${today}'.\n`);
    assert.match(stderr, new RegExp(`Chunks: ${passages}\nPages: ${pages}\n(  - .+\n){3}$`));
    assert.equal(existsSync(join(sheaf.store, `gone@${today}.sheaf`)), false);
    assert.equal(existsSync(join(sheaf.data, 'sheaf', 'sources', `gone@${today}.json`)), false);
  });

  it('sheaf remove of a missing version ends with 1 and Library NAME version V not found.', async () => {
    for (const verb of ['remove', 'rm']) {
      const { code, stderr } = await sheaf([verb, 'gone', '-v', '1', '-y']);
      assert.equal(code, 1);
      assert.ok(stderr.includes("Library 'gone' version '1' not found.\n"));
    }
  });

  it('sheaf remove needs a version, and -y without a terminal', async () => {
    const without = await sheaf(['remove', 'kiln', '-y']);
    assert.equal(without.code, 2);
    assert.match(without.stderr, new RegExp(`Name the version with -v\\. .*Installed: ${today}`));
    const silent = await sheaf(['remove', 'kiln', '-v', today]);
    assert.equal(silent.code, 2);
    assert.match(silent.stderr, /There is no terminal to answer on; add -y/);
    assert.equal(existsSync(join(sheaf.store, `kiln@${today}.sheaf`)), true);
  });

  it('sheaf remove deletes a damaged bundle, and none by a path', async () => {
    writeFileSync(join(sheaf.store, 'broken@1.sheaf'), 'nothing');
    const victim = join(sheaf.data, 'sheaf', 'victim@1.sheaf');
    writeFileSync(victim, '');
    assert.deepEqual((await sheaf.json(['remove', 'broken', '-v', '1', '-y'])).deletedChunks, 0);
    for (const name of ['../victim', '..~victim', 'kiln@x/../../victim'])
      assert.equal((await sheaf(['remove', name, '-v', '1', '-y'])).code, 1, name);
    assert.equal(existsSync(victim), true);
  });
});

describe('help', () => {
  it('Every verb and alias of library management has help', async () => {
    for (const verb of ['add', 'update', 'remove', 'rm', 'list', 'ls', 'list-libraries', 'config', 'stats']) {
      const { code, stdout } = await sheaf([verb, '--help']);
      assert.equal(code, 0, verb);
      assert.match(stdout, /^Usage: sheaf /);
      assert.ok(
        stdout.split('\n').every((line) => line.length <= 100),
        verb,
      );
    }
  });

  it('sheaf list of an empty store says No libraries found.', async () => {
    const { code, stdout, stderr } = await sheaf(['ls'], { XDG_DATA_HOME: join(folder, 'empty') });
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /^No libraries found\.\n/);
  });
});

describe('questions', () => {
  const terminal = () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    return { input, output, said: () => String(output.read() ?? '') };
  };

  it('Questions wait for Enter with Press Enter to continue with embedding, or Ctrl+C to exit...', async () => {
    const t = terminal();
    const answer = pressEnter('Press Enter to continue with embedding, or Ctrl+C to exit...', false, undefined, t);
    t.input.write('\n');
    assert.equal(await answer, true);
    assert.equal(t.said(), 'Press Enter to continue with embedding, or Ctrl+C to exit...');
    const end = pressEnter('x', false, undefined, Object.assign(t, { input: Object.assign(new PassThrough().end(), { isTTY: true }) }));
    assert.equal(await end, false, 'the end of input is no Enter');
  });

  it('Questions are answered with y or yes alone', async () => {
    for (const [typed, expected] of [
      ['y', true],
      ['YES', true],
      ['', false],
      ['no', false],
      ['yy', false],
    ]) {
      const t = terminal();
      const answer = confirm('Delete?', false, undefined, t);
      t.input.write(`${typed}\n`);
      assert.equal(await answer, expected, typed);
      assert.equal(t.said(), 'Delete? [y/N]: ');
    }
  });

  it('Questions end with the signal', async () => {
    const controller = new AbortController();
    const answer = pressEnter('x', false, controller.signal, terminal());
    controller.abort(new Error('stop'));
    await assert.rejects(answer, /stop/);
  });

  it('A real terminal gets questions, and Ctrl+C there changes nothing', {
    skip: spawnSync('script', ['--version']).status === 0 ? false : 'needs util-linux script(1) for a terminal',
  }, async () => {
    const env = {
      ...process.env,
      HOME: sheaf.home,
      XDG_DATA_HOME: sheaf.data,
      XDG_CONFIG_HOME: join(sheaf.home, 'config'),
      SHELL: '/bin/sh',
    };
    const ask = (library, keys) =>
      new Promise((resolve) => {
        const child = spawn('script', ['-qec', `'${process.execPath}' '${MAIN}' add ${library} -s ./docs`, '/dev/null'], {
          cwd: sheaf.cwd,
          env,
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        let text = '';
        child.stdout.on('data', (chunk) => {
          text += chunk;
          if (keys !== '' && text.includes('to exit...')) {
            child.stdin.write(keys);
            keys = '';
          }
        });
        child.on('close', (code) => resolve({ code, text }));
      });
    const yes = await ask('asked', '\r');
    assert.equal(yes.code, 0, yes.text);
    assert.match(yes.text, /Press Enter to continue with embedding, or Ctrl\+C to exit\.\.\.[\s\S]*Embedding complete: Library asked/);
    const no = await ask('declined', '\u0003');
    assert.equal(no.code, 130, no.text);
    assert.equal(existsSync(join(sheaf.store, `declined@${today}.sheaf`)), false);
  });

  it('Without a terminal, sheaf asks no question and adding continues', async () => {
    assert.equal((await sheaf(['add', 'unasked', '-s', './docs'])).code, 0);
  });
});

describe('what changed', () => {
  it('Changes are counted by path and content', () => {
    assert.deepEqual(
      compare(
        new Map([
          ['a', '1'],
          ['b', '1'],
          ['c', '1'],
        ]),
        new Map([
          ['a', '1'],
          ['b', '2'],
          ['d', '1'],
        ]),
      ),
      { added: 1, modified: 1, deleted: 1, unchanged: 1 },
    );
  });

  it('Changes are looked for in the files that sheaf-pack takes', async () => {
    const tree = join(folder, 'tree');
    writeTree(tree, {
      'a.md': 'A',
      'b.TXT': 'B',
      README: 'R',
      'README.Debian': 'D',
      'c.png': 'x',
      LICENSE: 'x',
      CHANGELOG: 'x',
      'CHANGELOG.md': '# C\n\nText.',
      '.hidden.md': 'x',
      '.venv/x.md': 'x',
      'node_modules/x.md': 'x',
      'sub/build/x.md': 'x',
      'sub/d.rst': 'D',
      'sub/e.htm': '<p>E</p>',
      'sub/f.ipynb': '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}',
    });
    writeFileSync(join(folder, 'outside.md'), 'O');
    symlinkSync(join(folder, 'outside.md'), join(tree, 'out.md'));
    symlinkSync(join(tree, 'a.md'), join(tree, 'sub', 'in.md'));
    symlinkSync(tree, join(tree, 'sub', 'loop'));
    const ours = [...(await hashFiles(tree, [tree], false, new AbortController().signal)).keys()];
    const { stdout } = spawnSync(
      await requirePacker(),
      ['pack', tree, '--library', 'x', '--version', '1', '-o', join(folder, 'tree.sheaf'), '--json', '-q'],
      { encoding: 'utf8' },
    );
    assert.equal(JSON.parse(stdout).files, ours.length, ours.join(' '));
    assert.deepEqual(ours, [
      'CHANGELOG.md',
      'README',
      'README.Debian',
      'a.md',
      'b.TXT',
      'sub/build/x.md',
      'sub/d.rst',
      'sub/e.htm',
      'sub/f.ipynb',
      'sub/in.md',
    ]);
  });
});
