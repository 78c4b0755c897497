/**
 * What the system says when a site cannot be written, as a sentence with the way out: a full disk, a read-only one, a
 * folder of somebody else's. Everything is written under another name and renamed, so what was served there stays.
 */
import { access, constants } from 'node:fs/promises';
import { CliError, EXIT } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';

const FREE_SOME = 'free some and run it again. What was served there is as it was';
const ASK = 'run it as somebody who may write there, or copy the site to a folder of your own';

const REASONS: Readonly<Record<string, readonly [why: string, wayOut: string]>> = {
  ENOSPC: ['no space is left on the disk', FREE_SOME],
  EDQUOT: ['the disk quota is used up', FREE_SOME],
  EROFS: ['the file system is read-only', ASK],
  EACCES: ['permission denied', ASK],
  EPERM: ['permission denied', ASK],
};

/** The result of `work`, which writes below `folder`. Errors of the system become CliErrors; others pass. */
export async function writing<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, syscall, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
    if (code === undefined || syscall === undefined) throw error;
    // Node names a missing folder where one cannot be made.
    const refused = await access(folder, constants.W_OK).then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason.code,
    );
    const known = REASONS[code] ?? REASONS[refused ?? ''];
    if (known === undefined) throw new CliError(EXIT.FAILURE, oneLine((error as Error).message));
    const [why, wayOut] = known;
    const target = (dest ?? path ?? folder).replace(/\.\d+(\.\w+)?\.tmp$/, ''); // where it was to go
    throw new CliError(EXIT.FAILURE, `${oneLine(target)} cannot be written: ${why}; ${wayOut}.`);
  }
}
