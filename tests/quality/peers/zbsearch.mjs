/** ZBSearch (the former Orama) with one edit of tolerance, queries as asked and without stop words. */
import { CHUNK_DEPTH, pagesOf, recordsOf, withoutStopWords } from './records.mjs';

const PROPERTIES = ['title', 'headings', 'text'];

export async function zbsearch(_, collection) {
  const { create, insertMultiple, search } = await import('zbsearch');
  const engines = [];
  for (const granularity of ['page', 'chunk']) {
    const records = recordsOf(collection, granularity);
    const db = create({ schema: { page: 'number', title: 'string', headings: 'string', text: 'string' } });
    await insertMultiple(
      db,
      records.map(({ page, title, headings, text }) => ({ page, title, headings, text })),
    );
    const ask = async (term) => {
      const { hits } = await search(db, { term, properties: PROPERTIES, tolerance: 1, limit: CHUNK_DEPTH });
      return pagesOf(hits.map((hit) => hit.document.page));
    };
    engines.push({ engine: 'ZBSearch', setting: 'tolerance 1', records: granularity, rank: ({ query }) => ask(query) });
    const setting = 'tolerance 1, query without stop words';
    engines.push({ engine: 'ZBSearch', setting, records: granularity, rank: ({ query }) => ask(withoutStopWords(query)) });
  }
  return { engines };
}
