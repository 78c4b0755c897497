/** Bundles as rows of databases: PostgreSQL with pgvector (PGlite), Parquet, and the folders for OpenSearch and Qdrant. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { open } from '../../dist/node/client/node.js';
import { backendAddress, openBackend, parseAddress } from '../../dist/node/databases/address.js';
import { factsOfBundle } from '../../dist/node/databases/bundle_rows.js';
import {
  indexName,
  openSearchAnalyzer,
  openSearchIndex,
  qdrantText,
  slug,
  writeOpenSearch,
  writeQdrant,
} from '../../dist/node/databases/bulk.js';
import { analysisOf } from '../../dist/node/databases/language.js';
import { writeParquet } from '../../dist/node/databases/parquet.js';
import { connectFolder, connectServer, load, PostgresBackend, shownServer } from '../../dist/node/databases/postgres.js';
import { schema } from '../../dist/node/databases/postgres_schema.js';
import { writeScript } from '../../dist/node/databases/postgres_file.js';
import { arrayText, copyField, lexeme, sqlText, tsvectorText, vectorText } from '../../dist/node/databases/quote.js';
import { rowId } from '../../dist/node/databases/row.js';
import { allRows, opened, testStore } from '../backends/store.mjs';
import { backendSuite, makeBundles } from '../backends/suite.mjs';
import { finish, MAIN, manyPages, packFixture, temporaryFolder } from './packed.mjs';
import { connect } from './mcp_client.mjs';

const root = temporaryFolder('databases');
const curl = spawnSync('curl', ['--version']).status === 0 ? false : 'there is no curl';
let bundles;
before(async () => {
  bundles = await makeBundles(root);
});

function sheaf(args, env = {}) {
  return finish(spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, HOME: root, ...env } }));
}

backendSuite('PostgreSQL with pgvector (PGlite)', async () => {
  const connection = await connectFolder('memory:');
  return testStore((rows, options) => load(connection, rows, options), {
    backend: async () => new PostgresBackend('pglite', connection),
    alone: async () => {
      const own = await connectFolder('memory:');
      const { load: loadOwn } = testStore((rows, options) => load(own, rows, options));
      return { load: loadOwn, backend: new PostgresBackend('pglite', own), close: () => own.close() };
    },
  });
});

describe('PostgreSQL without pgvector', () => {
  it('PostgreSQL without pgvector is told what to install, and takes texts alone', async () => {
    const { PGlite } = await import('@electric-sql/pglite');
    const plain = await PGlite.create();
    for await (const rows of opened([bundles.kiln]))
      await assert.rejects(load(plain, rows), /no pgvector, which vectors need\. Install it on the server .*: --no-vectors\./);
    assert.deepEqual((await plain.query("SELECT 1 FROM pg_tables WHERE tablename LIKE 'sheaf%'")).rows, []);
    for await (const rows of opened([bundles.kiln], { vectors: false })) assert.equal((await load(plain, rows)).outcome, 'written');
    await plain.close();
  });
});

describe('PostgreSQL, tables of an earlier version', () => {
  it('Old PostgreSQL tables are refused by name, with the way out, by every user', async () => {
    const connection = await connectFolder('memory:');
    for await (const rows of opened([bundles.kiln])) await load(connection, rows);
    await connection.exec('ALTER TABLE sheaf_libraries DROP COLUMN analysis');
    const said = /sheaf_terms were made by an earlier version of Sheaf.*sheaf export; before that, DROP TABLE sheaf_libraries/;
    await assert.rejects(new PostgresBackend('pglite', connection).list(), said);
    for await (const rows of opened([bundles.kiln])) await assert.rejects(load(connection, rows), said);
    await assert.rejects(connection.exec(schema(256)), said);
    await connection.exec('DROP TABLE sheaf_libraries, sheaf_passages, sheaf_terms');
    for await (const rows of opened([bundles.kiln])) assert.equal((await load(connection, rows)).outcome, 'written');
    await connection.close();
  });
});

describe('languages', () => {
  it('Stemmers are those of the language tag', () => {
    for (const [tag, language] of [
      ['de-AT', 'de'],
      ['nn', 'no'],
      ['EN-us', 'en'],
      ['cs', ''],
      ['none', ''],
      ['', ''],
      ['enm', ''],
    ])
      assert.equal(analysisOf(tag), language, tag);
  });
});

describe('rows', () => {
  it("Rows are the bundle's passages, with ids made of their content", async () => {
    const [one, again] = [await allRows(bundles.kiln), await allRows(bundles.kiln)];
    const library = await open(bundles.kiln);
    assert.equal(one.rows.length, library.info.passages);
    await library.close();
    assert.deepEqual(one.rows, again.rows);
    assert.equal(one.facts.fingerprint, again.facts.fingerprint);
    assert.equal(new Set(one.rows.map(({ id }) => id)).size, one.rows.length);
    for (const { id, vector } of one.rows) {
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(vector.length, 256);
      assert.ok(Math.abs(vector.reduce((sum, v) => sum + v * v, 0) - 1) < 1e-3);
    }
  });

  it('Rows get new ids with new content', async () => {
    const { rows } = await allRows(bundles.kiln);
    const { id, ...row } = rows[0];
    assert.equal(rowId(row), id);
    for (const change of [
      { version: '2' },
      { text: `${row.text} ` },
      { firstLine: 7 },
      { headings: [...row.headings, 'x'] },
      { vector: row.vector.map((v) => -v) },
    ])
      assert.notEqual(rowId({ ...row, ...change }), id);
  });

  it('Rows state language, licence and rating, however the manifest says them', () => {
    const info = { library: 'x', version: '1', pages: 1, passages: 1, space: 's', dimensions: 4, language: 'de', manifest: '{}' };
    const said = (manifest) => {
      const { language, licence, safesearch } = factsOfBundle({ ...info, manifest: JSON.stringify(manifest) }, {});
      return [language, licence, safesearch];
    };
    assert.deepEqual(said({ language: 'de-AT', license: 'MIT', safesearch: 'strict' }), ['de-AT', 'MIT', 'strict']);
    assert.deepEqual(said({ language: 'none' }), ['none', '', '']);
    assert.deepEqual(said({ language: '"; DROP', safesearch: null }), ['de', '', '']);
    // A rating that nobody knows hides a library; it must not turn into none.
    assert.deepEqual(said({ safesearch: { level: 2 } }), ['de', '', '{"level":2}']);
    assert.equal(factsOfBundle({ ...info, language: '', manifest: 'no JSON' }, {}).language, 'none');
  });

  it('Rows state the licence, and go without vectors on request', async () => {
    const { facts, rows } = await allRows(bundles.kiln, { licence: 'CC-BY-4.0', vectors: false });
    assert.deepEqual([facts.licence, facts.space, facts.dimensions], ['CC-BY-4.0', '', 0]);
    assert.ok(rows.every(({ licence, vector }) => licence === 'CC-BY-4.0' && vector === undefined));
    assert.notEqual(facts.fingerprint, (await allRows(bundles.kiln)).facts.fingerprint);
  });
});

describe('quoting', () => {
  it('Quoting escapes the end of a value', () => {
    assert.equal(sqlText("it's \\ \0"), "'it''s \\ \ufffd'");
    assert.equal(copyField('a\\.\n\tb\r'), 'a\\\\.\\n\\tb\\r');
    assert.equal(copyField(undefined), '\\N');
    assert.equal(copyField('\\N'), '\\\\N');
    assert.equal(arrayText(['a "b"', '\\', 'NULL', '']), '{"a \\"b\\"","\\\\","NULL",""}');
    assert.equal(vectorText([0.1234567, -0, 1]), '[0.123457,0,1]');
    assert.equal(lexeme("it's \\ a"), "'it''s \\\\ a'");
    assert.equal(tsvectorText('a b a'), "'a':1,2 'b':1");
  });
});

describe('Parquet', () => {
  it('Parquet holds every row, and gives the same file again', async () => {
    const [path, again] = ['a.parquet', 'b.parquet'].map((name) => join(root, name));
    const written = await writeParquet(path, opened([bundles.kiln, bundles.hostile]));
    await writeParquet(again, opened([bundles.kiln, bundles.hostile]));
    assert.deepEqual(readFileSync(path), readFileSync(again));
    assert.deepEqual(
      readdirSync(root).filter((name) => name.endsWith('.tmp')),
      [],
    );
    const file = readFileSync(path);
    const read = await parquetReadObjects({ file: file.buffer.slice(file.byteOffset, file.byteOffset + file.length) });
    const rows = [...(await allRows(bundles.kiln)).rows, ...(await allRows(bundles.hostile)).rows];
    assert.equal(
      read.length,
      written.reduce((sum, each) => sum + each.rows, 0),
    );
    for (const [i, row] of rows.entries()) {
      const { vector, headings, text, library, id, first_line: firstLine } = read[i];
      assert.deepEqual(
        { headings, text, library, id, firstLine },
        { headings: row.headings, text: row.text, library: row.library, id: row.id, firstLine: row.firstLine },
      );
      assert.deepEqual(Float32Array.from(vector), row.vector);
    }
  });
});

describe('the script for psql', () => {
  it('The script for psql loads text with its own end marks, only once', async () => {
    const script = join(root, 'load.sql');
    await writeScript(script, opened([bundles.kiln, bundles.hostile]));
    const { PGlite } = await import('@electric-sql/pglite');
    const { vector } = await import('@electric-sql/pglite-pgvector');
    const db = await PGlite.create({ extensions: { vector } });
    const rowsNow = async () =>
      (await db.query('SELECT p.xmin::text AS written, p.id, p.text, p.headings FROM sheaf_passages p ORDER BY library, passage')).rows;
    await runScript(db, readFileSync(script, 'utf8'));
    const rows = await rowsNow();
    const expected = [...(await allRows(bundles.hostile)).rows, ...(await allRows(bundles.kiln)).rows];
    assert.deepEqual(
      rows.map(({ id, text, headings }) => ({ id, text, headings })),
      expected.map(({ id, text, headings }) => ({ id, text, headings })),
    );
    await runScript(db, readFileSync(script, 'utf8'));
    assert.deepEqual(await rowsNow(), rows, 'rows were written again');
    const backend = new PostgresBackend('pglite', db);
    const held = (await backend.list()).find(({ library }) => library === 'kiln');
    const found = await backend.candidates(held, { words: [{ stem: 'furnac', weight: 1 }], depth: 1 });
    assert.match(found[0].row.title, /furnace/i);
    await db.close();
  });

  it('The script for psql is applied whole or not at all', async () => {
    const script = join(root, 'whole.sql');
    writeFileSync(script, 'as it was');
    async function* broken() {
      yield* opened([bundles.kiln]);
      throw new Error('a broken bundle');
    }
    await assert.rejects(writeScript(script, broken()), /a broken bundle/);
    assert.equal(readFileSync(script, 'utf8'), 'as it was');
    assert.deepEqual(
      readdirSync(root).filter((name) => name.startsWith('whole.sql')),
      ['whole.sql'],
    );
  });

  it('The script for psql needs no pgvector without vectors', async () => {
    const script = join(root, 'texts.sql');
    await writeScript(script, opened([bundles.kiln], { vectors: false }));
    assert.doesNotMatch(readFileSync(script, 'utf8').replace(/^COPY [^]*?^\\\.$/gm, ''), /EXTENSION|embedding|\bvector\b/);
  });

  /** As psql does: statements, and the lines after COPY … FROM stdin up to `\.`. */
  async function runScript(db, text) {
    for (const part of text.split(/^(COPY .* FROM stdin;\n[^]*?^\\\.\n)/m)) {
      const [, head, data] = /^(COPY .*) FROM stdin;\n([^]*)^\\\.\n$/m.exec(part) ?? [];
      if (head === undefined) await db.exec(part.replace(/^\\.*$/gm, ''));
      else await db.query(`${head} FROM '/dev/blob'`, [], { blob: new Blob([data]) });
    }
  }
});

describe('folders of requests', () => {
  it('Folders of requests name an index by its content', async () => {
    const [{ facts }, { facts: changed }] = [await allRows(bundles.hostile), await allRows(bundles.changed)];
    const [a, b] = [indexName(facts), indexName(changed)];
    assert.match(a.name, /^sheaf-([0-9a-f]{16}-){3}[a-z0-9-]+$/);
    assert.notEqual(a.name, b.name);
    assert.equal(a.ofVersion, b.ofVersion);
    assert.ok(a.name.startsWith(a.ofVersion.slice(0, -1)));
    assert.equal(slug('…'), 'x');
    assert.equal(openSearchIndex(facts).mappings.properties.vector.dimension, 256);
    assert.equal(openSearchIndex({ ...facts, dimensions: 0 }).mappings.properties.vector, undefined);
  });

  it("Folders of requests read texts by their language's rules, where the database can", () => {
    const analyzers = {
      en: 'sheaf_english',
      'de-AT': 'german',
      nb: 'norwegian',
      'pt-BR': 'brazilian',
      pt: 'portuguese',
      ja: 'cjk',
      'zh-TW': 'cjk',
    };
    for (const [tag, name] of Object.entries({ ...analyzers, cs: 'czech', th: 'sheaf_pairs', sr: 'sheaf_plain', none: 'sheaf_plain' }))
      assert.equal(openSearchAnalyzer(tag), name, tag);
    const shape = (...tags) => {
      const { tokenizer, stemmer } = qdrantText(tags);
      return [tokenizer, stemmer?.language];
    };
    assert.deepEqual(shape('en', 'en-GB'), ['word', 'english']);
    assert.deepEqual(shape('de', 'de-AT'), ['word', 'german']);
    assert.deepEqual(shape('en', 'de'), ['word', undefined], 'stems are of one language');
    assert.deepEqual(shape('sr'), ['word', undefined], 'Qdrant has no stems of it');
    assert.deepEqual(shape('ja'), ['multilingual', undefined]);
    assert.deepEqual(shape('en', 'zh-CN'), ['multilingual', undefined]);
  });

  it('Folders of requests refuse a place with other files', async () => {
    const folder = join(root, 'mine');
    mkdirSync(folder);
    writeFileSync(join(folder, 'thesis.txt'), 'x');
    await assert.rejects(writeOpenSearch(folder, opened([bundles.kiln])), /folder with other files/);
    assert.deepEqual(readdirSync(folder), ['thesis.txt']);
  });

  for (const [name, write, variable] of [
    ['OpenSearch', writeOpenSearch, 'OPENSEARCH_URL'],
    ['Qdrant', writeQdrant, 'QDRANT_URL'],
  ]) {
    it(`Folders of requests reach ${name} whole, and are not sent again`, { skip: curl }, async () => {
      const folder = join(root, name);
      await write(folder, opened([bundles.kiln, bundles.hostile]));
      await write(folder, opened([bundles.kiln, bundles.hostile])); // over itself
      const seen = [];
      const aliases = new Set();
      const made = new Set();
      let alias = '';
      const server = await answering(({ method, url, body }) => {
        seen.push({ method, url, body });
        for (const { add, create_alias: switched } of url.includes('alias') && body ? JSON.parse(body).actions : []) {
          if (add) aliases.add(add.index);
          if (switched) alias = switched.collection_name;
        }
        if (url.endsWith('/_alias/sheaf') && !aliases.has(url.split('/')[1])) return 404;
        if (method === 'GET' && /^\/(collections\/)?sheaf-[^/]+$/.test(url)) return made.has(url) ? '{}' : 404;
        if (method === 'PUT') made.add(url);
        const all = { result: { aliases: alias ? [{ alias_name: 'sheaf', collection_name: alias }] : [] } };
        return JSON.stringify(url === '/aliases' ? all : { errors: false });
      });
      const first = await send(folder, variable, server);
      assert.equal(first.code, 0, first.stderr);
      const rows = [...(await allRows(bundles.kiln)).rows, ...(await allRows(bundles.hostile)).rows];
      const sent = seen.flatMap(({ url, body }) =>
        url.includes('/_bulk?')
          ? body
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line))
          : url.includes('/points')
            ? JSON.parse(body).points
            : [],
      );
      const ids = name === 'Qdrant' ? sent.map(({ id }) => id) : sent.filter(({ index }) => index).map(({ index }) => index._id);
      assert.deepEqual(ids.sort(), rows.map(({ id }) => id).sort());
      const texts =
        name === 'Qdrant' ? sent.map(({ payload }) => payload.text) : sent.filter(({ text }) => text !== undefined).map(({ text }) => text);
      assert.deepEqual(texts.sort(), rows.map(({ text }) => text).sort());
      const switched = seen.findIndex(({ method, url, body }) => method === 'POST' && url.includes('alias') && body.includes('sheaf'));
      assert.ok(switched > seen.findLastIndex(({ url }) => /_bulk|points/.test(url)), 'the alias was switched before all rows were there');
      seen.length = 0;
      const again = await send(folder, variable, server);
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(
        seen.filter(({ url }) => /_bulk|points/.test(url)),
        [],
      );
      server.close();
    });
  }
});

describe('the script for OpenSearch', () => {
  it("The script for OpenSearch drops a library's unnamed indices, and none of several named", { skip: curl }, async () => {
    const folder = join(root, 'opensearch-only');
    await writeOpenSearch(folder, opened([bundles.kiln, bundles.newer]), { only: true });
    const names = readFileSync(join(folder, 'indices.txt'), 'utf8').trim().split('\n');
    const { ofLibrary } = indexName((await allRows(bundles.kiln)).facts);
    const old = `${ofLibrary.slice(0, -1)}old`;
    const { actions } = JSON.parse(readFileSync(join(folder, 'aliases.json'), 'utf8'));
    assert.deepEqual(
      actions.map(({ remove, add }) => (remove ? `-${remove.index}` : `+${add.index}`)),
      [`-${ofLibrary}`, ...names.map((name) => `+${name}`)],
    );
    const gone = [];
    const server = await answering(({ method, url }) => {
      if (method === 'DELETE') gone.push(url);
      return url.startsWith('/_cat/indices/') ? [...names, old, 'of-others'].join('\n') : '{"errors":false}';
    });
    const sent = await send(folder, 'OPENSEARCH_URL', server);
    assert.equal(sent.code, 0, sent.stderr);
    assert.deepEqual(gone, [`/${old}`]);
    server.close();
  });

  it('The script for OpenSearch stops with the reason for refused rows or indices', { skip: curl }, async () => {
    const folder = join(root, 'opensearch-refused');
    await writeOpenSearch(folder, opened([bundles.kiln]));
    const tried = async (answer) => {
      const seen = [];
      const server = await answering(({ method, url }) => {
        seen.push(`${method} ${url}`);
        return answer(method, url) ?? (method === 'GET' ? 404 : '{"errors":false}');
      });
      const sent = await send(folder, 'OPENSEARCH_URL', server);
      server.close();
      assert.notEqual(sent.code, 0);
      assert.equal(seen.includes('POST /_aliases'), false);
      return sent.stderr;
    };
    const refused = '{"errors":true,"items":[{"index":{"error":{"reason":"disk is full"}}}]}';
    assert.match(
      await tried((_, url) => (url.includes('/_bulk') ? refused : undefined)),
      /Rows of sheaf-.*-0001\.ndjson were refused: .*disk is full/,
    );
    assert.match(await tried((method, url) => (method === 'PUT' && url.startsWith('/sheaf-') ? 400 : undefined)), /400/);
  });
});

describe('the script for Qdrant', () => {
  it('The script for Qdrant clears old and broken exports that no alias has', { skip: curl }, async () => {
    const folder = join(root, 'qdrant-others');
    await writeQdrant(folder, opened([bundles.kiln]));
    const { actions } = JSON.parse(readFileSync(join(folder, 'first_alias.json'), 'utf8'));
    const own = actions[0].create_alias.collection_name;
    const [older, broken] = ['sheaf-0123456789abcdef', 'sheaf-fedcba9876543210'];
    for (const alias of [older, own]) {
      const seen = [];
      const server = await answering(({ method, url }) => {
        seen.push(`${method} ${url}`);
        if (url === '/aliases') return JSON.stringify({ result: { aliases: [{ alias_name: 'sheaf', collection_name: alias }] } });
        const names = [broken, own, 'mine', 'sheaf-notes', older];
        return url === '/collections' ? JSON.stringify({ result: { collections: names.map((name) => ({ name })) } }) : '{}';
      });
      const sent = await send(folder, 'QDRANT_URL', server);
      server.close();
      assert.equal(sent.code, 0, sent.stderr);
      assert.deepEqual(
        seen.filter((each) => each.startsWith('DELETE')),
        [`DELETE /collections/${broken}`, `DELETE /collections/${older}`],
      );
      assert.equal(seen.includes('POST /collections/aliases'), alias === older);
      if (alias === older) assert.ok(seen.indexOf('POST /collections/aliases') < seen.indexOf(`DELETE /collections/${older}`));
    }
  });
});

/** A server on loopback; `answer` gives the text of a reply, or a status. */
async function answering(answer) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const said = answer({ method: request.method, url: request.url, body });
      response.writeHead(typeof said === 'number' ? said : 200, { 'content-type': 'application/json' });
      response.end(typeof said === 'number' || request.method === 'HEAD' ? '' : said);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function send(folder, variable, server) {
  const env = { PATH: process.env.PATH, [variable]: `http://127.0.0.1:${server.address().port}` };
  return finish(spawn('sh', [join(folder, 'load.sh')], { env }));
}

describe('an export that does not end', () => {
  const targets = { parquet: 'x.parquet', pgvector: 'x.sql', opensearch: 'requests', qdrant: 'points' };
  let many;
  before(async () => {
    many = await packFixture(join(root, 'many.sheaf'), { docs: manyPages(join(root, 'many'), 3000), library: 'many', version: '1' });
  });

  it('A failed export leaves nothing', async () => {
    const writers = { parquet: writeParquet, pgvector: writeScript, opensearch: writeOpenSearch, qdrant: writeQdrant };
    for (const [target, write] of Object.entries(writers)) {
      const folder = join(root, `failing-${target}`);
      mkdirSync(folder);
      async function* broken() {
        yield* opened([bundles.kiln]);
        throw new Error('a broken bundle');
      }
      await assert.rejects(write(join(folder, targets[target]), broken()), /a broken bundle/, target);
      assert.deepEqual(readdirSync(folder), [], target);
    }
  });

  it("An interrupted export leaves nothing, and a killed one's remains go next time", async () => {
    for (const [target, name] of Object.entries(targets)) {
      const folder = join(root, `ended-${target}`);
      mkdirSync(folder);
      const args = [MAIN, 'export', many, '--to', target, '-o', join(folder, name)];
      const ended = async (signal) => {
        const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, HOME: root } });
        const done = finish(child);
        // A folder says whose it is before it holds anything else.
        const least = name.includes('.') ? 1 : 3;
        while (readdirSync(folder, { recursive: true }).length < least && child.exitCode === null)
          await new Promise((resolve) => setTimeout(resolve, 2));
        child.kill(signal);
        return done;
      };
      const { code, stderr } = await ended('SIGINT');
      assert.deepEqual([code, readdirSync(folder)], [130, []], `${target}: ${stderr}`);
      assert.match(stderr, /Interrupted; finished exports stay/);
      assert.equal((await ended('SIGKILL')).signal, 'SIGKILL');
      assert.notDeepEqual(readdirSync(folder), [], target);
      const whole = await sheaf(['export', bundles.kiln, '--to', target, '-o', join(folder, name)]);
      assert.equal(whole.code, 0, whole.stderr);
      assert.deepEqual(readdirSync(folder), [name]);
    }
  });
});

describe('the commands', () => {
  it('The commands export into a database, query it, and serve it to an agent', async () => {
    const place = `pglite:${join(root, 'pg')}`;
    const exported = await sheaf(['export', bundles.kiln, '--to', 'pgvector', '-o', place, '--json']);
    assert.equal(exported.code, 0, exported.stderr);
    assert.equal(JSON.parse(exported.stdout).bundles[0].outcome, 'written');
    const found = await sheaf(['query', 'furnace', '--backend', place, '--json']);
    assert.equal(found.code, 0, found.stderr);
    const { library, hits } = JSON.parse(found.stdout);
    assert.equal(library, 'kiln');
    assert.match(hits[0].url, /furnace/);
    const { client, close } = await connect({ args: ['--backend', place] });
    const { structuredContent } = await client.callTool({
      name: 'search_documents_tool',
      arguments: { query: 'furnace', library_name: 'kiln', version: '1.4.0' },
    });
    assert.match(structuredContent.hits[0].url, /furnace/);
    await close();
  });

  it("The commands drop a library's unnamed versions, and keep the named", async () => {
    const place = `pglite:${join(root, 'pg-only')}`;
    const old = await packFixture(join(root, 'old.sheaf'), { version: '1.3.0' });
    const listed = async () => {
      const backend = await openBackend(backendAddress(place));
      const all = (await backend.list()).map(({ library, version }) => `${library} ${version}`);
      await backend.close();
      return all;
    };
    const run = async (...paths) => {
      const done = await sheaf(['export', ...paths, '--to', 'pgvector', '-o', place]);
      assert.equal(done.code, 0, done.stderr);
      return done.stdout;
    };
    await run(old, bundles.hostile);
    await run(bundles.kiln, bundles.newer, bundles.kiln, '--only');
    assert.deepEqual(await listed(), ['@it-s/a_hostile.name 1', 'kiln 1.4.0', 'kiln 2.0.0']);
    assert.match(await run(bundles.newer, bundles.kiln, '--only'), /2\.0\.0: unchanged.*\n.*1\.4\.0: unchanged/);
    assert.equal((await listed()).length, 3);

    const script = join(root, 'only.sql');
    assert.equal((await sheaf(['export', bundles.kiln, bundles.newer, '--to', 'pgvector', '-o', script, '--only'])).code, 0);
    const gone = readFileSync(script, 'utf8').match(/^DELETE .*NOT IN.*$/gm);
    assert.equal(gone.length, 3);
    for (const each of gone) assert.match(each, /WHERE library = 'kiln' AND version NOT IN \('1\.4\.0', '2\.0\.0'\);$/);

    const twice = await sheaf(['export', bundles.hostile, bundles.changed, '--to', 'pgvector', '-o', place]);
    assert.equal(twice.code, 2);
    assert.match(twice.stderr, /a_hostile\.name 1 is named twice, with different content: .*hostile\.sheaf and .*changed\.sheaf/);
  });

  it('The commands open a PGlite folder in one process, and name the holder', async () => {
    const folder = join(root, 'pg-held');
    const link = join(root, 'pg-link');
    const place = `pglite:${folder}`;
    const file = join(folder, 'sheaf.lock');
    const listed = async () => (await sheaf(['query', 'furnace', '--backend', place, '--json'])).code;
    const connection = await connectFolder(folder);
    for await (const rows of opened([bundles.kiln])) await load(connection, rows);
    symlinkSync(folder, link);
    const held = JSON.parse(readFileSync(file, 'utf8'));
    assert.equal(held.pid, process.pid);
    utimesSync(file, new Date(0), new Date(0)); // one that computes for long touches nothing
    for (const args of [
      ['export', bundles.newer, '--to', 'pgvector', '-o', place],
      ['export', bundles.newer, '--to', 'pgvector', '-o', `pglite:${link}`],
      ['query', 'furnace', '--backend', place],
    ]) {
      const { code, stderr } = await sheaf(args);
      assert.equal(code, 1, stderr);
      assert.match(stderr, new RegExp(`pg-(held|link) is open in another process \\(pid ${process.pid}\\).*lancedb:FOLDER`));
    }
    await connection.close();
    assert.equal(existsSync(file), false);
    assert.equal(await listed(), 0);
    // What a process left that was killed: its number is nobody's, or another's by now.
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    const leftovers = [{ ...held, pid: ended }, ...(held.started === undefined ? [] : [{ ...held, started: '1' }])];
    // In another container a process cannot be looked for, nor by half a lock: who lives touches it.
    const others = [{ ...held, namespace: 'pid:[1]' }, ''];
    for (const holder of [...leftovers, ...others]) {
      writeFileSync(file, holder === '' ? '' : JSON.stringify(holder));
      if (others.includes(holder)) {
        assert.equal(await listed(), 1, 'it may be touched yet');
        utimesSync(file, new Date(0), new Date(0));
      }
      await (await connectFolder(folder)).close(); // as the command does, which would start the database anew
      assert.equal(existsSync(file), false);
    }
  });

  it('The commands name the fault, and no password', async () => {
    const wrong = async (args, code, pattern, env) => {
      const { code: exit, stderr } = await sheaf(args, env);
      assert.equal(exit, code, stderr);
      assert.match(stderr, pattern);
      assert.doesNotMatch(stderr, /hunter2/);
    };
    await wrong(['export', '--to', 'lancedb'], 2, /Name the bundles/);
    await wrong(['export', bundles.kiln, '--to', 'excel'], 2, /--to takes parquet, pgvector/);
    await wrong(
      ['export', bundles.kiln, '--to', 'parquet', '-o', 'postgres://me:hunter2@x/db'],
      2,
      /does not go to an address of postgres/,
    );
    await wrong(['export', bundles.kiln, '--to', 'qdrant', '--only'], 2, /--only/);
    for (const [target, place, kind] of [
      ['parquet', 'lancedb:x', 'lancedb'],
      ['parquet', 'https://me:hunter2@h.example/x', 'https'],
      ['lancedb', 's3://bucket/x', 's3'],
      ['lancedb', 'pglite:x', 'pglite'],
      ['pgvector', 'lancedb:x', 'lancedb'],
      ['pgvector', 'mysql://me:hunter2@h/x', 'mysql'],
      ['pgvector', 'pglite:', 'pglite'],
    ])
      await wrong(
        ['export', bundles.kiln, '--to', target, '-o', place],
        2,
        new RegExp(`--to ${target} does not go to an address of ${kind}\\.$`, 'm'),
      );
    for (const [target, place] of [
      ['opensearch', 'https://me:hunter2@h.example/x'],
      ['qdrant', 'http://localhost:6333'],
    ])
      await wrong(
        ['export', bundles.kiln, '--to', target, '-o', place],
        2,
        new RegExp(`does not go to.*whose load\\.sh sends it to \\$${target.toUpperCase()}_URL`),
      );
    for (const [target, place] of [
      ['pgvector', `pglite:${bundles.kiln}`],
      ['pgvector', `pglite:${bundles.kiln}/below`],
    ])
      await wrong(
        ['export', bundles.kiln, '--to', target, '-o', place],
        2,
        /kiln\.sheaf(\/below)? is a file, or below one; pglite: takes a folder/,
      );
    await wrong(['export', bundles.kiln, '--to', 'pgvector', '-o', `pglite:${root}`], 2, /is a folder with other files, and no database/);
    await wrong(['export', bundles.kiln, '--to', 'parquet', '-o', root], 2, /is a folder; name a file/);
    await wrong(['export', bundles.kiln, '--to', 'qdrant', '-o', bundles.kiln], 1, /cannot be written to: it is a file/);
    const empty = join(root, 'empty');
    mkdirSync(empty);
    for (const place of ['.', '..', empty]) {
      const env = { PATH: process.env.PATH, HOME: root };
      const { code, stderr } = await finish(
        spawn(process.execPath, [MAIN, 'export', bundles.kiln, '--to', 'qdrant', '-o', place], { env, cwd: empty }),
      );
      assert.equal(code, 2, stderr);
      assert.match(stderr, /is the working directory or holds it/);
    }
    assert.deepEqual(readdirSync(empty), []);
    await wrong(['query', 'x', '--backend', 'mysql://me:hunter2@x/db'], 2, /--backend takes lancedb:FOLDER/);
    await wrong(['query', 'x', '--backend', 'pglite:/nowhere/at/all'], 4, /There is no folder/);
    await wrong(['mcp', '--backend', 'lancedb:x', '--store', 'y'], 2, /--store, --backend and sites/);
    await wrong(
      ['export', bundles.kiln, '--to', 'lancedb', '-o', join(root, 'l')],
      1,
      /needs @lancedb\/lancedb, which is not installed.*npm install/,
      { SHEAF_MODULES: root },
    );
    assert.throws(
      () => backendAddress('hunter2'),
      (error) => !error.message.includes('hunter2'),
    );
    assert.deepEqual(parseAddress('./folder'), undefined);
    assert.equal(parseAddress('lancedb:x').kind, 'lancedb');
  });
});

describe('addresses of PostgreSQL', () => {
  it('Addresses of PostgreSQL are shown without possible passwords', async () => {
    assert.equal(shownServer('postgres://me:secret@db:5433/docs'), 'postgres://db:5433/docs');
    for (const address of ['postgres://me:1234/s3cret@db/docs', 'postgres://me:1234#s3cret@db/docs', 'postgres://me:12?s3cret@db/docs']) {
      assert.equal(shownServer(address), 'postgres://', address);
      await assert.rejects(connectServer(address), (error) => !/s3cret|1234/.test(error.message) && /%2F/.test(error.message));
    }
  });
});
