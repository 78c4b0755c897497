/**
 * `node --test --test-concurrency=1 tests/distributed/*.test.mjs`: `sheaf publish build --on ray` on a cluster of several nodes, and what may be lost meanwhile. Each test
 * compares with what one machine makes: the same bundles, byte for byte.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { Cluster, ENCODER, environment, freePort, makeLibraries, run, startS3 } from './cluster.mjs';
import { installPython } from './install.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const python = installPython((text) => console.error(text));
const root = temporaryFolder('ray');
const env = environment(join(root, 'home'), python);
const sources = join(root, 'sources');
const at = (...names) => join(root, ...names);
const bundles = (folder) =>
  readdirSync(join(folder, 'bundles'))
    .filter((name) => name.endsWith('.sheaf'))
    .sort();
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const TABLE_ENCODER = ['--encoder', 'table-numpy', '--encoder-command', `'${python}' '${ENCODER}'`];

let cluster;
let list;

before(async () => {
  mkdirSync(env.HOME, { recursive: true });
  list = makeLibraries(sources, 24);
  cluster = await Cluster.start(python, { ...env, SHEAF_TEST_ENCODER_PAUSE: '0.3' });
  await cluster.add();
  await cluster.add();
});
after(() => cluster?.end());

/** What a build on the cluster said; `more` are flags. */
async function build(name, more = [], { on = 'ray', own = {}, onStart, source = list } = {}) {
  const cwd = root;
  const place = name.includes('://') ? name : at(name);
  const args = ['publish', 'build', source, '-o', place, '--json', '--on', on, ...more];
  const { code, signal, stdout, stderr } = await run(args, {
    env: { ...env, RAY_ADDRESS: on === 'ray' ? cluster.address : '', ...own },
    cwd,
    onStart,
  });
  return { code, signal, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
}

async function single(name, more = [], source = list) {
  const { code, stderr } = await run(['publish', 'build', source, '-o', at(name), '--json', ...more], { env, cwd: root });
  assert.equal(code, 0, stderr);
  return bundles(at(name));
}

/** Resolves once the cluster does `what`. */
async function until(what, tries = 600) {
  for (let n = 0; n < tries; n++) {
    const pids = await cluster.working(what);
    if (pids.length > 0) return pids;
    await wait(50);
  }
  throw new Error(`nobody ever did ${what}`);
}

describe('an address without a cluster', () => {
  it('An address where no cluster listens is named at once, with the way out', async () => {
    const port = await freePort();
    const outcome = await build('nowhere', [], { own: { RAY_ADDRESS: `127.0.0.1:${port}` } });
    assert.equal(outcome.code, 1);
    assert.match(
      outcome.stderr,
      new RegExp(`No Ray cluster answers at 127\\.0\\.0\\.1:${port} \\(RAY_ADDRESS=.*\\): Connection refused\\. Start one`),
    );
  });
});

describe('a catalogue on a cluster', () => {
  let expected;
  before(async () => {
    expected = await single('single');
  });

  it('A cluster makes the bundles of one machine, by both kinds of address, only once', async () => {
    const first = await build('by-address');
    assert.equal(first.code, 0, first.stderr);
    assert.deepEqual([first.packed, first.failed.length], [24, 0]);
    assert.deepEqual(bundles(at('by-address')), expected);
    assert.ok(Object.keys(first.cluster.stages.pack.nodes).length >= 1);
    const again = await build('by-address');
    assert.deepEqual([again.packed, again.unchanged, again.isNew, again.cluster.stages.pack.tasks], [0, 24, false, 0]);
    const client = await build('by-client', ['--shared-paths'], { on: cluster.client });
    assert.equal(client.code, 0, client.stderr);
    assert.deepEqual(bundles(at('by-client')), expected);
  });

  it("A cluster takes its stages' resources from flags, and fetches on nodes with shared paths", async () => {
    const stages = ['--stage', 'fetch:cpus=0.1,at-once=3', '--stage', 'pack:cpus=0.5,at-once=5', '--shared-paths'];
    const outcome = await build('stages', stages);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.deepEqual(bundles(at('stages')), expected);
    assert.equal(outcome.cluster.stages.fetch.tasks, 24);
  });

  it('A cluster continues after a worker is killed midway', async () => {
    const building = build('killed', ['--shared-paths']);
    const [pid] = await until('pack');
    await cluster.kill(pid);
    const outcome = await building;
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.deepEqual(bundles(at('killed')), expected);
  });

  it('A cluster continues after a lost node, with the pages that lay there', async () => {
    const node = await cluster.add();
    const building = build('lost', ['--shared-paths']);
    await until('pack');
    await cluster.lose(node);
    const outcome = await building;
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stderr, /^A node on \S+ was lost, \d+ nodes left\. Its tasks run again on others\.$/m);
    assert.doesNotMatch(outcome.stderr, /raylet|state-dump/i);
    assert.deepEqual(bundles(at('lost')), expected);
  });

  it('The same command continues a cluster build after the driver was killed', async () => {
    const half = at('driver');
    let killed = false;
    const first = await build('driver', ['--shared-paths'], {
      onStart: async (child) => {
        while (!existsSync(join(half, 'bundles')) || bundles(half).length < 4) await wait(20);
        killed = child.kill('SIGKILL');
      },
    });
    assert.ok(killed && first.signal === 'SIGKILL' && !existsSync(join(half, 'catalogue.json')));
    const made = bundles(half).length;
    assert.ok(made >= 4 && made < 25, `${made} bundles were there`);
    const second = await build('driver', ['--shared-paths']);
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual(bundles(half), expected);
  });

  it("A cluster reports its driver's death, keeps finished bundles, and continues", async () => {
    const outcome = await build('python', ['--shared-paths'], {
      onStart: async (child) => {
        while (!existsSync(join(at('python'), 'bundles')) || bundles(at('python')).length < 3) await wait(20);
        for (const pid of childrenOf(child.pid)) if (titleOf(pid).includes('sheaf_cluster')) process.kill(pid, 'SIGKILL');
      },
    });
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /driver of the cluster ended \(SIGKILL\).*run the same command again/);
    const second = await build('python', ['--shared-paths']);
    assert.equal(second.code, 0, second.stderr);
    assert.ok(second.unchanged >= 3, `${second.unchanged} were known`);
    assert.deepEqual(bundles(at('python')), expected);
  });

  it('A cluster names a node with another sheaf version or other bytes', async () => {
    const fake = at('fake-sheaf');
    const other = (version, probe) => `#!/bin/sh\nwhile read -r line; do echo '{"version":"${version}","probe":"${probe}"}'; done\n`;
    for (const [text, why] of [
      [other('0.0.9', ''), /Node .*sheaf 0\.0\.9, and this build is by \d/],
      [other(JSON.parse(readFileSync(join(MAIN, '../../../package.json'), 'utf8')).version, 'ab'), /packs other bytes/],
      ['#!/bin/sh\nexit 3\n', /ended with 3; is it sheaf/],
    ]) {
      writeFileSync(fake, text, { mode: 0o755 });
      const node = await cluster.add({ env: { SHEAF_COMMAND: fake }, resources: { odd: 100 } });
      const outcome = await build('odd', ['--shared-paths', '--stage', 'pack:odd=1']);
      assert.equal(outcome.code, 1);
      assert.match(outcome.stderr, why);
      assert.ok(!existsSync(at('odd', 'catalogue.json')));
      await cluster.lose(node);
    }
  });

  it("A cluster names at once a stage's missing resource, and the flag for it", async () => {
    for (const [flags, why] of [
      [
        ['--stage', 'pack:unobtainium=2'],
        /A task of --stage pack takes 1 CPU and 2 unobtainium; the most that a node has is 1 CPU and 0 unobtainium\. Ask for less by --stage pack:cpus=N,unobtainium=N, or add such nodes/,
      ],
      [
        [...TABLE_ENCODER, '--stage', 'embed:gpus=1,actors=2'],
        /An encoder of --stage embed takes 1 GPU; the most that a node has is 0 GPUs/,
      ],
    ]) {
      const outcome = await build('nobody', flags);
      assert.equal(outcome.code, 1);
      assert.match(outcome.stderr, why);
    }
  });

  it('A cluster leaves the old head where a new one cannot be written', async () => {
    const place = at('full');
    const flags = ['--shared-paths', '--state', at('full.json')];
    assert.equal((await build(`file://${place}`, flags)).code, 0);
    const old = readFileSync(join(place, 'catalogue.json'));
    renameSync(join(place, 'shards'), join(place, 'shards-before'));
    writeFileSync(join(place, 'shards'), 'in the way');
    const less = at('sources', 'less.txt');
    writeFileSync(less, readFileSync(list, 'utf8').split('\n').slice(2).join('\n'));
    const outcome = await build(`file://${place}`, flags, { source: less });
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /shards.* cannot be (listed|written|read)/);
    assert.deepEqual(readFileSync(join(place, 'catalogue.json')), old);
    rmSync(join(place, 'shards'));
    assert.equal((await build(`file://${place}`, flags, { source: less })).libraries, 22);
  });

  it('A cluster lists a bundle that cannot be written, and continues with the others', async () => {
    const [first] = expected;
    mkdirSync(at('blocked', 'bundles', first), { recursive: true });
    const outcome = await build(`file://${at('blocked')}`, ['--shared-paths', '--state', at('blocked.json')]);
    assert.equal(outcome.code, 1);
    // The first one may be the index, without which there is no catalogue.
    if (outcome.failed !== undefined) {
      assert.equal(outcome.failed.length, 1);
      assert.match(outcome.failed[0].reason, /cannot be written/);
      assert.equal(outcome.libraries, 23);
    } else assert.match(outcome.stderr, /cannot be written/);
  });
});

describe('files under addresses', () => {
  it('Files under addresses pass test_output.py', () => {
    execFileSync(python, [join(HERE, 'test_output.py')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  });
});

describe('the driver', () => {
  it('The driver passes test_driver.py on waiting and fatal errors', () => {
    execFileSync(python, [join(HERE, 'test_driver.py')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  });
});

describe('an output with an address', () => {
  let s3;
  before(async () => {
    s3 = await startS3(python, env);
    await cluster.add({ env: s3.env, resources: { s3: 100 } });
  });
  after(() => s3?.end());

  it('An output with an address is written by nodes, reread by builds, and signed', async () => {
    await s3.makeBucket('docs');
    const key = at('docs.key');
    assert.equal((await run(['publish', 'keygen', key], { env, cwd: root })).code, 0);
    const flags = ['--shared-paths', '--stage', 'pack:s3=1', '--key', key];
    const first = await build('s3://docs/catalogue', flags, { own: s3.env });
    assert.equal(first.code, 0, first.stderr);
    assert.ok(first.signed && first.packed === 24);
    execFileSync(python, [join(HERE, 'copy_output.py'), 's3://docs/catalogue', at('copy')], { env: { ...env, ...s3.env } });
    const expected = bundles(at('single'));
    assert.deepEqual(bundles(at('copy')), expected);
    for (const name of expected)
      assert.deepEqual(readFileSync(at('copy', 'bundles', name)), readFileSync(at('single', 'bundles', name)), name);
    const added = await run(['catalogue', 'add', at('copy'), '--key', `${key}.pub`, '--json'], { env, cwd: root });
    assert.equal(JSON.parse(added.stdout).libraries, 24, added.stderr);
    const again = await build('s3://docs/catalogue', flags, { own: s3.env });
    assert.deepEqual([again.code, again.unchanged, again.isNew], [0, 24, false], again.stderr);
  });

  it('An unwritable output address is named, with nothing half done', async () => {
    const outcome = await build('s3://nowhere/catalogue', ['--shared-paths', '--stage', 'pack:s3=1'], { own: s3.env });
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /s3:\/\/nowhere\/catalogue.* cannot be written/);
    assert.doesNotMatch(outcome.stderr, /failed: /, 'before the first bundle');
    assert.equal((await build('nothing://x', [])).code, 1);
  });
});

describe('an encoder on a cluster', () => {
  let expected;
  before(async () => {
    expected = await single('encoded', TABLE_ENCODER);
  });

  it("An encoder on a cluster embeds each passage once, with one machine's bytes", async () => {
    const vectors = `file://${at('vectors')}`;
    const flags = [
      ...TABLE_ENCODER,
      '--vectors',
      vectors,
      '--stage',
      'embed:actors=2',
      '--stage',
      'pack:cpus=0.2,at-once=8',
      '--shared-paths',
    ];
    const first = await build('embedded', flags);
    assert.equal(first.code, 0, first.stderr);
    assert.deepEqual(bundles(at('embedded')), expected);
    const sum = (name, outcome) => outcome.cluster.embed.reduce((total, each) => total + each[name], 0);
    assert.ok(sum('asked', first) >= 96 && sum('shared', first) > 0, JSON.stringify(first.cluster.embed));
    assert.ok(sum('embedded', first) < sum('asked', first), 'what many libraries say is embedded once');
    assert.equal(sum('written', first), sum('embedded', first));

    // Another catalogue, another day: nothing is embedded again.
    const second = await build('embedded-again', flags);
    assert.deepEqual(bundles(at('embedded-again')), expected);
    assert.deepEqual([sum('embedded', second), sum('asked', second)], [0, sum('asked', first)]);
  });

  it("A cluster survives the death of an encoder or its actor's process", async () => {
    const died = at('died');
    const flags = [...TABLE_ENCODER, '--vectors', 'none', '--stage', 'embed:dies=1', '--shared-paths'];
    await cluster.add({ env: { SHEAF_TEST_ENCODER_DIES: died }, resources: { dies: 1 } });
    const outcome = await build('dying', flags);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.ok(existsSync(died));
    assert.equal(outcome.cluster.embed[0].restarts, 1);
    assert.deepEqual(bundles(at('dying')), expected);

    const building = build('actor', flags);
    await until('pack');
    const [pid] = await until('EmbeddingActor');
    await cluster.kill(pid);
    const second = await building;
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual(bundles(at('actor')), expected);
  });

  it('A cluster names the resource it waits for after a lost encoder node, and continues', async () => {
    const add = () => cluster.add({ resources: { alone: 1 } });
    const node = await add();
    const flags = [...TABLE_ENCODER, '--vectors', 'none', '--stage', 'embed:alone=1', '--shared-paths'];
    let said;
    const building = build('alone', flags, { onStart: (_, stderr) => (said = stderr) });
    await until('pack');
    await cluster.lose(node);
    const waits =
      /The encoder has not answered for \d+ seconds\. An encoder of --stage embed takes 1 alone; the most that a node has is 0 alone/;
    for (let n = 0; n < 2400 && !waits.test(said()); n++) await wait(50);
    assert.match(said(), waits);
    const packers = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    assert.match(packers, /sheaf-pack pack .*--encoder-timeout 86400/, 'packers wait as long');
    await add();
    const outcome = await building;
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stderr, /The encoder answers again, after \d+ seconds/);
    assert.deepEqual(bundles(at('alone')), expected);
  });

  it('A changed or failed encoder ends the build once, when restarted', async () => {
    const mark = at('renamed');
    await cluster.add({ env: { SHEAF_TEST_ENCODER_NAME: mark }, resources: { renamed: 1 } });
    const absent = `test ! -e '${mark}' && exec ${TABLE_ENCODER[3]}`;
    for (const [encoder, why] of [
      [TABLE_ENCODER, /Node [^\n]*: the encoder is other fp32 \(hash [^\n]* this build began with table-numpy fp32 \(hash/g],
      [
        ['--encoder', 'table-numpy', '--encoder-command', absent],
        /Node [^\n]*: The encoder's process did not get ready: test ! -e [^\n]*it ended/g,
      ],
    ]) {
      rmSync(mark, { force: true });
      const building = build('renamed-output', [...encoder, '--vectors', 'none', '--stage', 'embed:renamed=1', '--shared-paths']);
      const [pid] = await until('EmbeddingActor');
      await until('pack');
      writeFileSync(mark, 'other');
      await cluster.kill(pid);
      const outcome = await building;
      assert.equal(outcome.code, 1);
      assert.equal(outcome.stderr.match(why)?.length, 1, outcome.stderr);
      assert.doesNotMatch(outcome.stderr, /failed: /, 'it is the fault of no bundle');
      assert.ok(!existsSync(at('renamed-output', 'catalogue.json')));
    }
  });

  it('An encoder that does not start is named', async () => {
    const outcome = await build('none', ['--encoder', 'x', '--encoder-command', 'exit 7']);
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /encoder's process did not get ready: exit 7/);
  });
});

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function titleOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
