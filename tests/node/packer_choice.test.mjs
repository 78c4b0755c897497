/** Which packer runs (dist/node/packer/find.js), what it is told of the table, and names of files on Windows. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { ownVersion } from '../../dist/node/client/paths.js';
import { ownArguments } from '../../dist/node/packer/embedder.js';
import { choosePacker } from '../../dist/node/packer/find.js';
import { encoderTable, tableArguments, withTable } from '../../dist/node/packer/table.js';
import { insideArguments, insidePath, outsideJson, outsidePath, outsideText } from '../../dist/node/packer/node_paths.js';
import { TABLE, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('packer-choice');

/** A folder with a sheaf-pack that says this as its version. */
function withPacker(name, says) {
  const bin = join(folder, name);
  mkdirSync(bin);
  writeFileSync(join(bin, 'sheaf-pack'), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
  return bin;
}

/** A folder of this package without a packer in it. */
function packageFolder(name, manifest) {
  const root = join(folder, name);
  mkdirSync(root);
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  return root;
}

describe('which packer runs', () => {
  it('SHEAF_PACK names the packer, whatever its version, or asks for the module', async () => {
    const path = join(withPacker('named', 'echo sheaf-pack 0.0.0'), 'sheaf-pack');
    const named = await choosePacker({ SHEAF_PACK: path });
    assert.deepEqual([named.kind, named.path, named.because], ['native', path, 'SHEAF_PACK names it']);
    assert.equal((await choosePacker({ SHEAF_PACK: 'module' })).kind, 'module');
    await assert.rejects(choosePacker({ SHEAF_PACK: join(folder, 'none') }), { exitCode: 5, message: /SHEAF_PACK is set to .*none/ });
  });

  it('A native packer must have this version, and others are named with reasons', async () => {
    const own = await ownVersion();
    const older = withPacker('older', 'echo sheaf-pack 0.0.9');
    const broken = withPacker('broken', 'exit 1');
    const other = withPacker('other', 'echo something else');
    const right = withPacker('right', `echo sheaf-pack ${own}`);
    const env = { PATH: ['relative', older, broken, other, right].join(delimiter) };
    const choice = await choosePacker(env, packageFolder('bare', {}));
    assert.deepEqual([choice.kind, choice.path, choice.because], ['native', join(right, 'sheaf-pack'), 'it is on PATH']);
    assert.deepEqual(
      choice.passedOver.map(({ why }) => why),
      ['it is of version 0.0.9', 'it does not run here', 'it does not run here'],
    );
  });

  it("The optional package's native packer comes first", async () => {
    const name = `@kiln/pack-${process.platform}-${process.arch}`;
    const root = packageFolder('with-package', { optionalDependencies: { [name]: '1', '@kiln/pack-plan9-mips': '1' } });
    const env = { PATH: withPacker('on-path', `echo sheaf-pack ${await ownVersion()}`) };
    assert.equal((await choosePacker(env, root)).because, 'it is on PATH', 'npm left the package out');
    const bin = join(root, 'node_modules', name, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, '..', 'package.json'), JSON.stringify({ name }));
    writeFileSync(join(bin, 'sheaf-pack'), `#!/bin/sh\necho sheaf-pack ${await ownVersion()}\n`, { mode: 0o755 });
    const choice = await choosePacker(env, root);
    assert.deepEqual([choice.path, choice.because], [join(bin, 'sheaf-pack'), `from the package ${name}`]);
  });

  it('The module packs where no native packer fits', async () => {
    const choice = await choosePacker({ PATH: withPacker('old-alone', 'echo sheaf-pack 0.0.1') }, packageFolder('alone', {}));
    assert.deepEqual([choice.kind, choice.passedOver.length], ['module', 1]);
    assert.match(choice.because, /no native sheaf-pack \S+ is installed for/);
  });
});

describe('the encoder table', () => {
  it('The encoder table is the one in SHEAF_MODELS, else that of the package', async () => {
    const models = join(folder, 'models');
    mkdirSync(models);
    assert.equal(await encoderTable({ SHEAF_MODELS: models }), TABLE);
    writeFileSync(join(models, 'minilm-l6-256.sheaf'), '');
    assert.equal(await encoderTable({ SHEAF_MODELS: models }), join(models, 'minilm-l6-256.sheaf'));
    assert.equal(await encoderTable({}), TABLE);
  });

  it('Every packer is told the encoder table, unless the user names one', () => {
    assert.deepEqual(tableArguments(['docs', '--library', 'x'], 'T'), ['--encoder-table', 'T']);
    assert.deepEqual(tableArguments(['docs', '--encoder', 'static'], 'T'), ['--encoder-table', 'T']);
    assert.deepEqual(tableArguments(['docs', '--', '--encoder-table'], 'T'), ['--encoder-table', 'T']);
    assert.deepEqual(tableArguments(['docs'], undefined), []);
    for (const own of ['--encoder-table x', '--encoder-table=x', '--encoder none', '--encoder=tiny-bert', '--encoder-command cat'])
      assert.deepEqual(tableArguments(['docs', ...own.split(' ')], 'T'), [], own);
    assert.deepEqual(withTable({ library: 'x' }, 'T'), { library: 'x', encoderTable: 'T' });
    for (const job of [{ encoder: 'none' }, { encoder: 'tiny-bert' }, { encoderTable: 'U' }]) assert.deepEqual(withTable(job, 'T'), job);
  });
});

describe('the command of the embedding process', () => {
  it('The embedding command is ours only as the packer writes it', () => {
    assert.deepEqual(ownArguments(`sheaf embed 'it'\\''s' --precision 'fp32'`), ['embed', "it's", '--precision', 'fp32']);
    for (const other of [`sheaf embed 'a'; rm -rf x --precision 'fp32'`, `sheaf embed 'a' 'b' --precision 'int8'`, 'cat', ''])
      assert.equal(ownArguments(other), undefined, other);
  });
});

describe('names of files on Windows', () => {
  const NAMES = [
    ['C:\\docs\\a b.md', '/C:/docs/a b.md'],
    ['C:\\', '/C:/'],
    ['\\\\server\\share\\dócs\\x.md', '/\\\\server\\share/dócs/x.md'],
  ];

  it('Windows file names have one name inside, and the same outside again', () => {
    for (const [outside, inside] of NAMES) {
      assert.equal(insidePath(outside, true), inside);
      assert.equal(outsidePath(inside.replace(/(?<!:)\/$/, ''), true), outside);
    }
    assert.equal(insidePath('c:/docs/x', true), '/C:/docs/x');
    assert.equal(insidePath('docs\\x.md', true), 'docs/x.md');
    assert.equal(insidePath('\\\\?\\C:\\docs', true), '/C:/docs');
    assert.equal(insidePath('C:\\docs\\x', false), 'C:\\docs\\x');
  });

  it("Windows file names are converted on the module's command line, other values not", () => {
    const given = [
      'pack',
      'docs\\a',
      '-o',
      'D:\\out\\x.sheaf',
      '--title',
      'a\\b',
      '--include',
      'guide\\*.md',
      '--root=C:\\docs',
      '--',
      '-x\\y',
    ];
    assert.deepEqual(insideArguments(given, true), [
      'pack',
      'docs/a',
      '-o',
      '/D:/out/x.sheaf',
      '--title',
      'a\\b',
      '--include',
      'guide/*.md',
      '--root=/C:/docs',
      '--',
      '-x/y',
    ]);
    assert.deepEqual(insideArguments(['search', 'C:\\x.sheaf', 'a\\b'], true), ['search', '/C:/x.sheaf', 'a\\b']);
    assert.deepEqual(insideArguments(given, false), given);
  });

  it('Windows file names appear in messages', () => {
    assert.equal(outsideText('output folder /C:/no such does not exist', true), 'output folder C:\\no such does not exist');
    assert.equal(outsideText('{"root": "/D:/x/y"}', true), '{"root": "D:\\x\\y"}');
    assert.equal(outsideText('see https://x.example/C:/y and /a/b', true), 'see https://x.example/C:/y and /a/b');
    assert.equal(outsideText('/C:/x', false), '/C:/x');
    assert.deepEqual(outsideJson({ notes: [{ path: '/C:/a b/c.md', pages: 1 }], none: null }, true), {
      notes: [{ path: 'C:\\a b\\c.md', pages: 1 }],
      none: null,
    });
  });
});
