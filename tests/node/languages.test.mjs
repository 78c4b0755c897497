/** Languages but English: their modules, and bundles that need them, opened in Node as anybody would. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCore } from '../../dist/browser/client/load.js';
import { rulesOf } from '../../dist/browser/client/languages.js';
import { loadModule } from '../../dist/browser/client/load_module.js';
import { openLocal } from '../../dist/browser/client/local.js';
import { open } from '../../dist/node/client/node.js';
import { readCore } from '../../dist/node/client/paths.js';
import { BytesSource } from '../../dist/browser/client/source.js';
import { correctedQuery } from '../../dist/browser/client/written.js';
import { NATIVE } from '../parity/packers.mjs';

const path = (below) => fileURLToPath(new URL(`../../${below}`, import.meta.url));
const WORDS = JSON.parse(readFileSync(path('tests/fixtures/languages/words.json'), 'utf8'));
const PAGES = {
  de: {
    masken: ['Ebenenmasken', 'Eine Ebenenmaske steuert die Deckkraft. Sie gehört zu einer Ebene.'],
    ebenen: ['Ebenen stapeln', 'Mehrere Ebenen liegen übereinander. Jede Maske verdeckt etwas.'],
    drucken: ['Drucken', 'Masken und Ebenen werden nicht gedruckt. Der Drucker braucht Papier.'],
    verwerfen: ['Verwerfen', 'Wer Bilder löschen will, braucht keinen Papierkorb.'],
  },
  fr: {
    calques: ['Les calques', "L'opacité d'un calque est réglée ici."],
    images: ['Images créées', 'Les images sont créées par un script.'],
  },
  tr: {
    katman: ['Katmanlar', 'Katmanların ışığı buradan ayarlanır.'],
    dosya: ['Dosyalar', 'Dosyalarınızı kaydedin.'],
  },
  ar: {
    layers: ['الطبقات', 'يمكن للمستخدم إخفاء الطبقة.'],
    files: ['الملفات', 'احفظ الملف قبل الإغلاق.'],
  },
  ja: { layers: ['レイヤー', 'レイヤーの不透明度を変更します。'] },
};

let folder;
const libraries = {};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sheaf-languages-'));
  for (const [language, pages] of Object.entries(PAGES)) {
    mkdirSync(join(folder, language));
    for (const [name, [title, text]] of Object.entries(pages)) {
      const html = `<!doctype html><html lang="${language}"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`;
      writeFileSync(join(folder, language, `${name}.html`), html);
    }
    const [program, ...args] = NATIVE.command;
    const bundle = join(folder, `${language}.sheaf`);
    const flags = ['--library', language, '--version', '1', '--encoder', 'none', '--quiet'];
    execFileSync(program, [...args, 'pack', join(folder, language), '-o', bundle, ...flags]);
    libraries[language] = await open(bundle);
  }
});

after(async () => {
  for (const library of Object.values(libraries)) await library.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page that a query finds first. */
async function first(language, query, options = { typo: false, prefix: false }) {
  const { hits } = await libraries[language].search(query, { mode: 'keyword', ...options });
  return hits[0]?.source.replace('.html', '');
}

test('Every language has a module without imports, with the keys of the native rules', async () => {
  const modules = readdirSync(path('dist/browser/core')).filter((name) => /^language-..\.wasm$/.test(name));
  assert.deepEqual(
    modules.map((name) => name.slice(9, 11)),
    Object.keys(WORDS),
  );
  for (const [language, words] of Object.entries(WORDS)) {
    assert.equal(rulesOf(language), language);
    const rules = await loadModule('rules', readFileSync(path(`dist/browser/core/language-${language}.wasm`)));
    assert.equal(rules.words(0), 1);
    for (const [word, made] of Object.entries(words)) {
      const bytes = new Uint8Array(rules.memory.buffer, rules.room(), 256);
      const { written } = new TextEncoder().encodeInto(word, bytes);
      const length = rules.words(written);
      assert.equal(new TextDecoder().decode(bytes.slice(0, length)), made, `${language} ${word}`);
    }
  }
});

test('Another form of a word finds it', async () => {
  assert.equal(await first('de', 'gedruckten'), 'drucken');
  assert.equal(await first('fr', 'créé'), 'images');
  assert.equal(await first('fr', 'opacités'), 'calques');
  assert.equal(await first('tr', 'dosyalar'), 'dosya');
  assert.equal(await first('ar', 'ملف'), 'files', 'without its article');
  assert.equal(await first('ar', 'وطبقة'), 'layers', 'with a conjunction');
});

test('A word with an elision, an accent or a capital is found without', async () => {
  assert.equal(await first('fr', 'opacite du calque'), 'calques');
  assert.equal(await first('fr', "d'images creees"), 'images');
  assert.equal(await first('tr', 'IŞIĞI'), 'katman');
});

test('A compound is found by its parts', async () => {
  assert.equal(await first('de', 'Ebenen Maske'), 'masken');
  const { hits } = await libraries.de.search('Masken', { mode: 'keyword' });
  assert.equal(hits.length, 3);
});

test("A language's function words do not count in a sentence", async () => {
  const { hits } = await libraries.de.search('wie werden die Ebenen gestapelt', { mode: 'keyword', explain: true });
  const words = new Set(hits.flatMap(({ explanation }) => explanation.terms.map(({ word }) => word)));
  assert.ok(!words.has('die') && !words.has('werden'), [...words].join());
});

test('Typing errors and barely begun words are understood', async () => {
  const { hits, corrections } = await libraries.de.search('Drukcer', { mode: 'keyword' });
  assert.deepEqual(corrections, [{ word: 'drukcer', term: 'drucker' }]);
  assert.equal(hits[0].source, 'drucken.html');
  assert.equal(await first('tr', 'dosyal', {}), 'dosya');
});

test("A correction appears in the pages' spelling, with its accents", async () => {
  for (const query of ['lösvhen', 'losvhen']) {
    const { corrections, hits } = await libraries.de.search(query, { mode: 'keyword' });
    assert.equal(correctedQuery(query, corrections, hits), 'löschen', query);
  }
});

test('Words that match the query are marked, also inside a compound', async () => {
  const { hits } = await libraries.de.search('Maske', { mode: 'keyword' });
  const hit = hits.find(({ source }) => source === 'masken.html');
  const marked = hit.highlights.map(({ start, length }) => hit.snippet.slice(start, start + length));
  assert.deepEqual(marked, ['Ebenenmaske']);
});

test("The manifest has the pages' tag, also for languages without rules", () => {
  for (const language of Object.keys(PAGES)) assert.equal(libraries[language].info.manifest.language, language);
});

test('A core without the rules opens the bundle, and reports unsearchable words', async () => {
  const bytes = readFileSync(join(folder, 'de.sheaf'));
  const { learn: _, ...core } = await loadCore(await readCore());
  const library = await openLocal(core, new BytesSource(bytes));
  assert.equal((await library.page(0)).source, 'drucken.html');
  await assert.rejects(library.search('Ebene', { mode: 'keyword' }), { code: 'UNKNOWN_ANALYSIS' });
  await library.close();
});

/** The report of packing pages, by name, and the bundle. */
async function packed(name, pages, ...flags) {
  const from = join(folder, name);
  mkdirSync(from, { recursive: true });
  for (const [page, html] of Object.entries(pages)) writeFileSync(join(from, `${page}.html`), html);
  const bundle = join(folder, `${name}.sheaf`);
  const [program, ...args] = NATIVE.command;
  const printed = execFileSync(
    program,
    [...args, 'pack', from, '-o', bundle, '--library', name, '--version', '1', '--encoder', 'none', '--json', ...flags],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return { report: JSON.parse(printed), library: await open(bundle) };
}

const GREEK = {
  a: '<title>Στρώσεις</title><h1>Στρώσεις</h1><p>Οι στρώσεις της εικόνας αλλάζουν με το εργαλείο επιλογής. Κάθε στρώση έχει τη δική της αδιαφάνεια.</p>',
  b: '<title>Επιλογές</title><h1>Επιλογές</h1><p>Επιλέξτε το τμήμα της εικόνας που θέλετε να αλλάξετε, και πατήστε το κουμπί του ποντικιού.</p>',
};

test('Pages without a language are packed in the detected one, with a note', async () => {
  const { report, library } = await packed('greek', GREEK);
  assert.equal(report.language, 'el');
  assert.equal(library.info.manifest.language, 'el');
  const [note] = report.notes;
  assert.equal(note.path, 'language');
  assert.match(note.reason, /2 of 2 pages .* in 'el': packed in that language; --language/);
  assert.equal((await library.search('στρώσεων', { mode: 'keyword' })).hits[0].source, 'a.html');
  await library.close();
});

test('A stated language overrules the detected one', async () => {
  for (const [flag, language] of [
    ['none', 'none'],
    ['en', 'en'],
  ]) {
    const { report, library } = await packed('said', GREEK, '--language', flag);
    assert.equal(report.language, language);
    assert.deepEqual(report.notes, []);
    await library.close();
  }
});

test("Pages that name another language than the bundle's are counted in a note", async () => {
  const page = (lang, text) => `<!doctype html><html lang="${lang}"><title>${text}</title><p>${text} ${lang}</p></html>`;
  const pages = { a: page('de', 'Ebenen'), b: page('de-AT', 'Masken'), c: page('de', 'Farben'), x: page('en', 'Layers') };
  const { report, library } = await packed('mixed', pages);
  assert.equal(report.language, 'de');
  assert.deepEqual(
    report.notes.map(({ path }) => path),
    ['x.html'],
  );
  assert.match(
    report.notes[0].reason,
    /^is in 'en'; the bundle is in 'de', .*`sheaf site` makes a bundle for each language; .*pack those pages separately, .*--exclude$/,
  );
  await library.close();
  const more = await packed('mixed', { ...pages, y: page('fr', 'Calques') });
  assert.match(more.report.notes[0].reason, /^is in 'en', one of 2 pages in other languages; /);
  await more.library.close();
  const said = await packed('mixed', {}, '--language', 'de');
  assert.deepEqual(said.report.notes, [], 'who says the language overrules the pages');
  await said.library.close();
});
