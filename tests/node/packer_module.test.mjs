/** The packer as a WebAssembly module in Node: the same bytes, answers and manners as the native sheaf-pack. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { openModulePacker } from '../../dist/node/packer/module.js';
import { nativePacker } from '../../dist/node/packer/native.js';
import { PackFailure } from '../../dist/node/packer/packer.js';
import { pack, packFiles } from '../../dist/node/packer/node.js';
import { writeTinyBert } from '../fixtures/tiny_bert.mjs';
import { requirePacker } from '../native_packer.mjs';
import { DOCS, MAIN, manyPages, TABLE, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('packer-module');
const at = (name) => join(folder, name);
const quietly = { show: 'nothing' };
const JOB = { library: 'kiln', version: '1', encoderTable: TABLE };
let module;
let native;

before(async () => {
  module = await openModulePacker();
  native = nativePacker(await requirePacker());
});

const failed = (promise) =>
  promise.then(
    () => assert.fail('it did not fail'),
    (error) => error,
  );

/** Without what differs from run to run. */
function lasting({ output, seconds, surveySeconds, packingSeconds, writingSeconds, pagesPerSecond, megabytesPerSecond, jobs, ...rest }) {
  return rest;
}

/** Packs by both, and gives the bundles and reports. */
async function byBoth(name, job) {
  const results = [];
  for (const [i, packer] of [native, module].entries()) {
    const output = at(`${name}-${i}.sheaf`);
    const { report, said } = await packer.pack({ ...JOB, ...job, output }, quietly);
    results.push({ bytes: readFileSync(output), report: lasting(report), said });
  }
  return results;
}

describe('a bundle by the module', () => {
  it("A bundle by the module has a native one's bytes and report", async () => {
    const [one, other] = await byBoth('docs', { inputs: [DOCS], root: DOCS, baseUrl: 'https://kiln.example/', urlStyle: 'clean' });
    assert.ok(one.bytes.equals(other.bytes));
    assert.deepEqual(other, one);
  });

  it('A bundle by the module matches with links, odd names, failing files, and a graph', async () => {
    const docs = at('odd');
    mkdirSync(join(docs, 'deep er', 'ünïcode'), { recursive: true });
    writeFileSync(join(docs, 'deep er', 'ünïcode', 'p age.md'), '# Glaze\n\nCeladon is a glaze.\n');
    writeFileSync(join(docs, 'plain.txt'), 'Plain text about clay.\n');
    writeFileSync(join(docs, 'broken.ipynb'), '{');
    writeFileSync(join(docs, 'old.html'), Buffer.from('<meta charset=windows-1252><title>Caf\xe9</title><p>Caf\xe9 \x80', 'latin1'));
    writeFileSync(join(docs, 'nested.html'), `<p>before${'<div>'.repeat(3000)}deep${'</div>'.repeat(3000)}`);
    symlinkSync('plain.txt', join(docs, 'relative.txt'));
    symlinkSync(join(docs, 'deep er'), join(docs, 'absolute'));
    symlinkSync('../odd', join(docs, 'circle'));
    symlinkSync('nowhere', join(docs, 'dangling.md'));
    symlinkSync(DOCS, join(docs, 'outside'));
    const [one, other] = await byBoth('odd', { inputs: [docs], graph: 'always' });
    assert.ok(one.report.skipped.length >= 2 && one.report.notes.length > 0);
    assert.deepEqual(other.report, one.report);
    assert.equal(other.said, one.said);
    assert.ok(one.bytes.equals(other.bytes));
  });

  it('A bundle by the module matches when the postings exceed memory', async () => {
    const docs = manyPages(at('many'), 1500);
    const [one, other] = await byBoth('spilled', { inputs: [docs], memory: '16M', level: 1 });
    assert.deepEqual(other.report, one.report);
    assert.ok(one.bytes.equals(other.bytes));
  });

  it('A bundle by the module matches with a transformer, in a thread of this process', async () => {
    const store = at('models');
    await writeTinyBert(join(store, 'tiny-bert'), { precision: 'both' });
    const bundles = [];
    for (const [i, packer] of [native, module].entries()) {
      const env = { ...process.env, SHEAF_MODEL_CACHE: store, XDG_CACHE_HOME: at(`cache-${i}`) };
      const output = at(`tiny-${i}.sheaf`);
      const job = { library: 'kiln', version: '1', inputs: [DOCS], output, encoder: 'tiny-bert' };
      const { report } = await packer.pack(job, { ...quietly, env });
      assert.equal(report.embeddedPassages, report.passages);
      bundles.push(readFileSync(output));
      const again = await packer.pack(job, { ...quietly, env });
      assert.equal(again.report.cachedPassages, report.passages, 'vectors are kept');
    }
    assert.ok(bundles[0].equals(bundles[1]));
    const env = { ...process.env, SHEAF_MODEL_CACHE: at('no-models'), XDG_CACHE_HOME: at('cache-none') };
    const error = await failed(module.pack({ ...JOB, inputs: [DOCS], output: at('x.sheaf'), encoder: 'absent' }, { ...quietly, env }));
    assert.match(error.message, /absent.*sheaf model add/s);
  });
});

describe('the file that the module writes', () => {
  it("The module's file has a new file's permissions, or the replaced file's", async () => {
    const place = at('modes');
    mkdirSync(place);
    const output = join(place, 'kiln.sheaf');
    const job = { ...JOB, inputs: [DOCS], output, encoder: 'none', level: 1 };
    await module.pack(job, quietly);
    assert.equal(statSync(output).mode & 0o777, 0o666 & ~process.umask());
    chmodSync(output, 0o640);
    await module.pack(job, quietly);
    assert.equal(statSync(output).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(place), ['kiln.sheaf']);
  });

  it("A failure leaves the module's file, with the native packer's message", async () => {
    const output = at('older.sheaf');
    writeFileSync(output, 'older');
    mkdirSync(at('nothing'));
    for (const job of [
      { inputs: [at('nothing')], output },
      { inputs: [at('no such folder')], output },
      { inputs: [DOCS], output: at('no/such/x.sheaf') },
      { inputs: [DOCS], output, memory: '3' },
      { inputs: [DOCS], output, encoderTable: at('no-table') },
    ]) {
      const errors = [];
      for (const packer of [native, module]) errors.push(await failed(packer.pack({ ...JOB, ...job }, quietly)));
      assert.ok(errors[1] instanceof PackFailure);
      assert.deepEqual([errors[1].message, errors[1].facts], [errors[0].message, errors[0].facts]);
    }
    assert.equal(readFileSync(output, 'utf8'), 'older');
  });

  it("An abort leaves the module's file, and no temporary file stays", async () => {
    const place = at('aborted');
    mkdirSync(place);
    const output = join(place, 'kiln.sheaf');
    writeFileSync(output, 'older');
    const docs = manyPages(at('long'), 3000);
    const cancel = new AbortController();
    const packing = failed(module.pack({ ...JOB, inputs: [docs], output }, { ...quietly, signal: cancel.signal }));
    setTimeout(() => cancel.abort(new Error('enough')), 300);
    const error = await packing;
    assert.deepEqual([error.code, error.name, error.cause.message], ['ABORTED', 'AbortError', 'enough']);
    assert.deepEqual([readdirSync(place), readFileSync(output, 'utf8')], [['kiln.sheaf'], 'older']);
    const early = await failed(module.pack({ ...JOB, inputs: [docs], output }, { ...quietly, signal: AbortSignal.abort() }));
    assert.equal(early.code, 'ABORTED');
  });
});

describe('rounds by the module', () => {
  it('Rounds by the module pack changes, report an empty folder, and survive failures', async () => {
    const docs = at('watched');
    mkdirSync(docs);
    writeFileSync(join(docs, 'a.md'), '# A\n\nClay.\n');
    const output = at('watched.sheaf');
    const job = { ...JOB, inputs: [docs], root: docs, output };
    const rounds = module.rounds(job, quietly);
    const first = await rounds.round();
    assert.deepEqual([first.round, first.written, first.pages, first.added], [1, true, 1, 1]);
    assert.equal((await rounds.round()).written, false);
    rmSync(join(docs, 'a.md'));
    mkdirSync(join(docs, 'a.md'));
    writeFileSync(join(docs, 'a.md', 'b.md'), '# B\n\nA folder in place of a file.\n');
    const third = await rounds.round();
    assert.deepEqual([third.written, third.pages, third.added, third.removed], [true, 1, 1, 1]);
    const once = at('once.sheaf');
    await native.pack({ ...job, output: once, level: 3 }, quietly);
    assert.ok(readFileSync(output).equals(readFileSync(once)));
    rmSync(join(docs, 'a.md'), { recursive: true });
    assert.equal(await rounds.round(), undefined);
    writeFileSync(join(docs, 'c.md'), '# C\n\nBack.\n');
    assert.equal((await rounds.round()).pages, 1);
    await rounds.close();
    await rounds.close();
  });

  it('Rounds by the module end midway when they are closed', async () => {
    const output = at('closed.sheaf');
    const rounds = module.rounds({ ...JOB, inputs: [at('long')], output }, quietly);
    const round = failed(rounds.round());
    setTimeout(() => void rounds.close(), 300);
    assert.ok((await round) instanceof PackFailure);
    await rounds.close();
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('.sheaf-') || name === 'closed.sheaf'));
  });
});

describe('the command line with the module', () => {
  const sheaf = (args, more = {}) =>
    spawnSync(process.execPath, [MAIN, ...args], {
      encoding: 'utf8',
      cwd: folder,
      env: { ...process.env, SHEAF_PACK: 'module', XDG_DATA_HOME: at('data'), ...more },
    });

  it('With the module, the command line packs, inspects and verifies as natively', async () => {
    const path = await requirePacker();
    mkdirSync(at('relative'));
    writeFileSync(at('relative/a.md'), '# A\n\nClay.\n');
    writeFileSync(at('relative/b.ipynb'), '{');
    writeFileSync(at('damaged.sheaf'), 'SHEAF');
    for (const args of [
      ['pack', 'relative', '--library', 'k', '--version', '1', '-o', 'relative.sheaf', '--quiet'],
      ['pack', 'relative', '--library', 'k'],
      ['pack', 'relative', '--no-such-flag'],
      ['pack', '.', '--help'],
      ['inspect', 'relative.sheaf'],
      ['inspect', 'relative.sheaf', '--json'],
      ['inspect', '--verify', 'relative.sheaf'],
      ['inspect', '--verify', 'damaged.sheaf'],
    ]) {
      const [one, other] = [sheaf(args, { SHEAF_PACK: path }), sheaf(args)];
      const timeless = ({ status, stdout, stderr }) => [status, stdout.replace(/[\d.]+ m?s/g, 'T'), stderr.replace(/[\d.]+ m?s/g, 'T')];
      assert.deepEqual(timeless(other), timeless(one), args.join(' '));
    }
  });

  it('With the module, an interrupted command line removes its unfinished files', async () => {
    const child = spawn(process.execPath, [MAIN, 'pack', at('long'), '--library', 'k', '--version', '1', '-o', at('interrupted.sheaf')], {
      env: { ...process.env, SHEAF_PACK: 'module', TERM: 'dumb' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    setTimeout(() => child.kill('SIGINT'), 2000); // the module is compiled by then, and the pages take longer
    const [code] = await once(child, 'exit');
    assert.equal(code, 130);
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('.sheaf-') || name === 'interrupted.sheaf'));
  });

  it('The doctor names the module with the reason', () => {
    const { stdout } = sheaf(['doctor', '--json']);
    const { state, detail } = JSON.parse(stdout).find(({ name }) => name === 'Packer');
    assert.deepEqual([state, detail], ['ok', 'WebAssembly module: SHEAF_PACK asks for it']);
  });
});

describe('sheaf/packer in Node', () => {
  const files = () =>
    readdirSync(DOCS, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .map((path) => ({ path: path.slice(DOCS.length + 1), bytes: readFileSync(path) }));

  it("sheaf/packer packs memory into sheaf-pack's bytes, and reports progress", async () => {
    const output = at('on-disk.sheaf');
    await native.pack({ ...JOB, inputs: [DOCS], root: DOCS, output }, quietly);
    const stages = new Set();
    const source = files();
    const { bundle, report } = await pack(
      { source, library: 'kiln', version: '1' },
      { onProgress: ({ stage, share }) => share >= 0 && share <= 1 && stages.add(stage) },
    );
    assert.ok(readFileSync(output).equals(bundle));
    assert.deepEqual([...stages], ['packing', 'writing']);
    assert.equal(report.bundleBytes, bundle.length);
    const library = await open(bundle);
    assert.ok((await library.search('certificate')).hits.length > 0);
    await library.close();
    const shuffled = await pack({ source: source.reverse(), library: 'kiln', version: '1' });
    assert.ok(readFileSync(output).equals(shuffled.bundle), 'in whatever order the files come');
  });

  it('sheaf/packer packs memory in a language with rules, which the words then follow', async () => {
    const bytes = '---\nlang: de\n---\n# Ebenen\n\nEbenenmasken verdecken Teile.\n';
    const { bundle } = await pack({ source: [{ path: 'a.md', bytes }], library: 'x', version: '1', encoder: 'none' });
    const library = await open(bundle);
    assert.equal((await library.search('Ebenenmaske')).hits.length, 1);
    await library.close();
  });

  it('sheaf/packer packs files of the machine into a file or into memory', async () => {
    const { path } = await packFiles({ inputs: [DOCS], library: 'kiln', version: '1', output: folder, encoder: 'none' });
    assert.equal(path, at('kiln@1.sheaf'));
    const { bundle } = await packFiles({ inputs: [DOCS], library: 'kiln', version: '1', encoder: 'none' });
    assert.ok(readFileSync(path).equals(bundle));
  });

  it('sheaf/packer refuses invalid inputs, and names them', async () => {
    const source = [{ path: 'a.md', bytes: '# A\n\nClay.' }];
    const job = { source, library: 'kiln', version: '1', encoder: 'none' };
    const cases = [
      [{ source: [{ path: '../a.md', bytes: '' }] }, 'INVALID_ARGUMENT', /"\.\.\/a\.md" is no path/],
      [{ source: [...source, ...source] }, 'INVALID_ARGUMENT', /two files have the path "a\.md"/],
      [{ source: [{ path: 'a.md', bytes: 3 }] }, 'INVALID_ARGUMENT', /bytes of "a\.md"/],
      [{ source: [{ path: 'a.png', bytes: 'x' }] }, 'NOT_FOUND', /no documentation found/],
      [{ source: 3 }, 'INVALID_ARGUMENT', /source must be/],
      [{ library: '' }, 'INVALID_ARGUMENT', /library/],
      [{ librery: 'kiln' }, 'INVALID_ARGUMENT', /there is no option 'librery'/],
      [{ level: 'best' }, 'INVALID_ARGUMENT', /option level: expected a whole number, got 'best'/],
      [{ urlStyle: 'neat' }, 'INVALID_ARGUMENT', /option urlStyle: expected one of html, clean, dir, keep, got 'neat'/],
      [{ encoder: 'all-MiniLM-L6-v2' }, 'INVALID_ARGUMENT', /encoders static and none/],
      [{ encoder: 'static', encoderTable: new Uint8Array(100) }, 'NOT_A_BUNDLE', /encoder table/],
    ];
    for (const [change, code, message] of cases) {
      const error = await failed(pack({ ...job, ...change }));
      assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message);
    }
  });

  it('sheaf/packer stops when it is told to', async () => {
    const cancel = new AbortController();
    const source = Array.from({ length: 3000 }, (_, i) => ({ path: `${i}.md`, bytes: `# Page ${i}\n\n${`word${i} clay `.repeat(100)}` }));
    let told = 0;
    const packing = pack(
      { source, library: 'kiln', version: '1' },
      {
        signal: cancel.signal,
        onProgress: () => {
          told++;
          cancel.abort();
        },
      },
    );
    const error = await failed(packing);
    assert.deepEqual([error.code, told], ['ABORTED', 1]);
  });
});
