/**
 * reStructuredText as docutils reads it: the reference implementation is the oracle of packer/parse/rst.
 *
 * Compared are titles with their levels and anchors, literal blocks, and the words of paragraphs, list items and
 * cells. Where sheaf-pack chooses otherwise (numbers of footnotes, formulas, bibliographic fields, tables of contents),
 * tests/fixtures/rst_oracle.py leaves it out.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../dist/node/client/node.js';
import { packFixture, temporaryFolder } from './packed.mjs';

const PYTHON = '/usr/bin/python3'; // Debian's, which has Debian's python3-docutils
const ORACLE = fileURLToPath(new URL('../fixtures/rst_oracle.py', import.meta.url));
const OWN = fileURLToPath(new URL('../fixtures/rst', import.meta.url));
const REAL = '/usr/share/doc/docutils-doc/docs'; // docutils' own documentation: Debian's docutils-doc

const hasDocutils = spawnSync(PYTHON, ['-I', '-c', 'import docutils']).status === 0;
const folder = temporaryFolder('rst-oracle');

/** What docutils sees in each file. */
function oracle(files) {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-I', ORACLE, ...files], { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const words = (text) => (text.replace(/\\(.)/g, '$1').match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');

/** Headings and fenced blocks of a page's Markdown. */
function outline(text) {
  const headings = [];
  const code = [];
  let block;
  let fence = '';
  for (const line of text.split('\n')) {
    const mark = /^[\s>]*(?:(?:[-*]|\d+\.) +)*(`{3,})(.*)$/.exec(line);
    if (block !== undefined) {
      if (mark !== null && mark[1].length >= fence.length && mark[2] === '') block = undefined;
      else code[code.length - 1] += `${line}\n`;
    } else if (mark !== null) {
      fence = mark[1];
      block = code.push('');
    } else {
      const heading = /^(#{1,6}) (.*)$/.exec(line);
      if (heading !== null) headings.push([heading[1].length, words(heading[2])]);
    }
  }
  return { headings, code: code.map(words) };
}

/** Packs the files and compares each page; returns the counts and what differs. */
async function compare(files) {
  const docs = join(folder, basename(dirname(files[0])));
  mkdirSync(docs, { recursive: true });
  const names = files.map((file, i) => `${i}-${basename(file).replace(/\.\w+$/, '')}.rst`);
  files.forEach((file, i) => copyFileSync(file, join(docs, names[i])));
  const expected = oracle(names.map((name) => join(docs, name)));
  const library = await open(await packFixture(join(folder, `${basename(docs)}.sheaf`), { docs, options: ['--encoder', 'none'] }));
  const result = { pages: 0, sections: 0, code: 0, paragraphs: 0, wrong: { sections: [], anchors: [], code: [], paragraphs: [] } };
  const anchors = Array.from({ length: library.info.pages }, () => new Set());
  for (let id = 0; id < library.info.passages; id++) {
    const { page, anchor } = await library.passage(id);
    if (anchor !== '') anchors[page].add(anchor);
  }
  for (const [i, name] of names.entries()) {
    const { sections, code, paragraphs } = expected[i];
    if (sections.length + code.length + paragraphs.length === 0) continue; // a page without text is none
    const { id, text } = await library.page(name);
    const own = outline(text);
    const all = ` ${words(text)} `;
    result.pages++;
    result.sections += sections.length;
    result.code += code.length;
    result.paragraphs += paragraphs.length;
    const titles = sections.map(([level, title]) => [Math.min(level, 6), words(title)]);
    for (let at = 0; at < Math.max(titles.length, own.headings.length); at++) {
      if (JSON.stringify(titles[at]) !== JSON.stringify(own.headings[at]))
        result.wrong.sections.push(`${name}: ${titles[at]} | ${own.headings[at]}`);
    }
    const ids = new Set(sections.flatMap(([, , list]) => list));
    result.wrong.anchors.push(...[...anchors[id]].filter((anchor) => !ids.has(anchor)).map((anchor) => `${name}: ${anchor}`));
    result.wrong.code.push(...code.filter((block) => !own.code.includes(words(block))).map((block) => `${name}: ${block}`));
    result.wrong.paragraphs.push(...paragraphs.filter((piece) => !all.includes(` ${words(piece)} `)).map((piece) => `${name}: ${piece}`));
  }
  await library.close();
  return result;
}

describe('reStructuredText beside docutils', {
  skip: hasDocutils ? false : "docutils is not installed (Debian's python3-docutils)",
}, () => {
  it('A page with every kind of element is read as docutils reads it', async () => {
    const { wrong, ...counts } = await compare([join(OWN, 'kiln.rst')]);
    assert.deepEqual(wrong, { sections: [], anchors: [], code: [], paragraphs: [] });
    assert.ok(counts.sections === 5 && counts.code === 3 && counts.paragraphs > 40, JSON.stringify(counts));
  });

  it('The documentation of docutils is read alike, except for the noted differences', {
    skip: existsSync(REAL) ? false : "there are no pages of Debian's docutils-doc",
  }, async () => {
    const files = readdirSync(REAL, { recursive: true })
      .filter((name) => name.endsWith('.txt'))
      .map((name) => join(REAL, name))
      .sort();
    const { wrong, ...counts } = await compare(files);
    assert.ok(counts.pages > 40 && counts.sections > 1000 && counts.paragraphs > 8000, JSON.stringify(counts));
    assert.deepEqual(wrong.sections, []);
    // A title whose name an address or another target has too gets a number from docutils.
    assert.ok(wrong.anchors.length <= 0.005 * counts.sections, wrong.anchors.join('\n'));
    // Left are pages that show their own markup in odd ways, and text that custom roles and |symbols| stand for.
    assert.ok(wrong.code.length <= 0.01 * counts.code, wrong.code.join('\n---\n'));
    assert.ok(wrong.paragraphs.length <= 0.005 * counts.paragraphs, wrong.paragraphs.join('\n---\n'));
  });
});
