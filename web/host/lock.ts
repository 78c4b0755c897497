/**
 * A lock between processes: for builders of an index and writers of a list of sources.
 *
 * The lock is a file created with O_EXCL; its holder touches it every few seconds. A lock is stale when
 * its process has ended or nobody has touched it for a while (another machine's, on a shared disk). A
 * stale lock is moved aside.
 *
 * Two processes that find the same stale lock at the same instant may both hold it. So files are still
 * replaced by renaming, and at worst a change is lost. Two builders both end with a whole index, because
 * bundles are named by their content.
 */
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from '../client/errors.js';
import { isAlive } from '../encoder/alive.js';

const TOUCH_MS = 5_000;
const STALE_MS = 30_000;
const POLL_MS = 50;

interface Holder {
  pid: number;
  host: string;
  token: string;
}

/** How to release the lock, or undefined when another process holds it. */
export async function tryLock(path: string): Promise<(() => Promise<void>) | undefined> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const holder: Holder = { pid: process.pid, host: hostname(), token: randomUUID() };
    if (await create(path, holder)) return hold(path, holder);
    if (!(await isStale(path))) return undefined;
    const aside = `${path}.${holder.token}`;
    await rename(path, aside).catch(() => {}); // somebody else was quicker
    await rm(aside, { force: true });
  }
  return undefined;
}

/** Waits until the lock is free. */
export async function lock(path: string, signal: AbortSignal): Promise<() => Promise<void>> {
  for (;;) {
    throwIfAborted(signal);
    const release = await tryLock(path);
    if (release !== undefined) return release;
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

export async function isLocked(path: string): Promise<boolean> {
  const there = await stat(path).catch(() => undefined);
  return there !== undefined && !(await isStale(path));
}

async function create(path: string, holder: Holder): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600);
    await handle.writeFile(JSON.stringify(holder)).finally(() => handle.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function hold(path: string, holder: Holder): () => Promise<void> {
  const timer = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), TOUCH_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    const now = await readHolder(path);
    if (now?.token === holder.token) await rm(path, { force: true });
  };
}

async function isStale(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return true; // released meanwhile
  if (Date.now() - stats.mtimeMs > STALE_MS) return true;
  const holder = await readHolder(path);
  return holder?.host === hostname() && Number.isInteger(holder.pid) && !isAlive(holder.pid);
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    return undefined; // gone, or being written
  }
}
