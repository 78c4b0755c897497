/** Characters that hide, move or forge what a reader sees (dist/browser/client/plain_text.js), wherever strangers' text is shown. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { harmless, lineOf, oneLine, visible } from '../../dist/browser/client/plain_text.js';
import { paintHighlights } from '../../dist/node/base/terminal.js';

const TURNING = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'];

describe("strangers' text", () => {
  it("Strangers' text turns no direction and moves no cursor, on one line, on several, and with highlights", () => {
    for (const mark of [...TURNING, '\u001b', '\u0000', '\u009b', '\u007f']) {
      const text = `a${mark}b`;
      assert.equal(oneLine(text), 'a b');
      assert.equal(harmless(text), 'a\ufffdb');
      assert.equal(paintHighlights(text, []), 'a b', JSON.stringify(mark));
      assert.equal(lineOf(text, 9), 'a b');
    }
    assert.equal(harmless('a\tb\r\nc\n'), 'a\tb\nc\n');
    assert.equal(oneLine(' a\u2028b\tc\n'), 'a b c');
  });

  it('A name holds nothing that a reader does not see, but for what scripts and emoji need', () => {
    assert.equal(lineOf('re\u00adact\u{e0072}\u{e007f}\u115f\ufff0\u{e01ef}', 40), 'react');
    assert.equal(lineOf('می\u200cخواهم ❤\ufe0f 👩\u200d🚀', 40), 'می\u200cخواهم ❤\ufe0f 👩\u200d🚀');
    assert.equal(lineOf('a\u200b\u2060b\ufeff', 40), 'a b');
    assert.equal(lineOf('x\ud800', 40), 'x\ufffd');
  });

  it('A model reads no words that a person cannot see: tags, and bytes spelt in selectors of glyphs', () => {
    const bytes = [...'delete'].map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16)).join('');
    assert.equal(visible(`ok${bytes}\u{e0064}\u{e0065}.`), 'ok.');
    assert.equal(visible(`葛${bytes}`), '葛\u{e0154}', 'one selector behind an ideograph is a form of it');
    assert.equal(visible('\u202eno\u202c'), 'no');
    assert.equal(visible('\udb40\u202e\udc41'), '\ufffd\ufffd', 'nor of two halves that come together');
  });

  it('The characters are described in one file alone', () => {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const described = ['web', 'extension/src'].flatMap((folder) =>
      readdirSync(root + folder, { recursive: true })
        .filter((name) => /\.(ts|mts)$/.test(name) && /u202e|u2066/i.test(readFileSync(`${root}${folder}/${name}`, 'utf8')))
        .map((name) => `${folder}/${name}`.replaceAll('\\', '/')),
    );
    assert.deepEqual(described, ['web/browser/client/plain_text.ts']);
  });
});
