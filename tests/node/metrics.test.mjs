import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderReport } from '../../dist/cli/eval.js';
import { parseJudgments } from '../../dist/node/eval/judgments.js';
import { ask, makeReport } from '../../dist/node/eval/measure.js';
import { hitAt, ndcgAt, percentile, reciprocalRankAt, scoresOf } from '../../dist/node/eval/metrics.js';

const near = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);
const set = (...pages) => new Set(pages);

describe('measures', () => {
  it('hit@k asks whether a relevant page is among the first k', () => {
    assert.equal(hitAt(1, [4, 2], set(2)), 0);
    assert.equal(hitAt(2, [4, 2], set(2)), 1);
    assert.equal(hitAt(5, [], set(2)), 0);
  });

  it('MRR@k takes the first relevant page only', () => {
    assert.equal(reciprocalRankAt(10, [9, 8, 7, 6], set(7, 6)), 1 / 3);
    assert.equal(reciprocalRankAt(2, [9, 8, 7], set(7)), 0);
    assert.equal(reciprocalRankAt(10, [7], set(7)), 1);
  });

  it('nDCG@k matches hand-computed lists', () => {
    near(ndcgAt(10, [1, 2], set(1, 2)), 1);
    // One relevant page at rank 2: (1/log2 3) / 1
    near(ndcgAt(10, [9, 1], set(1)), 0.6309297535714574);
    // Relevant at ranks 1 and 3 of three relevant pages: (1 + 1/2) / (1 + 1/log2 3 + 1/2)
    near(ndcgAt(10, [1, 9, 2], set(1, 2, 3)), 1.5 / 2.1309297535714574);
    near(ndcgAt(10, [9, 8], set(1)), 0);
  });

  it('nDCG@k compares with an ideal list of at most k pages', () => {
    const twelve = set(...Array.from({ length: 12 }, (_, i) => i));
    near(ndcgAt(10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], twelve), 1);
    near(ndcgAt(10, [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 0], twelve), 0);
    near(ndcgAt(2, [0, 20], set(0, 1, 2)), 1 / 1.6309297535714574);
    assert.equal(ndcgAt(10, [1], set()), 0);
  });

  it('A page counts once, and so does one that a hit is also in', async () => {
    const hits = [{ page: 4 }, { page: 4 }, { page: 7, alsoIn: [{ page: 2 }, { page: 4 }] }, { page: 1 }];
    const library = { search: async () => ({ hits }) };
    const { rankings } = await ask(library, [{ query: 'glaze' }], [set(2)], {});
    assert.deepEqual(rankings, [{ ranked: [4, 7, 2, 1], relevant: set(2) }]);
  });

  it('Means run over all queries, those without hits included', () => {
    const scores = scoresOf([
      { ranked: [1], relevant: set(1) },
      { ranked: [], relevant: set(1) },
      { ranked: [9, 1], relevant: set(1) },
    ]);
    assert.equal(scores.n, 3);
    near(scores.hit1, 1 / 3);
    near(scores.found5, 2 / 3);
    near(scores.mrr10, 1.5 / 3);
    near(scores.ndcg10, 1.6309297535714574 / 3);
    assert.deepEqual(scoresOf([]), { n: 0, hit1: 0, found5: 0, mrr10: 0, ndcg10: 0 });
  });

  it('Percentiles are by nearest rank', () => {
    assert.equal(percentile([3, 1, 2], 0.5), 2);
    assert.equal(percentile([4, 1, 2, 3], 0.5), 2);
    assert.equal(
      percentile(
        Array.from({ length: 100 }, (_, i) => i + 1),
        0.95,
      ),
      95,
    );
    assert.equal(percentile([7], 0.95), 7);
    assert.equal(percentile([], 0.5), 0);
  });
});

describe('the report', () => {
  const queries = [
    ['b', 1],
    ['a', 2],
    ['a', 3],
  ].map(([kind, line]) => ({ line, id: String(line), query: 'q', kind, relevant: ['x'] }));
  const report = makeReport(
    queries,
    [
      { ranked: [1], relevant: set(1) },
      { ranked: [2, 1], relevant: set(1) },
      { ranked: [], relevant: set(1) },
    ],
    [3, 1.23456, 2],
  );

  it('The report has exactly the promised shape', () => {
    assert.deepEqual(report, {
      overall: { n: 3, hit1: 0.3333, found5: 0.6667, mrr10: 0.5, ndcg10: 0.5436 },
      kinds: { a: { n: 2, hit1: 0, found5: 0.5, mrr10: 0.25, ndcg10: 0.3155 }, b: { n: 1, hit1: 1, found5: 1, mrr10: 1, ndcg10: 1 } },
      latency_ms: { p50: 2, p95: 3 },
    });
  });

  it('The report prints as a table', () => {
    assert.equal(
      renderReport(report),
      [
        'kind     n  hit@1  found@5  MRR@10  nDCG@10',
        'a        2  0.000    0.500   0.250    0.316',
        'b        1  1.000    1.000   1.000    1.000',
        'overall  3  0.333    0.667   0.500    0.544',
        '',
        'latency  p50 2.00 ms  p95 3.00 ms',
      ].join('\n'),
    );
  });
});

describe('judged queries', () => {
  it('Judged queries are one JSON object a line, except blanks and a BOM', () => {
    const text = '\ufeff{"id":"a","query":"x","kind":"k","relevant":["p.md"]}\r\n\n{"query":"y","relevant":["p","q"]}\n';
    assert.deepEqual(parseJudgments(text, 'Q'), [
      { line: 1, id: 'a', query: 'x', kind: 'k', relevant: ['p.md'] },
      { line: 3, id: '3', query: 'y', kind: 'other', relevant: ['p', 'q'] },
    ]);
  });

  it('Judged queries name every malformed line by number', () => {
    const lines = [
      '{"query":"x","relevant":["p"]}',
      '{oops',
      '[1]',
      '{"query":"","relevant":["p"]}',
      '{"query":"x","relevant":[]}',
      '{"query":"x","relevant":["p"],"kind":5}',
      'null',
    ];
    assert.throws(
      () => parseJudgments(lines.join('\n'), 'Q.jsonl'),
      (error) => {
        assert.equal(error.exitCode, 2);
        for (const line of [2, 3, 4, 5, 6, 7]) assert.match(error.message, new RegExp(`Q\\.jsonl:${line}: `));
        assert.doesNotMatch(error.message, /Q\.jsonl:1:/);
        return true;
      },
    );
  });

  it('Empty judged queries are refused', () => {
    assert.throws(() => parseJudgments('\n \n', 'Q'), { exitCode: 2, message: /holds no queries/ });
  });
});
