/** The sheaf-pack process: start it, capture its output, stop it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { abortError, throwIfAborted } from '../../browser/client/errors.js';
import { CliError, EXIT } from '../base/exit.js';
import type { Ending } from './answer.js';

/** Limit for each stream, far more than sheaf-pack writes. Output beyond it is dropped. */
const MAX_OUTPUT = 64 * 1024 * 1024;

export interface Ended {
  ending: Ending;
  stdout: string;
  /** Empty if it went to this process's stderr. */
  stderr: string;
}

/** sheaf-pack's environment: `env`, and the command that starts this same `sheaf` to pack with a transformer. */
export function packerEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { SHEAF_COMMAND: ownCommand(), ...env };
}

/** A shell command that starts this same `sheaf`, wherever it is installed. */
export function ownCommand(): string {
  const words = [process.execPath, fileURLToPath(new URL('../../cli/main.js', import.meta.url))];
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

export function cannotStart(path: string, error: Error): CliError {
  return new CliError(EXIT.NO_PACKER, `${path} could not be started: ${error.message}.`);
}

/** Resolves once a process has ended and all its output was read. Error: it could not be started. */
export function endOf(path: string, child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(cannotStart(path, error)));
    child.once('close', (code, signal) => resolve(code ?? (signal as NodeJS.Signals)));
  });
}

export interface Captured {
  /** Capture its stderr too, instead of passing it to this process's stderr. */
  quietly: boolean;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/** Runs the process to its end. Error: the abort error, once the process has ended; or it could not be started. */
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

/** Collects a stream's text. Returns a function that gives the text so far. */
function textOf(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  let room = MAX_OUTPUT;
  stream?.on('data', (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return () => Buffer.concat(chunks).toString();
}
