/** Writes the tables of this folder; chart.mjs reads them. */
import { existsSync, readFileSync } from 'node:fs';
import { writeAtomically } from '../../dist/node/base/files.js';

function cell(value) {
  if (value === undefined) return '';
  if (typeof value === 'number' && !Number.isInteger(value)) return value.toFixed(4);
  return /[",]/.test(String(value)) ? `"${value}"` : String(value);
}

/** Writes rows, objects by column, the first column being their set; sets that could not be measured here keep their rows. */
export async function writeTable(file, columns, rows) {
  const measured = new Set(rows.map((row) => row.set));
  const before = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(1) : [];
  const kept = before.filter((line) => !measured.has(line.split(',')[0]));
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','));
  await writeAtomically(file, `${[columns.join(','), ...lines, ...kept].join('\n')}\n`);
}
