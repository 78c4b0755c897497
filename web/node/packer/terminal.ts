/** Runs sheaf-pack on this terminal, for the verbs that pass it their arguments or one file. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { constants as osConstants } from 'node:os';
import { CliError, EXIT } from '../base/exit.js';
import type { PackerProgram } from './packer.js';
import { cannotStart, packerEnvironment } from './process.js';

/** Runs the sheaf-pack at `path` and returns its exit code (128 + n when signal n ended it). */
export function runOnTerminal(path: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: 'inherit', env: packerEnvironment() });
    // Ctrl+C reaches the child directly; this process waits for it to end, so that the child can clean up.
    const ignore = (): void => {};
    const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
    process.on('SIGINT', ignore);
    process.on('SIGTERM', passOn);
    const done = (): void => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', passOn);
    };
    child.once('error', (error) => {
      done();
      reject(cannotStart(path, error));
    });
    child.once('exit', (code, signal) => {
      done();
      resolve(code ?? 128 + (signal === null ? 0 : osConstants.signals[signal]));
    });
  });
}

/**
 * Runs a verb of sheaf-pack that reads one file. Maps its exit codes to ours: any fault of a readable
 * file is a bad bundle.
 */
export async function inspectOnTerminal(
  packer: PackerProgram,
  verb: 'inspect' | 'verify',
  path: string,
  json: boolean,
): Promise<number> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliError(
      missing ? EXIT.NOT_FOUND : EXIT.FAILURE,
      `${path} cannot be opened: ${missing ? 'there is no such file' : (error as Error).message}.`,
    );
  }
  const code = await packer.onTerminal([verb, path, ...(json ? ['--json'] : [])]);
  return code === 0 || code >= 128 ? code : EXIT.BAD_BUNDLE;
}
