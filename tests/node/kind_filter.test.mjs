/** `kind:function` in a query: only entries of that kind, in the box, `sheaf query` and the tools. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { kindFilter } from '../../dist/browser/client/kind_filter.js';
import { open } from '../../dist/node/client/node.js';
import { createOpenground } from '../../dist/node/mcp/contracts/openground/index.js';
import { createPool } from '../../dist/node/mcp/pool.js';
import { packFixture, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('kind-filter');
const store = join(root, 'store');
const bundle = join(store, 'pots@1.sheaf');
let library, pool, search;

before(async () => {
  const docs = join(root, 'docs');
  mkdirSync(docs);
  mkdirSync(store);
  writeFileSync(
    join(docs, 'pots.md'),
    `# Settings of pots\n\n## \`pots.fire\`\n\nThe heat of a firing.\n\n# Functions\n\n## \`fire()\`\n\nHeats pots.\n\n## \`unfire()\`\n\nDeprecated. Cools pots.\n`,
  );
  await packFixture(bundle, { docs, library: 'pots', version: '1' });
  library = await open(bundle);
  const log = () => {};
  pool = createPool(log, { store });
  const { tools } = createOpenground({ pool, log, config: () => undefined, env: {}, cwd: root });
  const tool = tools.find(({ name }) => name === 'search_documents_tool');
  search = (args) =>
    tool.call({
      args: { library_name: 'pots', version: '1', ...args },
      signal: new AbortController().signal,
      progress() {},
    });
});
after(() => Promise.all([library?.close(), pool?.close()]));

const named = ({ hits }) => hits.map(({ symbol }) => symbol && `${symbol.kind} ${symbol.name}`);

describe('the filter by kind', () => {
  it('A filter by kind is a word of its own with a kind that exists', () => {
    assert.deepEqual(kindFilter('kind:function fire'), { text: 'fire', kind: 'function' });
    assert.deepEqual(kindFilter('fire kind:setting'), { text: 'fire', kind: 'setting' });
    for (const text of ['fire', 'kind:pot fire', 'unkind:function', 'kind:functions', 'kind:function.fire'])
      assert.deepEqual(kindFilter(text), { text });
  });

  it('A query with a kind has entries of this kind alone', async () => {
    assert.deepEqual(
      named(await library.search('fire'))
        .slice(0, 2)
        .sort(),
      ['function fire', 'setting pots.fire'],
    );
    assert.deepEqual(named(await library.search('kind:function fire')), ['function fire']);
    assert.deepEqual(named(await library.search('fire kind:setting')), ['setting pots.fire']);
    assert.deepEqual(named(await library.search('kind:macro fire')), []);
  });

  it('An agent asks for a kind by an argument or in its query, of all wordings', async () => {
    const of = async (args) => named((await search(args)).structured);
    assert.deepEqual(await of({ query: 'kind:function fire' }), ['function fire']);
    assert.deepEqual(await of({ query: 'fire', kind: 'setting' }), ['setting pots.fire']);
    assert.deepEqual(await of({ query: 'fire', kind: 'setting', other_wordings: ['unfire'] }), ['setting pots.fire']);
    const { text } = await search({ query: 'fire', kind: 'macro' });
    assert.match(text, /^Found 0 matches\.\n.*names no macro of this library/);
    assert.match((await search({ query: 'fire', kind: 'pot' })).text, /'kind' must be one of module, class, .*not/);
  });
});
