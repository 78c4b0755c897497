/**
 * PostgreSQL as servers: with pgvector, from PyPI; and Debian's, which has none in Debian 12, for words alone. PGlite, which needs no server,
 * is in the main suite (tests/node/databases.test.mjs).
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { backendAddress, openBackend } from '../../dist/node/databases/address.js';
import { DatabaseLibrary } from '../../dist/node/databases/database_library.js';
import { connectServer, load } from '../../dist/node/databases/postgres.js';
import { writeScript } from '../../dist/node/databases/postgres_file.js';
import { queryVectors } from '../../dist/node/databases/query_vectors.js';
import { finish, MAIN, manyPages, packFixture, temporaryFolder } from '../node/packed.mjs';
import { blocks } from './doc_blocks.mjs';
import { installBackends } from './install.mjs';
import { debianPostgres, pypiPostgres, startPostgres } from './servers.mjs';
import { opened, testStore } from './store.mjs';
import { backendSuite, makeBundles, makeOtherLanguages } from './suite.mjs';

process.env.SHEAF_MODULES ??= installBackends((text) => console.error(text));

const psql = (env, ...args) =>
  execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

// ---- with pgvector -------------------------------------------------------------------------------

const withVectors = pypiPostgres();

describe('PostgreSQL, a server with pgvector', { skip: withVectors.missing }, () => {
  let server;
  const root = temporaryFolder('pgvector');
  const password = process.env.PGPASSWORD;

  before(async () => {
    server = await startPostgres(withVectors.bin, root);
    process.env.PGPASSWORD = server.env.PGPASSWORD;
  });
  after(async () => {
    if (password === undefined) delete process.env.PGPASSWORD;
    else process.env.PGPASSWORD = password;
    await server?.stop();
  });

  backendSuite(
    'PostgreSQL with pgvector, a server',
    async () => {
      const connection = await connectServer(server.address);
      return testStore((rows, options) => load(connection, rows, options), {
        backend: () => openBackend(backendAddress(server.address)),
        alone: async () => {
          psql(server.env, '-c', 'CREATE DATABASE alone');
          const address = server.address.replace(/postgres$/, 'alone');
          const own = await connectServer(address);
          const backend = await openBackend(backendAddress(address));
          const { load: loadOwn } = testStore((rows, options) => load(own, rows, options));
          return { load: loadOwn, backend, close: async () => [await own.close(), await backend.close()] };
        },
        close: () => connection.close(),
      });
    },
    { dropsFunctionWords: true },
  );

  it('PostgreSQL takes several exports at once into an empty database', async () => {
    const bundles = await makeBundles(mkdtempSync(join(root, 'several-')));
    psql(server.env, '-c', 'CREATE DATABASE several');
    const address = server.address.replace(/postgres$/, 'several');
    const all = await Promise.all(
      [bundles.kiln, bundles.newer, bundles.hostile, bundles.kiln].map(async (path) => {
        const connection = await connectServer(address);
        try {
          for await (const rows of opened([path])) return (await load(connection, rows)).outcome;
        } finally {
          await connection.close();
        }
      }),
    );
    assert.equal(all.length, 4);
    const backend = await openBackend(backendAddress(address));
    assert.equal((await backend.list()).length, 3);
    await backend.close();
  });

  it('PostgreSQL builds the vector graph in memory, whatever memory the server gives', { skip: debianPostgres().missing }, async () => {
    const many = await packFixture(join(root, 'many.sheaf'), { docs: manyPages(join(root, 'many'), 1500), library: 'many', version: '1' });
    const script = join(root, 'many.sql');
    await writeScript(script, opened([many]));
    psql(server.env, '-c', 'CREATE DATABASE many');
    const env = { ...server.env, PGDATABASE: 'many', PGOPTIONS: '-c maintenance_work_mem=1MB' };
    const { status, stderr } = spawnSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-f', script], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /no longer fits/);
    const by = (sql) => psql(env, '-At', '-c', sql).trim();
    assert.match(by("SELECT indexdef FROM pg_indexes WHERE indexname = 'sheaf_passages_embedding'"), /USING hnsw/);
    // It is this notice that would have come.
    psql(env, '-c', 'DROP INDEX sheaf_passages_embedding');
    const plain = 'CREATE INDEX ON sheaf_passages USING hnsw (embedding vector_cosine_ops)';
    assert.match(spawnSync('psql', ['-c', plain], { env, encoding: 'utf8' }).stderr, /no longer fits/);
  });

  it('A PostgreSQL dump restores elsewhere with its words', { skip: debianPostgres().missing }, async () => {
    const others = await makeOtherLanguages(root);
    psql(server.env, '-c', 'CREATE DATABASE before', '-c', 'CREATE DATABASE restored');
    const connection = await connectServer(server.address.replace(/postgres$/, 'before'));
    for await (const rows of opened(Object.values(others))) await load(connection, rows);
    await connection.close();
    // The program of the server's own version: an older one refuses.
    const dump = execFileSync(join(server.bin, 'pg_dump'), ['-d', 'before'], { env: server.env, encoding: 'utf8', maxBuffer: 1 << 28 });
    const file = join(root, 'dump.sql');
    writeFileSync(file, dump.replace(/^(\\(un)?restrict .*|SET transaction_timeout.*)$/gm, '')); // of newer programs
    psql(server.env, '-d', 'restored', '-o', join(root, 'said'), '-f', file);
    const count = (name, sql) => psql(server.env, '-d', name, '-At', '-c', sql).trim();
    const words = 'SELECT md5(string_agg(words::text, chr(10) ORDER BY id)) FROM sheaf_passages';
    assert.equal(count('restored', words), count('before', words));
    assert.equal(count('restored', "SELECT count(*) FROM sheaf_passages WHERE library = 'malen-ja' AND stems @@ '''レイ'''"), '1');
  });

  it('PostgreSQL answers SQL as docs/databases.md says, after script and command alike', {
    skip: debianPostgres().missing,
  }, async () => {
    const { kiln } = await makeBundles(root);
    psql(server.env, '-c', 'CREATE DATABASE scripted', '-c', 'CREATE DATABASE exported');
    const env = { ...server.env, HOME: root, SHEAF_MODULES: process.env.SHEAF_MODULES };
    const sheaf = (...args) => finish(spawn(process.execPath, [MAIN, ...args], { env }));
    const script = join(root, 'kiln.sql');
    assert.equal((await sheaf('export', kiln, '--to', 'pgvector', '-o', script)).code, 0);
    psql(server.env, '-d', 'scripted', '-f', script);
    psql(server.env, '-d', 'scripted', '-f', script);
    const address = server.address.replace(/postgres$/, 'exported');
    const exported = await sheaf('export', kiln, '--to', 'pgvector', '-o', address);
    assert.equal(exported.code, 0, exported.stderr);

    const local = await open(kiln);
    const query = 'secure the dashboard with a password';
    const vector = `[${[...(await local.embed(query))].join(',')}]`;
    const [statement] = blocks('sql');
    const asked = statement.replace('connection pool', query).replace('[…]', vector).replaceAll("'fastapi', '0.115'", "'kiln', '1.4.0'");
    assert.notEqual(asked, statement);
    const own = (await local.search(query, { prefix: false })).hits[0].url;
    await local.close();
    // Titles, URLs and anchors; the last digit of a score may differ.
    const answers = ['scripted', 'exported'].map((name) =>
      psql(server.env, '-d', name, '-At', '-c', asked)
        .trim()
        .split('\n')
        .map((line) => line.replace(/\|[^|]*$/, '')),
    );
    assert.deepEqual(answers[0], answers[1]);
    assert.ok(
      answers[0].slice(0, 3).some((line) => line.includes(own)),
      answers[0].join('\n'),
    );
    // The index serves the question by meaning; a sequence of rows would, too, but not over millions.
    const plan = psql(
      server.env,
      '-d',
      'scripted',
      '-At',
      '-c',
      `SET enable_seqscan = off; SET enable_sort = off; EXPLAIN SELECT id FROM sheaf_passages ORDER BY embedding <=> '${vector}' LIMIT 5`,
    );
    assert.match(plan, /Index Scan using sheaf_passages_embedding/);
    const found = await sheaf('query', query, '--backend', address, '--json');
    assert.equal(JSON.parse(found.stdout).hits[0].url, own, found.stderr);
  });
});

// ---- Debian's, without ------------------------------------------------------------------------------

const debian = debianPostgres();

describe("PostgreSQL, Debian's server", { skip: debian.missing }, () => {
  it("Debian's PostgreSQL takes the script by psql, answers by words, and hides its password", async () => {
    const root = temporaryFolder('pg');
    const server = await startPostgres(debian.bin, root);
    const { env, port } = server;
    try {
      const bundles = await makeBundles(root);
      const script = join(root, 'texts.sql');
      const written = (...paths) => writeScript(script, opened(paths, { vectors: false }));
      const run = () => psql(env, '-f', script);
      await written(bundles.kiln, bundles.hostile);
      run();
      run();
      await written(bundles.changed);
      run();
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
      const kiln = new DatabaseLibrary(backend, listed[1], queryVectors('none'));
      const local = await open(bundles.kiln);
      for (let id = 0; id < local.info.pages; id++) assert.deepEqual(await kiln.page(id), await local.page(id));
      assert.equal((await kiln.search('furnace')).hits[0].url, (await local.search('furnace')).hits[0].url);
      const hostile = new DatabaseLibrary(backend, listed[0], queryVectors('none'));
      assert.equal((await hostile.search('replacementword')).hits.length, 1);
      assert.equal((await hostile.search('hostileword')).hits.length, 0);
      await local.close();
      assert.doesNotMatch(backend.name, /owner|hunter2/);
      // A server that was away is asked again.
      psql(env, '-c', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sheaf'");
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
      await server.stop();
    }
  });
});
