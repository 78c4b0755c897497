/** A long session of an agent: what 3,000 mixed calls leave in memory, beyond the first hundred. By growth, not by the clock. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { caller, freshFolder, testEnvironment } from './mcp_tools.mjs';
import { packFixture } from './packed.mjs';

const CALLS = 3000;
const WARM = 100;
/**
 * What a call may leave, in bytes on average: far below any reply. Code that the engine compiles meanwhile takes 1.2 MB in all,
 * and no more after 12,000 calls than after 4,500.
 */
const MOST_A_CALL = 1000;
const LIBRARIES = 3;

if (process.argv[2] === 'session') await session(process.argv[3]);
else
  describe('a long session', () => {
    it('Memory of a session of 3,000 mixed calls is flat after the first hundred', async (t) => {
      const store = freshFolder('store');
      const first = await packFixture(join(store, 'kiln0@1.0.sheaf'), { library: 'kiln0', version: '1.0' });
      for (let i = 1; i < LIBRARIES; i++) cpSync(first, join(store, `kiln${i}@1.0.sheaf`));
      const args = ['--expose-gc', fileURLToPath(import.meta.url), 'session', store];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      const { heap, outside, failed } = JSON.parse(stdout.trim().split('\n').at(-1));
      const each = (bytes) => Math.round(bytes / (CALLS - WARM));
      t.diagnostic(`a call leaves ${each(heap)} bytes in the heap and ${each(outside)} outside of it`);
      assert.equal(failed, 0);
      const most = MOST_A_CALL * (CALLS - WARM);
      assert.ok(heap < most, `the heap grew by ${heap} bytes, ${Math.round(heap / (CALLS - WARM))} a call`);
      assert.ok(outside < most, `memory outside of it grew by ${outside} bytes`);
    });
  });

/** Prints how much memory grew between the first hundred calls and the last. */
async function session(store) {
  const { createOpenground } = await import('../../dist/node/mcp/contracts/openground/index.js');
  const environment = testEnvironment({ cwd: store, store });
  const call = caller(await createOpenground(environment));
  const words = ['batch', 'kiln', 'secret', 'mirror', 'certificate', 'install', 'error', 'schedule', 'glaze', 'fire'];
  const word = (i) => words[(i * 7 + Math.floor(i / 10)) % words.length];
  let failed = 0;
  const ask = async (i) => {
    const library_name = `kiln${i % LIBRARIES}`;
    const search = { query: `${word(i)} ${word(i + 3)} ${i}`, library_name, version: 'latest' };
    const kinds = [
      () => call('list_libraries_tool', i % 2 === 0 ? {} : { details: true }),
      () => call('search_documents_tool', search),
      () => call('search_documents_tool', { ...search, library_name: '*', other_wordings: [word(i + 1)] }),
      () => call('search_documents_tool', { ...search, context: 1, links: true }),
      () => call('search_documents_tool', { ...search, library_name: 'unknown' }),
      () => call('get_full_content_tool', { url: `https://kiln.example/docs/none-${i}`, version: '1.0' }),
      () => call('get_full_content_tool', { url: 'https://kiln.example/docs/', version: '1.0', library_name }),
    ];
    const { text } = await kinds[i % kinds.length]();
    if (typeof text !== 'string' || text === '') failed++;
  };
  const used = async () => {
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      globalThis.gc();
    }
    const { heapUsed, external } = process.memoryUsage();
    return { heapUsed, external };
  };
  for (let i = 0; i < WARM; i++) await ask(i);
  environment.lines.length = 0; // the test's own log
  const before = await used();
  for (let i = WARM; i < CALLS; i++) await ask(i);
  environment.lines.length = 0;
  const after = await used();
  await environment.pool.close();
  console.log(JSON.stringify({ heap: after.heapUsed - before.heapUsed, outside: after.external - before.external, failed }));
}
