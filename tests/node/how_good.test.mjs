/** docs/how-good.md: its questions are those of the rule, and its cells say what was answered. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { answerCell, chosen, counts, document, EACH, SETS } from '../quality/how_good.mjs';
import { describeCollection } from '../quality/peers/collections.mjs';
import { fts5, whyNoFts5 } from '../quality/peers/fts5.mjs';

const page = readFileSync(new URL('../../docs/how-good.md', import.meta.url), 'utf8');
const plain = (text) => text.replace(/\\/g, '');

describe('how good is it', () => {
  it('The questions of the page are those whose ids have the smallest hashes, of each set that is here', () => {
    const headings = [...page.matchAll(/^## \d+\. (.*)$/gm)].map(([, text]) => plain(text));
    assert.equal(headings.length, Object.keys(SETS).length * EACH);
    let checked = 0;
    Object.keys(SETS).forEach((set, at) => {
      const { queries: file } = describeCollection(set);
      if (!existsSync(file)) return; // the shared sets are no part of the product
      const queries = readFileSync(file, 'utf8').trim().split('\n').map(JSON.parse);
      assert.deepEqual(
        headings.slice(at * EACH, (at + 1) * EACH),
        chosen(queries).map(({ query }) => plain(query)),
        set,
      );
      checked += 1;
    });
    assert.ok(checked >= 3);
  });

  it('The choice depends on the ids alone, and not on their order', () => {
    const queries = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));
    assert.deepEqual(chosen(queries), chosen([...queries].reverse()));
    assert.equal(chosen(queries, 3).length, 3);
  });

  it('An answer is bold where it was judged to answer, and no title is Markdown', () => {
    const answer = [
      { id: 1, title: 'A|B *c*' },
      { id: 2, title: '' },
    ];
    assert.equal(answerCell(answer, new Set([2])), '1. A\\|B \\*c\\*<br>2. **(no title)** ✓');
    assert.equal(answerCell([], new Set()), 'nothing');
  });

  it('The counts at the top are those of the questions below', () => {
    const rows = Object.fromEntries(
      [...page.matchAll(/^\| (Sheaf|Pagefind|MiniSearch|SQLite FTS5)[^|]*\| (\d+) \| (\d+) \|$/gm)].map(([, name, ...n]) => [
        name,
        n.map(Number),
      ]),
    );
    const names = ['Sheaf', 'Pagefind', 'MiniSearch', 'SQLite FTS5'];
    const cells = [...page.matchAll(/^\| Sheaf \| Pagefind .*\n.*\n\| (.*) \|$/gm)].map(([, row]) => row.split(/ (?<!\\)\| /));
    assert.equal(cells.length, 10);
    names.forEach((name, column) => {
      const first = cells.filter((row) => /^1\. \*\*/.test(row[column])).length;
      const three = cells.filter((row) => row[column].includes('✓')).length;
      assert.deepEqual(rows[name], [first, three], name);
    });
    const questions = [
      { relevant: new Set([1]), answers: { X: [{ id: 2 }, { id: 1 }] } },
      { relevant: new Set([3]), answers: { X: [{ id: 3 }] } },
    ];
    assert.deepEqual(counts(questions, 'X'), { first: 1, three: 2 });
  });

  it('The document names the version of each search engine', () => {
    const answers = Object.fromEntries(['Sheaf', 'Pagefind', 'MiniSearch', 'SQLite FTS5'].map((name) => [name, [{ id: 0, title: 'T' }]]));
    const text = document([{ set: 'vue', query: 'a <b>?', relevant: new Set([0]), answers }], {
      Sheaf: '1',
      Pagefind: '2',
      MiniSearch: '3',
      'SQLite FTS5': '4',
    });
    assert.match(text, /^\| Pagefind 2 \| 1 \| 1 \|$/m);
    assert.match(text, /^## 1\. a \\<b\\>\?\n\nAsked of: Vue\.$/m);
  });

  it("SQLite's search ranks by words, and finds nothing where there are none", async (t) => {
    const missing = whyNoFts5();
    if (missing) return t.skip(missing);
    const pageOf = (id, title, text) => ({ id, title, headings: [], text });
    const { engines, close } = await fts5(undefined, {
      pages: [pageOf(0, 'Glaze', 'A glaze on pots.'), pageOf(1, 'Fire', 'Firing the kiln "slowly".')],
      passages: [],
    });
    assert.deepEqual(await engines[0].rank({ query: 'how to fire a kiln?' }), [1, 0]);
    assert.deepEqual(await engines[0].rank({ query: '"' }), []);
    await close();
  });
});
