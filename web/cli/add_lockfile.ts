/** `sheaf add --from-lockfile`: one bundle for each package of a project, at the version it uses. */
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { findInstalled, type InstalledSpec } from '../sources/installed.js';
import { findLockfiles, LOCKFILES, readLockfile } from '../sources/lockfile.js';
import { SourceError } from '../sources/source.js';
import { pressEnter } from './confirm.js';
import { CliError, EXIT, exitCodeOf } from '../host/exit.js';
import { ingest, type Outcome } from './ingest.js';
import { withWorkspace } from './interrupt.js';
import { harmless, oneLine, print, printJson, status, table } from '../host/terminal.js';

export interface LockfileOptions {
  transitive: boolean;
  yes: boolean;
  encoder: string | undefined;
  json: boolean;
}

interface Skipped {
  library: string;
  version: string;
  reason: string;
}

export async function addFromLockfile(file: string | undefined, options: LockfileOptions): Promise<number> {
  const { found, skipped } = await plan(file, options.transitive);
  if (found.length > 0)
    status(table([['Library', 'Version'], ...found.map((spec) => [oneLine(spec.package), oneLine(spec.version)])]));
  for (const { library, version, reason } of skipped)
    status(`Left out: ${oneLine(library)} ${oneLine(version)}: ${oneLine(reason)}`);
  if (found.length === 0)
    throw new CliError(
      EXIT.NOT_FOUND,
      'None of the packages is installed here in the version of the lock file; install them first (npm ci, pip install -r …).',
    );

  const outcomes: Outcome[] = [];
  await withWorkspace(async (folder, signal) => {
    const text = `${found.length} ${found.length === 1 ? 'library' : 'libraries'} to add. Press Enter to continue with embedding, or Ctrl+C to exit...`;
    if (!(await pressEnter(text, options.yes, signal))) throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
    for (const [index, spec] of found.entries()) {
      const own = join(folder, String(index));
      await mkdir(own);
      try {
        outcomes.push(
          await ingest(
            {
              spec: { type: 'installed', ...spec },
              library: spec.package,
              trusted: true,
              allowPrivate: false,
              yes: true,
              encoder: options.encoder,
            },
            own,
            signal,
          ),
        );
      } catch (error) {
        if (signal.aborted || exitCodeOf(error) === EXIT.NO_PACKER) throw error;
        skipped.push({ library: spec.package, version: spec.version, reason: (error as Error).message });
        status(`Left out: ${oneLine(spec.package)} ${oneLine(spec.version)}: ${harmless((error as Error).message)}`);
      }
    }
  });
  summarise(outcomes, skipped, options.json);
  return outcomes.length > 0 ? EXIT.OK : EXIT.FAILURE;
}

/** The packages of the lock file that can be added, and those that cannot. */
async function plan(
  file: string | undefined,
  transitive: boolean,
): Promise<{ found: InstalledSpec[]; skipped: Skipped[] }> {
  const found: InstalledSpec[] = [];
  const skipped: Skipped[] = [];
  try {
    const files = file === undefined ? await findLockfiles(process.cwd()) : [resolve(file)];
    if (files.length === 0)
      throw new CliError(
        EXIT.NOT_FOUND,
        `There is no lock file in ${process.cwd()}; known are ${LOCKFILES.join(', ')}. Name one: sheaf add --from-lockfile FILE`,
      );
    for (const lockfile of files) {
      for (const locked of await readLockfile(lockfile, transitive)) {
        const where = await findInstalled(locked, dirname(lockfile), process.env);
        if ('missing' in where) skipped.push({ library: locked.name, version: locked.version, reason: where.missing });
        else if (!found.some((other) => other.package === where.package && other.version === where.version))
          found.push(where);
      }
    }
  } catch (error) {
    if (error instanceof SourceError)
      throw new CliError(
        error.kind === 'missing' ? EXIT.NOT_FOUND : error.kind === 'usage' ? EXIT.USAGE : EXIT.FAILURE,
        harmless(oneLine(error.message)),
      );
    throw error;
  }
  return { found, skipped };
}

function summarise(outcomes: readonly Outcome[], skipped: readonly Skipped[], json: boolean): void {
  if (json) return printJson({ libraries: outcomes, skipped });
  for (const { library, version, action } of outcomes)
    if (action !== 'unchanged') print(`Embedding complete: Library ${oneLine(library)} (${oneLine(version)}) added.`);
  const count = (action: Outcome['action']): number => outcomes.filter((outcome) => outcome.action === action).length;
  status(
    `${count('added')} added, ${count('updated')} updated, ${count('unchanged')} unchanged, ${skipped.length} left out.`,
  );
}
