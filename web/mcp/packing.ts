/**
 * Packs a folder that a tool set has prepared, and says where such bundles are kept.
 *
 * Caches lie under `$XDG_CACHE_HOME/sheaf`. What they hold can be made anew at any time, so that a
 * file that fails to open is simply packed again.
 */
import { spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { abortError } from '../client/errors.js';
import { CliError, EXIT } from '../host/exit.js';
import { findPacker } from '../host/native.js';
import { harmless, oneLine } from '../host/terminal.js';

/** `$XDG_CACHE_HOME/sheaf`; a relative XDG_CACHE_HOME is ignored, as its specification asks. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const cache = env['XDG_CACHE_HOME'];
  return join(cache !== undefined && isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'sheaf');
}

const STAGE = 'stage-';
/** Older than this, a stage has lost its process. */
const STAGE_LIFE_MS = 60 * 60 * 1000;

/** Calls `work` with an empty folder inside `folder`, and removes it afterwards; forgotten ones too. */
export async function withStage<T>(folder: string, work: (stage: string) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (!name.startsWith(STAGE)) continue;
    const age = await stat(join(folder, name)).then((stats) => Date.now() - stats.mtimeMs, () => 0);
    if (age > STAGE_LIFE_MS) await rm(join(folder, name), { recursive: true, force: true });
  }
  const stage = await mkdtemp(join(folder, STAGE));
  try {
    return await work(stage);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

export interface PackJob {
  folder: string;
  output: string;
  library: string;
  version: string;
  title: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

export interface Packed {
  pages: number;
  passages: number;
  /** Files that could not be packed, with the reason. */
  skipped: { path: string; reason: string }[];
}

/** Packs quickly rather than tightly: these bundles live where they are made, and are made often. */
const LEVEL = '3';
/** Far more than sheaf-pack has to say; what goes beyond is dropped. */
const MAX_OUTPUT = 4 * 1024 * 1024;

/**
 * Every file below `folder`, hidden ones too, as one bundle. Undefined when none of them holds text.
 * Errors: CliError with the packer's own words; ABORTED when `signal` fires, the packer being stopped.
 */
export async function packFolder(job: PackJob): Promise<Packed | undefined> {
  const packer = await findPacker(job.env);
  if (packer === undefined) {
    throw new CliError(
      EXIT.NO_PACKER,
      'The native packer sheaf-pack was not found. Build it in a source tree with: npm run build — or name it in the variable SHEAF_PACK.',
    );
  }
  const args = ['pack', job.folder, '--root', job.folder, '--no-ignore', '--library', job.library, '--version', job.version];
  args.push('--title', job.title, '--level', LEVEL, '--json', '-q', '-o', job.output, ...(await encoderTable(job.env)));
  const { code, stdout, stderr } = await run(packer, args, job.env, job.signal);
  const report = parseReport(stdout);
  if (code === 2 && report?.error?.code === 'NOT_FOUND') return undefined;
  if ((code !== 0 && code !== 3) || report === undefined || typeof report.pages !== 'number' || typeof report.passages !== 'number') {
    const reason = oneLine(report?.error?.message ?? harmless(stderr).slice(0, 1000)) || `it ended with code ${code}`;
    throw new CliError(EXIT.FAILURE, `sheaf-pack failed: ${reason}`);
  }
  return { pages: report.pages, passages: report.passages, skipped: report.skipped ?? [] };
}

interface Report {
  pages?: number;
  passages?: number;
  skipped?: { path: string; reason: string }[];
  error?: { code: string; message: string };
}

function parseReport(stdout: string): Report | undefined {
  try {
    return JSON.parse(stdout) as Report;
  } catch {
    return undefined;
  }
}

/** The table that ships with this package; without it, sheaf-pack looks for its own. */
async function encoderTable(env: NodeJS.ProcessEnv): Promise<string[]> {
  if (env['SHEAF_MODELS']) return [];
  const path = fileURLToPath(new URL('../../models/minilm-l6-256.sheaf', import.meta.url));
  return access(path).then(
    () => ['--encoder-table', path],
    () => [],
  );
}

function run(path: string, args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], env, signal, killSignal: 'SIGTERM' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout = (stdout + text).slice(0, MAX_OUTPUT)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(0, MAX_OUTPUT)));
    child.once('error', (error) => {
      if (!signal.aborted) reject(new CliError(EXIT.NO_PACKER, `${path} could not be started: ${error.message}.`));
    });
    child.once('close', (code) => (signal.aborted ? reject(abortError(signal)) : resolve({ code: code ?? 128, stdout, stderr })));
  });
}
