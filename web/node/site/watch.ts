/**
 * Keeps a site's index up to date with its pages, while somebody writes.
 *
 *     change ─▶ quiet? ─▶ pages there? ─▶ round of the packer ─▶ publish
 *
 * Idea: builders write for seconds, and many empty the folder first. So a round waits until nothing has
 * changed for a moment; while there are no pages the old index stays; and where more than half of the pages
 * are gone, a longer silence is asked for, since a builder that renders pages falls silent in between.
 *
 * Invariants
 *  1. What changes after a round has begun leads to another round.
 *  2. An index is replaced by a whole one or not at all. A round that fails leaves the old one.
 */
import { unwatchFile, watchFile } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackRounds, RoundReport } from '../packer/packer.js';
import { FOLDER, type Deployed } from './deploy.js';
import { isHtml, pathBelow, pathOf } from './files.js';
import { watchFolder } from './folder_watch.js';
import { OFFLINE_SCRIPT } from '../../browser/offline/store.js';

export const QUIET_MS = 250;
const LONG_QUIET_MS = 3000;
const RULES_MS = 300; // a file outside of the watched folder is asked after
const OWN_WRITES_MS = 50; // in which the system tells of what we wrote ourselves

export type LiveEvent =
  /** `seconds` since the first change that the round answers. */
  | { kind: 'round'; report: RoundReport; published: boolean; seconds: number }
  | { kind: 'waiting' }
  | { kind: 'failed'; error: unknown }
  | { kind: 'polling'; reason: string };

export interface LiveOptions {
  site: string;
  /** The file with the rules of the search, where it lies beside the site. */
  rules?: string | undefined;
  packer: Pick<PackRounds, 'round'>;
  /** Before each round: what is done to the pages themselves. */
  prepare?: (() => Promise<void>) | undefined;
  publish(): Promise<void>;
  /** Whether what was published is still there: builders that empty the folder take it away. */
  isPublished(): Promise<boolean>;
  tell(event: LiveEvent): void;
  signal: AbortSignal;
  quietMs?: number;
  longQuietMs?: number;
}

const PASSING = /(^4913|~|^#.*#|^\.#.*|\.(tmp|temp|swp|swx|swo|part|crdownload)|^\.goutputstream-.*)$/;

/** Files that editors and we make for a moment, and our own folder. */
export function isOfNoInterest(path: string): boolean {
  const segments = path.split('/');
  return segments[0] === FOLDER || path === OFFLINE_SCRIPT || PASSING.test(segments.at(-1) as string);
}

/** Until the signal fires. Error: the first round failed. */
export async function keepIndexed(options: LiveOptions): Promise<void> {
  const { signal, tell } = options;
  const changes = new Changes();
  const noteRules = (): void => changes.note();
  if (options.rules !== undefined) watchFile(options.rules, { interval: RULES_MS }, noteRules);
  const watching = await watchFolder(options.site, {
    ignores: isOfNoInterest,
    onChange: () => changes.note(),
    onPolling: (reason) => tell({ kind: 'polling', reason }),
  });
  try {
    let pages = 0;
    let isWaiting = false;
    for (let first = true; !signal.aborted; first = false) {
      if (!first && !(await changes.quiet(options.quietMs ?? QUIET_MS, signal))) return;
      const since = changes.since ?? performance.now();
      let found = await countPages(options.site);
      if (found < pages / 2) {
        if (!(await changes.quiet(options.longQuietMs ?? LONG_QUIET_MS, signal))) return;
        found = await countPages(options.site);
      }
      changes.forget();
      if (found === 0) {
        if (!isWaiting) tell({ kind: 'waiting' });
        isWaiting = true;
        continue;
      }
      isWaiting = false;
      pages = found;
      try {
        tell(await round(options, changes, since));
      } catch (error) {
        if (signal.aborted) return;
        if (first) throw error;
        tell({ kind: 'failed', error });
      }
    }
  } finally {
    watching.close();
    if (options.rules !== undefined) unwatchFile(options.rules, noteRules);
  }
}

async function round(options: LiveOptions, changes: Changes, since: number): Promise<LiveEvent> {
  if (options.prepare !== undefined) {
    await options.prepare();
    await new Promise((resolve) => setTimeout(resolve, OWN_WRITES_MS));
    await heard();
    changes.forget(); // the packer reads everything after this
  }
  const report = await options.packer.round();
  if (report === undefined) return { kind: 'waiting' };
  const published = report.written || !(await options.isPublished());
  if (published) await options.publish();
  return { kind: 'round', report, published, seconds: (performance.now() - since) / 1000 };
}

/** HTML files below a site, its own folder of ours apart. */
export async function countPages(site: string): Promise<number> {
  let count = 0;
  for (const entry of await readdir(site, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!isHtml(entry.name) || entry.isDirectory()) continue;
    if (!pathBelow(site, pathOf(entry)).startsWith(`${FOLDER}/`)) count++;
  }
  return count;
}

/** Waits for pending system events to arrive: after the machine was suspended, timers fire before them. */
function heard(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Whether something changed, since when, and when last. */
class Changes {
  since: number | undefined;
  #last = 0;
  #wake: (() => void) | undefined;

  note(): void {
    this.#last = performance.now();
    this.since ??= this.#last;
    this.#wake?.();
  }

  forget(): void {
    this.since = undefined;
  }

  /** Waits for a change, and then until nothing has changed for so long. False: the signal fired. */
  async quiet(ms: number, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const last = this.#last;
      const left = this.since === undefined ? Number.POSITIVE_INFINITY : last + ms - performance.now();
      if (left > 0) {
        await this.#sleep(left, signal);
        continue;
      }
      await heard();
      if (this.#last === last) return true;
    }
    return false;
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#wake = undefined;
        resolve();
      };
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      if (this.since === undefined) this.#wake = done;
    });
  }
}

/**
 * Removes bundles that this process published and replaced, all but the last, with their scripts for pages opened as
 * files: pages that are open may still ask for that one. (A deployment's own rule, a day, would fill the disk while
 * somebody writes.)
 */
export class Replaced {
  #before: string[] = [];
  #current: string[] = [];

  async publish(site: string, { files }: Deployed): Promise<void> {
    const tops = new Set(files.map(({ path }) => path.replace(/(\.pieces)\/.*$/s, '$1')));
    const names = [...tops].filter((path) => /\.(sheaf|pieces)$/.test(path));
    if (names.join() === this.#current.join()) return;
    const old = this.#before.filter((path) => !names.includes(path) && !this.#current.includes(path));
    [this.#before, this.#current] = [this.#current, names];
    for (const path of old) await rm(join(site, path), { recursive: true, force: true });
  }
}
