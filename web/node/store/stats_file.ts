/**
 * How often each tool was called: `$XDG_DATA_HOME/sheaf/stats.json`.
 *
 *     { "tool_calls": { "search_documents_tool": 12 } }
 *
 * Counting must never get in a tool's way. While a write is in progress, the process gathers further
 * calls; processes take turns through a lock file; the file is replaced atomically. A count that cannot
 * be written is added to the next write; nothing ever throws.
 *
 * Cost: about a millisecond per write; one write covers all calls that arrived in the meantime.
 */
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAtomically } from '../base/files.js';
import { storeFolder } from './store.js';

const LOCK_TRIES = 200;
const LOCK_WAIT_MS = 10;
/** A holder needs milliseconds; an older lock belongs to a process that died. */
const STALE_MS = 10_000;
const MAX_TOOLS = 1000;

export function statsPath(env: NodeJS.ProcessEnv = process.env): string {
  return join(dirname(storeFolder(env)), 'stats.json');
}

/** Calls by tool; empty if the file is missing or unreadable. */
export async function readCalls(): Promise<Map<string, number>> {
  const calls = new Map<string, number>();
  try {
    const { tool_calls: counted } = JSON.parse(await readFile(statsPath(), 'utf8')) as { tool_calls?: unknown };
    for (const [tool, count] of Object.entries(counted ?? {})) {
      if (Number.isSafeInteger(count) && (count as number) > 0 && calls.size < MAX_TOOLS)
        calls.set(tool, count as number);
    }
  } catch {
    // No file yet, or a broken one, which the next count replaces.
  }
  return calls;
}

let pending = new Map<string, number>();
let writing: Promise<void> | undefined;

/** Counts a call. Resolves once the count is on disk or the write has failed. */
export function bump(tool: string): Promise<void> {
  const name = tool.slice(0, 100);
  pending.set(name, (pending.get(name) ?? 0) + 1);
  writing ??= flush().finally(() => (writing = undefined));
  return writing;
}

async function flush(): Promise<void> {
  while (pending.size > 0) {
    const counts = pending;
    pending = new Map();
    const written = await exclusively(async () => {
      const calls = await readCalls();
      for (const [tool, count] of counts)
        if (calls.has(tool) || calls.size < MAX_TOOLS) calls.set(tool, (calls.get(tool) ?? 0) + count);
      await write(calls);
    });
    if (!written) {
      for (const [tool, count] of counts) pending.set(tool, (pending.get(tool) ?? 0) + count);
      return;
    }
  }
}

/** False when the file could not be written. */
export function resetCalls(): Promise<boolean> {
  pending = new Map();
  return exclusively(() => write(new Map()));
}

async function write(calls: ReadonlyMap<string, number>): Promise<void> {
  await writeAtomically(statsPath(), `${JSON.stringify({ tool_calls: Object.fromEntries(calls) }, null, 2)}\n`, {
    isDurable: false,
  });
}

/** Runs `work` under the lock. False when it failed or never got its turn. */
async function exclusively(work: () => Promise<void>): Promise<boolean> {
  const lock = `${statsPath()}.lock`;
  try {
    await mkdir(dirname(lock), { recursive: true });
    if (!(await acquire(lock))) return false;
    try {
      await work();
      return true;
    } finally {
      await rm(lock, { force: true });
    }
  } catch {
    return false;
  }
}

async function acquire(lock: string): Promise<boolean> {
  for (let tries = 0; tries < LOCK_TRIES; tries++) {
    try {
      await (await open(lock, 'wx')).close();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const age = await stat(lock).then(
      (stats) => Date.now() - stats.mtimeMs,
      () => 0,
    );
    if (age > STALE_MS) await rm(lock, { force: true });
    else await sleep(LOCK_WAIT_MS * (0.5 + Math.random()));
  }
  return false;
}
