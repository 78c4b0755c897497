/** `sheaf install-mcp`: clients' files, real ones in a home of their own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { parse as parseToml, stringify as writeToml } from 'smol-toml';
import { CLIENTS } from '../../dist/node/mcp/clients/clients.js';
import { setTomlTable } from '../../dist/node/mcp/clients/toml_table.js';
import { complaints, SHAPES } from './client_shapes.mjs';
import { MAIN, temporaryFolder } from './packed.mjs';

const homes = temporaryFolder('install-mcp');

function fresh() {
  const home = mkdtempSync(join(homes, 'home-'));
  const run = (...args) => {
    const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'install-mcp', ...args], { encoding: 'utf8', env, cwd: home });
    return { status, stdout, stderr };
  };
  const write = (name, text) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  };
  const read = (name) => readFileSync(join(home, name), 'utf8');
  const backups = (name) => readdirSync(dirname(join(home, name))).filter((entry) => entry.includes('.backup.'));
  return { home, run, write, read, backups };
}

const ARGS = [MAIN, 'mcp', '--text-only'];

describe('install-mcp', () => {
  it('install-mcp writes each client its own file in its own shape', () => {
    const { run, read } = fresh();
    const { status, stdout } = run('--cursor', '--opencode', '--vscode', '--codex');
    assert.equal(status, 0);
    assert.equal(stdout, '', 'nothing was asked to be printed');
    assert.deepEqual(JSON.parse(read('.cursor/mcp.json')), { mcpServers: { sheaf: { command: process.execPath, args: ARGS } } });
    assert.deepEqual(JSON.parse(read('.config/opencode/opencode.json')), {
      mcp: { sheaf: { type: 'local', command: [process.execPath, ...ARGS], enabled: true } },
    });
    assert.deepEqual(JSON.parse(read('.vscode/mcp.json')), {
      servers: { sheaf: { type: 'stdio', command: process.execPath, args: ARGS } },
    });
    assert.equal(
      read('.codex/config.toml'),
      `[mcp_servers.sheaf]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["${MAIN}", "mcp", "--text-only"]\n`,
    );
  });

  it('install-mcp gives each site a server of its own beside the store', () => {
    const { run, read } = fresh();
    assert.equal(run('--cursor', '--allow-add').status, 0);
    assert.equal(run('--cursor', '--codex', 'docs.example.org/guide/', 'http://localhost:8080/').status, 0);
    const site = [...ARGS, 'https://docs.example.org/guide/', 'http://localhost:8080/'];
    assert.deepEqual(JSON.parse(read('.cursor/mcp.json')).mcpServers, {
      sheaf: { command: process.execPath, args: [...ARGS, '--allow-add'] },
      'sheaf-docs-example-org-guide': { command: process.execPath, args: site },
    });
    assert.deepEqual(parseToml(read('.codex/config.toml')).mcp_servers['sheaf-docs-example-org-guide'].args, site);
    assert.match(run('--claude-code', '--print', 'docs.example.org').stdout, /"sheaf-docs-example-org": \{/);
    const long = `${'a'.repeat(28)}.${'b'.repeat(28)}.org`;
    assert.match(run('--claude-code', long).stdout, /^claude mcp add sheaf-a{28}-b{5} -- /);

    assert.equal(run('--cursor', '--remove', 'https://docs.example.org/guide/').status, 0);
    assert.deepEqual(Object.keys(JSON.parse(read('.cursor/mcp.json')).mcpServers), ['sheaf']);
    for (const [more, message] of [
      [['https://docs.example.org/', '--allow-add'], /Give one of --store, --allow-add and sites/],
      [['--store', 'x', '--allow-add'], /Give one of --store, --allow-add and sites/],
      [['--remove', '--allow-add'], /--remove goes with clients/],
      [['kiln'], /A site is an address such as https:\/\/docs\.example\.org\/, not 'kiln'/],
    ]) {
      const { status, stderr } = run('--cursor', ...more);
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    }
  });

  it('install-mcp has a published shape for each client that it knows', () => {
    assert.deepEqual(Object.keys(SHAPES).sort(), Object.keys(CLIENTS).sort());
  });

  for (const [client, shape] of Object.entries(SHAPES)) {
    const isToml = shape.file.endsWith('.toml');
    const parsed = (text) => (isToml ? JSON.parse(JSON.stringify(parseToml(text))) : JSON.parse(text));
    const written = (value) => (isToml ? writeToml(value) : JSON.stringify(value, null, 2));

    it(`install-mcp writes what ${client} takes by its documentation, and leaves all else in its file`, () => {
      const { run, read, write } = fresh();
      const install = (...more) => run(`--${client}`, ...(shape.args ?? []), ...more);
      assert.equal(install().status, 0);
      const made = parsed(read(shape.file));
      assert.deepEqual(Object.keys(made), [shape.servers]);
      assert.deepEqual(Object.keys(made[shape.servers]), ['sheaf']);
      assert.deepEqual(complaints(shape, made[shape.servers].sheaf), []);

      // A file with the user's own: other settings, another server, and keys of our own entry.
      const [key] = Object.keys(shape.optional).filter((each) => !(each in made[shape.servers].sheaf) && each !== 'type');
      const own = { env: { A: 'b' }, environment: { A: 'b' } }[key] ?? 'x';
      const before = {
        theme: 'dark',
        [shape.servers]: { other: { command: 'x', more: [1, 2] }, sheaf: { ...made[shape.servers].sheaf, args: ['old'], [key]: own } },
        last: { deep: [true] },
      };
      if (client === 'opencode') Object.assign(before.mcp.sheaf, { command: ['old'] }), delete before.mcp.sheaf.args;
      write(shape.file, written(before));
      assert.equal(install().status, 0);
      const after = parsed(read(shape.file));
      const expected = { ...before, [shape.servers]: { ...before[shape.servers], sheaf: { ...made[shape.servers].sheaf, [key]: own } } };
      assert.deepEqual(after, expected);
      assert.deepEqual(complaints(shape, after[shape.servers].sheaf), []);
    });
  }

  it('The check of shapes finds a key that is missing, of another kind, or unknown', () => {
    const { opencode } = SHAPES;
    assert.deepEqual(complaints(opencode, { type: 'local', command: ['x'] }), []);
    assert.deepEqual(complaints(opencode, { type: 'stdio', args: [] }), ['no command', 'type is of another kind', 'unknown args']);
  });

  it('install-mcp writes an entry that starts the server', () => {
    const { run, read, home } = fresh();
    run('--cursor', '--tools', 'openground');
    const { command, args } = JSON.parse(read('.cursor/mcp.json')).mcpServers.sheaf;
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const { stdout } = spawnSync(command, args, { encoding: 'utf8', input: `${JSON.stringify(request)}\n`, env: { HOME: home } });
    assert.equal(JSON.parse(stdout).result.serverInfo.name, 'sheaf');
  });

  it("install-mcp for Claude Code prints the command, or writes a project's .mcp.json", () => {
    const { run, read, home } = fresh();
    const { stdout } = run('--claude-code', '--command', 'sheaf');
    assert.match(stdout, /^claude mcp add sheaf -- sheaf mcp --text-only\n/);
    assert.deepEqual(JSON.parse(stdout.slice(stdout.indexOf('{'))), {
      mcpServers: { sheaf: { command: 'sheaf', args: ['mcp', '--text-only'] } },
    });
    assert.equal(run('--claude-code', '--project', home).status, 0);
    assert.deepEqual(JSON.parse(read('.mcp.json')).mcpServers.sheaf.args, ARGS);
  });

  it('install-mcp keeps other entries, unknown keys and indentation, and backs the file up', () => {
    const { run, write, read, backups } = fresh();
    const before =
      '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"other": { "command": "x", "env": { "A": "1" } },\n\t\t"sheaf": { "command": "old", "env": { "B": "2" } }\n\t}\n}\n';
    write('.cursor/mcp.json', before);
    assert.equal(run('--cursor').status, 0);
    const text = read('.cursor/mcp.json');
    assert.match(text, /^\t"theme"/m);
    assert.deepEqual(JSON.parse(text), {
      theme: 'dark',
      mcpServers: { other: { command: 'x', env: { A: '1' } }, sheaf: { command: process.execPath, env: { B: '2' }, args: ARGS } },
    });
    const [backup, ...more] = backups('.cursor/mcp.json');
    assert.match(backup, /^mcp\.json\.backup\.\d{8}-\d{6}$/);
    assert.deepEqual(more, []);
    assert.equal(read(`.cursor/${backup}`), before);
  });

  it('install-mcp changes nothing the second time', () => {
    const { run, read, backups, home } = fresh();
    for (const client of ['--cursor', '--opencode', '--vscode', '--codex']) run(client);
    const files = ['.cursor/mcp.json', '.config/opencode/opencode.json', '.vscode/mcp.json', '.codex/config.toml'];
    const before = files.map((file) => [read(file), statSync(join(home, file)).mtimeMs]);
    const { status, stdout } = run('--cursor', '--opencode', '--vscode', '--codex', '--json');
    assert.equal(status, 0);
    assert.deepEqual(
      JSON.parse(stdout).map(({ changed }) => changed),
      [false, false, false, false],
    );
    assert.deepEqual(
      files.map((file) => [read(file), statSync(join(home, file)).mtimeMs]),
      before,
    );
    for (const file of files) assert.deepEqual(backups(file), []);
  });

  it('install-mcp updates an entry, and a disabled one stays disabled', () => {
    const { run, read, write } = fresh();
    run('--opencode');
    const entry = JSON.parse(read('.config/opencode/opencode.json'));
    entry.mcp.sheaf.enabled = false;
    write('.config/opencode/opencode.json', JSON.stringify(entry));
    run('--opencode', '--tools', 'all');
    const { sheaf } = JSON.parse(read('.config/opencode/opencode.json')).mcp;
    assert.deepEqual(sheaf.command.slice(-3), ['mcp', '--tools', 'all']);
    assert.equal(sheaf.enabled, false);
  });

  it('install-mcp refuses broken JSON with its position, and leaves the file alone', () => {
    for (const [text, where] of [
      ['{\n  "mcpServers": {\n    "a": 1 "b": 2\n  }\n}\n', 'line 3, column 12'],
      ['{ "mcpServers": ', 'line 1, column 17'],
      ['[]', 'object'],
      ['{ "mcpServers": [] }', '"mcpServers" should be an object'],
    ]) {
      const { run, write, read, backups } = fresh();
      write('.cursor/mcp.json', text);
      const { status, stderr } = run('--cursor');
      assert.equal(status, 1);
      assert.ok(stderr.includes(where), `${where} in: ${stderr}`);
      assert.ok(stderr.includes(join('.cursor', 'mcp.json')));
      assert.equal(read('.cursor/mcp.json'), text);
      assert.deepEqual(backups('.cursor/mcp.json'), []);
    }
  });

  it('install-mcp edits JSON with comments and trailing commas, and only its entry', () => {
    const { run, write, read } = fresh();
    const before =
      '// mine\n{\n    "theme": "One", // best\n    "context_servers": {\n        /* other */\n        "other": { "command": "x", },\n    },\n}\n';
    write('.config/zed/settings.json', before);
    assert.equal(run('--zed').status, 0);
    const text = read('.config/zed/settings.json');
    for (const kept of ['// mine\n{\n    "theme": "One", // best\n', '/* other */\n        "other": { "command": "x", },'])
      assert.ok(text.includes(kept), text);
    const entry = /"sheaf": (\{[^}]*\})/.exec(text)[1];
    assert.deepEqual(JSON.parse(entry), { source: 'custom', command: process.execPath, args: ARGS });
    assert.equal(run('--zed').stderr.includes('knows the server already'), true);
    assert.equal(read('.config/zed/settings.json'), text);
    run('--zed', '--tools', 'all');
    const changed = read('.config/zed/settings.json');
    assert.match(changed, /"--tools",\s*"all"/);
    assert.ok(changed.includes('// best'));
  });

  it('install-mcp knows Gemini CLI, Windsurf, Zed and Copilot CLI', () => {
    const { run, read, home } = fresh();
    assert.equal(run('--gemini', '--windsurf', '--zed', '--copilot').status, 0);
    const entry = { command: process.execPath, args: ARGS };
    assert.deepEqual(JSON.parse(read('.gemini/settings.json')).mcpServers.sheaf, entry);
    assert.deepEqual(JSON.parse(read('.codeium/windsurf/mcp_config.json')).mcpServers.sheaf, entry);
    assert.deepEqual(JSON.parse(read('.config/zed/settings.json')).context_servers.sheaf, { source: 'custom', ...entry });
    assert.deepEqual(JSON.parse(read('.copilot/mcp-config.json')).mcpServers.sheaf, { type: 'stdio', ...entry, tools: ['*'] });
    assert.equal(run('--gemini', '--copilot', '--zed', '--project', home).status, 0);
    assert.ok(JSON.parse(read('.mcp.json')).mcpServers.sheaf);
    const { status, stderr } = run('--windsurf', '--project', home);
    assert.deepEqual([status, /one file for all projects/.test(stderr)], [2, true]);
  });

  it('install-mcp knows Claude Desktop, Cline and Junie', () => {
    const { run, read, home } = fresh();
    assert.equal(run('--claude-desktop', '--cline', '--jetbrains').status, 0);
    const entry = { command: process.execPath, args: ARGS };
    const desktop = { darwin: 'Library/Application Support', win32: 'AppData/Roaming' }[process.platform] ?? '.config';
    for (const file of [
      `${desktop}/Claude/claude_desktop_config.json`,
      '.cline/data/settings/cline_mcp_settings.json',
      '.junie/mcp/mcp.json',
    ])
      assert.deepEqual(JSON.parse(read(file)), { mcpServers: { sheaf: entry } }, file);
    assert.equal(run('--jetbrains', '--project', home).status, 0);
    for (const client of ['--claude-desktop', '--cline']) assert.match(run(client, '--project', home).stderr, /one file for all projects/);
  });

  it('install-mcp --remove takes its entry out of every client, and nothing else', () => {
    for (const [client, file] of [
      ['--cursor', '.cursor/mcp.json'],
      ['--opencode', '.config/opencode/opencode.json'],
      ['--gemini', '.gemini/settings.json'],
      ['--windsurf', '.codeium/windsurf/mcp_config.json'],
      ['--zed', '.config/zed/settings.json'],
      ['--copilot', '.copilot/mcp-config.json'],
      ['--vscode', '.vscode/mcp.json'],
      ['--codex', '.codex/config.toml'],
      ['--cline', '.cline/data/settings/cline_mcp_settings.json'],
      ['--jetbrains', '.junie/mcp/mcp.json'],
    ]) {
      const { run, read, write, backups } = fresh();
      run(client);
      const added = read(file);
      assert.equal(run(client, '--remove').status, 0, client);
      assert.doesNotMatch(read(file), /sheaf/, client);
      assert.equal(backups(file).length, 1, client);
      const none = read(file);
      assert.match(run(client, '--remove').stderr, /has no such entry/);
      assert.equal(read(file), none);
      const parse = file.endsWith('.toml') ? (text) => text : JSON.parse;
      parse(none);
      write(file, added);
    }
    const { run, home } = fresh();
    assert.equal(run('--cursor', '--remove').status, 0, 'a file that is not there');
    assert.ok(!existsSync(join(home, '.cursor/mcp.json')));
    assert.equal(run('--claude-code', '--remove').stdout, 'claude mcp remove sheaf\n');
    assert.equal(run('--cursor', '--remove', '--print').status, 2);
  });

  it('install-mcp --remove keeps comments, commas and neighbours', () => {
    const entry = '"sheaf": {\n      "command": "x", "args": ["}"]\n    }';
    for (const [before, after] of [
      [
        `{\n  "mcpServers": {\n    // mine, kept\n    "a": {},\n    ${entry}\n  }\n}\n`,
        '{\n  "mcpServers": {\n    // mine, kept\n    "a": {}\n  }\n}\n',
      ],
      [`{\n  "mcpServers": {\n    ${entry},\n    "b": {} // b, kept\n  }\n}\n`, '{\n  "mcpServers": {\n    "b": {} // b, kept\n  }\n}\n'],
      [
        `{\n  "mcpServers": {\n    "a": {}, // one, two\n    ${entry},\n  },\n}\n`,
        '{\n  "mcpServers": {\n    "a": {}, // one, two\n  },\n}\n',
      ],
      [`{ "mcpServers": { "a": {}, "sheaf": { "command": "x" }, "b": {} } }`, '{ "mcpServers": { "a": {},  "b": {} } }'],
      ['{ "theme": 1 }', '{ "theme": 1 }'],
    ]) {
      const { run, write, read } = fresh();
      write('.cursor/mcp.json', before);
      assert.equal(run('--cursor', '--remove').status, 0);
      assert.equal(read('.cursor/mcp.json'), after);
    }
    const { run, write, read } = fresh();
    write(
      '.codex/config.toml',
      '# mine\nmodel = "m"\n\n[mcp_servers.sheaf]\ncommand = "x"\n\n[mcp_servers.sheaf.env]\nA = "1"\n\n[mcp_servers.other]\ncommand = "y" # kept\n',
    );
    assert.equal(run('--codex', '--remove').status, 0);
    assert.equal(read('.codex/config.toml'), '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "y" # kept\n');
    write('.codex/config.toml', 'mcp_servers = { sheaf = { command = "x" } }\n');
    const refused = run('--codex', '--remove');
    assert.deepEqual([refused.status, /inline or in pieces/.test(refused.stderr)], [1, true]);
  });

  it('install-mcp --skill writes the skill where each client looks for skills, and --remove takes it away', () => {
    const { run, read, write, home } = fresh();
    assert.equal(run('--claude-code', '--cursor', '--codex', '--skill').status, 0);
    const shipped = readFileSync(join(dirname(MAIN), '../../skills/sheaf/SKILL.md'), 'utf8');
    for (const folder of ['.claude', '.agents']) assert.equal(read(`${folder}/skills/sheaf/SKILL.md`), shipped);
    assert.match(run('--cursor', '--skill').stderr, /has the skill already/);
    assert.match(run('--claude-desktop', '--skill').stderr, /takes no skills from a folder/);
    run('--claude-code', '--skill', '--project', join(home, '.agents'));
    assert.ok(existsSync(join(home, '.agents/.claude/skills/sheaf/SKILL.md')));
    run('--cursor', '--skill', '--remove');
    assert.ok(!existsSync(join(home, '.agents/skills/sheaf')));
    write('.agents/skills/sheaf/SKILL.md', '---\nname: wheat\n---\n');
    assert.match(run('--cursor', '--skill', '--remove').stderr, /is not Sheaf's; it stays/);
  });

  it('install-mcp checks --tools before it writes or prints, and never gives dots to a client that refuses them', () => {
    const { run, home } = fresh();
    for (const args of [['--cursor'], ['--cursor', '--print'], ['--claude-code']]) {
      const { status, stdout, stderr } = run(...args, '--tools', 'openground,nonsense');
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, /--tools takes openground, .*not 'nonsense'/);
    }
    assert.ok(!existsSync(join(home, '.cursor')));
    for (const client of ['--codex', '--copilot', '--claude-code', '--claude-desktop'])
      for (const tools of ['all', 'knowledge', ' knowledge '])
        assert.match(run(client, '--print', '--tools', tools).stdout, /--underscore-names/, client);
    assert.doesNotMatch(run('--codex', '--print', '--tools', 'openground').stdout, /underscore/);
  });

  it("install-mcp takes OpenCode's .jsonc where that is the file", () => {
    const { run, read, write } = fresh();
    write('.config/opencode/opencode.jsonc', '{\n  // mine\n}\n');
    run('--opencode');
    assert.match(read('.config/opencode/opencode.jsonc'), /\/\/ mine[^]*"sheaf"/);
  });

  it('install-mcp names a lasting command: npx with the version when run from its cache', () => {
    const { run } = fresh();
    const { command, args } = JSON.parse(run('--cursor', '--print', '--command', 'npx').stdout).mcpServers.sheaf;
    const { name, version } = JSON.parse(readFileSync(join(dirname(MAIN), '../../package.json'), 'utf8'));
    assert.deepEqual([command, args.slice(0, 2)], ['npx', ['-y', `${name}@${version}`]]);
    assert.match(run('--cursor', '--print', '--command', 'sheaf').stderr, /no sheaf on the PATH/);
  });

  it('install-mcp survives keys that mean something to JavaScript', () => {
    const { run, write, read } = fresh();
    write('.cursor/mcp.json', '{"__proto__": {"x": 1}, "mcpServers": {"__proto__": {"command": "y"}, "constructor": {}}}');
    assert.equal(run('--cursor').status, 0);
    const text = read('.cursor/mcp.json');
    assert.match(text, /"__proto__": \{\s*"x": 1/);
    assert.match(text, /"__proto__": \{\s*"command": "y"/);
    assert.ok(Object.hasOwn(JSON.parse(text).mcpServers, 'sheaf'));
  });

  it('install-mcp writes through links and keeps the permissions', () => {
    const { run, write, read, home } = fresh();
    write('dotfiles/mcp.json', '{}');
    chmodSync(join(home, 'dotfiles/mcp.json'), 0o600);
    mkdirSync(join(home, '.cursor'));
    symlinkSync(join(home, 'dotfiles/mcp.json'), join(home, '.cursor/mcp.json'));
    assert.equal(run('--cursor').status, 0);
    assert.ok(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink());
    assert.ok(JSON.parse(read('dotfiles/mcp.json')).mcpServers.sheaf);
    assert.equal(statSync(join(home, 'dotfiles/mcp.json')).mode & 0o777, 0o600);
    assert.ok(!readdirSync(join(home, 'dotfiles')).some((name) => name.endsWith('.tmp')));
  });

  it('install-mcp prints and changes nothing with --print', () => {
    const { run, home } = fresh();
    const { stdout } = run('--vscode', '--print');
    assert.ok(JSON.parse(stdout).servers.sheaf);
    assert.ok(!existsSync(join(home, '.vscode')));
    assert.match(run('--codex', '--print', '--tools', 'knowledge').stdout, /--underscore-names/);
  });

  it('install-mcp starts the server through WSL for clients on Windows', () => {
    const { run } = fresh();
    const { command, args } = JSON.parse(run('--cursor', '--print', '--wsl').stdout).mcpServers.sheaf;
    assert.deepEqual([command, ...args], ['wsl.exe', '--', process.execPath, ...ARGS]);
  });

  it('install-mcp names its needs: a client, an existing project, a known way', () => {
    const { run } = fresh();
    assert.equal(run().status, 2);
    assert.match(run().stderr, /--claude-code, --cursor, --opencode, --vscode, --gemini, --windsurf, --zed, --copilot, --codex/);
    assert.equal(run('--cursor', '--project', 'nowhere').status, 4);
    assert.equal(run('--cursor', '--command', 'docker').status, 2);
    assert.equal(run('--emacs').status, 2);
  });
});

describe('TOML tables', () => {
  const table = ['mcp_servers', 'sheaf'];
  const values = { command: '"node"', args: '["mcp"]' };
  const edit = (text) => setTomlTable(text, table, values, 'config.toml');

  it('TOML tables are appended, with everything before them as it was', () => {
    const before = '# mine\nmodel = "x" # best\n\n[mcp_servers.other]\ncommand = "y"';
    assert.equal(edit(before), `${before}\n\n[mcp_servers.sheaf]\ncommand = "node"\nargs = ["mcp"]\n`);
  });

  it('TOML tables are changed in place: their own keys, comments and what follows stay', () => {
    const before =
      '[mcp_servers.sheaf] # docs\nargs = [ # many\n  "old", # ]\n  "[x]"\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.sheaf.env]\nargs = "theirs"\n[after]\n';
    assert.equal(
      edit(before),
      '[mcp_servers.sheaf] # docs\ncommand = "node"\nargs = ["mcp"]\nstartup_timeout_sec = 20\n\n[mcp_servers.sheaf.env]\nargs = "theirs"\n[after]\n',
    );
    assert.equal(edit(edit(before)), edit(before));
  });

  it('TOML tables are found under quoted names, and not inside strings', () => {
    assert.equal(edit('["mcp_servers" . \'sheaf\']\n'), '["mcp_servers" . \'sheaf\']\ncommand = "node"\nargs = ["mcp"]\n');
    const before = 'note = """\n[mcp_servers.sheaf]\ncommand = "not me"\n"""\n';
    assert.ok(edit(before).startsWith(before));
    assert.match(edit(before).slice(before.length), /^\n\[mcp_servers\.sheaf\]\n/);
  });

  it('TOML tables that are defined inline, and broken files, are refused', () => {
    for (const text of [
      'mcp_servers = { sheaf = { command = "x" } }\n',
      'mcp_servers.sheaf.command = "x"\n',
      '[mcp_servers]\nsheaf = { command = "x" }\n',
    ]) {
      assert.throws(() => edit(text), /inline.*--print/);
    }
    assert.throws(() => edit('a = 1\nb = [1, 2\n'), /not valid TOML from line 2/);
    assert.throws(() => edit('b = """never closed\n'), /not valid TOML/);
  });

  it('TOML tables are left alone where the edit would change the meaning', () => {
    assert.throws(() => edit('[[mcp_servers.sheaf]]\ncommand = "x"\n'), /in pieces.*--print/);
    assert.throws(() => edit('mcp_servers = 1\n'), /--print/);
    for (const text of ['a = 1\na = 2\n', 'a = 1 b = 2\n', 'x\n', '[mcp_servers.sheaf]\n[mcp_servers.sheaf]\n'])
      assert.throws(() => edit(text), /not valid TOML from line [12] on/, text);
  });

  it("TOML tables keep dates, large numbers and JavaScript's special keys", () => {
    const before = 'd = 1979-05-27T07:32:00Z\nn = 9007199254740993\n"__proto__" = { a = 1 }\n[constructor]\n';
    assert.equal(edit(before), `${before}\n[mcp_servers.sheaf]\ncommand = "node"\nargs = ["mcp"]\n`);
  });
});
