/**
 * A packer that reads more formats: converters make pages of AsciiDoc, OpenAPI, PDF and manual pages first.
 *
 *     sheaf-pack unread -> files -> threads with converters -> a folder of pages -> sheaf-pack pack --converted FOLDER
 *
 * Idea: the packer alone walks folders and says which files need a converter. Their pages lie in a temporary folder
 * under the files' own paths, so that addresses, order, reports and caches are those of the files. Rounds keep the
 * folder, and convert again what changed: the file, or one that it looked at.
 *
 * Bounds: a file may take MAX_SECONDS and MAX_MEMORY_MB of a thread, which is ended then; the file is a problem.
 *
 * Cost without such files: one more walk over the inputs.
 */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withoutParts } from '../../browser/convert/convert_here.js';
import { failed, type Converted } from '../../browser/convert/converter.js';
import { throwIfAborted } from '../../browser/client/errors.js';
import { discard, makeWorkFolder, removeLeftovers } from '../base/leftovers.js';
import { packArguments } from './arguments.js';
import type { ConvertTask } from './convert_worker.js';
import type { BareProgram, PackerProgram, PackJob, PackRounds, PackRun, Unread } from './packer.js';

const MAX_SECONDS = 300;
const MAX_MEMORY_MB = 1024;
const MAX_THREADS = 4;
const UNSETTLED_MS = 2000;

/** `program` with converters. What has pages of converters already (`converted`) gets no more. */
export function convertingPacker(program: BareProgram): PackerProgram {
  return {
    async pack(job, run) {
      const found = await unreadOf(program, job, run.signal);
      if (found === undefined || found.files.length === 0) return program.pack(job, run);
      return withPages(async (pages) => {
        await pages.refresh(found, { signal: run.signal, shows: run.show === 'all' || run.show === 'progress' });
        return program.pack({ ...job, converted: pages.folder }, run);
      });
    },
    rounds: (job, run) => new ConvertingRounds(program, job, run),
    async onTerminal([verb = '', ...args]) {
      if (verb !== 'pack' || args.some((arg) => /^--converted(=|$)/.test(arg)))
        return program.onTerminal([verb, ...args]);
      let pages: ConvertedPages | undefined;
      const shows = !args.some((arg) => arg === '-q' || arg === '--quiet');
      try {
        const ended = await untilSignal(async (signal) => {
          const found = await program.unread(args, signal);
          if (found === undefined || found.files.length === 0) return;
          pages = await ConvertedPages.create();
          await pages.refresh(found, { signal, shows });
        });
        const converted = pages === undefined ? [] : ['--converted', pages.folder];
        return ended ?? (await program.onTerminal([verb, ...converted, ...args]));
      } finally {
        await pages?.remove();
      }
    },
  };
}

/** The exit code, where a signal ended the work. */
async function untilSignal(work: (signal: AbortSignal) => Promise<void>): Promise<number | undefined> {
  const stopping = new AbortController();
  let code: number | undefined;
  const stop = (name: NodeJS.Signals): void => {
    code = 128 + constants.signals[name];
    stopping.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.once(name, stop);
  try {
    await work(stopping.signal);
  } catch (error) {
    if (code === undefined) throw error;
  } finally {
    for (const name of signals) process.off(name, stop);
  }
  return code;
}

async function unreadOf(program: BareProgram, job: PackJob, signal?: AbortSignal): Promise<Unread | undefined> {
  return job.converted === undefined ? program.unread(packArguments(job), signal) : undefined;
}

async function withPages<T>(work: (pages: ConvertedPages) => Promise<T>): Promise<T> {
  const pages = await ConvertedPages.create();
  try {
    return await work(pages);
  } finally {
    await pages.remove();
  }
}

class ConvertingRounds implements PackRounds {
  readonly #program: BareProgram;
  readonly #job: PackJob;
  readonly #run: Pick<PackRun, 'show'>;
  readonly #closing = new AbortController();
  #pages: ConvertedPages | undefined;
  #rounds: PackRounds | undefined;
  #round: Promise<unknown> = Promise.resolve();

  constructor(program: BareProgram, job: PackJob, run: Pick<PackRun, 'show'>) {
    this.#program = program;
    this.#job = job;
    this.#run = run;
  }

  round(): ReturnType<PackRounds['round']> {
    const round = this.#next();
    this.#round = round.catch(() => {});
    return round;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#rounds?.close();
    await this.#round;
    await this.#pages?.remove();
  }

  async #next(): ReturnType<PackRounds['round']> {
    const { signal } = this.#closing;
    const found = await unreadOf(this.#program, this.#job, signal);
    this.#pages ??= await ConvertedPages.create();
    if (found !== undefined) await this.#pages.refresh(found, { signal, shows: false });
    throwIfAborted(signal);
    this.#rounds ??= this.#program.rounds({ converted: this.#pages.folder, ...this.#job }, this.#run);
    return this.#rounds.round();
  }
}

interface Refresh {
  signal?: AbortSignal | undefined;
  /** Whether a terminal shows how far it is. */
  shows: boolean;
}

interface Kept {
  /** Stamps of the file and of all that it looked at. */
  stamps: ReadonlyMap<string, string>;
  converted: Converted;
}

/** A folder with the pages that converters made. */
class ConvertedPages {
  readonly folder: string;
  readonly #kept = new Map<string, Kept>();
  /** What lies in the folder, by path below it. */
  readonly #written = new Map<string, string | Uint8Array>();

  readonly #own: string;

  /** `own`: a folder that the next command removes, should this process be killed. */
  private constructor(own: string) {
    this.#own = own;
    this.folder = join(own, 'pages');
  }

  static async create(): Promise<ConvertedPages> {
    const temporary = resolve(tmpdir());
    await removeLeftovers(temporary);
    return new ConvertedPages(await makeWorkFolder(temporary));
  }

  remove(): Promise<void> {
    return discard(this.#own);
  }

  /** Converts what changed, and brings the folder up to date. Error: the abort error. */
  async refresh({ root, includesFrom, files }: Unread, { signal, shows }: Refresh): Promise<void> {
    const stale: Unread['files'][number][] = [];
    for (const file of files) if (!(await this.#isCurrent(file.path))) stale.push(file);
    for (const path of [...this.#kept.keys()]) if (!files.some((file) => file.path === path)) this.#kept.delete(path);
    const threads = Math.min(availableParallelism(), MAX_THREADS, stale.length);
    const left = stale.values();
    let done = 0;
    const show = (): void => {
      if (shows && process.stderr.isTTY)
        process.stderr.write(`\r\u001b[K${done < stale.length ? `converting  ${done} of ${stale.length}` : ''}`);
    };
    await Promise.all(
      Array.from({ length: threads }, async () => {
        const thread = new ConvertThread();
        try {
          for (const file of left) {
            throwIfAborted(signal);
            show();
            const before = await stampOf(file.file);
            const { converted, looked } = await thread.convert({ file, root, within: includesFrom });
            const stamps = await Promise.all(looked.map(async (path) => [path, await stampOf(path)] as const));
            this.#kept.set(file.path, { stamps: new Map([[file.file, before], ...stamps]), converted });
            done += 1;
          }
        } finally {
          await thread.end();
        }
      }),
    );
    show();
    await this.#write();
  }

  async #isCurrent(path: string): Promise<boolean> {
    const kept = this.#kept.get(path);
    if (kept === undefined) return false;
    for (const [file, stamp] of kept.stamps) if ((await stampOf(file)) !== stamp) return false;
    return true;
  }

  /** Files whose text is the same stay untouched: the packer sees by their times what changed. */
  async #write(): Promise<void> {
    const wanted = new Map<string, string | Uint8Array>();
    // In their own order, not in that of the threads.
    const kept = [...this.#kept].sort(([a], [b]) => (a < b ? -1 : 1));
    const all = new Map(kept.map(([path, { converted }]) => [path, converted]));
    for (const [path, { page, remarks }] of withoutParts(all)) {
      if (page !== undefined) wanted.set(path + page.extension, page.text);
      if (remarks !== undefined) wanted.set(`${path}.json`, JSON.stringify(remarks));
    }
    for (const path of [...this.#written.keys()]) {
      if (wanted.has(path)) continue;
      await rm(join(this.folder, path), { force: true });
      this.#written.delete(path);
    }
    for (const [path, text] of wanted) {
      if (this.#written.get(path) === text) continue;
      await mkdir(dirname(join(this.folder, path)), { recursive: true });
      await writeFile(join(this.folder, path), text);
      this.#written.set(path, text);
    }
  }
}

/** Of a file that changed a moment ago it says nothing: the file may change again without a new time. */
async function stampOf(path: string): Promise<string> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  if (facts !== undefined && Date.now() - Number(facts.mtimeMs) < UNSETTLED_MS) return `${Math.random()}`;
  return facts === undefined ? '' : `${facts.size} ${facts.mtimeNs} ${facts.ctimeNs} ${facts.ino}`;
}

/** A thread, started again after one that had to be ended. */
class ConvertThread {
  #worker: Worker | undefined;

  convert(task: ConvertTask): Promise<{ converted: Converted; looked: string[] }> {
    const worker = (this.#worker ??= new Worker(new URL('./convert_worker.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
      stdin: false,
      execArgv: [],
    }));
    return new Promise((resolve) => {
      const give = (problem: string): void => {
        worker.removeAllListeners();
        this.#worker = undefined;
        void worker.terminate();
        resolve({ converted: failed(problem), looked: [] });
      };
      const timer = setTimeout(() => give(`its conversion takes more than ${MAX_SECONDS} seconds`), MAX_SECONDS * 1000);
      worker.removeAllListeners();
      worker.once('message', (answer: { converted: Converted; looked: string[] }) => {
        clearTimeout(timer);
        resolve(answer);
      });
      const died = (why: string): void => {
        clearTimeout(timer);
        give(why);
      };
      worker.once('error', (error: NodeJS.ErrnoException) =>
        died(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? `its conversion takes more than ${MAX_MEMORY_MB} MB of memory`
            : `its conversion failed: ${error.message}`,
        ),
      );
      worker.once('exit', (code) => died(`its conversion ended with ${code}`));
      worker.postMessage(task);
    });
  }

  async end(): Promise<void> {
    this.#worker?.removeAllListeners();
    await this.#worker?.terminate();
  }
}
