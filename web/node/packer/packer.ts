/**
 * The packing interface, independent of the program that packs: the job, what users see meanwhile, the result.
 *
 * Idea: callers say what they want (PackJob, PackRun) and get a typed report or a typed failure. Only the
 * implementation (native.ts, module.ts) knows which program packs, with which flags, and how to read its answer.
 *
 * Invariants of every implementation
 *  1. The bundle appears whole or not at all; a failure or an abort leaves the older one unchanged.
 *  2. When the signal fires, the work stops. Only after it has stopped does the promise reject, with
 *     abortError(signal). No process and no temporary file is left behind.
 *  3. Errors: PackFailure if packing failed; CliError NO_PACKER if it could not begin; the abort error.
 */

import type { UnreadFile } from '../../browser/convert/converter.js';
import type { PackOptions } from '../../browser/packer/sheaf-packer.mjs';

/** What to pack into one file. Omitted fields take sheaf-pack's defaults; the encoder table's is this package's (table.ts). */
export interface PackJob extends Omit<PackOptions, 'scratch'> {
  output: string;
}

/** What users see on stderr during packing. */
export type Show =
  /** Progress, notes, files that fail, and a summary. */
  | 'all'
  /** Progress and files that fail. */
  | 'progress'
  /** Files that fail. */
  | 'failures'
  /** Nothing: messages about failed files come with the report. */
  | 'nothing';

/** How to run the job. */
export interface PackRun {
  show: Show;
  signal?: AbortSignal | undefined;
  /** The environment that the packer sees; by default this process's. */
  env?: NodeJS.ProcessEnv | undefined;
}

/** A file and a remark about it. */
export interface FileRemark {
  path: string;
  reason: string;
}

/** Files that are left out for one reason. */
export interface LeftOut {
  /** `Doxygen's sources`. */
  kind: string;
  files: number;
  /** The path of one. */
  example: string;
}

/** Languages or versions of the same pages in one folder. */
export interface SideBySide {
  kind: 'languages' | 'versions';
  /** Below the root, with its slash; '' for the root. */
  folder: string;
  /** Null where all of them are packed as one, or none is. */
  packed: string | null;
  others: string[];
}

/** What is in a bundle. Keeps the packer's other fields too, for printing. */
export interface PackReport {
  /** Of the pages: as the job says, or as they name it or are written; `none` as a job may say. */
  language?: string;
  pages: number;
  passages: number;
  /** Size of the written bundle; undefined after a round that wrote none. */
  bundleBytes?: number;
  /** Files that could not be read or parsed. */
  skipped: FileRemark[];
  /** Content left out on purpose, or not read as intended. */
  notes: FileRemark[];
  /** Pages that document nothing, or that are packed in another form, counted by kind. */
  leftOut?: LeftOut[];
  /** Where one of several languages or versions was chosen. */
  sideBySide?: SideBySide[];
  /** `box` of the owner's rules, where there is any. */
  box?: BoxReport;
}

/** Texts and limits of a site's box, as the owner's rules state them. */
export interface BoxReport {
  placeholder?: string;
  /** Pages listed at first. */
  pages?: number;
  /** Rows of a page. */
  sections?: number;
  /** Searches that a browser remembers. */
  recent?: number;
  /** Texts by their names in the component. */
  words?: Readonly<Record<string, string>>;
}

/** The result of one packing. */
export interface Packed {
  report: PackReport;
  /** With `show: 'nothing'`: the lines about files that failed. */
  said: string;
}

/** What one round found, compared with the round before; counts are of files. */
export interface RoundReport extends PackReport {
  round: number;
  added: number;
  changed: number;
  removed: number;
  /** Whether there is a new bundle. */
  written: boolean;
  /** Pages kept in memory; fewer than `pages` when they do not all fit. */
  keptPages: number;
  seconds: { all: number };
  /** Pages that keep their last good version in the bundle, because the file can no longer be read or parsed. */
  inPart: FileRemark[];
}

/** A long-lived packer that keeps prepared pages. One round at a time. */
export interface PackRounds {
  /** Packs what changed since the last round, or everything. Undefined: there are no pages; the bundle is unchanged. */
  round(): Promise<RoundReport | undefined>;
  /** Stops the packer, even in the middle of a round; the bundle is either new and whole or unchanged. */
  close(): Promise<void>;
}

export interface Packer {
  pack(job: PackJob, run: PackRun): Promise<Packed>;
  rounds(job: PackJob, run: Pick<PackRun, 'show'>): PackRounds;
}

/** A Packer that also runs the command line of sheaf-pack. */
export interface PackerProgram extends Packer {
  /** Runs a verb with its own arguments on this terminal. Returns the exit code: 128 + n after signal n. */
  onTerminal(args: readonly string[]): Promise<number>;
}

/** The files of an input that the packer does not read itself, as `sheaf-pack unread` lists them. */
export interface Unread {
  /** Resolved, absolute. */
  root: string;
  /** The folder that included files lie in. */
  includesFrom: string;
  files: readonly (UnreadFile & { /** Absolute. */ file: string })[];
}

/** A packer without converters (converting.ts). */
export interface BareProgram extends PackerProgram {
  /** For arguments of `pack`. Undefined: the packer could not tell, as it will say when it packs. */
  unread(args: readonly string[], signal?: AbortSignal): Promise<Unread | undefined>;
}

/** Nothing was packed. The message gives the best explanation that we have. */
export class PackFailure extends Error {
  readonly facts: Readonly<FailureFacts>;

  constructor(message: string, facts: FailureFacts) {
    super(message);
    this.name = 'PackFailure';
    this.facts = facts;
  }

  /** There are no pages, or none that may be packed. */
  get isNothing(): boolean {
    return this.facts.code === 'NOT_FOUND';
  }
}

export interface FailureFacts {
  /** The packer's error code, if it gave one. */
  code?: string | undefined;
  notes?: readonly FileRemark[] | undefined;
}
