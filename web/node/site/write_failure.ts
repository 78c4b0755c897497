/**
 * What the system says when a site cannot be written, as a sentence with the way out: a full disk, a read-only one, a
 * folder of somebody else's. Everything is written under another name and renamed, so what was served there stays.
 */
import { access, constants } from 'node:fs/promises';
import { CliError, EXIT } from '../base/exit.js';
import { reasonOf, withoutTemporaryName } from '../base/system_error.js';
import { oneLine } from '../base/terminal.js';

const IS_FULL = new Set(['ENOSPC', 'EDQUOT']);
const AS_IT_WAS = '. What was served there is as it was';
const ASK = ' write there, or copy the site to a folder of your own';

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
    const [known = code] = [code, refused].filter((each) => reasonOf(each) !== undefined);
    const [why, wayOut] = reasonOf(known) ?? [];
    if (why === undefined) throw new CliError(EXIT.FAILURE, oneLine((error as Error).message));
    const target = withoutTemporaryName(dest ?? path ?? folder);
    const more = IS_FULL.has(known) ? AS_IT_WAS : ASK;
    throw new CliError(EXIT.FAILURE, `${oneLine(target)} cannot be written: ${why}; ${wayOut}${more}.`);
  }
}
