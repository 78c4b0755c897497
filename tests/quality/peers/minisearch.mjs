/**
 * MiniSearch as VitePress sets it up, and tuned: stop words left out, a prefix at the last word alone, and
 * one edit in five letters for words longer than five.
 */
import { pagesOf, recordsOf, STOP_WORDS } from './records.mjs';

const FIELDS = ['title', 'headings', 'text'];
const BOOST = { title: 4, text: 2, headings: 1 }; // VitePress's default

/** For other languages than English: its defaults, and VitePress's. */
const PLAIN = [
  { setting: 'defaults', index: {}, search: {} },
  { setting: 'VitePress: prefixes, fuzzy 0.2', index: {}, search: { prefix: true, fuzzy: 0.2, boost: BOOST } },
];
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
  for (const granularity of ['page', 'chunk']) {
    const records = recordsOf(collection, granularity);
    for (const { setting, index, search } of (collection.language ?? 'en') === 'en' ? SETTINGS : PLAIN) {
      const engine = new MiniSearch({ fields: FIELDS, idField: 'id', ...index });
      engine.addAll(records);
      const rank = ({ query }) => pagesOf(engine.search(query, search).map((hit) => records[hit.id].page));
      engines.push({ engine: 'MiniSearch', setting, records: granularity, rank });
    }
  }
  return { engines };
}
