/**
 * A lock between processes: for builders of an index, writers of a list of sources, and who has a database open.
 *
 * The lock is a file created with O_EXCL; its holder touches it every few seconds. A lock is stale when
 * its process has ended or nobody has touched it for a while (another machine's, on a shared disk). A
 * stale lock is moved aside. With `patient`, a thread of its own touches it, since a process that computes for
 * minutes touches nothing meanwhile; and one of this machine that is surely still the one that took it keeps it.
 *
 * Two processes that find the same stale lock at the same instant may both hold it, though what was moved aside
 * is looked at, and put back where it was not the stale one. So files are still replaced by renaming, and at worst
 * a change is lost. Two builders both end with a whole index, because bundles are named by their content.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { throwIfAborted } from '../../browser/client/errors.js';
import { isAlive } from './alive.js';
import { createWhole } from './files.js';

const TOUCH_MS = 5_000;
const STALE_MS = 30_000;
/** After so long of waiting it is said. */
const SAY_MS = 3_000;
const POLL_MS = 50;

export interface Holder {
  pid: number;
  host: string;
  /** Where processes have these numbers: containers may share a host's name. Where the system tells (Linux). */
  namespace?: string;
  token: string;
  /** When the process began, as the system counts: numbers of processes come again. Where the system tells (Linux). */
  started?: string;
}

export interface LockOptions {
  patient?: boolean;
  /** Told once, if it is waited for. */
  waits?: (holder: Holder | undefined) => void;
}

/** How to release the lock, or undefined when another process holds it. */
export async function tryLock(
  path: string,
  { patient = false }: LockOptions = {},
): Promise<(() => Promise<void>) | undefined> {
  const started = await startOf(process.pid);
  const namespace = await ownNamespace();
  for (let attempt = 0; attempt < 3; attempt++) {
    const own = { pid: process.pid, host: hostname(), token: randomUUID() };
    const holder: Holder = {
      ...own,
      ...(started === undefined ? {} : { started }),
      ...(namespace === undefined ? {} : { namespace }),
    };
    if (await createWhole(path, JSON.stringify(holder), { mode: 0o600 })) return hold(path, holder, patient);
    const found = await readHolder(path);
    if (!(await isStale(path, patient))) return undefined;
    const aside = `${path}.${holder.token}`;
    await rename(path, aside).catch(() => {}); // somebody else was quicker
    // One that was taken meanwhile goes back to its place.
    if ((await readHolder(aside))?.token !== found?.token) await link(aside, path).catch(() => {});
    await rm(aside, { force: true });
  }
  return undefined;
}

/** Waits until the lock is free. */
export async function lock(path: string, signal: AbortSignal, options: LockOptions = {}): Promise<() => Promise<void>> {
  let isSaid = options.waits === undefined;
  for (const began = performance.now(); ; ) {
    throwIfAborted(signal);
    const release = await tryLock(path, options);
    if (release !== undefined) return release;
    if (!isSaid && performance.now() - began > SAY_MS) {
      isSaid = true;
      options.waits?.(await readHolder(path));
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

export async function isLocked(path: string): Promise<boolean> {
  const there = await stat(path).catch(() => undefined);
  return there !== undefined && !(await isStale(path));
}

/** What a thread of its own runs. */
const TOUCHING = `
  const { utimes } = require('node:fs');
  const { path, every } = require('node:worker_threads').workerData;
  setInterval(() => utimes(path, new Date(), new Date(), () => {}), every);
`;

function hold(path: string, holder: Holder, patient: boolean): () => Promise<void> {
  const end = patient ? touchedByThread(path) : touchedByTimer(path);
  return async () => {
    await end();
    const now = await readHolder(path);
    if (now?.token === holder.token) await rm(path, { force: true });
  };
}

function touchedByTimer(path: string): () => void {
  const timer = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), TOUCH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function touchedByThread(path: string): () => Promise<unknown> {
  const worker = new Worker(TOUCHING, { eval: true, workerData: { path, every: TOUCH_MS } });
  worker.unref();
  worker.on('error', () => {}); // then it is not touched
  return () => worker.terminate();
}

async function isStale(path: string, patient = false): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return true; // released meanwhile
  const isOld = Date.now() - stats.mtimeMs > STALE_MS;
  const holder = await readHolder(path);
  const own = await ownNamespace();
  // Earlier versions wrote no namespace.
  const isHere = holder?.host === hostname() && (holder.namespace ?? own) === own;
  if (!isHere || !Number.isInteger(holder.pid) || (isOld && !patient)) return isOld;
  if (!isAlive(holder.pid)) return true;
  const started = await startOf(holder.pid);
  const isTold = started !== undefined && holder.started !== undefined;
  return isTold ? started !== holder.started : isOld;
}

const ownNamespace = (): Promise<string | undefined> => readlink('/proc/self/ns/pid').catch(() => undefined);

/** The 22nd field of /proc/PID/stat; the second one, the program's name, may hold spaces and brackets. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

export async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    return undefined; // gone, or being written
  }
}
