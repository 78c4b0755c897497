/**
 * `npm run backends`: what needs packages or servers that `npm ci` does not bring. LanceDB; PostgreSQL's own server and psql, for the
 * half without vectors; and whether requests for OpenSearch and Qdrant fit the types that their makers publish.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../dist/client/node.js';
import { backendAddress, openBackend } from '../../dist/engines/address.js';
import { BundleRows } from '../../dist/engines/bundle_rows.js';
import { writeOpenSearch, writeQdrant } from '../../dist/engines/bulk.js';
import { LanceBackend, LanceFolder } from '../../dist/engines/lancedb.js';
import { connectServer } from '../../dist/engines/postgres.js';
import { writeScript } from '../../dist/engines/postgres_file.js';
import { EngineLibrary } from '../../dist/engines/engine_library.js';
import { queryVectors } from '../../dist/engines/query_vectors.js';
import { finish, MAIN, temporaryFolder } from '../node/packed.mjs';
import { installBackends } from './install.mjs';
import { backendSuite, makeBundles } from './suite.mjs';

const here = dirname(fileURLToPath(import.meta.url));
process.env.SHEAF_MODULES ??= installBackends((text) => console.error(text));

backendSuite('LanceDB', async (root) => {
  const folder = await LanceFolder.open(join(root, 'lance'));
  return {
    loadRows: (rows, options) => folder.load(rows, options),
    async load(path, { only = false, read } = {}) {
      const rows = await BundleRows.open(path, read);
      return folder.load(rows, { only }).finally(() => rows.close());
    },
    backend: async () => new LanceBackend('lancedb', await LanceFolder.open(join(root, 'lance'))),
  };
});

describe('LanceDB, by the commands', () => {
  it('is exported to, queried, and named where it fails', async () => {
    const root = temporaryFolder('lance-cli');
    const { kiln } = await makeBundles(root);
    const place = join(root, 'tables');
    const sheaf = (...args) =>
      finish(
        spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, HOME: root, SHEAF_MODULES: process.env.SHEAF_MODULES } }),
      );
    const exported = await sheaf('export', kiln, '--to', 'lancedb', '-o', place);
    assert.equal(exported.code, 0, exported.stderr);
    assert.match((await sheaf('export', kiln, '--to', 'lancedb', '-o', place)).stdout, /unchanged/);
    const found = await sheaf('query', 'furnace', '--backend', `lancedb:${place}`, '--json');
    assert.match(JSON.parse(found.stdout).hits[0].url, /furnace/);
  });
});

// ---- PostgreSQL's server -------------------------------------------------------------------------

const bin = ['/usr/lib/postgresql', '/usr/local/pgsql']
  .flatMap((place) => (existsSync(place) ? readdirSync(place).map((name) => join(place, name, 'bin')) : []))
  .find((folder) => existsSync(join(folder, 'initdb')));
const asRoot = process.getuid?.() === 0;
const missing =
  bin === undefined
    ? 'no PostgreSQL server is installed (apt install postgresql)'
    : spawnSync('psql', ['--version']).status === 0
      ? false
      : 'there is no psql';

describe('PostgreSQL, a server', { skip: missing }, () => {
  it('takes the script by psql, answers by words, and hides its password', async () => {
    const root = temporaryFolder('pg');
    chmodSync(root, 0o755);
    const data = join(root, 'data');
    mkdirSync(data);
    // A server refuses to run as root.
    const as = (command, args) =>
      asRoot ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', command, ...args]] : [command, args];
    if (asRoot) execFileSync('chown', ['postgres', data]);
    writeFileSync(join(root, 'password'), 'hunter2');
    chmodSync(join(root, 'password'), 0o644);
    execFileSync(
      ...as(join(bin, 'initdb'), [
        '-D',
        data,
        '-U',
        'owner',
        '-A',
        'scram-sha-256',
        `--pwfile=${join(root, 'password')}`,
        '-E',
        'UTF8',
        '--locale=C',
        '-N',
      ]),
      { stdio: 'ignore' },
    );
    const port = await freePort();
    const server = spawn(...as(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '']), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    server.stderr.on('data', (chunk) => (said += chunk));
    const ended = new Promise((resolve) => server.on('close', resolve));
    const env = {
      ...process.env,
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: 'owner',
      PGPASSWORD: 'hunter2',
      PGDATABASE: 'postgres',
    };
    try {
      for (let i = 0; i < 200 && !said.includes('ready to accept connections'); i++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      const bundles = await makeBundles(root);
      const script = join(root, 'texts.sql');
      const written = async (...paths) =>
        writeScript(
          script,
          (async function* () {
            for (const path of paths) {
              const rows = await BundleRows.open(path, { vectors: false });
              yield rows;
              await rows.close();
            }
          })(),
        );
      const psql = () => execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-f', script], { env, stdio: ['ignore', 'ignore', 'pipe'] });
      await written(bundles.kiln, bundles.hostile);
      psql();
      psql();
      await written(bundles.changed);
      psql();
      Object.assign(process.env, { PGPASSWORD: 'hunter2' });
      const backend = await openBackend(backendAddress(`postgres://owner@127.0.0.1:${port}/postgres`));
      const listed = await backend.list();
      assert.deepEqual(
        listed.map(({ library, version }) => [library, version]),
        [
          ['@it-s/a_hostile.name', '1'],
          ['kiln', '1.4.0'],
        ],
      );
      const kiln = new EngineLibrary(backend, listed[1], queryVectors('none'));
      const local = await open(bundles.kiln);
      for (let id = 0; id < local.info.pages; id++) assert.deepEqual(await kiln.page(id), await local.page(id));
      assert.equal((await kiln.search('furnace')).hits[0].url, (await local.search('furnace')).hits[0].url);
      const hostile = new EngineLibrary(backend, listed[0], queryVectors('none'));
      assert.equal((await hostile.search('replacementword')).hits.length, 1);
      assert.equal((await hostile.search('hostileword')).hits.length, 0);
      await local.close();
      assert.doesNotMatch(backend.name, /owner|hunter2/);
      // A server that was away is asked again.
      execFileSync('psql', ['-q', '-c', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sheaf'"], {
        env,
        stdio: 'ignore',
      });
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(
        (await Promise.all(Array.from({ length: 20 }, () => backend.list()))).every((each) => each.length === 2),
        true,
      );
      await backend.close();
      delete process.env.PGPASSWORD;
      for (const address of [
        `postgres://owner:wr0ngsecret@127.0.0.1:${port}/postgres`,
        `postgres://owner:wr0ngsecret@127.0.0.1:1/postgres`,
        'postgres://owner:wr0ngsecret@:x/y',
      ])
        await assert.rejects(
          connectServer(address),
          (error) => !/wr0ngsecret/.test(error.message + error.stack) && /postgres/i.test(error.message),
        );
    } finally {
      server.kill('SIGINT');
      await ended;
    }
  });
});

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// ---- types that OpenSearch and Qdrant publish ------------------------------------------------------

describe('requests', () => {
  it('fit the types of @opensearch-project/opensearch and @qdrant/js-client-rest', async () => {
    const root = temporaryFolder('types');
    const { kiln } = await makeBundles(root);
    const bundles = async function* () {
      const rows = await BundleRows.open(kiln);
      yield rows;
      await rows.close();
    };
    const [search, qdrant] = [join(root, 'opensearch'), join(root, 'qdrant')];
    await writeOpenSearch(search, bundles());
    await writeQdrant(qdrant, bundles());
    const json = (folder, name) => readFileSync(join(folder, name), 'utf8');
    const index = readdirSync(search).find((name) => name.endsWith('.index.json'));
    const points = JSON.parse(json(qdrant, 'points-1-0001.ndjson').split('\n')[0]);
    const lines = [
      "import type { Indices_Create_RequestBody, Indices_UpdateAliases_RequestBody, SearchPipeline_Put_Request } from '@opensearch-project/opensearch/api/index.js';",
      "import type { Schemas } from '@qdrant/js-client-rest';",
      `export const index: Indices_Create_RequestBody = ${json(search, index)};`,
      `export const switched: Indices_UpdateAliases_RequestBody = ${json(search, 'aliases.json')};`,
      `export const pipeline: NonNullable<SearchPipeline_Put_Request['body']> = ${json(search, 'search_pipeline.json')};`,
      `export const collection: Schemas['CreateCollection'] = ${json(qdrant, 'collection.json')};`,
      `export const aliases: Schemas['ChangeAliasesOperation'] = ${json(qdrant, 'aliases.json')};`,
      `export const first: Schemas['ChangeAliasesOperation'] = ${json(qdrant, 'first_alias.json')};`,
      `export const points: Schemas['PointsList'] = ${JSON.stringify({ points: points.points.slice(0, 2).map((point) => ({ ...point, vector: point.vector.slice(0, 2) })) })};`,
      ...readdirSync(qdrant)
        .filter((name) => /^index-\d+\.json$/.test(name))
        .map((name, i) => `export const index${i}: Schemas['CreateFieldIndex'] = ${json(qdrant, name)};`),
    ];
    // Beside the packages, where the compiler finds them.
    const file = join(process.env.SHEAF_MODULES, 'requests.check.ts');
    const check = (text) => {
      writeFileSync(file, text);
      const tsc = join(here, '../../node_modules/typescript/bin/tsc');
      return spawnSync(
        process.execPath,
        [
          tsc,
          '--noEmit',
          '--ignoreConfig',
          '--strict',
          '--skipLibCheck',
          '--module',
          'nodenext',
          '--target',
          'es2022',
          '--types',
          'node',
          '--typeRoots',
          join(here, '../../node_modules/@types'),
          file,
        ],
        { encoding: 'utf8' },
      );
    };
    try {
      const { status, stdout } = check(lines.join('\n'));
      assert.equal(status, 0, stdout);
      assert.notEqual(check(lines.join('\n').replace('"Cosine"', '"cosinus"')).status, 0, 'the check finds nothing');
      assert.notEqual(check(lines.join('\n').replace('"knn_vector"', '"knn"')).status, 0, 'the check finds nothing');
    } finally {
      writeFileSync(file, '');
      (await import('node:fs')).rmSync(file);
    }
  });
});
