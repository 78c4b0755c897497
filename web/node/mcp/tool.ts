/**
 * What a tool is, apart from the protocol: a name, schemas, and a function from arguments to a reply.
 * Tool sets (contracts/) are lists of these, each with what its contract asks for otherwise; server.ts speaks
 * MCP for all of them.
 *
 * Invariants
 *  1. `call` must check its own arguments: schemas inform clients and are not relied on.
 *  2. A tool writes nothing to stdout; that is the protocol's. `environment.log` goes to stderr.
 *  3. Text from documents is data: a reply quotes it with its source and adds no advice to it.
 */
import type { CacheMemory } from '../../browser/client/open_libraries.js';
import type { Library, LibraryInfo } from '../../browser/client/types.js';
import type { Log } from '../operate/log.js';
import type { StoredBundle } from '../store/store.js';

export type { Log, LogLevel } from '../operate/log.js';

export type JsonObject = Record<string, unknown>;

export interface ToolCall {
  /** As the client sent them; `{}` when it sent none. */
  args: JsonObject;
  /** Fires when the client cancels or goes away. */
  signal: AbortSignal;
  /** Reports progress of long work, if the client asked for it. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * What the user says to a question. Until they have answered, it throws what ends the call: the server asks, and calls
   * the tool again. So the same arguments must lead to the same question, and nothing may be done before it.
   */
  consent(question: string): Consent;
}

/** `impossible`: the client cannot ask them. */
export type Consent = 'given' | 'refused' | 'impossible';

export interface ToolReply {
  text: string;
  /** Must satisfy the tool's `output` schema. */
  structured?: JsonObject;
  /** The call failed in a way that the model can act on; `text` says how. */
  isError?: boolean;
  /** Whole pages behind the reply, as resource links. */
  links?: readonly { uri: string; name: string; description?: string }[];
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  input: JsonObject;
  /** JSON Schema of `ToolReply.structured`, an object. */
  output: JsonObject;
  annotations: { readOnlyHint: boolean; openWorldHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
  call(call: ToolCall): Promise<ToolReply>;
}

export interface ToolSet {
  name: string;
  /** Sentences for the client's model about when to use these tools. */
  instructions: string;
  tools: readonly Tool[];
  /** They reach other things than the pool's libraries, so a token that is limited to some may not call them. */
  isBeyondLibraries?: true;
  /** Names that clients use beside the listed ones, and the tools that they mean. */
  aliases?: Readonly<Record<string, string>>;
  /** The reply to a call of an unknown tool, if this set is served alone. Error: ProtocolFailure. */
  unknownTool?(name: string): ToolReply;
  /** Background work after the server is ready; must not throw. */
  warmUp?(): Promise<void>;
  close?(): Promise<void>;
}

/** Codes of JSON-RPC. */
export const RPC = { METHOD_NOT_FOUND: -32601, INVALID_PARAMS: -32602, INTERNAL_ERROR: -32603 } as const;

/** An error of the protocol itself (JSON-RPC), where a contract asks for one instead of a reply. */
export class ProtocolFailure extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.name = 'ProtocolFailure';
    this.code = code;
    this.data = data;
  }
}

/** The store's bundles, opened on demand. */
export interface Pool {
  /** What the store holds now; read again when the folder has changed. By library, newest version first. */
  list(): Promise<readonly StoredBundle[]>;
  /**
   * Runs `work` with the open bundle. It is opened on first use, kept among the recently used while
   * memory allows, opened anew when its file was replaced, and never closed while `work` runs.
   */
  use<T>(bundle: StoredBundle, work: (library: Library) => Promise<T>): Promise<T>;
  /** What a bundle says of itself, where that is known without opening it. */
  info?(bundle: StoredBundle): Promise<LibraryInfo | undefined>;
  /** Called whenever bundles were added, replaced or removed; returns how to stop listening. */
  onChange(listener: () => void): () => void;
  /** What the open bundles take, as estimated, where that is known. */
  readonly memory?: CacheMemory | undefined;
  close(): Promise<void>;
}

/** What every tool set gets. */
export interface Environment {
  pool: Pool;
  log: Log;
  /** A value of the configuration by its dotted key, for example `query.top_k`. */
  config(key: string): unknown;
  env: NodeJS.ProcessEnv;
  /** Where the client's project lies; the process's working directory unless told otherwise. */
  cwd: string;
  /** The version of a library that the project's lock file names, if it does. Must not throw. */
  lockedVersion?(library: string): Promise<string | undefined>;
  /** Libraries of the user's catalogues by what they do, best first. */
  findLibraries?(query: string, count: number, signal: AbortSignal): Promise<FindAnswer>;
  /** What adding a library would do; where it is missing, the server adds none. Error: CliError. */
  planAddition?(
    request: { library?: string | undefined; source?: string | undefined; version?: string | undefined },
    signal: AbortSignal,
  ): Promise<{
    question: string;
    command: string;
    run(
      listener: { say(text: string): void; progress(label: string, done: number, total: number): void },
      signal: AbortSignal,
    ): Promise<Added>;
  }>;
  /** Where an installed library came from, for people to read, if that is known. Must not throw. */
  originOf?(bundle: StoredBundle): Promise<string | undefined>;
}

/** A library that was added. */
export interface Added {
  library: string;
  version: string;
  action: 'added' | 'updated' | 'unchanged';
  pages?: number;
  passages?: number;
  warnings: string[];
}

export interface FindAnswer {
  found: {
    library: string;
    title: string;
    description: string;
    versions: string[];
    score: number;
    catalogue: string;
  }[];
  /** Catalogues that could not be asked, and why. */
  refused: string[];
  /** How many catalogues the user has. */
  catalogues: number;
}
