/** Which hits become rows of which page, and what a row shows of them (web/browser/ui/state/groups.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeLines, groupHits, isTop, marked, oneLine } from '../../dist/browser/ui/state/groups.js';
import { fragmentOf, hitHref, placeOf } from '../../dist/browser/ui/state/links.js';
import { hitOf } from './ui_fakes.mjs';

const written = (found) => found.map(({ text, mark }) => (mark ? `[${text}]` : text)).join('');

describe('hits of a page', () => {
  const hit = (passage, headings, anchor = headings.at(-1) ?? '', page = 0) => hitOf({ page, passage, headings, anchor });
  const rows = (hits, passages = 3) => groupHits(hits, 8, passages).map((group) => group.hits.map(({ passage }) => passage));

  it('Hits of a page are one row below one heading, the best first', () => {
    assert.deepEqual(rows([hit(1, ['Fire']), hit(2, ['Fire']), hit(3, ['Fire', 'Slow']), hit(4, [])]), [[1, 3, 4]]);
  });

  it('Hits of a page are one row with like headings or the same target', () => {
    assert.deepEqual(rows([hit(1, ['Examples'], 'examples'), hit(2, ['Examples'], 'examples-1')]), [[1]]);
    assert.deepEqual(rows([hit(1, ['Fire'], 'x'), hit(2, ['Ash'], 'x')]), [[1]]);
    assert.deepEqual(rows([hit(1, ['Fire', 'Examples'], 'a'), hit(2, ['Ash', 'Examples'], 'b')]), [[1, 2]]);
    assert.deepEqual(rows([hit(1, []), hit(2, [])]), [[1]], 'the top of a page too');
  });

  it("Hits of a page leave a repetition's place to other sections and pages", () => {
    const hits = [hit(1, ['Fire']), hit(2, ['Fire']), hit(3, ['Fire']), hit(4, ['Ash']), hit(5, ['Fire'], 'Fire', 1), hit(6, ['Glaze'])];
    assert.deepEqual(rows(hits, 2), [[1, 4], [5]]);
  });

  it('Hits of a page are its top without heading and anchor', () => {
    assert.deepEqual([hit(1, []), hit(1, [], 'term'), hit(1, ['Fire'], '')].map(isTop), [true, false, false]);
  });

  it('Hits of a page stand where the packer says', () => {
    assert.deepEqual(placeOf(hitOf({ place: ['The kiln'] })), ['The kiln']);
    assert.deepEqual(placeOf(hitOf({ place: [] })), []);
    assert.deepEqual(placeOf({}), []);
  });
});

describe('a line of a row', () => {
  const far = (length) => `${'word '.repeat(length)}kiln and more`;
  const line = (snippet, start, more) => written(oneLine(hitOf({ snippet, kind: 'text', highlights: [{ start, length: 4 }], ...more })));

  it('A line of a row begins with the text where the mark is near', () => {
    assert.equal(line('A hot kiln.', 6), 'A hot [kiln].');
    assert.equal(line(far(4), 20), 'word word word word [kiln] and more');
  });

  it('A line of a row begins at a word shortly before a far mark', () => {
    assert.equal(line(`${far(20)}${' word'.repeat(20)}`, 100), `… ${'word '.repeat(7)}[kiln] and more${' word'.repeat(20)}`);
    assert.equal(line(`${'x'.repeat(90)}kiln${' word'.repeat(20)}`, 90), `… ${'x'.repeat(40)}[kiln]${' word'.repeat(20)}`);
  });

  it('A line of a row begins with the clause that holds the mark', () => {
    const rest = ' and more of it until the line is full to its very end and beyond that';
    const text = (before) => `${'word '.repeat(20)}ends. ${before}kiln${rest}`;
    const shown = (before) => line(text(before), text(before).indexOf('kiln'));
    assert.equal(shown('Fire a hot '), `… Fire a hot [kiln]${rest}`);
    assert.equal(shown('When all is dry, fire a hot '), `… When all is dry, fire a hot [kiln]${rest}`);
    assert.equal(shown(`${'long '.repeat(9)}, fire a `), `… fire a [kiln]${rest}`);
  });

  it('A line of a row that ends with its mark is filled from before', () => {
    const shown = line(`${'word '.repeat(40)}kiln`, 200);
    assert.equal(shown, `… ${'word '.repeat(13)}[kiln]`);
  });

  it('A line of a row is whole without a mark', () => {
    assert.equal(written(oneLine(hitOf({ snippet: far(20), highlights: [] }))), far(20));
  });
});

describe('lines of code', () => {
  const snippet = ['import kiln', '', 'def main():', '    with kiln as hot:', '        hot.fire()', '    return 0'].join('\n');
  const lines = (count, marks, text = snippet) =>
    written(
      codeLines(
        hitOf({ kind: 'code', snippet: text, highlights: marks.map((word) => ({ start: text.indexOf(word), length: word.length })) }),
        count,
      ),
    );

  it('Lines of code begin above the marked one, without their common indentation', () => {
    assert.equal(lines(1, ['fire']), 'hot.[fire]()');
    assert.equal(lines(2, ['fire']), 'with kiln as hot:\n    hot.[fire]()');
    assert.equal(lines(4, ['main']), '\ndef [main]():\n    with kiln as hot:\n        hot.fire()');
  });

  it('Lines of code are all where they fit, and begin at a word otherwise', () => {
    assert.equal(lines(9, ['kiln']), snippet.replace('kiln', '[kiln]'));
    assert.equal(lines(1, []), 'import kiln');
    assert.equal(lines(1, [], '{\n  "format": 1,\n}'), '"format": 1,');
    assert.equal(lines(2, [], '{\n  "format": 1,\n}'), '{\n  "format": 1,');
    assert.equal(lines(1, [], '{\n}'), '{');
    assert.equal(lines(4, ['return']), '[return] 0'.replace(/^/, 'def main():\n    with kiln as hot:\n        hot.fire()\n    '));
  });

  it('Lines of code are unchanged where a bundle marks missing text', () => {
    const broken = [
      { start: -4, length: 2 },
      { start: NaN, length: 1 },
      { start: 900, length: 4 },
      { start: 3, length: 900 },
    ];
    assert.equal(written(codeLines(hitOf({ kind: 'code', snippet: 'one\ntwo', highlights: broken }), 4)), 'one\n[two]');
    assert.equal(written(codeLines(hitOf({ kind: 'code', snippet: '', highlights: broken }), 4)), '');
  });
});

describe('texts of a hit', () => {
  it('Texts of a hit are marked without regard to overlaps', () => {
    assert.equal(
      written(
        marked('glaze the kiln', [
          { start: 10, length: 9 },
          { start: 0, length: 5 },
          { start: 3, length: 2 },
        ]),
      ),
      '[glaze] the [kiln]',
    );
    assert.equal(written(marked('glaze')), 'glaze');
  });

  it('Texts of a hit are found on the page within one line of code', () => {
    const snippet = 'hot = open_kiln\nfire hot';
    assert.equal(fragmentOf(hitOf({ kind: 'code', snippet, highlights: [{ start: 6, length: 9 }] })), 'open_kiln');
  });

  it('Texts of a hit lead to words below its heading, unless the heading names them, be it as the end of a longer name', () => {
    const address = (last, more = {}) =>
      hitHref(
        hitOf({
          url: 'os',
          headings: ['Files', last],
          anchor: 'a',
          snippet: 'Extract the major number',
          highlights: [{ start: 12, length: 5 }],
          ...more,
        }),
        {},
        'https://kiln.example/',
      );
    const led = 'https://kiln.example/os#a:~:text=Extract%20the%20major%20number';
    assert.equal(address('os.stat'), led);
    assert.equal(address('os.majority'), led);
    for (const name of ['os.major', 'os::Major', 'class Major']) assert.equal(address(name), 'https://kiln.example/os#a', name);
    assert.equal(address('A number', { headingHighlights: [{ start: 2, length: 6 }] }), 'https://kiln.example/os#a');
  });
});
