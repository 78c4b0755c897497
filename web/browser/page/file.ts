/**
 * What sheaf/sheaf.js runs on a page that was opened as a file: the component, which opens bundles as file_open.ts
 * does. One classic script, which leaves `start` on its element. Worker, core and bundle load when the reader first
 * uses the search.
 */
import { openBundlesBy } from '../ui/open.js';
import { begin, type Settings } from './begin.js';
import { fileOpener, type FileSite } from './file_open.js';
import type { Trust } from './pieces.js';

/** `settings` as in site.ts; `folder` is the address of sheaf.js's folder, with a trailing slash. */
function start(settings: Settings, site: FileSite, folder: string, trust: Trust): void {
  openBundlesBy(fileOpener(site, folder, trust));
  begin(settings, folder, { always: ['base'] });
}

(document.currentScript as unknown as { sheaf: typeof start }).sheaf = start;
