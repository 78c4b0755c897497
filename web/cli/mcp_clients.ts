/**
 * The clients that `sheaf install-mcp` knows: where each keeps its servers, and what an entry looks like.
 *
 * Invariant: an edit changes only its own entry. Other entries, unknown keys (of the file and of an
 * existing entry) and the file's indentation stay. A file that cannot be parsed with certainty is left
 * alone; the message says where it is broken and what to add by hand.
 */
import { join } from 'node:path';
import { CliError, EXIT } from '../host/exit.js';
import { setTomlTable, tomlString } from './toml_table.js';

export const SERVER_NAME = 'sheaf';

export interface Launch {
  command: string;
  args: string[];
}

export interface Places {
  home: string;
  /** $XDG_CONFIG_HOME or its default. */
  config: string;
  env: NodeJS.ProcessEnv;
  /** The project's folder, if the entry is for one project. */
  project: string | undefined;
  cwd: string;
}

export interface McpClient {
  title: string;
  /** The file to edit; undefined if the client's own command is the better way. */
  file(places: Places): string | undefined;
  /** The whole file with the entry added; `before` is its current text. */
  edit(before: string, launch: Launch, file: string): string;
  /** What a user would type or paste. */
  snippet(launch: Launch): string;
}

interface JsonShape {
  /** Keys from the root to the servers. */
  key: string;
  entry(launch: Launch): Record<string, unknown>;
  /** Keys of a new entry that do not overwrite the user's own values. */
  initial?: Record<string, unknown>;
}

const SERVERS: JsonShape = { key: 'mcpServers', entry: ({ command, args }) => ({ command, args }) };
const VSCODE: JsonShape = { key: 'servers', entry: ({ command, args }) => ({ type: 'stdio', command, args }) };
const OPENCODE: JsonShape = {
  key: 'mcp',
  entry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
  initial: { enabled: true },
};

function jsonClient(
  title: string,
  shape: JsonShape,
  file: McpClient['file'],
  snippet = (launch: Launch) => jsonSnippet(shape, launch),
): McpClient {
  return { title, file, snippet, edit: (before, launch, path) => editJson(before, shape, launch, path) };
}

export const CLIENTS: Record<string, McpClient> = {
  'claude-code': jsonClient(
    'Claude Code',
    SERVERS,
    ({ project }) => (project === undefined ? undefined : join(project, '.mcp.json')),
    (launch) => `claude mcp add ${SERVER_NAME} -- ${[launch.command, ...launch.args].map(shellWord).join(' ')}`,
  ),
  cursor: jsonClient('Cursor', SERVERS, ({ home, project }) => join(project ?? home, '.cursor', 'mcp.json')),
  opencode: jsonClient('OpenCode', OPENCODE, ({ config, project }) =>
    project === undefined ? join(config, 'opencode', 'opencode.json') : join(project, 'opencode.json'),
  ),
  vscode: jsonClient('VS Code', VSCODE, ({ project, cwd }) => join(project ?? cwd, '.vscode', 'mcp.json')),
  codex: {
    title: 'Codex',
    file: ({ home, env, project }) =>
      join(project === undefined ? env['CODEX_HOME'] || join(home, '.codex') : join(project, '.codex'), 'config.toml'),
    edit: (before, launch, file) => setTomlTable(before, ['mcp_servers', SERVER_NAME], tomlEntries(launch), file),
    snippet: (launch) =>
      `[mcp_servers.${SERVER_NAME}]\n${Object.entries(tomlEntries(launch))
        .map(([key, value]) => `${key} = ${value}`)
        .join('\n')}`,
  },
};

function tomlEntries({ command, args }: Launch): Record<string, string> {
  return { command: tomlString(command), args: `[${args.map(tomlString).join(', ')}]` };
}

/** The entry as JSON that can be pasted into an empty file. */
export function jsonOf(name: string, launch: Launch): string {
  return name === 'claude-code' ? jsonSnippet(SERVERS, launch) : (CLIENTS[name] as McpClient).snippet(launch);
}

function jsonSnippet(shape: JsonShape, launch: Launch): string {
  return JSON.stringify({ [shape.key]: { [SERVER_NAME]: { ...shape.entry(launch), ...shape.initial } } }, null, 2);
}

function editJson(before: string, shape: JsonShape, launch: Launch, file: string): string {
  const text = before.replace(/^\ufeff/, '');
  const root = text.trim() === '' ? {} : parse(text, file);
  const servers = objectAt(root, shape.key, file);
  const old = Object.hasOwn(servers, SERVER_NAME) ? objectAt(servers, SERVER_NAME, file) : {};
  servers[SERVER_NAME] = { ...shape.initial, ...old, ...shape.entry(launch) };
  const after = JSON.stringify(root, null, indentOf(text));
  // Formatting alone is no reason to touch a file.
  return text.trim() !== '' && JSON.stringify(JSON.parse(text)) === JSON.stringify(root) ? before : `${after}\n`;
}

function parse(text: string, file: string): Record<string, unknown> {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const at = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const lines = text.slice(0, at).split('\n');
    const where = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    const comments = /^\s*\/[/*]/m.test(text) ? ' Comments are no JSON, and an edit would lose them.' : '';
    throw new CliError(
      EXIT.FAILURE,
      `${file} is not valid JSON at ${where}, so it was left alone.${comments} Correct it, or add the entry yourself: sheaf install-mcp --print`,
    );
  }
  if (!isObject(root))
    throw new CliError(EXIT.FAILURE, `${file} should hold a JSON object, and holds something else; it was left alone.`);
  return root;
}

function objectAt(parent: Record<string, unknown>, key: string, file: string): Record<string, unknown> {
  const value = Object.hasOwn(parent, key) ? parent[key] : (parent[key] = {});
  if (!isObject(value))
    throw new CliError(
      EXIT.FAILURE,
      `${file}: "${key}" should be an object, and is something else; the file was left alone.`,
    );
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function indentOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
