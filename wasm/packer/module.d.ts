/**
 * The packer as a WebAssembly module: what bindings.cc exports, and what of Emscripten's runtime is used beside it.
 * This file is the whole description; nothing is generated. `sheaf/packer` is the public way to it.
 *
 * Idea: one instance packs one bundle after another, each call on the thread that makes it. A call returns when its
 * work is done, so an instance lives in a worker. Callbacks run within a call.
 *
 * Who owns memory: every value that crosses is a copy. Strings are UTF-8 in the module and lone surrogates become
 * U+FFFD. `Rounds` owns memory of the module until `delete()`.
 *
 * What may be called when: nothing within a callback; one call at a time. `setFileMask` before the first call.
 *
 * Errors: a call never throws. Failures are values, `{ ok: false, error }`, or exit codes; what the module itself
 * cannot survive (its memory is full) is such a value too. A callback must not throw; if one does, or if the
 * WebAssembly runtime runs out of stack, the exception leaves the call and the instance must not be used again.
 */

/**
 * What to pack. Omitted fields take the defaults of `sheaf-pack pack`. The fields are the options of
 * packer/job/options.inc under their names in JavaScript, with `inputs` and `scratch` besides.
 */
export interface PackOptions {
  /** Files, folders and globs in the module's file system. */
  inputs: readonly string[];
  /** Folder for postings that do not fit in `memory`; by default the output's folder, else /tmp. */
  scratch?: string | undefined;
  library: string;
  version: string;
  /** The library's display name. */
  title?: string | undefined;
  /** Strictest level of safe search that still shows the library: none, moderate or strict. */
  safesearch?: string | undefined;
  /** The file to write, or a folder. Without it the report has the bundle. */
  output?: string | undefined;
  /** Globs of pages to take, or to leave out. */
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** Of languages whose pages lie side by side: the code of the one to pack, or all. */
  onlyLanguage?: string | undefined;
  /** Of versions whose folders lie side by side: the name of the one to pack, or all. */
  versionFolder?: string | undefined;
  /** Folders to pass over: own, openground or none. */
  ignore?: string | undefined;
  /** Include hidden files and the folders that are ignored by default. */
  noIgnore?: boolean | undefined;
  /** The folder that pages' paths are relative to. */
  root?: string | undefined;
  /** A folder above the root, within which pages may include files. */
  includesFrom?: string | undefined;
  /** A folder with pages that converters made of files in other formats (packer/source/unread.h). */
  converted?: string | undefined;
  /** The file with the rules of the search, or none; by default sheaf.search.yaml in the input folder. */
  rules?: string | undefined;
  /** Sizes as sheaf-pack takes them: 512M, 2G. */
  maxFileSize?: string | undefined;
  /** Leave out HTML pages that ask search engines to. */
  honorNoindex?: boolean | undefined;
  /** Stop at the first file that fails. */
  strict?: boolean | undefined;
  /** Where the root is on the web. */
  baseUrl?: string | undefined;
  /** A folder below the root: a page's own address is ignored if it leads out of this folder. */
  ownUrlsIn?: string | undefined;
  /** Of addresses below `baseUrl`: html, clean, dir or keep. */
  urlStyle?: string | undefined;
  /** static, none, or a transformer's name. */
  encoder?: string | undefined;
  /** fp32 or int8. */
  encoderPrecision?: string | undefined;
  /** The transformer's command, instead of `sheaf embed`: docs/embedding-protocol.md. */
  encoderCommand?: string | undefined;
  /** Seconds without an answer of the transformer, after which it is started again. */
  encoderTimeout?: number | undefined;
  /** Folder of the vectors that a transformer made before, or none. */
  vectorCache?: string | undefined;
  /** Path of the encoder table. */
  encoderTable?: string | undefined;
  /** 4, 8, or 0 for no vectors. */
  vectorBits?: number | undefined;
  /** A graph for vector search: auto, always or never. */
  graph?: string | undefined;
  /** Target length of a passage, in characters. */
  passageSize?: number | undefined;
  /** The language of the pages, a tag such as de or pt-BR, or none; by default the one that most pages name. */
  language?: string | undefined;
  /** 1 (packs fast) to 22 (small bundles). */
  level?: number | undefined;
  /** Threads; the module has one. */
  jobs?: number | undefined;
  memory?: string | undefined;
}

/** How far a run is. */
export interface Progress {
  /** packing, or writing. */
  stage: string;
  /** What is being written; empty while packing. */
  detail: string;
  /** Of the stage, 0 to 1. */
  share: number;
  pages: number;
  /** All of it in one line, as a terminal shows it. */
  text: string;
}

/** A file and a remark about it. */
export interface Remark {
  path: string;
  reason: string;
}

/** Called within a call; each may be left out. */
export interface Hooks {
  /** A file failed (`isProblem`), or something was left out on purpose. */
  remark?: ((remark: Remark, isProblem: boolean) => void) | undefined;
  /** At most ten times a second. */
  progress?: ((progress: Progress) => void) | undefined;
  /** Whether to stop: asked for every page and many times while writing. */
  cancelled?: (() => boolean) | undefined;
}

/** Files that are left out or not read for one reason. */
export interface LeftOut {
  /** `Doxygen's sources`, `images`. */
  kind: string;
  files: number;
  /** The path of one. */
  example: string;
}

export interface Failure {
  ok: false;
  /** `code` is one of web/browser/client/errors.ts; ABORTED after `cancelled` said true. */
  error: { code: string; message: string };
  skipped?: Remark[];
  notes?: Remark[];
}

/** The fields of `sheaf-pack pack --json`; the most used ones are named. */
export interface Report {
  ok: true;
  output: string;
  /** Where no output was named. */
  bundle?: Uint8Array;
  pages: number;
  passages: number;
  bundleBytes: number;
  skipped: Remark[];
  inPart: Remark[];
  notes: Remark[];
  [more: string]: unknown;
}

/** The files that a converter must read first, as `sheaf-pack unread` lists them. */
export interface UnreadFiles {
  ok: true;
  root: string;
  includesFrom: string;
  files: { path: string; file: string; format: string; size: number }[];
}

/** The fields of a line of `sheaf-pack watch`. */
export interface RoundReport {
  ok: true;
  round: number;
  written: boolean;
  pages: number;
  passages: number;
  [more: string]: unknown;
}

/** Packs again and again, and keeps prepared pages in between. */
export interface Rounds {
  /** Packs what changed since the last round, or everything. */
  round(): RoundReport | Failure;
  /** Frees its memory; call it once, and nothing after it. */
  delete(): void;
}

export interface PackerModule {
  /** Packs one bundle, as `sheaf-pack pack` does. */
  pack(options: PackOptions, hooks: Hooks): Report | Failure;
  /** Walks over the inputs and packs nothing. */
  unread(options: PackOptions): UnreadFiles | Failure;
  /** A packer that keeps prepared pages; options are checked by its first round. */
  Rounds: new (options: PackOptions, hooks: Hooks) => Rounds;
  /**
   * Runs a command line without the program's name: every verb of sheaf-pack. Its output goes to the open files 1
   * and 2. Returns the exit code; 130 after `cancelled` said true.
   */
  run(args: readonly string[], hooks: Pick<Hooks, 'cancelled'>): number;
  /** Through which transformers embed passages; without it they are refused. */
  setBridge(bridge: Bridge): void;
  /** The permission bits that new files do not get, as umask(2) has them. */
  setFileMask(mask: number): void;
  /** The version of package.json. */
  version(): string;
  FS: FileSystem;
  /** Reads Blobs in a worker when they are asked for, with FileReaderSync. */
  WORKERFS: FileSystemType;
}

/** A process or thread that speaks the embedding protocol (docs/embedding-protocol.md); one at a time. */
export interface Bridge {
  /** Starts a shell command. Whatever was started before is over. */
  start(command: string): void;
  /** Bytes for its stdin. */
  send(bytes: Uint8Array): void;
  /** Waits up to `milliseconds` for bytes of its stdout, or its end. Undefined: neither came. */
  receive(milliseconds: number): Uint8Array | BridgeEnded | undefined;
  /** Closes its stdin. */
  close(): void;
  kill(): void;
}

export interface BridgeEnded {
  /** A clause: "it exited with status 3". */
  how: string;
  status: number;
}

/** What is used of Emscripten's file system. Errors are thrown as ErrnoError. */
export interface FileSystem {
  root: FileNode;
  /** True: permissions are checked by whoever serves the files, not by their modes. */
  ignorePermissions: boolean;
  ErrnoError: new (errno: number) => Error;
  createNode(parent: FileNode | null, name: string, mode: number, device?: number): FileNode;
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  isLink(mode: number): boolean;
  mkdir(path: string): void;
  mkdirTree(path: string): void;
  chdir(path: string): void;
  writeFile(path: string, data: Uint8Array | string, options?: { canOwn?: boolean }): void;
  readFile(path: string): Uint8Array;
  mount(type: FileSystemType, options: object, path: string): FileNode;
  getStream(fd: number): OpenFile | null;
}

/** 0, 1 and 2 are stdin, stdout and stderr; their operations may be replaced. */
export interface OpenFile {
  /** Undefined: it is no terminal. */
  tty: object | undefined;
  stream_ops: {
    read?(stream: OpenFile, heap: Int8Array, at: number, length: number): number;
    write?(stream: OpenFile, heap: Int8Array, at: number, length: number): number;
  };
}

export interface FileSystemType {
  mount(mount: object): FileNode;
}

export interface FileNode {
  parent: FileNode;
  name: string;
  mode: number;
  mount: object;
  node_ops: object;
  stream_ops: object;
}

/** How an instance is started. */
export interface StartOptions {
  /** Creates the instance; the glue fetches and compiles nothing itself. */
  instantiateWasm(
    imports: WebAssembly.Imports,
    ready: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
  /** Called before the module's constructors, with its environment to fill. */
  preRun?: ((module: { ENV: Record<string, string> }) => void)[];
}

/** Starts an instance. Rejects if `instantiateWasm` never answers well. */
export default function start(options: StartOptions): Promise<PackerModule>;
