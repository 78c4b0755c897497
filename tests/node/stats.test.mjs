/** `sheaf stats` and the counting of tool calls. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isolatedSheaf } from './doc_servers.mjs';
import { DOCS, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('stats');
const sheaf = isolatedSheaf(folder);
const file = join(sheaf.data, 'sheaf', 'stats.json');
const moduleUrl = fileURLToPath(new URL('../../dist/node/store/stats_file.js', import.meta.url));

/** Runs `code` with `bump` at hand, in a process of its own. */
function counting(code, data = sheaf.data) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', `import { bump } from ${JSON.stringify(moduleUrl)}; ${code}`], {
      env: { ...process.env, XDG_DATA_HOME: data },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('close', resolve);
  });
}

const calls = () => JSON.parse(readFileSync(file, 'utf8')).tool_calls;

describe('counting tool calls', () => {
  it('Counting tool calls loses none, from many processes at once', async () => {
    // Where a process that is stopped holds the lock, what could not be written goes with the next: hence the last few.
    const code = (i) =>
      `for (let n = 0; n < 5; n++) await Promise.all([bump('a'), bump('a'), bump('p${i}')]); for (let n = 0; n < 4; n++) await bump('last');`;
    const codes = await Promise.all(Array.from({ length: 6 }, (_, i) => counting(code(i))));
    assert.deepEqual(codes, [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(calls(), { a: 60, last: 24, p0: 5, p1: 5, p2: 5, p3: 5, p4: 5, p5: 5 });
    assert.deepEqual(readdirSync(join(sheaf.data, 'sheaf')), ['stats.json'], 'no lock and no temporary file stays');
  });

  it('Counting tool calls takes over the lock of a process that died', async () => {
    const lock = `${file}.lock`;
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    assert.equal(await counting("await bump('a');"), 0);
    assert.equal(calls().a, 61);
  });

  it('Counting tool calls never throws: no place to write, a broken file, strange names', async () => {
    assert.equal(await counting("await bump('a');", file), 0);
    writeFileSync(file, '{"tool_calls":{"a":"many","b":-1,"c":2,"__proto__":3}');
    assert.equal(await counting("await bump('constructor'); await bump('__proto__'); await bump('x'.repeat(1e6));"), 0);
    const counted = new Map(Object.entries(calls()));
    assert.equal(counted.get('constructor'), 1);
    assert.ok([...counted.keys()].every((name) => name.length <= 100));
  });
});

describe('sheaf stats', () => {
  it('sheaf stats shows libraries, passages and calls by tool', async () => {
    const { passages } = await sheaf.json(['add', 'kiln', '-s', DOCS, '-y']);
    writeFileSync(join(sheaf.store, 'broken@1.sheaf'), 'x');
    writeFileSync(file, '{"tool_calls":{"search_documents_tool":7,"list_libraries_tool":2}}');
    const { code, stdout, stderr } = await sheaf(['stats', 'show']);
    assert.equal(code, 0);
    assert.match(
      stdout,
      new RegExp(
        `Libraries +2\n.*Versions +2\n(.*\n)*Passages +${passages}\n(.*\n)*Tool +Calls\nlist_libraries_tool +2\nsearch_documents_tool +7\n`,
      ),
    );
    assert.match(stderr, /Not counted, since they cannot be read: .*broken@1\.sheaf/);
    const json = await sheaf.json(['stats']);
    assert.deepEqual([json.libraries, json.passages, json.tool_calls.search_documents_tool], [2, passages, 7]);
  });

  it('sheaf stats reset asks, needs -y without a terminal, and zeroes; clear is the same', async () => {
    assert.equal((await sheaf(['stats', 'reset'])).code, 2);
    assert.equal(calls().search_documents_tool, 7);
    for (const verb of ['reset', 'clear']) assert.equal((await sheaf(['stats', verb, '-y'])).code, 0);
    assert.deepEqual(calls(), {});
    assert.match((await sheaf(['stats'])).stdout, /No tool was called yet\./);
  });

  it('sheaf stats points other words to its help, and an empty home is zero', async () => {
    for (const args of [['shwo'], ['show', 'x'], ['--all']]) assert.equal((await sheaf(['stats', ...args])).code, 2);
    mkdirSync(join(folder, 'empty'));
    assert.equal((await sheaf.json(['stats'], { XDG_DATA_HOME: join(folder, 'empty') })).passages, 0);
  });
});
