/** What the client makes of files that a later version of Sheaf could write (docs/format.md, tests/unit/golden_test.cc). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../dist/node/client/node.js';

const golden = (name) => fileURLToPath(new URL(`../golden/${name}`, import.meta.url));
const TABLE = golden('tomorrow/table.sheaf');
const QUERIES = ['cache', 'use effect', 'asyncio.gahter', 'memoize', 'C++'];

describe('a bundle of tomorrow', () => {
  it('A future bundle with unknown sections answers like one without them', async () => {
    const [today, tomorrow] = await Promise.all(
      ['v1/tiny.sheaf', 'tomorrow/additions.sheaf'].map((name) => open(golden(name), { encoder: TABLE })),
    );
    for (const query of QUERIES) assert.deepEqual(await tomorrow.search(query), await today.search(query), query);
    assert.ok((await tomorrow.verify()) > 0);
    await Promise.all([today.close(), tomorrow.close()]);
  });

  it('A future bundle of another language is read and searched by meaning alone', async () => {
    const library = await open(golden('tomorrow/analysis.sheaf'), { encoder: TABLE });
    assert.match((await library.page('guide/caching.md')).text, /cache/);
    assert.equal((await library.search('memoize', { mode: 'semantic' })).hits[0].source, 'guide/caching.md');
    for (const mode of ['keyword', 'hybrid']) {
      await assert.rejects(library.search('cache', { mode }), {
        code: 'UNKNOWN_ANALYSIS',
        message: /woodpile .*'de', tokenizer 3, stemmer 7; this reader lacks them: update Sheaf/,
      });
    }
    await library.facets(); // no words
    await library.prefetch();
    await library.close();
  });
});

describe('an encoder table of tomorrow', () => {
  it('A future encoder table is refused by name, and words are searched on', async () => {
    const table = golden('tomorrow/query_version.sheaf');
    const refused = { code: 'UNSUPPORTED_VERSION', message: /'test-16' is for query version 2, this reader knows 1/ };
    await assert.rejects(open(golden('v1/tiny.sheaf'), { encoder: table }), refused);
    const library = await open(golden('v1/tiny.sheaf'), { encoder: table, deferEncoder: true });
    await assert.rejects(library.search('cache'), refused);
    assert.equal((await library.search('cache', { mode: 'keyword' })).hits[0].source, 'guide/caching.md');
    await library.close();
  });
});

describe('the manifest', () => {
  it('The manifest is parsed once, however often it is read', async (t) => {
    const parse = t.mock.method(JSON, 'parse');
    const library = await open(golden('v1/tiny.sheaf'), { encoder: false });
    const { manifest } = library.info;
    const after = parse.mock.callCount();
    for (let i = 0; i < 100; i++) assert.equal(library.info.manifest, manifest);
    await library.facets();
    assert.equal(parse.mock.callCount(), after);
    assert.equal(parse.mock.calls.filter((call) => call.arguments[0].includes('"library": "woodpile"')).length, 1);
    await library.close();
  });
});
