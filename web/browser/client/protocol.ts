/**
 * The methods that a page and its library's worker call on each other, through rpc.ts. remote.ts is the page's end,
 * serve.ts the worker's.
 */
import type { CallOptions, Library, LibraryInfo, Progress, SearchOptions } from './types.js';

/** A Source as sent to the worker: custom sources stay on the page and are read there, by number. */
export type WireSource =
  | { kind: 'url'; url: string }
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'blob'; blob: Blob }
  | { kind: 'custom'; source: number; key: string; local: boolean };

export interface OpenRequest {
  bundle: WireSource;
  encoder: WireSource | undefined;
  lazy: boolean | undefined;
  deferEncoder: boolean | undefined;
  wasm: Uint8Array | ArrayBuffer | string | undefined;
  /** See load.ts. */
  languages: Readonly<Record<string, Uint8Array>> | undefined;
  progress: boolean;
}

/** The methods of Library that cross. */
export type Asked = Exclude<keyof Library, 'info' | 'close' | symbol>;

/** A method's arguments, up to its options; the signal travels separately. */
export type ArgumentsOf<Name extends Asked> =
  Parameters<Library[Name]> extends [...infer Args, options?: CallOptions] ? Args : never;

export interface WorkerMethods {
  /** The first call, and the only one of its name. */
  open(request: OpenRequest): void;
  ask(method: Asked, args: unknown[], options: Omit<SearchOptions, 'signal'>): unknown;
}

export interface PageMethods {
  size(source: number): number;
  read(source: number, offset: number, length: number): Uint8Array;
  reset(source: number): void;
  /** Sent when it may have changed, before the answer of the call that changed it. */
  info(info: LibraryInfo): void;
  progress(progress: Progress): void;
}
