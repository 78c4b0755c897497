/** docs/ui.md names all that a page may set, style, fill and hear of `<sheaf-search>`, and nothing that is not there. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const files = readdirSync(new URL('web/browser/ui/', root), { recursive: true }).filter((name) => name.endsWith('.ts'));
const sources = files.map((name) => read(`web/browser/ui/${name}`)).join('\n');
const documented = read('docs/ui.md');

const all = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1]);
const words = (texts) => [...new Set(texts.flatMap((text) => text.split(/\s+/)).filter(Boolean))].sort();
/** Names in backticks between two marks of the text. */
const named = (from, to) =>
  words(all(documented.slice(documented.indexOf(from), documented.indexOf(to, documented.indexOf(from))), /`([^`]+)`/g));

describe('docs/ui.md', () => {
  it('docs/ui.md lists every attribute and property', () => {
    const declared = all(read('web/browser/ui/properties.ts'), /^    (\w+): \{(?!.*state: true).*\},$/gm);
    const attributes = all(read('web/browser/ui/properties.ts'), /^    (\w+: \{(?!.*(?:state: true|attribute: false)).*\}),$/gm).map(
      (text) => /attribute: '([\w-]+)'/.exec(text)?.[1] ?? text.split(':')[0],
    );
    const rows = all(documented, /^\| (.*?\| .*?) \|/gm).map((row) => row.split('|').map((cell) => all(cell, /`([^`]+)`/g)));
    assert.deepEqual(
      attributes.filter((name) => !rows.some(([cells]) => cells.includes(name))),
      [],
      'attributes',
    );
    assert.deepEqual(
      declared.filter((name) => !rows.some(([, cells]) => cells?.includes(name))),
      [],
      'properties',
    );
    assert.ok(declared.length > 20 && attributes.length > 14);
  });

  it('docs/ui.md lists every part', () => {
    const made = words([
      ...all(sources, /part="([\w -]+)"/g),
      ...all(sources, /part=\$\{[^}]*?'([\w -]+)' : '[\w -]+'\}/g),
      ...all(sources, /(?:make\('\w+', |, )'([\w-]+)'\)/g).filter((name) => sources.includes(`'${name}'`)),
      'offline',
      'error',
      'sections',
      'top-pages',
      'chip',
      'chip-chosen',
    ]);
    const parts = named('Parts:', 'Slots:').filter((name) => /^[\w-]+$/.test(name));
    assert.deepEqual(
      parts.filter((name) => !made.includes(name)),
      [],
      'documented, but not there',
    );
    const known = words(all(sources, /part="([\w -]+)"/g));
    assert.ok(known.length > 25);
    assert.deepEqual(
      known.filter((name) => !parts.includes(name)),
      [],
      'there, but not documented',
    );
  });

  it('docs/ui.md lists every custom property', () => {
    const used = words(all(sources, /var\((--sheaf-[\w-]+)/g));
    assert.deepEqual(
      named('Custom properties,', 'Parts:').filter((name) => name.startsWith('--')),
      used,
    );
  });

  it('docs/ui.md lists every slot', () => {
    const slots = words([...all(sources, /<slot name="([\w-]+)"/g), 'offline', 'error']);
    assert.deepEqual(
      named('Slots:', '```html').filter((name) => !name.includes('<')),
      slots,
    );
  });

  it('docs/ui.md lists every event', () => {
    const told = words(all(sources, /(?:\btell\([\w.]+, |CustomEvent\()'(sheaf-[\w-]+)'/g));
    assert.deepEqual(words(all(documented, /^\| `(sheaf-\w+)` \|/gm)), told);
  });

  it('docs/ui.md lists every string', () => {
    const english = /const EN: Strings = \{(.*?)^\};/ms.exec(read('web/browser/ui/words/strings.ts'))[1];
    const later = all(read('web/browser/ui/words/texts.ts'), /interface (?:Scope|Ask)Strings \{(.*?)^\}/gms).join('\n');
    const keys = words([...all(english, /^  (\w+): /gm), ...all(later, /^  (\w+)\?: /gm)]);
    assert.ok(keys.length > 25);
    assert.deepEqual(named('Strings:', '\n\n'), keys);
  });

  it('docs/ui.md lists every key of options, and every field of templates', () => {
    const options = all(/export interface SearchOptions \{(.*?)^\}/ms.exec(read('web/browser/ui/state/search.ts'))[1], /^  (\w+)\?: /gm);
    const row = documented.split('\n').find((line) => line.includes('| `options` |'));
    assert.deepEqual(
      options.filter((name) => !row.includes(name)),
      [],
    );
    const fields = read('web/browser/ui/views/custom_hit.ts');
    assert.deepEqual(
      named('Fields:', '\n\n').filter((name) => name !== 'part'),
      words([...all(fields, /^ {4}(\w+)[:,]/gm), ...all(fields, /field === '(\w+)'/g)]),
    );
  });
});
