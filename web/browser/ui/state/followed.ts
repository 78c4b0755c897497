/**
 * The hit that the reader follows, for the page that it leads to: it waits in the session's storage, beside its address
 * there (landed.ts). Where storage is forbidden there are no marks.
 */
import type { ShownHit } from './groups.js';

const KEY = 'sheaf-followed';

export function noteFollowed(address: string, hit: ShownHit): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([address, hit]));
  } catch {}
}

/** What was noted, once. */
export function takeFollowed(): string | null {
  try {
    const noted = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return noted;
  } catch {
    return null;
  }
}
