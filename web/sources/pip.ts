/** The user's own Python and pip, run so that they import nothing from the current folder or PYTHONPATH. */
import { resolve } from 'node:path';
import { runCommand, type CommandOptions, type CommandResult } from './command.js';

const ADVICE = 'Install Python 3 with pip; SHEAF_PYTHON may name it.';

/** SHEAF_PYTHON, a command or a path, or else the python of PATH. */
export function python(env: NodeJS.ProcessEnv): string {
  const named = env['SHEAF_PYTHON'];
  if (named) return /[\\/]/.test(named) ? resolve(named) : named;
  return process.platform === 'win32' ? 'python' : 'python3';
}

/**
 * `python -m pip ARGS`. With -I Python imports nothing from its working directory, PYTHONPATH or the user's
 * site-packages. If pip is installed only in the last, it runs with -E: in an empty folder that differs only in
 * importing the user's site-packages.
 */
export async function runPip(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const run = (isolation: '-I' | '-E'): Promise<CommandResult> =>
    runCommand(python(options.env), [isolation, '-m', 'pip', ...args], ADVICE, options);
  const isolated = await run('-I');
  return isolated.code !== 0 && /No module named '?pip\b/.test(isolated.stderr) ? run('-E') : isolated;
}
