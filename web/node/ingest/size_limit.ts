/**
 * Bounds what work may leave in a folder, whoever writes it: our own downloads, git, npm, what is unpacked. The folder is
 * looked at while the work goes on and once more at its end, so a stranger's archive is stopped soon after the bound, and
 * never taken beyond it.
 *
 * Cost: a walk over the folder's names. We wait ten times as long as the walk took, and a second at least.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError } from '../sources/source.js';
import { formatBytes } from '../base/terminal.js';

const LOOK_MS = 1_000;

/** Without `most`, nothing is bounded. Error: SourceError where the folder has more bytes. */
export async function withinSize<T>(
  folder: string,
  most: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (most === undefined) return work(signal);
  const full = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const begun = performance.now();
    if (await exceeds(folder, most)) return full.abort(tooMuch(most));
    if (!isOver) timer = setTimeout(() => void look(), Math.max(LOOK_MS, 10 * (performance.now() - begun)));
  };
  timer = setTimeout(() => void look(), LOOK_MS);
  try {
    const done = await work(AbortSignal.any([signal, full.signal]));
    if (await exceeds(folder, most)) throw tooMuch(most);
    return done;
  } catch (error) {
    throw full.signal.aborted && !signal.aborted ? full.signal.reason : error;
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** Whether the files below a folder have more bytes together. What goes away meanwhile counts nothing. */
async function exceeds(folder: string, most: number): Promise<boolean> {
  let bytes = 0;
  const folders = [folder];
  for (let each = folders.pop(); each !== undefined; each = folders.pop()) {
    for (const entry of await readdir(each, { withFileTypes: true }).catch(() => [])) {
      const path = join(each, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
      if (bytes > most) return true;
    }
  }
  return false;
}

function tooMuch(most: number): SourceError {
  return new SourceError('failed', `The source has more than ${formatBytes(most)} of files, which is the most here.`);
}
