/**
 * What embeds passages for the packer's module: it speaks docs/embedding-protocol.md, as for a native packer.
 *
 * `sheaf embed MODEL` runs in a thread of this process, whose stdin and stdout are the pipe; every other command
 * (SHEAF_COMMAND, --encoder-command) runs by the system's shell. The packer waits in its own thread, so this one
 * passes bytes on as they come.
 */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker, type MessagePort as NodePort } from 'node:worker_threads';
import type { BridgeEnd, FromEmbedder, ToEmbedder } from '../../browser/packer/protocol.js';

const MAIN = new URL('../../cli/main.js', import.meta.url);

/** Something with a stdin and a stdout. */
interface Running {
  stdin: Writable;
  stdout: Readable;
  kill(): void;
  /** Resolves when it has ended and its output was read. */
  ended: Promise<{ how: string; status: number }>;
}

export class Embedder {
  /** For the packer's thread; its port must be transferred. */
  readonly packerEnd: BridgeEnd;
  readonly #env: NodeJS.ProcessEnv;
  readonly #port: NodePort;
  readonly #arrivals = new SharedArrayBuffer(4);
  #running: Running | undefined;
  #run = 0;

  constructor(env: NodeJS.ProcessEnv) {
    const { port1, port2 } = new MessageChannel();
    this.#env = env;
    this.#port = port1;
    this.packerEnd = { port: port2 as unknown as MessagePort, arrivals: this.#arrivals };
    port1.on('message', (message: ToEmbedder) => this.#take(message));
    port1.unref(); // the packer's thread keeps this process alive
  }

  end(): void {
    this.#running?.kill();
    this.#running = undefined;
    this.#port.close();
  }

  #take(message: ToEmbedder): void {
    switch (message.type) {
      case 'start':
        this.#running?.kill();
        this.#start(message.command);
        break;
      case 'bytes':
        this.#running?.stdin.write(message.bytes);
        break;
      case 'close':
        this.#running?.stdin.end();
        break;
      case 'kill':
        this.#running?.kill();
        break;
    }
  }

  #start(command: string): void {
    const run = ++this.#run;
    const own = ownArguments(command);
    const running = own === undefined ? startShell(command, this.#env) : startOwn(own, this.#env);
    this.#running = running;
    running.stdin.on('error', () => {}); // it has ended; `ended` says how
    running.stdout.on('data', (chunk: Buffer) => this.#tell({ run, type: 'bytes', bytes: new Uint8Array(chunk) }));
    void running.ended.then(({ how, status }) => this.#tell({ run, type: 'ended', how, status }));
  }

  #tell(message: FromEmbedder): void {
    this.#port.postMessage(message);
    const count = new Int32Array(this.#arrivals);
    Atomics.add(count, 0, 1);
    Atomics.notify(count, 0);
  }
}

/** The arguments of `sheaf embed …`, whose words are quoted as the packer does it; undefined for other commands. Pure. */
export function ownArguments(command: string): string[] | undefined {
  const match = /^sheaf embed '((?:[^']|'\\'')*)' --precision '([^']*)'$/.exec(command);
  if (match === null) return undefined;
  const [, model = '', precision = ''] = match;
  return ['embed', model.replaceAll("'\\''", "'"), '--precision', precision];
}

function startShell(command: string, env: NodeJS.ProcessEnv): Running {
  // A group of its own where there are such, so that all that the shell starts can be killed.
  const hasGroups = process.platform !== 'win32';
  const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'], env, detached: hasGroups });
  const kill = (): void => {
    try {
      if (hasGroups && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      else child.kill();
    } catch {
      // it has ended
    }
  };
  const ended = new Promise<{ how: string; status: number }>((resolve) => {
    child.once('error', (error) => resolve({ how: `it could not be started: ${error.message}`, status: 127 }));
    child.once('close', (code, signal) =>
      resolve(
        code === null
          ? { how: `it was ended by ${signal ?? 'a signal'}`, status: 128 }
          : { how: `it exited with status ${code}`, status: code },
      ),
    );
  });
  return { stdin: child.stdin, stdout: child.stdout, kill, ended };
}

function startOwn(argv: string[], env: NodeJS.ProcessEnv): Running {
  const worker = new Worker(fileURLToPath(MAIN), { argv, env, stdin: true, stdout: true, execArgv: [] });
  const ended = new Promise<{ how: string; status: number }>((resolve) => {
    worker.once('error', (error) => resolve({ how: `it failed: ${error.message}`, status: 1 }));
    worker.once('exit', (status) => resolve({ how: `it exited with status ${status}`, status }));
  });
  return { stdin: worker.stdin as Writable, stdout: worker.stdout, kill: () => void worker.terminate(), ended };
}
