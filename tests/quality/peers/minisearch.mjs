/**
 * MiniSearch as VitePress sets it up, and tuned: stop words left out, a prefix at the last word alone, and
 * one edit in five letters for words longer than five. In other languages than English also as somebody who knows them
 * would set it up: with the language's stemmer, or with pairs of characters or words in scripts without spaces.
 */
import { pagesOf, recordsOf, STOP_WORDS } from './records.mjs';

const FIELDS = ['title', 'headings', 'text'];
const BOOST = { title: 4, text: 2, headings: 1 }; // VitePress's default

/** For other languages than English: its defaults, and VitePress's. */
const PLAIN = [
  { setting: 'defaults', index: {}, search: {} },
  { setting: 'VitePress: prefixes, fuzzy 0.2', index: {}, search: { prefix: true, fuzzy: 0.2, boost: BOOST } },
];

/** Modules of @orama/stemmers, by language. */
const STEMMERS = {
  ...{ ar: 'arabic', da: 'danish', de: 'german', el: 'greek', es: 'spanish', fi: 'finnish', fr: 'french', hu: 'hungarian' },
  ...{ it: 'italian', lt: 'lithuanian', nl: 'dutch', nn: 'norwegian', no: 'norwegian', pt: 'portuguese', ro: 'romanian' },
  ...{ ru: 'russian', sv: 'swedish' },
};
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]+/gu;

/** A token's stretches in a script without spaces as pairs of characters, the rest as it is. Pure. */
function pairsOf(token) {
  const pairs = (token.match(UNSPACED) ?? []).flatMap((stretch) => {
    const characters = [...stretch];
    return characters.length === 1 ? characters : characters.slice(1).map((second, i) => characters[i] + second);
  });
  return [...pairs, ...token.split(UNSPACED).filter((rest) => rest !== '')];
}

/** Each plain setting with every way to make terms of the language that somebody who knows it would choose. */
async function settingsOf(language, tokenize) {
  if (language === 'en') return SETTINGS;
  const primary = language.split('-')[0];
  const ways = [];
  if (primary in STEMMERS) {
    const { stemmer } = await import(`@orama/stemmers/${STEMMERS[primary]}`);
    ways.push({ name: 'stemmer', index: { processTerm: (term) => stemmer(term.toLowerCase()) } });
  } else if (['ja', 'ko', 'zh'].includes(primary)) {
    const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
    const wordsOf = (text) => [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
    ways.push({ name: 'pairs of characters', index: { tokenize: (text) => tokenize(text).flatMap(pairsOf) } });
    ways.push({ name: 'words by ICU', index: { tokenize: wordsOf } });
  }
  const known = ways.flatMap(({ name, index }) => PLAIN.map(({ setting, search }) => ({ setting: `${setting}, ${name}`, index, search })));
  return [...PLAIN, ...known];
}
const SETTINGS = [
  { setting: 'VitePress: prefixes, fuzzy 0.2', index: {}, search: { prefix: true, fuzzy: 0.2, boost: BOOST } },
  {
    setting: 'tuned: stop words, last-word prefix, fuzzy > 5',
    index: { processTerm: (term) => (STOP_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase()) },
    search: {
      boost: BOOST,
      prefix: (term, i, terms) => i === terms.length - 1,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    },
  },
];

export async function minisearch(_, collection) {
  const { default: MiniSearch } = await import('minisearch');
  const engines = [];
  const settings = await settingsOf(collection.language ?? 'en', MiniSearch.getDefault('tokenize'));
  for (const granularity of ['page', 'chunk']) {
    const records = recordsOf(collection, granularity);
    for (const { setting, index, search } of settings) {
      const engine = new MiniSearch({ fields: FIELDS, idField: 'id', ...index });
      engine.addAll(records);
      const rank = ({ query }) => pagesOf(engine.search(query, search).map((hit) => records[hit.id].page));
      engines.push({ engine: 'MiniSearch', setting, records: granularity, rank });
    }
  }
  return { engines };
}
