/** Exit codes of `sheaf`, and the errors that carry them. */
import { BAD_BUNDLE_CODES, SheafError } from '../../browser/client/errors.js';

export const EXIT = {
  OK: 0, // also when a query found nothing
  FAILURE: 1, // network, files, anything else
  USAGE: 2, // flags, or an input file that is not in its documented form
  BAD_BUNDLE: 3, // not a bundle, damaged, truncated, or of a newer format
  NOT_FOUND: 4, // no such library, version, page or file
  NO_PACKER: 5, // SHEAF_PACK names none, or the package is not whole
} as const;

/** An error whose message says everything; no stack is shown. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CliError {
  return new CliError(EXIT.USAGE, message);
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof SheafError) {
    if (BAD_BUNDLE_CODES.has(error.code)) return EXIT.BAD_BUNDLE;
    if (error.code === 'NOT_FOUND' || error.status === 404) return EXIT.NOT_FOUND;
    if (error.code === 'FILE' && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
      return EXIT.NOT_FOUND;
    if (error.code === 'INVALID_ARGUMENT') return EXIT.USAGE;
  }
  return EXIT.FAILURE;
}
