/** Near-identical hits: web/browser/client/copies.ts, and what the command line and the tools say of them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filledUp, withoutCopies } from '../../dist/browser/client/copies.js';
import { openAll } from '../../dist/browser/client/federated.js';
import { renderAnswer } from '../../dist/cli/query.js';
import { CoreHost } from '../../dist/browser/client/core_host.js';
import { asFiles } from '../../dist/browser/page/file_open.js';
import { open } from '../../dist/node/client/node.js';
import { HostedLibrary } from '../../dist/node/published/hosted_library.js';
import { packFixture, TABLE, temporaryFolder } from './packed.mjs';

const LONG = 'Fire the kiln slowly, at most a hundred degrees an hour, until the clay has lost all of its water.';
const hit = (page, snippet = LONG, more = {}) => ({
  ...{ page, passage: page * 10, score: 1 - page / 10, title: `Page ${page}`, place: [], url: `p${page}.html`, source: `p${page}.md` },
  ...{ anchor: 'fire', headings: ['Fire'], firstLine: 1, lastLine: 2, kind: 'text', snippet },
  ...{ highlights: [], titleHighlights: [], headingHighlights: [] },
  ...more,
});

describe('near-identical hits', () => {
  it('The best of near-identical hits names the pages of the others', () => {
    const kept = withoutCopies([hit(1), hit(2, 'Something else.'), hit(3), hit(4)]);
    assert.deepEqual(
      kept.map(({ page }) => page),
      [1, 2],
    );
    assert.deepEqual(kept[0].alsoIn, [
      { page: 3, passage: 30, title: 'Page 3', url: 'p3.html', source: 'p3.md', anchor: 'fire' },
      { page: 4, passage: 40, title: 'Page 4', url: 'p4.html', source: 'p4.md', anchor: 'fire' },
    ]);
    assert.equal(kept[1].alsoIn, undefined);
  });

  it('Spaces make no difference, numbers and words do', () => {
    assert.equal(withoutCopies([hit(1), hit(2, LONG.replace(', until', ',\n until'))]).length, 1);
    assert.equal(withoutCopies([hit(1, `${LONG} Step 1`), hit(2, `${LONG} Step 2`)]).length, 2);
    assert.equal(withoutCopies([hit(1), hit(2, `${LONG} More.`)]).length, 2);
  });

  it('Short passages and passages below other headings stay hits of their own', () => {
    assert.equal(withoutCopies([hit(1, 'Returns its argument.'), hit(2, 'Returns its argument.')]).length, 2);
    assert.equal(withoutCopies([hit(1), hit(2, LONG, { headings: ['Glaze'] })]).length, 2);
  });

  it('Passages of one page stay hits of their own', () => {
    assert.equal(withoutCopies([hit(1), hit(1, LONG, { passage: 11 })]).length, 2);
  });

  it('The command line says where a hit stands too', () => {
    const hits = withoutCopies([hit(1), hit(3)]);
    const answer = { hits, corrections: [], matchingPassages: 2, ignoredWords: 0, usedKeyword: true, usedSemantic: false, weak: false };
    assert.match(renderAnswer(answer, '1.4'), /also in Page 3 \(p3\.html#fire\)/);
  });
});

/** Twelve ways to fire a kiln, each on two pages that say other things too. */
async function packCopies(folder) {
  const docs = join(folder, 'docs');
  mkdirSync(docs);
  for (let way = 0; way < 12; ++way)
    for (const page of ['a', 'b'])
      writeFileSync(
        join(docs, `${10 + way}${page}.md`),
        `# Chapter ${page} ${way}\n\n${`The clay ${page}${page} of shelf ${way * 7} waits for its ${page} glaze on day ${way}, and for nobody else. `.repeat(12)}\n\n## Way ${way}\n\n${`Fire the kiln slowly by way ${way}, at most a hundred degrees an hour, until the clay ${way} has lost all of its water. `.repeat(12)}\n`,
      );
  return packFixture(join(folder, 'copies.sheaf'), { docs });
}

describe('places that copies took', () => {
  const folder = temporaryFolder('copies');
  let bundle;
  let searches = 0;
  const { search } = CoreHost.prototype;
  before(async () => {
    bundle = await packCopies(folder);
    CoreHost.prototype.search = function (...given) {
      searches += 1;
      return search.apply(this, given);
    };
  });
  after(() => {
    CoreHost.prototype.search = search;
  });
  const QUERY = 'fire the kiln slowly until the clay has lost its water';
  const distinct = (hits) => new Set(hits.map(({ headings }) => headings.at(-1))).size;

  it('Ten hits are shown where there are ten, after one more search at most', async (t) => {
    const library = await open(bundle, { encoder: TABLE });
    t.after(() => library.close());
    const vector = await library.embed(QUERY);
    for (const more of [{ mode: 'keyword' }, { mode: 'semantic' }, { mode: 'hybrid' }, { mode: 'hybrid', vector }, { by: 'passage' }]) {
      searches = 0;
      const { hits } = await library.search(QUERY, { topK: 10, ...more });
      assert.equal(hits.length, 10, JSON.stringify(more));
      assert.ok(searches <= 2, JSON.stringify(more));
      assert.ok(
        hits.some(({ alsoIn }) => alsoIn !== undefined),
        JSON.stringify(more),
      );
    }
    const { hits } = await library.search(QUERY, { topK: 10, mode: 'keyword' });
    assert.equal(distinct(hits), 10);
    searches = 0;
    await library.search('shelf 14', { topK: 1, mode: 'keyword' });
    assert.equal(searches, 1, 'no copies, no second search');
  });

  it('A longer list begins with the shorter one', async (t) => {
    const library = await open(bundle, { encoder: TABLE });
    t.after(() => library.close());
    const of = async (topK) => (await library.search(QUERY, { topK, mode: 'keyword' })).hits.map(({ passage }) => passage);
    const long = await of(12);
    assert.equal(long.length, 12);
    for (const topK of [3, 5, 10]) assert.deepEqual(await of(topK), long.slice(0, topK));
  });

  it('Twice as many are asked for again, once, and only for the places of copies', async () => {
    const asked = [];
    const ask = (hits) =>
      filledUp(hits, { topK: 2, most: 1000 }, async (topK) => {
        asked.push(topK);
        return [hit(1), hit(2), hit(3, 'Something else.'), hit(4, 'Another thing.')].slice(0, topK);
      });
    const copies = [hit(1), hit(2)];
    assert.deepEqual(
      (await ask(copies)).map(({ page }) => page),
      [1, 3],
    );
    assert.deepEqual(asked.splice(0), [4]);
    await ask([hit(1)]);
    await ask([hit(1), hit(3, 'Something else.')]);
    assert.deepEqual(asked, [], 'none is left, or none is a copy');
  });

  it('Pages with copies have the addresses and numbers of hits, whoever passes them on', async (t) => {
    const library = { info: { manifest: { base_url: '/docs/' } }, search: async () => ({ hits: withoutCopies([hit(1), hit(3)]) }) };
    const url = async (of) => (await of.search('x')).hits[0].alsoIn[0].url;
    assert.equal(await url(new HostedLibrary(library, new URL('https://kiln.example/v1/'))), 'https://kiln.example/v1/p3.html');
    assert.equal(await url(asFiles({ ...library })), '/docs/p3.md');
    const federated = await openAll(
      ['one', 'two'].map((label) => ({ src: bundle, label, encoder: TABLE })),
      { open },
    );
    t.after(() => federated.close());
    const { hits } = await federated.search(QUERY, { mode: 'keyword', topK: 24 });
    const second = hits.find(({ bundle: of, alsoIn }) => of === 1 && alsoIn !== undefined);
    const { passage, page, title } = second.alsoIn[0];
    assert.equal((await federated.page(page)).title, title);
    assert.equal((await federated.passage(passage)).page, page);
  });
});
