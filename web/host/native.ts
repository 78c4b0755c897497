/** Finds and runs the native packer, sheaf-pack. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { constants as osConstants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { CliError, EXIT } from './exit.js';

const EXECUTABLE = process.platform === 'win32' ? 'sheaf-pack.exe' : 'sheaf-pack';

export const PACKER_HELP = `The native packer is searched in this order: the variable SHEAF_PACK, the package's dist/bin, a
source tree's build/native, PATH.`;

/** Path of sheaf-pack, or undefined. Error: SHEAF_PACK names something that cannot be run. */
export async function findPacker(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const named = env['SHEAF_PACK'];
  if (named) {
    if (await isExecutable(named)) return named;
    throw new CliError(EXIT.NO_PACKER, `SHEAF_PACK is set to ${named}, which is not an executable file; correct or unset it.`);
  }
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const places = [join(root, 'dist', 'bin'), join(root, 'build', 'native')];
  places.push(...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''));
  for (const folder of places) {
    const path = join(folder, EXECUTABLE);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

export async function requirePacker(): Promise<string> {
  const path = await findPacker();
  if (path !== undefined) return path;
  throw new CliError(
    EXIT.NO_PACKER,
    'The native packer sheaf-pack was not found. Build it in a source tree with: npm run build — or name it in the variable SHEAF_PACK.',
  );
}

/**
 * Words of a shell command that starts this very `sheaf`, wherever it is installed: what SHEAF_COMMAND
 * tells sheaf-pack, which starts `sheaf embed` when it packs with a transformer.
 */
export function ownCommand(): string {
  return [process.execPath, fileURLToPath(new URL('../cli/main.js', import.meta.url))].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

/** Runs sheaf-pack on this terminal and returns its exit code (128 + n when signal n ended it). */
export function runPacker(path: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: 'inherit' });
    // Ctrl+C reaches the child by itself; this process waits for its end, so that it can clean up.
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
      reject(new CliError(EXIT.NO_PACKER, `${path} could not be started: ${error.message}.`));
    });
    child.once('exit', (code, signal) => {
      done();
      resolve(code ?? 128 + (signal === null ? 0 : osConstants.signals[signal]));
    });
  });
}

/**
 * Runs a verb of sheaf-pack that reads one file. Its exit codes become ours: whatever is wrong with a
 * file that can be read is a bad bundle.
 */
export async function inspectNatively(packer: string, verb: 'inspect' | 'verify', path: string, json: boolean): Promise<number> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliError(missing ? EXIT.NOT_FOUND : EXIT.FAILURE, `${path} cannot be opened: ${missing ? 'there is no such file' : (error as Error).message}.`);
  }
  const code = await runPacker(packer, [verb, path, ...(json ? ['--json'] : [])]);
  return code === 0 || code >= 128 ? code : EXIT.BAD_BUNDLE;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
