/**
 * Native and WebAssembly are one core compiled twice: the same questions must give the same pages,
 * passages, snippets and scores, bit for bit.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { requirePacker } from '../native_packer.mjs';
import { CORE_CODES } from '../../dist/browser/client/errors.js';
import { loadCore } from '../../dist/browser/client/load.js';
import { open } from '../../dist/node/client/node.js';
import { manyPages, packFixture, QUERIES, TABLE, temporaryFolder } from '../node/packed.mjs';

const ODD = [
  '',
  ' ',
  'C++',
  '<table>',
  '--save-dev',
  'use effect',
  'useEfect',
  'std::vector',
  'asyncio.gahter',
  'resp',
  '日本語',
  'e\u0301cole',
  '\u0000',
  '\ud800',
  '💡',
  'a'.repeat(3000),
];
const MODES = ['keyword', 'semantic', 'hybrid'];

const folder = temporaryFolder('parity');
let packer, bundles, queries;

before(async () => {
  packer = await requirePacker();
  bundles = [
    await packFixture(join(folder, 'kiln@1.4.0.sheaf')),
    await packFixture(join(folder, 'eight@1.sheaf'), { library: 'eight', version: '1', options: ['--vector-bits', '8'] }),
    await packFixture(join(folder, 'graph@1.sheaf'), {
      library: 'graph',
      version: '1',
      docs: manyPages(join(folder, 'many'), 120),
      options: ['--graph', 'always'],
    }),
  ];
  queries = [
    ...readFileSync(QUERIES, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).query),
    ...ODD,
  ];
});

function native(bundle, query, mode, extra = []) {
  const text = query.toWellFormed
    ? query.toWellFormed()
    : query.replace(/[\ud800-\udfff]/g, (c, i, s) => (/[\ud800-\udbff][\udc00-\udfff]/.test(s.slice(i - 1, i + 2)) ? c : '\ufffd'));
  const { status, stdout, stderr } = spawnSync(
    packer,
    ['search', bundle, '--json', '--explain', '--mode', mode, '--encoder-table', TABLE, ...extra, '--', text],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

// Numbers went through JSON as doubles; as float32 they must be the very same.
const bits = (value) =>
  typeof value === 'number'
    ? Math.fround(value)
    : Array.isArray(value)
      ? value.map(bits)
      : value && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([k, v]) => [k, bits(v)]),
          )
        : value;

test('Native and WebAssembly cores give the same hits, scores and explanations', async () => {
  let compared = 0;
  for (const bundle of bundles) {
    const library = await open(bundle, { encoder: TABLE });
    for (const query of queries) {
      if (query.includes('\u0000')) continue; // cannot be a command-line argument
      for (const [mode, by] of MODES.flatMap((each) => [
        [each, 'page'],
        [each, 'passage'],
      ])) {
        const expected = native(bundle, query, mode, by === 'passage' ? ['--by-passage'] : []);
        const got = await library.search(query, { mode, by, explain: true });
        assert.deepEqual(bits(got.hits), bits(expected.hits), `${bundle} ${mode} ${JSON.stringify(query.slice(0, 40))}`);
        compared += got.hits.length;
      }
    }
    await library.close();
  }
  assert.ok(compared > 100, `only ${compared} hits were compared`);
});

test('Whole and range-fed searches give the same hits', async () => {
  for (const bundle of bundles) {
    const whole = await open(bundle, { encoder: TABLE, lazy: false });
    const lazy = await open(bundle, { encoder: TABLE, lazy: true });
    for (const query of queries) {
      for (const mode of MODES) {
        assert.deepEqual(
          await lazy.search(query, { mode, explain: true }),
          await whole.search(query, { mode, explain: true }),
          `${mode} ${JSON.stringify(query.slice(0, 40))}`,
        );
      }
    }
    await whole.close();
    await lazy.close();
  }
});

/** What a .d.ts of wasm/ declares of the interface `name`. */
function declared(file, name) {
  const text = readFileSync(new URL(`../../wasm/${file}`, import.meta.url), 'utf8');
  const body = new RegExp(`export interface ${name}[\\w ]* \\{([\\s\\S]*?)\\n\\}`).exec(text)[1];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map((match) => match[1]).sort();
}

// What linkers add, and nobody but the loader touches.
const RUNTIME = /^_initialize$|^__indirect_function_table$|^_*(?:emscripten_)?stack_?\w+$/i;

/** A module's code: a file, or a script that holds it in hexadecimal. */
async function codeOf(name) {
  const url = new URL(`../../dist/browser/core/${name}`, import.meta.url);
  return name.endsWith('.mjs') ? Buffer.from((await import(url)).default, 'hex') : readFileSync(url);
}

for (const [file, name, wasm, imports] of [
  ['module.d.ts', 'CoreModule', 'sheaf-core.wasm', [{ module: 'sheaf', name: 'words', kind: 'function' }]],
  ['wordpiece.d.ts', 'WordPieceModule', 'sheaf-wordpiece.wasm', []],
  ['text.d.ts', 'TextModule', 'sheaf-text.wasm', []],
  ['federation.d.ts', 'FederationModule', 'sheaf-federation.mjs', []],
  ['rows.d.ts', 'RowsModule', '../../node/databases/sheaf-rows.wasm', [{ module: 'sheaf', name: 'words', kind: 'function' }]],
  ['language.d.ts', 'LanguageModule', 'language-de.wasm', []],
]) {
  test(`${wasm} exports exactly the functions of ${file}, and imports only the stated ones`, async () => {
    const module = new WebAssembly.Module(await codeOf(wasm));
    const core = name === 'RowsModule' ? declared('module.d.ts', 'CoreModule') : [];
    assert.deepEqual(WebAssembly.Module.imports(module), imports);
    assert.deepEqual(
      WebAssembly.Module.exports(module)
        .map((each) => each.name)
        .filter((each) => !RUNTIME.test(each))
        .sort(),
      [...core, ...declared(file, name)].sort(),
    );
  });
}

test('Error codes have the same numbers and names in C++ and JavaScript', () => {
  const header = readFileSync(new URL('../../src/base/result.h', import.meta.url), 'utf8');
  const native = Object.fromEntries([...header.matchAll(/^ {2}(k\w+) = (\d+),/gm)].map(([, name, code]) => [name, Number(code)]));
  const names = [...header.matchAll(/case ErrorCode::(k\w+): return "(\w+)"/g)].map(([, name, shown]) => [shown, native[name]]);
  assert.equal(names.length, Object.keys(native).length);
  assert.deepEqual(Object.fromEntries(names), { ...CORE_CODES });
});

test('One instance holds several cores, and running out of memory is reported clearly', async () => {
  const module = await loadCore(readFileSync(new URL('../../dist/browser/core/sheaf-core.wasm', import.meta.url)));
  const [one, two] = [module.create(), module.create()];
  assert.notEqual(one, two);
  assert.equal(module.setSource(one, 0, 2 ** 40), 1);
  assert.ok(module.open(two) > 1, 'the second core has no source yet');
  module.destroy(one);
  assert.equal(module.outOfMemory(), 0);
  assert.throws(() => module.stage(two, 2 ** 31 - 1), WebAssembly.RuntimeError);
  assert.equal(module.outOfMemory(), 1);
});
