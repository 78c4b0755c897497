/**
 * What packers are compared on: folders of generated pages, and the options to pack them with.
 *
 * A case is {name, folder, options, expect, light}: `expect(report)` throws where the case does not test what it is
 * for; light cases are quick enough for a packer on an emulated processor.
 * A folder is {name, pages()}: pages are pairs of a path and a content.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { charsetPages } from './charsets.mjs';
import { formatPages } from './formats.mjs';
import { nestedPages } from './nesting.mjs';
import { manySections, wordyPages } from './volume.mjs';

/** Writes a folder's pages below `root` and returns where. */
export function writeFolder(root, { name, pages }) {
  const folder = join(root, name);
  for (const [path, content] of pages()) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

const formats = { name: 'formats', pages: formatPages };
const charsets = { name: 'charsets', pages: () => charsetPages({ stride: 17 }) };
const nested = { name: 'nested', pages: nestedPages };
const sections = { name: 'sections', pages: () => manySections(40, 40) };
const words = { name: 'words', pages: () => wordyPages(100_000) };

const SITE = ['--base-url', 'https://parity.example/docs/', '--url-style', 'clean'];

/** Some seconds in all. */
export const CASES = [
  { name: 'every format', light: true, folder: formats, options: SITE, expect: (report) => assert.ok(report.pages > 120) },
  {
    name: 'every format, without vectors and stems, on long passages',
    folder: formats,
    options: ['--vector-bits', '0', '--language', 'none', '--passage-size', '4000', '--level', '1', '--no-ignore'],
    expect: (report) => assert.equal(report.vectorBits, 0),
  },
  {
    name: 'a part, as sites pack it, with a graph over 8 bits',
    light: true,
    folder: formats,
    options: [
      ...['--include', 'site/**', '--include', '*.md', '--exclude', 'same/**', '--honor-noindex', '--own-urls-in', 'site'],
      ...['--vector-bits', '8', '--graph', 'always', '--passage-size', '200', '--level', '12', ...SITE],
    ],
    expect: (report) => assert.ok(report.notes.some((note) => /noindex|pagefind-body/.test(note.reason))),
  },
  {
    name: 'old character sets',
    light: true,
    folder: charsets,
    options: ['--level', '9'],
    expect: (report) => assert.ok(report.pages > 80),
  },
  {
    name: 'deep nesting',
    folder: nested,
    options: ['--level', '5'],
    expect: (report) => assert.ok(report.skipped.some((file) => /nested more than/.test(file.reason))),
  },
  {
    name: 'a graph, partitions and a dictionary over many equal passages',
    folder: sections,
    options: ['--graph', 'always', '--level', '7'],
    expect: (report) => assert.ok(report.passages > 1500),
  },
  {
    name: 'spilled postings',
    folder: words,
    options: ['--memory', '16M', '--level', '3', '--encoder', 'none'],
    expect: (report) => assert.ok(report.spilledBytes > 0),
  },
];

/** Minutes: every character, every level, and more than 50,000 passages, from which on packers build a graph. */
export const SWEEP = [
  { name: 'all characters', folder: { name: 'all-charsets', pages: () => charsetPages({ stride: 1 }) }, options: [] },
  ...Array.from({ length: 22 }, (_, i) => ({
    name: `level ${i + 1}`,
    folder: sections,
    options: ['--graph', 'always', '--level', String(i + 1)],
  })),
  ...[200, 500, 1300, 4000].map((size) => ({
    name: `passages of ${size}`,
    folder: formats,
    options: ['--passage-size', String(size), '--vector-bits', '8', '--url-style', 'dir'],
  })),
  {
    name: 'a large site',
    folder: { name: 'large', pages: () => manySections(300, 200) },
    options: [],
    expect: (report) => assert.ok(report.passages > 50_000),
  },
];
