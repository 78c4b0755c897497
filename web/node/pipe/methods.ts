/**
 * What a program in another language may call: open bundles, ask them, pack one. Libraries are known by number.
 *
 * Every failure reaches the caller with a code: a SheafError's own, the packer's, else INTERNAL.
 */
import { SheafError, type ErrorCode } from '../../browser/client/errors.js';
import { open as openInNode, type NodeOpenOptions } from '../client/node.js';
import type { Methods } from '../../browser/client/rpc.js';
import type { Library, LibraryInfo, SearchOptions } from '../../browser/client/types.js';
import { CliError } from '../base/exit.js';
import { openPacker } from '../packer/choose.js';
import { PackFailure, type PackJob, type PackReport } from '../packer/packer.js';

/** The methods of Library that cross. */
const ASKED = ['search', 'page', 'passage', 'embed', 'facets', 'verify'] as const;

export interface PipeMethods {
  /** `source`: a path or a URL. */
  open(source: string, options: Pick<NodeOpenOptions, 'lazy'> & { encoder?: string | false }): Opened;
  ask(
    library: number,
    method: (typeof ASKED)[number],
    args: unknown[],
    options: Omit<SearchOptions, 'signal'>,
  ): unknown;
  /** Frees the library; a number that is not open is ignored. */
  close(library: number): void;
  /** Packs with the package's own encoder table, unless the job says otherwise. */
  pack(job: PackJob): PackReport;
}

export interface Opened {
  library: number;
  info: LibraryInfo;
}

export function pipeMethods(): Methods<PipeMethods> {
  const libraries = new Map<number, Library>();
  let next = 1;
  return {
    async open(source, options, signal) {
      const library = await openInNode(source, { ...options, signal });
      libraries.set(next, library);
      return { library: next++, info: library.info };
    },
    async ask(number, method, args, options, signal) {
      const library = libraries.get(number);
      if (library === undefined) throw new SheafError('CLOSED', 'The library was closed; open it again to search it.');
      if (!ASKED.includes(method)) throw new SheafError('INVALID_ARGUMENT', `There is no method ${String(method)}.`);
      const call = library[method] as (...all: unknown[]) => Promise<unknown>;
      return call.call(library, ...args, { ...options, signal });
    },
    async close(number) {
      const library = libraries.get(number);
      libraries.delete(number);
      await library?.close();
    },
    async pack(job, signal) {
      try {
        const packer = await openPacker();
        const { report } = await packer.pack(job, { show: 'nothing', signal });
        return report;
      } catch (error) {
        throw coded(error);
      }
    },
  };
}

/** The packer's own words, and its code where it gives one. */
function coded(error: unknown): unknown {
  if (error instanceof PackFailure) {
    const code = (error.facts.code ?? 'INTERNAL') as ErrorCode;
    return new SheafError(code, error.message, { cause: error });
  }
  return error instanceof CliError ? new SheafError('INTERNAL', error.message, { cause: error }) : error;
}
