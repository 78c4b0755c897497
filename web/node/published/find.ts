/** Finds what a site publishes, from the address of the site, of one of its pages, or of the list itself. */
import { SheafError } from '../../browser/client/errors.js';
import { readBody } from '../../browser/client/http_answer.js';
import { bundlesIn, FOLDER, isList, listAddresses, MAX_LIST, type PublishedBundle } from './list.js';

export interface Published {
  /** Address of the list. */
  list: URL;
  bundles: PublishedBundle[];
}

/**
 * Undefined where there is no search: the list is neither beside the page nor in a folder above, nor where the address
 * redirects to. Errors: of the network. Cost: one request for a site's own address; one a folder, and one for the page, else.
 */
export async function findPublished(
  address: URL,
  fetch: typeof globalThis.fetch,
  signal?: AbortSignal,
): Promise<Published | undefined> {
  const tried = new Set<string>();
  const look = async (page: URL): Promise<Published | undefined> => {
    for (const list of isList(page) ? [page] : listAddresses(page)) {
      if (tried.has(list.href)) continue;
      tried.add(list.href);
      const text = await textOf(list, fetch, signal);
      const bundles = text === undefined ? undefined : bundlesIn(text, list);
      if (bundles !== undefined) return { list, bundles };
    }
    return undefined;
  };
  const found = await look(address);
  if (found !== undefined || isList(address)) return found;
  const page = await fetch(address, withSignal(signal)); // a site that begins at /en/latest/ sends visitors there
  await page.body?.cancel();
  return page.url === address.href ? undefined : look(new URL(page.url));
}

/** The same for those who need one. Error: there is none. */
export async function requirePublished(
  address: URL,
  fetch: typeof globalThis.fetch,
  signal?: AbortSignal,
): Promise<Published> {
  const found = await findPublished(address, fetch, signal);
  if (found !== undefined) return found;
  throw new SheafError(
    'NOT_FOUND',
    `${address.href} has no search of Sheaf: there is no ${FOLDER}/site.json beside it or above. A site gets one by sheaf site; of other sites, add the documentation: sheaf add ${address.href}`,
  );
}

/** Undefined for what is missing; a web page instead of 404 is no list either. */
async function textOf(url: URL, fetch: typeof globalThis.fetch, signal?: AbortSignal): Promise<string | undefined> {
  const answer = await fetch(url, withSignal(signal));
  if (answer.ok) return new TextDecoder().decode(await readBody(answer, MAX_LIST, url.href, signal));
  await answer.body?.cancel();
  if (answer.status === 429 || answer.status >= 500)
    throw new SheafError('NETWORK', `${url.href}: the server answered ${answer.status}; try again later.`, {
      status: answer.status,
    });
  return undefined;
}

function withSignal(signal: AbortSignal | undefined): RequestInit {
  return signal === undefined ? {} : { signal };
}
