/**
 * docs/scale.md's section "From twenty names to a database", command by command: what stands there is what runs. It needs the registries of npm and
 * PyPI, and the ports 6379 and 8400.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect } from '../node/mcp_client.mjs';
import { MAIN, temporaryFolder } from '../node/packed.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SECTION = /^## From twenty names to a database$.*?^```sh\n(.*?)^```$/ms;
const root = temporaryFolder('readme');
const mark = `SHEAF_README_TEST=${root}`;

/** Processes that this test has started, Ray's too, which leave their group. */
function started() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark) && readlinkSync(`/proc/${pid}/exe`) !== '';
      } catch {
        return false;
      }
    });
}

after(() => {
  for (const pid of started())
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // it has ended meanwhile
    }
});

describe('The walk through a cluster', () => {
  it('The documentation leads a newcomer from twenty libraries to an agent and to PostgreSQL', async () => {
    const [, commands] = SECTION.exec(readFileSync(join(ROOT, 'docs', 'scale.md'), 'utf8'));
    const bin = join(root, 'bin');
    const prefix = join(root, 'prefix');
    for (const folder of [bin, join(prefix, 'lib', 'node_modules'), join(root, 'work')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(bin, 'sheaf'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
    symlinkSync(ROOT, join(prefix, 'lib', 'node_modules', 'sheaf'));
    const own = {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      XDG_CONFIG_HOME: join(root, 'config'),
      XDG_DATA_HOME: join(root, 'data'),
      XDG_CACHE_HOME: join(root, 'cache'),
      npm_config_prefix: prefix,
      SHEAF_MODULES: ROOT,
      SHEAF_README_TEST: root,
      RAY_worker_niceness: '0',
      RAY_AUTH_MODE: 'disabled',
      RAY_USAGE_STATS_ENABLED: '0',
    };
    const env = { ...process.env, ...own };
    const cwd = join(root, 'work');
    const child = spawn('bash', ['-euo', 'pipefail', '-c', `${commands}\nsheaf list --json > list.json`], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    if (process.env.SHEAF_TEST_LOUD)
      for (const each of [child.stdout, child.stderr]) each.on('data', (chunk) => process.stderr.write(chunk));
    // The web server goes on, with the pipes: not to be waited for.
    const code = new Promise((resolve) => child.once('exit', resolve));
    let said = '';
    for (const each of [child.stdout, child.stderr]) each.on('data', (chunk) => (said += chunk));
    assert.equal(await code, 0, said);

    assert.match(said, /Ray [\d.]+: 3 nodes, 2 CPUs/);
    assert.match(said, /20 libraries, 20 bundles; 20 packed, 0 unchanged, 0 failed/);
    assert.match(said, /Twenty libraries: 20 libraries/);
    assert.match(said, /zod [\d.]+ is ready in/);
    const hits = said.split('\n').filter((line) => /^\s*1[.)]?\s/.test(line));
    assert.ok(hits.length >= 2, said);

    // An agent gets the same passages from the file and from PostgreSQL.
    const ask = async (args) => {
      const { client, close } = await connect({ args, env: { ...own, PATH: env.PATH }, cwd });
      const { tools } = await client.listTools();
      const tool = tools.find(({ name }) => name === 'search_docs') ?? tools.find(({ name }) => /search/.test(name));
      const answer = await client.callTool({
        name: tool.name,
        arguments: { library: 'zod', query: 'parse without throwing', libraryName: 'zod', library_name: 'zod' },
      });
      await close();
      return { text: JSON.stringify(answer.content), isError: answer.isError, tools: tools.map(({ name }) => name) };
    };
    const [file, postgres] = [await ask([]), await ask(['--backend', `pglite:${join(cwd, 'docs.pg')}`])];
    for (const { text, isError } of [file, postgres]) {
      assert.ok(!isError, text);
      assert.match(text, /safeParse/);
    }
  });
});
