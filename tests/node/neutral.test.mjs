import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';

/** Every module that `entry` reaches by import, with its text, comments apart. */
async function reach(entry) {
  const seen = new Map();
  const queue = [entry];
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    if (seen.has(url.href)) continue;
    const text = (await readFile(url, 'utf8')).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    seen.set(url.href, text);
    for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      assert.match(specifier, /^\.\.?\//, `${url.pathname} imports ${specifier}`);
      queue.push(new URL(specifier, url));
    }
  }
  return seen;
}

describe('the package root', () => {
  for (const entry of ['browser/client/index.js', 'browser/client/worker.js']) {
    it(`The package root reaches no node: module and no Node global from ${entry}`, async () => {
      const modules = await reach(new URL(`../../dist/${entry}`, import.meta.url));
      assert.ok(modules.size > 5);
      for (const [href, text] of modules) {
        assert.doesNotMatch(text, /\b(?:process|Buffer|require|__dirname)\b\s*[.(]/, href);
      }
    });
  }
});
