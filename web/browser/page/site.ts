/**
 * What sheaf/sheaf.js imports on a page that a host serves: the component, and the code that gives each element
 * this site's bundle or bundles. It finds them relative to its own address, so the site may move.
 *
 * What opens a bundle comes along: as a script of its own it would cost a round trip before the first answer.
 */
import { open } from '../client/open.js';
import { bringClientBy } from '../ui/open.js';
import { begin, type Settings } from './begin.js';

/** Files are named within the folder of sheaf.js, two folders up from here. */
export function start(settings: Settings): void {
  const folder = new URL('../../', import.meta.url).href;
  bringClientBy(() => bringClient(settings.rules));
  begin(settings, folder);
  const { offline, report: to } = settings;
  if (to !== undefined)
    import('./report.js').then(
      ({ report }) => report(to, new URL('..', folder).href),
      () => {},
    );
  if (offline === undefined) return;
  import('./keep_offline.js').then(
    ({ keepOfflineLater }) => keepOfflineLater(new URL(offline, folder).href),
    () => {}, // the next visit tries again
  );
}

/**
 * The worker asks for its core once it runs. So that it need not wait then, the core comes at the same time, by way of the
 * browser's cache; behind the worker's script, which over HTTP/1.1 gets the connection that is open.
 */
async function bringClient(rules: string | undefined): Promise<typeof open> {
  setTimeout(() => {
    for (const name of ['sheaf-core', ...(rules === undefined ? [] : [`language-${rules}`])])
      fetch(new URL(`../core/${name}.wasm`, import.meta.url))
        .then((answer) => answer.arrayBuffer())
        .catch(() => {}); // the worker reports it
  });
  return open;
}
