// The committed tables are what the script makes: regenerated wherever Node carries the same
// Unicode version, skipped elsewhere.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { generate, spelledLetters } from '../../scripts/unicode_tables.mjs';

const committed = readFileSync(new URL('../../src/text/unicode_tables.inc', import.meta.url), 'utf8');
const listing = readFileSync(new URL('../../docs/characters.txt', import.meta.url), 'utf8');
const version = /^\/\/ Made by .* from Unicode ([^;]+);/.exec(committed)?.[1];

test('The committed Unicode tables name their version', () => {
  assert.match(version ?? '', /^\d+\.\d+$/);
});

test('The committed Unicode tables match the output of scripts/unicode_tables.mjs', {
  skip: version !== process.versions.unicode && `tables are Unicode ${version}, Node has ${process.versions.unicode}`,
}, () => {
  const { text, list } = generate();
  assert.ok(text === committed, 'run `node scripts/unicode_tables.mjs` and commit its result');
  assert.ok(list === listing, 'run `node scripts/unicode_tables.mjs` and commit docs/characters.txt');
});

test('The letters that a page spells out are those of the tables', () => {
  const made = readFileSync(new URL('../../web/browser/client/spelled_letters.ts', import.meta.url), 'utf8');
  assert.equal(made, spelledLetters(), 'run `node scripts/unicode_tables.mjs` and commit spelled_letters.ts');
});

test('The Unicode tables stay within their share of the WASM budget', () => {
  assert.ok(generate().stats.brotli < 6000, `${generate().stats.brotli} bytes of brotli`);
});
