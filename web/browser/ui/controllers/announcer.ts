/**
 * Announces the state of a search in the live region once it is stable, so a screen reader skips intermediate states.
 */
import type { AnnouncerHost } from '../host.js';

/** Milliseconds. */
const ANNOUNCE_AFTER = 500;

/** Announces `text` after a pause, unless another text comes first; does not repeat the last announcement. */
export type Announce = (text: string) => void;

export function createAnnouncer(host: AnnouncerHost): Announce {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (text) => {
    clearTimeout(timer);
    if (text !== host.announcement) timer = setTimeout(() => (host.announcement = text), ANNOUNCE_AFTER);
  };
}
