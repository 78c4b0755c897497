/** A thread of the packer's module that stands for a sheaf-pack process. */
import { userFolder } from '../client/paths.js';
import { abortError, SheafError, throwIfAborted } from '../../browser/client/errors.js';
import { Peer, type Methods } from '../../browser/client/rpc.js';
import { insidePath } from './node_paths.js';
import { startThread } from './node_thread.js';
import type { Ended, NodeWorkerMethods, PageMethods, Stream, Surroundings } from '../../browser/packer/protocol.js';
import type { PackerWorker } from '../../browser/packer/remote.js';
import type { Failure, RoundReport } from '../../browser/packer/sheaf-packer.mjs';
import { Embedder } from './embedder.js';
import type { PackJob } from './packer.js';

export interface ThreadOptions {
  wasm: WebAssembly.Module;
  stdout: Stream;
  stderr: Stream;
  env?: NodeJS.ProcessEnv | undefined;
}

export class PackerThread {
  readonly #worker: PackerWorker;
  readonly #peer: Peer<NodeWorkerMethods, PageMethods>;
  readonly #cancel = new SharedArrayBuffer(1);
  readonly #embedder: Embedder;
  readonly #surroundings: Surroundings;
  #hooks: Methods<PageMethods> | undefined;

  constructor({ wasm, stdout, stderr, env = process.env }: ThreadOptions) {
    const died = (detail: string): SheafError =>
      new SheafError('WASM', `The packer stopped (${detail}); lower --memory, or use a native sheaf-pack.`);
    this.#worker = startThread((detail) => this.#peer.end(died(detail)));
    this.#peer = new Peer<NodeWorkerMethods, PageMethods>(
      this.#worker.port,
      {
        progress: (progress, signal) => this.#hooks?.progress(progress, signal),
        remark: (remark, isProblem, signal) => this.#hooks?.remark(remark, isProblem, signal),
      },
      { end: () => this.#worker.end(), died },
    );
    (this.#worker.port as unknown as MessagePort).start();
    this.#embedder = new Embedder(env);
    this.#surroundings = {
      wasm,
      stdout,
      stderr,
      env: environment(env),
      folder: process.cwd(),
      cancel: this.#cancel,
      bridge: this.#embedder.packerEnd,
    };
  }

  /** Calls `work` with a thread, and ends it. Error: ABORTED, once the packer has stopped. */
  static async during<T>(
    options: ThreadOptions,
    signal: AbortSignal | undefined,
    work: (thread: PackerThread) => Promise<T>,
  ): Promise<T> {
    throwIfAborted(signal);
    const thread = new PackerThread(options);
    const stop = (): void => thread.cancel();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const result = await work(thread).finally(() => thread.end());
      if (signal?.aborted) throw abortError(signal);
      return result;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** A command line of sheaf-pack, its verb first. */
  run(args: readonly string[]): Promise<Ended> {
    const { port } = this.#embedder.packerEnd;
    return this.#peer.call('run', [{ args, surroundings: this.#surroundings }], undefined, [port]);
  }

  /** The job of the first round is that of all. */
  round(job: PackJob, hooks: Methods<PageMethods>): Promise<RoundReport | Failure> {
    const isFirst = this.#hooks === undefined;
    this.#hooks = hooks;
    const { port } = this.#embedder.packerEnd;
    const surroundings = isFirst ? this.#surroundings : { ...this.#surroundings, bridge: undefined };
    return this.#peer.call('round', [{ options: job, surroundings }], undefined, isFirst ? [port] : []);
  }

  /** Tells the packer to stop; its call then ends soon. */
  cancel(): void {
    Atomics.store(new Uint8Array(this.#cancel), 0, 1);
  }

  /** Resolves when the thread, and what it started, have ended. */
  async end(): Promise<void> {
    this.#peer.end(new SheafError('CLOSED', 'The packer was closed.'));
    this.#embedder.end();
    await this.#worker.ended;
  }
}

/** What the packer sees of `env`: the folders and the width that it could not find out itself. */
function environment(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return {
    SHEAF_COMMAND: 'sheaf', // the embedder knows it
    ...env,
    XDG_CACHE_HOME: insidePath(userFolder('cache', env)),
    ...(process.stderr.isTTY ? { COLUMNS: String(process.stderr.columns) } : {}),
  };
}
