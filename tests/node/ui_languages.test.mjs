/** What the component says in other languages: every file has what English has, and each page gets the right one. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { askStrings } from '../../dist/browser/ui/ask/strings.js';
import { LANGUAGES } from '../../dist/browser/ui/languages.js';
import { scopeStrings } from '../../dist/browser/ui/scope/strings.js';
import { addStrings, counted, directionOf, fill, loadStrings, stringsFor, wordsOf } from '../../dist/browser/ui/words/strings.js';

const english = { ...stringsFor('en').strings, ...scopeStrings({}), ...askStrings({}) };
const placeholders = (value) => [...new Set([...JSON.stringify(value).matchAll(/\{\w+\}/g)].map(([name]) => name))].sort();
/** Loan words are the same in several languages. */
const SAME = new Set(['Filter', 'Filters', 'Version', 'Sites', 'Site']);

describe('the languages of the component', () => {
  it("The component's languages are at least twenty, English included, one per file", () => {
    const files = readdirSync(new URL('../../dist/browser/ui/languages/', import.meta.url)).filter((name) => name.endsWith('.js'));
    assert.deepEqual(files.map((name) => name.replace(/\.js$/, '')).sort(), Object.keys(LANGUAGES).sort());
    assert.ok(Object.keys(LANGUAGES).length + 1 > 20);
  });

  it("The component's languages are listed in docs/languages.md with their proofreading", async () => {
    const page = readFileSync(new URL('../../docs/languages.md', import.meta.url), 'utf8');
    const listed = Object.fromEntries(
      [...page.matchAll(/^\| [^|]+ \| `([\w-]+)` \| [^|]*\| (yes|no) \|$/gm)].map(([, name, mark]) => [name, mark]),
    );
    const files = await Promise.all(Object.entries(LANGUAGES).map(async ([name, load]) => [name, (await load()).proofread ? 'yes' : 'no']));
    assert.deepEqual(listed, Object.fromEntries(files));
  });

  for (const language of Object.keys(LANGUAGES)) {
    it(`The component's languages have every text in ${language}, with placeholders, plurals and a proofreading mark`, async () => {
      const { default: strings, proofread } = await LANGUAGES[language]();
      assert.equal(typeof proofread, 'boolean');
      assert.deepEqual(Object.keys(strings).sort(), Object.keys(english).sort());
      for (const [key, text] of Object.entries(strings)) {
        // A form for one or two may say the number in words.
        const forms = typeof text === 'string' ? { other: text } : text;
        assert.deepEqual(placeholders(forms.other), placeholders(english[key].other ?? english[key]), key);
        for (const form of Object.values(forms)) assert.equal(form, form.trim(), key);
        if (!SAME.has(text)) assert.notDeepEqual(text, english[key], `${key} is not translated`);
      }
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
      for (const key of ['sections', 'pages']) assert.deepEqual(Object.keys(strings[key]).sort(), [...pluralCategories].sort(), key);
    });
  }

  it("The component's languages come when an element asks for them, once", async () => {
    assert.deepEqual(stringsFor('pl').language, 'en');
    const [first, second] = [loadStrings('pl'), loadStrings('pl-PL')];
    assert.equal(first, second);
    await first;
    assert.equal(stringsFor('pl-PL').language, 'pl');
    assert.equal(loadStrings('pl'), undefined, 'nothing to wait for');
    assert.equal(loadStrings('en-GB'), undefined, 'English is here');
  });

  it("The component's languages go to readers of relatives: pt-BR, zh by its script", () => {
    const expected = {
      'pt-BR': 'pt',
      'pt-PT': 'pt',
      'zh-CN': 'zh',
      'zh-Hans-HK': 'zh',
      'zh-TW': 'zh-hant',
      'zh-HK': 'zh-hant',
      'zh-Hant': 'zh-hant',
      zh_TW: 'zh-hant',
      'de-AT-1996': 'de',
      'en-US': 'en',
    };
    for (const [tag, name] of Object.entries(expected)) assert.equal(wordsOf(tag), name, tag);
  });

  it("The component's languages are English for everybody else, whatever a page calls its language", async () => {
    for (const tag of ['xx', 'eo', 'constructor', 'a--b', '', '日本']) {
      assert.equal(wordsOf(tag), undefined, tag);
      assert.equal(await loadStrings(tag), undefined);
      assert.equal(stringsFor(tag).language, 'en', tag);
    }
  });

  it("The component's languages count in their own way", async () => {
    await Promise.all(['ar', 'ru', 'cs'].map(loadStrings));
    const say = (language, n) => counted(stringsFor(language).strings.sections, n, language);
    assert.equal(counted(english.sections, 1, 'en'), '1 section');
    assert.deepEqual([say('ar', 2), say('ru', 1), say('ru', 3), say('ru', 11)], ['قسمان', '1 раздел', '3 раздела', '11 разделов']);
    assert.deepEqual([say('cs', 2), say('cs', 5)], ['2 oddíly', '5 oddílů']);
    assert.equal(fill('{a} {b}', { a: '{b}' }), '{b} {b}');
  });

  it("The component's languages run from right to left where their script does", () => {
    const rightToLeft = Object.keys(LANGUAGES).filter((language) => directionOf(language) === 'rtl');
    assert.deepEqual(rightToLeft.sort(), ['ar', 'fa']);
  });

  it("The component's languages use the page owner's own texts, before and after loading", async () => {
    addStrings('it', { search: 'Trova' });
    addStrings('eo', { search: 'Serĉi' });
    addStrings('zh', { search: '找' });
    assert.deepEqual([stringsFor('it').strings.search, stringsFor('it').strings.close], ['Trova', 'Close']);
    await Promise.all(['it', 'zh-TW'].map(loadStrings));
    assert.deepEqual([stringsFor('it-CH').strings.search, stringsFor('it').strings.close], ['Trova', 'Chiudi']);
    assert.deepEqual([stringsFor('eo').strings.search, stringsFor('eo').language], ['Serĉi', 'eo']);
    assert.equal(stringsFor('zh-TW').strings.search, '搜尋', 'the other script is another language');
  });
});
