/**
 * The request that is being answered, for those further down that must know it: the log, the limits of its token, the
 * counts. It follows promises and callbacks by itself (AsyncLocalStorage), so that no call has to pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Identity } from './identity.js';

export interface Asking {
  /** Of the request, in the log and in `X-Request-Id`. */
  id: string;
  /** Undefined until its token was read, and where the server asks for none. */
  who?: Identity;
  /** The tool that it called, and how that ended. */
  tool?: string;
  outcome?: string;
  /** Of its span, where requests are traced; then also the libraries that it read. */
  trace?: string;
  libraries?: Set<string>;
}

const storage = new AsyncLocalStorage<Asking>();

/** Undefined outside of a request: while warming up, and over stdio. */
export function asking(): Asking | undefined {
  return storage.getStore();
}

export function whileAsking<T>(request: Asking, work: () => T): T {
  return storage.run(request, work);
}
