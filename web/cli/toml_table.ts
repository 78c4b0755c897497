/**
 * Sets keys of one table in a TOML file and leaves every other byte as it is.
 *
 * Parsing and writing the whole file would lose its comments and its order, so the text is scanned for
 * where statements begin and end; strings, arrays and comments are known to the scan. What cannot be
 * edited safely that way (an inline or dotted definition of the table) is refused.
 */
import { CliError, EXIT } from '../host/exit.js';

export function tomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f'); // JSON's escapes are all TOML's
}

interface Statement {
  /** A table header's path, or a key's. */
  path: string[];
  header: boolean;
  start: number;
  end: number;
}

/** `values` are TOML already. */
export function setTomlTable(text: string, table: readonly string[], values: Record<string, string>, file: string): string {
  const statements = scan(text, file);
  const header = statements.findIndex((statement) => statement.header && same(statement.path, table));
  refuseOtherDefinitions(statements, table, file);
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${value}\n`);
  if (header < 0) {
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    return `${text}${gap}[${table.join('.')}]\n${lines.join('')}`;
  }
  const { end } = statements[header] as Statement;
  let body = '';
  let from = end;
  const missing = new Map(Object.entries(values).map(([key], i) => [key, lines[i] as string]));
  for (const statement of statements.slice(header + 1)) {
    if (statement.header) break;
    const line = missing.get(statement.path.join('.'));
    if (line === undefined) continue;
    missing.delete(statement.path.join('.'));
    const unchanged = text.slice(statement.start, statement.end).trim() === line.trim();
    body += text.slice(from, statement.start) + (unchanged ? text.slice(statement.start, statement.end) : line);
    from = statement.end;
  }
  const opening = text.slice(0, end) + (text.slice(0, end).endsWith('\n') ? '' : '\n');
  return opening + [...missing.values()].join('') + body + text.slice(from);
}

/** `a = { b = … }` or `a.b.c = …` for the table a.b: valid TOML, but not ours to take apart. */
function refuseOtherDefinitions(statements: readonly Statement[], table: readonly string[], file: string): void {
  let current: readonly string[] = [];
  for (const { path, header } of statements) {
    if (header) current = path;
    const full = header ? path : [...current, ...path];
    const inside = !header && !same(current, table) && current.length < table.length && full.every((part, i) => i >= table.length || part === table[i]);
    if (inside) throw new CliError(EXIT.FAILURE, `${file} defines ${full.slice(0, table.length).join('.')} inline, which is not edited; add the entry yourself: sheaf install-mcp --print`);
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

/** Where each statement lies: from its first character to the end of its last line. */
function scan(text: string, file: string): Statement[] {
  const statements: Statement[] = [];
  let at = 0;
  while (at < text.length) {
    const blank = /^[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/.exec(text.slice(at));
    if (blank !== null) {
      if (blank[0] === '') break;
      at += blank[0].length;
      continue;
    }
    const end = endOfStatement(text, at, file);
    const header = text.slice(at, end).trimStart().startsWith('[');
    statements.push({ path: keyPath(text.slice(at, end)), header, start: at, end });
    at = end;
  }
  return statements;
}

const TOKEN = /"""[\s\S]*?(?:"""+)|'''[\s\S]*?(?:'''+)|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\n|[^"'#[\]{}\n]+/y;

function endOfStatement(text: string, start: number, file: string): number {
  let depth = 0;
  TOKEN.lastIndex = start;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    if (token === '[' || token === '{') depth++;
    if (token === ']' || token === '}') depth--;
    if ((token === '\n' && depth <= 0) || (TOKEN.lastIndex === text.length && depth <= 0)) return TOKEN.lastIndex;
  }
  const line = text.slice(0, start).split('\n').length;
  throw new CliError(EXIT.FAILURE, `${file} is not valid TOML from line ${line} on, so it was left alone. Correct it, or add the entry yourself: sheaf install-mcp --print`);
}

/** The dotted key at the head of a statement. */
function keyPath(statement: string): string[] {
  const head = statement.trimStart().replace(/^\[\[?/, '');
  const parts: string[] = [];
  const part = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.?)/y;
  for (let match = part.exec(head); match !== null; match = part.exec(head)) {
    parts.push(match[1] ?? match[2] ?? match[3] ?? '');
    if (match[4] !== '.') break;
  }
  return parts;
}
