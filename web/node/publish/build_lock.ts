/** Who may build into a catalogue: one build at a time. */
import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import { CliError, EXIT } from '../base/exit.js';
import { tryLock } from '../base/lock.js';

/** A file name for an address: its last part, for people, and a hash, since several end alike. */
export const addressName = (output: string): string =>
  `${basename(output)}-${createHash('sha256').update(output).digest('hex').slice(0, 8)}`;

/**
 * Lets one build at a time use a state file or a folder, since each removes at its end the files that it does not know. Builds of several
 * machines into one address see each other by the head (files.ts).
 */
export async function lockBuild(paths: readonly string[], output: string): Promise<AsyncDisposable> {
  const releases: (() => Promise<void>)[] = [];
  const release = async (): Promise<void> => {
    for (const one of releases) await one();
  };
  for (const path of new Set(paths.map((each) => resolve(`${each}.lock`)))) {
    const held = await tryLock(path).catch(async (error: NodeJS.ErrnoException) => {
      await release();
      if (error.code === 'ENOENT')
        throw new CliError(EXIT.FAILURE, `${dirname(path)} does not exist; make that folder.`);
      throw new CliError(EXIT.FAILURE, `${path} cannot be written: ${error.message}.`);
    });
    if (held === undefined) {
      await release();
      throw new CliError(
        EXIT.FAILURE,
        `Another build into ${output}, or with its state file, is running (${path}); wait for it to end.`,
      );
    }
    releases.push(held);
  }
  return { [Symbol.asyncDispose]: release };
}
