/**
 * Opens the bundle that an element names. Elements of one page that name the same bundle share one
 * library, so a button in the header and a results page cost one worker and one download.
 *
 * The client's code is loaded with the first bundle, so a page that nobody searches pays for the
 * component alone.
 */
import type { Library, Progress } from '../client/types.js';

interface Shared {
  library: Promise<Library>;
  watchers: Set<(progress: Progress) => void>;
}

const shared = new Map<string, Shared>();

export interface OpenSharedOptions {
  encoder?: string | undefined;
  onProgress: (progress: Progress) => void;
  /** Forget the library that was opened before. */
  again: boolean;
}

export function openShared(src: string, { encoder, onProgress, again }: OpenSharedOptions): Promise<Library> {
  const key = JSON.stringify([new URL(src, document.baseURI).href, encoder && new URL(encoder, document.baseURI).href]);
  const known = again ? undefined : shared.get(key);
  if (known !== undefined) {
    known.watchers.add(onProgress);
    return known.library;
  }
  const watchers = new Set([onProgress]);
  const report = (progress: Progress): void => watchers.forEach((watch) => watch(progress));
  const library = openTrusted(src, encoder, report);
  shared.set(key, { library, watchers });
  library.then(
    () => watchers.clear(),
    () => shared.delete(key), // the next try asks the network again
  );
  return library;
}

interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): unknown };
}

/**
 * Where Trusted Types are enforced, a worker's address must come from a policy. Ours, `sheaf`, passes
 * one address: that of the client's own worker.
 */
async function openTrusted(src: string, encoder: string | undefined, onProgress: (progress: Progress) => void): Promise<Library> {
  const [{ open }, { openRemote, startWorker }] = await Promise.all([import('../client/index.js'), import('../client/remote.js')]);
  const table = encoder === undefined ? undefined : new URL(encoder, document.baseURI);
  const address = trustedWorker();
  const worker = address === undefined ? undefined : await startWorker(address as string);
  if (worker !== undefined) return openRemote(worker, () => worker.terminate(), new URL(src, document.baseURI), { encoder: table, onProgress });
  return open(src, table === undefined ? { onProgress } : { encoder: table, onProgress }); // says why no worker started
}

let policy: { createScriptURL(url: string): unknown } | undefined;

/** The worker's address, blessed; undefined in browsers without Trusted Types, and where the page forbids the policy. */
function trustedWorker(): unknown {
  const types = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  const url = new URL('../client/worker.js', import.meta.url).href;
  try {
    policy ??= types?.createPolicy('sheaf', {
      createScriptURL(wanted) {
        if (wanted !== url) throw new TypeError(`The policy 'sheaf' passes ${url} and nothing else, not ${wanted}.`);
        return wanted;
      },
    });
    return policy?.createScriptURL(url);
  } catch {
    return undefined;
  }
}
