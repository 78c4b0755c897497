/** What is said of a bundle in another language than its encoder's. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { otherLanguage, otherLanguageNote } from '../../dist/node/store/other_language.js';

const info = (language, more = {}) => ({
  library: 'kiln',
  language: '',
  manifest: { language },
  semantic: true,
  space: 'minilm-l6-256',
  ...more,
});

describe('a bundle in another language than its encoder', () => {
  it('A bundle in another language than its encoder is named', () => {
    assert.match(otherLanguageNote(info('de')), /kiln is in German, and its encoder knows English/);
    assert.match(otherLanguageNote(info('pt-BR')), /Brazilian Portuguese/);
  });

  it("A bundle in its encoder's language is not named", () => {
    for (const each of [info('en'), info('en-GB'), info(undefined), info('de', { semantic: false }), info('de', { space: 'labse' })])
      assert.equal(otherLanguageNote(each), undefined);
  });

  it('A bundle may have a tag that no standard knows', () => {
    assert.equal(otherLanguage(info('pt-brazil-xx')), 'pt-brazil-xx');
    assert.match(otherLanguageNote(info('pt-brazil-xx')), /kiln is in pt-brazil-xx/);
    assert.equal(otherLanguage(info('<b>')), undefined);
  });
});
