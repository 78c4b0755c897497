/** Lines on stderr of `sheaf site --watch` and `sheaf serve DIR`, which keep an index up to date. */
import { counted, oneLine, status } from '../node/base/terminal.js';
import type { LiveEvent } from '../node/site/watch.js';
import { SiteNotes } from './site_notes.js';

/** Prints each event, and for each index only its new notes. */
export function liveTeller(): (event: LiveEvent) => void {
  const notes = new SiteNotes();
  return (event) => {
    const text = liveText(event);
    if (text !== undefined) status(`[${new Date().toTimeString().slice(0, 8)}] ${text}`);
    if (event.kind === 'round') notes.say(event.report.notes);
  };
}

/** undefined if there is nothing new to print. Pure. */
export function liveText(event: LiveEvent): string | undefined {
  switch (event.kind) {
    case 'waiting':
      return 'There are no pages; waiting for some. The index before stays.';
    case 'failed':
      return `The index was not updated: ${oneLine(event.error instanceof Error ? event.error.message : String(event.error))}`;
    case 'polling':
      return `The system reports no changes, so sheaf looks for them every two seconds: ${oneLine(event.reason)}`;
    case 'round': {
      const { report, published, seconds } = event;
      if (!published) return undefined;
      const number = (count: number): string => count.toLocaleString('en');
      const found = (['added', 'changed', 'removed'] as const)
        .filter((what) => report[what] > 0)
        .map((what) => `${number(report[what])} ${what}`);
      const room =
        report.keptPages < report.pages
          ? ` (${number(report.keptPages)} of them kept in memory; more with --memory)`
          : '';
      return `${counted(report.pages, 'page')}${room}, ${found.join(', ') || 'put back'}, in ${seconds.toFixed(1)} s`;
    }
  }
}
