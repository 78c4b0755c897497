#!/usr/bin/env node
/** `sheaf`: selects the verb and turns its result or error into an exit code. */
import { basename } from 'node:path';
import { SheafError } from '../browser/client/errors.js';
import { ownVersion } from '../node/client/paths.js';
import { CliError, EXIT, exitCodeOf } from '../node/base/exit.js';
import { systemMessage } from '../node/base/system_error.js';
import { oneLine, paint, print, status } from '../node/base/terminal.js';
import { nearest } from '../node/base/near.js';
import { refuseRemoved } from './removed.js';
import { ALIASES, HELP, INTERNAL, VERBS, type Verb } from './verbs.js';

/** The name that the command was called by: OpenGround's, where a link of that name leads here. */
const CALLED = basename(process.argv[1] ?? '').replace(/\.[a-z]+$/i, '');

async function run(args: string[]): Promise<number> {
  if (CALLED === 'openground-mcp') return runVerb(['mcp', ...args]);
  // OpenGround's query prints what its tool returns.
  const printsText = CALLED === 'openground' && args[0] === 'query' && !args.includes('--json');
  return runVerb(printsText ? [...args, '--tool-text'] : args);
}

async function runVerb(args: string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    status(HELP);
    return EXIT.USAGE;
  }
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    print(HELP);
    return EXIT.OK;
  }
  if (first === '--version' || first === '-V' || (first === 'version' && rest.length === 0)) {
    print(await ownVersion());
    return EXIT.OK;
  }
  const wanted = first === 'help' ? (rest[0] as string) : first;
  const name = ALIASES[wanted] ?? wanted;
  const verbs: typeof VERBS = { ...VERBS, ...INTERNAL };
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (load === undefined) {
    refuseRemoved(wanted);
    const near = await nearest(wanted, [...Object.keys(VERBS), ...Object.keys(ALIASES)]);
    const hint = near === undefined ? `Verbs: ${Object.keys(VERBS).join(', ')}.` : `Did you mean '${near}'?`;
    throw new CliError(EXIT.USAGE, `There is no verb '${oneLine(wanted).slice(0, 40)}'. ${hint} See: sheaf --help`);
  }
  const verb = await load();
  // `pack` passes its flags on; all other verbs accept --help in any position.
  const isShort = rest[0] === '--help' || rest[0] === '-h' || (name !== 'pack' && rest.includes('--help'));
  if (first === 'help' || isShort) {
    print(helpOf(name, verb, first === 'help'));
    return EXIT.OK;
  }
  return verb.run(rest);
}

function helpOf(name: string, { help, more }: Verb, all: boolean): string {
  if (more === undefined) return help;
  return `${help}\n\n${all ? more : `All options: sheaf help ${name}`}`;
}

function report(error: unknown): void {
  const known = error instanceof CliError || error instanceof SheafError;
  const code = error instanceof SheafError ? ` [${error.code}]` : '';
  const message = known ? error.message : systemMessage(error);
  const text = message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  status(`${paint('red', 'sheaf:', process.stderr)} ${text}${code}`);
}

// A reader that stops early (`sheaf page … | head`) is not a failure.
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
