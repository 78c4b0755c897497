import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJudgments } from '../../dist/node/eval/judgments.js';
import { checkFormat, checkPages, KINDS, readSet, setNames, whyNoPages } from '../quality/sets/check.mjs';
import { contentWords, spellings } from '../quality/sets/words.mjs';

const sets = setNames().map(readSet);

describe('the judged development sets', () => {
  it('The judged development sets are at least three, of 300 queries and every kind', () => {
    assert.ok(sets.length >= 3, `${sets.length} sets`);
    const total = sets.reduce((sum, set) => sum + set.queries.length, 0);
    assert.ok(total >= 300, `${total} queries`);
    for (const { name, queries } of sets) {
      const few = KINDS.filter((kind) => queries.filter((q) => q.kind === kind).length < 10);
      assert.deepEqual(few, [], `${name} has fewer than ten queries of these kinds`);
    }
  });

  for (const set of sets) {
    it(`${set.name}: the files are in their documented form, and sheaf eval reads them`, () => {
      assert.deepEqual(checkFormat(set), []);
      const lines = set.queries.map((q) => JSON.stringify(q)).join('\n');
      assert.equal(parseJudgments(lines, set.file).length, set.queries.length);
    });

    it(`${set.name}: judged pages exist, paraphrases share no word, typos are typos`, async (t) => {
      const why = whyNoPages(set);
      if (why !== undefined) return t.skip(why);
      assert.deepEqual(await checkPages(set), []);
    });
  }
});

describe('the check of the sets', () => {
  const about = { package: 'p', version: '1-1', root: '/nowhere', licence: 'MIT', library: 'p', pages: 60 };
  const query = { id: 'p-001', query: 'how', kind: 'natural', relevant: ['a.html'] };
  const complain = (queries, more = {}) => checkFormat({ name: 'p', about: { ...about, ...more }, queries });

  it('The check of the sets accepts a sound set', () => assert.deepEqual(complain([query]), []));

  it('The check of the sets names doubled ids and questions, unknown kinds, empty lists', () => {
    assert.match(complain([query, { ...query, query: 'why' }]).join(), /two of this id/);
    assert.match(complain([query, { ...query, id: 'p-002', query: 'How' }]).join(), /asked twice/);
    assert.match(complain([{ ...query, kind: 'riddle' }]).join(), /unknown kind riddle/);
    assert.match(complain([{ ...query, relevant: [] }]).join(), /at least one page/);
    assert.match(complain([{ ...query, relevant: ['a', 'a'] }]).join(), /each once/);
    assert.match(complain([{ ...query, note: 'x' }]).join(), /expected the fields/);
  });

  it('The check of the sets names tiny collections, and words stated without a paraphrase', () => {
    assert.match(complain([query], { pages: 59 }).join(), /at least 60, got 59/);
    assert.match(complain([query], { sharedWords: { 'p-001': {} } }).join(), /p-001, no paraphrase of this set/);
  });

  it('The check of the sets names the missing package', () => {
    assert.match(whyNoPages({ about }), /^Debian package p is not installed \(no \/nowhere\)$/);
  });

  it('The check of the sets counts stems once, splits names, and skips function words', () => {
    assert.deepEqual([...contentWords('Merging what the readLines merged').keys()], ['merg', 'read', 'lin']);
    assert.deepEqual([...spellings('exif_tranpose of 3 it')], ['exif_tranpose', 'of', 'it']);
  });
});
