/**
 * The packer as a WebAssembly module, as a Packer (packer.ts): for every system that no native sheaf-pack fits.
 *
 * Idea: a thread stands for the process that sheaf-pack would be (web/node/packer/node_worker.ts): the same command line,
 * the same answers on stdout, the same lines on stderr. So arguments.ts and answer.ts serve both.
 *
 * This thread stays free meanwhile: it hears signals and tells the other one to stop, and it runs what embeds passages
 * (embedder.ts).
 */
import { constants as osConstants } from 'node:os';
import { packerCode, PACKER_FILE } from './node_thread.js';
import type { Stream } from '../../browser/packer/protocol.js';
import { CliError, EXIT } from '../base/exit.js';
import { canAccess } from '../base/files.js';
import { oneLine, paint } from '../base/terminal.js';
import { packReport, roundReport, unreadFiles } from './answer.js';
import { isSilent, packArguments, SHOW_FLAGS } from './arguments.js';
import { PackerThread } from './module_thread.js';
import {
  PackFailure,
  type Packed,
  type BareProgram,
  type PackJob,
  type PackRounds,
  type PackRun,
  type RoundReport,
  type Show,
} from './packer.js';

/** Error: CliError NO_PACKER when the module is not installed, or is cut short. */
export async function openModulePacker(): Promise<BareProgram> {
  const wasm = await readPackerModule();
  return {
    pack: (job, run) => packOnce(wasm, job, run),
    rounds: (job, run) => new ModuleRounds(wasm, job, run.show),
    onTerminal: (args) => runOnTerminal(wasm, args),
    async unread(args, signal) {
      const command = ['unread', '--json', ...args];
      const streams = { stdout: 'kept', stderr: 'kept' } as const;
      return unreadFiles(
        (await PackerThread.during({ wasm, ...streams }, signal, (thread) => thread.run(command))).stdout,
      );
    },
  };
}

/** The module, compiled. Error: CliError NO_PACKER. */
export async function readPackerModule(): Promise<WebAssembly.Module> {
  try {
    return await packerCode();
  } catch (error) {
    const isThere = await canAccess(PACKER_FILE);
    throw new CliError(
      EXIT.NO_PACKER,
      isThere
        ? `${(error as Error).message}. Install sheaf again.`
        : `No packer can run: there is no native sheaf-pack of this version, and ${PACKER_FILE} is missing. Install sheaf again; in a source tree: npm run build -- --module`,
    );
  }
}

async function packOnce(wasm: WebAssembly.Module, job: PackJob, { show, signal, env }: PackRun): Promise<Packed> {
  const args = ['pack', '--json', ...SHOW_FLAGS[show], ...packArguments(job)];
  const stderr = show === 'nothing' ? 'kept' : ownStream(process.stderr);
  const ended = await PackerThread.during({ wasm, env, stdout: 'kept', stderr }, signal, (thread) => thread.run(args));
  return { report: packReport(ended.stdout, ended.stderr, ended.code), said: ended.stderr };
}

/** Resolves with the exit code. Ctrl+C and SIGTERM stop the packer, which then puts away what it began. */
async function runOnTerminal(wasm: WebAssembly.Module, args: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  let stopped: NodeJS.Signals | undefined;
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const ignore = (): void => {
    for (const signal of signals) process.off(signal, stop);
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (stopped !== undefined) {
      ignore();
      process.kill(process.pid, signal); // whoever asks twice does not want to wait
    }
    stopped = signal;
    stopping.abort();
  };
  for (const signal of signals) process.on(signal, stop);
  try {
    const streams = { stdout: ownStream(process.stdout), stderr: ownStream(process.stderr) };
    const { code } = await PackerThread.during({ wasm, ...streams }, stopping.signal, (thread) => thread.run(args));
    return code;
  } catch (error) {
    if (stopped === undefined) throw error;
    return 128 + osConstants.signals[stopped];
  } finally {
    ignore();
  }
}

const ownStream = ({ isTTY }: { isTTY?: boolean }): Stream => (isTTY ? 'terminal' : 'shared');

class ModuleRounds implements PackRounds {
  readonly #wasm: WebAssembly.Module;
  readonly #job: PackJob;
  readonly #show: Show;
  #thread: PackerThread | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(wasm: WebAssembly.Module, job: PackJob, show: Show) {
    this.#wasm = wasm;
    this.#job = job;
    this.#show = show;
  }

  async round(): Promise<RoundReport | undefined> {
    const round = this.#next();
    this.#round = round.catch(() => {});
    return round;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#thread?.cancel();
    await this.#round;
    await this.#thread?.end();
    this.#thread = undefined;
  }

  async #next(): Promise<RoundReport | undefined> {
    const isFirst = this.#thread === undefined;
    const thread = (this.#thread ??= this.#start());
    const terminal = isFirst && process.stderr.isTTY && !isSilent(this.#show) ? showProgress : undefined;
    try {
      const answer = await thread.round(this.#job, {
        progress: ({ text }) => terminal?.(text),
        remark: ({ path, reason }, isProblem) => {
          if (isProblem && this.#show !== 'nothing') say(`skipped ${path}: ${reason}`, terminal !== undefined);
        },
      });
      if (this.#closed) throw new PackFailure('The packer was closed.', {});
      return roundReport(answer);
    } catch (error) {
      if (error instanceof PackFailure) throw error;
      // The thread cannot be used any more; the next round starts another.
      await thread.end();
      this.#thread = undefined;
      throw new PackFailure((error as Error).message, {});
    } finally {
      if (terminal !== undefined) showProgress('');
    }
  }

  #start(): PackerThread {
    return new PackerThread({ wasm: this.#wasm, stdout: 'kept', stderr: ownStream(process.stderr) });
  }
}

/** In place of the line before. */
function showProgress(text: string): void {
  process.stderr.write(`\r\u001b[K${paint('cyan', text, process.stderr)}`);
}

function say(line: string, overProgress: boolean): void {
  process.stderr.write(`${overProgress ? '\r\u001b[K' : ''}${oneLine(line)}\n`);
}
