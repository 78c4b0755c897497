/** How queries in other languages are drawn and judged (tests/quality/languages), on a manual made for it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawQueries } from '../quality/languages/draw.mjs';
import { bareTitle, plain, readIndex, readPage } from '../quality/languages/manual.mjs';
import { table } from '../quality/languages/table.mjs';

const page = (title, ...paragraphs) =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body><div class="navheader"><p>Zurück</p><h1>nav</h1></div>` +
  `<h3 class="title"><a id="x"></a>${title}</h3>${paragraphs.map((text) => `<p>${text}</p>`).join('')}<div class="navfooter"><p>Weiter</p></div></body></html>`;
const manual = (pages, index = []) => ({ pages: new Map(Object.entries(pages).map(([name, text]) => [name, readPage(text)])), index });

describe('queries in other languages', () => {
  it('Queries in other languages read titles without numbers, and pages without navigation', () => {
    assert.deepEqual(
      ['4.4. Zuschneiden', 'Kapitel 14. Werkzeuge …', '第14章 ツール', 'Глава 3. Слои', '付録F アイタタタ', 'Versie 2.0', '2.0 版'].map(
        bareTitle,
      ),
      ['Zuschneiden', 'Werkzeuge', 'ツール', 'Слои', 'アイタタタ', 'Versie 2.0', '2.0 版'],
    );
    assert.deepEqual(readPage(page('4.1. Drehen', 'Ein  <b>Bild</b> drehen.')), {
      title: 'Drehen',
      headings: ['Drehen'],
      paragraphs: ['Ein Bild drehen.'],
    });
    assert.equal(plain(' Ｅbene-„Maske“ … '), 'ebene maske');
  });

  it('Queries in other languages read entries of the index with those above them', () => {
    const index = `<div><dl><dt>Ebene, <a href="a.html#x">A</a>, <a href="b.html">B</a></dt><dd><dl><dt>Maske, <a href="c.html">C</a></dt></dl></dd>
      <dt>Farbe</dt><dd><dl><dt>Neu, <a href="d.html">D</a></dt></dl></dd></dl></div>`;
    assert.deepEqual(readIndex(index), [
      { words: ['Ebene'], pages: ['a.html', 'b.html'] },
      { words: ['Ebene', 'Maske'], pages: ['c.html'] },
      { words: ['Farbe', 'Neu'], pages: ['d.html'] },
    ]);
  });

  const english = manual({
    'rotate.html': page('Rotate', 'This tool rotates the layer that is active, by any angle.'),
    'left.html': page('Left', 'Nothing here.'),
    'same.html': page('Same', 'Nothing was translated here, so that nobody can be asked about it.'),
  });
  const german = manual(
    {
      'rotate.html': page('Umdrehen', 'Mit diesem Werkzeug dreht man die Ebene, die gerade ausgewählt ist.'),
      'left.html': page('Nach links umdrehen', 'Mit diesem Befehl wird das ganze Bild nach links gedreht, ohne zu fragen.'),
      'same.html': page('Same', 'Nothing was translated here, so that nobody can be asked about it.'),
    },
    [
      { words: ['Ebene', 'Rotieren'], pages: ['rotate.html'] },
      { words: ['Umdrehen'], pages: ['rotate.html'] },
    ],
  );
  const draw = (more = {}) => drawQueries({ manual: german, english, language: 'de', written: [], dropped: new Set(), ...more });

  it('Queries in other languages come from translated titles, the same each time', () => {
    const queries = draw();
    assert.deepEqual(queries, draw());
    assert.deepEqual(
      queries.filter(({ kind }) => kind === 'index').map(({ query, relevant }) => [query, relevant]),
      [['Ebene Rotieren', ['rotate.html']]],
    );
    assert.deepEqual(
      new Set(queries.filter(({ kind }) => kind === 'sentence').flatMap(({ relevant }) => relevant)),
      new Set(['rotate.html', 'left.html']),
    );
    assert.ok(queries.every(({ relevant }) => !relevant.includes('same.html')));
  });

  it('Queries in other languages accept every page whose title holds the typed part', () => {
    const typed = draw().find(({ kind, query }) => kind === 'unfinished' && !query.includes(' '));
    assert.ok('umdrehen'.startsWith(typed.query.toLowerCase()) && typed.query.length < 'umdrehen'.length, typed.query);
    assert.deepEqual(typed.relevant, ['left.html', 'rotate.html']);
  });

  it('Queries in other languages leave out unfit ones, and refuse missing pages', () => {
    const [first] = draw();
    assert.ok(draw({ dropped: new Set([first.id]) }).every(({ id }) => id !== first.id));
    const written = [{ query: 'gedreht', kind: 'inflected', relevant: ['gone.html'] }];
    assert.throws(() => draw({ written }), /"gedreht" is judged by gone\.html, which the manual lacks/);
  });

  it("Queries in other languages show each peer's best setting", () => {
    const row = { language: 'de', state: '', records: 'page', kind: 'all', n: '90', first: '.1', three: '.2', mrr10: '.3' };
    const rows = [
      { ...row, state: 'before', engine: 'Sheaf', setting: 'hybrid', ndcg10: '0.7' },
      { ...row, state: 'before', engine: 'Sheaf', setting: 'keyword', ndcg10: '0.6' },
      { ...row, engine: 'MiniSearch', setting: 'defaults', ndcg10: '0.5' },
      { ...row, engine: 'MiniSearch', setting: 'VitePress', ndcg10: '0.65', first: '0.45' },
    ];
    assert.match(table(rows, ['de', 'fr']), /\| de \| 90 \| \.700 \| \.600 \| \.650 \|/);
    assert.doesNotMatch(table(rows, ['de', 'fr']), /\| fr \|/);
  });
});
