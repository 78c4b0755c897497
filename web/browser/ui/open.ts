/**
 * Opens the bundle that an element names. Elements of one page that name the same bundle share one
 * library, so a button in the header and a results page cost one worker and one download.
 *
 * The client's code is loaded with the first bundle, so a page that nobody searches pays only for
 * the component.
 */
import type { open as openOne } from '../client/open.js';
import type { OpenOne } from '../client/shared_worker.js';
import type { Library, Progress } from '../client/types.js';

/** Opens every bundle if the page has its own way to; undefined: over the network. */
export let opener: OpenOne | undefined;

/** For pages opened as files (web/browser/page/file_open.ts), before the first bundle is opened. */
export function openBundlesBy(open: OpenOne): void {
  opener = open;
}

type Open = typeof openOne;

let client = (): Promise<Open> => import('../client/open.js').then((module) => module.open);

/** For pages that bring the client's code some other way than as a script of its own. */
export function bringClientBy(load: () => Promise<Open>): void {
  client = load;
}

interface Shared {
  library: Promise<Library>;
  watchers: Set<(progress: Progress) => void>;
}

const shared = new Map<string, Shared>();

export interface OpenSharedOptions {
  encoder?: string | undefined;
  onProgress: (progress: Progress) => void;
  /** A library that turned out to be unusable: it is closed, and not returned again. */
  failed?: Library | undefined;
}

export async function openShared(src: string, options: OpenSharedOptions): Promise<Library> {
  const { encoder, onProgress, failed } = options;
  const table = encoder === undefined ? undefined : new URL(encoder, document.baseURI);
  const key = JSON.stringify([new URL(src, document.baseURI), table]);
  const known = shared.get(key);
  if (known !== undefined) {
    known.watchers.add(onProgress);
    const library = await known.library;
    known.watchers.delete(onProgress); // the watcher holds its element
    if (library !== failed) return library; // another element may already have reopened it
    if (shared.get(key) !== known) return openShared(src, options);
    void failed.close();
  }
  const watchers = new Set([onProgress]);
  const library = openLibrary(src, table, (progress) => watchers.forEach((watch) => watch(progress)));
  shared.set(key, { library, watchers });
  library.then(
    () => watchers.clear(),
    () => shared.delete(key), // the next try asks the network again
  );
  return library;
}

async function openLibrary(
  src: string,
  table: URL | undefined,
  onProgress: (progress: Progress) => void,
): Promise<Library> {
  const open = opener ?? (await client());
  // Words need no encoder: their hits come first.
  return open(src, { deferEncoder: true, onProgress, ...(table === undefined ? {} : { encoder: table }) });
}
