/**
 * Runs the user's own tools (git, npm, Python): no shell, no terminal, output kept in memory up to a cap.
 *
 * Tools read their working directory: Python imports ./pip.py, git reads ./.git/config, npm reads ./.npmrc, and each
 * may search parent folders. Users often start `sheaf` in a folder that came from a stranger, so no tool runs there:
 * each gets its own empty folder, which is removed afterwards. The callers (git.ts, npm.ts, pip.ts) explain what keeps
 * each tool from searching above it.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { discard } from '../base/leftovers.js';
import { SourceError } from './source.js';

const TELL_MS = 2_000;
const LIMIT_MS = 30 * 60_000;

export interface CommandOptions {
  /** A private folder of the caller, absolute; the tool runs in a new folder inside it. */
  folder: string;
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
  input?: string;
  /** Learns what is waited for, once a tool has run for two seconds. */
  say: (text: string) => void;
  /** The tool is stopped after so long; half an hour by default. */
  limitMs?: number;
  /** An empty folder of the caller that the tool runs in, to leave files there; by default a new one that is removed. */
  cwd?: string;
  /** A file for stdout, which then is ''. */
  output?: string;
  /** Limit for stdout in bytes; beyond it the command is stopped. 64 MiB by default. */
  maxOutput?: number;
}

export interface CommandResult {
  code: number;
  stdout: string;
  /** Its last 4,000 characters. */
  stderr: string;
}

/**
 * Paths in `args` are absolute, or relative to the tool's own folder. `advice`: what to do if the command is
 * missing.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  advice: string,
  options: CommandOptions,
): Promise<CommandResult> {
  options.signal.throwIfAborted();
  if (options.cwd !== undefined) return run(command, args, advice, options.cwd, options);
  const workFolder = await mkdtemp(join(options.folder, 'tool-'));
  try {
    return await run(command, args, advice, workFolder, options);
  } finally {
    await discard(workFolder);
  }
}

function run(
  command: string,
  args: readonly string[],
  advice: string,
  cwd: string,
  options: CommandOptions,
): Promise<CommandResult> {
  const { signal, input, output, say, limitMs = LIMIT_MS, maxOutput = 64 << 20 } = options;
  const env = { ...withAbsolutePaths(options.env), PWD: cwd };
  return new Promise((resolve, reject) => {
    // On Windows npm is a .cmd file, which only the shell can start; callers pass checked words.
    const shell = process.platform === 'win32' && command === 'npm';
    const child = spawn(command, args, { cwd, env, shell, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const chunks: Buffer[] = [];
    const file = output === undefined ? undefined : createWriteStream(output);
    let bytes = 0;
    let stderr = '';
    let failure: unknown;
    const stop = (reason: unknown): void => {
      failure ??= reason;
      child.kill();
    };
    const what = describe(command, args);
    const telling = setTimeout(() => say(`Waiting for ${what} …`), TELL_MS);
    const limit = setTimeout(
      () => stop(new SourceError('failed', `${what} did not end within ${limitMs / 1000} s and was stopped.`)),
      limitMs,
    );
    const onEnd = (): void => {
      clearTimeout(telling);
      clearTimeout(limit);
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    file?.on('error', stop);
    child.stdin.on('error', () => {}); // it may end without reading
    child.stdin.end(input ?? '');
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutput)
        stop(new SourceError('failed', `${command} printed more than ${Math.round(maxOutput / 2 ** 20)} MB.`));
      else if (file === undefined) chunks.push(chunk);
      else if (!file.write(chunk)) {
        child.stdout.pause();
        file.once('drain', () => child.stdout.resume());
      }
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-4000)));
    child.once('error', (error: NodeJS.ErrnoException) => {
      onEnd();
      reject(
        new SourceError(
          'failed',
          error.code === 'ENOENT'
            ? `${command} was not found. ${advice}`
            : `${command} could not be started: ${error.message}.`,
        ),
      );
    });
    child.once('close', (code, ended) => {
      onEnd();
      const settle = (): void => {
        if (failure !== undefined) reject(failure);
        else resolve({ code: code ?? (ended === null ? 1 : 128), stdout: Buffer.concat(chunks).toString(), stderr });
      };
      if (file === undefined) settle();
      else file.end(settle);
    });
  });
}

/** `git fetch`, `npm view vue`: the tool with the first two words that are no options. */
function describe(command: string, args: readonly string[]): string {
  const words = args.filter((arg, i) => /^[\w@]/.test(arg) && args[i - 1] !== '-c' && args[i - 1] !== '-C');
  return [command.replace(/^.*[\\/]/, ''), ...words.slice(0, 2)].join(' ').slice(0, 100);
}

/** Variables of the tools that name a file or folder. */
const PATHS = new RegExp(
  `^(${[
    'GIT_CONFIG_(GLOBAL|SYSTEM)',
    'GIT_SSL_(CAINFO|CAPATH|CERT|KEY)',
    'PIP_(CONFIG_FILE|CERT|CLIENT_CERT|CONSTRAINT|FIND_LINKS|CACHE_DIR)',
    'npm_config_(userconfig|globalconfig|cafile|cache)',
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_(FILE|DIR)',
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
  ].join('|')})$`,
  'i',
);

/** Relative paths in the user's variables are relative to where `sheaf` was started, not to where the tool runs. */
function withAbsolutePaths(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const changed: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(env)) {
    if (!value || !PATHS.test(name) || isAbsolute(value)) continue;
    const path = resolve(value);
    if (existsSync(path)) changed[name] = path; // else it is a URL, a list, or wrong anyway
  }
  return { ...env, ...changed };
}

/** The last lines of a tool's stderr, joined into one. */
export function lastWords(stderr: string, lines = 3): string {
  return stderr
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-lines)
    .join(' | ');
}
