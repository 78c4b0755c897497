/** `sheaf add npm:… pypi:… --from-lockfile`: packages of registries and of a project, with nothing but loopback. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readArchive, safePath } from '../../dist/node/sources/archive.js';
import {
  parseBunLock,
  parsePackageLock,
  parsePipfileLock,
  parsePnpmLock,
  parseRequirements,
  parseTomlLock,
  parseYarnLock,
  readLockfile,
} from '../../dist/node/sources/lockfile.js';
import { checkIdentity, parsePackage } from '../../dist/node/sources/ecosystems.js';
import { isPackageDoc, parsePythonMetadata } from '../../dist/node/sources/package_docs.js';
import { declaresTypes, npmReason } from '../../dist/node/sources/npm.js';
import { settingsOf } from '../../dist/node/sources/pip.js';
import { filesOfHtml, filesOfJson, sdistsOf } from '../../dist/node/sources/pypi.js';
import { writeTree } from '../fixtures/tree.mjs';
import { isolatedSheaf, serve, tarGz, zip } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('add-packages');
const sheaf = isolatedSheaf(folder);
const bin = join(folder, 'bin');
mkdirSync(bin);

function shim(name, script) {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const withBin = { PATH: `${bin}${delimiter}${process.env.PATH}` };

const tarball = tarGz({
  'package/package.json': JSON.stringify({ name: '@kiln/core', version: '3.1.0', scripts: { prepare: 'touch /tmp/never' } }),
  'package/README.md': '# Kiln core\n\nFires pots at a steady temperature.\n',
  'package/docs/glaze.md': '# Glaze\n\nHow to glaze.\n',
  'package/docs/deep/more.md': '# More\n\nEven more.\n',
  'package/LICENSE.md': '# No documentation\n',
  'package/dist/README.md': '# Build output\n',
  'package/lib/notes.md': '# Not at the top\n',
  '../../evil.md': '# Evil\n',
  '/abs/README.md': '# Absolute\n',
  'package/link.md': { link: '/etc/passwd' },
});

describe('sheaf add npm:', () => {
  before(() => writeFileSync(join(sheaf.cwd, 'core.tgz'), tarball));

  it("sheaf add npm: takes a tarball's README and docs, named by its package.json", async () => {
    const outcome = await sheaf.json(['add', 'npm:./core.tgz', '-y']);
    assert.deepEqual([outcome.library, outcome.version, outcome.pages], ['@kiln/core', '3.1.0', 3]);
    assert.equal((await sheaf.page('@kiln/core', '3.1.0', 'docs/glaze.md')).url, 'https://unpkg.com/@kiln/core@3.1.0/docs/glaze.md');
    assert.equal(existsSync(join(folder, 'evil.md')), false);
  });

  it('sheaf add npm: leaves out impossible file names with a note, and takes the rest', async () => {
    const long = `docs/${'x'.repeat(300)}.md`;
    const text = (title) => `# ${title}\n\nText.\n`;
    writeFileSync(
      join(sheaf.cwd, 'odd.tgz'),
      tarGz({
        'package/package.json': '{"name":"odd","version":"1.0.0"}',
        'package/README.md': text('README'),
        x: { type: 'L', text: `package/${long}\0` },
        short: text('Short'),
        'package/docs/a.md': text('A'),
        'package/docs/a.md/b.md': text('B'),
        'package/docs/c.md/d.md': text('D'),
        'package/docs/c.md': text('C'),
        'package/docs/z.md': text('Z'),
      }),
    );
    const { code, stdout, stderr } = await sheaf(['add', 'npm:./odd.tgz', '-y', '--json']);
    assert.equal(code, 0, stderr);
    const { pages, warnings } = JSON.parse(stdout);
    assert.equal(pages, 4, 'README, a, c/d, z');
    assert.deepEqual(
      warnings.map((line) => line.slice(0, 24)),
      ['Left out: docs/xxxxxxxxx', 'Left out: docs/a.md/b.md', 'Left out: docs/c.md: no '],
    );
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
  });

  it("sheaf add npm: asks the user's own npm, without scripts, for name and version", async () => {
    const log = join(folder, 'npm.log');
    shim(
      'npm',
      `echo "$@" >> ${log}\nwhile [ "$1" != --pack-destination ]; do shift; done\ncp ${join(sheaf.cwd, 'core.tgz')} "$2/core.tgz"`,
    );
    assert.equal((await sheaf.json(['add', 'npm:@kiln/core', '-y'], withBin)).version, '3.1.0');
    await sheaf.json(['add', 'mine', '-s', 'npm:@kiln/core', '-v', '3.1.0', '-y'], withBin);
    assert.match(
      readFileSync(log, 'utf8'),
      /^pack @kiln\/core@latest --ignore-scripts .*\n[^]*^pack @kiln\/core@3\.1\.0 --ignore-scripts /m,
    );
    const twice = await sheaf(['add', 'npm:@kiln/core@3.1.0', '-v', '3.1.0', '-y'], withBin);
    assert.equal(twice.code, 1);
    assert.match(twice.stderr, /the source names one already/);
  });

  it('sheaf add npm: takes declarations from @types where a package has none, of the registry that it came from', async () => {
    const log = join(folder, 'types.log');
    const pack = (file, name, more, files) =>
      writeFileSync(
        join(folder, file),
        tarGz({ 'package/package.json': JSON.stringify({ name, version: '2.1.0', main: 'pot.js', ...more }), ...files }),
      );
    const script = { 'package/pot.js': 'module.exports = {};', 'package/README.md': '# Pot\n\nA pot.\n' };
    pack('pot.tgz', 'pot', {}, script);
    pack('corp.tgz', '@corp/pot', {}, script);
    pack(
      'types.tgz',
      '@types/pot',
      { types: 'index.d.ts' },
      {
        'package/index.d.ts': '/** Throws it on the wheel. */\nexport function throwIt(weight: number): void;\n',
      },
    );
    shim(
      'npm',
      `if [ "$1" = config ]; then echo '{"registry":"https://r.example/","@corp:registry":"https://corp.example/"}'; exit; fi
spec="$2"; echo "$spec" >> ${log}
while [ "$1" != --pack-destination ]; do shift; done
case "$spec" in
  pot@*) cp ${folder}/pot.tgz "$2/pot-2.1.0.tgz";;
  @corp/pot@*) cp ${folder}/corp.tgz "$2/corp-pot-2.1.0.tgz";;
  @types/pot@2) cp ${folder}/types.tgz "$2/types-pot-2.1.0.tgz";;
  *) echo 'npm error code E404' >&2; exit 1;;
esac`,
    );
    assert.equal((await sheaf.json(['add', 'npm:pot', '-y', '--readme-only'], withBin)).pages, 2);
    assert.match((await sheaf.page('pot', '2.1.0', 'api/pot.md')).text, /Throws it on the wheel/);
    assert.equal((await sheaf.json(['add', 'npm:@corp/pot', '-y', '--readme-only'], withBin)).pages, 1);
    assert.doesNotMatch(readFileSync(log, 'utf8'), /corp__/, 'a private name goes to no other registry');
  });

  it('Declarations of a package are known by its fields and by files beside its entries', () => {
    for (const [expected, manifest, ...paths] of [
      [true, { types: 'a.d.ts' }],
      [true, { exports: { '.': { types: './a.d.mts', import: './a.mjs' } } }],
      [true, { main: './lib/a.js' }, 'lib/a.d.ts'],
      [true, {}, 'index.d.ts'],
      [true, {}, 'src/a.ts'],
      [false, { main: 'a.js', exports: { '.': './a.js', './hot': { types: './hot.d.ts' } } }, 'hot.d.ts'],
      [false, {}, 'index.js'],
    ])
      assert.equal(declaresTypes(manifest, paths), expected, JSON.stringify(manifest));
  });

  it('sheaf add npm: refuses a package of another name than requested, and adds nothing', async () => {
    const library = tarGz({
      'package/package.json': '{"name":"react","version":"99.0.0"}',
      'package/README.md': '# React\n\nOr so it says.\n',
    });
    writeFileSync(join(folder, 'liar.tgz'), library);
    const answer = (file) =>
      shim('npm', `while [ "$1" != --pack-destination ]; do shift; done\ncp ${join(folder, 'liar.tgz')} "$2/${file}"`);
    const before = await sheaf.json(['list']);
    for (const [source, file, wanted] of [
      ['npm:liar', 'liar-1.0.0.tgz', 'liar 1.0.0'],
      ['npm:liar', 'other.tgz', 'liar'],
      ['npm:react@18.0.0', 'react-18.0.0.tgz', 'react 18.0.0'],
      ['npm:react', 'react-18.0.0.tgz', 'react 18.0.0'],
    ]) {
      answer(file);
      const { code, stderr } = await sheaf(['add', source, '-y'], withBin);
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        new RegExp(`its metadata should name ${wanted}; it names react 99\\.0\\.0\\. Nothing was added\\. .*npm config get registry`),
      );
    }
    assert.equal((await sheaf(['add', 'mine', '-s', 'npm:liar', '-y'], withBin)).code, 1, 'under another name, too');
    assert.deepEqual(await sheaf.json(['list']), before);
    answer('react-99.0.0.tgz');
    assert.equal((await sheaf.json(['add', 'npm:react@99.0.0', '-y'], withBin)).version, '99.0.0');
    await sheaf(['remove', 'react', '-v', '99.0.0', '-y']);
  });

  it('sheaf add npm: takes a version that the package spells unlike its registry', () => {
    const check = (ecosystem, asked, found) => checkIdentity(ecosystem, { name: 'x', version: asked }, { name: 'x', version: found });
    for (const [asked, found] of [
      ['1.0.0-beta1', 'v1.0.0beta1'],
      ['1.0.0', '=1.0.0+build'],
    ])
      check('npm', asked, found);
    for (const [asked, found] of [
      ['1.0', '1.0.0'],
      ['2.0b2', '2.0.0-beta.2'],
      ['1!1.0', '1!1'],
      ['1.0.post1', '1.0-1'],
      ['1.0.dev0', '1.0dev'],
      ['2021.01.02', '2021.1.2'],
      ['1.0+ab.1', '1.0+AB-1'],
    ])
      check('pypi', asked, found);
    for (const [ecosystem, asked, found] of [
      ['npm', '1.0.0', '1.0.0-rc.1'],
      ['npm', '1.0.0', '1.0'],
      ['pypi', '1.0', '1.0.1'],
      ['pypi', '1.0', '1.0rc1'],
      ['pypi', '1.0', '1.0.post1'],
      ['pypi', '1.0', '1.0.dev1'],
      ['pypi', '1.0', '1!1.0'],
    ])
      assert.throws(() => check(ecosystem, asked, found), { name: 'SourceError' }, `${asked} ${found}`);
  });

  it("sheaf update brings npm's newest release beside the old; a pinned one stays", async () => {
    const next = {
      'package/package.json': '{"name":"@kiln/core","version":"3.2.0"}',
      'package/README.md': '# Kiln core\n\nNow with gas.\n',
    };
    writeFileSync(join(folder, 'next.tgz'), tarGz(next));
    shim('npm', `while [ "$1" != --pack-destination ]; do shift; done\ncp ${join(folder, 'next.tgz')} "$2/core.tgz"`);
    const { stdout } = await sheaf(['update', '@kiln/core', '-y', '--json'], withBin);
    assert.deepEqual([JSON.parse(stdout).version, JSON.parse(stdout).action], ['3.2.0', 'updated']);
    const { libraries } = await sheaf.json(['list']);
    assert.deepEqual(libraries['@kiln/core'], ['3.2.0', '3.1.0']);
  });

  it('sheaf add npm: cites unpkg.com only for packages of the public registry', async () => {
    const script = (registry) =>
      `if [ "$1" = config ]; then echo '{"registry":"https://registry.npmjs.org/","@kiln:registry":"${registry}"}'; exit; fi\nwhile [ "$1" != --pack-destination ]; do shift; done\ncp ${join(sheaf.cwd, 'core.tgz')} "$2/core.tgz"`;
    for (const [name, registry, shown] of [
      ['public', 'https://registry.npmjs.org/', 'https://unpkg.com/@kiln/core@3.1.0/docs/glaze.md'],
      ['private', 'https://npm.corp.example/', 'docs/glaze.md'],
    ]) {
      shim('npm', script(registry));
      await sheaf.json(['add', name, '-s', 'npm:@kiln/core', '-y'], withBin);
      assert.equal((await sheaf.page(name, '3.1.0', 'docs/glaze.md')).url, shown);
    }
  });

  it("sheaf add npm: repeats npm's message, and ends with 4 for a missing package", async () => {
    shim('npm', 'echo "npm error code E404" >&2; echo "npm error 404 Not Found" >&2; exit 1');
    const missing = await sheaf(['add', 'npm:no-such-kiln', '-y'], withBin);
    assert.equal(missing.code, 4);
    assert.match(missing.stderr, /npm:no-such-kiln@latest could not be had: .*E404/);
    const real =
      "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/x - Not found\nnpm error 404\nnpm error 404  'x@latest' is not in this registry.\nnpm error 404\nnpm error 404 Note that you can also install from a\nnpm error 404 tarball, folder, http url, or git folder.\nnpm error A complete log of this run can be found in: /root/.npm/_logs/x-debug-0.log\n";
    assert.equal(
      npmReason(real),
      "code E404 | Not Found - GET https://registry.example/x - Not found | 'x@latest' is not in this registry.",
    );
    assert.equal((await sheaf(['add', 'npm:', '-y'], withBin)).code, 2, 'an empty name is no host');
    shim('npm', 'echo "npm error network down" >&2; exit 1');
    assert.equal((await sheaf(['add', 'npm:kiln', '-y'], withBin)).code, 1);
  });

  it('sheaf add npm: treats every name as a name only', () => {
    for (const text of [
      '',
      '-x',
      '--registry=http://x',
      '../x',
      'a/b',
      'x@http://evil',
      'x@file:../y',
      'x@github:o/r',
      'x;touch y',
      'x y',
      'git+ssh://x',
      '@a/../b',
      `x@${'1'.repeat(65)}`,
    ]) {
      assert.throws(() => parsePackage('npm', text), { name: 'SourceError' }, text);
      if (text !== '') assert.throws(() => parsePackage('pypi', text), { name: 'SourceError' }, text);
    }
    assert.deepEqual(parsePackage('npm', '@vue/core@^3.5.0-rc.1'), { name: '@vue/core', version: '^3.5.0-rc.1' });
    assert.deepEqual(parsePackage('pypi', 'typing_extensions==4.9'), { name: 'typing_extensions', version: '4.9' });
  });
});

describe('sheaf add pypi:', () => {
  const PKG_INFO =
    'Metadata-Version: 2.1\nName: Kiln_Py\nVersion: 2.0.1\nSummary: x\nDescription-Content-Type: text/markdown\n\n# Kiln for Python\n\nBakes from a script.\n';
  const sdist = tarGz({
    'kiln_py-2.0.1/PKG-INFO': PKG_INFO,
    'kiln_py-2.0.1/setup.py': 'raise SystemExit("never run")\n',
    'kiln_py-2.0.1/docs/usage.rst': 'Usage\n=====\n\nCall the oven function.\n',
    'kiln_py-2.0.1/docs/requirements.txt': 'sphinx\n',
    'kiln_py-2.0.1/src/kiln/README.md': '# inner\n',
  });
  const wheelOf = (metadata) =>
    zip({ 'kiln/__init__.py': '', 'kiln_py-2.0.1.dist-info/METADATA': metadata, 'kiln_py-2.0.1.dist-info/RECORD': '' });
  const wheel = wheelOf(PKG_INFO);
  const paged = tarGz({
    'paged-1.0/PKG-INFO': PKG_INFO.replace('Kiln_Py', 'paged').replace('2.0.1', '1.0'),
    'paged-1.0/docs/usage.rst': 'Usage\n=====\n\nCall the oven function.\n',
  });
  let index;

  after(() => index.close());
  before(async () => {
    index = await serve({});
    const file = (version, extra = {}) => ({
      filename: `kiln_py-${version}.tar.gz`,
      url: `../files/kiln_py-${version}.tar.gz`,
      hashes: { sha256: createHash('sha256').update(sdist).digest('hex') },
      ...extra,
    });
    const json = (...files) => ({ headers: { 'content-type': 'application/vnd.pypi.simple.v1+json' }, body: JSON.stringify({ files }) });
    Object.assign(index.routes, {
      '/simple/kiln-py/': json(
        file('1.9'),
        file('2.0.1'),
        file('3.0rc1'),
        file('2.5', { yanked: 'broken' }),
        { filename: 'kiln_py-2.0.1-py3-none-any.whl', url: 'x', hashes: { sha256: 'x' } },
        null,
        { filename: 7 },
      ),
      '/simple/liar/': json({ ...file('1.0'), filename: 'liar-1.0.tar.gz', hashes: { sha256: '0'.repeat(64) } }),
      '/simple/wheelonly/': json(),
      '/simple/old/': '<html><a href="x">x</a></html>',
      // PEP 503: links alone, relative, with the hash behind the #, or without one.
      '/simple/paged/': {
        body: `<!DOCTYPE html><html><head><base href="../files/"><title>Links</title></head><body><br>
          <a href="kiln_py-2.0.1.tar.gz#sha256=${createHash('sha256').update(sdist).digest('hex')}" data-requires-python="&gt;=3">kiln_py-2.0.1.tar.gz</a>
          <a href=paged-1.0.tar.gz>paged-1.0.tar.gz</a><a href="paged-3.0.tar.gz" data-yanked="">paged-3.0.tar.gz</a></body></html>`,
      },
      '/simple/forged/': json({ filename: 'forged-1.0.tar.gz', url: '../files/kiln_py-2.0.1.tar.gz' }),
      '/simple/files/paged-1.0.tar.gz': { body: paged },
      '/private/kiln-py/': { status: 401 },
      '/simple/files/kiln_py-2.0.1.tar.gz': { headers: { 'content-type': 'application/octet-stream' }, body: sdist },
      '/simple/files/kiln_py-1.0.tar.gz': { body: sdist },
    });
    writeFileSync(join(folder, 'kiln_py-2.0.1-py3-none-any.whl'), wheel);
  });

  const env = (script = 'exit 1') => ({ PIP_INDEX_URL: `${index.url}/simple/`, SHEAF_PYTHON: shim('python-shim', script) });

  it('sheaf add pypi: reads the newest sdist from the index, and runs none of it', async () => {
    const outcome = await sheaf.json(['add', 'pypi:kiln.py', '-y'], env());
    assert.deepEqual([outcome.library, outcome.version, outcome.pages], ['kiln-py', '2.0.1', 2]);
    assert.ok(index.seen.includes('/simple/kiln-py/'));
    const page = await sheaf.page('kiln-py', '2.0.1', 'README.md');
    assert.equal(page.url, 'README.md', 'no page of PyPI shows the files of another index');
    assert.match((await sheaf(['query', 'oven', '-l', 'kiln-py'])).stdout, /Usage/);
  });

  it('sheaf add pypi: asks pip for a wheel without an sdist, and never builds', async () => {
    const log = join(folder, 'pip.log');
    for (const name of ['wheelonly', 'old', 'liar', 'absent']) {
      const file = join(folder, `${name}-2.0.1-py3-none-any.whl`);
      writeFileSync(file, wheelOf(PKG_INFO.replace('Kiln_Py', name)));
      const script = `echo "$@" > ${log}\nwhile [ "$1" != --dest ]; do shift; done\ncp ${file} "$2/"`;
      const { code, stderr } = await sheaf(['add', `pypi:${name}`, '-y'], env(script));
      assert.equal(code, 0, stderr);
      assert.match(stderr, { liar: /but its index says 0{64}/ }[name] ?? /has no source distribution/);
    }
    assert.match(readFileSync(log, 'utf8'), /^-I -m pip download --no-deps --only-binary=:all: .* -- absent$/m);
  });

  it('sheaf add pypi: refuses an sdist or wheel of another name than requested', async () => {
    const wheels = join(folder, 'liars');
    mkdirSync(wheels);
    const fromPip = (file) => `while [ "$1" != --dest ]; do shift; done\ncp ${join(wheels, file)} "$2/"`;
    writeFileSync(join(wheels, 'wheelonly-1.0-py3-none-any.whl'), wheel);
    writeFileSync(join(wheels, 'kiln_py-9.9-py3-none-any.whl'), wheel);
    for (const [source, script, wanted] of [
      ['pypi:forged', 'exit 1', 'forged 1.0'],
      ['pypi:wheelonly', fromPip('wheelonly-1.0-py3-none-any.whl'), 'wheelonly 1.0'],
      ['pypi:kiln.py@9.9', fromPip('kiln_py-9.9-py3-none-any.whl'), 'kiln.py 9.9'],
    ]) {
      const { code, stderr } = await sheaf(['add', source, '-y'], env(script));
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        new RegExp(`its metadata should name ${wanted}; it names Kiln_Py 2\\.0\\.1\\. Nothing was added\\. .*pip config list`),
      );
    }
  });

  it('sheaf add pypi: reads an index of HTML pages like one of JSON', async () => {
    const outcome = await sheaf.json(['add', 'paged', '-s', 'pypi:paged', '-y'], env());
    assert.deepEqual([outcome.version, outcome.pages], ['1.0', 2], 'not the one that was yanked');
    assert.ok(index.seen.includes('/simple/files/paged-1.0.tar.gz'));
  });

  it("sheaf add pypi: asks only the indexes of pip's configuration, download section included", async () => {
    const config = (lines) => `if [ "$4" = config ]; then cat <<'X'\n${lines}\nX\nelse exit 1; fi`;
    const run = async (lines, variables = {}) => {
      index.seen.length = 0;
      const result = await sheaf(['add', 'pypi:kiln.py@2.0.1', '-y'], { SHEAF_PYTHON: shim('python-shim', config(lines)), ...variables });
      return [result, index.seen.filter((path) => path.includes('kiln'))];
    };
    const [found, asked] = await run(`download.index-url='${index.url}/simple/'\nglobal.index-url='https://public.example/simple'`);
    assert.equal(found.code, 0, found.stderr);
    assert.deepEqual(asked, ['/simple/kiln-py/', '/simple/files/kiln_py-2.0.1.tar.gz']);
    const [several, both] = await run(`global.index-url='${index.url}/private/'\nglobal.extra-index-url='\\n${index.url}/simple/\\n'`);
    assert.equal(several.code, 0, several.stderr);
    assert.deepEqual(both.slice(0, 2), ['/private/kiln-py/', '/simple/kiln-py/']);
    const [none, silence] = await run(`global.index-url='${index.url}/simple/'\n:env:.no-index='1'`);
    assert.equal(none.code, 1);
    assert.deepEqual(silence, []);
    const broken = await sheaf(['add', 'pypi:secret-kiln', '-y'], { SHEAF_PYTHON: shim('python-shim', 'echo "bad file" >&2; exit 1') });
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /pip's configuration cannot be read: bad file/, 'rather than ask the public index');
  });

  it("sheaf add pypi: understands pip's printed configuration", () => {
    const listed =
      ":env:.timeout='9'\r\nglobal.extra-index-url='\\nhttps://a/\\nhttps://b/x'\nglobal.index-url='https://g/'\ndownload.index-url=\"https://d/'s\"\nglobal.no_index='true'\ninstall.index-url='https://i/'\nglobal.cert='/c.pem'\n";
    const found = settingsOf(listed, {});
    assert.deepEqual(found.indexes, ["https://d/'s", 'https://a/', 'https://b/x']);
    assert.deepEqual([found.noIndex, found.cert], [true, '/c.pem']);
    assert.deepEqual(settingsOf(listed, { PIP_INDEX_URL: 'https://e/', PIP_NO_INDEX: '0' }).indexes[0], 'https://e/');
    assert.deepEqual(settingsOf('', {}).indexes, ['https://pypi.org/simple']);
  });

  it('sheaf add pypi: takes local sdists and wheels', async () => {
    writeFileSync(join(sheaf.cwd, 'kiln_py-2.0.1.tar.gz'), sdist);
    assert.equal((await sheaf.json(['add', 'a', '-s', 'pypi:./kiln_py-2.0.1.tar.gz', '-y'])).pages, 2);
    assert.equal((await sheaf.json(['add', 'b', '-s', `pypi:${join(folder, 'kiln_py-2.0.1-py3-none-any.whl')}`, '-y'])).pages, 1);
  });

  it('sheaf add pypi: ends with 4 when neither index nor pip knows the package', async () => {
    const { code, stderr } = await sheaf(
      ['add', 'pypi:nothing-here', '-y'],
      env('echo "ERROR: No matching distribution found for nothing-here" >&2; exit 1'),
    );
    assert.equal(code, 4);
    assert.match(stderr, /pypi:nothing-here could not be had: .*No matching distribution/);
  });

  it('sheaf add pypi: reads old and new metadata, and file names of sdists', () => {
    assert.equal(parsePythonMetadata(PKG_INFO).description, '# Kiln for Python\n\nBakes from a script.\n');
    assert.equal(parsePythonMetadata('Name: x\nVersion: 1\nDescription: a\n        b\nKeywords: z\n').description, 'a\nb');
    const file = (filename) => ({ filename, url: 'u', hashes: { sha256: 'AB' } });
    assert.deepEqual(
      sdistsOf(
        filesOfJson({
          files: [file('my-pkg-1.0.zip'), file('my_pkg-2.0.tar.gz'), file('my-pkg-extra-1.tar.gz'), file('../my-pkg-3.tar.gz')],
        }),
        'My.Pkg',
      ).map(({ version }) => version),
      ['1.0', '2.0', 'extra-1'],
    );
  });
});

describe('sheaf add --from-lockfile', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));

  it("sheaf add --from-lockfile adds this very repository's packages from its node_modules", async () => {
    // Some of them: all take three times as long.
    const ours = join(folder, 'ours');
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const taken = ['@modelcontextprotocol/server', '@noble/hashes', '@types/sax', 'esbuild', 'fflate', 'js-yaml', 'sax', 'tar-stream'];
    const { devDependencies } = lock.packages[''];
    lock.packages[''].devDependencies = Object.fromEntries(taken.map((name) => [name, devDependencies[name]]));
    writeTree(ours, { 'package-lock.json': JSON.stringify(lock) });
    symlinkSync(join(root, 'node_modules'), join(ours, 'node_modules'));
    const { code, stdout, stderr } = await sheaf(['add', '--from-lockfile', join(ours, 'package-lock.json'), '-y', '--offline']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Embedding complete: Library esbuild \(\d+\.\d+\.\d+\) added\.$/m);
    assert.match(stdout, /Library @modelcontextprotocol\/server \(/);
    assert.match(stderr, /\d+ added, 0 updated, 0 unchanged, \d+ left out\.\n$/);
    const again = await sheaf.json(['add', '--from-lockfile', join(ours, 'package-lock.json'), '-y', '--offline']);
    assert.ok(again.libraries.length > 3 && again.libraries.every(({ action }) => action === 'unchanged'));
    assert.match((await sheaf(['query', 'bundle minify', '-l', 'esbuild'])).stdout, /unpkg\.com\/esbuild@/);
  });

  it('sheaf add --from-lockfile takes only present versions, and says why others are left out', async () => {
    writeTree(sheaf.cwd, {
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: {
          '': { dependencies: { right: '1', wrong: '1', absent: '1', '../up': '1' }, devDependencies: { dev: '1' } },
          'node_modules/right': { version: '1.0.0' },
          'node_modules/wrong': { version: '1.0.0' },
          'node_modules/absent': { version: '1.0.0' },
          'node_modules/dev': { version: '2.0.0', dev: true },
          'node_modules/right/node_modules/inner': { version: '0.1.0' },
          'node_modules/../up': { version: '1.0.0' },
        },
      }),
      'node_modules/right/package.json': '{"name":"right","version":"1.0.0"}',
      'node_modules/right/README.md': '# Right\n\nText.\n',
      'node_modules/right/doc/a/b.md': '# B\n\nText.\n',
      'node_modules/right/test/README.md': '# no\n',
      'node_modules/right/node_modules/inner/package.json': '{"name":"inner","version":"0.1.0"}',
      'node_modules/right/node_modules/inner/readme': '# Inner\n\nText.\n',
      'node_modules/wrong/package.json': '{"name":"wrong","version":"1.2.3"}',
      'node_modules/wrong/README.md': '# Wrong\n',
      'node_modules/dev/package.json': '{"name":"dev","version":"2.0.0"}',
      'up/package.json': '{"name":"up","version":"1.0.0"}',
      'up/README.md': '# Up\n',
    });
    const { libraries, skipped } = await sheaf.json(['add', '--from-lockfile', '-y', '--offline']);
    assert.deepEqual(
      libraries.map(({ library, pages }) => [library, pages]),
      [['right', 2]],
    );
    const reasons = Object.fromEntries(skipped.map(({ library, reason }) => [library, reason]));
    assert.match(reasons.wrong, /installed is 1\.2\.3, not 1\.0\.0/);
    assert.match(reasons.absent, /not installed/);
    assert.match(reasons.dev, /No documentation found/);
    assert.match(reasons['../up'], /no name and version/);
    const all = await sheaf.json(['add', '--from-lockfile', '--transitive', '-y', '--offline']);
    assert.deepEqual(
      all.libraries.map(({ library }) => library),
      ['inner', 'right'],
    );
    assert.equal((await sheaf.json(['update', 'right', '-y'])).action, 'unchanged');
    rmSync(join(sheaf.cwd, 'package-lock.json'));
  });

  it('sheaf add --from-lockfile makes API pages of what is installed, with the parts of a package beside it', async () => {
    const site = '.venv/lib/python3.11/site-packages';
    writeTree(sheaf.cwd, {
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: { '': { dependencies: { bowl: '1' } }, 'node_modules/bowl': { version: '1.0.0' } },
      }),
      'node_modules/bowl/package.json':
        '{"name":"bowl","version":"1.0.0","types":"index.d.ts","dependencies":{"@bowl/core":"1","clay":"1"}}',
      'node_modules/bowl/index.d.ts': 'export * from "@bowl/core";\nexport * from "clay";',
      'node_modules/bowl/node_modules/odd/index.d.ts': 'export declare function odd(): void;',
      'node_modules/@bowl/core/package.json': '{"name":"@bowl/core","version":"1.0.0","types":"index.d.ts"}',
      'node_modules/@bowl/core/index.d.ts': '/** Turns it. */\nexport declare function turn(times: number): void;',
      'node_modules/clay/package.json': '{"name":"clay","version":"1.0.0","types":"index.d.ts"}',
      'node_modules/clay/index.d.ts': 'export declare function dig(): void;',
      'requirements.txt': 'mug==2.0\n',
      [`${site}/mug/__init__.py`]: '"""Mugs."""\ndef handle(size: int) -> str:\n    """Adds a handle."""\n',
      [`${site}/other.py`]: 'def other():\n    """Not of it."""\n',
      [`${site}/mug-2.0.dist-info/METADATA`]: 'Name: mug\nVersion: 2.0\n\n# Mug\n\nA mug.\n',
      [`${site}/mug-2.0.dist-info/RECORD`]: 'mug/__init__.py,,\n../../../../secret.py,,\n',
    });
    const { libraries } = await sheaf.json(['add', '--from-lockfile', '-y', '--offline']);
    assert.deepEqual(libraries.map(({ library, pages }) => [library, pages]).sort(), [
      ['bowl', 1],
      ['mug', 2],
    ]);
    const { stdout } = await sheaf(['query', 'turn', '-l', 'bowl', '--json']);
    assert.match(stdout, /Turns it/);
    assert.match((await sheaf(['query', 'handle', '-l', 'mug', '--json'])).stdout, /Adds a handle/);
    for (const file of ['package-lock.json', 'requirements.txt']) rmSync(join(sheaf.cwd, file));
    rmSync(join(sheaf.cwd, '.venv'), { recursive: true });
  });

  it('sheaf add --from-lockfile calls an alias by its package, and leaves out a different one', async () => {
    writeTree(sheaf.cwd, {
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: {
          '': { dependencies: { short: '1', posing: '1' } },
          'node_modules/short': { name: '@kiln/long', version: '1.0.0' },
          'node_modules/posing': { version: '1.0.0' },
        },
      }),
      'node_modules/short/package.json': '{"name":"@kiln/long","version":"1.0.0"}',
      'node_modules/short/README.md': '# Long\n\nText.\n',
      'node_modules/posing/package.json': '{"name":"react","version":"1.0.0"}',
      'node_modules/posing/README.md': '# Posing\n\nText.\n',
    });
    const { libraries, skipped } = await sheaf.json(['add', '--from-lockfile', '-y', '--offline']);
    assert.deepEqual(
      libraries.map(({ library }) => library),
      ['@kiln/long'],
    );
    assert.deepEqual(
      skipped.map(({ library }) => library),
      ['posing'],
    );
    assert.match(skipped[0].reason, /node_modules.posing holds react, not posing/);
    writeTree(sheaf.cwd, { 'node_modules/short/package.json': '{"name":"react","version":"1.0.0"}' });
    const update = await sheaf(['update', '@kiln/long', '-y']);
    assert.equal(update.code, 4);
    assert.match(update.stderr, /holds react 1\.0\.0, not @kiln\/long 1\.0\.0/);
    rmSync(join(sheaf.cwd, 'package-lock.json'));
  });

  it('sheaf add --from-lockfile keeps npm and PyPI apart under one name', async () => {
    const site = '.venv/lib/python3.11/site-packages';
    writeTree(sheaf.cwd, {
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: { '': { dependencies: { shared: '1' } }, 'node_modules/shared': { version: '1.0.0' } },
      }),
      'node_modules/shared/package.json': '{"name":"shared","version":"1.0.0"}',
      'node_modules/shared/README.md': '# Shared\n\nOf JavaScript.\n',
      'requirements.txt': 'shared==1.0.0\n',
      [`${site}/shared-1.0.0.dist-info/METADATA`]: 'Name: shared\nVersion: 1.0.0\n\nShared\n======\n\nOf Python.\n',
    });
    const { libraries } = await sheaf.json(['add', '--from-lockfile', '-y', '--offline']);
    assert.deepEqual(
      libraries.map(({ library, version, action }) => [library, version, action]),
      [
        ['shared', '1.0.0', 'added'],
        ['shared-pypi', '1.0.0', 'added'],
      ],
    );
    assert.match((await sheaf(['query', 'shared', '-l', 'shared-pypi'])).stdout, /Of Python/);
    const again = await sheaf.json(['add', '--from-lockfile', '-y', '--offline']);
    assert.ok(again.libraries.every(({ action }) => action === 'unchanged'));
    for (const file of ['package-lock.json', 'requirements.txt', '.venv']) rmSync(join(sheaf.cwd, file), { recursive: true });
  });

  it('sheaf add --from-lockfile reads site-packages, whatever version of an unpinned package is installed', async () => {
    const site = '.venv/lib/python3.11/site-packages';
    writeTree(sheaf.cwd, {
      'requirements.txt': 'Kiln_Docs==1.2 ; python_version > "3"\nloose[x]>=1,<3\nmissing==9\nabsent\n',
      [`${site}/loose-2.5.dist-info/METADATA`]: 'Name: loose\nVersion: 2.5\n\nTitle\n=====\n\nLoose clay.\n',
      [`${site}/kiln_docs-1.2.dist-info/METADATA`]: 'Name: Kiln-Docs\nVersion: 1.2\n\nTitle\n=====\n\nReads clay.\n',
      [`${site}/kiln_docs-1.2.dist-info/RECORD`]:
        'kiln_docs/docs/api.md,sha256=x,1\n../../../../../../home/secret.md,,\nkiln_docs/__init__.py,,\n',
      [`${site}/kiln_docs/docs/api.md`]: '# API\n\nText.\n',
    });
    const { libraries, skipped } = await sheaf.json(['add', '--from-lockfile', '-y', '--offline']);
    assert.deepEqual(
      libraries.map(({ library, version, pages }) => [library, version, pages]),
      [
        ['kiln-docs', '1.2', 2],
        ['loose', '2.5', 1],
      ],
    );
    assert.deepEqual(
      skipped.map(({ library }) => library),
      ['absent', 'missing'],
    );
  });

  it('sheaf add --from-lockfile ends with 4 without a lock file, with 2 for wrong uses', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const { code, stderr } = await sheaf(['add', '--from-lockfile', '-y'], {}, { cwd: empty });
    assert.equal(code, 4);
    assert.match(stderr, /There is no lock file in .*package-lock\.json/);
    const json = await sheaf(['add', '--from-lockfile', '--json', '-y'], {}, { cwd: empty });
    assert.equal(json.code, 4);
    const said = JSON.parse(json.stdout);
    assert.deepEqual([said.libraries, said.skipped], [[], []]);
    assert.match(said.error, /There is no lock file in /);
    assert.equal((await sheaf(['add', '--from-lockfile', 'none.json'])).code, 4);
    for (const args of [
      ['--from-lockfile', '-v', '1'],
      ['--transitive', 'x'],
      ['--from-lockfile', 'a', 'b'],
    ])
      assert.equal((await sheaf(['add', ...args])).code, 2, args.join(' '));
    for (const [name, text] of [
      ['package-lock.json', 'no json'],
      ['package-lock.json', '[]'],
      ['package-lock.json', '{"lockfileVersion":1,"dependencies":{}}'],
      ['other.lck', ''],
    ]) {
      writeFileSync(join(empty, name), text);
      assert.equal((await sheaf(['add', '--from-lockfile', join(empty, name)])).code, 2, text);
    }
  });
});

describe('lock files', () => {
  it('Lock files of npm are read: workspaces use their copy first, links are no packages', () => {
    const lock = JSON.stringify({
      packages: {
        '': { dependencies: { a: '*', w: '*' } },
        ws: { devDependencies: { a: '*', b: '*' } },
        'node_modules/a': { version: '1.0.0' },
        'node_modules/b': { version: '3.0.0' },
        'ws/node_modules/a': { version: '2.0.0' },
        'node_modules/w': { link: true, resolved: 'ws', version: '1' },
      },
    });
    assert.deepEqual(
      parsePackageLock(lock, 'x', false).map(({ name, version }) => `${name}@${version}`),
      ['a@1.0.0', 'a@2.0.0', 'b@3.0.0'],
    );
  });

  it('Lock files of pnpm are read in formats 5, 6 and 9', () => {
    const nine =
      "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      '@vue/core':\n        specifier: ^3\n        version: 3.5.0(typescript@5.0.0)\n      local:\n        specifier: link:../x\n        version: link:../x\n    devDependencies:\n      vite:\n        specifier: ^5\n        version: 5.4.1\n\npackages:\n\n  '@vue/core@3.5.0':\n    resolution: {integrity: x}\n\n  vite@5.4.1:\n    resolution: {integrity: x}\n";
    assert.deepEqual(parsePnpmLock(nine, 'x', false), [
      { name: '@vue/core', version: '3.5.0' },
      { name: 'vite', version: '5.4.1' },
    ]);
    assert.deepEqual(parsePnpmLock(nine, 'x', true), [
      { name: '@vue/core', version: '3.5.0' },
      { name: 'vite', version: '5.4.1' },
    ]);
    assert.deepEqual(
      parsePnpmLock('dependencies:\n  vue: 3.2.0\npackages:\n\n  /vue/3.2.0:\n    dev: false\n  /@a/b/1.0.0_x@2:\n', 'x', true),
      [
        { name: 'vue', version: '3.2.0' },
        { name: '@a/b', version: '1.0.0' },
      ],
    );
    assert.deepEqual(parsePnpmLock('dependencies:\n  vue: 3.2.0\n', 'x', false), [{ name: 'vue', version: '3.2.0' }]);
  });

  it('Lock files of yarn are read, version 1 and later', () => {
    const one =
      '# yarn lockfile v1\n\n"@vue/core@^3.0.0", "@vue/core@^3.1.0":\n  version "3.5.0"\n  resolved "x"\n  dependencies:\n    version "9"\n\nms@2.0.0:\n  version "2.0.0"\n\nms@^2.1.1:\n  version "2.1.3"\n';
    assert.deepEqual(
      parseYarnLock(one, 'x', undefined).map(({ version }) => version),
      ['3.5.0', '2.0.0', '2.1.3'],
    );
    assert.deepEqual(
      parseYarnLock(
        one,
        'x',
        new Map([
          ['ms', '^2.1.1'],
          ['@vue/core', '^3.9'],
        ]),
      ),
      [
        { name: '@vue/core', version: '3.5.0' },
        { name: 'ms', version: '2.1.3' },
      ],
    );
    const berry = '__metadata:\n  version: 8\n\n"ms@npm:^2.1.1":\n  version: 2.1.3\n\n"me@workspace:.":\n  version: 0.0.0-use.local\n';
    assert.deepEqual(parseYarnLock(berry, 'x', undefined), [{ name: 'ms', version: '2.1.3' }]);
  });

  it('Lock files of poetry, uv and pip are read', () => {
    const toml =
      '[[package]]\nname = "flask"\nversion = "3.0.0"\n\n[package.dependencies]\nversion = "9"\n\n[[package]]\nname = "mine"\nversion = "0.1"\nsource = { virtual = "." }\n';
    assert.deepEqual(parseTomlLock(toml, 'x'), [{ name: 'flask', version: '3.0.0' }]);
    const text = 'a==1.0\nB[extra] == 2.0 ; python_version < "4"\nc>=3\n-e .\nd==4.* \ne===5 # x\nf==6 \\\n    --hash=sha256:0\n';
    assert.deepEqual(
      parseRequirements(text).map(({ name, version }) => `${name} ${version ?? '-'}`),
      ['a 1.0', 'B 2.0', 'c -', 'd -', 'e 5', 'f 6'],
    );
    const others = '-i https://index.example/simple\n-r more.txt\ng @ https://x.example/g.zip\n# h\nj~=1 ; python_version < "3"\n';
    assert.deepEqual(parseRequirements(others), [{ name: 'j', registry: 'https://index.example/simple' }]);
  });

  it('Lock files of bun are read: JSON with trailing commas', () => {
    const text = `{"lockfileVersion": 1, "workspaces": {"": {"name": "me", "dependencies": {"a": "^1", "s": "file:./s", "b,]": "1"},},
      "w": {"name": "w", "devDependencies": {"a": "^2",}}},
      "packages": {"a": ["a@1.0.0", "", {}, "sha512-x"], "w/a": ["a@2.0.0", "", {}, "x"], "@o/c": ["@o/c@3.1.0", "https://r.example/c.tgz", {}, "x"],
      "s": ["s@file:./s", {}], },}`;
    assert.deepEqual(parseBunLock(text, 'x', false), [
      { name: 'a', version: '1.0.0' },
      { name: 'a', version: '2.0.0' },
    ]);
    assert.deepEqual(parseBunLock(text, 'x', true).at(-1), { name: '@o/c', version: '3.1.0', registry: 'https://r.example/c.tgz' });
  });

  it('Lock files of pdm, Pipenv and pip give direct requirements, and --transitive all', async () => {
    const lock = '[[package]]\nname = "Flask"\nversion = "3.0.0"\n\n[[package]]\nname = "jinja2"\nversion = "3.1.0"\n';
    const pipenv = {
      _meta: { sources: [{ name: 'corp', url: 'https://corp.example/simple' }] },
      default: { flask: { version: '==3.0.0', index: 'corp' }, jinja2: { version: '==3.1.0' }, mine: { path: '.' } },
      develop: { pytest: { version: '==8.0.0' } },
    };
    writeTree(folder, {
      'py/pdm.lock': lock,
      'py/poetry.lock': lock,
      'py/pylock.toml': lock.replaceAll('[[package]]', '[[packages]]'),
      'py/Pipfile.lock': JSON.stringify(pipenv),
      'py/pyproject.toml':
        '[project]\ndependencies = ["flask[async]>=3 ; python_version > \'3\'"]\n[tool.poetry.dependencies]\npython = "^3"\n',
      'py/Pipfile': '[packages]\nFlask = "*"\n[dev-packages]\npytest = "*"\n',
    });
    const names = async (file, transitive) => (await readLockfile(join(folder, 'py', file), transitive)).map(({ name }) => name);
    for (const file of ['pdm.lock', 'poetry.lock', 'pylock.toml']) {
      assert.deepEqual(await names(file, false), ['flask'], file);
      assert.deepEqual(await names(file, true), ['flask', 'jinja2'], file);
    }
    const said = [];
    writeTree(folder, { 'py/pyproject.toml': '[project]\ndynamic = ["version", "dependencies"]\n[dependency-groups]\ndev = ["jinja2"]\n' });
    const found = await readLockfile(join(folder, 'py', 'pdm.lock'), false, (text) => said.push(text));
    assert.deepEqual(
      found.map(({ name }) => name),
      ['jinja2'],
    );
    assert.equal(said.length, 1);
    assert.match(said[0], /pyproject\.toml calls project\.dependencies dynamic: .*Add --transitive to take all of pdm\.lock/);
    assert.deepEqual(await names('Pipfile.lock', false), ['flask', 'pytest']);
    assert.deepEqual(await names('Pipfile.lock', true), ['flask', 'jinja2', 'pytest']);
    assert.equal(parsePipfileLock(JSON.stringify(pipenv), 'x')[0].registry, 'https://corp.example/simple');
    const uv = '[[package]]\nname = "a"\nversion = "1"\nsource = { registry = "https://corp.example/simple" }\n';
    assert.deepEqual(parseTomlLock(uv, 'x'), [{ name: 'a', version: '1', registry: 'https://corp.example/simple' }]);
  });

  it('Lock files are read as the format has it: comments, quotes, documents, number-like versions', () => {
    const two =
      "---\nimporters:\n  .:\n    packageManagerDependencies: {pnpm: {version: 11.0.0}}\n---\nimporters:\n  .: {dependencies: {a: {specifier: '*', version: 3.10}}} # vue: 1.0.0\npackages: {'a@3.10': {}, /b@2.0.0(a@3.10): {}}\n";
    assert.deepEqual(parsePnpmLock(two, 'x', false), [{ name: 'a', version: '3.10' }]);
    assert.deepEqual(parsePnpmLock(two, 'x', true), [
      { name: 'a', version: '3.10' },
      { name: 'b', version: '2.0.0' },
    ]);
    assert.deepEqual(parseYarnLock('__metadata:\n  version: 8\n\n"a@npm:^3":\n  version: 3.10 # "b"\n', 'x'), [
      { name: 'a', version: '3.10' },
    ]);
    const toml =
      'note = """\n[[package]]\nname = "no"\nversion = "1"\n"""\n[[ package ]] # a\nversion = \'3.10\'\n"name" = "a"\nsize = 9007199254740993\n[package.source]\ntype = "git"\n';
    assert.deepEqual(parseTomlLock(toml, 'x'), [{ name: 'a', version: '3.10' }]);
  });

  it('Broken lock files are refused, with file and place', async () => {
    for (const [name, text, message] of [
      ['pnpm-lock.yaml', 'packages:\n  a: [1\n', /pnpm-lock\.yaml is not YAML: .*\(3:1\)/],
      ['yarn.lock', '# yarn lockfile v1\n\n"a@^1"\n', /yarn\.lock is not a lock file of Yarn: /],
      ['yarn.lock', '[a]\n', /yarn\.lock is not a lock file of Yarn: /],
      ['uv.lock', '[[package]]\nname = \n', /uv\.lock is not TOML: /],
    ]) {
      writeFileSync(join(folder, name), text);
      await assert.rejects(readLockfile(join(folder, name), true), { name: 'SourceError', kind: 'usage', message }, text);
    }
  });

  it('Hostile lock files cost linear time', () => {
    const units = [
      [(text) => parsePnpmLock(text, 'x', true), ' a:b:c', '[', '{a: ', '- ', '? ', '"a\n', 'a: &a\n', '#\n'],
      [(text) => parseYarnLock(text, 'x'), '"@a', 'a@1, ', '[', 'a@1:\n'],
      [(text) => parseYarnLock(`# yarn lockfile v1\n${text}`, 'x'), '"@a', 'a@1, ', 'a ', '\n', '# x\n', '  a\n'],
      [(text) => parseTomlLock(text, 'x'), '[[package]] ', '[[package]]\n', '[', '{a=', 'a.', 'a="""\n'],
      [parseRequirements, 'a[', 'a', 'a.', '\n', '\t', '-i '],
      [(text) => parseBunLock(text, 'x', true), '"a",', ',\n', '"\\"'],
      [(text) => filesOfHtml(text, 'https://x.example/'), '<a href=x>', '<a', '<!--', '&amp;', '<a href="'],
      [(text) => Array.from(settingsOf(text, {}).indexes), 'a.b=', '\n'],
    ];
    for (const [parse, ...repeated] of units) {
      for (const unit of repeated) {
        try {
          assert.ok(Array.isArray(parse(unit.repeat(20_000))), unit);
        } catch (error) {
          assert.equal(error.name, 'SourceError', unit);
        }
      }
    }
  });
});

describe('archives', () => {
  const read = async (name, bytes) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    const found = {};
    for await (const { path, bytes: data } of readArchive(file, (path) => path.endsWith('.md'))) found[path] = data.toString();
    return found;
  };

  it('Archives give wanted regular files under safe names', async () => {
    const long = `${'deep/'.repeat(30)}x.md`;
    const record = ` path=${long}\n`;
    const pax = `${record.length + 3}${record}`;
    const tar = tarGz({
      'a.md': 'A',
      'b.txt': 'B',
      '../c.md': 'C',
      '/d.md': 'D',
      'l.md': { link: '/etc/passwd' },
      x: { type: 'x', text: pax },
      'short.md': 'long',
      y: { type: 'L', text: 'gnu/name.md\0' },
      'z.md': 'Z',
      'dev.md': { type: '3' },
    });
    assert.deepEqual(await read('a.tar.gz', tar), { 'a.md': 'A', [long]: 'long', 'gnu/name.md': 'Z' });
    assert.deepEqual(await read('a.zip', zip({ 'a.md': 'A', 'x/b.md': 'B'.repeat(1000), '../c.md': 'C', 'C:\\d.md': 'D' })), {
      'a.md': 'A',
      'x/b.md': 'B'.repeat(1000),
    });
  });

  it('Damaged archives are refused by name', async () => {
    const good = tarGz({ 'a.md': 'A'.repeat(5000) });
    for (const [name, bytes] of [
      ['cut.tgz', good.subarray(0, good.length - 20)],
      ['text.tgz', Buffer.from('no archive')],
      ['end.tgz', gzipSync(gunzipSync(good).subarray(0, 1000))],
      ['text.zip', Buffer.from('no archive')],
      ['cut.zip', zip({ 'a.md': 'A' }).subarray(5)],
      ['empty.zip', Buffer.alloc(0)],
    ]) {
      await assert.rejects(read(name, bytes), { name: 'SourceError', message: new RegExp(name.replace('.', '\\.')) }, name);
    }
  });

  it('Archives do not unfold into more than promised', async () => {
    const small = zip({ 'a.md': 'A'.repeat(100_000) });
    small.writeUInt32LE(10, small.indexOf('PK\x01\x02', 0, 'latin1') + 24);
    await assert.rejects(read('lie.zip', small), { name: 'SourceError' });
    const tar = tarGz({ 'a.md': { text: 'A', size: 0o77777777777 } });
    await assert.rejects(read('huge.tgz', tar), { name: 'SourceError', message: /damaged, or far too large/ });
  });

  it('Archives are given up when other entries outgrow the files', async () => {
    const names = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${i}.md`, { type: 'x', text: '' }]));
    const attributes = { x: { type: 'x', text: '12 a=bcdefg\n'.repeat(300_000) }, 'a.md': 'A' };
    const claims = { d: { type: '5', size: 0o7777777777 }, ...names };
    for (const [name, bytes] of [
      ['names.tgz', tarGz(names)],
      ['folder.tgz', tarGz(claims)],
      ['attributes.tgz', tarGz(attributes)],
      ['zeros.tgz', gzipSync(Buffer.concat([gunzipSync(tarGz({ 'a.md': 'A' })), Buffer.alloc(8 << 20)]))],
    ]) {
      await assert.rejects(read(name, bytes), { name: 'SourceError', message: /damaged: it holds more than its files/ }, name);
    }
  });

  it('Archives may hold any number of files that the caller bounds itself', async () => {
    const code = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`${i}.c`, '']));
    const file = join(folder, 'code.tgz');
    writeFileSync(file, tarGz({ ...code, 'a.md': 'A' }));
    const count = async (wanted) => {
      let files = 0;
      for await (const _ of readArchive(file, wanted)) files += 1;
      return files;
    };
    assert.equal(await count((path) => path.endsWith('.md') || 'aside'), 20_002);
    await assert.rejects(
      count(() => true),
      /holds more than 20000 documentation files/,
    );
  });

  it('Archives of common programs are all read', async () => {
    const long = `${'a-long-name-'.repeat(12)}ü.md`;
    const source = join(folder, 'forms');
    writeTree(source, { [`docs/${long}`]: 'L', 'docs/b.md': 'B' });
    for (const format of ['gnu', 'pax', 'ustar']) {
      const file = join(folder, `${format}.tar`);
      const { status, stderr } = spawnSync('tar', [`--format=${format}`, '-cf', file, '-C', source, 'docs'], { encoding: 'utf8' });
      if (format !== 'ustar') assert.equal(status, 0, stderr); // ustar has no room for the long name, and tar says so
      const found = await read(`${format}.tar`, readFileSync(file));
      assert.deepEqual(found, format === 'ustar' ? { 'docs/b.md': 'B' } : { [`docs/${long}`]: 'L', 'docs/b.md': 'B' }, format);
    }
    spawnSync('tar', ['--format=v7', '-cf', join(folder, 'v7.tar'), '-C', source, 'docs/b.md']);
    assert.deepEqual(await read('v7.tar', readFileSync(join(folder, 'v7.tar'))), { 'docs/b.md': 'B' });
  });

  it('Archives hold no name that leaves a folder', () => {
    for (const name of ['', '.', '/a', '\\a', 'a/../b', '..\\a', 'C:a', 'a\nb', 'a'.repeat(1001)])
      assert.equal(safePath(name), undefined, name);
    assert.equal(safePath('./a//b/./c.md'), 'a/b/c.md');
  });

  it('Archives hold documentation at the top and below docs', () => {
    for (const path of ['README.md', 'readme', 'Readme.markdown', 'docs/a/b.md', 'doc/x.rst', 'CHANGELOG.md', 'guides/x.mdx'])
      assert.equal(isPackageDoc(path), path !== 'Readme.markdown', path);
    for (const path of [
      'LICENSE.md',
      'src/README.md',
      'docs/node_modules/x/README.md',
      'docs/requirements.txt',
      'notes.txt',
      'index.html',
      'docs/pic.png',
    ])
      assert.equal(isPackageDoc(path), false, path);
  });
});
