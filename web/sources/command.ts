/** Runs the user's own tools (git, npm, pip): no shell, no terminal, output kept in memory up to a cap. */
import { spawn } from 'node:child_process';
import { SourceError } from './source.js';

export interface CommandOptions {
  signal: AbortSignal;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** Of stdout, after which the command is ended; 64 MiB by default. */
  maxOutput?: number;
}

export interface CommandResult {
  code: number;
  stdout: string;
  /** Its last 4,000 characters. */
  stderr: string;
}

/** `advice`: what to do when the command is not there. */
export function runCommand(command: string, args: readonly string[], advice: string, options: CommandOptions): Promise<CommandResult> {
  const { signal, cwd, env, input, maxOutput = 64 << 20 } = options;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Windows starts npm and pip, which are .cmd files there, through its shell only; callers pass checked words.
    const shell = process.platform === 'win32' && command === 'npm';
    const child = spawn(command, args, { cwd, env, shell, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    let failure: unknown;
    const stop = (reason: unknown): void => {
      failure ??= reason;
      child.kill();
    };
    const onAbort = (): void => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    child.stdin.on('error', () => {}); // it may end without reading
    child.stdin.end(input ?? '');
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutput) stop(new SourceError('failed', `${command} printed more than ${maxOutput >> 20} MB.`));
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-4000)));
    child.once('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', onAbort);
      reject(new SourceError('failed', error.code === 'ENOENT' ? `${command} was not found. ${advice}` : `${command} could not be started: ${error.message}.`));
    });
    child.once('close', (code, ended) => {
      signal.removeEventListener('abort', onAbort);
      if (failure !== undefined) reject(failure);
      else resolve({ code: code ?? (ended === null ? 1 : 128), stdout: Buffer.concat(chunks).toString(), stderr });
    });
  });
}

/** What a tool said last, on one line. */
export function lastWords(stderr: string, lines = 3): string {
  return stderr.split(/[\r\n]+/).map((line) => line.trim()).filter((line) => line !== '').slice(-lines).join(' | ');
}
