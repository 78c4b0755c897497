/** sheaf-pack as a process: started, listened to, ended. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { abortError, throwIfAborted } from '../../client/errors.js';
import { CliError, EXIT } from '../exit.js';
import type { Ending } from './answer.js';

/** Of each stream; far more than sheaf-pack has to say. What goes beyond is dropped. */
const MAX_OUTPUT = 64 * 1024 * 1024;

export interface Ended {
  ending: Ending;
  stdout: string;
  /** Empty where it went to this process's own. */
  stderr: string;
}

/** What sheaf-pack sees: `env`, and how it starts this very `sheaf` when it packs with a transformer. */
export function packerEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { SHEAF_COMMAND: ownCommand(), ...env };
}

/** Words of a shell command that starts this very `sheaf`, wherever it is installed. */
function ownCommand(): string {
  const words = [process.execPath, fileURLToPath(new URL('../../cli/main.js', import.meta.url))];
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

export function cannotStart(path: string, error: Error): CliError {
  return new CliError(EXIT.NO_PACKER, `${path} could not be started: ${error.message}.`);
}

/** How a process ended, once it has and all it said was read. Error: it could not be started. */
export function endOf(path: string, child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(cannotStart(path, error)));
    child.once('close', (code, signal) => resolve(code ?? (signal as NodeJS.Signals)));
  });
}

export interface Captured {
  /** Whether its stderr is captured, too, instead of this process's own. */
  quietly: boolean;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/** Runs it to its end. Error: the abort error, once the process has ended; or it could not be started. */
export async function runCaptured(
  path: string,
  args: readonly string[],
  { quietly, env, signal }: Captured,
): Promise<Ended> {
  throwIfAborted(signal);
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', quietly ? 'pipe' : 'inherit'], env });
  const stop = (): void => void child.kill();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const texts = [textOf(child.stdout), textOf(child.stderr)] as const;
    const ending = await endOf(path, child).catch((error: unknown) => {
      throwIfAborted(signal);
      throw error;
    });
    if (signal?.aborted) throw abortError(signal);
    return { ending, stdout: texts[0](), stderr: texts[1]() };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Gathers what a stream brings; the text so far. */
function textOf(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  let room = MAX_OUTPUT;
  stream?.on('data', (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return () => Buffer.concat(chunks).toString();
}
