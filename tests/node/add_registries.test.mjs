/** `sheaf add crate:… go:… maven:… deb:…`, archives, manual pages and llms.txt, with nothing but loopback. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { apiPages } from '../../dist/browser/convert/api/pages.js';
import { joinApi, makeApiPages } from '../../dist/node/sources/api_pages.js';
import { nameIn } from '../../dist/node/sources/archive_source.js';
import { cargoSettings, downloadAddress, indexPath } from '../../dist/node/sources/crate.js';
import { placeOf } from '../../dist/node/sources/deb.js';
import { checkIdentity, libraryOf, parsePackage } from '../../dist/node/sources/ecosystems.js';
import { matchesPatterns, proxiesOf } from '../../dist/node/sources/go.js';
import { escapedPath, hashModule, numberPath, parseDatabase, parseSums, rootWith } from '../../dist/node/sources/go_sums.js';
import {
  parseCargoLock,
  parseComposerLock,
  parseGemfileLock,
  parseGoMod,
  parseGoSum,
  parseGradleLock,
  parsePom,
} from '../../dist/node/sources/lock_builds.js';
import { findLockfiles, readLockfile } from '../../dist/node/sources/lockfile.js';
import { filler, readPom, repositoriesOf } from '../../dist/node/sources/maven.js';
import { builtIn } from '../../dist/node/sources/package_source.js';
import { twinsOf, unpack } from '../../dist/node/sources/unpack.js';
import { parseXml } from '../../dist/node/sources/xml_tree.js';
import { writeTree } from '../fixtures/tree.mjs';
import { html, isolatedSheaf, serve, tarGz, zip } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('add-registries');
const sheaf = isolatedSheaf(folder);
const bin = join(folder, 'bin');
mkdirSync(bin);

function shim(name, script) {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** No go, git or apt of this machine: a test gives its own. */
const PATH = `${bin}${delimiter}${process.env.PATH}`;
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const sha1 = (bytes) => createHash('sha1').update(bytes).digest('hex');
const page = (title) => `# ${title}\n\nHow the ${title} is fired.\n`;
const cargoToml = (name, version, more = '') =>
  `[package]\nname = "${name}"\nversion = "${version}"\ndescription = "Fires pots."\nlicense = "MIT"\n${more}`;

describe('sheaf add crate:', () => {
  const crate = tarGz({
    'kiln-1.2.0/Cargo.toml': cargoToml('kiln', '1.2.0'),
    'kiln-1.2.0/README.md': page('kiln'),
    'kiln-1.2.0/docs/glaze.md': page('glaze'),
    'kiln-1.2.0/src/lib.rs': '//! A kiln.\n',
    'kiln-1.2.0/src/docs/firing.md': page('firing'),
    'kiln-1.2.0/tests/notes.md': page('test'),
    '../../evil.md': '# Evil\n',
  });
  let registry;
  const home = join(folder, 'cargo');
  const env = { CARGO_HOME: home, PATH };
  const line = (name, vers, bytes, more = {}) => JSON.stringify({ name, vers, cksum: sha256(bytes), yanked: false, deps: [], ...more });

  before(async () => {
    registry = await serve({});
    Object.assign(registry.routes, {
      '/config.json': JSON.stringify({ dl: `${registry.url}/dl` }),
      '/ki/ln/kiln': [
        line('kiln', '1.1.0', crate),
        line('kiln', '1.2.0', crate),
        line('kiln', '1.3.0', crate, { yanked: true }),
        line('kiln', '2.0.0-rc.1', crate),
        '',
        'no JSON',
      ].join('\n'),
      '/li/ar/liar': line('liar', '1.0.0', crate),
      '/fo/rg/forged': line('forged', '1.0.0', Buffer.from('something else')),
      '/dl/kiln/1.2.0/download': { body: crate },
      '/dl/kiln/1.1.0/download': { body: crate },
      '/dl/liar/1.0.0/download': { body: crate },
      '/dl/forged/1.0.0/download': { body: crate },
    });
    writeTree(home, {
      'config.toml': `[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+${registry.url}/"\n`,
    });
  });
  after(() => registry.close());

  it('sheaf add crate: takes README, docs, Markdown and API of the newest release', async () => {
    const outcome = await sheaf.json(['add', 'crate:kiln', '-y'], env);
    assert.deepEqual([outcome.library, outcome.version, outcome.pages, outcome.content], ['kiln', '1.2.0', 4, 'package']);
    assert.equal(existsSync(join(folder, 'evil.md')), false);
    assert.equal((await sheaf.page('kiln', '1.2.0', 'docs/glaze.md')).url, 'docs/glaze.md', 'a mirror: docs.rs may not have it');
    assert.equal((await sheaf.json(['update', 'kiln', '-y'], env)).action, 'unchanged');
  });

  it('sheaf add crate: shows what a crate hands on of its own other crates, and asks for no others', async () => {
    const whole = tarGz({
      'pot-1.0.0/Cargo.toml': cargoToml(
        'pot',
        '1.0.0',
        '[dependencies]\npot_core = "1.0"\npot-gone = "1"\npot_macros = "1"\nclay = "1"\npot_unused = "1"\n',
      ),
      'pot-1.0.0/src/lib.rs': 'pub use pot_core::*;\npub use pot_gone::X;\npub use pot_macros::*;\npub use clay::Clay;\n',
    });
    const core = (name) =>
      tarGz({
        [`${name}-1.0.3/Cargo.toml`]: cargoToml(name, '1.0.3'),
        [`${name}-1.0.3/src/lib.rs`]: '/// Throws a pot on the wheel.\npub fn throw(weight: u8) {}\n',
      });
    Object.assign(registry.routes, {
      '/3/p/pot': line('pot', '1.0.0', whole),
      '/dl/pot/1.0.0/download': { body: whole },
      '/po/t_/pot_core': [line('pot_core', '1.0.3', core('pot_core')), line('pot_core', '2.0.0', whole)].join('\n'),
      '/dl/pot_core/1.0.3/download': { body: core('pot_core') },
    });
    const from = registry.seen.length;
    const outcome = await sheaf.json(['add', 'crate:pot', '-y'], env);
    const { text } = await sheaf.page('pot', '1.0.0', 'api/pot.md');
    assert.match(text, /fn throw\(weight: u8\)/);
    assert.match(outcome.warnings.join(), /pot-gone, which pot hands on, is not in its pages: /);
    const asked = registry.seen.slice(from).join();
    assert.doesNotMatch(asked, /clay|macros|unused/);
  });

  it('sheaf add crate: refuses a crate of another name or version, and one of another hash', async () => {
    for (const [source, wanted] of [
      ['crate:liar', /should name liar 1\.0\.0; it names kiln 1\.2\.0\. Nothing was added/],
      ['crate:kiln@1.1.0', /should name kiln 1\.1\.0; it names kiln 1\.2\.0/],
      ['crate:forged', /has SHA-256 [0-9a-f]{64}, but its index says/],
    ]) {
      const { code, stderr } = await sheaf(['add', source, '-y'], env);
      assert.equal(code, 1, stderr);
      assert.match(stderr, wanted);
    }
    const missing = await sheaf(['add', 'crate:absent', '-y'], env);
    assert.equal(missing.code, 4);
    assert.match(missing.stderr, /has no crate of that name/);
    const version = await sheaf(['add', 'crate:kiln@9', '-y'], env);
    assert.deepEqual([version.code, /crate:kiln has no version 9/.test(version.stderr)], [4, true]);
  });

  it("sheaf add crate: asks what cargo's own settings put in the place of crates.io", async () => {
    const settings = async (text, more = {}) => {
      const own = join(folder, `cargo-${Math.random()}`);
      writeTree(own, { 'config.toml': text, 'credentials.toml': '[registries.house]\ntoken = "secret"\n' });
      return cargoSettings({ env: { CARGO_HOME: own, ...more } });
    };
    const replaced = '[source.crates-io]\nreplace-with = "house"\n';
    assert.deepEqual(await settings(''), { index: 'https://index.crates.io/' });
    assert.deepEqual(await settings(`${replaced}[registries.house]\nindex = "sparse+https://house.example/i/"\n`), {
      index: 'https://house.example/i/',
      token: 'secret',
    });
    assert.equal((await settings(replaced, { CARGO_REGISTRIES_HOUSE_INDEX: 'sparse+https://env.example/' })).index, 'https://env.example/');
    await assert.rejects(settings(`${replaced}[source.house]\ndirectory = "/srv/vendor"\n`), /directory \/srv\/vendor, which only cargo/);
    await assert.rejects(settings(`${replaced}[source.house]\nregistry = "https://house.example/git"\n`), /the git index/);
    await assert.rejects(settings(`${replaced}[source.house]\nreplace-with = "crates-io"\n`), /in a circle/);
    await assert.rejects(settings('', { CARGO_NET_OFFLINE: 'true' }), /told to stay offline/);
    await assert.rejects(settings('[source'), /cannot be read/);
  });

  it('sheaf add crate: finds a crate in the index and its address as the registry has them', () => {
    assert.deepEqual(['a', 'ab', 'abc', 'Serde_JSON'].map(indexPath), ['1/a', '2/ab', '3/a/abc', 'se/rd/serde_json']);
    assert.equal(downloadAddress('https://h/dl/', 'kiln', '1.0.0', 'ff'), 'https://h/dl/kiln/1.0.0/download');
    assert.equal(downloadAddress('https://h/{lowerprefix}/{crate}-{version}', 'Kiln', '1.0.0', 'f'), 'https://h/ki/ln/Kiln-1.0.0');
  });
});

describe('sheaf add go:', () => {
  const name = 'example.org/Clay/kiln';
  const files = (version, module = name) => ({
    [`${name}@${version}/go.mod`]: `module ${module}\n\ngo 1.21\n`,
    [`${name}@${version}/README.md`]: page('kiln'),
    [`${name}@${version}/docs/glaze.md`]: page('glaze'),
    [`${name}@${version}/oven/README.md`]: page('oven'),
    [`${name}@${version}/internal/x/README.md`]: page('inner'),
    [`${name}@${version}/kiln.go`]: '// Package kiln fires.\npackage kiln\n',
  });
  let proxy;
  let other;
  const withGo = (proxies, more = {}) => {
    const settings = { GOPROXY: proxies, GOPRIVATE: '', GONOPROXY: '', GONOSUMDB: '', GOSUMDB: 'off', ...more };
    shim('go', `cat <<'END'\n${JSON.stringify(settings)}\nEND`);
    return { PATH };
  };

  before(async () => {
    other = await serve({});
    proxy = await serve({
      '/example.org/!clay/kiln/@v/list': 'v1.0.0\nv1.2.0\nv1.3.0-rc.1\n',
      '/example.org/!clay/kiln/@v/v1.2.0.zip': { body: zip(files('v1.2.0')) },
      '/example.org/!clay/kiln/@v/v1.0.0.zip': { body: zip(files('v1.2.0')) },
      '/example.org/!clay/kiln/@v/v1.1.0.zip': { body: zip(files('v1.1.0', 'example.org/liar')) },
      '/example.org/new/@v/list': '',
      '/example.org/new/@latest': '{"Version":"v0.0.0-20240102030405-abcdefabcdef"}',
    });
  });
  after(() => Promise.all([proxy.close(), other.close()]));

  it('sheaf add go: takes README, docs, READMEs of packages and API, by the proxies in their order', async () => {
    const outcome = await sheaf.json(['add', `go:${name}`, '-y'], withGo(`${other.url},${proxy.url},direct`));
    assert.deepEqual([outcome.library, outcome.version, outcome.pages, outcome.content], ['kiln', 'v1.2.0', 4, 'package']);
    assert.ok(other.seen.length > 0 && other.seen.every((path) => path.startsWith('/example.org/!clay/kiln/')));
    assert.equal((await sheaf(['add', 'by-range', '-s', `go:${name}`, '-v', '1', '-y'], withGo(proxy.url))).code, 0);
  });

  it('sheaf add go: refuses a module of another name or version', async () => {
    for (const [version, found] of [
      ['v1.0.0', 'example.org/Clay/kiln v1.2.0'],
      ['1.1.0', 'example.org/liar v1.1.0'],
    ]) {
      const { code, stderr } = await sheaf(['add', `go:${name}@${version}`, '-y'], withGo(proxy.url));
      assert.equal(code, 1, stderr);
      assert.ok(stderr.includes(`it names ${found}. Nothing was added`), stderr);
    }
  });

  it('sheaf add go: tells no proxy the name of a private module', async () => {
    const before = [proxy.seen.length, other.seen.length];
    for (const more of [{ GOPRIVATE: '*.inner.example,example.org/Clay' }, { GONOPROXY: 'example.org' }]) {
      const { code, stderr } = await sheaf(['add', `go:${name}`, '-y'], withGo(`${other.url},${proxy.url}`, more));
      assert.equal(code, 1);
      assert.match(stderr, /is private by GOPRIVATE or GONOPROXY, so no proxy is asked.*sheaf add NAME -s https:\/\/example\.org/);
    }
    const off = await sheaf(['add', `go:${name}`, '-y'], withGo('off'));
    assert.match(off.stderr, /GOPROXY=off/);
    const kept = await sheaf(['add', 'go:example.org/kept', '-y'], withGo('https://proxy.golang.org', { GONOSUMDB: 'example.org' }));
    assert.match(kept.stderr, /private by GONOSUMDB, so the public proxy is not asked/);
    assert.deepEqual([proxy.seen.length, other.seen.length], before);
  });

  it('sheaf add go: stops at a proxy that fails behind a comma, and goes on behind a bar', async () => {
    const broken = await serve(() => ({ status: 500 }));
    try {
      const stopped = await sheaf(['add', `go:${name}@v1.2.0`, '-y'], withGo(`${broken.url},${proxy.url}`));
      assert.deepEqual([stopped.code, /HTTP status 500/.test(stopped.stderr)], [1, true]);
      assert.equal((await sheaf(['add', `go:${name}@v1.2.0`, '-y'], withGo(`${broken.url}|${proxy.url}`))).code, 0);
    } finally {
      await broken.close();
    }
  });

  it('sheaf add go: compares the hash with the checksum database, whose words it proves', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const sha = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
    const key = Buffer.concat([Buffer.of(1), publicKey.export({ format: 'der', type: 'spki' }).subarray(12)]);
    const id = sha('sum.example\n', key).subarray(0, 4);
    const GOSUMDB = `sum.example+${id.toString('hex')}+${key.toString('base64')}`;
    const sent = zip(files('v1.2.0'));
    const path = join(folder, 'sums.zip');
    writeFileSync(path, sent);
    const good = await hashModule(path);
    const bad = good.replace(/.{4}=$/, 'AAAA=');
    /** A proxy with a database of one record: `signed` is what its tree holds, `told` what it says. */
    const lying = (signed, told = signed) => {
      const text = (hash) => `${name} v1.2.0 ${hash}\n${name} v1.2.0/go.mod h1:x\n`;
      const tree = `go.sum database tree\n1\n${sha(Buffer.of(0), text(signed)).toString('base64')}\n`;
      const signature = Buffer.concat([id, sign(null, Buffer.from(tree), privateKey)]).toString('base64');
      return serve({
        '/example.org/!clay/kiln/@v/v1.2.0.zip': { body: sent },
        '/sumdb/sum.example/supported': '',
        '/sumdb/sum.example/lookup/example.org/!clay/kiln@v1.2.0': `0\n${text(told)}\n${tree}\n\u2014 sum.example ${signature}\n`,
      });
    };
    const other = parseDatabase(GOSUMDB.replace('sum.example', 'sum.example')).name;
    assert.equal(other, 'sum.example');
    for (const [database, settings, code, message] of [
      [lying(good), { GOSUMDB }, 0, /./],
      [lying(bad), { GOSUMDB }, 1, /sent a zip with the hash h1:\S+, but sum\.example says h1:\S+AAAA=\. Nothing was added/],
      [lying(bad, good), { GOSUMDB }, 1, /is not in the tree that is signed/],
      [lying(bad), { GOSUMDB, GONOSUMDB: 'example.org' }, 0, /./],
      [lying(bad), { GOSUMDB: GOSUMDB.replace(/\+.*/, '') }, 1, /GOSUMDB is sum\.example, whose key is not known/],
    ]) {
      const at = await database;
      try {
        const ran = await sheaf(['add', 'summed', '-s', `go:${name}@v1.2.0`, '-y'], withGo(at.url, settings));
        assert.equal(ran.code, code, ran.stderr);
        assert.match(ran.stderr, message);
        // Nobody learns a name that is kept from the database.
        if ('GONOSUMDB' in settings) assert.ok(!at.seen.some((each) => each.includes('sumdb')));
      } finally {
        await at.close();
      }
    }
    const unsummed = await sheaf(['add', 'summed', '-s', `go:${name}@v1.2.0`, '-y'], withGo(proxy.url, { GOSUMDB }));
    assert.deepEqual([unsummed.code, /passes on no sum\.example, so the hash of go:\S+ was not compared/.test(unsummed.stderr)], [0, true]);
  });

  it('sheaf add --from-lockfile compares a module with go.sum, and then asks no database', async () => {
    const path = join(folder, 'locked.zip');
    writeFileSync(path, zip(files('v1.2.0')));
    const hash = await hashModule(path);
    for (const [stated, code, message] of [
      [hash, 0, /1 added|1 updated|1 unchanged/],
      ['h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', 1, /but go\.sum says h1:AAAA/],
    ]) {
      const project = join(folder, `go-${code}`);
      writeTree(project, {
        'go.mod': `module own\n\nrequire ${name} v1.2.0\n`,
        'go.sum': `${name} v1.2.0 ${stated}\n${name} v1.2.0/go.mod h1:x\n`,
      });
      const ran = await sheaf(['add', '--from-lockfile', join(project, 'go.mod'), '-y'], withGo(proxy.url, { GOSUMDB: 'sum.golang.org' }));
      assert.equal(ran.code, code, ran.stderr);
      assert.match(ran.stderr, message);
    }
    assert.ok(!proxy.seen.some((each) => each.startsWith('/sumdb/sum.golang.org')));
    assert.deepEqual([...parseSums(`a.b/c v1.0.0 ${hash}\na.b/c v1.0.0/go.mod ${hash}\n`)], [['a.b/c v1.0.0', hash]]);
  });

  it('A proof leads from a record to the root of its tree, by tiles that may be parts', async () => {
    const sha = (...parts) => parts.reduce((all, part) => all.update(part), createHash('sha256')).digest();
    for (const count of [1, 2, 7, 256, 257, 700, 70_000]) {
      const leaves = Array.from({ length: count }, (_, i) => sha(Buffer.of(0), `record ${i}\n`));
      const rows = [leaves];
      while (rows.at(-1).length > 1) {
        const row = rows.at(-1);
        rows.push(Array.from({ length: row.length >> 1 }, (_, i) => sha(Buffer.of(1), row[2 * i], row[2 * i + 1])));
      }
      const rootOf = (begin, end) => {
        if (end - begin === 1) return leaves[begin];
        const half = 2 ** (Math.ceil(Math.log2(end - begin)) - 1);
        return sha(Buffer.of(1), rootOf(begin, begin + half), rootOf(begin + half, end));
      };
      const asked = [];
      const fetch = async (path) => {
        asked.push(path);
        const [, level, digits, width] = /^tile\/8\/(\d)\/([x\d/]+?)(?:\.p\/(\d+))?$/.exec(path);
        const first = Number(digits.replace(/[x/]/g, '')) * 256;
        return Buffer.concat(rows[8 * level].slice(first, first + Number(width ?? 256)));
      };
      for (const id of new Set([0, count >> 1, count - 1])) {
        const root = await rootWith(leaves[id], id, count, fetch);
        assert.deepEqual(root, rootOf(0, count), `${id} of ${count}`);
        assert.notDeepEqual(await rootWith(sha('other'), id, count, fetch), root);
      }
      assert.ok(asked.length <= 24 + 18 * Math.ceil(Math.log2(count)));
    }
    await assert.rejects(
      rootWith(sha('x'), 0, 2, async () => undefined),
      /tile\/8\/0\/000 is not there/,
    );
    assert.equal(numberPath(1234067), 'x001/x234/067');
  });

  it('sheaf add go: spells names as proxies do, and reads patterns part by part', () => {
    assert.equal(escapedPath('github.com/Azure/Go-SDK'), 'github.com/!azure/!go-!s!d!k');
    assert.deepEqual(
      proxiesOf('https://a,https://b|direct').map(({ goesOn }) => goesOn),
      ['missing', 'always', 'missing'],
    );
    for (const [module, patterns, fits] of [
      ['x.corp.com/y', '*.corp.com', true],
      ['corp.com/y', '*.corp.com', false],
      ['g.com/a/b', 'x.y, g.com/a*', true],
      ['g.com/a', 'g.com/a/b', false],
      ['g.com/a1', 'g.com/a[0-9]', true],
      ['g.com/ab', 'g.com/a[0-9]', false],
      ['g.com/ab', 'g.com/a?', true],
      ['g.com/a', 'none', false],
      ['g.com/a', '', false],
    ])
      assert.equal(matchesPatterns(module, patterns), fits, `${module} ${patterns}`);
    const started = performance.now();
    matchesPatterns('a'.repeat(20_000), `${'*a'.repeat(200)}b`);
    assert.ok(performance.now() - started < 2000);
    assert.equal(libraryOf('go', 'github.com/labstack/echo/v4'), 'echo');
    assert.equal(libraryOf('go', 'gopkg.in/yaml.v3'), 'yaml');
    assert.equal(libraryOf('go', 'golang.org/x/net'), 'x/net');
  });
});

describe('sheaf add maven:', () => {
  const javadoc = zip({
    'index.html': html('Kiln API', 'Classes to fire pots with.'),
    'org/clay/Kiln.html': html('Class Kiln', 'A kiln that fires.'),
    'META-INF/LICENSE.html': html('Licence', 'No documentation.'),
    'META-INF/maven/org.clay/kiln/pom.properties': 'groupId=org.clay\nartifactId=kiln\nversion=2.0\n',
  });
  const pom = (artifact, version, more = '') =>
    `<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0"><parent><groupId>org.clay</groupId><artifactId>parent</artifactId><version>${version}</version></parent><artifactId>${artifact}</artifactId>${more}</project>`;
  let repository;
  const settings = (text) => writeTree(sheaf.home, { '.m2/settings.xml': `<settings>${text}</settings>` });

  before(async () => {
    const artifact = (name, version, files) =>
      Object.fromEntries(
        Object.entries(files).map(([end, body]) => [`/m2/org/clay/${name}/${version}/${name}-${version}${end}`, { body }]),
      );
    repository = await serve({
      '/m2/org/clay/kiln/maven-metadata.xml':
        '<metadata><versioning><release>3.0-alpha1</release><versions><version>1.0</version><version>2.0</version><version>3.0-alpha1</version></versions></versioning></metadata>',
      ...artifact('kiln', '2.0', { '.pom': pom('kiln', '2.0'), '-javadoc.jar': javadoc, '-javadoc.jar.sha1': sha1(javadoc) }),
      ...artifact('kiln', '1.0', { '.pom': pom('kiln', '1.0'), '-javadoc.jar': javadoc }),
      ...artifact('liar', '1.0', { '.pom': pom('kiln', '2.0') }),
      ...artifact('forged', '1.0', { '.pom': pom('forged', '1.0'), '-javadoc.jar': javadoc, '-javadoc.jar.sha1': '0'.repeat(40) }),
      '/m2/org/clay/late/maven-metadata.xml':
        '<metadata><versioning><release>20030203.0</release><versions><version>1.9-android</version><version>1.9-jre</version><version>2.0-android</version><version>2.0-jre</version><version>20030203.0</version></versions></versioning></metadata>',
      ...artifact('late', '2.0-jre', { '.pom': pom('late', '2.0-jre') }),
      ...artifact('late', '1.9-jre', { '.pom': pom('late', '1.9-jre'), '-javadoc.jar': zip({ 'index.html': html('Late', 'Pots.') }) }),
      ...artifact('bare', '1.0', { '.pom': pom('bare', '1.0') }),
    });
    settings(
      `<mirrors><mirror><id>house</id><url>${repository.url}/m2</url><mirrorOf>external:*,!other</mirrorOf></mirror></mirrors><servers><server><id>house</id><username>potter</username><password>secret</password></server></servers>`,
    );
  });
  after(() => repository.close());

  it("sheaf add maven: takes the javadoc jar of the newest finished release, from the mirror of Maven's settings", async () => {
    const outcome = await sheaf.json(['add', 'maven:org.clay:kiln', '-y']);
    assert.deepEqual([outcome.library, outcome.version, outcome.pages, outcome.content], ['kiln', '2.0', 2, 'package']);
    assert.equal((await sheaf.json(['add', 'same', '-s', 'maven:org.clay:kiln:2.0', '-y'])).version, '2.0');
  });

  it('sheaf add maven: refuses an artifact of another name or version, and a jar of another hash', async () => {
    for (const [source, wanted] of [
      ['maven:org.clay:liar:1.0', /should name org\.clay:liar 1\.0; it names org\.clay:kiln 2\.0\. Nothing was added/],
      ['maven:org.clay:kiln:1.0', /should name org\.clay:kiln 1\.0; it names org\.clay:kiln 2\.0/],
      ['maven:org.clay:forged:1.0', /has SHA-1 [0-9a-f]{40}, but its index says 0000/],
    ]) {
      const { code, stderr } = await sheaf(['add', source, '-y']);
      assert.equal(code, 1, stderr);
      assert.match(stderr, wanted);
    }
    const bare = await sheaf(['add', 'maven:org.clay:bare:1.0', '-y']);
    assert.deepEqual([bare.code, /has no javadoc jar/.test(bare.stderr)], [4, true]);
    assert.equal((await sheaf(['add', 'maven:org.clay:absent', '-y'])).code, 4);
  });

  it('sheaf add maven: reads mirrors, profiles and logins of settings.xml as Maven does', () => {
    const of = (text, env = {}) => repositoriesOf(`<settings>${text}</settings>`, env, 'settings.xml');
    const central = 'https://repo.maven.apache.org/maven2';
    assert.deepEqual(of(''), [{ id: 'central', url: central }]);
    const profile =
      '<profiles><profile><id>p</id><repositories><repository><id>own</id><url>https://own.example/r</url></repository></repositories></profile></profiles>';
    assert.deepEqual(
      of(profile).map(({ url }) => url),
      [central],
      'not active',
    );
    assert.deepEqual(
      of(`${profile}<activeProfiles><activeProfile>p</activeProfile></activeProfiles>`).map(({ url }) => url),
      ['https://own.example/r', central],
    );
    const mirror = (pattern) => `<mirrors><mirror><id>m</id><url>\${env.HOUSE}/m</url><mirrorOf>${pattern}</mirrorOf></mirror></mirrors>`;
    const env = { HOUSE: 'https://house.example' };
    for (const [pattern, isMirrored] of [
      ['*', true],
      ['central', true],
      ['external:*', true],
      ['*,!central', false],
      ['other', false],
    ])
      assert.equal(of(mirror(pattern), env)[0].url, isMirrored ? 'https://house.example/m' : central, pattern);
    assert.throws(() => of('<offline>true</offline>'), /told to stay offline/);
    assert.throws(() => repositoriesOf('<project/>', {}, 'settings.xml'), /holds no <settings>/);
  });

  it('A pom is read with its parent and its properties, and a strange one costs little', () => {
    const facts = readPom(
      pom(
        'kiln',
        '2.0',
        '<properties><n>Kiln</n><loop>${loop}${loop}</loop></properties><description>${n}\n fires</description><url>https://clay.example/</url><scm><connection>scm:git:https://github.com/clay/kiln.git</connection></scm>',
      ),
      'x.pom',
    );
    assert.deepEqual([facts.name, facts.version, facts.about.description], ['org.clay:kiln', '2.0', 'Kiln fires']);
    assert.deepEqual(facts.repository, { url: 'https://github.com/clay/kiln', directory: '' });
    const fill = filler(parseXml('<project><properties><loop>${loop}${loop}</loop></properties></project>'));
    assert.ok(fill('${loop}').length <= 4096 * 16);
    assert.throws(() => readPom('<html/>', 'x.pom'), /is no pom/);
    const started = performance.now();
    parseXml('<a>'.repeat(200_000));
    assert.equal(parseXml('&x; nothing'), undefined);
    assert.ok(performance.now() - started < 3000);
  });
});

describe('sheaf add deb:', () => {
  const data = (files) => gunzipSync(tarGz(Object.fromEntries(Object.entries(files).map(([path, text]) => [`./${path}`, text]))));
  const manual = '.TH KILN 1\n.SH NAME\nkiln \\- fire pots\n.SH DESCRIPTION\nFires pots at a steady temperature.\n';
  const apt = (name, version, files, more = '') => {
    writeFileSync(join(folder, 'data.tar'), data(files));
    shim('apt-get', `[ "$1" = download ] || exit 1\necho "$@" >> ${folder}/apt.log\necho x > kiln_1_all.deb`);
    shim(
      'dpkg-deb',
      `if [ "$1" = --field ]; then printf '%s\\n' "Package: ${name}" "Version: ${version}" "Description: fires pots" " More words." "Homepage: https://clay.example" "${more}"; else cat ${join(folder, 'data.tar')}; fi`,
    );
    return { PATH };
  };

  it('sheaf add deb: takes documentation and manual pages in English, unpacked', async () => {
    const env = apt('kiln', '1:2.0-1', {
      'usr/share/doc/kiln/README.md.gz': gzipSync(page('kiln')),
      'usr/share/doc/kiln/html/glaze.html': html('Glaze', 'How to glaze.'),
      'usr/share/doc/kiln/copyright': 'Nobody.\n',
      'usr/share/doc/kiln/changelog.Debian.gz': gzipSync('kiln (2.0-1)\n'),
      'usr/share/man/man1/kiln.1.gz': gzipSync(manual),
      'usr/share/man/man3/kiln.3pm.gz': gzipSync(
        `.de Sp\n${'    ds C`\n'.repeat(700)}..\n${manual.replace('KILN 1', 'POTS 3').replaceAll('ire', 'low')}`,
      ),
      'usr/share/man/de/man1/kiln.1.gz': gzipSync(manual),
      'usr/bin/kiln': 'binary',
      'usr/share/doc/kiln/bad.md.gz': 'no gzip',
      '../../evil.md': '# Evil\n',
    });
    const outcome = await sheaf.json(['add', 'deb:kiln', '-y'], env);
    assert.deepEqual([outcome.library, outcome.version, outcome.pages], ['kiln', '2.0-1', 4]);
    assert.deepEqual(outcome.warnings, ['Left out: bad.md.gz: it is damaged, or too large']);
    assert.equal(outcome.documentation, 'https://clay.example/');
    assert.equal((await sheaf.page('kiln', '2.0-1', 'html/glaze.html')).title, 'Glaze');
  });

  it('sheaf add deb: refuses another package than requested, and says where the documentation is', async () => {
    const liar = await sheaf(['add', 'deb:oven', '-y'], apt('kiln', '2.0-1', { 'usr/share/doc/kiln/README.md': page('kiln') }));
    assert.equal(liar.code, 1);
    assert.match(liar.stderr, /should name oven; it names kiln 2\.0-1\. Nothing was added/);
    const bare = await sheaf(['add', 'deb:kiln', '-y'], apt('kiln', '2.0-1', { 'usr/bin/kiln': 'x' }, 'Suggests: kiln-doc, other'));
    assert.equal(bare.code, 4);
    assert.match(bare.stderr, /holds no documentation\. It names kiln-doc: sheaf add deb:kiln-doc/);
    shim('apt-get', 'echo "E: Unable to locate package absent" >&2; exit 100');
    const absent = await sheaf(['add', 'deb:absent', '-y'], { PATH });
    assert.deepEqual([absent.code, /Unable to locate package absent.*apt-get update/.test(absent.stderr)], [4, true]);
  });

  it('Files of a Debian package go below the top, manual pages into a folder of their own', () => {
    assert.equal(placeOf('usr/share/doc/kiln/html/a.html', 'kiln'), 'html/a.html');
    assert.equal(placeOf('usr/share/doc/kiln-common/a.html', 'kiln'), 'kiln-common/a.html');
    assert.equal(placeOf('usr/share/man/man3/a.3', 'kiln'), 'man/man3/a.3');
    assert.equal(placeOf('usr/share/man/fr/man3/a.3', 'kiln'), undefined);
    assert.equal(placeOf('etc/passwd', 'kiln'), undefined);
  });
});

describe('sheaf add man:', () => {
  it('sheaf add man: takes the pages of a name in all sections, an alias once, and none from elsewhere', async () => {
    const manuals = join(folder, 'manuals');
    const manual = (name) => `.TH ${name} 1\n.SH NAME\n${name} \\- fire pots\n.SH DESCRIPTION\nFires pots with ${name}.\n`;
    writeTree(manuals, {
      'man1/kiln.1': manual('kiln'),
      'man1/kiln-fire.1': manual('kiln-fire'),
      'man5/kiln.5': manual('kiln.conf'),
      'man1/kilnless.1': manual('kilnless'),
      'de/man1/kiln.1': manual('Ofen'),
    });
    symlinkSync('kiln-fire.1', join(manuals, 'man1', 'kiln-burn.1'));
    writeFileSync(join(folder, 'secret'), manual('secret'));
    symlinkSync(join(folder, 'secret'), join(manuals, 'man1', 'kiln-secret.1'));
    const outcome = await sheaf.json(['add', 'man:kiln', '-y'], { MANPATH: manuals });
    assert.equal(outcome.pages, 3);
    assert.match(outcome.version, /^local-\d{4}-\d\d-\d\d$/);
    assert.equal((await sheaf.json(['add', 'man:', '-y'], { MANPATH: manuals })).pages, 4);
    const absent = await sheaf(['add', 'man:absent', '-y'], { MANPATH: manuals });
    assert.deepEqual([absent.code, /No manual page of 'absent'/.test(absent.stderr)], [4, true]);
    assert.equal((await sheaf(['add', 'man:../x', '-y'])).code, 2);
  });
});

describe('archives', () => {
  it('sheaf add takes archives by file, named by what they say of themselves', async () => {
    const gem = gunzipSync(
      tarGz({
        'metadata.gz': gzipSync(
          "--- !ruby/object:Gem::Specification\nname: kiln-rb\nversion: !ruby/object:Gem::Version\n  version: '1.4'\nsummary: Fires pots\nlicenses:\n- MIT\n",
        ),
        'data.tar.gz': tarGz({
          'README.md': page('gem'),
          'doc/glaze.md': page('glaze'),
          'lib/kiln.rb': '# x\n',
          'test/README.md': page('test'),
        }),
      }),
    );
    const archives = {
      'x.gem': [gem, 'kiln-rb', '1.4', 2],
      'x.crate': [tarGz({ 'a-1.0.0/Cargo.toml': cargoToml('boxed', '1.0.0'), 'a-1.0.0/README.md': page('boxed') }), 'boxed', '1.0.0', 1],
      'x.tgz': [
        tarGz({ 'package/package.json': '{"name":"tarred","version":"3.0.0"}', 'package/README.md': page('tarred') }),
        'tarred',
        '3.0.0',
        1,
      ],
      'x-py.tar.gz': [
        tarGz({ 'k-2.0/PKG-INFO': 'Name: sdisted\nVersion: 2.0\n', 'k-2.0/README.md': page('sdisted') }),
        'sdisted',
        '2.0',
        1,
      ],
      'x-1-py3-none-any.whl': [zip({ 'w-1.dist-info/METADATA': 'Name: wheeled\nVersion: 1\n\n# Wheeled\n\nText.\n' }), 'wheeled', '1', 1],
      'clay-docs-4.2-javadoc.jar': [
        zip({ 'index.html': html('Clay', 'All of clay.'), 'org/A.html': html('A', 'A class.') }),
        'clay-docs',
        '4.2',
        2,
      ],
      'pots-0.9.zip': [
        zip({ 'pots/README.md': page('pots'), 'pots/deep/a.md': page('a'), 'pots/node_modules/x/README.md': page('no') }),
        'pots',
        '0.9',
        2,
      ],
    };
    for (const [file, [bytes, library, version, pages]] of Object.entries(archives)) {
      writeFileSync(join(sheaf.cwd, file), bytes);
      const outcome = await sheaf.json(['add', `./${file}`, '-y', '--build']);
      assert.deepEqual([outcome.library, outcome.version, outcome.pages], [library, version, pages], file);
    }
    assert.equal((await sheaf.json(['update', 'kiln-rb', '-y'])).action, 'unchanged');
  });

  it('sheaf add takes an archive by its address, and no sitemap in its place', async () => {
    const site = await serve({ '/files/pots-1.0.zip': { body: zip({ 'README.md': page('pots') }) } });
    try {
      const outcome = await sheaf.json(['add', 'remote', '-s', `${site.url}/files/pots-1.0.zip`, '-y']);
      assert.deepEqual([outcome.library, outcome.version, outcome.pages], ['remote', '1.0', 1]);
      assert.deepEqual(site.seen, ['/files/pots-1.0.zip']);
    } finally {
      await site.close();
    }
  });

  it('Broken and empty archives are refused by name', async () => {
    for (const [file, bytes, wanted] of [
      ['broken.zip', Buffer.from('no zip'), /broken\.zip cannot be unpacked/],
      ['empty.zip', zip({ 'a.bin': 'x' }), /empty\.zip holds no documentation/],
      ['odd.gem', gunzipSync(tarGz({ 'data.tar.gz': tarGz({ 'README.md': page('x') }) })), /odd\.gem is no gem/],
    ]) {
      writeFileSync(join(sheaf.cwd, file), bytes);
      const { code, stderr } = await sheaf(['add', `./${file}`, '-y']);
      assert.notEqual(code, 0, file);
      assert.match(stderr, wanted);
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
    }
  });

  it('Names and versions are read from the names of archives', () => {
    for (const [file, name, version] of [
      ['guava-33.0.0-jre-javadoc.jar', 'guava', '33.0.0-jre'],
      ['docs.zip', 'docs', undefined],
      ['kiln_v1.2.tar.gz', 'kiln', '1.2'],
      ['1.0.zip', '1.0', undefined],
    ])
      assert.deepEqual(nameIn(file), { name, version });
  });
});

describe('llms.txt by address', () => {
  it('sheaf add takes the sections of an llms-full.txt, and the pages that an llms.txt links to', async () => {
    const long = 'Words about clay and fire, so that nobody takes it for an empty page. '.repeat(4);
    const site = await serve({});
    const plain = (body) => ({ headers: { 'content-type': 'text/plain; charset=utf-8' }, body });
    Object.assign(site.routes, {
      '/sub/llms-full.txt': plain(['a', 'b', 'c'].map((one) => `# Page ${one}\nSource: ${site.url}/${one}\n\n${long}\n`).join('\n')),
      '/llms.txt': plain(`# Clay\n\n${long}\n\n- [Glaze](${site.url}/glaze.md)\n`),
      '/glaze.md': plain(`# Glaze\n\n${long}`),
      '/html/llms.txt': html('Not found', long),
      '/closed/llms.txt': plain(long),
      '/robots.txt': plain('User-agent: *\nDisallow: /closed/\n'),
    });
    try {
      const full = await sheaf.json(['add', 'full', '-s', `${site.url}/sub/llms-full.txt`, '-y']);
      assert.deepEqual([full.version, full.pages], ['latest', 3]);
      const linked = await sheaf.json(['add', 'linked', '-s', `${site.url}/llms.txt`, '-y']);
      assert.equal(linked.pages, 2);
      for (const [path, wanted] of [
        ['html/llms.txt', /a page of HTML/],
        ['closed/llms.txt', /robots\.txt/],
        ['no/llms.txt', /status 404/],
      ]) {
        const { code, stderr } = await sheaf(['add', 'none', '-s', `${site.url}/${path}`, '-y']);
        assert.notEqual(code, 0);
        assert.match(stderr, wanted);
      }
      assert.ok(!site.seen.some((path) => path.includes('sitemap')), 'no sitemap is looked for');
    } finally {
      await site.close();
    }
  });
});

describe('what a package holds', () => {
  it('Of reStructuredText and the HTML built from it, one is taken', () => {
    const built = [
      'docs/_build/html/index.html',
      'docs/_build/html/use.html',
      'docs/_build/html/api/a.html',
      'docs/_build/html/genindex.html',
    ];
    const sources = ['docs/index.rst', 'docs/use.rst', 'docs/api/a.rst'];
    assert.deepEqual(twinsOf([...built, ...sources, 'README.rst']), [...sources].sort());
    const more = ['docs/b.rst', 'docs/c.rst', 'docs/d.rst', 'docs/e.rst', 'docs/f.rst'];
    assert.deepEqual(twinsOf([...built, ...sources, ...more]), [...built].sort(), 'an old, partial build');
    assert.deepEqual(twinsOf([...built, 'README.rst']), []);
    assert.deepEqual(twinsOf(['docs/a.html', 'docs/a.rst', 'docs/b.html', 'docs/b.rst']), [], 'no mark of Sphinx');
  });

  it('Source goes to its converter, whose pages are packed beside README and docs', async () => {
    const warned = [];
    const context = { folder: join(folder, 'code'), warn: (text) => warned.push(text), say() {}, signal: new AbortController().signal };
    const archive = join(folder, 'code.tgz');
    const rust = '//! Kilns.\n\n/// Fires the kiln to a cone.\npub fn fire(cone: u8) {}\n';
    const files = {
      'k/Cargo.toml': '[package]\nname = "k"\n',
      'k/README.md': page('k'),
      'k/src/lib.rs': rust,
      'k/tests/t.rs': rust,
      'k/src/a.txt': 'x',
    };
    writeFileSync(archive, tarGz(files));
    const unpacked = await unpack(archive, { inner: (path) => path.slice(2) }, context);
    assert.deepEqual(warned, []);
    assert.deepEqual([unpacked.files, unpacked.api.map(({ path }) => path)], [['README.md'], ['api/k.md']]);
    assert.deepEqual(await makeApiPages({ paths: [] }, context), [], 'no source');
    const { root } = unpacked;
    const found = { version: '1', root, inputs: [root], baseUrl: '', urlStyle: 'keep', noIgnore: false, content: 'readme' };
    const joined = await joinApi(found, unpacked.api, () => 'https://kiln.example/lib.rs', context);
    assert.deepEqual([joined.content, joined.inputs], ['package', [root]]);
    const text = readFileSync(join(root, 'api', 'k.md'), 'utf8');
    assert.match(text, /^---\nurl: "https:\/\/kiln\.example\/lib\.rs"\n---\n# k\n/);
    assert.match(text, /Fires the kiln to a cone\./);
    assert.match(text, /pub fn fire\(cone: u8\)/);
  });

  it('Source beyond a bound, and source without a grammar, is counted with the way to read it', async () => {
    const warned = [];
    const context = { folder: join(folder, 'much'), warn: (text) => warned.push(text), say() {}, signal: new AbortController().signal };
    const archive = join(folder, 'much.tgz');
    writeFileSync(archive, tarGz({ 'README.md': page('k'), 'a.py': 'def a(): pass\n', 'b.py': '', 'c.py': '' }));
    const unpacked = await unpack(archive, {}, context, { files: 2, bytes: 1 << 20 });
    assert.ok(unpacked.files.includes('README.md'));
    assert.deepEqual(warned.splice(0), ['Left out: 1 source files beyond the first 2, or 1 MiB of them']);

    const part = join(folder, 'part.tgz');
    writeFileSync(part, tarGz({ 'part/d.py': '', 'part/e.py': '' }));
    const parts = async function* () {
      yield { archive: part, folder: 'vendor/part/' };
    };
    await unpack(archive, { parts }, { ...context, folder: join(folder, 'more') }, { files: 4, bytes: 1 << 20 });
    assert.ok(existsSync(join(folder, 'more', 'code', 'vendor', 'part', 'd.py')));
    assert.ok(warned.splice(0).includes('Left out: 1 source files beyond the first 4, or 1 MiB of them'), 'parts count, too');

    const none = { file: async () => undefined, runtime: async () => undefined, advice: () => 'npm install GRAMMARS' };
    const convert = async ({ paths, read }, warn) => {
      const { pages, notes } = await apiPages(
        paths.map((path) => ({ path, bytes: read(path) })),
        { grammars: none },
      );
      for (const note of notes) warn(note);
      return pages;
    };
    const code = { paths: ['b.py', 'a.py'], read: (path) => readFileSync(join(context.folder, 'code', path)) };
    assert.deepEqual(await makeApiPages(code, context, convert), []);
    assert.match(warned[0], /^2 files of Python are not read: that needs .* is not installed\. npm install GRAMMARS$/);
  });

  it('The built-in list knows a library by its name and owner, and no namesake', () => {
    const facts = (ecosystem, name, url) => ({ ecosystem, name, version: '1', repository: url && { url, directory: '' } });
    assert.equal(builtIn(facts('npm', 'vue', 'https://github.com/vuejs/core'))?.repo_url, 'https://github.com/vuejs/docs');
    assert.equal(builtIn(facts('npm', 'vue', 'https://github.com/somebody/vue')), undefined);
    assert.equal(builtIn(facts('npm', 'vue', 'https://host.example/vuejs/core')), undefined);
    assert.equal(builtIn(facts('crate', 'rust', undefined)), undefined);
    assert.equal(builtIn(facts('npm', 'constructor', 'https://github.com/vuejs/core')), undefined);
  });
});

describe('names on registries', () => {
  it('Names and versions of packages are told apart, and nothing else passes for one', () => {
    for (const [ecosystem, text, name, version] of [
      ['crate', 'serde@1.0', 'serde', '1.0'],
      ['go', 'github.com/a/b/v2@v2.0.1', 'github.com/a/b/v2', 'v2.0.1'],
      ['maven', 'org.clay:kiln:2.0', 'org.clay:kiln', '2.0'],
      ['maven', 'org.clay:kiln@2.0', 'org.clay:kiln', '2.0'],
      ['maven', 'org.clay:kiln', 'org.clay:kiln', undefined],
      ['deb', 'libc6@1:2.36-9+deb12u4', 'libc6', '1:2.36-9+deb12u4'],
    ])
      assert.deepEqual(parsePackage(ecosystem, text), version === undefined ? { name } : { name, version }, text);
    for (const text of ['', '-x', '../x', 'a b', 'x@', 'x@--y', 'a/../b', '/etc/passwd', 'x\n', 'https://h/x', `x@${'1'.repeat(65)}`])
      for (const ecosystem of ['crate', 'go', 'maven', 'deb'])
        assert.throws(() => parsePackage(ecosystem, text), { name: 'SourceError', kind: 'usage' }, `${ecosystem}:${text}`);
    for (const text of ['github.com/../b', 'github.com/a/.git', 'nodots/a', 'github.com//a'])
      assert.throws(() => parsePackage('go', text), { name: 'SourceError' }, text);
    checkIdentity('deb', { name: 'a', version: '1:2.0' }, { name: 'a', version: '2.0' });
    assert.throws(() => checkIdentity('crate', { name: 'a' }, { name: 'b', version: '1' }), /Nothing was added/);
  });
});

describe('lock files of compiled languages, Ruby and PHP', () => {
  const brief = (found) => found.map(({ name, version, why }) => [name, version, ...(why ? ['not'] : [])]);

  it('Cargo.lock gives what the own packages depend on, and --transitive the rest', () => {
    const entry = (name, version, source, more = '') =>
      `[[package]]\nname = "${name}"\nversion = "${version}"\n${source ? `source = "${source}"\n` : ''}${more}\n`;
    const index = 'registry+https://github.com/rust-lang/crates.io-index';
    const text = [
      entry('own', '0.1.0', '', 'dependencies = ["serde", "rand 0.8.5", "forked"]\n'),
      entry('serde', '1.0.1', index),
      entry('rand', '0.8.5', index),
      entry('rand', '0.7.0', index),
      entry('forked', '0.2.0', 'git+https://host.example/forked#abc'),
      entry('house', '1.0.0', 'sparse+https://house.example/'),
    ].join('');
    assert.deepEqual(brief(parseCargoLock(text, 'Cargo.lock', false)), [
      ['serde', '1.0.1'],
      ['rand', '0.8.5'],
      ['forked', '0.2.0', 'not'],
    ]);
    assert.equal(parseCargoLock(text, 'Cargo.lock', true).length, 5);
    assert.throws(() => parseCargoLock('[[', 'Cargo.lock', true), /Cargo\.lock is not TOML/);
    const long = `size = 18446744073709551615\nmore = 99999999999999999999999\n${text}`;
    assert.equal(parseCargoLock(long, 'Cargo.lock', true).length, 5, 'integers that no number holds');
  });

  it('go.mod gives requirements, direct or all, with what replaces them', () => {
    const text =
      'module example.org/own\n\ngo 1.22\n\nrequire example.org/one v1.0.0\nrequire (\n\texample.org/two v2.0.0 // indirect\n\t"example.org/three" v3.0.0\n\texample.org/four v4.0.0 // other\n)\nreplace (\n\texample.org/three => ../three\n\texample.org/four v4.0.0 => example.org/fork v4.0.1\n)\nexclude example.org/one v0.9.0\n';
    assert.deepEqual(brief(parseGoMod(text, false)), [
      ['example.org/one', 'v1.0.0'],
      ['example.org/three', 'v3.0.0', 'not'],
      ['example.org/fork', 'v4.0.1'],
    ]);
    assert.equal(parseGoMod(text, true).length, 4);
    assert.deepEqual(brief(parseGoSum('a.b/c v1.0.0 h1:x=\na.b/c v1.0.0/go.mod h1:x=\na.b/c v1.1.0 h1:x=\n')), [['a.b/c', 'v1.1.0']]);
  });

  it('pom.xml gives its dependencies with properties filled in, unpinned ones by name', () => {
    const dependency = (artifact, more = '') =>
      `<dependency><groupId>org.clay</groupId><artifactId>${artifact}</artifactId>${more}</dependency>`;
    const text = `<project><properties><v>2.0</v></properties><dependencyManagement><dependencies>${dependency('managed', '<version>3.0</version>')}</dependencies></dependencyManagement><dependencies>${dependency('kiln', '<version>${v}</version>')}${dependency('managed')}${dependency('unpinned')}${dependency('range', '<version>[1,2)</version>')}${dependency('here', '<version>1</version><scope>system</scope>')}</dependencies></project>`;
    assert.deepEqual(brief(parsePom(text, 'pom.xml')), [
      ['org.clay:kiln', '2.0'],
      ['org.clay:managed', '3.0'],
      ['org.clay:unpinned', undefined],
      ['org.clay:range', undefined],
    ]);
    const house = text.replace(
      '<properties>',
      '<repositories><repository><url>https://house.example/m2</url></repository></repositories><properties>',
    );
    assert.equal(
      parsePom(house, 'pom.xml').some(({ registry }) => registry === 'https://house.example/m2'),
      true,
    );
    assert.throws(() => parsePom('<x/>', 'pom.xml'), /is no pom/);
  });

  it("Gradle's, Bundler's and Composer's lock files are read", () => {
    const gradle = '# comment\norg.clay:kiln:2.0=compileClasspath\norg.clay:deep:1.0=runtimeClasspath\nempty=annotationProcessor\n';
    assert.deepEqual(brief(parseGradleLock(gradle, 'implementation("org.clay:kiln:2.+")', false)), [['org.clay:kiln', '2.0']]);
    assert.equal(parseGradleLock(gradle, '', false).length, 2);
    assert.equal(
      parseGradleLock(gradle, 'maven { url = uri("https://house.example/m2") }\n"org.clay:kiln"', false)[0].registry,
      'https://house.example/m2',
    );
    const bundler =
      'GEM\n  remote: https://rubygems.org/\n  specs:\n    kiln (1.4)\n      clay (>= 1)\n    clay (2.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  kiln (~> 1.0)\n';
    assert.deepEqual(brief(parseGemfileLock(bundler, false)), [['kiln', '1.4', 'not']]);
    assert.equal(parseGemfileLock(bundler, true).length, 2);
    const composer = JSON.stringify({
      packages: [
        { name: 'clay/kiln', version: 'v1.0', source: { type: 'git', url: 'https://host.example/clay/kiln.git', reference: 'abc' } },
        { name: 'clay/deep', version: '1.0' },
      ],
      'packages-dev': [
        { name: 'clay/dev', version: 'dev-main', source: { type: 'git', url: 'https://host.example/d.git', reference: 'f'.repeat(40) } },
      ],
    });
    const found = parseComposerLock(
      composer,
      'composer.lock',
      '{"require":{"php":"8","clay/kiln":"^1"},"require-dev":{"clay/dev":"*"}}',
      false,
    );
    assert.deepEqual(
      found.map(({ name, repository }) => [name, repository.ref]),
      [
        ['clay/kiln', 'v1.0'],
        ['clay/dev', 'f'.repeat(40)],
      ],
    );
    assert.deepEqual(brief(parseComposerLock(composer, 'composer.lock', undefined, true))[1], ['clay/deep', '1.0', 'not']);
  });

  it('A folder has one lock file of each language, and hostile ones cost linear time', async () => {
    const project = join(folder, 'polyglot');
    writeTree(project, {
      'Cargo.lock': '',
      'go.mod': 'require a.b/c v1.0.0\n',
      'go.sum': '',
      'pom.xml': '<project/>',
      'gradle.lockfile': '',
      'Gemfile.lock': '',
      'composer.lock': '{}',
      'uv.lock': '',
    });
    assert.deepEqual(
      (await findLockfiles(project)).map((path) => path.slice(project.length + 1)),
      ['uv.lock', 'Cargo.lock', 'go.mod', 'gradle.lockfile', 'Gemfile.lock', 'composer.lock'],
    );
    assert.deepEqual(brief(await readLockfile(join(project, 'go.sum'), false)), [['a.b/c', 'v1.0.0']]);
    const started = performance.now();
    const long = 200_000;
    parseGoMod(`require a v1 ${'/'.repeat(long)}\n`.repeat(3), true);
    parseGoSum(`${'a'.repeat(long)} v1`);
    parseGemfileLock(`    ${'a'.repeat(long)} (`, true);
    parseGradleLock(`${'a'.repeat(long)}:${'b'.repeat(long)}`, `url ${' '.repeat(long)}`, true);
    assert.ok(performance.now() - started < 4000);
  });

  it('sheaf add --from-lockfile adds crates from the registry that they came from, and says why others are left out', async () => {
    const crate = tarGz({ 'clay-1.0.0/Cargo.toml': cargoToml('clay', '1.0.0'), 'clay-1.0.0/README.md': page('clay') });
    const registry = await serve({});
    Object.assign(registry.routes, {
      '/config.json': JSON.stringify({ dl: `${registry.url}/dl` }),
      '/cl/ay/clay': JSON.stringify({ name: 'clay', vers: '1.0.0', cksum: sha256(crate) }),
      '/dl/clay/1.0.0/download': { body: crate },
    });
    const home = join(folder, 'lock-cargo');
    writeTree(home, { 'config.toml': `[source.crates-io]\nreplace-with = "m"\n[source.m]\nregistry = "sparse+${registry.url}/"\n` });
    const entry = (name, source) => `[[package]]\nname = "${name}"\nversion = "1.0.0"\nsource = "${source}"\n\n`;
    writeFileSync(
      join(sheaf.cwd, 'Cargo.lock'),
      `[[package]]\nname = "own"\nversion = "0.1.0"\ndependencies = ["clay", "secret", "forked"]\n\n${entry('clay', 'registry+https://github.com/rust-lang/crates.io-index')}${entry('secret', 'sparse+https://house.example/')}${entry('forked', 'git+https://host.example/f')}`,
    );
    try {
      const { libraries, skipped } = await sheaf.json(['add', '--from-lockfile', 'Cargo.lock', '-y'], { CARGO_HOME: home, PATH });
      assert.deepEqual(
        libraries.map(({ library, version }) => [library, version]),
        [['clay', '1.0.0']],
      );
      const reasons = Object.fromEntries(skipped.map(({ library, reason }) => [library, reason]));
      assert.match(reasons.secret, /it comes from house\.example, while your cargo asks/);
      assert.match(reasons.forked, /it comes from https:\/\/host\.example\/f/);
      assert.ok(!registry.seen.some((path) => path.includes('secret')), 'its name is told to nobody');
    } finally {
      await registry.close();
    }
  });

  it('requirements.txt is read with the files that it names, each once, and none outside of the project', async () => {
    const project = join(folder, 'required');
    writeTree(project, {
      'requirements.txt': '-r more/base.txt\nkiln==1.0\n',
      'more/base.txt': '--requirement=deep.txt\nclay==2.0\n',
      'more/deep.txt': '-r ../requirements.txt\nglaze==3.0 # glossy\n',
      'out.txt': '-r ../../etc/secret.txt\n',
      'none.txt': '-r absent.txt\n',
    });
    assert.deepEqual(brief(await readLockfile(join(project, 'requirements.txt'), false)), [
      ['clay', '2.0'],
      ['glaze', '3.0'],
      ['kiln', '1.0'],
    ]);
    await assert.rejects(readLockfile(join(project, 'out.txt'), false), /outside of/);
    await assert.rejects(readLockfile(join(project, 'none.txt'), false), /none\.txt names .*absent\.txt, which cannot be read/);
  });

  it('sheaf add --from-lockfile names the gems and PHP packages that cannot be had', async () => {
    writeFileSync(join(sheaf.cwd, 'Gemfile.lock'), 'GEM\n  specs:\n    kiln (1.4)\n\nDEPENDENCIES\n  kiln\n');
    const { code, stderr } = await sheaf(['add', '--from-lockfile', 'Gemfile.lock', '-y']);
    assert.equal(code, 4);
    assert.match(stderr, /Left out: kiln 1\.4: a gem: RubyGems is no source here/);
  });
});

it('Tests of registries use only programs that stand in for the real ones', () => {
  assert.equal(execFileSync('sh', ['-c', 'command -v apt-get'], { env: { PATH }, encoding: 'utf8' }).trim(), join(bin, 'apt-get'));
});
