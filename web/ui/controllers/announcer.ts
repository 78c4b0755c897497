/**
 * Says the state of a search in the live region, once it has lasted: a screen reader is not told of each step on the way.
 */
import type { AnnouncerHost } from '../host.js';

/** Milliseconds. */
const ANNOUNCE_AFTER = 500;

/** Says `text` after a pause, unless something else comes before; what was said last, it says no more. */
export type Announce = (text: string) => void;

export function createAnnouncer(host: AnnouncerHost): Announce {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (text) => {
    clearTimeout(timer);
    if (text !== host.announcement) timer = setTimeout(() => (host.announcement = text), ANNOUNCE_AFTER);
  };
}
