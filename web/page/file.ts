/**
 * What sheaf/sheaf.js runs on a page that was opened as a file: the component, with openShared of
 * file_open.ts. One classic script; engine, core and bundle follow when the reader reaches for the search.
 */
import { begin, type Settings } from './begin.js';
import { useSite, type FileSite } from './file_open.js';
import type { Trust } from './pieces.js';

/** `settings` as in site.ts; `folder` is the address of sheaf.js's, with a slash at its end. */
export function start(settings: Settings, site: FileSite, folder: string, trust: Trust): void {
  useSite(site, folder, trust);
  begin(settings, folder, { always: ['base'] });
}
