/** `sheaf completion` and `sheaf doctor`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { candidates } from '../../dist/cli/completion.js';
import { MAIN, packFixture, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('completion');
const env = {
  ...process.env,
  XDG_DATA_HOME: join(folder, 'data'),
  XDG_CONFIG_HOME: join(folder, 'config'),
  XDG_CACHE_HOME: join(folder, 'cache'),
  SHEAF_MODEL_CACHE: join(folder, 'models'),
  NO_COLOR: '1',
};
const sheaf = (...args) => spawnSync(process.execPath, [MAIN, ...args], { env, encoding: 'utf8' });

before(async () => {
  mkdirSync(join(folder, 'data/sheaf/libraries'), { recursive: true });
  await packFixture(join(folder, 'data/sheaf/libraries/kiln@1.4.0.sheaf'));
});

describe('completion', () => {
  const verbs = { query: async () => 'Usage … --top-k N … --mode M --mode', page: async () => '--json' };
  const store = [
    { library: 'kiln', version: '2' },
    { library: 'kiln', version: '1' },
    { library: 'vue', version: '3' },
    { library: 'bad\u001b[1m', version: '1' },
  ];

  it('Completion offers verbs, then flags of the verb, then libraries and their versions', async () => {
    assert.deepEqual(await candidates([''], verbs, store), ['page', 'query']);
    assert.deepEqual(await candidates(['q'], verbs, store), ['query']);
    assert.deepEqual(await candidates(['query', '--'], verbs, store), ['--mode', '--top-k']);
    assert.deepEqual(await candidates(['query', '-l', ''], verbs, store), ['kiln', 'vue']);
    assert.deepEqual(await candidates(['query', '-l', 'kiln', '-v', ''], verbs, store), ['1', '2']);
    assert.deepEqual(await candidates(['query', '-v', ''], verbs, store), ['1', '2', '3']);
    assert.deepEqual(await candidates(['query', 'wor'], verbs, store), [], 'file names are the shell’s');
    assert.deepEqual(await candidates(['nothing', '--'], verbs, store), []);
  });

  it("Completion offers the flags from a real verb's help", () => {
    assert.deepEqual(sheaf('completion', 'words', '--', 'doctor', '--').stdout.trim().split('\n'), ['--allow-private', '--json']);
  });

  it('Completion works in a real bash', (t) => {
    const bash = spawnSync(
      'bash',
      [
        '-c',
        `sheaf() { "${process.execPath}" "${MAIN}" "$@"; }; source <(sheaf completion bash); COMP_WORDS=(sheaf query -l k); COMP_CWORD=3; _sheaf; echo "\${COMPREPLY[@]}"; COMP_WORDS=(sheaf inst); COMP_CWORD=1; _sheaf; echo "\${COMPREPLY[@]}"`,
      ],
      { env, encoding: 'utf8' },
    );
    if (bash.error) return t.skip('there is no bash');
    assert.equal(bash.stdout, 'kiln\ninstall-mcp\n', bash.stderr);
  });

  it('Completion works in a real fish', (t) => {
    const source = `function sheaf; ${JSON.stringify(process.execPath)} ${JSON.stringify(MAIN)} $argv; end; sheaf completion fish | source; complete -C 'sheaf inst'; complete -C 'sheaf query -l k'`;
    const fish = spawnSync('fish', ['--no-config', '-c', source], { env, encoding: 'utf8' });
    if (fish.error) return t.skip('there is no fish');
    assert.equal(fish.stdout, 'install-mcp\nkiln\n', fish.stderr);
  });

  it('Completion works in a real Nushell, and leaves other commands to the completer that was there', (t) => {
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'sheaf'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
    const script = join(folder, 'completion.nu');
    writeFileSync(script, sheaf('completion', 'nushell').stdout);
    const ask = (...words) => `do $env.config.completions.external.completer ${JSON.stringify(words)} | to json -r`;
    const source = `$env.config.completions.external.completer = {|words| [other] }; source ${JSON.stringify(script)}; [(${ask('sheaf', 'query', '--mo')}) (${ask('sheaf', 'query', '-l', '')}) (${ask('ls', '')})] | str join ' '`;
    const nu = spawnSync('nu', ['-n', '-c', source], { env: { ...env, PATH: `${bin}:${env.PATH}` }, encoding: 'utf8' });
    if (nu.error) return t.skip('there is no nu');
    assert.equal(nu.stdout.trim(), '["--mode"] ["kiln"] ["other"]', nu.stderr);
  });

  it('Completion has a script for each shell and refuses others', () => {
    for (const shell of ['bash', 'zsh', 'fish', 'nushell']) assert.match(sheaf('completion', shell).stdout, /completion words/);
    const wrong = sheaf('completion', 'tcl');
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /bash, zsh, fish, nushell/);
  });
});

describe('doctor', () => {
  it('The doctor finds everything that search needs, and names optional gaps', () => {
    const { status, stdout } = sheaf('doctor', '--json');
    assert.equal(status, 0, stdout);
    const states = Object.fromEntries(JSON.parse(stdout).map(({ name, state }) => [name, state]));
    assert.deepEqual(
      { Node: states.Node, core: states['Search core'], packer: states.Packer, store: states.Store, models: states.Models },
      { Node: 'ok', core: 'ok', packer: 'ok', store: 'ok', models: 'missing' },
    );
  });

  it('The doctor ends with 1 and the way out when a part is broken', () => {
    mkdirSync(join(folder, 'bad/sheaf'), { recursive: true });
    writeFileSync(join(folder, 'bad/sheaf/config.json'), '{');
    const broken = spawnSync(process.execPath, [MAIN, 'doctor'], {
      env: { ...env, XDG_CONFIG_HOME: join(folder, 'bad'), SHEAF_PACK: join(folder, 'nothing') },
      encoding: 'utf8',
    });
    assert.equal(broken.status, 1);
    assert.match(broken.stdout, /✗ Configuration .*Invalid JSON/);
    assert.match(broken.stdout, /sheaf config reset/);
    assert.match(broken.stdout, /✗ Packer .*SHEAF_PACK/);
  });
});

describe('a mistyped verb', () => {
  it('A mistyped verb is answered with the nearest one, or with all', () => {
    assert.match(sheaf('qurey', 'x').stderr, /Did you mean 'query'\?/);
    assert.match(sheaf('frobnicate').stderr, /Verbs: init, site, serve, pack, add, query/);
    assert.equal(sheaf('x'.repeat(100_000)).status, 2);
  });
});
