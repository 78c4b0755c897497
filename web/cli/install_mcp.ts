/** `sheaf install-mcp`: configures MCP clients to start the server. */
import { realpath, rm, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownPackage, userFolder } from '../node/client/paths.js';
import { EXIT, usageError } from '../node/base/exit.js';
import { canAccess } from '../node/base/files.js';
import { existingFolder, parseFlags, siteAddress } from './flags.js';
import { parseSets, type SetName } from '../node/mcp/sets.js';
import {
  CLIENTS,
  jsonOf,
  serverName,
  type Launch,
  type McpClient,
  type ClientContext,
} from '../node/mcp/clients/clients.js';
import { backUp, fileOf, readText, replaceFile } from '../node/mcp/clients/file.js';
import { oneLine, print, printJson, status } from '../node/base/terminal.js';

export const help = `Usage: sheaf install-mcp --claude-code | --cursor | --codex | … [OPTIONS] [https://SITE/ …]

Adds the server to a client's configuration as sheaf, or updates it. Other entries stay. A server of
sites that sheaf site gave search has a name of its own: sheaf-docs-example-org.

      --claude-code    prints the command that adds it; with --project, PROJECT/.mcp.json
      --cursor         ~/.cursor/mcp.json
      --opencode       ~/.config/opencode/opencode.json, or the .jsonc that is there
      --gemini         Gemini CLI: ~/.gemini/settings.json
      --claude-desktop its claude_desktop_config.json, the same for all projects
      --cline          ~/.cline/data/settings/cline_mcp_settings.json, the same for all projects
      --jetbrains      Junie: ~/.junie/mcp/mcp.json; AI Assistant takes what --print prints
      --windsurf       ~/.codeium/windsurf/mcp_config.json, the same for all projects
      --zed            ~/.config/zed/settings.json
      --copilot        Copilot CLI: ~/.copilot/mcp-config.json; with --project, PROJECT/.mcp.json
      --vscode         .vscode/mcp.json of the project
      --codex          ~/.codex/config.toml

      --project DIR    for this project alone: the client's file in DIR
      --print          print the entry, change nothing
      --remove         take the entry out again
      --skill          the skill too: .claude/skills of Claude Code, .agents/skills of others`;

export const more = `      --tools SETS     which tools: see sheaf mcp --help
      --store DIR      another folder of bundles
      --allow-add      let agents add libraries, each after the user said yes: see sheaf mcp --help
      --command WAY    how the client starts the server: node (this installation, by its full path),
                       sheaf (found on the PATH), npx (for files that others share). By default
                       node, and npx where this runs from npx's cache
      --wsl            for a client on Windows, with the server here in WSL
      --json           print {"client", "file", "changed", "backup", "entry"}, one for each client`;

const NAMES = Object.keys(CLIENTS);

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('install-mcp', {
    args,
    allowPositionals: true,
    options: {
      'claude-code': { type: 'boolean' },
      cursor: { type: 'boolean' },
      opencode: { type: 'boolean' },
      vscode: { type: 'boolean' },
      codex: { type: 'boolean' },
      gemini: { type: 'boolean' },
      windsurf: { type: 'boolean' },
      zed: { type: 'boolean' },
      copilot: { type: 'boolean' },
      'claude-desktop': { type: 'boolean' },
      cline: { type: 'boolean' },
      jetbrains: { type: 'boolean' },
      remove: { type: 'boolean' },
      skill: { type: 'boolean' },
      project: { type: 'string' },
      print: { type: 'boolean' },
      tools: { type: 'string' },
      store: { type: 'string' },
      'allow-add': { type: 'boolean' },
      command: { type: 'string' },
      wsl: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const chosen = NAMES.filter((name) => values[name as 'cursor']);
  if (chosen.length === 0) throw usageError(`Name a client: ${NAMES.map((name) => `--${name}`).join(', ')}.`);
  const { 'allow-add': allowAdd = false, tools, store } = values;
  if (values.remove && (values.print || allowAdd || (tools ?? store) !== undefined))
    throw usageError('--remove goes with clients, sites, --project, --skill and --json alone.');
  const sites = positionals.map(siteAddress);
  if ([store, sites[0], allowAdd || undefined].filter((each) => each !== undefined).length > 1)
    throw usageError('Give one of --store, --allow-add and sites: --allow-add adds to the store of the user.');
  const sets = tools === undefined ? undefined : parseSets(tools);
  const project = values.project === undefined ? undefined : await existingFolder('--project', values.project);
  const context = { home: homedir(), config: userFolder('config'), env: process.env, project, cwd: process.cwd() };
  const more = [
    // The other sets have facts that only the structured form states.
    ...(tools === undefined || tools === 'openground' ? ['--text-only'] : []),
    ...(tools === undefined ? [] : ['--tools', tools]),
    ...(store === undefined ? [] : ['--store', resolve(store)]),
    ...(allowAdd ? ['--allow-add'] : []),
    ...sites.map(({ href }) => href),
  ];

  const outcomes = [];
  for (const name of chosen) {
    const launch = await launchOf(serverName(sites), values.command, values.wsl ?? false, [
      ...more,
      ...extraFor(CLIENTS[name] as McpClient, sets),
    ]);
    const how = { print: values.print ?? false, remove: values.remove ?? false, json: values.json ?? false };
    outcomes.push(await install(name, launch, context, how));
    if (values.skill && !how.print) await skillFor(CLIENTS[name] as McpClient, context, how);
  }
  if (values.json) printJson(outcomes);
  return EXIT.OK;
}

/** Some clients refuse tool names with dots, which knowledge.search has. */
function extraFor({ refusesDots }: McpClient, sets: readonly SetName[] | undefined): string[] {
  return refusesDots && sets?.includes('knowledge') ? ['--underscore-names'] : [];
}

/** Writes the skill where the client looks for skills, or removes it. Several clients share a folder. */
async function skillFor(
  { title, skills, takesNoSkills }: McpClient,
  context: ClientContext,
  { remove, json }: { remove: boolean; json: boolean },
): Promise<void> {
  const say = (text: string): void => (json ? undefined : status(text));
  if (takesNoSkills) return say(`${title} takes no skills from a folder; add skills/sheaf of this package there.`);
  const { readSkill } = await import('../node/mcp/skill.js');
  const folder = join(skills(context), 'sheaf');
  const file = join(folder, 'SKILL.md');
  const before = await readText(file);
  if (remove) {
    if (before === undefined) return;
    if (!/^name: sheaf$/m.test(before)) return say(`${file} is not Sheaf's; it stays.`);
    await rm(file);
    await rmdir(folder).catch(() => {}); // somebody else's files are in it
    return say(`${title}: removed ${file}`);
  }
  const { text } = await readSkill();
  if (text === before) return say(`${title} has the skill already: ${file}`);
  const backup = before === undefined ? undefined : await backUp(file);
  await replaceFile(file, text);
  say(`${title}: the skill is in ${file}`);
  if (backup !== undefined) say(`The file as it was: ${backup}`);
}

/** The command that starts the server: one that is there after this command has ended. */
async function launchOf(name: string, chosen: string | undefined, wsl: boolean, args: string[]): Promise<Launch> {
  const verb = ['mcp', ...args];
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const way = chosen ?? (/[\\/]_npx[\\/]/.test(main) ? 'npx' : 'node');
  let launch: Omit<Launch, 'name'>;
  if (way === 'node') launch = { command: process.execPath, args: [main, ...verb] };
  else if (way === 'sheaf') {
    launch = { command: 'sheaf', args: verb };
    if (!wsl && !(await isOnPath('sheaf'))) status('There is no sheaf on the PATH yet: npm install --global sheaf');
  } else if (way === 'npx') {
    const own = await ownPackage();
    const run = ['npx', '-y', `${own.name}@${own.version}`, ...verb];
    const [command, ...rest] = process.platform === 'win32' ? ['cmd', '/c', ...run] : run;
    launch = { command: command as string, args: rest };
  } else throw usageError(`--command must be node, sheaf or npx, not '${oneLine(way)}'.`);
  return { name, ...(wsl ? { command: 'wsl.exe', args: ['--', launch.command, ...launch.args] } : launch) };
}

async function isOnPath(name: string): Promise<boolean> {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe', ''] : [''];
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    for (const ending of endings) if (folder !== '' && (await canAccess(join(folder, name + ending)))) return true;
  return false;
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
  context: ClientContext,
  { print: only, remove, json }: { print: boolean; remove: boolean; json: boolean },
): Promise<Outcome> {
  const client = CLIENTS[name] as McpClient;
  const file = only ? undefined : await fileOf(client, context);
  const entry = jsonOf(name, launch);
  if (file === undefined && remove) {
    if (!json) print(`claude mcp remove ${launch.name}`);
    return { client: name, file: null, changed: false, backup: null, entry };
  }
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
  const after = remove ? client.remove(before ?? '', launch.name, file) : client.edit(before ?? '', launch, file);
  if (after === (before ?? (remove ? '' : undefined))) {
    if (!json) status(`${client.title} ${remove ? 'has no such entry' : 'knows the server already'}: ${file}`);
    return { client: name, file, changed: false, backup: null, entry };
  }
  const backup = before === undefined ? null : await backUp(target);
  await replaceFile(target, after);
  if (!json) {
    status(`${client.title}: ${remove ? 'removed from' : 'added to'} ${file}`);
    if (backup !== null) status(`The file as it was: ${backup}`);
    status(remove ? `Restart ${client.title} to end it.` : `Restart ${client.title} to use it.`);
  }
  return { client: name, file, changed: true, backup, entry };
}
