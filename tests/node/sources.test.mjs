/** What a source is, which addresses may be asked, and sources.json. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { before, beforeEach, describe, it } from 'node:test';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { isLiteralPrivate, isPrivateAddress } from '../../dist/node/net/private_address.js';
import { Guard } from '../../dist/node/sources/guard.js';
import { detectSource, isSource } from '../../dist/node/sources/resolve.js';
import { withoutCredentials } from '../../dist/node/sources/source.js';
import { boundaryOf } from '../../dist/node/sources/project_list.js';
import { parseSpec } from '../../dist/node/sources/sources_file.js';
import { writeTree } from '../fixtures/tree.mjs';
import { isolatedSheaf, tarGz } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('sources');
const sheaf = isolatedSheaf(folder);

describe('the kind of a source', () => {
  const kind = (text, exists = false) => detectSource(text, {}, () => exists).spec.type;
  const cases = {
    git_repo: [
      'https://github.com/o/r',
      'https://github.com/o/r/tree/main/docs',
      'https://gitlab.com/g/r',
      'github.com/o/r',
      'https://host.example/r.git',
      'git@host.example:o/r.git',
      'ssh://git@host/o/r',
      'file:///srv/r.git',
      'https://gitlab.inner.example/g/r/-/tree/main/docs',
      'https://github.com/o/sitemap.xml',
    ],
    sitemap: [
      'https://host.example/sitemap.xml',
      'https://host.example/map.xml',
      'https://host.example/sitemap',
      'https://host.example/my-sitemap-index?x=1',
      'https://host.example/s.xml.gz',
    ],
    local_path: ['./docs', '../docs', '/srv/docs', '~/docs', 'file:///srv/docs', './sitemap.xml', '.', '..'],
    bundle: ['x.sheaf', './a/x.sheaf', 'https://host.example/x.sheaf', 'https://host.example/x.sheaf?v=1'],
    npm: ['npm:vue', 'npm:@vue/core@3.5.0', 'npm:./x.tgz'],
    pypi: ['pypi:fastapi', 'pypi:fastapi==0.115', 'PyPI:x@1'],
    crate: ['crate:serde', 'crate:serde@1'],
    go: ['go:github.com/a/b', 'go:golang.org/x/net@v0.1.0'],
    maven: ['maven:org.clay:kiln', 'maven:org.clay:kiln:1.0'],
    deb: ['deb:nginx-doc'],
    man: ['man:tar', 'man:'],
    archive: ['./x.zip', 'x.tar.gz', '/srv/x.jar', 'https://host.example/x.tgz', 'https://github.com/o/r/archive/v1.zip'],
    llms: ['https://host.example/llms.txt', 'https://host.example/docs/llms-full.txt'],
  };
  for (const [type, texts] of Object.entries(cases))
    for (const text of texts) it(`A source of ${text} is ${type}`, () => assert.equal(kind(text), type));

  it('A source of an existing path is local_path, whatever its name', () => {
    assert.equal(kind('docs', true), 'local_path');
    assert.equal(kind('my-sitemap', true), 'local_path');
  });

  it('Any other source is a sitemap, with the warning Could not reliably detect source type', () => {
    for (const text of ['https://docs.example.org/', 'docs.example.org']) {
      const { spec, warning } = detectSource(text, {}, () => false);
      assert.equal(spec.type, 'sitemap');
      assert.equal(spec.sitemap_url, text.startsWith('http') ? text : `https://${text}`);
      assert.equal(warning, `Could not reliably detect source type for ${text}. Defaulting to sitemap.`);
    }
  });

  it('A nonsensical source is an error', () => {
    for (const text of ['', ' ', 'a\u0000b', 'x'.repeat(5000), 'javascript://x', 'ftp://x/y', 'http://', 'npm:../x', 'pypi:-x'])
      assert.throws(() => detectSource(text, {}, () => false), { name: 'SourceError' }, text);
  });

  it("A source is told from a library's name", () => {
    for (const text of ['vue', '@vue/core', 'a/b', 'libstdc++', 'socket.io']) assert.equal(isSource(text), false, text);
    for (const text of ['npm:vue', 'https://x', './x', '.', '~/x', '/x', 'x.sheaf', 'git@h:r', 'C:\\x'])
      assert.equal(isSource(text), true, text);
  });
});

describe('addresses', () => {
  it('Addresses of this machine and of private networks are private, in every spelling', () => {
    for (const address of [
      '127.0.0.1',
      '127.1.2.3',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '198.18.0.1',
      '192.0.2.1',
      '::1',
      '::',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd12::1',
      'ff02::1',
      '::ffff:10.0.0.1',
      '::ffff:7f00:1',
      '::ffff:127.0.0.1',
      '::7f00:1',
      '64:ff9b::a00:1',
      '64:ff9b::127.0.0.1',
      '64:ff9b::',
      '64:ff9b::7f00:1',
      '64:ff9b:1::808:808',
      '::ffff:169.254.169.254',
      '203.0.113.9',
      '2001:db8::1',
      '2002:a00:1::',
      '2001::1',
      'not an address',
      '',
    ]) {
      assert.equal(isPrivateAddress(address), true, address);
    }
    for (const address of [
      '1.1.1.1',
      '8.8.8.8',
      '172.32.0.1',
      '100.128.0.1',
      '2606:4700::1111',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
      '2a00:1450::1',
    ])
      assert.equal(isPrivateAddress(address), false, address);
  });

  it('Addresses are recognised in URLs that hide them', () => {
    for (const url of [
      'http://127.0.0.1/',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://017700000001/',
      'http://127.1:80/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://localhost/',
      'http://LOCALHOST./',
      'http://a.localhost/',
      'http://１２７.０.０.１/',
    ])
      assert.equal(isLiteralPrivate(new URL(url)), true, url);
    for (const url of ['http://8.8.8.8/', 'http://example.org/', 'http://127.0.0.1.example.org/', 'http://localhost.example.org/'])
      assert.equal(isLiteralPrivate(new URL(url)), false, url);
  });

  it('Private addresses are allowed only on the host and port that the user typed', () => {
    const guard = new Guard(false, 'http://127.0.0.1:8080/docs');
    guard.check(new URL('http://127.0.0.1:8080/other'));
    for (const url of ['http://127.0.0.1:8081/', 'http://localhost:8080/', 'http://10.0.0.1:8080/'])
      assert.throws(() => guard.check(new URL(url)), /is refused: .*--allow-private/, url);
    new Guard(true).check(new URL('http://10.0.0.1/'));
    for (const url of ['file:///etc/passwd', 'ftp://8.8.8.8/', 'data:text/html,x'])
      assert.throws(() => new Guard(true).check(new URL(url)), /only http and https/, url);
  });

  it('Addresses behind a name are judged when it is resolved', async (t) => {
    const name = hostname();
    const found = await lookup(name).catch(() => undefined);
    if (found === undefined || !isPrivateAddress(found.address) || isLiteralPrivate(new URL(`http://${name}/`)))
      return t.skip('this machine’s name resolves to no private address');
    const url = new URL(`http://${name}:8080/`);
    const resolve = (guard) =>
      new Promise((done, fail) => guard.lookup(url)(name, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses))));
    await assert.rejects(resolve(new Guard(false, url)), /is refused: .* is an address of this machine or a private network/);
    await assert.rejects(new Guard(false).checkHost(url), /is refused/);
    assert.ok((await resolve(new Guard(true))).length > 0);
  });

  it('Addresses are shown without passwords', () => {
    assert.equal(withoutCredentials('https://user:pass@host/x'), 'https://host/x');
    assert.equal(withoutCredentials('https://token@host/x'), 'https://host/x');
    assert.equal(withoutCredentials('ssh://git@host/x'), 'ssh://git@host/x');
    assert.equal(withoutCredentials('ssh://git:pass@host/x'), 'ssh://host/x');
    assert.equal(withoutCredentials('git@host:x'), 'git@host:x');
  });
});

describe('sources.json', () => {
  const project = join(sheaf.cwd, '.sheaf', 'sources.json');
  const user = join(sheaf.home, 'config', 'sheaf', 'sources.json');
  const local = (name) => ({ type: 'local_path', local_path: `/srv/${name}` });
  const from = async (...args) => (await sheaf.json(['list', '--sources', 'lib', ...args])).sources[0].local_path;

  beforeEach(() => {
    for (const path of [project, user, join(sheaf.cwd, '.openground'), join(sheaf.home, '.openground')])
      rmSync(path, { recursive: true, force: true });
  });

  it("sources.json is looked up in order: flag, configuration, project, user, OpenGround's, built in", async () => {
    const places = [
      [join(sheaf.home, '.openground/sources.json'), 'old-user'],
      [join(sheaf.cwd, '.openground/sources.json'), 'old-project'],
      [user, 'user'],
      [project, 'project'],
    ];
    for (const [path, name] of places) {
      writeTree(dirname(path), { 'sources.json': JSON.stringify({ lib: local(name) }) });
      assert.equal(await from(), `/srv/${name}`);
    }
    writeFileSync(join(folder, 'configured.json'), JSON.stringify({ lib: local('configured') }));
    await sheaf(['config', 'set', 'sources.file_path', join(folder, 'configured.json')]);
    assert.equal(await from(), '/srv/configured');
    writeFileSync(join(folder, 'flag.json'), JSON.stringify({ lib: local('flag') }));
    assert.equal(await from('--sources-file', join(folder, 'flag.json')), '/srv/flag');
    await sheaf(['config', 'reset', '-y']);
    assert.equal((await sheaf.json(['list', '--sources', 'fastapi'])).sources[0].from, 'built in');
  });

  it('sources.json names a library for add, and flags go before it', async () => {
    writeTree(sheaf.cwd, { 'docs/a.md': '# A\n\nText.\n' });
    writeTree(dirname(project), { 'sources.json': JSON.stringify({ lib: { type: 'local_path', local_path: join(sheaf.cwd, 'docs') } }) });
    const { code, stderr } = await sheaf(['add', 'lib', '-y']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Using .*docs \(.*\.sheaf\/sources\.json\)/);
  });

  it('sources.json is written after a manual add, for project and user, keeping unknown keys', async () => {
    writeTree(sheaf.cwd, { 'docs/a.md': '# A\n\nText.\n' });
    writeTree(dirname(project), {
      'sources.json': JSON.stringify({
        other: { type: 'git_repo', repo_url: 'https://github.com/o/r', languages: ['en'] },
        mine: { type: 'local_path', local_path: '/old', note: 'keep' },
      }),
    });
    assert.equal((await sheaf(['add', 'mine', '-s', './docs', '-y'])).code, 0);
    const written = JSON.parse(readFileSync(project, 'utf8'));
    assert.deepEqual(written.mine, { type: 'local_path', local_path: join(sheaf.cwd, 'docs'), note: 'keep' });
    assert.deepEqual(written.other.languages, ['en']);
    assert.equal(JSON.parse(readFileSync(user, 'utf8')).mine.type, 'local_path');
    await sheaf(['config', 'set', 'sources.auto_add_local', 'false']);
    await sheaf(['add', 'silent', '-s', './docs', '-y']);
    assert.equal(JSON.parse(readFileSync(project, 'utf8')).silent, undefined);
    await sheaf(['config', 'reset', '-y']);
  });

  it("sources.json lies at the project's top, or for the user without one", async () => {
    writeTree(sheaf.cwd, { 'docs/a.md': '# A\n\nText.\n', 'deep/er/x.txt': '' });
    const place = join(folder, 'no-project');
    writeTree(place, { 'docs/a.md': '# A\n\nText.\n' });
    const within = await sheaf(['add', 'within', '-s', '../../docs', '-y'], {}, { cwd: join(sheaf.cwd, 'deep', 'er') });
    assert.equal(within.code, 0, within.stderr);
    assert.equal(JSON.parse(readFileSync(project, 'utf8')).within.local_path, join(sheaf.cwd, 'docs'));
    assert.match(
      (await sheaf(['list', '--sources', 'within'], {}, { cwd: join(sheaf.cwd, 'deep') })).stdout,
      /project.\.sheaf.sources\.json/,
    );
    for (const cwd of [place, sheaf.home]) {
      const { code, stderr } = await sheaf(['add', `in-${basename(cwd)}`, '-s', join(place, 'docs'), '-y'], {}, { cwd });
      assert.equal(code, 0, stderr);
      assert.equal(existsSync(join(cwd, '.sheaf')), false, cwd);
      assert.equal(JSON.parse(readFileSync(user, 'utf8'))[`in-${basename(cwd)}`].type, 'local_path');
    }
  });

  it('sources.json is not taken from a folder that everyone may write to', async () => {
    const open = join(folder, 'open');
    writeTree(open, {
      'inner/x.txt': '',
      '.sheaf/sources.json': JSON.stringify({ fastapi: { type: 'git_repo', repo_url: 'https://evil.example/r.git' } }),
    });
    chmodSync(open, 0o777);
    const { stdout } = await sheaf(['list', '--sources', 'fastapi'], {}, { cwd: join(open, 'inner') });
    assert.match(stdout, /built in/);
    chmodSync(open, 0o755);
    assert.match((await sheaf(['list', '--sources', 'fastapi'], {}, { cwd: join(open, 'inner') })).stdout, /evil/);
  });

  it("sources.json keeps a name's meaning: a package may share a known library's name", async () => {
    const tarball = tarGz({
      'package/package.json': '{"name":"fastapi","version":"0.0.1"}',
      'package/README.md': '# No framework\n\nText.\n',
    });
    writeFileSync(join(sheaf.cwd, 'fastapi.tgz'), tarball);
    const { code, stderr } = await sheaf(['add', 'npm:./fastapi.tgz', '-y']);
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /Source not saved: fastapi is https:\/\/github\.com\/fastapi\/fastapi .*\(built in\)\. To change that: sheaf add fastapi --source/,
    );
    assert.equal((await sheaf.json(['list', '--sources', 'fastapi'])).sources[0].from, 'built in');
    await sheaf(['add', 'fastapi', '-s', 'npm:./fastapi.tgz', '-y']);
    assert.equal((await sheaf.json(['list', '--sources', 'fastapi'])).sources[0].type, 'npm', 'the user said so');
  });

  it('sources.json proposes names near an unknown one', async () => {
    for (const [name, meant] of [
      ['next', 'nextjs'],
      ['Next.js', 'nextjs'],
      ['fastpai', 'fastapi'],
      ['vue.js', 'vue'],
    ]) {
      const { code, stderr } = await sheaf(['add', name, '-y']);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`use a library from the source file\\. Did you mean ${meant}\\?`), name);
    }
    assert.doesNotMatch((await sheaf(['add', 'quite-another', '-y'])).stderr, /Did you mean/);
  });

  it('sources.json gets an entry for each of several simultaneous adds, without remaining locks', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `lib${index}`);
    const save = (some) => {
      const code = `const { saveSource } = await import(${JSON.stringify(new URL('../../dist/node/sources/sources_file.js', import.meta.url))});
        await Promise.all(${JSON.stringify(some)}.map((name) => saveSource(name, { type: 'npm', package: name })));`;
      const env = { ...process.env, HOME: sheaf.home, XDG_CONFIG_HOME: join(sheaf.home, 'config') };
      return promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: sheaf.cwd, env });
    };
    await Promise.all([save(names.slice(0, 4)), save(names.slice(4, 8)), save(names.slice(8))]);
    for (const file of [project, user]) {
      assert.deepEqual(Object.keys(JSON.parse(readFileSync(file, 'utf8'))).sort(), names.toSorted());
      assert.deepEqual(
        readdirSync(dirname(file)).filter((name) => name.startsWith('sources')),
        ['sources.json'],
      );
    }
  });

  it('A broken sources.json is named with its fault', async () => {
    mkdirSync(dirname(project), { recursive: true });
    for (const [text, message] of [
      ['{', /Invalid JSON in sources file/],
      ['[]', /holds no JSON object/],
      ['{"x":{"type":"ftp"}}', /'x' is no source; expected/],
      ['{"x":{"type":"sitemap"}}', /'x' is no source/],
      ['{"x":7}', /'x' is no source/],
    ]) {
      writeFileSync(project, text);
      const { code, stderr } = await sheaf(['list', '--sources']);
      assert.equal(code, 2, text);
      assert.match(stderr, message);
    }
    rmSync(project);
    assert.equal((await sheaf(['list', '--sources', '--sources-file', 'none.json'])).code, 4);
    assert.equal((await sheaf(['list', '--sources', 'nobody-knows'])).code, 4);
  });

  it('sources.json of a project may not name repositories of this machine', async () => {
    writeTree(dirname(project), { 'sources.json': JSON.stringify({ sneaky: { type: 'git_repo', repo_url: 'file:///srv/private.git' } }) });
    const { code, stderr } = await sheaf(['add', 'sneaky', '-y']);
    assert.equal(code, 1);
    assert.match(stderr, /a list of sources may not name repositories on this machine/);
  });

  describe('of a project', () => {
    const outside = join(folder, 'outside');
    const write = (specs, path = project) => writeTree(dirname(path), { 'sources.json': JSON.stringify(specs) });
    const refusal = (path) =>
      new RegExp(
        `leads to ${path}.*, outside ${sheaf.cwd}, and is named by a list of sources that is not your own\\. If that is meant, name it yourself with --source\\.`,
      );

    before(() => {
      writeTree(outside, { 'private/key.md': '# Key\n\nhunter2\n', 'docs.tgz': 'x', 'docs.whl': 'x', 'ready.sheaf': 'x' });
      writeTree(sheaf.cwd, { 'inner/a.md': '# A\n\nText.\n', '.git/x.md': '# X\n\nText.\n' });
      symlinkSync(join(outside, 'private'), join(sheaf.cwd, 'linked'));
      symlinkSync(join(outside, 'docs.tgz'), join(sheaf.cwd, 'linked.tgz'));
      symlinkSync('.git', join(sheaf.cwd, 'meta'));
      symlinkSync(join(outside, 'private', 'key.md'), join(sheaf.cwd, 'inner', 'key.md'));
    });

    it("A project's sources.json names no folder, bundle or archive outside of it", async () => {
      const local = (local_path) => ({ type: 'local_path', local_path });
      const cases = [
        [local(join(outside, 'private')), outside],
        [local('../outside/private/key.md'), outside],
        [local('linked'), outside],
        [local('linked/key.md'), outside],
        [local(pathToFileURL(outside).href), outside],
        [local('~/config'), sheaf.home],
        [local('~'), sheaf.home],
        [local('/'), '/'],
        [local('..'), folder],
        [local('/no/such/place'), '/no/such/place'],
        [local('linked/../../outside'), outside],
        [local('meta'), join(sheaf.cwd, '.git')],
        [local('.git/x.md'), join(sheaf.cwd, '.git')],
        [{ type: 'bundle', bundle: join(outside, 'ready.sheaf') }, outside],
        [{ type: 'bundle', bundle: '../outside/ready.sheaf' }, outside],
        [{ type: 'npm', package: '../outside/docs.tgz' }, outside],
        [{ type: 'npm', package: 'linked.tgz' }, outside],
        [{ type: 'pypi', package: join(outside, 'docs.whl') }, outside],
      ];
      for (const list of [project, join(sheaf.cwd, '.openground', 'sources.json'), join(sheaf.cwd, 'sources.json')]) {
        write(Object.fromEntries(cases.map(([spec], index) => [`lib${index}`, spec])), list);
        // One of each kind by the lists that are looked up less.
        for (const [index, [spec, place]] of cases.entries()) {
          if (list !== project && index % 6 !== 0) continue;
          const { code, stderr } = await sheaf([
            'add',
            `lib${index}`,
            ...(index % 2 ? ['-y'] : []),
            ...(list.includes('/.') ? [] : ['--sources-file', list]),
          ]);
          assert.equal(code, 1, `${JSON.stringify(spec)}: ${stderr}`);
          assert.match(stderr, refusal(place), JSON.stringify(spec));
        }
        rmSync(list);
      }
    });

    it("A project's sources.json names places within it, and no link leads out", async () => {
      write({ inner: { type: 'local_path', local_path: './inner' } });
      const outcome = await sheaf.json(['add', 'inner', '-y']);
      assert.deepEqual([outcome.pages, outcome.source.local_path], [1, join(sheaf.cwd, 'inner')]);
    });

    it("A project's sources.json binds updates, too, when a folder became a link", async () => {
      writeTree(sheaf.cwd, { 'turning/a.md': '# A\n\nText.\n' });
      write({ turning: { type: 'local_path', local_path: 'turning' } });
      const { library, version } = await sheaf.json(['add', 'turning', '-y']);
      rmSync(join(sheaf.cwd, 'turning'), { recursive: true });
      symlinkSync(join(outside, 'private'), join(sheaf.cwd, 'turning'));
      const { code, stderr } = await sheaf(['update', library, '-v', version, '-y']);
      assert.equal(code, 1);
      assert.match(stderr, refusal(outside));
      const named = await sheaf.json(['update', library, '-v', version, '-s', './turning', '-y']);
      assert.equal(named.action, 'updated', 'the user named it');
    });

    it("A project's sources.json may name anything in the user's own list", async () => {
      const spec = { type: 'local_path', local_path: join(outside, 'private') };
      write({ own: spec });
      write({ own: spec }, user);
      assert.equal((await sheaf.json(['add', 'own', '-y'])).pages, 1);
      write({ own: { ...spec, local_path: outside } }, user);
      assert.equal((await sheaf(['add', 'own', '-y'])).code, 1);
    });

    it("A project's sources.json is the user's in the home folder", async () => {
      write({ ours: { type: 'local_path', local_path: join(outside, 'private') } }, join(sheaf.home, '.openground', 'sources.json'));
      const { code, stderr } = await sheaf(['add', 'ours', '-y'], {}, { cwd: sheaf.home });
      assert.equal(code, 0, stderr);
    });

    it("A project's sources.json needs consent where somebody can answer", async () => {
      const known = {
        name: 'x',
        spec: { type: 'local_path', local_path: join(outside, 'private') },
        from: project,
        trusted: false,
        project: sheaf.cwd,
      };
      const asked = async (answer, yes = false, source = known) => {
        const input = Object.assign(new PassThrough(), { isTTY: true });
        const output = new PassThrough();
        input.end(`${answer}\n`);
        const boundary = await boundaryOf(source, yes, { input, output });
        return [boundary, String(output.read() ?? '')];
      };
      const [boundary, question] = await asked('y');
      assert.equal(boundary, undefined);
      assert.match(question, /leads to .*outside.private, outside .*not your own\. Read it\? \[y\/N\]/);
      await assert.rejects(asked('n'), /Nothing was changed/);
      await assert.rejects(asked(''), /Nothing was changed/);
      await assert.rejects(asked('y', true), /name it yourself with --source/, '-y says yes to packing, not to this');
      assert.deepEqual(await asked('', false, { ...known, spec: { type: 'local_path', local_path: join(sheaf.cwd, 'inner') } }), [
        sheaf.cwd,
        '',
      ]);
      assert.deepEqual(await asked('', false, { ...known, spec: { type: 'sitemap', sitemap_url: 'https://x/sitemap.xml' } }), [
        sheaf.cwd,
        '',
      ]);
    });

    it('An invalid path of sources.json is wrong usage', async () => {
      write({ odd: { type: 'local_path', local_path: 'file://far/away' } });
      const { code, stderr } = await sheaf(['add', 'odd', '-y']);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /'file:\/\/far\/away' names no path of this machine/);
    });
  });

  it('Entries of sources.json are checked field by field', () => {
    assert.deepEqual(parseSpec({ type: 'git_repo', repo_url: 'u', docs_paths: ['a'], languages: ['en'], extra: 1 }), {
      type: 'git_repo',
      repo_url: 'u',
      docs_paths: ['a'],
    });
    assert.deepEqual(parseSpec({ type: 'sitemap', sitemap_url: 'u', filter_keywords: ['a'] }), {
      type: 'sitemap',
      sitemap_url: 'u',
      filter_keywords: ['a'],
    });
    for (const bad of [
      null,
      7,
      {},
      { type: 'git_repo' },
      { type: 'git_repo', repo_url: 7 },
      { type: 'npm', package: '' },
      { type: 'constructor', x: 1 },
      { type: 'sitemap', sitemap_url: 'x'.repeat(5000) },
    ])
      assert.equal(parseSpec(bad), undefined);
    assert.deepEqual(parseSpec({ type: 'git_repo', repo_url: 'u', docs_paths: [7] }), { type: 'git_repo', repo_url: 'u' });
  });
});
