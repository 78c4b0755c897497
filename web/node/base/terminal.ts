/**
 * Terminal output: results go to stdout, status to stderr. Colour only on a terminal and if NO_COLOR
 * is unset. Text from documentation is sanitised before it is printed: an escape sequence in a page
 * must not move anybody's cursor.
 */
import { harmless, withoutControls } from '../../browser/client/plain_text.js';
import type { Highlight } from '../../browser/client/types.js';

export { harmless, oneLine } from '../../browser/client/plain_text.js';

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

export function status(text: string): void {
  process.stderr.write(`${text}\n`);
}

type Style = 'bold' | 'dim' | 'red' | 'cyan';

const CODES: Record<Style, [number, number]> = { bold: [1, 22], dim: [2, 22], red: [31, 39], cyan: [36, 39] };

export function hasColor(stream: { isTTY?: boolean }): boolean {
  return Boolean(stream.isTTY) && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}

export function paint(style: Style, text: string, stream: { isTTY?: boolean } = process.stdout): string {
  if (text === '' || !hasColor(stream)) return text;
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** `1 page`, `32,101 pages`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  // toLocaleString() would load ICU's number formats, 20 ms.
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} ${count === 1 ? one : many}`;
}

/** 512 bytes, 9.3 kB, 12 MB, 1.4 GB (powers of 1000). */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 'bytes';
  for (const next of ['kB', 'MB', 'GB']) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return `${unit === 'bytes' || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${unit}`;
}

/** A word of a command, as a shell reads it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The snippet on one line, or on its own (`lines`), with its highlights in bold. Ignores offsets outside the text. */
export function paintHighlights(snippet: string, highlights: readonly Highlight[], lines = false): string {
  const clean = lines ? harmless : flat;
  let painted = '';
  let position = 0;
  for (const { start, length } of highlights) {
    if (start < position || start + length > snippet.length) continue;
    painted += clean(snippet.slice(position, start)) + paint('bold', clean(snippet.slice(start, start + length)));
    position = start + length;
  }
  painted += clean(snippet.slice(position));
  return lines ? painted.trimEnd() : painted.trim();
}

function flat(text: string): string {
  return withoutControls(text).replace(/\s+/g, ' ');
}

/** Columns padded to their widest cell; `right` names those aligned to the right. */
export function table(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (right.has(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
