/**
 * One verdict on every damaged copy: `sheaf-pack verify`, the client in WebAssembly and the second reader. The copies have right
 * checksums (tests/conformance/reader/damage.py), so each reader comes as far as what contradicts itself.
 *
 *   SHEAF_DAMAGED=2000 node --test tests/node/one_verdict.test.mjs     so many copies of each bundle instead of 40
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCore } from '../../dist/browser/client/load.js';
import { openLocal } from '../../dist/browser/client/local.js';
import { BytesSource } from '../../dist/browser/client/source.js';
import { findPython, NEEDED } from '../conformance/reader/compare.mjs';
import { requirePacker } from '../native_packer.mjs';
import { finish, temporaryFolder } from './packed.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const python = findPython();
const BUNDLES = ['one', 'codecs', 'given', 'guide', 'names', 'plain', 'ruled'];
const COPIES = process.env.SHEAF_DAMAGED ?? '40';
const SEED = process.env.SHEAF_DAMAGE_SEED ?? '1';
/** A process each: of so many copies one is shown to the native command, whose code is the module's. */
const NATIVE_OF = 6;

const wasm = readFileSync(`${root}dist/browser/core/sheaf-core.wasm`);

async function clientVerdict(file) {
  const core = await loadCore(wasm);
  try {
    const library = await openLocal(core, new BytesSource(readFileSync(file), file), { lazy: false });
    await library.verify();
    return null;
  } catch (error) {
    return error.code ?? String(error);
  }
}

async function nativeVerdict(packer, file) {
  const { stdout, stderr } = await finish(spawn(packer, ['verify', '--json', file]));
  const said = JSON.parse(stdout || stderr);
  return said.ok ? null : said.error.code;
}

describe('a damaged copy with right checksums', {
  skip: python ? false : `no python3 has what it needs: apt-get install ${NEEDED}`,
}, () => {
  it('A damaged copy gets one verdict from sheaf-pack, the client and the second reader', async () => {
    const bundles = BUNDLES.map((name) => `${root}tests/conformance/bundles/${name}.sheaf`);
    const args = ['-B', 'tests/conformance/reader/damage.py', temporaryFolder('damaged'), COPIES, SEED, ...bundles];
    const { code, stdout, stderr } = await finish(spawn(python, args, { cwd: root }));
    assert.equal(code, 0, stderr);
    const copies = stdout.trim().split('\n').map(JSON.parse);
    const packer = await requirePacker();
    const differences = [];
    for (const [number, { file, what, verdict }] of copies.entries()) {
      const said = { client: await clientVerdict(file), reader: verdict };
      if (number % NATIVE_OF === 0) said.native = await nativeVerdict(packer, file);
      if (new Set(Object.values(said)).size > 1) differences.push({ what, file, ...said });
    }
    assert.deepEqual(differences.slice(0, 5), []);
    assert.equal(differences.length, 0);
    const refused = copies.filter(({ verdict }) => verdict !== null).length;
    assert.ok(refused > copies.length / 2 && copies.length - refused > BUNDLES.length, `${refused} of ${copies.length} are refused`);
    for (const { what, verdict } of copies) if (what.endsWith(': nothing')) assert.equal(verdict, null, what);
  });
});
