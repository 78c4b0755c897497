/** OpenSearch itself: its node and k-NN from Maven's repository, what `sheaf export --to opensearch` writes, and the queries of docs/databases.md. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { finish, MAIN, temporaryFolder } from '../node/packed.mjs';
import { request } from './doc_blocks.mjs';
import { openSearch, startOpenSearch } from './servers.mjs';
import { allRows } from './store.mjs';
import { makeBundles, makeOtherLanguages } from './suite.mjs';

const { missing } = openSearch();

describe('OpenSearch', { skip: missing }, () => {
  const root = temporaryFolder('opensearch');
  let bundles;
  let node;
  let local;

  const ask = async (path, body) => {
    const options =
      body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${node.url}${path}`, options);
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${text}`);
    return JSON.parse(text);
  };
  const found = async (body) => (await ask('/sheaf/_search', body)).hits.hits;
  /** Exports by the command and sends by its script. */
  const send = async (paths, ...flags) => {
    const folder = join(root, 'requests');
    const env = { PATH: process.env.PATH, HOME: root, OPENSEARCH_URL: node.url };
    const exported = await finish(
      spawn(process.execPath, [MAIN, 'export', ...paths, '--to', 'opensearch', '-o', folder, ...flags], { env }),
    );
    assert.equal(exported.code, 0, exported.stderr);
    const sent = await finish(spawn('sh', [join(folder, 'load.sh')], { env }));
    assert.equal(sent.code, 0, sent.stderr);
    return sent;
  };
  const indices = async () => (await ask('/_cat/indices/sheaf-*?format=json')).map(({ index }) => index).sort();
  const aliased = async () => Object.keys(await ask('/_alias/sheaf')).sort();
  const rowsOf = async (path) => (await allRows(path)).rows;

  before(async () => {
    bundles = await makeBundles(root);
    node = await startOpenSearch(root);
    local = await open(bundles.kiln);
  });
  after(async () => {
    await local?.close();
    await node?.stop();
  });

  it('OpenSearch takes every row that load.sh sends, and reports that it cannot normalise', async () => {
    const { stderr } = await send([bundles.kiln, bundles.newer, bundles.hostile]);
    assert.match(stderr, /No search pipeline/); // this node has no neural-search
    const rows = [...(await rowsOf(bundles.kiln)), ...(await rowsOf(bundles.newer)), ...(await rowsOf(bundles.hostile))];
    const all = await found({ size: 1000, query: { match_all: {} } });
    assert.deepEqual(all.map(({ _id }) => _id).sort(), rows.map(({ id }) => id).sort());
    const byId = new Map(all.map(({ _id, _source }) => [_id, _source]));
    for (const { id, vector, lastModified, firstLine, lastLine, ...rest } of rows) {
      const { vector: stored, ...own } = byId.get(id);
      assert.deepEqual(own, { ...rest, last_modified: lastModified, first_line: firstLine, last_line: lastLine });
      assert.ok(stored.every((v, i) => Math.abs(v - vector[i]) < 1e-5));
    }
  });

  it("OpenSearch finds the bundle's hits by words and meaning, within one library version", async () => {
    for (const query of ['how do I install kiln', 'firing schedule', 'furnace', 'secure the dashboard with a password']) {
      const asked = { library: 'kiln', version: '1.4.0', words: query, vector: [...(await local.embed(query))] };
      const words = await found(request('opensearch-words', asked));
      const own = await local.search(query, { mode: 'keyword', by: 'passage', prefix: false });
      // Each ranks words in its own way: what OpenSearch has first is among the bundle's first pages.
      const pages = [...new Set(own.hits.map(({ url }) => url))].slice(0, 3);
      assert.ok(pages.includes(words[0]._source.url), `${query}: ${words[0]._source.url} is none of ${pages}`);
      const meaning = await found(request('opensearch-meaning', asked));
      const meant = await local.search(query, { mode: 'semantic', by: 'passage', topK: 10, explain: true });
      for (const [i, hit] of meant.hits.slice(0, 5).entries()) {
        // Lucene's score is (1 + cosine) / 2.
        assert.ok(Math.abs(2 * meaning[i]._score - 1 - hit.explanation.cosine) < 0.02, query);
      }
      assert.equal(meaning[0]._source.url, meant.hits[0].url, query);
      const versions = await found({ ...request('opensearch-words', asked), _source: ['library', 'version'] });
      for (const { _source } of versions) assert.deepEqual(_source, { library: 'kiln', version: '1.4.0' });
    }
  });

  it("OpenSearch finds other word forms and unspaced text by each library's analyzer", async () => {
    const others = await makeOtherLanguages(root);
    const kept = await aliased();
    await send(Object.values(others));
    for (const [library, words, source] of [
      ['malen-de', 'Ebenenmaske', 'masken.md'],
      ['malen-de', 'Grosse', 'masken.md'],
      ['malen-ja', 'レイヤー', 'masks.md'],
      ['malen-km', 'រូបភាព', 'image.md'],
      ['malen-km', 'ភាព', 'image.md'],
    ]) {
      const hits = await found(request('opensearch-words', { library, version: '1', words, vector: [] }));
      assert.equal(hits[0]?._source.url, `https://kiln.example/docs/${source.replace('.md', '')}`, `${library} ${words}`);
    }
    assert.equal(
      (await found(request('opensearch-words', { library: 'kiln', version: '1.4.0', words: 'furnaces', vector: [] }))).length > 0,
      true,
    );
    assert.equal((await aliased()).length, kept.length + Object.keys(others).length);
    for (const name of (await aliased()).filter((each) => !kept.includes(each))) await fetch(`${node.url}/${name}`, { method: 'DELETE' });
  });

  it('OpenSearch receives no second upload of the same bundles', async () => {
    const written = async () => (await ask('/sheaf-*/_stats/indexing')).indices;
    const before = await written();
    await send([bundles.kiln, bundles.newer, bundles.hostile]);
    const later = await written();
    assert.deepEqual(Object.keys(later).sort(), Object.keys(before).sort());
    for (const [name, { uuid, primaries }] of Object.entries(later))
      assert.deepEqual([uuid, primaries.indexing.index_total], [before[name].uuid, before[name].primaries.indexing.index_total]);
  });

  it("OpenSearch replaces a version's content, and keeps other versions until they are dropped", async () => {
    await send([bundles.changed]);
    const asked = { library: '@it-s/a_hostile.name', version: '1', vector: [] };
    assert.equal((await found(request('opensearch-words', { ...asked, words: 'hostileword' }))).length, 0);
    assert.equal((await found(request('opensearch-words', { ...asked, words: 'replacementword' }))).length, 1);
    assert.equal((await aliased()).length, 3);
    assert.deepEqual(await indices(), await aliased());
    await send([bundles.newer], '--only');
    assert.deepEqual(
      (await aliased()).map((name) => name.replace(/^sheaf-([0-9a-f]{16}-){3}/, '')),
      ['it-s-a-hostile-name-1', 'kiln-2-0-0'].sort((a, b) => (a < b ? -1 : 1)),
    );
    assert.deepEqual(await indices(), await aliased());
  });

  it('OpenSearch keeps all versions of a library that one export names', async () => {
    await send([bundles.kiln, bundles.newer], '--only');
    assert.deepEqual((await aliased()).map((name) => name.replace(/^sheaf-([0-9a-f]{16}-){3}/, '')).sort(), [
      'it-s-a-hostile-name-1',
      'kiln-1-4-0',
      'kiln-2-0-0',
    ]);
    assert.deepEqual(await indices(), await aliased());
    await send([bundles.newer], '--only');
    assert.deepEqual([(await aliased()).length, await indices()], [2, await aliased()]);
  });

  it('OpenSearch resumes an export that broke off', async () => {
    // As if the script had been stopped behind its first rows: an index without its alias.
    const rows = await rowsOf(bundles.kiln);
    await send([bundles.kiln]);
    const name = (await aliased()).find((each) => each.endsWith('-kiln-1-4-0'));
    await ask('/_aliases', { actions: [{ remove: { index: name, alias: 'sheaf' } }] });
    for (const { id } of rows.slice(5)) await fetch(`${node.url}/${name}/_doc/${id}?refresh=true`, { method: 'DELETE' });
    assert.equal((await ask(`/${name}/_count`)).count, 5);
    await send([bundles.kiln]);
    assert.equal((await ask(`/${name}/_count`)).count, rows.length);
    assert.ok((await aliased()).includes(name));
  });
});
