/** What is shipped: the bundled SDK, the registry's server.json, and the .mcpb. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleLibraries, bundles } from '../../scripts/library_bundle.mjs';
import { buildMcpb, bundleMcp, mcpbManifest } from '../../scripts/mcp_bundle.mjs';
import { connect, serverEnvironment } from './mcp_client.mjs';
import { temporaryFolder } from './packed.mjs';

const root = new URL('../../', import.meta.url);
const text = (path) => readFileSync(new URL(path, root), 'utf8');
const json = (path) => JSON.parse(text(path));
const fflate = await import('fflate').catch(() => undefined);

describe('the bundled SDK', () => {
  it("The bundled SDK is made once, and imports only Node's modules", async () => {
    assert.equal(await bundleMcp(), false, 'it was made when the client helper was loaded');
    const code = text('dist/node/mcp/sdk.mjs');
    const imported = [...code.matchAll(/(?:\bfrom|\bimport)\s*["']([^"']+)["']/g)].map((match) => match[1]);
    assert.deepEqual(
      imported.filter((name) => !builtinModules.includes(name.replace(/^node:/, ''))),
      [],
    );
    assert.ok(code.length < 500_000, `${code.length} characters`);
  });

  it('The bundled SDK comes with the licences of its parts', () => {
    const licences = text('dist/node/mcp/sdk.LICENSES.txt');
    for (const name of ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod'])
      assert.match(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    assert.match(licences, /Apache License[\s\S]*Permission is hereby granted/);
  });
});

describe('the bundled libraries', () => {
  it("The bundled libraries are made once, import only Node's modules, and have licences", async () => {
    await bundleLibraries();
    assert.deepEqual(await bundleLibraries(), []);
    for (const name of Object.keys(bundles)) {
      const code = text(`dist/${name}.mjs`);
      const { metafile } = await build({
        entryPoints: [fileURLToPath(new URL(`dist/${name}.mjs`, root))],
        bundle: true,
        packages: 'external',
        external: ['node:*'],
        write: false,
        metafile: true,
        outdir: 'out',
      });
      const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map((each) => each.path));
      assert.deepEqual(
        imported.filter((each) => !builtinModules.includes(each.replace(/^node:/, ''))),
        [],
        name,
      );
      // Converters come with a file of their format alone; scripts/sizes.mjs has their budget.
      if (!name.startsWith('browser/convert/')) assert.ok(code.length < 100_000, `${name}: ${code.length} characters`);
      const inputs = json(`build/bundled/${name.replace(/^.*\//, '')}.json`)[`dist/${name}.mjs`];
      const packages = new Set(inputs.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
      assert.ok(packages.size > 0, name);
      const licences = text(`dist/${name}.LICENSES.txt`);
      for (const each of packages) assert.match(licences, new RegExp(`^${each} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    }
  });
});

describe('server.json', () => {
  it('server.json names the package at its version, within the limits of the registry', () => {
    const server = json('server.json');
    const { name, version } = json('package.json');
    assert.equal(server.version, version);
    assert.deepEqual(
      server.packages.map((entry) => [entry.identifier, entry.version, entry.transport.type]),
      [[name, version, 'stdio']],
    );
    assert.ok(server.description.length <= 100);
    assert.match(server.name, /^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/);
  });
});

describe('the .mcpb', () => {
  it('The .mcpb announces the tools that the server lists', async (t) => {
    const { client, close } = await connect({ store: temporaryFolder('mcpb-store') });
    t.after(close);
    const manifest = mcpbManifest(json('package.json'));
    assert.equal(manifest.manifest_version, '0.3');
    assert.deepEqual(
      manifest.tools.map(({ name }) => name),
      (await client.listTools()).tools.map(({ name }) => name),
    );
  });

  it('The .mcpb runs where it is unpacked, without node_modules', { skip: fflate === undefined && 'fflate is not installed' }, async () => {
    const folder = temporaryFolder('mcpb');
    const { bytes } = await buildMcpb(join(folder, 'sheaf.mcpb'));
    assert.ok(bytes < 10_000_000, `${bytes} bytes`);
    const entries = fflate.unzipSync(readFileSync(join(folder, 'sheaf.mcpb')));
    for (const [name, data] of Object.entries(entries)) {
      const file = join(folder, 'unpacked', name);
      mkdirSync(dirname(file), { recursive: true });
      if (!name.endsWith('/')) writeFileSync(file, data);
    }
    const { server } = JSON.parse(readFileSync(join(folder, 'unpacked', 'manifest.json'), 'utf8'));
    const settings = { __dirname: join(folder, 'unpacked'), 'user_config.tools': 'openground', 'user_config.store': folder };
    const args = server.mcp_config.args.map((arg) => arg.replace(/\$\{([^}]+)\}/g, (_, name) => settings[name]));
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      input: `${JSON.stringify(request)}\n`,
      env: serverEnvironment(),
      cwd: folder,
    });
    assert.equal(JSON.parse(stdout).result.serverInfo.name, 'sheaf', stderr);
  });
});
