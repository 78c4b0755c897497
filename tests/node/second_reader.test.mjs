/** The second reader (tests/conformance/reader), by its own tests and beside the core over the demo's bundles. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compare, findPython, NEEDED, SAMPLE, TOLERANCE } from '../conformance/reader/compare.mjs';
import { finish } from './packed.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const python = findPython();

describe('the second reader', { skip: python ? false : `no python3 has what it needs: apt-get install ${NEEDED}` }, () => {
  it('The second reader passes the cases of tests/conformance', async () => {
    const args = ['-B', '-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-s', 'tests/conformance/reader'];
    const { code, stderr } = await finish(spawn(python, args, { cwd: root }));
    assert.equal(code, 0, stderr);
    assert.ok(Number(/^Ran (\d+) tests/m.exec(stderr)?.[1]) > 10, stderr);
  });

  it("The second reader finds the core's hits, order and scores in the demo's bundles", async () => {
    const { bundles, queries, answers, hits, apart, differences } = await compare({ python, share: SAMPLE });
    assert.deepEqual(differences.slice(0, 5), []);
    assert.equal(differences.length, 0);
    assert.ok(queries >= 200 && answers === 3 * queries && hits > 10 * bundles, `${queries} queries, ${hits} hits`);
    assert.ok(apart <= TOLERANCE);
  });
});
