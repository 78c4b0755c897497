/** The lines that the page in docs/try offers to copy: typed as they are, with this tree's command in the place of npx's. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { linesFor, nameOfFolder } from '../../docs/try/lines.js';
import { verbHelp } from '../../scripts/verb_help.mjs';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { DOCS, MAIN, temporaryFolder } from './packed.mjs';

const home = temporaryFolder('try-lines');
const SITE = 'https://docs.example.org/sheaf/';

/** Types a line into a shell, below a home of its own. */
function type(line) {
  const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, XDG_DATA_HOME: join(home, 'data'), CI: '1' };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: home, env, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

before(() => {
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin', 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(join(home, 'bin', 'npx'), 0o755);
  writeBuiltSite(join(home, 'public'));
  for (const folder of ['docs', 'My docs (2)']) cpSync(DOCS, join(home, folder), { recursive: true });
});

describe('lines to copy', () => {
  it('Lines for a site, an agent and a folder do what they say', () => {
    for (const folder of ['docs', 'My docs (2)']) {
      const lines = linesFor({ site: SITE, folder });
      assert.equal(lines.length, 5);
      for (const { line } of lines) {
        const { status, said } = type(line);
        assert.equal(status, 0, `${line}\n${said}`);
      }
      assert.ok(existsSync(join(home, `${nameOfFolder(folder)}.sheaf`)), nameOfFolder(folder));
      const { status, said } = type(`npx sheaf query certificate -l ${nameOfFolder(folder)}`);
      assert.equal(status, 0, said);
      assert.match(said, /Installation/);
    }
    assert.match(readFileSync(join(home, 'public', 'index.html'), 'utf8'), /sheaf\/sheaf\.js/);
    assert.ok(existsSync(join(home, 'public', 'sheaf-offline.js')));
    const { mcpServers } = JSON.parse(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8'));
    assert.deepEqual(Object.keys(mcpServers), ['sheaf', 'sheaf-docs-example-org-sheaf']);
    assert.equal(mcpServers['sheaf-docs-example-org-sheaf'].args.at(-1), SITE);
  });

  it("A library's line names a package in a form that `sheaf add` describes", async () => {
    const { verbs } = await verbHelp();
    const described = verbs.find(({ name }) => name === 'add').help;
    for (const [spec, form, understood] of [
      ['npm:@scope/name@1.2.3', 'npm:NAME[@V]', 'npm:@scope/name@1.2.3 is not available offline: not installed'],
      ['deb:postgresql-doc-15', 'deb:NAME[@V]', 'the source is deb:postgresql-doc-15.'],
    ]) {
      assert.ok(described.includes(form), form);
      const { line } = linesFor({ libraries: [{ label: 'x', spec }] }).at(-1);
      assert.equal(line, `npx sheaf add ${spec} && npx sheaf install-mcp --cursor`);
      const { said } = type(`npx sheaf add ${spec} --offline`); // asks no registry
      assert.ok(said.includes(understood), said);
    }
  });

  it('A folder whose name a shell would read otherwise is left to its owner', () => {
    for (const folder of ['a"; rm -rf x', '$(date)', '`date`', 'a\\b', "it's", 'a\nb']) {
      for (const { line } of linesFor({ folder }).slice(2))
        assert.match(
          line,
          /^npx sheaf (?:pack \.\/FOLDER --library [a-z0-9._-]+ --version 1 -o [a-z0-9._-]+\.sheaf|add [a-z0-9._-]+ -s \.\/FOLDER && .*)$/,
        );
    }
    assert.match(linesFor({ folder: 'größe 2' })[2].line, /^npx sheaf pack "\.\/größe 2" --library gr-e-2 --version 1 -o gr-e-2\.sheaf$/);
  });
});
