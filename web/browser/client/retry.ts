/**
 * Trying again: most failures of a network pass within seconds, and nobody should have to press a
 * button for them.
 *
 * A failure that may pass (no connection, an answer cut short, 408, 425, 429, 5xx) is tried again
 * after a pause, four times as long each time, or as long as the server asks for in Retry-After. If
 * that exceeds LONGEST_PAUSE, trying again is up to the reader. While the browser reports that it is
 * offline, the request waits for the network instead of failing. It is still tried once first, because
 * a cache or a service worker may answer.
 *
 * Node has no `navigator.onLine`, so there are only pauses.
 */
import { abortable, SheafError } from './errors.js';

export const TRIES = 3;
const FIRST_PAUSE = 300;
const LONGEST_PAUSE = 10_000;
/** Some browsers notify workers late, or never, that the network is back. */
const LOOK_AGAIN = 3000;

/** Repeats `work` until it succeeds, fails for good, or `signal` fires. */
export async function persist<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  let wait = FIRST_PAUSE * (0.75 + Math.random() / 2); // jitter, so that readers do not retry in step
  for (let tries = 1; ; wait *= 4) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SheafError) || !mayPass(error)) throw error;
      if (error.status === undefined && isOffline()) {
        await untilOnline(signal);
        continue; // does not count as a try
      }
      const asked = error.retryAfter ?? wait;
      if (tries++ === TRIES || asked > LONGEST_PAUSE) throw error;
      await pause(asked, signal);
    }
  }
}

export function isOffline(): boolean {
  return globalThis.navigator?.onLine === false;
}

export async function untilOnline(signal?: AbortSignal): Promise<void> {
  while (isOffline()) await pause(LOOK_AGAIN, signal);
}

/** Milliseconds that the server asks to wait; undefined when it does not say, or CORS hides it. */
export function retryAfterOf(response: Response): number | undefined {
  const value = response.headers.get('Retry-After');
  if (value === null) return undefined;
  const wait = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function mayPass({ code, status = 500 }: SheafError): boolean {
  return code === 'NETWORK' && (status >= 500 || [408, 425, 429].includes(status));
}

/** Ends early when the network is back. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let end: () => void = () => {};
  const slept = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    globalThis.addEventListener?.('online', resolve as () => void);
    end = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.('online', resolve as () => void);
    };
  });
  return abortable(slept, signal).finally(end);
}
