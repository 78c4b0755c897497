/** withTransformer: from the static table to a transformer without a gap, and back when it fails. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { SheafError } from '../../dist/browser/client/errors.js';
import { withTransformer } from '../../dist/browser/encoder/upgrade.js';
import { packFixture, temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('upgrade');
const file = join(folder, 'kiln.sheaf');
const keywordsOnly = join(folder, 'keywords.sheaf');
const QUERY = 'keep passwords out of files';
let table;

before(async () => {
  await packFixture(file);
  await packFixture(keywordsOnly, { options: ['--encoder', 'none'] });
  table = await open(file);
});
after(() => table.close());

const opened = [];
const closing = (library) => (opened.push(library), library);
afterEach(() => Promise.all(opened.splice(0).map((library) => library.close())));

/** An encoder of the bundle's space that embeds by another text's static vector, so that its answers differ from the table's. */
function otherEncoder(more = {}) {
  return {
    name: 'other',
    space: 'minilm-l6-256',
    dimensions: 256,
    precision: 'int8',
    calls: [],
    closed: false,
    async embed(text) {
      this.calls.push(text);
      return table.embed('install the package with apt');
    },
    async close() {
      this.closed = true;
    },
    ...more,
  };
}

const deferred = () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

describe('a library with a transformer on its way', () => {
  it('A library answers by the table until the transformer is ready, then by it', async () => {
    const { promise, resolve } = deferred();
    const states = [];
    const library = closing(withTransformer(await open(file), promise, { onState: (state) => states.push(state.kind) }));
    assert.equal(library.state.kind, 'loading');
    const byTable = await library.search(QUERY, { explain: true });
    assert.deepEqual(byTable, await table.search(QUERY, { explain: true }));

    const encoder = otherEncoder();
    resolve(encoder);
    assert.deepEqual(await library.ready, { kind: 'ready', name: 'other', precision: 'int8' });
    const byTransformer = await library.search(QUERY, { explain: true });
    assert.deepEqual(encoder.calls, [QUERY]);
    assert.deepEqual(byTransformer, await table.search(QUERY, { explain: true, vector: await encoder.embed('') }));
    assert.notDeepEqual(byTransformer, byTable);
    assert.deepEqual(states, ['ready']);
  });

  it('A library stays with the table without a transformer, and says why', async () => {
    const library = closing(withTransformer(await open(file), Promise.reject(new SheafError('NETWORK', 'no network'))));
    const state = await library.ready;
    assert.equal(state.kind, 'failed');
    assert.equal(state.error.code, 'NETWORK');
    assert.deepEqual(await library.search(QUERY), await table.search(QUERY));
  });

  it('A library answers a failed embedding by the table, and stops after three', async () => {
    const encoder = otherEncoder({
      async embed() {
        throw new SheafError('RUNTIME', 'out of memory');
      },
    });
    const library = closing(withTransformer(await open(file), encoder));
    for (let i = 0; i < 3; i++) {
      assert.equal(library.state.kind, 'ready');
      assert.deepEqual(await library.search(QUERY), await table.search(QUERY));
    }
    assert.equal(library.state.kind, 'failed');
    assert.match(library.state.error.message, /out of memory/);
    assert.equal(library.info.semantic, true);
  });

  it('A library counts failures in a row only', async () => {
    let turn = 0;
    const encoder = otherEncoder({
      async embed() {
        if (turn++ % 3 < 2) throw new SheafError('RUNTIME', 'now and then');
        return table.embed('clock');
      },
    });
    const library = closing(withTransformer(await open(file), encoder));
    for (let i = 0; i < 9; i++) await library.search(QUERY);
    assert.equal(library.state.kind, 'ready');
  });

  it('A library passes an abort on instead of answering', async () => {
    const controller = new AbortController();
    const encoder = otherEncoder({
      embed: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new SheafError('ABORTED', 'aborted')))),
    });
    const library = closing(withTransformer(await open(file), encoder));
    const search = library.search(QUERY, { signal: controller.signal });
    controller.abort();
    await assert.rejects(search, { code: 'ABORTED' });
    assert.equal(library.state.kind, 'ready');
  });

  it('A library asks the transformer only where meaning counts', async () => {
    const encoder = otherEncoder();
    const library = closing(withTransformer(await open(file), encoder));
    const vector = await table.embed('clock');
    for (const options of [{ mode: 'keyword' }, { semanticWeight: 0 }, { vector }]) {
      assert.deepEqual(await library.search(QUERY, options), await table.search(QUERY, options));
    }
    assert.deepEqual(await library.search('  '), await table.search('  '));
    assert.deepEqual(encoder.calls, []);
  });

  it('A library lets a search by meaning alone wait where there is no table', async () => {
    const { promise, resolve } = deferred();
    const library = closing(withTransformer(await open(file, { encoder: false }), promise));
    assert.equal(library.info.semantic, false);
    const words = await library.search(QUERY);
    assert.equal(words.usedSemantic, false);
    assert.ok(words.hits.length > 0, 'keywords answer at once');
    const search = library.search(QUERY, { mode: 'semantic' });
    resolve(otherEncoder());
    assert.equal((await search).usedSemantic, true);
    assert.equal(library.info.semantic, true);
  });

  it('A library ends a search that waits for the transformer when its signal fires', async () => {
    const { promise, resolve } = deferred();
    const library = closing(withTransformer(await open(file, { encoder: false }), promise));
    const controller = new AbortController();
    const search = library.search(QUERY, { mode: 'semantic', signal: controller.signal });
    controller.abort();
    await assert.rejects(search, { code: 'ABORTED' });
    resolve(otherEncoder());
    assert.equal((await library.ready).kind, 'ready');
  });

  it("A library reports no failure when closed during a query's encoding", async () => {
    const { promise, reject } = deferred();
    const states = [];
    const encoder = otherEncoder({ embed: () => promise, close: async () => reject(new SheafError('CLOSED', 'closed')) });
    const library = withTransformer(await open(file), encoder, { closeEncoder: true, onState: ({ kind }) => states.push(kind) });
    const ended = assert.rejects(library.search(QUERY), { code: 'CLOSED' });
    await library.close();
    await ended;
    assert.deepEqual(states, ['ready']);
  });

  it('A library refuses an encoder of another space, naming both', async () => {
    const other = otherEncoder({ space: 'bge-small-en-v1-5', dimensions: 384 });
    const library = await open(file);
    assert.throws(() => withTransformer(library, other), { code: 'SPACE_MISMATCH', message: /minilm-l6-256.*bge-small-en-v1-5/s });
    const later = closing(withTransformer(library, Promise.resolve(other)));
    assert.equal((await later.ready).error.code, 'SPACE_MISMATCH');
    assert.deepEqual(await later.search(QUERY), await table.search(QUERY));
  });

  it('A library with a transformer refuses a bundle without vectors', async () => {
    const library = closing(await open(keywordsOnly));
    assert.throws(() => withTransformer(library, otherEncoder()), { code: 'NO_VECTORS' });
  });

  it('A library leaves the encoder open for others unless told to close it', async () => {
    const kept = otherEncoder();
    await withTransformer(await open(file), kept).close();
    assert.equal(kept.closed, false);
    const own = otherEncoder();
    await withTransformer(await open(file), own, { closeEncoder: true }).close();
    assert.equal(own.closed, true);
    const late = otherEncoder();
    const { promise, resolve } = deferred();
    const library = withTransformer(await open(file), promise, { closeEncoder: true });
    await library.close();
    resolve(late);
    await library.ready;
    assert.equal(late.closed, true);
  });
});
