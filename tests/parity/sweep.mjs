#!/usr/bin/env node
/**
 * Compares the packers that are built with the native one on more than tests/parity/packers.test.mjs does: every
 * character of the old sets, every level, more than 50,000 passages, and the real documentation that is named.
 *
 *   node tests/parity/sweep.mjs [--packer NAME]… [--only TEXT]… [FOLDER…]
 *
 * --only: the cases whose names contain one of these texts.
 *
 * Takes some minutes a packer. Exit codes: 0 all equal; 1 a difference; 2 no other packer is built.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { TABLE } from '../node/packed.mjs';
import { comparable, firstDifference } from './compare.mjs';
import { CASES, SWEEP, writeFolder } from './corpus/cases.mjs';
import { NATIVE, otherPackers, pack } from './packers.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { packer: { type: 'string', multiple: true }, only: { type: 'string', multiple: true } },
});
const root = mkdtempSync(join(tmpdir(), 'sheaf-sweep-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

const packers = otherPackers().filter((one) => values.packer === undefined || values.packer.includes(one.name));
for (const { name, missing } of packers) if (missing) console.log(`${name}: passed over, ${missing}`);
const built = packers.filter((one) => !one.missing);
if (built.length === 0) {
  console.log('no other packer is built');
  process.exit(2);
}

const written = new Map(); // folders of cases, and where they are
const cases = [
  ...[...CASES, ...SWEEP].map((one) => ({ ...one, place: () => placeOf(one.folder) })),
  ...positionals.map((folder) => ({ name: folder, options: [], place: () => resolve(folder) })),
];
const isWanted = ({ name }) => values.only === undefined || values.only.some((text) => name.includes(text));
let differences = 0;
for (const one of cases.filter(isWanted)) {
  const want = await packed(NATIVE, one);
  one.expect?.(want.report);
  console.log(`${one.name}: ${want.report.pages} pages, ${want.report.passages} passages, ${seconds(want)} natively`);
  for (const packer of built) {
    const got = await packed(packer, one);
    const same = got.bytes.equals(want.bytes);
    const alike = isDeepStrictEqual(comparable(got), comparable(want));
    if (!same || !alike) ++differences;
    const verdict = same ? (alike ? 'same' : 'the same bytes, but another report') : firstDifference(got.bytes, want.bytes);
    console.log(`  ${packer.name}: ${verdict}, ${seconds(got)}`);
  }
}
process.exit(differences > 0 ? 1 : 0);

function placeOf(folder) {
  if (!written.has(folder)) written.set(folder, writeFolder(root, folder));
  return written.get(folder);
}

async function packed(packer, one) {
  const output = join(root, 'packed.sheaf');
  const result = await pack(packer, one.place(), output, { options: one.options, table: TABLE });
  if (result.report === undefined) throw new Error(`${packer.name} gives no report of ${one.name}: ${result.said}`);
  return { ...result, bytes: readFileSync(output) };
}

function seconds({ report }) {
  return `${report.seconds.toFixed(1)} s`;
}
