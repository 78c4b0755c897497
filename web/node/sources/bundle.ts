/**
 * A bundle that somebody else packed: a file or a URL, checked to the last byte before it is trusted.
 *
 * Of a site that `sheaf site` gave search, the address is that of its list (`…/sheaf/site.json`), which names the current
 * bundles; a fragment chooses a version, as versionNames (web/node/published/list.ts) calls them.
 */
import { hashFile, hashOf } from '../base/hash.js';
import { decodePercent } from '../../browser/client/percent.js';
import { copyFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from '../client/node.js';
import { FetchSource, PIECES_ALONE } from '../../browser/client/fetch_source.js';
import { findPublished } from '../published/find.js';
import { isList, versionNames } from '../published/list.js';
import { fetcherFor, parseUrl, type Fetcher } from './http.js';
import { resolveVersion } from '../store/versions.js';
import { expandPath, isWebAddress } from './local.js';
import { SourceError, withoutCredentials, type Fetched, type SourceContext } from './source.js';

const MAX_BUNDLE_BYTES = 4 * 2 ** 30;
const TIMEOUT_MS = 30 * 60_000;
const ANSWER_MS = 20_000;
/** The longest answer but for a bundle: a piece of one. */
const MAX_ANSWER = 17 * 2 ** 20;

/** Library and version come from the bundle's manifest. Errors: those of opening a bundle. */
export async function fetchBundle(spec: { bundle: string }, context: SourceContext): Promise<Fetched> {
  const file = join(context.folder, 'bundle.sheaf');
  const revision = isWebAddress(spec.bundle)
    ? await download(spec.bundle, file, context)
    : await copy(spec.bundle, file);
  await using library = await open(file, { encoder: false, lazy: true });
  await library.verify({ signal: context.signal });
  const { library: name, version } = library.info;
  const unchanged = context.known === revision ? { unchanged: true as const } : {};
  return {
    library: name,
    version,
    revision,
    ...unchanged,
    bundle: file,
    root: context.folder,
    inputs: [],
    baseUrl: '',
    urlStyle: 'keep',
    noIgnore: false,
  };
}

async function download(given: string, file: string, context: SourceContext): Promise<string> {
  const url = parseUrl(given);
  const fetcher = fetcherFor(url, context);
  try {
    const address = isList(url) ? await currentBundle(url, fetcher, context.signal) : url.href;
    context.say(`Fetching ${withoutCredentials(address.replace(/[?#].*$/s, ''))}`);
    if (address.endsWith(PIECES_ALONE)) return await saveFromPieces(address, file, fetcher, context.signal);
    return (await fetcher.save(address, file, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BUNDLE_BYTES })).sha256;
  } finally {
    fetcher.close();
  }
}

/** The list of the site that an address belongs to; undefined where there is none, or nothing answers. */
export async function listOf(
  address: URL,
  context: Pick<SourceContext, 'allowPrivate' | 'trusted' | 'signal' | 'say'>,
): Promise<string | undefined> {
  const { signal } = context;
  const fetcher = fetcherFor(address, context);
  try {
    return (await findPublished(address, fetchBy(fetcher), signal))?.list.href;
  } catch {
    signal.throwIfAborted();
    return undefined; // whoever reads the site otherwise says why not
  } finally {
    fetcher.close();
  }
}

/** The bundle of the list that a fragment names, else its newest in its first language. */
async function currentBundle(address: URL, fetcher: Fetcher, signal: AbortSignal): Promise<string> {
  const list = new URL(address);
  const wanted = decodePercent(list.hash.slice(1));
  list.hash = '';
  const published = await findPublished(list, fetchBy(fetcher), signal);
  if (published === undefined) throw new SourceError('missing', `${list.href} is no list of bundles of a site.`);
  const names = versionNames(published.bundles, OWN_VERSION);
  const found = published.bundles[names.indexOf(resolveVersion(names, wanted) ?? '')];
  if (found !== undefined) return found.src;
  throw new SourceError('missing', `${list.href} has no version '${wanted}'; available: ${names.join(', ')}.`);
}

/** The version of a site that has no others: `sheaf site` calls it so. */
const OWN_VERSION = 'site';

async function saveFromPieces(address: string, file: string, fetcher: Fetcher, signal: AbortSignal): Promise<string> {
  const source = new FetchSource(address, { fetch: fetchBy(fetcher) });
  const bytes = await source.readAll(signal);
  await writeFile(file, bytes);
  return hashOf(bytes);
}

/** The fetcher as the client's readers of sites take one. */
function fetchBy(fetcher: Fetcher): typeof fetch {
  return async (input) => {
    const address = String(input instanceof Request ? input.url : input);
    const options = { timeoutMs: ANSWER_MS, maxBytes: MAX_ANSWER, truncate: true };
    const { status, url, headers, body } = await fetcher.get(address, options);
    const type = headers['content-type'];
    const answer = new Response(status === 204 || status === 304 ? null : new Uint8Array(body), {
      status,
      headers: type === undefined ? {} : { 'Content-Type': type },
    });
    return Object.defineProperty(answer, 'url', { value: url });
  };
}

async function copy(given: string, file: string): Promise<string> {
  const path = expandPath(given);
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw new SourceError('missing', `${path} cannot be read: there is no such file.`);
  if (!stats.isFile()) throw new SourceError('failed', `${path} is not a file.`);
  if (stats.size > MAX_BUNDLE_BYTES)
    throw new SourceError('failed', `${path} is larger than ${MAX_BUNDLE_BYTES / 2 ** 30} GiB.`);
  await copyFile(path, file);
  return hashFile(file);
}
