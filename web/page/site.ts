/**
 * What sheaf/sheaf.js imports on a page that a host serves: the component, and the code that gives each element
 * this site's bundle or bundles. It finds them relative to its own address, so the site may move.
 */
import { begin, type Settings } from './begin.js';

/** Files are named within the folder of sheaf.js, two folders up from here. */
export function start(settings: Settings): void {
  const folder = new URL('../../', import.meta.url).href;
  begin(settings, folder);
  const { offline } = settings;
  if (offline === undefined) return;
  import('./keep_offline.js').then(
    ({ keepOfflineLater }) => keepOfflineLater(new URL(offline, folder).href),
    () => {}, // the next visit tries again
  );
}
