import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJudgments } from '../../dist/node/eval/judgments.js';
import { checkFormat, checkPages, KINDS, readSet, setNames, whyNoPages } from '../quality/sets/check.mjs';
import { contentWords, spellings } from '../quality/sets/words.mjs';

const sets = setNames().map(readSet);

describe('the judged development sets', () => {
  it('are at least three, with at least 300 queries, every kind in each', () => {
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

    it(`${set.name}: judged pages exist, paraphrases share no word with theirs, typos are typos`, async (t) => {
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

  it('accepts a sound set', () => assert.deepEqual(complain([query]), []));

  it('names a doubled id, a doubled question, an unknown kind, an empty list and a field too many', () => {
    assert.match(complain([query, { ...query, query: 'why' }]).join(), /two of this id/);
    assert.match(complain([query, { ...query, id: 'p-002', query: 'How' }]).join(), /asked twice/);
    assert.match(complain([{ ...query, kind: 'riddle' }]).join(), /unknown kind riddle/);
    assert.match(complain([{ ...query, relevant: [] }]).join(), /at least one page/);
    assert.match(complain([{ ...query, relevant: ['a', 'a'] }]).join(), /each once/);
    assert.match(complain([{ ...query, note: 'x' }]).join(), /expected the fields/);
  });

  it('names a collection too small to be a search, and words stated for a query that is no paraphrase', () => {
    assert.match(complain([query], { pages: 59 }).join(), /at least 60, got 59/);
    assert.match(complain([query], { sharedWords: { 'p-001': {} } }).join(), /p-001, no paraphrase of this set/);
  });

  it('says which package is missing', () => {
    assert.match(whyNoPages({ about }), /^Debian package p is not installed \(no \/nowhere\)$/);
  });

  it('counts words of one stem as one, splits names, and leaves function words out', () => {
    assert.deepEqual([...contentWords('Merging what the readLines merged').keys()], ['merg', 'read', 'lin']);
    assert.deepEqual([...spellings('exif_tranpose of 3 it')], ['exif_tranpose', 'of', 'it']);
  });
});
