import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { chartOf, parseCsv } from '../quality/chart.mjs';
import { findDrop, LEAST, NOISE } from '../quality/drops.mjs';
import { COLUMNS, markdown, rowsOf } from '../quality/peers.mjs';
import { plainText } from '../quality/peers/collections.mjs';
import { htmlOf } from '../quality/peers/pagefind.mjs';
import { contentOf, pagesOf, recordsOf, withoutStopWords } from '../quality/peers/records.mjs';
import { batchesByLength, openCache, WIDTH } from '../quality/peers/vectors.mjs';
import { averagePrecision, parseRun } from '../quality/reproduce/cranfield.mjs';
import { best, compare, equalUpToTies } from '../quality/reproduce/minilm.mjs';
import { mean, pairedBootstrap } from '../quality/statistics.mjs';

const repeat = (count, value) => Array.from({ length: count }, () => value);

describe('the paired bootstrap', () => {
  it('The paired bootstrap gives a constant difference an interval of no width', () => {
    assert.deepEqual(pairedBootstrap(repeat(50, 0.25)), { mean: 0.25, low: 0.25, high: 0.25 });
  });

  it('The paired bootstrap is as wide as the normal approximation for many queries', () => {
    const differences = Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 1 : -1));
    const { low, high } = pairedBootstrap(differences);
    const expected = 1.96 / Math.sqrt(400);
    assert.ok(Math.abs(high - expected) < 0.015, `high ${high}, expected about ${expected}`);
    assert.ok(Math.abs(low + expected) < 0.015, `low ${low}, expected about ${-expected}`);
  });

  it('The paired bootstrap is the same for the same seed, and another for another', () => {
    const differences = Array.from({ length: 30 }, (_, i) => Math.sin(i));
    assert.deepEqual(pairedBootstrap(differences), pairedBootstrap(differences));
    assert.notDeepEqual(pairedBootstrap(differences), pairedBootstrap(differences, { seed: 2 }));
  });

  it('The paired bootstrap of an empty list gives no interval', () => assert.deepEqual(pairedBootstrap([]), { mean: 0, low: 0, high: 0 }));
});

describe('a drop', () => {
  const queries = (values) => values.map((value, i) => ({ set: 's', id: `q${i}`, hybrid: value }));
  const tables = (values) => ({
    results: [{ set: 's', encoder: 'static', mode: 'hybrid', kind: 'all', ndcg10: String(mean(values)) }],
    queries: queries(values).map((query) => ({ ...query, hybrid: query.hybrid.toFixed(4) })),
  });
  const row = (values) => ({ set: 's', encoder: 'static', mode: 'hybrid', kind: 'all', ndcg10: mean(values) });
  const judge = (before, now) => findDrop(row(now), queries(now), tables(before));

  it('Many losing queries make a drop', () => {
    const before = repeat(100, 1);
    const now = before.map((value, i) => (i < 12 ? 0.5 : value));
    assert.match(judge(before, now), /s, static, hybrid: nDCG@10 0\.9400, the table says 1\.0000/);
  });

  it('One query falling from first to nowhere makes no drop', () => {
    assert.equal(judge(repeat(100, 1), [0, ...repeat(99, 1)]), undefined);
  });

  it('Losses below the threshold make no drop', () => {
    assert.equal(judge(repeat(100, 1), repeat(100, 1 - LEAST / 2)), undefined);
  });

  it('Gains, or as many gains as losses, make no drop', () => {
    assert.equal(judge(repeat(100, 0.5), repeat(100, 1)), undefined);
    assert.equal(
      judge(
        repeat(100, 0.5),
        repeat(100, 0).map((_, i) => i % 2),
      ),
      undefined,
    );
  });

  it('A drop is judged by the mean where the table has other queries', () => {
    const { results } = tables([0.5]);
    assert.equal(findDrop({ ...row([0.5 - NOISE / 2]) }, [], { results, queries: [] }), undefined);
    assert.match(findDrop({ ...row([0.5 - NOISE * 2]) }, [], { results, queries: [] }), /0\.4750/);
  });

  it('A drop needs a row to fall from', () => assert.equal(findDrop(row([0]), [], { results: [], queries: [] }), undefined));
});

describe('the chart', () => {
  const csv = `set,encoder,mode,kind,n,ndcg10
vue,static,hybrid,all,80,0.75
vue,static,hybrid,typo,10,0.5
vue,static,hybrid,natural,20,1
"a<b",static,keyword,all,3,0.1
"x","static, 8 bits",hybrid,all,3,1
`;

  it('The chart reads quoted cells', () => {
    assert.deepEqual(parseCsv(csv).at(-1), { set: 'x', encoder: 'static, 8 bits', mode: 'hybrid', kind: 'all', n: '3', ndcg10: '1' });
  });

  it('The chart draws one bar per mode and kind of the static encoder, escaped', () => {
    const svg = chartOf(parseCsv(csv));
    assert.equal(svg.match(/<title>/g).length, 4);
    assert.match(svg, /vue, all, hybrid: 0\.750 over 80 queries/);
    assert.ok(!svg.includes('a<b') && svg.includes('a&#60;b'));
    assert.ok(!svg.includes('8 bits'));
  });
});

describe('what peers are fed', () => {
  it('Peers get text without marks and addresses, with code as it stands', () => {
    const prose = '## Use `v-for`\n\nSee **[the _guide_](https://x.example/a(b))** and __init__.';
    const markdownText = `${prose}\n\n\`\`\`js\na[i](x) ** 2 // [no](link)\n\`\`\`\n\nEnd`;
    assert.equal(plainText(markdownText), 'Use v-for\n\nSee the _guide_ and __init__.\n\na[i](x) ** 2 // [no](link)\n\nEnd');
  });

  it("The peers' input detects a passage that begins within a code block", () => {
    assert.equal(plainText('a[i](x)\n```\n[text](address)'), 'a[i](x)\n\ntext');
  });

  const passage = (page, headings, text) => ({ page, title: 'T', headings, text });
  const collection = {
    pages: [
      { id: 0, title: 'T', headings: ['A'], text: 'one\ntwo' },
      { id: 1, title: 'U', headings: [], text: 'three' },
    ],
    passages: [passage(0, ['A'], 'one'), passage(0, ['A'], 'two'), { ...passage(1, [], 'three'), title: 'U' }],
  };

  it("The peers' input is one record a page or a passage, numbered from 0", () => {
    assert.deepEqual(
      recordsOf(collection, 'page').map(({ id, page }) => [id, page]),
      [
        [0, 0],
        [1, 1],
      ],
    );
    assert.deepEqual(
      recordsOf(collection, 'chunk').map(({ id, page }) => [id, page]),
      [
        [0, 0],
        [1, 0],
        [2, 1],
      ],
    );
    assert.equal(contentOf(recordsOf(collection, 'chunk')[0]), 'T > A\none');
  });

  it("The peers' results count a page once, at its first chunk, ten at most", () => {
    assert.deepEqual(pagesOf([3, 1, 3, 2, 1]), [3, 1, 2]);
    assert.equal(pagesOf(Array.from({ length: 40 }, (_, i) => i)).length, 10);
  });

  it("The peers' queries keep subjects and code, and queries of only stop words", () => {
    assert.equal(withoutStopWords('How do I sort the Vec?'), 'sort Vec?');
    assert.equal(withoutStopWords('what is this'), 'what is this');
    assert.equal(withoutStopWords('what does if __name__ == mean'), '__name__ == mean');
  });

  it("Pagefind's input is HTML, with each heading once and only true tags", () => {
    const html = htmlOf({ title: 'T & U', passages: [passage(0, ['A'], 'A\n\n<b>one'), passage(0, ['A', 'B'], 'B\n\ntwo')] });
    assert.match(html, /<h1>T &#38; U<\/h1>/);
    assert.equal(html.match(/<h2>A<\/h2>/g).length, 1);
    assert.match(html, /<h3>B<\/h3>/);
    assert.ok(html.includes('&#60;b&#62;one') && !html.includes('<b>'));
  });
});

describe('the table of peers', () => {
  const queries = [{ kind: 'typo' }, { kind: 'natural' }];
  const scores = (...values) => values.map((ndcg10) => ({ hit1: ndcg10, found5: 1, mrr10: 1, ndcg10 }));
  const answered = [
    { engine: 'Sheaf', setting: 'hybrid, static queries', records: 'passage', scores: scores(1, 0.5) },
    { engine: 'Other', setting: 'as it is', records: 'page', scores: scores(0.5, 0) },
  ];
  const rows = rowsOf('s', queries, answered);

  it("The table of peers has a row per search engine and kind, with Sheaf's lead", () => {
    const expected = ['Sheaf all', 'Sheaf natural', 'Sheaf typo', 'Other all', 'Other natural', 'Other typo'];
    assert.deepEqual(
      rows.map(({ engine, kind }) => `${engine} ${kind}`),
      expected,
    );
    const other = rows.find(({ engine, kind }) => engine === 'Other' && kind === 'all');
    assert.equal(other.lead_ndcg10, 0.5);
    assert.equal(other.lead_ndcg10_low, 0.5);
    assert.equal(rows[0].lead_ndcg10, 0);
    assert.ok(rows.every((row) => COLUMNS.every((column) => row[column] !== undefined)));
  });

  it('The table of peers is printed best search engine first', () => {
    const lines = markdown('s', rows)
      .split('\n')
      .filter((line) => /^\| (Sheaf|Other):/.test(line));
    assert.equal(lines.length, 2);
    assert.match(lines[0], /^\| Sheaf: hybrid, static queries \| passage \| \.750 /);
    assert.match(lines[1], /\.500 \(\.500 to \.500\) \|$/);
  });
});

describe('kept vectors', () => {
  it('Kept vectors come back by text and model, also after a torn write', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sheaf-vectors-'));
    try {
      const file = join(folder, 'v');
      const vector = Float32Array.from({ length: WIDTH }, (_, i) => i / WIDTH);
      openCache(file, 'model').put([101, 7, 102], vector);
      const whole = statSync(file).size;
      appendFileSync(file, 'torn');
      const again = openCache(file, 'model');
      assert.deepEqual(again.get([101, 7, 102]), vector);
      assert.equal(again.get([101, 7, 7, 102]), undefined);
      assert.equal(openCache(file, 'another model').get([101, 7, 102]), undefined);
      assert.equal(statSync(file).size, whole);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('Kept vectors are made in batches within the budget, each text once', () => {
    const lengths = [5, 300, 20, 7, 7, 90];
    const batches = batchesByLength(lengths, 100);
    assert.deepEqual(batches.flat().sort(), [0, 1, 2, 3, 4, 5]);
    for (const batch of batches) assert.ok(batch.length === 1 || batch.length * Math.max(...batch.map((i) => lengths[i])) <= 100);
  });
});

describe('what is reproduced', () => {
  it('Average precision is the mean of the precisions at the relevant ranks', () => {
    assert.equal(averagePrecision([7, 1, 8, 2], new Set([1, 2])), (1 / 2 + 2 / 4) / 2);
    assert.equal(averagePrecision([1], new Set([1, 2])), 0.5);
  });

  it('A run in TREC form is read by query number', () => {
    assert.deepEqual(parseRun('1 Q0 51 1 10.6 tag\n2\tQ0\t12\t1\t9.9\ttag\n2 Q0 13 2 9 tag\n', 2), [[51], [12, 13]]);
  });

  it('Lists are equal up to ties, and no further', () => {
    const scores = [0.9, 0.5, 0.5 + 1e-7, 0.1];
    assert.deepEqual(best(scores, 3), [0, 2, 1]);
    assert.ok(equalUpToTies([0, 1, 2], [0, 2, 1], scores));
    assert.ok(!equalUpToTies([1, 0, 2], [0, 2, 1], scores));
  });

  it('A vector that points elsewhere shows in cosines and lists', () => {
    const axis = (i) => Float32Array.from({ length: WIDTH }, (_, at) => (at === i ? 1 : 0));
    const original = [axis(0), axis(1), axis(0)]; // two passages, one query
    assert.deepEqual(compare(original, original, 2), { vectors: 0, cosines: 0, equal: 1, tied: 0, lists: 1 });
    const { vectors, cosines, equal, tied } = compare([axis(1), axis(0), axis(0)], original, 2);
    assert.deepEqual({ vectors, cosines, equal, tied }, { vectors: 1, cosines: 1, equal: 0, tied: 0 });
  });
});
