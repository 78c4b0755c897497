/** What is said of a bundle in another language than its encoder's. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foreignLanguage, foreignNote } from '../../dist/node/store/foreign.js';

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
    assert.match(foreignNote(info('de')), /kiln is in German, and its encoder knows English/);
    assert.match(foreignNote(info('pt-BR')), /Brazilian Portuguese/);
  });

  it("A bundle in its encoder's language is not named", () => {
    for (const each of [info('en'), info('en-GB'), info(undefined), info('de', { semantic: false }), info('de', { space: 'labse' })])
      assert.equal(foreignNote(each), undefined);
  });

  it('A bundle may have a tag that no standard knows', () => {
    assert.equal(foreignLanguage(info('pt-brazil-xx')), 'pt-brazil-xx');
    assert.match(foreignNote(info('pt-brazil-xx')), /kiln is in pt-brazil-xx/);
    assert.equal(foreignLanguage(info('<b>')), undefined);
  });
});
