/**
 * What packing is, apart from who does it: what is to be packed, what people see meanwhile, what came of it.
 *
 * Idea: callers say what they want (PackJob, PackRun) and get a typed report or a typed failure. Which program
 * packs, by which flags, and how its answer is read, is known to the implementation alone (native.ts).
 *
 * Invariants of every implementation
 *  1. The bundle appears whole or not at all; after a failure or an abort the older one is as it was.
 *  2. When the signal fires, the work is stopped, and only when it has ended does the promise reject, with
 *     abortError(signal). No process and no temporary file is left behind.
 *  3. Errors are PackFailure, where packing failed; CliError NO_PACKER, where it could not begin; the abort error.
 */

/** What is to be packed. What is left out is as sheaf-pack has it. */
export interface PackJob {
  /** Files, folders and globs. */
  inputs: readonly string[];
  /** The folder that pages' paths are relative to. */
  root?: string | undefined;
  /** The file to write. */
  output: string;
  library: string;
  version: string;
  /** The library's name for people. */
  title?: string | undefined;
  /** Where the root is on the web. */
  baseUrl?: string | undefined;
  /** Of addresses below `baseUrl`: html, clean, dir or keep. */
  urlStyle?: string | undefined;
  /** Globs of pages to take, or to leave out. */
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** Take hidden files and the folders that are passed over otherwise, too. */
  noIgnore?: boolean | undefined;
  /** Leave out HTML pages that ask search engines to. */
  honorNoindex?: boolean | undefined;
  /** A folder below the root: pages' own addresses that lead out of it are not believed. */
  ownUrlsIn?: string | undefined;
  /** static, none, or a transformer's name. */
  encoder?: string | undefined;
  /** Path of the encoder table; without it the packer looks for one itself. */
  encoderTable?: string | undefined;
  /** Characters that a passage is filled up to. */
  passageSize?: number | undefined;
  /** Of the stemmer: en or none. */
  language?: string | undefined;
  /** Sizes as sheaf-pack takes them: 512M, 2G. */
  memory?: string | undefined;
  /** 1 (packs fast) to 22 (small bundles). */
  level?: number | undefined;
  /** A graph for vector search: auto, always or never. */
  graph?: 'auto' | 'always' | 'never' | undefined;
}

/** What people see on stderr while it packs. */
export type Show =
  /** Progress, notes, files that fail, and a summary. */
  | 'all'
  /** Progress and files that fail. */
  | 'progress'
  /** Files that fail. */
  | 'failures'
  /** Nothing: what there is to say of files that failed comes with the report. */
  | 'nothing';

/** How it is to be done. */
export interface PackRun {
  show: Show;
  signal?: AbortSignal | undefined;
  /** The environment that the packer sees; by default this process's. */
  env?: NodeJS.ProcessEnv | undefined;
}

/** A file, and what there is to say of it. */
export interface FileRemark {
  path: string;
  reason: string;
}

/** What is in a bundle. Holds whatever else the packer told of it, for who prints it. */
export interface PackReport {
  pages: number;
  passages: number;
  /** Of the bundle that was written; undefined after a round that wrote none. */
  bundleBytes?: number;
  /** Files that could not be read or parsed. */
  skipped: FileRemark[];
  /** What was left out on purpose, or not read as it was meant. */
  notes: FileRemark[];
}

/** What packing once gave. */
export interface Packed {
  report: PackReport;
  /** With `show: 'nothing'`: the lines about files that failed. */
  said: string;
}

/** What one round found, against the round before; counts are of files. */
export interface RoundReport extends PackReport {
  round: number;
  added: number;
  changed: number;
  removed: number;
  /** Whether there is a new bundle. */
  written: boolean;
  /** Pages in memory; fewer than `pages` when the memory has no room for all. */
  keptPages: number;
  seconds: { all: number };
  /** Pages whose last good version is in the bundle, because the file cannot be read or parsed any more. */
  inPart: FileRemark[];
}

/** A packer that stays and keeps what it prepared. One round at a time. */
export interface PackRounds {
  /** Packs what changed since the last round, or everything. Undefined: there is no page; the bundle is as it was. */
  round(): Promise<RoundReport | undefined>;
  /** Ends it, also in the middle of a round; the bundle is whole or as it was. */
  close(): Promise<void>;
}

export interface Packer {
  pack(job: PackJob, run: PackRun): Promise<Packed>;
  rounds(job: PackJob, run: Pick<PackRun, 'show'>): PackRounds;
}

/** Nothing was packed. The message is the best there is to say of why. */
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
  /** The packer's own code of what is wrong, where it told one. */
  code?: string | undefined;
  notes?: readonly FileRemark[] | undefined;
}
