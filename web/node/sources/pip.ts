/**
 * The user's own Python and pip, run so that they import nothing from the current folder or PYTHONPATH, and what pip's
 * configuration says of indexes.
 */
import { resolve } from 'node:path';
import { lastWords, runCommand, type CommandOptions, type CommandResult } from './command.js';
import { SourceError } from './source.js';

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

export interface PipSettings {
  /** The index, then the further ones. */
  indexes: string[];
  /** Only `find-links` counts, no index. */
  noIndex: boolean;
  /** Hosts whose certificates are not verified. */
  trustedHosts: string[];
  /** Files with certificates: the authorities', and the user's own with its key. */
  cert?: string;
  clientCert?: string;
  proxy?: string;
}

const DEFAULT_INDEX = 'https://pypi.org/simple';

/** What `pip download` would use: its own section of the files before [global], variables before both. */
export async function pipSettings(options: CommandOptions): Promise<PipSettings> {
  const settled = settingsOf('', options.env);
  if (settled.noIndex) return settled; // a variable goes before all files
  const { code, stdout, stderr } = await runPip(['config', 'list'], options).catch((error: unknown) => {
    options.signal.throwIfAborted();
    if (error instanceof SourceError && error.message.includes('was not found'))
      return { code: 0, stdout: '', stderr: '' };
    throw error;
  });
  // Rather stop than ask the public index for a name that a setting sends elsewhere.
  const isThere = !/No module named '?pip\b/.test(stderr);
  if (code !== 0 && isThere && !options.env['PIP_INDEX_URL'])
    throw new SourceError(
      'failed',
      `pip's configuration cannot be read: ${lastWords(stderr) || `pip ended with ${code}`}`,
    );
  return settingsOf(code === 0 ? stdout : '', options.env);
}

/** `listed`: the output of `pip config list`, lines `SECTION.KEY='VALUE'`. Pure. */
export function settingsOf(listed: string, env: NodeJS.ProcessEnv): PipSettings {
  const lines = new Map<string, string>();
  for (const line of listed.split(/\r?\n/)) {
    const match = /^([^.=]+)\.([\w-]+)=(.*)$/.exec(line.trim());
    if (match !== null)
      lines.set(`${match[1]}.${(match[2] as string).replaceAll('_', '-')}`, unquoted(match[3] as string));
  }
  const get = (key: string): string | undefined =>
    env[`PIP_${key.toUpperCase().replaceAll('-', '_')}`] ||
    lines.get(`:env:.${key}`) ||
    lines.get(`download.${key}`) ||
    lines.get(`global.${key}`);
  const list = (key: string): string[] => (get(key) ?? '').split(/\s+/).filter((word) => word !== '');
  const [cert, clientCert, proxy] = [get('cert'), get('client-cert'), get('proxy')];
  return {
    indexes: [...new Set([get('index-url') ?? get('pypi-url') ?? DEFAULT_INDEX, ...list('extra-index-url')])],
    noIndex: /^(1|true|yes|on)$/i.test(get('no-index') ?? ''),
    trustedHosts: list('trusted-host'),
    ...(cert ? { cert } : {}),
    ...(clientCert ? { clientCert } : {}),
    ...(proxy ? { proxy } : {}),
  };
}

/** The text of a Python string as repr() prints it. */
function unquoted(text: string): string {
  const inner = /^(['"])([^]*)\1$/.exec(text)?.[2];
  return inner === undefined
    ? text
    : inner.replace(/\\(.)/g, (_, c: string) => ({ n: '\n', t: '\t', r: '\r' })[c] ?? c);
}
