/**
 * Native and WebAssembly are one core compiled twice: the same questions must give the same pages,
 * passages, snippets and scores, bit for bit.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { requirePacker } from '../../dist/host/native.js';
import createCore from '../../dist/core/sheaf-core.mjs';
import { open } from '../../dist/client/node.js';
import { manyPages, packFixture, QUERIES, TABLE, temporaryFolder } from '../node/packed.mjs';

const ODD = ['', ' ', 'C++', '<table>', '--save-dev', 'use effect', 'useEfect', 'std::vector', 'asyncio.gahter', 'resp', '日本語', 'e\u0301cole', '\u0000', '\ud800', '💡', 'a'.repeat(3000)];
const MODES = ['keyword', 'semantic', 'hybrid'];

const folder = temporaryFolder('parity');
let packer, bundles, queries;

before(async () => {
  packer = await requirePacker();
  bundles = [
    await packFixture(join(folder, 'kiln@1.4.0.sheaf')),
    await packFixture(join(folder, 'eight@1.sheaf'), { library: 'eight', version: '1', options: ['--vector-bits', '8'] }),
    await packFixture(join(folder, 'graph@1.sheaf'), { library: 'graph', version: '1', docs: manyPages(join(folder, 'many'), 120), options: ['--hnsw', 'always'] }),
  ];
  queries = [...readFileSync(QUERIES, 'utf8').trim().split('\n').map((line) => JSON.parse(line).query), ...ODD];
});

function native(bundle, query, mode, extra = []) {
  const text = query.toWellFormed ? query.toWellFormed() : query.replace(/[\ud800-\udfff]/g, (c, i, s) => (/[\ud800-\udbff][\udc00-\udfff]/.test(s.slice(i - 1, i + 2)) ? c : '\ufffd'));
  const { status, stdout, stderr } = spawnSync(packer, ['search', bundle, '--json', '--explain', '--mode', mode, '--encoder-table', TABLE, ...extra, '--', text], { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

// Numbers went through JSON as doubles; as float32 they must be the very same.
const bits = (value) =>
  typeof value === 'number' ? Math.fround(value) : Array.isArray(value) ? value.map(bits) : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, bits(v)])) : value;

test('native and WebAssembly give the same hits, scores and explanations', async () => {
  let compared = 0;
  for (const bundle of bundles) {
    const library = await open(bundle, { encoder: TABLE });
    for (const query of queries) {
      if (query.includes('\u0000')) continue; // cannot be a command-line argument
      for (const [mode, by] of MODES.flatMap((each) => [[each, 'page'], [each, 'passage']])) {
        const expected = native(bundle, query, mode, by === 'passage' ? ['--by-passage'] : []);
        const got = await library.search(query, { mode, by, explain: true });
        assert.deepEqual(bits(got.hits.map(plain)), bits(expected.hits.map(plain)), `${bundle} ${mode} ${JSON.stringify(query.slice(0, 40))}`);
        compared += got.hits.length;
      }
    }
    await library.close();
  }
  assert.ok(compared > 100, `only ${compared} hits were compared`);
});

// The fields that both sides name alike; what either adds for people is left out.
function plain(hit) {
  const { page, passage, score, title, url, source, anchor, headings, firstLine, lastLine, snippet, highlights, explanation } = hit;
  return { page, passage, score, title, url, source, anchor, headings, firstLine, lastLine, snippet, highlights, explanation };
}

test('whole and range-fed searches give the same hits', async () => {
  for (const bundle of bundles) {
    const whole = await open(bundle, { encoder: TABLE, lazy: false });
    const lazy = await open(bundle, { encoder: TABLE, lazy: true });
    for (const query of queries) {
      for (const mode of MODES) {
        assert.deepEqual(await lazy.search(query, { mode, explain: true }), await whole.search(query, { mode, explain: true }), `${mode} ${JSON.stringify(query.slice(0, 40))}`);
      }
    }
    await whole.close();
    await lazy.close();
  }
});

test('the module has every member that module.d.ts declares, and no other', async () => {
  const declared = readFileSync(new URL('../../wasm/module.d.ts', import.meta.url), 'utf8');
  const members = [.../export interface Core \{([\s\S]*?)\n\}/.exec(declared)[1].matchAll(/^ {2}(\w+)\(/gm)].map((m) => m[1]).sort();
  const module = await createCore({ wasmBinary: readFileSync(new URL('../../dist/core/sheaf-core.wasm', import.meta.url)) });
  const bound = Object.getOwnPropertyNames(module.Core.prototype).filter((name) => name !== 'constructor').sort();
  const own = new Set(['argCount', 'overloadTable']);
  assert.deepEqual(bound.filter((name) => !own.has(name)), members.filter((name) => name !== 'delete' || bound.includes('delete')));
  assert.equal(typeof module.errorCodes, 'function');
  const core = new module.Core();
  assert.equal(typeof core.delete, 'function');
  core.delete();
});

