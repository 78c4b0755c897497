/** Corrections are told as words are written, not as the index folds them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asWritten, correctedQuery, folded } from '../../dist/browser/client/written.js';
import { analysisFor, RowSearch } from '../../dist/node/databases/rows.js';

/** A hit of which every part is one marked text. */
const hit = (title, heading = '', snippet = '') => {
  const all = (text) => (text === '' ? [] : [{ start: 0, length: text.length }]);
  return { title, headings: [heading], snippet, titleHighlights: all(title), headingHighlights: all(heading), highlights: all(snippet) };
};

test('A word is folded as the index folds it, in each alphabet', () => {
  const words = {
    Löschen: 'loschen',
    Straße: 'strasse',
    ΕΠΙΛΟΓΈΣ: 'επιλογεσ',
    επιλογές: 'επιλογεσ',
    Işığı: 'isigi',
    før: 'for',
    Œuvre: 'oeuvre',
    Łódź: 'lodz',
    ﬁle: 'file',
    'lo\u0308schen': 'loschen',
    слой: 'слои',
    col·lecció: 'colleccio',
    كتابي: 'کتابی',
    '٣۳३๓': '3333',
  };
  for (const [word, term] of Object.entries(words)) assert.equal(folded(word), term, word);
});

test('Every letter of an alphabet is folded as the core folds it', async () => {
  const analysis = await analysisFor('none');
  const query = { mode: 'keyword', topK: 1, typo: false, by: 'page', semanticWeight: -1 };
  /** The terms of a text, as a search asks a database for them. */
  const termsOf = (text) => {
    const search = new RowSearch(analysis, { pages: 1, centroid: [] }, { ...query, text }, false);
    const { needs } = search.ask();
    search[Symbol.dispose]();
    return needs.stems;
  };
  const letters = Array.from({ length: 0x2e00 - 0x41 }, (_, i) => String.fromCodePoint(0x41 + i)).filter(
    (letter) => /\p{L}/u.test(letter) && /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Armn}\p{sc=Geor}\p{sc=Hebr}\p{sc=Arab}]/u.test(letter),
  );
  assert.ok(letters.length > 1500, `${letters.length}`);
  const differs = letters.filter((letter) => !termsOf(`ba${letter}ab`).includes(folded(`ba${letter}ab`)));
  assert.deepEqual(differs, ['\u037a']); // a mark that stands alone: no letter of a word
});

test("A term gets a marked word's spelling, in small letters where some exist", () => {
  assert.equal(asWritten('loschen', [hit('Ebenen'), hit('Ebene', 'Mehr', 'löschen')]), 'löschen');
  assert.equal(asWritten('loschen', [hit('Löschen'), hit('Ebenen', '', 'löschen')]), 'löschen');
  assert.equal(asWritten('loschen', [hit('Ebenen', 'Löschen')]), 'Löschen');
});

test('Capitals alone are no spelling: they belong to a heading', () => {
  assert.equal(asWritten('certificate', [hit('Certificate')]), 'certificate');
});

test('A longer word, a stem and a term without hits stay as they are', () => {
  assert.equal(asWritten('losch', [hit('Löschen')]), 'losch');
  assert.equal(asWritten('ebene', [hit('Ebenenmaske')]), 'ebene');
  assert.equal(asWritten('loschen', []), 'loschen');
  assert.equal(asWritten('loschen', [{ ...hit('Löschen'), titleHighlights: [{ start: 90, length: 7 }] }]), 'loschen');
});

test('The corrected query replaces the typed word, with accents and capital', () => {
  const told = (query, word, term, ...hits) => correctedQuery(query, [{ word, term }], hits);
  assert.equal(told('Ebene lösvhen', 'losvhen', 'loschen', hit('löschen')), 'Ebene löschen');
  assert.equal(told('Ebene losvhen!', 'losvhen', 'loschen', hit('löschen')), 'Ebene löschen!');
  assert.equal(told('επιλογσς', 'επιλογσσ', 'επιλογεσ', hit('επιλογές')), 'επιλογές');
  assert.equal(told('Drukcer', 'drukcer', 'drucker', hit('Drucker')), 'Drucker');
  assert.equal(told('watchEfect', 'efect', 'effect', hit('watchEffect')), 'watchEffect');
  assert.equal(told('Ebene', 'losvhen', 'loschen'), '');
  assert.equal(told('l’imge', 'imge', 'image'), 'l’image');
  assert.equal(told('efectable watchEfect', 'efect', 'effect'), 'efectable watchEffect');
  assert.equal(told('useEfectOnce', 'efect', 'effect'), 'useEffectOnce');
  assert.equal(told("use 'instal' now", 'instal', 'install'), "use 'install' now");
  assert.equal(told('una col·lcció', 'collccio', 'colleccio', hit('col·lecció')), 'una col·lecció');
  assert.equal(told('Þjóðvergir', 'thjodvergir', 'thjodverjar', hit('Þjóðverjar')), 'Þjóðverjar');
});

test('Each of several such words is replaced, wherever it stands', () => {
  const told = (query, word, term) => correctedQuery(query, [{ word, term }]);
  assert.equal(told('softwrae or softwrae', 'softwrae', 'software'), 'software or software');
  assert.equal(told('İSTANBUL belgse', 'belgse', 'belge'), 'İSTANBUL belge');
  assert.equal(told("why dosen't it", 'dosent', 'doesnt'), 'why doesnt it');
  assert.equal(told('so\u00ADftwrae', 'softwrae', 'software'), 'software');
});

test('A word that was cut in two is shown as typed, with a space', () => {
  const told = (query, word, term) => correctedQuery(query, [{ word, term }]);
  assert.equal(told('neue Linienfläche', 'linienflache', 'Linien fläche'), 'neue Linien fläche');
  assert.equal(told('functionargument', 'functionargument', 'function argument'), 'function argument');
});
