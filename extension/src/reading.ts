/**
 * Pages that the reader opened of late, and those that the reader keeps: in `storage.local` alone, on this computer.
 *
 * A page is named by its address within its library, so that an entry outlives an update of the library. Entries of
 * libraries that are not installed stay, and are not shown.
 */
import { compareVersions } from './offers.js';
import { fieldsOf, plainText, publisherOf } from './plain.js';
import type { LibraryRecord } from './types.js';

export interface ReadPage {
  library: string;
  /** See publisherOf. */
  publisher: string;
  /** Of the installed library that it was read in; a newer version stands in where that one is gone. */
  id: string;
  /** As the page has it, or its source where it has none. */
  address: string;
  title: string;
}

export interface Reading {
  /** Latest first. */
  recent: readonly ReadPage[];
  kept: readonly ReadPage[];
}

const KEY = 'reading';
const MOST_RECENT = 8;
const MOST_KEPT = 200;

type Owner = Pick<LibraryRecord, 'id' | 'library' | 'version' | 'origin'>;

export function readPage(record: Owner, page: { url: string; source: string; title: string }): ReadPage {
  const { id, library, origin } = record;
  const address = page.url || page.source;
  return { library, publisher: publisherOf(origin), id, address, title: plainText(page.title || page.source, 120) };
}

const isSame = (a: ReadPage, b: ReadPage): boolean =>
  a.library === b.library && a.publisher === b.publisher && a.address === b.address;

export const isKept = ({ kept }: Reading, page: ReadPage): boolean => kept.some((each) => isSame(each, page));

/** The library that has the page now, if one is installed. */
export function ownerOf<Record extends Owner>(page: ReadPage, libraries: readonly Record[]): Record | undefined {
  const own = libraries.filter(
    ({ library, origin }) => library === page.library && publisherOf(origin) === page.publisher,
  );
  return own.find(({ id }) => id === page.id) ?? own.sort((a, b) => compareVersions(b.version, a.version))[0];
}

/** Pure. */
export function afterReading(reading: Reading, page: ReadPage): Reading {
  const others = reading.recent.filter((each) => !isSame(each, page));
  return { ...reading, recent: [page, ...others].slice(0, MOST_RECENT) };
}

/** Keeps the page, or no longer. Pure. */
export function afterKeeping(reading: Reading, page: ReadPage): Reading {
  const others = reading.kept.filter((each) => !isSame(each, page));
  return { ...reading, kept: others.length < reading.kept.length ? others : [page, ...others].slice(0, MOST_KEPT) };
}

export const withoutRecent = (reading: Reading): Reading => ({ ...reading, recent: [] });

/** What storage holds, as far as it is readable: an older version of the extension, or a hand, may have written it. */
export function readingOf(stored: unknown): Reading {
  const list = (value: unknown, most: number): ReadPage[] =>
    (Array.isArray(value) ? value : []).filter(isReadPage).slice(0, most);
  const { recent, kept } = fieldsOf(stored) ?? {};
  return { recent: list(recent, MOST_RECENT), kept: list(kept, MOST_KEPT) };
}

function isReadPage(value: unknown): value is ReadPage {
  const fields = fieldsOf(value);
  return ['library', 'publisher', 'id', 'address', 'title'].every((name) => typeof fields?.[name] === 'string');
}

export async function loadReading(): Promise<Reading> {
  return readingOf((await chrome.storage.local.get(KEY))[KEY]);
}

/** One tab changes it at a time. A private window leaves no trace. */
export async function changeReading(change: (reading: Reading) => Reading): Promise<Reading> {
  if (chrome.extension.inIncognitoContext) return loadReading();
  return navigator.locks.request(KEY, async () => {
    const reading = change(await loadReading());
    await chrome.storage.local.set({ [KEY]: reading });
    return reading;
  });
}

export function onReading(changed: (reading: Reading) => void): void {
  chrome.storage.local.onChanged.addListener((changes) => {
    const change = changes[KEY];
    if (change !== undefined) changed(readingOf(change.newValue));
  });
}
