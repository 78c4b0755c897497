/**
 * The npm package as a user gets it: the tarball installed into an empty folder, and used from there.
 *
 * Where dist/browser/packer is built, nothing but Node is on the PATH and no native packer is named, so the module packs. Without
 * it (a tree that is built in part), the tree's own sheaf-pack is named in SHEAF_PACK.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nativeName, PLATFORMS, stageNative } from '../../scripts/release/native_packages.mjs';
import { packFolder, publishedManifest, stagePackage } from '../../scripts/release/npm_package.mjs';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { connect, serverEnvironment } from './mcp_client.mjs';
import { DOCS, temporaryFolder } from './packed.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));

const OWNER = {
  author: { name: 'Ada Example', email: 'ada@example.org' },
  repository: 'https://github.com/example/docs-search',
  homepage: 'https://example.org',
  bugs: 'https://example.org/bugs',
  npmScope: '@example',
  mcpName: 'io.github.example/docs-search',
};

const folder = temporaryFolder('npm install'); // a space, as users have
const project = join(folder, 'project');
const installed = join(project, 'node_modules', 'sheaf');
const env = serverEnvironment({ home: join(folder, 'home'), env: { PATH: join(folder, 'bin'), NO_COLOR: '1' } });

/** Runs the installed command. */
function sheaf(...args) {
  const result = spawnSync(join(project, 'node_modules', '.bin', 'sheaf'), args, { cwd: project, env, encoding: 'utf8' });
  assert.equal(result.status, 0, `sheaf ${args.join(' ')}: ${result.error ?? result.stderr}`);
  return result.stdout;
}

/** Runs npm or npx without the network. */
function npm(command, ...args) {
  const result = spawnSync(command, ['--offline', ...args], {
    cwd: project,
    env: { ...process.env, HOME: env.HOME, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' },
    encoding: 'utf8',
  });
  assert.equal(result.status, 0, `${command} ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

let tarball;
before(() => {
  for (const name of ['bin', 'project', 'home']) mkdirSync(join(folder, name));
  symlinkSync(process.execPath, join(folder, 'bin', 'node'));
  stagePackage(join(folder, 'stage'), { owner: OWNER });
  tarball = packFolder(join(folder, 'stage'), join(folder, 'out'));
  writeFileSync(join(project, 'package.json'), '{ "name": "site", "private": true, "type": "module" }\n');
  npm('npm', 'install', '--no-audit', '--no-fund', tarball.file);
});

describe('the published package.json', () => {
  it('The published package.json runs nothing during installation, and needs no other package', () => {
    const manifest = json(join(installed, 'package.json'));
    for (const field of ['scripts', 'dependencies', 'devDependencies', 'optionalDependencies'])
      assert.equal(manifest[field], undefined, field);
    assert.deepEqual(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['sheaf'],
    );
  });

  it("The published package.json has the owner's facts, and native packages of its version", () => {
    const manifest = publishedManifest(json(path('../../package.json')), OWNER, ['@example/pack-linux-x64']);
    assert.deepEqual(manifest.repository, { type: 'git', url: 'git+https://github.com/example/docs-search.git' });
    assert.deepEqual(manifest.author, OWNER.author);
    assert.equal(manifest.mcpName, OWNER.mcpName);
    assert.deepEqual(manifest.optionalDependencies, { '@example/pack-linux-x64': manifest.version });
  });
});

describe('the tarball', () => {
  it('The tarball is the same when it is made again, of newer files', () => {
    cpSync(join(folder, 'stage'), join(folder, 'again'), { recursive: true });
    assert.equal(packFolder(join(folder, 'again'), join(folder, 'out-again')).sha256, tarball.sha256);
  });

  it('The tarball names the real repository in its README', () => {
    assert.doesNotMatch(readFileSync(join(installed, 'README.md'), 'utf8'), /OWNER\//);
  });

  it('The tarball holds the files that its entries, types and command name', () => {
    const { exports, bin } = json(join(installed, 'package.json'));
    const filesOf = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(filesOf));
    assert.deepEqual(
      filesOf({ exports, bin }).filter((file) => !file.includes('*') && !existsSync(join(installed, file))),
      [],
    );
  });
});

describe('an installed sheaf that packs by its module, with Node alone', () => {
  it('An installed sheaf is found by npx', () => {
    assert.equal(npm('npx', 'sheaf', '--version').trim(), json(path('../../package.json')).version);
  });

  it('An installed sheaf adds search to a built site', () => {
    const site = writeBuiltSite(join(project, 'public'));
    const { pages, files } = JSON.parse(sheaf('site', 'public', '--inject', '--json'));
    assert.equal(pages, 5);
    for (const { path: file, bytes } of files) assert.equal(statSync(join(site, file)).size, bytes, file);
    assert.ok(files.some((file) => /^sheaf\/site-\w+\.sheaf$/.test(file.path)));
    assert.match(readFileSync(join(site, 'index.html'), 'utf8'), /<script src="[^"]*sheaf\/sheaf\.js"/);
  });

  it('An installed sheaf adds a folder, finds a sentence by meaning, and serves it', async (t) => {
    cpSync(DOCS, join(project, 'kiln'), { recursive: true });
    sheaf('add', 'kiln', '--source', './kiln', '--yes');
    const { hits } = JSON.parse(sheaf('query', 'keep passwords out of files', '-l', 'kiln', '--json'));
    assert.match(hits[0].snippet ?? hits[0].text, /secret|password|environment/i);
    const { client, close } = await connect({ main: join(installed, 'dist/cli/main.js'), env });
    t.after(close);
    const { content } = await client.callTool({ name: 'list_libraries_tool' });
    assert.match(content[0].text, /kiln/);
  });
});

describe('the optional native package', () => {
  const platform = `${process.platform}-${process.arch}`;
  const skip = !PLATFORMS.includes(platform) && `there is none for ${platform}`;

  it('The optional native package packs in place of the module', { skip }, () => {
    const natives = join(folder, 'natives');
    mkdirSync(join(natives, platform), { recursive: true });
    cpSync(path('../../build/native/sheaf-pack'), join(natives, platform, 'sheaf-pack'));
    writeFileSync(join(natives, platform, 'THIRD_PARTY_NOTICES.txt'), 'of the test\n');
    // Laid out as npm does it; npm itself would compress both packages again, for seconds.
    stageNative(join(project, 'node_modules', ...nativeName(platform, OWNER).split('/')), platform, { natives, owner: OWNER });
    const manifest = publishedManifest(json(path('../../package.json')), OWNER, [nativeName(platform, OWNER)]);
    writeFileSync(join(installed, 'package.json'), JSON.stringify(manifest));
    const { detail } = JSON.parse(sheaf('doctor', '--json')).find(({ name }) => name === 'Packer');
    assert.match(detail, new RegExp(`^native, ${manifest.version}.*from the package @example/pack-${platform}`));
    assert.equal(JSON.parse(sheaf('site', 'public', '--json')).pages, 5);
  });
});

describe('a project in TypeScript', () => {
  const { exports } = json(path('../../package.json'));
  const names = Object.keys(exports)
    .filter((key) => exports[key].types !== undefined)
    .map((key) => key.replace(/^\./, 'sheaf'));

  for (const [module, moduleResolution] of [
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ]) {
    it(`A TypeScript project finds types behind every entry with moduleResolution ${moduleResolution}`, () => {
      const at = join(project, moduleResolution);
      mkdirSync(at);
      writeFileSync(
        join(at, 'all.ts'),
        names.map((name, i) => `import * as m${i} from '${name}';\nexport type T${i} = typeof m${i};\n`).join('') +
          `import { open, type Library } from 'sheaf';\nexport const library: Promise<Library> = open('/x.sheaf');\n` +
          `// @ts-expect-error: types are known, not any\nexport const wrong: Promise<number> = open('/x.sheaf');\n`,
      );
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
        strict: true,
        noEmit: true,
        typeRoots: [path('../../node_modules/@types')],
        types: ['node'],
      };
      writeFileSync(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      const tsc = spawnSync(process.execPath, [path('../../node_modules/typescript/bin/tsc'), '-p', at], { encoding: 'utf8' });
      assert.equal(tsc.status, 0, tsc.stdout + tsc.stderr);
    });
  }

  it('A TypeScript project imports every entry for Node', () => {
    const inNode = names.filter((name) => /\/(node|packer|headless)$|^sheaf$|federated$|(vitepress|docusaurus|starlight)$/.test(name));
    const script = `for (const name of ${JSON.stringify(inNode)}) if (Object.keys(await import(name)).length === 0) throw new Error(name);`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: project, env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
});
