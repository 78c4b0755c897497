/**
 * LanceDB: its full-text BM25 over pages and chunks, and over chunks also MiniLM's vectors alone and the two fused by
 * reciprocal ranks (k = 60). The last is OpenGround's ranking: the same text index (simple tokens, lower case,
 * English stems, no stop words), flat vector search, LanceDB's own reranker; here with all-MiniLM-L6-v2.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHUNK_DEPTH, contentOf, pagesOf, recordsOf } from './records.mjs';
import { embedAll } from './vectors.mjs';

/** LanceDB's text index as OpenGround sets it up. */
export const FTS = {
  baseTokenizer: 'simple',
  maxTokenLength: 40,
  lowercase: true,
  asciiFolding: true,
  language: 'English',
  stem: true,
  removeStopWords: true,
};
const RRF_K = 60;

/** The library, from where install.mjs puts it. */
export const importLance = () => import('@lancedb/lancedb');

export async function lancedb({ model, progress }, collection) {
  const lance = await importLance();
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-lancedb-'));
  const db = await lance.connect(folder);
  const table = async (name, rows) => {
    const made = await db.createTable(name, rows);
    await made.createIndex('content', { config: lance.Index.fts(FTS) });
    return made;
  };
  const rowsOf = (granularity) => {
    return recordsOf(collection, granularity).map((record) => ({ page: record.page, content: contentOf(record) }));
  };
  const pages = (rows) => pagesOf(rows.map((row) => Number(row.page)));
  const bm25 =
    (made) =>
    async ({ query }) => {
      const found = made.search(query, 'fts', ['content']).select(['page', '_score']);
      return pages(await found.limit(CHUNK_DEPTH).toArray());
    };

  const byPage = await table('pages', rowsOf('page'));
  const engines = [{ engine: 'LanceDB', setting: 'BM25', records: 'page', rank: bm25(byPage) }];
  let chunkRows = rowsOf('chunk');
  let queryVectors;
  if (model !== undefined) {
    const texts = [...collection.passages.map((passage) => passage.embedded), ...collection.queries.map(({ query }) => query)];
    const vectors = await embedAll(model, texts, progress);
    chunkRows = chunkRows.map((row, i) => ({ ...row, vector: Array.from(vectors[i]) }));
    queryVectors = new Map(collection.queries.map(({ query }, i) => [query, vectors[chunkRows.length + i]]));
  }
  const byChunk = await table('chunks', chunkRows);
  engines.push({ engine: 'LanceDB', setting: 'BM25', records: 'chunk', rank: bm25(byChunk) });
  if (queryVectors !== undefined) {
    const nearest = (query) => Array.from(queryVectors.get(query));
    const reranker = await lance.rerankers.RRFReranker.create(RRF_K);
    engines.push({
      engine: 'LanceDB',
      setting: 'MiniLM vectors',
      records: 'chunk',
      rank: async ({ query }) => {
        const found = byChunk.vectorSearch(nearest(query)).distanceType('cosine').select(['page', '_distance']);
        return pages(await found.limit(CHUNK_DEPTH).toArray());
      },
    });
    engines.push({
      engine: 'LanceDB',
      setting: 'hybrid: BM25 + MiniLM, RRF (OpenGround)',
      records: 'chunk',
      rank: async ({ query }) => {
        const both = byChunk
          .query()
          .fullTextSearch(query, { columns: ['content'] })
          .nearestTo(nearest(query))
          .distanceType('cosine');
        return pages(await both.rerank(reranker).limit(CHUNK_DEPTH).toArray());
      },
    });
  }
  return { engines, close: () => rmSync(folder, { recursive: true, force: true }) };
}
