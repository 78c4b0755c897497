/**
 * LanceDB; and whether requests for OpenSearch and Qdrant fit the types that their makers publish, hybrid search of OpenSearch
 * among them, whose plugin is not in Maven's repository (the rest runs: opensearch.test.mjs, qdrant.test.mjs).
 *
 * `node --test --test-concurrency=1 tests/backends/*.test.mjs` runs all files here: what needs packages or servers that `npm ci` does not bring.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeOpenSearch, writeQdrant } from '../../dist/node/databases/bulk.js';
import { LanceBackend, LanceFolder } from '../../dist/node/databases/lancedb.js';
import { finish, MAIN, temporaryFolder } from '../node/packed.mjs';
import { request } from './doc_blocks.mjs';
import { installBackends } from './install.mjs';
import { opened, testStore } from './store.mjs';
import { backendSuite, makeBundles } from './suite.mjs';

const here = dirname(fileURLToPath(import.meta.url));
process.env.SHEAF_MODULES ??= installBackends((text) => console.error(text));

backendSuite('LanceDB', async (root) => {
  const folder = await LanceFolder.open(join(root, 'lance'));
  return testStore((rows, options) => folder.load(rows, options), {
    backend: async () => new LanceBackend('lancedb', await LanceFolder.open(join(root, 'lance'))),
    alone: async () => {
      const own = await LanceFolder.open(join(root, 'alone'));
      const { load } = testStore((rows, options) => own.load(rows, options));
      return { load, backend: new LanceBackend('lancedb', await LanceFolder.open(join(root, 'alone'))) };
    },
  });
});

describe('LanceDB, by the commands', () => {
  it('LanceDB takes an export, answers queries, and is named in its errors', async () => {
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
    for (const file of [kiln, join(kiln, 'below')]) {
      const refused = await sheaf('export', kiln, '--to', 'lancedb', '-o', file);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /is a file, or below one; lancedb: takes a folder\.$/m);
    }
    const found = await sheaf('query', 'furnace', '--backend', `lancedb:${place}`, '--json');
    assert.match(JSON.parse(found.stdout).hits[0].url, /furnace/);
  });
});

describe('LanceDB, several exports at once', () => {
  it('Concurrent exports to LanceDB all end well, and conflicts are named', async () => {
    const root = temporaryFolder('lance-many');
    const { kiln, newer, hostile, changed } = await makeBundles(root);
    const place = join(root, 'tables');
    const all = await Promise.all(
      [kiln, newer, hostile, changed, kiln].map(async (path) => {
        const folder = await LanceFolder.open(place);
        for await (const rows of opened([path])) return (await folder.load(rows)).outcome;
      }),
    );
    assert.equal(all.filter((outcome) => outcome === 'unchanged').length, 1);
    assert.deepEqual(
      (await (await LanceFolder.open(place)).held()).map(({ library, version }) => `${library} ${version}`),
      ['@it-s/a_hostile.name 1', 'kiln 1.4.0', 'kiln 2.0.0'],
    );
    assert.equal(existsSync(join(place, 'sheaf.lock')), false);

    const folder = await LanceFolder.open(join(root, 'others'));
    let asked = 0;
    for await (const rows of opened([kiln])) {
      const failing = {
        facts: rows.facts,
        mean: () => rows.mean(),
        groups: () => rows.groups(),
        async *batches() {
          asked++;
          if (asked < failing.from) throw new Error('lance error: Retryable commit conflict for version 7');
          yield* rows.batches();
        },
      };
      failing.from = 9;
      await assert.rejects(folder.load(failing), /^CliError: Another program writes to .*others; nothing was switched/);
      assert.equal(asked, 3);
      [asked, failing.from] = [0, 3];
      assert.equal((await folder.load(failing)).outcome, 'written');
    }
  });
});

describe('LanceDB, tables with vectors of another length', () => {
  it('LanceDB tables with other vector lengths are refused, or replaced when unused', async () => {
    const root = temporaryFolder('lance-lengths');
    const { kiln } = await makeBundles(root);
    const folder = await LanceFolder.open(join(root, 'tables'));
    const loadWith = async (dimensions) => {
      for await (const rows of opened([kiln])) {
        const facts = { ...rows.facts, dimensions, space: `x-${dimensions}`, fingerprint: String(dimensions) };
        const cut = {
          facts,
          mean: () => rows.mean().slice(0, dimensions),
          groups: () => rows.groups(),
          async *batches() {
            for await (const batch of rows.batches()) yield batch.map((row) => ({ ...row, vector: row.vector.slice(0, dimensions) }));
          },
        };
        return await folder.load(cut);
      }
    };
    await loadWith(64);
    await assert.rejects(
      loadWith(32),
      /kiln 1\.4\.0 has vectors of 32 dimensions, and the tables in .*tables have those of 64; remove that folder/,
    );
    await (await folder.table('sheaf_libraries')).delete('true');
    assert.equal((await loadWith(32)).outcome, 'written');
  });
});

describe('LanceDB, tables of an earlier version', () => {
  it('Readers and writers refuse old LanceDB tables by name, with the way out', async () => {
    const root = temporaryFolder('lance-old');
    const { kiln } = await makeBundles(root);
    const place = join(root, 'old tables');
    const { connect } = await import(join(process.env.SHEAF_MODULES, 'node_modules/@lancedb/lancedb/dist/index.js'));
    await (await connect(place)).createTable('sheaf_libraries', [{ library: 'kiln', version: '1.4.0', fingerprint: 'x' }]);
    const said = /old tables were made by an earlier version of Sheaf.*sheaf export; before that, remove that folder/;
    await assert.rejects(new LanceBackend('lancedb', await LanceFolder.open(place)).list(), said);
    const folder = await LanceFolder.open(place);
    for await (const rows of opened([kiln])) await assert.rejects(folder.load(rows), said);
  });
});

// ---- types that OpenSearch and Qdrant publish ------------------------------------------------------

describe('requests', () => {
  it('Requests fit the types of @opensearch-project/opensearch and @qdrant/js-client-rest', async () => {
    const root = temporaryFolder('types');
    const { kiln } = await makeBundles(root);
    const [search, qdrant] = [join(root, 'opensearch'), join(root, 'qdrant')];
    await writeOpenSearch(search, opened([kiln]));
    await writeQdrant(qdrant, opened([kiln]));
    const json = (folder, name) => readFileSync(join(folder, name), 'utf8');
    const index = readdirSync(search).find((name) => name.endsWith('.index.json'));
    const points = JSON.parse(json(qdrant, 'points-1-0001.ndjson').split('\n')[0]);
    const asked = { library: 'kiln', version: '1.4.0', words: 'furnace', vector: [0.5, 0.5] };
    const queries = ['words', 'meaning'].map((name) => request(`opensearch-${name}`, asked).query);
    const lines = [
      "import type { Indices_Create_RequestBody, Indices_UpdateAliases_RequestBody, Search_RequestBody, SearchPipeline_Put_Request } from '@opensearch-project/opensearch/api/index.js';",
      "import type { Schemas } from '@qdrant/js-client-rest';",
      `export const index: Indices_Create_RequestBody = ${json(search, index)};`,
      `export const switched: Indices_UpdateAliases_RequestBody = ${json(search, 'aliases.json')};`,
      `export const pipeline: NonNullable<SearchPipeline_Put_Request['body']> = ${json(search, 'search_pipeline.json')};`,
      `export const search: Search_RequestBody = ${JSON.stringify({ query: { hybrid: { queries } } })};`,
      `export const query: Schemas['QueryRequest'] = ${JSON.stringify(request('qdrant', asked))};`,
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
      assert.notEqual(check(lines.join('\n').replace('"hybrid"', '"both"')).status, 0, 'the check finds nothing');
    } finally {
      writeFileSync(file, '');
      rmSync(file);
    }
  });
});
