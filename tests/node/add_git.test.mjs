/** `sheaf add` and `sheaf update` of git repositories. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pagesAt, parseRefs, resolveRef } from '../../dist/node/sources/git.js';
import { catalogueAddress } from '../../dist/node/sources/catalogue.js';
import { parseGitAddress, repositoryName } from '../../dist/node/sources/git_url.js';
import { Registry } from '../../dist/node/sources/registry.js';
import { withoutCredentials } from '../../dist/node/sources/source.js';
import { requirePacker } from '../native_packer.mjs';
import { compareVersions } from '../../dist/node/store/store.js';
import { git, gitOverHttp, isolatedSheaf, makeRepository, serve } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('add-git');
const sheaf = isolatedSheaf(folder);
const repository = makeRepository(folder, {
  'README.md': '# Kiln\n\nBakes clay.\n',
  'docs/guide/install.md': '# Install\n\nUnpack the kiln and plug it in.\n',
  'docs/api.rst': 'API\n===\n\nThe furnace function heats.\n',
  'docs/images/shot.md': '# Not documentation\n',
  'src/main.c': 'int main(void) { return 0; }\n',
  LICENSE: 'All yours.\n',
});
const url = pathToFileURL(repository.bare).href;
let first;
let lasting;

after(() => lasting.close());

before(async () => {
  lasting = await gitOverHttp(folder);
  repository.commit('one');
  git(repository.work, 'tag', 'v1.0.0');
  repository.commit('two', { 'docs/guide/install.md': '# Install\n\nNow with a remote control.\n' });
  git(repository.work, 'tag', '-a', '2.0.0', '-m', 'annotated');
  git(repository.work, 'branch', 'feature/glaze');
  repository.publish();
  first = git(repository.work, 'rev-parse', 'v1.0.0^{commit}');
});

describe('sheaf add with a git repository', () => {
  it("sheaf add takes a repository's default branch as version latest", async () => {
    const { code, stdout, stderr } = await sheaf(['add', 'kiln', '-s', url, '-y']);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'Embedding complete: Library kiln (latest) added.\n');
    const page = await sheaf.page('kiln', 'latest', 'docs/guide/install.md');
    assert.equal(page.url, 'docs/guide/install.md', 'a bare repository on this machine shows its pages nowhere');
    assert.match(page.text, /remote control/);
    assert.match((await sheaf.page('kiln', 'latest', 'README.md')).text, /Bakes clay/);
    assert.equal(
      (await sheaf(['page', 'docs/images/shot.md', '-l', 'kiln', '-v', 'latest'])).code,
      0,
      'no folder is passed over by its name',
    );
    assert.match((await sheaf(['query', 'furnace', '-l', 'kiln'])).stdout, /API/);
  });

  it('sheaf add resolves tags with and without v, and names version and addresses so', async () => {
    for (const [asked, version, text] of [
      ['1.0.0', 'v1.0.0', /plug it in/],
      ['v2.0.0', '2.0.0', /remote control/],
      ['feature/glaze', 'feature-glaze', /remote control/],
      [first, first, /plug it in/],
    ]) {
      const outcome = await sheaf.json(['add', 'tagged', '-s', `${lasting.url}/kiln.git`, '-v', asked, '-d', 'docs', '-y']);
      assert.equal(outcome.version, version);
      const page = await sheaf.page('tagged', version, 'docs/guide/install.md');
      assert.match(page.text, text);
      assert.match(
        page.url,
        new RegExp(`/tree/${asked === 'feature/glaze' ? 'feature/glaze' : version}/docs/guide/install\\.md$`),
        'the ref that was indexed, not the default branch',
      );
    }
  });

  it('sheaf add takes only the paths of --docs-path; none, / and . mean all', async () => {
    const some = await sheaf.json(['add', 'some', '-s', url, '-d', 'docs/guide', '-d', './README.md', '-y']);
    assert.equal(some.pages, 2);
    for (const all of ['/', '.']) assert.equal((await sheaf.json(['add', `all${all.charCodeAt(0)}`, '-s', url, '-d', all, '-y'])).pages, 4);
    const missing = await sheaf(['add', 'none', '-s', url, '-d', 'documents', '-y']);
    assert.equal(missing.code, 4);
    assert.match(missing.stderr, /no documentation in 'documents' at main\. There is: LICENSE, README\.md, docs, src/);
  });

  it('sheaf add lists the tags when a version is missing', async () => {
    const { code, stderr } = await sheaf(['add', 'kiln', '-s', url, '-v', '9.9', '-y']);
    assert.equal(code, 4);
    assert.match(stderr, /Version '9\.9' is neither a tag nor a branch of .*kiln\.git\. Newest tags: 2\.0\.0, v1\.0\.0/);
  });

  it('sheaf add names a library by its repository by default', async () => {
    assert.equal((await sheaf.json(['add', url, '-v', '2.0.0', '-y'])).library, 'kiln');
  });

  it('sheaf add knows a repository by path or URL, and cites its work tree', async () => {
    const bare = join(folder, 'mirrors', 'kiln');
    mkdirSync(dirname(bare), { recursive: true });
    symlinkSync(repository.bare, bare);
    for (const source of [bare, pathToFileURL(bare).href]) {
      const { source: kept, pages } = await sheaf.json(['add', 'bare', '-s', source, '-d', 'docs/guide', '-y']);
      assert.deepEqual([kept.type, kept.repo_url, pages ?? 1], ['git_repo', pathToFileURL(bare).href, 1]);
    }
    await sheaf.json(['add', 'tree', '-s', pathToFileURL(join(repository.work, '.git')).href, '-d', 'docs/guide', '-y']);
    const { url: address } = await sheaf.page('tree', 'latest', 'docs/guide/install.md');
    assert.equal(address, pathToFileURL(join(repository.work, 'docs/guide/install.md')).href);
    assert.ok(existsSync(fileURLToPath(address)));
  });

  it("sheaf add fetches a page's includes anywhere in the repository, and notices their changes", async () => {
    const place = join(folder, 'including');
    const other = makeRepository(place, {
      'docs/en/a.md': '# A\n\n{* ../../src/one.py hl[1] *}\n\n```\n--8<-- "src/two.py:1:2"\n```\n\n<<< @/src/three.ts#region\n',
      'docs/en/b.rst': 'B\n=\n\n.. literalinclude:: /../../src/four.c\n   :lines: 1-2\n\n.. include:: part.inc\n',
      'docs/en/part.inc': 'Text.\n',
      'src/one.py': '1\n',
      'src/two.py': '2\n',
      'src/three.ts': '3\n',
      'src/four.c': '4\n',
      'src/five.c': '5\n',
    }).commit('x');
    other.publish();
    const source = pathToFileURL(other.bare).href;
    const { library, pages } = await sheaf.json(['add', 'including', '-s', source, '-d', 'docs', '-y']);
    assert.equal(pages, 2, 'what is included is no page');
    const record = JSON.parse(readFileSync(join(sheaf.data, 'sheaf', 'sources', `${library}@latest.json`), 'utf8'));
    assert.deepEqual(Object.keys(record.files), [
      'docs/en/a.md',
      'docs/en/b.rst',
      ...['docs/en/part.inc', 'src/four.c', 'src/one.py', 'src/three.ts', 'src/two.py'],
    ]);
    other.commit('y', { 'src/one.py': '11\n', 'src/five.c': '55\n' }).publish();
    assert.deepEqual((await sheaf.json(['update', 'including', '-y'])).changes, { added: 0, modified: 1, deleted: 0, unchanged: 6 });
  });

  it('sheaf add cites pages as each host shows them', () => {
    const at = (given, name, fetch) => pagesAt(parseGitAddress(given), { name, fetch, commit: '', isDefault: false });
    for (const [given, shown] of [
      ['https://github.com/o/r.git', 'https://github.com/o/r/tree/v1/'],
      ['git@gitlab.com:g/sub/r.git', 'https://gitlab.com/g/sub/r/-/tree/v1/'],
      ['https://gitlab.example/o/r', 'https://gitlab.example/o/r/-/tree/v1/'],
      ['https://codeberg.org/o/r', 'https://codeberg.org/o/r/src/tag/v1/'],
      ['https://bitbucket.org/o/r', 'https://bitbucket.org/o/r/src/v1/'],
      ['https://git.sr.ht/~o/r', 'https://git.sr.ht/~o/r/tree/v1/item/'],
      ['https://git.example/o/r', 'https://git.example/o/r/tree/v1/'],
    ])
      assert.equal(at(given, 'v1', 'refs/tags/v1'), shown);
    assert.equal(at('https://codeberg.org/o/r', 'a/b', 'refs/heads/a/b'), 'https://codeberg.org/o/r/src/branch/a/b/');
  });

  it('sheaf add refuses malicious paths and addresses', async () => {
    for (const path of ['../x', 'a/../../b', '.git']) {
      const { code, stderr } = await sheaf(['add', 'x', '-s', url, '-d', path, '-y']);
      assert.equal(code, 2, path);
      assert.match(stderr, /--docs-path/);
    }
    const marker = join(folder, 'pwned');
    for (const source of [`ext::sh -c touch% ${marker}`, `--upload-pack=touch ${marker}`, `git+ext://x/${marker}.git`]) {
      assert.notEqual((await sheaf(['add', 'x', `--source=${source}`, '-y'])).code, 0);
      assert.equal(existsSync(marker), false, source);
    }
    for (const name of ['../x', 'a/../b', '/etc', 'a b', '..']) assert.equal((await sheaf(['add', name, '-s', url, '-y'])).code, 2, name);
    assert.deepEqual(
      readdirSync(sheaf.store).filter((file) => !file.endsWith('.sheaf')),
      [],
    );
  });

  it('sheaf add runs no hooks, and ignores any surrounding git command', async () => {
    const marker = join(folder, 'hooked');
    const hooks = join(folder, 'hooks');
    const hostile = makeRepository(join(folder, 'hostile'), { 'README.md': '# Mine\n\nText.\n' }).commit('x').publish();
    const config = join(folder, 'gitconfig');
    mkdirSync(hooks);
    writeFileSync(join(hooks, 'post-checkout'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    writeFileSync(config, `[core]\n\thooksPath = ${hooks}\n`);
    const { code, stderr } = await sheaf(['add', 'mine', '-s', pathToFileURL(hostile.bare).href, '-y'], {
      GIT_CONFIG_GLOBAL: config,
      GIT_DIR: join(folder, 'elsewhere'),
    });
    assert.equal(code, 0, stderr);
    assert.equal(existsSync(marker), false);
    assert.equal(existsSync(join(folder, 'elsewhere')), false, 'a surrounding GIT_DIR is not ours');
  });

  it('sheaf add follows no link out of the repository', async () => {
    const secret = join(folder, 'secret');
    mkdirSync(secret);
    writeFileSync(join(secret, 'key.md'), '# Key\n\nhunter2\n');
    const linked = makeRepository(join(folder, 'linked'), { 'README.md': '# Linked\n\nText.\n' });
    symlinkSync(secret, join(linked.work, 'docs.d'));
    symlinkSync(join(secret, 'key.md'), join(linked.work, 'key.md'));
    linked.commit('x').publish();
    const source = pathToFileURL(linked.bare).href;
    assert.equal((await sheaf.json(['add', 'linked', '-s', source, '-y'])).pages, 1);
    const { code, stderr } = await sheaf(['add', 'linked', '-s', source, '-d', 'docs.d', '-y']);
    assert.notEqual(code, 0);
    assert.match(stderr, /link that leads out|no documentation/);
  });

  it('sheaf add leaves out an overlong name with a note, and takes non-UTF-8 names', async () => {
    const odd = makeRepository(join(folder, 'odd'), { 'README.md': '# Odd\n\nText.\n' }).commit('x');
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: odd.work, input: '# Other\n\nWords.\n' }).toString().trim();
    git(odd.work, 'update-index', '--add', '--cacheinfo', `100644,${blob},docs/${'x'.repeat(300)}.md`);
    execFileSync('git', ['update-index', '--index-info'], { cwd: odd.work, input: Buffer.from(`100644 ${blob}\ta\xff.md\n`, 'latin1') });
    git(odd.work, 'commit', '-q', '-m', 'odd');
    odd.publish();
    const outcome = await sheaf.json(['add', 'odd', '-s', pathToFileURL(odd.bare).href, '-y']);
    assert.equal(outcome.pages, 2);
    assert.match(outcome.warnings.join('\n'), /^Left out: docs\/x{195}: File name too long$/);
  });

  it('sheaf add reports plainly each failure of git', async () => {
    const { code, stderr } = await sheaf(['add', 'x', '-s', pathToFileURL(join(folder, 'nothing.git')).href, '-y']);
    assert.equal(code, 1);
    assert.match(stderr, /nothing\.git cannot be read: /);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
    const without = await sheaf(['add', 'x', '-s', url, '-y'], { PATH: join(folder, 'empty'), SHEAF_PACK: await requirePacker() });
    assert.match(without.stderr, /git was not found\. Install git/);
  });
});

describe('sheaf update of a git repository', () => {
  it('sheaf update fetches nothing while the commit is the same, and says so', async () => {
    const before = statSync(join(sheaf.store, 'kiln@latest.sheaf')).mtimeMs;
    const { code, stdout, stderr } = await sheaf(['update', 'kiln', '-y']);
    assert.equal(code, 0);
    assert.equal(stdout, '');
    assert.match(stderr, /Updating kiln latest\nNo changes detected\. Nothing to update\.\n$/);
    assert.equal(statSync(join(sheaf.store, 'kiln@latest.sheaf')).mtimeMs, before);
  });

  it('sheaf update prints the Update Summary with Added, Modified, Deleted and Unchanged', async () => {
    git(repository.work, 'rm', '-q', 'docs/api.rst');
    repository
      .commit('three', { 'docs/guide/new.md': '# New\n\nFresh words about porcelain.\n', 'README.md': '# Kiln\n\nBakes porcelain.\n' })
      .publish();
    const { code, stdout, stderr } = await sheaf(['update', 'kiln', '-y']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Update Summary:\n {2}Added: 1\n {2}Modified: 1\n {2}Deleted: 1\n {2}Unchanged: 2\n/);
    assert.equal(stdout, 'Embedding complete: Library kiln (latest) added.\n');
    assert.match((await sheaf(['query', 'porcelain', '-l', 'kiln', '-v', 'latest'])).stdout, /New/);
  });

  it('sheaf update packs nothing when the commit changed but no documentation did', async () => {
    repository.commit('four', { 'src/main.c': 'int main(void) { return 1; }\n' }).publish();
    const outcome = await sheaf.json(['update', 'kiln', '-y']);
    assert.equal(outcome.action, 'unchanged');
    assert.deepEqual(outcome.changes, { added: 0, modified: 0, deleted: 0, unchanged: 4 });
  });

  it("sheaf update keeps a tag's version and its own ref", async () => {
    const outcome = await sheaf.json(['update', 'tagged', '-v', 'v1.0.0', '-y']);
    assert.equal(outcome.action, 'unchanged');
    assert.equal(outcome.source.ref, '1.0.0');
  });

  it('A second sheaf add updates too, and packs anew for another encoder', async () => {
    assert.equal((await sheaf.json(['add', 'kiln', '-s', url, '-y'])).action, 'unchanged');
    const outcome = await sheaf.json(['add', 'kiln', '-s', url, '--encoder', 'none', '-y']);
    assert.equal(outcome.action, 'updated');
    assert.equal(outcome.changes.unchanged, 4);
  });
});

describe('git over HTTP', () => {
  it("Git over HTTP clones from a typed loopback server, also by a folder's web address", async () => {
    const server = await gitOverHttp(dirname(folder));
    after(() => server.close());
    const repo = `${server.url}/${basename(folder)}/kiln.git`;
    const outcome = await sheaf.json(['add', 'http', '-s', repo, '-d', 'docs', '-y']);
    assert.equal(outcome.pages, 3);
    assert.equal((await sheaf.page('http', 'latest', 'docs/guide/new.md')).url, `${repo.replace('.git', '')}/tree/main/docs/guide/new.md`);
    const web = await sheaf.json(['add', 'web', '-s', `${repo}/-/tree/feature/glaze/docs/guide`, '-y']);
    assert.deepEqual([web.version, web.pages], ['feature-glaze', 1], 'the ref in a web address counts');
  });

  it('Git over HTTP keeps passwords out of messages, addresses and files', async () => {
    const server = await gitOverHttp(folder);
    const { stderr, stdout } = await sheaf([
      'add',
      'secret',
      '-s',
      `${server.url.replace('//', '//user:hunter2@')}/kiln.git`,
      '-y',
      '--json',
    ]);
    await server.close();
    const record = readFileSync(join(sheaf.data, 'sheaf', 'sources', 'secret@latest.json'), 'utf8');
    const saved = readFileSync(join(sheaf.cwd, '.sheaf', 'sources.json'), 'utf8');
    for (const text of [stderr, stdout, record, saved]) assert.doesNotMatch(text, /hunter2/);
  });

  it("Git over HTTP signs in with the address's password, and stores it nowhere", async () => {
    const password = `hunter2 '"$HOME\`%@:/`;
    const linked = makeRepository(join(folder, 'private'), { 'README.md': '# Private\n\nText.\n', 'docs/a.md': '# A\n\nText.\n' });
    for (const [target, path] of [
      ['.git/config', 'leak.md'],
      ['../.git/config', 'docs/leak.md'],
      ['../git/config', 'beside.md'],
      ['.git', 'meta'],
      ['../git', 'store'],
    ])
      symlinkSync(target, join(linked.work, path));
    linked.commit('x').publish();
    const server = await gitOverHttp(join(folder, 'private'), { login: `me@kiln:${password}` });
    after(() => server.close());
    // A git that writes down how it is called, and what its repository's configuration is then.
    const [bin, log] = [join(folder, 'spying'), join(folder, 'git.log')];
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\n"${real}" "$@"\ncode=$?\necho "$@" >> ${log}\nfor arg; do case $arg in --git-dir=*) cat "\${arg#*=}/config" >> ${log};; esac; done\nexit $code\n`,
    );
    chmodSync(join(bin, 'git'), 0o755);
    const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
    const address = `${server.url.replace('//', `//me%40kiln:${encodeURIComponent(password)}@`)}/kiln.git`;
    const { code, stdout, stderr } = await sheaf(['add', 'private', '-s', address, '-y', '--json'], env);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).pages, 2, 'links into .git and out of the tree show nothing');
    const spied = readFileSync(log, 'utf8');
    assert.match(spied, /checkout[^]*\[remote "origin"\]\n\turl = http:\/\/127\.0\.0\.1/);
    assert.doesNotMatch(spied, /hunter2|me@kiln|me%40kiln/);
    for (const path of ['leak.md', 'docs/leak.md', 'beside.md'])
      assert.notEqual((await sheaf(['add', 'leaky', '-s', address, '-d', path, '-y'])).code, 0, path);
    const wrong = await sheaf(['add', 'wrong', '-s', address.replace('hunter2', 'hunter3'), '-y']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /kiln\.git cannot be read: .*Authentication failed/);
    assert.doesNotMatch(wrong.stderr, /hunter3/);
  });

  it("Git over HTTP takes the user from the address and the password from git's helper", async () => {
    const server = await gitOverHttp(folder, { login: 'me:hunter2' });
    after(() => server.close());
    const config = join(folder, 'helping');
    writeFileSync(config, '[credential]\n\thelper = "!f() { grep -q username=me && echo password=hunter2; }; f"\n');
    const source = `${server.url.replace('//', '//me@')}/kiln.git`;
    assert.equal((await sheaf(['add', 'named', '-s', source, '-y'], { GIT_CONFIG_GLOBAL: config })).code, 0);
    assert.equal(
      (await sheaf(['add', 'named', '-s', source.replace('me@', 'me%0aquit%3d1@'), '-y'], { GIT_CONFIG_GLOBAL: config })).code,
      2,
      'a line of its own',
    );
  });

  it('Git over HTTP connects to the addresses that were checked', async () => {
    const server = await gitOverHttp(folder);
    after(() => server.close());
    const { port } = new URL(server.url);
    const [trace, address] = [join(folder, 'curl.log'), `http://localhost:${port}/kiln.git`];
    assert.equal((await sheaf(['add', 'pinned', '-s', address, '-y'], { GIT_TRACE_CURL: trace })).code, 0);
    const [requests, pinned] = [/Send header: GET /g, new RegExp(`Added localhost:${port}:\\S*127\\.0\\.0\\.1\\S* to DNS cache`, 'g')].map(
      (wanted) => readFileSync(trace, 'utf8').match(wanted)?.length ?? 0,
    );
    assert.ok(requests >= 3 && pinned >= requests, `ls-remote, fetch and checkout ask for no name again: ${pinned} of ${requests}`);
  });

  it('Git over HTTP follows a moved repository, but not to a private address', async () => {
    const target = await gitOverHttp(folder);
    const self = await gitOverHttp(folder, { moved: { from: '/old/kiln.git', to: '/kiln.git' } });
    const away = await serve(() => ({ status: 302, headers: { location: `${target.url}/kiln.git/info/refs?service=git-upload-pack` } }));
    after(() => Promise.all([target.close(), self.close(), away.close()]));
    assert.equal((await sheaf.json(['add', 'moved', '-s', `${self.url}/old/kiln.git`, '-y'])).pages, 4);
    const { code, stderr } = await sheaf(['add', 'away', '-s', `${away.url}/kiln.git`, '-y']);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`${target.url} is refused: 127\\.0\\.0\\.1 is an address of this machine.*--allow-private`));
    assert.deepEqual(target.seen, [], 'it was never asked');
    assert.equal((await sheaf(['add', 'away', '-s', `${away.url}/kiln.git`, '--allow-private', '-y'])).code, 0);
  });
});

describe('addresses of repositories', () => {
  const cases = [
    ['https://github.com/o/r', 'https://github.com/o/r', 'https://github.com/o/r', []],
    ['https://github.com/o/r.git', 'https://github.com/o/r.git', 'https://github.com/o/r', []],
    ['https://github.com/o/r/tree/main/docs/en', 'https://github.com/o/r', 'https://github.com/o/r', ['main', 'docs', 'en']],
    ['https://github.com/o/r/blob/v1.2/README.md', 'https://github.com/o/r', 'https://github.com/o/r', ['v1.2', 'README.md']],
    ['https://github.com/o/r/issues', 'https://github.com/o/r', 'https://github.com/o/r', []],
    [
      'https://gitlab.com/g/sub/r/-/tree/feature/x/docs',
      'https://gitlab.com/g/sub/r',
      'https://gitlab.com/g/sub/r',
      ['feature', 'x', 'docs'],
    ],
    ['https://codeberg.org/o/r/src/branch/main/docs', 'https://codeberg.org/o/r', 'https://codeberg.org/o/r', ['main', 'docs']],
    ['git@github.com:o/r.git', 'git@github.com:o/r.git', 'https://github.com/o/r', []],
    ['ssh://git@host.example:2222/o/r.git', 'ssh://git@host.example:2222/o/r.git', 'https://host.example/o/r', []],
    ['file:///srv/r.git', 'file:///srv/r.git', 'file:///srv/r', []],
  ];
  for (const [given, repo, web, rest] of cases) {
    it(`${given} is ${repo} at ${rest.join('/') || 'its default branch'}`, () => {
      const address = parseGitAddress(given);
      assert.deepEqual([address.repo, address.web, address.rest], [repo, web, rest]);
      assert.equal(repositoryName(address), 'r');
    });
  }

  it('Addresses with a stray percent sign name repositories, catalogues and registries all the same, or are refused', async () => {
    assert.equal(repositoryName(parseGitAddress('https://host.example/o/100%zz')), '100-zz');
    assert.throws(() => catalogueAddress('file:///a%zz/catalogue.json'), { name: 'SourceError', message: /names no path of this machine/ });
    const context = { allowPrivate: false, signal: new AbortController().signal, say() {} };
    assert.equal(new Registry('https://me:50%zz@registry.example/x', context).url.href, 'https://registry.example/x/');
  });

  it('Addresses of repositories keep user and password apart from the address', () => {
    assert.deepEqual(parseGitAddress('https://me%40x:p%3Aq@host.example/o/r').credentials, { username: 'me@x', password: 'p:q' });
    assert.equal(parseGitAddress('https://me:secret@host.example/o/r').repo, 'https://host.example/o/r');
    assert.deepEqual(parseGitAddress('https://token@host.example/o/r').credentials, { username: 'token', password: undefined });
    assert.equal(parseGitAddress('ssh://git:secret@host.example/o/r').repo, 'ssh://git@host.example/o/r');
    assert.equal(withoutCredentials('https://me:p@ss@host.example/o/r'), 'https://host.example/o/r');
  });

  it('Other kinds of repository addresses are refused', () => {
    for (const given of ['', '-x', 'ext::sh', 'https://a b/c', 'ftp://host/r.git', 'not a url'])
      assert.throws(() => parseGitAddress(given), { name: 'SourceError' }, given);
  });
});

describe('refs', () => {
  const refs = parseRefs(
    `ref: refs/heads/main\tHEAD\n${'a'.repeat(40)}\tHEAD\n${'a'.repeat(40)}\trefs/heads/main\n${'b'.repeat(40)}\trefs/heads/1.0\n${'c'.repeat(40)}\trefs/tags/v1.0\n${'d'.repeat(40)}\trefs/tags/v1.0^{}\nrubbish\n`,
  );

  it("Refs prefer the exact name over v, tags over branches, and annotated tags' commits", () => {
    assert.equal(resolveRef('1.0', refs, 'r', { compareVersions }).fetch, 'refs/heads/1.0');
    assert.deepEqual(resolveRef('v1.0', refs, 'r', { compareVersions }), {
      name: 'v1.0',
      commit: 'd'.repeat(40),
      fetch: 'refs/tags/v1.0',
      isDefault: false,
    });
    assert.equal(resolveRef('main', refs, 'r', { compareVersions }).isDefault, true);
    assert.equal(resolveRef('latest', refs, 'r', { compareVersions }).name, 'main');
    assert.throws(() => resolveRef(undefined, parseRefs(''), 'r', { compareVersions }), /is empty/);
  });
});
