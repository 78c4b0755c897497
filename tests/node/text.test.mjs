/** sheaf-text.wasm: what the core makes of texts, by the same code as natively (tests/unit has the native answers). */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { loadText } from '../../dist/browser/client/load_text.js';

describe('the text module', () => {
  let text;
  before(async () => {
    text = await loadText(await readFile(new URL('../../dist/browser/core/sheaf-text.wasm', import.meta.url)));
  });

  it('The text module counts edits as the native core does, up to a limit', () => {
    // tests/unit/lexicon_test.cc holds the native function against the plain recurrence.
    for (const [a, b, limit, distance] of [
      ['', '', 2, 0],
      ['abc', 'abc', 2, 0],
      ['abc', 'abd', 2, 1],
      ['abc', 'acb', 2, 1],
      ['abcd', 'abdce', 2, 2],
      ['responze', 'response', 1, 1],
      ['kitten', 'sitting', 2, 3],
      ['größe', 'grösse', 2, 2],
      ['x'.repeat(70), 'x'.repeat(70), 2, 3],
    ])
      assert.equal(text.edits(a, b, limit), distance, `${a} ${b}`);
  });
});
