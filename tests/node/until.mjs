/**
 * Waiting for what happens in its own time: another process, the file system, a timer.
 *
 * The limit is far beyond what any of them takes on a busy machine: it ends a test that waits in vain,
 * and costs nothing where the condition comes to hold.
 */
const LIMIT_MS = 60_000;

/** What `probe` gives, once that is true; fails by naming `what` was awaited. */
export async function until(probe, what) {
  for (const end = performance.now() + LIMIT_MS; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const found = await probe();
    if (found) return found;
    if (performance.now() > end) throw new Error(`waited ${LIMIT_MS / 1000} s in vain for: ${what}`);
  }
}
