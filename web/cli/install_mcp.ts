/** `sheaf install-mcp`: configures MCP clients to start the server. */
import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { userFolder } from '../client/places.js';
import { CliError, EXIT, usageError } from '../host/exit.js';
import { writeAtomically } from '../host/files.js';
import { parseFlags } from './flags.js';
import { CLIENTS, jsonOf, type Launch, type McpClient, type Places } from './mcp_clients.js';
import { oneLine, print, printJson, status } from '../host/terminal.js';

export const help = `Usage: sheaf install-mcp --claude-code | --cursor | --opencode | --vscode | --codex [OPTIONS]

Adds the server to a client's configuration, under the name sheaf. Other entries stay; the file as it
was is kept beside it as NAME.backup.TIME. Installing again changes nothing, or brings the entry up to date.

      --claude-code    without --project, prints the command that adds it; with it, PROJECT/.mcp.json
      --cursor         ~/.cursor/mcp.json
      --opencode       ~/.config/opencode/opencode.json
      --vscode         .vscode/mcp.json of the project
      --codex          ~/.codex/config.toml

      --project DIR    for this project alone: the client's file in DIR
      --print          print the entry, change nothing
      --tools SETS     which tools: see sheaf mcp --help
      --store DIR      another folder of bundles
      --command WAY    how the client starts the server: node (default: this very installation, by its
                       full path), sheaf (found on the PATH), npx (for files that others share)
      --wsl            for a client on Windows, with the server here in WSL
      --json           print {"client", "file", "changed", "backup", "entry"}, one for each client`;

const NAMES = Object.keys(CLIENTS);

export async function run(args: string[]): Promise<number> {
  const { values } = parseFlags('install-mcp', {
    args,
    options: {
      'claude-code': { type: 'boolean' },
      cursor: { type: 'boolean' },
      opencode: { type: 'boolean' },
      vscode: { type: 'boolean' },
      codex: { type: 'boolean' },
      project: { type: 'string' },
      print: { type: 'boolean' },
      tools: { type: 'string' },
      store: { type: 'string' },
      command: { type: 'string' },
      wsl: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const chosen = NAMES.filter((name) => values[name as 'cursor']);
  if (chosen.length === 0) throw usageError(`For which client? Give ${NAMES.map((name) => `--${name}`).join(', ')}.`);
  const project = values.project === undefined ? undefined : await existingFolder(values.project);
  const places = { home: homedir(), config: userFolder('config'), env: process.env, project, cwd: process.cwd() };
  const more = [
    ...(values.tools === undefined ? [] : ['--tools', values.tools]),
    ...(values.store === undefined ? [] : ['--store', resolve(values.store)]),
  ];

  const outcomes = [];
  for (const name of chosen) {
    const launch = launchOf(values.command ?? 'node', values.wsl ?? false, [...more, ...extraFor(name, values.tools)]);
    outcomes.push(await install(name, launch, places, { print: values.print ?? false, json: values.json ?? false }));
  }
  if (values.json) printJson(outcomes);
  return EXIT.OK;
}

/** Codex refuses tool names with dots, which knowledge.search has. */
function extraFor(client: string, tools: string | undefined): string[] {
  return client === 'codex' && /\b(knowledge|all)\b/.test(tools ?? '') ? ['--underscore-names'] : [];
}

/** The command that starts the server. Pure, except that it depends on this file's location. */
function launchOf(way: string, wsl: boolean, args: string[]): Launch {
  const verb = ['mcp', ...args];
  let launch: Launch;
  if (way === 'node')
    launch = { command: process.execPath, args: [fileURLToPath(new URL('./main.js', import.meta.url)), ...verb] };
  else if (way === 'sheaf') launch = { command: 'sheaf', args: verb };
  else if (way === 'npx')
    launch =
      process.platform === 'win32'
        ? { command: 'cmd', args: ['/c', 'npx', '-y', 'sheaf', ...verb] }
        : { command: 'npx', args: ['-y', 'sheaf', ...verb] };
  else throw usageError(`--command must be node, sheaf or npx, not '${oneLine(way)}'.`);
  return wsl ? { command: 'wsl.exe', args: ['--', launch.command, ...launch.args] } : launch;
}

interface Outcome {
  client: string;
  file: string | null;
  changed: boolean;
  backup: string | null;
  entry: string;
}

async function install(
  name: string,
  launch: Launch,
  places: Places,
  { print: only, json }: { print: boolean; json: boolean },
): Promise<Outcome> {
  const client = CLIENTS[name] as McpClient;
  const file = only ? undefined : client.file(places);
  const entry = jsonOf(name, launch);
  if (file === undefined) {
    const command = client.snippet(launch);
    if (!json)
      print(
        command === entry || (only && name !== 'claude-code')
          ? entry
          : `${command}\n\nor, in the project's .mcp.json:\n\n${entry}`,
      );
    return { client: name, file: null, changed: false, backup: null, entry };
  }
  const target = await realpath(file).catch(() => file); // a link to a file kept elsewhere stays a link
  const before = await readText(target);
  const after = client.edit(before ?? '', launch, file);
  if (after === before) {
    if (!json) status(`${client.title} knows the server already: ${file}`);
    return { client: name, file, changed: false, backup: null, entry };
  }
  const backup = before === undefined ? null : await backUp(target);
  await replace(target, after);
  if (!json) {
    status(`${client.title}: added to ${file}`);
    if (backup !== null) status(`The file as it was: ${backup}`);
    status(`Restart ${client.title} to use it.`);
  }
  return { client: name, file, changed: true, backup, entry };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(EXIT.FAILURE, `${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** Makes a copy beside the file, under an unused name. */
async function backUp(file: string): Promise<string> {
  const time = new Date()
    .toISOString()
    .replace(/[-:]|\.\d+Z/g, '')
    .replace('T', '-');
  for (let attempt = 0; ; attempt++) {
    const backup = join(dirname(file), `${basename(file)}.backup.${time}${attempt === 0 ? '' : `-${attempt}`}`);
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 100) throw unwritable(backup, error);
    }
  }
}

/** Replaces the file atomically and keeps its permissions. */
async function replace(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    const mode = (await stat(file).catch(() => undefined))?.mode;
    await writeAtomically(file, text, mode === undefined ? {} : { mode });
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(file: string, error: unknown): CliError {
  return new CliError(EXIT.FAILURE, `${file} cannot be written: ${(error as Error).message}.`);
}

async function existingFolder(value: string): Promise<string> {
  const folder = resolve(value);
  const stats = await stat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) throw new CliError(EXIT.NOT_FOUND, `--project: there is no folder ${oneLine(folder)}.`);
  return folder;
}
