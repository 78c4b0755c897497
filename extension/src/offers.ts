/** Offers beside each other and beside what is installed: the newest of a library, the same library, an update of it. Pure. */
import { publisherOf } from './plain.js';
import type { DeskState, LibraryRecord, Offer } from './types.js';

/** Of the same name and publisher. */
const isOf = (library: LibraryRecord, offer: Offer): boolean =>
  library.library === offer.library && publisherOf(library.origin) === publisherOf(offer.origin);

export const isInstalled = (offer: Offer, { libraries }: DeskState): LibraryRecord | undefined =>
  libraries.find(
    (each) =>
      each.origin.address === offer.origin.address ||
      (offer.library !== '' &&
        isOf(each, offer) &&
        each.version === offer.version &&
        (offer.language === '' || each.language === offer.language)),
  );

/** An offer of the same library from the same list with a higher version than `library`, or the same with another file. */
export function updateOf(library: LibraryRecord, { catalogues, libraries }: DeskState): Offer | undefined {
  const offers = (catalogues.find(({ address }) => address === library.origin.list)?.offers ?? []).filter(
    (offer) => offer.library === library.library && (offer.language === '' || offer.language === library.language),
  );
  const [newest] = newestOffers(offers);
  if (newest === undefined) return undefined;
  const order = compareVersions(newest.version, library.version);
  if (order > 0)
    return libraries.some((each) => isOf(each, newest) && each.version === newest.version) ? undefined : newest;
  return order === 0 && newest.hash !== '' && !library.hash.startsWith(newest.hash) ? newest : undefined;
}

/** A few offers for a reader without libraries. */
export function firstOffers({ catalogues }: DeskState, count = 3): Offer[] {
  return catalogues.flatMap(({ offers }) => newestOffers(offers)).slice(0, count);
}

/** The newest offer of each library. */
export function newestOffers(offers: readonly Offer[]): Offer[] {
  const newest = new Map<string, Offer>();
  for (const offer of offers) {
    const known = newest.get(offer.library);
    if (known === undefined || compareVersions(offer.version, known.version) > 0) newest.set(offer.library, offer);
  }
  return [...newest.values()];
}

/** Numbers by value, and releases after their pre-releases. */
export function compareVersions(a: string, b: string): number {
  const split = (version: string): [string[], string] => {
    const [core = '', ...pre] = version
      .replace(/^v(?=\d)/i, '')
      .replace(/\+.*$/s, '')
      .split('-');
    return [core.split('.'), pre.join('-')];
  };
  const [left, leftPre] = split(a);
  const [right, rightPre] = split(b);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = comparePart(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  if (leftPre === '' || rightPre === '')
    return (leftPre === '' ? 1 : 0) - (rightPre === '' ? 1 : 0) || (a < b ? -1 : a > b ? 1 : 0);
  return COLLATOR.compare(leftPre, rightPre);
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Words (`latest`) come after no part and before numbers. */
function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  const numbers = /^\d+$/.test(a) && /^\d+$/.test(b);
  if (numbers) return Number(a) - Number(b) || COLLATOR.compare(a, b);
  if (/^\d+$/.test(a)) return 1;
  if (/^\d+$/.test(b)) return -1;
  return COLLATOR.compare(a, b);
}
