/** What docs/databases.md tells readers to send and to run, so that tests do exactly that. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEXT = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../docs/databases.md'), 'utf8');

/** Fenced blocks of this language or name (what stands behind ```). */
export function blocks(info) {
  const found = [...TEXT.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].filter(([, own]) => own === info).map(([, , body]) => body);
  assert.ok(found.length > 0, `docs/databases.md has no block ${info}`);
  return found;
}

/** The body of a request, with what a reader replaces. */
export function request(name, { library, version, words, vector }) {
  const text = blocks(`json ${name}`)[0]
    .replaceAll('"vue"', JSON.stringify(library))
    .replaceAll('"3.5"', JSON.stringify(version))
    .replace(/"(?:keep an )?input focused"/g, JSON.stringify(words))
    .replaceAll('"VECTOR"', JSON.stringify(vector));
  assert.doesNotMatch(text, /"vue"|"3\.5"|VECTOR|focused/);
  return JSON.parse(text);
}
