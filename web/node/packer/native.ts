/**
 * sheaf-pack as a Packer (packer.ts): one process per job, and one long-lived process for rounds.
 *
 * Idea: `sheaf-pack watch` keeps every prepared page in memory and answers each `again` with a line of JSON, so
 * a round costs only what changed. If the process dies, the next round starts a new one.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { endedWith, packReport, parseAnswer, roundReport, unreadFiles } from './answer.js';
import { isSilent, packArguments, SHOW_FLAGS } from './arguments.js';
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
import { endOf, packerEnvironment, runCaptured } from './process.js';
import { runOnTerminal } from './terminal.js';

/** `path` is that of a sheaf-pack. */
export function nativePacker(path: string): BareProgram {
  return {
    pack: (job, run) => packOnce(path, job, run),
    rounds: (job, run) => new NativeRounds(path, job, run.show),
    onTerminal: (args) => runOnTerminal(path, args),
    async unread(args, signal) {
      const how = { quietly: true, env: packerEnvironment(), signal };
      return unreadFiles((await runCaptured(path, ['unread', ...args], how)).stdout);
    },
  };
}

async function packOnce(path: string, job: PackJob, { show, signal, env }: PackRun): Promise<Packed> {
  const args = ['pack', '--json', ...SHOW_FLAGS[show], ...packArguments(job)];
  const how = { quietly: show === 'nothing', env: packerEnvironment(env), signal };
  const { ending, stdout, stderr } = await runCaptured(path, args, how);
  return { report: packReport(stdout, stderr, ending), said: stderr };
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

class NativeRounds implements PackRounds {
  readonly #path: string;
  readonly #args: readonly string[];
  #child: Child | undefined;
  #lines: AsyncIterator<string> | undefined;
  /** Why the process ended. */
  #ended: Promise<string | Error> = Promise.resolve('');

  constructor(path: string, job: PackJob, show: Show) {
    this.#path = path;
    this.#args = ['watch', ...(isSilent(show) ? ['--quiet'] : []), ...packArguments(job)];
  }

  async round(): Promise<RoundReport | undefined> {
    if (this.#child === undefined) this.#start();
    else this.#child.stdin.write('again\n');
    const next = await (this.#lines as AsyncIterator<string>).next();
    if (!next.done) return roundReport(parseAnswer(next.value));
    this.#child = undefined;
    const how = await this.#ended;
    throw how instanceof Error ? how : new PackFailure(how, {});
  }

  async close(): Promise<void> {
    this.#child?.kill();
    await this.#ended;
    this.#child = undefined;
  }

  #start(): void {
    const child = spawn(this.#path, this.#args, { stdio: ['pipe', 'pipe', 'inherit'], env: packerEnvironment() });
    child.stdin.on('error', () => {}); // the process ended; the missing answer reports it
    this.#ended = endOf(this.#path, child).then(
      (ending) => (typeof ending === 'number' ? `${endedWith(ending)}, see above` : endedWith(ending)),
      (error: Error) => error,
    );
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    this.#child = child;
  }
}
