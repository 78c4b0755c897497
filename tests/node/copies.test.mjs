/** Near-identical hits: web/browser/client/copies.ts, and what the command line and the tools say of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutCopies } from '../../dist/browser/client/copies.js';
import { renderAnswer } from '../../dist/cli/query.js';

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
