/** The parts that the service runs on: the browser's in the worker (worker.ts), others in tests. */
import type { Opened } from '../browser/client/open_libraries.js';
import type { Source } from '../browser/client/source.js';
import type { Ledger } from './types.js';
import type { Vault } from './vault.js';

export interface DeskParts {
  vault: Vault;
  /** Undefined before the first write. */
  readLedger(): Promise<Ledger | undefined>;
  writeLedger(ledger: Ledger): Promise<void>;
  fetch: typeof globalThis.fetch;
  /** Opens a bundle, with an encoder table where one is given. `whole`: to check it, so all of it is read. */
  openCore(bundle: Source, table: Source | undefined, whole: boolean): Promise<Opened>;
  /** The table that comes with the extension, and its vector space. */
  ownTable: { space: string; read(): Promise<ReadableStream<Uint8Array>> };
  estimate(): Promise<{ used: number; free: number; persisted: boolean }>;
  /** The transformer's vector of a query; undefined while none is loaded, or where it is of another space. */
  encode?:
    | ((query: string, space: string, signal: AbortSignal | undefined) => Promise<Float32Array | undefined>)
    | undefined;
  /** Called after each change; may be called often. */
  changed(): void;
  cap?: number;
  now(): number;
}
