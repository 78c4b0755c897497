/** What a caller's thread and the packer's worker say to each other through rpc.ts. */
import type { Entry } from './sources.js';
import type { Failure, PackOptions, Progress, Remark, Report, RoundReport } from './sheaf-packer.mjs';

/** Settings that mean the same on both sides. */
export type Settings = Omit<PackOptions, 'inputs' | 'output' | 'root' | 'encoderTable' | 'scratch'>;

/** Where an abort is told: its first byte becomes 1. Undefined where memory cannot be shared. */
export type CancelFlag = SharedArrayBuffer | undefined;

export interface PackTask {
  wasm: WebAssembly.Module;
  entries: readonly Entry[];
  table: Uint8Array | Blob | undefined;
  settings: Settings;
  cancel: CancelFlag;
}

export interface WorkerMethods {
  /** Error: the packer's, with its code. */
  pack(task: PackTask): Report;
}

export interface PageMethods {
  progress(progress: Progress): void;
  remark(remark: Remark, isProblem: boolean): void;
}

// ---- Node alone -------------------------------------------------------------------------------------

/** The process that a module in Node stands for. */
export interface Surroundings {
  wasm: WebAssembly.Module;
  env: Readonly<Record<string, string | undefined>>;
  folder: string;
  /** Of stdout and stderr: keep what is written, write it to this process's, or to its terminal. */
  stdout: Stream;
  stderr: Stream;
  cancel: CancelFlag;
  /** The packer's end of the pipe to the process or thread that embeds passages (node_bridge.ts); with a transformer. */
  bridge?: BridgeEnd | undefined;
}

export interface BridgeEnd {
  port: MessagePort;
  /** Four bytes: a count of the messages that were sent to `port`, to wait for the next. */
  arrivals: SharedArrayBuffer;
}

/** From the packer: a command to start, bytes for its stdin, its end. */
export type ToEmbedder =
  | { type: 'start'; command: string }
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'close' }
  | { type: 'kill' };

/** To the packer: bytes of its stdout, and how it ended; `run` counts the starts. */
export type FromEmbedder = { run: number } & (
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'ended'; how: string; status: number }
);

export type Stream = 'kept' | 'shared' | 'terminal';

export interface FileTask {
  /** Paths as they are outside. */
  options: PackOptions;
  surroundings: Surroundings;
}

export interface CommandTask {
  /** The verb first; paths as they are outside. */
  args: readonly string[];
  surroundings: Surroundings;
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

export interface NodeWorkerMethods extends WorkerMethods {
  packFiles(task: FileTask): Report;
  run(task: CommandTask): Ended;
  /** The first of a thread opens the rounds; later ones have its task. */
  round(task: FileTask): RoundReport | Failure;
}
