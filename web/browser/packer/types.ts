/** What callers of `sheaf/packer` say and get. */
import type { PackOptions, Progress, Remark, Report } from './sheaf-packer.mjs';

export type { Progress, Remark, Report };

/** A page in memory, or a Blob with a path. */
export interface MemoryFile {
  /** Relative, with slashes: `guide/install.md`. */
  path: string;
  /** Strings become UTF-8. Blobs are read when the packer wants them. */
  bytes: Uint8Array | ArrayBuffer | Blob | string;
}

/** What browsers have: a folder that the user picked or dropped, or one of the page's own (OPFS). */
export interface FolderHandle {
  readonly kind: 'directory';
  readonly name: string;
  values(): AsyncIterable<FolderHandle | FileHandle>;
}

export interface FileHandle {
  readonly kind: 'file';
  readonly name: string;
  getFile(): Promise<File>;
}

/**
 * Where pages come from: files in memory, File objects (their path is that below the folder that the user picked, else
 * their name), or a folder's handle.
 */
export type PackSource = Iterable<MemoryFile | File> | FolderHandle;

/** Options for which a process or several threads are needed. */
export type NativeOption = 'encoderPrecision' | 'encoderCommand' | 'encoderTimeout' | 'vectorCache' | 'jobs';

/** Settings of a bundle, as `sheaf-pack pack --help` describes them. */
export type PackSettings = Omit<
  PackOptions,
  'inputs' | 'output' | 'root' | 'converted' | 'encoderTable' | NativeOption
>;

/** What to pack into one bundle. */
export interface PackJob extends PackSettings {
  source: PackSource;
  /**
   * The encoder table: bytes, a Blob, or its address. By default the one that ships with this package; not read with
   * `encoder: 'none'`.
   */
  encoderTable?: Uint8Array | ArrayBuffer | Blob | URL | string | undefined;
}

export interface PackHooks {
  /** Stops the packing; the promise then rejects with ABORTED. */
  signal?: AbortSignal | undefined;
  /** At most ten times a second. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** A file that failed (`isProblem`), or something that is left out; all of them are in the report too. */
  onRemark?: ((remark: Remark, isProblem: boolean) => void) | undefined;
}

export interface PackOutcome {
  /** The bundle, for `open` or to be kept as a file. */
  bundle: Uint8Array;
  report: Omit<Report, 'bundle'>;
}
