/**
 * The encoder table that a packer is told of. A packer that lies elsewhere (an optional package, PATH, the module)
 * would not find the one that ships with this package.
 */
import { constants } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TABLE_FILE } from '../client/paths.js';
import { canAccess } from '../base/files.js';
import type { PackJob } from './packer.js';

/** The table in the folder that SHEAF_MODELS names, else the one that ships with this package. Undefined: neither is there. */
export async function encoderTable(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const models = env['SHEAF_MODELS'];
  for (const path of [...(models ? [join(models, basename(TABLE_FILE))] : []), TABLE_FILE]) {
    if (await canAccess(path, constants.R_OK)) return path;
  }
  return undefined;
}

/** The job with `table` if it wants the static encoder and names no table. Pure. */
export function withTable(job: PackJob, table: string | undefined): PackJob {
  const isStatic = (job.encoder === undefined || job.encoder === 'static') && job.encoderCommand === undefined;
  return isStatic && job.encoderTable === undefined && table !== undefined ? { ...job, encoderTable: table } : job;
}

/** `--encoder-table` for arguments of `pack` that name neither a table nor an encoder other than static. Pure. */
export function tableArguments(args: readonly string[], table: string | undefined): string[] {
  const end = args.indexOf('--');
  const flags = end < 0 ? args : args.slice(0, end);
  const names = (flag: string): boolean => flags.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const encoder = flags.find((arg) => arg.startsWith('--encoder='))?.slice('--encoder='.length);
  const at = flags.indexOf('--encoder');
  const named = at >= 0 ? flags[at + 1] : encoder;
  const isStatic = (named === undefined || named === 'static') && !names('--encoder-command');
  return table === undefined || !isStatic || names('--encoder-table') ? [] : ['--encoder-table', table];
}
