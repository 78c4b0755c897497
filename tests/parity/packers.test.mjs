/**
 * Every packer of a version writes the same bytes and says the same of the same input: native, WebAssembly, static
 * programs of other compilers and C libraries. `node tests/parity/sweep.mjs` compares more, for minutes.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { TABLE, temporaryFolder } from '../node/packed.mjs';
import { comparable, firstDifference } from './compare.mjs';
import { CASES, writeFolder } from './corpus/cases.mjs';
import { NATIVE, otherPackers, pack } from './packers.mjs';

const root = temporaryFolder('packers');
const expected = new Map(); // by case: what the native packer gives

async function packed(packer, { folder, options }) {
  const output = join(root, 'packed.sheaf');
  const { status, report, said } = await pack(packer, join(root, folder.name), output, { options, table: TABLE });
  assert.ok(report, `no report: ${said}`);
  const bytes = readFileSync(output);
  rmSync(output);
  return { status, report, said, bytes };
}

before(async () => {
  for (const folder of new Set(CASES.map((one) => one.folder))) writeFolder(root, folder);
  for (const one of CASES) expected.set(one, await packed(NATIVE, one));
});

describe('what the native packer does', () => {
  for (const one of CASES)
    test(`${one.name}: the case tests its stated behaviour`, () => {
      one.expect(expected.get(one).report);
    });
});

for (const packer of otherPackers()) {
  const name = `the packer ${packer.name} does as the native one`;
  if (packer.missing) {
    test(name, { skip: packer.missing });
    continue;
  }
  describe(name, () => {
    for (const one of CASES.filter(({ light }) => light || !packer.emulated))
      test(one.name, async () => {
        const want = expected.get(one);
        const got = await packed(packer, one);
        assert.deepEqual(comparable(got), comparable(want));
        assert.ok(got.bytes.equals(want.bytes), firstDifference(got.bytes, want.bytes));
      });
  });
}
