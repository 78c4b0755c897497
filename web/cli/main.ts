#!/usr/bin/env node
/** `sheaf`: chooses the verb, and turns what it returns or throws into an exit code. */
import { readFile } from 'node:fs/promises';
import { SheafError } from '../client/errors.js';
import { CliError, EXIT, EXIT_HELP, exitCodeOf } from '../host/exit.js';
import { paint, print, status } from '../host/terminal.js';

export interface Verb {
  /** Full help text. */
  help: string;
  run(args: string[]): Promise<number>;
}

/** Each verb is one file, loaded when it is called. */
const VERBS: Record<string, { summary: string; load: () => Promise<Verb> }> = {
  query: { summary: 'search a library', load: () => import('./query.js') },
  page: { summary: 'print one page', load: () => import('./page.js') },
  add: { summary: 'add a library: git, sitemap, folder, bundle, npm:, pypi:', load: () => import('./add.js') },
  update: { summary: 'fetch a library again and pack what changed', load: () => import('./update.js') },
  list: { summary: 'list the libraries in the store (also: ls)', load: () => import('./list.js') },
  remove: { summary: 'delete one version of a library (also: rm)', load: () => import('./remove.js') },
  sources: { summary: 'list the libraries that add knows by name', load: () => import('./sources.js') },
  pack: { summary: 'pack documentation into a bundle', load: () => import('./pack.js') },
  inspect: { summary: 'show what a bundle holds', load: () => import('./inspect.js') },
  verify: { summary: 'check every byte of a bundle', load: () => import('./verify.js') },
  embed: { summary: 'embed passages for the packer, over pipes', load: () => import('./embed.js') },
  eval: { summary: 'measure relevance and latency with judged queries', load: () => import('./eval.js') },
  model: { summary: 'manage transformer encoders on this machine', load: () => import('./model.js') },
  config: { summary: 'show and change settings', load: () => import('./config_cmd.js') },
  stats: { summary: 'what the store holds and how often tools were called', load: () => import('./stats.js') },
  mcp: { summary: 'serve libraries to an agent (MCP)', load: () => import('./mcp.js') },
  'install-mcp': { summary: "tell an agent's client about the server", load: () => import('./install_mcp.js') },
  serve: { summary: 'answer searches over HTTP, for SearXNG and others', load: () => import('./serve.js') },
};

const ALIASES: Record<string, string> = { ls: 'list', 'list-libraries': 'list', rm: 'remove' };

function help(): string {
  const width = Math.max(...Object.keys(VERBS).map((name) => name.length));
  const verbs = Object.entries(VERBS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `sheaf: search documentation by words and by meaning

Usage: sheaf VERB [ARGUMENTS]     sheaf VERB --help tells more

${verbs.join('\n')}

Options
  --help     this text
  --version  the version of sheaf

Libraries are kept in $XDG_DATA_HOME/sheaf/libraries (by default ~/.local/share/sheaf/libraries).
Results go to stdout, everything else to stderr. NO_COLOR turns colour off.

${EXIT_HELP}`;
}

async function ownVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version?: string };
  return manifest.version ?? 'unknown';
}

async function run(args: string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    status(help());
    return EXIT.USAGE;
  }
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    print(help());
    return EXIT.OK;
  }
  if (first === '--version' || first === '-V' || (first === 'version' && rest.length === 0)) {
    print(await ownVersion());
    return EXIT.OK;
  }
  const wanted = first === 'help' ? (rest[0] as string) : first;
  const name = ALIASES[wanted] ?? wanted;
  const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (entry === undefined) {
    throw new CliError(EXIT.USAGE, `There is no verb '${wanted}'. Verbs: ${Object.keys(VERBS).join(', ')}. See: sheaf --help`);
  }
  const verb = await entry.load();
  // `pack` hands its flags on; all others take --help wherever it stands.
  const helpAsked = first === 'help' || rest[0] === '--help' || rest[0] === '-h' || (name !== 'pack' && rest.includes('--help'));
  if (helpAsked) {
    print(verb.help);
    return EXIT.OK;
  }
  return verb.run(rest);
}

function report(error: unknown): void {
  const known = error instanceof CliError || error instanceof SheafError;
  const code = error instanceof SheafError ? ` [${error.code}]` : '';
  const text = known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  status(`${paint('red', 'sheaf:', process.stderr)} ${text}${code}`);
}

// A reader that stops early (`sheaf page … | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.OK);
  throw error;
});

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  report(error);
  process.exitCode = exitCodeOf(error);
}
