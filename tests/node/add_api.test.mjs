/** Guides and API in one bundle: documentation from a repository with pages from the package's own code, each name once. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { git, gitOverHttp, isolatedSheaf, makeRepository, serve, tarGz } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('add-api');
const sheaf = isolatedSheaf(folder);
const bin = join(folder, 'bin');
mkdirSync(bin);
const PATH = `${bin}${delimiter}${process.env.PATH}`;

const PYTHON = {
  'src/kiln/__init__.py':
    '"""Firing of pots."""\n\ndef fire(pot, cone=6):\n    """Fires one pot to a cone."""\n\nclass Ramp:\n    """A ramp of heat."""\n    def load(self):\n        """Loads the ramp."""\n',
  'src/kiln/glaze.py': '"""Glazes."""\n\ndef brush(pot):\n    """Brushes the glaze on."""\n',
};
const repository = makeRepository(folder, {
  ...PYTHON,
  'README.md': '# Kiln\n\nOf the repository.\n',
  'docs/guide.md': '# Guide\n\nHow to fire. Call `fire` and load a Ramp.\n',
  'docs/api.rst': 'API\n===\n\n.. automodule:: kiln\n   :members:\n\n.. autoclass:: oven.Oven\n',
});
const TYPES = {
  'package/types/kiln.d.ts':
    '/** Fires one pot. */\nexport declare function fire(pot: string): void;\n/** A ramp of heat. */\nexport declare class Ramp { /** Loads it. */ load(): void }\n',
  'package/types/glaze.d.ts': '/** Brushes the glaze on. */\nexport declare function brush(pot: string): void;\n',
};
const manifest = (version, more = {}) =>
  JSON.stringify({
    name: 'kiln',
    version,
    exports: { '.': { types: './types/kiln.d.ts' }, './glaze': { types: './types/glaze.d.ts' } },
    ...more,
  });
const sdist = (more = '') =>
  tarGz({
    'kiln-1.0/PKG-INFO': `Metadata-Version: 2.1\nName: kiln\nVersion: 1.0\n${more}\n# Kiln\n\nOf the package.\n`,
    ...Object.fromEntries(Object.entries(PYTHON).map(([path, text]) => [`kiln-1.0/${path}`, text])),
  });
let server;
let index;
let url;
let env;

function shim(name, script) {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** An npm that has one tarball. */
function publish(version, files) {
  writeFileSync(join(folder, 'kiln.tgz'), tarGz(files));
  shim(
    'npm',
    `if [ "$1" = config ]; then echo '{"registry":"https://registry.npmjs.org/"}'; exit; fi\nif [ "$1" = view ]; then exit; fi\nwhile [ "$1" != --pack-destination ]; do shift; done\ncp ${join(folder, 'kiln.tgz')} "$2/kiln-${version}.tgz"`,
  );
}

before(async () => {
  symlinkSync('/etc/passwd', join(repository.work, 'src', 'kiln', 'secret.py'));
  repository.commit('one');
  git(repository.work, 'tag', 'v1.0');
  repository.commit('two', {
    'docs/api.rst':
      'API\n===\n\n.. module:: kiln\n\n.. function:: fire(pot)\n\n   Our own words on fire.\n\n.. class:: Ramp()\n\n   Ours, too.\n',
  });
  git(repository.work, 'tag', 'v2.0.0');
  repository.publish();
  server = await gitOverHttp(folder);
  url = `${server.url}/kiln.git`;
  const bytes = sdist(`Project-URL: Repository, ${url}\n`);
  const hashes = { sha256: createHash('sha256').update(bytes).digest('hex') };
  index = await serve({
    '/simple/kiln/': {
      headers: { 'content-type': 'application/vnd.pypi.simple.v1+json' },
      body: JSON.stringify({ files: [{ filename: 'kiln-1.0.tar.gz', url: '../files/kiln-1.0.tar.gz', hashes }] }),
    },
    '/simple/files/kiln-1.0.tar.gz': { body: bytes },
  });
  shim('python-shim', 'exit 1');
  env = { PATH, PIP_INDEX_URL: `${index.url}/simple/`, SHEAF_PYTHON: join(bin, 'python-shim') };
});
after(() => {
  server.close();
  index.close();
});

describe('sheaf add of a package with documentation in its repository', () => {
  it('Guides come from the repository and the API from the code, each name once', async () => {
    const { stdout, stderr, code } = await sheaf(['add', 'pypi:kiln', '-y', '--allow-private', '--json'], env);
    assert.equal(code, 0, stderr);
    const outcome = JSON.parse(stdout);
    assert.deepEqual([outcome.content, outcome.pages], ['repository', 4], 'README, guide, api, reference/kiln.glaze');
    assert.deepEqual(outcome.warnings, ['Not filled: 1 autoclass directive without source']);
    assert.match(stderr, /Filled 1 directive for documentation in the source\n/);
    assert.match(stderr, /Made 1 page of the API from source, in reference\n/);
    const api = await sheaf.page('kiln', '1.0', 'docs/api.rst');
    assert.match(api.text, /kiln\.fire\(pot, cone=6\)[^]*Fires one pot to a cone\.[^]*class kiln\.Ramp[^]*Loads the ramp\./);
    assert.equal(api.url, `${url.replace('.git', '')}/tree/v1.0/docs/api.rst`);
    const glaze = await sheaf.page('kiln', '1.0', 'reference/kiln.glaze.md');
    assert.match(glaze.text, /Brushes the glaze on\./);
    assert.equal(glaze.url, `${url.replace('.git', '')}/tree/v1.0/src/kiln/glaze.py`, 'a page of ours leads to its source');
    const [first] = (await sheaf.json(['query', 'kiln.Ramp.load', '-l', 'kiln'])).hits;
    assert.deepEqual([first.source, first.anchor], ['docs/api.rst', 'kiln.Ramp.load']);
    assert.equal((await sheaf.json(['update', 'kiln', '-y', '--allow-private'], env)).action, 'unchanged');
  });

  it('Names that the documentation describes itself get no page from the code, and the reason is told', async () => {
    publish('2.0.0', { 'package/package.json': manifest('2.0.0', { repository: url }), 'package/README.md': '# Kiln\n', ...TYPES });
    const { stdout, stderr, code } = await sheaf(['add', 'ours', '-s', 'npm:kiln', '-y', '--allow-private', '--json'], env);
    assert.equal(code, 0, stderr);
    assert.deepEqual([JSON.parse(stdout).content, JSON.parse(stdout).pages], ['repository', 4]);
    assert.match(stderr, /No page of the API of kiln: docs\/api\.rst and others describe 2 of its 3 names\n/);
    assert.match((await sheaf.page('ours', '2.0.0', 'docs/api.rst')).text, /Our own words on fire/);
    const glaze = await sheaf.page('ours', '2.0.0', 'reference/kiln.glaze.md');
    assert.equal(glaze.url, 'https://unpkg.com/kiln@2.0.0/types/glaze.d.ts');
  });

  it('A package that holds a README and code alone has its API beside the README, as before', async () => {
    publish('3.0.0', { 'package/package.json': manifest('3.0.0'), 'package/README.md': '# Kiln\n\nFires pots.\n', ...TYPES });
    const outcome = await sheaf.json(['add', 'lone', '-s', 'npm:kiln', '-y'], env);
    assert.deepEqual([outcome.content, outcome.pages], ['package', 3]);
    assert.equal((await sheaf.page('lone', '3.0.0', 'README.md')).url, 'https://unpkg.com/kiln@3.0.0/README.md');
  });
});

describe('sheaf add of a folder', () => {
  it('Directives of a folder are counted, and its files stay as they are', async () => {
    const path = join(repository.work, 'docs', 'api.rst');
    const text = 'API\n===\n\n.. automodule:: kiln\n\n.. autoclass:: kiln.Ramp\n\n.. autoclass:: kiln.Pot\n';
    writeFileSync(path, text);
    const outcome = await sheaf.json(['add', 'here', '-s', join(repository.work, 'docs'), '-y'], env);
    assert.deepEqual(outcome.warnings, ['Not filled: 2 autoclass, 1 automodule directives without source']);
    assert.equal(readFileSync(path, 'utf8'), text);
  });
});

describe('sheaf add of a repository', () => {
  it('Directives are filled from its own code, links to other files are no source, and no page is added', async () => {
    const outcome = await sheaf.json(['add', 'own', '-s', repository.bare, '-v', 'v1.0', '-y'], env);
    assert.deepEqual([outcome.pages, outcome.warnings], [3, ['Not filled: 1 autoclass directive without source']]);
    const { text } = await sheaf.page('own', outcome.version, 'docs/api.rst');
    assert.match(text, /Fires one pot to a cone\./);
    assert.doesNotMatch(text, /root:/);
  });
});
