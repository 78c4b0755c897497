/**
 * What page and worker say to each other: plain data over postMessage. remote.ts is the page's end,
 * serve.ts the worker's.
 *
 *   page -> worker   open · call · abort(id) · served (a piece of a custom source)
 *   worker -> page   ready · reply(id) · progress · serve (please read a custom source)
 *
 * The first request is `open`; each request carries an id that its reply repeats.
 */
import type { PlainError } from './errors.js';
import type { LibraryInfo, Progress, SearchOptions } from './types.js';

/** A MessagePort, a Worker, or a worker's own global scope. */
export interface Port {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
}

/** A Source as it crosses: custom sources stay on the page and are read from there, by number. */
export type WireSource =
  | { kind: 'url'; url: string }
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'blob'; blob: Blob }
  | { kind: 'custom'; source: number; key: string; local: boolean };

export interface OpenRequest {
  type: 'open';
  id: number;
  bundle: WireSource;
  encoder: WireSource | undefined;
  lazy: boolean | undefined;
  deferEncoder: boolean | undefined;
  wasm: Uint8Array | ArrayBuffer | string | undefined;
  progress: boolean;
}

/** The methods of Library that cross, with their arguments; signals travel as `abort`. */
export interface Calls {
  search: [query: string, options: Omit<SearchOptions, 'signal'>];
  page: [idOrUrl: number | string];
  passage: [id: number];
  findPage: [urlOrSource: string];
  embed: [text: string];
  prefetch: [];
  facets: [];
  verify: [];
}

export interface CallRequest {
  type: 'call';
  id: number;
  method: keyof Calls;
  args: unknown[];
}

export type ToWorker =
  | OpenRequest
  | CallRequest
  | { type: 'abort'; id: number }
  | { type: 'served'; id: number; value: Uint8Array | number | undefined }
  | { type: 'served'; id: number; error: PlainError };

export type ToPage =
  | { type: 'ready' }
  /** `info` comes along whenever it may have changed. */
  | { type: 'reply'; id: number; value: unknown; info: LibraryInfo | undefined }
  | { type: 'reply'; id: number; error: PlainError }
  | { type: 'progress'; progress: Progress }
  | { type: 'serve'; id: number; source: number; action: 'size' | 'reset' }
  | { type: 'serve'; id: number; source: number; action: 'read'; offset: number; length: number }
  | { type: 'serveAbort'; id: number };
