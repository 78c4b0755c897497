/** Starts one of the package's own workers, or reports that none can start. */
import { abortable } from './errors.js';
import { isOffline, untilOnline } from './retry.js';

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}

let policy: ScriptPolicy | undefined;

/**
 * Where Trusted Types are enforced, a worker's address must come from a policy. Ours, `sheaf`, never
 * leaves this module and blesses the addresses of the package's own workers. Without Trusted Types,
 * or if the page forbids the policy, the address stays unchanged.
 */
export function ownScript(url: URL): URL {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy } })
    .trustedTypes;
  try {
    policy ??= types?.createPolicy('sheaf', { createScriptURL: (own: string) => own });
  } catch {
    // The worker will not start, and the caller falls back.
  }
  return (policy?.createScriptURL(url.href) ?? url) as URL;
}

/** A worker that said `ready`, or undefined where workers do not exist or are not allowed. Rejects with ABORTED. */
export async function startWorker(url: URL | string, signal?: AbortSignal): Promise<Worker | undefined> {
  const worker = await tryWorker(url, { signal });
  if (worker !== undefined || !isOffline()) return worker;
  await untilOnline(signal); // its script could not be fetched
  return tryWorker(url, { signal });
}

export interface TryOptions {
  signal?: AbortSignal | undefined;
  type?: WorkerType;
}

/** The same without waiting for a network. */
export function tryWorker(url: URL | string, { signal, type = 'module' }: TryOptions): Promise<Worker | undefined> {
  let worker: Worker;
  try {
    worker = new Worker(url, { type, name: 'sheaf' });
  } catch {
    // Another origin, a Content-Security-Policy without worker-src, Trusted Types without our policy.
    return Promise.resolve(undefined);
  }
  const started = new Promise<Worker | undefined>((resolve) => {
    worker.addEventListener(
      'error',
      (event) => {
        event.preventDefault(); // the fallback reports it
        worker.terminate();
        resolve(undefined);
      },
      { once: true },
    );
    worker.addEventListener('message', () => resolve(worker), { once: true });
  });
  return abortable(started, signal).catch((error: unknown) => {
    worker.terminate();
    throw error;
  });
}
