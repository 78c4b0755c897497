/** `sheaf publish build`, and what takes libraries from what it makes: `sheaf add`, `find`, and the agent's tool. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { HEAD } from '../../dist/browser/catalogue/format.js';
import { indexPage, wordsOf as tellingWords } from '../../dist/node/publish/about.js';
import { wordsOf } from '../../dist/node/publish/list.js';
import { newestMinors } from '../../dist/node/store/versions.js';
import { writeTree } from '../fixtures/tree.mjs';
import { git as gitIn, isolatedSheaf, makeRepository, tarGz } from './doc_servers.mjs';
import { connect } from './mcp_client.mjs';
import { DOCS, packFixture, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('catalogue-build');
const sheaf = isolatedSheaf(root);
const at = (...names) => join(sheaf.cwd, ...names);
const head = (name) => JSON.parse(readFileSync(at(name, HEAD), 'utf8'));
const shards = (name) => head(name).shards.map(({ sha256 }) => JSON.parse(readFileSync(at(name, 'shards', `${sha256}.json`), 'utf8')));
const libraries = (name) => shards(name).flatMap((shard) => shard.libraries);
const stamps = (name) =>
  new Map(
    readdirSync(at(name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .map((path) => [path, `${statSync(path).ino} ${statSync(path).mtimeMs}`]),
  );

async function build(list, name = 'cat', more = [], env = {}) {
  writeFileSync(at('list.txt'), list);
  const { code, stdout, stderr } = await sheaf(['publish', 'build', 'list.txt', '-o', name, '--json', ...more], env);
  return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
}

/** An encoder's process (docs/embedding-protocol.md): sixteen numbers of a text's letters. */
const ENCODER = `
let kept = Buffer.alloc(0);
const send = (kind, payload) => {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(payload.length + 1);
  head[4] = kind;
  process.stdout.write(Buffer.concat([head, payload]));
};
process.stdin.on('data', (chunk) => {
  kept = Buffer.concat([kept, chunk]);
  while (kept.length >= 4 && kept.length >= 4 + kept.readUInt32LE(0)) {
    const [kind, payload] = [kept[4], kept.subarray(5, 4 + kept.readUInt32LE(0))];
    kept = kept.subarray(4 + kept.readUInt32LE(0));
    if (kind === 1)
      send(2, Buffer.from(JSON.stringify({ protocol: 1, encoder: 'sixteen', hash: 'ab'.repeat(32), precision: 'fp32', space: 'sixteen', dimensions: 16 })));
    else {
      const count = payload.readUInt32LE(4);
      const rows = new Float32Array(16 * count);
      let at = 8;
      for (let i = 0; i < count; i++) {
        const end = at + 4 + payload.readUInt32LE(at);
        for (const byte of payload.subarray(at + 4, end)) rows[16 * i + (byte & 15)] += 1;
        at = end;
      }
      send(4, Buffer.concat([payload.subarray(0, 8), Buffer.from(rows.buffer)]));
    }
  }
});
`;

before(() => cpSync(DOCS, at('docs'), { recursive: true }));

describe('a list', () => {
  it('A list has words, quotes and comments', () => {
    assert.deepEqual(wordsOf(`  npm:vue --newest 3 # three`), ['npm:vue', '--newest', '3']);
    assert.deepEqual(wordsOf(`a -s "./my docs" --title 'It is "so"'`), ['a', '-s', './my docs', '--title', 'It is "so"']);
    assert.deepEqual(wordsOf('https://x.org/#part ""'), ['https://x.org/#part', '']);
    assert.deepEqual(wordsOf('# all'), []);
    assert.throws(() => wordsOf('a "b'), /quote is not closed/);
  });

  it('A list is refused by line where it cannot be understood', async () => {
    for (const [line, why] of [
      ['a b', /line 2: expected one library/],
      ['npm:vue --newest 0', /line 2: --newest takes/],
      ['npm:vue --newest 2 -v 1', /line 2: give either/],
      ['npm:vue --nonsense', /line 2: .*nonsense/],
      ['nobodyknowsthis', /line 2: no source is known/],
      ['x -s ./docs --readme-only', /line 2: --readme-only/],
    ]) {
      const { code, stderr } = await build(`# first\n${line}\n`);
      assert.equal(code, 2, line);
      assert.match(stderr, why);
    }
    assert.match((await build('# nothing\n')).stderr, /names no source/);
  });

  it('A list takes the newest release of each minor version', () => {
    const versions = ['3.5.0', '3.5.13', '3.4.38', 'v3.3.1', '3.3.0', '3.6.0-beta.1', 'main', '2.7.16'];
    assert.deepEqual(newestMinors(versions, 3), ['3.5.13', '3.4.38', 'v3.3.1']);
  });
});

describe('sheaf publish build', () => {
  it('sheaf publish build writes hashed bundles, head, shards and index, without local paths', async () => {
    const outcome = await build('kiln -s ./docs -v 2.1 --title "The Kiln" --licence MIT --description "Fires pots."\n');
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.deepEqual([outcome.libraries, outcome.bundles, outcome.packed, outcome.signed], [1, 1, 1, false]);
    const [kiln] = libraries('cat');
    assert.deepEqual([kiln.library, kiln.title, kiln.description, kiln.licence], ['kiln', 'The Kiln', 'Fires pots.', 'MIT']);
    assert.ok(kiln.words.length > 3 && Buffer.from(kiln.vector, 'base64').length === 256);
    const [version] = kiln.versions;
    assert.deepEqual([version.version, version.source, version.passages > 5], ['2.1', '', true]);
    assert.equal(statSync(at('cat', 'bundles', `${version.sha256}.sheaf`)).size, version.bytes);
    for (const path of stamps('cat').keys()) assert.ok(!readFileSync(path).includes(sheaf.cwd), `${path} names a folder of this machine`);
    assert.ok(!existsSync(at('cat', 'cat.state.json')) && existsSync(at('cat.state.json')));
  });

  it('sheaf publish build writes only the changes', async () => {
    const list = 'kiln -s ./docs -v 2.1\nother -s ./other -v 1\n';
    writeTree(at('other'), { 'a.md': '# Other\n\nSomething else.\n' });
    await build(list, 'again');
    const first = stamps('again');
    const same = await build(list, 'again');
    assert.deepEqual([same.packed, same.unchanged, same.isNew], [0, 2, false]);
    assert.deepEqual(stamps('again'), first);

    writeTree(at('other'), { 'a.md': '# Other\n\nSomething else, and more.\n' });
    const [kiln, other] = libraries('again');
    const next = await build(list, 'again');
    assert.deepEqual([next.packed, next.unchanged, next.isNew], [1, 1, true]);
    assert.deepEqual(libraries('again')[0], kiln);
    const old = at('again', 'bundles', `${other.versions[0].sha256}.sheaf`);
    assert.ok(existsSync(old), 'who reads by the old head still finds its bundles');
    writeTree(at('other'), { 'a.md': '# Other\n\nA third text.\n' });
    await build(list, 'again');
    assert.ok(!existsSync(old), 'and then they go');
    assert.ok(head('again').serial > next.serial);
  });

  it('sheaf publish build packs a folder anew when only includes or the page order changed', async () => {
    const list = 'including -s ./including -v 1\n';
    writeTree(at('including'), { 'a.md': '# Kiln\n\n<<< ./code.ts\n', 'b.md': '# Clay\n\nOf the pit.\n', 'code.ts': 'const first = 1;\n' });
    await build(list, 'including.cat');
    const packed = [];
    for (const change of [
      { 'code.ts': 'const second = 2;\n' },
      { 'mkdocs.yml': 'docs_dir: .\nnav:\n  - Clays:\n      - b.md\n  - Kilns:\n      - a.md\n' },
      { 'mkdocs.yml': 'docs_dir: .\nnav:\n  - Kilns:\n      - a.md\n  - Clays:\n      - b.md\n' },
      { 'image.svg': '<svg/>' },
    ]) {
      writeTree(at('including'), change);
      packed.push((await build(list, 'including.cat')).packed);
    }
    assert.deepEqual(packed, [1, 1, 1, 0]);
  });

  it('sheaf publish build renews a catalogue before it expires, with the same bundles', async () => {
    await build('kiln -s ./docs -v 2.1\n', 'renewed', ['--expires', '10']);
    const { serial } = head('renewed');
    const longer = await build('kiln -s ./docs -v 2.1\n', 'renewed', ['--expires', '30']);
    assert.deepEqual([longer.packed, longer.isNew], [0, true]);
    assert.ok(head('renewed').serial > serial);
  });

  it('sheaf publish build lists each failure with its reason, and keeps the old bundle', async () => {
    writeTree(at('moody'), { 'a.md': '# Moody\n\nIt is here today.\n' });
    const list = 'kiln -s ./docs -v 2.1\nmoody -s ./moody -v 1\n';
    await build(list, 'failing');
    const before = libraries('failing');
    rmSync(at('moody'), { recursive: true });
    const outcome = await build(list, 'failing');
    assert.equal(outcome.code, 1);
    assert.deepEqual(
      outcome.failed.map(({ line, kept }) => [line, kept]),
      [[2, true]],
    );
    assert.match(outcome.failed[0].reason, /moody/);
    assert.deepEqual(libraries('failing'), before);
    const gone = await build('nothing -s ./moody -v 1\n', 'empty');
    assert.deepEqual([gone.code, existsSync(at('empty', HEAD))], [1, false]);
  });

  it("sheaf publish build keeps an edited line's bundle while its source is unavailable", async () => {
    const repository = makeRepository(at('edited-git'), { 'docs/a.md': '# Kiln\n\nOne.\n' }).commit('one');
    const tag = (name) => gitIn(repository.work, 'tag', name);
    tag('v1.0.0');
    repository.publish();
    writeTree(at('edited'), { 'a.md': '# Moody\n\nIt is here today.\n' });
    const list = (more = '') =>
      `moody -s ./edited -v 1 --title "Moody${more}" # which${more}\nkiln -s file://${repository.bare} -d docs --newest ${more.length + 1}\n`;
    const first = await build(list(), 'edits');
    assert.equal(first.code, 0, first.stderr);
    const before = libraries('edits');
    cpSync(repository.bare, at('aside'), { recursive: true });
    for (const path of [at('edited'), repository.bare]) rmSync(path, { recursive: true });
    const outcome = await build(list('!'), 'edits');
    assert.deepEqual(
      [outcome.code, outcome.failed.map(({ line, kept }) => [line, kept])],
      [
        1,
        [
          [1, true],
          [2, true],
        ],
      ],
    );
    assert.deepEqual(libraries('edits'), before);
    // A tag that is newer and holds nothing to pack.
    cpSync(at('aside'), repository.bare, { recursive: true });
    rmSync(join(repository.work, 'docs'), { recursive: true });
    repository.commit('two', { 'code.c': 'int main;\n' });
    tag('v1.1.0');
    repository.publish();
    const newer = await build(list(), 'edits');
    assert.deepEqual(
      newer.failed.map(({ line, kept }) => [line, kept]),
      [
        [1, true],
        [2, true],
      ],
    );
    assert.deepEqual(libraries('edits'), before);
  });

  it('sheaf publish build drops a missing bundle whose source is gone as well', async () => {
    writeTree(at('brief'), { 'a.md': '# Brief\n\nIt is here today.\n' });
    const list = 'kiln -s ./docs -v 2.1\nbrief -s ./brief -v 1\n';
    await build(list, 'lost');
    const [brief] = libraries('lost');
    rmSync(at('brief'), { recursive: true });
    rmSync(at('lost', 'bundles', `${brief.versions[0].sha256}.sheaf`));
    const { code, failed } = await build(list, 'lost');
    assert.deepEqual([code, failed.map(({ line, kept }) => [line, kept])], [1, [[2, false]]]);
    assert.match(failed[0].reason, /The bundle before is no longer there: brief@1\./);
    assert.deepEqual(
      libraries('lost').map(({ library }) => library),
      ['kiln'],
    );
  });

  it("sheaf publish build refuses a ready bundle of another name than the list's", async () => {
    await packFixture(at('gamma.sheaf'), { library: 'gamma' });
    const { code, failed } = await build('house -s ./gamma.sheaf\n', 'named');
    assert.deepEqual([code, failed], [1, undefined]);
    const both = await build('kiln -s ./docs -v 2.1\nhouse -s ./gamma.sheaf\n', 'named');
    assert.match(both.failed[0].reason, /the bundle documents gamma, and the list calls it house: leave the name out, or name it gamma/);
    for (const line of ['./gamma.sheaf', 'gamma -s ./gamma.sheaf']) assert.equal((await build(`${line}\n`, 'named')).code, 0, line);
    assert.equal(libraries('named')[0].library, 'gamma');
  });

  it('sheaf publish build names an unwritable place in a sentence, before it packs', async () => {
    writeFileSync(at('afile'), '');
    for (const [name, more, env, why] of [
      ['afile', [], {}, /afile cannot be a folder of catalogues: E/],
      ['unwritable', ['--state', 'afile/state.json'], {}, /afile\/state\.json\.lock cannot be written: ENOTDIR/],
      ['unwritable', ['--state', 'none/state.json'], {}, /none does not exist; make that folder\./],
      ['unwritable', [], { TMPDIR: at('none') }, /No files can be made in .*none: ENOENT.*; TMPDIR names the folder/],
    ]) {
      const { code, stderr } = await build('kiln -s ./docs -v 2.1\n', name, more, env);
      assert.equal(code, 1);
      assert.match(stderr, why);
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
    }
  });

  it('sheaf publish build gives parallel results in list order, which decides names', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `lib-${n}`);
    for (const [n, name] of names.entries())
      writeTree(
        at('many', name),
        Object.fromEntries(Array.from({ length: n === 0 ? 200 : 2 }, (_, page) => [`${page}.md`, `# ${name} ${page}\n\nText.\n`])),
      );
    // The first line takes longest, and a later one claims its name.
    const list = `${names.map((name) => `${name} -s ./many/${name} -v 1`).join('\n')}\nlib-0 -s ./many/lib-1 -v 1\n`;
    const [one, many] = [await build(list, 'one-job', ['--jobs', '1']), await build(list, 'many-jobs', ['--jobs', '8'])];
    const undated = (name) =>
      libraries(name).map(({ versions, ...rest }) => ({ ...rest, versions: versions.map(({ date: _, ...each }) => each) }));
    assert.deepEqual(undated('many-jobs'), undated('one-job'));
    for (const { packed, unchanged, failed } of [one, many]) {
      assert.deepEqual([packed, unchanged], [12, 0]);
      assert.deepEqual(
        failed.map(({ line, reason }) => [line, reason]),
        [[13, 'lib-0@1 is there already, from line 1']],
      );
    }
  });

  it('sheaf publish build embeds by a transformer, and rebuilds when that changes', async () => {
    const encoder = at('encoder.mjs');
    writeFileSync(encoder, ENCODER);
    const flags = ['--encoder', 'sixteen', '--encoder-command', `'${process.execPath}' '${encoder}'`];
    const first = await build('kiln -s ./docs -v 2.1\n', 'embedded', flags);
    assert.equal(first.code, 0, first.stderr);
    assert.deepEqual(
      libraries('embedded')[0].versions.map(({ space }) => space),
      ['sixteen'],
    );
    assert.equal((await build('kiln -s ./docs -v 2.1\n', 'embedded', flags)).unchanged, 1);
    const table = await build('kiln -s ./docs -v 2.1\n', 'embedded');
    assert.deepEqual([table.packed, libraries('embedded')[0].versions[0].space], [1, 'minilm-l6-256']);
    const dead = await build('kiln -s ./docs -v 2.1\n', 'dead', ['--encoder', 'sixteen', '--encoder-command', 'exit 3']);
    assert.deepEqual([dead.code, existsSync(at('dead', HEAD))], [1, false]);
  });

  it('sheaf publish build drops unlisted libraries, and refuses a version named twice', async () => {
    await build('kiln -s ./docs -v 2.1\nother -s ./other -v 1\n', 'dropping');
    const outcome = await build('kiln -s ./docs -v 2.1\nkiln -s ./other -v 2.1\n', 'dropping');
    assert.match(outcome.failed[0].reason, /kiln@2\.1 is there already, from line 1/);
    assert.match(outcome.failed[0].source, /other$/, 'whose line it is');
    assert.deepEqual(
      libraries('dropping').map(({ library }) => library),
      ['kiln'],
    );
  });

  it("sheaf publish build takes a repository's tags, and fetches a known commit only once", async () => {
    const repository = makeRepository(at('git'), { 'docs/a.md': '# Kiln\n\nOne.\n' }).commit('one');
    const tag = (name) => repository.work && gitIn(repository.work, 'tag', name);
    tag('v1.0.0');
    repository.commit('two', { 'docs/a.md': '# Kiln\n\nTwo.\n' });
    tag('v1.1.0');
    tag('v1.1.1');
    repository.publish();
    const list = `kiln -s file://${repository.bare} -d docs --newest 2\n`;
    const first = await build(list, 'tags');
    assert.equal(first.code, 0, first.stderr);
    const [{ versions }] = libraries('tags');
    assert.deepEqual(
      versions.map(({ version, commit, source }) => [version, commit.length, source]),
      [
        ['v1.1.1', 40, ''],
        ['v1.0.0', 40, ''],
      ],
    );
    const twice = await build(`kiln -s file://${repository.bare} -d docs -v v1.0.0 -v v1.0.0\n`, 'twice');
    assert.deepEqual([twice.packed, twice.failed], [1, []], 'a tag that is named twice is one version');
    const again = await build(list, 'tags');
    assert.deepEqual([again.packed, again.unchanged, /Fetching/.test(again.stderr)], [0, 2, false]);
    repository.commit('three', { 'docs/a.md': '# Kiln\n\nThree.\n' });
    tag('v1.2.0');
    repository.publish();
    const next = await build(list, 'tags');
    assert.deepEqual([next.packed, next.unchanged], [1, 1]);
  });

  it('sheaf publish build asks npm for the version, and fetches only a changed one', async () => {
    const bin = join(root, 'bin');
    mkdirSync(bin);
    const manifest = { name: 'kiln', version: '1.2.0', description: 'Fires pots.', license: 'ISC', keywords: ['pottery'] };
    writeFileSync(
      at('kiln.tgz'),
      tarGz({ 'package/package.json': JSON.stringify(manifest), 'package/README.md': '# Kiln\n\nFires pots well.\n' }),
    );
    const npm = join(bin, 'npm');
    writeFileSync(
      npm,
      `#!/bin/sh
echo "$@" >> ${at('npm.log')}
case "$*" in
  *versions*) echo '{"versions": ["1.1.0", "1.2.0"], "dist-tags": {"latest": "1.2.0"}}';;
  *dist.integrity*) echo "{\\"version\\": \\"1.2.0\\", \\"dist.integrity\\": \\"$(cat ${at('integrity')})\\"}";;
  pack*) cp ${at('kiln.tgz')} ../kiln.tgz;;
  config*) echo '{}';;
esac
`,
    );
    chmodSync(npm, 0o755);
    writeFileSync(at('integrity'), 'sha512-a');
    const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
    const packs = () =>
      readFileSync(at('npm.log'), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('pack')).length;
    assert.equal((await build('npm:kiln\n', 'npm', [], env)).packed, 1);
    const [kiln] = libraries('npm');
    assert.deepEqual([kiln.description, kiln.licence, kiln.words[0]], ['Fires pots.', 'ISC', 'pottery']);
    assert.equal(kiln.versions[0].source, 'npm:kiln@1.2.0');
    await build('npm:kiln\n', 'npm', [], env);
    assert.equal(packs(), 1);
    writeFileSync(at('integrity'), 'sha512-b');
    assert.equal((await build('npm:kiln\n', 'npm', [], env)).unchanged, 1, 'the same bytes again are no new bundle');
    assert.equal(packs(), 2);

    // A repository that cannot be reached is asked again, but not by every build.
    const lost = { ...manifest, repository: 'https://127.0.0.1:1/o/r.git' };
    writeFileSync(at('kiln.tgz'), tarGz({ 'package/package.json': JSON.stringify(lost), 'package/README.md': '# Kiln\n\nFires.\n' }));
    writeFileSync(at('integrity'), 'sha512-c');
    await build('npm:kiln\n', 'npm', [], env);
    await build('npm:kiln\n', 'npm', [], env);
    assert.equal(packs(), 3);
    const state = readFileSync(at('npm.state.json'), 'utf8');
    assert.match(state, /"again":"/);
    writeFileSync(at('npm.state.json'), state.replace(/"again":"[^"]*"/, '"again":"2020-01-01T00:00:00.000Z"'));
    await build('npm:kiln\n', 'npm', [], env);
    assert.equal(packs(), 4);

    // The same version with less of its documentation does not take the place of what is published.
    const { repository: _, ...plain } = lost;
    const published = (files) => {
      writeFileSync(
        at('kiln.tgz'),
        tarGz({ 'package/package.json': JSON.stringify(plain), 'package/README.md': '# Kiln\n\nFires.\n', ...files }),
      );
      writeFileSync(at('integrity'), `sha512-${Object.keys(files).length}`);
    };
    published({ 'package/docs/a.md': '# A\n\nText.\n', 'package/docs/b.md': '# B\n\nText.\n' });
    assert.equal((await build('npm:kiln\n', 'npm', [], env)).packed, 1);
    const [good] = libraries('npm');
    published({});
    const { code, failed } = await build('npm:kiln\n', 'npm', [], env);
    assert.deepEqual([code, failed.length, failed[0].kept], [1, 1, true]);
    assert.match(
      failed[0].reason,
      /it would become worse: it holds the documentation in its package \(3 pages\), and only its README \(1 page\) could be had now/,
    );
    assert.deepEqual(libraries('npm'), [good]);
  });

  it('sheaf publish build does not write over a list of the older form', async () => {
    mkdirSync(at('old'));
    writeFileSync(at('old', HEAD), JSON.stringify({ sheaf: 1, title: 'old', libraries: [] }));
    assert.match((await build('kiln -s ./docs -v 1\n', 'old')).stderr, /is a list of another form; build into another folder/);
  });
});

describe('taking libraries from a catalogue', () => {
  before(async () => {
    await sheaf(['publish', 'keygen', 'my.key']);
    writeTree(at('glaze'), { 'index.md': '# Glaze\n\nAn HTTP client that fetches pages over the network.\n' });
    const list = ['kiln -s ./docs -v 2.1', 'kiln -s ./docs -v 2.2.0', 'kiln -s ./docs -v 3.0.0-rc.1', 'glaze -s ./glaze -v 1'];
    const outcome = await build(list.join('\n'), 'mine', ['--key', 'my.key', '--title', 'Mine']);
    assert.equal(outcome.code, 0, outcome.stderr);
    await sheaf.json(['catalogue', 'add', 'mine']);
  });

  it('sheaf lists the catalogues', async () => {
    const { catalogues } = await sheaf.json(['catalogue', 'list']);
    assert.deepEqual(
      catalogues.map(({ title, address }) => [title, address]),
      [['Mine', at('mine')]],
    );
  });

  it("A lock file's packages come from a catalogue with the exact version and registry", async () => {
    const project = at('locked');
    const packages = { kiln: '2.2.0', glaze: '2' };
    writeTree(project, {
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: {
          '': { dependencies: packages },
          ...Object.fromEntries(Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }])),
        },
      }),
      ...Object.fromEntries(
        Object.entries(packages).flatMap(([name, version]) => [
          [`node_modules/${name}/package.json`, JSON.stringify({ name, version })],
          [`node_modules/${name}/README.md`, `# ${name}\n\nAs it is installed.\n`],
        ]),
      ),
    });
    const add = async (more = []) => {
      const { stdout, stderr } = await sheaf(['add', '--from-lockfile', '-y', '--json', ...more], {}, { cwd: project });
      assert.ok(stdout !== '', stderr);
      return JSON.parse(stdout)
        .libraries.map(({ library, source }) => [library, source.type])
        .sort();
    };
    assert.deepEqual(await add(['--offline']), [
      ['glaze', 'installed'],
      ['kiln', 'installed'],
    ]);
    // From elsewhere already: it stays what it is.
    assert.deepEqual((await add()).at(-1), ['kiln', 'installed']);
    await sheaf(['remove', 'kiln', '-v', '2.2.0', '-y']);
    assert.deepEqual(await add(), [
      ['glaze', 'installed'],
      ['kiln', 'catalogue'],
    ]);
    await sheaf(['remove', 'kiln', '-v', '2.2.0', '-y']);
    await sheaf(['remove', 'glaze', '-v', '2', '-y']);
  });

  it('A catalogue gives the newest release, a range and an exact version, without packing', async () => {
    const env = { SHEAF_PACK: at('no-packer-here') };
    for (const [name, version] of [
      ['kiln', '2.2.0'],
      ['kiln@2.1', '2.1'],
      ['kiln@^2', '2.2.0'],
      ['kiln@3.0.0-rc.1', '3.0.0-rc.1'],
    ]) {
      const outcome = await sheaf.json(['add', name], env);
      assert.deepEqual([outcome.version, outcome.source.type, outcome.source.library], [version, 'catalogue', 'kiln'], name);
    }
    assert.match((await sheaf(['add', 'kiln@9'], env)).stderr, /No source provided/);
    assert.equal((await sheaf.json(['update', 'kiln', '-v', '2.2.0'], env)).action, 'unchanged');
  });

  it('A catalogue is passed over where flags ask for a build', async () => {
    assert.match((await sheaf(['add', 'kiln', '--build'])).stderr, /No source provided/);
    assert.match((await sheaf(['add', 'kiln', '--language', 'de'])).stderr, /No source provided/);
    assert.match((await sheaf(['add', 'kiln', '--encoder', 'none'])).stderr, /No source provided/);
    const own = await sheaf.json(['add', 'kiln', '-s', './docs', '-y']);
    assert.equal(own.source.type, 'local_path');
  });

  it('A catalogue is searched by the purpose of its libraries', async () => {
    const { libraries: found } = await sheaf.json(['catalogue', 'find', 'fetch a page from the web']);
    assert.equal(found[0].library, 'glaze');
    const { code, stdout, stderr } = await sheaf(['add', 'http client']);
    assert.equal(code, 0);
    assert.match(stdout, /^1\. glaze 1 {2}/);
    assert.match(stderr, /No library was added/);
  });

  it("An agent sees a catalogue's libraries with the installed ones", async () => {
    await sheaf.json(['add', 'kiln@2.2.0']);
    const { client, close } = await connect({ store: sheaf.store, home: sheaf.home, args: [] });
    try {
      const { tools } = await client.listTools();
      assert.ok(
        tools.some(({ name }) => name === 'find_libraries'),
        'it is served once a catalogue was added',
      );
      const reply = await client.callTool({ name: 'find_libraries', arguments: { query: 'an http client' } });
      assert.match(reply.content[0].text, /^1\. glaze 1: "/);
      assert.match(reply.content[0].text, /sheaf add NAME/);
      const kiln = await client.callTool({ name: 'find_libraries', arguments: { query: 'firing batches at a temperature', top_k: 1 } });
      assert.deepEqual(kiln.structuredContent.libraries[0].installed.includes('2.2.0'), true);
      assert.equal((await client.callTool({ name: 'find_libraries', arguments: { query: '' } })).isError, true);
    } finally {
      await close();
    }
  });

  it('A refused catalogue is named with its reason, and the next one answers', async () => {
    await build('kiln -s ./docs -v 7.0.0\n', 'second', ['--key', 'my.key']);
    await sheaf.json(['catalogue', 'add', 'second']);
    const path = at('mine', HEAD);
    const good = readFileSync(path, 'utf8');
    writeFileSync(path, good.replace('Mine', 'Mint'));
    const { code, stderr, stdout } = await sheaf(['add', 'kiln', '--json']);
    writeFileSync(path, good);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /mine is not used: BAD_SIGNATURE/);
    assert.equal(JSON.parse(stdout).version, '7.0.0');
  });

  it('An unsigned catalogue of the older form is read, and stays in its folder', async () => {
    const old = at('plain');
    mkdirSync(old);
    await packFixture(join(old, 'kiln.sheaf'), { library: 'plainkiln' });
    const bytes = readFileSync(join(old, 'kiln.sheaf'));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const facts = { version: '1.4.0', language: '', bytes: bytes.length, sha256, address: './kiln.sheaf', pages: 3, space: '' };
    const about = { library: 'plainkiln', title: 'plainkiln', description: '', licence: '' };
    writeFileSync(join(old, HEAD), JSON.stringify({ sheaf: 1, title: 'plain', libraries: [{ ...about, versions: [facts] }] }));
    assert.match((await sheaf(['catalogue', 'add', 'plain'])).stderr, /UNSIGNED/);
    await sheaf.json(['catalogue', 'add', 'plain', '--unsigned']);
    assert.equal((await sheaf.json(['add', 'plainkiln'])).version, '1.4.0');
    assert.equal((await sheaf.json(['catalogue', 'find', 'plainkiln'])).libraries[0].library, 'plainkiln');
    const list = JSON.parse(readFileSync(join(old, HEAD), 'utf8'));
    list.libraries[0].versions[0].address = '../../home/secret';
    list.libraries[0].versions[0].version = '9';
    writeFileSync(join(old, HEAD), JSON.stringify(list));
    assert.match((await sheaf(['add', 'plainkiln@9'])).stderr, /outside of its folder/);
  });
});

describe('what a library is about', () => {
  it("A library's topic comes from its keywords and headings, without common words", () => {
    const words = tellingWords(['Pottery'], ['Firing a kiln', 'Kiln temperature', 'Installation'], 'A kiln for the example.');
    assert.deepEqual(words.slice(0, 2), ['pottery', 'kiln']);
    assert.ok(!words.includes('installation') && !words.includes('example'));
  });

  it("A library's index page shows strangers' text only as text", () => {
    const page = indexPage({
      library: 'x_y',
      title: 'x_y',
      description: '# Not a heading <script> [link](http://x)',
      words: ['a|b'],
      headings: ['- item'],
      versions: [{ source: 'npm:x_y@1' }],
    });
    assert.match(page, /^# x\\_y\n\n\\# Not a heading \\<script\\> \\\[link\\\]\(http:\/\/x\)\n\nFor JavaScript/);
  });
});
