/** `sheaf` as a child process: what it prints where, and how it ends. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { REMOVED } from '../../dist/cli/removed.js';
import { ALIASES, INTERNAL, VERBS } from '../../dist/cli/verbs.js';
import { exitCodeOf } from '../../dist/node/base/exit.js';
import { DOCS, MAIN, packFixture, QUERIES, TABLE, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('cli');
const data = join(folder, 'data');
const store = join(data, 'sheaf', 'libraries');
const config = join(folder, 'config');
const file = join(store, 'kiln@1.4.0.sheaf');

/** Runs `sheaf` and waits for its end. */
function sheaf(args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, XDG_DATA_HOME: data, XDG_CONFIG_HOME: config, NO_COLOR: '', ...env },
      cwd: folder,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** What stands behind a verb. */
const verbOf = (name) => ({ ...VERBS, ...INTERNAL })[ALIASES[name] ?? name]();

before(async () => {
  await mkdir(store, { recursive: true });
  await mkdir(join(config, 'sheaf'), { recursive: true });
  await writeFile(join(config, 'sheaf', 'config.json'), '{}'); // its first writing is told on stderr
  await packFixture(file);
  await copyFile(file, join(store, 'kiln@1.10.0.sheaf')); // stands for a newer version
  await packFixture(join(store, '@kiln~extra@2.sheaf'), { library: '@kiln/extra', version: '2' });
});

describe('sheaf', () => {
  it('sheaf prints its help on stdout when asked, on stderr otherwise', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await sheaf(args);
      assert.equal(code, 0);
      assert.match(stdout, /Exit codes/);
      assert.equal(stderr, '');
      const lines = stdout.trimEnd().split('\n');
      assert.ok(lines.length <= 24 && lines.every((line) => line.length <= 80), 'it fits one screen');
      for (const verb of Object.keys(VERBS)) assert.match(stdout, new RegExp(`\\b${verb}\\b`));
    }
    const { code, stdout, stderr } = await sheaf([]);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /Usage: sheaf/);
  });

  it('sheaf tells its version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal((await sheaf(['--version'])).stdout, `${version}\n`);
  });

  it('Every verb of sheaf has help', async () => {
    for (const verb of [
      'site',
      'export',
      'query',
      'page',
      'list',
      'ls',
      'pack',
      'inspect',
      'catalogue',
      'publish',
      'eval',
      'model',
      'embed',
      'doctor',
      'completion',
      'mcp',
      'install-mcp',
      'serve',
      'add',
      'update',
      'remove',
      'config',
      'stats',
    ]) {
      const { help, more } = await verbOf(verb);
      assert.match(help, /^Usage: sheaf /);
      assert.ok(help.trimEnd().split('\n').length + (more === undefined ? 0 : 2) <= 24, `${verb}: the common options fit one screen`);
      for (const line of `${help}\n${more ?? ''}`.split('\n')) assert.ok(line.length <= 100, `${verb}: ${line}`);
    }
    // main.ts prints all alike, but for `pack`, which passes its flags on, verbs with no more to say, and second names.
    for (const verb of ['query', 'pack', 'ls', 'completion']) {
      const { help, more } = await verbOf(verb);
      const short = await sheaf([verb, '--help']);
      assert.deepEqual([short.code, short.stdout.startsWith(`${help}\n`)], [0, true], verb);
      assert.equal(/\n\nAll options: sheaf help \w+\n$/.test(short.stdout), more !== undefined, verb);
      assert.equal((await sheaf(['help', verb])).stdout, `${help}${more === undefined ? '' : `\n\n${more}`}\n`, verb);
    }
  });

  it('sheaf refuses unknown verbs and flags, and names the help', async () => {
    for (const args of [
      ['querry', 'x'],
      ['toString'],
      ['help', 'nothing'],
      ['query', 'x', '--modus', 'y'],
      ['list', 'x'],
      ['query', 'x', '-k'],
      ['eval'],
    ]) {
      const { code, stdout, stderr } = await sheaf(args);
      assert.equal(code, 2, args.join(' '));
      assert.equal(stdout, '');
      assert.match(stderr, /sheaf .*--help/);
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
    }
  });
});

describe('sheaf list', () => {
  it('sheaf list shows libraries and versions, newest first', async () => {
    const { code, stdout, stderr } = await sheaf(['list']);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s{2,}/).slice(0, 2));
    assert.deepEqual(rows, [
      ['Library', 'Version'],
      ['@kiln/extra', '2'],
      ['kiln', '1.10.0'],
      ['kiln', '1.4.0'],
    ]);
    assert.equal((await sheaf(['ls'])).stdout, stdout);
  });

  it('sheaf list prints JSON', async () => {
    const { libraries, bundles } = JSON.parse((await sheaf(['list', '--json'])).stdout);
    assert.deepEqual(libraries, { '@kiln/extra': ['2'], kiln: ['1.10.0', '1.4.0'] });
    assert.equal(bundles.length, 3);
    assert.equal(bundles[2].path, file);
  });

  it('sheaf list has pages, source and date on request', async () => {
    const { stdout } = await sheaf(['list', '--details']);
    assert.match(stdout, /^Library +Version +Size +Pages +Date +Source\n/);
    assert.match(stdout, /^kiln +1\.4\.0 +\S+ ?\S* +8 +\d{4}-\d\d-\d\d/m);
    const { bundles } = JSON.parse((await sheaf(['list', '--details', '--json'])).stdout);
    assert.ok(bundles.every(({ pages, date, description, path }) => pages > 0 && date && description && path));
  });

  it('sheaf list of an empty store is empty, and names the next step', async () => {
    const { code, stdout, stderr } = await sheaf(['ls'], { XDG_DATA_HOME: join(folder, 'nothing') });
    assert.equal(code, 0);
    assert.equal(stdout, '');
    assert.match(stderr, /No libraries in .*sheaf pack/);
  });
});

describe('sheaf query', () => {
  it('sheaf query prints hits on stdout', async () => {
    const { code, stdout, stderr } = await sheaf(['query', 'asyncio.gather', '-l', 'kiln', '-v', '1.4.0', '-k', '2']);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.match(
      stdout,
      /^Found 2 matches\.\n\n1\. Guide › Batches.*1\.4\.0\n   https:\/\/kiln\.example\/docs\/guide\/batches.*\(guide\/batches\.md:\d+-\d+\)\n/,
    );
    assert.doesNotMatch(stdout, /\u001b/);
  });

  it('sheaf query takes the number of hits and the encoder from the configuration', async () => {
    const own = join(folder, 'own-config');
    await mkdir(join(own, 'sheaf'), { recursive: true });
    await writeFile(join(own, 'sheaf', 'config.json'), JSON.stringify({ query: { top_k: 3, encoder: 'none' } }));
    const ask = async (...more) =>
      JSON.parse(
        (await sheaf(['query', 'batches of work', '-l', 'kiln', '-v', '1.4.0', '--json', ...more], { XDG_CONFIG_HOME: own })).stdout,
      );
    const configured = await ask();
    assert.deepEqual([configured.hits.length, configured.usedSemantic], [3, false]);
    const told = await ask('-k', '2', '--encoder', 'static');
    assert.deepEqual([told.hits.length, told.usedSemantic], [2, true]);
  });

  it("sheaf query prints the MCP tool's text on request, to the letter", async () => {
    const { code, stdout } = await sheaf(['query', 'wait for several batches', '-l', 'kiln', '-v', '1.4.0', '-k', '2', '--tool-text']);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Found 2 matches\.\n1\. \*\*.+\*\*: "[^]+" \(Source: https:\/\/kiln\.example\/docs\/[a-z/]+, Version: 1\.4\.0, score=\d\.\d{4}\)\n   To get full page content: \{"tool": "get_full_content", "url": ".*", "version": "1\.4\.0"\}\n2\. /,
    );
    // Without a good match, other libraries are asked.
    const compared = await sheaf(['query', 'glacier orbit', '-l', 'kiln', '-v', '1.4.0', '--tool-text']);
    assert.match(compared.stdout, /another library: @kiln\/extra/);
    const both = await sheaf(['query', 'x', '-l', 'kiln', '--tool-text', '--json']);
    assert.equal(both.code, 2);
  });

  it('sheaf query prints JSON with every field of a hit', async () => {
    const { stdout } = await sheaf(['query', 'use', 'effect', '-l', '@kiln/extra', '-v', '2', '--json', '--mode', 'keyword', '--explain']);
    const result = JSON.parse(stdout);
    assert.equal(result.library, '@kiln/extra');
    assert.equal(result.query, 'use effect');
    assert.equal(result.usedSemantic, false);
    const [hit] = result.hits;
    assert.equal(hit.source, 'guide/dashboard.md');
    for (const field of [
      'page',
      'passage',
      'score',
      'title',
      'url',
      'anchor',
      'headings',
      'firstLine',
      'lastLine',
      'place',
      'kind',
      'snippet',
      'highlights',
      'titleHighlights',
      'headingHighlights',
      'explanation',
    ])
      assert.ok(field in hit, field);
  });

  it('sheaf query explains its scores', async () => {
    const { stdout } = await sheaf(['query', 'certificate', '-b', file, '--explain']);
    assert.match(stdout, /keyword \d\.\d+ .*semantic .*weight/);
    assert.match(stdout, /certificate → \S+  (exact|stem)/);
  });

  it('sheaf query says when the hits are merely the nearest', async () => {
    const nonsense = ['query', 'xyzzyplugh qwrtzu', '-l', 'kiln'];
    const { stdout } = await sheaf(nonsense);
    assert.match(stdout, /^No good match; the nearest:\n/);
    assert.match(stdout, /^1\. /m);
    assert.equal(JSON.parse((await sheaf([...nonsense, '--json'])).stdout).weak, true);
    assert.equal(JSON.parse((await sheaf(['query', 'certificate', '-l', 'kiln', '--json'])).stdout).weak, false);
  });

  it('sheaf query without hits says so and succeeds', async () => {
    const { code, stdout } = await sheaf(['query', 'xyzzyplugh', '-l', 'kiln', '--mode', 'keyword', '--exact']);
    assert.equal(code, 0);
    assert.equal(stdout, 'Found 0 matches.\n');
  });

  it('sheaf query takes the newest version, and names it', async () => {
    const { code, stderr } = await sheaf(['query', 'furnace', '-l', 'kiln']);
    assert.equal(code, 0);
    assert.equal(stderr, 'Using kiln 1.10.0\n');
  });

  it('sheaf query names the available libraries and versions when one is missing', async () => {
    let result = await sheaf(['query', 'x', '-l', 'oven']);
    assert.deepEqual(
      [result.code, result.stdout, result.stderr],
      [4, '', "sheaf: Library 'oven' not found. Available libraries: @kiln/extra, kiln\n"],
    );
    result = await sheaf(['query', 'x', '-l', 'kiln', '-v', '9']);
    assert.deepEqual(
      [result.code, result.stderr],
      [4, "sheaf: Version '9' not found for library 'kiln'. Available versions: 1.10.0, 1.4.0\n"],
    );
    result = await sheaf(['page', 'x']);
    assert.equal(result.code, 2);
    assert.match(result.stderr, /Which library\? .*@kiln\/extra, kiln/);
  });

  it('sheaf query searches all libraries by default, and prints by library', async () => {
    const { code, stdout } = await sheaf(['query', 'wait for several batches']);
    assert.equal(code, 0);
    assert.match(stdout, /^Found 5 matches\.\n\n(@kiln\/extra 2|kiln 1\.10\.0)\n\n1\. /);
    assert.match(stdout, /\n(@kiln\/extra 2)\n/);
    assert.match(stdout, /\nkiln 1\.10\.0\n/, 'the newest version of each');
    assert.doesNotMatch(stdout, /\nkiln 1\.4\.0\n/);
    const { hits } = JSON.parse((await sheaf(['query', 'wait for several batches', '--json'])).stdout);
    assert.deepEqual([...new Set(hits.map(({ library, version }) => `${library} ${version}`))].sort(), ['@kiln/extra 2', 'kiln 1.10.0']);
    assert.ok(hits.every(({ explanation, bundle }) => explanation === undefined && bundle === undefined));
    assert.match((await sheaf(['query', 'batches', '--tool-text'])).stdout, /^Found 5 matches\.\n1\. \*\*/);
    assert.equal((await sheaf(['query', 'x', '--sort', 'date'])).code, 2);
  });

  it('sheaf query takes a range for a version', async () => {
    for (const [range, version] of [
      ['1.4', '1.4.0'],
      ['^1', '1.10.0'],
      ['latest', '1.10.0'],
    ])
      assert.equal((await sheaf(['query', 'furnace', '-l', 'kiln', '-v', range])).stderr, `Using kiln ${version}\n`);
    await writeFile(join(folder, 'requirements.txt'), 'kiln==1.4.0\n');
    assert.equal((await sheaf(['query', 'furnace', '-l', 'kiln', '-v', 'latest'])).stderr, 'Using kiln 1.4.0\n', 'as the lock file says');
    await rm(join(folder, 'requirements.txt'));
  });

  it("Under OpenGround's name, query prints as OpenGround does, and names the omissions", async () => {
    const openground = join(folder, 'openground');
    await symlink(MAIN, openground);
    const run = (...args) =>
      spawnSync(process.execPath, [openground, ...args], {
        encoding: 'utf8',
        env: { ...process.env, XDG_DATA_HOME: data, XDG_CONFIG_HOME: config, NO_COLOR: '' },
      });
    assert.match(run('query', 'batches', '-l', 'kiln').stdout, /^Found \d+ matches\.\n1\. \*\*.+\*\*: "/);
    assert.ok(JSON.parse(run('query', 'batches', '-l', 'kiln', '--json').stdout).hits);
    for (const [verb, instead] of [
      ['nuke', /sheaf remove/],
      ['list-raw-libraries', /sheaf list/],
    ]) {
      const { code, stderr } = await sheaf([verb]);
      assert.equal(code, 2);
      assert.match(stderr, instead);
    }
  });

  it('sheaf query names the replacement of each removed name', async () => {
    for (const name of Object.keys(REMOVED)) {
      const said = `There is no 'sheaf ${name}'. Use instead: ${REMOVED[name]}`;
      const [verb, ...rest] = name.split(' ');
      if (rest.length > 0 && verb !== 'query') {
        const { run } = await verbOf(verb);
        await assert.rejects(
          async () => run([...rest, 'x']),
          (error) => exitCodeOf(error) === 2 && error.message === said,
        );
        continue;
      }
      const { code, stdout, stderr } = await sheaf([verb, ...rest, 'x']);
      assert.deepEqual([code, stdout, stderr], [2, '', `sheaf: ${said}\n`], name);
    }
  });

  it('sheaf query refuses values outside their range', async () => {
    for (const args of [
      ['-k', '-1'],
      ['-k', 'many'],
      ['--mode', 'best'],
      ['-l', 'kiln', '--bundle', file],
    ]) {
      const { code, stderr } = await sheaf(['query', 'x', '-b', file, ...args]);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, /^sheaf: /);
    }
    for (const weight of ['2', 'x']) {
      const { code, stderr } = await sheaf(['eval', '-b', file, '-q', QUERIES, '--weight', weight]);
      assert.equal(code, 2, weight);
      assert.match(stderr, /^sheaf: --weight must be a number from 0 to 1/);
    }
  });

  it('sheaf query tells bad bundles from missing ones', async () => {
    const damaged = await readFile(file);
    damaged[damaged.length >> 1] ^= 1;
    await writeFile(join(folder, 'damaged.sheaf'), damaged);
    await writeFile(join(folder, 'text.sheaf'), 'this is text '.repeat(100));
    assert.equal((await sheaf(['inspect', '--verify', join(folder, 'damaged.sheaf')])).code, 3);
    const text = await sheaf(['query', 'x', '--bundle', 'text.sheaf']);
    assert.equal(text.code, 3);
    assert.match(text.stderr, /text\.sheaf: .*\[NOT_A_BUNDLE\]/);
    for (const verb of [['query', 'x', '--bundle'], ['inspect', '--verify'], ['inspect'], ['page', 'x', '-b']])
      assert.equal((await sheaf([...verb, 'missing.sheaf'])).code, 4, verb[0]);
  });
});

describe('sheaf page', () => {
  it('sheaf page prints a page by path, URL or number', async () => {
    const byPath = await sheaf(['page', 'guide/install.md', '-l', 'kiln', '-v', '1.4.0']);
    assert.equal(byPath.code, 0);
    const source = await readFile(join(DOCS, 'guide/install.md'), 'utf8');
    assert.equal(
      byPath.stdout.trimEnd(),
      `# Installation\n\nSource: https://kiln.example/docs/guide/install\nVersion: 1.4.0\n\n${source}`.trimEnd(),
    );
    assert.equal((await sheaf(['page', 'https://kiln.example/docs/guide/install', '-b', file])).stdout, byPath.stdout);
    const json = JSON.parse((await sheaf(['page', 'guide/install.md', '-b', file, '--json'])).stdout);
    assert.equal((await sheaf(['page', String(json.id), '-b', file])).stdout, byPath.stdout);
    assert.equal((await sheaf(['page', '--text', String(json.id), '-b', file])).stdout, json.text);
  });

  it('sheaf page of a missing page ends with 4', async () => {
    const { code, stderr } = await sheaf(['page', 'nowhere.md', '-b', file]);
    assert.equal(code, 4);
    assert.match(stderr, /NOT_FOUND/);
  });
});

describe('sheaf pack, inspect and verify', () => {
  it('sheaf pack writes into the store by default, ready for a query', async () => {
    const env = { XDG_DATA_HOME: join(folder, 'fresh') };
    const packed = await sheaf(['pack', DOCS, '--library', '@kiln/docs', '--version', '3.0', '--json'], env);
    assert.equal(packed.code, 0, packed.stderr);
    JSON.parse(packed.stdout);
    const { bundles } = JSON.parse((await sheaf(['list', '--json'], env)).stdout);
    assert.deepEqual(
      bundles.map((b) => [b.library, b.version]),
      [['@kiln/docs', '3.0']],
    );
    const { stdout, stderr } = await sheaf(['query', 'certificate'], env);
    assert.match(stdout, /Installation/);
    assert.equal(stderr, 'Using @kiln/docs 3.0\n');
  });

  it("sheaf pack writes elsewhere with -o, and ends with the packer's own exit code", async () => {
    const out = join(folder, 'out.sheaf');
    assert.equal((await sheaf(['pack', DOCS, '--library', 'k', '--version', '1', '-o', out])).code, 0);
    assert.ok((await readFile(out)).length > 1000);
    assert.equal((await sheaf(['pack', DOCS, '--version', '1', '-o', out])).code, 1);
    assert.equal((await sheaf(['pack', join(folder, 'no such folder'), '--library', 'k', '--version', '1', '-o', out])).code, 2);
  });

  it('sheaf pack names a missing folder before missing flags', async () => {
    const neither = await sheaf(['pack', join(folder, 'no such folder')]);
    assert.deepEqual([neither.code, neither.stdout], [1, '']);
    assert.match(neither.stderr, /no such folder: no such file or folder; check the path/);
    assert.match((await sheaf(['pack', DOCS])).stderr, /--library is required/);
    assert.match((await sheaf(['pack', DOCS, '--library', 'k'])).stderr, /--version is required/);
  });

  it('sheaf inspect and query warn of an English encoder for other languages', async () => {
    const docs = join(folder, 'ofen');
    const out = join(folder, 'ofen.sheaf');
    await mkdir(docs);
    await writeFile(join(docs, 'ofen.md'), '# Der Ofen\n\nDer Ofen trocknet die Stapel.\n');
    const pack = (...more) => sheaf(['pack', docs, '--library', 'ofen', '--version', '1', '-o', out, '--quiet', ...more]);
    const said = /knows English/;
    assert.equal((await pack('--language', 'de')).code, 0);
    assert.match((await sheaf(['inspect', out])).stdout, /the encoder knows English, the pages are in 'de': /);
    const { stdout, stderr } = await sheaf(['query', 'Ofen', '-b', out]);
    assert.match(stdout, /Der Ofen/);
    assert.equal(
      stderr,
      'ofen is in German, and its encoder knows English: other words are found as words, not by meaning. Ask in German.\n',
    );
    for (const more of [
      ['--mode', 'keyword'],
      ['--encoder', 'none'],
    ])
      assert.doesNotMatch((await sheaf(['query', 'Ofen', '-b', out, ...more])).stderr, said);
    for (const more of [
      ['--language', 'en-GB'],
      ['--language', 'none'],
      ['--language', 'de', '--encoder', 'none'],
    ]) {
      assert.equal((await pack(...more)).code, 0);
      assert.doesNotMatch((await sheaf(['inspect', out])).stdout, said, more.join(' '));
      assert.doesNotMatch((await sheaf(['query', 'Ofen', '-b', out])).stderr, said, more.join(' '));
    }
  });

  it('sheaf inspect and verify work natively and through WASM', async () => {
    const inspected = await sheaf(['inspect', file]);
    assert.equal(inspected.code, 0);
    assert.match(inspected.stdout, /kiln/);
    JSON.parse((await sheaf(['inspect', '-l', 'kiln', '--json'])).stdout);
    assert.equal((await sheaf(['inspect', '--verify', file])).code, 0);
    const server = createServer(async (_, answer) => answer.end(await readFile(file)));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const wasm = await sheaf(['inspect', '--verify', `http://127.0.0.1:${server.address().port}/kiln.sheaf`]);
    server.close();
    assert.equal(wasm.code, 0, wasm.stderr);
    assert.match(wasm.stdout, /^kiln 1\.4\.0 is sound: \d+ blocks, \d+ bytes\.\n$/);
  });

  it('sheaf pack reports that SHEAF_PACK names no packer', async () => {
    const { code, stderr } = await sheaf(['pack', DOCS, '--library', 'k', '--version', '1'], { SHEAF_PACK: join(folder, 'none') });
    assert.equal(code, 5);
    assert.match(stderr, /SHEAF_PACK is set to .*none/);
  });

  it('sheaf pack runs the packer of SHEAF_PACK, with the arguments as given', async () => {
    const stub = join(folder, 'stub');
    await writeFile(stub, '#!/bin/sh\nprintf "[%s]" "$@"\nexit 42\n');
    await chmod(stub, 0o755);
    const { code, stdout } = await sheaf(['pack', 'a b', '*.md', '--library', 'x', '-o', 'y'], { SHEAF_PACK: stub });
    assert.equal(code, 42);
    assert.equal(stdout, `[pack][--encoder-table][${TABLE}][a b][*.md][--library][x][-o][y]`);
  });
});

describe('sheaf eval', () => {
  it('sheaf eval prints a table, or JSON of exactly the promised shape', async () => {
    const args = ['eval', '--bundle', file, '--queries', QUERIES];
    const table = await sheaf(args);
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stdout, /^kind\s+n\s+hit@1\s+found@5\s+MRR@10\s+nDCG@10\nidentifier\s+2 /);
    const report = JSON.parse((await sheaf([...args, '--json'])).stdout);
    assert.deepEqual(Object.keys(report), ['overall', 'kinds', 'latency_ms', 'queries']);
    assert.deepEqual(Object.keys(report.kinds), ['identifier', 'keyword', 'natural']);
    assert.deepEqual(Object.keys(report.overall), ['n', 'hit1', 'found5', 'mrr10', 'ndcg10']);
    assert.deepEqual(Object.keys(report.latency_ms), ['p50', 'p95']);
    assert.equal(report.overall.n, 4);
    assert.equal(report.kinds.identifier.hit1, 1);
    assert.ok(report.latency_ms.p50 > 0);
    const each = JSON.parse((await sheaf([...args, '--json', '--mode', 'keyword'])).stdout);
    assert.equal(each.queries.length, 4);
    assert.equal(each.queries[1].id, 'k2');
  });

  it('sheaf eval lists all judged pages that the bundle lacks', async () => {
    const queries = join(folder, 'missing.jsonl');
    await writeFile(
      queries,
      '{"query":"a","relevant":["guide/install.md","gone.md"]}\n{"query":"b","relevant":["https://kiln.example/docs/guide/batches","lost.md"]}\n',
    );
    const { code, stdout, stderr } = await sheaf(['eval', '-b', file, '-q', queries]);
    assert.equal(code, 4);
    assert.equal(stdout, '');
    assert.match(stderr, /2 judged pages are not in kiln 1\.4\.0/);
    assert.match(stderr, /missing\.jsonl:1: gone\.md\n.*missing\.jsonl:2: lost\.md/);
  });

  it('sheaf eval names malformed lines', async () => {
    const queries = join(folder, 'bad.jsonl');
    await writeFile(queries, '{"query":"a","relevant":["guide/install.md"]}\nnot json\n');
    const { code, stderr } = await sheaf(['eval', '-b', file, '-q', queries]);
    assert.equal(code, 2);
    assert.match(stderr, /bad\.jsonl:2: not JSON/);
  });
});
