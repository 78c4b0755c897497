/**
 * What the browser keeps of a site's search in its Cache API: who keeps it, under which names, by which rule.
 *
 *   sheaf ranges ADDRESS IDENTITY   the ranges of one file that searches read: kept by the client, on any page
 *                                   (kept_ranges.ts)
 *   sheaf /FOLDER/                  whole files: kept by the service worker of a site that works offline
 *                                   (web/browser/offline)
 *
 * The rule: bytes are kept once. A service worker that holds the whole file sends `Cache-Control: no-store` with it, as
 * does a host that forbids keeping it. The client then keeps no ranges of the file and drops those it has. The service
 * worker also drops them once it has stored the files. docs/decisions/0011-who-keeps-ranges.md says why there are two.
 */

/** Nobody downstream of the sender keeps a response with this header value. */
export const KEEP_NOTHING = 'no-store';

/** Whether the sender of an answer lets ranges of the file be kept. */
export function mayBeKept(response: Response): boolean {
  return !/\bno-store\b/i.test(response.headers.get('Cache-Control') ?? '');
}

/** The cache of whole files; several sites may share an origin. `folder` is the site's `sheaf/`. */
export function nameOfWhole(folder: URL): string {
  return `sheaf ${folder.pathname}`;
}

/** The cache of one file's ranges. `address` lacks the part that differs between versions; `identity` is that part. */
export function nameOfRanges(address: string, identity: string): string {
  return `${RANGES}${address} ${identity}`;
}

const RANGES = 'sheaf ranges ';

/** Drops the ranges of all files whose address has this prefix, except the cache named `but`. */
export async function dropRanges(storage: CacheStorage, beginning: string, but?: string): Promise<void> {
  for (const name of await storage.keys()) {
    if (name.startsWith(RANGES + beginning) && name !== but) await storage.delete(name);
  }
}

/** The key of a range in its cache. Keys must be URLs; the host is fictitious. */
export function keyOfRange(offset: number, length: number): string {
  return `https://range.invalid/${offset}+${length}`;
}

/** The range of a key. */
export function rangeIn(key: string): { offset: number; length: number } {
  const [offset, length] = key.slice(key.lastIndexOf('/') + 1).split('+');
  return { offset: Number(offset), length: Number(length) };
}
