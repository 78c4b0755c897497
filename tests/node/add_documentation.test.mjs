/** A package's name or a lock file leads to the documentation of that very version: repository, tag, folder, llms.txt. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { includesOf, candidatesOf } from '../../dist/node/sources/includes.js';
import { linksOf, splitFull } from '../../dist/node/sources/llms.js';
import { chooseDocs, npmRepository, parseRepository, pythonHome, pythonRepository, tagsFor } from '../../dist/node/sources/repository.js';
import { parsePythonMetadata } from '../../dist/node/sources/package_docs.js';
import { whyWorse } from '../../dist/node/sources/worse.js';
import { writeTree } from '../fixtures/tree.mjs';
import { git, gitOverHttp, isolatedSheaf, makeRepository, serve, tarGz } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('add-documentation');
const sheaf = isolatedSheaf(folder);
const bin = join(folder, 'bin');
const tarballs = join(folder, 'tarballs');
for (const path of [bin, tarballs]) mkdirSync(path);

/** An npm that has the tarballs of the folder, under their specs, and says which commit they were made from. */
writeFileSync(
  join(bin, 'npm'),
  `#!/bin/sh
if [ "$1" = view ]; then cat "${tarballs}/$(echo "$2" | tr / '~').commit" 2>/dev/null; exit 0; fi
if [ "$1" = config ]; then echo '{"registry":"https://registry.npmjs.org/"}'; exit 0; fi
spec=$2; while [ "$1" != --pack-destination ]; do shift; done
cp "${tarballs}/$(echo "$spec" | tr / '~').tgz" "$2/x.tgz" 2>/dev/null || { echo "npm error code E404" >&2; exit 1; }
`,
);
chmodSync(join(bin, 'npm'), 0o755);
const withBin = { PATH: `${bin}${delimiter}${process.env.PATH}` };

function publish(manifest, files = { 'README.md': '# Read me\n\nIt is in the package.\n' }) {
  const all = { 'package.json': JSON.stringify(manifest), ...files };
  const bytes = tarGz(Object.fromEntries(Object.entries(all).map(([path, text]) => [`package/${path}`, text])));
  for (const version of [manifest.version, 'latest'])
    writeFileSync(join(tarballs, `${manifest.name.replace('/', '~')}@${version}.tgz`), bytes);
}

const repository = makeRepository(folder, {
  'README.md': '# Kiln\n\nOf the repository.\n',
  'docs/guide.md': '# Guide\n\nThe first edition.\n',
  'docs/de/guide.md': '# Anleitung\n\nAuf Deutsch.\n',
  'docs/en/guide.md': '# Guide\n\nIn English.\n',
  'docs/.vitepress/notes.md': '# No page\n',
  'CONTRIBUTING.md': '# For contributors\n',
  'packages/glaze/package.json': '{"name":"@kiln/glaze","version":"0.3.0"}',
  'packages/glaze/README.md': '# Glaze\n\nOf the repository.\n',
  'packages/glaze/docs/use.md': '# Use of glaze\n\nBrush it on.\n',
  'src/main.js': '\n',
});
let server;
let url;

before(async () => {
  repository.commit('one');
  git(repository.work, 'tag', 'v1.0.0');
  repository.commit('two', {
    'docs/guide.md': '# Guide\n\nThe second edition.\n',
    'packages/glaze/package.json': '{"name":"@kiln/glaze","version":"0.4.0"}',
  });
  git(repository.work, 'tag', '2.0.0');
  git(repository.work, 'tag', '@kiln/glaze@0.4.0');
  repository.commit('three', { 'docs/guide.md': '# Guide\n\nNot released.\n' }).publish();
  server = await gitOverHttp(folder);
  url = `${server.url}/kiln.git`;
});
after(() => server.close());

const add = (what, ...flags) => sheaf.json(['add', what, '-y', '--allow-private', ...flags], withBin);

describe('sheaf add npm:', () => {
  it("sheaf add npm: takes English docs at the version's tag, with addresses there", async () => {
    publish({ name: 'kiln', version: '1.0.0', repository: { type: 'git', url: `git+${url}` }, homepage: 'https://kiln.example/' });
    const outcome = await add('npm:kiln@1.0.0');
    assert.deepEqual(
      [outcome.library, outcome.version, outcome.content, outcome.pages],
      ['kiln', '1.0.0', 'repository', 3],
      'docs/guide, docs/en/guide, README',
    );
    const page = await sheaf.page('kiln', '1.0.0', 'docs/guide.md');
    assert.match(page.text, /The first edition/);
    assert.equal(page.url, `${url.replace('.git', '')}/tree/v1.0.0/docs/guide.md`);
    publish({ name: 'kiln', version: '2.0.0', repository: url });
    assert.equal((await add('npm:kiln')).version, '2.0.0');
    assert.match((await sheaf.page('kiln', '2.0.0', 'docs/guide.md')).text, /The second edition/);
    const again = await sheaf.json(['update', 'kiln', '-v', '1.0.0', '-y', '--allow-private'], withBin);
    assert.equal(again.action, 'unchanged');
  });

  it("sheaf add npm: takes a package's folder of a monorepo, and its own tag", async () => {
    publish({ name: '@kiln/glaze', version: '0.4.0', repository: { url, directory: 'packages/glaze' } });
    const outcome = await add('npm:@kiln/glaze');
    assert.deepEqual([outcome.content, outcome.pages], ['repository', 2]);
    const page = await sheaf.page('@kiln/glaze', '0.4.0', 'packages/glaze/docs/use.md');
    assert.equal(page.url, `${url.replace('.git', '')}/tree/%40kiln/glaze%400.4.0/packages/glaze/docs/use.md`);
  });

  it("sheaf add npm: passes over another package's tag, and takes npm's commit", async () => {
    publish({ name: '@kiln/glaze', version: '1.0.0', repository: { url, directory: 'packages/glaze' } });
    const other = await add('npm:@kiln/glaze@1.0.0');
    assert.equal(other.content, 'readme', 'v1.0.0 has glaze 0.3.0');
    publish({ name: '@kiln/glaze', version: '0.3.5', repository: { url, directory: 'packages/glaze' } });
    const commit = git(repository.work, 'rev-parse', 'v1.0.0');
    writeFileSync(join(tarballs, '@kiln~glaze@0.3.5.commit'), `${commit}\n`);
    assert.equal((await add('npm:@kiln/glaze@0.3.5')).content, 'repository');
    assert.match((await sheaf.page('@kiln/glaze', '0.3.5', 'packages/glaze/docs/use.md')).url, new RegExp(`/tree/${commit}/`));
  });

  it("sheaf add npm: reports a lone README, the reason, and the documentation's address", async () => {
    publish({ name: 'kiln', version: '9.0.0', repository: url, homepage: 'http://127.0.0.1:9/docs' });
    const { code, stdout, stderr } = await sheaf(['add', 'npm:kiln@9.0.0', '-y', '--allow-private'], withBin);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /npm:kiln@9\.0\.0: .*kiln\.git has no tag for 9\.0\.0\n/);
    assert.match(stderr, /\n1 page: its README; documentation lies at http:\/\/127\.0\.0\.1:9\/docs, 1 passage\n/);
    assert.match(stdout, /Library kiln \(9\.0\.0\) added/);
    const record = JSON.parse(readFileSync(join(sheaf.data, 'sheaf', 'sources', 'kiln@9.0.0.json'), 'utf8'));
    assert.deepEqual([record.content, record.documentation], ['readme', 'http://127.0.0.1:9/docs']);
  });

  it("sheaf add npm: with --readme-only takes the package's README without other requests", async () => {
    const asked = server.seen.length;
    publish({ name: 'plain', version: '1.0.0', repository: url });
    const outcome = await add('npm:plain', '--readme-only');
    assert.deepEqual([outcome.content, outcome.pages], ['readme', 1]);
    assert.equal((await sheaf.page('plain', '1.0.0', 'README.md')).url, 'https://unpkg.com/plain@1.0.0/README.md');
    assert.equal(server.seen.length, asked);
    assert.equal((await sheaf(['add', 'x', '-s', url, '--readme-only', '-y'])).code, 2);
    assert.equal((await sheaf.json(['update', 'plain', '-y'], withBin)).action, 'unchanged', 'updates keep to it');
    assert.equal(server.seen.length, asked);
  });

  it('sheaf add npm: goes to no private address that a package names', async () => {
    const asked = server.seen.length;
    publish({ name: 'sneaky', version: '1.0.0', repository: url, homepage: `${server.url}/site/` });
    for (const spec of ['npm:sneaky', 'npm:sneaky@1.0.0']) {
      const { code, stderr } = await sheaf(['add', spec, '-y'], withBin);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /is refused: 127\.0\.0\.1 is an address of this machine/);
    }
    publish({ name: 'sneaky', version: '2.0.0', repository: `file://${repository.bare}` });
    assert.equal((await add('npm:sneaky@2.0.0')).content, 'readme');
    assert.equal(server.seen.length, asked);
  });

  it('sheaf add npm: gives npm no name that is an option', async () => {
    writeFileSync(
      join(tarballs, 'odd@latest.tgz'),
      tarGz({
        'package/package.json': JSON.stringify({ name: `--script-shell=${folder}`, version: '1', repository: url }),
        'package/README.md': '# Odd\n\nText.\n',
      }),
    );
    const log = join(folder, 'odd.log');
    const [spy, place] = [join(folder, 'spy'), join(bin, 'npm')];
    mkdirSync(spy);
    writeFileSync(join(spy, 'npm'), `#!/bin/sh\necho "$@" >> ${log}\nexec ${place} "$@"\n`, { mode: 0o755 });
    await sheaf(['add', 'odd', '-s', 'npm:odd', '-y', '--allow-private'], { PATH: `${spy}${delimiter}${process.env.PATH}` });
    assert.match(readFileSync(log, 'utf8'), /^pack odd@latest /);
    assert.doesNotMatch(readFileSync(log, 'utf8'), /script-shell/);
  });

  it('sheaf add npm: takes llms.txt of the site where the repository has no documentation', async () => {
    const site = await serve((request) => {
      const text = (body) => ({ headers: { 'content-type': 'text/plain' }, body });
      const long = 'Clay needs time to dry before it is fired. '.repeat(10);
      return {
        '/docs/llms-full.txt': { body: '<!doctype html><p>Any address leads here.</p>' },
        '/llms.txt': text(
          `# Kiln\n\n> ${long}\n\n- [Start](/docs/start.md): first\n- [Fire](docs/fire.md)\n- [Cool](https://elsewhere.example/cool.md)\n- [Clean](/docs/clean.html)\n`,
        ),
        '/docs/start.md': text('# Start\n\nPlug it in.\n'),
        '/docs/fire.md': text('# Fire\n\nHeat it up.\n'),
        '/docs/clean.html': { body: '<!doctype html><title>Clean</title><h1>Clean</h1><p>Sweep it.</p>' },
      }[request.url];
    });
    after(() => site.close());
    publish({ name: 'sited', version: '1.0.0', homepage: `${site.url}/docs/` });
    const outcome = await add('npm:sited');
    assert.deepEqual([outcome.content, outcome.pages], ['site', 3]);
    assert.match(outcome.warnings.join(), /llms\.txt, which documents the newest version/);
    assert.match((await sheaf(['query', 'heat', '-l', 'sited'])).stdout, new RegExp(`${site.url}/docs/fire\\.md`));
  });
});

describe('sheaf add --from-lockfile', () => {
  it("sheaf add --from-lockfile leads to the installed version's documentation, even --offline", async () => {
    const manifest = { name: 'kiln', version: '2.0.0', repository: url };
    writeTree(sheaf.cwd, {
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: { '': { dependencies: { kiln: '2' } }, 'node_modules/kiln': { version: '2.0.0' } },
      }),
      'node_modules/kiln/package.json': JSON.stringify(manifest),
      'node_modules/kiln/README.md': '# Read me\n\nIt is installed.\n',
    });
    await sheaf(['remove', 'kiln', '-v', '2.0.0', '-y']);
    const asked = server.seen.length;
    const offline = await add('--from-lockfile', '--offline');
    assert.deepEqual(
      offline.libraries.map(({ content, pages }) => [content, pages]),
      [['readme', 1]],
    );
    assert.equal(server.seen.length, asked);
    const { libraries } = await add('--from-lockfile');
    assert.deepEqual(
      libraries.map(({ library, version, content, pages }) => [library, version, content, pages]),
      [['kiln', '2.0.0', 'repository', 3]],
    );
    assert.match((await sheaf.page('kiln', '2.0.0', 'docs/guide.md')).text, /The second edition/);
    const bundle = readFileSync(join(sheaf.store, 'kiln@2.0.0.sheaf'));
    publish(manifest);
    for (const args of [
      ['npm:kiln', '--offline'],
      ['--from-lockfile', '--offline'],
      ['npm:kiln@2.0.0', '--readme-only'],
    ]) {
      const { code, stderr } = await sheaf(['add', ...args, '-y', '--allow-private'], withBin);
      assert.equal(code, 1, `${args}: ${stderr}`);
      assert.match(
        stderr,
        /kiln 2\.0\.0 stays as it is: it holds the documentation in its repository \(3 pages\), and only its README \(1 page\) could be had now\. Try again later; to take it anyway: sheaf remove kiln -v 2\.0\.0, then add it again/,
      );
      assert.deepEqual(readFileSync(join(sheaf.store, 'kiln@2.0.0.sheaf')), bundle);
    }
    assert.equal((await sheaf(['remove', 'kiln', '-v', '2.0.0', '-y'])).code, 0);
    const alone = await add('npm:kiln', '--offline');
    assert.deepEqual([alone.version, alone.content], ['2.0.0', 'readme']);
    assert.equal((await sheaf(['add', 'npm:absent', '--offline', '-y'])).code, 4);
  });

  it('sheaf add --from-lockfile keeps existing documentation without its repository, and says so', async () => {
    const noGit = join(folder, 'no-git');
    mkdirSync(noGit);
    writeFileSync(join(noGit, 'git'), '#!/bin/sh\necho "fatal: unable to access it" >&2; exit 128\n', { mode: 0o755 });
    const without = { PATH: `${noGit}${delimiter}${withBin.PATH}` };
    const files = { 'README.md': '# Read me\n\nIt is in the package.\n' };
    publish({ name: 'held', version: '1.0.0', repository: url }, files);
    assert.equal((await add('npm:held')).content, 'repository');
    const place = join(sheaf.store, 'held@1.0.0.sheaf');
    const bundle = readFileSync(place);
    const kept =
      /held 1\.0\.0 stays as it is: it holds the documentation in its repository \(3 pages\), and only its README \(1 page\) (of 2\.0\.0 )?could be had now, because a better source was out of reach\. Try again later; to take it anyway: /;

    const one = await sheaf(['update', 'held', '-y', '--allow-private'], without);
    assert.equal(one.code, 1, one.stderr);
    assert.match(one.stderr, kept);
    const all = await sheaf(['update', '--all', '-y', '--allow-private', '--json'], without);
    assert.equal(all.code, 1);
    assert.match(JSON.parse(all.stdout).failed.find(({ library }) => library === 'held').reason, kept);
    assert.match(all.stderr, kept);
    assert.match(all.stderr, /\n0 updated, /);
    writeTree(sheaf.cwd, {
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: { '': { dependencies: { held: '1' } }, 'node_modules/held': { version: '1.0.0' } },
      }),
    });
    const locked = await sheaf(['add', '--from-lockfile', '-y', '--allow-private'], without);
    assert.equal(locked.code, 1, locked.stderr);
    assert.match(locked.stderr, kept);
    assert.deepEqual(readFileSync(place), bundle);
    rmSync(join(sheaf.cwd, 'package-lock.json'));

    publish({ name: 'held', version: '2.0.0', repository: url }, files);
    const newer = await sheaf(['update', 'held', '-y', '--allow-private'], without);
    assert.equal(newer.code, 1, newer.stderr);
    assert.match(newer.stderr, /its README \(1 page\) of 2\.0\.0 could be had now, .*: sheaf add held --source npm:held@2\.0\.0\n/);
    assert.deepEqual((await sheaf.json(['list'])).libraries.held, ['1.0.0']);
    assert.equal((await sheaf.json(['update', 'held', '-y', '--allow-private'], withBin)).content, 'repository', 'with git again');
    publish({ name: 'held', version: '3.0.0', repository: url }, files);
    const untagged = await sheaf.json(['update', 'held', '-y', '--allow-private'], withBin);
    assert.deepEqual([untagged.version, untagged.content], ['3.0.0', 'readme'], 'its repository was reached and has no tag');
    assert.deepEqual((await sheaf.json(['list'])).libraries.held, ['3.0.0', '2.0.0', '1.0.0']);
  });

  it('sheaf add --from-lockfile keeps a version that lost more than half its pages', () => {
    const held = { version: '1', source: { type: 'npm', package: 'x' }, content: 'repository', pages: 93 };
    const site = { version: 'latest', source: { type: 'sitemap', sitemap_url: 'https://x.example/sitemap.xml' }, pages: 100 };
    const folders = { ...site, source: { type: 'local_path', local_path: '/x' } };
    for (const [before, change, why] of [
      [held, { pages: 2 }, 'it holds 93 pages, and only 2 pages could be had now'],
      [held, { pages: 50 }, undefined],
      [held, { pages: 2, version: '2' }, undefined],
      [held, { content: 'package' }, /in its repository \(93 pages\), and only the documentation in its package \(93 pages\) could/],
      [held, { content: 'site', version: '2', incomplete: true }, /and only the text of its site \(93 pages\) of 2 could/],
      [held, { content: 'site', version: '2' }, undefined],
      [{ ...held, content: 'readme' }, { content: 'repository', pages: 93 }, undefined],
      [{ ...held, content: undefined }, { content: 'readme', source: { type: 'pypi', package: 'x' } }, undefined],
      [site, { pages: 49 }, 'it holds 100 pages, and only 49 pages could be had now'],
      [site, { pages: 49, source: { ...site.source, filter_keywords: ['api'] } }, undefined],
      [folders, { pages: 1 }, undefined],
    ]) {
      const found = whyWorse(before, { ...before, ...change });
      if (why instanceof RegExp) assert.match(found, why);
      else assert.equal(found, why);
    }
  });

  it("sheaf add --from-lockfile asks only the user's registry for missing packages", async () => {
    publish({ name: 'kiln', version: '1.0.0', repository: url });
    writeTree(sheaf.cwd, {
      '.npmrc': '@corp:registry=https://npm.corp.example/\n',
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: {
          '': { dependencies: { kiln: '1', '@corp/secret': '1', inner: '1' } },
          'node_modules/kiln': { version: '1.0.0', resolved: 'https://registry.npmjs.org/kiln/-/kiln-1.0.0.tgz' },
          'node_modules/@corp/secret': { version: '1.0.0' },
          'node_modules/inner': { version: '1.0.0', resolved: 'https://npm.corp.example/inner/-/inner-1.0.0.tgz' },
        },
      }),
    });
    const log = join(folder, 'npm.log');
    writeFileSync(join(folder, 'npm-logged'), `#!/bin/sh\necho "$@" >> ${log}\nexec ${join(bin, 'npm')} "$@"\n`, { mode: 0o755 });
    const logged = join(folder, 'logged');
    mkdirSync(logged);
    symlinkSync(join(folder, 'npm-logged'), join(logged, 'npm'));
    const { libraries, skipped } = await sheaf.json(['add', '--from-lockfile', '-y', '--allow-private'], {
      PATH: `${logged}${delimiter}${process.env.PATH}`,
    });
    assert.deepEqual(
      libraries.map(({ library, version, content }) => [library, version, content]),
      [['kiln', '1.0.0', 'repository']],
    );
    assert.deepEqual(
      skipped.map(({ library }) => library),
      ['@corp/secret', 'inner'],
    );
    for (const { reason } of skipped)
      assert.match(reason, /comes from npm\.corp\.example, while your npm asks registry\.npmjs\.org; install it, or set that registry/);
    assert.doesNotMatch(readFileSync(log, 'utf8'), /secret|inner/, 'the private names were asked of nobody');
  });
});

describe('metadata', () => {
  it('Metadata names a repository in any form that npm and PyPI know', () => {
    const github = (directory = '') => ({ url: 'https://github.com/o/r', directory });
    for (const text of [
      'o/r',
      'github:o/r',
      'git+https://github.com/o/r.git',
      'git://github.com/o/r.git',
      'git@github.com:o/r.git',
      'git+ssh://git@github.com/o/r.git',
      'ssh://git@github.com/o/r',
      'http://github.com/o/r/',
      'https://www.github.com/o/r/issues',
      'https://user:pass@github.com/o/r#readme',
    ])
      assert.deepEqual(parseRepository(text), github(), text);
    assert.deepEqual(parseRepository('https://github.com/o/r/tree/main/packages/x'), github('packages/x'));
    assert.deepEqual(parseRepository('https://gitlab.com/g/sub/r/-/issues'), { url: 'https://gitlab.com/g/sub/r', directory: '' });
    assert.deepEqual(npmRepository({ repository: { url: 'o/r', directory: './packages/x/' } }), github('packages/x'));
    assert.deepEqual(npmRepository({ repository: { url: 'o/r', directory: '../../etc' } }), github());
    for (const text of ['', 'x', 'file:///etc', 'javascript:x', '--upload-pack=x', 'ext::sh', 'https://github.com/sponsors/o', 'a b/c'])
      assert.equal(parseRepository(text), undefined, text);
  });

  it('Metadata of Python names a repository by label first, then by host', () => {
    const of = (...lines) => parsePythonMetadata(`Name: x\nVersion: 1\n${lines.map((line) => `Project-URL: ${line}`).join('\n')}\n`);
    const some = of('Issues, https://github.com/o/issues', 'Source Code, https://git.example/o/r', 'Documentation, https://x.example/');
    assert.deepEqual(pythonRepository(some), { url: 'https://git.example/o/r', directory: '' });
    assert.equal(pythonHome(some), 'https://x.example/');
    assert.equal(
      pythonRepository(of('Funding, https://github.com/sponsors/o', 'Tracker, https://github.com/o/r/issues')).url,
      'https://github.com/o/r',
    );
    assert.equal(pythonRepository(of('Homepage, https://x.example/')), undefined);
  });
});

describe('a version’s tag', () => {
  const first = (name, version, tags, repo = 'r') => tagsFor({ name, version, repository: repo }, tags)[0]?.tag;

  it("A version's tag is the package's own first, then that of the repository", () => {
    const tags = ['1.2.3', 'v1.2.3', 'other@1.2.3', '@a/pkg@1.2.3', 'pkg-v1.2.3', 'v11.2.3', 'v1.2.3-rc.1'];
    assert.equal(first('@a/pkg', '1.2.3', tags), '@a/pkg@1.2.3');
    assert.equal(first('pkg', '1.2.3', ['v1.2.3', 'pkg-v1.2.3']), 'pkg-v1.2.3');
    assert.equal(first('x', '1.2.3', ['other@1.2.3', 'v1.2.3']), 'v1.2.3');
    assert.equal(first('x', '1.2.3', ['other@1.2.3', 'v11.2.3', 'v0.1.2.3']), undefined);
  });

  it("A version's tag is found however it is written", () => {
    assert.equal(first('SQLAlchemy', '2.0.30', ['rel_2_0_30', 'rel_2_0_3']), 'rel_2_0_30');
    assert.equal(first('x', '2.0.0rc1', ['v2.0.0', 'v2.0.0-rc.1']), 'v2.0.0-rc.1');
    assert.equal(first('x', '2.0', ['v2.0.0']), 'v2.0.0');
    assert.equal(first('x', '2.0.0', ['2.0']), '2.0');
    assert.equal(first('x', '1.0.0', ['release-1.0.0']), 'release-1.0.0');
    assert.equal(first('base64', '1.0.0', ['base64-v1.0.0']), 'base64-v1.0.0');
    assert.equal(first('x', '1.0.0', ['r/v1.0.0']), 'r/v1.0.0');
  });
});

describe('the documentation of a repository', () => {
  const pages = (...names) => names.map((name) => `${name}.md`);

  it("A repository's documentation lies in customary folders, without translations, versions and blogs", () => {
    const paths = pages(
      'docs/a',
      'docs/fr/a',
      'docs/en/a',
      'docs/em/a',
      'docs/ja/a',
      'docs/pt/a',
      'docs/blog/b',
      'src/c',
      'README',
      'SECURITY',
    );
    assert.deepEqual(chooseDocs(paths, ''), {
      folders: ['docs'],
      without: ['docs/blog', 'docs/em', 'docs/fr', 'docs/ja', 'docs/pt'],
      files: ['README.md'],
    });
    assert.deepEqual(chooseDocs(pages('docs/js/a', 'docs/ts/a', 'docs/go/a'), '').without, [], 'languages of programs');
    assert.deepEqual(chooseDocs(pages('website/docs/a', 'website/versioned_docs/version-1/a', 'website/src/pages/x'), '').folders, [
      'website/docs',
    ]);
  });

  it("A monorepo's package uses its own documentation, else the whole repository's", () => {
    assert.deepEqual(chooseDocs(pages('docs/a', 'packages/x/docs/b', 'packages/x/README'), 'packages/x'), {
      folders: ['packages/x/docs'],
      without: [],
      files: ['packages/x/README.md'],
    });
    assert.deepEqual(chooseDocs(pages('docs/a', 'packages/x/README'), 'packages/x').folders, ['docs']);
    assert.deepEqual(chooseDocs([...pages('README', 'src/a'), 'docs/requirements.txt'], '').folders, []);
  });
});

describe('what a page includes', () => {
  it('Includes are known in the forms of common documentation tools', () => {
    const text = [
      ...[
        '--8<-- "a.py:2:4"',
        '--8<--',
        'b.md',
        '; c.md',
        '--8<--',
        '{* ../d.py ln[1:3] hl[2] *}',
        '{!> ../e.py !}',
        '<<< ./f.ts{1,3-5}#part',
      ],
      ...[
        '<!--@include: ./g.md{3,}-->',
        '<!--@include: ./r.md-->',
        '{{#include h.rs:anchor}}',
        '{{ #rustdoc_include i.rs }}',
        "import J from './j.mdx'",
      ],
      ...["import K from '!!raw-loader!./k.js'", "import L from './l.js?raw'", "import M from './m.png'", '.. include:: n.inc'],
      ...['   .. literalinclude:: ../o.c', 'See https://x.example/{{#include https://x.example/p}}', '--8<-- "q.py:name"'],
    ].join('\n');
    assert.deepEqual(
      includesOf(text)
        .filter((path) => !path.includes(':'))
        .toSorted(),
      [
        '../d.py',
        '../e.py',
        '../o.c',
        './f.ts',
        './g.md',
        './j.mdx',
        './k.js',
        './l.js',
        './r.md',
        'a.py',
        'b.md',
        'h.rs',
        'i.rs',
        'n.inc',
        'q.py',
      ].toSorted(),
    );
    const started = performance.now();
    for (const unit of [
      '{* ',
      '{*a',
      '--8<-- "',
      '--8<--\n',
      '{!',
      '<<< ',
      '<!--@include:',
      '{{#include ',
      'import ',
      '.. include:: ',
      ' ',
    ])
      includesOf(unit.repeat(200_000));
    assert.ok(performance.now() - started < 10_000, 'in time in step with the page');
  });

  it('An include lies at or above the page, and never outside of the root', () => {
    assert.deepEqual(candidatesOf('docs/en/docs/a/b.md', '../../docs_src/x.py'), [
      'docs/en/docs_src/x.py',
      'docs/docs_src/x.py',
      'docs_src/x.py',
    ]);
    assert.deepEqual(candidatesOf('a/b.md', '@/x.ts'), ['a/x.ts', 'x.ts']);
    assert.deepEqual(candidatesOf('b.md', '../../etc/passwd'), []);
    assert.deepEqual(candidatesOf('a/b.md', '../.git/config'), []);
    assert.deepEqual(candidatesOf('b.md', '//etc/passwd'), []);
  });

  it('An include is looked for in a limited number of folders, the root included', () => {
    const candidates = candidatesOf(`${'a/'.repeat(2000)}page.md`, 'part.md');
    assert.equal(candidates.length, 65);
    assert.deepEqual([candidates[0], candidates.at(-1)], [`${'a/'.repeat(2000)}part.md`, 'part.md']);
  });
});

describe('llms.txt', () => {
  it('A full llms.txt is cut at the pages that it names', () => {
    const text =
      '# First\nSource: https://x.example/a.md\n\nText.\n```\n# no page\nSource: https://x.example/no\n```\n# Second\nURL: /b\n\nMore.\n---\nurl: /c.md\n---\n\n# Third\n';
    assert.deepEqual(
      splitFull(text, 'https://x.example/llms-full.txt').map((page) => [page.url, page.text.split('\n')[0]]),
      [
        ['https://x.example/a', '# First'],
        ['https://x.example/b', '# Second'],
        ['https://x.example/c', '---'],
      ],
    );
    assert.equal(
      splitFull('Source: /a\n1\nSource: /b\n2\nSource: /a\n3\n', 'https://x.example/f')[0].text,
      '1\n3\n',
      'a page in two pieces',
    );
    assert.equal(splitFull('# One\n\nText.\n# Two\n', 'https://x.example/llms-full.txt').length, 1, 'none is named');
    assert.equal(splitFull('Source: https://evil.example/\nSource: https://evil.example/b\n', 'https://x.example/f').length, 1);
  });

  it('llms.txt links to pages of its own host', () => {
    assert.deepEqual(
      linksOf(
        '[a](/a.md) [b](https://x.example/b.md "t") [c](https://y.example/c.md) [d](llms-full.txt) [e](mailto:x@y) [f](x.png)',
        'https://x.example/llms.txt',
      ),
      ['https://x.example/a.md', 'https://x.example/b.md'],
    );
    const started = performance.now();
    for (const unit of ['](', '](a', '[a](b ', '](<']) linksOf(unit.repeat(100_000), 'https://x.example/llms.txt');
    assert.ok(performance.now() - started < 5000, 'whatever it holds');
  });
});
