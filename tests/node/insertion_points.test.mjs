/** Where `sheaf site --inject` puts script and button: into pages with tags left out, and into none that has no such point. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { injected } from '../../dist/node/site/inject.js';
import { LEFT_ALONE, ODD_PAGES } from '../fixtures/odd_pages.mjs';

const SHEET = '<link rel="stylesheet" href="place/float.css" data-sheaf-site>';
const SCRIPT = '<script src="s.js" defer data-sheaf-site></script>';
const BUTTON = '<sheaf-search data-sheaf-site="float"></sheaf-search>';
const inXml = (tag) =>
  tag
    .replace(' defer ', ' defer="" ')
    .replaceAll(/data-sheaf-site(?=>)/g, 'data-sheaf-site=""')
    .replace(/(<link [^>]*)>/, '$1 />');
const withoutMarks = (page) => page.replace(/§(script|button)?/g, '');
const filled = (page) => {
  const written = page.startsWith('<?xml') ? inXml : (tag) => tag;
  const head = written(page.includes('<header><sheaf-search') ? SCRIPT : SHEET + SCRIPT); // its own element has looks of its own
  return page
    .replace('§script', head)
    .replace('§button', BUTTON)
    .replace('§', head + BUTTON);
};

describe('the insertion points of script and button', () => {
  for (const [what, page] of Object.entries(ODD_PAGES)) {
    it(`The insertion points of script and button are found in a page with ${what}`, () => {
      const before = withoutMarks(page);
      const { html } = injected(before, 's.js');
      assert.equal(html, filled(page));
      assert.equal(injected(html, 's.js').html, html, 'a second run changes nothing');
      assert.equal(injected(html, 't.js').html.replace('t.js', 's.js'), html, 'another address takes the place of the first');
      assert.equal(
        html.replace(/<link[^<>]*data-sheaf-site[^<>]*>|<(script|sheaf-search)\b[^<>]*data-sheaf-site[^<>]*><\/\1>/g, ''),
        before,
        'other bytes stay',
      );
    });
  }

  it('The insertion points of script and button are the same in a page as bytes', () => {
    const bytes = (text) => Buffer.from(text, 'utf8').toString('latin1');
    for (const page of Object.values(ODD_PAGES)) {
      const { html } = injected(bytes(withoutMarks(page)), 's.js');
      assert.equal(Buffer.from(html, 'latin1').toString('utf8'), filled(page));
    }
  });

  it('The insertion points of script and button lie in no frameset, fragment or cut page', () => {
    for (const [page, why] of Object.entries(LEFT_ALONE)) assert.match(injected(page, 's.js').skipped, why, page);
  });

  it('The insertion points of script and button are found in linear time', () => {
    const units = [
      '<!doctype html><!--',
      '<title>',
      '<p =',
      '</',
      '<!',
      '<template>',
      '<script><!--<script>',
      '= " <a =',
      '</script><title><!-->',
      '\n',
      '<meta a="">',
    ];
    for (const unit of units) {
      const began = performance.now();
      for (const start of ['', '<!doctype html><script>', '<!doctype html><body>']) injected(start + unit.repeat(100_000), 's.js');
      const took = performance.now() - began;
      assert.ok(took < 5000, `${unit}: ${Math.round(took)} ms`);
    }
  });
});
