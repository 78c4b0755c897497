/** The models' store: finding, checking, installing, removing. */
import assert from 'node:assert/strict';
import { access, copyFile, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { BUILT_IN, MAX_DESCRIPTOR_BYTES } from '../../dist/browser/encoder/descriptor.js';
import { folderSource, installModel, packagedFile, restrict } from '../../dist/node/encoder/install.js';
import {
  findModel,
  listModels,
  modelFile,
  modelFolder,
  modelsFolder,
  removeModel,
  repairOf,
  totalBytes,
  verifyModel,
} from '../../dist/node/encoder/store.js';
import { buildTinyBert, writeTinyBert } from '../fixtures/tiny_bert.mjs';
import { temporaryFolder } from './packed.mjs';

const root = temporaryFolder('models');
let count = 0;
let store;
beforeEach(() => {
  store = join(root, `store-${++count}`);
  process.env.SHEAF_MODEL_CACHE = store;
});

const exists = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Brings files out of memory and counts them. */
function fromMemory({ files }, log = []) {
  return async (path, _facts, scratch) => {
    log.push(path);
    await writeFile(scratch.data, files[path]);
  };
}

const install = (built, options = {}) =>
  installModel({ descriptor: built.descriptor, precisions: ['fp32', 'int8'], source: fromMemory(built), ...options });

/** All that lies in a folder, by path. */
async function tree(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath ?? e.path, e.name).slice(folder.length + 1))
    .sort();
}

describe('where models are', () => {
  it("The models' folder follows SHEAF_MODEL_CACHE, absolute XDG_CACHE_HOME, then home", () => {
    assert.equal(modelsFolder({ SHEAF_MODEL_CACHE: '/m', XDG_CACHE_HOME: '/c' }), '/m');
    assert.equal(modelsFolder({ XDG_CACHE_HOME: '/c' }), join('/c', 'sheaf', 'models'));
    for (const env of [{}, { XDG_CACHE_HOME: 'relative' }, { SHEAF_MODEL_CACHE: '' }])
      assert.match(modelsFolder(env), /\.cache[/\\]sheaf[/\\]models$/);
  });

  it("The models' folder has no place for names that lead elsewhere", () => {
    assert.equal(modelFolder('a.b-c_1'), join(store, 'a.b-c_1'));
    for (const name of ['', '.', '..', '../x', 'a/b', 'a\\b', '.partial', '/etc', 'x'.repeat(65), 'a\0b']) {
      assert.throws(() => modelFolder(name), { code: 'INVALID_ARGUMENT' }, name);
    }
  });
});

describe('finding a model', () => {
  it('A model is found by name, by folder and by descriptor file', async () => {
    const { folder, descriptor } = await writeTinyBert(join(store, 'tiny-bert'));
    for (const name of ['tiny-bert', folder, join(folder, 'encoder.json')]) {
      const model = await findModel(name);
      assert.equal(model.folder, folder);
      assert.deepEqual(model.descriptor, descriptor);
      assert.equal(modelFile(model, 'onnx/model.onnx'), join(folder, 'onnx', 'model.onnx'));
      assert.deepEqual(await verifyModel(model), []);
    }
  });

  it('A missing model is reported with the way to get it', async () => {
    await assert.rejects(findModel('all-MiniLM-L6-v2'), { code: 'NOT_FOUND', message: /sheaf model add all-MiniLM-L6-v2$/ });
    await assert.rejects(findModel('who-knows'), { code: 'NOT_FOUND', message: /Built in are all-MiniLM-L6-v2/ });
    await assert.rejects(findModel('./nowhere'), { code: 'NOT_FOUND', message: /encoder\.json at \.\/nowhere/ });
    await mkdir(join(store, 'tiny-bert', '.partial'), { recursive: true });
    await assert.rejects(findModel('tiny-bert'), { code: 'NOT_FOUND' }, 'a folder with partial files alone');
  });

  it('Finding a model refuses hostile descriptors', async () => {
    const { folder, descriptor } = await writeTinyBert(join(store, 'tiny-bert'));
    const facts = { bytes: 5, sha256: '0'.repeat(64) };
    const hostile = {
      'a path upwards': { files: { ...descriptor.files, '../../escape': facts } },
      'an absolute path': { files: { ...descriptor.files, '/etc/passwd': facts } },
      'a hidden file': { files: { ...descriptor.files, '.ssh/key': facts } },
      'a huge file': { files: { ...descriptor.files, 'vocab.txt': { ...facts, bytes: 1e15 } } },
      'encoder.json as a file': { files: { ...descriptor.files, 'encoder.json': facts } },
      'no hash': { files: { ...descriptor.files, 'vocab.txt': { bytes: 5 } } },
      'a name upwards': { name: '../tiny' },
      'a repository upwards': { source: { repository: '../x/y', revision: 'main' } },
    };
    for (const [what, change] of Object.entries(hostile)) {
      await writeFile(join(folder, 'encoder.json'), JSON.stringify({ ...descriptor, ...change }));
      await assert.rejects(findModel('tiny-bert'), { code: 'INVALID_ARGUMENT' }, what);
    }
    await writeFile(join(folder, 'encoder.json'), ' '.repeat(MAX_DESCRIPTOR_BYTES + 1));
    await assert.rejects(findModel('tiny-bert'), { code: 'INVALID_ARGUMENT', message: /at most/ });
    const [listed] = await listModels();
    assert.equal(listed.name, 'tiny-bert');
    assert.match(listed.problem, /at most/);
  });

  it('Missing and cut files are named, with the command that repairs them', async () => {
    const { folder } = await writeTinyBert(join(store, 'tiny-bert'), { precision: 'both' });
    const model = await findModel('tiny-bert');
    await truncate(join(folder, 'onnx', 'model.onnx'), 10);
    await rm(join(folder, 'vocab.txt'));
    assert.throws(() => modelFile(model, 'onnx/model.onnx'), {
      code: 'FILE',
      message: /has 10 bytes, expected \d+.*sheaf model verify tiny-bert.*sheaf model add/,
    });
    assert.throws(() => modelFile(model, 'vocab.txt'), { code: 'FILE', message: /is missing/ });
    assert.throws(() => modelFile(model, 'toString'), { code: 'INVALID_ARGUMENT' });
    const projection = await readFile(join(folder, 'space.f32'));
    projection[100] ^= 1;
    await writeFile(join(folder, 'space.f32'), projection);
    const problems = Object.fromEntries((await verifyModel(model)).map(({ path, problem }) => [path, problem]));
    assert.deepEqual(Object.keys(problems).sort(), ['onnx/model.onnx', 'space.f32', 'vocab.txt']);
    assert.match(problems['space.f32'], /^has the SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}$/);
  });

  it("A model is repaired from the files' own source", () => {
    const builtIn = BUILT_IN['all-MiniLM-L6-v2'];
    const of = (descriptor) => repairOf({ folder: '', descriptor });
    assert.equal(of(builtIn), 'sheaf model add all-MiniLM-L6-v2');
    assert.equal(of(restrict(builtIn, ['int8'])), 'sheaf model add all-MiniLM-L6-v2 --precision int8');
    const files = { ...builtIn.files, 'onnx/model.onnx': { bytes: 1, sha256: 'f'.repeat(64) } };
    assert.equal(of({ ...builtIn, files }), 'sheaf model add all-MiniLM-L6-v2 --from-pypi');
  });
});

describe('installing', () => {
  it('Installing leaves the files, their descriptor and nothing else', async () => {
    const built = buildTinyBert({ precision: 'both' });
    const { model, brought } = await install(built);
    assert.deepEqual(model.descriptor, built.descriptor);
    assert.deepEqual(brought.sort(), Object.keys(built.files).sort());
    assert.deepEqual(await tree(join(store, 'tiny-bert')), [...Object.keys(built.files), 'encoder.json'].sort());
    assert.equal(await exists(join(store, 'tiny-bert', '.partial')), false);
    assert.deepEqual(await verifyModel(await findModel('tiny-bert')), []);
  });

  it('Installing brings only missing or damaged files, and everything when forced', async () => {
    const built = buildTinyBert({ precision: 'both' });
    const { model } = await install(built);
    assert.deepEqual((await install(built)).brought, []);
    await writeFile(join(model.folder, 'vocab.txt'), 'x'.repeat(built.vocabulary.length));
    assert.deepEqual((await install(built)).brought, ['vocab.txt']);
    assert.equal((await install(built, { force: true })).brought.length, 4);
    await rm(join(model.folder, 'encoder.json'));
    assert.deepEqual((await install(built)).brought, []);
    assert.deepEqual((await findModel('tiny-bert')).descriptor, built.descriptor);
  });

  it('Installing adds a second precision to the first', async () => {
    const built = buildTinyBert({ precision: 'both' });
    const first = await install(built, { precisions: ['int8'] });
    assert.deepEqual(Object.keys(first.model.descriptor.models), ['int8']);
    assert.equal(first.model.descriptor.files['onnx/model.onnx'], undefined);
    const second = await install(built, { precisions: ['fp32'] });
    assert.deepEqual(second.brought, ['onnx/model.onnx']);
    assert.deepEqual((await findModel('tiny-bert')).descriptor, built.descriptor);
  });

  it('Installing ends with both precisions when they are added at once', async () => {
    for (let i = 0; i < 5; i++) {
      const built = buildTinyBert({ precision: 'both', name: `tiny-${i}` });
      await Promise.all([install(built, { precisions: ['fp32'] }), install(built, { precisions: ['int8'] })]);
      const model = await findModel(`tiny-${i}`);
      assert.deepEqual(model.descriptor, built.descriptor);
      assert.deepEqual(await verifyModel(model), []);
    }
  });

  it('Installing replaces a model of other weights, its files of other content included', async () => {
    await install(buildTinyBert({ precision: 'both' }));
    const other = buildTinyBert({ precision: 'fp32', seed: 2 });
    const { model } = await install(other, { precisions: ['fp32'] });
    assert.deepEqual(model.descriptor, other.descriptor);
    assert.deepEqual(await tree(model.folder), ['encoder.json', 'onnx/model.onnx', 'space.f32', 'vocab.txt']);
    assert.deepEqual(await verifyModel(await findModel('tiny-bert')), []);
  });

  it('Installing keeps the old model whole while a new one is fetched', async () => {
    await install(buildTinyBert());
    const other = buildTinyBert({ seed: 2 });
    const seen = [];
    const source = async (path, _facts, scratch) => {
      seen.push(await verifyModel(await findModel('tiny-bert')));
      await writeFile(scratch.data, other.files[path]);
    };
    await install(other, { precisions: ['fp32'], source });
    assert.ok(seen.length > 0);
    assert.deepEqual(seen.flat(), []);
  });

  it('Installing tries a wrong file once more, then names expected and found', async () => {
    const built = buildTinyBert();
    let tries = 0;
    const notes = [];
    const source = async (path, facts, scratch) => {
      const bytes = path === 'vocab.txt' && ++tries <= 1 ? Buffer.alloc(facts.bytes) : built.files[path];
      await writeFile(scratch.data, bytes);
    };
    await install(built, { precisions: ['fp32'], source, onNote: (text) => notes.push(text) });
    assert.match(notes.join(), /vocab\.txt has the SHA-256 .*once more/);

    await removeModel('tiny-bert');
    const wrong = async (_path, _facts, scratch) => writeFile(scratch.data, 'wrong');
    await assert.rejects(install(built, { precisions: ['fp32'], source: wrong }), {
      code: 'NETWORK',
      message: /has 5 bytes, expected \d+.*--revision/,
    });
    assert.deepEqual(await tree(store), [], 'no trace of the wrong file');
  });

  it("Installing takes over a dead process's files, and leaves a living one's", async () => {
    const built = buildTinyBert();
    const { sha256 } = built.descriptor.files['onnx/model.onnx'];
    const partial = join(store, 'tiny-bert', '.partial');
    // The name that this very host gives its folders.
    await assert.rejects(install(built, { precisions: ['fp32'], source: async () => Promise.reject(new Error('off')) }));
    const [own] = await readdir(partial);
    const host = own.split('.')[1];
    const leave = async (pid, bytes) => {
      const folder = join(partial, `${sha256}.${host}.${pid}.00000000`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'data'), built.model.subarray(0, bytes));
      return folder;
    };
    const dead = 4_194_305; // above what Linux gives out
    const [fuller, living] = [await leave(dead, 5000), await leave(process.ppid, 9000)];
    const found = [];
    const source = async (path, _facts, scratch) => {
      found.push([path, (await readFile(scratch.data).catch(() => '')).length]);
      await writeFile(scratch.data, built.files[path]);
    };
    await install(built, { precisions: ['fp32'], source });
    assert.deepEqual(
      found.find(([path]) => path === 'onnx/model.onnx'),
      ['onnx/model.onnx', 5000],
    );
    assert.equal(await exists(fuller), false);
    assert.equal(await exists(living), true);
    await removeModel('tiny-bert');
    assert.equal(await exists(partial), false);
  });

  it('Installing reports an unwritable store, and the way to name another', async () => {
    await mkdir(dirname(store), { recursive: true });
    await writeFile(store, 'a file where the folder should be');
    await assert.rejects(install(buildTinyBert(), { precisions: ['fp32'] }), {
      code: 'FILE',
      message: /cannot be written.*SHEAF_MODEL_CACHE/,
    });
  });
});

describe('taking files from folders', () => {
  it('Taking files from folders finds them by path, base name and content', async () => {
    const built = buildTinyBert({ precision: 'both' });
    const [first, second] = [join(root, `a${count}`), join(root, `b${count}`)];
    await mkdir(join(first, 'deep', 'er'), { recursive: true });
    await mkdir(second);
    await writeFile(join(first, 'deep', 'er', 'model.onnx'), built.files['onnx/model.onnx']);
    await writeFile(join(first, 'some-name.bin'), built.files['onnx/model_quantized.onnx']);
    await writeFile(join(second, 'vocab.txt'), built.vocabulary);
    await writeFile(join(second, 'space.f32'), built.files['space.f32']);
    await writeFile(join(second, 'model.onnx'), Buffer.alloc(built.model.length)); // a namesake of that very size
    const { brought } = await install(built, { source: await folderSource([first, second]) });
    assert.equal(brought.length, 4);
    assert.deepEqual(await verifyModel(await findModel('tiny-bert')), []);
  });

  it('Taking files from folders reports the files found instead', async () => {
    const built = buildTinyBert();
    const folder = join(root, `c${count}`);
    await mkdir(folder);
    const source = await folderSource([folder]);
    await assert.rejects(install(built, { precisions: ['fp32'], source }), {
      code: 'FILE',
      message: /was not found.*no file there has that content/,
    });
    await writeFile(join(folder, 'vocab.txt'), 'short');
    await assert.rejects(install(built, { precisions: ['fp32'], source: await folderSource([folder]) }), {
      code: 'FILE',
      message: /vocab\.txt has 5 bytes, expected/,
    });
    await assert.rejects(folderSource([join(folder, 'nowhere')]), { code: 'NOT_FOUND', message: /does not exist/ });
  });

  it("Taking files from folders finds the default space's projection in the package", async () => {
    const facts = BUILT_IN['all-MiniLM-L6-v2'].files['space.f32'];
    const built = buildTinyBert({ projection: false });
    const files = { ...built.descriptor.files, 'space.f32': facts };
    const descriptor = {
      ...built.descriptor,
      dimensions: 384,
      space: { name: 'minilm-l6-256', dimensions: 256, projection: 'space.f32' },
      files,
    };
    const folder = join(root, `d${count}`);
    await mkdir(folder);
    for (const [path, bytes] of Object.entries(built.files)) await writeFile(join(folder, path.replaceAll('/', '-')), bytes);
    const { model } = await installModel({ descriptor, precisions: ['fp32'], source: await folderSource([folder]) });
    assert.deepEqual(await readFile(modelFile(model, 'space.f32')), await readFile(packagedFile(facts)));
    assert.deepEqual(await verifyModel(model), []);
  });
});

describe('listing and removing', () => {
  it('The store lists installed models, and removing one frees its bytes', async () => {
    assert.deepEqual(await listModels(), []);
    const built = buildTinyBert();
    await install(built, { precisions: ['fp32'] });
    await mkdir(join(store, 'unfinished', '.partial'), { recursive: true });
    const models = await listModels();
    assert.deepEqual(
      models.map(({ descriptor }) => descriptor.name),
      ['tiny-bert'],
    );
    const freed = await removeModel('tiny-bert');
    assert.ok(freed > totalBytes(built.descriptor), 'files and encoder.json');
    assert.equal(await exists(join(store, 'tiny-bert')), false);
    assert.equal(await removeModel('unfinished'), 0);
    await assert.rejects(removeModel('tiny-bert'), { code: 'NOT_FOUND', message: /sheaf model list/ });
    await assert.rejects(removeModel('../other'), { code: 'INVALID_ARGUMENT' });
  });

  it('Removing a model deletes no file behind a link', async () => {
    const built = buildTinyBert();
    const { model } = await install(built, { precisions: ['fp32'] });
    const outside = join(root, `outside${count}`);
    await copyFile(join(model.folder, 'vocab.txt'), outside);
    await symlink(root, join(model.folder, 'link'));
    await removeModel('tiny-bert');
    assert.equal(await exists(outside), true);
  });
});
