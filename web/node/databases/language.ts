/**
 * What a language makes of words: which ask for nothing, and what forms of one share.
 *
 * Ideas
 *  - The rules are the core's own, in the modules that it loads for such a bundle (dist/browser/core/language-xx.wasm): the same stems, and
 *    not a byte more in a page that searches in a browser. English is in the core itself, which gives no stems out; it has rough ones here.
 *  - An engine that has no analysis for a language, or one for a whole table, gets these forms as words between spaces, in rows and
 *    queries alike.
 *
 * Cost: two microseconds a word that was not seen before.
 */
import type { LanguageModule } from '../../browser/client/language.js';
import { rulesOf } from '../../browser/client/languages.js';
import { loadModule } from '../../browser/client/load_module.js';
import { readLanguage } from '../client/places.js';
import { FUNCTION_WORDS, MAX_LENGTH, tokensOf } from './words.js';

/** Languages with rules as Snowball and the engines call them. */
export const NAMES: Readonly<Record<string, string>> = {
  ...{
    ar: 'arabic',
    ca: 'catalan',
    da: 'danish',
    de: 'german',
    el: 'greek',
    es: 'spanish',
    eu: 'basque',
    fi: 'finnish',
  },
  ...{ fr: 'french', ga: 'irish', hi: 'hindi', hu: 'hungarian', hy: 'armenian', id: 'indonesian', it: 'italian' },
  ...{ lt: 'lithuanian', ne: 'nepali', nl: 'dutch', no: 'norwegian', pt: 'portuguese', ro: 'romanian', ru: 'russian' },
  ...{ sr: 'serbian', sv: 'swedish', ta: 'tamil', tr: 'turkish', yi: 'yiddish' },
};

const MAX_WORDS = 64;
const REMEMBERED = 100_000;
const ROOM = 256;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface Form {
  /** What all forms of the word share. */
  stem: string;
  /** Asks for nothing: "the". */
  isFunction: boolean;
}

/** `en`, a language with rules, or empty: words are searched as they are written. Of a BCP 47 tag. Pure. */
export function analysisOf(tag: string): string {
  return /^en\b/i.test(tag) ? 'en' : (rulesOf(tag) ?? '');
}

export class WordForms {
  /** As `analysisOf` names it. */
  readonly language: string;
  readonly #rules: LanguageModule | undefined;
  readonly #known = new Map<string, Form>();

  private constructor(language: string, rules?: LanguageModule) {
    this.language = language;
    this.#rules = rules;
  }

  static readonly english = new WordForms('en');

  /** Of a BCP 47 tag. */
  static async of(tag: string): Promise<WordForms> {
    const language = analysisOf(tag);
    if (language === 'en') return WordForms.english;
    if (language === '') return new WordForms('');
    const code = await readLanguage(language);
    return new WordForms(language, await loadModule<LanguageModule>(`module of the language ${language}`, code));
  }

  /** Words in small letters, in order. */
  words(text: string): string[] {
    return Array.from(tokensOf(text), ({ word }) => this.#small(word));
  }

  /** The words of a query that say something, each once; all of them, where none does. */
  queryWords(query: string): string[] {
    const all = [...new Set(this.words(query))].filter((word) => word.length <= MAX_LENGTH).slice(0, MAX_WORDS);
    const content = all.filter((word) => !this.form(word).isFunction);
    return content.length > 0 ? content : all;
  }

  stem(word: string): string {
    return this.form(word).stem;
  }

  form(word: string): Form {
    let form = this.#known.get(word);
    if (form !== undefined) return form;
    form = this.#formOf(this.#small(word));
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(word, form);
    return form;
  }

  #formOf(word: string): Form {
    const isFunction = FUNCTION_WORDS.has(word);
    if (this.language === 'en') return { stem: englishStem(word), isFunction };
    const said = this.#ask(word);
    const keys = said.replace(/^!/, '').split('*').slice(0, -1);
    // The first key may be of the root, which more words share than are forms of one.
    const stem = keys.find((key) => !key.endsWith('.'));
    return {
      stem: stem === undefined ? folded(word) : `${folded(stem)}*`,
      isFunction: isFunction || said.startsWith('!'),
    };
  }

  /** What the rules make of a word (src/text/language.h). */
  #ask(word: string): string {
    if (this.#rules === undefined || /[0-9]/.test(word)) return '';
    const bytes = encoder.encode(word);
    if (bytes.length > ROOM) return '';
    const { memory } = this.#rules;
    new Uint8Array(memory.buffer, this.#rules.room(), ROOM).set(bytes);
    const length = this.#rules.words(bytes.length);
    return decoder.decode(new Uint8Array(memory.buffer, this.#rules.room(), length).slice());
  }

  #small(word: string): string {
    return this.language === 'tr' ? word.toLocaleLowerCase('tr') : word.toLowerCase();
  }
}

const loading = new Map<string, Promise<WordForms>>();

/** The same for everybody; of a BCP 47 tag. */
export function formsOf(tag: string): Promise<WordForms> {
  const language = analysisOf(tag);
  let forms = loading.get(language);
  if (forms === undefined) {
    forms = WordForms.of(language);
    loading.set(language, forms);
    forms.catch(() => loading.delete(language));
  }
  return forms;
}

/** Small letters without accents. Pure. */
export function folded(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Script=Inherited}/gu, '')
    .normalize('NFC');
}

/** What forms of an English word share, roughly. */
function englishStem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const cut = word.replace(/(ies|ied)$/, 'y').replace(/(ings?|edly|ed|ers?|es|ly|s)$/, '');
  return (cut.length >= 3 ? cut : word).replace(/e$/, '').replace(/([b-df-hj-np-tv-z])\1$/, '$1');
}
