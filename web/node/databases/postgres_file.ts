/**
 * A script for psql: schema, rows by COPY, and the switch to them, in one transaction a bundle.
 *
 *     psql -v ON_ERROR_STOP=1 -1 -f FILE.sql DATABASE
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { BundleRows } from './bundle_rows.js';
import type { Only } from './named.js';
import { writtenFile } from './output.js';
import { arrayText, copyField, sqlText, tsvectorText, vectorText } from './quote.js';
import {
  columnNames,
  COLUMNS,
  factValues,
  indexes,
  letGo,
  NEW,
  replace,
  schema,
  stage,
  TERM_COLUMNS,
} from './postgres_schema.js';
import { columnsOf, type Row } from './row.js';
import type { Written } from './backend.js';

/** `bundles` are opened one after the other. All must have vectors of the same space, or none. */
export async function writeScript(
  path: string,
  bundles: AsyncIterable<BundleRows>,
  { only }: { only?: Only | undefined } = {},
): Promise<Written[]> {
  // A script that was cut short may delete and not insert.
  return writtenFile(path, (temporary) => writeTo(temporary, bundles, only));
}

async function writeTo(path: string, bundles: AsyncIterable<BundleRows>, only: Only | undefined): Promise<Written[]> {
  const file = createWriteStream(path);
  let failure: unknown;
  file.on('error', (error) => (failure ??= error));
  const write = async (text: string): Promise<void> => {
    if (failure !== undefined) throw failure;
    if (!file.write(text)) await once(file, 'drain');
  };
  const written: Written[] = [];
  try {
    await write('\\set ON_ERROR_STOP on\nSET standard_conforming_strings = on;\nSET client_encoding = UTF8;\n');
    for await (const bundle of bundles) {
      const { facts } = bundle;
      const { dimensions } = facts;
      await write(`BEGIN;\n${schema(dimensions)}\n${stage(dimensions)}\n`);
      await write(`COPY sheaf_staged (${columnNames(dimensions)}) FROM stdin;\n`);
      let rows = 0;
      for await (const batch of bundle.batches()) {
        rows += batch.length;
        await write(batch.map((row) => copyLine(row, dimensions)).join(''));
      }
      await write(`\\.\nCOPY sheaf_staged_terms (${TERM_COLUMNS.map(([name]) => name).join(', ')}) FROM stdin;\n`);
      for (const { stem, pages, terms } of await bundle.groups())
        await write(
          terms.map((each) => `${[stem, each.term].map(copyField).join('\t')}\t${each.pages}\t${pages}\n`).join(''),
        );
      await write('\\.\n');
      const mean = bundle.mean();
      const centroid =
        mean === undefined ? 'NULL::real[]' : `${sqlText(`{${mean.map((v) => v.toFixed(7)).join(',')}}`)}::real[]`;
      const values = factValues(facts).map((value) => (typeof value === 'string' ? sqlText(value) : value));
      for (const statement of [
        NEW,
        `INSERT INTO sheaf_new VALUES (${[...values, centroid].join(', ')})`,
        ...replace(dimensions),
        ...indexes(dimensions),
        ...letGo(facts.library, only?.(facts)),
      ])
        await write(`${statement};\n`);
      await write('COMMIT;\n');
      written.push({ library: facts.library, version: facts.version, outcome: 'written', rows });
    }
    await write('ANALYZE sheaf_passages;\nANALYZE sheaf_terms;\n');
    file.end();
    await finished(file);
  } catch (error) {
    const first = failure ?? error;
    file.destroy();
    throw first;
  }
  return written;
}

function copyLine(row: Row, dimensions: number): string {
  const values: Record<string, unknown> = { ...columnsOf(row), words: row.words, stems: tsvectorText(row.stems ?? '') };
  const fields = COLUMNS.map(([name]) => (name === 'headings' ? arrayText(row.headings) : String(values[name])));
  if (dimensions > 0) return `${[...fields, row.vector && vectorText(row.vector)].map(copyField).join('\t')}\n`;
  return `${fields.map(copyField).join('\t')}\n`;
}
