/** Translates a job into sheaf-pack's flags. */
import type { PackJob, Show } from './packer.js';

/** Flags of `pack` for what users see. */
export const SHOW_FLAGS: Readonly<Record<Show, readonly string[]>> = {
  all: [],
  progress: ['--brief'],
  failures: ['--quiet'],
  nothing: ['--quiet'],
};

/** Whether users see no progress, which is all that `watch` shows. Pure. */
export const isSilent = (show: Show): boolean => show === 'failures' || show === 'nothing';

/** The arguments after the verb: flags first, inputs last. Pure. */
export function packArguments(job: PackJob): string[] {
  return [
    '--library',
    job.library,
    '--version',
    job.version,
    '--output',
    job.output,
    ...value('--title', job.title),
    ...value('--root', job.root),
    ...value('--includes-from', job.includesFrom),
    ...value('--base-url', job.baseUrl),
    ...value('--url-style', job.urlStyle),
    ...repeated('--include', job.include),
    ...repeated('--exclude', job.exclude),
    ...flag('--no-ignore', job.noIgnore),
    ...flag('--honor-noindex', job.honorNoindex),
    ...value('--own-urls-in', job.ownUrlsIn),
    ...value('--encoder', job.encoder),
    ...value('--encoder-command', job.encoderCommand),
    ...value('--encoder-precision', job.encoderPrecision),
    ...value('--encoder-timeout', job.encoderTimeout),
    ...value('--vector-cache', job.vectorCache),
    ...value('--encoder-table', job.encoderTable),
    ...value('--passage-size', job.passageSize),
    ...value('--language', job.language),
    ...value('--memory', job.memory),
    ...value('--level', job.level),
    ...value('--hnsw', job.graph),
    '--',
    ...job.inputs,
  ];
}

function value(name: string, given: string | number | undefined): string[] {
  return given === undefined ? [] : [name, String(given)];
}

function repeated(name: string, given: readonly string[] = []): string[] {
  return given.flatMap((each) => [name, each]);
}

function flag(name: string, given: boolean | undefined): string[] {
  return given ? [name] : [];
}
