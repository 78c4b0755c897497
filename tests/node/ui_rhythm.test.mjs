import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Rhythm } from '../../dist/browser/ui/state/rhythm.js';

/** Types a text at `gap` milliseconds a key and returns the plan of each key. */
function type(rhythm, text, gap, { lazy = true, debounce = 80, from = '' } = {}) {
  let now = 10_000;
  let before = from;
  return [...text].map((letter) => {
    const query = before + letter;
    const plan = rhythm.plan({ query, before, now: (now += gap), lazy, debounce });
    before = query;
    return { query, ...plan };
  });
}

describe('when a half-typed query is searched', () => {
  it('A half-typed query is searched at each short pause where the library is in memory', () => {
    for (const { words, all } of type(new Rhythm(), 'create table', 150, { lazy: false })) {
      assert.equal(words, undefined);
      assert.equal(all, 80);
    }
  });

  it('A half-typed query is searched at every key on request', () => {
    for (const { all } of type(new Rhythm(), 'create', 150, { debounce: 0 })) assert.equal(all, 0);
  });

  it('A half-typed query is never searched between steady keys, but behind each word', () => {
    for (const gap of [90, 150, 250, 320]) {
      const plans = type(new Rhythm(), 'create a', gap).slice(3);
      for (const { query, words, all } of plans) {
        assert.ok(all > gap, `“${query}”, ${gap} ms a key: all after ${all} ms`);
        assert.equal(words, /\S $/.test(query) ? 0 : undefined, query);
      }
    }
  });

  it('A half-typed query is searched sooner for faster typists, within half a second', () => {
    const restOf = (gap) => type(new Rhythm(), 'concurrently', gap).at(-1).all;
    assert.ok(restOf(90) < restOf(200), `${restOf(90)} and ${restOf(200)} ms`);
    assert.ok(restOf(900) <= 500, `${restOf(900)} ms`);
  });

  it('A half-typed query is searched sooner behind a known word, never between steady keys', () => {
    for (const gap of [120, 150, 250, 320]) {
      for (const { query, all, known } of type(new Rhythm(), 'concurrently', gap).slice(6))
        assert.ok(gap < known && known < all, `“${query}”, ${gap} ms a key: ${known} and ${all} ms`);
    }
    const [space] = type(new Rhythm(), ' ', 150, { from: 'create' });
    assert.equal(space.known, undefined, 'a complete word needs no looking up');
  });

  it('A half-typed query takes no thought between two words for a rhythm', () => {
    const rhythm = new Rhythm();
    type(rhythm, 'create', 120);
    const before = rhythm.plan({ query: 'a', before: '', now: 1e6, lazy: true, debounce: 80 }).all;
    const after = rhythm.plan({ query: 'ab', before: 'a', now: 1e6 + 5000, lazy: true, debounce: 80 }).all;
    assert.equal(after, before);
  });

  it('A pasted text is searched at once', () => {
    const plan = new Rhythm().plan({ query: 'create table', before: '', now: 5, lazy: true, debounce: 80 });
    assert.deepEqual(plan, { words: undefined, all: 0 });
  });

  it('A half-typed query searches words alone behind each word, and all at rest', () => {
    const spaces = type(new Rhythm(), 'let a user read ', 150).filter(({ query }) => query.endsWith(' '));
    assert.deepEqual(
      spaces.map(({ words, all }) => [words, all > 150]),
      Array.from({ length: 4 }, () => [0, true]),
    );
  });

  it('A half-typed query waits for a rest where letters are taken back', () => {
    const rhythm = new Rhythm();
    const plan = rhythm.plan({ query: 'create ', before: 'create t', now: 5, lazy: true, debounce: 80 });
    assert.equal(plan.words, undefined);
    assert.ok(plan.all > 0);
  });
});
