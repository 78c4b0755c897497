/** What the system says when a file cannot be had or written, in words with a way out. */
import { oneLine } from './terminal.js';

const FREE_SOME = 'free some and run it again';
const ASK = 'run it as somebody who may';

const REASONS: Readonly<Record<string, readonly [why: string, wayOut: string]>> = {
  ENOSPC: ['no space is left on the disk', FREE_SOME],
  EDQUOT: ['the disk quota is used up', FREE_SOME],
  EROFS: ['the file system is read-only', ASK],
  EACCES: ['permission denied', ASK],
  EPERM: ['permission denied', ASK],
};

/** Why, and the way out; undefined for a code that explains nothing to people. */
export const reasonOf = (code: string | undefined): readonly [why: string, wayOut: string] | undefined =>
  code === undefined || !Object.hasOwn(REASONS, code) ? undefined : REASONS[code];

/** Where a file was to go that was written under a temporary name (leftovers.ts). */
export const withoutTemporaryName = (path: string): string => path.replace(/\.\d{1,10}\.[0-9a-z]{1,40}\.tmp$/, '');

/** One line about an error of the system; undefined for any other. */
export function systemMessage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  if (code === undefined || syscall === undefined) return undefined;
  const reason = reasonOf(code);
  const place = dest ?? path;
  if (reason === undefined || place === undefined) return oneLine(error.message);
  return `${oneLine(withoutTemporaryName(place))}: ${reason[0]}; ${reason[1]}.`;
}
