/** The Cranfield 1400 collection as a folder of pages and a file of judged queries, as `sheaf eval` reads them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the collection at `source` (cran.all.1400, cran.qry, cranqrel) below `work`: a page a document, named by its
 * number, and the queries with all their judged documents. Queries are numbered by their order in cran.qry,
 * as cranqrel counts them. The documents without any text are no pages, and judged by no query. Returns {folder, file}.
 */
export function writeCranfield(source, work) {
  const read = (file) => readFileSync(join(source, file), 'latin1').replaceAll('\r', '');
  const folder = join(work, 'cranfield');
  mkdirSync(folder);
  const empty = new Set();
  const name = (id) => `${String(id).padStart(4, '0')}.md`;
  for (const record of read('cran.all.1400').split(/^\.I /m).slice(1)) {
    const id = parseInt(record, 10);
    const field = (letter) => {
      const from = record.split(new RegExp(`^\\.${letter}\\n`, 'm'))[1] ?? '';
      return from
        .split(/^\.[TABWI]/m)[0]
        .replace(/\s+/g, ' ')
        .trim();
    };
    const title = field('T');
    const text = field('W');
    if (title === '' && text === '') {
      empty.add(id);
      continue;
    }
    // The abstract repeats the title; a page has it once.
    const body = text.startsWith(title) ? text.slice(title.length) : text;
    const heading = title || 'Untitled';
    const plain = body.replace(/[<*_`#]/g, ' ').trim() || heading;
    writeFileSync(join(folder, name(id)), `---\ntitle: ${JSON.stringify(heading)}\n---\n\n${plain}\n`);
  }
  const relevant = new Map();
  for (const line of read('cranqrel').split('\n')) {
    const [query, document, grade] = line.trim().split(/\s+/).map(Number);
    if (!query || grade === -1 || grade === 5 || empty.has(document)) continue; // "of no interest"
    relevant.set(query, [...(relevant.get(query) ?? []), name(document)]);
  }
  const queries = read('cran.qry')
    .split(/^\.I /m)
    .slice(1)
    .map((record, i) => ({
      id: `cran-${i + 1}`,
      query: record.split('.W\n')[1].replace(/\s+/g, ' ').trim(),
      kind: 'abstract',
      relevant: relevant.get(i + 1) ?? [],
    }));
  const file = join(work, 'cranfield.jsonl');
  writeFileSync(
    file,
    queries
      .filter((q) => q.relevant.length)
      .map((q) => JSON.stringify(q))
      .join('\n') + '\n',
  );
  return { folder, file };
}
