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
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withoutParts } from '../../browser/convert/convert_here.js';
import { failed, type Converted } from '../../browser/convert/converter.js';
import { throwIfAborted } from '../../browser/client/errors.js';
import { packArguments } from './arguments.js';
import type { ConvertTask } from './convert_worker.js';
import type { BareProgram, PackerProgram, PackJob, PackRounds, PackRun, Unread } from './packer.js';

const MAX_SECONDS = 300;
const MAX_MEMORY_MB = 1024;
const MAX_THREADS = 4;

/** `program` with converters. What has pages of converters already (`converted`) gets no more. */
export function convertingPacker(program: BareProgram): PackerProgram {
  return {
    async pack(job, run) {
      const found = await unreadOf(program, job, run.signal);
      if (found === undefined || found.files.length === 0) return program.pack(job, run);
      return withPages(async (pages) => {
        await pages.refresh(found, run.signal);
        return program.pack({ ...job, converted: pages.folder }, run);
      });
    },
    rounds: (job, run) => new ConvertingRounds(program, job, run),
    async onTerminal([verb = '', ...args]) {
      const converts = verb === 'pack' && !args.some((arg) => /^--converted(=|$)/.test(arg));
      const found = converts ? await program.unread(args) : undefined;
      if (found === undefined || found.files.length === 0) return program.onTerminal([verb, ...args]);
      return withPages(async (pages) => {
        await pages.refresh(found);
        return program.onTerminal([verb, '--converted', pages.folder, ...args]);
      });
    },
  };
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
    if (found !== undefined) await this.#pages.refresh(found, signal);
    throwIfAborted(signal);
    this.#rounds ??= this.#program.rounds({ converted: this.#pages.folder, ...this.#job }, this.#run);
    return this.#rounds.round();
  }
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
  readonly #written = new Map<string, string>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<ConvertedPages> {
    return new ConvertedPages(await mkdtemp(join(tmpdir(), 'sheaf-converted-')));
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** Converts what changed, and brings the folder up to date. Error: the abort error. */
  async refresh({ root, includesFrom, files }: Unread, signal?: AbortSignal): Promise<void> {
    const stale: Unread['files'][number][] = [];
    for (const file of files) if (!(await this.#isCurrent(file.path))) stale.push(file);
    for (const path of [...this.#kept.keys()]) if (!files.some((file) => file.path === path)) this.#kept.delete(path);
    const threads = Math.min(availableParallelism(), MAX_THREADS, stale.length);
    const left = stale.values();
    await Promise.all(
      Array.from({ length: threads }, async () => {
        const thread = new ConvertThread();
        try {
          for (const file of left) {
            throwIfAborted(signal);
            const { converted, looked } = await thread.convert({ file, root, within: includesFrom });
            const stamps = await Promise.all(
              [file.file, ...looked].map(async (path) => [path, await stampOf(path)] as const),
            );
            this.#kept.set(file.path, { stamps: new Map(stamps), converted });
          }
        } finally {
          await thread.end();
        }
      }),
    );
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
    const wanted = new Map<string, string>();
    const all = new Map([...this.#kept].map(([path, { converted }]) => [path, converted]));
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

async function stampOf(path: string): Promise<string> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
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
