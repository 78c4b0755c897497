/**
 * Pages of installed libraries as MCP resources.
 *
 * Listing is bounded, since a client may ask for all of it at once: RESOURCES in all, shared evenly
 * among the libraries, LISTED a reply. Every other page is reached by the template, whose parts are
 * what a search's hits carry. The cursor names library, version and page, so that a store that
 * changes between two replies does no harm.
 */
import { SheafError } from '../../browser/client/errors.js';
import type { Page } from '../../browser/client/types.js';
import type { StoredBundle } from '../store/store.js';
import { oneLine } from '../base/terminal.js';
import { isRemote } from './pool.js';
import { pageUri, PAGE_TEMPLATE, parsePageUri } from './page_uri.js';
import { QUOTED, QUOTED_MARK, visible } from './quote.js';
import type { Log, Pool } from './tool.js';

const LISTED = 100;
const RESOURCES = 2_000;
const MIN_PER_LIBRARY = 5;
const MAX_PER_LIBRARY = 200;
const MIME = 'text/markdown';

export interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  [key: string]: unknown;
}

/** Names of tools that texts about pages point to. */
export interface PageGuide {
  /** Lists libraries and versions. */
  libraries: string;
  /** Finds pages. */
  pages: string;
}

/** Pure. */
export function pageTemplates({
  libraries,
}: PageGuide): Record<'uriTemplate' | 'name' | 'title' | 'description' | 'mimeType', string>[] {
  const description = `Any page of an installed library: library and version as ${libraries} gives them, page as a match's source. ${QUOTED}`;
  return [{ uriTemplate: PAGE_TEMPLATE, name: 'page', title: 'A documentation page', description, mimeType: MIME }];
}

/** Undefined for a cursor that this server did not make. */
export async function listPages(
  pool: Pool,
  cursor: string | undefined,
  log: Log,
  signal: AbortSignal,
): Promise<{ resources: Resource[]; nextCursor?: string } | undefined> {
  const start = cursor === undefined ? { library: '', version: '', page: 0 } : readCursor(cursor);
  if (start === undefined) return undefined;
  // Each page of a bundle on a host would be a request; the template reaches them.
  const bundles = (await pool.list()).filter((bundle) => !isRemote(bundle));
  const share = Math.min(
    Math.max(Math.floor(RESOURCES / Math.max(bundles.length, 1)), MIN_PER_LIBRARY),
    MAX_PER_LIBRARY,
  );
  const resources: Resource[] = [];
  const first = bundles.findIndex(({ library, version }) => library === start.library && version === start.version);
  // A bundle that is gone takes its place in the order with it: the listing ends there.
  if (cursor !== undefined && first < 0) return { resources };
  for (const bundle of bundles.slice(Math.max(first, 0))) {
    const from = cursor !== undefined && bundle === bundles[first] ? start.page : 0;
    const { pages, more } = await pagesOf(pool, bundle, from, share, LISTED - resources.length, log, signal);
    resources.push(...pages.map((page) => resourceOf(bundle, page)));
    if (resources.length >= LISTED) {
      const next = more ? { ...bundle, page: from + pages.length } : following(bundles, bundle);
      return { resources, ...(next === undefined ? {} : { nextCursor: writeCursor(next) }) };
    }
  }
  return { resources };
}

async function pagesOf(
  pool: Pool,
  bundle: StoredBundle,
  from: number,
  share: number,
  room: number,
  log: Log,
  signal: AbortSignal,
): Promise<{ pages: Page[]; more: boolean }> {
  try {
    return await pool.use(bundle, async (library) => {
      const end = Math.min(library.info.pages, share);
      const pages: Page[] = [];
      for (let id = from; id < Math.min(end, from + room); id++) pages.push(await library.page(id, { signal }));
      return { pages, more: from + pages.length < end };
    });
  } catch (error) {
    if (signal.aborted) throw error;
    log('warn', error instanceof Error ? error.message : String(error)); // the others are listed all the same
    return { pages: [], more: false };
  }
}

function following(
  bundles: readonly StoredBundle[],
  bundle: StoredBundle,
): (StoredBundle & { page: number }) | undefined {
  const next = bundles[bundles.indexOf(bundle) + 1];
  return next === undefined ? undefined : { ...next, page: 0 };
}

function resourceOf({ library, version }: StoredBundle, page: Page): Resource {
  const name = page.source || String(page.id);
  const title = oneLine(visible(page.title)) || '(no title)';
  return {
    uri: pageUri({ library, version, page: name }),
    name: oneLine(name),
    title,
    description: `${library} ${version}: ${title}`,
    mimeType: MIME,
    ...(page.lastModified === '' ? {} : { annotations: { lastModified: page.lastModified } }),
  };
}

/** Undefined when there is no such page. */
export async function readPage(
  pool: Pool,
  uri: string,
  signal: AbortSignal,
): Promise<
  { contents: { uri: string; mimeType: string; text: string; _meta: Record<string, unknown> }[] } | undefined
> {
  const name = parsePageUri(uri);
  if (name === undefined) return undefined;
  const bundle = (await pool.list()).find(
    ({ library, version }) => library === name.library && version === name.version,
  );
  if (bundle === undefined) return undefined;
  try {
    const page = await pool.use(bundle, (library) => pageNamed(library, name.page, signal));
    const { library, version } = bundle;
    const facts = { source: page.url, library, version, ...QUOTED_MARK };
    return { contents: [{ uri, mimeType: MIME, text: visible(page.text), _meta: { 'sheaf/quoted': facts } }] };
  } catch (error) {
    if (error instanceof SheafError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** By source path; pages that were packed without one are named by number. */
async function pageNamed(
  library: { page(id: string | number, options: { signal: AbortSignal }): Promise<Page> },
  name: string,
  signal: AbortSignal,
): Promise<Page> {
  try {
    return await library.page(name, { signal });
  } catch (error) {
    if (!(error instanceof SheafError && error.code === 'NOT_FOUND') || !/^\d{1,9}$/.test(name)) throw error;
    return library.page(Number(name), { signal });
  }
}

function writeCursor({ library, version, page }: { library: string; version: string; page: number }): string {
  return Buffer.from(JSON.stringify([library, version, page])).toString('base64url');
}

function readCursor(cursor: string): { library: string; version: string; page: number } | undefined {
  if (cursor.length > 2048) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parsed) || parsed.length !== 3) return undefined;
    const [library, version, page] = parsed as unknown[];
    if (
      typeof library !== 'string' ||
      typeof version !== 'string' ||
      !Number.isSafeInteger(page) ||
      (page as number) < 0
    )
      return undefined;
    return { library, version, page: page as number };
  } catch {
    return undefined;
  }
}
