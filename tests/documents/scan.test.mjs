/** The scanner's counting (leftovers.mjs, scan.mjs): each mark is found where readers see it, and nothing in code is. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadText } from '../../dist/browser/client/load_text.js';
import { isGenerated, leftovers, repeatedBlocks, repeatedIn, sharedAffix } from './leftovers.mjs';
import { markdownTable, scanPages } from './scan.mjs';
import { SETS } from './sets.mjs';

const text = await loadText(readFileSync(new URL('../../dist/browser/core/sheaf-text.wasm', import.meta.url)));
const kindsIn = (markdown, source = 'a.md') => leftovers(text.blocks(markdown, source), source).map(({ kind }) => kind);

/** A sample of each mark as a passage would hold it. */
const MARKS = {
  template: ['{{< include "a.md" >}}', 'See {% link a.md %}.', 'Version {{ site.version }} is out.', '{{#include a.rs}}'],
  attribute: ['A note.\n{: .note }', 'A button{ .md-button }'],
  role: ['See :ref:`start`.', 'See {doc}`start`.', 'See :class:`a.B` and more.', 'A target: `text <#there>`_.'],
  directive: ['.. note:: Mind the kiln.', '.. _label:'],
  container: ['=== "Linux"'],
  wiki: ['See [[Glazes]] and ![[kiln.png]].'],
  asciidoc: ['[source,java]', 'include::a.adoc[]', 'See xref:a.adoc[A].', 'See <<section-a,A>>.'],
  roff: ['.SH NAME', 'The \\fBkiln\\fP is hot.'],
  jsx: ["import Tabs from '@theme/Tabs';", 'export const a = 1', '<Tabs groupId="a">', 'A </Card> ends.', '{/* a comment */}'],
  tag: ['<div class="a">', 'a </td> b', 'a <br/> b'],
  entity: ['a &mdash; b', 'it&#39;s hot'],
  permalink: ['# Glazes¶', 'Permalink to this heading'],
  control: ['## Method Summary collapse', '# About ↑', 'Back to top', 'f :: Int -> a Source', 'Plays it. More...'],
  numbers: ['1 2 3 4 5 6 7 8'],
};

/** Files that hold these marks, where Markdown does not. */
const FILES = { asciidoc: 'a.adoc', roff: 'a.3.gz' };

describe('The scanner of documentation sets', () => {
  for (const [kind, samples] of Object.entries(MARKS)) {
    it(`The scanner finds the mark "${kind}" in words`, () => {
      for (const sample of samples) {
        assert.ok(kindsIn(sample, FILES[kind]).includes(kind), `${sample} gives ${kindsIn(sample, FILES[kind])}`);
      }
    });

    it(`The scanner passes over the mark "${kind}" in code`, () => {
      for (const sample of samples) {
        assert.deepEqual(kindsIn(`\`\`\`\n${sample}\n\`\`\`\n`), [], sample);
        if (!sample.includes('`') && !sample.includes('\n')) assert.deepEqual(kindsIn(`Write \`\`${sample}\`\`.`), [], sample);
      }
    });
  }

  it('The scanner passes over what merely looks like a mark', () => {
    const fine = [
      'A `List<String>` and a List<String>, Map<K, V>.',
      'The set {1, 2} and the term $\\frac{{a}}{b}$.',
      'At 10:30: see a::b and std::vector.',
      'Results from 1 2 4 8 16 32 64.',
      'R&D; AT&T and a & b;',
      'An array[[1, 2]] of Optional[[V]].',
      'a < b and c > d',
      '[a link](b.md) and ![a picture](c.png)',
    ];
    for (const words of fine) assert.deepEqual(kindsIn(words), [], words);
  });

  it('The scanner finds the target of a role in reStructuredText', () => {
    assert.deepEqual(kindsIn('It inherits Object<class_Object>.', 'a.rst'), ['role']);
    assert.deepEqual(kindsIn('It inherits Object<class_Object>.', 'a.md'), []);
    assert.deepEqual(kindsIn('A vector<int> of it.', 'a.rst'), []);
  });

  it('Code as a paragraph a line is found from the fourth line on', () => {
    const lines = ['int a = 1;', 'if (a) {', 'b();', '}'];
    assert.deepEqual(kindsIn(lines.join('\n\n'), 'a.html'), ['codeLines']);
    assert.deepEqual(kindsIn(lines.slice(0, 3).join('\n\n'), 'a.html'), []);
    assert.deepEqual(kindsIn(lines.map((line) => `\`${line}\``).join('\n\n'), 'a.html'), ['codeLines']);
  });

  it('Blocks on most pages are furniture, if they are long or stand three in a row', () => {
    const page = (words) => text.blocks(words, 'a.html');
    const footer = 'Copyright by the potters of this town.';
    const many = Array.from({ length: 14 }, (_, i) => page(`# Page\n\nReturns:\n\nWord${i} is here.\n\n${footer}`));
    const repeated = repeatedBlocks(many);
    assert.deepEqual([...repeated].sort(), [footer, 'Returns:']);
    assert.equal(repeatedIn(many[0], repeated), footer);
    assert.equal(repeatedIn(page('Returns:\n\nA number.'), repeated), undefined);
    const menu = new Set(['Home', 'Glazes', 'Clays']);
    assert.equal(repeatedIn(page('- Home\n- Glazes\n- Clays'), menu), 'Clays');
    assert.equal(repeatedIn(page('- Home\n- Firing\n- Glazes'), menu), undefined);
    assert.deepEqual([...repeatedBlocks(many.slice(0, 5))], []);
  });

  it('Words that most titles share are found at both ends', () => {
    const names = Array.from({ length: 12 }, (_, i) => `Page${i}`);
    assert.deepEqual(sharedAffix(names.map((name) => `${name} — Kiln 2 documentation`)), { affix: '… Kiln 2 documentation', count: 12 });
    assert.deepEqual(sharedAffix(names.map((name) => `Kiln: ${name}`)), { affix: 'Kiln …', count: 12 });
    assert.equal(sharedAffix(names).count, 0);
    assert.equal(sharedAffix(names.map((name) => `${name} (3)`)).count, 0);
  });

  it("Pages of a generator's machinery are known by their paths", () => {
    for (const path of ['genindex.html', 'html/_modules/a/b.html', 'a/class-use/B.html', 'classA-members.html', 'a_8h_source.html'])
      assert.ok(isGenerated(path), path);
    for (const path of ['index.html', 'guide/sources.html', 'all-in-one.html', 'class_a.html', 'search-guide.md'])
      assert.ok(!isGenerated(path), path);
  });

  it('Counts of a set are those of its passages', () => {
    const root = mkdtempSync(join(tmpdir(), 'sheaf-scan-test-'));
    after(() => rmSync(root, { recursive: true, force: true }));
    writeFileSync(join(root, 'a.html'), '<h1 id="there">A</h1><h2 id=\'also\'>B</h2>');
    const same = 'The same words stand on two pages, and they are long enough to be a passage of their own.';
    const passage = (anchor, words) => ({ anchor, headings: [], text: words });
    const pages = [
      {
        id: 0,
        title: 'A',
        source: 'a.html',
        passages: [
          passage('there', `# A\n\n${same}`),
          passage('also', '```js\nlet {{ x }}'),
          passage('lost', 'y }}\n```\n\nA {{ leak }}.\n\n| a | b |\n| --- | --- |\n| c | d |\n'),
        ],
      },
      { id: 1, title: 'B', source: 'b.md', passages: [passage('', `# A\n\n${same}`)] },
    ];
    const { samples, ...counts } = scanPages(pages, text, root);
    assert.deepEqual(
      { ...counts, kinds: counts.kinds.template, repeated: counts.repeated.length },
      {
        pages: 2,
        passages: 4,
        left: 1,
        code: 2,
        rows: 2,
        headings: 2,
        bare: 0,
        same: 2,
        generated: 0,
        titles: 0,
        affix: '',
        anchors: { all: 3, there: 2 },
        kinds: 1,
        repeated: 0,
      },
    );
    assert.deepEqual(
      samples.template.map(({ source, anchor }) => [source, anchor]),
      [['a.html', 'lost']],
    );
  });

  it('The table of the documentation shows both packers where they differ', () => {
    const set = (left, seconds) => ({ name: 'a', kind: 'Hugo', seconds, result: { pages: 2, passages: 10, left, same: 1 } });
    const failed = { name: 'b', kind: 'PDF', failure: 'nothing' };
    const table = markdownTable([set(0, 1.04), { ...set(0, 2), name: 'b' }], [set(5, 1), failed]).split('\n');
    assert.equal(table[2], '| a | Hugo | 2 | 10 | 50.0 → 0.0 | 10.0 | 1.0 |');
    assert.equal(table[3], '| b | Hugo | - → 2 | - → 10 | - → 0.0 | - → 10.0 | 2.0 |');
  });

  it('The sets are of many kinds, and none is held out', () => {
    assert.ok(new Set(SETS.map(({ kind }) => kind)).size >= 30);
    assert.equal(new Set(SETS.map(({ name }) => name)).size, SETS.length);
    const heldOut =
      /postgres|fastapi|react|rails|gohugoio|ansible|sqlite|git-doc|git-man|commons-lang|eigen|python3?\.?\d*-doc|libreoffice/;
    for (const { from } of SETS) assert.doesNotMatch(JSON.stringify(from), heldOut);
  });
});
