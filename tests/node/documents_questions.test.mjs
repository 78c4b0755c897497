import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJudgments } from '../../dist/node/eval/judgments.js';
import { canonical, gradesOf, inSection, KINDS, ndcg, readQuestions, readSets, scoreOf } from '../documents/evaluate.mjs';

describe('The questions about real documentation', () => {
  const sets = Object.keys(readSets());

  it('Ten sets of ten kinds have questions', () => {
    assert.equal(sets.length, 10);
    assert.equal(new Set(Object.values(readSets()).map((about) => about.kind)).size, 10);
  });

  for (const set of sets) {
    it(`${set} has twenty sound questions, half of them paraphrases, and sheaf eval reads them`, () => {
      const questions = readQuestions(set);
      assert.equal(questions.length, 20);
      assert.equal(questions.filter((q) => q.kind === 'paraphrase').length, 10);
      assert.equal(new Set(questions.map((q) => q.query.toLowerCase())).size, 20);
      for (const q of questions) {
        assert.match(q.id, new RegExp(`^${set}-\\d{3}$`));
        assert.ok(KINDS.includes(q.kind), `${q.id}: unknown kind ${q.kind}`);
        const pages = [...q.relevant, ...(q.helps ?? [])];
        assert.equal(new Set(pages).size, pages.length, `${q.id}: a page has two grades`);
        for (const page of Object.keys(q.sections ?? {})) assert.ok(pages.includes(page), `${q.id}: ${page} has a section but no grade`);
      }
      const lines = questions.map((q) => JSON.stringify(q)).join('\n');
      assert.equal(parseJudgments(lines, set).length, 20);
    });
  }
});

describe('The measures of the questions', () => {
  const question = { relevant: ['a'], helps: ['b'], sections: { a: 'Set `x`' } };
  const hit = (source, ...headings) => ({ source, headings, anchor: '' });

  it('A page that answers gains twice what a page that helps gains', () => {
    const grades = gradesOf(question);
    assert.equal(ndcg(['a', 'b'], grades), 1);
    assert.ok(ndcg(['b', 'a'], grades) < 1);
    assert.equal(ndcg(['c'], grades), 0);
    assert.equal(ndcg([], grades), 0);
  });

  it('Identical pages gain once, and the second one wastes a rank', () => {
    const twins = [['copy/', '']];
    assert.equal(canonical('copy/a', twins), 'a');
    assert.equal(canonical('b', twins), 'b');
    const both = scoreOf([hit('copy/a'), hit('a'), hit('b')], question, twins);
    const one = scoreOf([hit('copy/a'), hit('b')], question, twins);
    assert.equal(one.ndcg, 1);
    assert.ok(both.ndcg < 1);
  });

  it('The first hit is right where its page answers, and in its place where a heading or anchor has the judged words', () => {
    assert.equal(scoreOf([hit('b')], question).hit1, 0);
    assert.equal(scoreOf([], question).hit1, 0);
    const right = scoreOf([hit('a', 'Guide', 'How to set x')], question);
    assert.deepEqual([right.hit1, right.place1], [1, 1]);
    assert.equal(scoreOf([hit('a', 'Guide')], question).place1, 0);
    assert.equal(inSection(hit('b', 'Set x'), question), undefined);
    assert.equal(inSection({ ...hit('a'), anchor: 'set-x' }, question), true);
  });
});
