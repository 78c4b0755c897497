/**
 * The clients that `sheaf install-mcp` knows: where each keeps its servers, and what an entry looks like.
 *
 * Invariant: an edit changes only its own entry. Other entries, unknown keys (of the file and of an
 * existing entry), comments and the file's form stay. A file that cannot be parsed with certainty is left
 * alone; the message says where it is broken and what to add by hand.
 */
import { join } from 'node:path';
import { CliError, EXIT } from '../../base/exit.js';
import { shellWord } from '../../base/terminal.js';
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from './json_edits.mjs';
import { removeTomlTable, setTomlTable, tomlString } from './toml_table.js';

/** A server as a client starts it. */
export interface Launch {
  /** What its entry is called: letters, digits and hyphens. */
  name: string;
  command: string;
  args: string[];
}

/** The entry's name: `sheaf`, or for a server of sites `sheaf-docs-example-org`, by the first. Clients put it before names of tools. */
export function serverName(sites: readonly URL[]): string {
  const { hostname = '', port = '', pathname = '' } = sites[0] ?? {};
  return ['sheaf', ...`${hostname} ${port} ${pathname}`.split(/[^a-z0-9]+/i)]
    .filter((part) => part !== '')
    .join('-')
    .slice(0, MAX_NAME)
    .replace(/-$/, '');
}

const MAX_NAME = 40;

export interface ClientContext {
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
  file(context: ClientContext): string | undefined;
  /** Other names that the client reads the same file by; one that is there is edited. */
  alsoNamed?: (file: string) => string[];
  /** Why `--project` is of no use, where the client has one file for all projects. */
  onlyGlobal?: true;
  /** It refuses tools with dots in their names, which knowledge.search has. */
  refusesDots?: true;
  /** Where its skills lie. */
  skills(context: ClientContext): string;
  /** It takes no skills from a folder. */
  takesNoSkills?: true;
  /** The whole file with the entry added; `before` is its current text. */
  edit(before: string, launch: Launch, file: string): string;
  /** The whole file without the entry of a name; the text itself where there is none. */
  remove(before: string, name: string, file: string): string;
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
const ZED: JsonShape = { key: 'context_servers', entry: ({ command, args }) => ({ source: 'custom', command, args }) };
const COPILOT: JsonShape = {
  key: 'mcpServers',
  entry: ({ command, args }) => ({ type: 'stdio', command, args }),
  initial: { tools: ['*'] },
};
const OPENCODE: JsonShape = {
  key: 'mcp',
  entry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
  initial: { enabled: true },
};

/** The folder that clients of the Agent Skills standard share. */
const OPEN_SKILLS = ({ home, project }: ClientContext): string => join(project ?? home, '.agents', 'skills');

function jsonClient(
  title: string,
  shape: JsonShape,
  file: McpClient['file'],
  snippet = (launch: Launch) => jsonSnippet(shape, launch),
): McpClient {
  return {
    title,
    file,
    snippet,
    skills: OPEN_SKILLS,
    edit: (before, launch, path) => editJson(before, shape, launch, path),
    remove: (before, name, path) => removeJson(before, shape, name, path),
  };
}

export const CLIENTS: Record<string, McpClient> = {
  'claude-code': {
    ...jsonClient(
      'Claude Code',
      SERVERS,
      ({ project }) => (project === undefined ? undefined : join(project, '.mcp.json')),
      ({ name, command, args }) => `claude mcp add ${name} -- ${[command, ...args].map(shellWord).join(' ')}`,
    ),
    refusesDots: true,
    skills: ({ home, project }) => join(project ?? home, '.claude', 'skills'),
  },
  cursor: jsonClient('Cursor', SERVERS, ({ home, project }) => join(project ?? home, '.cursor', 'mcp.json')),
  opencode: {
    ...jsonClient('OpenCode', OPENCODE, ({ config, project }) =>
      project === undefined ? join(config, 'opencode', 'opencode.json') : join(project, 'opencode.json'),
    ),
    alsoNamed: (file) => [`${file}c`],
  },
  vscode: jsonClient('VS Code', VSCODE, ({ project, cwd }) => join(project ?? cwd, '.vscode', 'mcp.json')),
  gemini: jsonClient('Gemini CLI', SERVERS, ({ home, project }) => join(project ?? home, '.gemini', 'settings.json')),
  windsurf: {
    ...jsonClient('Windsurf', SERVERS, ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json')),
    onlyGlobal: true,
  },
  zed: jsonClient('Zed', ZED, ({ home, config, env, project }) => {
    if (project !== undefined) return join(project, '.zed', 'settings.json');
    if (process.platform === 'win32')
      return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'Zed', 'settings.json');
    return join(process.platform === 'darwin' ? join(home, '.config') : config, 'zed', 'settings.json');
  }),
  copilot: {
    ...jsonClient('Copilot CLI', COPILOT, ({ home, project }) =>
      project === undefined ? join(home, '.copilot', 'mcp-config.json') : join(project, '.mcp.json'),
    ),
    refusesDots: true,
  },
  codex: {
    title: 'Codex',
    refusesDots: true,
    skills: OPEN_SKILLS,
    remove: (before, name, file) => removeTomlTable(before, ['mcp_servers', name], file),
    file: ({ home, env, project }) =>
      join(project === undefined ? env['CODEX_HOME'] || join(home, '.codex') : join(project, '.codex'), 'config.toml'),
    edit: (before, launch, file) => setTomlTable(before, ['mcp_servers', launch.name], tomlEntries(launch), file),
    snippet: (launch) =>
      `[mcp_servers.${launch.name}]\n${Object.entries(tomlEntries(launch))
        .map(([key, value]) => `${key} = ${value}`)
        .join('\n')}`,
  },
  'claude-desktop': {
    ...jsonClient('Claude Desktop', SERVERS, ({ home, config, env }) =>
      join(applicationData(home, config, env), 'Claude', 'claude_desktop_config.json'),
    ),
    refusesDots: true,
    onlyGlobal: true,
    takesNoSkills: true,
  },
  cline: {
    ...jsonClient('Cline', SERVERS, ({ home, env }) =>
      join(env['CLINE_DIR'] || join(home, '.cline'), 'data', 'settings', 'cline_mcp_settings.json'),
    ),
    onlyGlobal: true,
  },
  jetbrains: jsonClient('Junie (JetBrains)', SERVERS, ({ home, project }) =>
    join(project ?? home, '.junie', 'mcp', 'mcp.json'),
  ),
};

/** Where applications keep their data on this system. */
function applicationData(home: string, config: string, env: NodeJS.ProcessEnv): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (process.platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  return config;
}

function tomlEntries({ command, args }: Launch): Record<string, string> {
  return { command: tomlString(command), args: `[${args.map(tomlString).join(', ')}]` };
}

/** The entry as JSON that can be pasted into an empty file. */
export function jsonOf(name: string, launch: Launch): string {
  return name === 'claude-code' ? jsonSnippet(SERVERS, launch) : (CLIENTS[name] as McpClient).snippet(launch);
}

function jsonSnippet(shape: JsonShape, launch: Launch): string {
  return JSON.stringify({ [shape.key]: { [launch.name]: { ...shape.entry(launch), ...shape.initial } } }, null, 2);
}

/** Changes only what differs: comments, trailing commas and the form of everything else stay. */
function editJson(before: string, shape: JsonShape, launch: Launch, file: string): string {
  const { name } = launch;
  const text = before.replace(/^\ufeff/, '');
  const entry = shape.entry(launch);
  const whole = { ...shape.initial, ...entry };
  if (text.trim() === '') return `${JSON.stringify({ [shape.key]: { [name]: whole } }, null, 2)}\n`;
  const root = parse(text, file);
  const servers = findNodeAtLocation(root, [shape.key]);
  if (servers === undefined) return withProperty(text, root, shape.key, { [name]: whole });
  checkObject(servers, shape.key, file);
  const own = findNodeAtLocation(servers, [name]);
  if (own === undefined) return withProperty(text, servers, name, whole);
  checkObject(own, name, file);
  let after = text;
  for (const [key, value] of Object.entries(entry)) {
    const there = findNodeAtLocation(parse(after, file), [shape.key, name]) as Node;
    const node = findNodeAtLocation(there, [key]);
    if (node === undefined) after = withProperty(after, there, key, value);
    else if (JSON.stringify(getNodeValue(node)) !== JSON.stringify(value))
      after = after.slice(0, node.offset) + shown(after, node.offset, value) + after.slice(node.offset + node.length);
  }
  return after === text ? before : after;
}

/** Without the entry; what stands beside it stays, comments too. */
function removeJson(before: string, shape: JsonShape, name: string, file: string): string {
  const text = before.replace(/^\ufeff/, '');
  if (text.trim() === '') return before;
  const property = findNodeAtLocation(parse(text, file), [shape.key, name])?.parent;
  const object = property?.parent;
  if (property === undefined || object === undefined) return before;
  const siblings = object.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const next = siblings[siblings.indexOf(property) + 1];
  const end = property.offset + property.length;
  const comma = commaIn(text, end, next?.offset ?? object.offset + object.length - 1);
  let [from, until] = [property.offset, comma === undefined ? end : comma + 1];
  // The line goes with it, where nothing else is on it.
  const line = text.lastIndexOf('\n', from - 1) + 1;
  const rest = /^[ \t]*(\r?\n|$)/.exec(text.slice(until));
  if (rest !== null && text.slice(line, from).trim() === '') [from, until] = [line, until + rest[0].length];
  const without = text.slice(0, from) + text.slice(until);
  // Of the last one, the comma before it goes too, unless the file ends its lists in commas.
  const last = previous === undefined || comma !== undefined ? undefined : previous.offset + previous.length;
  const stray = last === undefined ? undefined : commaIn(text, last, property.offset);
  return stray === undefined ? without : without.slice(0, stray) + without.slice(stray + 1);
}

/** Where the comma is, outside of comments; undefined if there is none. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const between = text
    .slice(from, to)
    .replace(/\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g, (comment) => ' '.repeat(comment.length));
  const at = between.indexOf(',');
  return at < 0 ? undefined : from + at;
}

/**
 * The text with a property more at the end of an object. jsonc-parser's own edits put other properties into its form,
 * and lose comments of an object without properties.
 */
function withProperty(text: string, object: Node, key: string, value: unknown): string {
  const eol = /\r\n/.test(text) ? '\r\n' : '\n';
  const closing = object.offset + object.length - 1;
  const content = text.slice(0, closing).trimEnd().length;
  const outer = lineIndent(text, object.offset);
  const last = object.children?.at(-1);
  const inner =
    last !== undefined && startsLine(text, last.offset) ? lineIndent(text, last.offset) : outer + indentOf(text);
  const end = last === undefined ? content : last.offset + last.length;
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  const follows = last !== undefined && text[scanner.getTokenOffset()] === ',';
  const rest = text.slice(content, closing);
  return [
    text.slice(0, end),
    last === undefined || follows ? '' : ',',
    text.slice(end, content),
    `${eol}${inner}${JSON.stringify(key)}: ${indented(text, value, inner, eol)}${follows ? ',' : ''}`,
    rest.includes('\n') ? rest : eol + outer,
    text.slice(closing),
  ].join('');
}

/** A value as it is written at an offset of the text. */
function shown(text: string, at: number, value: unknown): string {
  return indented(text, value, lineIndent(text, at), /\r\n/.test(text) ? '\r\n' : '\n');
}

function indented(text: string, value: unknown, indent: string, eol: string): string {
  return JSON.stringify(value, null, indentOf(text)).replaceAll('\n', eol + indent);
}

function lineIndent(text: string, at: number): string {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, at))?.[0] ?? '';
}

function startsLine(text: string, at: number): boolean {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
}

function parse(text: string, file: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (root === undefined || error !== undefined) {
    const at = error?.offset ?? text.length;
    const lines = text.slice(0, at).split('\n');
    const where = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    throw new CliError(
      EXIT.FAILURE,
      `${file} is not valid JSON at ${where}${error === undefined ? '' : ` (${printParseErrorCode(error.error)})`}, so it was left alone. Correct it, or add the entry yourself: sheaf install-mcp --print`,
    );
  }
  if (root.type !== 'object')
    throw new CliError(EXIT.FAILURE, `${file} should hold a JSON object, and holds something else; it was left alone.`);
  return root;
}

function checkObject({ type }: Node, key: string, file: string): void {
  if (type !== 'object')
    throw new CliError(
      EXIT.FAILURE,
      `${file}: "${key}" should be an object, and is something else; the file was left alone.`,
    );
}

function indentOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
}
