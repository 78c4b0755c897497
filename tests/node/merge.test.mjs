/** Merging answers of several bundles, which were explained. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeAnswers, sumFacets } from '../../dist/browser/client/merge.js';

const idf = (pages, holding) => Math.log(1 + (pages - holding + 0.5) / (holding + 0.5)); // src/lexical/bm25.h
/** A hit of one word of `pages` pages, `holding` of which have it. */
const term = (word, pages, holding, more = {}) => ({
  word,
  term: word,
  kind: 'exact',
  idf: idf(pages, holding),
  weight: 1,
  frequency: 1,
  score: idf(pages, holding),
  ...more,
});
const hit = (page, score, terms, more = {}) => ({
  page,
  passage: page,
  score,
  title: `page ${page}`,
  explanation: { keywordRaw: 1, keyword: score, cosine: 0, semantic: 0, semanticWeight: 0, coverage: 1, pageBonus: 0, terms, ...more },
});
const answer = (bundle, pages, hits, more = {}) => ({
  bundle,
  pages,
  space: 'same',
  answer: {
    hits,
    corrections: [],
    matchingPassages: hits.length,
    ignoredWords: 0,
    usedKeyword: true,
    usedSemantic: false,
    weak: false,
    ...more,
  },
});
const order = ({ hits }) => hits.map(({ bundle, page }) => `${bundle}.${page}`);

describe('mergeAnswers', () => {
  it('mergeAnswers returns one answer as it is, with its bundle', async () => {
    const merged = await mergeAnswers([answer(3, 10, [hit(1, 0.5, [term('a', 10, 2)]), hit(0, 0.25, [term('a', 10, 2)])])], 10);
    assert.deepEqual(
      merged.hits.map(({ bundle, page, score }) => [bundle, page, score]),
      [
        [3, 1, 0.5],
        [3, 0, 0.25],
      ],
    );
  });

  it('mergeAnswers counts a word as rare or common in all bundles together', async () => {
    // “array” is on every second page of the second bundle: a mention in the first, where it is rare, is no stronger.
    const first = answer(0, 100, [hit(0, 0.9, [term('array', 100, 1)])]);
    const second = answer(1, 100, [hit(0, 0.4, [term('array', 100, 50), term('broadcast', 100, 3)])]);
    assert.deepEqual(order(await mergeAnswers([first, second], 10)), ['1.0', '0.0']);
  });

  it('mergeAnswers keeps the order that each bundle gave, whatever common numbers say', async () => {
    const odd = answer(0, 100, [hit(0, 0.8, [term('x', 100, 90)]), hit(1, 0.7, [term('y', 100, 1)])]);
    const other = answer(1, 100, [hit(0, 0.5, [term('x', 100, 90)])]);
    const merged = await mergeAnswers([odd, other], 10);
    assert.deepEqual(
      order(merged).filter((name) => name.startsWith('0')),
      ['0.0', '0.1'],
    );
    assert.equal(order(merged)[0], '0.0');
  });

  it('mergeAnswers gives falling scores from 0 to 1, and at most the requested hits', async () => {
    const hits = (n) => Array.from({ length: n }, (_, i) => hit(i, 1 - i / n, [term('w', 50, 1 + i)], { pageBonus: 0.3 }));
    const merged = await mergeAnswers([answer(0, 50, hits(9)), answer(1, 500, hits(9)), answer(2, 5, [])], 12);
    assert.equal(merged.hits.length, 12);
    merged.hits.forEach(({ score }, i) => assert.ok(score >= 0 && score <= (merged.hits[i - 1]?.score ?? 1), `${i}: ${score}`));
  });

  it('mergeAnswers compares cosines within a vector space only', async () => {
    const near = (cosine) => [hit(0, 0.5, [], { cosine, semantic: 1, semanticWeight: 1 })];
    const same = await mergeAnswers([answer(0, 9, near(0.2)), answer(1, 9, near(0.8))], 10);
    assert.deepEqual(order(same), ['1.0', '0.0']);
    assert.ok(same.hits[1].score < same.hits[0].score / 2);
    const apart = await mergeAnswers([answer(0, 9, near(0.2)), { ...answer(1, 9, near(0.8)), space: 'other' }], 10);
    assert.equal(apart.hits[0].score, apart.hits[1].score);
  });

  it('mergeAnswers is weak where every bundle with hits is', async () => {
    const weak = (bundle, hits) => answer(bundle, 100, hits, { weak: hits.length > 0 });
    const near = hit(0, 0.3, [], { cosine: 0.2 });
    assert.equal((await mergeAnswers([weak(0, [near]), weak(1, [near])], 10)).weak, true);
    assert.equal((await mergeAnswers([weak(0, [near]), weak(1, [])], 10)).weak, true, 'a bundle without hits says nothing');
    assert.equal((await mergeAnswers([weak(0, [near]), answer(1, 100, [near])], 10)).weak, false);
    assert.equal((await mergeAnswers([weak(0, []), weak(1, [])], 10)).weak, false);
  });

  it('mergeAnswers takes the halves of a cut word for the typed text', async () => {
    const half = (word, holding) => term('threadcount', 100, holding, { term: word, kind: 'typo' });
    const cut = answer(0, 100, [hit(0, 1, [half('thread', 60), half('count', 10)]), hit(1, 0.2, [half('thread', 60)])], {
      corrections: [{ word: 'threadcount', term: 'thread count' }],
    });
    const typed = answer(1, 100, [hit(0, 0.5, [term('threadcount', 100, 3)])]);
    const merged = await mergeAnswers([cut, typed], 10);
    assert.equal(order(merged)[0], '1.0');
    assert.deepEqual(merged.corrections, []);
    // Where all were cut, a half counts as much as it did: the frequent one less.
    const common = answer(1, 100, [hit(0, 1, [half('thread', 60)])], { corrections: cut.answer.corrections });
    assert.deepEqual(order(await mergeAnswers([common, cut], 10))[0], '0.0');
  });

  it('mergeAnswers ignores a guessed correction where another bundle knows the word', async () => {
    const guess = answer(0, 100, [hit(0, 0.9, [term('fish', 100, 1, { term: 'fist', kind: 'typo' })])], {
      corrections: [{ word: 'fish', term: 'fist' }],
    });
    const known = answer(1, 100, [hit(0, 0.5, [term('fish', 100, 60)])]);
    const merged = await mergeAnswers([guess, known], 10);
    assert.deepEqual(order(merged)[0], '1.0');
    assert.deepEqual(merged.corrections, []);
    assert.deepEqual((await mergeAnswers([guess, { ...guess, bundle: 1 }], 10)).corrections, [{ word: 'fish', term: 'fist' }]);
  });

  it('mergeAnswers accepts no answers, and answers without hits or explanations', async () => {
    assert.deepEqual((await mergeAnswers([], 10)).hits, []);
    assert.deepEqual((await mergeAnswers([answer(0, 5, []), answer(1, 0, [])], 10)).hits, []);
    const bare = answer(0, 5, [{ page: 0, passage: 0, score: 0.5 }]);
    assert.deepEqual(
      (await mergeAnswers([bare, bare], 10)).hits.map(({ score }) => score),
      [0, 0],
    );
  });

  it('mergeAnswers gives the scores that it gave before the core computed them', async () => {
    const bundle = (number, pages, space, weight, hits, corrections = []) => ({
      bundle: number,
      pages,
      space,
      answer: {
        hits: hits.map(([score, keyword, cosine, pageBonus, ...terms], page) => ({
          page,
          passage: page,
          score,
          explanation: {
            keywordRaw: 9,
            keyword,
            cosine,
            semantic: Math.max(0, cosine),
            semanticWeight: weight,
            coverage: 1,
            pageBonus,
            terms: terms.map(([word, kind, holding, score]) => ({
              word,
              term: word,
              kind,
              idf: idf(pages, holding),
              weight: 1,
              frequency: 1,
              score,
            })),
          },
        })),
        corrections,
        matchingPassages: hits.length,
        ignoredWords: 0,
        usedKeyword: true,
        usedSemantic: weight > 0,
        weak: false,
      },
    });
    const merged = await mergeAnswers(
      [
        bundle(0, 240, 'a', 0.5, [
          [0.71, 1, 0.62, 0.1, ['cut', 'exact', 12, 3.1], ['glaze', 'stem', 3, 4.2]],
          [0.4, 0.6, -0.05, 0, ['cut', 'prefix', 12, 2.5]],
          [0.2, 0.3, 0.41, 0.02, ['cutglaze', 'joined', 2, 1.9]],
        ]),
        bundle(
          1,
          5100,
          'a',
          0.36,
          [
            [0.9, 1, 0.55, 0, ['cut', 'exact', 900, 2.2], ['glaze', 'typo', 40, 3.5]],
            [0.52, 0.4, 0.58, 0.2, ['glaze', 'typo', 40, 3.3]],
          ],
          [{ word: 'glaze', term: 'gaze' }],
        ),
        bundle(
          2,
          31,
          'b',
          0,
          [
            [0.33, 1, 0, 0.3, ['cut', 'part', 2, 1.7]],
            [0.31, 0.9, 0, 0, ['kilm', 'typo', 1, 2.8]],
          ],
          [{ word: 'kilm', term: 'kiln' }],
        ),
        bundle(3, 8, 'b', 0.2, []),
      ],
      12,
    );
    assert.deepEqual(
      merged.hits.map(({ bundle, page, score }) => [`${bundle}.${page}`, score.toFixed(5)]),
      [
        ['2.0', '0.55399'],
        ['0.0', '0.52969'],
        ['2.1', '0.52041'],
        ['0.1', '0.29842'],
        ['1.0', '0.26685'],
        ['1.1', '0.15418'],
        ['0.2', '0.14921'],
      ],
    );
    assert.deepEqual(merged.corrections, [{ word: 'kilm', term: 'kiln' }]);
  });
});

describe('sumFacets', () => {
  it('sumFacets adds up the pages of each value, in the order of keys and values', () => {
    const first = [
      { key: 'kind', values: [{ value: 'guide', pages: 2 }] },
      { key: 'tag', values: [{ value: 'x', pages: 1 }] },
    ];
    const second = [
      { key: 'author', values: [{ value: 'Bo', pages: 3 }] },
      {
        key: 'kind',
        values: [
          { value: 'api', pages: 1 },
          { value: 'guide', pages: 5 },
        ],
      },
    ];
    assert.deepEqual(sumFacets([first, [], second]), [
      { key: 'author', values: [{ value: 'Bo', pages: 3 }] },
      {
        key: 'kind',
        values: [
          { value: 'api', pages: 1 },
          { value: 'guide', pages: 7 },
        ],
      },
      { key: 'tag', values: [{ value: 'x', pages: 1 }] },
    ]);
    assert.deepEqual(sumFacets([]), []);
  });
});
