/** The files of dist/node/site/code, as scripts/site_bundle.mjs makes them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../dist/node/site/code/', import.meta.url));
/** `sheaf site` copies the languages from where the package has them. */
const languages = readdirSync(fileURLToPath(new URL('../../dist/browser/ui/languages/', import.meta.url)))
  .filter((name) => name.endsWith('.js'))
  .map((name) => join('client', 'languages', name));
const files = [...readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.js')), ...languages];
const read = (name) => readFileSync(join(root, name), 'utf8');
const named = (name, pattern) => [...read(name).matchAll(pattern)].map(([, target]) => join(dirname(name), target));
const STATIC = /(?:\bfrom|\bimport) ?"(\.[^"]+)"/g;
const DYNAMIC = /\bimport\("(\.[^"]+)"\)/g;

/** What a browser fetches because of `name`, which it has. */
const behind = (name) => (languages.includes(name) ? [] : named(name, STATIC).flatMap((next) => [next, ...behind(next)]));

describe('the code of a deployed site', () => {
  it('The code of a deployed site names existing files', () => {
    const targets = files.filter((name) => !languages.includes(name)).flatMap((name) => [...named(name, STATIC), ...named(name, DYNAMIC)]);
    assert.ok(targets.length > 5, 'the imports were not found');
    assert.deepEqual(
      targets.filter((target) => !files.includes(target)),
      [],
    );
  });

  it('The code of a deployed site starts with one script, and asks for no other before it runs', () => {
    assert.deepEqual(named(join('client', 'site.js'), STATIC), []);
  });

  it("The code of a deployed site requests a later part's imports at once", () => {
    const entry = join('client', 'site.js');
    const asked = new Set([entry, ...behind(entry), ...named(entry, DYNAMIC)]);
    assert.ok(named(entry, DYNAMIC).length > 3, 'the imports were not found');
    assert.deepEqual(
      named(entry, DYNAMIC).flatMap((target) => behind(target).filter((each) => !asked.has(each))),
      [],
    );
  });
});
