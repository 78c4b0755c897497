/**
 * A slow machine: every renderer of a browser runs one part of the time and is stopped the others.
 *
 *     const machine = await slowMachine(browser, 4);   // four times as slow
 *     await machine.close();
 *
 * Chromium's own emulation slows the main thread of a page and leaves its workers alone, which flatters whoever works there.
 * Signals stop a process with all of its threads. Turns are short beside what is measured, and what a late timer
 * makes too long in one of them the next ones give back. Renderers are looked up again and again: a new one runs freely for
 * LOOK_MS at most.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const TURN_MS = 4;
const LOOK_MS = 50;

export async function slowMachine(browser, times) {
  const session = await browser.newBrowserCDPSession();
  let renderers = [];
  let closed = false;
  const look = async () => {
    while (!closed) {
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
      await sleep(LOOK_MS);
    }
  };
  const turns = async () => {
    let owed = 0; // milliseconds of standing still for those of running
    let since = performance.now();
    const passed = () => -(since - (since = performance.now()));
    while (!closed) {
      await sleep(Math.max(TURN_MS, -owed / (times - 1)));
      const stopped = renderers.filter((pid) => signal(pid, 'SIGSTOP'));
      owed += passed() * (times - 1);
      await sleep(Math.max(1, owed));
      for (const pid of stopped) signal(pid, 'SIGCONT');
      owed -= passed();
    }
  };
  const running = Promise.all([look(), turns()]);
  running.catch(() => {}); // told by close
  return {
    async close() {
      closed = true;
      await running;
      await session.detach();
    },
  };
}

/** False when the process has ended. */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
