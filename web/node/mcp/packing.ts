/**
 * Packs a folder that a tool set has prepared, and says where such bundles are kept.
 *
 * Caches lie under `$XDG_CACHE_HOME/sheaf`. What they hold can be made anew at any time, so that a
 * file that fails to open is simply packed again.
 */
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { userFolder } from '../client/paths.js';
import { CliError, EXIT } from '../base/exit.js';
import { openPacker } from '../packer/choose.js';
import { PackFailure, type PackReport } from '../packer/packer.js';
import { harmless, oneLine } from '../base/terminal.js';

/** `$XDG_CACHE_HOME/sheaf`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(userFolder('cache', env), 'sheaf');
}

const STAGE = 'stage-';
/** Older than this, a stage has lost its process. */
const STAGE_LIFE_MS = 60 * 60 * 1000;

/** Calls `work` with an empty folder inside `folder`, and removes it afterwards; forgotten ones too. */
export async function withStage<T>(folder: string, work: (stage: string) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (!name.startsWith(STAGE)) continue;
    const age = await stat(join(folder, name)).then(
      (stats) => Date.now() - stats.mtimeMs,
      () => 0,
    );
    if (age > STAGE_LIFE_MS) await rm(join(folder, name), { recursive: true, force: true });
  }
  const stage = await mkdtemp(join(folder, STAGE));
  try {
    return await work(stage);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

export interface FolderJob {
  folder: string;
  output: string;
  library: string;
  version: string;
  title: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Packs quickly rather than tightly: these bundles live where they are made, and are made often. */
const LEVEL = 3;
const MAX_REASON = 1000;

/**
 * Every file below `folder`, hidden ones too, as one bundle. Undefined when none of them holds text.
 * Errors: CliError with the packer's own words; ABORTED when `signal` fires, the packer being stopped.
 */
export async function packFolder({ folder, env, signal, ...what }: FolderJob): Promise<PackReport | undefined> {
  const packer = await openPacker(env);
  const job = {
    ...what,
    inputs: [folder],
    root: folder,
    noIgnore: true,
    level: LEVEL,
  };
  try {
    return (await packer.pack(job, { show: 'nothing', env, signal })).report;
  } catch (error) {
    if (!(error instanceof PackFailure)) throw error;
    if (error.isNothing) return undefined;
    throw new CliError(EXIT.FAILURE, `sheaf-pack failed: ${oneLine(harmless(error.message).slice(0, MAX_REASON))}`);
  }
}
