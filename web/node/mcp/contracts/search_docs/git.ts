/**
 * Names of files that Git does not ignore.
 *
 * Git itself judges: nested .gitignore files, negation, .git/info/exclude and the user's own ignore
 * file then mean here what they mean everywhere. Where the project is no work tree of Git's (or Git
 * refuses it, say because another user owns it), an empty repository kept in the cache stands in, so
 * that .gitignore files count there too.
 *
 * A repository comes from strangers, and its configuration can name programs to run: fsmonitor is
 * switched off, nothing is fetched, no index is written, and GIT_* variables of the surroundings are
 * not passed on.
 */
import { spawn } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { abortError } from '../../../../browser/client/errors.js';

const MAX_BYTES = 64 * 1024 * 1024;
const TIME_LIMIT_MS = 120_000;

export class NoGit extends Error {}

export interface GitListing {
  /** Relative to the root, '/' between segments, as raw bytes. */
  names: Buffer[];
  /** Git had more to say than is read. */
  cut: boolean;
}

export interface GitOptions {
  /** Folders that need not be looked into. */
  exclude: readonly string[];
  extensions: readonly string[];
  /** Where the stand-in repository is kept. */
  emptyRepository: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Error: NoGit when there is no Git, or none that can list this folder. */
export async function listWithGit(root: string, options: GitOptions): Promise<GitListing> {
  const own = await git(root, [], lsFiles('-co', options), options);
  // Nothing at all: no work tree, or one that an outer repository ignores as a whole.
  if (own.code === 0 && own.output.length > 0) return split(own);
  const repository = options.emptyRepository;
  if (!(await stat(join(repository, 'HEAD')).catch(() => undefined))) {
    await mkdir(dirname(repository), { recursive: true, mode: 0o700 });
    await git(dirname(repository), [], ['init', '-q', '--bare', '--template=', repository], options);
  }
  const standIn = await git(root, [`--git-dir=${repository}`, `--work-tree=${root}`], lsFiles('-o', options), options);
  if (standIn.code !== 0) throw new NoGit(`git ended with code ${standIn.code}`);
  return split(standIn);
}

function lsFiles(which: string, { exclude, extensions }: GitOptions): string[] {
  const folders = exclude.map((name) => `--exclude=${name}/`);
  return [
    'ls-files',
    '-z',
    which,
    '--exclude-standard',
    ...folders,
    '--',
    ...extensions.map((extension) => `:(icase)*${extension}`),
  ];
}

interface Ended {
  code: number | null;
  output: Buffer;
  cut: boolean;
}

function git(
  folder: string,
  where: readonly string[],
  command: readonly string[],
  { env, signal }: GitOptions,
): Promise<Ended> {
  const args = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', folder, ...where, ...command];
  const own = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  const clean = { ...Object.fromEntries(own), GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }; // older versions know the second alone
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
    const child = spawn('git', args, { stdio: ['ignore', 'pipe', 'ignore'], env: clean, signal: bounded });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let cut = false;
    child.stdout.on('data', (chunk: Buffer) => {
      if (cut) return;
      chunks.push(chunk);
      if ((bytes += chunk.length) <= MAX_BYTES) return;
      cut = true;
      child.kill();
    });
    child.once('error', (error) => reject(signal.aborted ? abortError(signal) : new NoGit(error.message)));
    child.once('close', (code) => resolve({ code: cut ? 0 : code, output: Buffer.concat(chunks), cut }));
  });
}

function split({ output, cut }: Ended): GitListing {
  const names: Buffer[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    if (end < 0) break; // the last name of a listing that was cut
    names.push(output.subarray(start, end));
    start = end + 1;
  }
  return { names, cut };
}
