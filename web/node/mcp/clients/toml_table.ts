/**
 * Sets keys of one table in a TOML file and leaves every other byte as it is.
 *
 * Parsing and rewriting the whole file would lose its comments and order, so we replace lines. A parser
 * finds where a statement ends and what it defines. It also parses the edited file: unless the result is
 * the old content with these keys set, we refuse the file. So a table that line edits cannot change
 * (inline, dotted, defined more than once) is left alone.
 *
 * Cost: a multi-line statement is parsed once for each line that could be its last.
 */
import { isDeepStrictEqual } from 'node:util';
import { CliError, EXIT } from '../../base/exit.js';
import { parseToml } from '../../sources/toml.js';

export function tomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f'); // every JSON escape is valid in TOML
}

interface Statement {
  /** A table header's path, or a key's. */
  path: string[];
  header: boolean;
  start: number;
  end: number;
}

type Table = { [key: string]: unknown };

/** `values` are already TOML. */
export function setTomlTable(
  text: string,
  table: readonly string[],
  values: Record<string, string>,
  file: string,
): string {
  const statements = scan(text, file);
  const lines = new Map(Object.entries(values).map(([key, value]) => [key, `${key} = ${value}\n`]));
  const header = statements.findIndex((statement) => statement.header && isDeepStrictEqual(statement.path, table));
  const after = header < 0 ? append(text, table, lines) : change(text, statements.slice(header), lines);
  const wanted = withTable(parse(text), table, parse([...lines.values()].join('')));
  if (wanted === undefined || !isDeepStrictEqual(tryParse(after), wanted)) {
    throw new CliError(
      EXIT.FAILURE,
      `${file} defines ${table.join('.')} inline or in pieces, which is not edited; add the entry yourself: sheaf install-mcp --print`,
    );
  }
  return after;
}

/** Without the table and those below it; the text itself where there is none. Error: it is defined inline or in pieces. */
export function removeTomlTable(text: string, table: readonly string[], file: string): string {
  const wanted = parse(text);
  let parent: unknown = wanted;
  for (const key of table.slice(0, -1)) parent = isTable(parent) ? parent[key] : undefined;
  const name = table.at(-1) as string;
  if (!isTable(parent) || !(name in parent)) return text;
  delete parent[name];
  let after = '';
  let [from, isOwn] = [0, false];
  for (const { path, header, start } of scan(text, file)) {
    if (!header) continue;
    if (isOwn) from = start;
    else after += text.slice(from, start);
    [from, isOwn] = [start, isDeepStrictEqual(path.slice(0, table.length), [...table])];
  }
  if (!isOwn) after += text.slice(from);
  // The table above may be there through this one alone.
  const left = tryParse(after);
  const same = left !== undefined && isDeepStrictEqual(withTable(left, table.slice(0, -1), {}), wanted);
  if (!same)
    throw new CliError(
      EXIT.FAILURE,
      `${file} defines ${table.join('.')} inline or in pieces, which is not edited; remove the entry yourself.`,
    );
  return after;
}

function append(text: string, table: readonly string[], lines: ReadonlyMap<string, string>): string {
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}[${table.join('.')}]\n${[...lines.values()].join('')}`;
}

/** New keys come first; a key that already has the value keeps its comment. */
function change(
  text: string,
  [header, ...following]: readonly Statement[],
  lines: ReadonlyMap<string, string>,
): string {
  const { end } = header as Statement;
  const missing = new Map(lines);
  let body = '';
  let from = end;
  for (const { path, header: next, start, end: until } of following) {
    if (next) break;
    const key = path.join('.');
    const line = missing.get(key);
    if (line === undefined) continue;
    missing.delete(key);
    const own = text.slice(start, until);
    body += text.slice(from, start) + (own.trim() === line.trim() ? own : line);
    from = until;
  }
  const opening = text.slice(0, end) + (text.slice(0, end).endsWith('\n') ? '' : '\n');
  return opening + [...missing.values()].join('') + body + text.slice(from);
}

/** The file's content with these values in the table; undefined if something other than a table has that name. */
function withTable(content: Table, table: readonly string[], values: Table): Table | undefined {
  let at: unknown = content;
  for (const key of table) {
    if (!isTable(at)) return undefined;
    at = at[key] ??= Object.create(null) as Table;
  }
  return isTable(at) ? (Object.assign(at, values), content) : undefined;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

/** The tables in it have no prototype; dates are objects, and arrays are arrays. Error: not TOML. */
function parse(text: string): Table {
  return parseToml(text) as Table;
}

/** Where each statement lies: from its first character to the end of its last line. */
function scan(text: string, file: string): Statement[] {
  const statements: Statement[] = [];
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  let start = 0;
  for (let i = 0; i < lines.length; i++) {
    const first = i;
    let end = start + (lines[i] as string).length;
    let content = tryParse(text.slice(start, end));
    while (content === undefined) {
      const next = lines[++i];
      if (next === undefined) throw notToml(file, first + 1);
      end += next.length;
      // A statement of several lines ends in the line that closes its array, table or string.
      if (/[\]}]|"""|'''/.test(next)) content = tryParse(text.slice(start, end));
    }
    const header = text.slice(start, end).trimStart().startsWith('[');
    if (Object.keys(content).length > 0) statements.push({ path: pathOf(content, header), header, start, end });
    start = end;
  }
  try {
    parse(text);
  } catch (error) {
    throw notToml(file, (error as { line?: number }).line ?? 1);
  }
  return statements;
}

function tryParse(text: string): Table | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** What a single statement defines. A header yields nested empty tables; for a key, only its first part counts. */
function pathOf(content: Table, header: boolean): string[] {
  const path: string[] = [];
  for (let at: unknown = content; isTable(at) && Object.keys(at).length > 0; at = at[path.at(-1) as string]) {
    path.push(Object.keys(at)[0] as string);
    if (!header) break;
  }
  return path;
}

function notToml(file: string, line: number): CliError {
  return new CliError(
    EXIT.FAILURE,
    `${file} is not valid TOML from line ${line} on, so it was left alone. Correct it, or add the entry yourself: sheaf install-mcp --print`,
  );
}
