/** `sheaf init`: what it offers for a folder, does, and takes back; in homes of their own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { stepsFor } from '../../dist/cli/init.js';
import { MAIN, temporaryFolder } from './packed.mjs';

const work = temporaryFolder('init');
const PAGE =
  '<!doctype html>\n<html lang="en"><head><title>Kiln</title></head><body><main><h1>Firing</h1><p>Fire slowly.</p></main></body></html>\n';

/** A folder with these files, and a run of the command in it. */
function fresh(files) {
  const home = mkdtempSync(join(work, 'home-'));
  const folder = join(home, 'project');
  const write = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_CONFIG_HOME: join(home, 'config'), NO_COLOR: '1' };
  const sheaf = (...args) => spawnSync(process.execPath, [MAIN, ...args], { env, encoding: 'utf8', cwd: folder });
  return {
    home,
    folder,
    write,
    sheaf,
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    has: (name) => existsSync(join(folder, name)),
  };
}

const offers = async ({ folder, home }) =>
  (await stepsFor(folder, home)).map(({ verb, args }) => [verb, ...args.map((arg) => relative(folder, arg) || '.')].join(' '));
const plain = async (project) =>
  (await stepsFor(project.folder, project.home)).map(({ verb, args }) =>
    [verb, ...args.map((arg) => arg.replace(project.folder, '~'))].join(' '),
  );

const LOCKED = {
  'package.json': '{"name": "pottery", "version": "1.0.0", "dependencies": {"kiln": "1.2.0"}}',
  'package-lock.json': JSON.stringify({
    name: 'pottery',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'pottery', dependencies: { kiln: '1.2.0' } }, 'node_modules/kiln': { version: '1.2.0' } },
  }),
  'node_modules/kiln/package.json': '{"name": "kiln", "version": "1.2.0"}',
  'node_modules/kiln/README.md': '# Kiln\n\nIt fires pots at a steady heat.\n',
};
const WRITTEN = { 'docs/glaze.md': '# Glaze\n\nHow to glaze a pot.\n', 'docs/more/fire.md': '# Fire\n\nHow to fire a pot.\n' };

describe('sheaf init', () => {
  it('A built site, a lock file and documents are found, each with the command that follows', async () => {
    assert.deepEqual(await plain(fresh({ 'public/index.html': PAGE })), ['site ~/public --inject']);
    assert.deepEqual(await plain(fresh({ 'index.html': PAGE })), ['site ~ --inject']);
    assert.deepEqual(await plain(fresh(LOCKED)), ['add --from-lockfile ~/package-lock.json']);
    assert.deepEqual(await plain(fresh({ 'package.json': '{"name": "pottery"}', ...WRITTEN })), ['add pottery -s ~/docs']);
    assert.deepEqual(await plain(fresh({ 'a.md': '# A', 'b.rst': 'B\n=\n' })), ['add project -s ~']);
    assert.deepEqual(await plain(fresh({ 'README.md': '# A', 'main.c': '' })), []);
    const all = fresh({ ...LOCKED, ...WRITTEN, 'dist/index.html': PAGE });
    assert.equal((await offers(all)).length, 3);
  });

  it('Agents are offered where the project or the home folder shows them', async () => {
    const project = fresh({ ...LOCKED, '.cursor/rules': '', 'CLAUDE.md': '' });
    mkdirSync(join(project.home, '.codex'));
    assert.equal((await plain(project))[1], 'install-mcp --claude-code --cursor --codex --project ~');
  });

  it('Nothing is run without a terminal unless -y is given, and --dry-run only shows', () => {
    const { sheaf, read } = fresh({ 'public/index.html': PAGE });
    const refused = sheaf('init');
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /add -y to say yes/);
    const dry = sheaf('init', '--dry-run');
    assert.equal(dry.status, 0);
    assert.match(dry.stdout, /^1\. A built site: .*\n {3}sheaf site .*public --inject\n$/);
    assert.equal(read('public/index.html'), PAGE);
  });

  it('An undo leaves the folder as it was, with its own entries and libraries', () => {
    const MINE = '{"servers": {"mine": {"command": "x"}}}';
    const { sheaf, read, has, write, home } = fresh({
      ...LOCKED,
      ...WRITTEN,
      'public/index.html': PAGE,
      '.vscode/mcp.json': MINE,
      '.cursor/x': '',
    });
    write('own/a.md', '# Own\n\nMy own library.\n');
    assert.equal(sheaf('pack', 'own', '--library', 'own', '--version', '1', '-q').status, 0);
    const libraries = () => Object.keys(JSON.parse(sheaf('list', '--json').stdout).libraries).sort();

    const done = sheaf('init', '-y');
    assert.equal(done.status, 0, done.stderr);
    assert.match(done.stdout, /4 commands of 4 done\. To take back what they added: sheaf init --undo/);
    assert.match(read('public/index.html'), /sheaf-search/);
    assert.deepEqual(libraries(), ['kiln', 'own', 'pottery']);
    assert.deepEqual(Object.keys(JSON.parse(read('.vscode/mcp.json')).servers), ['mine', 'sheaf']);
    assert.ok(has('.cursor/mcp.json'));

    const undone = sheaf('init', '--undo', '-y');
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(read('public/index.html'), PAGE);
    assert.ok(!has('public/sheaf') && !has('.cursor/mcp.json'));
    assert.deepEqual(libraries(), ['own']);
    assert.deepEqual(JSON.parse(read('.vscode/mcp.json')), JSON.parse(MINE));

    const again = sheaf('init', '--undo', '-y');
    assert.equal(again.status, 4);
    assert.match(again.stderr, /has added nothing in .* that it could take back/);
    assert.ok(existsSync(join(home, 'data/sheaf/libraries')));
  });

  it('An undo keeps what was there before, and what was changed since', () => {
    const { sheaf, read, has, write } = fresh({ ...LOCKED, 'public/index.html': PAGE, '.cursor/x': '' });
    assert.equal(sheaf('site', 'public', '--quiet').status, 0); // a search of the owner's own
    assert.equal(sheaf('init', '-y').status, 0);
    const file = JSON.parse(read('.cursor/mcp.json'));
    write('.cursor/mcp.json', JSON.stringify({ mcpServers: { ...file.mcpServers, mine: { command: 'x' } } }));
    assert.equal(sheaf('init', '--undo', '-y').status, 0);
    assert.ok(has('public/sheaf/sheaf.js'));
    assert.deepEqual(JSON.parse(read('.cursor/mcp.json')), { mcpServers: { mine: { command: 'x' } } });
  });

  it('A command that fails ends the run, names itself, and what was added before can be taken back', () => {
    const { sheaf, read } = fresh({ ...LOCKED, 'public/index.html': PAGE });
    const failed = sheaf('init', join(work, 'nowhere'));
    assert.equal(failed.status, 4);
    assert.match(failed.stderr, /there is no folder .*nowhere/);
    const broken = fresh({ 'package.json': '{}', 'package-lock.json': '{', 'public/index.html': PAGE });
    const half = broken.sheaf('init', '-y');
    assert.notEqual(half.status, 0);
    assert.match(half.stderr, /package-lock\.json/);
    assert.equal(broken.sheaf('init', '--undo', '-y').status, 0);
    assert.equal(broken.read('public/index.html'), PAGE);
    assert.equal(read('public/index.html'), PAGE);
  });

  it('An empty folder is answered with what was looked for', () => {
    const { sheaf } = fresh({});
    const { status, stderr } = sheaf('init');
    assert.equal(status, 4);
    assert.match(stderr, /no built site, no lock file and no documents/);
  });
});
