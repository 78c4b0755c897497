/**
 * Waits for asynchronous events: another process, the file system, a timer.
 *
 * The limit is far beyond what any of them takes on a busy machine. It ends a test that waits in vain,
 * and costs nothing when the condition becomes true.
 */
const LIMIT_MS = 60_000;

/** Returns `probe`'s result once it is truthy; on failure, names `what` it waited for. */
export async function until(probe, what) {
  for (const end = performance.now() + LIMIT_MS; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const found = await probe();
    if (found) return found;
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS / 1000} s in vain for: ${what}`);
  }
}
