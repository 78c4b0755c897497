/**
 * One Parquet file of rows, for anything that reads such files.
 *
 * Idea: a row group is written as soon as its rows are there, so memory holds one of them, however many rows there are. The file
 * appears under its name when it is whole. The same bundles give the same bytes.
 */
import type { BundleRows } from './bundle_rows.js';
import { optional } from './modules.js';
import { writtenFile } from './output.js';
import type { BundleFacts, Row } from './row.js';
import type { Written } from './backend.js';

/** What is used of hyparquet-writer. */
interface Hyparquet {
  ParquetWriter: new (options: {
    writer: unknown;
    schema: object[];
    codec?: string;
    statistics?: boolean;
    createdBy?: string;
  }) => {
    kvMetadata?: { key: string; value: string }[];
    write(options: { columnData: { name: string; data: unknown[] }[]; rowGroupSize: number }): void | Promise<void>;
    finish(): void;
  };
  fileWriter(path: string): unknown;
}

const ROWS_A_GROUP = 4000;

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
const NUMBER = { type: 'INT32' };
const COLUMNS: [name: string, of: (row: Row) => unknown, type: object][] = [
  ['id', (row) => row.id, TEXT],
  ['library', (row) => row.library, TEXT],
  ['version', (row) => row.version, TEXT],
  ['passage', (row) => row.passage, NUMBER],
  ['page', (row) => row.page, NUMBER],
  ['title', (row) => row.title, TEXT],
  ['url', (row) => row.url, TEXT],
  ['source', (row) => row.source, TEXT],
  ['description', (row) => row.description, TEXT],
  ['last_modified', (row) => row.lastModified, TEXT],
  ['anchor', (row) => row.anchor, TEXT],
  ['first_line', (row) => row.firstLine, NUMBER],
  ['last_line', (row) => row.lastLine, NUMBER],
  ['text', (row) => row.text, TEXT],
  ['licence', (row) => row.licence, TEXT],
  ['language', (row) => row.language, TEXT],
  ['safesearch', (row) => row.safesearch, TEXT],
];

/** Columns, and the lists `headings` and `vector` in the three levels that Parquet wants. */
function schema(): object[] {
  const list = (name: string, element: object, repetition: string): object[] => [
    { name, repetition_type: repetition, converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', ...element },
  ];
  return [
    { name: 'root', num_children: COLUMNS.length + 2 },
    ...COLUMNS.map(([name, , type]) => ({ name, repetition_type: 'REQUIRED', ...type })),
    ...list('headings', TEXT, 'REQUIRED'),
    ...list('vector', { type: 'FLOAT' }, 'OPTIONAL'),
  ];
}

export async function writeParquet(path: string, bundles: AsyncIterable<BundleRows>): Promise<Written[]> {
  const { ParquetWriter, fileWriter } = await optional<Hyparquet>('hyparquet-writer');
  const written: Written[] = [];
  const all: BundleFacts[] = [];
  await writtenFile(path, async (temporary) => {
    const writer = new ParquetWriter({ writer: fileWriter(temporary), schema: schema(), createdBy: 'sheaf' });
    let waiting: Row[] = [];
    const flush = async (): Promise<void> => {
      const rows = waiting;
      waiting = [];
      if (rows.length === 0) return;
      const columnData = [
        ...COLUMNS.map(([name, of]) => ({ name, data: rows.map(of) })),
        { name: 'headings', data: rows.map(({ headings }) => headings) },
        { name: 'vector', data: rows.map(({ vector }) => (vector === undefined ? null : Array.from(vector))) },
      ];
      await writer.write({ columnData, rowGroupSize: ROWS_A_GROUP });
    };
    for await (const bundle of bundles) {
      const { library, version } = bundle.facts;
      let rows = 0;
      for await (const batch of bundle.batches()) {
        rows += batch.length;
        waiting.push(...batch);
        if (waiting.length >= ROWS_A_GROUP) await flush();
      }
      all.push(bundle.facts);
      written.push({ library, version, outcome: 'written', rows });
    }
    await flush();
    writer.kvMetadata = [{ key: 'sheaf', value: JSON.stringify(all) }];
    writer.finish();
  });
  return written;
}
