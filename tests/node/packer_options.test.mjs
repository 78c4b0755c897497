/** packer/job/options.inc declares the packer's options; all that names them again is held to it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { flagOf, packArguments } from '../../dist/node/packer/arguments.js';
import { GLOB_OPTIONS, insideArguments, insideOptions, PATH_OPTIONS, SWITCH_OPTIONS } from '../../dist/node/packer/node_paths.js';
import { requirePacker } from '../native_packer.mjs';

const read = (path) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const scriptOf = (field) => field.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

const ROW = /^SHEAF_OPTION\(([^,]+), (\w+), ([^,]*), (\w+)\(([^)]*)\), "([^"]*)", \w+,/gm;
const OPTIONS = [...read('packer/job/options.inc').matchAll(ROW)].map(([, type, field, initial, rule, , value]) => ({
  ...{ field, name: scriptOf(field), flag: `--${field.replaceAll('_', '-')}`, initial, rule, value },
  type:
    { bool: 'boolean', 'std::string': 'string', 'std::vector<std::string>': 'readonly string[]' }[type] ??
    (['unsigned', 'int', 'uint32_t', 'double'].includes(type) ? 'number' : 'string'),
}));
const names = (options) => options.map(({ name }) => name).toSorted();

describe("the packer's options", () => {
  it("The packer's options are all read from the table", () => {
    assert.equal(OPTIONS.length, read('packer/job/options.inc').match(/^SHEAF_OPTION\(/gm).length);
    assert.ok(OPTIONS.length > 25);
  });

  it("The packer's options have the same names and types in TypeScript", () => {
    const [, body] = /interface PackOptions \{\n(.*?)\n\}/s.exec(read('wasm/packer/module.d.ts'));
    const declared = [...body.matchAll(/^ {2}(\w+)(\??): ([^;]+?)(?: \| undefined)?;$/gm)].map(([, name, optional, type]) => [
      name,
      { type, optional: optional !== '' },
    ]);
    const required = ['inputs', 'library', 'version'];
    const expected = [['inputs', 'readonly string[]'], ['scratch', 'string'], ...OPTIONS.map(({ name, type }) => [name, type])].map(
      ([name, type]) => [name, { type, optional: !required.includes(name) }],
    );
    assert.deepEqual(Object.fromEntries(declared), Object.fromEntries(expected));
  });

  it("The packer's options have the same names and kinds on the command line", async () => {
    const packer = await requirePacker();
    for (const verb of ['pack', 'watch']) {
      const help = spawnSync(packer, [verb, '--help'], { encoding: 'utf8' }).stdout;
      for (const { flag } of OPTIONS) assert.match(help, new RegExp(`^  (?:-o,)?${flag} `, 'm'), `${verb} ${flag}`);
    }
  });

  it("The packer's options become their flags", () => {
    const given = { 'readonly string[]': ['a', 'b'], boolean: true, number: 4, string: 'x' };
    const job = Object.fromEntries(OPTIONS.map(({ name, type }) => [name, given[type]]));
    const expected = OPTIONS.flatMap(({ flag, type }) =>
      type === 'boolean' ? [flag] : [given[type]].flat().flatMap((each) => [flag, String(each)]),
    );
    assert.deepEqual(packArguments({ ...job, inputs: ['docs'] }), [...expected, '--', 'docs']);
    for (const { name, flag } of OPTIONS) assert.equal(flagOf(name), flag);
  });

  it("The packer's options are known as paths, globs and switches for Windows names", () => {
    assert.deepEqual(SWITCH_OPTIONS.toSorted(), names(OPTIONS.filter(({ type }) => type === 'boolean')));
    const paths = OPTIONS.filter(({ value }) => /^(?:FILE|DIR|GLOB)\b/.test(value));
    assert.deepEqual([...PATH_OPTIONS, ...GLOB_OPTIONS].toSorted(), names(paths));
    const job = { inputs: ['C:\\docs'], include: ['a\\*.md'], includesFrom: 'C:\\repo', title: 'a\\b', strict: true, scratch: 'D:\\t' };
    const inside = { inputs: ['/C:/docs'], include: ['a/*.md'], includesFrom: '/C:/repo', title: 'a\\b', strict: true, scratch: '/D:/t' };
    assert.deepEqual(insideOptions(job, true), inside);
    assert.deepEqual(insideOptions(job, false), job);
    assert.deepEqual(insideArguments(['search', '--no-typo', 'x\\y.sheaf', 'a\\b'], true).slice(1), ['--no-typo', 'x/y.sheaf', 'a\\b']);
  });

  it("The packer's options have the same names in Python", () => {
    const [, signature] = /def pack\((.*?)\) -> PackReport/s.exec(read('python/sheaf/packing.py'));
    const [, keywords] = signature.split('*,');
    const known = new Set(OPTIONS.map(({ field }) => field));
    const given = [...keywords.matchAll(/^\s+(\w+): /gm)].map(([, name]) => name);
    assert.ok(given.length > 10);
    assert.deepEqual(
      given.filter((name) => !known.has(name)),
      [],
    );
  });

  it("The packer's options are named in the documentation of the module", () => {
    const [, listed] = /Options are those of `sheaf-pack pack --help`, in camel case:(.*?)\. /s.exec(read('docs/packing.md'));
    const said = [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    const elsewhere = ['library', 'version', 'output', 'root', 'jobs', 'vectorCache'];
    const expected = names(OPTIONS).filter((name) => !elsewhere.includes(name) && !/^encoder(?:Command|Precision|Timeout)$/.test(name));
    assert.deepEqual(said.toSorted(), expected);
  });

  it("The packer's options answer to a former name with the present one", async () => {
    const { status, stderr } = spawnSync(await requirePacker(), ['pack', '.', '--hnsw', 'never'], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /--hnsw: is now called --graph/);
  });
});
