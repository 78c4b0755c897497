/**
 * What search engines are fed, and what is made of their answers. A page record is a whole page, a chunk record one of
 * Sheaf's passages; hits on chunks count for their page, best first, each page once.
 */
export const DEPTH = 10; // pages that the deepest measure looks at
/** Chunk hits asked for, so that ten pages come together where there are ten. */
export const CHUNK_DEPTH = 100;

/** {id, page, title, headings, text} of one granularity. Pure. */
export function recordsOf(collection, granularity) {
  const rows = granularity === 'page' ? collection.pages.map((page) => ({ ...page, page: page.id })) : collection.passages;
  return rows.map(({ page, title, headings, text }, id) => ({ id, page, title, headings: headings.join('\n'), text }));
}

/** A record as one text, for search engines and embedders without fields. Pure. */
export function contentOf({ title, headings, text }) {
  const above = [...new Set([title, ...headings.split('\n')])].filter((part) => part !== '');
  return `${above.join(' > ')}\n${text}`;
}

/** The first DEPTH different pages of hits in their order. Pure. */
export function pagesOf(pages) {
  const found = new Set();
  for (const page of pages) {
    found.add(page);
    if (found.size === DEPTH) break;
  }
  return [...found];
}

/** Words that the "tuned" settings leave out: articles, pronouns, prepositions, auxiliaries and question words. */
export const STOP_WORDS = new Set(
  `a about am an and any are as at be been but by can could did do does for from get had has have how i if in into is
  it its just me my not of on or our should so some than that the their them then there these they this to us was we
  were what when where which while who whose why will with without would you your`.split(/\s+/),
);

export function withoutStopWords(query) {
  const kept = query.split(/\s+/).filter((word) => !STOP_WORDS.has(word.toLowerCase().replace(/[^a-z]/g, '')) || /[^a-z'?.,!]/i.test(word));
  return kept.length > 0 ? kept.join(' ') : query;
}
