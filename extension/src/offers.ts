/** What offers are to what is installed: the same library, an update of it, or none of the two. Pure. */
import { compareVersions, newestOffers } from './catalogue.js';
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

/** The first of what is known, for a reader who has none. */
export function firstOffers({ catalogues }: DeskState, count = 3): Offer[] {
  return catalogues.flatMap(({ offers }) => newestOffers(offers)).slice(0, count);
}
