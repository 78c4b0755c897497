/** The commands of docs/databases.md, as a newcomer would type them: in a folder of their own, with `sheaf` on the path and two libraries in the store. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { encodeFileName } from '../../dist/node/store/store.js';
import { finish, MAIN, packFixture, temporaryFolder } from '../node/packed.mjs';
import { blocks } from './doc_blocks.mjs';
import { installBackends } from './install.mjs';
import { openSearch, pypiPostgres, startOpenSearch, startPostgres } from './servers.mjs';

process.env.SHEAF_MODULES ??= installBackends((text) => console.error(text));
const root = temporaryFolder('docs');
const here = dirname(fileURLToPath(import.meta.url));
const [commands, embedding] = blocks('sh');
const lines = commands.split('\n').filter((line) => line.trim() !== '');

describe('docs/databases.md', () => {
  const folder = join(root, 'project');
  let postgres;
  let search;
  let env;

  /** Ends with its input, as a client of `sheaf mcp` ends it. */
  const type = (line) => {
    const child = spawn('sh', ['-euc', line], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end();
    return finish(child);
  };

  before(async () => {
    mkdirSync(folder);
    const store = join(root, 'data/sheaf/libraries');
    mkdirSync(store, { recursive: true });
    for (const [library, version] of [
      ['vue', '3.5'],
      ['fastapi', '0.115'],
    ])
      await packFixture(join(store, encodeFileName(library, version)), { library, version });
    copyFileSync(join(store, encodeFileName('vue', '3.5')), join(folder, 'vue.sheaf'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(here, '../..'), join(folder, 'node_modules/sheaf'));
    const bin = mkdtempSync(join(root, 'bin-'));
    writeFileSync(join(bin, 'sheaf'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
    postgres = pypiPostgres().missing ? undefined : await startPostgres(pypiPostgres().bin, root);
    search = openSearch().missing ? undefined : await startOpenSearch(root);
    const { SHEAF_MODULES } = process.env;
    env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: root,
      XDG_DATA_HOME: join(root, 'data'),
      SHEAF_MODULES,
      PGPASSWORD: postgres?.env.PGPASSWORD ?? '',
    };
  });
  after(async () => {
    await search?.stop();
    await postgres?.stop();
  });

  it('docs/databases.md has commands for every database', () => {
    for (const target of ['lancedb', 'pgvector', 'parquet', 'opensearch', 'qdrant'])
      assert.ok(
        lines.some((line) => line.startsWith('sheaf export') && line.includes(`--to ${target}`)),
        target,
      );
    for (const backend of ['lancedb:', 'postgres:'])
      assert.ok(
        lines.some((line) => line.includes(`--backend ${backend}`)),
        backend,
      );
  });

  for (const line of lines) {
    const reason = line.includes('postgres://') ? pypiPostgres().missing : line.includes('OPENSEARCH_URL') ? openSearch().missing : false;
    it(line.replace(/ {2,}#.*/, ''), { skip: reason }, async () => {
      const typed = line
        .replace(/postgres:\/\/\S+/, postgres?.address ?? '')
        .replace('https://search.example', search?.url ?? '')
        .replace(/ && sh points\/load\.sh/, ''); // no server of Qdrant's runs here
      const { code, stdout, stderr } = await type(typed);
      assert.equal(code, 0, `${typed}\n${stdout}${stderr}`);
      if (line.startsWith('sheaf export')) assert.match(stdout, /^vue 3\.5: (\d+ passages|unchanged) → /m);
      if (line.startsWith('sheaf query')) assert.match(stdout, /kiln\.example\/docs/);
      const output = / -o (\S+)/.exec(line)?.[1];
      if (output !== undefined && !output.includes('://')) assert.ok(existsSync(join(folder, output)), output);
    });
  }

  it('The commands of docs/databases.md make the vector of a question', async () => {
    const { code, stdout, stderr } = await type(embedding);
    assert.equal(code, 0, stderr);
    const vector = JSON.parse(stdout);
    assert.equal(vector.length, 256);
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-3);
  });
});
