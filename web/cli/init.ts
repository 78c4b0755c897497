/**
 * `sheaf init`: says what it found in a folder and which commands follow from that, runs them, and takes them back.
 *
 * Idea: it does nothing by itself. Each step is the arguments of another verb, which the user sees before they are run. What a
 * step added is written down by folder, so that `--undo` takes away that and no more.
 */
import { mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { confirm } from '../node/base/confirm.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { canAccess, writeAtomically } from '../node/base/files.js';
import { hashOf } from '../node/base/hash.js';
import { counted, oneLine, print, shellWord, status } from '../node/base/terminal.js';
import { userFolder } from '../node/client/paths.js';
import { CLIENTS, type McpClient, serverName } from '../node/mcp/clients/clients.js';
import { fileOf, readText } from '../node/mcp/clients/file.js';
import { removeAll } from '../node/site/inject_site.js';
import { libraryName } from '../node/site/library_name.js';
import { findLockfiles } from '../node/sources/lockfile.js';
import { listStore } from '../node/store/store.js';
import { existingFolder, parseFlags } from './flags.js';
import { VERBS } from './verbs.js';

export const help = `Usage: sheaf init [DIR] [-y]
       sheaf init [DIR] --undo [-y]

Looks what DIR (by default this folder) holds, shows the commands that follow from it, asks before
each, and runs them:
  a built site           search for its readers: sheaf site FOLDER --inject
  a lock file            the documentation of what the project uses: sheaf add --from-lockfile;
                         for the agents it is worked on with: sheaf install-mcp --project DIR
  a folder of documents  a library of its own: sheaf add NAME -s FOLDER

  -y, --yes             run all of them without asking; needed where there is no terminal
      --dry-run         show the commands, run none
      --undo            take back what sheaf init added here: the search in pages, libraries, entries of
                        agents. Where libraries come from stays in sources.json`;

/** Where generators write, below a project. */
const BUILT = [
  '.',
  'dist',
  'public',
  'site',
  '_site',
  'build',
  'out',
  'book',
  '_build/html',
  'docs/_build/html',
  'docs/.vitepress/dist',
  '.vitepress/dist',
  'build/html',
  'target/doc',
];
const WRITTEN = ['docs', 'doc', 'documentation', 'guide', 'manual', '.'];
const DOCUMENT = /\.(?:mdx?|rst|adoc|ipynb)$/i;
/** So many documents make a folder one of documents; a README alone does not. */
const ENOUGH = 2;

/** What shows that a project, or the user, works with an agent: files in the project's folder, or in the home folder. */
const AGENTS: readonly [flag: string, project: readonly string[], home: readonly string[]][] = [
  ['--claude-code', ['.mcp.json', '.claude', 'CLAUDE.md'], ['.claude']],
  ['--cursor', ['.cursor'], ['.cursor']],
  ['--vscode', ['.vscode'], ['.vscode']],
  ['--codex', ['.codex'], ['.codex']],
  ['--gemini', ['.gemini', 'GEMINI.md'], ['.gemini']],
  ['--opencode', ['opencode.json', 'opencode.jsonc'], ['.config/opencode']],
  ['--zed', ['.zed'], ['.config/zed']],
];

/** A command of Sheaf, and why it is offered. */
export interface Step {
  found: string;
  verb: 'site' | 'add' | 'install-mcp';
  args: string[];
}

/** What a step has added. */
type Done =
  | { kind: 'site'; folder: string }
  | { kind: 'library'; library: string; version: string }
  /** `made`: the hash of the file as it was made; undefined where it was there before. */
  | { kind: 'agent'; flag: string; file: string; made?: string };

interface RecordOfFolder {
  folder: string;
  done: Done[];
}

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('init', {
    args,
    allowPositionals: true,
    options: {
      yes: { type: 'boolean', short: 'y' },
      'dry-run': { type: 'boolean' },
      undo: { type: 'boolean' },
    },
  });
  if (positionals.length > 1) throw usageError('Name one folder, or none for this one. See: sheaf init --help');
  const folder = await realpath(await existingFolder('sheaf init', positionals[0] ?? '.'));
  const yes = values.yes ?? false;
  if (values.undo) return undo(folder, yes, values['dry-run'] ?? false);

  const steps = await stepsFor(folder, homedir());
  if (steps.length === 0)
    throw new CliError(
      EXIT.NOT_FOUND,
      `${oneLine(folder)} holds no built site, no lock file and no documents that sheaf init knows. Name another folder, or see: sheaf --help`,
    );
  for (const [i, step] of steps.entries()) print(`${i + 1}. ${oneLine(step.found)}\n   ${commandOf(step)}`);
  if (values['dry-run']) return EXIT.OK;

  let ran = 0;
  for (const [i, step] of steps.entries()) {
    if (!(await confirm(`Run ${i + 1}?`, yes))) continue;
    status(`${i + 1}. ${commandOf(step)}`);
    await runStep(folder, step);
    ran += 1;
  }
  if (ran === 0) throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
  print(`${counted(ran, 'command')} of ${steps.length} done. To take back what they added: sheaf init --undo`);
  return EXIT.OK;
}

const commandOf = ({ verb, args }: Step): string =>
  `sheaf ${verb} ${args.map((arg) => shellWord(oneLine(arg))).join(' ')}`;

/** The commands that follow from what a folder holds. `home` shows which agents the user has. */
export async function stepsFor(folder: string, home: string): Promise<Step[]> {
  const steps: Step[] = [];
  const site = await firstOf(BUILT, async (name) => canAccess(join(folder, name, 'index.html')));
  const below = (name: string): string => join(folder, name);
  if (site !== undefined)
    steps.push({ found: `A built site: ${below(site)}`, verb: 'site', args: [below(site), '--inject'] });
  const locks = await findLockfiles(folder);
  for (const file of locks)
    steps.push({
      found: `A project that says which versions it uses: ${basename(file)}`,
      verb: 'add',
      args: ['--from-lockfile', file],
    });
  const agents = locks.length > 0 ? await agentsOf(folder, home) : [];
  if (agents.length > 0)
    steps.push({
      found: 'Agents that it is worked on with',
      verb: 'install-mcp',
      args: [...agents, '--project', folder],
    });
  const written = await firstOf(WRITTEN, async (name) => {
    if (site === name || (name === '.' && locks.length > 0)) return false;
    return (await documentsIn(below(name), name === '.' ? 1 : 3)) >= ENOUGH;
  });
  if (written !== undefined) {
    const source = below(written);
    steps.push({
      found: `A folder of documents: ${source}`,
      verb: 'add',
      args: [await libraryName(source), '-s', source],
    });
  }
  return steps;
}

async function firstOf(
  names: readonly string[],
  holds: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const name of names) if (await holds(name)) return name;
  return undefined;
}

async function agentsOf(folder: string, home: string): Promise<string[]> {
  const found: string[] = [];
  for (const [flag, project, user] of AGENTS) {
    const signs = [...project.map((name) => join(folder, name)), ...user.map((name) => join(home, name))];
    if (await firstOf(signs, (sign) => canAccess(sign))) found.push(flag);
  }
  return found;
}

/** How many documents a folder holds, up to ENOUGH; hidden folders and packages are passed over. */
async function documentsIn(folder: string, levels: number): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let count = entries.filter((entry) => entry.isFile() && DOCUMENT.test(entry.name)).length;
  for (const entry of entries) {
    if (count >= ENOUGH || levels <= 1) break;
    if (entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
      count += await documentsIn(join(folder, entry.name), levels - 1);
  }
  return count;
}

/** Runs a verb and writes down what it added, also where it failed half-way. */
async function runStep(folder: string, step: Step): Promise<void> {
  const before = await stateOf(step);
  let code: number;
  try {
    code = await runVerb(step.verb, step.args);
  } finally {
    await writeDown(
      folder,
      [...(await stateOf(step))].filter(([key]) => !before.has(key)).map(([, done]) => done),
    );
  }
  if (code !== EXIT.OK)
    throw new CliError(
      code,
      `sheaf ${step.verb} ended with ${code}; what it added before can be taken back: sheaf init --undo`,
    );
}

async function runVerb(name: string, args: string[]): Promise<number> {
  const verb = await (VERBS[name] as (typeof VERBS)[string])();
  return verb.run(args);
}

/** What is there of that which a step adds, by a key of its own. */
async function stateOf({ verb, args }: Step): Promise<Map<string, Done>> {
  const found = new Map<string, Done>();
  if (verb === 'site') {
    const site = args[0] as string;
    if (await canAccess(join(site, 'sheaf'))) found.set(site, { kind: 'site', folder: site });
  } else if (verb === 'add') {
    for (const { library, version } of await listStore())
      found.set(`${library}@${version}`, { kind: 'library', library, version });
  } else {
    const project = args.at(-1) as string;
    for (const flag of args.slice(0, -2)) {
      const entry = await entryOf(flag, project);
      if (entry !== undefined) found.set(flag, entry);
    }
  }
  return found;
}

/** The server's entry in an agent's file; undefined where it has none. */
async function entryOf(flag: string, project: string): Promise<Done | undefined> {
  const client = CLIENTS[flag.slice(2)] as McpClient;
  const context = { home: homedir(), config: userFolder('config'), env: process.env, project, cwd: project };
  const file = await fileOf(client, context);
  const text = file === undefined ? undefined : await readText(file);
  if (file === undefined || text === undefined || client.remove(text, serverName([]), file) === text) return undefined;
  return { kind: 'agent', flag, file, ...(isAllOf(client, text, file) ? { made: hashOf(text) } : {}) };
}

/** Whether the entry is all that the file holds, so that nobody else's is lost with it. */
function isAllOf(client: McpClient, text: string, file: string): boolean {
  return /^[\s{}]*(?:"\w+":\s*\{\s*\}[\s}]*)?$/.test(client.remove(text, serverName([]), file));
}

const recordFile = (folder: string): string =>
  join(userFolder('data'), 'sheaf', 'init', `${hashOf(folder).slice(0, 16)}.json`);

async function readRecord(folder: string): Promise<RecordOfFolder> {
  const file = recordFile(folder);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return { folder, done: [] };
  try {
    return JSON.parse(text) as RecordOfFolder;
  } catch {
    throw new CliError(EXIT.FAILURE, `${file} is no JSON; remove it, and take back by hand what sheaf init added.`);
  }
}

async function writeDown(folder: string, added: readonly Done[]): Promise<void> {
  if (added.length === 0) return;
  const { done } = await readRecord(folder);
  const known = new Set(done.map((each) => JSON.stringify(each)));
  const all = [...done, ...added.filter((each) => !known.has(JSON.stringify(each)))];
  await mkdir(dirname(recordFile(folder)), { recursive: true });
  await writeAtomically(recordFile(folder), `${JSON.stringify({ folder, done: all }, null, 2)}\n`);
}

async function undo(folder: string, yes: boolean, isDry: boolean): Promise<number> {
  const { done } = await readRecord(folder);
  if (done.length === 0)
    throw new CliError(EXIT.NOT_FOUND, `sheaf init has added nothing in ${oneLine(folder)} that it could take back.`);
  const back = [...done].reverse();
  for (const each of back) print(saying(each));
  if (isDry) return EXIT.OK;
  if (!(await confirm('Take all of it back?', yes))) throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
  for (const each of back) await takeBack(folder, each);
  await rm(recordFile(folder), { force: true });
  print('Taken back.');
  return EXIT.OK;
}

function saying(done: Done): string {
  if (done.kind === 'site') return `The search in the pages of ${oneLine(done.folder)}`;
  if (done.kind === 'library') return `The library ${oneLine(done.library)} ${oneLine(done.version)}`;
  return `The server's entry in ${oneLine(done.file)}`;
}

async function takeBack(folder: string, done: Done): Promise<void> {
  if (done.kind === 'site') {
    if (!(await stat(done.folder).catch(() => undefined))?.isDirectory()) return;
    const pages = await removeAll(done.folder);
    status(`The search is out of ${counted(pages.length, 'page')}.`);
  } else if (done.kind === 'library') {
    const { library, version } = done;
    if ((await listStore()).some((each) => each.library === library && each.version === version))
      await runVerb('remove', [library, '-v', version, '-y']);
  } else {
    const text = await readText(done.file);
    if (text !== undefined && hashOf(text) === done.made) await rm(done.file);
    else await runVerb('install-mcp', [done.flag, '--project', folder, '--remove']);
  }
}
