/**
 * Bundles made on a Ray cluster. The driver is distributed/sheaf_cluster, a process of Python, since Ray speaks to no other;
 * it gets requests as JSON, a line each, on stdin, and answers on stdout in any order.
 *
 *     {"id": 7, "do": "make", "order": {…}, "here": false}   ->   {"id": 7, "done": {…}} or {"id": 7, "error": {…}}
 *
 * This side keeps list, state, index, head and key; that side has the stages, and writes what lies under an address.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { delimiter } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ownVersion } from '../client/paths.js';
import { CliError, EXIT } from '../base/exit.js';
import { makeWorkFolder } from '../base/leftovers.js';
import { openPacker } from '../packer/choose.js';
import { ownCommand } from '../packer/process.js';
import { harmless, oneLine, status } from '../base/terminal.js';
import { isPackageFile, isWebAddress } from '../sources/local.js';
import type { SourceSpec } from '../sources/source.js';
import type { Made, Maker, Order, Recipe } from './make.js';
import { PASSPHRASE, type Elsewhere } from './stages.js';
import type { CatalogueStore } from './store.js';
import { probe } from './worker.js';

const PROTOCOL = 1;
const PACKAGE = fileURLToPath(new URL('../../../distributed', import.meta.url));

export interface ClusterOptions extends Elsewhere {
  /** A folder of this machine, or an address. */
  output: string;
  isAddress: boolean;
  recipe: Recipe;
}

/** What the stages took, as the driver counted it. */
export type ClusterReport = Record<string, unknown>;

/** No other bundle can be made either. */
class ClusterFailure extends CliError {
  readonly isFatal = true;
}

interface Answer {
  id?: number;
  done?: unknown;
  error?: { message?: string; exit?: number; fatal?: boolean };
  say?: string;
}

type Driver = ChildProcessByStdio<Writable, Readable, Readable>;

export class Cluster implements Maker {
  readonly #driver: Driver;
  readonly #output: string;
  readonly #waiting = new Map<number, { resolve: (done: unknown) => void; reject: (error: Error) => void }>();
  #count = 0;
  #failure: Error | undefined;

  private constructor(output: string, driver: Driver) {
    this.#output = output;
    this.#driver = driver;
    driver.stdin.on('error', () => {}); // it ended; #lost says so
    driver.once('error', (error) => this.#lost(`${pythonOf()} could not be started: ${error.message}.`));
    driver.once('close', (code, signal) =>
      this.#lost(
        `The driver of the cluster ended (${signal ?? code}), see above; run the same command again to go on.`,
      ),
    );
    createInterface({ input: driver.stdout }).on('line', (line) => this.#take(line));
    const isOurs = process.env['SHEAF_RAY_LOGS'] ? () => true : withoutRayDumps();
    createInterface({ input: driver.stderr }).on('line', (line) => isOurs(line) && status(harmless(line)));
  }

  static async start(options: ClusterOptions, work: string, signal: AbortSignal): Promise<Cluster> {
    const { output, isAddress, recipe, address, stages, vectors, sharedPaths } = options;
    const expected = { version: await ownVersion(), probe: await probe(work, openPacker, signal) };
    signal.throwIfAborted();
    const python = [PACKAGE, process.env['PYTHONPATH']].filter(Boolean).join(delimiter);
    const driver = spawn(pythonOf(), ['-m', 'sheaf_cluster'], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // The cluster has no use for what opens the key.
      env: { ...process.env, [PASSPHRASE]: undefined, PYTHONPATH: python, PYTHONUNBUFFERED: '1' },
    });
    const cluster = new Cluster(output, driver);
    // Interrupted: the driver takes back what it asked of the cluster when its stdin ends.
    signal.addEventListener('abort', () => cluster.#lose(signal.reason as Error), { once: true });
    try {
      const started = (await cluster.#ask('start', {
        ...{ protocol: PROTOCOL, ...expected, address, stages, recipe, sharedPaths, command: ownCommand(), work },
        output,
        isAddress,
        vectors: vectors ?? (isAddress ? vectorsBeside(output) : ''),
      })) as { said: string };
      status(harmless(oneLine(started.said)));
      return cluster;
    } catch (error) {
      cluster.end();
      throw error;
    }
  }

  async make(order: Order): Promise<Made> {
    return (await this.#ask('make', { order, here: isHere(order.spec) })) as Made;
  }

  stop(error: Error): void {
    this.#lose(error);
  }

  /** Writes down what was embedded, and says what the stages took. */
  async finish(): Promise<ClusterReport> {
    return (await this.#ask('finish', {})) as ClusterReport;
  }

  end(): void {
    this.#failure ??= new ClusterFailure(EXIT.FAILURE, 'The cluster is no longer used.');
    this.#driver.stdin.end();
  }

  /** The files under the output's address, through the driver. `work`: for files on their way there. */
  store(work: string): CatalogueStore {
    return new ClusterStore(this.#output, work, (what, more) => this.#ask(what, more));
  }

  #ask(what: string, more: object): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#count++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#driver.stdin.write(`${JSON.stringify({ id, do: what, ...more })}\n`);
    });
  }

  #take(line: string): void {
    let answer: Answer;
    try {
      answer = JSON.parse(line) as Answer;
    } catch {
      return status(harmless(oneLine(line))); // what a library prints
    }
    if (answer.say !== undefined) return status(harmless(oneLine(answer.say)));
    const waiting = this.#waiting.get(answer.id ?? -1);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id as number);
    const { error } = answer;
    if (error === undefined) return waiting.resolve(answer.done);
    const message = harmless(oneLine(error.message ?? 'The cluster failed.'));
    const exit = error.exit ?? EXIT.FAILURE;
    waiting.reject(error.fatal ? new ClusterFailure(exit, message) : new CliError(exit, message));
  }

  #lost(why: string): void {
    this.#lose(new ClusterFailure(EXIT.FAILURE, why));
  }

  #lose(error: Error): void {
    this.#failure ??= error;
    this.#driver.stdin.end();
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

/**
 * Tells lines worth showing from Ray's dumps of a lost node: a line of its daemon, and the indented log behind it. The
 * driver names the node in one line of its own. SHEAF_RAY_LOGS shows all.
 */
export function withoutRayDumps(): (line: string) => boolean {
  let inDump = false;
  return (line) => {
    const begins = /^(?:\u001b\[\d+m)?\(raylet\b/.test(line);
    inDump = begins || (inDump && (line === '' || /^\s/.test(line)));
    return !inDump;
  };
}

/** The Python that has Ray. */
const pythonOf = (): string => process.env['SHEAF_PYTHON'] || 'python3';

/** Whether a source lies on this machine, so that other nodes may not have it. */
function isHere(spec: SourceSpec): boolean {
  switch (spec.type) {
    case 'local_path':
    case 'installed':
    case 'man':
    case 'catalogue': // the user's own, with what was trusted here
      return true;
    case 'bundle':
      return !isWebAddress(spec.bundle);
    case 'archive':
      return !isWebAddress(spec.archive);
    case 'npm':
    case 'pypi':
      return isPackageFile(spec.type, spec.package);
    case 'git_repo':
      return /^(file:|[~./])/i.test(spec.repo_url);
    default:
      return false;
  }
}

/** Sizes are listed once, since a request for each of thirty thousand bundles takes minutes. */
class ClusterStore implements CatalogueStore {
  readonly output: string;
  readonly #work: string;
  readonly #ask: (what: string, more: object) => Promise<unknown>;
  readonly #sizes = new Map<string, Promise<Map<string, number>>>();

  constructor(output: string, work: string, ask: (what: string, more: object) => Promise<unknown>) {
    this.output = output;
    this.#work = work;
    this.#ask = ask;
  }

  async read(path: string): Promise<Buffer | undefined> {
    const content = (await this.#ask('read', { path })) as string | null;
    return content === null ? undefined : Buffer.from(content, 'base64');
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    await this.#ask('write', { path, content: Buffer.from(content as Uint8Array).toString('base64') });
  }

  async put(file: string, path: string): Promise<void> {
    await this.#ask('put', { file, path });
  }

  async size(path: string): Promise<number | undefined> {
    const [, folder = '', name = path] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
    return (await this.#listed(folder)).get(name);
  }

  async list(folder: string): Promise<string[]> {
    this.#sizes.delete(folder); // workers have written meanwhile
    return [...(await this.#listed(folder)).keys()];
  }

  async remove(path: string): Promise<void> {
    await this.#ask('remove', { path });
  }

  staging(): Promise<string> {
    return makeWorkFolder(this.#work);
  }

  #listed(folder: string): Promise<Map<string, number>> {
    let sizes = this.#sizes.get(folder);
    if (sizes === undefined) {
      sizes = this.#ask('sizes', { folder }).then((found) => new Map(Object.entries(found as Record<string, number>)));
      this.#sizes.set(folder, sizes);
      sizes.catch(() => this.#sizes.delete(folder)); // asked again the next time
    }
    return sizes;
  }
}

/** Where vectors are kept by default; nowhere for a whole bucket, since another bucket may be somebody else's. */
function vectorsBeside(output: string): string {
  return /^[^:]*:\/\/[^/]*\/./.test(output) ? `${output}.vectors` : '';
}
